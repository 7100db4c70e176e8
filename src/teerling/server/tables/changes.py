"""Changes: the one way to do something at a table. It is locked, changed, stored, and everybody is told."""

import asyncio
import contextlib
import contextvars
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any, TypeVar

from ..database.storage import Storage
from ..database.transactions import Overtaken, StorageBusy, StorageGone
from ..processes.news import News
from ..refusals import Full, Refused, Stale
from ..watch.metrics import MOVES, Inside, begin_walk, current_walk
from . import opening
from .broadcaster import Broadcaster, Viewer
from .registry import Registry
from .table import Table

log = logging.getLogger("teerling")

TOGETHER = 32
"""How many changes may wait for the database at once."""
ASK_AGAIN = 1.0
"""Seconds between two questions to a database that does not say what it stored."""
TRIES = 3
"""How often something is tried at a table at which others are always first."""

Result = TypeVar("Result")


class Changes:
    """Changes tables one thing at a time, and shows nobody what is not stored."""

    def __init__(
        self,
        storage: Storage,
        registry: Registry,
        broadcaster: Broadcaster[Any],
        news: News,
        most_tables: int,
        changed: Callable[[Table], None],
    ) -> None:
        """`changed` is told of every table at which something happened."""
        self._news = news
        self._storage = storage
        self._registry = registry
        self._broadcaster = broadcaster
        self._most_tables = most_tables
        self._changed = changed
        self._applying: set[asyncio.Task[Any]] = set()
        self._storing = ThreadPoolExecutor(TOGETHER, "storing")
        """Where changes wait for the database; those that wait at the same time are committed together."""
        self._in_doubt: dict[str, asyncio.Task[None]] = {}
        """Tables that may not stand as the database has them: it did not say whether it stored something."""
        self._reading: dict[str, asyncio.Task[None]] = {}
        """Tables at which somebody looks, and whose news are being read."""
        self._followed = ""
        """The table of whose moves was just heard, all that there is to hear."""
        news.on("moves", lambda _, told: self._follow(*told))
        news.on("table", lambda _, table_id: self._hear_of(table_id))
        news.when_missed(self._hear_all)

    async def stop(self) -> None:
        asking = [*self._in_doubt.values(), *self._reading.values()]
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, *self._applying, return_exceptions=True)
        self._storing.shutdown(wait=False)

    async def create(self, *arguments: Any, **options: Any) -> tuple[Table, str | None]:
        """A new table; see `opening.create`."""
        if await asyncio.to_thread(self._storage.count_tables) >= self._most_tables:
            raise Full("this server is full; please try again later")
        table, token = await asyncio.to_thread(opening.create, self._storage, *arguments, **options)
        self._registry.remember(table)
        self._changed(table)
        return table, token

    async def apply(
        self,
        table_id: str,
        change: Callable[[Table], Result],
        by: Viewer | None = None,
        receipt: Mapping[str, str] | None = None,
    ) -> Result:
        """Does something at a table, one thing at a time; when it is stored, everybody is told.

        The page that asked for it comes first, whatever else is to be done; before it, its receipt.
        """
        applying = asyncio.create_task(self._apply(table_id, change, by, receipt))
        self._applying.add(applying)
        applying.add_done_callback(self._applying.discard)
        # Whoever asked may have gone away; what was begun is finished nevertheless.
        return await asyncio.shield(applying)

    async def _apply(
        self,
        table_id: str,
        change: Callable[[Table], Result],
        by: Viewer | None,
        receipt: Mapping[str, str] | None,
    ) -> Result:
        if current_walk() is None:
            begin_walk()
        with self._broadcaster.waiting(by):
            async with self._registry.holding(table_id) as held:
                table = await self._settled(held)
                before = table.version
                try:
                    with Inside("change", table.row.game):
                        result = await self._do_in_turn(table, change)
                except StorageGone:
                    self._doubt(table_id, "the database did not say what it stored")
                    raise
                answered = None if by is None else self._broadcaster.answer(table, by, receipt)
        MOVES.inc()
        self._broadcaster.tell(table, answered)
        self._tell_others(table, before)
        self._changed(table)
        return result

    def _tell_others(self, table: Table, before: int) -> None:
        """Tells other processes which table changed, and before that the moves, if there was nothing else.

        Who does not understand those hears of the table all the same, and reads.
        """
        moves, at = table.moved, table.row.changed.isoformat()
        number = table.version - len(moves)
        if moves and number >= before:
            told = [(each.seat, each.text) for each in moves]
            self._news.tell("moves", (table.id, number, told, at))
        self._news.tell("table", table.id)

    async def _do_in_turn(self, table: Table, change: Callable[[Table], Result]) -> Result:
        """Does it, after what others did first by another process; a move is refused as stale then."""
        for _ in range(TRIES):
            try:
                return await self._do(table, change)
            except Overtaken:
                await self._registry.read_on(table)
            except Refused:
                # What this process knows of the table may be what others changed.
                if not self._registry.is_shared or not await self._registry.read_on(table):
                    raise
        raise Stale("the table has moved on; here is how it stands now")

    async def _do(self, table: Table, change: Callable[[Table], Result]) -> Result:
        """Does it here and now, if the database need not be waited for.

        A move is stored sooner than another thread gets its turn: both would want the interpreter.
        """
        try:
            with self._storage.at_once():
                return change(table)
        except StorageBusy:
            walked = contextvars.copy_context().run
            return await asyncio.get_running_loop().run_in_executor(self._storing, walked, change, table)

    async def refresh(self, table_id: str) -> None:
        """Reads a table in memory anew that was changed where it is stored, and shows how it stands."""
        if self._registry.get(table_id) is not None:
            async with self._registry.holding(table_id):
                table = await self._registry.reload(table_id)
            self._broadcaster.tell(table)
        self._news.tell("table", table_id)

    async def see(self, table_id: str, look: Callable[[Table], Result], anew: bool = True) -> Result:
        """Looks at a table while nothing is being done at it: nothing is seen that is not stored.

        What others stored a moment ago is seen too, unless it need not be looked at `anew`: then what this
        process heard of suffices, as for somebody who moves next and hears it if others were first.
        """
        async with self._registry.holding(table_id) as held:
            table = await self._settled(held)
            if self._registry.is_shared and anew:
                # News may still be on their way; what cannot be asked now is told later.
                with contextlib.suppress(StorageGone):
                    await self._registry.read_on(table)
            return look(table)

    async def newest(self, table_id: str) -> Table:
        """A table as it is stored, told or not, as far as the database can be asked now."""
        with contextlib.suppress(StorageGone):
            return await self.see(table_id, lambda table: table)
        return await self._registry.find(table_id)

    def _follow(self, table_id: str, number: int, moves: list[tuple[int, str]], at: str) -> None:
        """Others made moves at a table, from this number on: where somebody looks they are made here too.

        Only by who knows all before them, where nothing else is to be read or done. Storage has given them
        numbers; whatever does not follow is read.
        """
        self._followed = ""
        table = self._registry.get(table_id)
        if table is None or table_id not in self._broadcaster.viewers or self._registry.is_held(table_id):
            return
        if number + len(moves) > table.version:
            if number != table.version or table_id in self._registry.behind or table_id in self._in_doubt:
                return
            try:
                self._registry.follow(table, moves, datetime.fromisoformat(at))
            except Exception as error:
                # Some of them may have been. It is read anew.
                self._doubt(table_id, f"moves that others told cannot be made: {error}")
        self._followed = table_id

    def _hear_of(self, table_id: str) -> None:
        """Others did something at a table; if all of it was just heard, nothing is to be read."""
        followed, self._followed = self._followed, ""
        if followed != table_id:
            self._hear(table_id)

    def _hear(self, table_id: str) -> None:
        """Others did something at a table; it is read at once where somebody looks, or else when one does."""
        if self._registry.get(table_id) is None:
            return
        self._registry.behind.add(table_id)
        if table_id in self._broadcaster.viewers and table_id not in self._reading:
            self._reading[table_id] = asyncio.create_task(self._catch_up(table_id))

    def _hear_all(self) -> None:
        """News may have been missed, of any table."""
        for table_id in self._registry:
            self._hear(table_id)

    async def _catch_up(self, table_id: str) -> None:
        """Reads what others do at a table, until nothing is new."""
        try:
            while table_id in self._registry.behind and self._registry.get(table_id) is not None:
                try:
                    async with self._registry.holding(table_id):
                        pass
                except StorageGone:
                    await asyncio.sleep(ASK_AGAIN)
        except Exception:
            log.exception("news of table %s could not be read", table_id)
        finally:
            del self._reading[table_id]

    def is_in_doubt(self, table_id: str) -> bool:
        """Whether the database has to be asked how a table stands."""
        return table_id in self._in_doubt

    def _doubt(self, table_id: str, why: str) -> None:
        """A table may not stand as the database has it, which will be asked."""
        if table_id not in self._in_doubt:
            log.warning("%s", why, extra={"table": table_id})
            self._in_doubt[table_id] = asyncio.create_task(self._keep_asking(table_id))

    async def _keep_asking(self, table_id: str) -> None:
        while table_id in self._in_doubt:
            await asyncio.sleep(ASK_AGAIN)
            with contextlib.suppress(StorageGone):
                async with self._registry.holding(table_id) as held:
                    await self._settled(held)

    async def _settled(self, held: Table) -> Table:
        """The table that is held or, if that is in doubt, a fresh one as the database has it."""
        if held.id not in self._in_doubt:
            return held
        table = await self._registry.reload(held.id)
        self._in_doubt.pop(held.id, None)
        self._broadcaster.tell(table)
        self._news.tell("table", table.id)
        self._changed(table)
        return table
