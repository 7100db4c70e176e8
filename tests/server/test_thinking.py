"""Thinking: the most urgent first, fair to everybody, and nothing for those who no longer wait."""

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from teerling.server.thinking.queue import Thinking, Urgency

Order = list[str]


def while_busy(then: Callable[[Thinking, Order], Awaitable[None]], monkeypatch: pytest.MonkeyPatch) -> Order:
    """In which order things are worked out that were asked for while the only thread was busy."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    order: Order = []

    async def play() -> None:
        thinking, gate = Thinking(), threading.Event()
        busy = asyncio.create_task(thinking.work_out(gate.wait, 10.0, whose="Ank"))
        await asyncio.sleep(0.05)
        asked = asyncio.ensure_future(then(thinking, order))
        await asyncio.sleep(0.05)
        gate.set()
        await asyncio.gather(busy, asked)
        thinking.stop()

    asyncio.run(play())
    return order


def test_a_table_that_waits_goes_before_a_hint_and_a_hint_before_a_review(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def ask(thinking: Thinking, order: Order) -> None:
        await asyncio.gather(
            *(
                thinking.work_out(order.append, urgency.name, urgency=urgency, whose="Ank")
                for urgency in sorted(Urgency, reverse=True)
            )
        )

    assert while_busy(ask, monkeypatch) == ["MOVE", "HINT", "REVIEW", "LEISURE"]


def test_whoever_had_least_worked_out_lately_is_next(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(thinking: Thinking, order: Order) -> None:
        people = ["Ank", "Ank", "Bes"]
        await asyncio.gather(*(thinking.work_out(order.append, name, whose=name) for name in people))

    assert while_busy(ask, monkeypatch) == ["Bes", "Ank", "Ank"]


def test_what_nobody_waits_for_any_more_is_not_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(thinking: Thinking, order: Order) -> None:
        gone = asyncio.create_task(thinking.work_out(order.append, "gone", whose="Ank"))
        stays = asyncio.create_task(thinking.work_out(order.append, "stays"))
        await asyncio.sleep(0.01)
        gone.cancel()
        await asyncio.gather(gone, stays, return_exceptions=True)

    assert while_busy(ask, monkeypatch) == ["stays"]


def test_a_thread_that_works_for_nobody_is_not_given_away_before_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)

    async def play() -> Order:
        thinking, gate, order = Thinking(), threading.Event(), Order()
        left = asyncio.create_task(thinking.work_out(gate.wait, 10.0))
        await asyncio.sleep(0.05)
        left.cancel()
        await asyncio.sleep(0.05)
        first = asyncio.create_task(thinking.work_out(order.append, "review", urgency=Urgency.REVIEW))
        await asyncio.sleep(0.05)
        second = asyncio.create_task(thinking.work_out(order.append, "move"))
        await asyncio.sleep(0.05)
        gate.set()
        await asyncio.gather(first, second)
        thinking.stop()
        return order

    assert asyncio.run(play()) == ["move", "review"]


def test_somebody_who_would_wait_for_others_only_goes_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the others think: the gate opens only when the answer is there."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)

    async def play() -> None:
        thinking, gate = Thinking(), threading.Event()
        long = [asyncio.create_task(thinking.work_out(gate.wait, 10.0, whose=f"here {n}")) for n in range(3)]
        await asyncio.sleep(0.05)
        leisure = thinking.work_out(str, "late", urgency=Urgency.LEISURE, whose="there")
        late = asyncio.create_task(leisure)
        assert await asyncio.wait_for(thinking.work_out(str, "soon", whose="there Bes"), 5) == "soon"
        assert not late.done()
        gate.set()
        assert await asyncio.gather(*long) == [True] * 3
        assert await late == "late"
        thinking.stop()

    asyncio.run(play())


def test_an_address_has_one_share_however_many_people_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(thinking: Thinking, order: Order) -> None:
        people = ["Ank one", "Ank two", "Bes three"]
        await asyncio.gather(
            *(thinking.work_out(order.append, name, whose=name, urgency=Urgency.REVIEW) for name in people)
        )

    assert while_busy(ask, monkeypatch)[0] == "Bes three"
