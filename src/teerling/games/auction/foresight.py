"""What suns and majorities will be worth in epochs to come, in Ra and in Priests of Ra."""

from teerling.engine import Grid, Numbers, rule

from .policy import EXCHANGE, LAST_EXCHANGE
from .rules import EPOCHS, HIGHEST_SUN, NOT_OWNED, AuctionState

DOUBT_OF_AN_EPOCH = 6.0
"""By how many points one may be wrong about an epoch."""


@rule
def epochs_to_play(s: AuctionState) -> int:
    """How many epochs are still to be played at the beginning of one."""
    return EPOCHS + 1 - s.epoch


@rule
def suns_to_come(s: AuctionState, values: Numbers, p: int, epochs: int) -> float:
    """What a player's suns may bring in the epochs to come."""
    total = 0
    for sun in range(1, HIGHEST_SUN + 1):
        total += sun * (s.suns[p, sun] != NOT_OWNED)
    return total * (values[LAST_EXCHANGE] + values[EXCHANGE] * epochs)


@rule
def most_and_fewest_others(s: AuctionState, tiles: Grid, p: int, kind: int) -> tuple[int, int]:
    """The most and the fewest tiles of a kind that another player has."""
    most = 0
    fewest = 127
    for q in range(s.players):
        if q != p:
            most = max(most, tiles[q, kind])
            fewest = min(fewest, tiles[q, kind])
    return most, fewest
