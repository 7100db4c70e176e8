"""What a display at the beginning of an epoch will be worth in the end."""

from teerling.engine import Numbers, rule

from ..auction.evaluation import FIRST_OWN_WEIGHT, epochs_to_play, error_of, stage, suns_to_come
from ..auction.evaluation import WEIGHTS as AUCTION_WEIGHTS
from ..auction.policy import PERCENT, between, tiles_of_epochs
from .policy import buildings_worth
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

__all__ = ["evaluate", "stage"]

WEIGHTS = {
    **AUCTION_WEIGHTS,
    "building": 0.5,  # how much a building counts in an epoch to come
    "plague": 0.6,  # how much plagues count in an epoch to come
    "more_plagues": 0.3,  # how many plagues more there will be
    "ankhs": 0.4,  # how many ankhs more there will be in every epoch to come
    "stone": 12.0,  # how likely a tile to come is a stone, in percent
    "tomb": 1.5,  # how likely a tile to come is a tomb of the kind one has most of, in percent
}
BUILDING, PLAGUE_COUNTS, MORE_PLAGUES, ANKHS, STONE, TOMB = range(FIRST_OWN_WEIGHT, len(WEIGHTS))


@rule
def evaluate(s: State, values: Numbers, weights: Numbers, points: Numbers) -> float:
    """Fame, and what buildings, plagues, ankhs, stones and suns may still bring."""
    epochs = epochs_to_play(s)
    for p in range(s.players):
        plagues = s.tiles[p, PLAGUE] + weights[MORE_PLAGUES]
        ankhs = s.ankhs[p] + weights[ANKHS] * epochs
        points[p] = (
            s.fame[p]
            + epochs * buildings_worth(s, p, 0, 0, weights[BUILDING])
            + epochs * weights[PLAGUE_COUNTS] * between(PLAGUE_FAME, MOST_PLAGUES, plagues)
            + between(ANKH_FAME, MOST_ANKHS, ankhs)
            + stones_to_come(s, values, weights, p, epochs)
            + suns_to_come(s, weights, p, epochs)
        )
    return error_of(weights, epochs)


@rule
def stones_to_come(s: State, values: Numbers, weights: Numbers, p: int, epochs: int) -> float:
    """What pyramid and tombs may bring in the end, with those that are still won."""
    to_come = tiles_of_epochs(s, values, epochs)
    stones = s.tiles[p, PYRAMID]
    alike = 0
    for tomb in range(FIRST_TOMB, LAST_TOMB + 1):
        stones += s.tiles[p, tomb]
        alike = max(alike, s.tiles[p, tomb])
    return between(PYRAMID_FAME, LARGEST_PYRAMID, stones + PERCENT * weights[STONE] * to_come) + between(
        TOMB_FAME, MOST_TOMBS, alike + PERCENT * weights[TOMB] * to_come
    )
