"""A server that somebody sends anything to, while somebody else sits quietly at a table of it."""

import asyncio
import contextlib
import dataclasses
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

import teerling
from teerling.server.people import COOKIE
from teerling.server.tables.table import Table
from tests.fuzz.plan import no_hang
from tests.server.houses import new_table, opened, table_at

Headers = Sequence[tuple[bytes, bytes]]
NEVER = 10**6
"""Seconds after which bots would move: what happens here, only the one who sends does."""


class Complaints(logging.Handler):
    """What the server writes down when something has gone wrong in it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(logging.Formatter().format(record))

    def check(self) -> None:
        """Nothing has gone wrong since it was last looked."""
        heard, self.heard = self.heard, []
        assert not heard, "\n".join(heard)


@dataclasses.dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: dict[str, str]
    body: bytes


class Siege:
    """The server, its tables, and who comes to it."""

    def __init__(self, client: TestClient, complaints: Complaints) -> None:
        self.client = client
        self.complaints = complaints
        client.post("/name", data={"name": "Quiet"})
        self.quiet = self.open_table("ra")
        self.quiet_cookie = client.cookies[COOKIE]
        self.quiet_state = everything(self.quiet)
        client.cookies.clear()
        client.post("/name", data={"name": "Loud"})
        self.loud_cookie = client.cookies[COOKIE]
        self.over = self.open_table("rapido")
        self.client.post(f"/tables/{self.over.id}/resign")
        self.upload = self.client.post(
            "/replay", files={"file": ("match.txt", teerling.new("dicerun", seed=2).save())}
        ).url.path.rpartition("/")[2]
        self.program = new_table(client, seats=[{"kind": "me"}, {"kind": "open"}])
        self._tables: dict[str, Table] = {}

    def open_table(self, game: str) -> Table:
        """A table of the one who comes now, with all of its seats."""
        made = self.client.post(f"/new/{game}", data={"seat0": "me", "seat1": "me", "public": "yes"})
        assert made.status_code == 200, made.text
        return table_at(self.client, made.url.path)

    def table(self, game: str) -> Table:
        """A table of the loud one at which a match is being played."""
        if game not in self._tables or not table_at(self.client, self._tables[game].id).playing:
            self.client.cookies.clear()
            self.client.cookies.set(COOKIE, self.loud_cookie)
            self._tables[game] = self.open_table(game)
        return table_at(self.client, self._tables[game].id)

    def ask(self, method: str, path: str, query: bytes, headers: Headers, body: bytes) -> Answer:
        """Sends a request as a server of the web would hand it on, whatever is in it."""
        assert self.client.portal is not None
        with no_hang():
            answer: Answer = self.client.portal.call(self._ask, method, path, query, headers, body)
        return answer

    async def _ask(self, method: str, path: str, query: bytes, headers: Headers, body: bytes) -> Answer:
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
            "method": method,
            "path": path, "raw_path": path.encode(errors="replace"), "root_path": "", "query_string": query,
            "headers": [(name.lower(), value) for name, value in headers], "client": ("127.0.0.1", 5000),
            "server": ("testserver", 80), "state": {},
        }  # fmt: skip
        given: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]
        said: list[Any] = []

        async def receive() -> Any:
            if not given:
                await asyncio.Event().wait()
            return given.pop()

        async def send(message: Any) -> None:
            said.append(message)

        await self.client.app(scope, receive, send)  # type: ignore[operator]
        start, *rest = said
        return Answer(
            start["status"],
            {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in start["headers"]},
            b"".join(message.get("body", b"") for message in rest),
        )

    def check(self) -> None:
        """Nothing has gone wrong in the server, and a quiet visitor notices nothing."""
        self.complaints.check()
        cookie = [(b"host", b"testserver"), (b"cookie", f"{COOKIE}={self.quiet_cookie}".encode())]
        assert everything(table_at(self.client, self.quiet.id)) == self.quiet_state
        page = self.ask("GET", f"/tables/{self.quiet.id}", b"", cookie, b"")
        assert page.status == 200
        assert b"Quiet" in page.body


def everything(table: Table) -> tuple[Any, ...]:
    """What is stored of a table."""
    return (
        table.version,
        table.last,
        table.status,
        table.match.save(),
        repr(list(table.seating)),
        len(table.chat),
    )


@contextlib.contextmanager
def listening() -> Iterator[Complaints]:
    """Hears what servers in this process complain about."""
    complaints, loggers = (
        Complaints(),
        [logging.getLogger(name) for name in ("teerling", "uvicorn", "asyncio")],
    )
    for logger in loggers:
        logger.addHandler(complaints)
    try:
        yield complaints
    finally:
        for logger in loggers:
            logger.removeHandler(complaints)


@contextlib.contextmanager
def besieged(folder: Path) -> Iterator[Siege]:
    """A server in this process to which anything may be sent; nobody but the sender does anything there."""
    calm = {"bot_pause": NEVER, "unattended_pause": NEVER, "review_playouts": 1}
    with listening() as complaints, opened(folder, **calm) as client:
        yield Siege(client, complaints)
