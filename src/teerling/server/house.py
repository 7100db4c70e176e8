"""The house: tables in memory, who looks at them, and the bots that play at them."""

import asyncio
import contextlib
import json
import logging
import os
import random
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from .. import players
from ..errors import TeerlingError
from ..game import Move
from ..players.ready import for_now, is_preparing
from ..players.search import TREES
from . import table as tables
from .hints import Hints
from .metrics import MOVES, RENDERED, SOCKETS
from .settings import Settings
from .storage import Storage, StorageBusy, StorageGone
from .table import Refused, Table, UnknownTable

log = logging.getLogger("teerling")

MOST_IN_MEMORY = 600
"""Tables at which nobody looks and no bot moves are forgotten beyond this number, and read again."""
MOST_ID = 16
SEND_SECONDS = 10
SLICE_SECONDS = 0.005
"""While there is something better to do, one page is made in this time."""
IDLE_SECONDS = 0.0003
"""A round of everything that is to be done was idle if it took no longer."""
ORDER = (0, 0, 0, 1, 0, 0, 0, 2)
"""Whose page comes next, if there is more to do than can be done: who is to move, others, spectators."""

Seen = TypeVar("Seen")
Thought = TypeVar("Thought")


class Socket(Protocol):
    """What a page is sent through."""

    async def send_text(self, data: str) -> None: ...

    async def close(self, code: int = 1000) -> None: ...


@dataclass(eq=False)
class Viewer:
    """A page that is open at a table."""

    socket: Socket
    person_id: str
    lang: str
    news: asyncio.Event | None = None
    """A program's stream is only told that there is news; it makes of it what it needs."""
    page: str | None = None
    """The newest page that is to be sent; an older one that is still waiting is not worth sending."""
    notes: deque[str] = field(default_factory=deque)
    """Short messages that are to be sent before the page."""
    sending: asyncio.Task[None] | None = None


Group = tuple[str, tuple[int, ...], str]
"""Pages that look the same: of a table, for somebody in these seats, in a language."""
Render = Callable[[Table, str, str, "House"], dict[str, Any]]


