"""Presence: who is at a table now, who was seen when, and whose seat waits for nobody."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..processes.news import News
from ..settings import Settings
from .broadcaster import Broadcaster, Viewer, group_of
from .registry import Registry
from .table import Table

COMING = 0.2
"""Seconds after which the others at a table hear that somebody has come."""
ATTENDED = 60.0
"""So many seconds after somebody was last heard of at a table, somebody is still taken to be there."""
MOST_HEARD = 20_000
GOING = 1.5
"""Seconds after which they hear that somebody has left a page: one that is loaded anew comes back sooner."""


PACES = {"calm": 1.4, "normal": 1.0, "fast": 0.5, "instant": 0.2}
"""How many times their usual pause bots wait, by how fast somebody likes to see what happens."""


class Presence:
    """Who comes to tables and leaves them."""

    def __init__(
        self,
        registry: Registry,
        broadcaster: Broadcaster[Any],
        settings: Settings,
        news: News,
        came: Callable[[Table], None],
    ) -> None:
        """`came` is told of every table where somebody is heard of."""
        self._news = news
        self._elsewhere: dict[str, dict[str, frozenset[str]]] = {}
        """Who has a table open by other processes: by table and process."""
        self._announced: dict[str, frozenset[str]] = {}
        """Of whom the other processes know that they have a table open by this one."""
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
        news.on("here", self._hear_of)
        news.when_greeted(self._announce_all)
        news.when_gone(self._forget_process)

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
        if table_id in self._broadcaster.viewers or table_id in self._elsewhere:
            return True
        return table_id in self._heard and time.monotonic() - self._heard[table_id][0] < ATTENDED

    def processes_at(self, table_id: str) -> set[str]:
        """The processes by which somebody has a table open."""
        here = {self._news.own_name} if table_id in self._broadcaster.viewers else set()
        return here | self._elsewhere.get(table_id, {}).keys()

    def address_at(self, table_id: str) -> str:
        """From where somebody was last heard of at a table; empty if nobody was for long."""
        return self._heard.get(table_id, (0.0, ""))[1]

    def pace(self, table: Table) -> float:
        """How many times their usual pause bots wait, as the player there wants it who likes it slowest."""
        players = table.seating.people()
        viewers = self._broadcaster.viewers.get(table.id, ())
        paces = [PACES.get(viewer.pace, 1.0) for viewer in viewers if viewer.person_id in players]
        return max(paces, default=1.0)

    def enter(self, viewer: Viewer) -> None:
        """A page opens at a table; Full if there are too many."""
        self._broadcaster.add(viewer)
        self.hear(viewer.table_id, viewer.address)
        self._notice_viewer(viewer)
        self._announce(viewer.table_id)
        self._tell_soon(viewer, COMING)

    def leave(self, viewer: Viewer, goes_on: bool = True) -> None:
        """A page goes on to another, or closes; one whose line was found dead is missed at once."""
        self._broadcaster.remove(viewer)
        self.hear(viewer.table_id, viewer.address)
        self._notice_viewer(viewer)
        self._announce(viewer.table_id)
        self._tell_soon(viewer, GOING if goes_on else COMING)

    def _tell_soon(self, viewer: Viewer, seconds: float) -> None:
        """Lets the others at a table know, if somebody whom they would miss has come or gone."""
        table = self._registry.get(viewer.table_id)
        if table is not None and (table.status == "open" or viewer.person_id in table.seating.people()):
            self._tell_later(seconds, table.id, viewer)

    def _tell_later(self, seconds: float, table_id: str, viewer: Viewer | None = None) -> None:
        asyncio.get_running_loop().call_later(seconds, self._tell_who_is_here, table_id, viewer)

    def _tell_who_is_here(self, table_id: str, viewer: Viewer | None) -> None:
        """Tells the others; whoever has come knows it."""
        here = self._here(table_id)
        if here == self._told.get(table_id, frozenset()):
            return
        if here:
            self._told[table_id] = here
        else:
            del self._told[table_id]
        table = self._registry.get(table_id)
        if table is not None:
            seated = viewer is not None and table.seating.seats_of(viewer.person_id)
            self._broadcaster.tell(table, group_of(table, viewer) if viewer and seated else None)

    def _here(self, table_id: str) -> frozenset[str]:
        """Everybody who has a table open."""
        return self._own(table_id).union(*self._elsewhere.get(table_id, {}).values())

    def _own(self, table_id: str) -> frozenset[str]:
        """Everybody who has a table open by this process."""
        return frozenset(viewer.person_id for viewer in self._broadcaster.viewers.get(table_id, ()))

    def _announce(self, table_id: str) -> None:
        """Tells other processes who has a table open by this one, if that has changed."""
        own = self._own(table_id)
        if own != self._announced.get(table_id, frozenset()):
            self._announced[table_id] = own
            if not own:
                del self._announced[table_id]
            self._news.tell("here", [table_id, sorted(own)])

    def _announce_all(self) -> None:
        for table_id in list(self._broadcaster.viewers):
            self._news.tell("here", [table_id, sorted(self._own(table_id))])

    def _hear_of(self, process: str, told: tuple[str, list[str]]) -> None:
        """Another process tells who has a table open there."""
        table_id, people = told
        known = self._elsewhere.setdefault(table_id, {})
        gone = known.pop(process, frozenset()).difference(people)
        if people:
            known[process] = frozenset(people)
        if not known:
            del self._elsewhere[table_id]
        table = self._registry.get(table_id)
        if table is not None:
            for person_id in gone:
                self.notice(table, person_id)
            self._came(table)
        if table_id in self._broadcaster.viewers:
            self._tell_later(GOING if gone else COMING, table_id)

    def _forget_process(self, process: str) -> None:
        """Nobody has a table open by a process that is not there any more."""
        for table_id in [table_id for table_id, known in self._elsewhere.items() if process in known]:
            self._hear_of(process, (table_id, []))

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
        return person_id in self._here(table.id)

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
