"""The tutor: it asks before a move that loses clearly, of one person against bots, and everybody sees it."""

import json
import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from teerling import Move, players
from teerling.lab.mistakes import Judgement
from teerling.players.hint import Reason
from teerling.server.tables import opening
from teerling.server.tables.table import Table
from teerling.server.thinking import tutor
from tests.server.houses import bearer, come_as, flat, house_of, new_table, opened, table_at

ALONE = [{"kind": "me"}, {"kind": "bot", "level": "random"}]


class Judge:
    """Judges without thinking: a move other than the first legal one loses as much as it is told."""

    def __init__(self) -> None:
        self.loss, self.low = 0.05, 0.01
        self.known: list[players.Observation] = []
        self.wait = 0.0

    def judged(self, knows: players.Observation, played: Move, place: int, *_: object) -> Judgement:
        self.known.append(knows)
        time.sleep(self.wait)
        best = knows.legal_moves[0]
        if best == played:
            return Judgement(place, knows.seat, played, best, 0.0, (0.0, 0.0), 0.1)
        return Judgement(place, knows.seat, played, best, self.loss, (self.low, 0.09), 0.1)

    @staticmethod
    def explained(judgement: Judgement, knows: players.Observation) -> Judgement:
        return Judgement(**{**vars(judgement), "reason": Reason(is_only=True)})


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    judge = Judge()
    monkeypatch.setattr(tutor, "judged", judge.judged)
    monkeypatch.setattr(tutor, "explained", judge.explained)
    monkeypatch.setattr(tutor, "warm_up", lambda game: None)
    return judge


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with opened(tmp_path_factory.mktemp("data")) as client:
        yield client


@pytest.fixture
def client(server: TestClient, judge: Judge) -> TestClient:
    server.cookies.clear()
    return server


def with_turn(client: TestClient, **more: Any) -> tuple[str, dict[str, str], list[str]]:
    """Where a program is to move between several moves, its token, and those moves."""
    made = new_table(client, "rapido", ALONE, **{"tutor": True, **more})
    path, token = f"/api/tables/{made['table']['id']}", bearer(made["token"])
    for _ in range(200):
        found = client.get(f"{path}/moves", headers=token).json()
        if found["yours"] and len(found["moves"]) > 1:
            return path, token, [move["text"] for move in found["moves"]]
        if found["yours"]:
            client.post(
                f"{path}/moves", headers=token, json={"move": found["moves"][0]["text"], "sure": True}
            )
        time.sleep(0.02)
    raise AssertionError("it never was the program's turn")


def test_a_move_that_loses_clearly_is_made_only_by_who_is_sure(client: TestClient, judge: Judge) -> None:
    path, token, (_, bad, *_) = with_turn(client)
    table = table_at(client, path)
    before, at = table.match.history, table.version
    answer = client.post(f"{path}/moves", headers=token, json={"move": bad, "at": at})
    assert (answer.status_code, answer.json()["error"]["kind"]) == (409, "tutor")
    assert "5 %" in answer.json()["error"]["message"]
    assert table.match.history == before
    # Whoever had seen the table may be sure without looking again.
    answer = client.post(f"{path}/moves", headers=token, json={"move": bad, "at": at, "sure": True})
    assert answer.status_code == 200, answer.text
    assert len(table.match.history) > len(before)
    assert len(judge.known) == 1


def test_a_good_move_and_one_that_may_be_as_good_are_made_at_once(client: TestClient, judge: Judge) -> None:
    path, token, (good, *_) = with_turn(client)
    assert client.post(f"{path}/moves", headers=token, json={"move": good}).status_code == 200
    for loss, low in ((0.05, -0.001), (0.029, 0.01)):
        judge.loss, judge.low = loss, low
        path, token, (_, other, *_) = with_turn(client)
        assert client.post(f"{path}/moves", headers=token, json={"move": other}).status_code == 200


def test_it_judges_by_what_the_seat_knows_and_nothing_else(client: TestClient, judge: Judge) -> None:
    path, token, (_, bad, *_) = with_turn(client)
    match, seat = table_at(client, path).match, table_at(client, path).match.turn
    client.post(f"{path}/moves", headers=token, json={"move": bad})
    assert judge.known[0] == players.observe(match, seat)


def test_that_it_asked_is_counted_stored_and_seen_by_everybody(client: TestClient) -> None:
    path, token, (_, bad, *others) = with_turn(client)
    table = table_at(client, path)
    for _ in range(2):
        assert client.post(f"{path}/moves", headers=token, json={"move": bad}).status_code == 409
    assert table.questions_of(0) == 1
    assert opening.load(house_of(client).storage, table.id).questions_of(0) == 1
    stranger = TestClient(client.app, headers={"Accept-Language": "en"})
    page = flat(stranger.get(f"/tables/{table.id}").text)
    assert "asked by the tutor once" in page
    assert "Sure?" not in page
    if others:
        client.post(f"{path}/moves", headers=token, json={"move": others[0]})
        assert table.questions_of(0) == 2
    table.abandon(0)
    page = flat(client.get(f"/tables/{table.id}").text)
    result = page[page.index('id="result-h"') :]
    assert "asked by the tutor" in result[: result.index("</section>")]


def test_thinking_that_takes_too_long_lets_the_move_through(
    client: TestClient, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tutor, "PATIENCE", 0.05)
    path, token, (_, bad, *_) = with_turn(client)
    judge.wait = 0.3
    assert client.post(f"{path}/moves", headers=token, json={"move": bad}).status_code == 200


