"""Bad input and bad manners: a sentence in the player's language, the right status, nothing lost."""

import asyncio
import http.client
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.testclient import TestClient
from starlette.types import Message
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import teerling
from teerling.server.database.storage import Storage
from teerling.server.database.transactions import StorageGone
from teerling.server.page import environment, live_pages
from teerling.server.tables.table import Table
from teerling.server.watch.logs import Lines, without_secrets
from teerling.server.web.guard import HEADERS, MOST_BODY
from teerling.words import Speaker, capital
from tests.server.houses import ALONE, bearer, flat, new_table, opened, running, table_at

EVIL = '<script>alert("x")</script>'
SOMETHING_WENT_WRONG = "Something went wrong here. Nothing is lost; please try again."


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with opened(tmp_path_factory.mktemp("safe")) as client:
        yield client


@pytest.fixture
def client(house: TestClient) -> TestClient:
    """The same server, visited by somebody new."""
    house.cookies.clear()
    return house


def play(client: TestClient, game: str = "ra", **fields: str) -> Table:
    """A table at which the client sits in seat 0 and nobody else moves: the other seats are theirs too."""
    form = {"seat0": "me", "seat1": "me", "public": "yes", **fields}
    answer = client.post(f"/new/{game}", data=form, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return table_at(client, answer.headers["location"].rsplit("/", 1)[-1])


def is_page(answer: Any, status: int, words: str) -> None:
    """An answer is a whole page for people that says this."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    assert words in answer.text
    assert "Traceback" not in answer.text


# The socket

MALFORMED = {
    "nothing": "",
    "no json": "{",
    "a list": "[]",
    "a number": "17",
    "null": "null",
    "deeply nested": "[" * 2000 + "]" * 2000,
    "deeply nested objects": '{"a":' * 800 + "1" + "}" * 800,
    "huge": json.dumps({"kind": "move", "move": "x" * 5000, "at": 1}),
    "a huge number": '{"kind": "move", "move": "draw", "at": ' + "9" * 3900 + "}",
    "no kind": "{}",
    "an unknown kind": '{"kind": "cheat"}',
    "a kind of another type": '{"kind": ["move"]}',
    "no move": '{"kind": "move", "at": 1}',
    "no version": '{"kind": "move", "move": "draw"}',
    "a move of another type": '{"kind": "move", "move": {"text": "draw"}, "at": 1}',
    "a version of another type": '{"kind": "move", "move": "draw", "at": "1"}',
    "a version that is true": '{"kind": "move", "move": "draw", "at": true}',
    "a version that is not a number": '{"kind": "move", "move": "draw", "at": NaN}',
    "half a character": '{"kind": "move", "move": "\\ud800", "at": 1}',
    "a long move": json.dumps({"kind": "move", "move": "x" * 1000, "at": 1}),
    "an unknown move": '{"kind": "move", "move": "fly", "at": 1}',
    "an illegal move": '{"kind": "move", "move": "pass", "at": 1}',
    "a stale move": '{"kind": "move", "move": "draw", "at": 0}',
    "bytes": b'{"kind": "ping"}',
    "other bytes": b"\xff\x00",
}


@pytest.mark.parametrize("frame", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_frame_is_answered_and_changes_nothing(client: TestClient, frame: str | bytes) -> None:
    table = play(client)
    before = table.version, table.match.save(), table.last
    with client.websocket_connect(f"/tables/{table.id}/live?lang=en") as socket:
        assert socket.receive_json()["kind"] == "page"
        if isinstance(frame, bytes):
            socket.send_bytes(frame)
        else:
            socket.send_text(frame)
        while (answer := socket.receive_json())["kind"] == "page":
            # The same page comes again when somebody comes or goes.
            pass
        assert answer["kind"] == "error"
        assert answer["text"]
        assert "Error" not in answer["text"]
        socket.send_json({"kind": "ping"})
        while (told := socket.receive_json())["kind"] != "pong":
            assert told["kind"] == "page"
        assert told["version"] == table.version
    assert (table.version, table.match.save(), table.last) == before


def test_a_stale_move_brings_the_page_up_to_date(client: TestClient) -> None:
    table = play(client)
    with client.websocket_connect(f"/tables/{table.id}/live?lang=nl") as socket:
        socket.receive_json()
        socket.send_json({"kind": "move", "move": "draw", "at": 0})
        moved_on = Speaker("nl")("the table has moved on; here is how it stands now")
        assert socket.receive_json()["text"] == capital(moved_on)
        page = socket.receive_json()
        assert (page["kind"], page["version"]) == ("page", table.version)


def test_an_illegal_move_is_explained_in_the_language_of_the_page(client: TestClient) -> None:
    table = play(client)
    reason = table.match.why("pass")
    assert reason is not None
    for lang in ("nl", "en"):
        with client.websocket_connect(f"/tables/{table.id}/live?lang={lang}") as socket:
            socket.receive_json()
            socket.send_json({"kind": "move", "move": "pass", "at": table.version})
            said = Speaker(lang, table.game).say(reason, table.match.names)
            assert said in socket.receive_json()["text"]
    page = client.post(
        f"/tables/{table.id}/move",
        data={"move": "pass", "at": table.version},
        headers={"Accept-Language": "nl"},
    )
    is_page(page, 422, "Pass kan nu niet")


def test_a_socket_needs_our_origin_and_a_person(client: TestClient) -> None:
    table = play(client)
    path = f"/tables/{table.id}/live"
    for origin in ("https://evil.test", "http://testserver.evil.test", "null", "http://testserver:81"):
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(path, headers={"Origin": origin}):
            pass
    with client.websocket_connect(path, headers={"Origin": "http://testserver"}) as socket:
        assert socket.receive_json()["kind"] == "page"
    client.cookies.clear()
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(path):
        pass
    client.cookies.set("teerling", "forged.signature")
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(path):
        pass


def test_a_spectator_can_not_move_by_socket(client: TestClient) -> None:
    table = play(client)
    version = table.version
    client.cookies.clear()
    client.get(f"/tables/{table.id}")
    with client.websocket_connect(f"/tables/{table.id}/live?lang=en") as socket:
        socket.receive_json()
        socket.send_json({"kind": "move", "move": "draw", "at": version})
        assert socket.receive_json()["text"] == "You have no seat at this table"
    assert table.version == version


def test_an_unknown_table_is_said_over_the_socket(client: TestClient) -> None:
    play(client)
    with client.websocket_connect("/tables/nothere/live?lang=nl") as socket:
        assert socket.receive_json()["text"] == capital(Speaker("nl")("there is no such table"))


def test_a_socket_that_is_too_fast_is_told(tmp_path: Path) -> None:
    with opened(tmp_path, moves_per_second=0.5) as client:
        table = play(client)
        with client.websocket_connect(f"/tables/{table.id}/live?lang=en") as socket:
            socket.receive_json()
            for _ in range(9):
                socket.send_json({"kind": "ping"})
            kinds = [socket.receive_json() for _ in range(9)]
        assert kinds[0]["kind"] == "pong"
        assert "too fast" in kinds[-1]["text"]


# Sizes, rates, origins


def test_half_a_character_is_refused_with_a_sentence(client: TestClient) -> None:
    seats = [{"kind": "me"}, {"kind": "me"}]
    body = json.dumps({"game": "ra", "seats": seats, "options": {"fame": "\ud800"}})
    answer = client.post("/api/tables", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["kind"]) == (422, "bad_option")
    file = (
        teerling.new("ra", seed=1)
        .save()
        .replace("moves\n", 'position {"players": 3, "\\ud800": 1}\nmoves\n', 1)
    )
    is_page(client.post("/replay", files={"file": ("match.txt", file)}), 422, "is not known here")


@pytest.mark.parametrize(
    ("charset", "value"),
    [("undefined", b"dark"), ("idna", b"xn--" + 90 * b"a"), ("unicode_escape", rb"\ud800"),
     ("UTF-7", b"+2AA-"), ('"unicode_escape"', rb"\ud800")],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/new/ra", "/replay", "/language", "/theme"])
def test_a_form_in_a_code_that_no_browser_uses_is_refused(
    client: TestClient, path: str, charset: str, value: bytes
) -> None:
    field = b'--x\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n'
    given = {b"preset": b"bots", b"players": value, b"lang": b"nl", b"theme": b"dark", b"back": b"/" + value}
    body = b"".join(field % each for each in given.items()) + b"--x--\r\n"
    kind = f"multipart/form-data; boundary=x; charset={charset}"
    assert client.post(path, content=body, headers={"Content-Type": kind}).status_code == 400
    utf8 = kind.replace(charset, "UTF-8")
    answer = client.post("/theme", content=body, headers={"Content-Type": utf8}, follow_redirects=False)
    assert answer.status_code == 303


def test_what_is_too_large_is_refused(client: TestClient) -> None:
    large = "x" * (MOST_BODY + 1)
    is_page(client.post("/new/ra", data={"name": large}), 413, "too large")
    dutch = client.post("/new/ra", data={"name": large}, headers={"Accept-Language": "nl"})
    is_page(dutch, 413, Speaker("nl")("This is too large for the server."))
    answer = client.post("/api/tables", json={"game": large})
    assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "too_large")


def test_what_is_too_large_is_refused_without_a_length_too(client: TestClient) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(20):
            yield b"x" * 4096

    for path, kind in (("/new/ra", "application/x-www-form-urlencoded"), ("/api/tables", "application/json")):
        answer = client.post(path, content=parts(), headers={"Content-Type": kind})
        assert "content-length" not in answer.request.headers
        assert answer.status_code == 413


def test_what_is_too_fast_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path, moves_per_second=0.1) as client:
        answers = [client.post("/theme", data={"theme": "dark"}, follow_redirects=False) for _ in range(12)]
        assert answers[0].status_code == 303
        is_page(answers[-1], 429, "too fast")
        assert int(answers[-1].headers["Retry-After"]) >= 1
        refused = client.post(
            "/api/tables", json={"game": "ra", "seats": ALONE}, headers={"Accept-Language": "nl"}
        )
        assert refused.status_code == 429
        assert refused.json()["error"]["message"] == Speaker("nl")("That was too fast; please wait a moment.")
        reads = [client.get("/api/games").status_code for _ in range(60)]
        assert (reads[0], reads[-1]) == (200, 429)


def test_who_says_too_much_at_once_is_told(tmp_path: Path) -> None:
    with opened(tmp_path, chat_per_second=0.2) as client:
        table = play(client)
        said = [client.post(f"/tables/{table.id}/chat", data={"text": text}) for text in "abc"]
        assert [answer.status_code for answer in said] == [200, 200, 429]
        assert int(said[-1].headers["Retry-After"]) >= 1
        assert "That was a lot of messages in a row" in said[-1].text
        assert [line.text for line in table.chat] == ["a", "b"]
        moved = client.post(f"/tables/{table.id}/move", data={"move": "draw", "at": str(table.version)})
        assert moved.status_code == 200


def test_a_refusal_leads_back_to_where_one_was(client: TestClient) -> None:
    table = play(client)
    path = f"/tables/{table.id}"
    stale = client.post(f"{path}/move", data={"move": "draw", "at": "0"})
    nobody = client.post(f"{path}/stand-in")
    form = client.post("/new/ra", data={"seat0": "me", "seat1": "me", "option_fame": "secret"})
    elsewhere = client.post("/language", data={"lang": "xx"})
    for page, back, words in (
        (stale, path, "Back to the table"),
        (nobody, path, "Back to the table"),
        (form, "/new/ra", "Back to the form"),
        (elsewhere, "/", "To the lobby and your games"),
    ):
        assert page.status_code >= 400
        assert re.search(f'href="{back}">{words}</a>', flat(page.text))
        assert "To the lobby" in page.text
        for chosen, value in (("language", {"lang": "en"}), ("theme", {"theme": "dark"})):
            to = re.search(f'action="/{chosen}".*?name="back" value="([^"]*)"', flat(page.text))
            assert to is not None
            assert to[1] == back
            after = client.post(f"/{chosen}", data={"back": to[1], **value})
            assert (after.status_code, after.url.path) == (200, back)
    dutch = client.post(f"{path}/stand-in", headers={"Cookie": "", "Accept-Language": "nl"})
    assert "Terug naar de tafel" in dutch.text


def test_a_refusal_leads_nowhere_that_is_not_there(client: TestClient) -> None:
    for method, path in (("POST", "/tables/nothere/move"), ("GET", "/tables/nothere"), ("POST", "/new/go")):
        page = client.request(method, path, data={"move": "draw", "at": "0"} if method == "POST" else None)
        assert page.status_code == 404
        assert "Back to the" not in page.text


def test_a_form_of_another_site_is_refused(client: TestClient) -> None:
    table = play(client)
    version = table.version
    for origin in ("https://evil.test", "null", "http://testserver.evil.test"):
        for path, form in (
            (f"/tables/{table.id}/move", {"move": "draw", "at": str(version)}),
            (f"/tables/{table.id}/resign", {}),
            ("/play/ra", {}),
            ("/language", {"lang": "nl"}),
        ):
            is_page(client.post(path, data=form, headers={"Origin": origin}), 403, "another site")
        answer = client.post("/api/tables", json={"game": "ra", "seats": ALONE}, headers={"Origin": origin})
        assert answer.json()["error"]["kind"] == "other_site"
    assert table.version == version
    assert table.playing


def test_a_redirect_stays_here(client: TestClient) -> None:
    for back in (
        "https://evil.test",
        "//evil.test",
        "/\\evil.test",
        "/\t/evil.test",
        "javascript:alert(1)",
        "",
    ):
        answer = client.post("/language", data={"lang": "nl", "back": back}, follow_redirects=False)
        where = answer.headers["location"]
        assert where.startswith("/")
        assert not re.match(r"/[/\\\s]", where)


# What is not there


@pytest.mark.parametrize(
    "path", ["/nothing", "/tables/nothere", "/tables/%00", "/new/chess", "/games/chess/board.css"]
)
def test_what_is_not_there_is_not_found(client: TestClient, path: str) -> None:
    is_page(client.get(path), 404, "Nothing lies here")
    dutch = client.get(path, headers={"Accept-Language": "nl"})
    is_page(dutch, 404, Speaker("nl")("Nothing lies here"))
    assert 'lang="nl"' in dutch.text


def test_games_that_are_not_there_are_answered_with_the_names_of_those_that_are(client: TestClient) -> None:
    dutch = client.get("/new/chess", headers={"Accept-Language": "nl"})
    is_page(dutch, 404, "Er zijn Ra, Priests of Ra, Ra: The Dice Game, DiceRun en Rapido.")
    assert "there are ra, priests" in client.get("/api/games/chess").json()["error"]["message"]


def test_a_wrong_method_is_refused(client: TestClient) -> None:
    is_page(client.put("/"), 405, "That did not work")
    answer = client.delete("/api/tables")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, POST")
    assert answer.json()["error"]["kind"] == "method_not_allowed"


def test_a_form_that_does_not_fit_is_refused(client: TestClient) -> None:
    table = play(client)
    is_page(client.post(f"/tables/{table.id}/move", data={}), 422, "is missing")
    is_page(client.post(f"/tables/{table.id}/move", data={"move": "draw", "at": "x"}), 422, "At is not as")
    is_page(client.post("/new/ra", data={"seat0": "me"}), 422, "players")
    is_page(client.post("/new/ra", data={"seat0": "king", "seat1": "me"}), 409, "A seat is for me")
    wrong = {"seat0": "me", "seat1": "me", "option_goal": "9999"}
    dutch = client.post("/new/rapido", data=wrong, headers={"Accept-Language": "nl"})
    is_page(dutch, 422, "” moet een getal van 5 tot en met 100 zijn, niet 9999")
    assert "goal" not in dutch.text


def test_an_unknown_language_is_refused(client: TestClient) -> None:
    is_page(client.post("/language", data={"lang": "fr"}), 422, "There is no language")
    client.cookies.set("lang", "../../etc")
    assert 'lang="en"' in client.get("/").text


def test_a_seat_is_taken_once(client: TestClient) -> None:
    table = play(client, seat1="open")
    client.cookies.clear()
    assert (
        client.post(f"/tables/{table.id}/join", data={"seat": 1}, follow_redirects=False).status_code == 303
    )
    client.cookies.clear()
    for seat in (1, 0, 7, -1):
        is_page(client.post(f"/tables/{table.id}/join", data={"seat": seat}), 409, "This seat is taken")


def test_nobody_moves_for_somebody_else(client: TestClient) -> None:
    table = play(client)
    version = table.version
    client.cookies.clear()
    form = {"move": "draw", "at": str(version)}
    is_page(client.post(f"/tables/{table.id}/move", data=form), 403, "You have no seat at this table")
    for action in ("back", "resign", "abandon", "bots", "stand-in", "return", "chat", "rematch"):
        assert client.post(f"/tables/{table.id}/{action}", data={"text": "hi"}).status_code == 403, action
    is_page(client.get("/me/forged.link"), 403, "This link is not valid")
    assert table.version == version


# A full server, a database that is gone, a bug


def test_a_full_server_says_so(tmp_path: Path) -> None:
    with opened(tmp_path, most_tables=1, most_sockets=1) as client:
        table = play(client)
        is_page(client.post("/play/ra"), 503, "This server is full")
        dutch = client.post("/play/ra", headers={"Accept-Language": "nl"})
        is_page(dutch, 503, capital(Speaker("nl")("this server is full; please try again later")))
        answer = client.post("/api/tables", json={"game": "ra", "seats": ALONE})
        assert (answer.status_code, answer.json()["error"]["kind"]) == (503, "full")
        with client.websocket_connect(f"/tables/{table.id}/live?lang=en") as socket:
            assert socket.receive_json()["kind"] == "page"
            stream = client.get(f"/api/tables/{table.id}/events")
            assert (stream.status_code, stream.json()["error"]["kind"]) == (503, "full")
            with client.websocket_connect(f"/tables/{table.id}/live?lang=nl") as second:
                told = second.receive_json()
                assert told["text"] == capital(Speaker("nl")("this server is full; please try again later"))
        with client.websocket_connect(f"/tables/{table.id}/live?lang=en") as socket:
            assert socket.receive_json()["kind"] == "page"


def test_a_database_that_is_gone_is_said_and_nothing_is_lost(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = new_table(client, "ra", [{"kind": "me"}, {"kind": "me"}])
    table, mine = table_at(client, made["table"]["id"]), bearer(made["token"])
    path = f"/api/tables/{table.id}"
    before = client.get(f"{path}/view", headers=mine).json()

    def gone(*arguments: object, **more: object) -> None:
        raise StorageGone("disk I/O error at /var/lib/secret-place")

    with monkeypatch.context() as broken:
        broken.setattr(Storage, "append", gone)
        answer = client.post(f"{path}/moves", json={"move": "draw"}, headers=mine | {"Accept-Language": "nl"})
        assert (answer.status_code, answer.json()["error"]["kind"]) == (503, "storage_gone")
        assert "secret-place" not in answer.text
        assert "Er is niets verloren" in answer.json()["error"]["message"]
    assert client.get(f"{path}/view", headers=mine).json() == before
    assert client.post(f"{path}/moves", json={"move": "draw"}, headers=mine).status_code == 200


def test_no_stack_trace_ever_reaches_anybody(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    table = play(client)

    def fail(*arguments: object, **more: object) -> None:
        raise RuntimeError("secret detail")

    def check(answer: Any) -> None:
        assert answer.status_code == 500
        assert "secret detail" not in answer.text
        assert "Traceback" not in answer.text
        assert 'File "' not in answer.text
        for name, value in HEADERS.items():
            assert answer.headers[name] == value

    with monkeypatch.context() as broken:
        broken.setattr(live_pages, "live", fail)
        broken.setattr(Storage, "public_tables", fail)
        for path in (f"/tables/{table.id}", "/"):
            answer = client.get(path)
            check(answer)
            is_page(answer, 500, SOMETHING_WENT_WRONG)
        answer = client.get("/api/tables", headers={"Accept-Language": "nl"})
        check(answer)
        assert answer.json()["error"] == {"kind": "broken", "message": Speaker("nl")(SOMETHING_WENT_WRONG)}
    with monkeypatch.context() as broken:
        broken.setattr(environment, "render", fail)
        check(client.get("/"))
    with (
        monkeypatch.context() as broken,
        client.websocket_connect(f"/tables/{table.id}/live?lang=en") as socket,
    ):
        socket.receive_json()
        broken.setattr(Table, "push", fail)
        socket.send_json({"kind": "move", "move": "draw", "at": table.version})
        assert socket.receive_json() == {"kind": "error", "text": SOMETHING_WENT_WRONG}


# Headers, cookies


def every_answer(client: TestClient) -> dict[str, Any]:
    """An answer of every kind."""
    table = play(client)
    return {
        "lobby": client.get("/"),
        "table": client.get(f"/tables/{table.id}"),
        "form": client.get("/new/ra"),
        "redirect": client.post("/theme", data={"theme": "dark"}, follow_redirects=False),
        "static": client.get("/static/style.css"),
        "not modified": client.get(
            "/static/style.css", headers={"If-None-Match": client.get("/static/style.css").headers["etag"]}
        ),
        "no such static": client.get("/static/nothing.css"),
        "style of a game": client.get("/games/ra/table.css"),
        "not found": client.get("/nothing"),
        "wrong method": client.put("/"),
        "other site": client.post("/play/ra", headers={"Origin": "https://evil.test"}),
        "too large": client.post("/play/ra", content=b"x" * (MOST_BODY + 1)),
        "refused": client.post(f"/tables/{table.id}/move", data={"move": "fly", "at": "1"}),
        "health": client.get("/healthz"),
        "metrics": client.get("/metrics"),
        "reference": client.get("/api"),
        "document": client.get("/api/openapi.json"),
        "games": client.get("/api/games"),
        "no such game": client.get("/api/games/chess"),
        "stream": client.get(f"/api/tables/{table.id}/events"),
    }


def test_every_answer_carries_the_policy(client: TestClient) -> None:
    for name, answer in every_answer(client).items():
        for header, value in HEADERS.items():
            assert answer.headers.get_list(header) == [value], (name, header)


def test_the_policy_allows_no_inline_script(client: TestClient) -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "unsafe-eval" not in policy
    for name, answer in every_answer(client).items():
        if answer.headers.get("content-type", "").startswith("text/html"):
            scripts = re.findall(r"<script([^>]*)>([^<]*)</script>", answer.text)
            assert all("src=" in attributes and not body.strip() for attributes, body in scripts), name
            assert not re.search(r"<[^>]+\son\w+=", answer.text), name
            assert "<style" not in answer.text, name


def test_cookies_are_not_for_scripts_or_other_sites(client: TestClient) -> None:
    answers = [
        client.post("/play/ra", follow_redirects=False),
        client.post("/language", data={"lang": "nl"}, follow_redirects=False),
        client.post("/theme", data={"theme": "dark"}, follow_redirects=False),
        client.get("/tables/" + play(client).id),
    ]
    cookies = [cookie for answer in answers for cookie in answer.headers.get_list("set-cookie")]
    assert len(cookies) >= 4
    for cookie in cookies:
        assert "HttpOnly" in cookie
        assert re.search(r"SameSite=(lax|strict)", cookie, re.IGNORECASE)
        assert "Secure" not in cookie  # on the own machine, where there is no https


def test_cookies_given_by_https_come_back_by_https_only(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        client.base_url = httpx.URL("https://testserver")
        answer = client.post("/play/ra", follow_redirects=False)
        table = client.get(answer.headers["location"])
    for given in (answer, table):
        cookies = given.headers.get_list("set-cookie")
        assert cookies
        assert [cookie for cookie in cookies if not cookie.endswith("; Secure")] == []


@pytest.mark.parametrize(("trusted", "secure"), [("", False), ("10.0.0.1", False), ("127.0.0.1", True)])
def test_only_a_trusted_proxy_says_that_a_request_came_by_https(
    tmp_path: Path, trusted: str, secure: bool
) -> None:
    with running(tmp_path, TEERLING_TRUSTED_PROXIES=trusted) as address:
        forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.7"}
        answer = httpx.post(f"{address}/play/ra", headers=forwarded)
    assert ("Secure" in answer.headers["set-cookie"]) == secure


def test_what_is_for_one_person_is_not_kept_on_the_way(client: TestClient) -> None:
    table = play(client)
    paths = ("", "/replay", "/file", "/verify")
    personal = [client.get(f"/tables/{table.id}{path}") for path in paths]
    personal += [client.get("/"), client.get(f"/api/tables/{table.id}/view"), client.get("/me/wrong")]
    assert {answer.headers.get("Cache-Control") for answer in personal} == {"no-store"}
    for path in ("/static/style.css", "/games/ra/table.css", "/styles.css", "/fonts/text.woff2", "/rules/ra"):
        assert "no-store" not in client.get(path).headers.get("Cache-Control", "")


def test_styles_and_scripts_of_an_older_server_are_asked_for_again(client: TestClient) -> None:
    for path in ("/static/table.js", "/static/motion.js", "/games/ra/table.css", "/styles.css"):
        answer = client.get(path)
        assert answer.headers["Cache-Control"] == "no-cache"
        same = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
        assert (same.status_code, same.text) == (304, "")
        assert client.get(path, headers={"If-None-Match": '"another"'}).text == answer.text


def test_what_a_page_names_by_what_it_is_may_be_kept_for_ever(client: TestClient) -> None:
    table = play(client)
    page = client.get(f"/tables/{table.id}").text
    named = set(re.findall(r'(?:src|href)="(/(?:static/[0-9a-f]{12}/|games/)[^"]+\.(?:js|css)[^"]*)"', page))
    assert len(named) > 8
    for path in named:
        assert "immutable" in client.get(path).headers["Cache-Control"], path
    scripts = {path.rsplit("/", 1)[1]: client.get(path).text for path in named if path.endswith(".js")}
    for name, text in scripts.items():
        for imported in re.findall(r'(?:from|import) "\./([^"]+)"', text):
            assert imported in scripts, f"{name} waits for {imported}, which comes after it"
    kept = next(path for path in named if "/static/" in path)
    older = re.sub("[0-9a-f]{12}", "0" * 12, kept)
    assert client.get(older).headers["Cache-Control"] == "no-cache"


# Escaping


def test_names_and_chat_are_escaped_everywhere(client: TestClient) -> None:
    table = play(client, name=EVIL, name1=f"{EVIL}1", seat2="open")
    client.post(f"/tables/{table.id}/chat", data={"text": f"{EVIL}{{{{7*7}}}}{{seat}}"})
    assert table.chat[-1].text.startswith("<script>")
    assert table.seating[0].name.startswith("<script>")
    shown = [client.get(path).text for path in ("/", f"/tables/{table.id}")]
    client.cookies.clear()
    shown.append(client.get("/").text)
    client.post(f"/tables/{table.id}/join", data={"seat": 2, "name": EVIL})
    shown.append(client.get(f"/tables/{table.id}").text)
    with client.websocket_connect(f"/tables/{table.id}/live") as socket:
        page = socket.receive_json()
        shown += [page["html"]]
    assert any("&lt;script&gt;" in text for text in shown)
    for text in shown:
        assert "<script>alert" not in text
        assert "</script>alert" not in text
    assert "{{7*7}}{seat}" in shown[1]
    assert client.get(f"/api/tables/{table.id}").headers["content-type"] == "application/json"
    for path in (f"/tables/{EVIL}", f"/new/{EVIL}", f"/{EVIL}"):
        assert "<script>alert" not in client.get(path).text
    refused = client.post(f"/tables/{table.id}/move", data={"move": EVIL, "at": str(table.version)})
    assert refused.status_code in (403, 422)
    assert "<script>alert" not in refused.text


def test_a_name_is_one_short_line(client: TestClient) -> None:
    table = play(client, name="a\r\nb\x00\x1b\u202e c" + "x" * 100)
    assert table.seating[0].name.startswith("a b c")
    assert len(table.seating[0].name) <= 40
    assert table.seating[0].name.isprintable()


# Secrets


def test_the_seed_is_told_to_nobody_before_the_end(client: TestClient) -> None:
    made = new_table(client, "dicerun", [{"kind": "me"}, {"kind": "me"}, {"kind": "me"}])
    table, mine = table_at(client, made["table"]["id"]), bearer(made["token"])
    path = f"/api/tables/{table.id}"
    seed = table.row.seed
    assert len(seed) >= 32

    def everything() -> dict[str, str]:
        told = {
            f"{place} {'mine' if headers else 'watched'}": client.get(f"{path}{place}", headers=headers).text
            for place in ("", "/view", "/moves", "/history", "/events", "/file")
            for headers in (mine, {})
        }
        told |= {place: client.get(f"/tables/{table.id}{place}").text for place in ("", "/replay", "/file")}
        told |= {place: client.get(place).text for place in ("/", "/api/tables?status=playing", "/metrics")}
        with client.websocket_connect(f"/tables/{table.id}/live") as socket:
            told["socket"] = json.dumps(socket.receive_json())
        told["refused"] = client.post(f"{path}/moves", json={"move": "fly"}, headers=mine).text
        return told

    for _ in range(3):
        for name, text in everything().items():
            assert seed not in text, name
            assert made["token"] not in text, name
        legal = client.get(f"{path}/moves", headers=mine).json()["moves"]
        client.post(f"{path}/moves", json={"move": legal[0]["text"]}, headers=mine)
    assert str(table.match.seal) in client.get(f"{path}/view").text
    for _ in table.seating:
        client.post(f"{path}/resign", headers=mine)
    assert client.get(f"{path}/view").json()["seed"] == seed
    assert seed in client.get(f"/tables/{table.id}").text


def test_only_the_hash_of_a_token_is_kept(client: TestClient) -> None:
    made = new_table(client)
    table = table_at(client, made["table"]["id"])
    kept = [seat.token for seat in table.seating if seat.token]
    assert kept
    assert made["token"] not in kept
    assert client.get(f"/api/tables/{table.id}/view", headers=bearer(kept[0])).status_code == 401


def test_a_line_of_the_log_hides_secrets() -> None:
    import logging
    import sys

    try:
        raise ValueError("postgresql://anne:hunter22@db/x")
    except ValueError:
        record = logging.LogRecord("teerling", 40, "", 1, "seed=%s", ("ab" * 32,), sys.exc_info())
    line = json.loads(Lines().format(record))
    assert line["text"] == "seed=…"
    assert "hunter22" not in line["error"]
    assert "postgresql://anne:…@db/x" in line["error"]
    assert without_secrets("table k7ex7vz6v5 seat 2") == "table k7ex7vz6v5 seat 2"


# A real server, as `teerling serve` starts it


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Callable[[], str]]]:
    """The address of a server, and what it has logged."""
    folder = tmp_path_factory.mktemp("served")
    with running(folder, TEERLING_LOG="info", TEERLING_SLOW_SECONDS="0.001") as address:
        yield address, (folder / "log").read_text


def test_frames_that_no_page_sends_are_answered(served: tuple[str, Callable[[], str]]) -> None:
    address, _ = served
    with httpx.Client(base_url=address) as http:
        where = http.post("/new/ra", data={"seat0": "me", "seat1": "me"}).headers["location"]
        cookie = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        live = f"{address.replace('http', 'ws', 1)}{where}/live?lang=en"
        with connect(live, additional_headers={"Cookie": cookie}) as socket:
            version = json.loads(socket.recv())["version"]

            def answer() -> dict[str, Any]:
                # The same page comes again when somebody comes or goes.
                messages = iter(lambda: json.loads(socket.recv(timeout=10)), None)
                return next(message for message in messages if message["kind"] != "page")

            for frame in (b"\x00\xff", b'{"kind": "ping"}', "\x00", "[" * 4000, "x" * 60_000, '{"kind": 1}'):
                socket.send(frame)
                assert answer()["kind"] == "error"
            socket.send('{"kind": "ping"}')
            assert answer() == {"kind": "pong", "version": version}
            socket.send("x" * 200_000)
            with pytest.raises(ConnectionClosed):
                socket.recv(timeout=10)
        with connect(live, additional_headers={"Cookie": cookie}) as socket:
            assert json.loads(socket.recv())["version"] == version


def test_a_body_without_an_end_is_refused(served: tuple[str, Callable[[], str]]) -> None:
    """In pieces, without a length: the answer comes although the body does not stop."""
    address, _ = served
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
    connection.putrequest("POST", "/api/tables")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.putheader("Content-Type", "application/json")
    connection.endheaders()
    piece = b"4000\r\n" + b"x" * 0x4000 + b"\r\n"
    for _ in range(6):
        connection.send(piece)
    connection.send(b"0\r\n\r\n")
    answer = connection.getresponse()
    assert answer.status == 413
    assert json.load(answer)["error"]["kind"] == "too_large"
    assert answer.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]


def test_a_length_that_is_a_lie_is_refused_at_once(served: tuple[str, Callable[[], str]]) -> None:
    address, _ = served
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
    connection.putrequest("POST", "/api/tables")
    connection.putheader("Content-Length", str(10**15))
    connection.endheaders()
    assert connection.getresponse().status == 413


def test_the_log_holds_no_secrets(served: tuple[str, Callable[[], str]]) -> None:
    address, log = served
    with httpx.Client(base_url=address, follow_redirects=True) as http:
        made = http.post("/api/tables", json={"game": "ra", "seats": ALONE}).json()
        http.get(f"/api/tables/{made['table']['id']}/view", headers=bearer(made["token"]))
        page = http.post("/play/ra").text
        link = re.search(r"/me/([\w.~-]+)", page)
        assert link is not None
        assert http.get(f"/me/{link[1]}").status_code == 200
        http.get("/me/wrong-secret-link")
        http.get(f"/nothing?token={made['token']}")
        http.get(f"/tables/{made['token']}")
        http.get(f"/tables/{made['token']}/replay", headers={"X-Request-ID": made["token"]})
        secrets = [made["token"], link[1], "wrong-secret-link", *http.cookies.values()]
    written = log()
    lines = [json.loads(line) for line in written.splitlines()]
    assert {"method": "POST", "route": "/api/tables", "status": 201}.items() <= next(
        line for line in lines if line.get("status") == 201
    ).items()
    for secret in secrets:
        assert secret not in written
    assert not re.search(r"\b[0-9a-f]{48,}\b", written)


def test_an_answer_to_somebody_who_hung_up_ends_when_the_server_knows_that(tmp_path: Path) -> None:
    """uvicorn complains of an answer that stays half, unless it knows that nobody is there."""
    known: list[str] = []

    async def receive() -> Message:
        await asyncio.sleep(0.05)
        known.append("asked")
        if len(known) == 1:
            raise RuntimeError("unable to perform operation on <TCPTransport>; the handler is closed")
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            raise RuntimeError("unable to perform operation on <TCPTransport>; the handler is closed")

    scope = {
        "type": "http", "method": "GET", "path": "/", "raw_path": b"/", "root_path": "", "query_string": b"",
        "headers": [(b"host", b"testserver")], "scheme": "http", "client": ("127.0.0.1", 1),
        "server": ("testserver", 80), "http_version": "1.1",
    }  # fmt: skip
    with opened(tmp_path) as client:
        assert client.portal is not None
        client.portal.call(client.app, scope, receive, send)
    assert known == ["asked", "asked"]
