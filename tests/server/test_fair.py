"""Fair to everybody: whoever asks for too much is told so or closed, and others do not notice."""

import asyncio
import collections
import contextlib
import dataclasses
import gc
import json
import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import uvloop
from sqlalchemy import event, update
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.asyncio.client import connect

import teerling
from teerling import players
from teerling.server import context, run
from teerling.server import house as house_module
from teerling.server.api import stream
from teerling.server.database.schema import TableRow
from teerling.server.database.storage import now
from teerling.server.door import connections, entrance
from teerling.server.door.connections import MOST_HEAD, Door
from teerling.server.door.limits import RELUCTANCE, Headcount, Limiter, prefix_of
from teerling.server.refusals import Refused, TooFast
from teerling.server.settings import Settings
from teerling.server.tables import presence
from teerling.server.thinking import workshop
from teerling.server.thinking.queue import Thinking, Urgency
from teerling.server.thinking.workshop import Workshop
from teerling.server.watch.metrics import CLOSED
from teerling.server.web import guard, replay, sources
from teerling.words import Speaker
from tests.attacks import Attacker, frame
from tests.server.houses import RATES, bearer, house_of, new_table, opened, table_at
from tests.server.storage_failures import SORRY

EN = Speaker("en")
MANY = 10_000.0
"""So fast is nobody."""


def served(
    folder: Path, then: Callable[[int], Awaitable[None]], host: str = "127.0.0.1", **changes: Any
) -> None:
    """A server over real connections in this process, for as long as something is done with its port."""
    quick = {**dict.fromkeys(RATES, MANY), "puzzles_after": 0.0, **changes}
    settings = dataclasses.replace(Settings.read(folder), **quick)
    listening = entrance.listen(host, 0, EN)

    async def live() -> None:
        app = run.opened(settings, EN)
        server = run.Server(run.configured(app, settings), lambda: None, app.state.context.house)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            async with asyncio.timeout(60):
                await then(listening.getsockname()[1])
        finally:
            server.should_exit = True
            await serving

    uvloop.run(live())


