"""The deal of the day: for every game one deal a day, the same for everybody, against the same bots.

A server makes its deals itself, from its secret. Seals are told the day before, seeds the day after.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

from ... import players
from ...game import Game, game, list_games
from ...nature import Sealed
from ..database.records import Records
from ..database.schema import AttemptRow
from ..database.transactions import Overtaken
from ..page.views import GameInfo, game_info
from ..people import Person
from ..refusals import NotAllowed, UnknownTable
from ..tables.changes import Changes
from ..tables.days import after, before, lasts, today
from ..tables.opening import Place, new_id
from ..tables.registry import Registry
from ..tables.table import Table

MOST_BARS = 8
"""Into so many bars scores are put at most."""


@dataclass(frozen=True, slots=True)
class BarView:
    """How many scores lie within a range."""

    low: int
    high: int
    count: int
    share: int
    """Of the highest bar, in percent."""
    yours: bool


@dataclass(frozen=True, slots=True)
class DealView:
    """The deal of a day in one game, as somebody sees it."""

    game: GameInfo
    table_id: str | None
    """The table of the viewer's attempt."""
    over: bool
    """Whether that attempt is over."""
    score: int | None
    rank: int | None
    """The viewer's place at the table."""
    place: int | None
    """The viewer's place among all who played it out."""
    played: int
    """How many played it out."""
    best: int | None
    bars: tuple[BarView, ...]
    """The scores of all; only for those who have played."""
    seal: str
    next_seal: str


@dataclass(frozen=True, slots=True)
class RevealedView:
    """A deal of the day before, which may be checked now."""

    game: GameInfo
    seal: str
    seed: str


@dataclass(frozen=True, slots=True)
class DayView:
    """What there is today."""

    day: date
    deal: DealView
    """The one of today's deals that the lobby shows."""
    deals: tuple[DealView, ...]
    revealed: tuple[RevealedView, ...]


class Deals:
    """The deals of days, and who plays them."""

    def __init__(self, secret: str, records: Records, registry: Registry, changes: Changes) -> None:
        self._secret = secret
        self._records = records
        self._registry = registry
        self._changes = changes
        self._seeds: dict[tuple[date, str], str] = {}
        """The seeds that have been kept."""

    def seed_of(self, day: date, of: Game) -> str:
        """The seed of a deal: once it was told of, it stays, whatever becomes of the secret."""
        if (day, of.id) not in self._seeds:
            text = f"deal of {day.isoformat()} in {of.id}"
            made = hmac.new(self._secret.encode(), text.encode(), hashlib.sha256).hexdigest()
            kept = self._records.deal(day.isoformat(), of.id, made)
            recent = {key: seed for key, seed in self._seeds.items() if key[0] >= before(day)}
            self._seeds = recent | {(day, of.id): kept}
        return self._seeds[day, of.id]

    async def open(self, game_id: str, person: Person) -> str:
        """The table at which somebody plays today's deal: everybody has one attempt, so it may be there."""
        of, day = game(game_id), today()
        claim = (day.isoformat(), of.id, person.id, new_id())
        table_id = await asyncio.to_thread(self._records.claim_attempt, *claim)
        try:
            await self._registry.find(table_id)
        except UnknownTable:
            seed = await asyncio.to_thread(self.seed_of, day, of)
            places = [Place("me"), *[Place("bot", level=players.USUAL)] * (of.usual_players - 1)]
            # Somebody who asked twice at the same moment gets one table.
            with suppress(Overtaken):
                await self._changes.create(
                    of.id, places, person.id, person.name, {},
                    public=False, hints="none", seed=seed, day=day.isoformat(), table_id=table_id,
                )  # fmt: skip
        return table_id

    async def check_seen_by(self, table: Table, person_id: str | None) -> None:
        """Refuses to show a deal of the day, while it lasts, to somebody who could still play it."""
        day = table.row.day
        if day is None or not lasts(day) or table.seating.seats_of(person_id):
            return
        claim = (day, table.game.id, person_id or "")
        if not await asyncio.to_thread(self._records.has_played, *claim):
            raise NotAllowed(
                "This is the deal of the day. Play it yourself first; then you can see how others did."
            )

    async def view(self, person_id: str | None) -> DayView:
        """Today's deals, as somebody sees them."""
        return await asyncio.to_thread(self._view, today(), person_id)

    def _view(self, day: date, person_id: str | None) -> DayView:
        attempts = self._records.attempts_of(person_id or "", day.isoformat())
        own = {each.game: each for each in attempts}
        played_out = self._records.played_out(day.isoformat())
        deals = tuple(
            self._deal_view(day, of, own.get(of.id), *played_out.get(of.id, (0, None))) for of in list_games()
        )
        yesterday = self._records.deals_of(before(day).isoformat())
        return DayView(
            day=day,
            deal=deals[day.toordinal() % len(deals)],
            deals=deals,
            revealed=tuple(
                RevealedView(game_info(of), Sealed(yesterday[of.id]).seal, yesterday[of.id])
                for of in list_games()
                if of.id in yesterday
            ),
        )

    def _deal_view(
        self, day: date, of: Game, own: AttemptRow | None, played: int, best: int | None
    ) -> DealView:
        over = own is not None and self._records.has_played(own.day, own.game, own.person_id)
        scores = self._records.scores_at(day.isoformat(), of.id) if over else []
        score = None if own is None else own.score
        return DealView(
            game=game_info(of),
            table_id=None if own is None else own.table_id,
            over=over,
            score=score,
            rank=None if own is None else own.rank,
            place=None if score is None else place_of(score, scores),
            played=played,
            best=best,
            bars=bars_of(scores, score) if over else (),
            seal=Sealed(self.seed_of(day, of)).seal,
            next_seal=Sealed(self.seed_of(after(day), of)).seal,
        )


def place_of(score: int, scores: Sequence[int]) -> int:
    """A score's place among all; equal ones share it.

    >>> place_of(30, [40, 30, 30, 12])
    2
    """
    return 1 + sum(other > score for other in scores)


def bars_of(scores: Sequence[int], own: int | None) -> tuple[BarView, ...]:
    """How often scores were reached, in ranges of the same width from the least on.

    >>> [(bar.low, bar.high, bar.count, bar.yours) for bar in bars_of([3, 3, 5], 5)]
    [(3, 3, 2, False), (4, 4, 0, False), (5, 5, 1, True)]
    """
    if not scores:
        return ()
    low, high = min(scores), max(scores)
    width = (high - low) // MOST_BARS + 1
    ranges = [(start, start + width - 1) for start in range(low, high + 1, width)]
    counts = [sum(start <= score <= end for score in scores) for start, end in ranges]
    return tuple(
        BarView(start, end, count, 100 * count // max(counts), own is not None and start <= own <= end)
        for (start, end), count in zip(ranges, counts, strict=True)
    )
