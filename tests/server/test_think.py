"""Thinking elsewhere: jobs are plain data, thinkers take them from Redis, and no table waits in vain."""

import asyncio
import json
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Self

import pytest
from redis import Redis

import teerling
from teerling import lab, players
from teerling.game import Game, game, list_games
from teerling.lab.review import Budget, Review
from teerling.server.processes.redis_link import RedisLink
from teerling.server.thinking import jobs, thinkers
from teerling.server.thinking import process as think
from teerling.server.thinking.jobs import (
    Advising,
    BadJob,
    Choosing,
    Job,
    Reasoning,
    ReviewPart,
    answered,
    told,
    understood,
)
from teerling.server.thinking.process import Mind
from teerling.server.thinking.queue import Spent, Thinking, Turns, Urgency
from teerling.server.thinking.thinkers import DONE, GROUP, THERE, Thinker, Thinkers, stream_of
from teerling.server.watch.metrics import THOUGHT
from tests.chaos.faults import free_port
from tests.server.houses import house_of, opened
from tests.server.redis_server import RedisServer, redis_server

RAPIDO = game("rapido")
QUICK = players.Search("quick", "", 20)


def known(of: Game = RAPIDO) -> players.Observation:
    """What a seat knows in the middle of a match, with several moves to choose between."""
    match, chooser = teerling.new(of.id, seed=3), random.Random(3)
    while len(match.legal_moves) < 2 or len(match.history) < 12:
        match.push(chooser.choice(match.legal_moves))
    return players.observe(match)


def finished() -> teerling.Match:
    match = teerling.new("rapido", players=2, seed=7, goal="9")
    chooser = random.Random(1)
    while not match.over:
        match.push(chooser.choice(match.legal_moves))
    return match


def through_json(plain: Any) -> Any:
    return json.loads(json.dumps(plain, allow_nan=False))


# Jobs


@pytest.mark.parametrize("of", list_games(), ids=lambda of: of.id)
def test_a_job_that_was_told_is_the_same_job(of: Game) -> None:
    knows = known(of)
    estimates = [players.MoveEstimate(move, 7, 0.1, 2.5, 0.3) for move in knows.legal_moves]
    search = players.level("master")
    assert isinstance(search, players.Search)
    for job in (
        Choosing(search, knows, 2**61 + 1),
        Advising(players.Search("endless", "", 9), knows, 5),
        Reasoning(knows, estimates[0], estimates[1], 5),
    ):
        again = understood(through_json(told(job)))
        assert type(again) is type(job)
        assert again.game is of
        assert told(again) == told(job)
        assert again.knows.seen == knows.seen  # type: ignore[attr-defined]
        assert again.knows.legal_moves == knows.legal_moves  # type: ignore[attr-defined]


def test_an_answer_that_was_told_is_the_same_answer() -> None:
    knows = known()
    choosing, advising = Choosing(QUICK, knows, 5), Advising(QUICK, knows, 5)
    choice, hint = choosing.work(), advising.work()
    assert answered(choosing, through_json(choosing.tell(choice))) == choice
    assert answered(advising, through_json(advising.tell(hint))) == hint
    reasoning = Reasoning(knows, hint.estimates[0], hint.estimates[1], 5)
    reason = reasoning.work()
    assert answered(reasoning, through_json(reasoning.tell(reason))) == reason


def test_a_review_in_parts_on_any_machine_is_the_review() -> None:
    match, kept, parts = finished(), None, 0
    while True:
        part = understood(through_json(told(ReviewPart(match, Budget(32, 600.0), kept, 0.0))))
        found = answered(part, through_json(part.tell(part.work())))
        kept, parts = found.kept, parts + 1
        if found.done == 1.0:
            break
    assert parts > 2
    assert found.review is not None
    assert Review.of(match, found.review).seats == lab.review(match, budget=32).seats


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"kind": "dance"}, "no kind 'dance'"),
        ({"game": "chess"}, "chess"),
        ({"knows": {"seat": 0, "seen": "AAAA"}}, "bytes, not 3"),
        ({"knows": {"seat": 0, "seen": "é"}}, "choice"),
        ({"knows": None}, "choice"),
        ({"search": {"name": "a", "playouts": 0, "seconds": None, "settings": {}}}, "0 playouts"),
        ({"search": {"name": "a", "playouts": 1, "seconds": None, "settings": {"magic": 1}}}, "magic"),
        ({"seed": "tomorrow"}, "tomorrow"),
    ],
)
def test_what_is_no_job_is_refused_with_a_sentence(change: dict[str, Any], why: str) -> None:
    with pytest.raises(BadJob, match=why):
        understood({**told(Choosing(QUICK, known(), 5)), **change})


