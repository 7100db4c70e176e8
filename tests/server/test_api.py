"""The interface for programs: every endpoint, and every way in which it refuses."""

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

import teerling
from teerling.server.api import short_way, tell
from teerling.server.api.reference import texts
from teerling.server.api.refusals import REFUSALS
from teerling.server.house import House
from teerling.words import Speaker
from tests.server.houses import ALONE, bearer, house_of, new_table, opened, running, table_at

CLIENT = Path(__file__).parents[2] / "examples" / "client.py"
GAMES = [game.id for game in teerling.list_games()]
TWO_PEOPLE = [{"kind": "me"}, {"kind": "open"}]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with opened(tmp_path_factory.mktemp("api")) as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("served")) as address:
        yield address


def refused(answer: Any, status: int, kind: str, words: str = "") -> None:
    """An answer is a refusal of this kind, in words."""
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert error["kind"] == kind
    assert words in error["message"]


def two_people(client: TestClient, game: str = "ra") -> tuple[str, list[str]]:
    """A table at which two programs sit: its path, and their tokens."""
    made = new_table(client, game, TWO_PEOPLE, name="Anne")
    path = f"/api/tables/{made['table']['id']}"
    joined = client.post(f"{path}/join", json={"name": "Marc"}).json()
    return path, [made["token"], joined["token"]]


def turn_of(client: TestClient, path: str) -> int:
    turn: int = client.get(path).json()["turn"]
    return turn


# Games


def test_games_are_listed_with_options_and_levels(client: TestClient) -> None:
    listed = client.get("/api/games").json()
    assert [game["id"] for game in listed["games"]] == [game.id for game in teerling.list_games()]
    assert [level["name"] for level in listed["levels"]] == [
        "random", "novice", "casual", "club", "expert", "master",
    ]  # fmt: skip
    for info in listed["games"]:
        game = teerling.game(info["id"])
        assert [option["name"] for option in info["options"]] == [option.name for option in game.options]
        assert (info["least_players"], info["most_players"]) == (game.players[0], game.players[-1])
        for given, option in zip(info["options"], game.options, strict=True):
            assert option.parse(given["default"]) == option.default


def test_a_game_is_told_in_the_language_asked_for(client: TestClient) -> None:
    dutch = client.get("/api/games/dicerun", headers={"Accept-Language": "nl-NL,nl;q=0.9"}).json()
    english = client.get("/api/games/dicerun", headers={"Accept-Language": "fr, en;q=0.5"}).json()
    assert dutch["summary"] != english["summary"]
    assert english["summary"] == teerling.game("dicerun").summary


def test_an_unknown_game_is_not_found(client: TestClient) -> None:
    refused(client.get("/api/games/rra"), 404, "unknown_game", "did you mean ra?")
    dutch = client.get("/api/games/rra", headers={"Accept-Language": "nl"})
    refused(dutch, 404, "unknown_game", "er is geen spel 'rra'; bedoel je ra?")


# Creating and joining


def test_a_table_against_bots_begins_at_once(client: TestClient) -> None:
    made = new_table(client, "ra", ALONE, name="Tess", options={"fame": "hidden"}, public=False)
    assert made["seats"] == [0]
    assert made["token"]
    assert made["table"]["status"] == "playing"
    assert made["table"]["options"] == {"fame": "hidden"}
    assert made["table"]["seats"][0]["name"] == "Tess"
    assert made["table"]["id"] not in client.get("/api/tables?status=playing").text


def test_options_are_given_by_text_or_by_value(client: TestClient) -> None:
    seats = [*ALONE, {"kind": "bot"}]
    given = {"variable_missions": True, "deck": [3, 4, 6, 8, 8, 8], "piles": "even"}
    assert new_table(client, "dicerun", seats, options=given)["table"]["options"]["deck"] == "3,4,6,8,8,8"
    for nine in (9, "9"):
        made = new_table(client, "rapido", seats, options={"goal": nine, "first": 1})
        assert made["table"]["options"] == {"goal": "9", "first": "1"}


