"""Reviews of matches that are over: worked out once, in short pieces, while somebody waits, and kept.

The pieces are worked out by thinkers on other machines or by processes aside (`Thinking.aside`). A coarse
curve comes first for everybody who asks; then the reviews are refined in the order in which they were asked
for. What has been worked out is kept from time to time, so that a review goes on where it was when somebody
asks for it again, also after the server was started anew.
"""

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...game import Game
from ...lab.insights import decisions_of
from ...lab.luck import Numbers
from ...lab.review import Budget, Review
from ...match import Match
from ..database.records import Records
from ..database.transactions import StorageGone
from ..refusals import Full, Refused, TooFast
from ..tables.registry import Registry
from ..thinking.jobs import Reviewed, ReviewPart
from ..thinking.queue import Thinking, Urgency

log = logging.getLogger("teerling")

MOST_WAITING = 100
"""How many reviews may be worked out or wait for it."""
MOST_OF_ONE = 4
"""How many of them one person may have asked for."""
MOST_AT_ADDRESS = 40
"""How many of them may have been asked for from one address."""
ABSENT = 20.0
"""Seconds after which somebody who did not ask again no longer waits."""
KEPT_EVERY = 10.0
"""Seconds between two times that a review is kept while it is worked out."""
SHOWN_EVERY = 2.0
"""Seconds between two times that a finer review is shown."""
LOOK, BEHIND, PATIENT = 0.05, 0.02, 2.0
"""Seconds: between two looks whether tables wait, how late one may be if they do not, and how long a piece
of a review lets them go first."""
MOST_READ = 50
"""How many complete reviews are kept in memory."""


class NotOver(Refused):
    """A match that is still being played, or was not played out."""


@dataclass(frozen=True)
class Standing:
    """How far a review is."""

    done: float
    """From 0 to 1."""
    before: int = 0
    """How many reviews are refined before this one."""
    preparing: bool = False
    """Whether it waits for the rules to be compiled."""
    failed: bool = False
    number: int = 0
    """Goes up with everything that is new to be shown."""
    curve: Numbers | None = None
    """Everybody's chance to win before every move and at the end, as soon as that is roughly known."""
    review: Review | None = None
    """What is known so far; None until luck is."""

    @property
    def complete(self) -> bool:
        return self.done == 1.0


@dataclass(eq=False)
class Work:
    """A review that is being worked out, or waits for it."""

    key: str
    match: Match
    whose: str
    """Who asked for it first, and from where."""
    stored: bool
    """Whether it is a table's, and is kept in the database."""
    asked: float
    """When somebody last asked."""
    in_hand: bool = False
    progress: dict[str, Any] | None = None
    """From where it goes on; None before the first part."""
    standing: Standing = field(default_factory=lambda: Standing(0.0))
    kept: float = 0.0
    """When it was last kept."""
    found: Review | None = None
    """The complete review, until it is kept."""

    @property
    def address(self) -> str:
        return self.whose.split()[0]


