"""The house: the rooms of one server, and how they are connected."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from ..errors import TeerlingError
from ..lab.review import Budget
from .actions import Actions
from .afterwards.results import Results
from .afterwards.reviews import Reviews
from .database.records import Records
from .database.storage import Storage
from .database.transactions import StorageGone
from .day.deals import Deals
from .day.puzzles import Puzzles
from .page.views import TableView
from .processes.leases import Leases
from .processes.news import News
from .processes.redis_link import RedisLink, seal_of
from .refusals import Refused
from .settings import Settings
from .tables.broadcaster import Broadcaster
from .tables.changes import Changes
from .tables.opening import new_id
from .tables.presence import Presence
from .tables.registry import Registry
from .tables.table import Table
from .thinking.bots import Bots
from .thinking.hints import Hints
from .thinking.queue import Thinking
from .thinking.thinkers import Thinkers
from .thinking.tutor import Tutors
from .thinking.workshop import Workshop
from .watch.metrics import TABLE_BYTES, TABLES, watch_loop

Result = TypeVar("Result")

log = logging.getLogger("teerling")
LONGEST_REVIEW = 300.0
"""How many seconds of thinking a review may take, where the machine is too busy for all its playouts."""

BETWEEN_TABLES = 0.1
"""Seconds between two tables whose bots are woken after a restart."""
ASK_AGAIN = 1.0
"""Seconds between two questions to a database that does not say which those are."""


class House:
    """All tables of a server, and everything that happens at them."""

    def __init__(
        self,
        settings: Settings,
        look: Callable[[Table, str, int | None], TableView],
        render: Callable[[TableView, str], dict[str, Any]],
    ) -> None:
        """`look` makes a person's view of a table (since a step), `render` a page of it in a language."""
        self.settings = settings
        seal = seal_of(settings.secret)
        self.link = RedisLink(settings.redis_url, new_id(), seal) if settings.redis_url else None
        """To the other processes of this server, if there may be some."""
        self.news = News(self.link if settings.is_shared else None)
        self.leases = Leases(self.link if settings.is_shared else None)
        self.storage = Storage(
            settings.database_url, settings.storage_patience, settings.durability, settings.idle_days
        )
        self.registry = Registry(
            self.storage,
            settings.table_memory * 2**20,
            self._is_in_use,
            self._forgotten,
            self._let_go,
            self._moved_on,
            settings.is_shared,
        )
        self.broadcaster = Broadcaster(self.registry, look, render, settings.most_sockets)
        self.presence = Presence(self.registry, self.broadcaster, settings, self.news, self._came)
        self.changes = Changes(
            self.storage, self.registry, self.broadcaster, self.news, settings.most_tables, self._changed
        )
        self.thinking = Thinking()
        self.thinkers = None if self.link is None else Thinkers(self.link, self.thinking.spent)
        self.thinking.elsewhere = self.thinkers
        self.workshop = Workshop()
        self.records = Records(self.storage)
        self.results = Results(self.storage, self.records)
        self.puzzles = Puzzles(self.records, self.thinking, settings.puzzles_after)
        self.reviews = Reviews(
            self.records,
            self.registry,
            self.thinking,
            Budget(max(1, settings.review_playouts), LONGEST_REVIEW),
        )
        self.deals = Deals(settings.secret, self.records, self.registry, self.changes)
        self.bots = Bots(
            self.registry,
            self.changes,
            self.presence,
            self.thinking,
            settings.bot_pause,
            settings.unattended_pause,
            self.leases,
        )
        self.hints = Hints(self.registry, self.broadcaster, self.changes, self.presence, self.thinking)
        self.leaving = False
        """Whether the server is about to stop: it still answers, but is not ready."""
        self._waking: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self.tutors = Tutors(self.registry, self.broadcaster, self.changes, self.presence, self.thinking)
        self.actions = Actions(
            self.registry,
            self.broadcaster,
            self.changes,
            self.presence,
            self.hints,
            self.tutors,
            settings.chat_per_second,
        )

    def _is_in_use(self, table_id: str) -> bool:
        """Whether somebody looks at a table, a bot moves at it, or the database has to be asked about it."""
        return (
            table_id in self.broadcaster.viewers
            or self.bots.play_at(table_id)
            or self.changes.is_in_doubt(table_id)
        )

    def _forgotten(self, table_id: str) -> None:
        self.hints.forget(table_id)
        self.tutors.forget(table_id)

    def _let_go(self) -> None:
        self.broadcaster.look_again()

    def _came(self, table: Table) -> None:
        self.bots.wake(table)

    def _moved_on(self, table: Table) -> None:
        """Others did something at a table by another process, which also kept its result."""
        self.broadcaster.tell(table)
        self.bots.wake(table)

    def _changed(self, table: Table) -> None:
        self.bots.wake(table)
        self.results.note(table)
        if table.playing and table.version >= self.settings.longest_match:
            ending = asyncio.create_task(self._end_too_long(table.id))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)

    async def _end_too_long(self, table_id: str) -> None:
        """Ends a match in which more happened than a table keeps."""
        try:
            await self.changes.apply(table_id, lambda table: table.end_as_too_long())
        except Refused:
            # It ended meanwhile.
            pass
        except StorageGone as error:
            # The next move will try again.
            log.warning("a match was not ended: %s", error.reason, extra={"table": table_id})

    async def start(self) -> None:
        """Opens the database; when everybody is served, bots go on that a restart interrupted."""
        await asyncio.to_thread(self.storage.migrate)
        if self.link is not None:
            await self.link.start()
        await self.news.start()
        if self.thinkers is not None:
            await self.thinkers.start()
        self._waking = asyncio.create_task(self._wake_bots())
        self._watching = asyncio.create_task(watch_loop())
        self.presence.start()
        self.puzzles.start()

    async def _wake_bots(self) -> None:
        """Wakes bots one table after another, so that nobody who comes meanwhile waits for that.

        Where somebody comes they are woken at once.
        """
        waiting = await self._keep_trying(partial(asyncio.to_thread, self.storage.tables_with_bots_to_move))
        for table_id in waiting:
            try:
                self.bots.wake(await self._keep_trying(partial(self.registry.find, table_id)))
            except TeerlingError as error:
                log.warning("table %s cannot be opened: %s", table_id, error)
            except Exception:
                # Whatever is wrong with one, the bots of the others are woken.
                log.exception("table %s cannot be opened", table_id)
            await asyncio.sleep(BETWEEN_TABLES)

    async def _keep_trying(self, read: Callable[[], Awaitable[Result]]) -> Result:
        """What is read as soon as the database answers."""
        while True:
            try:
                return await read()
            except StorageGone as error:
                log.warning("bots that a restart interrupted wait for the database: %s", error.reason)
                await asyncio.sleep(ASK_AGAIN)

    def measure(self) -> None:
        """Tells Prometheus how much there is of everything now."""
        TABLES.set(len(self.registry))
        TABLE_BYTES.set(self.registry.weight)
        self.broadcaster.measure()

    def leave(self) -> None:
        """Says that the server is about to stop, and ends what would never end by itself."""
        self.leaving = True
        self.broadcaster.end_streams()

    async def stop(self) -> None:
        """What was begun at a table is finished; what is only being thought about is not."""
        tasks = [task for task in (self._waking, self._watching) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for room in (
            self.bots,
            self.hints,
            self.tutors,
            self.puzzles,
            self.reviews,
            self.changes,
            self.results,
            self.presence,
            self.broadcaster,
            self.registry,
        ):
            await room.stop()
        if self.thinkers is not None:
            await self.thinkers.stop()
        await self.news.stop()
        if self.link is not None:
            await self.link.stop()
        self.thinking.stop()
        self.workshop.stop()
        self.storage.close()
