"""Positions of Ra and Priests of Ra, and what their tests ask of a match."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import teerling
from teerling import Match
from teerling.words import Speaker


@dataclass(frozen=True)
class Auction:
    """A game around auctions."""

    game: str
    tile: str
    """One that is laid without a question, and that everybody keeps."""

    def at(self, names: Sequence[str] = (), **position: Any) -> Match:
        """A position of four players unless told otherwise, its chance pushed by hand."""
        return teerling.at(self.game, {"players": 4, **position}, chance="manual", names=names)

    def won(self, lot: list[str], own: dict[str, int], **position: Any) -> Match:
        """Seat 0 owns tiles and wins a row by invoking."""
        match = self.at(row=lot, turn=0, mover=0, seats=tiles(own), **position)
        return push(match, "invoke", "pass", "pass", "pass", "bid 2")

    def alone(self, own: dict[str, int] | None = None, **position: Any) -> Match:
        """Only seat 0 has a sun left."""
        seats = suns(([13], [2, 6]), ([], [3, 7, 12]), ([], [4, 8, 11]), ([], [5, 9, 10]))
        seats[0]["tiles"] = own or {}
        return self.at(seats=seats, turn=0, mover=0, **position)

    def scored(self, epoch: int = 1, **position: Any) -> list[dict[str, int]]:
        """What every seat scores line by line when an epoch ends at this position."""
        match = end_epoch_by_ra(self.at(ra_row=8, epoch=epoch, **position))
        return [seat["scored"] for seat in match.position()["seats"]]

    def points(self, line: str, epoch: int = 1, **position: Any) -> list[int]:
        return [seat.get(line, 0) for seat in self.scored(epoch, **position)]


def tiles(*displays: dict[str, int]) -> list[dict[str, Any]]:
    """Four seats with these displays, otherwise as at the start."""
    return [{"tiles": display} for display in (*displays, *[{}] * (4 - len(displays)))]


def suns(*hands: tuple[list[int], list[int]]) -> list[dict[str, Any]]:
    """Seats with these suns face up and face down."""
    return [{"suns": up, "used": down} for up, down in hands]


def push(match: Match, *moves: str) -> Match:
    for move in moves:
        match.push(move)
    return match


def end_epoch_by_ra(match: Match) -> Match:
    """The player on turn draws the Ra tile that fills the Ra row."""
    return push(match, "draw", "tile ra")


def texts(match: Match) -> set[str]:
    return {move.text for move in match.legal_moves}


def display(match: Match, seat: int) -> dict[str, int]:
    found: dict[str, int] = match.position()["seats"][seat]["tiles"]
    return found


def row(match: Match) -> list[str]:
    return [tile for tile in match.position()["row"] if tile is not None]


def asked(match: Match, lang: str = "en") -> str:
    """What the player to decide is asked."""
    assert match.game.ask is not None
    return Speaker(lang, match.game).say(match.game.ask(match.state), match.names)