def test_while_it_is_prepared_or_if_it_fails_the_move_goes_through(
    client: TestClient, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, token, (_, bad, *_) = with_turn(client)
    compiling = threading.Event()
    monkeypatch.setattr(tutor, "_prepared", {})
    monkeypatch.setattr(tutor, "warm_up", lambda game: compiling.wait(5))
    assert client.post(f"{path}/moves", headers=token, json={"move": bad}).status_code == 200
    compiling.set()
    monkeypatch.setattr(tutor, "judged", lambda *_: 1 // 0)
    path, token, (_, bad, *_) = with_turn(client)
    assert client.post(f"{path}/moves", headers=token, json={"move": bad}).status_code == 200


@pytest.mark.parametrize(
    "more",
    [{"seats": [{"kind": "me"}, {"kind": "open"}]}, {"seats": [{"kind": "me"}] * 2}, {"hints": "none"}],
)  # fmt: skip
def test_it_is_there_for_one_person_against_bots_only(client: TestClient, more: dict[str, Any]) -> None:
    wanted = {"game": "rapido", "seats": ALONE, "tutor": True, **more}
    answer = client.post("/api/tables", json=wanted)
    assert (answer.status_code, "only for one person" in answer.text) == (409, True)


def test_it_is_off_unless_asked_for_and_cannot_be_switched_on_among_people(client: TestClient) -> None:
    path, token, (_, bad, *_) = with_turn(client, tutor=False)
    assert client.post(f"{path}/moves", headers=token, json={"move": bad}).status_code == 200
    places = {"seat0": "me", "seat1": "open", "public": "no", "preset": "seats"}
    shared = client.post("/new/rapido", data=places).url.path
    table_at(client, shared).fill_with_bots()
    assert "Switch the tutor on" in client.get(shared).text
    screen = client.post("/new/rapido", data={"preset": "screen", "players": "2"}).url.path
    assert "tutor" not in client.get(screen).text.lower().replace("/tutor", "")
    assert client.post(f"{screen}/tutor", data={"text": "on"}).status_code == 403
    assert not table_at(client, screen).has_tutor


def own_table(client: TestClient) -> tuple[Table, str]:
    """A table with a tutor, opened by the form, at which Anne is to choose; and a bad move."""
    fields = {"preset": "bots", "players": "2", "level": "random", "tutor": "yes", "name": "Anne"}
    table = table_at(client, client.post("/new/rapido", data=fields).url.path)
    for _ in range(300):
        if table.match.turn == 0 and len(table.match.legal_moves) > 1:
            return table, table.match.legal_moves[1].text
        if table.match.turn == 0:
            table.push(0, table.match.legal_moves[0].text)
            house_of(client).bots.wake(table)
        time.sleep(0.02)
    raise AssertionError("it never was Anne's turn")


def test_a_form_without_script_is_asked_and_goes_on_with_one_more_click(client: TestClient) -> None:
    table, bad = own_table(client)
    before = len(table.match.pushes)
    answer = client.post(f"/tables/{table.id}/move", data={"move": bad, "at": str(table.version)})
    page = flat(answer.text)
    assert answer.status_code == 200
    assert answer.history[0].headers["location"] == f"/tables/{table.id}#doubt"
    assert "Sure?" in page
    assert len(table.match.pushes) == before
    button = re.search(r'<button[^>]*formaction="([^"]*sure=true)"[^>]*>', page)
    assert button is not None
    assert f'value="{bad}"' in button[0]
    client.post(
        button[1], data={"move": bad, "at": re.findall(r'name="at"value="(\d+)"', page.replace(" ", ""))[0]}
    )
    assert len(table.match.pushes) > before


def test_a_page_that_is_asked_shows_the_question_then_the_reason_and_goes_on(client: TestClient) -> None:
    table, bad = own_table(client)
    before = len(table.match.pushes)
    with client.websocket_connect(f"/tables/{table.id}/live?lang=en") as socket:

        def page_with(text: str) -> dict[str, Any]:
            while True:
                message: dict[str, Any] = json.loads(socket.receive_text())
                assert message["kind"] == "page", message
                if text in message["html"]:
                    return message

        at = page_with("")["version"]
        # Who clicks twice is asked once.
        for _ in range(2):
            socket.send_text(json.dumps({"kind": "move", "move": bad, "at": at}))
        asked = page_with("There is no other move.")
        assert asked["announce"].startswith("Sure?")
        assert len(table.match.pushes) == before
        assert table.questions_of(0) == 1
        socket.send_text(json.dumps({"kind": "move", "move": bad, "at": asked["version"], "sure": True}))
        while "Sure?" in page_with("")["html"]:
            pass
    assert len(table.match.pushes) > before


def test_who_chooses_another_move_is_asked_again_about_the_first_but_not_counted_again(
    client: TestClient,
) -> None:
    table, bad = own_table(client)
    form = {"move": bad, "at": str(table.version)}
    assert "Sure?" in client.post(f"/tables/{table.id}/move", data=form).text
    assert "Sure?" not in client.post(f"/tables/{table.id}/reconsider").text
    assert "Sure?" in client.post(f"/tables/{table.id}/move", data=form).text
    assert table.questions_of(0) == 1


def test_the_tutor_is_switched_on_and_off_at_the_table(client: TestClient) -> None:
    table, bad = own_table(client)
    assert "Switch the tutor on" in client.post(f"/tables/{table.id}/tutor", data={"text": "off"}).text
    assert not table.has_tutor
    client.post(f"/tables/{table.id}/move", data={"move": bad, "at": str(table.version)})
    assert table.questions_of(0) == 0
    come_as(client, "stranger" * 2)
    assert client.post(f"/tables/{table.id}/tutor", data={"text": "on"}).status_code == 403
