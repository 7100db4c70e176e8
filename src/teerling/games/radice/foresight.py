"""What a board at the beginning of an epoch will be worth in the end."""

from math import sqrt

from teerling.engine import Numbers, rule

from .policy import (
    FLOOD_IN_LATER_EPOCHS,
    HOPE_FOR_PAIR,
    HOPE_FOR_THREE,
    count_of,
    on_pharaoh_track,
    who_stands_in,
)
from .rules import COLUMNS, EMPTY, EPOCHS, State, monument_points

DOUBT_OF_AN_EPOCH = 5.0
"""By how many points one may be wrong about an epoch."""
BEGINNING = 1.0
"""How early it is when an epoch begins."""


@rule
def stage(s: State) -> int:
    """A search looks no further than the end of the epoch."""
    return s.epoch


@rule
def foresee(s: State, values: Numbers, points: Numbers) -> float:
    """The score, and what both tracks and the monuments may still bring."""
    epochs = EPOCHS + 1 - s.epoch
    for p in range(s.players):
        points[p] = (
            s.score[p]
            + on_pharaoh_track(s, values, BEGINNING, p, s.pharaoh[p])
            + epochs * values[FLOOD_IN_LATER_EPOCHS] * s.nile[p]
            + monument_points(s, p)
            + columns_to_come(s, values, p) * epochs / EPOCHS
        )
    return DOUBT_OF_AN_EPOCH * sqrt(float(epochs))


@rule
def columns_to_come(s: State, values: Numbers, p: int) -> float:
    """What columns may still become in which a player stands, for each free field."""
    total = 0.0
    for column in range(COLUMNS):
        found = who_stands_in(s, column)
        own = count_of(found, p)
        if own == 1:
            total += values[HOPE_FOR_PAIR] * count_of(found, EMPTY)
        elif own > 1:
            total += values[HOPE_FOR_THREE] * count_of(found, EMPTY)
    return total
