"""A server for browser tests: bots do not pause, nobody is too fast, the same test has the same luck."""

import sys
from collections import Counter
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import uvicorn
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from teerling.server import house
from teerling.server.app import create_app
from teerling.server.settings import Settings
from teerling.server.tables.changes import Changes
from teerling.server.tables.table import Table
from teerling.server.thinking.bots import Bots
from tests.server.houses import unhurried

TEST = "test"
"""The cookie in which a browser says which test it is for."""
asking: ContextVar[str] = ContextVar("asking", default="")


class SteadyChanges(Changes):
    """Gives every table of a test the seed that it has whenever it runs."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.opened: Counter[str] = Counter()

    async def create(self, *arguments: Any, **options: Any) -> Any:
        self.opened[asking.get()] += 1
        seed = f"{asking.get()} {self.opened[asking.get()]}"
        return await super().create(*arguments, **{"seed": seed, **options})


class SteadyBots(Bots):
    """Lets a bot decide alike whenever a match has come so far."""

    @staticmethod
    def _ask(table: Table) -> Any:
        asked = Bots._ask(table)
        return asked and (*asked[:-1], len(table.match.pushes))


class Asking:
    """Notes which test a request is for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            asking.set(HTTPConnection(scope).cookies.get(TEST, ""))
        await self.app(scope, receive, send)


if __name__ == "__main__":
    house.Changes, house.Bots = SteadyChanges, SteadyBots  # type: ignore[misc]
    settings = Settings.read(Path(sys.argv[1]))
    quick = unhurried(settings, bot_pause=0.0, unattended_pause=0.0, puzzles_after=0.0, review_playouts=8)
    app = Asking(create_app(quick))
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