def test_a_seat_that_nobody_has_cannot_begin(client: TestClient) -> None:
    wanted = {
        "game": "rapido",
        "name": "Tess",
        "seats": [*ALONE[:1], {"kind": "bot"}],
        "options": {"first": 3},
    }
    before = client.get("/api/tables?status=open").json()
    refused = client.post("/api/tables", json=wanted)
    assert refused.status_code == 422, refused.text
    assert "there is no seat 3; the seats are 0 to 1" in refused.text
    assert client.get("/api/tables?status=open").json() == before


@pytest.mark.parametrize(
    ("message", "status", "kind", "words"),
    [
        ({"game": "ra"}, 422, "bad_request", "seats is missing"),
        ({"game": "chess", "seats": ALONE}, 404, "unknown_game", "there is no game 'chess'"),
        ({"game": "ra", "seats": ALONE[:1]}, 422, "bad_players", "2 to 5 players, not 1"),
        ({"game": "ra", "seats": ALONE * 9}, 422, "bad_players", "not 18"),
        ({"game": "ra", "seats": ALONE, "options": {"fame": "secret"}}, 422, "bad_option", "open or hidden"),
        ({"game": "ra", "seats": ALONE, "options": {"gold": 1}}, 422, "bad_option", "has no option gold"),
        ({"game": "ra", "seats": ALONE, "options": {"fame": {}}}, 422, "bad_request", "options.fame"),
        ({"game": "ra", "seats": ALONE, "pace": "slow"}, 422, "bad_request", "pace is not as it should be"),
        ({"game": "ra", "seats": ALONE, "colour": 1}, 422, "bad_request", "colour does not belong here"),
        ({"game": "ra", "seats": [{"kind": "you"}]}, 422, "bad_request", "seats.0.kind"),
        ({"game": "ra", "seats": [{"kind": "bot", "level": "god"}] * 2}, 422, "teerling_error", "no level"),
        ({"game": "ra", "seats": ALONE, "name": "x" * 41}, 422, "bad_request", "name"),
        ({"game": 7, "seats": ALONE}, 422, "bad_request", "game"),
        ([], 422, "bad_request", "not be understood"),
    ],
)
def test_a_table_that_can_not_be_is_refused(
    client: TestClient, message: object, status: int, kind: str, words: str
) -> None:
    refused(client.post("/api/tables", json=message), status, kind, words)


def test_what_is_no_json_is_refused(client: TestClient) -> None:
    headers = {"Content-Type": "application/json"}
    for content in (b"{", b"\xff\xfe", b"[" * 60_000, b'{"game": "\\ud800"}'):
        answer = client.post("/api/tables", content=content, headers=headers)
        assert answer.status_code in (400, 422), content[:20]
        assert answer.json()["error"]["kind"] == "bad_request"


def test_open_tables_are_listed_and_joined(client: TestClient) -> None:
    made = new_table(client, "rapido", TWO_PEOPLE)
    id = made["table"]["id"]
    assert made["table"]["status"] == "open"
    listed = client.get("/api/tables", params={"game": "rapido"}).json()["tables"]
    assert id in [table["id"] for table in listed]
    assert id not in client.get("/api/tables", params={"game": "ra"}).text
    joined = client.post(f"/api/tables/{id}/join", json={"name": "Marc", "seat": 1}).json()
    assert joined["seats"] == [1]
    assert joined["token"] not in (None, made["token"])
    assert joined["table"]["status"] == "playing"
    assert [seat["name"] for seat in client.get(f"/api/tables/{id}").json()["seats"]][1] == "Marc"


