"""A database that is locked or gone while somebody plays: what must be said, and what must not be lost."""

import asyncio
import contextlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient, WebSocketTestSession

from teerling.server.database.transactions import StorageGone
from teerling.server.house import House
from teerling.server.tables import opening
from teerling.server.tables.table import Table
from tests.server.houses import house_of, opened, table_at

SORRY = {
    "en": "The server cannot store anything right now. Nothing is lost; please try again.",
    "nl": "De server kan nu niets bewaren.",
}
HURRY = {"storage_patience": 0.3, "bot_pause": 0.05}


@dataclass
class At:
    """Somebody at a table whose turn it is, in a server inside this process."""

    client: TestClient
    house: House
    path: str

    @property
    def table(self) -> Table:
        return table_at(self.client, self.path)

    @property
    def version(self) -> int:
        """How far the table is by what is stored."""
        return opening.load(self.house.storage, self.table.id).version

    def move(self, lang: str = "en") -> httpx.Response:
        """Sends a legal move by a form."""
        form = {"move": self.some_move(), "at": str(self.table.version)}
        return self.client.post(
            f"{self.path}/move", data=form, headers={"Accept-Language": lang}, follow_redirects=False
        )

    def live(self) -> WebSocketTestSession:
        """The live connection of the page."""
        # The client for tests sends cookies by HTTP only.
        cookie = "; ".join(f"{name}={value}" for name, value in self.client.cookies.items())
        return self.client.websocket_connect(f"{self.path}/live?lang=en", headers={"Cookie": cookie})

    def some_move(self) -> str:
        return random.Random(self.table.version).choice(self.table.match.legal_moves).text

    def wait_for_turn(self) -> None:
        """Lets the bots play until it is the person's turn."""
        for _ in range(400):
            if self.table.match.turn == 0 and not self.house.registry.is_held(self.table.id):
                return
            self.client.portal.call(asyncio.sleep, 0.05)  # type: ignore[union-attr]
        raise AssertionError(f"the bots do not go on: {self.table.match!r}")

    def check_back(self) -> None:
        """Everything works again: moves by form and by socket, bots, and what is shown is what is stored."""
        for _ in range(3):
            self.wait_for_turn()
            answer = self.move()
            assert answer.status_code == 303, answer.text
        self.wait_for_turn()
        with self.live() as live:
            page = heard(live, "page")
            live.send_text(json.dumps({"kind": "move", "move": self.some_move(), "at": page["version"]}))
            live.send_text(json.dumps({"kind": "ping"}))
            assert heard(live, "page")["version"] > page["version"]
        self.wait_for_turn()
        assert self.version == self.table.version
        assert self.client.get("/healthz").status_code == 200


def heard(live: Any, kind: str) -> dict[str, Any]:
    """The next message of a kind; a pong that was not waited for says that it does not come."""
    while True:
        message: dict[str, Any] = json.loads(live.receive_text())
        if message["kind"] == kind:
            return message
        assert message["kind"] not in ("pong", "error"), message


@contextlib.contextmanager
def opened_at(folder: Path, url: str, **settings: Any) -> Iterator[At]:
    """A server on a database, and somebody who is to move at a table of Ra."""
    with opened(folder, database_url=url, **{**HURRY, **settings}) as client:
        seats = {"seat0": "me", "seat1": "bot", "level1": "random", "seat2": "bot", "level2": "random"}
        made = client.post("/new/ra", data={"name": "Anne", "public": "yes", **seats}, follow_redirects=False)
        assert made.status_code == 303, made.text
        at = At(client, house_of(client), made.headers["location"])
        at.wait_for_turn()
        yield at


def check_gone(at: At, reading: bool) -> None:
    """While nothing can be stored: a sentence, the right status, and nobody is told what is not stored."""
    before, match = at.table.version, at.table.match.save()
    for lang, sorry in SORRY.items():
        answer = at.move(lang)
        assert answer.status_code == 503, answer.text
        assert sorry in answer.text
        assert "Traceback" not in answer.text
        assert "sql" not in answer.text.lower()
    with at.live() as live:
        shown = heard(live, "page")
        live.send_text(json.dumps({"kind": "move", "move": at.some_move(), "at": shown["version"]}))
        assert heard(live, "error")["text"] == SORRY["en"]
        live.send_text(json.dumps({"kind": "ping"}))
        assert heard(live, "pong")["version"] == before
    if not reading:
        assert at.client.get("/healthz").status_code == 503
        assert at.client.get("/").status_code == 503
    assert (at.table.version, at.table.match.save()) == (before, match)


def check_lost_answer(at: At, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database stores a move but cannot say so any more: afterwards the table stands behind the move."""
    storage = at.house.storage
    append = storage.append

    def lost(*arguments: object, **changes: object) -> None:
        append(*arguments, **changes)  # type: ignore[arg-type]
        raise StorageGone("the connection was lost")

    before = at.version
    monkeypatch.setattr(storage, "append", lost)
    assert at.move().status_code == 503
    monkeypatch.undo()
    answer = at.move()
    assert answer.status_code == 409
    assert "moved on" in answer.text
    assert at.version > before
    at.check_back()
