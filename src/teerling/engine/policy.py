"""What a game's `policy.py` offers to kernels; this one, of a game without, knows nothing.

A kernel imports `advise` from here; when it is bound to a game, it gets that game's instead.
"""

from .record import Cells, GameState, Numbers
from .rule import rule


@rule
def advise(s: GameState, values: Numbers, mask: Cells, worth: Numbers) -> None:
    """Fills in what each legal move is worth to the player to decide, in points.

    It reads only what that player may know. `values` are the numbers that the policy weighs with.
    """
    for move in range(len(mask)):
        worth[move] = 0.0
