"""What a second server process adds: `make several`, or `python -m tests.several`.

By turns one `teerling serve` with PostgreSQL and Redis, two among which whoever comes is spread, and two of
which each has whole tables (as with deploy/nginx.conf); and a crowd where nobody waits. What is printed are
times, so nothing here is a test. The clients need processors too: it is also said what the processor time
of all others would allow if the clients were elsewhere.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from teerling.bench.crowd import Crowd, Gathering, gathered, quick_loop
from teerling.bench.web import play_tables, served
from teerling.game import list_games
from teerling.lab.simulate import cores
from tests.server.cluster import Cluster, cluster
from tests.server.redis_server import RedisServer, redis_server

TABLES, SECONDS, TURNS = 50, 15.0, 3


@dataclass(frozen=True)
class Met:
    """What was met with so many processes: moves in a second, and seconds of processors for a move."""

    processes: int
    rate: float
    serving: float
    """Of the server processes together."""
    storing: float
    """Of PostgreSQL and Redis."""
    clients: float = 0.0

    def most(self, cores: int) -> float:
        """Moves in a second if clients were elsewhere: a process has one core at most, and all have these."""
        return 1 / max(self.serving / self.processes, (self.serving + self.storing) / cores)

    def worth(self, one: "Met", cores: int) -> float:
        """How many times as many moves these make on so many cores as one process."""
        return self.most(cores) / one.most(cores)


def seconds_of(pid: int) -> float:
    """Seconds of processors of a process and of all that it began."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    begun = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(seconds_of(int(each)) for each in begun)


def met_with(
    processes: int, by_table: bool, postgresql: Cluster, redis: RedisServer, gathering: Gathering
) -> Met:
    """What a crowd meets at so many processes, at an empty database; a table at one of them, or at both."""
    shared = {
        "TEERLING_DATABASE_URL": postgresql.new_database(),
        "TEERLING_REDIS": redis.url,
        "TEERLING_SECRET": "several",
        "TEERLING_PUZZLES_AFTER": "0",
    }
    with ExitStack() as stack:
        servers = [stack.enter_context(served(**shared)) for _ in range(processes)]
        ports, games = [each.port for each in servers], list_games()
        part = replace(gathering, tables=gathering.tables // processes)
        crowds = [Crowd([port], part) for port in ports] if by_table else [Crowd(ports, gathering)]

        def playing(crowd: Crowd) -> Callable[[int], Coroutine[None, None, None]]:
            return lambda number: play_tables(crowd, games[number % len(games)], number)

        def spent() -> tuple[float, float, float]:
            serving = sum(each.cpu_seconds for each in servers)
            return serving, seconds_of(postgresql.pid) + seconds_of(redis.pid), time.process_time()

        async def measure() -> Met:
            async with AsyncExitStack() as playing_on:
                for crowd in crowds:
                    await playing_on.enter_async_context(gathered(crowd, playing(crowd)))
                began, before = time.perf_counter(), spent()
                for crowd in crowds:
                    crowd.measuring = True
                await asyncio.sleep(gathering.seconds)
                moves = sum(crowd.moves for crowd in crowds)
                each = [(now - then) / moves for now, then in zip(spent(), before, strict=True)]
                return Met(processes, moves / (time.perf_counter() - began), *each)

        return quick_loop(measure())


WAYS = {"one": (1, True), "two, spread": (2, False), "two, by table": (2, True)}


def show(name: str, met: Met) -> None:
    ms = [f"{1000 * each:.2f}" for each in (met.serving, met.storing, met.clients)]
    print(
        f"{name:<14}{met.rate:6.1f} moves/s; processors for a move: servers {ms[0]} ms, PostgreSQL and Redis"
        f" {ms[1]}, clients {ms[2]}; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.several", description="what a second process adds")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    given = parser.parse_args()
    gathering = Gathering(given.tables, given.seconds, 0.0)
    turns: list[dict[str, Met]] = []
    with cluster() as postgresql, redis_server() as redis:
        for _ in range(given.turns):
            turns.append({})
            for name, way in WAYS.items():
                turns[-1][name] = met_with(*way, postgresql, redis, gathering)
                show(name, turns[-1][name])
    for name in list(WAYS)[1:]:
        by_clock = median(turn[name].rate / turn["one"].rate for turn in turns)
        by_processors = median(turn[name].worth(turn["one"], cores()) for turn in turns)
        print(
            f"{name}: {by_clock:.2f} times as many moves as one with the clients on this machine,"
            f" {by_processors:.2f} times on {cores()} cores if the clients were elsewhere"
        )


if __name__ == "__main__":
    main()
