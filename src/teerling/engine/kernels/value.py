"""What positions are worth: every seat's share of the win, found by games that are played on from there.

A game is played on by the policy's advice to its end, or to the next stage where it has an evaluation.
The random numbers of a game come from its stream alone, so a value is a fixed function of the position.
Nature begins anew when another seat decides than before, with numbers for that seat's first turn, its second
and so on: whatever happened before, the same dice fall then. So two positions that differ little are
compared with the same luck.
"""

from typing import Any

from ..contract import apply, imagine
from ..evaluation import stage
from ..random import ALL_BITS, STEP, mixed, random_bits, start_stream, uint64
from ..record import CHANCE, Fields, GameState
from ..rule import rule
from .playout import random_outcome
from .search import judge
from .steer import advised_decision, goes_on

NOTHING = -1
"""No move is made first, or nothing is imagined."""
NEVER = 127
"""A stage that no game reaches."""
SEATS = 64
"""More seats than any game has."""
TASK: Fields = [
    ("state", "i8"), ("seat", "i8"), ("move", "i8"), ("stream", "i8"), ("games", "i8"), ("into", "i8"),
]  # fmt: skip
"""Games to be played on: from which state, as which seat imagines it, after which move, with which streams,
and to which row their shares are added."""


def settings_fields(values: int, evaluation_weights: int) -> Fields:
    """Fields of the settings: the seed of all streams, how games go on, and whether they end with a stage."""
    return [
        ("seed", "i8"),
        ("evaluates", "?"),
        ("temperature", "f8"),
        ("values", "f8", values),
        ("evaluation_weights", "f8", evaluation_weights),
    ]


def workspace_fields(players: int) -> Fields:
    """Fields that are needed besides scratch memory: what `judge` fills in, nature's random number, turns."""
    return [
        ("points", "f8", players),
        ("shares", "f8", players),
        ("scores", "i2", players),
        ("ranks", "i1", players),
        ("nature", "u8", 1),
        ("turns", "i8", players),
    ]


@rule
def play_on(s: GameState, settings: Any, room: Any) -> None:
    """Plays by the policy's advice to the end, or to the next stage, and judges what there is then."""
    begun = random_bits(room.rng)
    room.nature[0] = begun
    for p in range(s.players):
        room.turns[p] = 0
    decider = NOTHING
    horizon = stage(s) + 1 if settings.evaluates else NEVER
    while goes_on(s, horizon):
        if s.turn == CHANCE:
            move = random_outcome(s, room.weights, room.nature)
        else:
            if s.turn != decider:
                decider = s.turn
                room.turns[decider] += 1
                turn = uint64(room.turns[decider] * SEATS + decider)
                room.nature[0] = mixed((begun + turn * STEP) & ALL_BITS)
            move = advised_decision(s, settings.values, settings.temperature, room)
        apply(s, move)
    judge(s, settings.values, settings.evaluation_weights, room)


@rule
def add_shares(states: Any, tasks: Any, settings: Any, work: Any, workspace: Any, shares: Any) -> None:
    """Plays the games of all tasks and adds up every seat's share of the win."""
    s, room, given = work[0], workspace[0], settings[0]
    for i in range(len(tasks)):
        task = tasks[i]
        for stream in range(task.stream, task.stream + task.games):
            work[0] = states[task.state]
            start_stream(room.rng, given.seed, stream)
            if task.seat != NOTHING:
                imagine(s, task.seat, room.rng)
            if task.move != NOTHING:
                apply(s, task.move)
            play_on(s, given, room)
            for p in range(s.players):
                shares[task.into, p] += room.shares[p]
