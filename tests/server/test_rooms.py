"""The rooms of the server, without pages: the registry, changes, the broadcaster and the table of actions."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from teerling.server.actions import ACTIONS, Asker, Wish
from teerling.server.database.storage import Storage
from teerling.server.database.transactions import StorageGone
from teerling.server.house import House
from teerling.server.people import Person
from teerling.server.refusals import Misunderstood, NotAllowed, Stale
from teerling.server.settings import Settings
from teerling.server.tables.broadcaster import Viewer
from teerling.server.tables.opening import Place
from teerling.server.tables.table import Table
from teerling.server.thinking.bots import OPENING
from tests.apart import run_apart
from tests.server.houses import house_of, new_table, opened, table_at
from tests.server.storage_failures import heard

ANNE, BRAM = Person("anne", "Anne"), Person("bram", "Bram")
OPEN = [Place("me"), Place("open")]
LOOKED: list[str] = []


def look(table: Table, person_id: str, since: int | None) -> tuple[str, int]:
    """A view that is no page: who looks, and at which version."""
    LOOKED.append(person_id)
    return person_id, table.version


def render(view: tuple[str, int], lang: str) -> dict[str, Any]:
    return {"kind": "page", "by": view[0], "version": view[1], "lang": lang}


class Wire:
    """A socket that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    async def send_text(self, data: str) -> None:
        self.sent.append(json.loads(data))

    async def close(self, code: int = 1000) -> None:
        raise AssertionError("nothing failed")


def in_house(folder: Path, test: Callable[[House], Awaitable[None]]) -> None:
    """Runs something in a house without pages, in which Anne and Bram are known."""

    async def run() -> None:
        house = House(Settings.read(folder), look, render)
        await house.start()
        for person in (ANNE, BRAM):
            house.storage.save_person(person.id, person.name)
        LOOKED.clear()
        try:
            await test(house)
        finally:
            await house.stop()

    run_apart(run())


async def open_table(house: House, places: list[Place] = OPEN) -> Table:
    table, _ = await house.changes.create("ra", places, ANNE.id, ANNE.name, {}, seed="7")
    return table


async def watch(house: House, table: Table, person_id: str, lang: str = "en") -> tuple[Viewer, Wire]:
    wire = Wire()
    viewer = Viewer(table.id, wire, person_id, lang)
    house.presence.enter(viewer)
    return viewer, wire


async def quiet(house: House) -> None:
    """Waits until every page that was due has been sent."""
    while any(house.broadcaster._due) or any(
        viewer.sending for viewers in house.broadcaster.viewers.values() for viewer in viewers
    ):
        await asyncio.sleep(0.01)