def test_a_taken_seat_stays_taken(client: TestClient) -> None:
    path, _ = two_people(client)
    refused(client.post(f"{path}/join", json={}), 409, "refused", "this seat is taken")
    free = f"/api/tables/{new_table(client, 'ra', TWO_PEOPLE)['table']['id']}"
    refused(client.post(f"{free}/join", json={"seat": 0}), 409, "refused", "this seat is taken")
    refused(client.post(f"{free}/join", json={"seat": 9}), 409, "refused", "this seat is taken")
    refused(client.post(f"{free}/join", json={"seat": -1}), 422, "bad_request", "seat")
    refused(client.post(f"{free}/join", json={"seat": True}), 422, "bad_request", "seat")
    dutch = client.post(f"{free}/join", json={"seat": 0}, headers={"Accept-Language": "nl"})
    refused(dutch, 409, "refused", Speaker("nl")("this seat is taken"))


def test_nobody_moves_before_everybody_sits(client: TestClient) -> None:
    made = new_table(client, "ra", TWO_PEOPLE)
    path, mine = f"/api/tables/{made['table']['id']}", bearer(made["token"])
    listed = client.get(f"{path}/moves", headers=mine).json()
    assert (listed["yours"], listed["moves"]) == (False, [])
    answer = client.post(f"{path}/moves", json={"move": "draw"}, headers=mine)
    refused(answer, 409, "refused", "the match has not begun")


@pytest.mark.parametrize("id", ["nothere", "x" * 39, "%00", "%2e%2e", "TABLE", "é"])
def test_an_unknown_table_is_not_found(client: TestClient, id: str) -> None:
    for path in ("", "/view", "/moves", "/history", "/events", "/file"):
        answer = client.get(f"/api/tables/{id}{path}")
        assert answer.status_code == 404, (path, answer.text)
        assert answer.json()["error"]["kind"] in ("unknown_table", "not_found")
    refused(client.post("/api/tables/nothere/join", json={}), 404, "unknown_table", "no such table")


# Seeing and moving


def test_a_seat_sees_its_own_and_a_spectator_sees_what_everybody_sees(client: TestClient) -> None:
    path, tokens = two_people(client, "dicerun")
    views = [client.get(f"{path}/view", headers=bearer(token)).json() for token in tokens]
    watched = client.get(f"{path}/view").json()
    assert [view["seat"] for view in [*views, watched]] == [0, 1, None]
    assert watched["view"]["legal"] == []
    assert watched["own"] == []
    hands = [[seat["hand"] for seat in view["view"]["board"]["seats"]] for view in [*views, watched]]
    assert all(any(card is not None for card in hands[seat][seat]) for seat in (0, 1)), hands
    assert hands[0][1] != hands[1][1]
    assert hands[2] == [hands[1][0], hands[0][1]]
    table = table_at(client, path)
    assert views[0]["view"]["board"] == table.match.view(0)["board"]
    assert watched["view"]["board"] == table.match.view(None)["board"]


def test_legal_moves_are_told_to_whom_they_belong(client: TestClient) -> None:
    path, tokens = two_people(client)
    turn = turn_of(client, path)
    mine = client.get(f"{path}/moves", headers=bearer(tokens[turn])).json()
    assert mine["yours"]
    assert [move["text"] for move in mine["moves"]] == ["draw", "invoke"]
    other = client.get(f"{path}/moves", headers=bearer(tokens[1 - turn])).json()
    assert (other["yours"], other["moves"]) == (False, [])
    assert client.get(f"{path}/moves").json()["moves"] == []


def test_a_move_answers_with_the_match_after_it(client: TestClient) -> None:
    path, tokens = two_people(client)
    turn = turn_of(client, path)
    before = client.get(f"{path}/view", headers=bearer(tokens[turn])).json()
    answer = client.post(
        f"{path}/moves", json={"move": "draw", "at": before["version"]}, headers=bearer(tokens[turn])
    )
    assert answer.status_code == 200
    after = answer.json()
    assert after["version"] > before["version"]
    assert after["view"]["moves"] > before["view"]["moves"]
    assert after["seed"] is None


