"""The workshop: where pages are made and files are read that may take long, aside and within a budget."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar, cast

from ...errors import TeerlingError
from ..door.limits import Limiter
from ..refusals import TooFast
from ..watch.metrics import Inside
from .aside import Aside
from .queue import Thinking

Made = TypeVar("Made")
USUAL_SECONDS = 0.1
"""What takes no longer than this costs nobody anything."""
SHARE = 0.2
"""So much of the workshop's time one address may have, on average, for what takes longer."""
AT_FIRST = 1.0
"""So many seconds of it may come at once."""
MODEST = 5
"""How far back the process stands that reads files: moves and pages go first, but somebody waits for it."""
MOST_WAITING = 20.0
"""Seconds that something waits because its address had enough; what would wait longer is refused."""


class Workshop:
    """One thread for whatever takes long to make, so that tables and the lobby do not wait for it.

    Addresses take turns, and one that had much made waits even if nobody else wants anything: the thread
    shares the interpreter with everybody. What strangers send, which may be anything, is read in a process
    of its own.
    """

    def __init__(self) -> None:
        self._threads = Thinking(1, name="workshop")
        self._readers = Thinking(1, name="reader")
        self._aside = Aside(1, MODEST)
        self._budget = Limiter(SHARE, burst=AT_FIRST, name="workshop")
        self._beginning: asyncio.Task[object] | None = None

    async def make(self, work: Callable[..., Made], *arguments: Any, whose: str) -> Made:
        """What comes of some work, for an address; TooFast if it had far too much made lately."""
        return await self._made(self._threads, partial(timed, work, *arguments), whose)

    async def make_apart(self, work: Callable[..., Made], *arguments: Any, whose: str) -> Made:
        """The same, where `work` is a function of a module that needs nothing but its arguments."""
        self._aside.stay()
        return await self._made(self._readers, partial(self._aside.call, timed, work, *arguments), whose)

    async def wait_for_budget(self, whose: str) -> None:
        """Waits until an address may have more made; TooFast if it had far too much."""
        wait = self._budget.debt_of(whose)
        if wait > MOST_WAITING:
            raise TooFast("That was a lot of work in a row; please wait a moment before you go on.")
        if wait:
            with Inside("limits"):
                await asyncio.sleep(wait)

    def charge(self, whose: str, seconds: float) -> None:
        """Takes what was made for an address from its budget, here or by another process."""
        if seconds > USUAL_SECONDS:
            self._budget.charge(whose, seconds)

    def expect(self, work: Callable[..., object], *arguments: Any) -> None:
        """Has the process that reads begin, by some work for nobody: somebody is about to want something."""
        if self._beginning is None and not self._aside.is_there:
            self._aside.stay()
            self._beginning = asyncio.create_task(self._readers.work_out(self._aside.call, work, *arguments))
            self._beginning.add_done_callback(self._begun)

    def _begun(self, beginning: asyncio.Task[object]) -> None:
        # If it did not begin, or the server stops, whoever sends a file next will hear of it.
        beginning.cancelled() or beginning.exception()
        self._beginning = None

    async def _made(self, threads: Thinking, work: Callable[[], "Work[Made]"], whose: str) -> Made:
        await self.wait_for_budget(whose)
        with Inside("workshop"):
            done = await threads.work_out(work, whose=whose)
        self.charge(whose, done.seconds)
        if done.refusal is not None:
            raise done.refusal
        return cast(Made, done.made)

    def stop(self) -> None:
        self._aside.stop()
        self._readers.stop()
        self._threads.stop()


@dataclass(frozen=True)
class Work(Generic[Made]):
    """What came of some work, or why it was refused, and the seconds of work that it took."""

    made: Made | None
    refusal: TeerlingError | None
    seconds: float


def timed(work: Callable[..., Made], *arguments: Any) -> Work[Made]:
    """Does some work. What is refused in the end has cost as much."""
    # What others do meanwhile on a busy machine is not theirs to pay.
    began = time.thread_time()
    made, refusal = None, None
    try:
        made = work(*arguments)
    except TeerlingError as error:
        refusal = error
    return Work(made, refusal, time.thread_time() - began)