class Reviews:
    """The reviews of all matches that somebody wants to look back at."""

    def __init__(
        self, records: Records, registry: Registry, thinking: Thinking, budget: Budget | None = None
    ) -> None:
        self._records = records
        self._registry = registry
        self.thinking = thinking
        self._budget = budget or Budget()
        self._works: dict[str, Work] = {}
        """In the order in which they were asked for."""
        self._read: OrderedDict[str, Review] = OrderedDict()
        self._prepared: dict[str, asyncio.Task[None]] = {}
        self._news = asyncio.Event()
        self._workers: list[asyncio.Task[None]] = []

    async def stop(self) -> None:
        """What is being worked out is kept."""
        tasks = [*self._workers, *self._prepared.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for work in list(self._works.values()):
            await self._keep(work)

    @property
    def waiting(self) -> int:
        """How many reviews are worked out or wait for it."""
        return len(self._works)

    async def of(self, table_id: str) -> Review | None:
        """The review of a table's match, if it is complete; nothing is worked out for it."""
        if table_id not in self._read:
            row = await asyncio.to_thread(self._records.review, table_id)
            if row is None or not row.complete:
                return None
            match = (await self._registry.find(table_id)).match
            self._remember(table_id, await asyncio.to_thread(Review.of, match, row.kept))
        self._read.move_to_end(table_id)
        return self._read[table_id]

    async def ask(self, key: str, match: Match, whose: str, stored: bool) -> Standing:
        """How far the review of a match is; it is begun, or goes on, unless it is complete.

        `key` is a table's id, or that of a file: only those of tables are `stored`. `whose` thinking it is:
        an address, or an address and somebody there with a blank between.
        """
        check_over(match)
        # Where one is kept is looked at once: whoever waits asks again and again.
        work = self._works.get(key)
        if work is None:
            found = await self.of(key) if stored else self._read.get(key)
            if found is not None:
                # Somebody who played may have been forgotten since, so the names are those of the match now.
                return Standing(1.0, curve=found.account.curve, review=replace(found, match=match))
            work = self._works.get(key) or self._begin(key, match, whose, stored)
        work.asked = asyncio.get_running_loop().time()
        standing = work.standing
        if standing.failed:
            # Whoever asks again after having been told so tries again.
            self._works.pop(key, None)
        preparing = work.progress is None and self._is_preparing(match.game)
        return replace(standing, before=self._before(work), preparing=preparing)

    def _before(self, work: Work) -> int:
        """How many reviews are refined before one."""
        if work.in_hand or work.key not in self._works:
            return 0
        return list(self._works).index(work.key)

    def _begin(self, key: str, match: Match, whose: str, stored: bool) -> Work:
        if len(self._works) >= MOST_WAITING:
            raise Full(
                "{count} reviews are waited for already; please come back in a few minutes",
                count=len(self._works),
            )
        own = sum(work.whose == whose for work in self._works.values())
        near = sum(work.address == whose.split()[0] for work in self._works.values())
        if own >= MOST_OF_ONE or near >= MOST_AT_ADDRESS:
            raise TooFast("you wait for {count} reviews already; look at those first", count=max(own, near))
        now = asyncio.get_running_loop().time()
        work = self._works[key] = Work(key, match, whose, stored, asked=now, kept=now)
        self._is_preparing(match.game)
        if not self._workers:
            self._workers = [
                asyncio.create_task(self._keep_working()) for _ in range(self.thinking.aside.places)
            ]
        self._news.set()
        return work

    def _is_preparing(self, game: Game) -> bool:
        """Whether what reviews of a game need is still being compiled; if it was not yet, that begins now."""
        if self.thinking.is_helped(game):
            return False
        if game.id not in self._prepared:
            task = self._prepared[game.id] = asyncio.create_task(self.thinking.aside.prepare(game))
            task.add_done_callback(lambda _: self._news.set())
        return not self._prepared[game.id].done()

    async def _keep_working(self) -> None:
        """One piece after another of what comes next."""
        while True:
            work = self._next()
            if work is None:
                self._news.clear()
                await self._news.wait()
                continue
            work.in_hand = True
            try:
                await let_tables_go_first()
                await self._go_on(work)
            except StorageGone:
                log.warning("a review could not be kept", extra={"table": work.key})
                self._works.pop(work.key, None)
            except Exception:
                log.exception("the review of %s could not be worked out", work.key)
                work.standing = Standing(0.0, failed=True)
            finally:
                work.in_hand = False
                self._news.set()

    def _next(self) -> Work | None:
        """The first without a curve, or else the first."""
        ready = [
            work
            for work in self._works.values()
            if not work.in_hand and not work.standing.failed and not self._is_preparing(work.match.game)
        ]
        return min(ready, key=lambda work: work.standing.curve is not None, default=None)

    async def _go_on(self, work: Work) -> None:
        """A piece of a review; what is new is shown, and kept."""
        now = asyncio.get_running_loop().time()
        if now - work.asked > ABSENT:
            await self._keep(work)
            del self._works[work.key]
            return
        if work.progress is None and work.stored:
            row = await asyncio.to_thread(self._records.review, work.key)
            work.progress = None if row is None or row.complete else row.kept
        least = SHOWN_EVERY if work.standing.curve is not None else 0.0
        part = ReviewPart(work.match, self._budget, work.progress, least)
        found = await self.thinking.think(part, Urgency.REVIEW, work.whose)
        await asyncio.to_thread(self._show, work, found)
        if work.found is not None:
            await self._finish(work, work.found)
        elif now - work.kept > KEPT_EVERY:
            await self._keep(work)
            work.kept = now

    def _show(self, work: Work, found: Reviewed) -> None:
        """Makes of another part what is shown."""
        review = None if found.review is None else Review.of(work.match, found.review)
        work.progress = found.kept
        if found.done == 1.0:
            work.found = review
        else:
            curve = np.array(found.curve)
            work.standing = Standing(found.done, number=work.standing.number + 1, curve=curve, review=review)

    async def _finish(self, work: Work, review: Review) -> None:
        if work.stored:
            await asyncio.to_thread(
                self._records.keep_review, work.key, review.kept(), True, insights_of(review)
            )
        self._remember(work.key, review)
        self._works.pop(work.key, None)

    async def _keep(self, work: Work) -> None:
        """Keeps how far a review is, if luck is known already."""

        kept = work.progress
        if work.stored and kept is not None and kept["playouts"]:
            await asyncio.to_thread(self._records.keep_review, work.key, kept, False)

    def _remember(self, key: str, review: Review) -> None:
        self._read[key] = review
        self._read.move_to_end(key)
        if len(self._read) > MOST_READ:
            self._read.popitem(last=False)


async def let_tables_go_first() -> None:
    """Waits as long as the server is behind with moves and pages, though not for ever."""
    loop = asyncio.get_running_loop()
    until = loop.time() + PATIENT
    while (began := loop.time()) < until:
        await asyncio.sleep(LOOK)
        if loop.time() - began < LOOK + BEHIND:
            return


def check_over(match: Match) -> None:
    """Refuses to look back at a match that is not over."""
    if not match.over:
        raise NotOver("the match was not played to its end; only then can it be reviewed")


def insights_of(review: Review) -> dict[str, Any]:
    """What profiles tell of a match, ready for JSON."""
    return {
        "luck": [round(seat.luck, 5) for seat in review.seats],
        "decisions": [each.short for each in decisions_of(review)],
    }