def test_what_is_refused_changes_nothing(client: TestClient) -> None:
    path, tokens = two_people(client)
    turn = turn_of(client, path)
    mine, other = bearer(tokens[turn]), bearer(tokens[1 - turn])
    before = client.get(f"{path}/view", headers=mine).json()
    moves = f"{path}/moves"
    refused(client.post(moves, json={"move": "draw"}), 401, "no_token", "token")
    refused(
        client.post(moves, json={"move": "draw"}, headers=bearer("wrong")), 401, "no_token", "does not belong"
    )
    basic = {"Authorization": "Basic YTpi"}
    refused(client.post(moves, json={"move": "draw"}, headers=basic), 401, "no_token", "Bearer")
    refused(client.get(f"{path}/view", headers=bearer("wrong")), 401, "no_token")
    elsewhere = bearer(new_table(client)["token"])
    refused(client.post(moves, json={"move": "draw"}, headers=elsewhere), 401, "no_token", "this table")
    refused(client.post(moves, json={"move": "draw"}, headers=other), 403, "not_allowed", "not your turn")
    by_seat = client.post(f"{moves}?seat={turn}", json={"move": "draw"}, headers=other)
    refused(by_seat, 403, "not_allowed", "not your seat")
    refused(client.get(f"{path}/view?seat={turn}", headers=other), 403, "not_allowed", "not your seat")
    refused(client.get(f"{path}/view?seat={turn}"), 403, "not_allowed", "not your seat")
    refused(
        client.post(moves, json={"move": "fly"}, headers=mine), 422, "unknown_move", "is not a move of Ra"
    )
    illegal = client.post(moves, json={"move": "pass"}, headers=mine)
    refused(illegal, 422, "illegal_move", "pass is not possible now")
    assert illegal.json()["error"]["rule"].startswith("RA-")
    refused(client.post(moves, json={"move": "draw", "at": 0}, headers=mine), 409, "stale", "moved on")
    refused(client.post(moves, json={"move": "x" * 201}, headers=mine), 422, "bad_request", "move")
    refused(client.post(moves, json={"move": "draw", "at": "1"}, headers=mine), 422, "bad_request", "at")
    refused(client.post(moves, json={"move": "draw", "at": True}, headers=mine), 422, "bad_request", "at")
    refused(client.post(f"{path}/back", json={}, headers=mine), 409, "refused", "taken back")
    answer = client.post(moves, json={"move": "draw"})
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert client.get(f"{path}/view", headers=mine).json() == before


def test_an_illegal_move_is_refused_in_dutch_with_its_reason(client: TestClient) -> None:
    path, tokens = two_people(client)
    mine = bearer(tokens[turn_of(client, path)]) | {"Accept-Language": "nl"}
    answer = client.post(f"{path}/moves", json={"move": "pass"}, headers=mine)
    table = table_at(client, path)
    reason = table.match.why("pass")
    said = Speaker("nl", table.game).say(reason, table.match.names)
    refused(answer, 422, "illegal_move", f"pass kan nu niet: {said} ({reason.rule})")
    assert said != Speaker("en", table.game).say(reason, table.match.names)


def test_a_decision_is_taken_back(client: TestClient) -> None:
    made = new_table(client, "ra")
    path, mine = f"/api/tables/{made['table']['id']}", bearer(made["token"])
    asked = await_turn(client, path, mine)
    moved = client.post(f"{path}/moves", json={"move": asked["view"]["legal"][0]}, headers=mine).json()
    state = await_turn(client, path, mine)
    assert state["may_take_back"]
    back = client.post(f"{path}/back", json={"at": state["version"]}, headers=mine)
    assert back.status_code == 200, back.text
    assert back.json()["view"]["board"] == asked["view"]["board"]
    assert back.json()["version"] > moved["version"]
    kinds = [move["text"] for move in client.get(f"{path}/history", headers=mine).json()["moves"]]
    assert len(kinds) == asked["view"]["moves"]


