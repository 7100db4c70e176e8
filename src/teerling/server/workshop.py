"""The workshop: where pages are made and files are read that may take long, aside and within a budget."""

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar

from .limits import Limiter
from .metrics import Inside
from .refusals import TooFast
from .thinking import Thinking

Made = TypeVar("Made")
USUAL_SECONDS = 0.1
"""What takes no longer than this costs nobody anything."""
SHARE = 0.2
"""So much of the workshop's time one address may have, on average, for what takes longer."""
AT_FIRST = 1.0
"""So many seconds of it may come at once."""
MOST_WAITING = 20.0
"""Seconds that something waits because its address had enough; what would wait longer is refused."""


class Workshop:
    """One thread for whatever takes long to make, so that tables and the lobby do not wait for it.

    Addresses take turns, and one that had much made waits even if nobody else wants anything: the thread
    shares the interpreter with everybody.
    """

    def __init__(self) -> None:
        self._threads = Thinking(1, name="workshop")
        self._budget = Limiter(SHARE, burst=AT_FIRST, name="workshop")

    async def make(self, work: Callable[..., Made], *arguments: Any, whose: str) -> Made:
        """What comes of some work, for an address; TooFast if it had far too much made lately."""
        wait = self._budget.debt_of(whose)
        if wait > MOST_WAITING:
            raise TooFast("That was a lot of work in a row; please wait a moment before you go on.")
        if wait:
            with Inside("limits"):
                await asyncio.sleep(wait)

        def timed() -> tuple[Made, float]:
            # What others do meanwhile on a busy machine is not theirs to pay.
            began = time.thread_time()
            return work(*arguments), time.thread_time() - began

        with Inside("workshop"):
            made, seconds = await self._threads.work_out(timed, whose=whose)
        if seconds > USUAL_SECONDS:
            self._budget.charge(whose, seconds)
        return made

    def stop(self) -> None:
        self._threads.stop()
