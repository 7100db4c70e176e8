"""Everything that may break breaks, many times, while people play: `make chaos`, or `python -m tests.chaos`.

On loopback, in folders of its own; it ends only what it started. How often is bounded: `--kills 300` are
shared among the scenes. It prints a table, and ends with 1 if anything was lost, doubled or wrongly answered.
"""

import argparse
import asyncio
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

from teerling import players
from tests.server import cluster as clusters
from tests.server import redis_server as redis_servers

from .faults import Line, Server, Thinker, running, thinking
from .load import Crowd
from .scenes import Outcome, play_through

KILLS = 300
PROGRAMS, PAGES = 8, 4
FULL_SECONDS = 1.5
"""For so long a disk is full."""
CUT_SECONDS = 3.0
"""For so long a line is cut or Redis gone, at most."""

Scene = Callable[["Stage"], Outcome]
SCENES: dict[str, tuple[int, Scene]] = {}
"""Every scene with its share of the kills."""


def scene(name: str, share: int) -> Callable[[Scene], Scene]:
    """Adds a scene to those that are played."""

    def add(play: Scene) -> Scene:
        SCENES[name] = (share, play)
        return play

    return add


class Stage:
    """What one scene needs, and how often something breaks in it; all of it is gone afterwards."""

    def __init__(self, name: str, times: int, seed: int, stack: ExitStack) -> None:
        self.name = name
        self.times = times
        self.chooser = random.Random(seed)
        self.enter = stack.enter_context
        self.folder = Path(self.enter(tempfile.TemporaryDirectory(prefix="teerling-chaos-")))

    def server(self, database_url: str = "", name: str = "data", *options: str, **environment: str) -> Server:
        folder = self.folder / name
        folder.mkdir()
        return self.enter(running(Server(folder, database_url, *options, **environment)))

    def cluster(self) -> clusters.Cluster:
        return self.enter(clusters.cluster())

    def line(self, to: Path, name: str) -> Line:
        folder = self.folder / name
        folder.mkdir()
        return self.enter(closing(Line(to, folder)))

    def play(self, fault: Callable[[], None], *servers: Server, level: str = "random") -> Outcome:
        crowd = Crowd([each.port for each in servers], PROGRAMS, PAGES, self.chooser.getrandbits(30), level)
        playing = play_through(self.name, crowd, servers[0].settings, fault, self.times, self.chooser)
        outcome = asyncio.run(playing)
        outcome.wrong += [
            f"the log of {each.folder.name} has a traceback: {each.log.read_text()[-1500:]}"
            for each in servers
            if "Traceback" in each.log.read_text()
        ]
        return outcome


@scene("serve killed, SQLite", 10)
def serve_with_sqlite(stage: Stage) -> Outcome:
    server = stage.server()

    def fault() -> None:
        server.kill()
        server.start()

    outcome = stage.play(fault, server)
    with sqlite3.connect(server.folder / "teerling.db") as database:
        for check in ("integrity_check", "foreign_key_check"):
            found = database.execute(f"pragma {check}").fetchall()
            outcome.wrong += [f"{check}: {each}" for each in found if each != ("ok",)]
    return outcome


@scene("serve killed, PostgreSQL", 7)
def serve_with_postgresql(stage: Stage) -> Outcome:
    server = stage.server(stage.cluster().new_database())

    def fault() -> None:
        server.kill()
        server.start()

    return stage.play(fault, server)


@scene("PostgreSQL killed", 8)
def postgresql(stage: Stage) -> Outcome:
    cluster = stage.cluster()
    server = stage.server(cluster.new_database())

    def fault() -> None:
        cluster.kill()
        cluster.start()

    return stage.play(fault, server)


@scene("disk full for a while", 2)
def full_disk(stage: Stage) -> Outcome:
    server = stage.server()

    def fault() -> None:
        with server.without_room():
            time.sleep(FULL_SECONDS)

    return stage.play(fault, server)


@scene("deploy, snapshots mixed up", 3)
def deploy(stage: Stage) -> Outcome:
    """Told to stop and started again; meanwhile tables get each other's snapshots, which are then dropped."""
    server = stage.server()

    def fault() -> None:
        server.stop()
        with sqlite3.connect(server.folder / "teerling.db") as database:
            kept = database.execute("select table_id, data from snapshots order by table_id").fetchall()
            ids = [id for id, _ in kept]
            swapped = zip(ids[1:] + ids[:1], [data for _, data in kept], strict=True)
            database.executemany("update snapshots set data = ?2 where table_id = ?1", list(swapped))
        database.close()
        server.start()

    return stage.play(fault, server)


