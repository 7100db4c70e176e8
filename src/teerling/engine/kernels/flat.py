"""Flat Monte Carlo: every legal move tried by random games from imagined states."""

from typing import Any

from ..contract import apply, imagine, legal, results
from ..random import start_stream
from ..record import Cells
from ..rule import rule
from .playout import play_out


@rule
def values(
    seen: Any,
    work: Any,
    scratch: Any,
    allowed: Cells,
    seat: int,
    playouts: int,
    seed: int,
    scores: Cells,
    ranks: Cells,
    found: Any,
) -> None:
    """For every legal move of a seat, the mean share of wins of random games after it."""
    mask, weights, rng = scratch[0].mask, scratch[0].weights, scratch[0].rng
    s = work[0]
    legal(seen[0], allowed)
    for move in range(len(allowed)):
        found[move] = -1.0
        if allowed[move]:
            total = 0.0
            for playout in range(playouts):
                work[0] = seen[0]
                start_stream(rng, seed, playout)
                imagine(s, seat, rng)
                apply(s, move)
                play_out(s, mask, weights, rng)
                results(s, scores, ranks)
                if ranks[seat] == 1:
                    winners = 0
                    for p in range(s.players):
                        winners += ranks[p] == 1
                    total += 1.0 / winners
            found[move] = total / playouts
