"""What may wait for everything else: it is worked out in a process of its own, which goes after all others.

Tables, pages and bots share the interpreter of the server; a review that is worked out there, or a file that
is read, takes its turn between their steps, however politely. A process of its own takes nothing but time of
processors.
"""

import asyncio
import contextlib
import logging
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import LifoQueue
from typing import Any, TypeVar, cast

from ...errors import TeerlingError
from ...game import Game
from ...game import game as game_of
from ...lab.review import warm_up_values
from .jobs import Job, answered, told, understood

log = logging.getLogger("teerling")

Answer = TypeVar("Answer")
HUMBLE = 10
"""How far back a process stands that has only the time nobody else wants; where the system knows no such
processes, on a busy machine it has a tenth of the time that pages and moves have."""
IDLE = 300.0
"""Seconds without a job after which the processes end; the next job begins another."""


class Failed(Exception):
    """A job that went wrong in a process; the text says how."""


class Process:
    """A process that works jobs out, one after another; it begins with the first."""

    def __init__(self, back: int) -> None:
        """It stands so far back that others go first."""
        self._back = back
        self._process: BaseProcess | None = None
        self._line: Connection | None = None
        self._stopped = False

    @property
    def is_there(self) -> bool:
        """Whether it has begun."""
        return self._process is not None

    def answer(self, wanted: dict[str, Any]) -> Any:
        """What it says to a job; if it has ended meanwhile, another is asked, once."""
        try:
            return self._said(wanted)
        except (EOFError, OSError):
            self.end()
            if self._stopped:
                raise
            log.warning("a process that works aside has ended; another goes on")
            return self._said(wanted)

    def _said(self, wanted: dict[str, Any]) -> Any:
        line = self._line or self._begin()
        if self._stopped:
            raise EOFError
        line.send(wanted)
        found, failure = line.recv()
        if isinstance(failure, TeerlingError):
            raise failure
        if failure:
            raise Failed(failure)
        return found

    def _begin(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        line, other = context.Pipe()
        process = context.Process(target=serve, args=(other, self._back), name="aside", daemon=True)
        process.start()
        other.close()
        # One that is still starting cannot be killed; before it is asked it is seen whether it may go on.
        self._line, self._process = line, process
        return line

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

    def __init__(self, places: int | None = None, back: int = HUMBLE) -> None:
        """Without a number one job is worked out for every four cores; `back` is how far they stand back."""
        self.places = places or max(1, (os.cpu_count() or 1) // 4)
        self._processes = [Process(back) for _ in range(self.places)]
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

    def call(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        """What a function of a module makes of its arguments; for a thread that waits."""
        wanted = {"call": work, "arguments": arguments}
        return self._with_one(lambda process: cast(Answer, process.answer(wanted)))

    @property
    def is_there(self) -> bool:
        """Whether a process has begun."""
        return any(process.is_there for process in self._processes)

    def stay(self) -> None:
        """Lets the processes be there for a while longer."""
        if self._ending is not None:
            self._ending.cancel()
        self._ending = asyncio.get_running_loop().call_later(IDLE, self._rest)

    async def _ask(self, ask: Callable[[Process], Answer]) -> Answer:
        self.stay()
        return await asyncio.get_running_loop().run_in_executor(self._waiting, self._with_one, ask)

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


def serve(line: Connection, back: int) -> None:
    """Answers jobs for as long as somebody asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    step_back(back)
    while True:
        try:
            line.send(worked_out(line.recv()))
        except (EOFError, OSError):
            return


def worked_out(wanted: dict[str, Any]) -> tuple[Any, str | TeerlingError]:
    """The answer to a job or what a function made, and what went wrong where there is none."""
    try:
        if "call" in wanted:
            return called(wanted["call"], wanted["arguments"])
        if "prepare" in wanted:
            warm_up_values(game_of(wanted["prepare"]))
            return None, ""
        job = understood(wanted)
        return job.tell(job.work()), ""
    except Exception:
        return None, traceback.format_exc()


def called(work: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, TeerlingError | str]:
    """What a function makes of its arguments, and what it refuses."""
    try:
        return work(*arguments), ""
    except TeerlingError as error:
        return None, error


def step_back(far: int) -> None:
    """Lets this process, and the threads that it begins, go after everything else on a busy machine."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(far)
    # Who is merely further back may end its turn before somebody goes on who has just woken up.
    if far >= HUMBLE and sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
