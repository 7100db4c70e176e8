"""Tables that were put away come back from a snapshot and the entries since; the entries are what counts."""

import asyncio
import dataclasses
import logging
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from teerling.match import Match
from teerling.server import look
from teerling.server.context import open_house
from teerling.server.house import House
from teerling.server.page import live_pages
from teerling.server.refusals import NewerRules
from teerling.server.settings import Settings
from teerling.server.tables import opening, registry, snapshots
from teerling.server.tables.opening import Place, create
from teerling.server.tables.table import Table
from tests.apart import run_apart
from tests.server.storing import play
from tests.variants import GAMES

ANNE = "anne"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = open_house(Settings.read(tmp_path))
    house.storage.migrate()
    house.storage.save_person(ANNE, "Anne")
    yield house
    house.storage.close()


def table_of(house: House, game: str = "ra", seed: str = "7") -> Table:
    places = [Place("me"), Place("bot", level="random"), Place("bot", level="random")]
    return create(house.storage, game, places, ANNE, "Anne", {}, seed=seed)[0]


def shown(house: House, table: Table, since: int | None = None) -> list[live_pages.LivePage]:
    """What Anne, and somebody who looks on, see of a table."""
    views = [house.broadcaster._look(table, person, since) for person in (ANNE, "nobody")]
    return [live_pages.live.__wrapped__(view, "nl") for view in views]


def put_away(house: House, table: Table) -> None:
    house.storage.keep_snapshots({table.id: table.snapshot()})


