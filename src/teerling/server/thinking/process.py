"""The process that thinks for servers, on whatever machine: `teerling think`."""

import asyncio
import json
import logging
import logging.config
import os
import secrets
import signal
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...game import Game, list_games
from ...lab.review import warm_up
from ...words import Speaker
from ..processes import redis_link
from ..processes.redis_link import RedisLink
from ..tables.snapshots import fingerprint
from ..watch import logs
from . import jobs
from .jobs import BadJob
from .queue import Thinking, Urgency
from .thinkers import (
    ANSWERS_KEPT,
    DONE,
    EXPIRES,
    GROUP,
    SAID_EVERY,
    TAKE,
    TAKEN_OVER,
    THERE,
    WAITS,
    Thinker,
    streams_of,
)

log = logging.getLogger("teerling")


def think(redis: str, threads: int | None, games: Sequence[Game], lang: str) -> None:
    """Thinks for the servers at a Redis until somebody ends it; NoRedis says why it cannot."""
    redis_link.check(redis)
    logging.config.dictConfig(logs.configuration())
    say = Speaker(lang)
    asyncio.run(_think_until_told(redis, threads, games or list_games(), say))
    print(say("This thinker has gone; what it had not begun is for others."), flush=True)


async def _think_until_told(redis: str, threads: int | None, games: Sequence[Game], say: Speaker) -> None:
    name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
    mind = Mind(RedisLink(redis, name), games, threads)
    told, loop = asyncio.Event(), asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, told.set)
    print(
        say("Thinks for the servers at {redis}, threads: {count} (Ctrl-C ends it)",
            redis=redis_link.shown_url(redis), count=mind.places),
        flush=True,
    )  # fmt: skip
    await mind.start(lambda game: print(say("Ready for {game}", game=say(game.name)), flush=True))
    await told.wait()
    for each in (signal.SIGTERM, signal.SIGINT):
        # Who says it twice does not want to wait.
        loop.remove_signal_handler(each)
    await mind.stop()


@dataclass(frozen=True)
class Taken:
    """A job that was taken from its stream."""

    stream: str
    entry: str
    fields: dict[str, str]
    now: float
    """What time it was in Redis, by whose clock the entry was made."""

    @property
    def urgency(self) -> Urgency:
        return Urgency(int(self.stream.split(":")[2]))

    @property
    def is_late(self) -> bool:
        """Whether nobody waits for it any more."""
        return self.now - int(self.entry.partition("-")[0]) / 1000 > float(self.fields["within"])


