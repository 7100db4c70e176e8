"""Score sheets: every epoch or round, and the whole match, line by line for every player."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..engine import HIDDEN
from ..game import SPECTATOR, Event, Game, ScoreRow, score_rows

if TYPE_CHECKING:
    from .pages import Page

Cell = int | str | None
"""Points, a text to be shown as it is, or nothing to tell."""


@dataclass(frozen=True)
class Line:
    """A row of a sheet: what it is for, its rule, and a cell for every seat."""

    text: str
    rule: str
    cells: list[Cell]


@dataclass(frozen=True, eq=False)
class Sheet:
    """One scoring, or that of the whole match."""

    heading: str
    rows: list[Line]
    start: list[int] | None
    """What every seat began the match with, on the sheet of the whole match."""
    start_rule: str | None
    """The rule that gave it, if it was told."""
    totals: list[int | None] | None
    """What it brought every seat (None: not known); None where other lines say it already."""
    scores: list[int | None]
    """Every seat's points after it; None if they are hidden."""
    move: int
    """After how many moves it was."""
    whole: bool = False


def sheets(page: "Page") -> list[Sheet]:
    """All scorings so far, the oldest first; when the match is over, that of the whole match last.

    With hidden scores a seat knows only its own until the match is over; then all is told.
    """
    if not page.over:
        return [retold.sheet for retold in page.retold if retold.sheet is not None]
    told = page.match.steps
    sheets = [scoring(page, events, index + 1) for index, events in enumerate(told)]
    found = [sheet for sheet in sheets if sheet is not None]
    if len(found) != 1:
        rows = _in_order(page.game, score_rows([event for events in told for event in events]))
        found.append(_sheet(page, page.say("The whole match"), rows, len(told), whole=True))
    return found


def scoring(page: "Page", events: Sequence[Event], move: int) -> Sheet | None:
    """The scoring that a move brought, if it was the last of an epoch or round."""
    of = page.game
    end = next((event for event in events if event.kind in of.rounds), None)
    rows = _in_order(of, of.score_rows(events)) if end is not None else []
    if end is None or not any(row.cells for row in rows):
        return None
    return _sheet(page, page.sentence(end), rows, move)


def is_fresh(page: "Page", sheet: Sheet) -> bool:
    """Whether the seat has decided nothing since a scoring; for spectators, whether nobody has twice."""
    decided = [state.turn for state in page.match.states[sheet.move : -1] if state.turn >= 0]
    return page.seat not in decided if page.seat is not None else len(decided) < page.match.players


def outcome(page: "Page") -> str:
    """Who has won, in a sentence."""
    say, winners = page.say, page.match.winners
    if list(winners) == [page.you]:
        return say("You win!")
    if page.you in winners:
        return say("You share the win!")
    names = say.listed([page.names[seat] for seat in winners])
    return say.plural("{seats} wins", "{seats} share the win", len(winners), seats=names)


def _sheet(page: "Page", heading: str, rows: Sequence[ScoreRow], move: int, whole: bool = False) -> Sheet:
    seats = range(page.match.players)
    scores = _scores_after(page, move)
    lines = [Line(page.say(row.line), row.rule, [_cell(page, row, seat) for seat in seats]) for row in rows]
    counted = [line for line in lines if any(isinstance(cell, int) for cell in line.cells)]
    totals = [
        # With hidden scores no line of another seat is known, so there is no total to show either.
        None if scores[seat] is None else sum(int(line.cells[seat] or 0) for line in counted)
        for seat in seats
    ]
    start = _start(page) if whole else []
    return Sheet(
        heading,
        lines,
        start if any(start) else None,
        _start_rule(page) if whole else None,
        totals if len(counted) > 1 and not whole else None,
        scores,
        move,
        whole,
    )


def _start(page: "Page") -> list[int]:
    """What every seat had when the first was to decide; chance may have settled it."""
    first = next(state for state in page.match.states if state.turn >= 0)
    return list(page.game.results(first)[0])


def _start_rule(page: "Page") -> str | None:
    """The rule of what everybody starts with, in games that tell it."""
    events = (event for events in page.told for event in events)
    return next((event.rule for event in events if event.kind == "starts"), None)


def _in_order(of: Game, rows: list[ScoreRow]) -> list[ScoreRow]:
    """Lines in the order of the game's terms; a game that makes its own lines has put them in order."""
    terms = list(of.terms)
    if not all(row.line in terms for row in rows):
        return rows
    return sorted(rows, key=lambda row: terms.index(row.line))


def _cell(page: "Page", row: ScoreRow, seat: int) -> Cell:
    cell = row.cells.get(seat)
    return page.say(cell) if isinstance(cell, str) else cell


def _scores_after(page: "Page", move: int) -> list[int | None]:
    """Every seat's points after so many moves, as the page's seat may know them."""
    match = page.match
    state = match.states[move]
    if not page.over:
        state = match.game.observed(state, SPECTATOR if page.seat is None else page.seat)
    return [None if score == HIDDEN else score for score in match.game.results(state)[0]]
