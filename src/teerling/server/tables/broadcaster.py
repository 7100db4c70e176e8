"""The broadcaster: who looks at which table, whose page is made next, and how it gets there.

It knows nothing of pages: `look` makes a view of a table for a person, `render` makes of a view what is sent.
"""

import asyncio
import contextlib
import json
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from pydantic_core import to_json

from ..refusals import Full
from ..watch.metrics import PAGE_WAITS, PAGES_DUE, RENDERED, SOCKETS, WHOSE, Inside, labelled, walk_alone
from .pieces import Held, in_pieces
from .registry import Registry
from .table import Table

log = logging.getLogger("teerling")

SEND_SECONDS = 10
SLICE_SECONDS = 0.005
"""While there is something better to do, one page is made in this time."""
IDLE_SECONDS = 0.0003
"""A round of everything that is to be done was idle if it took no longer."""
ORDER = (0, 0, 0, 1, 0, 0, 0, 2)
"""Whose page comes next, if there is more to do than can be done: the player to move, others, spectators."""

View = TypeVar("View")
Written = tuple[str, Held | None]
"""A page as it is sent, and what the browser has of it then."""
Group = tuple[str, tuple[int, ...], str]
"""Pages that look the same: of a table, for somebody in these seats, in a language."""


class Socket(Protocol):
    """What a page is sent through."""

    async def send_text(self, data: str) -> None: ...

    async def close(self, code: int = 1000) -> None: ...


@dataclass(eq=False)
class Viewer:
    """A page that is open at a table."""

    table_id: str
    socket: Socket
    person_id: str
    lang: str
    address: str = ""
    """Where the page is open, as far as that counts for limits."""
    pace: str = "normal"
    """How fast somebody likes to see what happens."""
    news: asyncio.Event | None = None
    """A program's stream is only told that there is news; it makes of it what it needs."""
    ends: bool = False
    """Whether a program's stream comes to an end now."""
    held: Held | None = None
    """The pieces of the page that was sent last; None if the browser gets every page as a whole."""
    page: Written | None = None
    """The newest page that is to be sent; an older one that is still waiting is not worth sending."""
    page_steps: int = 0
    """How many steps of the match that page shows."""
    shown: int | None = None
    """How many steps the page that was sent last showed; None if none was sent."""
    notes: deque[str] = field(default_factory=deque)
    """Short messages that are to be sent before the page."""
    sending: asyncio.Task[None] | None = None


