"""Pig: throw as often as you like; a one loses what the turn has brought."""

from teerling.engine import CHANCE, OVER, Cells, GameState, int8, int16, rule
from teerling.engine.random import below

FACES = 6
MOST_PLAYERS = 4
THROW, HOLD = range(2)
DECISIONS = 2
OUTCOMES = FACES


class State(GameState):
    """A whole game of Pig."""

    mover: int = int8()
    goal: int = int16()
    turn_points: int = int16()
    points: Cells = int16(MOST_PLAYERS)


@rule
def setup(s: State, players: int, options: Cells) -> None:
    """PG-01: everybody starts with nothing."""
    s.players = players
    s.goal = options[0]


@rule
def legal(s: State, mask: Cells) -> None:
    """PG-02: throw, or hold what there is."""
    mask[THROW] = 1
    mask[HOLD] = s.turn_points > 0


@rule
def chance(s: State, weights: Cells) -> None:
    """PG-03: a die."""
    for face in range(FACES):
        weights[face] = 1


@rule
def apply(s: State, move: int) -> None:
    """PG-02, PG-03: a throw, its outcome, or the end of a turn."""
    if s.turn == CHANCE:
        s.turn = s.mover
        if move == 0:
            pass_on(s)
        else:
            s.turn_points += move + 1
    elif move == THROW:
        s.turn = CHANCE
    else:
        s.points[s.turn] += s.turn_points
        if s.points[s.turn] >= s.goal:
            s.turn_points = 0
            s.turn = OVER
        else:
            pass_on(s)


@rule
def pass_on(s: State) -> None:
    """PG-02: the next player's turn."""
    s.turn_points = 0
    s.mover = (s.mover + 1) % s.players
    s.turn = s.mover


@rule
def results(s: State, scores: Cells, ranks: Cells) -> None:
    """PG-04: most points first."""
    for p in range(s.players):
        scores[p] = s.points[p]
        ranks[p] = 1
        for q in range(s.players):
            ranks[p] += s.points[q] > s.points[p]


@rule
def observe(s: State, seat: int) -> None:
    """All lies open."""


@rule
def imagine(s: State, seat: int, rng: Cells) -> None:
    """Nothing has to be imagined; a number is drawn to show that it can be."""
    below(rng, FACES)


@rule
def sound(s: State) -> bool:
    """Points are never negative."""
    for p in range(s.players):
        if s.points[p] < 0:
            return False
    return s.turn_points >= 0
