"""Scenes: people play, something breaks again and again, and what they were told is looked for each time."""

import asyncio
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from teerling.game import list_games
from teerling.server.settings import Settings
from teerling.server.thinking.queue import Urgency
from teerling.server.thinking.thinkers import GROUP, streams_of
from tests.apart import run_apart
from tests.server import cluster as clusters
from tests.server import redis_server as redis_servers

from .check import Findings, look
from .faults import Line, Server, Thinker, running, thinking, until
from .load import Crowd

MOVES = 12
"""So many moves are made between two faults, at least."""
LONGEST_PAUSE = 0.4
"""Seconds until a fault, at most, when they have been made."""

PROGRAMS, PAGES = 8, 4
FULL_SECONDS = 1.5
"""For so long a disk is full."""
CUT_SECONDS = 3.0
"""For so long a line is cut or Redis gone, at most."""
SEARCHES = "club"
"""The quickest bots whose moves thinkers work out."""


@dataclass
class Outcome:
    """What came of a scene."""

    name: str
    faults: int = 0
    found: Findings = field(default_factory=Findings)
    """After the last fault, in all matches."""
    on_the_way: list[str] = field(default_factory=list)
    """What was wrong after one of the others."""
    wrong: list[str] = field(default_factory=list)
    """Answers that nobody should get."""
    back: list[float] = field(default_factory=list)
    """Seconds from each fault until it was mended and a move acknowledged."""
    sentences: set[str] = field(default_factory=set)

    @property
    def bad(self) -> list[str]:
        return self.found.bad + self.on_the_way + self.wrong


async def play_through(
    name: str,
    crowd: Crowd,
    settings: Settings,
    fault: Callable[[], None],
    times: int,
    chooser: random.Random,
) -> Outcome:
    """Has a crowd play while a fault is made and mended so many times."""
    outcome = Outcome(name)
    seen: dict[str, int] = {}
    async with crowd.at_play():
        await crowd.go_on(MOVES)
        for _ in range(times):
            await asyncio.sleep(chooser.uniform(0.0, LONGEST_PAUSE))
            began = time.monotonic()
            await asyncio.to_thread(fault)
            outcome.faults += 1
            await crowd.go_on(1)
            outcome.back.append(time.monotonic() - began)
            await crowd.go_on(MOVES)
            touched = [each for each in crowd.memories if seen.get(each.table_id) != each.told]
            seen |= {each.table_id: each.told for each in touched}
            found = await asyncio.to_thread(look, settings, touched, verify=False)
            outcome.on_the_way += found.bad
    outcome.found = await asyncio.to_thread(look, settings, crowd.memories)
    outcome.wrong = crowd.wrong
    outcome.sentences = crowd.sentences
    return outcome


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
        self.programs, self.pages = PROGRAMS, PAGES
        self.enter = stack.enter_context
        self.logs: list[Path] = []
        self.folder = Path(self.enter(tempfile.TemporaryDirectory(prefix="teerling-chaos-")))

    def server(self, database_url: str = "", name: str = "data", *options: str, **environment: str) -> Server:
        folder = self.folder / name
        folder.mkdir()
        server = Server(folder, database_url, *options, **environment)
        self.logs.append(server.log)
        return self.enter(running(server))

    def thinker(self, redis_url: str) -> Thinker:
        thinker = Thinker(self.folder, redis_url)
        self.logs.append(thinker.log)
        return self.enter(thinking(thinker))

    def cluster(self) -> clusters.Cluster:
        return self.enter(clusters.cluster())

    def line(self, to: Path, name: str) -> Line:
        folder = self.folder / name
        folder.mkdir()
        return self.enter(closing(Line(to, folder)))

    def play(self, fault: Callable[[], None], *servers: Server, level: str = "random") -> Outcome:
        crowd = Crowd(
            [each.port for each in servers], self.programs, self.pages, self.chooser.getrandbits(30), level
        )
        playing = play_through(self.name, crowd, servers[0].settings, fault, self.times, self.chooser)
        outcome = run_apart(playing)
        for log in self.logs:
            _, traceback, told = log.read_text().partition("Traceback")
            if traceback:
                outcome.wrong.append(f"{log.relative_to(self.folder)} has a traceback: {told[:1500]}")
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
        self.thinker = stage.thinker(redis)

    def thinks(self) -> bool:
        """Whether the thinker has a bot's move in hand."""
        import redis

        assert self.thinker.process is not None
        own = f"-{self.thinker.process.pid}-"
        with redis.Redis.from_url(self.redis.url, decode_responses=True) as client:
            for stream in streams_of(list_games(), Urgency.MOVE):
                with suppress(redis.ResponseError):
                    if any(
                        own in each["name"] and each["pending"]
                        for each in client.xinfo_consumers(stream, GROUP)
                    ):
                        return True
        return False


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
        until(several.thinks)
        several.thinker.kill()
        several.thinker.start()

    return stage.play(fault, *several.servers, level=SEARCHES)


@scene("lines cut", 5)
def lines_cut(stage: Stage) -> Outcome:
    """Between the servers and PostgreSQL, Redis or both; connections do not always outlive it."""
    several = Several(stage)
    lines = several.to_database, several.to_redis

    def fault() -> None:
        with ExitStack() as cuts:
            for line in stage.chooser.choice([lines[:1], lines[1:], lines]):
                cuts.enter_context(line.cut(for_good=stage.chooser.random() < 0.5))
            time.sleep(stage.chooser.uniform(0.0, CUT_SECONDS))

    return stage.play(fault, *several.servers)


ALONE = ("serve killed, SQLite", "disk full for a while", "deploy, snapshots mixed up")
"""Scenes that need nothing but this program."""
TOGETHER = ("one of two serve killed", "Redis killed", "think killed", "lines cut")
"""Scenes that need Redis too."""
