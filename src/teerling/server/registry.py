"""The registry: the tables in memory, each with a lock of its own."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from .opening import is_id, load
from .refusals import UnknownTable
from .storage import Storage
from .table import Table

MOST_IN_MEMORY = 600
"""Tables that nobody needs now are forgotten beyond this number, and read again."""


class Registry:
    """Finds tables by their id. Only the Table that is in here counts; after a reload it is another one."""

    def __init__(
        self, storage: Storage, in_use: Callable[[str], bool], forgotten: Callable[[str], None]
    ) -> None:
        """`in_use` says whether a table must stay in memory; `forgotten` is told when one has not."""
        self._storage = storage
        self._in_use = in_use
        self._forgotten = forgotten
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """A lock is there as long as somebody has it or waits for it."""

    async def find(self, table_id: str) -> Table:
        """The table with this id, as it stands; UnknownTable if there is none."""
        if table_id in self._tables:
            self._tables.move_to_end(table_id)
            return self._tables[table_id]
        async with self.holding(table_id) as table:
            return table

    def get(self, table_id: str) -> Table | None:
        """The table with this id, if it is in memory."""
        return self._tables.get(table_id)

    @asynccontextmanager
    async def holding(self, table_id: str) -> AsyncIterator[Table]:
        """The table with this id; as long as somebody holds it, nobody else does anything at it."""
        async with self._locks.setdefault(table_id, asyncio.Lock()):
            yield self._tables.get(table_id) or await self.reload(table_id)

    def is_held(self, table_id: str) -> bool:
        """Whether something is being done at a table, so that it cannot be looked at."""
        lock = self._locks.get(table_id)
        return lock is not None and lock.locked()

    async def reload(self, table_id: str) -> Table:
        """Reads a table that is held from where it is stored; whoever asks for it from now on gets that."""
        if not is_id(table_id):
            raise UnknownTable("there is no such table")
        table = await asyncio.to_thread(load, self._storage, table_id)
        self.remember(table)
        return table

    def remember(self, table: Table) -> None:
        """Keeps a table in memory, and forgets others that nobody needs."""
        self._tables[table.id] = table
        for old in list(self._tables):
            if len(self._tables) <= MOST_IN_MEMORY:
                break
            if not self._in_use(old) and not self.is_held(old):
                del self._tables[old]
                self._forgotten(old)
