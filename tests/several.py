"""What a second server process adds: `make several`, or `python -m tests.several`.

By turns one `teerling serve` with PostgreSQL and Redis, two among which whoever comes is spread, two of
which each has whole tables (as with deploy/nginx.conf), and two that share nothing: what this machine gives
two processes at most; and a crowd where nobody waits. What is printed are times, so nothing here is a test.

A move costs a server so much processor time, and everything else so much: clients, PostgreSQL and Redis. One
process has one core for its part; two have all cores, but for what everything else takes. So beside what was
reached stands the ceiling: what a second process would add at most if a move cost no more by it.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, fields, replace
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
class Spent:
    """Seconds of processors, and how often something was asked for."""

    serving: float = 0.0
    """Of the server processes together."""
    postgresql: float = 0.0
    redis: float = 0.0
    clients: float = 0.0
    pages: float = 0.0
    """That clients got."""
    transactions: float = 0.0
    commands: float = 0.0
    """Of Redis, what it tells others among them."""

    def since(self, before: "Spent", moves: int) -> "Spent":
        """What was spent on each of so many moves."""
        names = [each.name for each in fields(self)]
        return Spent(*((getattr(self, name) - getattr(before, name)) / moves for name in names))


@dataclass(frozen=True)
class Met:
    """What was met with so many processes: moves in a second, and what was spent on a move."""

    processes: int
    rate: float
    spent: Spent

    def most(self, cores: int, clients: bool) -> float:
        """Moves in a second with so many cores: a process has one at most, and all together have these.

        Unless the clients are on this machine too, these have cores of their own.
        """
        spent = self.spent
        total = spent.serving + spent.postgresql + spent.redis + spent.clients * clients
        return 1 / max(spent.serving / self.processes, total / cores)

    def worth(self, one: "Met", cores: int, clients: bool) -> float:
        """How many times as many moves these make on so many cores as one process."""
        return self.most(cores, clients) / one.most(cores, clients)

    def ceiling(self, cores: int, clients: bool) -> float:
        """How many times as many moves two such processes make at most: if a move costs what it does now."""
        return replace(self, processes=2 * self.processes).worth(self, cores, clients)


def seconds_of(pid: int) -> float:
    """Seconds of processors of a process and of all that it began."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    begun = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(seconds_of(int(each)) for each in begun)


class Asked:
    """How much PostgreSQL and Redis were asked for since they were started."""

    def __init__(self, postgresql: Cluster, redis: RedisServer) -> None:
        import psycopg
        from redis import Redis

        self._statistics = psycopg.connect(postgresql.url("postgres"), autocommit=True)
        self._redis = Redis.from_url(redis.url)

    def transactions(self) -> int:
        found = self._statistics.execute("select sum(xact_commit + xact_rollback) from pg_stat_database")
        return int((found.fetchone() or (0,))[0])

    def commands(self) -> int:
        return int(self._redis.info("stats")["total_commands_processed"])  # type: ignore[index]

    def close(self) -> None:
        self._statistics.close()
        self._redis.close()


def met_with(
    processes: int,
    by_table: bool,
    apart: bool,
    postgresql: Cluster,
    redis: RedisServer,
    gathering: Gathering,
) -> Met:
    """What a crowd meets at so many processes, at an empty database; a table at one of them, or at both.

    Processes that are apart have a database and a Redis database of their own each.
    """
    shared = {
        "TEERLING_DATABASE_URL": postgresql.new_database(),
        "TEERLING_REDIS": redis.url,
        "TEERLING_SECRET": "several",
        "TEERLING_PUZZLES_AFTER": "0",
    }
    with ExitStack() as stack:
        settings = [dict(shared) for _ in range(processes)]
        for number, own in enumerate(settings[1:] if apart else [], 1):
            own["TEERLING_DATABASE_URL"] = postgresql.new_database()
            own["TEERLING_REDIS"] = f"{redis.url}?db={number}"
        servers = [stack.enter_context(served(**own)) for own in settings]
        ports, games = [each.port for each in servers], list_games()
        part = replace(gathering, tables=gathering.tables // processes)
        crowds = [Crowd([port], part) for port in ports] if by_table else [Crowd(ports, gathering)]
        asked = Asked(postgresql, redis)
        stack.callback(asked.close)

        def playing(crowd: Crowd) -> Callable[[int], Coroutine[None, None, None]]:
            return lambda number: play_tables(crowd, games[number % len(games)], number)

        def spent() -> Spent:
            serving = sum(each.cpu_seconds for each in servers)
            pages = sum(crowd.pages for crowd in crowds)
            own = time.process_time()
            storing = seconds_of(postgresql.pid), seconds_of(redis.pid)
            return Spent(serving, *storing, own, pages, asked.transactions(), asked.commands())

        async def measure() -> Met:
            async with AsyncExitStack() as playing_on:
                for crowd in crowds:
                    await playing_on.enter_async_context(gathered(crowd, playing(crowd)))
                began, before = time.perf_counter(), spent()
                for crowd in crowds:
                    crowd.measuring = True
                await asyncio.sleep(gathering.seconds)
                moves = max(1, sum(crowd.moves for crowd in crowds))
                rate = moves / (time.perf_counter() - began)
                return Met(processes, rate, spent().since(before, moves))

        return quick_loop(measure())


WAYS = {
    "one": (1, True, False),
    "two, spread": (2, False, False),
    "two, by table": (2, True, False),
    "two, apart": (2, True, True),
}


def show(name: str, met: Met) -> None:
    spent = met.spent
    ms = {
        name: f"{1000 * getattr(spent, name):.2f}" for name in ("serving", "postgresql", "redis", "clients")
    }
    print(
        f"{name:<14}{met.rate:6.1f} moves/s; processors for a move: servers {ms['serving']} ms,"
        f" PostgreSQL {ms['postgresql']}, Redis {ms['redis']}, clients {ms['clients']};"
        f" {spent.pages:.2f} pages, {spent.transactions:.2f} transactions, {spent.commands:.2f} commands of"
        f" Redis; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.several", description="what a second process adds")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--way", choices=WAYS, action="append", help="only one, and this one")
    given = parser.parse_args()
    gathering = Gathering(given.tables, given.seconds, 0.0)
    turns: list[dict[str, Met]] = []
    ways = ["one", *(given.way or list(WAYS)[1:])]
    with cluster() as postgresql, redis_server() as redis:
        for _ in range(given.turns):
            turns.append({})
            for name in ways:
                turns[-1][name] = met_with(*WAYS[name], postgresql, redis, gathering)
                show(name, turns[-1][name])
    for where, clients in (("here too", True), ("elsewhere", False)):
        ceiling = median(turn["one"].ceiling(cores(), clients) for turn in turns)
        worth = {
            name: median(turn[name].worth(turn["one"], cores(), clients) for turn in turns)
            for name in ways[1:]
        }
        allowed = ", ".join(f"{name} {times:.2f}" for name, times in worth.items())
        print(f"by what {cores()} cores allow, clients {where}: {allowed}; at most {ceiling:.2f}")
    for name in ways[1:]:
        times = median(turn[name].rate / turn["one"].rate for turn in turns)
        print(f"{name}: {times:.2f} times as many moves as one, by the clock")


if __name__ == "__main__":
    main()
