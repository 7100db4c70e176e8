"""Thinkers: processes on any machine that take jobs from Redis, and how a server hears their answers.

Every game has a stream for each urgency, and every version of its rules has its own: a thinker takes only
what it knows. A thinker that dies leaves what it had begun to another (`TAKE`), and an answer is given once
(`DONE`). Nothing of value lives in Redis: a server that hears nothing in time thinks itself.
"""

import asyncio
import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

from ...game import Game, list_games
from ..processes.redis_link import PREFIX, RedisLink
from ..tables.snapshots import fingerprint
from . import jobs
from .jobs import BadJob, Job
from .queue import Spent, Turns, Unanswered, Urgency

log = logging.getLogger("teerling")

Answer = TypeVar("Answer")
GROUP = "thinkers"
THERE = f"{PREFIX}thinkers"
"""The names of all thinkers; what each says of itself stands beside it, and expires."""
SAID_EVERY, EXPIRES = 0.4, 2.0
"""Seconds between two times that a thinker says that it is there, and after which it is not believed."""
WAITS = 0.5
"""Seconds that somebody waits for something in Redis before looking around again."""
TAKEN_OVER = 1.5
"""Seconds after which a job is taken over of whose thinker nothing was heard."""
PATIENCE = {Urgency.MOVE: 5.0, Urgency.HINT: 6.0, Urgency.REVIEW: 30.0, Urgency.LEISURE: 60.0}
"""Seconds that an answer may take longer than the work itself."""
MOST_OF_ONE = 3
"""How many jobs of one person a server has told at once."""
AHEAD = 2
"""For every place of a thinker a server tells so many jobs, so that no thinker waits for the next."""
ANSWERS_KEPT = 60.0

TAKE = """
for _, stream in ipairs(KEYS) do
  local begun = redis.call('XAUTOCLAIM', stream, ARGV[1], ARGV[2], ARGV[3], '0-0', 'COUNT', 1)[2][1]
  if not begun then
    local new = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', 1, 'STREAMS', stream, '>')
    begun = new and new[1][2][1]
  end
  if begun then
    local now = redis.call('TIME')
    return {stream, begun[1], begun[2], now[1] .. '.' .. string.format('%06d', now[2])}
  end
end
return false
"""
"""The most urgent job: one that somebody had begun who is gone, or a new one; and what time it is there."""
DONE = """
if redis.call('XACK', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('XDEL', KEYS[1], ARGV[2])
if ARGV[3] ~= '' then
  redis.call('RPUSH', KEYS[2], ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
end
return 1
"""
"""Answers a job, unless somebody else has or nobody waits any more."""

EVERYBODY = """
local there = {}
local names = redis.call('SMEMBERS', KEYS[1])
table.sort(names)
for _, name in ipairs(names) do
  local said = redis.call('GET', KEYS[1] .. ':' .. name)
  if said and redis.call('PTTL', KEYS[1] .. ':' .. name) <= tonumber(ARGV[1]) then
    table.insert(there, name)
    table.insert(there, said)
  elseif not said then
    redis.call('SREM', KEYS[1], name)
  end
end
return there
"""
"""Who is there, and what they say of themselves.

What expires later than anything does was said before the clock of Redis was set back: who lives says it anew.
"""


def stream_of(game: Game, urgency: Urgency) -> str:
    """Where jobs wait that are about a game by these rules."""
    return f"{PREFIX}think:{urgency.value}:{game.id}:{fingerprint(game)[:16]}"


def streams_of(games: Iterable[Game], least: Urgency = Urgency.LEISURE) -> list[str]:
    """Where all jobs wait that are about some games and so urgent at least, the most urgent first."""
    known = list(games)
    return [stream_of(game, urgency) for urgency in Urgency if urgency <= least for game in known]


@dataclass(frozen=True)
class Thinker:
    """What a thinker says of itself."""

    name: str
    places: int
    """How many jobs it works out at once."""
    rules: dict[str, str]
    """The games it is ready for, and the fingerprints of their rules."""

    def written(self) -> str:
        return json.dumps({"places": self.places, "rules": self.rules})

    @classmethod
    def read(cls, name: str, text: str) -> "Thinker":
        """What a thinker said; one that cannot be understood knows nothing."""
        try:
            told = json.loads(text)
            return cls(name, int(told["places"]), dict(told["rules"]))
        except (ValueError, LookupError, TypeError):
            return cls(name, 0, {})

    def knows(self, game: Game) -> bool:
        return self.rules.get(game.id) == fingerprint(game)


@dataclass(eq=False)
class Told:
    """A job that was told, and whoever waits for its answer."""

    stream: str
    entry: str
    answer: asyncio.Future[Any]

    @property
    def is_answered(self) -> bool:
        return self.answer.done() and not self.answer.cancelled() and self.answer.exception() is None


