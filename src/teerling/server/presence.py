"""Presence: who is at a table now, who was seen when, and whose seat waits for nobody."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .broadcaster import Broadcaster, Viewer, group_of
from .registry import Registry
from .settings import Settings
from .table import Table

COMING = 0.2
"""Seconds after which the others at a table hear that somebody has come."""
ATTENDED = 60.0
"""So many seconds after somebody was last heard of at a table, somebody is still taken to be there."""
MOST_HEARD = 20_000
GOING = 1.5
"""Seconds after which they hear that somebody has gone: a page that is loaded anew comes back sooner."""


class Presence:
    """Who comes to tables and leaves them."""

    def __init__(
        self,
        registry: Registry,
        broadcaster: Broadcaster[Any],
        settings: Settings,
        came: Callable[[Table], None],
    ) -> None:
        """`came` is told of every table where somebody is heard of."""
        self.seen: dict[tuple[str, str], float] = {}
        """When a player was last seen at a table, by table and person; whatever the clock is set to."""
        self._registry = registry
        self._broadcaster = broadcaster
        self._settings = settings
        self._came = came
        self._heard: OrderedDict[str, tuple[float, str]] = OrderedDict()
        """When somebody was last heard of at a table, and from which address."""
        self._told: dict[str, frozenset[str]] = {}
        """Who was there when a table's pages were last told."""
        self._watching: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._watching = asyncio.create_task(self._watch_for_absent())

    async def stop(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)

    def hear(self, table_id: str, address: str = "") -> None:
        """Somebody does something at a table, or looks at it."""
        _, before = self._heard.pop(table_id, (0.0, ""))
        self._heard[table_id] = (time.monotonic(), address or before)
        if len(self._heard) > MOST_HEARD:
            self._heard.popitem(last=False)
        if (table := self._registry.get(table_id)) is not None:
            self._came(table)

    def is_attended(self, table_id: str) -> bool:
        """Whether somebody looks at a table, or did so a moment ago."""
        if table_id in self._broadcaster.viewers:
            return True
        return table_id in self._heard and time.monotonic() - self._heard[table_id][0] < ATTENDED

    def address_at(self, table_id: str) -> str:
        """From where somebody was last heard of at a table; empty if nobody was for long."""
        return self._heard.get(table_id, (0.0, ""))[1]

    def enter(self, viewer: Viewer) -> None:
        """A page opens at a table; Full if there are too many."""
        self._broadcaster.add(viewer)
        self.hear(viewer.table_id, viewer.address)
        self._notice_viewer(viewer)
        self._tell_soon(viewer, COMING)

    def leave(self, viewer: Viewer) -> None:
        """A page closes, or loses its connection."""
        self._broadcaster.remove(viewer)
        self.hear(viewer.table_id, viewer.address)
        self._notice_viewer(viewer)
        self._tell_soon(viewer, GOING)

    def _tell_soon(self, viewer: Viewer, seconds: float) -> None:
        """Lets the others at a table know, if somebody whom they would miss has come or gone."""
        table = self._registry.get(viewer.table_id)
        if table is not None and (table.status == "open" or viewer.person_id in table.seating.people()):
            asyncio.get_running_loop().call_later(seconds, self._tell_who_is_here, viewer)

    def _tell_who_is_here(self, viewer: Viewer) -> None:
        """Tells the others; whoever has come knows it."""
        table_id = viewer.table_id
        here = self._here(table_id)
        if here == self._told.get(table_id, frozenset()):
            return
        if here:
            self._told[table_id] = here
        else:
            del self._told[table_id]
        table = self._registry.get(table_id)
        if table is not None:
            own = group_of(table, viewer) if table.seating.seats_of(viewer.person_id) else None
            self._broadcaster.tell(table, own)

    def _here(self, table_id: str) -> frozenset[str]:
        """Everybody who has a table open."""
        return frozenset(viewer.person_id for viewer in self._broadcaster.viewers.get(table_id, ()))

    def watching(self, table: Table, besides: str = "") -> int:
        """How many people without a seat have a table open, besides whoever asks."""
        return len(self._here(table.id) - table.seating.people() - {"", besides})

    def _notice_viewer(self, viewer: Viewer) -> None:
        table = self._registry.get(viewer.table_id)
        if table is not None:
            self.notice(table, viewer.person_id)

    def notice(self, table: Table, person_id: str | None) -> None:
        """Somebody was seen at a table; of those who only watch nobody asks."""
        if not table.over and person_id is not None and person_id in table.seating.people():
            self.seen[table.id, person_id] = time.monotonic()
            self.hear(table.id)

    def is_here(self, table: Table, person_id: str | None) -> bool:
        """Whether a person has the table open."""
        return any(viewer.person_id == person_id for viewer in self._broadcaster.viewers.get(table.id, ()))

    def absent_seats(self, table: Table) -> list[int]:
        """The seats that the others may give to a bot: it is their turn and nobody has come for long."""
        turn = table.match.turn
        if not table.playing or turn is None or turn < 0 or not table.seating.is_played(turn):
            return []
        person_id = str(table.seating[turn].person_id)
        changed = table.row.changed.timestamp()
        since = time.time() - changed
        if table.row.pace == "days":
            return [turn] if since > self._settings.days_per_move * 86400 else []
        if self.is_here(table, person_id):
            return []
        # A clock that was set back must not make the others wait until it is as late again.
        since = abs(since)
        seen = self.seen.get((table.id, person_id))
        gone = since if seen is None else time.monotonic() - seen
        return [turn] if min(gone, since) > self._settings.absent_after else []

    async def _watch_for_absent(self) -> None:
        """Tells a table when somebody has been away for so long that a bot may sit in, or a seat is kept no
        more."""
        told: dict[str, tuple[list[int], list[int]]] = {}
        while True:
            await asyncio.sleep(min(15.0, self._settings.absent_after))
            watched = [table for id in list(self._broadcaster.viewers) if (table := self._registry.get(id))]
            found = {table.id: (self.absent_seats(table), table.kept_seats) for table in watched}
            for table in watched:
                if found[table.id] != told.get(table.id, ([], [])):
                    self._broadcaster.tell(table)
            told = found