def await_turn(client: TestClient, path: str, headers: dict[str, str]) -> dict[str, Any]:
    """The match when the seat is to decide, or when it is over."""
    for _ in range(2000):
        state: dict[str, Any] = client.get(f"{path}/view", headers=headers).json()
        if state["yours"] or state["table"]["status"] == "over":
            return state
    raise AssertionError("the bots do not move")


def test_one_resigns_and_a_bot_plays_on(client: TestClient) -> None:
    path, tokens = two_people(client)
    after = client.post(f"{path}/resign", headers=bearer(tokens[0])).json()
    assert after["table"]["status"] == "playing"
    assert after["table"]["seats"][0]["sits_in"]
    over = client.post(f"{path}/resign", headers=bearer(tokens[1])).json()
    assert (over["table"]["status"], over["table"]["ending"]) == ("over", "resigned")
    assert over["seed"]
    refused(
        client.post(f"{path}/moves", json={"move": "draw"}, headers=bearer(tokens[1])), 409, "refused", "over"
    )
    refused(client.post(f"{path}/resign", headers=bearer(tokens[1])), 409, "refused", "over")


def test_one_token_plays_all_seats_of_its_program(client: TestClient) -> None:
    made = new_table(client, "rapido", [{"kind": "me"}, {"kind": "me", "name": "Two"}])
    path, mine = f"/api/tables/{made['table']['id']}", bearer(made["token"])
    assert made["seats"] == [0, 1]
    chooser = random.Random(3)
    state = client.get(f"{path}/view", headers=mine).json()
    seen = set()
    while state["table"]["status"] == "playing":
        assert state["yours"]
        seen.add(state["seat"])
        move = chooser.choice(state["view"]["legal"])
        state = client.post(f"{path}/moves", json={"move": move, "at": state["version"]}, headers=mine).json()
    assert seen == {0, 1}
    assert client.get(f"{path}/view?seat=1", headers=mine).json()["seat"] == 1
    assert state["view"]["ranks"]


# History, file, stream


@pytest.mark.parametrize("game", GAMES)
def test_history_and_file_are_as_the_seat_knows_them(client: TestClient, game: str) -> None:
    path, tokens = two_people(client, game)
    chooser = random.Random(1)
    for _ in range(12):
        turn = turn_of(client, path)
        legal = client.get(f"{path}/moves", headers=bearer(tokens[turn])).json()["moves"]
        move = chooser.choice(legal)["text"]
        assert (
            client.post(f"{path}/moves", json={"move": move}, headers=bearer(tokens[turn])).status_code == 200
        )
    match = table_at(client, path).match
    for seat in (0, 1, None):
        headers = {} if seat is None else bearer(tokens[seat])
        told = client.get(f"{path}/history", headers=headers).json()
        assert [move["text"] for move in told["moves"]] == [str(move) for move in match.history_of(seat)]
        events = [event for move in told["moves"] for event in move["events"]]
        assert [event["text"] for event in events] == match.log("en", seat)
        if seat is not None:
            assert client.get(f"{path}/file", headers=headers).text == match.save(seat)
    refused(client.get(f"{path}/file"), 401, "no_token", "until the match is over")
    for token in tokens:
        client.post(f"{path}/resign", headers=bearer(token))
    done = client.get(f"{path}/file")
    assert done.headers["Content-Disposition"].startswith("attachment")
    assert f"seed {client.get(f'{path}/view').json()['seed']}" in done.text
    assert teerling.load(done.text).history == match.history


def test_a_stream_begins_with_how_things_stand_and_ends_in_time(client: TestClient) -> None:
    made = new_table(client, "ra", TWO_PEOPLE)
    path = f"/api/tables/{made['table']['id']}"
    answer = client.get(f"{path}/events", headers=bearer(made["token"]))
    assert answer.headers["content-type"].startswith("text/event-stream")
    first = json.loads(answer.text.split("data: ")[1].split("\n")[0])
    assert first["version"] == 0
    assert first["status"] == "open"
    assert first["events"] == []
    refused(client.get(f"{path}/events", headers=bearer("wrong")), 401, "no_token")
    assert house_of(client).broadcaster.viewers == {}


