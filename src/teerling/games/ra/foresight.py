"""What a display at the beginning of an epoch will be worth in the end."""

from math import sqrt

from teerling.engine import Numbers, rule

from ..auction.foresight import DOUBT_OF_AN_EPOCH, epochs_to_play, stage, suns_to_come
from ..auction.policy import PERCENT, between, share, tiles_of_epochs
from .policy import (
    FLOOD_LATER,
    MONUMENT_CHANCE,
    MONUMENTS,
    alike_added,
)
from .rules import (
    DIFFERENT_MONUMENTS,
    FEWEST_PHARAOHS,
    FIRST_MONUMENT,
    LAST_MONUMENT,
    MOST_PHARAOHS,
    NILE,
    PHARAOH,
    State,
)

__all__ = ["foresee", "stage"]

SHARP = 0.2
"""How much more likely a pharaoh more makes it to have most, or not to have fewest."""


@rule
def foresee(s: State, values: Numbers, points: Numbers) -> float:
    """Fame, and what pharaohs, Nile, monuments and suns may still bring."""
    epochs = epochs_to_play(s)
    for p in range(s.players):
        points[p] = (
            s.fame[p]
            + epochs * pharaohs_to_come(s, p)
            + epochs * values[FLOOD_LATER] * s.tiles[p, NILE]
            + monuments_to_come(s, values, p, epochs)
            + suns_to_come(s, values, p, epochs)
        )
    return DOUBT_OF_AN_EPOCH * sqrt(float(epochs))


@rule
def pharaohs_to_come(s: State, p: int) -> float:
    """What the pharaohs may bring in an epoch."""
    mine = s.tiles[p, PHARAOH]
    most = 0
    fewest = mine
    for q in range(s.players):
        if q != p:
            most = max(most, s.tiles[q, PHARAOH])
            fewest = min(fewest, s.tiles[q, PHARAOH])
    leading = share(0.5 + (mine - most) * SHARP)
    trailing = share(0.5 - (mine - fewest) * SHARP)
    return MOST_PHARAOHS * leading + FEWEST_PHARAOHS * trailing


@rule
def monuments_to_come(s: State, values: Numbers, p: int, epochs: int) -> float:
    """What the monuments may bring in the end, with those that are still won."""
    to_come = tiles_of_epochs(s, epochs)
    kinds = 0
    total = 0.0
    for kind in range(FIRST_MONUMENT, LAST_MONUMENT + 1):
        if s.tiles[p, kind] > 0:
            kinds += 1
            total += alike_added(s, values, kind, 0, s.tiles[p, kind], to_come)
    found = share(PERCENT * values[MONUMENT_CHANCE] * to_come) * (MONUMENTS - kinds)
    return total + between(DIFFERENT_MONUMENTS, MONUMENTS, kinds + found)
