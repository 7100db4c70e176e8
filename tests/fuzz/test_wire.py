"""Whatever bytes come over a connection, the server answers others, and nothing has gone wrong in it."""

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.attacks import frame
from tests.fuzz.plan import fuzzed, no_hang
from tests.server.houses import running

ENOUGH = 0.1
"""Seconds after which somebody who hears nothing hangs up."""
FORM = b"POST /new/ra HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
SOCKET = (
    b"GET {table}/live HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: {cookie}\r\n\r\n"
)
REQUESTS = [
    b"GET / HTTP/1.1\r\nHost: x\r\nAccept-Language: nl\r\n\r\n",
    b"HEAD /healthz HTTP/1.0\r\n\r\n",
    FORM + b"Content-Length: 19\r\n\r\nseat0=me&seat1=open",
    FORM + b"Transfer-Encoding: chunked\r\n\r\n5\r\nseat0\r\n3\r\n=me\r\n0\r\nX: y\r\n\r\n",
    b"POST /api/tables HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /?q=%f0%9f HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n" * 2,
    SOCKET + frame(1, b'{"kind": "ping"}') + frame(9, b"") + frame(8, b"\x03\xe8"),
    SOCKET + frame(1, b"\xff\xfe") + frame(2, b"x" * 200) + frame(0, b"") + frame(11, b""),
]
PIECES = [
    b"", b"\r\n", b"\n", b"\r", b"\0", b" ", b":", b"\xff", b"\x80", b"\x81\xfe\xff\xff", b"\x88\x80", b"-1",
    b"0", b"ffffffffffffffff", b"9" * 30, b"HTTP/9.9", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Host: [\r\n", b"Expect: 100-continue\r\n",
    b"Upgrade: h2c\r\n", b"a" * 3000, b"X: y\r\n" * 200, b"/../../", b"%00", b"http://[/",
    b"\x16\x03\x01\x02\x00\x01",
]  # fmt: skip


@dataclass(frozen=True)
class Served:
    """A server in a process of its own, and where it writes what goes wrong."""

    port: int
    log: Path
    visitor: httpx.Client
    table: bytes
    cookie: bytes

    def heard(self, pieces: list[bytes]) -> bytes:
        """What somebody is told who sends this over one connection and hangs up soon."""
        told = b""
        with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            try:
                for piece in pieces:
                    connection.sendall(
                        piece.replace(b"{cookie}", self.cookie).replace(b"{table}", self.table)
                    )
                connection.settimeout(ENOUGH)
                while part := connection.recv(65536):
                    told += part
            except (TimeoutError, ConnectionError):
                pass
        return told


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("wired")
    with running(folder) as address, httpx.Client(base_url=address) as visitor:
        table = visitor.post("/new/rapido", data={"seat0": "me", "seat1": "me"}).headers["location"]
        cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items()).encode()
        yield Served(urlsplit(address).port or 0, folder / "log", visitor, table.encode(), cookie)


@st.composite
def spoiled_requests(draw: st.DrawFn) -> list[bytes]:
    """A request, or several at once, with some bytes changed, sent in a few pieces."""
    sent = b"".join(draw(st.lists(st.sampled_from(REQUESTS), min_size=1, max_size=2)))
    for _ in range(draw(st.integers(0, 4))):
        at, gone = draw(st.integers(0, len(sent))), draw(st.sampled_from([0, 0, 1, 2, 20]))
        sent = sent[:at] + draw(st.sampled_from(PIECES) | st.binary(max_size=4)) + sent[at + gone :]
    cuts = sorted(draw(st.lists(st.integers(0, len(sent)), max_size=3)))
    return [sent[start:end] for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True)]


@fuzzed(60)
@given(spoiled_requests())
def test_any_bytes_leave_the_server_in_order(served: Served, pieces: list[bytes]) -> None:
    assert b"HTTP/1.1 5" not in served.heard(pieces)
    with no_hang():
        assert served.visitor.get("/").status_code == 200
    complaints = [line for line in served.log.read_text().splitlines() if '"level": "warning"' not in line]
    assert not complaints, "\n".join(complaints)
