"""What a display at the beginning of an epoch will be worth in the end."""

from teerling.engine import Numbers, rule

from ..auction.evaluation import FIRST_OWN_WEIGHT, epochs_to_play, error_of, stage, suns_to_come
from ..auction.evaluation import WEIGHTS as AUCTION_WEIGHTS
from ..auction.policy import PERCENT, between, share, tiles_of_epochs
from .policy import MONUMENTS, alike_added, pharaohs_of_others
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

__all__ = ["evaluate", "stage"]

WEIGHTS = {
    **AUCTION_WEIGHTS,
    "sharp": 0.2,  # how much more likely a pharaoh more makes it to have most, or not to have fewest
    "flood": 0.4,  # what a tile of the Nile is worth in every epoch to come
    "monument": 3.0,  # how likely another kind of monument is found, in percent for every tile to come
}
SHARP, FLOOD, MONUMENT = range(FIRST_OWN_WEIGHT, len(WEIGHTS))


@rule
def evaluate(s: State, values: Numbers, weights: Numbers, points: Numbers) -> float:
    """Fame, and what pharaohs, Nile, monuments and suns may still bring."""
    epochs = epochs_to_play(s)
    for p in range(s.players):
        points[p] = (
            s.fame[p]
            + epochs * pharaohs_to_come(s, weights, p)
            + epochs * weights[FLOOD] * s.tiles[p, NILE]
            + monuments_to_come(s, values, weights, p, epochs)
            + suns_to_come(s, weights, p, epochs)
        )
    return error_of(weights, epochs)


@rule
def pharaohs_to_come(s: State, weights: Numbers, p: int) -> float:
    """What the pharaohs may bring in an epoch."""
    mine = s.tiles[p, PHARAOH]
    most, fewest = pharaohs_of_others(s, p)
    leading = share(0.5 + (mine - most) * weights[SHARP])
    trailing = share(0.5 - (mine - fewest) * weights[SHARP])
    return MOST_PHARAOHS * leading + FEWEST_PHARAOHS * trailing


@rule
def monuments_to_come(s: State, values: Numbers, weights: Numbers, p: int, epochs: int) -> float:
    """What the monuments may bring in the end, with those that are still won."""
    to_come = tiles_of_epochs(s, values, epochs)
    kinds = 0
    total = 0.0
    for kind in range(FIRST_MONUMENT, LAST_MONUMENT + 1):
        if s.tiles[p, kind] > 0:
            kinds += 1
            total += alike_added(s, values, kind, 0, s.tiles[p, kind], to_come)
    found = share(PERCENT * weights[MONUMENT] * to_come) * (MONUMENTS - kinds)
    return total + between(DIFFERENT_MONUMENTS, MONUMENTS, kinds + found)
