"""What counts on each line of a scoring of Priests of Ra: hints name no line that a move cannot touch."""

from collections.abc import Hashable

from ..auction.holdings import suns_of, tiles_of
from .rules import (
    FARMER,
    FIRST_PROFESSION,
    FIRST_TOMB,
    GRANARY,
    LAST_PROFESSION,
    LAST_TOMB,
    MERCHANT,
    PLAGUE,
    PRIEST,
    PYRAMID,
    SCRIBE,
    SIDES,
    WARRIOR,
    State,
)

PROFESSIONS = range(FIRST_PROFESSION, LAST_PROFESSION + 1)
TOMBS = range(FIRST_TOMB, LAST_TOMB + 1)
BUILDINGS = range(GRANARY, SIDES)


def holdings(s: State, seat: int) -> dict[str, Hashable]:
    """PR-21 to PR-29: a seat's tiles by line."""
    return {
        "farmers": tiles_of(s, seat, [FARMER]),
        "warriors": tiles_of(s, seat, [WARRIOR]),
        "merchants": tiles_of(s, seat, [MERCHANT]),
        "scribes": tiles_of(s, seat, [SCRIBE]),
        "PR-23": tiles_of(s, seat, BUILDINGS),
        "priests": tiles_of(s, seat, [PRIEST]),
        "plagues": tiles_of(s, seat, [PLAGUE, PRIEST]),
        "step pyramid": tiles_of(s, seat, [PYRAMID]),
        "tombs": tiles_of(s, seat, TOMBS),
        "ankhs": (int(s.ankhs[seat]), tiles_of(s, seat, PROFESSIONS)),
        "suns": suns_of(s, seat),
    }