def test_a_seat_that_is_not_to_move_is_no_job() -> None:
    knows = known()
    with pytest.raises(BadJob, match="is not to move"):
        understood(told(Choosing(QUICK, replace(knows, seat=1 - knows.seat), 5)))


@pytest.mark.parametrize("answer", [None, [], {"move": "fly", "estimates": []}, {"move": "throw"}])
def test_what_is_no_answer_is_refused(answer: Any) -> None:
    with pytest.raises(BadJob, match="no answer to a choice"):
        answered(Choosing(QUICK, known(), 5), answer)


def test_one_person_has_a_few_places_only() -> None:
    async def ask() -> None:
        turns = Turns(10, Spent(), most_of_one=3)
        tickets = [asyncio.create_task(turns.take(Urgency.MOVE, "here Anne")) for _ in range(5)]
        other = asyncio.create_task(turns.take(Urgency.REVIEW, "here Bas"))
        await asyncio.sleep(0.01)
        assert [ticket.done() for ticket in (*tickets, other)] == [True] * 3 + [False] * 2 + [True]
        turns.ended(tickets[0].result(), 0.1)
        await asyncio.sleep(0.01)
        assert [ticket.done() for ticket in tickets] == [True] * 4 + [False]
        tickets[4].cancel()

    asyncio.run(ask())


# Thinkers


@cache
def client_of(redis: RedisServer) -> Any:
    """Looks into a Redis; it connects anew by itself."""
    return Redis.from_url(redis.url, decode_responses=True)


@pytest.fixture(scope="module")
def shared_redis() -> Iterator[RedisServer]:
    with redis_server() as made:
        yield made


@pytest.fixture
def redis(shared_redis: RedisServer) -> RedisServer:
    client_of(shared_redis).flushall()
    return shared_redis


@dataclass(frozen=True)
class Noted(Job[str]):
    """A job that says what it is, when it may."""

    kind = "noted"
    text: str
    order: list[str] = field(default_factory=list)
    gates: dict[str, threading.Event] = field(default_factory=dict)

    @property
    def game(self) -> Game:
        return RAPIDO

    @property
    def seconds(self) -> float:
        return 0.0

    def work(self) -> str:
        self.order.append(self.text)
        if self.text in self.gates:
            self.gates[self.text].wait(20)
        return f"{self.text} is worked out"

    def told(self) -> dict[str, Any]:
        return {"text": self.text}

    @classmethod
    def of(cls, game: Game, told: Mapping[str, Any]) -> Self:
        return cls(told["text"], cls_order, cls_gates)

    def tell(self, answer: str) -> Any:
        return f"{answer} elsewhere"

    def heard(self, told: Any) -> str:
        return str(told)


cls_order: list[str] = []
"""What thinkers began, in that order."""
cls_gates: dict[str, threading.Event] = {}
"""What has to wait there."""


