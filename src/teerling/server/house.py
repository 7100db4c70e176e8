"""The house: tables in memory, who looks at them, and the bots that play at them."""

import asyncio
import contextlib
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from .. import players
from ..errors import TeerlingError
from ..players.simple import is_ready
from . import table as tables
from .metrics import MOVES, RENDERED, SOCKETS
from .settings import Settings
from .storage import Storage
from .table import Refused, Table

log = logging.getLogger("teerling")

MOST_IN_MEMORY = 2_000


class Socket(Protocol):
    """What a page is sent through."""

    async def send_json(self, data: Any) -> None: ...


@dataclass(eq=False)
class Viewer:
    """A page that is open at a table."""

    socket: Socket
    person_id: str
    lang: str
    told: int = 0
    """How many events the page has been told."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


Render = Callable[[Table, str, str, "House"], dict[str, Any]]


class House:
    """All tables of a server."""

    def __init__(self, settings: Settings, render: Render) -> None:
        self.settings = settings
        self.storage = Storage(settings.database_url)
        self.render = render
        self.viewers: dict[str, set[Viewer]] = {}
        self.seen: dict[tuple[str, str], float] = {}
        """When a person was last seen at a table, by table and person."""
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}
        self._bots: dict[str, asyncio.Task[None]] = {}

    async def start(self) -> None:
        """Opens the database, and lets bots go on that a restart interrupted."""
        await asyncio.to_thread(self.storage.migrate)
        for table_id in await asyncio.to_thread(self.storage.tables_with_bots_to_move):
            table = await self.table(table_id)
            self._wake_bots(table)

    async def stop(self) -> None:
        for task in self._bots.values():
            task.cancel()
        await asyncio.gather(*self._bots.values(), return_exceptions=True)
        self.storage.close()

    async def table(self, table_id: str) -> Table:
        """The table with this id; Refused if there is none."""
        if table_id in self._tables:
            self._tables.move_to_end(table_id)
            return self._tables[table_id]
        async with self._lock(table_id):
            if table_id not in self._tables:
                self._remember(await asyncio.to_thread(tables.load, self.storage, table_id))
            return self._tables[table_id]

    async def create(self, *arguments: Any, **options: Any) -> tuple[Table, str | None]:
        """A new table; see `table.create`."""
        if await asyncio.to_thread(self.storage.count_tables) >= self.settings.most_tables:
            raise Full("this server is full; please try again later")
        table, token = await asyncio.to_thread(tables.create, self.storage, *arguments, **options)
        self._remember(table)
        self._wake_bots(table)
        return table, token

    async def act(self, table: Table, action: Callable[..., Any], *arguments: Any) -> Any:
        """Does something at a table, one thing at a time; when it is stored, everybody is told."""
        async with self._lock(table.id):
            result = await asyncio.to_thread(action, *arguments)
        MOVES.inc()
        await self.tell(table)
        self._wake_bots(table)
        return result

    async def tell(self, table: Table) -> None:
        """Sends the table as it stands to every page that is open at it."""
        pages: dict[tuple[tuple[int, ...], str], dict[str, Any]] = {}
        sending = []
        for viewer in list(self.viewers.get(table.id, ())):
            key = (tuple(table.seats_of(viewer.person_id)), viewer.lang)
            if key not in pages:
                RENDERED.inc()
                pages[key] = self.render(table, viewer.person_id, viewer.lang, self)
            sending.append(self._send(viewer, pages[key]))
        await asyncio.gather(*sending)

    async def tell_one(self, table: Table, viewer: Viewer) -> None:
        """Sends the table as it stands to one page."""
        await self._send(viewer, self.render(table, viewer.person_id, viewer.lang, self))

    async def _send(self, viewer: Viewer, page: dict[str, Any]) -> None:
        with contextlib.suppress(Exception):
            async with viewer.lock:
                await asyncio.wait_for(viewer.socket.send_json(page), 10)

    def enter(self, table: Table, viewer: Viewer) -> None:
        """A page opens at a table."""
        if sum(len(group) for group in self.viewers.values()) >= self.settings.most_sockets:
            raise Full("this server is full; please try again later")
        self.viewers.setdefault(table.id, set()).add(viewer)
        self.seen[table.id, viewer.person_id] = time.time()
        SOCKETS.inc()

    def leave(self, table: Table, viewer: Viewer) -> None:
        """A page closes, or loses its connection."""
        self.viewers.get(table.id, set()).discard(viewer)
        if not self.viewers.get(table.id):
            self.viewers.pop(table.id, None)
        self.seen[table.id, viewer.person_id] = time.time()
        SOCKETS.dec()

    def present(self, table: Table, person_id: str | None) -> bool:
        """Whether a person has the table open."""
        return any(viewer.person_id == person_id for viewer in self.viewers.get(table.id, ()))

    def absent_seats(self, table: Table) -> list[int]:
        """The seats that the others may give to a bot: it is their turn and nobody has come for long."""
        turn = table.match.turn
        if (
            not table.playing
            or turn is None
            or table.seats[turn].kind != "person"
            or table.seats[turn].stand_in
        ):
            return []
        person = str(table.seats[turn].person_id)
        since = time.time() - table.row.changed.timestamp()
        if table.row.pace == "days":
            return [turn] if since > self.settings.days_per_move * 86400 else []
        if self.present(table, person):
            return []
        gone = time.time() - self.seen.get((table.id, person), table.row.changed.timestamp())
        return [turn] if min(gone, since) > self.settings.absent_after else []

    def _wake_bots(self, table: Table) -> None:
        if table.bot_to_move() is not None and table.id not in self._bots:
            task = asyncio.create_task(self._play_bots(table))
            self._bots[table.id] = task

            def done(finished: asyncio.Task[None]) -> None:
                self._bots.pop(table.id, None)
                if not finished.cancelled() and finished.exception() is not None:
                    log.error("bots of table %s stopped", table.id, exc_info=finished.exception())

            task.add_done_callback(done)

    async def _play_bots(self, table: Table) -> None:
        """Bots move until it is a person's turn."""
        while (level := table.bot_to_move()) is not None:
            await asyncio.sleep(self.settings.bot_pause)
            turn, version = table.match.turn, table.version
            if turn is None or turn < 0 or table.bot_to_move() is None:
                continue
            seen = table.game.observed(table.match.state, turn)
            choose = players.player(level).choose
            move = await asyncio.to_thread(choose, table.game, seen, turn, secrets.randbits(62))
            try:
                await self.act(table, table.push, turn, move.text, version)
            except Refused:
                continue
            except TeerlingError:
                log.exception("a bot's move at table %s was not stored", table.id)
                await asyncio.sleep(1)

    def preparing(self, table: Table) -> bool:
        """Whether a bot at the table still plays by simpler means, as the rules are being compiled."""
        levels = {seat.level or seat.stand_in for seat in table.seats} - {None, "random"}
        return bool(levels) and not is_ready(table.game)

    def _lock(self, table_id: str) -> asyncio.Lock:
        return self._locks.setdefault(table_id, asyncio.Lock())

    def _remember(self, table: Table) -> None:
        self._tables[table.id] = table
        for old in list(self._tables):
            if len(self._tables) <= MOST_IN_MEMORY:
                break
            if old not in self.viewers and old not in self._bots:
                del self._tables[old]
                self._locks.pop(old, None)


class Full(Refused):
    """The server takes no more."""

    status = 503
