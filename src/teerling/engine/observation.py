"""What a game's `observation.py` offers to kernels: what a seat knows as a row of numbers; this one is empty.

A kernel imports `encode` from here; when it is bound to a game, it gets that game's instead.
"""

from .record import GameState, Numbers
from .rule import rule


@rule
def encode(s: GameState, seat: int, out: Numbers) -> None:
    """Fills in what a seat knows, from a record that `observe` has made for it."""