@pytest.fixture
def unhurried_farewell(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine it may take a while to read why a connection is closed."""
    monkeypatch.setattr(connections, "FAREWELL", 10.0)


@pytest.fixture
def uvicorn_says(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], list[str]]]:
    """What uvicorn has warned of since this was called first: a server that starts says where lines go."""
    uvicorns = logging.getLogger("uvicorn.error")

    def says() -> list[str]:
        uvicorns.addHandler(caplog.handler)
        return [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]

    yield says
    uvicorns.removeHandler(caplog.handler)


async def answer_of(reader: asyncio.StreamReader, last: bytes | None = None) -> bytes:
    """Everything that comes until the connection is closed, or until the last thing that is waited for."""
    told = b""
    with contextlib.suppress(ConnectionResetError):
        async with asyncio.timeout(10):
            while (last is None or last not in told) and (part := await reader.read(65536)):
                told += part
    return told


async def others_are_served(port: int) -> None:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as others:
        assert (await others.get("/healthz")).status_code == 200


# Counting


def test_a_household_counts_as_one_whatever_address_it_takes() -> None:
    assert prefix_of("2001:db8::1") == prefix_of("2001:db8::ffff:1") != prefix_of("2001:db8:0:1::1")
    assert prefix_of("fe80::1%eth0") == "fe80::"
    assert prefix_of("testclient") == "testclient"


def test_a_bucket_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    limiter = Limiter(2.0, burst=3)
    assert [limiter.allows("a") for _ in range(4)] == [True, True, True, False]
    assert limiter.allows("b")
    now[0] = 0.5
    assert [limiter.allows("a") for _ in range(2)] == [True, False]
    limiter.charge("b", 3)
    assert (limiter.allows("b"), limiter.debt_of("b")) == (False, 0.0)
    assert limiter.wait_of("b", 1.0) == 0.5
    assert limiter.wait_of("b", 1.0) == 1.0
    assert limiter.wait_of("b", 1.0) is None
    assert limiter.debt_of("b") == 1.0


def test_who_leaves_is_counted_no_more() -> None:
    inside = Headcount(2)
    assert [inside.enter("a") for _ in range(3)] == [True, True, False]
    inside.leave("a")
    assert inside.enter("a")
    for _ in range(2):
        inside.leave("a")
    assert len(inside) == 0


# Sockets


@pytest.mark.parametrize("sent", [frame(1, b'{"kind": "ping"}'), frame(9, b""), frame(2, b"x")])
@pytest.mark.usefixtures("unhurried_farewell")
def test_a_socket_that_floods_is_closed_before_it_is_read(tmp_path: Path, sent: bytes) -> None:
    heard = 0

    async def flood(port: int) -> None:
        nonlocal heard
        attacker = Attacker(port, 30)
        reader, writer = await attacker.socket(*await attacker.a_table())
        floods = CLOSED.labels("flood")._value.get()
        writer.write(sent * 20_000)
        told = await answer_of(reader, b"\x03\xf0That was too fast")
        assert b"\x03\xf0That was too fast" in told
        assert CLOSED.labels("flood")._value.get() == floods + 1
        heard = told.count(b"\x8a\x00") + told.count(b"pong")
        await others_are_served(port)

    served(tmp_path, flood, frames_per_second=20.0)
    assert heard < 300


def test_a_socket_whose_text_is_none_is_closed_without_an_error(
    tmp_path: Path, uvicorn_says: Callable[[], list[str]]
) -> None:
    async def ask(port: int) -> None:
        uvicorn_says()
        attacker = Attacker(port, 30)
        reader, writer = await attacker.socket(*await attacker.a_table())
        writer.write(frame(1, b"\xff\xfe"))
        assert (await answer_of(reader)).endswith(b"\x88\x02\x03\xef")
        writer.close()

    served(tmp_path, ask)
    assert uvicorn_says() == []


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("/tables/" + 9000 * "a", ""),
        ("/tables/abcdefghjk", f"X-Long: {9000 * 'b'}\r\n"),
        ("/x", 200 * "X: y\r\n"),
    ],
)
def test_a_wish_for_a_socket_that_is_none_is_answered_and_closed(
    tmp_path: Path, path: str, header: str
) -> None:
    async def ask(port: int) -> None:
        reader, writer = await Attacker(port, 30).connection()
        writer.write(
            f"GET {path}/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {22 * 'A'}==\r\n{header}\r\n".encode()
        )
        assert (await answer_of(reader)).startswith((b"HTTP/1.1 414", b"HTTP/1.1 431"))
        assert reader.at_eof()
        writer.close()

    served(tmp_path, ask)


def test_a_socket_that_clicks_as_people_do_stays_open(tmp_path: Path) -> None:
    async def click(port: int) -> None:
        attacker = Attacker(port, 30)
        reader, writer = await attacker.socket(*await attacker.a_table())
        for _ in range(40):
            writer.write(frame(9, b"here"))
            await asyncio.wait_for(reader.readuntil(b"\x8a\x04here"), 10)

    served(tmp_path, click, frames_per_second=20.0)


def test_an_address_that_floods_opens_sockets_less_often(tmp_path: Path) -> None:
    async def flood(port: int) -> None:
        attacker = Attacker(port, 30)
        table = await attacker.a_table()
        opened = 0
        for _ in range(6):
            try:
                reader, writer = await attacker.socket(*table)
            except (OSError, EOFError):
                break
            if not (await reader.read(50)):
                break
            opened += 1
            writer.write(frame(9, b"") * 20_000)
            await answer_of(reader)
            writer.close()
        assert opened <= 3

    served(tmp_path, flood, frames_per_second=20.0, sockets_per_second=2.0)


def test_nothing_is_left_of_sockets_that_were_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was made for them is gone when the others have heard of it, before garbage is collected."""
    monkeypatch.setattr(presence, "COMING", 0.01)
    monkeypatch.setattr(presence, "GOING", 0.01)

    async def open_and_close(port: int) -> None:
        attacker = Attacker(port, 60)
        table = await attacker.a_table()

        async def once() -> None:
            reader, writer = await attacker.socket(*table)
            await reader.read(100)
            writer.close()
            await writer.wait_closed()

        async def settled() -> "collections.Counter[str]":
            await asyncio.sleep(0.3)
            return collections.Counter(type(each).__qualname__ for each in gc.get_objects())

        for _ in range(10):
            await once()
        await settled()
        gc.collect()
        gc.disable()
        try:
            before = await settled()
            for _ in range(60):
                await once()
            more = await settled() - before
        finally:
            gc.enable()
        assert max(more.values(), default=0) < 60, more

    served(tmp_path, open_and_close)


def test_nothing_is_left_of_who_hangs_up_on_several_answers(tmp_path: Path) -> None:
    """What was asked and not answered is gone with the connection, before garbage is collected."""

    async def ask_and_hang_up(port: int) -> None:
        attacker = Attacker(port, 60)

        async def once() -> None:
            reader, writer = await attacker.connection()
            writer.write(20 * b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.read(10)
            writer.close()
            await writer.wait_closed()

        def kept() -> int:
            return sum(isinstance(each, connections.RequestResponseCycle) for each in gc.get_objects())

        await once()
        gc.collect()
        gc.disable()
        try:
            for _ in range(30):
                await once()
            await asyncio.sleep(0.5)
            assert kept() <= 60, "one for each connection, or two, but not all twenty"
        finally:
            gc.enable()

    served(tmp_path, ask_and_hang_up)


def test_an_address_and_a_person_have_only_so_many_sockets(tmp_path: Path) -> None:
    with opened(tmp_path, most_sockets_of_person=2, most_sockets_of_address=3) as client:
        table = client.post("/new/ra", data={"seat0": "me", "seat1": "me"}, follow_redirects=False)
        live = f"{table.headers['location']}/live?lang=nl"
        with client.websocket_connect(live) as first, client.websocket_connect(live) as second:
            assert first.receive_json()["kind"] == second.receive_json()["kind"] == "page"
            with client.websocket_connect(live) as third:
                told = third.receive_json()
                assert (told["kind"], told["final"]) == ("error", True)
                assert "te veel pagina’s" in told["text"]
            client.cookies.clear()
            client.get(table.headers["location"])
            with client.websocket_connect(live) as another:
                assert another.receive_json()["kind"] == "page"
                with client.websocket_connect(live) as beyond:
                    assert "te veel pagina’s" in beyond.receive_json()["text"]
        with client.websocket_connect(live) as again:
            assert again.receive_json()["kind"] == "page"


def test_sockets_of_one_person_move_no_faster_than_one(tmp_path: Path) -> None:
    with opened(tmp_path, moves_per_second=0.5) as client:
        table = client.post("/new/ra", data={"seat0": "me", "seat1": "me"}, follow_redirects=False)
        live = f"{table.headers['location']}/live?lang=en"
        told = []
        for _ in range(3):
            with client.websocket_connect(live) as live_page:
                live_page.receive_json()
                for _ in range(3):
                    live_page.send_json({"kind": "ping"})
                    told.append(live_page.receive_json()["kind"])
        assert told.count("pong") == 5


def test_sockets_are_opened_no_faster_than_allowed(tmp_path: Path) -> None:
    with opened(tmp_path, sockets_per_second=0.1) as client:
        table = client.post("/new/ra", data={"seat0": "me", "seat1": "me"}, follow_redirects=False)
        live = f"{table.headers['location']}/live?lang=en"
        for _ in range(2):
            with client.websocket_connect(live) as page:
                page.receive_json()
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(live):
            pass


# Requests


@pytest.mark.usefixtures("unhurried_farewell")
def test_a_head_without_an_end_or_too_long_is_refused(tmp_path: Path) -> None:
    async def ask(port: int) -> None:
        for head in (
            b"X-Long: " + b"x" * 10 * MOST_HEAD,
            b"Accept-Language: " + b"," * 10 * MOST_HEAD,
            b"X-Long: " + b"x" * MOST_HEAD,
        ):
            reader, writer = await Attacker(port, 30).connection()
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n\r\n")
            assert (await reader.read(12)) == b"HTTP/1.1 431"
            writer.close()
        await others_are_served(port)

    served(tmp_path, ask)


def test_a_long_head_that_ends_and_a_body_after_it_are_read(tmp_path: Path) -> None:
    async def ask(port: int) -> None:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
            long = {"X-Long": "x" * (MOST_HEAD - 1000)}
            for _ in range(3):
                made = await http.post("/new/ra", data={"seat0": "me", "seat1": "me"}, headers=long)
                assert made.status_code == 303
            large = await http.post("/new/ra", data={"name": "x" * 60_000, "seat0": "me", "seat1": "me"})
            assert large.status_code == 303

    served(tmp_path, ask)


@pytest.mark.parametrize("path", ["/", "/readyz", "/metrics", "/static/table.js", "/api/games", "/nowhere"])
def test_who_asks_for_the_head_gets_that_of_the_page_and_no_body(tmp_path: Path, path: str) -> None:
    async def ask(port: int) -> None:
        reader, writer = await Attacker(port, 30).connection()
        for method in ("HEAD", "GET"):
            last = "Connection: close\r\n" if method == "GET" else ""
            writer.write(f"{method} {path} HTTP/1.1\r\nHost: x\r\n{last}\r\n".encode())
        head, page, body = (await answer_of(reader)).split(b"\r\n\r\n", 2)
        assert head.split()[1] == page.split()[1] == (b"404" if path == "/nowhere" else b"200")
        assert f"content-length: {len(body)}".encode() in page
        assert page.startswith(b"HTTP/1.1 "), "there is no body before it"
        writer.close()

    served(tmp_path, ask)


def test_requests_that_do_not_come_to_an_end_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "LOOK_AGAIN", 0.05)

    async def ask(port: int) -> None:
        attacker = Attacker(port, 30)
        for half in (
            b"",
            b"GET / HTTP/1.1\r\nHost:",
            b"POST /name HTTP/1.1\r\nContent-Length: 9\r\n\r\nname=",
        ):
            reader, writer = await attacker.connection()
            writer.write(half)
            assert b" 408 " in await answer_of(reader) or half.startswith(b"POST")
            writer.close()
        # Somebody who waits for an answer has said what they want.
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
            made = (await http.post("/api/tables", json={"game": "ra", "seats": [{"kind": "me"}] * 2})).json()
            events = f"/api/tables/{made['table']['id']}/events"
            async with http.stream("GET", events) as stream:
                lines = stream.aiter_lines()
                assert (await anext(lines)).startswith("id:")
                await asyncio.sleep(1.5)
                await http.post(
                    f"/api/tables/{made['table']['id']}/moves",
                    json={"move": "draw"},
                    headers={"Authorization": f"Bearer {made['token']}"},
                )
                assert [line async for line in _some(lines, 5) if line.startswith("id:")]

    served(tmp_path, ask, request_seconds=1.0, stream_seconds=30.0)


async def unread(attacker: Attacker, many: int) -> list[asyncio.StreamWriter]:
    """Connections that ask for more than fits on the way to them, and read nothing of it."""
    writers = []
    for _ in range(many):
        reader, writer = await attacker.connection()
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 200)
        writers.append(writer)
    return writers


