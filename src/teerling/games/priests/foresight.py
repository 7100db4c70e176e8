"""What a display at the beginning of an epoch will be worth in the end."""

from math import sqrt

from teerling.engine import Numbers, rule

from ..auction.foresight import DOUBT_OF_AN_EPOCH, epochs_to_play, stage, suns_to_come
from ..auction.policy import PERCENT, between, tiles_of_epochs
from .policy import (
    ANKHS_LATER,
    BUILDING_LATER,
    PLAGUE_LATER,
    PLAGUE_MORE,
    STONE,
    TOMB,
    buildings_worth,
)
from .rules import (
    ANKH_FAME,
    FIRST_TOMB,
    LARGEST_PYRAMID,
    LAST_TOMB,
    MOST_ANKHS,
    MOST_PLAGUES,
    MOST_TOMBS,
    PLAGUE,
    PLAGUE_FAME,
    PYRAMID,
    PYRAMID_FAME,
    TOMB_FAME,
    State,
)

__all__ = ["foresee", "stage"]


@rule
def foresee(s: State, values: Numbers, points: Numbers) -> float:
    """Fame, and what buildings, plagues, ankhs, stones and suns may still bring."""
    epochs = epochs_to_play(s)
    for p in range(s.players):
        plagues = s.tiles[p, PLAGUE] + values[PLAGUE_MORE]
        ankhs = s.ankhs[p] + values[ANKHS_LATER] * epochs
        points[p] = (
            s.fame[p]
            + epochs * buildings_worth(s, p, 0, 0, values[BUILDING_LATER])
            + epochs * values[PLAGUE_LATER] * between(PLAGUE_FAME, MOST_PLAGUES, plagues)
            + between(ANKH_FAME, MOST_ANKHS, ankhs)
            + stones_to_come(s, values, p, epochs)
            + suns_to_come(s, values, p, epochs)
        )
    return DOUBT_OF_AN_EPOCH * sqrt(float(epochs))


@rule
def stones_to_come(s: State, values: Numbers, p: int, epochs: int) -> float:
    """What pyramid and tombs may bring in the end, with those that are still won."""
    to_come = tiles_of_epochs(s, epochs)
    stones = s.tiles[p, PYRAMID]
    alike = 0
    for tomb in range(FIRST_TOMB, LAST_TOMB + 1):
        stones += s.tiles[p, tomb]
        alike = max(alike, s.tiles[p, tomb])
    return between(PYRAMID_FAME, LARGEST_PYRAMID, stones + PERCENT * values[STONE] * to_come) + between(
        TOMB_FAME, MOST_TOMBS, alike + PERCENT * values[TOMB] * to_come
    )
