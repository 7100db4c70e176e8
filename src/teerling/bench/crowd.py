"""Servers in processes of their own, and crowds of clients that are measured at them."""

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..errors import TeerlingError
from .line import PATIENCE

SPECTATORS = 2
"""How many look on at each table of a crowd."""
RHYTHM = 2.0
"""Seconds between two moves of a client under load."""
APART = 0.03
"""Seconds between the first steps of two tables: not all clients come and move in the same moment."""
IDLE = 0.05
"""Of a second of processor time; a server that needs less in one is idle."""


Result = TypeVar("Result")


class NoServer(TeerlingError):
    """The server that is to be measured did not start or did not answer."""


@dataclass
class Served:
    """A server that was started for measuring."""

    port: int
    process: "subprocess.Popen[bytes]"
    seconds: float
    """From starting it to its first answer."""

    @property
    def cpu_seconds(self) -> float:
        """What it has spent on the processor; 0 where the system does not tell."""
        with suppress(OSError), open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return 0.0

    def settle(self) -> None:
        """Waits until it has done what it does at its start after its first answer."""
        before = -1.0
        for _ in range(int(PATIENCE)):
            if self.cpu_seconds - before < IDLE:
                break
            before = self.cpu_seconds
            time.sleep(1.0)

    @property
    def resident_mb(self) -> float:
        """Megabytes of memory that it has now; 0 where the system does not tell."""
        with suppress(OSError), open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
        return 0.0


@contextmanager
def running(
    command: Callable[[int], Sequence[str]], environment: Mapping[str, str], answers: Callable[[int], bool]
) -> Iterator[Served]:
    """A server on a port of its own that answers, until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    began = time.perf_counter()
    process = subprocess.Popen(command(port), env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    try:
        _wait_for(port, process, answers)
        yield Served(port, process, time.perf_counter() - began)
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(port: int, process: "subprocess.Popen[bytes]", answers: Callable[[int], bool]) -> None:
    for _ in range(int(PATIENCE / 0.005)):
        with suppress(OSError):
            if answers(port):
                return
        if process.poll() is not None:
            break
        time.sleep(0.005)
    raise NoServer("the server that is to be measured did not start")


def quick_loop(measuring: Coroutine[Any, Any, Result]) -> Result:
    """Runs clients on the quickest loop there is: what they need themselves is measured too."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return asyncio.run(measuring)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(measuring)


def percentile(values: Sequence[float], part: float) -> float:
    """The value that this part of 100 do not exceed.

    >>> percentile(range(1, 101), 99)
    100
    """
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part / 100))]


@dataclass(frozen=True)
class Gathering:
    """How many tables a crowd has, for how long it is measured, and how it moves."""

    tables: int
    seconds: float
    rhythm: float = RHYTHM
    """Seconds between two moves of a client; 0: each as soon as it can."""

    @property
    def sockets(self) -> int:
        """One of a player and those of spectators at each table."""
        return self.tables * (1 + SPECTATORS)


@dataclass
class Crowd:
    """Everybody at all tables, and what the clients met while it was measured."""

    ports: Sequence[int]
    """Of servers that have the same tables: whoever comes goes to the next of them."""
    gathering: Gathering
    until: float = 0.0
    ready: int = 0
    measuring: bool = False
    met: list[float] = field(default_factory=list)
    """Milliseconds from each move of a client to how things stand after it."""
    moves: int = 0
    """Of clients and of bots."""
    pages: int = 0
    seconds: float = 0.0
    """For how long it was measured."""
    spent: float = 0.0
    """Seconds of processors that the server needed meanwhile."""
    own: float = 0.0
    """The same of the clients."""

    came: int = 0
    """How often somebody came."""

    def next_port(self) -> int:
        """Where whoever comes next goes."""
        self.came += 1
        return self.ports[self.came % len(self.ports)]

    @property
    def rhythm(self) -> float:
        """Seconds between two moves of a client."""
        return self.gathering.rhythm


async def gather(
    crowd: Crowd, server: Served, play_tables: Callable[[int], Coroutine[Any, Any, None]]
) -> None:
    """Fills the tables, lets them settle, and measures."""
    async with gathered(crowd, play_tables):
        await measure(crowd, server)


@asynccontextmanager
async def gathered(
    crowd: Crowd, play_tables: Callable[[int], Coroutine[Any, Any, None]]
) -> AsyncIterator[None]:
    """Tables that are full and have settled, until the block ends."""
    tables = crowd.gathering.tables
    crowd.until = time.monotonic() + 3600
    playing = [asyncio.create_task(play_tables(number)) for number in range(tables)]
    async with asyncio.timeout(120):
        while crowd.ready < tables and not any(task.done() for task in playing):
            await asyncio.sleep(0.05)
    await asyncio.sleep(2 * crowd.rhythm)
    yield
    crowd.until = 0.0
    for task in playing:
        task.cancel()
    failed = [
        each for each in await asyncio.gather(*playing, return_exceptions=True) if isinstance(each, Exception)
    ]
    if failed:
        raise failed[0]
    if not crowd.met:
        raise NoServer("no client could move while it was measured")


async def measure(crowd: Crowd, server: Served) -> list[float]:
    """Measures for a while; the milliseconds that clients met in it."""
    before, began, spent, own = len(crowd.met), time.perf_counter(), server.cpu_seconds, time.process_time()
    crowd.measuring = True
    await asyncio.sleep(crowd.gathering.seconds)
    crowd.measuring = False
    crowd.seconds += time.perf_counter() - began
    crowd.spent += server.cpu_seconds - spent
    crowd.own += time.process_time() - own
    return crowd.met[before:]