class Several:
    """Two servers at one PostgreSQL and one Redis, and a thinker; lines to both that can be cut."""

    def __init__(self, stage: Stage) -> None:
        self.cluster = stage.cluster()
        self.redis = stage.enter(redis_servers.redis_server())
        url = self.cluster.new_database()
        self.to_database = stage.line(self.cluster.folder / ".s.PGSQL.5432", "to-database")
        self.to_redis = stage.line(self.redis.folder / "redis.sock", "to-redis")
        url = url.replace(str(self.cluster.folder), str(stage.folder / "to-database"))
        redis = f"unix://{stage.folder / 'to-redis' / 'redis.sock'}"
        shared = {"TEERLING_SECRET": "chaos", "TEERLING_REDIS": redis}
        self.servers = [stage.server(url, name, **shared) for name in ("one", "two")]
        self.thinker = stage.enter(thinking(Thinker(stage.folder, redis)))


@scene("one of two serve killed", 5)
def one_of_two(stage: Stage) -> Outcome:
    several = Several(stage)

    def fault() -> None:
        server = stage.chooser.choice(several.servers)
        server.kill()
        server.start()

    return stage.play(fault, *several.servers)


@scene("Redis killed", 5)
def redis(stage: Stage) -> Outcome:
    several = Several(stage)

    def fault() -> None:
        several.redis.kill()
        time.sleep(stage.chooser.uniform(0.0, CUT_SECONDS))
        several.redis.start()

    return stage.play(fault, *several.servers)


@scene("think killed", 5)
def think(stage: Stage) -> Outcome:
    several = Several(stage)

    def fault() -> None:
        several.thinker.kill()
        several.thinker.start()

    return stage.play(fault, *several.servers, level=players.USUAL)


@scene("lines cut", 5)
def lines_cut(stage: Stage) -> Outcome:
    """Between the servers and PostgreSQL or Redis; connections do not always outlive it."""
    several = Several(stage)

    def fault() -> None:
        line = stage.chooser.choice([several.to_database, several.to_redis])
        with line.cut(for_good=stage.chooser.random() < 0.5):
            time.sleep(stage.chooser.uniform(0.0, CUT_SECONDS))

    return stage.play(fault, *several.servers)


ALONE = ("serve killed, SQLite", "disk full for a while", "deploy, snapshots mixed up")
"""Scenes that need nothing but this program."""
TOGETHER = ("one of two serve killed", "Redis killed", "think killed", "lines cut")
"""Scenes that need Redis too."""


def shares(kills: int, names: list[str]) -> dict[str, int]:
    """So many kills, shared among scenes; each gets one at least."""
    whole = sum(SCENES[name][0] for name in names)
    found = {name: max(1, kills * SCENES[name][0] // whole) for name in names}
    found[names[0]] += max(0, kills - sum(found.values()))
    return found


HEAD = ("", "faults", "moves", "lines", "lost", "doubled", "verified", "broken", "wrong", "back after")


def row(outcome: Outcome) -> tuple[str, ...]:
    found = outcome.found
    back = f"{statistics.median(outcome.back):.1f} s, at most {max(outcome.back):.1f} s"
    lost = len(found.lost) + len(outcome.on_the_way)
    figures = (outcome.faults, found.moves, found.lines, lost, len(found.doubled), found.verified)
    return (outcome.name, *map(str, figures), str(len(found.broken)), str(len(outcome.wrong)), back)


def total(rows: list[tuple[str, ...]]) -> tuple[str, ...]:
    return ("all", *(str(sum(int(each[i]) for each in rows)) for i in range(1, 9)), "")


def show(cells: tuple[str, ...]) -> None:
    print(f"{cells[0]:<28}" + "".join(f"{cell:>9}" for cell in cells[1:9]) + f"   {cells[9]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos", description="breaks things while people play"
    )
    parser.add_argument("--kills", type=int, default=KILLS, help="how many faults, of all scenes together")
    parser.add_argument("--seed", type=int, default=1, help="when they come, and how people play")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"some of: {', '.join(SCENES)}")
    given = parser.parse_args()
    unknown = [name for name in given.scenes if name not in SCENES]
    if unknown or given.kills < 1:
        parser.error(f"there is no scene {unknown[0]!r}" if unknown else "at least one fault is needed")
    names = given.scenes or list(SCENES)
    if clusters.PROGRAMS is None:
        print("PostgreSQL is not installed: its scenes are left out", file=sys.stderr)
        names = [name for name in names if name in ALONE]
    elif redis_servers.PROGRAM is None:
        print("Redis is not installed: scenes with several servers are left out", file=sys.stderr)
        names = [name for name in names if name not in TOGETHER]
    os.environ.setdefault("TEERLING_PUZZLES_AFTER", "0")
    show(HEAD)
    rows, bad = [], []
    for name, times in shares(given.kills, names).items():
        with ExitStack() as stack:
            outcome = SCENES[name][1](Stage(name, times, given.seed, stack))
        rows.append(row(outcome))
        bad += outcome.bad
        show(rows[-1])
    show(total(rows))
    print("\n".join(bad[:20]), file=sys.stderr)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