def data_of(lines: Iterator[str]) -> dict[str, Any]:
    """The next message of a stream."""
    found: dict[str, Any] = json.loads(next(line for line in lines if line.startswith("data: "))[6:])
    return found


def test_a_stream_tells_every_change_as_the_seat_knows_it(server: str) -> None:
    with httpx.Client(base_url=server, timeout=20) as http:
        made = http.post("/api/tables", json={"game": "dicerun", "seats": TWO_PEOPLE}).json()
        path = f"/api/tables/{made['table']['id']}"
        with http.stream("GET", f"{path}/events", headers=bearer(made["token"])) as stream:
            lines = stream.iter_lines()
            first = data_of(lines)
            assert (first["status"], first["version"], first["events"]) == ("open", 0, [])
            other = http.post(f"{path}/join", json={}).json()["token"]
            begun = data_of(lines)
            assert begun["status"] == "playing"
            tokens, changes = [made["token"], other], [begun]
            for _ in range(6):
                turn = changes[-1]["turn"]
                state = http.get(f"{path}/view", headers=bearer(tokens[turn])).json()
                http.post(
                    f"{path}/moves", json={"move": state["view"]["legal"][0]}, headers=bearer(tokens[turn])
                )
                changes.append(data_of(lines))
            history = http.get(f"{path}/history", headers=bearer(made["token"])).json()["moves"]
            known = [event for move in history[begun["moves"] :] for event in move["events"]]
            assert [event for change in changes[1:] for event in change["events"]] == known
            assert [change["version"] for change in changes] == sorted(
                {change["version"] for change in changes}
            )
        with http.stream("GET", f"{path}/events", headers={"Last-Event-ID": str(begun["moves"])}) as stream:
            again = data_of(stream.iter_lines())
            watched = http.get(f"{path}/history").json()["moves"][begun["moves"] :]
            assert again["events"] == [event for move in watched for event in move["events"]]
        with http.stream("GET", f"{path}/events", headers=bearer(other)) as stream:
            lines = stream.iter_lines()
            data_of(lines)
            for token in tokens:
                http.post(f"{path}/resign", headers=bearer(token))
            statuses = [json.loads(line[6:])["status"] for line in lines if line.startswith("data: ")]
            assert statuses[-1] == "over"


def test_a_stream_tells_what_was_taken_back(server: str) -> None:
    with httpx.Client(base_url=server, timeout=20) as http:
        seats = [{"kind": "me"}, {"kind": "me"}]
        made = http.post("/api/tables", json={"game": "ra", "seats": seats}).json()
        path, mine = f"/api/tables/{made['table']['id']}", bearer(made["token"])
        with http.stream("GET", f"{path}/events", headers=mine) as stream:
            lines = stream.iter_lines()
            first = data_of(lines)
            http.post(f"{path}/moves", json={"move": "invoke"}, headers=mine)
            invoked = data_of(lines)
            assert http.post(f"{path}/back?seat={first['turn']}", json={}, headers=mine).status_code == 200
            back = data_of(lines)
            assert back["taken_back"] == invoked["moves"] - first["moves"] > 0
            assert (back["events"], back["moves"]) == ([], first["moves"])


# The page, the document, the example


def test_the_page_for_programmers_is_in_both_languages(client: TestClient) -> None:
    document = client.get("/api/openapi.json").json()
    for lang, word in (("en", "For programs"), ("nl", "Voor programma&#39;s")):
        page = client.get("/api", headers={"Accept-Language": lang})
        assert page.status_code == 200
        assert word in page.text
        for path in document["paths"]:
            assert path in page.text
    dutch = Speaker("nl")
    same = {"Parameters", "Types", "Status:"}
    missing = [
        text for text in {*texts(document), *REFUSALS.values()} if dutch(text) == text and text not in same
    ]
    assert missing == []