class Mind:
    """Takes jobs and works them out, the most urgent first."""

    def __init__(self, link: RedisLink, games: Sequence[Game], threads: int | None = None) -> None:
        self._link = link
        self._games = games
        self._thinking = Thinking(threads)
        self._ready: list[Game] = []
        self._seen: dict[str, str] = {}
        """Of every stream, the newest entry that was looked at: only newer ones are news."""
        self._in_hand: dict[str, Taken] = {}
        self._taking = asyncio.Lock()
        self._leaving = self._closed = False
        self._tasks: list[asyncio.Task[None]] = []
        self._takers: list[asyncio.Task[None]] = []

    @property
    def places(self) -> int:
        return self._thinking.places

    async def start(self, ready: Any = lambda game: None) -> None:
        """Thinks from now on about every game as soon as its rules are compiled; `ready` is told of each."""
        self._link.when_back(self._make_groups)
        await self._link.start()
        self._tasks = [asyncio.create_task(task) for task in (self._prepare(ready), self._keep_saying())]
        self._takers = [asyncio.create_task(self._keep_taking()) for _ in range(self.places + 1)]

    async def stop(self) -> None:
        """Finishes what was begun, and takes nothing more."""
        self._leaving = True
        await asyncio.gather(*self._takers, return_exceptions=True)
        # Whoever is told in the middle of a command may miss that it is over.
        self._closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with self._link.surviving():
            await self._link.client.delete(f"{THERE}:{self._link.own_name}")
            await self._link.client.srem(THERE, self._link.own_name)
        await self._link.stop()
        self._thinking.stop()

    async def _prepare(self, ready: Any) -> None:
        """Has the rules of one game after another compiled."""
        for game in self._games:
            try:
                await asyncio.to_thread(warm_up, game)
            except Exception:
                log.exception("%s could not be compiled: this thinker leaves it to others", game.id)
                continue
            self._ready.append(game)
            with self._link.surviving():
                await self._make_groups()
                await self._say()
            ready(game)

    async def _make_groups(self) -> None:
        """Makes the streams of all games that are ready, where they are not there."""
        from redis.exceptions import ResponseError

        for stream in streams_of(self._ready):
            try:
                await self._link.client.xgroup_create(stream, GROUP, id="0", mkstream=True)
            except ResponseError as error:
                if "BUSYGROUP" not in str(error):
                    raise

    async def _keep_saying(self) -> None:
        """Says that this thinker is there, and that it is still busy with what it has in hand."""
        while not self._closed:
            with self._link.surviving():
                if self._ready and not self._leaving:
                    await self._say()
                for taken in list(self._in_hand.values()):
                    await self._link.client.xclaim(
                        taken.stream, GROUP, self._link.own_name, 0, [taken.entry], justid=True
                    )
            await asyncio.sleep(SAID_EVERY)

    async def _say(self) -> None:
        rules = {game.id: fingerprint(game) for game in self._ready}
        said = Thinker(self._link.own_name, self.places, rules).written()
        async with self._link.client.pipeline() as all_at_once:
            all_at_once.set(f"{THERE}:{self._link.own_name}", said, px=int(1000 * EXPIRES))
            all_at_once.sadd(THERE, self._link.own_name)
            await all_at_once.execute()

    async def _keep_taking(self) -> None:
        while not self._leaving:
            taken = None
            with self._link.surviving():
                async with self._taking:
                    streams = self._wanted()
                    taken = await self._take(streams) if streams else None
                    if taken is not None:
                        self._in_hand[taken.entry] = taken
                if taken is None and streams:
                    await self._wait_for_news(streams)
            if taken is not None:
                try:
                    await self._work_out(taken)
                finally:
                    del self._in_hand[taken.entry]
            elif not streams or not self._link.is_there:
                await asyncio.sleep(WAITS / 20)

    def _wanted(self) -> list[str]:
        """Where to look for a job: what is urgent does not wait for what is not."""
        if len(self._in_hand) < self.places:
            return streams_of(self._ready)
        leisurely = all(taken.urgency > Urgency.HINT for taken in self._in_hand.values())
        if len(self._in_hand) == self.places and leisurely:
            return streams_of(self._ready, Urgency.HINT)
        return []

    async def _take(self, streams: list[str]) -> Taken | None:
        """The most urgent job, or None."""
        from redis.exceptions import ResponseError

        given = GROUP, self._link.own_name, int(1000 * TAKEN_OVER)
        try:
            found: Any = await self._link.client.eval(TAKE, len(streams), *streams, *given)
        except ResponseError as error:
            if "NOGROUP" not in str(error):
                raise
            # Somebody emptied Redis, or it came back without anything.
            await self._make_groups()
            return None
        if not found:
            return None
        stream, entry, flat, now = found
        return Taken(stream, entry, dict(zip(flat[::2], flat[1::2], strict=True)), float(now))

    async def _wait_for_news(self, streams: list[str]) -> None:
        """Waits until there is something new to take, or something to take over."""
        seen: Any = {stream: self._seen.get(stream, "0-0") for stream in streams}
        found: Any = await self._link.client.xread(seen, count=1, block=int(1000 * WAITS))
        for stream, entries in found.items() if isinstance(found, dict) else found:
            self._seen[stream] = entries[-1][0]

    async def _work_out(self, taken: Taken) -> None:
        """Works a job out and answers it; one that came too late is dropped."""
        try:
            answer = "" if taken.is_late else json.dumps(await self._answer(taken), separators=(",", ":"))
        except (LookupError, ValueError) as error:
            log.warning("what was taken from %s is no job: %s", taken.stream, error)
            answer = ""
        for _ in range(3):
            given = GROUP, taken.entry, answer, int(1000 * ANSWERS_KEPT)
            with self._link.surviving():
                await self._link.client.eval(DONE, 2, taken.stream, taken.fields.get("to", ""), *given)
                return
            await asyncio.sleep(WAITS)

    async def _answer(self, taken: Taken) -> dict[str, Any]:
        name = taken.fields["name"]
        try:
            job = await asyncio.to_thread(jobs.understood, json.loads(taken.fields["job"]))
            if taken.stream not in streams_of([job.game]):
                raise BadJob(f"this thinker works by other rules of {job.game.id}")
            return {
                "name": name,
                "answer": job.tell(
                    await self._thinking.work_out(job.work, urgency=taken.urgency, whose=taken.entry)
                ),
            }
        except BadJob as error:
            log.warning("a job was refused: %s", error)
            return {"name": name, "refused": str(error)}
        except Exception as error:
            log.exception("a job could not be worked out")
            return {"name": name, "refused": f"it could not be worked out ({type(error).__name__})"}
