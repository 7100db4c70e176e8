"""Records: results of matches, deals and puzzles of days, who tried them; and how somebody is forgotten."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.exc import IntegrityError

from ..people import new_person_id
from .schema import (
    AttemptRow,
    ChatRow,
    DealRow,
    EntryRow,
    PersonRow,
    PuzzleRow,
    ResultRow,
    ReviewRow,
    SeatRow,
    TableRow,
    TryRow,
)
from .storage import Storage
from .transactions import StorageGone

COUNTING = ("finished", "resigned", "time")
"""The endings of matches that have a result."""


@dataclass(frozen=True)
class PlayedMatch:
    """A match that counts for somebody: their own result, those of all seats, and who sat there."""

    own: ResultRow
    results: Sequence[ResultRow]
    seats: Sequence[SeatRow]


def _is_branch() -> ColumnElement[bool]:
    """Whether a table's match was branched from another, so that its result counts for nobody."""
    first = select(EntryRow.number).where(EntryRow.table_id == TableRow.id, EntryRow.number == 0)
    return first.where(EntryRow.kind == "branch").exists()


@dataclass(frozen=True)
class ReviewedMatch:
    """What the review of a match told about somebody."""

    table_id: str
    game: str
    luck: float
    decisions: Sequence[Sequence[Any]]
    """See `lab.insights.Decision.short`."""