def test_every_operation_says_how_it_refuses(client: TestClient) -> None:
    document = client.get("/api/openapi.json").json()
    assert all(path.startswith("/api/") for path in document["paths"])
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert {"422", "429", "503"} <= set(operation["responses"]), (path, method)
            assert operation["description"]
            assert operation["summary"]
            if "{table_id}" in path:
                assert "404" in operation["responses"]


@pytest.mark.parametrize("game", GAMES)
def test_the_example_plays_a_whole_match(server: str, game: str) -> None:
    done = subprocess.run([sys.executable, CLIENT, game, server], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-3].startswith("1. ")


def test_the_example_says_what_is_wrong(server: str) -> None:
    done = subprocess.run(
        [sys.executable, CLIENT, "chess", server], capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0
    assert "404: there is no game 'chess'" in done.stderr


def test_programs_play_each_other_at_once(server: str) -> None:
    """Two programs that see only their own seat play a match to its end."""
    with httpx.Client(base_url=server, timeout=20) as http:
        made = http.post("/api/tables", json={"game": "rapido", "seats": TWO_PEOPLE}).json()
        path = f"/api/tables/{made['table']['id']}"
        tokens = [made["token"], http.post(f"{path}/join", json={}).json()["token"]]

    def play(seat: int) -> None:
        mine = bearer(tokens[seat])
        with httpx.Client(base_url=server, timeout=20) as http:
            while True:
                state = http.get(f"{path}/view", headers=mine).json()
                if state["table"]["status"] == "over":
                    return
                if state["yours"]:
                    move = random.choice(state["view"]["legal"])
                    answer = http.post(
                        f"{path}/moves", json={"move": move, "at": state["version"]}, headers=mine
                    )
                    assert answer.status_code == 200

    threads = [threading.Thread(target=play, args=(seat,)) for seat in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert httpx.get(f"{server}{path}/view").json()["table"]["ending"] == "finished"


def test_a_move_is_answered_alike_by_the_short_way_and_by_the_routes(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened: list[str] = []

    async def act(house: House, verb: str, *rest: Any) -> Any:
        shortened.append(verb)
        return await tell.act(house, verb, *rest)

    monkeypatch.setattr(short_way, "act", act)
    made = new_table(client, "ra", ALONE)
    path, right = f"/api/tables/{made['table']['id']}/moves", bearer(made["token"])
    ways = [{"Content-Type": kind} for kind in ("application/json", "application/json; charset=utf-8")]
    for where, token, body in (
        (path, right, {"move": "draw", "at": 999}),
        (path, right, {"move": "fly"}),
        (path, right, {"move": 3}),
        (path, right, {"move": "draw", "more": 1}),
        (path, bearer("nobody"), {"move": "draw"}),
        ("/api/tables/nosuchtable/moves", right, {"move": "draw"}),
    ):
        short, long = (client.post(where, headers=token | way, content=json.dumps(body)) for way in ways)
        assert short.status_code == long.status_code >= 400
        assert short.json() == long.json()
        assert short.headers == long.headers
    state = client.get(path.replace("/moves", "/view"), headers=right).json()
    told = []
    for way in ways:
        body = {"move": state["view"]["legal"][0], "at": state["version"]}
        answer = client.post(path, headers=right | way, content=json.dumps(body))
        assert answer.status_code == 200
        told.append((list(answer.json()), list(answer.headers)))
        state = wait_for_turn(client, path.replace("/moves", "/view"), right)
    assert told[0] == told[1]
    # What is not well-formed goes by the routes in any case.
    assert shortened == ["move"] * 5


def wait_for_turn(client: TestClient, path: str, token: dict[str, str]) -> dict[str, Any]:
    """How things stand when the program is to move."""
    for _ in range(400):
        state: dict[str, Any] = client.get(path, headers=token).json()
        if state["yours"]:
            return state
        time.sleep(0.02)
    raise AssertionError("the bots do not go on")
