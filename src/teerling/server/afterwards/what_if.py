"""What if: a match that is over is played on from a step of it, against bots, at a table of its own."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from ... import players
from ...errors import TeerlingError
from ...game import game
from ...loading import load
from ...match import Match
from ...nature import Sealed
from ..refusals import Refused
from ..tables.branches import NEW_LUCK, SAME_LUCK
from ..tables.days import lasts
from ..tables.opening import Place
from ..tables.table import Table

LUCKS = (SAME_LUCK, NEW_LUCK)
NOT_TODAY = "This is the deal of the day; it can be played on when the day is over."


class NotThere(Refused):
    """A way of playing on that is not there."""

    status = 422


class BadUpload(Refused):
    """Something that is no match file."""

    status = 422


@dataclass(frozen=True)
class Turning:
    """How somebody wants to play on."""

    step: int
    """How many decisions have been made where it begins."""
    seat: int | None = None
    """Which seat is theirs; that of whoever is to move, unless told."""
    levels: Sequence[str] = ()
    """The level of all bots, or one for every seat; the usual one, unless told."""
    luck: str = SAME_LUCK


def places_of(branch: Match, turning: Turning) -> list[Place]:
    """Who sits where when a match is played on."""
    seat = branch.turn if turning.seat is None else turning.seat
    levels = levels_of(turning.levels, branch.players)
    return [Place("me") if each == seat else Place("bot", level=level) for each, level in enumerate(levels)]


def turned(match: Match, source: str, turning: Turning) -> Match:
    """The match as it was at a step, to be played on; a sentence says why that cannot be."""
    of = game(match.game.id)
    if match.version != of.version:
        raise NotThere(
            "this match was played by version {given} of the rules; it can be played on only by the "
            "rules of today, version {known}",
            given=match.version, known=of.version,
        )  # fmt: skip
    if turning.luck not in LUCKS:
        raise NotThere("luck is 'was' or 'new', not {luck!r}", luck=turning.luck)
    if turning.seat is not None and turning.seat not in range(match.players):
        raise NotThere("There is no such seat at this table.")
    return match.branched(turning.step, source, Sealed() if turning.luck == NEW_LUCK else None)


def levels_of(levels: Sequence[str], seats: int) -> list[str]:
    """The level of the bot in every seat, if one sits there."""
    if len(levels) not in (0, 1, seats):
        raise NotThere("there is one level for all bots, or one for each of the {seats} seats", seats=seats)
    wanted = list(levels) if len(levels) == seats else [*levels, players.USUAL][:1] * seats
    return [players.level(level or players.USUAL).name for level in wanted]


def open_match(table: Table) -> Match:
    """The match of a table, if it may be played on: one that is over, and no deal that others still play."""
    if not table.over or not table.begun:
        raise Refused("A match can be played on from any step as soon as it is over.")
    if lasts(table.row.day):
        raise Refused(NOT_TODAY)
    return table.match


def loaded(text: str) -> Match:
    """The match of a text that anybody may have written."""
    try:
        return load(text)
    except TeerlingError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError):
        # Whatever else a strange file may bring about is the file's fault, and no reason to break.
        raise BadUpload("This is not a match file.") from None


def name_of_file(text: str) -> str:
    """What an uploaded match is called: `file-` and the first digits of the SHA-256 of its text.

    >>> name_of_file("teerling 1")
    'file-1ab09e932673'
    """
    return f"file-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
