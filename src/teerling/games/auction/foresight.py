"""How far a search looks, and what suns will be worth from there on, in Ra and in Priests of Ra."""

from teerling.engine import Numbers, rule

from .policy import EXCHANGE, LAST_EXCHANGE, TEN
from .rules import EPOCHS, AuctionState, sum_of_suns

DOUBT_OF_AN_EPOCH = 6.0
"""By how many points one may be wrong about an epoch."""


@rule
def stage(s: AuctionState) -> int:
    """A search looks no further than the end of the epoch."""
    return s.epoch


@rule
def epochs_to_play(s: AuctionState) -> int:
    """How many epochs are still to be played at the beginning of one."""
    return EPOCHS + 1 - s.epoch


@rule
def suns_to_come(s: AuctionState, values: Numbers, p: int, epochs: int) -> float:
    """What a player's suns may bring in the epochs to come."""
    return sum_of_suns(s, p) * (values[LAST_EXCHANGE] + values[EXCHANGE] * epochs) / TEN
