"""A turn of Ra: The Dice Game solved exactly: which dice to throw again, and how to use the symbols.

`solve` is given what positions are worth to the player on turn: after the turn, and while another
player chooses which markers to remove. If just the pharaoh track counts, a pharaoh is kept, and each
other die shows a pharaoh or an ankh with the last throw in 2 of 6 cases.

>>> import teerling
>>> dice = {"yellow": "pharaoh", "red": "nile", "blue": "nile", "green": "sun", "purple": "sun"}
>>> match = teerling.at("radice", {"players": 2, "phase": "choosing dice", "dice": dice, "throws": 2})
>>> worth = solve(match.state, lambda s: float(s.pharaoh[0]))
>>> round(worth[KEEP], 9), round(worth[KEEP + 2 + 4], 9)
(1.0, 1.666666667)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teerling.engine import Cells, rule
from teerling.engine.cells import clear
from teerling.engine.compile import bind

from . import rules
from .rules import (
    CHOOSING_DICE,
    DECISIONS,
    DICE,
    DONE,
    FACES,
    FLOOD,
    KEEP,
    PHARAOH,
    SUN,
    SUNS_FOR_CATASTROPHE,
    THROWS,
    USING,
    State,
    apply,
    legal,
    showing,
)

Value = Callable[[State], float]
Throws = NDArray[np.float64]
"""A number for each of all throws: one axis a die, along it the faces."""

MOST_USES = DICE + 2
"""How many uses there are in a turn at most, with a catastrophe and being done."""
ROOM = 100_000
"""How many endings there is room for at first."""


def solve(s: State, value: Value) -> dict[int, float]:
    """What every legal move is worth to the player on turn, given what positions are worth."""
    mask = [0] * DECISIONS
    legal(s, mask)
    moves = [move for move in range(DECISIONS) if mask[move]]
    if s.phase == CHOOSING_DICE:
        used = best_uses_of_throws(s, value)
        kept = after_throwing(used, THROWS - s.throws - 1)
        lying = tuple(s.dice[die] - PHARAOH for die in range(DICE))
        return {move: float(thrown(kept if move else used, move - KEEP)[lying]) for move in moves}
    if s.phase == USING:
        return dict(zip(moves, best_uses([after(s, move) for move in moves], value), strict=True))
    raise ValueError("a turn is solved where its player chooses dice or uses them")


def after(s: State, move: int) -> State:
    """The position after a move."""
    s = s.copy()
    apply(s, move)
    return s


def after_throwing(used: Throws, throws: int) -> Throws:
    """What each throw is worth with so many more throws to come, from what its uses are worth."""
    worth = used
    for _ in range(throws):
        choices = [np.where(is_free(dice), thrown(worth, dice), -np.inf) for dice in range(1, 1 << DICE)]
        worth = np.maximum(used, np.max(choices, axis=0))
    return worth


def thrown(worth: Throws, dice: int) -> Throws:
    """What throwing some of the dice is worth: the mean over all that they may show."""
    mean = worth.mean(axis=tuple(die for die in range(DICE) if dice >> die & 1), keepdims=True)
    return np.broadcast_to(mean, worth.shape)


def is_free(dice: int) -> NDArray[np.bool_]:
    """RD-05: in which throws none of these dice is locked."""
    shown = np.indices((FACES,) * DICE)
    free: NDArray[np.bool_] = np.all(
        [shown[die] != SUN - PHARAOH for die in range(DICE) if dice >> die & 1], axis=0
    )
    return free


def best_uses_of_throws(s: State, value: Value) -> Throws:
    """What each throw is worth that may come of this one, if its symbols are used in the best way."""
    faces = np.indices((FACES,) * DICE).reshape(DICE, -1).T + PHARAOH
    locked = [die for die in range(DICE) if s.dice[die] == SUN]
    possible = np.all(faces[:, locked] == SUN, axis=1)
    starts = s.to_array().repeat(possible.sum())
    starts["dice"] = faces[possible]
    starts["phase"] = USING
    found = np.zeros(len(faces))
    found[possible] = best_of_endings(starts, value)
    return found.reshape((FACES,) * DICE)


def best_uses(positions: list[State], value: Value) -> list[float]:
    """What each position is worth if the dice left are used in the best way."""
    using = [s for s in positions if s.phase == USING]
    found = iter(best_of_endings(np.concatenate([s.to_array() for s in using]), value)) if using else iter(())
    return [float(next(found)) if s.phase == USING else value(s) for s in positions]


def best_of_endings(starts: NDArray[Any], value: Value) -> NDArray[np.float64]:
    """The most that any position in which the uses may end is worth, for every start."""
    ends, origins = all_endings(starts)
    different, which = np.unique(ends.view(f"V{ends.itemsize}"), return_inverse=True)
    worth = np.array([value(State(end.tobytes())) for end in different])
    found = np.full(len(starts), -np.inf)
    np.maximum.at(found, origins, worth[which.ravel()])
    return found


def all_endings(starts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Every position in which the uses may end, and from which start."""
    kernel = bind(rules.__name__, __name__)
    work = np.zeros(MOST_USES + 1, starts.dtype)
    mask = np.zeros((MOST_USES + 1, DECISIONS), np.int8)
    room = ROOM
    while True:
        ends, origins = np.zeros(room, starts.dtype), np.zeros(room, np.int64)
        count = kernel.endings(starts, work, mask, np.zeros(MOST_USES + 1, np.int64), ends, origins)
        if count <= room:
            return ends[:count], origins[:count]
        room = count


@rule
def endings(starts: Any, work: Any, masks: Any, tried: Cells, ends: Any, origins: Cells) -> int:
    """Lists the positions after every way to use the dice; how many there are, if there is room or not.

    The ways are walked through in depth: `work` holds the position after each use of the way so far,
    `masks` what may follow it, and `tried` the last of those that has been followed.
    """
    count = 0
    for start in range(len(starts)):
        work[0] = starts[start]
        tried[0] = DONE - 1
        clear(masks[0])
        legal(work[0], masks[0])
        depth = 0
        while depth >= 0:
            s = work[depth]
            move = tried[depth] + 1
            while move < DECISIONS and masks[depth][move] == 0:
                move += 1
            tried[depth] = move
            if move == DECISIONS:
                depth -= 1
                continue
            work[depth + 1] = s
            following = work[depth + 1]
            apply(following, move)
            if following.phase == USING:
                depth += 1
                tried[depth] = DONE - 1
                clear(masks[depth])
                legal(following, masks[depth])
                forbid_other_orders(following, move, masks[depth])
            else:
                if count < len(ends):
                    ends[count] = following
                    origins[count] = start
                count += 1
    return count


@rule
def forbid_other_orders(s: State, last: int, mask: Cells) -> None:
    """Uses on the tracks come first, then others in the order of their ids: the rest leads to the same."""
    if showing(s, SUN) >= SUNS_FOR_CATASTROPHE or last <= FLOOD:
        return
    for move in range(DONE + 1, last):
        mask[move] = 0