def test_who_does_not_read_keeps_nobody_else_of_the_address_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = set[Any]()
    monkeypatch.setattr(Door, "stops_reading", lambda _, connection: full.add(connection))
    monkeypatch.setattr(Door, "reads_on", lambda _, connection: full.discard(connection))

    async def ask(port: int) -> None:
        attacker = Attacker(port, 30)
        kept = await unread(attacker, 3)
        seen = 0
        while seen < 10:
            await asyncio.sleep(0.1)
            seen = seen + 1 if len(full) == len(kept) else 0
        async with attacker.client() as http, asyncio.timeout(10):
            assert (await http.get("/")).status_code == 200
        for writer in kept:
            writer.transport.abort()

    served(tmp_path, ask)


def test_who_reads_nothing_of_what_was_asked_for_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "LOOK_AGAIN", 0.05)
    closed = CLOSED.labels("unread")

    async def ask(port: int) -> None:
        before = closed._value.get()
        kept = await unread(Attacker(port, 30), 2)
        while closed._value.get() < before + len(kept):
            await asyncio.sleep(0.05)

    served(tmp_path, ask, request_seconds=1.0)


def test_who_hangs_up_on_several_answers_leaves_no_error(
    tmp_path: Path, uvicorn_says: Callable[[], list[str]]
) -> None:
    async def ask(port: int) -> None:
        uvicorn_says()
        attacker = Attacker(port, 30)
        for writer in await unread(attacker, 3):
            await asyncio.sleep(1.0)
            writer.transport.abort()
        async with attacker.client() as http:
            # Until everything that was begun for them has ended.
            await asyncio.sleep(2 * guard.MOST_LEAVING)
            assert (await http.get("/livez")).status_code == 200

    served(tmp_path, ask)
    assert uvicorn_says() == []


