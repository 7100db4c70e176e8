"""Thinking: what takes long to work out, aside from all else and not too much at once."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ..players.search import TREES

Answer = TypeVar("Answer")
LEISURE = 0.2
"""Seconds between two pieces of what nobody waits for, so that everything else comes first."""


class Thinking:
    """The threads that bots and hints share; storing and telling do not wait for them."""

    def __init__(self) -> None:
        # A search keeps several cores busy.
        self._threads = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // TREES), "thinker")
        self._wanted = 0
        """How much is being worked out, or waits for it."""

    async def work_out(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        """The result of something, as soon as a thread has had time for it."""
        self._wanted += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)
        finally:
            self._wanted -= 1

    async def at_leisure(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        """The same of something that nobody waits for: it begins when there is nothing else to work out."""
        await asyncio.sleep(LEISURE)
        while self._wanted:
            await asyncio.sleep(LEISURE)
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def stop(self) -> None:
        self._threads.shutdown(cancel_futures=True)