@pytest.fixture
def pushes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The moves that are pushed from now on."""
    pushed: list[str] = []
    push = Match.push

    def noted(match: Match, move: Any) -> None:
        pushed.append(str(move))
        push(match, move)

    monkeypatch.setattr(Match, "push", noted)
    return pushed


@pytest.mark.parametrize("game", GAMES)
def test_a_table_comes_back_as_it_was_without_being_replayed(
    house: House, game: str, pushes: list[str]
) -> None:
    table = table_of(house, game)
    play(table, 45, random.Random(1))
    while table.playing and not table.pushes_to_take_back(0):
        play(table, 1, random.Random(1))
    if table.playing:
        table.take_back(0)
    put_away(house, table)
    pushes.clear()
    again = opening.load(house.storage, table.id)
    assert pushes == []
    assert again.match.save() == table.match.save()
    assert (again.version, again.begun, again.last.kind, again.match.draws) == (  # type: ignore[union-attr]
        table.version, table.begun, table.last.kind, table.match.draws,  # type: ignore[union-attr]
    )  # fmt: skip
    behind = max(0, len(table.match.history) - 20)
    assert shown(house, again, behind) == shown(house, table, behind)
    assert again.take_backs_of(0) == table.take_backs_of(0)
    both = [random.Random(2), random.Random(2)]
    for each, chooser in zip((table, again), both, strict=True):
        # Nature goes on where she was; only one of them is stored.
        each.match.push(chooser.choice(each.match.legal_moves)) if each.playing else None
    assert again.match.save() == table.match.save()


def test_what_happened_since_is_replayed_and_nothing_else(house: House, pushes: list[str]) -> None:
    table = table_of(house)
    play(table, 30, random.Random(1))
    put_away(house, table)
    before = table.version
    play(table, 5, random.Random(2))
    pushes.clear()
    again = opening.load(house.storage, table.id)
    assert len(pushes) == table.version - before
    assert again.match.save() == table.match.save()
    # The next snapshot covers all of it.
    put_away(house, again)
    pushes.clear()
    assert opening.load(house.storage, table.id).match.save() == table.match.save()
    assert pushes == []


def damage(data: bytes) -> bytes:
    return data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("damaged", "damaged"),
        ("cut short", "damaged"),
        ("nothing", "damaged"),
        ("of another table", "entries"),
        ("of other entries", "entries"),
        ("ahead", "entries"),
        ("of other rules", "other rules"),
        ("of another start", "begin"),
    ],
)
def test_a_snapshot_that_does_not_fit_is_dropped_and_the_match_replayed(
    house: House, what: str, why: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, other = table_of(house), table_of(house, seed="8")
    play(table, 30, random.Random(1))
    play(other, 30, random.Random(1))
    right, data = table.match.save(), table.snapshot()
    wrong = {
        "damaged": damage(data),
        "cut short": data[:-40],
        "nothing": b"",
        "of another table": other.snapshot(),
    }
    with house.storage.engine.begin() as connection:
        if what == "of other entries":
            connection.execute(text("update entries set seat = 7 where number = 3"))
        elif what == "ahead":
            connection.execute(text(f"delete from entries where number = {table.version - 1}"))
            right = ""
    if what == "of other rules":
        monkeypatch.setattr(snapshots, "fingerprint", lambda of: "another")
    elif what == "of another start":
        table.row.options = {"fame": "hidden"}
        with house.storage.engine.begin() as connection:
            connection.execute(text('update tables set options = \'{"fame": "hidden"}\''))
        right = ""
    house.storage.keep_snapshots({table.id: wrong.get(what, data)})
    with caplog.at_level(logging.WARNING):
        again = opening.load(house.storage, table.id)
    assert not right or again.match.save() == right
    assert again.version == len(house.storage.entries(table.id))
    assert why in caplog.text
    assert table.id in caplog.text
    stored = house.storage.stored(table.id)
    assert stored is not None
    assert stored.snapshot is None


@pytest.mark.parametrize("game", GAMES)
def test_a_page_of_a_long_match_is_the_same_whether_all_is_told_or_the_last(
    house: House, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, chooser = table_of(house, game), random.Random(5)
    monkeypatch.setattr(look, "MOST_TOLD", 96)
    seen = 0
    for _ in range(4):
        play(table, 60, chooser)
        moves = len(table.match.history)
        seen += moves > 2 * 96
        told = shown(house, opening.load(house.storage, table.id), moves - 10)
        with monkeypatch.context() as all_of_it:
            all_of_it.setattr(look, "MOST_TOLD", 10**6)
            assert told == shown(house, opening.load(house.storage, table.id), moves - 10)
    assert seen or table.over


def in_house(folder: Path, memory: int, test: Any) -> None:
    async def run() -> None:
        settings = dataclasses.replace(Settings.read(folder), table_memory=memory, bot_pause=1e6)
        house = open_house(settings)
        await house.start()
        house.storage.save_person(ANNE, "Anne")
        try:
            await test(house)
        finally:
            await house.stop()

    run_apart(run())


def test_tables_are_put_away_by_the_memory_they_take(tmp_path: Path, pushes: list[str]) -> None:
    async def test(house: House) -> None:
        tables = [table_of(house, seed=str(i)) for i in range(40)]
        for table in tables:
            play(table, registry.WORTH_KEEPING, random.Random(1))
            house.registry.remember(table)
            assert house.registry.weight <= 2**20
        there = [table for table in tables if house.registry.get(table.id) is not None]
        assert 3 < len(there) < len(tables)
        assert there == tables[-len(there) :]
        while house.registry._unkept:
            await asyncio.sleep(0.01)
        await house.registry.stop()
        pushes.clear()
        found = await house.registry.find(tables[0].id)
        assert found is not tables[0]
        assert found.match.save() == tables[0].match.save()
        assert pushes == []

    in_house(tmp_path, 1, test)


def test_a_server_that_stops_keeps_how_its_tables_stand(tmp_path: Path, pushes: list[str]) -> None:
    ids = []

    async def play_on(house: House) -> None:
        table = table_of(house)
        play(table, 40, random.Random(1))
        house.registry.remember(table)
        ids.append(table.id)

    async def come_back(house: House) -> None:
        pushes.clear()
        assert (await house.registry.find(ids[0])).version > 40
        assert pushes == []

    in_house(tmp_path, 512, play_on)
    in_house(tmp_path, 512, come_back)


def test_a_match_of_newer_rules_is_refused_with_a_sentence_and_left_as_it_is(house: House) -> None:
    """Servers are replaced one by one: an older one may be asked for what a newer one has opened."""
    table = table_of(house)
    play(table, 30, random.Random(1))
    house.storage.keep_snapshots({table.id: table.snapshot()})
    with house.storage.engine.begin() as connection:
        connection.execute(text("update tables set rules = 99"))
    before = house.storage.stored(table.id)
    with pytest.raises(NewerRules, match="newer rules than this server knows"):
        opening.load(house.storage, table.id)
    after = house.storage.stored(table.id)
    assert before is not None
    assert after is not None
    assert (after.snapshot, after.entries) == (before.snapshot, before.entries)
    assert after.snapshot is not None
