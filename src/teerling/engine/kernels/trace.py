"""Advised games after a move, with all that is scored in them, so that it can be told for what."""

from typing import Any

from ..contract import apply, imagine, results
from ..random import start_stream
from ..record import CHANCE, OVER, Cells, Numbers
from ..rule import rule
from .playout import random_outcome
from .steer import advised_decision


@rule
def differ(players: int, before: Cells, after: Cells) -> bool:
    """Whether anybody's score has changed."""
    for p in range(players):
        if before[p] != after[p]:
            return True
    return False


@rule
def trace(
    seen: Any,
    work: Any,
    last: Any,
    scratch: Any,
    values: Numbers,
    temperature: float,
    seat: int,
    move: int,
    seed: int,
    games: int,
    old: Cells,
    scores: Cells,
    ranks: Cells,
    scorings: Any,
    befores: Any,
    afters: Any,
) -> int:
    """Plays games 0, 1, … that begin with a move; how many, as there may be no room for more scorings.

    For every step that changes a score, `scorings` gets the game and the move, and `befores` and
    `afters` the states around it.
    """
    mask, moves, rng = scratch[0].mask, scratch[0].moves, scratch[0].rng
    weights, worth = scratch[0].weights, scratch[0].worth
    s = work[0]
    kept = 0
    for game in range(games):
        work[0] = seen[0]
        start_stream(rng, seed, game)
        imagine(s, seat, rng)
        results(s, old, ranks)
        made = move
        while s.turn != OVER:
            last[0] = work[0]
            apply(s, made)
            results(s, scores, ranks)
            if differ(s.players, old, scores):
                if kept == len(scorings):
                    return game
                scorings[kept].game = game
                scorings[kept].move = made
                befores[kept] = last[0]
                afters[kept] = work[0]
                kept += 1
                for p in range(s.players):
                    old[p] = scores[p]
            if s.turn == CHANCE:
                made = random_outcome(s, weights, rng)
            elif s.turn != OVER:
                made = advised_decision(s, values, temperature, mask, moves, worth, rng)
    return games
