"""What if: playing a match on from a step of it, at a table of its own, by page and by program."""

import random
import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

import teerling
from teerling.server.database.schema import MOST_TEXT
from teerling.server.tables import days, opening
from teerling.server.tables.opening import Place
from teerling.server.tables.table import Table
from tests.server.houses import bearer, come_as, flat, house_of, opened
from tests.variants import GAMES

ANNE, BRAM = "anne" * 3, "bram" * 3
TODAY = date(2026, 11, 16)
SEED = "the seed of an evening"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    # Bots that wait do not disturb tests that play for all seats.
    with opened(tmp_path_factory.mktemp("data"), bot_pause=60.0) as client:
        for person in (ANNE, BRAM):
            house_of(client).storage.save_person(person, person[:4].capitalize())
        yield client


@pytest.fixture
def client(server: TestClient) -> TestClient:
    come_as(server, ANNE)
    return server


def source_of(client: TestClient, game: str = "rapido", over: bool = True, **more: Any) -> Table:
    """A table of Anne against two bots, over unless told."""
    places = [Place("me"), *[Place("bot", level="random")] * 2]
    options = {"goal": "9"} if game == "rapido" and over else {}
    storage = house_of(client).storage
    table, _ = opening.create(storage, game, places, ANNE, "Anne", options, public=False, seed=SEED, **more)
    return played(table, None if over else 6)


def played(table: Table, most: int | None = None, seed: int = 1) -> Table:
    """A table with random moves of all seats, until its match is over or there are so many decisions."""
    chooser = random.Random(seed)
    while table.match.turn is not None and (most is None or len(table.match.pushes) < most):
        table.push(table.match.turn, chooser.choice(table.match.legal_moves).text, by_bot=True)
    return table


def play_on(client: TestClient, table: Table, **fields: str) -> Response:
    """What the form of the replay sends."""
    found: Response = client.post(f"/tables/{table.id}/replay/play-on", data=fields)
    return found


def branch_at(client: TestClient, answer: Response) -> Table:
    """The table that a form opened."""
    assert answer.status_code == 200, answer.text
    table = house_of(client).registry.get(answer.url.path.rpartition("/")[2])
    assert table is not None
    return table


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_on_from_a_step_at_a_table_of_its_own(client: TestClient, game: str) -> None:
    source = source_of(client, game, over=False)
    played(source, 20).resign(0)
    answer = play_on(client, source, step="9", seat="1", level="club", level2="novice", luck="was")
    table = branch_at(client, answer)
    assert table.match.history == source.match.upto(len(table.match.history)).history
    assert sum(not move.chance for move in table.match.history) == 9
    assert [(row.kind, row.level) for row in table.seating] == [
        ("bot", "club"), ("person", None), ("bot", "novice"),
    ]  # fmt: skip
    assert table.seating[1].name == "Anne"
    # The page names where it comes from, and that it does not count.
    page = flat(answer.text)
    assert f'href="/tables/{source.id}/replay?move=9"' in page
    assert "It counts for nobody&#39;s results." in page
    # What is stored is the same table again.
    again = opening.load(house_of(client).storage, played(table, 15).id)
    assert (again.match.history, again.version, again.branch) == (
        table.match.history, table.version, table.branch,
    )  # fmt: skip


def test_the_luck_that_was_answers_the_same_and_new_luck_does_not(client: TestClient) -> None:
    source = source_of(client)
    decisions = [move.text for move in source.match.history if not move.chance]
    was = branch_at(client, play_on(client, source, step="6", luck="was"))
    new = branch_at(client, play_on(client, source, step="6", luck="new"))
    assert was.has_same_luck
    assert not new.has_same_luck
    assert new.row.seed != source.row.seed
    for text in decisions[6:]:
        if was.match.turn is not None:
            was.push(was.match.turn, text, by_bot=True)
    assert was.match.history == source.match.history
    assert played(new).match.history != source.match.history


def test_a_branch_tells_its_seed_to_nobody_before_it_is_over(client: TestClient) -> None:
    source = source_of(client)
    answer = client.post("/api/branches", json={"source": source.id, "step": 6, "seat": 0})
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert made["table"]["branch"] == {"source": source.id, "step": 6, "luck": "was"}
    path, seed = f"/api/tables/{made['table']['id']}", source.row.seed
    for address in (path, f"{path}/view", f"{path}/moves", f"{path}/history", f"{path}/file"):
        found = client.get(address, headers=bearer(made["token"]))
        assert found.status_code == 200
        assert seed not in found.text
    for address in ("", "/replay", "/verify"):
        assert seed not in client.get(f"/tables/{made['table']['id']}{address}").text
    table = house_of(client).registry.get(made["table"]["id"])
    assert table is not None
    text = client.get(f"{path}/file").text if played(table).over else ""
    assert f"branch {source.id} 6\n" in text
    assert f"seed {seed}" in text
    assert teerling.load(text).branch == table.branch