class Thinkers:
    """The thinkers as a server knows them; see `thinking.Elsewhere`."""

    def __init__(self, link: RedisLink, spent: Spent) -> None:
        self._link = link
        self._answers = f"{PREFIX}answers:{link.own_name}"
        self._turns = Turns(0, spent, MOST_OF_ONE)
        self._there: tuple[Thinker, ...] = ()
        self._told: dict[str, Told] = {}
        self._numbers = count()
        self._closed = False
        self._tasks: list[asyncio.Task[None]] = []
        self._strangers: set[tuple[str, str]] = set()
        """Thinkers of other rules that were spoken of."""

    async def start(self) -> None:
        await self._look_around()
        self._tasks = [asyncio.create_task(task) for task in (self._keep_looking(), self._keep_hearing())]

    async def stop(self) -> None:
        # Whoever is told in the middle of a command may miss that it is over.
        self._closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._alone("the server stops")

    def know(self, game: Game) -> bool:
        """Whether a thinker is there that works by the same rules of a game."""
        return any(thinker.knows(game) for thinker in self._there)

    async def work_out(self, job: Job[Answer], urgency: Urgency, whose: str) -> Answer:
        """The answer to a job; Unanswered if there is none in time."""
        within = job.seconds + PATIENCE[urgency]
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(within):
                ticket = await self._turns.take(urgency, whose)
        except TimeoutError:
            raise Unanswered("all thinkers are busy") from None
        given = loop.time()
        try:
            return await self._asked(job, urgency, within - (given - began))
        finally:
            self._turns.ended(ticket, loop.time() - given)

    async def _asked(self, job: Job[Answer], urgency: Urgency, within: float) -> Answer:
        """Tells a job, and waits for its answer."""
        name, stream = f"{next(self._numbers)}", stream_of(job.game, urgency)
        written = await asyncio.to_thread(_written, job)
        fields: Any = {"name": name, "job": written, "to": self._answers, "within": f"{within:.3f}"}
        # The answer may be heard sooner than where the job stands.
        told = self._told[name] = Told(stream, "", asyncio.get_running_loop().create_future())
        try:
            with self._link.surviving():
                told.entry = str(await self._link.client.xadd(stream, fields))
            if not told.entry:
                raise Unanswered("Redis is gone")
            async with asyncio.timeout(within):
                answer = await told.answer
            return jobs.answered(job, answer)
        except TimeoutError:
            raise Unanswered(f"no thinker answered within {within:.1f} s") from None
        except BadJob as error:
            raise Unanswered(str(error)) from None
        finally:
            del self._told[name]
            if not told.is_answered and told.entry:
                await self._withdraw(told)

    async def _withdraw(self, told: Told) -> None:
        """Nobody need begin what nobody waits for."""
        with self._link.surviving():
            async with self._link.client.pipeline() as all_at_once:
                all_at_once.xack(told.stream, GROUP, told.entry)
                all_at_once.xdel(told.stream, told.entry)
                await all_at_once.execute()

    async def _keep_looking(self) -> None:
        while not self._closed:
            await asyncio.sleep(SAID_EVERY)
            await self._look_around()

    async def _look_around(self) -> None:
        """Who is there now; what was told to nobody is worked out here."""
        there: list[Thinker] = []
        with self._link.surviving():
            there = await everybody(self._link)
        known = tuple(each for each in there if any(map(each.knows, list_games())))
        for each in there:
            self._speak_of(each)
        self._there = known
        self._turns.places = AHEAD * sum(each.places for each in known)
        if not known:
            self._alone("there is no thinker any more")

    def _speak_of(self, thinker: Thinker) -> None:
        """Says once that a thinker works by other rules."""
        for game in list_games():
            other = thinker.rules.get(game.id)
            if (
                other is not None
                and not thinker.knows(game)
                and (thinker.name, game.id) not in self._strangers
            ):
                self._strangers.add((thinker.name, game.id))
                log.warning(
                    "the thinker %s works by other rules of %s (%s) than this server (%s): it gets no jobs",
                    thinker.name, game.id, other[:16], fingerprint(game)[:16],
                )  # fmt: skip

    def _alone(self, why: str) -> None:
        for told in self._told.values():
            if not told.answer.done():
                told.answer.set_exception(Unanswered(why))

    async def _keep_hearing(self) -> None:
        while not self._closed:
            heard = None
            with self._link.surviving():
                heard = await self._link.client.blpop([self._answers], timeout=WAITS)
                self._hear(None if heard is None else str(heard[1]))
            if heard is None:
                await asyncio.sleep(0 if self._link.is_there else WAITS)

    def _hear(self, text: str | None) -> None:
        """Gives an answer to whoever waits for it; one that nobody waits for is dropped."""
        if text is None:
            return
        try:
            answer = json.loads(text)
            told = self._told.get(answer["name"])
        except (ValueError, KeyError, TypeError):
            log.warning("what was heard is no answer: %.80s", text)
            return
        if told is None or told.answer.done():
            return
        if "refused" in answer:
            told.answer.set_exception(Unanswered(f"a thinker says: {answer['refused']}"))
        else:
            told.answer.set_result(answer.get("answer"))


def _written(job: Job[Any]) -> str:
    return json.dumps(jobs.told(job), separators=(",", ":"))


async def everybody(link: RedisLink) -> list[Thinker]:
    """All thinkers that are there."""
    told: Any = await link.client.eval(EVERYBODY, 1, THERE, int(1000 * EXPIRES))
    return [Thinker.read(name, text) for name, text in zip(told[::2], told[1::2], strict=True)]
