"""What a game's `policy.py` offers to kernels; this one, of a game without, knows nothing.

A kernel imports `advise` from here; when it is bound to a game, it gets that game's instead.
"""

from .record import Cells, GameState, Numbers
from .rule import rule

NOTES = 0
"""How many numbers the policy notes while it weighs the moves of a decision."""


@rule
def advise(s: GameState, values: Numbers, mask: Cells, worth: Numbers, notes: Numbers) -> None:
    """Fills in what each legal move is worth to the player to decide, in points.

    It reads only what that player may know. `values` are the numbers that the policy weighs with. `notes` is
    room for `NOTES` numbers, or one if that is 0; what stands there before means nothing, and nobody reads
    it afterwards. Every thread has notes of its own.
    """
    for move in range(len(mask)):
        worth[move] = 0.0