def test_the_file_of_a_branch_with_new_luck_loads_and_is_verified_from_there_on(client: TestClient) -> None:
    source = source_of(client, "dicerun")
    table = played(branch_at(client, play_on(client, source, step="7", luck="new")))
    text = client.get(f"/tables/{table.id}/file").text
    given = sum(move.chance for move in source.match.branched(7, "x").history)
    assert f"branch {source.id} 7 {given}\n" in text
    assert teerling.load(text).history == table.match.history
    page = flat(client.get(f"/tables/{table.id}/verify").text)
    answers = sum(move.chance for move in table.match.history)
    assert f"All {answers - given} chance events follow from the seed." in page
    assert f"its first {given} chance events are those of the other match" in page
    assert page.count("✓") == answers - given


def test_nothing_from_before_the_branch_is_taken_back(client: TestClient) -> None:
    source = source_of(client)
    step = next(
        number
        for number in range(4, 20)
        if source.match.branched(number, "x").turn == 0
        and len(source.match.branched(number, "x").legal_moves) > 1
    )
    table = branch_at(client, play_on(client, source, step=str(step), seat="0"))
    assert table.pushes_to_take_back(0) == 0
    before = table.match.history
    table.push(0, table.match.legal_moves[0].text)
    assert table.pushes_to_take_back(0) > 0
    table.take_back(0)
    assert table.match.history == before
    assert opening.load(house_of(client).storage, table.id).match.taken_back == table.match.taken_back


def test_a_branch_counts_for_nobody(client: TestClient) -> None:
    source = source_of(client)
    house = house_of(client)
    before = flat(client.get("/me").text)
    table = played(branch_at(client, play_on(client, source, step="3")))
    house.results.note(table)
    assert flat(client.get("/me").text) == before
    assert not house.records.has_result(table.id)
    assert house.records.has_result(source.id)
    assert "what if, from step 3" in flat(client.get("/").text)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"step": "9999"}, "there is no step 9999; the steps are 0 to"),
        ({"step": ""}, "a step and a seat are numbers, not"),
        ({"step": "-1"}, "a step and a seat are numbers, not"),
        ({"step": "2", "seat": "7"}, "There is no such seat"),
        ({"step": "2", "luck": "good"}, "luck is &#39;was&#39; or &#39;new&#39;"),
        ({"step": "2", "level": "god"}, "there is no level"),
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(
    client: TestClient, fields: dict[str, str], says: str
) -> None:
    answer = play_on(client, source_of(client), **fields)
    assert answer.status_code == 422
    assert says.lower() in flat(answer.text).lower()


def test_where_the_match_is_over_or_still_goes_on_nothing_is_played_on(client: TestClient) -> None:
    source = source_of(client)
    last = sum(not move.chance for move in source.match.history)
    answer = play_on(client, source, step=str(last))
    assert (answer.status_code, f"at step {last} the match is over" in answer.text.lower()) == (422, True)
    going_on = source_of(client, over=False)
    assert play_on(client, going_on, step="2").status_code == 409
    assert "Play on from here" not in client.get(f"/tables/{going_on.id}/replay").text
    api = client.post("/api/branches", json={"source": going_on.id, "step": 2})
    assert (api.status_code, api.json()["error"]["kind"]) == (409, "refused")
    assert client.post("/api/branches", json={"source": "nowhere", "step": 2}).status_code == 404


def test_a_match_that_was_given_up_is_played_on_from_where_it_ended(client: TestClient) -> None:
    source = source_of(client, over=False)
    source.resign(0)
    table = branch_at(client, play_on(client, source, step="6", seat="0"))
    assert table.match.history == source.match.history