def test_viewers_who_see_the_same_share_one_look(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table = await open_table(house)
        wires = [
            (await watch(house, table, id, lang))[1]
            for id, lang in (("anne", "en"), ("x", "en"), ("y", "en"), ("y", "nl"))
        ]
        house.broadcaster.tell(table)
        await quiet(house)
        assert [len(wire.sent) for wire in wires] == [1, 1, 1, 1]
        assert wires[1].sent == wires[2].sent
        assert wires[3].sent[0]["lang"] == "nl"
        assert len(LOOKED) == 3
        assert LOOKED[0] == "anne"

    in_house(tmp_path, test)


def test_a_page_that_waited_for_a_table_comes_when_the_table_is_let_go(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table = await open_table(house)
        wire = Wire()
        house.broadcaster.add(Viewer(table.id, wire, ANNE.id, "en"))
        async with house.registry.holding(table.id):
            house.broadcaster.tell(table)
            await asyncio.sleep(0.05)
            assert wire.sent == []
        await asyncio.wait_for(quiet(house), 5)
        assert [message["kind"] for message in wire.sent] == ["page"]

    in_house(tmp_path, test)


def test_the_page_that_asked_is_made_first_and_its_receipt_comes_before_it(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table = await open_table(house)
        await watch(house, table, BRAM.id)
        viewer, wire = await watch(house, table, ANNE.id)
        asker = Asker(ANNE, 0, viewer)
        await house.actions.do("chat", table.id, asker, Wish(text=" hello\nthere "))
        await quiet(house)
        assert [message["kind"] for message in wire.sent] == ["said", "page"]
        assert [ANNE.id, BRAM.id] == LOOKED
        assert [line.text for line in table.chat] == ["hello there"]
        await house.actions.do("chat", table.id, asker, Wish(text=" \n"))
        await quiet(house)
        assert [message["kind"] for message in wire.sent] == ["said", "page", "said"]

    in_house(tmp_path, test)


def test_every_verb_but_join_is_for_people_with_a_seat(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table = await open_table(house)
        for verb in ACTIONS.keys() - {"join"}:
            with pytest.raises(NotAllowed, match="you have no seat at this table"):
                await house.actions.do(verb, table.id, Asker(BRAM), Wish(move="draw", text="hi", seat=0))
        assert (table.version, table.chat, table.status) == (0, [], "open")
        done = await house.actions.do("join", table.id, Asker(BRAM))
        assert table.seating.seats_with(str(done.token)) == table.seating.seats_of(BRAM.id) == [1]
        assert table.playing

    in_house(tmp_path, test)


@pytest.mark.parametrize(
    ("verb", "message"),
    [
        ("move", {"move": "draw"}),
        ("move", {"move": "draw", "at": True}),
        ("move", {"move": "draw", "at": "1"}),
        ("move", {"move": None, "at": 1}),
        ("move", {"move": "x" * 201, "at": 1}),
        ("move", {"move": "\ud800", "at": 1}),
        ("chat", {}),
    ],
)
def test_a_message_without_what_its_verb_takes_is_misunderstood(verb: str, message: dict[str, Any]) -> None:
    with pytest.raises(Misunderstood):
        Wish.read(verb, message)


def test_a_message_may_hold_more_than_its_verb_takes() -> None:
    assert Wish.read("move", {"kind": "move", "move": "draw", "at": 1, "seat": 3}) == Wish(move="draw", at=1)
    assert Wish.read("back", {"at": "whatever"}) == Wish()


def test_pages_send_over_their_socket_only_what_is_live(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        path = client.post("/new/ra", data={"seat0": "me", "seat1": "me"}).url.path
        with client.websocket_connect(f"{path}/live?lang=en") as socket:
            heard(socket, "page")
            for verb in [verb for verb, action in ACTIONS.items() if not action.live]:
                socket.send_json({"kind": verb, "seat": 0})
                assert heard_error(socket) == "This message could not be understood", verb
        assert table_at(client, path).playing
        assert client.post(f"{path}/nonsense").status_code == 404


def heard_error(socket: Any) -> str:
    message: dict[str, Any] = socket.receive_json()
    assert message["kind"] == "error", message
    return str(message["text"])


def test_tables_that_nobody_needs_are_forgotten_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEERLING_TABLE_MEMORY", "0")

    async def test(house: House) -> None:
        kept = await open_table(house)
        await watch(house, kept, ANNE.id)
        forgotten = await open_table(house)
        for _ in range(3):
            await open_table(house)
        assert house.registry.get(kept.id) is kept
        assert house.registry.get(forgotten.id) is None
        # Who still has the old object names the table, and gets the one that counts.
        await house.actions.do("join", forgotten.id, Asker(BRAM), Wish(seat=1))
        found = await house.registry.find(forgotten.id)
        assert found is not forgotten
        assert (found.status, forgotten.status) == ("playing", "open")

    in_house(tmp_path, test)


def test_a_table_in_doubt_is_replaced_and_nobody_acts_on_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Storage.append

    def lost(*arguments: Any, **changes: Any) -> None:
        append(*arguments, **changes)
        raise StorageGone("the connection was lost")

    async def test(house: House) -> None:
        table = await open_table(house, [Place("me"), Place("me")])
        viewer, wire = await watch(house, table, ANNE.id)
        old, turn, version = table.match, table.match.turn, table.version
        with monkeypatch.context() as broken:
            broken.setattr(Storage, "append", lost)
            with pytest.raises(StorageGone):
                await house.actions.do("move", table.id, Asker(ANNE, turn), Wish(move="draw"))
        # It was taken back here, but it is stored.
        assert (len(old.pushes), table.version) == (0, version)
        assert house.changes.is_in_doubt(table.id)
        asker = Asker(ANNE, turn, viewer)
        with pytest.raises(Stale):
            await house.actions.do("move", table.id, asker, Wish(move="invoke", at=version))
        fresh = await house.registry.find(table.id)
        assert fresh is not table
        assert not house.changes.is_in_doubt(table.id)
        assert (len(fresh.match.pushes), fresh.version) == (1, version + 1)
        await quiet(house)
        assert wire.sent[-1]["version"] == version + 1
        asker = Asker(ANNE, fresh.match.turn, viewer)
        move = fresh.match.legal_moves[0].text
        await house.actions.do("move", table.id, asker, Wish(move=move, at=fresh.version))
        assert table.version == version
        await quiet(house)
        assert wire.sent[-1]["version"] == fresh.version > version + 1

    in_house(tmp_path, test)


def test_what_was_begun_is_finished_when_the_asker_goes_away(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table = await open_table(house)
        async with house.registry.holding(table.id):
            asking = asyncio.create_task(house.actions.do("join", table.id, Asker(BRAM)))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        while house.changes._applying:
            await asyncio.sleep(0.01)
        assert table.seating.seats_of(BRAM.id) == [1]

    in_house(tmp_path, test)


def test_a_socket_goes_on_after_its_table_was_replaced(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        made = new_table(client, "ra", [{"kind": "me"}, {"kind": "open"}])
        path = f"/tables/{made['table']['id']}"
        client.post(f"{path}/join", data={"seat": "1", "name": "Bram"})
        with client.websocket_connect(f"{path}/live?lang=en") as socket:
            before = heard(socket, "page")["version"]
            replace(client, path)
            socket.send_json({"kind": "ping"})
            assert heard(socket, "pong")["version"] == before
            socket.send_json({"kind": "chat", "text": "still here"})
            while "still here" not in socket.receive_json().get("html", ""):
                pass
        assert [line.text for line in table_at(client, path).chat] == ["still here"]


def replace(client: TestClient, path: str) -> None:
    """A table is read again, as after a database that did not say what it stored."""
    old = table_at(client, path)

    async def reload() -> None:
        async with house_of(client).registry.holding(old.id):
            await house_of(client).registry.reload(old.id)

    assert client.portal is not None
    client.portal.call(reload)
    assert table_at(client, path) is not old


@pytest.mark.parametrize("people", [1, 2])
def test_a_bot_that_begins_waits_only_where_people_have_just_sat_down(
    tmp_path: Path, people: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def test(house: House) -> None:
        places = [Place("me"), *[Place("open")] * (people - 1), Place("bot", level="random")]
        for seed in range(20):
            table, _ = await house.changes.create("ra", places, ANNE.id, ANNE.name, {}, seed=f"{seed}")
            await watch(house, table, ANNE.id)
            if people > 1:
                await house.changes.apply(table.id, lambda table: table.join(None, BRAM.id, BRAM.name))
            if table.bot_to_move() is not None:
                break
        while not table.match.pushes:
            await asyncio.sleep(0.01)

    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        waited.append(seconds)
        await sleep(min(seconds, 0.01))

    monkeypatch.setattr("teerling.server.thinking.bots.asyncio.sleep", noted)
    in_house(tmp_path, test)
    assert (pytest.approx(0.7 * OPENING) in waited) == (people > 1)
    assert (pytest.approx(0.7) in waited) == (people == 1)


def test_bots_keep_the_pace_of_who_plays_and_likes_it_slowest(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table = await open_table(house)
        assert house.presence.pace(table) == 1
        (anne, _), (watcher, _) = await watch(house, table, ANNE.id), await watch(house, table, "x")
        anne.pace, watcher.pace = "fast", "calm"
        assert house.presence.pace(table) == 0.5
        again, _ = await watch(house, table, ANNE.id)
        again.pace = "calm"
        assert house.presence.pace(table) == 1.4
        again.pace = "as fast as light"
        assert house.presence.pace(table) == 1

    in_house(tmp_path, test)


def test_a_page_says_how_fast_its_player_likes_it(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        path = client.post("/new/ra", data={"seat0": "me", "seat1": "me"}).url.path
        table, presence = table_at(client, path), house_of(client).presence
        with client.websocket_connect(f"{path}/live?lang=en&pace=fast") as live:
            heard(live, "page")
            assert presence.pace(table) == 0.5
            live.send_text(json.dumps({"kind": "ping", "pace": "calm"}))
            heard(live, "pong")
            assert presence.pace(table) == 1.4
