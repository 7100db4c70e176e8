"""What Prometheus may ask: is it slow, for whom, and why.

What somebody asks for walks through the rooms of the server; it is counted how long it was in each.
Labels are few and bounded: rooms, games, verbs, statuses; never a person or a table.
"""

import asyncio
import random
import time
from bisect import bisect_left
from contextvars import ContextVar
from functools import cache
from typing import TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
LONG = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Up to so many seconds something takes that somebody waits for, and what may take longer."""
LOOK_AGAIN = 0.5
"""Seconds between two looks at how late the loop is."""


class Times(Histogram):
    """A histogram that is quick to count in: several times at every move."""

    def observe(self, amount: float, exemplar: dict[str, str] | None = None) -> None:
        # The usual one looks at all buckets in turn, and for examples that nobody asks for.
        self._sum.inc(amount)
        self._buckets[bisect_left(self._upper_bounds, amount)].inc(1)


Metric = TypeVar("Metric", Counter, Times)

REGISTRY = CollectorRegistry()
MOVES = Counter("teerling_actions_total", "Things done at tables", registry=REGISTRY)
RENDERED = Counter("teerling_pages_rendered_total", "Pages made for open tables", registry=REGISTRY)
SOCKETS = Gauge("teerling_sockets", "Pages that are open at tables", registry=REGISTRY)
REQUESTS = Counter(
    "teerling_requests_total", "Requests by who asks and by status", ["by", "status"], registry=REGISTRY
)
SECONDS = Times(
    "teerling_request_seconds",
    "How long requests took until their answer began, by who asks",
    ["by"],
    registry=REGISTRY,
    buckets=QUICK,
)
MESSAGES = Times(
    "teerling_message_seconds",
    "How long messages of pages took until they were done",
    ["kind"],
    registry=REGISTRY,
    buckets=QUICK,
)
ROOMS = Times(
    "teerling_room_seconds",
    "How long things were in a room of the server, without the rooms within it",
    ["room", "game"],
    registry=REGISTRY,
    buckets=QUICK,
)
PAGE_WAITS = Times(
    "teerling_page_wait_seconds",
    "How long a page that is out of date waited to be made anew, by whose it is",
    ["whose"],
    registry=REGISTRY,
    buckets=QUICK,
)
THINKING_WAITS = Times(
    "teerling_thinking_wait_seconds",
    "How long something waited until it was worked out",
    ["urgency"],
    registry=REGISTRY,
    buckets=LONG,
)
THINKING = Times(
    "teerling_thinking_seconds",
    "How long it took to work something out",
    ["urgency"],
    registry=REGISTRY,
    buckets=LONG,
)
THINKING_QUEUE = Gauge(
    "teerling_thinking_queue", "What waits to be worked out", ["urgency"], registry=REGISTRY
)
LATE = Times(
    "teerling_loop_late_seconds",
    "By how much the server was late for an appointment with itself",
    registry=REGISTRY,
    buckets=QUICK,
)
TABLES = Gauge("teerling_tables_in_memory", "Tables in memory", registry=REGISTRY)
TABLE_BYTES = Gauge("teerling_tables_bytes", "About how many bytes those tables take", registry=REGISTRY)
PAGES_DUE = Gauge("teerling_pages_due", "Pages that wait to be made anew", ["whose"], registry=REGISTRY)
REFUSED = Counter(
    "teerling_refused_total", "What was refused with a sentence, and why", ["kind"], registry=REGISTRY
)
LIMITED = Counter(
    "teerling_limited_total",
    "What was refused because somebody had enough of it",
    ["limit"],
    registry=REGISTRY,
)
CLOSED = Counter(
    "teerling_connections_closed_total", "Connections that were closed, and why", ["why"], registry=REGISTRY
)
CONNECTIONS = Gauge("teerling_connections", "Connections that are open", registry=REGISTRY)
HANDLES = Gauge("teerling_handles_limit", "How many files and connections may be open", registry=REGISTRY)
THOUGHT = Counter(
    "teerling_thought_total", "Moves, hints and parts of reviews that were worked out, and where", ["where"],
    registry=REGISTRY,
)  # fmt: skip

UNHURRIED = ("limits", "thinking")
"""Rooms in which something waits on purpose, or for as long as a bot thinks."""
WHOSE = ("mover", "player", "spectator")
"""Whose page it is, the most urgent first."""


@cache
def labelled(metric: Metric, *labels: str) -> Metric:
    """The part of a metric with these labels, which takes longer to look up than to count in."""
    return metric.labels(*labels)


class Walk:
    """The walk of one thing that somebody asked for: how long it was in which room.

    >>> walk = begin_walk()
    >>> with Inside("change"), Inside("commit"):
    ...     pass
    >>> walk.end()
    >>> list(walk.seconds)
    ['commit', 'change', 'adapter']
    """

    __slots__ = ("_began", "ended", "id", "seconds", "within")

    def __init__(self, id: str = "") -> None:
        """`id` is what lines of the log call it; a new one unless given."""
        self.id = id or f"{random.getrandbits(32):08x}"
        self.seconds: dict[str, float] = {}
        self.within = 0.0
        """How long it was in rooms within the one where it is now."""
        self.ended = False
        self._began = time.perf_counter()

    def end(self) -> None:
        """It has been answered; what it did in no other room it did where it came in."""
        if not self.ended:
            self.ended = True
            self.note("adapter", time.perf_counter() - self._began - self.within)

    def note(self, room: str, seconds: float, game: str = "") -> None:
        """Counts how long it was in a room."""
        self.seconds[room] = self.seconds.get(room, 0.0) + seconds
        labelled(ROOMS, room, game).observe(seconds)

    @property
    def total(self) -> float:
        """How many seconds it was in all rooms together."""
        return sum(self.seconds.values())

    @property
    def slow(self) -> float:
        """How many seconds it took, but for what is meant to take its time."""
        return self.total - sum(self.seconds.get(room, 0.0) for room in UNHURRIED)

    @property
    def told(self) -> dict[str, float]:
        """The milliseconds in every room that took any, the longest first."""
        longest = sorted(self.seconds.items(), key=lambda each: -each[1])
        return {room: round(1000 * seconds, 1) for room, seconds in longest if seconds >= 0.0005}


_WALK: ContextVar[Walk | None] = ContextVar("walk", default=None)


def begin_walk(id: str = "") -> Walk:
    """A walk of which everything is a part that this task does from now on."""
    walk = Walk(id)
    _WALK.set(walk)
    return walk


def current_walk() -> Walk | None:
    """The walk that this task is on, until it has been answered."""
    walk = _WALK.get()
    return None if walk is None or walk.ended else walk


def walk_alone() -> None:
    """This task was begun by something that somebody asked for, but is no part of it."""
    _WALK.set(None)


class Inside:
    """Counts how long something is in a room; what it does meanwhile in rooms within counts there only."""

    __slots__ = ("_began", "_game", "_outer", "_room", "_walk")

    def __init__(self, room: str, game: str = "") -> None:
        self._room = room
        self._game = game

    def __enter__(self) -> None:
        self._walk = walk = current_walk()
        if walk is not None:
            self._outer, walk.within = walk.within, 0.0
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        seconds = time.perf_counter() - self._began
        walk = self._walk
        if walk is None:
            labelled(ROOMS, self._room, self._game).observe(seconds)
        else:
            walk.note(self._room, seconds - walk.within, self._game)
            walk.within = self._outer + seconds


async def watch_loop() -> None:
    """Notes for ever by how much the loop is late: then everybody waits, whatever they ask for."""
    while True:
        due = time.perf_counter() + LOOK_AGAIN
        await asyncio.sleep(LOOK_AGAIN)
        LATE.observe(max(0.0, time.perf_counter() - due))
