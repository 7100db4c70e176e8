"""Random games with all pieces counted after every step."""

from typing import Any

from ..contract import apply, sound
from ..random import start_stream
from ..record import CHANCE, OVER
from ..rule import rule
from .playout import random_decision, random_outcome


@rule
def first_unsound(start: Any, work: Any, scratch: Any, seed: int, first: int, games: int) -> int:
    """Plays games first, first + 1, …; the number of one whose pieces do not add up, or -1."""
    mask, weights, rng = scratch[0].mask, scratch[0].weights, scratch[0].rng
    s = work[0]
    for game in range(first, first + games):
        work[0] = start[0]
        start_stream(rng, seed, game)
        while s.turn != OVER:
            if s.turn == CHANCE:
                move = random_outcome(s, weights, rng)
            else:
                move = random_decision(s, mask, rng)
            apply(s, move)
            if not sound(s):
                return game
    return -1
