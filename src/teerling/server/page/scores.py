"""Score sheets: every epoch or round, and the whole match, line by line for every player."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...game import Event, Game, ScoreRow, game, score_rows
from ...words import Speaker
from .views import Scoring

Cell = int | str | None
"""Points, a text to be shown as it is, or nothing to tell."""
MOST_SHEETS = 2_000
"""How many sheets are kept."""


@dataclass(frozen=True)
class Line:
    """A row of a sheet: what it is for, its rule, and a cell for every seat."""

    text: str
    rule: str
    cells: tuple[Cell, ...]
    term: str
    """The term of the game that it is for."""
    brings: str
    """What the rules give for it, in short; empty if that is not said."""
    counts: tuple[str, ...]
    """What every seat had of it, in short; empty if that is not told."""
    terms: tuple[str, ...]
    """The terms that stand in its cells; empty where there are points or nothing."""
    notes: tuple[tuple[str, str], ...]
    """What else is to be known of it, in sentences with their rules."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """One scoring, or that of the whole match, in somebody's language."""

    heading: str
    rows: tuple[Line, ...]
    start: tuple[int, ...] | None
    """What every seat began the match with, on the sheet of the whole match."""
    start_rule: str | None
    """The rule that gave it, if it was told."""
    period: str
    """What its totals are those of: an epoch, a round."""
    totals: tuple[int | None, ...] | None
    """What it brought every seat (None: not known); None where other lines say it already."""
    scores: tuple[int | None, ...]
    """Every seat's points after it; None if they are hidden."""
    whole: bool
    move: int
    """After how many moves it was."""
    stays: str
    """What leaves the board after it and what stays; empty if that is not said."""

    @property
    def before(self) -> tuple[int | None, ...]:
        """Every seat's points before it; None if they are hidden."""
        return tuple(
            None if score is None else score - sum(_points(line.cells[seat]) for line in self.rows)
            for seat, score in enumerate(self.scores)
        )


def _points(cell: Cell) -> int:
    return cell if isinstance(cell, int) else 0


@lru_cache(MOST_SHEETS)
def sheet_of(scoring: Scoring, game_id: str, say: Speaker, names: tuple[str, ...]) -> Sheet:
    """The sheet of a scoring; always the same one, so that what was drawn of it can be kept."""
    of, whole = game(game_id), scoring.end is None
    heading = say("The whole match") if scoring.end is None else say.say(scoring.end, names)
    rows = _in_order(of, score_rows(scoring.events) if whole else of.score_rows(scoring.events))
    seats = range(len(names))
    lines = tuple(
        Line(
            text=say(row.line),
            rule=row.rule,
            cells=tuple(_cell(say, row, p) for p in seats),
            term=row.line,
            brings=_said(of, f"brings {row.line}", say),
            counts=tuple(say.say(row.counts[p], names) if p in row.counts else "" for p in seats),
            terms=tuple(cell if isinstance(cell := row.cells.get(p), str) else "" for p in seats),
            notes=tuple((say.say(note, names), note.rule) for note in row.notes),
        )
        for row in rows
    )
    counted = [line for line in lines if any(isinstance(cell, int) for cell in line.cells)]
    totals = tuple(
        # With hidden scores no line of another seat is known, so there is no total to show either.
        None if scoring.scores[seat] is None else sum(int(line.cells[seat] or 0) for line in counted)
        for seat in seats
    )
    return Sheet(
        heading=heading,
        rows=lines,
        start=scoring.start if any(scoring.start) else None,
        start_rule=scoring.start_rule,
        period=_period(scoring.end, say),
        totals=totals if len(counted) > 1 and not whole else None,
        scores=scoring.scores,
        whole=whole,
        move=scoring.move,
        stays="" if whole else _stays(of, scoring.events, say),
    )


def _stays(of: Game, told: Sequence[Event], say: Speaker) -> str:
    """What leaves and what stays as the match goes on; a game may say it otherwise after something rare."""
    kinds = [event.kind for event in told]
    if "game_over" in kinds:
        return ""
    rare = (_said(of, f"stays after {kind}", say) for kind in kinds)
    return next(filter(None, rare), _said(of, "stays", say))


def _said(of: Game, name: str, say: Speaker) -> str:
    """What a game says of a line, or of what stays after a scoring; nothing if it has no words for that."""
    words = of.words.get(name, "")
    return say(words) if isinstance(words, str) and words else ""


def _period(end: Event | None, say: Speaker) -> str:
    """What a scoring is of, by what ended with it."""
    if end is not None and "epoch" in end.data:
        return say("This epoch")
    if end is not None and "round" in end.data:
        return say("This round")
    return say("Together")


def _in_order(of: Game, rows: Sequence[ScoreRow]) -> Sequence[ScoreRow]:
    """Lines in the order in which the game names them; one that makes its own has put them in order."""
    if not all(row.line in of.lines for row in rows):
        return rows
    return sorted(rows, key=lambda row: of.lines.index(row.line))


def _cell(say: Speaker, row: ScoreRow, seat: int) -> Cell:
    cell = row.cells.get(seat)
    return say(cell) if isinstance(cell, str) else cell
