"""Reviews on a server: worked out once and kept, in a bounded queue, and only while somebody waits."""

import asyncio
import multiprocessing
import os
import random
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

import pytest

from teerling.game import Game
from teerling.lab.review import Budget, Review, Reviewing, warm_up
from teerling.server.afterwards import reviews
from teerling.server.afterwards.reviews import NotOver, Reviews, Standing
from teerling.server.database.records import Records
from teerling.server.database.storage import Storage
from teerling.server.refusals import Full, TooFast
from teerling.server.tables import opening
from teerling.server.tables.opening import Place
from teerling.server.tables.registry import Registry
from teerling.server.tables.table import Table
from teerling.server.thinking import jobs
from teerling.server.thinking.aside import Aside
from teerling.server.thinking.jobs import Job
from teerling.server.thinking.queue import Thinking, Urgency

Answer = TypeVar("Answer")
LEAST = Budget(playouts=4)
ENDLESS = Budget(playouts=10_000)
ALONE = [Place("me"), Place("bot", level="random")]


@pytest.fixture(autouse=True)
def shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is new is shown, however little time went by."""
    monkeypatch.setattr(reviews, "SHOWN_EVERY", 1e-9)


def played_out(storage: Storage, seed: int = 1) -> Table:
    """A table whose match is over."""
    storage.save_person("a" * 24, "Anne")
    options = {"goal": "9"}
    table = opening.create(storage, "rapido", ALONE, "a" * 24, "Anne", options, seed=f"{seed}")[0]
    chooser = random.Random(seed)
    while table.match.turn is not None:
        table.push(table.match.turn, chooser.choice(table.match.legal_moves).text, by_bot=True)
    return table


class Here(Aside):
    """Works jobs out in a thread of this process, which needs no other that has to begin."""

    def __init__(self) -> None:
        super().__init__(1)
        self.worked: list[Job[Any]] = []

    async def prepare(self, game: Game) -> None:
        await asyncio.to_thread(warm_up, game)

    async def work_out(self, job: Job[Answer]) -> Answer:
        self.worked.append(job)
        return await asyncio.to_thread(job.work)


@asynccontextmanager
async def reviewing(
    storage: Storage, budget: Budget = LEAST, aside: Aside | None = None
) -> AsyncIterator[Reviews]:
    thinking = Thinking(aside=aside or Here())
    registry = Registry(storage, 10**8, lambda _: False, lambda _: None)
    room = Reviews(Records(storage), registry, thinking, budget)
    yield room
    await room.stop()
    thinking.stop()


async def until(room: Reviews, table: Table, enough: Callable[[Standing], bool]) -> Standing:
    """Asks until the standing of a review is so."""
    while not enough(standing := await room.ask(table.id, table.match, "anne", stored=True)):
        await asyncio.sleep(0.01)
    return standing


def test_a_review_asked_for_a_hundred_times_at_once_is_worked_out_once_and_kept(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = played_out(storage)
    begun: list[object] = []

    class Counted(Reviewing):
        def __init__(self, *given: object, **more: object) -> None:
            begun.append(given)
            super().__init__(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs, "Reviewing", Counted)
    jobs.begun.cache_clear()

    async def ask() -> Review | None:
        async with reviewing(storage) as room:
            asked = [room.ask(table.id, table.match, f"person {n}", stored=True) for n in range(100)]
            assert not any(standing.complete for standing in await asyncio.gather(*asked))
            found = await until(room, table, lambda standing: standing.complete)
            kept = await room.of(table.id)
            assert kept is not None
            assert found.review is not None
            assert kept.kept() == found.review.kept()
        async with reviewing(storage) as room:
            return await room.of(table.id)

    kept = asyncio.run(ask())
    assert len(begun) == 1
    assert kept is not None
    assert kept.playouts == LEAST.playouts
    for seat in kept.seats:
        assert seat.start + seat.luck + seat.own + seat.others == pytest.approx(seat.result, abs=1e-9)
    assert kept.kept() == Review.of(table.match, kept.kept()).kept()


def test_a_review_goes_on_where_it_was_when_the_server_stopped(storage: Storage) -> None:
    table = played_out(storage)

    async def halfway() -> None:
        async with reviewing(storage, ENDLESS) as room:
            await until(room, table, lambda standing: standing.review is not None)
            assert await room.of(table.id) is None

    asyncio.run(halfway())
    row = Records(storage).review(table.id)
    assert row is not None
    assert not row.complete
    assert row.kept["playouts"] > 0

    more = Budget(playouts=64)

    async def goes_on() -> Standing:
        async with reviewing(storage, more) as room:
            return await until(room, table, lambda standing: standing.complete)

    found = asyncio.run(goes_on()).review
    assert found is not None
    alone = Reviewing(table.match, more)
    assert list(alone.work())[-1] == 1.0
    assert found.kept()["luck"] == alone.review().kept()["luck"]
    assert {each.place for each in found.judgements} == set(alone.judgements)


def test_a_server_that_is_killed_has_kept_what_was_worked_out(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "KEPT_EVERY", -1.0)
    table = played_out(storage)

    async def look() -> None:
        async with reviewing(storage, ENDLESS) as room:
            await until(room, table, lambda _: Records(storage).review(table.id) is not None)
            assert room.waiting == 1, "it is still being worked out"
            row = Records(storage).review(table.id)
            assert row is not None
            assert Reviewing(table.match, LEAST, kept=row.kept).curve is not None

    asyncio.run(look())


def test_whoever_asks_again_while_a_review_is_worked_out_has_nothing_read(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, read = played_out(storage), []
    find = Records.review

    def noted(records: Records, table_id: str) -> object:
        read.append(table_id)
        return find(records, table_id)

    monkeypatch.setattr(Records, "review", noted)

    async def ask() -> None:
        async with reviewing(storage, ENDLESS) as room:
            await until(room, table, lambda standing: standing.review is not None)
            read.clear()
            for _ in range(10):
                assert not (await room.ask(table.id, table.match, "anne", stored=True)).complete

    asyncio.run(ask())
    assert read == []


def test_a_review_that_nobody_waits_for_is_left_and_kept(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = played_out(storage)

    async def leave() -> None:
        async with reviewing(storage, ENDLESS) as room:
            await until(room, table, lambda standing: standing.review is not None)
            monkeypatch.setattr(reviews, "ABSENT", 0.0)
            while room.waiting:
                await asyncio.sleep(0.01)
            row = Records(storage).review(table.id)
            assert row is not None
            assert not row.complete

    asyncio.run(leave())


def test_the_queue_is_bounded_and_whoever_comes_too_late_is_told_so(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [played_out(storage, seed) for seed in range(4)]
    monkeypatch.setattr(reviews, "MOST_WAITING", 3)
    monkeypatch.setattr(reviews, "MOST_OF_ONE", 2)

    async def ask() -> None:
        async with reviewing(storage) as room:
            first, second, third, fourth = tables
            standings = [await room.ask(t.id, t.match, "anne", stored=True) for t in (first, second)]
            assert [standing.before for standing in standings] == [0, 1]
            with pytest.raises(TooFast, match="you wait for 2 reviews"):
                await room.ask(third.id, third.match, "anne", stored=True)
            await room.ask(third.id, third.match, "bea", stored=True)
            with pytest.raises(Full, match="3 reviews are waited for"):
                await room.ask(fourth.id, fourth.match, "cem", stored=True)
            await room.ask(first.id, first.match, "cem", stored=True)
            await until(room, first, lambda standing: standing.complete)
            await room.ask(fourth.id, fourth.match, "cem", stored=True)

    asyncio.run(ask())


def test_every_review_has_a_curve_before_any_is_refined(storage: Storage) -> None:
    tables = [played_out(storage, seed) for seed in range(3)]

    async def ask() -> None:
        async with reviewing(storage, ENDLESS) as room:
            for table in tables:
                await room.ask(table.id, table.match, "here", stored=True)
            last = await until(room, tables[-1], lambda standing: standing.curve is not None)
            assert last.review is None
            standings = [await room.ask(t.id, t.match, "here", stored=True) for t in tables]
            assert all(standing.curve is not None for standing in standings)
            assert max(standing.done for standing in standings) < 0.1

    asyncio.run(ask())


def test_a_review_takes_no_place_of_bots_and_hints(storage: Storage) -> None:
    table = played_out(storage)

    class Never(Here):
        """Does not answer."""

        async def work_out(self, job: Job[Answer]) -> Answer:
            self.worked.append(job)
            never: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
            return await never

    async def ask() -> list[str]:
        aside = Never()
        async with reviewing(storage, ENDLESS, aside) as room:
            while not aside.worked:
                await room.ask(table.id, table.match, "anne", stored=True)
                await asyncio.sleep(0.01)
            others = (Urgency.HINT, Urgency.MOVE)
            return await asyncio.gather(
                *(room.thinking.work_out(str.lower, each.name, urgency=each) for each in others)
            )

    assert asyncio.run(asyncio.wait_for(ask(), 60)) == ["hint", "move"]


def test_a_review_lets_tables_go_first_while_the_server_is_behind(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "BEHIND", -1.0)
    monkeypatch.setattr(reviews, "PATIENT", 1000.0)
    table = played_out(storage)

    async def ask() -> None:
        aside = Here()
        async with reviewing(storage, LEAST, aside) as room:
            await until(room, table, lambda standing: not standing.preparing)
            await asyncio.sleep(0.5)
            assert not aside.worked
            monkeypatch.setattr(reviews, "BEHIND", 1000.0)
            await until(room, table, lambda standing: standing.complete)

    asyncio.run(ask())


def test_a_review_is_worked_out_by_a_process_aside_and_goes_on_when_that_is_killed(storage: Storage) -> None:
    table = played_out(storage)

    def helpers() -> list[BaseProcess]:
        return [each for each in multiprocessing.active_children() if each.name == "aside"]

    async def ask() -> Standing:
        async with reviewing(storage, Budget.of(64), Aside(1)) as room:
            await until(room, table, lambda standing: standing.review is not None)
            (helper,) = helpers()
            assert helper.pid is not None
            assert os.getpriority(os.PRIO_PROCESS, helper.pid) > os.getpriority(os.PRIO_PROCESS, 0)
            if sys.platform == "linux":
                assert os.sched_getscheduler(helper.pid) == os.SCHED_IDLE, "it has only what nobody wants"
            helper.kill()
            found = await until(room, table, lambda standing: standing.complete or standing.failed)
            assert helper.pid not in [each.pid for each in helpers()]
            return found

    found = asyncio.run(ask()).review
    assert found is not None
    alone = Reviewing(table.match, 64)
    assert list(alone.work())[-1] == 1.0
    assert found.kept()["luck"] == alone.review().kept()["luck"]
    assert not helpers(), "the process ends with who asked it"


def test_a_match_that_is_not_over_has_no_review(storage: Storage) -> None:
    storage.save_person("a" * 24, "Anne")
    table = opening.create(storage, "rapido", ALONE, "a" * 24, "Anne", {})[0]

    async def ask() -> None:
        async with reviewing(storage) as room:
            with pytest.raises(NotOver, match="only then can it be reviewed"):
                await room.ask(table.id, table.match, "anne", stored=True)
            assert await room.of(table.id) is None

    asyncio.run(ask())
