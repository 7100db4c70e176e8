"""Thinking: what takes long to work out, aside from all else, the most urgent first and fair to everybody."""

import asyncio
import contextlib
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol, TypeVar

from ...game import Game
from ...players.search import TREES
from ..watch.metrics import THINKING, THINKING_QUEUE, THINKING_WAITS, THOUGHT
from .aside import Aside
from .jobs import Job

log = logging.getLogger("teerling")

Answer = TypeVar("Answer")
LEISURE = 0.2
"""Seconds between two pieces of what nobody waits for, so that everything else comes first."""
FORGOTTEN = 60.0
"""After so many seconds half of what somebody had worked out counts no more."""
MODEST = 5
"""How much further back thinking stands than pages and moves, where the system tells threads apart."""
SLIGHT = 0.01
"""Fewer seconds of thinking than this are not remembered."""


class Urgency(IntEnum):
    """Who waits for it: a table, a player, somebody who looks back, or nobody."""

    MOVE = 0
    HINT = 1
    REVIEW = 2
    LEISURE = 3


@dataclass(eq=False)
class Ticket:
    """Something to work out that waits for a thread."""

    urgency: Urgency
    whose: str
    turn: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    @property
    def shares(self) -> list[str]:
        """Of whose time it takes, the widest circle first: an address, then a person there."""
        parts = self.whose.split()
        return [" ".join(parts[: number + 1]) for number in range(len(parts))] or [""]


class Spent:
    """How many seconds were worked out for somebody lately."""

    def __init__(self) -> None:
        self._spent: dict[str, tuple[float, float]] = {}
        """How many they were, and when that was true."""

    def lately(self, whose: str, now: float) -> float:
        seconds, since = self._spent.get(whose, (0.0, 0.0))
        return float(seconds * 0.5 ** ((now - since) / FORGOTTEN))

    def note(self, ticket: Ticket, seconds: float) -> None:
        now = asyncio.get_running_loop().time()
        for whose in ticket.shares:
            self._spent[whose] = (self.lately(whose, now) + seconds, now)
        if len(self._spent) > 1000:
            self._spent = {
                whose: spent for whose, spent in self._spent.items() if self.lately(whose, now) > SLIGHT
            }


class Turns:
    """Who is next, where so many can be thought for at once.

    The most urgent goes first; of what is equally urgent, that of whoever had least worked out lately. One
    place more is there for somebody who would have to wait for others only, and cannot wait long.
    """

    def __init__(self, places: int, spent: Spent, most_of_one: int | None = None, name: str = "") -> None:
        """`most_of_one` is how many places one person may have at once; `name` is what the metrics call them,
        by urgency unless given."""
        self._name = name
        self._places = self._free = places
        self._spent = spent
        self._most_of_one = most_of_one
        self._waiting: list[Ticket] = []
        self._running: list[Ticket] = []

    @property
    def places(self) -> int:
        return self._places

    @places.setter
    def places(self, places: int) -> None:
        self._free += places - self._places
        self._places = places
        self._begin()

    async def take(self, urgency: Urgency, whose: str) -> Ticket:
        """A place, as soon as it is somebody's turn; `ended` gives it back."""
        ticket = Ticket(urgency, whose)
        self._waiting.append(ticket)
        self._begin()
        try:
            with waiting_for(self._label(urgency)):
                await ticket.turn
        except asyncio.CancelledError:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
            else:
                self.ended(ticket, 0.0)
            raise
        return ticket

    def ended(self, ticket: Ticket, seconds: float) -> None:
        THINKING.labels(self._label(ticket.urgency)).observe(seconds)
        self._free += 1
        self._running.remove(ticket)
        self._spent.note(ticket, seconds)
        self._begin()

    def _label(self, urgency: Urgency) -> str:
        return self._name or urgency.name.lower()

    def _begin(self) -> None:
        """Gives places that are free to those who are next; of one person, in the order of asking."""
        now = asyncio.get_running_loop().time() if self._waiting else 0.0
        while ready := self._allowed() if self._free > 0 else self._going_between():
            ticket = min(
                ready,
                key=lambda each: (each.urgency, *(self._spent.lately(whose, now) for whose in each.shares)),
            )
            self._waiting.remove(ticket)
            self._running.append(ticket)
            self._free -= 1
            ticket.turn.set_result(None)

    def _allowed(self) -> list[Ticket]:
        """What waits, but for what is of somebody who has enough places."""
        if self._most_of_one is None:
            return self._waiting
        taken = Counter(ticket.whose for ticket in self._running)
        return [ticket for ticket in self._waiting if taken[ticket.whose] < self._most_of_one]

    def _going_between(self) -> list[Ticket]:
        """What waits for others only and is urgent, if the place for that is free."""
        if self._free < 0 or not self._places:
            return []
        thinking = {ticket.shares[0] for ticket in self._running}
        return [
            ticket for ticket in self._allowed()
            if ticket.urgency <= Urgency.HINT and ticket.shares[0] not in thinking
        ]  # fmt: skip


