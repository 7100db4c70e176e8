"""Hints at a table: a seat that is to move asks, and what is worked out is for that seat only."""

import asyncio
import logging
import secrets
from dataclasses import dataclass
from typing import Any

from ... import players
from ...game import Game
from ...players.hint import ADVISER, adviser_named
from ...players.ready import is_preparing
from ..refusals import Refused
from ..tables.broadcaster import Broadcaster
from ..tables.changes import Changes
from ..tables.presence import Presence
from ..tables.registry import Registry
from ..tables.table import Table
from ..watch.metrics import Inside, walk_alone
from .jobs import Advising
from .queue import Thinking, Urgency

log = logging.getLogger("teerling")

MOST_AT_ONCE = 20
"""How many hints may be waited for at all tables together."""
LOOK_AGAIN = 0.3
"""Seconds between two looks whether everything has been compiled."""


class Busy(Refused):
    """There are too many hints to be worked out already, or nothing can be worked out yet."""

    status = 503


@dataclass(eq=False)
class Coming:
    """A hint that was asked for: in which seat and state, and the hint as soon as there is one."""

    seat: int
    state: Any
    version: int
    """The version of the table in which it was last asked for; the match may go on meanwhile."""
    hint: players.Hint | None = None
    failed: bool = False
    task: asyncio.Task[None] | None = None


class Hints:
    """The hints at all tables: at every one at most one, for the seat that is to move."""

    def __init__(
        self,
        registry: Registry,
        broadcaster: Broadcaster[Any],
        changes: Changes,
        presence: Presence,
        thinking: Thinking,
    ) -> None:
        self._presence = presence
        self._registry = registry
        self._broadcaster = broadcaster
        self._changes = changes
        self._thinking = thinking
        self._coming: dict[str, Coming] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        """What is still being worked out, also if nobody waits for it any more."""

    async def stop(self) -> None:
        tasks = list(self.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def ask(self, table_id: str, seat: int) -> Coming:
        """Lets a hint be worked out for a seat that is to move; the table notes that it asked."""
        if len(self.tasks) >= MOST_AT_ONCE and self.shown(await self._registry.find(table_id), seat) is None:
            raise Busy("too many hints are being worked out; please ask again in a moment")
        await self._changes.apply(table_id, lambda table: table.ask_hint(seat))
        return await self._changes.see(table_id, lambda table: self._asked(table, seat))

    async def worked_out(self, table: Table, coming: Coming) -> players.Hint:
        """The hint as soon as there is one; Busy while the rules are still being compiled."""
        if coming.hint is None and self.is_preparing(table):
            raise Busy("hints are still being prepared; please ask again in a moment")
        if coming.task is not None:
            with Inside("thinking"):
                await asyncio.shield(coming.task)
        if coming.hint is None:
            raise Busy("no hint could be worked out")
        return coming.hint

    def shown(self, table: Table, seat: int | None) -> Coming | None:
        """The hint that a seat asked for in the state that the match is in now."""
        coming = self._coming.get(table.id)
        fits = coming is not None and coming.seat == seat and coming.state is table.match.state
        return coming if fits else None

    def forget(self, table_id: str) -> None:
        self._coming.pop(table_id, None)

    def is_preparing(self, table: Table) -> bool:
        """Whether hints wait for the rules to be compiled."""
        return self._is_preparing(table.game)

    def _is_preparing(self, game: Game) -> bool:
        return not self._thinking.is_helped(game) and is_preparing(game, hints=True)

    def _asked(self, table: Table, seat: int) -> Coming:
        """The hint that is coming already, or one that is begun now."""
        coming = self.shown(table, seat)
        if coming is None or coming.failed:
            coming = self._begin(table, seat)
        coming.version = table.version
        self._broadcaster.tell(table)
        return coming

    def _begin(self, table: Table, seat: int) -> Coming:
        knows = players.observe(table.match, seat)
        coming = self._coming[table.id] = Coming(seat, table.match.state, table.version)
        whose = f"{self._presence.address_at(table.id) or 'nobody'} {table.seating[seat].person_id}"
        coming.task = asyncio.create_task(self._work_out(table.id, coming, knows, whose))
        self.tasks.add(coming.task)
        coming.task.add_done_callback(self.tasks.discard)
        return coming

    async def _work_out(self, table_id: str, coming: Coming, knows: players.Observation, whose: str) -> None:
        walk_alone()
        while self._is_preparing(knows.game):
            await asyncio.sleep(LOOK_AGAIN)
        if self._coming.get(table_id) is not coming:
            return
        adviser, seed = adviser_named(ADVISER), secrets.randbits(62)
        try:
            coming.hint = await self._thinking.think(Advising(adviser, knows, seed), Urgency.HINT, whose)
        except Exception:
            log.exception("no hint could be worked out at table %s", table_id)
            coming.failed = True
        if (table := self._registry.get(table_id)) is not None:
            self._broadcaster.tell(table)
