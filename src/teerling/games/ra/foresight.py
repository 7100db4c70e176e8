"""What a display at the beginning of an epoch will be worth in the end."""

from teerling.engine import Numbers, rule

from ..auction.foresight import FIRST_OWN_HOPE, doubt_of, epochs_to_play, stage, suns_to_come
from ..auction.foresight import HOPES as AUCTION_HOPES
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

__all__ = ["foresee", "stage"]

HOPES = {
    **AUCTION_HOPES,
    "sharp": 0.2,  # how much more likely a pharaoh more makes it to have most, or not to have fewest
    "flood": 0.4,  # what a tile of the Nile is worth in every epoch to come
    "monument": 3.0,  # how likely another kind of monument is found, in percent for every tile to come
}
SHARP, FLOOD, MONUMENT = range(FIRST_OWN_HOPE, len(HOPES))


@rule
def foresee(s: State, values: Numbers, hopes: Numbers, points: Numbers) -> float:
    """Fame, and what pharaohs, Nile, monuments and suns may still bring."""
    epochs = epochs_to_play(s)
    for p in range(s.players):
        points[p] = (
            s.fame[p]
            + epochs * pharaohs_to_come(s, hopes, p)
            + epochs * hopes[FLOOD] * s.tiles[p, NILE]
            + monuments_to_come(s, values, hopes, p, epochs)
            + suns_to_come(s, hopes, p, epochs)
        )
    return doubt_of(hopes, epochs)


@rule
def pharaohs_to_come(s: State, hopes: Numbers, p: int) -> float:
    """What the pharaohs may bring in an epoch."""
    mine = s.tiles[p, PHARAOH]
    most, fewest = pharaohs_of_others(s, p)
    leading = share(0.5 + (mine - most) * hopes[SHARP])
    trailing = share(0.5 - (mine - fewest) * hopes[SHARP])
    return MOST_PHARAOHS * leading + FEWEST_PHARAOHS * trailing


@rule
def monuments_to_come(s: State, values: Numbers, hopes: Numbers, p: int, epochs: int) -> float:
    """What the monuments may bring in the end, with those that are still won."""
    to_come = tiles_of_epochs(s, values, epochs)
    kinds = 0
    total = 0.0
    for kind in range(FIRST_MONUMENT, LAST_MONUMENT + 1):
        if s.tiles[p, kind] > 0:
            kinds += 1
            total += alike_added(s, values, kind, 0, s.tiles[p, kind], to_come)
    found = share(PERCENT * hopes[MONUMENT] * to_come) * (MONUMENTS - kinds)
    return total + between(DIFFERENT_MONUMENTS, MONUMENTS, kinds + found)