def test_nobody_who_dawdles_keeps_a_server_from_stopping(
    tmp_path: Path, uvicorn_says: Callable[[], list[str]]
) -> None:
    """Half requests, answers that are not read, and pages that have to wait for their turn."""

    async def ask(port: int) -> None:
        uvicorn_says()
        attacker = Attacker(port, 30)
        kept = await unread(attacker, 2)
        for half in (b"GET / HTTP/1.1\r\nHost:", b"POST /name HTTP/1.1\r\nContent-Length: 9\r\n\r\nname="):
            kept.append((await attacker.connection())[1])
            kept[-1].write(half)
        for _ in range(3):
            kept.append((await attacker.connection())[1])
            kept[-1].write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.sleep(2)
        waiting.extend(kept)

    waiting: list[asyncio.StreamWriter] = []
    served(tmp_path, ask, pages_per_second=0.2)
    assert uvicorn_says() == []


def test_waiting_for_the_rest_of_a_request_is_not_the_time_of_a_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def ask(port: int) -> None:
        reader, writer = await Attacker(port, 30).connection()
        writer.write(b"POST /name HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 9\r\n\r\nname=")
        await asyncio.sleep(0.5)
        writer.write(b"Anna")
        assert (await answer_of(reader)).startswith(b"HTTP/1.1 ")
        writer.close()

    served(tmp_path, ask, slow_seconds=0.0)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (rooms,) = [line["rooms"] for line in lines if line["from"] == "teerling.requests"]
    assert rooms["limits"] > 400


async def _some(lines: Any, count: int) -> Any:
    for _ in range(count):
        yield await anext(lines)


def test_an_address_has_only_so_many_connections(tmp_path: Path) -> None:
    async def ask(port: int) -> None:
        attacker = Attacker(port, 30)
        kept = [await attacker.connection() for _ in range(5)]
        await asyncio.sleep(0.1)
        reader, _ = await attacker.connection()
        assert await answer_of(reader) == b""
        await others_are_served(port)
        kept[0][1].close()
        await asyncio.sleep(0.1)
        reader, writer = await attacker.connection()
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert (await answer_of(reader)).endswith(b"ok\n")

    served(tmp_path, ask, most_connections_of_address=5)


def test_a_proxy_may_have_as_many_connections_as_it_likes(tmp_path: Path) -> None:
    settings = Settings.read(tmp_path)
    proxied = dataclasses.replace(settings, trusted_proxies="10.0.0.0/8, ::1", most_connections_of_address=1)
    door = Door(proxied)
    assert all(door.enter(address) for address in ("10.1.2.3", "10.1.2.3", "::1", "::1", "192.0.2.1"))
    assert not door.enter("192.0.2.1")
    door.leave("192.0.2.1")
    assert door.enter("192.0.2.1")
    everybody = Door(dataclasses.replace(proxied, trusted_proxies="*"))
    assert everybody.enter("192.0.2.1")
    assert everybody.enter("192.0.2.1")