class Unanswered(Exception):
    """Nobody elsewhere works a job out, or not in time; the text says why."""


class Elsewhere(Protocol):
    """Who thinks on other machines."""

    def know(self, game: Game) -> bool:
        """Whether somebody there can think about a game now."""
        ...

    async def work_out(self, job: Job[Answer], urgency: Urgency, whose: str) -> Answer:
        """The answer to a job; Unanswered if there is none in time."""
        ...


class Thinking:
    """The threads that bots, hints and reviews share; storing and telling do not wait for them.

    Where thinkers on other machines are there, jobs go to them, and to the threads if nobody answers. What
    somebody waits for who looks back is worked out aside, and takes no thread.
    """

    def __init__(self, threads: int | None = None, name: str = "", aside: Aside | None = None) -> None:
        """Without a number there are as many threads as the machine has cores for; they step back on a busy
        one. `name` is what the metrics call them. Reviews are worked out `aside`."""
        # A search keeps several cores busy.
        places = threads or max(1, (os.cpu_count() or 1) // TREES)
        step_back = None if threads else _step_back
        self._threads = ThreadPoolExecutor(places + 1, "thinker", initializer=step_back)
        self.spent = Spent()
        self._turns = Turns(places, self.spent, name=name)
        self.elsewhere: Elsewhere | None = None
        self.aside = aside or Aside()

    @property
    def places(self) -> int:
        """How many things are worked out at once."""
        return self._turns.places

    async def work_out(
        self, work: Callable[..., Answer], *arguments: Any, urgency: Urgency = Urgency.MOVE, whose: str = ""
    ) -> Answer:
        """The result of something, as soon as a thread has had time for it.

        `whose` share it takes is an address, or an address and somebody there with a blank between.
        """
        loop = asyncio.get_running_loop()
        ticket = await self._turns.take(urgency, whose)
        began = loop.time()

        def ended(_: Future[Answer]) -> None:
            loop.call_soon_threadsafe(lambda: self._turns.ended(ticket, loop.time() - began))

        working = self._threads.submit(work, *arguments)
        # A thread goes on even if nobody waits for it any more, and only then it is free again.
        working.add_done_callback(ended)
        return await asyncio.wrap_future(working)

    def is_helped(self, game: Game) -> bool:
        """Whether thinkers on other machines think about a game."""
        return self.elsewhere is not None and self.elsewhere.know(game)

    async def think(
        self,
        job: Job[Answer],
        urgency: Urgency = Urgency.MOVE,
        whose: str = "",
        here: Callable[[], Answer] | None = None,
    ) -> Answer:
        """The answer to a job: from a thinker on another machine, otherwise from a thread.

        `here` is what a thread does, if that is not simply the job.
        """
        if self.elsewhere is not None and self.is_helped(job.game):
            try:
                answer = await self.elsewhere.work_out(job, urgency, whose)
            except Unanswered as error:
                THOUGHT.labels("after all here").inc()
                log.warning("the server thinks itself about a %s of %s: %s", job.kind, job.game.id, error)
            else:
                THOUGHT.labels("elsewhere").inc()
                return answer
        else:
            THOUGHT.labels("here").inc()
        if urgency is Urgency.REVIEW:
            return await self.aside.work_out(job)
        return await self.work_out(here or job.work, urgency=urgency, whose=whose)

    async def at_leisure(self, job: Job[Answer]) -> Answer:
        """The same of something that nobody waits for: it begins when there is nothing else to work out."""
        await asyncio.sleep(LEISURE)
        return await self.think(job, urgency=Urgency.LEISURE)

    def stop(self) -> None:
        self.aside.stop()
        self._threads.shutdown(cancel_futures=True)


@contextlib.contextmanager
def waiting_for(name: str) -> Iterator[None]:
    """Counts what waits to be worked out, and how long that takes."""
    began = time.perf_counter()
    THINKING_QUEUE.labels(name).inc()
    try:
        yield
    finally:
        THINKING_QUEUE.labels(name).dec()
        THINKING_WAITS.labels(name).observe(time.perf_counter() - began)


def _step_back() -> None:
    """Lets a thread, and those that it begins, go after everything else on a busy machine."""
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), MODEST)
