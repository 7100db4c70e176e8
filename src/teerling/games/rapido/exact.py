"""A turn of Rapido solved exactly: to throw again, or to place the pair.

`solve` is given what the position after the turn is worth to the player on turn. One step below the
goal, with nothing else to hope for, only a double helps: 3 of 36 throws against 11 with an X, and
after all others one throws on.

>>> import teerling
>>> match = teerling.at("rapido", {"players": 3, "dice": [7, 5], "seats": [{"step": 20}, {}, {}]})
>>> worth = solve(match.state, lambda s: float(s.pawns[0] == s.goal))
>>> round(14 * worth[THROW], 9), worth[FIRST_PLACE + 5]
(3.0, 0.0)
"""

from collections.abc import Callable

from .rules import (
    DECIDING,
    DECISIONS,
    FIRST_A_OUTCOME,
    FIRST_B_OUTCOME,
    FIRST_PLACE,
    SIDES,
    THROW,
    State,
    apply,
    legal,
)

Value = Callable[[State], float]


def solve(s: State, value: Value) -> dict[int, float]:
    """What every legal move is worth to the player on turn, given what positions after the turn are worth."""
    if s.phase != DECIDING:
        raise ValueError("a turn is solved where its player decides")
    return {THROW: throwing_again(s, value, {}), **placing(s, value)}


def placing(s: State, value: Value) -> dict[int, float]:
    """What placing the pair is worth, by move."""
    mask = [0] * DECISIONS
    legal(s, mask)
    return {move: value(after(s, move)) for move in range(FIRST_PLACE, DECISIONS) if mask[move]}


def throwing_again(s: State, value: Value, known: dict[int, float]) -> float:
    """What throwing again is worth, which depends on nothing of the turn but the pawn's step.

    Throws after which the pawn is where it was lead back to the same choice: `pausing` holds what
    stopping there is worth. A double leads to a higher step, and an X ends the turn.
    """
    step = s.pawns[s.turn]
    if step not in known:
        settled = []
        pausing = []
        for thrown in throws(s):
            if thrown.phase != DECIDING:
                settled.append(value(thrown))
            elif thrown.pawns[s.turn] > step:
                stopping = max(placing(thrown, value).values())
                settled.append(max(stopping, throwing_again(thrown, value, known)))
            else:
                pausing.append(max(placing(thrown, value).values()))
        known[step] = going_on(settled, pausing)
    return known[step]


def throws(s: State) -> list[State]:
    """The positions after all equally likely throws."""
    lying = [after(after(s, THROW), FIRST_A_OUTCOME + a) for a in range(SIDES)]
    return [after(die_a, FIRST_B_OUTCOME + b) for die_a in lying for b in range(SIDES)]


def after(s: State, move: int) -> State:
    """The position after a move."""
    s = s.copy()
    apply(s, move)
    return s


def going_on(settled: list[float], pausing: list[float]) -> float:
    """What it is worth to go on until something settled comes, or a pause worth more than to go on.

    >>> going_on([0.0], [3.0, 1.0])         # stops at 3, goes on at 1
    1.5
    """
    total, ways = sum(settled), len(settled)
    for stopping in sorted(pausing, reverse=True):
        if stopping * ways <= total:
            break
        total, ways = total + stopping, ways + 1
    return total / ways
