"""Advised games after a move, with all that is scored in them, so that points can be explained."""

from typing import Any

from ..contract import apply, imagine, results
from ..random import start_stream
from ..record import CHANCE, OVER, Cells, Fields
from ..rule import rule
from .playout import random_outcome
from .steer import advised_decision


def settings_fields(values: int) -> Fields:
    """Fields of a trace's settings: the move games begin with and whose it is, how many, and how they go on.

    `values` are those of the policy, so many of them.
    """
    return [
        ("seat", "i8"),
        ("move", "i8"),
        ("seed", "i8"),
        ("games", "i8"),
        ("temperature", "f8"),
        ("values", "f8", values),
    ]


def workspace_fields(players: int) -> Fields:
    """Fields that a trace needs besides scratch memory: scores before and after a step, and ranks."""
    return [("before", "i2", players), ("after", "i2", players), ("ranks", "i1", players)]


@rule
def differ(players: int, before: Cells, after: Cells) -> bool:
    """Whether anybody's score has changed."""
    for p in range(players):
        if before[p] != after[p]:
            return True
    return False


@rule
def trace(
    seen: Any, settings: Any, work: Any, last: Any, scratch: Any, scorings: Any, befores: Any, afters: Any
) -> int:
    """Plays games 0, 1, … that begin with a move; how many, as there may be no room for more scorings.

    For every step that changes a score, `scorings` gets the game and the move, and `befores` and
    `afters` the states around it.
    """
    s, asked, room = work[0], settings[0], scratch[0]
    old, scores, ranks = room.before, room.after, room.ranks
    kept = 0
    for game in range(asked.games):
        work[0] = seen[0]
        start_stream(room.rng, asked.seed, game)
        imagine(s, asked.seat, room.rng)
        results(s, old, ranks)
        made = asked.move
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
                made = random_outcome(s, room.weights, room.rng)
            elif s.turn != OVER:
                made = advised_decision(s, asked.values, asked.temperature, room)
    return int(asked.games)