def test_a_proxy_is_known_by_its_address_whichever_way_it_comes(tmp_path: Path) -> None:
    async def ask(port: int) -> None:
        told = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=told) as proxy:
            made = await proxy.post("/new/rapido", data={"seat0": "me", "seat1": "me"})
        cookie = made.headers["set-cookie"]
        assert "Secure" in cookie
        address = f"ws://127.0.0.1:{port}{made.headers['location']}/live"
        told["Cookie"] = cookie.partition(";")[0]
        other = told | {"X-Forwarded-For": "203.0.113.8"}
        async with (
            connect(address, additional_headers=told) as one,
            connect(address, additional_headers=other) as two,
        ):
            assert {json.loads(await each.recv())["kind"] for each in (one, two)} == {"page"}

    # A socket for both kinds of addresses sees 127.0.0.1 as ::ffff:127.0.0.1.
    served(tmp_path, ask, host="::", trusted_proxies="127.0.0.1", most_sockets_of_address=1)


def test_who_asks_for_many_pages_waits_and_is_refused_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    with opened(tmp_path, pages_per_second=0.1) as client:
        monkeypatch.setattr("teerling.server.web.guard.asyncio.sleep", sleep)
        answers = [client.get("/") for _ in range(3)]
        told = client.get("/", headers={"Accept-Language": "nl"})
        assert client.get("/static/table.js").status_code == client.get("/healthz").status_code == 200
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    waited = sum(slept) - 2 * RELUCTANCE
    assert 0 < waited <= 10.1
    assert "te snel" in told.text


@pytest.mark.parametrize("path", ["/games/ra/table.css", "/static/table.js", "/rules/ra", "/metrics"])
def test_who_asks_for_many_files_is_refused_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(guard, "MOST_WAITING", 0.1)
    with opened(tmp_path, files_per_second=0.1) as client:
        assert [client.get(path).status_code for _ in range(2)] == [200, 429]
        assert client.get("/").status_code == 200


def test_a_request_that_is_refused_for_what_it_is_counts_too(tmp_path: Path) -> None:
    elsewhere = {"Origin": "https://elsewhere.example"}
    with opened(tmp_path, moves_per_second=0.1) as client:
        answers = [client.post("/theme", data={"theme": "dark"}, headers=elsewhere) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [403, 429]


def test_who_asks_too_often_over_many_connections_is_refused_by_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "RELUCTANCE", 0.05)

    async def ask(port: int) -> None:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            began = time.monotonic()
            answers = await asyncio.gather(*(client.post("/theme") for _ in range(13)))
            assert [answer.status_code for answer in answers].count(429) == 12
            assert time.monotonic() - began >= 6 * guard.RELUCTANCE, "two at a time take six times as long"

    served(tmp_path, ask, moves_per_second=0.01)