@pytest.fixture
def order(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What thinkers of this process began; nothing is compiled, and there is time enough."""
    monkeypatch.setitem(jobs.KINDS, "noted", Noted)
    monkeypatch.setattr(think, "warm_up", lambda game: None)
    monkeypatch.setattr(thinkers, "PATIENCE", dict.fromkeys(Urgency, 20.0))
    cls_order.clear()
    cls_gates.clear()
    yield cls_order
    for gate in cls_gates.values():
        gate.set()


@asynccontextmanager
async def server(redis: RedisServer, name: str = "server") -> AsyncIterator[Thinking]:
    """The thinking of a server that has thinkers."""
    link, thinking = RedisLink(redis.url, name), Thinking(threads=2)
    thinking.elsewhere = room = Thinkers(link, thinking.spent)
    await link.start()
    await room.start()
    yield thinking
    await room.stop()
    await link.stop()
    thinking.stop()


@asynccontextmanager
async def thinker(redis: RedisServer, name: str = "thinker") -> AsyncIterator[Mind]:
    """A thinker in this process."""
    mind = Mind(RedisLink(redis.url, name), [RAPIDO], threads=1)
    await mind.start()
    yield mind
    await mind.stop()


async def until(done: Callable[[], bool], seconds: float = 20.0) -> None:
    async with asyncio.timeout(seconds):
        while not done():
            await asyncio.sleep(0.01)


def test_what_is_urgent_is_taken_first(
    redis: RedisServer, order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinkers, "AHEAD", 10)
    cls_gates["first"] = threading.Event()

    async def ask() -> list[str]:
        async with thinker(redis), server(redis) as thinking:
            await until(lambda: thinking.is_helped(RAPIDO))
            asked = [asyncio.create_task(thinking.think(Noted("first")))]
            await until(lambda: bool(order))
            for urgency in reversed(Urgency):
                asked.append(asyncio.create_task(thinking.think(Noted(urgency.name), urgency, urgency.name)))
                stream = stream_of(RAPIDO, urgency)
                await until(lambda stream=stream: client_of(redis).xlen(stream) > 0)  # type: ignore[misc]
            cls_gates["first"].set()
            return await asyncio.gather(*asked)

    answers = asyncio.run(ask())
    assert order == ["first", "MOVE", "HINT", "REVIEW", "LEISURE"]
    assert answers[0] == "first is worked out elsewhere"


def test_a_move_does_not_wait_for_a_review(redis: RedisServer, order: list[str]) -> None:
    cls_gates["review"] = threading.Event()

    async def ask() -> None:
        async with thinker(redis), server(redis) as thinking:
            await until(lambda: thinking.is_helped(RAPIDO))
            review = asyncio.create_task(thinking.think(Noted("review"), Urgency.REVIEW, "Anne"))
            await until(lambda: order == ["review"])
            assert await thinking.think(Noted("move"), Urgency.MOVE, "Bas") == "move is worked out elsewhere"
            assert not review.done()
            cls_gates["review"].set()
            await review

    asyncio.run(ask())


def pretend(redis: RedisServer, rules: dict[str, str], name: str = "sleeper") -> None:
    """A thinker that says that it is there, and does nothing."""
    client_of(redis).set(f"{THERE}:{name}", Thinker(name, 4, rules).written())
    client_of(redis).sadd(THERE, name)


def test_where_no_thinker_answers_in_time_the_server_thinks_itself(
    redis: RedisServer, order: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(thinkers, "PATIENCE", dict.fromkeys(Urgency, 0.2))
    pretend(redis, {"rapido": thinkers.fingerprint(RAPIDO)})

    async def ask() -> str:
        async with server(redis) as thinking:
            assert thinking.is_helped(RAPIDO)
            return await thinking.think(Noted("move"))

    with caplog.at_level(logging.WARNING, "teerling"):
        assert asyncio.run(ask()) == "move is worked out"
    assert "the server thinks itself about a noted of rapido: no thinker answered within" in caplog.text
    assert client_of(redis).xlen(stream_of(RAPIDO, Urgency.MOVE)) == 0


def test_a_thinker_of_other_rules_is_named_and_gets_no_jobs(
    redis: RedisServer, order: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    pretend(redis, {"rapido": "f00d" * 16})

    async def ask() -> str:
        async with server(redis) as thinking:
            assert not thinking.is_helped(RAPIDO)
            return await thinking.think(Noted("move"))

    with caplog.at_level(logging.WARNING, "teerling"):
        assert asyncio.run(ask()) == "move is worked out"
    assert "the thinker sleeper works by other rules of rapido (f00df00df00df00d)" in caplog.text
    assert not client_of(redis).keys("teerling:think:*")


def test_a_dead_thinker_is_not_believed_because_the_clock_of_redis_was_set_back(redis: RedisServer) -> None:
    pretend(redis, {"rapido": thinkers.fingerprint(RAPIDO)}, "dead")
    client_of(redis).pexpire(f"{THERE}:dead", 3_600_000)
    pretend(redis, {"rapido": thinkers.fingerprint(RAPIDO)}, "alive")
    client_of(redis).pexpire(f"{THERE}:alive", 2000)

    async def look() -> list[str]:
        link = RedisLink(redis.url, "server")
        found = [thinker.name for thinker in await thinkers.everybody(link)]
        await link.stop()
        return found

    assert asyncio.run(look()) == ["alive"]


def job_in(redis: RedisServer, stream: str, job: Any, within: float = 20.0) -> None:
    client_of(redis).xadd(stream, {"name": "1", "job": json.dumps(job), "to": "answers", "within": within})


def test_a_thinker_refuses_what_it_cannot_do_and_goes_on(redis: RedisServer, order: list[str]) -> None:
    stream = stream_of(RAPIDO, Urgency.MOVE)
    job_in(redis, stream, {"kind": "dance"})
    job_in(redis, stream, told(Choosing(QUICK, known(game("ra")), 5)))
    client_of(redis).xadd(stream, {"nothing": "of this"})
    job_in(redis, stream, {"kind": "noted", "game": "rapido", "text": "last"})

    async def ask() -> None:
        async with thinker(redis):
            await until(lambda: client_of(redis).llen("answers") == 3)

    asyncio.run(ask())
    first, second, third = map(json.loads, client_of(redis).lrange("answers", 0, -1))
    assert first["refused"] == "there is no kind 'dance' of thinking"
    assert second["refused"] == "this thinker works by other rules of ra"
    assert third == {"name": "1", "answer": "last is worked out elsewhere"}
    assert client_of(redis).xlen(stream) == 0


def test_a_job_that_is_too_late_is_not_begun(redis: RedisServer, order: list[str]) -> None:
    stream = stream_of(RAPIDO, Urgency.MOVE)
    for text, within in (("late", 0.0), ("in time", 20.0)):
        job_in(redis, stream, {"kind": "noted", "game": "rapido", "text": text}, within)
    time.sleep(0.01)

    async def ask() -> None:
        async with thinker(redis):
            await until(lambda: client_of(redis).llen("answers") == 1)

    asyncio.run(ask())
    assert order == ["in time"]


def test_a_job_is_answered_once_whoever_works_it_out(redis: RedisServer) -> None:
    client_of(redis).xgroup_create("jobs", GROUP, mkstream=True)
    entry = client_of(redis).xadd("jobs", {"name": "1"})
    client_of(redis).xreadgroup(GROUP, "one", {"jobs": ">"})
    client_of(redis).xclaim("jobs", GROUP, "two", 0, [entry])
    given = [
        client_of(redis).eval(DONE, 2, "jobs", "answers", GROUP, entry, who, 1000) for who in ("two", "one")
    ]
    assert given == [1, 0]
    assert client_of(redis).lrange("answers", 0, -1) == ["two"]


def test_without_redis_the_server_thinks_itself_and_with_it_no_more(order: list[str]) -> None:
    cls_gates["held"] = threading.Event()

    async def ask(redis: RedisServer) -> None:
        async with thinker(redis), server(redis) as thinking:
            await until(lambda: thinking.is_helped(RAPIDO))
            held = asyncio.create_task(thinking.think(Noted("held")))
            await until(lambda: order == ["held"])
            redis.kill()
            assert await held == "held is worked out"
            assert await thinking.think(Noted("next")) == "next is worked out"
            cls_gates["held"].set()
            redis.start()
            await until(lambda: thinking.is_helped(RAPIDO))
            assert await thinking.think(Noted("again")) == "again is worked out elsewhere"

    with redis_server() as own:
        asyncio.run(ask(own))


def test_a_redis_that_is_back_does_not_seem_gone_because_of_connections_that_ended_with_it() -> None:
    async def ask(redis: RedisServer) -> None:
        link = RedisLink(redis.url, "server")
        await link.start()
        try:
            await asyncio.gather(*(link.client.ping() for _ in range(5)))
            redis.kill()
            await until(lambda: not link.is_there)
            redis.start()
            await until(lambda: link.is_there)
            assert await asyncio.gather(*(link.client.ping() for _ in range(5))) == [True] * 5
        finally:
            await link.stop()

    with redis_server(free_port()) as own:
        asyncio.run(ask(own))


def test_what_nobody_waits_for_any_more_is_withdrawn(redis: RedisServer, order: list[str]) -> None:
    pretend(redis, {"rapido": thinkers.fingerprint(RAPIDO)})
    stream = stream_of(RAPIDO, Urgency.HINT)

    async def ask() -> None:
        async with server(redis) as thinking:
            asked = asyncio.create_task(thinking.think(Noted("hint"), Urgency.HINT))
            await until(lambda: client_of(redis).xlen(stream) == 1)
            asked.cancel()
            await until(lambda: client_of(redis).xlen(stream) == 0)

    asyncio.run(ask())


# Processes


@contextmanager
def processes(redis: RedisServer, count: int) -> Iterator[list["subprocess.Popen[str]"]]:
    """So many `teerling think`, each ready for Rapido."""
    start = "from teerling.cli import main; main()"
    command = [sys.executable, "-c", start, "think", "--redis", redis.url, "--game", "rapido", "--lang", "nl"]
    made = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    try:
        for each in made:
            assert each.stdout is not None
            assert each.stdout.readline().startswith("Denkt voor de servers bij")
            assert each.stdout.readline() == "Klaar voor Rapido\n"
        yield made
    finally:
        for each in made:
            each.kill()
            each.wait(60)


def pending(redis: RedisServer) -> dict[int, int]:
    """Which processes have jobs in hand, and how many."""
    stream = stream_of(RAPIDO, Urgency.MOVE)
    return {
        int(each["name"].split("-")[-2]): each["pending"]
        for each in client_of(redis).xinfo_consumers(stream, GROUP)
    }


@pytest.mark.slow
def test_what_a_killed_thinker_had_begun_another_finishes_and_then_the_server(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinkers, "PATIENCE", dict.fromkeys(Urgency, 60.0))
    job = Choosing(players.Search("patient", "", 10**7, seconds=1.5), known(), 5)
    heard: list[str] = []
    hear = Thinkers._hear
    monkeypatch.setattr(Thinkers, "_hear", lambda self, text: (text and heard.append(text), hear(self, text)))

    def kill_whoever_thinks() -> None:
        (busy,) = (pid for pid, jobs in pending(redis).items() if jobs)
        os.kill(busy, signal.SIGKILL)

    async def ask() -> None:
        async with server(redis) as thinking:
            await until(lambda: thinking.is_helped(RAPIDO))
            asked = asyncio.create_task(thinking.think(job))
            await until(lambda: any(pending(redis).values()))
            kill_whoever_thinks()
            assert (await asked).move in job.knows.legal_moves
            assert len(heard) == 1

            here: list[str] = []
            asked = asyncio.create_task(thinking.think(job, here=lambda: here.append("here") or job.work()))
            await until(lambda: any(pending(redis).values()))
            kill_whoever_thinks()
            assert (await asked).move in job.knows.legal_moves
            assert here == ["here"]
            assert len(heard) == 1

    with processes(redis, 2):
        asyncio.run(ask())


@pytest.mark.slow
def test_bots_and_hints_of_a_server_are_thought_about_elsewhere(
    redis: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def count(where: str) -> float:
        return THOUGHT.labels(where)._value.get()

    with (
        processes(redis, 1) as (process,),
        opened(tmp_path_factory.mktemp("data"), redis_url=redis.url) as client,
    ):
        house = house_of(client)
        assert house.thinking.is_helped(RAPIDO)
        elsewhere, here = count("elsewhere"), count("here") + count("after all here")
        seats = [{"kind": "me"}, {"kind": "bot", "level": "club"}]
        made = client.post(
            "/api/tables", json={"game": "rapido", "seats": seats, "options": {"first": 1}}
        ).json()
        table = made["table"]["id"]
        ends = time.monotonic() + 30
        while (found := house.registry.get(table)) is None or found.match.turn != 0:
            assert time.monotonic() < ends
            time.sleep(0.02)
        assert count("elsewhere") > elsewhere
        moved = count("elsewhere")
        headers = {"Authorization": f"Bearer {made['token']}"}
        hint = client.post(f"/api/tables/{table}/hint", headers=headers)
        assert hint.status_code == 200, hint.text
        assert count("elsewhere") == moved + 1
        assert count("here") + count("after all here") == here
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stdout is not None
        assert process.stdout.read().startswith("Deze denker is weg")


def test_what_is_no_redis_is_said_in_a_sentence() -> None:
    start = "from teerling.cli import main; main()"
    command = [sys.executable, "-c", start, "--lang", "nl", "think", "--redis", "redis://127.0.0.1:1"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.startswith("teerling: ")
    assert ended.stderr.count("\n") == 1