def test_a_deal_of_the_day_is_played_on_when_the_day_is_over(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [TODAY]
    monkeypatch.setattr(days, "today", lambda: now[0])
    source = source_of(client, day=TODAY.isoformat(), hints="none")
    for answer in (
        play_on(client, source, step="3", luck="new"),
        client.post("/api/branches", json={"source": source.id, "step": 3, "luck": "new"}),
    ):
        assert answer.status_code == 409
        assert "it can be played on when the day is over" in answer.text
    assert "it can be played on when the day is over" in client.get(f"/tables/{source.id}/replay").text
    now[0] += timedelta(days=1)
    assert branch_at(client, play_on(client, source, step="3")).row.day is None


def test_a_match_by_other_rules_is_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    source = source_of(client)
    house_of(client).registry.remember(source)
    monkeypatch.setattr(source.match.states[-1], "version", 99)
    answer = play_on(client, source, step="3")
    assert answer.status_code == 422
    assert "by version 99 of the rules" in answer.text


def uploaded(client: TestClient, text: str) -> str:
    """Where the replay of a file is."""
    answer = client.post("/replay", files={"file": ("evening.txt", text.encode())})
    assert answer.status_code == 200, answer.text
    return answer.url.path


def test_an_uploaded_match_is_played_on_even_from_a_position_made_by_hand(client: TestClient) -> None:
    start = {"players": 3, "seats": [{"fame": 30}, {}, {}], "options": {"fame": "hidden"}}
    match, chooser = teerling.at("ra", start, seed=1), random.Random(4)
    for _ in range(12):
        match.push(chooser.choice(match.legal_moves))
    path = uploaded(client, match.save())
    table = branch_at(client, client.post(f"{path}/play-on", data={"step": "8", "luck": "was"}))
    assert table.match.started_at == match.started_at
    assert table.match.options == match.options
    kept = len(table.match.history)
    assert table.match.history == match.history[:kept]
    again = opening.load(house_of(client).storage, table.id)
    assert again.match.state == table.match.state
    # Its step is found in its own replay: a file is not kept.
    page = flat(client.get(f"/tables/{table.id}").text)
    assert f'href="/tables/{table.id}/replay?move=8"' in page
    assert table.branch is not None
    assert re.fullmatch("file-[0-9a-f]{12}", table.branch.source)
    by_program = client.post("/api/branches", json={"source": match.save(), "step": 8})
    assert by_program.json()["table"]["branch"]["source"] == table.branch.source


def test_a_file_without_its_seed_has_new_luck_only(client: TestClient) -> None:
    path = uploaded(client, source_of(client).match.save(seed=False))
    page = flat(client.get(path).text)
    assert re.search('value="was"disabled', page.replace(" ", ""))
    answer = client.post(f"{path}/play-on", data={"step": "3", "luck": "was"})
    assert (answer.status_code, "choose new luck" in answer.text) == (422, True)
    assert not branch_at(
        client, client.post(f"{path}/play-on", data={"step": "3", "luck": "new"})
    ).has_same_luck


def test_an_entry_never_holds_more_than_its_column(client: TestClient) -> None:
    match = teerling.at("ra", {"players": 3}, seed=1)
    path = uploaded(client, match.save())
    table = branch_at(client, client.post(f"{path}/play-on", data={"step": "0"}))
    entries = house_of(client).storage.entries(table.id)
    assert max(len(entry.text) for entry in entries) <= MOST_TEXT


def test_a_branch_that_was_put_away_comes_back_from_its_snapshot(client: TestClient) -> None:
    """Also one that began at a position: what was given is not replayed, and still not taken back."""
    start = {"players": 3, "seats": [{"fame": 30}, {}, {}], "options": {"fame": "hidden"}}
    match, chooser = teerling.at("ra", start, seed=1), random.Random(4)
    for _ in range(12):
        match.push(chooser.choice(match.legal_moves))
    path = uploaded(client, match.save())
    for luck in ("was", "new"):
        answer = client.post(f"{path}/play-on", data={"step": "8", "luck": luck})
        table = played(branch_at(client, answer), 11)
        stored = house_of(client).storage.stored(table.id)
        assert stored is not None
        again = Table(table.storage, stored.row, stored.entries, (), table.snapshot())
        assert again.match.save() == table.match.save()
        assert (again.branch, again.given.decisions) == (table.branch, 8)
        assert played(again).match.branch == table.branch


def test_levels_are_one_for_all_or_one_for_each_seat(client: TestClient) -> None:
    source = source_of(client)
    wanted = {"source": source.id, "step": 4, "seat": 0}
    made = client.post("/api/branches", json=wanted | {"levels": ["club"]}).json()
    assert [seat["level"] for seat in made["table"]["seats"]] == [None, "club", "club"]
    made = client.post("/api/branches", json=wanted | {"levels": ["", "novice", "club"]}).json()
    assert [seat["level"] for seat in made["table"]["seats"]] == [None, "novice", "club"]
    refused = client.post("/api/branches", json=wanted | {"levels": ["club", "club"]})
    assert (refused.status_code, refused.json()["error"]["kind"]) == (422, "not_there")
