"""Random games to their end."""

from typing import Any

from ..cells import clear
from ..contract import apply, chance, legal, results
from ..random import below, start_stream
from ..record import CHANCE, OVER, Cells, GameState
from ..rule import rule


@rule
def random_outcome(s: GameState, weights: Cells, rng: Cells) -> int:
    """An outcome of the chance event, drawn by its weight."""
    clear(weights)
    chance(s, weights)
    total = 0
    for outcome in range(len(weights)):
        total += weights[outcome]
    left = below(rng, total)
    outcome = 0
    while left >= weights[outcome]:
        left -= weights[outcome]
        outcome += 1
    return outcome


@rule
def random_decision(s: GameState, mask: Cells, rng: Cells) -> int:
    """A legal move, each equally likely."""
    clear(mask)
    legal(s, mask)
    count = 0
    for move in range(len(mask)):
        count += mask[move]
    left = below(rng, count)
    move = 0
    while left > 0 or mask[move] == 0:
        left -= mask[move]
        move += 1
    return move


@rule
def play_out(s: GameState, mask: Cells, weights: Cells, rng: Cells) -> int:
    """Plays to the end at random; the number of decisions and chance events it took."""
    steps = 0
    while s.turn != OVER:
        if s.turn == CHANCE:
            move = random_outcome(s, weights, rng)
        else:
            move = random_decision(s, mask, rng)
        apply(s, move)
        steps += 1
    return steps


@rule
def playouts(
    start: Any, work: Any, scratch: Any, seed: int, first: int, scores: Any, ranks: Any, lengths: Cells
) -> None:
    """Plays games first, first + 1, … from a start, each with a stream of the seed to itself."""
    mask, weights, rng = scratch[0].mask, scratch[0].weights, scratch[0].rng
    for game in range(len(lengths)):
        work[0] = start[0]
        start_stream(rng, seed, first + game)
        lengths[game] = play_out(work[0], mask, weights, rng)
        results(work[0], scores[game], ranks[game])
