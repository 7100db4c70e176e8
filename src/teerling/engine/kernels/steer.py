"""Games whose players follow the advice of the game's policy."""

from math import exp
from typing import Any

from ..cells import clear
from ..contract import apply, legal, results
from ..evaluation import stage
from ..policy import advise
from ..random import start_stream, uniform
from ..record import CHANCE, OVER, Cells, GameState, Numbers
from ..rule import rule
from .playout import random_outcome


@rule
def gather(mask: Cells, moves: Cells) -> int:
    """Lists the legal moves; how many there are."""
    count = 0
    for move in range(len(mask)):
        moves[count] = move
        count += mask[move]
    return count


@rule
def best_of(moves: Cells, count: int, worth: Numbers) -> int:
    """The listed move that is worth most, the first of equals."""
    best = moves[0]
    for i in range(1, count):
        if worth[moves[i]] > worth[best]:
            best = moves[i]
    return best


@rule
def likelihoods(moves: Cells, count: int, worth: Numbers, temperature: float) -> float:
    """Turns the worths of listed moves into likelihoods, larger for what is worth more; their sum."""
    most = worth[best_of(moves, count, worth)]
    total = 0.0
    for i in range(count):
        worth[moves[i]] = exp((worth[moves[i]] - most) / temperature)
        total += worth[moves[i]]
    return total


@rule
def advised_decision(s: GameState, values: Numbers, temperature: float, room: Any) -> int:
    """A legal move, the likelier the more it is worth; without temperature the best one."""
    moves, worth = room.moves, room.worth
    clear(room.mask)
    legal(s, room.mask)
    count = gather(room.mask, moves)
    if count == 1:
        return int(moves[0])
    advise(s, values, room.mask, worth, room.notes)
    if temperature <= 0.0:
        return best_of(moves, count, worth)
    left = uniform(room.rng) * likelihoods(moves, count, worth, temperature)
    chosen = 0
    while chosen < count - 1 and left >= worth[moves[chosen]]:
        left -= worth[moves[chosen]]
        chosen += 1
    return int(moves[chosen])


@rule
def goes_on(s: GameState, horizon: int) -> bool:
    """Whether there is more to look at: the game is not over, and its stage not the horizon."""
    return s.turn != OVER and stage(s) < horizon


@rule
def play_out_advised(s: GameState, values: Numbers, temperature: float, horizon: int, room: Any) -> int:
    """Plays by the policy's advice to the end, or to a stage; the number of steps it took."""
    steps = 0
    while goes_on(s, horizon):
        if s.turn == CHANCE:
            move = random_outcome(s, room.weights, room.rng)
        else:
            move = advised_decision(s, values, temperature, room)
        apply(s, move)
        steps += 1
    return steps


@rule
def matches(
    start: Any,
    work: Any,
    scratch: Any,
    values: Any,
    temperatures: Numbers,
    seatings: Any,
    seed: int,
    first: int,
    scores: Any,
    ranks: Any,
) -> None:
    """Plays games between policies that differ in their values.

    In game g, seat p weighs with row `seatings[g, p]` of `values`. As many games in a row as there
    are seats have the same chance, as far as they go alike.
    """
    s, room = work[0], scratch[0]
    seats = start[0].players
    for game in range(len(seatings)):
        work[0] = start[0]
        start_stream(room.rng, seed, (first + game) // seats)
        while s.turn != OVER:
            if s.turn == CHANCE:
                move = random_outcome(s, room.weights, room.rng)
            else:
                who = seatings[game, s.turn]
                move = advised_decision(s, values[who], temperatures[who], room)
            apply(s, move)
        results(s, scores[game], ranks[game])
