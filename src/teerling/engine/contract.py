"""What every game's rules offer to kernels.

A kernel imports these names; when it is bound to a game, it gets that game's functions instead.
Decisions and outcomes of chance have ids from 0, each in a range of its own.
"""

from .record import Cells, GameState

DECISIONS = 0
"""How many ids decisions have."""
OUTCOMES = 0
"""How many ids outcomes of chance have."""


def setup(s: GameState, players: int, options: Cells) -> None:
    """Lays out a game in a record of zeros whose version is set."""
    raise NotImplementedError


def legal(s: GameState, mask: Cells) -> None:
    """Sets the mask to 1 for every legal move of the player to decide and to 0 elsewhere."""
    raise NotImplementedError


def chance(s: GameState, weights: Cells) -> None:
    """Fills in the weight of every outcome of the chance event the state waits for."""
    raise NotImplementedError


def apply(s: GameState, move: int) -> None:
    """Carries out a legal decision, or a possible outcome at a chance event."""
    raise NotImplementedError


def results(s: GameState, scores: Cells, ranks: Cells) -> None:
    """Fills in every seat's score and rank (1 is best) as things stand."""
    raise NotImplementedError


def observe(s: GameState, seat: int) -> None:
    """Blanks what a seat does not know; seat -1 is a spectator."""
    raise NotImplementedError


def imagine(s: GameState, seat: int, rng: Cells) -> None:
    """Completes what `observe` blanked, at random, to a state that the seat might be in."""
    raise NotImplementedError


def sound(s: GameState) -> bool:
    """Whether all pieces are there, each once; the tests ask after every step."""
    raise NotImplementedError
