"""How far a search looks, and what suns will be worth from there on, in Ra and in Priests of Ra."""

from math import sqrt

from teerling.engine import Numbers, rule

from .policy import TEN
from .rules import EPOCHS, AuctionState, sum_of_suns

WEIGHTS = {
    "error": 6.0,  # by how many points one may be wrong about an epoch
    "suns": 0.7,  # what ten points more on the suns are worth in every epoch to come
    "suns_in_the_end": 5.0,  # what ten points more on the suns are worth at the end of the game
}
ERROR, SUNS, SUNS_IN_THE_END = range(3)
FIRST_OWN_WEIGHT = 3


@rule
def stage(s: AuctionState) -> int:
    """A search looks no further than the end of the epoch."""
    return s.epoch


@rule
def epochs_to_play(s: AuctionState) -> int:
    """How many epochs are still to be played at the beginning of one."""
    return EPOCHS + 1 - s.epoch


@rule
def suns_to_come(s: AuctionState, weights: Numbers, p: int, epochs: int) -> float:
    """What a player's suns may bring in the epochs to come."""
    return sum_of_suns(s, p) * (weights[SUNS_IN_THE_END] + weights[SUNS] * epochs) / TEN


@rule
def error_of(weights: Numbers, epochs: int) -> float:
    """By how many points one may be wrong about so many epochs."""
    return weights[ERROR] * sqrt(float(epochs))
