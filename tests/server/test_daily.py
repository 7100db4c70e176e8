"""The deal of the day: the same for everybody, one attempt, and nothing to learn before one has played it."""

import hashlib
import random
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from teerling.game import list_games
from teerling.server.day import deals as daily
from teerling.server.people import Person
from teerling.server.refusals import Refused
from teerling.server.tables import days, opening
from teerling.server.tables.table import Table
from tests.server.houses import bearer, come_as, flat, house_of, opened

ANNE, BRAM, CARLA = (name * 3 for name in ("anne", "bram", "carl"))
TODAY = date(2026, 11, 16)
GAME = "rapido"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[date]:
    """What day it is at the server; a test may change it."""
    now = [TODAY]
    for module in (days, daily):
        monkeypatch.setattr(module, "today", lambda: now[0])
    return now


@pytest.fixture
def client(tmp_path: Path, clock: list[date]) -> Iterator[TestClient]:
    # Bots that wait do not disturb tests that play for all seats.
    with opened(tmp_path, bot_pause=60.0) as client:
        for person in (ANNE, BRAM, CARLA):
            house_of(client).storage.save_person(person, person[:4].capitalize())
        yield client


def begin(client: TestClient, person_id: str, of: str = GAME) -> Table:
    """Somebody's table of today's deal."""
    come_as(client, person_id)
    answer = client.post(f"/day/{of}", follow_redirects=False)
    assert answer.status_code == 303
    table = house_of(client).registry.get(answer.headers["location"].removeprefix("/tables/"))
    assert table is not None
    return table


def play(client: TestClient, table: Table, seed: int = 1) -> Table:
    """Plays a table to its end: people at random, bots as bots at this table do."""
    chooser, house = random.Random(seed), house_of(client)
    while table.playing and table.match.turn is not None:
        turn = table.match.turn
        asked = house.bots._ask(table)
        if asked is None:
            table.push(turn, chooser.choice(table.match.legal_moves).text)
        else:
            player, knows, _, bot_seed = asked
            assert bot_seed is not None
            table.push(turn, player.choose(knows, bot_seed).move.text, by_bot=True)
    client.portal.call(house.results.keep, table)  # type: ignore[union-attr]
    return table


def test_everybody_gets_the_same_deal_against_the_same_bots(client: TestClient) -> None:
    one, other = (play(client, begin(client, who)) for who in (ANNE, BRAM))
    assert one.id != other.id
    assert one.match.history == other.match.history
    third = play(client, begin(client, CARLA), seed=2)
    assert third.match.history != one.match.history
    assert third.match.seal == one.match.seal


@pytest.mark.parametrize("of", [game.id for game in list_games()])
def test_the_deals_of_games_and_days_and_servers_differ(client: TestClient, of: str, tmp_path: Path) -> None:
    deals = house_of(client).deals
    game = next(game for game in list_games() if game.id == of)
    seeds = {deals.seed_of(day, other) for day in (TODAY, days.after(TODAY)) for other in list_games()}
    assert len(seeds) == 2 * len(list_games())
    (tmp_path / "other").mkdir()
    with opened(tmp_path / "other") as another:
        assert house_of(another).deals.seed_of(TODAY, game) not in seeds


def test_the_seal_is_known_the_day_before_and_the_seed_the_day_after(
    client: TestClient, clock: list[date]
) -> None:
    def seals(page: str) -> dict[str, str]:
        part = page[page.index(f'id="{GAME}"') :]
        part = part[: part.index("</section>")]
        return dict(re.findall(r"<dt>(\w+)&#39;s seal</dt><dd><code>(\w+)</code>", part))

    told = seals(flat(client.get("/day").text))["Tomorrow"]
    clock[0] = days.after(TODAY)
    # Not even another secret changes what was told.
    house_of(client).deals._secret = "another"
    house_of(client).deals._seeds.clear()
    table = begin(client, ANNE)
    assert table.match.seal == told
    assert seals(flat(client.get("/day").text))["Today"] == told
    assert table.row.seed not in client.get("/day").text
    clock[0] += timedelta(days=1)
    page = flat(client.get("/day").text)
    assert seals(page)["Yesterday"] == told
    assert f"<code>{table.row.seed}</code>" in page
    assert hashlib.sha256(table.row.seed.encode()).hexdigest() == told


def test_there_is_one_attempt_a_day(client: TestClient, clock: list[date]) -> None:
    table = begin(client, ANNE)
    assert begin(client, ANNE) is table
    play(client, table)
    assert begin(client, ANNE) is table
    clock[0] = days.after(TODAY)
    assert begin(client, ANNE) is not table


def test_an_attempt_whose_table_was_not_opened_is_opened_later(client: TestClient) -> None:
    """As after a crash between the claim and the table."""
    house = house_of(client)
    house.records.claim_attempt(TODAY.isoformat(), GAME, ANNE, "claimed222")
    opened_at = client.portal.call(house.deals.open, GAME, Person(ANNE, "Anne"))  # type: ignore[union-attr]
    assert opened_at == "claimed222"
    assert opening.load(house.storage, "claimed222").row.day == TODAY.isoformat()


