"""Results: how everybody did in matches that are over, kept for their profiles."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta

from ...errors import TeerlingError
from ..database.records import COUNTING, Records
from ..database.schema import ResultRow
from ..database.storage import Storage
from ..database.transactions import StorageGone
from ..tables.opening import load
from ..tables.table import Table
from .ratings import LEVEL_SIGMA, NEWCOMER, Rating, level_ratings, rated

log = logging.getLogger("teerling")
A_LITTLE = timedelta(microseconds=1)


class Results:
    """Keeps the result of every match that counts, as soon as it is over."""

    def __init__(self, storage: Storage, records: Records) -> None:
        self._storage = storage
        self._records = records
        self._lock = asyncio.Lock()
        """One match at a time, so that ratings follow each other."""
        self._keeping: set[asyncio.Task[None]] = set()

    async def stop(self) -> None:
        await asyncio.gather(*self._keeping, return_exceptions=True)

    def note(self, table: Table) -> None:
        """Keeps the result of a table, if its match is over."""
        if table.row.ending in COUNTING and table.branch is None:
            task = asyncio.create_task(self._keep(table))
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)

    async def _keep(self, table: Table) -> None:
        try:
            await self.keep(table)
        except StorageGone as error:
            # It is kept when somebody asks for it.
            log.warning("a result was not kept: %s", error.reason, extra={"table": table.id})
        except TeerlingError:
            log.exception("the result of table %s was not kept", table.id)

    async def keep(self, table: Table) -> None:
        """Keeps the result of a match that is over, once."""
        async with self._lock:
            await asyncio.to_thread(self._keep_now, table)

    def _keep_now(self, table: Table) -> None:
        if self._records.has_result(table.id):
            return
        rows = results_of(table)
        people = [row.person_id for row in rows if row.person_id is not None]
        if people:
            known = self._records.ratings_of(people, table.game.id)
            before = [self._rating_before(table, row, known) for row in rows]
            newest = self._records.newest_result(people, table.game.id)
            for row, (mu, sigma) in zip(rows, rated(before, [row.rank for row in rows]), strict=True):
                if newest is not None:
                    # Kept late, or the clock was set back: what follows on a rating stands after it.
                    row.at = max(row.at, newest + A_LITTLE)
                if row.person_id is not None:
                    row.mu, row.sigma = mu, sigma
        if rows:
            self._records.add_results(rows)

    @staticmethod
    def _rating_before(table: Table, row: ResultRow, known: dict[str, Rating]) -> Rating:
        if row.person_id is not None:
            return known.get(row.person_id, NEWCOMER)
        level = table.seating.bot_level(row.seat)
        mu = level_ratings(table.game).get(level or "")
        return NEWCOMER if mu is None else (mu, LEVEL_SIGMA)

    async def catch_up(self, person_id: str) -> None:
        """Keeps what was not kept of a person's matches: they may be older than results are."""
        for table_id in await asyncio.to_thread(self._records.without_result, person_id):
            try:
                await self.keep(await asyncio.to_thread(load, self._storage, table_id))
            except StorageGone:
                raise
            except TeerlingError:
                log.exception("the result of table %s cannot be found", table_id)


def results_of(table: Table) -> list[ResultRow]:
    """How every seat did; nobody's own where one person plays several seats at one screen."""
    places, scores = places_of(table), table.match.scores
    rows = []
    for seat in table.seating:
        person_id = seat.person_id if seat.kind == "person" else None
        alone = person_id is not None and len(table.seating.seats_of(person_id)) == 1
        stayed = table.row.ending == "finished" and not seat.stand_in
        rows.append(
            ResultRow(
                table_id=table.id, seat=seat.seat, person_id=person_id if alone else None,
                game=table.game.id, at=table.row.changed, rank=places[seat.seat],
                score=scores[seat.seat] if stayed else None, mu=None, sigma=None,
            )
        )  # fmt: skip
    return rows


def places_of(table: Table) -> Sequence[int]:
    """Every seat's place: whoever gave up or left comes last, after all who stayed.

    Where the match was not played out, nothing tells those who stayed apart.
    """
    ranks = table.match.ranks if table.row.ending == "finished" else [1] * table.match.players
    left = {seat.seat for seat in table.seating if seat.kind == "person" and seat.stand_in}
    left |= set() if table.ended_by is None else {table.ended_by}
    stayed = [rank for seat, rank in enumerate(ranks) if seat not in left]
    return [
        len(stayed) + 1 if seat in left else 1 + sum(other < rank for other in stayed)
        for seat, rank in enumerate(ranks)
    ]
