"""The registry: the tables in memory, each with a lock of its own."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from weakref import WeakValueDictionary

from ..database.storage import Storage
from ..database.transactions import StorageGone
from ..refusals import Stale, UnknownTable
from ..watch.metrics import Inside
from .opening import is_id, load
from .table import Table

log = logging.getLogger("teerling")

MOST_LOOKED_AT = 20
"""Of so many tables it is seen whether one can be put away, when there is one too many."""
WORTH_KEEPING = 24
"""After so many entries a new snapshot is kept of a table that is put away; fewer are soon replayed."""


class Registry:
    """Finds tables by their id. Only the Table that is in here counts; after a reload it is another one.

    Tables that nobody needs now are put away when all together take too much memory. A snapshot is kept of
    each, so that it soon comes back.
    """

    def __init__(
        self,
        storage: Storage,
        most_bytes: int,
        in_use: Callable[[str], bool],
        forgotten: Callable[[str], None],
        let_go: Callable[[], None] = lambda: None,
        moved_on: Callable[[Table], None] = lambda _: None,
        is_shared: bool = False,
    ) -> None:
        """`in_use` says whether a table must stay in memory; `forgotten` is told when one has not.

        `let_go` is told when nobody holds a table any more: whoever waits to look at it looks again.
        `moved_on` is told of a table at which others did something by another process; whether there may be
        some, `is_shared` says.
        """
        self.is_shared = is_shared
        self.behind: set[str] = set()
        """Tables in memory at which others did something since."""
        self._let_go = let_go
        self._moved_on = moved_on
        self._storage = storage
        self._most_bytes = most_bytes
        self._in_use = in_use
        self._forgotten = forgotten
        self._tables: OrderedDict[str, Table] = OrderedDict()
        """Those that were needed last are last."""
        self._weights: dict[str, int] = {}
        self.weight = 0
        """About how many bytes all tables in memory take."""
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """A lock is there as long as somebody has it or waits for it."""
        self._unkept: dict[str, bytes] = {}
        """Snapshots that are to be stored."""
        self._keeping: asyncio.Task[None] | None = None

    async def stop(self) -> None:
        """Keeps how all tables stand, so that the next server has them soon."""
        for table_id in list(self._tables):
            self._take_snapshot(self._tables[table_id])
        if self._keeping is not None:
            await self._keeping

    async def find(self, table_id: str) -> Table:
        """The table with this id, as it stands; UnknownTable if there is none."""
        table = self._tables.get(table_id)
        if table is not None and table_id not in self.behind:
            self._tables.move_to_end(table_id)
            return table
        async with self.holding(table_id) as table:
            return table

    def get(self, table_id: str) -> Table | None:
        """The table with this id, if it is in memory."""
        return self._tables.get(table_id)

    def __len__(self) -> int:
        return len(self._tables)

    @asynccontextmanager
    async def holding(self, table_id: str) -> AsyncIterator[Table]:
        """The table with this id; as long as somebody holds it, nobody else does anything at it."""
        lock = self._locks.setdefault(table_id, asyncio.Lock())
        with Inside("lock"):
            await lock.acquire()
        try:
            table = self._tables.get(table_id)
            if table is not None and table_id in self.behind:
                await self.read_on(table)
            yield table or await self.reload(table_id)
            table = self._tables.get(table_id)
            if table is not None:
                self.remember(table)
        finally:
            lock.release()
            self._let_go()

    def is_held(self, table_id: str) -> bool:
        """Whether something is being done at a table, so that it cannot be looked at."""
        lock = self._locks.get(table_id)
        return lock is not None and lock.locked()

    async def reload(self, table_id: str) -> Table:
        """Reads a table that is held from where it is stored; whoever asks for it from now on gets that."""
        if not is_id(table_id):
            raise UnknownTable("there is no such table")
        with Inside("load"):
            table = await asyncio.to_thread(load, self._storage, table_id)
        self.remember(table)
        return table

    async def read_on(self, table: Table) -> bool:
        """Reads what others have stored of a table that is held; whether that is anything new."""
        self.behind.discard(table.id)
        try:
            with Inside("load"):
                stored = await asyncio.to_thread(self._storage.stored, table.id, table.version)
        except StorageGone:
            self.behind.add(table.id)
            raise
        if stored is None:
            raise UnknownTable("there is no such table")
        try:
            new = table.read_on(stored)
        except Exception:
            log.exception("table %s could not be read on, and is read anew", table.id)
            self._moved_on(await self.reload(table.id))
            raise Stale("the table has moved on; here is how it stands now") from None
        if new:
            self._moved_on(table)
        return new

    def follow(self, table: Table, moves: Sequence[tuple[int, str]], at: datetime) -> None:
        """Makes moves that others have stored at a table that nobody holds, without reading them."""
        table.follow(moves, at)
        self.remember(table)
        self._moved_on(table)

    def __iter__(self) -> Iterator[str]:
        """The ids of all tables in memory."""
        return iter(list(self._tables))

    def remember(self, table: Table) -> None:
        """Keeps a table in memory, and puts others away that nobody needs."""
        self._tables[table.id] = table
        self._tables.move_to_end(table.id)
        weight = table.weight
        self.weight += weight - self._weights.get(table.id, 0)
        self._weights[table.id] = weight
        for _ in range(MOST_LOOKED_AT):
            oldest = next(iter(self._tables))
            if self.weight <= self._most_bytes or oldest == table.id:
                break
            if self._in_use(oldest) or self.is_held(oldest):
                self._tables.move_to_end(oldest)
            else:
                self._put_away(oldest)

    def _put_away(self, table_id: str) -> None:
        self._take_snapshot(self._tables.pop(table_id))
        self.weight -= self._weights.pop(table_id)
        self.behind.discard(table_id)
        self._forgotten(table_id)

    def _take_snapshot(self, table: Table) -> None:
        if table.unkept >= WORTH_KEEPING:
            self._unkept[table.id] = table.snapshot()
            if self._keeping is None or self._keeping.done():
                self._keeping = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        """Stores snapshots, all that wait at once. One that cannot be stored is not missed."""
        while self._unkept:
            snapshots, self._unkept = self._unkept, {}
            try:
                await asyncio.to_thread(self._storage.keep_snapshots, snapshots)
            except StorageGone as error:
                log.warning("%d snapshots could not be kept: %s", len(snapshots), error.reason)
