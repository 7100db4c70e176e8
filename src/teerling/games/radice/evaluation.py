"""What a board at the beginning of an epoch will be worth in the end."""

from math import sqrt

from teerling.engine import Numbers, rule

from .policy import count_of, others_on_pharaoh_track, who_stands_in
from .rules import (
    COLUMNS,
    EMPTY,
    EPOCHS,
    FURTHEST_POINTS,
    LAST_POINTS,
    State,
    monument_points,
)

WEIGHTS = {
    "error": 5.0,  # by how many points one may be wrong about an epoch
    "pharaoh": 0.2,  # how much more likely a step ahead makes it to be furthest, or not to be last
    "flood": 0.8,  # how likely a flood is, in every epoch to come
    "column": 0.5,  # what having no marker in a column may still bring, for each free field
    "pair": 0.3,  # what one marker in a column may still bring, for each free field
    "three": 1.5,  # what more markers in a column may still bring, for each free field
}
ERROR, PHARAOH, FLOOD, COLUMN, PAIR, THREE = range(len(WEIGHTS))


@rule
def stage(s: State) -> int:
    """A search looks no further than the end of the epoch."""
    return s.epoch


@rule
def evaluate(s: State, values: Numbers, weights: Numbers, points: Numbers) -> float:
    """The score, and what both tracks and the monuments may still bring."""
    epochs = EPOCHS + 1 - s.epoch
    for p in range(s.players):
        points[p] = (
            s.score[p]
            + epochs * pharaoh_to_come(s, weights, p)
            + epochs * weights[FLOOD] * s.nile[p]
            + monument_points(s, p)
            + columns_to_come(s, weights, p) * epochs / EPOCHS
        )
    return weights[ERROR] * sqrt(float(epochs))


@rule
def pharaoh_to_come(s: State, weights: Numbers, p: int) -> float:
    """What the place on the pharaoh track may bring in an epoch: being furthest, or last."""
    furthest, last = others_on_pharaoh_track(s, p)
    ahead = min(1.0, max(0.0, 0.5 + weights[PHARAOH] * (s.pharaoh[p] - furthest)))
    behind = min(1.0, max(0.0, 0.5 - weights[PHARAOH] * (s.pharaoh[p] - last)))
    return FURTHEST_POINTS * ahead + LAST_POINTS * behind


@rule
def columns_to_come(s: State, weights: Numbers, p: int) -> float:
    """What columns may still become, for each free field."""
    total = 0.0
    for column in range(COLUMNS):
        found = who_stands_in(s, column)
        own = count_of(found, p)
        free = count_of(found, EMPTY)
        if own == 0:
            total += weights[COLUMN] * free
        elif own == 1:
            total += weights[PAIR] * free
        else:
            total += weights[THREE] * free
    return total