class Records:
    """What is kept of matches that are over, and of the deals of days."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    # Results

    def has_result(self, table_id: str) -> bool:
        """Whether the results of a table are kept."""
        with self._storage.reading() as session:
            rows = select(ResultRow.seat).where(ResultRow.table_id == table_id).limit(1)
            return session.scalar(rows) is not None

    def add_results(self, rows: Sequence[ResultRow]) -> bool:
        """Keeps the results of a match; False if they were kept already."""
        with self._storage.changing() as session:
            if session.get(ResultRow, (rows[0].table_id, rows[0].seat)) is not None:
                return False
            session.add_all(rows)
            for row in rows:
                attempts = update(AttemptRow).where(AttemptRow.table_id == row.table_id)
                mine = attempts.where(AttemptRow.person_id == row.person_id)
                session.execute(mine.values(score=row.score, rank=row.rank))
            return True

    def ratings_of(self, person_ids: Iterable[str], game: str) -> dict[str, tuple[float, float]]:
        """The ratings of people in a game; only of those who have one."""
        with self._storage.reading() as session:
            rows = select(ResultRow).where(ResultRow.person_id.in_(list(person_ids)), ResultRow.game == game)
            found = session.scalars(rows.where(ResultRow.mu.is_not(None)).order_by(ResultRow.at))
            return {str(row.person_id): (float(row.mu or 0), float(row.sigma or 0)) for row in found}

    def newest_result(self, person_ids: Iterable[str], game: str) -> datetime | None:
        """When the newest of people's results in a game was; None if there is none."""
        with self._storage.reading() as session:
            rows = select(ResultRow.at).where(
                ResultRow.person_id.in_(list(person_ids)), ResultRow.game == game
            )
            return session.scalar(rows.order_by(ResultRow.at.desc()).limit(1))

    def without_result(self, person_id: str, most: int = 500) -> list[str]:
        """A person's matches that are over and count, and whose results were not kept yet, oldest first."""
        with self._storage.reading() as session:
            rows = (
                select(TableRow.id)
                .join(SeatRow, SeatRow.table_id == TableRow.id)
                .where(SeatRow.person_id == person_id, TableRow.status == "over")
                .where(TableRow.ending.in_(COUNTING), ~_is_branch())
                .where(TableRow.id.not_in(select(ResultRow.table_id)))
                .group_by(TableRow.id)
                .order_by(TableRow.changed)
                .limit(most)
            )
            return list(session.scalars(rows))

    def matches_of(self, person_id: str) -> list[PlayedMatch]:
        """All matches that count for a person, oldest first."""
        with self._storage.reading() as session:
            own = list(
                session.scalars(
                    select(ResultRow).where(ResultRow.person_id == person_id).order_by(ResultRow.at)
                )
            )
            ids = select(ResultRow.table_id).where(ResultRow.person_id == person_id)
            results: dict[str, list[ResultRow]] = {}
            rows = select(ResultRow).where(ResultRow.table_id.in_(ids)).order_by(ResultRow.seat)
            for result in session.scalars(rows):
                results.setdefault(result.table_id, []).append(result)
            seats: dict[str, list[SeatRow]] = {}
            for seat in session.scalars(
                select(SeatRow).where(SeatRow.table_id.in_(ids)).order_by(SeatRow.seat)
            ):
                seats.setdefault(seat.table_id, []).append(seat)
            return [PlayedMatch(row, results[row.table_id], seats[row.table_id]) for row in own]

    # Reviews

    def review(self, table_id: str) -> ReviewRow | None:
        """The review of a table's match, as far as it is kept."""
        with self._storage.reading() as session:
            return session.get(ReviewRow, table_id)

    def keep_review(
        self, table_id: str, kept: dict[str, Any], complete: bool, insights: dict[str, Any] | None = None
    ) -> None:
        """Keeps how far a review is; one that is complete stays."""
        with self._storage.changing() as session:
            row = session.get(ReviewRow, table_id)
            if row is None:
                row = ReviewRow(table_id=table_id, complete=False)
                session.add(row)
            if not row.complete:
                row.kept, row.complete, row.insights = kept, complete, insights

    def reviewed_by(self, person_id: str) -> list[ReviewedMatch]:
        """What reviews told of all matches that somebody played to their end, oldest first."""
        with self._storage.reading() as session:
            rows = (
                select(ResultRow.table_id, ResultRow.game, ResultRow.seat, ReviewRow.insights)
                .join(ReviewRow, ReviewRow.table_id == ResultRow.table_id)
                .where(ResultRow.person_id == person_id, ResultRow.score.is_not(None), ReviewRow.complete)
                .order_by(ResultRow.at)
            )
            return [
                ReviewedMatch(
                    table_id, game, insights["luck"][seat],
                    [decision for decision in insights["decisions"] if decision[0] == seat],
                )
                for table_id, game, seat, insights in session.execute(rows)
                if insights is not None
            ]  # fmt: skip

    # The deals of days

    def deal(self, day: str, game: str, seed: str) -> str:
        """The seed of a day's deal: the one that was kept first, which the others are told of."""
        try:
            with self._storage.changing() as session:
                known = session.get(DealRow, (day, game))
                if known is None:
                    known = DealRow(day=day, game=game, seed=seed)
                    session.add(known)
                return known.seed
        except StorageGone as error:
            # Another server at the same database may have been first.
            if not isinstance(error.__cause__, IntegrityError):
                raise
            with self._storage.reading() as session:
                return session.get_one(DealRow, (day, game)).seed

    def deals_of(self, day: str) -> dict[str, str]:
        """The seeds of a day's deals, as far as somebody was told of them, by game."""
        with self._storage.reading() as session:
            rows = session.scalars(select(DealRow).where(DealRow.day == day))
            return {row.game: row.seed for row in rows}

    def has_played(self, day: str, game: str, person_id: str) -> bool:
        """Whether somebody's attempt at a day's deal is over."""
        with self._storage.reading() as session:
            rows = (
                select(TableRow.status)
                .join(AttemptRow, AttemptRow.table_id == TableRow.id)
                .where(AttemptRow.day == day, AttemptRow.game == game, AttemptRow.person_id == person_id)
            )
            return session.scalar(rows) == "over"

    def claim_attempt(self, day: str, game: str, person_id: str, table_id: str) -> str:
        """The table of somebody's one attempt at a day's deal: this one, unless there was one already."""
        try:
            with self._storage.changing() as session:
                known = session.get(AttemptRow, (day, game, person_id))
                if known is None:
                    known = AttemptRow(day=day, game=game, person_id=person_id, table_id=table_id)
                    session.add(known)
                return known.table_id
        except StorageGone as error:
            if not isinstance(error.__cause__, IntegrityError):
                raise
            with self._storage.reading() as session:
                return session.get_one(AttemptRow, (day, game, person_id)).table_id

    def played_out(self, day: str) -> dict[str, tuple[int, int]]:
        """How many played a day's deals out, and the best score, by game; only of those that somebody did."""
        with self._storage.reading() as session:
            rows = select(AttemptRow.game, func.count(), func.max(AttemptRow.score)).group_by(AttemptRow.game)
            scored = rows.where(AttemptRow.day == day, AttemptRow.score.is_not(None))
            return {game: (count, int(best or 0)) for game, count, best in session.execute(scored)}

    def scores_at(self, day: str, game: str) -> list[int]:
        """The scores of all who played a day's deal out."""
        with self._storage.reading() as session:
            rows = select(AttemptRow.score).where(AttemptRow.day == day, AttemptRow.game == game)
            return [score for score in session.scalars(rows) if score is not None]

    def attempts_of(self, person_id: str, day: str | None = None) -> list[AttemptRow]:
        """Somebody's attempts on a day, or on all days, the oldest first."""
        with self._storage.reading() as session:
            rows = select(AttemptRow).where(AttemptRow.person_id == person_id)
            rows = rows if day is None else rows.where(AttemptRow.day == day)
            return list(session.scalars(rows.order_by(AttemptRow.day, AttemptRow.game)))

    # The puzzles of days

    def puzzle(self, day: str) -> PuzzleRow | None:
        with self._storage.reading() as session:
            return session.get(PuzzleRow, day)

    def add_puzzle(self, row: PuzzleRow) -> None:
        """Keeps the puzzle of a day, unless there is one."""
        with self._storage.changing() as session:
            if session.get(PuzzleRow, row.day) is None:
                session.add(row)

    def try_of(self, day: str, person_id: str) -> TryRow | None:
        """Somebody's try at the puzzle of a day."""
        with self._storage.reading() as session:
            return session.get(TryRow, (day, person_id))

    def add_try(self, day: str, person_id: str, move: str, found: bool) -> None:
        """Keeps somebody's try at the puzzle of a day; a second one does not count."""
        with self._storage.changing() as session:
            if session.get(TryRow, (day, person_id)) is None:
                session.add(TryRow(day=day, person_id=person_id, move=move, found=found))

    def tries_at(self, day: str) -> tuple[int, int]:
        """How many tried the puzzle of a day, and how many of them found it."""
        with self._storage.reading() as session:
            rows = select(TryRow.found, func.count()).where(TryRow.day == day).group_by(TryRow.found)
            counts = {bool(found): count for found, count in session.execute(rows)}
            return sum(counts.values()), counts.get(True, 0)

    def tries_of(self, person_id: str) -> list[TryRow]:
        """All of somebody's tries at puzzles, the oldest first."""
        with self._storage.reading() as session:
            rows = select(TryRow).where(TryRow.person_id == person_id).order_by(TryRow.day)
            return list(session.scalars(rows))

    # People

    def tables_of(self, person_id: str) -> list[TableRow]:
        """All tables at which a person has a seat, the oldest first."""
        with self._storage.reading() as session:
            own = select(SeatRow.table_id).where(SeatRow.person_id == person_id)
            return list(
                session.scalars(select(TableRow).where(TableRow.id.in_(own)).order_by(TableRow.created))
            )

    def chat_of(self, person_id: str) -> list[tuple[datetime, str, str]]:
        """Everything that a person said: when, at which table, and what."""
        with self._storage.reading() as session:
            rows = select(ChatRow).where(ChatRow.person_id == person_id).order_by(ChatRow.id)
            return [(row.at, row.table_id, row.text) for row in session.scalars(rows)]

    def forget(self, person_id: str) -> None:
        """Takes a person out of everything that is kept: the matches stay, without a name."""
        nobody = {"person_id": None}
        with self._storage.changing() as session:
            seats = update(SeatRow).where(SeatRow.person_id == person_id)
            session.execute(seats.values(**nobody, name="", token=None))
            session.execute(delete(ChatRow).where(ChatRow.person_id == person_id))
            results = update(ResultRow).where(ResultRow.person_id == person_id)
            session.execute(results.values(**nobody, mu=None, sigma=None))
            attempts = update(AttemptRow).where(AttemptRow.person_id == person_id)
            session.execute(attempts.values(person_id=new_person_id()))
            tries = update(TryRow).where(TryRow.person_id == person_id)
            session.execute(tries.values(person_id=new_person_id()))
            session.execute(delete(PersonRow).where(PersonRow.id == person_id))
