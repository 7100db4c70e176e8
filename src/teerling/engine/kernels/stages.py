"""Games cut where a stage begins: what stood there, its evaluation, and what came of it."""

from typing import Any

from ..contract import apply, results
from ..evaluation import evaluate, stage
from ..random import start_stream
from ..record import CHANCE, OVER, Cells, Numbers
from ..rule import rule
from .playout import random_outcome
from .steer import advised_decision


@rule
def beginnings(
    start: Any,
    work: Any,
    scratch: Any,
    values: Numbers,
    temperature: float,
    seed: int,
    begun: Any,
    games: Cells,
    scores: Any,
    ranks: Any,
) -> int:
    """Plays advised games 0, 1, …; how many stages began in them, the first of each left out.

    Copies the states in which a stage began to `begun`, as far as there is room, and the numbers of their
    games to `games`.
    """
    s, room = work[0], scratch[0]
    found = 0
    for game in range(len(scores)):
        work[0] = start[0]
        start_stream(room.rng, seed, game)
        while s.turn != OVER:
            before = stage(s)
            if s.turn == CHANCE:
                move = random_outcome(s, room.weights, room.rng)
            else:
                move = advised_decision(s, values, temperature, room)
            apply(s, move)
            if s.turn != OVER and stage(s) > before > 0:
                if found < len(begun):
                    begun[found] = work[0]
                    games[found] = game
                found += 1
        results(s, scores[game], ranks[game])
    return found


@rule
def evaluate_all(
    begun: Any, values: Numbers, evaluation_weights: Numbers, points: Any, errors: Numbers
) -> None:
    """The evaluation wherever a stage began: every seat's points, and by how many that may be wrong."""
    for i in range(len(begun)):
        errors[i] = evaluate(begun[i], values, evaluation_weights, points[i])