def test_there_are_no_hints_and_nothing_is_taken_back(client: TestClient) -> None:
    table = begin(client, ANNE)
    while table.match.turn != 0:
        table.push(int(table.match.turn or 0), table.match.legal_moves[0].text, by_bot=True)
    table.push(0, table.match.legal_moves[0].text)
    assert table.pushes_to_take_back(0) == 0
    with pytest.raises(Refused, match="nothing is taken back"):
        table.take_back(0)
    assert not table.gives_hints
    assert not table.row.public


def pages_of(table: Table) -> list[str]:
    return [f"/tables/{table.id}{path}" for path in ("", "/replay", "/replay/last", "/file", "/verify")]


def test_nobody_learns_of_a_deal_that_they_can_still_play(client: TestClient, clock: list[date]) -> None:
    table = play(client, begin(client, ANNE))
    begin(client, CARLA)  # she has begun, which is not enough
    for stranger in (BRAM, CARLA, ""):
        come_as(client, stranger)
        for path in pages_of(table):
            answer = client.get(path)
            assert answer.status_code == 403, path
            assert table.row.seed not in answer.text
        with client.websocket_connect(f"/tables/{table.id}/live") as socket:
            assert "deal of the day" in socket.receive_json()["text"]
            with pytest.raises(WebSocketDisconnect):
                socket.receive_json()
        assert table.id not in client.get("/").text
        page = client.get("/day").text
        assert "The scores of all" not in page
    for path in ("view", "history", "file", "events"):
        assert client.get(f"/api/tables/{table.id}/{path}").status_code == 403, path
    # Who has played it may look; when the day is over, everybody.
    play(client, begin(client, BRAM), seed=3)
    for path in pages_of(table):
        assert client.get(path).status_code == 200, path
    clock[0] = days.after(TODAY)
    client.cookies.clear()
    for path in pages_of(table):
        assert client.get(path).status_code == 200, path


def test_the_seed_is_told_to_nobody_before_the_day_is_over(client: TestClient, clock: list[date]) -> None:
    table = play(client, begin(client, ANNE))
    for path in pages_of(table):
        assert table.row.seed not in client.get(path).text, path
    assert f"seal {table.match.seal}" in client.get(f"/tables/{table.id}/file").text
    assert "told when the day is over" in client.get(f"/tables/{table.id}/verify").text
    clock[0] = days.after(TODAY)
    assert f"seed {table.row.seed}" in client.get(f"/tables/{table.id}/file").text
    assert "chance events follow from the seed" in client.get(f"/tables/{table.id}/verify").text


def test_programs_are_not_told_the_seed_either(client: TestClient, clock: list[date]) -> None:
    table = begin(client, ANNE)
    token = "token of Anne"
    table.seating.change({0: {"token": opening.token_hash(token)}})
    play(client, table)
    view = client.get(f"/api/tables/{table.id}/view", headers=bearer(token)).json()
    assert view["seed"] is None
    assert table.row.seed not in client.get(f"/api/tables/{table.id}/file", headers=bearer(token)).text


def test_afterwards_one_sees_how_one_did_among_all(client: TestClient) -> None:
    scores = [
        play(client, begin(client, who), seed).match.scores[0]
        for seed, who in enumerate((ANNE, BRAM, CARLA), 1)
    ]
    come_as(client, ANNE)
    page = flat(client.get("/day").text)
    place = 1 + sum(score > scores[0] for score in scores)
    assert f"You scored {scores[0]}: place {place} of 3." in page
    counts = [int(count) for count in re.findall(r"<span>(\d+)(?: · you)?</span></td>", page)]
    assert sum(counts) == 3
    assert page.count('class="yours"') == 1
    come_as(client, "stranger")
    assert f"3 have played it, best score: {max(scores)}." in client.get("/day").text


def test_who_gives_up_has_played_without_a_score(client: TestClient) -> None:
    table = begin(client, ANNE)
    client.post(f"/tables/{table.id}/resign")
    client.portal.call(house_of(client).results.stop)  # type: ignore[union-attr]
    assert "You gave it up." in client.get("/day").text
    assert begin(client, ANNE) is table
    come_as(client, BRAM)
    assert "have played it" not in client.get("/day").text


def test_whoever_is_deleted_leaves_a_score_without_a_name(client: TestClient) -> None:
    table = play(client, begin(client, ANNE))
    client.post("/me/delete", data={"sure": "yes"})
    records = house_of(client).records
    assert records.attempts_of(ANNE) == []
    assert records.scores_at(TODAY.isoformat(), GAME) == [table.match.scores[0]]


def test_the_lobby_has_a_card_of_the_day(client: TestClient) -> None:
    page = flat(client.get("/").text)
    of = list_games()[TODAY.toordinal() % len(list_games())]
    assert f'action="/day/{of.id}"' in page
    assert "16 November" in page
    table = begin(client, ANNE, of.id)
    assert f'href="/tables/{table.id}">Play on' in flat(client.get("/").text)
    assert "Potje van de dag" in client.get("/", headers={"Accept-Language": "nl"}).text
