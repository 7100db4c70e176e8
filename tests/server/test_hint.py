"""Hints at a table: who gets them, who sees that, and what they are made from."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from teerling import players
from teerling.players.hint import Reason
from teerling.server.thinking import hints, jobs
from tests.server.houses import bearer, house_of, new_table, opened, table_at

PEOPLE = [{"kind": "me"}, {"kind": "open"}]
ALONE = [{"kind": "me"}, {"kind": "bot", "level": "random"}]


def guess(knows: players.Observation, *_: object) -> players.Hint:
    """A hint without any thinking: the first legal move, and a reason of its own."""
    moves = knows.game.legal_moves(knows.seen)
    thoughts = tuple(players.MoveEstimate(move, 10, 0.25, 7.0, 1.5) for move in moves)
    return players.Hint(knows.game, knows.seat, "expert", thoughts, Reason(moves[-1]))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[players.Observation]:
    """Nothing is compiled; what was known when a hint was worked out."""
    known: list[players.Observation] = []

    def note(knows: players.Observation, *more: object) -> players.Hint:
        known.append(knows)
        return guess(knows, *more)

    monkeypatch.setattr(hints, "is_preparing", lambda *_, **__: False)
    monkeypatch.setattr(jobs, "hint_from", note)
    return known


@pytest.fixture
def client(tmp_path: Path, asked: list[players.Observation]) -> Iterator[TestClient]:
    with opened(tmp_path) as client:
        yield client


def with_turn(client: TestClient, seats: list[dict[str, str]] = ALONE, **more: Any) -> dict[str, Any]:
    """A table at which the program is to move, as soon as the bots have moved."""
    made = new_table(client, "rapido", seats, **more)
    made["path"] = f"/api/tables/{made['table']['id']}"
    for _ in range(200):
        if client.get(f"{made['path']}/moves", headers=bearer(made["token"])).json()["yours"]:
            return made
        time.sleep(0.02)
    raise AssertionError("it never was the program's turn")


def test_a_program_that_is_to_move_gets_the_moves_ranked(client: TestClient) -> None:
    made = with_turn(client)
    legal = client.get(f"{made['path']}/moves", headers=bearer(made["token"])).json()["moves"]
    answer = client.post(f"{made['path']}/hint", headers=bearer(made["token"]))
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert [move["move"] for move in told["moves"]] == [move["text"] for move in legal]
    assert (told["moves"][0]["win"], told["moves"][0]["spread"]) == (0.25, 1.5)
    assert told["reason"].startswith("It hardly matters")
    told = client.post(
        f"{made['path']}/hint", headers=bearer(made["token"]) | {"Accept-Language": "nl"}
    ).json()
    assert told["reason"].startswith("Het maakt weinig uit")


def test_who_asks_twice_is_told_the_same_and_counted_once(
    client: TestClient, asked: list[players.Observation]
) -> None:
    made = with_turn(client)
    first, second = (
        client.post(f"{made['path']}/hint", headers=bearer(made["token"])).json() for _ in range(2)
    )
    assert first == second
    assert len(asked) == 1
    table = table_at(client, made["table"]["id"])
    assert table.hints_of(first["seat"]) == 1


@pytest.mark.parametrize(
    ("wanted", "seats", "status"),
    [("bots", ALONE, 200), ("bots", PEOPLE, 403), ("all", PEOPLE, 200), ("none", ALONE, 403)],
)
def test_the_table_says_who_gets_hints(
    client: TestClient, wanted: str, seats: list[dict[str, str]], status: int
) -> None:
    made = new_table(client, "rapido", seats, hints=wanted)
    assert made["table"]["hints"] == wanted
    path = f"/api/tables/{made['table']['id']}"
    tokens = [made["token"]]
    if seats is PEOPLE:
        tokens.append(client.post(f"{path}/join", json={"name": "Bram"}).json()["token"])
    for _ in range(200):
        answers = [client.get(f"{path}/moves", headers=bearer(token)).json()["yours"] for token in tokens]
        if any(answers):
            break
        time.sleep(0.02)
    answer = client.post(f"{path}/hint", headers=bearer(tokens[answers.index(True)]))
    assert answer.status_code == status, answer.text
    if status == 403:
        assert answer.json()["error"]["message"] == "there are no hints at this table"


def test_nobody_gets_a_hint_out_of_turn_without_a_seat_or_after_the_end(client: TestClient) -> None:
    made = new_table(client, "rapido", PEOPLE, hints="all")
    path = f"/api/tables/{made['table']['id']}"
    assert client.post(f"{path}/hint", headers=bearer(made["token"])).status_code == 409
    other = client.post(f"{path}/join", json={"name": "Bram"}).json()["token"]
    turn = client.get(path).json()["turn"]
    waiting = (made["token"], other)[1 - turn]
    answer = client.post(f"{path}/hint", headers=bearer(waiting))
    assert (answer.status_code, answer.json()["error"]["message"]) == (403, "it is not your turn")
    assert client.post(f"{path}/hint").status_code == 401
    for token in (made["token"], other):
        client.post(f"{path}/resign", headers=bearer(token))
    answer = client.post(f"{path}/hint", headers=bearer(made["token"]))
    assert (answer.status_code, answer.json()["error"]["message"]) == (409, "the match is over")


def test_a_hint_is_made_from_what_the_seat_knows(
    client: TestClient, asked: list[players.Observation]
) -> None:
    made = new_table(client, "dicerun", [*ALONE, {"kind": "bot", "level": "random"}])
    path = f"/api/tables/{made['table']['id']}"
    table = table_at(client, made["table"]["id"])
    for _ in range(200):
        if client.get(f"{path}/moves", headers=bearer(made["token"])).json()["yours"]:
            break
        time.sleep(0.02)
    assert client.post(f"{path}/hint", headers=bearer(made["token"])).status_code == 200
    assert asked[0].seen == table.game.observed(table.match.state, 0)
    assert asked[0].seen != table.match.state


def test_as_long_as_something_is_being_compiled_that_is_said(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints, "is_preparing", lambda *_, **__: True)
    made = with_turn(client)
    answer = client.post(f"{made['path']}/hint", headers=bearer(made["token"]))
    assert (answer.status_code, answer.json()["error"]["kind"]) == (503, "busy")
    assert "still being prepared" in answer.json()["error"]["message"]
    monkeypatch.setattr(hints, "is_preparing", lambda *_, **__: False)
    assert client.post(f"{made['path']}/hint", headers=bearer(made["token"])).status_code == 200


def test_too_many_hints_at_once_are_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "MOST_AT_ONCE", 0)
    made = with_turn(client)
    answer = client.post(f"{made['path']}/hint", headers=bearer(made["token"]))
    assert answer.status_code == 503
    assert client.get(f"{made['path']}/view", headers=bearer(made["token"])).json()["view"]["legal"]


def test_a_hint_that_fails_is_said_and_may_be_asked_for_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no idea")

    made = with_turn(client)
    monkeypatch.setattr(jobs, "hint_from", fail)
    answer = client.post(f"{made['path']}/hint", headers=bearer(made["token"]))
    assert (answer.status_code, answer.json()["error"]["message"]) == (503, "no hint could be worked out")
    monkeypatch.setattr(jobs, "hint_from", guess)
    assert client.post(f"{made['path']}/hint", headers=bearer(made["token"])).status_code == 200


def page_with(socket: Any, words: str) -> str:
    """The first page over a socket that holds these words."""
    while True:
        message = socket.receive_json()
        if words in message.get("html", ""):
            return str(message["html"])


def with_visitors_turn(client: TestClient) -> tuple[str, Any]:
    """A table at which a visitor, beside a program, is to move: its path, and the table."""
    made = new_table(client, "rapido", PEOPLE, hints="all")
    path = f"/tables/{made['table']['id']}"
    client.post(f"{path}/join", data={"seat": "1", "name": "Bram"})
    table = table_at(client, made["table"]["id"])
    while table.match.turn == 0:
        move = table.match.legal_moves[-1].text
        client.post(f"/api{path}/moves", json={"move": move}, headers=bearer(made["token"]))
    return path, table


def test_the_seat_sees_its_hint_on_the_page_and_the_others_only_that_it_asked(client: TestClient) -> None:
    path, table = with_visitors_turn(client)
    with client.websocket_connect(f"{path}/live?lang=en") as socket:
        assert 'data-live="hint"' in socket.receive_json()["html"]
        socket.send_json({"kind": "hint"})
        html = page_with(socket, "data-best")
        assert f'data-best="{table.match.legal_moves[0].text}"' in html
        assert "25% chance to win" in html
        assert "7.0 ± 1.5 points" in html
        assert 'data-live="hint"' not in html
    client.cookies.clear()
    seen = client.get(path).text
    assert "1 hint" in seen
    assert "data-best" not in seen


def test_a_hint_is_forgotten_when_the_match_goes_on(client: TestClient) -> None:
    made = with_turn(client)
    client.post(f"{made['path']}/hint", headers=bearer(made["token"]))
    house = house_of(client)
    table = table_at(client, made["table"]["id"])
    assert house.hints.shown(table, 0) is not None
    legal = client.get(f"{made['path']}/moves", headers=bearer(made["token"])).json()["moves"]
    client.post(f"{made['path']}/moves", json={"move": legal[0]["text"]}, headers=bearer(made["token"]))
    assert house.hints.shown(table, 0) is None


def test_hints_that_nobody_waits_for_any_more_count_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints, "is_preparing", lambda *_, **__: True)
    monkeypatch.setattr(hints, "MOST_AT_ONCE", 2)
    with opened(tmp_path) as client:
        made = with_turn(client)
        path, token = made["path"], bearer(made["token"])
        told = []
        while len(told) < 3:
            legal = client.get(f"{path}/moves", headers=token).json()["moves"]
            if len(legal) > 1:
                answer = client.post(f"{path}/hint", headers=token)
                told.append(answer.json()["error"]["message"])
            if legal:
                client.post(f"{path}/moves", json={"move": legal[0]["text"]}, headers=token)
        assert "prepared" in told[0]
        assert "prepared" in told[1]
        assert "too many hints" in told[2]


def test_a_hint_that_failed_can_be_asked_for_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = with_visitors_turn(client)
    with client.websocket_connect(f"{path}/live?lang=en") as socket:
        monkeypatch.setattr(jobs, "hint_from", None)
        socket.send_json({"kind": "hint"})
        assert 'data-live="hint"' in page_with(socket, "No hint could be worked out.")
        monkeypatch.setattr(jobs, "hint_from", guess)
        socket.send_json({"kind": "hint"})
        assert 'data-live="hint"' not in page_with(socket, "data-best")


def test_a_house_that_closes_does_not_wait_for_hints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "is_preparing", lambda *_, **__: True)
    with opened(tmp_path) as client:
        made = with_turn(client)
        client.post(f"{made['path']}/hint", headers=bearer(made["token"]))
        task = next(iter(house_of(client).hints.tasks))
        assert isinstance(task, asyncio.Task)
    assert task.cancelled()