class Broadcaster(Generic[View]):
    """Makes and sends the pages of everybody who looks at a table."""

    def __init__(
        self,
        registry: Registry,
        look: Callable[[Table, str, int | None], View],
        render: Callable[[View, str], dict[str, Any]],
        most_viewers: int,
    ) -> None:
        """`look` makes a person's view of a table, and of what happened since a step; it is called while
        nothing is being done at the table. `render` depends on its input only.
        """
        self.viewers: dict[str, set[Viewer]] = {}
        self._registry = registry
        self._look = look
        self._render = render
        self._most_viewers = most_viewers
        self._count = 0
        self._due: list[dict[Group, float]] = [{}, {}, {}]
        """Pages to be made, and since when, the oldest first: of WHOSE."""
        self._news = asyncio.Event()
        self._telling: asyncio.Task[None] | None = None
        self._waiting = 0
        """How many moves are being made for which a page waits."""

    async def stop(self) -> None:
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)

    def add(self, viewer: Viewer) -> None:
        """A page opens at a table, and is told of everything from now on."""
        if self._count >= self._most_viewers:
            raise Full("this server is full; please try again later")
        self._count += 1
        self.viewers.setdefault(viewer.table_id, set()).add(viewer)
        SOCKETS.inc()

    def remove(self, viewer: Viewer) -> None:
        """A page closes, or loses its connection."""
        self._count -= 1
        self.viewers.get(viewer.table_id, set()).discard(viewer)
        if not self.viewers.get(viewer.table_id):
            self.viewers.pop(viewer.table_id, None)
        SOCKETS.dec()

    def measure(self) -> None:
        """Tells Prometheus how many pages wait."""
        for due, whose in zip(self._due, WHOSE, strict=True):
            PAGES_DUE.labels(whose).set(len(due))

    def end_streams(self) -> None:
        """Lets the streams of programs end, which would go on for ever."""
        for viewers in self.viewers.values():
            for viewer in viewers:
                if viewer.news is not None:
                    viewer.ends = True
                    viewer.news.set()

    def view_of(self, table: Table, person_id: str) -> View:
        """What a person may see of a table; only while nothing is being done at the table."""
        with Inside("view", table.row.game):
            return self._look(table, person_id, None)

    def tell(self, table: Table, told: Group | None = None) -> None:
        """Lets every page that is open at a table be made anew, soon, but for those that were told.

        A page that is noted already is made once.
        """
        for viewer in self.viewers.get(table.id, ()):
            if viewer.news is not None:
                viewer.news.set()
                continue
            group = group_of(table, viewer)
            if group != told:
                due = 0 if table.match.turn in group[1] else 1 if group[1] else 2
                self._due[due].setdefault(group, time.perf_counter())
        self.look_again()
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._keep_telling())

    def look_again(self) -> None:
        """Pages that had to wait for something at their table may be made now."""
        self._news.set()

    @contextlib.contextmanager
    def waiting(self, viewer: Viewer | None) -> Iterator[None]:
        """While something is done for which a page waits, other pages are not hurried."""
        self._waiting += viewer is not None
        try:
            yield
        finally:
            self._waiting -= viewer is not None
            self.look_again()

    def answer(self, table: Table, viewer: Viewer, receipt: Mapping[str, str] | None) -> Group:
        """Makes the page that waits for what was done, before all others; everybody who got it."""
        if receipt is not None:
            self.send(viewer, receipt)
        group = group_of(table, viewer)
        self._make(group)
        return group

    async def show(self, viewer: Viewer) -> None:
        """Sends the table as it stands to one page."""
        async with self._registry.holding(viewer.table_id) as table:
            view, steps = self.view_of(table, viewer.person_id), len(table.match.history)
        with Inside("page", table.row.game):
            page = _written(self._render(view, viewer.lang), viewer.held)
        self._hand(viewer, page, steps)

    def send(self, viewer: Viewer, message: Mapping[str, Any]) -> None:
        """Sends a short message."""
        viewer.notes.append(json.dumps(dict(message)))
        self._hand(viewer, viewer.page, viewer.page_steps)

    async def _keep_telling(self) -> None:
        """Makes pages one at a time, in turns with everything else."""
        walk_alone()
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
        """Moves come before pages; but a player to move waits for a page, and no page waits for ever."""
        now = time.perf_counter()
        until = now + SLICE_SECONDS
        while now < until:
            began = now
            await asyncio.sleep(0.001 if self._waiting else 0)
            now = time.perf_counter()
            if not self._waiting and (self._due[0] or now - began < IDLE_SECONDS):
                break

    def _next_due(self, turn: int) -> Group | None:
        """The page that has waited longest: of a player to move, but others do not wait for ever."""
        first = ORDER[turn % len(ORDER)]
        order = (self._due[first], *self._due)
        return next((group for due in order for group in due if not self._registry.is_held(group[0])), None)

    def _make(self, group: Group) -> None:
        """Makes a page once for everybody to whom it looks the same."""
        for due, whose in zip(self._due, WHOSE, strict=True):
            if (since := due.pop(group, None)) is not None:
                labelled(PAGE_WAITS, whose).observe(time.perf_counter() - since)
        table = self._registry.get(group[0])
        viewers = [
            viewer for viewer in self.viewers.get(group[0], ())
            if table is not None and viewer.news is None and group_of(table, viewer) == group
        ]  # fmt: skip
        if table is None or not viewers:
            return
        RENDERED.inc()
        made: dict[tuple[int | None, Held | None], Written] = {}
        for viewer in viewers:
            alike = viewer.shown, viewer.held
            try:
                if alike not in made:
                    with Inside("view", table.row.game):
                        view = self._look(table, viewer.person_id, viewer.shown)
                    with Inside("page", table.row.game):
                        made[alike] = _written(self._render(view, viewer.lang), viewer.held)
            except Exception:
                log.exception("a page of table %s could not be made", table.id)
                return
            self._hand(viewer, made[alike], len(table.match.history))

    def _hand(self, viewer: Viewer, page: Written | None, steps: int) -> None:
        """Gives a page to whatever sends it; nobody waits for a slow connection."""
        viewer.page, viewer.page_steps = page, steps
        if viewer.sending is None:
            viewer.sending = asyncio.create_task(self._deliver(viewer))

    async def _deliver(self, viewer: Viewer) -> None:
        walk_alone()
        try:
            while viewer.notes or viewer.page is not None:
                if viewer.notes:
                    text = viewer.notes.popleft()
                elif viewer.page is not None:
                    text, viewer.held = viewer.page
                    viewer.page, viewer.shown = None, viewer.page_steps
                with Inside("send"):
                    async with asyncio.timeout(SEND_SECONDS):
                        await viewer.socket.send_text(text)
        except Exception:
            # The page is behind now; when the browser connects again it gets the newest.
            with contextlib.suppress(Exception):
                await viewer.socket.close(1011)
        finally:
            viewer.sending = None


def _written(page: Mapping[str, Any], held: Held | None) -> Written:
    """A page as it is sent: as a whole, or what the browser has not got yet."""
    if held is not None:
        page, held = in_pieces(page, held)
    # It is long: this takes half as long as the standard library.
    return to_json(page).decode(), held


def group_of(table: Table, viewer: Viewer) -> Group:
    """With whom a viewer shares a page."""
    seats = table.seating.seats_of(viewer.person_id)
    # Somebody for whom a seat is kept sees it offered, unlike everybody else without one.
    kept = [-1 - seat for seat in table.kept_seats if table.kept_for(seat) == viewer.person_id]
    return table.id, tuple(seats or kept), viewer.lang
