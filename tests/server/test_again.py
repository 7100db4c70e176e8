"""Try again: the own mistakes of a match that is over, as the player saw them, one after another."""

import random
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from teerling.server.tables import opening
from teerling.server.tables.opening import Place
from teerling.server.tables.table import Table
from tests.server.houses import come_as, flat, house_of, opened
from tests.server.mistaken import judgements_of, mistaken

ANNE, BRAM = "anne" * 3, "bram" * 3


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with opened(tmp_path_factory.mktemp("data"), bot_pause=60.0) as client:
        for person in (ANNE, BRAM):
            house_of(client).storage.save_person(person, person[:4].capitalize())
        yield client


@pytest.fixture
def client(server: TestClient) -> TestClient:
    come_as(server, ANNE)
    return server


def table_of(client: TestClient, game: str = "rapido", over: bool = True, **options: str) -> Table:
    """A table of Anne against a bot, whose match is over."""
    places = [Place("me"), Place("bot", level="random")]
    storage, chooser = house_of(client).storage, random.Random(1)
    table, _ = opening.create(storage, game, places, ANNE, "Anne", options, public=False, seed="4")
    while table.match.turn is not None and (over or len(table.match.pushes) < 6):
        table.push(table.match.turn, chooser.choice(table.match.legal_moves).text, by_bot=True)
    return table


def test_the_own_mistakes_are_asked_one_after_another_the_costliest_first(client: TestClient) -> None:
    table = table_of(client, goal="9")
    own = [each for each in judgements_of(table.match) if each.seat == 0]
    with mistaken(client):
        answer = client.get(f"/tables/{table.id}/again")
        assert answer.url.path == f"/tables/{table.id}/again/1"
        assert f"1 of {len(own)}" in answer.text
        for number in (1, len(own)):
            page = flat(client.get(f"/tables/{table.id}/again/{number}").text)
            then = table.match.upto(own[number - 1].place)
            assert all(f'value="{move.text}"' in page for move in then.legal_moves)
        for number in (0, len(own) + 1):
            assert client.get(f"/tables/{table.id}/again/{number}").status_code == 404


def test_a_try_is_told_what_each_move_costs_and_why(client: TestClient) -> None:
    table = table_of(client, goal="9")
    mistakes = judgements_of(table.match)
    number, mistake = next(
        (number, each)
        for number, each in enumerate([each for each in mistakes if each.seat == 0], 1)
        if len(table.match.upto(each.place).legal_moves) > 2
    )
    third = next(
        move
        for move in table.match.upto(mistake.place).legal_moves
        if move not in (mistake.best, mistake.played)
    )
    address = f"/tables/{table.id}/again/{number}"
    with mistaken(client) as known:
        told = {
            move: flat(client.post(address, data={"move": move.text}).text)
            for move in (mistake.best, mistake.played, third)
        }
        assert "You found the best move." in told[mistake.best]
        assert "You would play the same again." in told[mistake.played]
        assert "The best move is another." in told[third]
        assert "5.5%<small>(1.1% to 9.9%)</small>" in told[third]
        loss = f"{100 * mistake.loss:.1f}%"
        assert all(f"{loss}<small>(2.0% to 18.0%)</small>" in page for page in told.values())
        assert all("There is no other move." in page for page in told.values())
        client.get(f"{address}?move={third.text}")
    # Judged from what the seat knew, and each move once.
    assert [knows.seen for knows in known] == [table.match.upto(mistake.place).seen(0)] * 2


def test_a_move_that_cannot_be_made_there_is_refused(client: TestClient) -> None:
    table = table_of(client, goal="9")
    with mistaken(client):
        for move in ("throw everything", "place 99", ""):
            answer = client.post(f"/tables/{table.id}/again/1", data={"move": move})
            assert answer.status_code == 422, move


def test_what_the_others_hid_is_not_in_the_question(client: TestClient) -> None:
    """The page of a position with hidden cards is the same, whatever the others hold."""
    table = table_of(client, "dicerun")
    with mistaken(client):
        page = client.get(f"/tables/{table.id}/again/1").text
    mistake = next(each for each in judgements_of(table.match) if each.seat == 0)
    then = table.match.upto(mistake.place)
    seen = then.game.imagined(then.seen(0), 0, [3])
    assert then.game.observed(seen, 0) == then.seen(0)
    hidden = {move.text for move in then.history} - {move.text for move in then.history_of(0)}
    assert hidden
    assert not any(text in page for text in hidden)


def test_nobody_else_and_nobody_before_the_end_is_asked(client: TestClient) -> None:
    table, going_on = table_of(client, goal="9"), table_of(client, over=False)
    with mistaken(client):
        assert client.get(f"/tables/{going_on.id}/again").status_code == 409
        come_as(client, BRAM)
        answer = client.get(f"/tables/{table.id}/again")
        assert (answer.status_code, "you have no seat at this table" in answer.text.lower()) == (403, True)


def test_until_the_mistakes_are_found_a_page_says_so(client: TestClient) -> None:
    table = table_of(client, goal="9")
    with mistaken(client, done=0.4):
        answer = client.get(f"/tables/{table.id}/again/1")
    assert answer.url.path == f"/tables/{table.id}/again"
    assert 'value="0.4"' in answer.text


def test_of_a_branch_only_what_was_played_there_is_tried_again(client: TestClient) -> None:
    source = table_of(client, goal="9")
    answer = client.post(f"/tables/{source.id}/replay/play-on", data={"step": "8", "seat": "0"})
    table = house_of(client).registry.get(answer.url.path.rpartition("/")[2])
    assert table is not None
    chooser = random.Random(5)
    while table.match.turn is not None:
        table.push(table.match.turn, chooser.choice(table.match.legal_moves).text, by_bot=True)
    own = [each for each in judgements_of(table.match) if each.seat == 0]
    here = [each for each in own if each.place >= len(source.match.branched(8, "x").history)]
    assert len(here) < len(own)
    with mistaken(client):
        assert f"1 of {len(here)}" in client.get(f"/tables/{table.id}/again").text