class House:
    """All tables of a server."""

    def __init__(self, settings: Settings, render: Render) -> None:
        self.settings = settings
        self.storage = Storage(settings.database_url, settings.storage_patience)
        self.render = render
        self.viewers: dict[str, set[Viewer]] = {}
        self.seen: dict[tuple[str, str], float] = {}
        """When a player was last seen at a table, by table and person."""
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}
        self._bots: dict[str, asyncio.Task[None]] = {}
        self._acting: set[asyncio.Task[Any]] = set()
        self._in_doubt: dict[str, asyncio.Task[None]] = {}
        """Tables of which the database did not say whether it stored what happened last."""
        self._due: list[dict[Group, None]] = [{}, {}, {}]
        """Pages to be made, the oldest first: of who is to move, of others who play, of spectators."""
        self._news = asyncio.Event()
        self._telling: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._waiting = 0
        """How many moves are being made for which a page waits."""
        self._sockets = 0
        # Asking the system for every bot's seed would hand the interpreter to another thread each time.
        self._chooser = random.Random(secrets.randbits(128))
        self.hints = Hints(self)
        # A search keeps several cores busy; storing and telling have threads of their own.
        self._thinkers = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // TREES), "thinker")

    async def start(self) -> None:
        """Opens the database, and lets bots go on that a restart interrupted."""
        await asyncio.to_thread(self.storage.migrate)
        for table_id in await asyncio.to_thread(self.storage.tables_with_bots_to_move):
            try:
                self._wake_bots(await self.table(table_id))
            except TeerlingError:
                log.exception("table %s can not be opened", table_id)
        self._watching = asyncio.create_task(self._watch_for_absent())

    async def stop(self) -> None:
        tasks = [*self._bots.values(), *self._in_doubt.values(), *self.hints.tasks]
        tasks += [task for task in (self._telling, self._watching) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *self._acting, return_exceptions=True)
        self._thinkers.shutdown(cancel_futures=True)
        self.storage.close()

    async def table(self, table_id: str) -> Table:
        """The table with this id; Refused if there is none."""
        if table_id in self._tables:
            self._tables.move_to_end(table_id)
            return self._tables[table_id]
        if len(table_id) > MOST_ID or not set(table_id) <= set(tables.ALPHABET):
            raise UnknownTable("there is no such table")
        async with self._lock(table_id):
            if table_id not in self._tables:
                try:
                    self._remember(await asyncio.to_thread(tables.load, self.storage, table_id))
                except TeerlingError:
                    self._locks.pop(table_id, None)
                    raise
            return self._tables[table_id]

    async def create(self, *arguments: Any, **options: Any) -> tuple[Table, str | None]:
        """A new table; see `table.create`."""
        if await asyncio.to_thread(self.storage.count_tables) >= self.settings.most_tables:
            raise Full("this server is full; please try again later")
        table, token = await asyncio.to_thread(tables.create, self.storage, *arguments, **options)
        self._remember(table)
        self._wake_bots(table)
        return table, token

    async def act(
        self, table: Table, action: Callable[..., Any], *arguments: Any, by: Viewer | None = None
    ) -> Any:
        """Does something at a table, one thing at a time; when it is stored, everybody is told.

        The page that asked for it comes first, whatever else is to be done.
        """
        acting = asyncio.create_task(self._act(table, action, arguments, by))
        self._acting.add(acting)
        acting.add_done_callback(self._acting.discard)
        # Whoever asked may have gone away; what was begun is finished nevertheless.
        return await asyncio.shield(acting)

    async def _act(
        self, table: Table, action: Callable[..., Any], arguments: tuple[Any, ...], by: Viewer | None
    ) -> Any:
        own = None if by is None else self._group(table, by)
        self._waiting += own is not None
        try:
            async with self._lock(table.id):
                await self._settle(table)
                try:
                    result = await self._do(action, arguments)
                except StorageGone:
                    self._doubt(table)
                    raise
                if own is not None:
                    self._make(own)
        finally:
            self._waiting -= own is not None
            # Pages that had to wait for this can be made now.
            self._news.set()
        MOVES.inc()
        self._tell(table, own)
        self._wake_bots(table)
        return result

    async def _do(self, action: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Does it here and now, if the database need not be waited for.

        A move is stored sooner than another thread gets its turn: both would want the interpreter.
        """
        try:
            with self.storage.at_once():
                return action(*arguments)
        except StorageBusy:
            return await asyncio.to_thread(action, *arguments)

    def _doubt(self, table: Table) -> None:
        """The database did not say whether it stored something: it will be asked."""
        if table.id not in self._in_doubt:
            log.warning("the database did not say what it stored", extra={"table": table.id})
            self._in_doubt[table.id] = asyncio.create_task(self._keep_asking(table))

    async def _keep_asking(self, table: Table) -> None:
        while table.id in self._in_doubt:
            await asyncio.sleep(1)
            with contextlib.suppress(StorageGone):
                async with self._lock(table.id):
                    await self._settle(table)
        self._news.set()

    async def _settle(self, table: Table) -> None:
        """Brings a table that is in doubt to where the database has it."""
        if table.id in self._in_doubt:
            await asyncio.to_thread(table.reload)
            self._in_doubt.pop(table.id, None)
            self._tell(table)
            self._wake_bots(table)

    async def see(self, table: Table, look: Callable[..., Seen], *arguments: Any) -> Seen:
        """Looks at a table while nothing is being done at it: nothing is seen that is not stored."""
        async with self._lock(table.id):
            await self._settle(table)
            return look(*arguments)

    async def tell(self, table: Table) -> None:
        """Lets every page that is open at a table be made anew, soon."""
        self._tell(table)

    async def tell_one(self, table: Table, viewer: Viewer) -> None:
        """Sends the table as it stands to one page."""
        async with self._lock(table.id):
            page = self.render(table, viewer.person_id, viewer.lang, self)
        self._hand(viewer, json.dumps(page))

    def _group(self, table: Table, viewer: Viewer) -> Group:
        return table.id, tuple(table.seats_of(viewer.person_id)), viewer.lang

    def _tell(self, table: Table, told: Group | None = None) -> None:
        """Notes which pages of a table are to be made; a page that is noted already is made once."""
        for viewer in self.viewers.get(table.id, ()):
            if viewer.news is not None:
                viewer.news.set()
                continue
            group = self._group(table, viewer)
            if group != told:
                due = 0 if table.match.turn in group[1] else 1 if group[1] else 2
                self._due[due].setdefault(group)
        self._news.set()
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._keep_telling())

    async def _keep_telling(self) -> None:
        """Makes pages one at a time, in turns with everything else."""
        turn = 0
        while True:
            self._news.clear()
            group = self._next_due(turn)
            if group is None:
                await self._news.wait()
            else:
                turn += 1
                self._make(group)
                await self._let_others_go_first()

    async def _let_others_go_first(self) -> None:
        """Moves come before pages; but who is to move waits for a page, and no page waits for ever."""
        now = time.perf_counter()
        until = now + SLICE_SECONDS
        while now < until:
            began = now
            await asyncio.sleep(0.001 if self._waiting else 0)
            now = time.perf_counter()
            if not self._waiting and (self._due[0] or now - began < IDLE_SECONDS):
                break

    def _next_due(self, turn: int) -> Group | None:
        """The page that has waited longest: of who is to move, but others do not wait for ever."""
        first = ORDER[turn % len(ORDER)]
        order = (self._due[first], *self._due)
        return next((group for due in order for group in due if not self._busy(group[0])), None)

    def _busy(self, table_id: str) -> bool:
        """Whether something is being done at a table, so that it can not be looked at."""
        lock = self._locks.get(table_id)
        return lock is not None and lock.locked()

    def _make(self, group: Group) -> None:
        """Makes a page once for everybody to whom it looks the same."""
        for due in self._due:
            due.pop(group, None)
        table = self._tables.get(group[0])
        viewers = [
            viewer for viewer in self.viewers.get(group[0], ())
            if table is not None and viewer.news is None and self._group(table, viewer) == group
        ]  # fmt: skip
        if table is None or not viewers:
            return
        RENDERED.inc()
        try:
            text = json.dumps(self.render(table, viewers[0].person_id, viewers[0].lang, self))
        except Exception:
            log.exception("a page of table %s could not be made", table.id)
            return
        for viewer in viewers:
            self._hand(viewer, text)

    async def send(self, viewer: Viewer, message: dict[str, Any]) -> None:
        """Sends a short message."""
        viewer.notes.append(json.dumps(message))
        self._hand(viewer, viewer.page)

    def _hand(self, viewer: Viewer, page: str | None) -> None:
        """Gives a page to whatever sends it; nobody waits for a slow connection."""
        viewer.page = page
        if viewer.sending is None:
            viewer.sending = asyncio.create_task(self._deliver(viewer))

    async def _deliver(self, viewer: Viewer) -> None:
        try:
            while viewer.notes or viewer.page is not None:
                if viewer.notes:
                    text = viewer.notes.popleft()
                else:
                    text, viewer.page = str(viewer.page), None
                async with asyncio.timeout(SEND_SECONDS):
                    await viewer.socket.send_text(text)
        except Exception:
            # The page is behind now; when the browser connects again it gets the newest.
            with contextlib.suppress(Exception):
                await viewer.socket.close(1011)
        finally:
            viewer.sending = None

    def enter(self, table: Table, viewer: Viewer) -> None:
        """A page opens at a table."""
        if self._sockets >= self.settings.most_sockets:
            raise Full("this server is full; please try again later")
        self._sockets += 1
        self.viewers.setdefault(table.id, set()).add(viewer)
        self.notice(table, viewer.person_id)
        SOCKETS.inc()

    def leave(self, table: Table, viewer: Viewer) -> None:
        """A page closes, or loses its connection."""
        self._sockets -= 1
        self.viewers.get(table.id, set()).discard(viewer)
        if not self.viewers.get(table.id):
            self.viewers.pop(table.id, None)
        self.notice(table, viewer.person_id)
        SOCKETS.dec()

    def notice(self, table: Table, person_id: str) -> None:
        """Somebody was seen at a table; of those who only watch nobody asks."""
        if not table.over and person_id in table.people():
            self.seen[table.id, person_id] = time.time()

    def present(self, table: Table, person_id: str | None) -> bool:
        """Whether a person has the table open."""
        return any(viewer.person_id == person_id for viewer in self.viewers.get(table.id, ()))

    def absent_seats(self, table: Table) -> list[int]:
        """The seats that the others may give to a bot: it is their turn and nobody has come for long."""
        turn = table.match.turn
        if (
            not table.playing
            or turn is None
            or turn < 0
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

    async def _watch_for_absent(self) -> None:
        """Tells a table when somebody has been away so long that a bot may sit in."""
        told: dict[str, list[int]] = {}
        while True:
            await asyncio.sleep(min(15.0, self.settings.absent_after))
            watched = {id: self._tables[id] for id in list(self.viewers) if id in self._tables}
            absent = {id: self.absent_seats(table) for id, table in watched.items()}
            for id, table in watched.items():
                if absent[id] != told.get(id, []):
                    await self.tell(table)
            told = absent

    def _wake_bots(self, table: Table) -> None:
        if table.bot_to_move() is not None and table.id not in self._bots:
            task = asyncio.create_task(self._play_bots(table))
            self._bots[table.id] = task

            def done(finished: asyncio.Task[None]) -> None:
                self._bots.pop(table.id, None)
                if finished.cancelled():
                    return
                if finished.exception() is not None:
                    log.error("bots of table %s stopped", table.id, exc_info=finished.exception())
                else:
                    # Somebody may have moved between the last look and now.
                    self._wake_bots(table)

            task.add_done_callback(done)

    async def _play_bots(self, table: Table) -> None:
        """Bots move until it is a person's turn."""
        while table.bot_to_move() is not None:
            await asyncio.sleep(self.settings.bot_pause)
            asked = await self.see(table, self._ask_bot, table)
            if asked is None:
                continue
            player, sight, version = asked
            move = await self._choice(player, sight)
            try:
                await self.act(table, table.push, sight.seat, move.text, version, True)
            except Refused:
                continue
            except TeerlingError:
                log.exception("a bot's move at table %s was not stored", table.id)
                await asyncio.sleep(1)

    async def _choice(self, player: players.Player, sight: players.Observation) -> Move:
        """A bot's move; one that fails to decide plays like the random bot, so that the table goes on."""
        player, seed = for_now(player, sight.game), self._chooser.getrandbits(62)
        if isinstance(player, players.Random):
            # It decides sooner than a thread would begin.
            return player.choose(sight, seed).move
        try:
            searches = isinstance(player, players.Search)
            choice = await (self.think if searches else asyncio.to_thread)(player.choose, sight, seed)
        except Exception:
            log.exception("the bot %s could not decide in %s", player.name, sight.game.id)
            choice = players.Random().choose(sight, seed)
        return choice.move

    async def think(self, work: Callable[..., Thought], *arguments: Any) -> Thought:
        """Has something worked out, aside from all else and not too much at once."""
        return await asyncio.get_running_loop().run_in_executor(self._thinkers, work, *arguments)

    @staticmethod
    def _ask_bot(table: Table) -> tuple[players.Player, players.Observation, int] | None:
        """Which bot is to move, what it knows, and at which version."""
        level, turn = table.bot_to_move(), table.match.turn
        if level is None or turn is None:
            return None
        return players.level(level), players.observe(table.match, turn), table.version

    def preparing(self, table: Table) -> bool:
        """Whether a bot at the table still plays by simpler means, as its search is being compiled."""
        levels = {seat.level or seat.stand_in for seat in table.seats} - {None}
        searches = any(isinstance(players.level(str(level)), players.Search) for level in levels)
        return searches and is_preparing(table.game)

    def _lock(self, table_id: str) -> asyncio.Lock:
        return self._locks.setdefault(table_id, asyncio.Lock())

    def _remember(self, table: Table) -> None:
        self._tables[table.id] = table
        for old in list(self._tables):
            if len(self._tables) <= MOST_IN_MEMORY:
                break
            in_use = old in self.viewers or old in self._bots or old in self._in_doubt or self._busy(old)
            if not in_use:
                del self._tables[old]
                self.hints.forget(old)
                self._locks.pop(old, None)


class Full(Refused):
    """The server takes no more."""

    status = 503