def test_a_browser_with_very_many_languages_is_understood(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        assert 'lang="nl"' in client.get("/", headers={"Accept-Language": "xx," * 50 + "nl"}).text
        assert 'lang="en"' in client.get("/", headers={"Accept-Language": "," * 20_000}).text


def test_an_origin_that_is_none_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        for origin in ("http://[", "http://[::1", "null", "//"):
            assert client.post("/name", data={"name": "x"}, headers={"Origin": origin}).status_code == 403


def test_connections_are_begun_no_faster_than_allowed(tmp_path: Path) -> None:
    door = Door(dataclasses.replace(Settings.read(tmp_path), connections_per_second=0.2))
    assert [door.enter("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert door.enter("192.0.2.2")


# Bots


def with_masters(*others: str) -> dict[str, Any]:
    seats = [{"kind": "bot", "level": "master"} for _ in range(3 - len(others))]
    seats += [{"kind": kind} for kind in others]
    return {"game": "rapido", "seats": seats, "options": {"first": 0}}


def test_a_table_needs_a_person(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        refused = client.post("/api/tables", json=with_masters(), headers={"Accept-Language": "nl"})
        assert refused.status_code == 409
        assert "hoort een mens" in refused.json()["error"]["message"]
        assert client.post("/new/ra", data={"seat0": "bot", "seat1": "bot"}).status_code == 409
        assert client.post("/api/tables", json=with_masters("open")).status_code == 201
        assert house_of(client).storage.count_tables() == 1


class Thought(Thinking):
    """Notes for whom something would be worked out, and how urgent that is."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, Urgency]] = []

    async def think(
        self, job: Any, urgency: Urgency = Urgency.MOVE, whose: str = "", here: object = None
    ) -> Any:
        self.asked.append((whose, urgency))
        await asyncio.sleep(0.01)
        return players.Random().choose(job.knows, job.seed)


@pytest.fixture
def thought() -> Thought:
    """Bots that search are woken but need not."""
    return Thought()


def until(done: Callable[[], bool], seconds: float = 10.0) -> None:
    """Waits for something that happens elsewhere."""
    ends = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_bots_think_of_the_time_of_the_address_that_opened_their_table(
    tmp_path: Path, thought: Thought
) -> None:
    with opened(tmp_path) as client:
        house_of(client).bots._thinking = thought
        made = client.post("/api/tables", json=with_masters("me")).json()
        until(lambda: bool(thought.asked))
        (person,) = table_at(client, made["table"]["id"]).seating.people()
        assert thought.asked[0] == (f"testclient {person}", Urgency.MOVE)


def test_bots_play_slowly_where_nobody_is_until_somebody_comes(
    tmp_path: Path, thought: Thought, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "ATTENDED", 0.0)
    with opened(tmp_path, unattended_pause=600.0) as client:
        house = house_of(client)
        house.bots._thinking = thought
        form = {"seat0": "bot", "level0": "master", "seat1": "me", "seat2": "me", "option_first": ""}
        path = client.post("/new/rapido", data=form, follow_redirects=False).headers["location"]
        table = table_at(client, path)
        for _ in range(50):
            if table.bot_to_move() is None:
                client.post(
                    f"{path}/move", data={"move": table.match.legal_moves[-1].text, "at": table.version}
                )
        time.sleep(0.1)
        assert table.bot_to_move() is not None
        assert thought.asked == []
        with client.websocket_connect(f"{path}/live?lang=en") as live:
            live.receive_json()
            until(lambda: bool(thought.asked))
        assert thought.asked[0][1] == Urgency.MOVE


def test_where_nobody_plays_bots_wait_for_somebody_who_watches(
    tmp_path: Path, thought: Thought, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "ATTENDED", 0.0)
    with opened(tmp_path) as client:
        house = house_of(client)
        house.bots._thinking = thought
        made = client.post("/api/tables", json=with_masters("open", "open")).json()
        table = table_at(client, made["table"]["id"])
        monkeypatch.setattr(table.seating, "is_played_by_people", lambda: False)
        client.portal.call(table.fill_with_bots)
        client.portal.call(house.bots.wake, table)
        assert not house.bots.play_at(table.id)
        client.get(f"/tables/{table.id}")
        with client.websocket_connect(f"/tables/{table.id}/live?lang=en") as live:
            live.receive_json()
            until(lambda: table.match.history != ())
        client.portal.call(asyncio.sleep, 0.1)
        assert not house.bots.play_at(table.id)


def test_everybody_is_served_before_bots_are_woken_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, bot_pause=600.0) as client:
        made = [client.post("/api/tables", json=with_masters("me")).json()["table"]["id"] for _ in range(3)]
    monkeypatch.setattr(house_module, "BETWEEN_TABLES", 600.0)
    with opened(tmp_path, bot_pause=600.0) as client:
        assert client.get("/").status_code == 200
        registry = house_of(client).registry
        until(lambda: any(registry.get(id) is not None for id in made))
        time.sleep(0.1)
        assert sum(registry.get(id) is not None for id in made) == 1


def test_who_opens_many_tables_at_once_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    with opened(tmp_path, tables_per_minute=30.0) as client:
        monkeypatch.setattr(context, "asyncio", SimpleNamespace(sleep=sleep, to_thread=asyncio.to_thread))
        for _ in range(20):
            assert client.post("/new/rapido", data={"seat0": "me", "seat1": "me"}).status_code == 200
    assert max(waits) > 0.5


def test_an_address_opens_only_so_many_tables(tmp_path: Path) -> None:
    with opened(tmp_path, tables_per_minute=1.0) as client:
        new = {"seat0": "me", "seat1": "me"}
        statuses = [client.post("/new/ra", data=new, follow_redirects=False).status_code for _ in range(3)]
        assert statuses == [303, 303, 429]
        told = client.post("/api/tables", json=with_masters("me")).json()["error"]
        assert (told["kind"], told["message"][:24]) == ("too_fast", "That was a lot of tables")
        assert client.post("/day/ra").status_code == 429
    with opened(tmp_path, tables_per_day=1.0) as client:
        assert client.post("/play/ra").status_code == 200
        told = client.post("/play/ra", headers={"Accept-Language": "nl"})
        assert (told.status_code, "voor één dag" in told.text) == (429, True)


def test_a_table_at_which_nothing_happens_leaves_the_lists_but_is_still_there(tmp_path: Path) -> None:
    with opened(tmp_path, idle_days=30.0, most_tables=3) as client:
        form = {"seat0": "me", "seat1": "open", "public": "yes"}
        made = [
            client.post("/new/ra", data=form, follow_redirects=False).headers["location"] for _ in range(3)
        ]
        assert client.post("/new/ra", data=form).status_code == 503
        with house_of(client).storage.changing() as session:
            old = now() - timedelta(days=31)
            session.execute(
                update(TableRow).where(TableRow.id == made[0].rpartition("/")[2]).values(changed=old)
            )
        listed = client.get("/api/tables").json()["tables"]
        assert sorted(f"/tables/{table['id']}" for table in listed) == sorted(made[1:])
        assert made[0] not in client.get("/").text
        assert client.get(made[0]).status_code == 200
        assert client.post("/new/ra", data=form).status_code == 200
        # What is over stays in the list of who played it.
        client.post(f"{made[1]}/abandon")
        with house_of(client).storage.changing() as session:
            session.execute(update(TableRow).values(changed=old))
        assert made[1] in client.get("/").text


# Files and replays


def upload(client: TestClient, text: str, **headers: str) -> Any:
    return client.post(
        "/replay", files={"file": ("match.txt", text)}, headers=headers, follow_redirects=False
    )


@pytest.mark.parametrize("game_id", [game.id for game in teerling.list_games()])
def test_a_file_whose_position_is_over_already_can_be_looked_at(tmp_path: Path, game_id: str) -> None:
    match, chooser = teerling.new(game_id, players=2, seed=1), random.Random(1)
    while not match.over:
        match.push(chooser.choice(match.legal_moves))
    with opened(tmp_path) as client:
        kept = upload(client, teerling.at(game_id, match.position()).save())
        assert kept.status_code == 303
        for path in ("", "?move=0&seat=1", "?fragment=1", "/verify"):
            assert client.get(kept.headers["location"] + path).status_code == 200


def test_an_address_shows_only_so_many_files(tmp_path: Path) -> None:
    text = teerling.new("rapido", players=2, seed=1).save()
    with opened(tmp_path, uploads_per_minute=2.0) as client:
        assert [upload(client, text).status_code for _ in range(3)] == [303, 303, 429]
        assert "veel bestanden achter elkaar" in upload(client, text, **{"Accept-Language": "nl"}).text
        # What is no file at all costs nothing, and is said whatever came before.
        assert client.post("/replay").status_code == 422
        # A program that plays a file on shows one too.
        assert client.post("/api/branches", json={"source": text, "step": 0}).status_code == 429


def over() -> teerling.Match:
    match = teerling.new("rapido", players=2, seed=1)
    while not match.over:
        match.push(match.legal_moves[-1])
    return match


def test_files_of_strangers_are_read_and_shown_by_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> Any:
        raise AssertionError("this is done elsewhere")

    for module, name in ((sources, "loaded"), (replay, "replay_view"), (replay, "proof_view")):
        monkeypatch.setattr(module, name, never)
    with opened(tmp_path) as client:
        where = upload(client, over().save()).headers["location"]
        pages = [client.get(where + more) for more in ("", "?move=3&seat=1", "?fragment=1", "/verify")]
        assert [page.status_code for page in pages] == [200] * 4
        assert "There is no such seat" in client.get(where + "?seat=7").text
        assert upload(client, "nothing").status_code == 422


def test_the_process_that_reads_files_begins_with_the_form_for_them(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        aside = house_of(client).workshop._aside
        client.get("/")
        assert not aside.is_there
        client.get("/replay")
        client.get("/replay")
        until(lambda: aside.is_there, 60)
        assert upload(client, over().save()).status_code == 303


def test_pages_of_replays_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def noted(workshop: Workshop, work: Any, *arguments: Any, whose: str) -> Any:
        made.append(arguments)
        return make_apart(workshop, work, *arguments, whose=whose)

    make_apart = Workshop.make_apart
    monkeypatch.setattr(Workshop, "make_apart", noted)
    with opened(tmp_path) as client:
        where = upload(client, over().save()).headers["location"]
        made.clear()
        first, again = client.get(where + "?move=3").text, client.get(where + "?move=3").text
        assert first == again
        assert len(made) == 1
        dutch = client.get(where + "?move=3", headers={"Accept-Language": "nl"}).text
        other = client.get(where + "?move=4").text
        assert len({first, dutch, other}) == len(made) == 3
        # What is no theme makes no page of its own.
        assert client.get(where + "?move=3", headers={"Cookie": "theme=" + 5000 * "x"}).text == first
        assert len(made) == 3


def busy(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def busy_in_vain(seconds: float) -> None:
    busy(seconds)
    raise Refused("nothing came of it")


def test_who_had_much_made_waits_and_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        making = Workshop()
        assert await making.make(str, 1, whose="a") == "1"
        making._budget.charge("a", workshop.AT_FIRST + 0.2 * workshop.SHARE)
        waits = asyncio.create_task(making.make(str, 2, whose="a"))
        assert await asyncio.wait_for(making.make(str, 3, whose="b"), 10) == "3"
        assert not waits.done()
        assert await asyncio.wait_for(waits, 10) == "2"
        # What takes long is charged, what takes a moment is not.
        assert making._budget.debt_of("b") == 0
        await making.make(busy, 0.15, whose="b")
        await making.make(str, 4, whose="b")
        assert workshop.AT_FIRST - making._budget._left("b") > 0.05
        making._budget.charge("a", 60)
        with pytest.raises(TooFast):
            await making.make(str, 5, whose="a")
        # What is refused in the end has cost as much.
        with pytest.raises(Refused):
            await making.make(busy_in_vain, 0.15, whose="c")
        assert workshop.AT_FIRST - making._budget._left("c") > 0.05
        making.stop()

    asyncio.run(play())


def test_what_programs_are_told_of_long_matches_is_made_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others would wait for a history of thousands of moves, and it could be asked for over and over."""
    aside = []

    async def make(making: Workshop, work: Any, *arguments: Any, whose: str) -> Any:
        aside.append((getattr(work, "__name__", ""), whose))
        return await made(making, work, *arguments, whose=whose)

    made = Workshop.make
    monkeypatch.setattr(Workshop, "make", make)
    monkeypatch.setattr(stream, "LONG", 3)
    with opened(tmp_path) as client:
        table = new_table(client, "rapido", [{"kind": "me"}, {"kind": "me"}])
        path, mine = f"/api/tables/{table['table']['id']}", bearer(table["token"])
        while len(told := client.get(f"{path}/history", headers=mine).json()["moves"]) < 5:
            legal = client.get(f"{path}/moves", headers=mine).json()
            move = legal["moves"][0]["text"]
            client.post(f"{path}/moves", json={"move": move, "at": legal["version"]}, headers=mine)
        assert {name for name, _ in aside} == {"written_history"}
        aside.clear()
        short = client.get(f"{path}/events?since={len(told) - 1}", headers=mine).text
        assert not aside
        long = client.get(f"{path}/events?since=0", headers=mine).text
        assert aside == [("written", "testclient")]
        all_of_it = json.loads(long.splitlines()[2].removeprefix("data: "))["events"]
        assert all_of_it == [event for move in told for event in move["events"]]
        assert json.loads(short.splitlines()[2].removeprefix("data: "))["events"] == told[-1]["events"]
        aside.clear()
        refused = client.post("/api/branches", json={"source": "teerling 99", "step": 0})
        assert (refused.status_code, aside) == (422, [("loaded", "testclient")])


def test_only_so_many_pages_are_kept() -> None:
    shown = replay.Shown()
    for number in range(40):
        shown.keep(number, bytes(1024 * 1024))
    assert [number for number in range(40) if shown.find(number)] == list(range(24, 40))
    for _ in range(40):
        shown.keep(39, bytes(1024 * 1024))
    assert shown.find(24) is not None


# Long matches


def test_a_table_ends_a_match_that_goes_on_for_ever(tmp_path: Path) -> None:
    with opened(tmp_path, longest_match=12) as client:
        form = {"seat0": "me", "seat1": "me", "option_first": "0"}
        path = client.post("/new/rapido", data=form, follow_redirects=False).headers["location"]
        table = table_at(client, path)
        with client.websocket_connect(f"{path}/live?lang=nl") as live:
            page = live.receive_json()
            while not table.over:
                live.send_json({"kind": "move", "move": "throw", "at": page["version"]})
                page = live.receive_json()
            while "langer dan een tafel" not in page["html"]:
                page = live.receive_json()
        assert (table.version, table.row.ending, table.ended_by) == (13, "length", None)
        assert client.post(f"{path}/move", data={"move": "throw", "at": 13}).status_code == 409
        for page in (path, f"{path}/replay", f"{path}/verify", f"{path}/file", "/", "/me"):
            assert client.get(page).status_code == 200
    with opened(tmp_path) as client:
        assert "longer than a table lasts" in client.get(path).text


# Health, and stopping


def test_a_server_that_cannot_store_is_alive_but_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("teerling.server.app.HEALTHY", 0.0)
    with opened(tmp_path) as client:
        assert {client.get(path).status_code for path in ("/livez", "/readyz", "/healthz")} == {200}
        storage = house_of(client).storage
        storage.engine.dispose()
        event.listen(storage.engine, "connect", lambda made, _: made.execute("PRAGMA query_only = 1"))
        assert [client.get(path).status_code for path in ("/livez", "/readyz", "/healthz")] == [200, 503, 503]
        assert client.get("/readyz").text == f"{SORRY['en']}\n"
        assert client.get("/replay").status_code == 200


def test_health_is_looked_at_once_in_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as client:
        asked: list[None] = []
        monkeypatch.setattr(house_of(client).storage, "alive", lambda: asked.append(None))
        monkeypatch.setattr("teerling.server.app.HEALTHY", 600.0)
        for _ in range(5):
            client.get("/healthz")
        assert len(asked) <= 1


def test_a_server_that_is_about_to_stop_says_so_and_ends_streams(tmp_path: Path) -> None:
    settings = dataclasses.replace(Settings.read(tmp_path), drain_seconds=600.0)
    listening = entrance.listen("127.0.0.1", 0, EN)

    async def live() -> None:
        app = run.opened(settings, EN)
        server = run.Server(run.configured(app, settings), lambda: None, app.state.context.house)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}") as http:
            wanted = {"game": "ra", "seats": [{"kind": "me"}] * 2}
            made = (await http.post("/api/tables", json=wanted)).json()
            async with http.stream("GET", f"/api/tables/{made['table']['id']}/events") as stream:
                lines = stream.aiter_lines()
                assert (await anext(lines)).startswith("id:")
                server.should_exit = True
                async with asyncio.timeout(20):
                    rest = [line async for line in lines]
            assert not [line for line in rest if line.startswith("id:")]
            ready = await http.get("/readyz")
            assert (ready.status_code, "about to stop" in ready.text) == (503, True)
            assert (await http.get("/livez")).status_code == 200
        house = app.state.context.house
        house.settings = dataclasses.replace(settings, drain_seconds=0.0)
        async with asyncio.timeout(30):
            await serving

    uvloop.run(live())
