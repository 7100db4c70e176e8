"""What may wait for everything else: it is worked out in a process of its own, which goes after all others.

Tables, pages and bots share the interpreter of the server; a review that is worked out there takes its turn
between their steps, however politely. A process of its own takes nothing but time of processors.
"""

import asyncio
import contextlib
import logging
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import LifoQueue
from typing import Any, TypeVar

from ..game import Game
from ..game import game as game_of
from ..lab.review import warm_up_values
from .jobs import Job, answered, told, understood

log = logging.getLogger("teerling")

Answer = TypeVar("Answer")
HUMBLE = 10
"""How far back a process stands: on a busy machine it has a tenth of the time that pages and moves have."""
IDLE = 300.0
"""Seconds without a job after which the processes end; the next job begins another."""


class Failed(Exception):
    """A job that went wrong in a process; the text says how."""


class Process:
    """A process that works jobs out, one after another; it begins with the first."""

    def __init__(self) -> None:
        self._process: BaseProcess | None = None
        self._line: Connection | None = None
        self._stopped = False

    def answer(self, wanted: dict[str, Any]) -> Any:
        """What it says to a job; if it has ended meanwhile, another is asked, once."""
        try:
            return self._said(wanted)
        except (EOFError, OSError):
            self.end()
            if self._stopped:
                raise
            log.warning("the process that works reviews out has ended; another goes on")
            return self._said(wanted)

    def _said(self, wanted: dict[str, Any]) -> Any:
        line = self._line or self._begin()
        if self._stopped:
            raise EOFError
        line.send(wanted)
        found, failure = line.recv()
        if failure:
            raise Failed(failure)
        return found

    def _begin(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        self._line, other = context.Pipe()
        self._process = context.Process(target=serve, args=(other,), name="aside", daemon=True)
        self._process.start()
        other.close()
        return self._line

    def end(self) -> None:
        """Ends it; the next job begins another."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._line is not None:
            self._line.close()
        self._process = self._line = None

    def stop(self) -> None:
        """Ends it for good, also in the middle of a job."""
        self._stopped = True
        if self._process is not None:
            self._process.kill()


class Aside:
    """Works jobs out in processes that go after everything else on the machine."""

    def __init__(self, places: int | None = None) -> None:
        """Without a number one job is worked out for every four cores."""
        self.places = places or max(1, (os.cpu_count() or 1) // 4)
        self._processes = [Process() for _ in range(self.places)]
        self._free: LifoQueue[Process] = LifoQueue()
        for process in self._processes:
            self._free.put(process)
        self._waiting = ThreadPoolExecutor(self.places, "aside")
        """The threads that wait for the processes."""
        self._ending: asyncio.TimerHandle | None = None

    async def prepare(self, game: Game) -> None:
        """Has compiled what the first part of a review of a game needs; the rest follows with the next."""
        await self._ask(lambda process: process.answer({"prepare": game.id}))

    async def work_out(self, job: Job[Answer]) -> Answer:
        """The answer to a job."""
        return await self._ask(lambda process: answered(job, process.answer(told(job))))

    async def _ask(self, ask: Callable[[Process], Answer]) -> Answer:
        loop = asyncio.get_running_loop()
        if self._ending is not None:
            self._ending.cancel()
        self._ending = loop.call_later(IDLE, self._rest)
        return await loop.run_in_executor(self._waiting, self._with_one, ask)

    def _with_one(self, ask: Callable[[Process], Answer]) -> Answer:
        process = self._free.get()
        try:
            return ask(process)
        finally:
            self._free.put(process)

    def _rest(self) -> None:
        for _ in self._processes:
            self._waiting.submit(self._with_one, Process.end)

    def stop(self) -> None:
        """Ends the processes at once; how far they have said they are, whoever asked knows."""
        if self._ending is not None:
            self._ending.cancel()
        for process in self._processes:
            process.stop()
        self._waiting.shutdown()
        for process in self._processes:
            process.end()


def serve(line: Connection) -> None:
    """Answers jobs for as long as somebody asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    step_far_back()
    while True:
        try:
            line.send(worked_out(line.recv()))
        except (EOFError, OSError):
            return


def worked_out(wanted: dict[str, Any]) -> tuple[Any, str]:
    """The answer to a job, ready for JSON, and what went wrong where there is none."""
    try:
        if "prepare" in wanted:
            warm_up_values(game_of(wanted["prepare"]))
            return None, ""
        job = understood(wanted)
        return job.tell(job.work()), ""
    except Exception:
        return None, traceback.format_exc()


def step_far_back() -> None:
    """Lets this process go after everything else on a busy machine, and still come to its end."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(HUMBLE)
