"""What a seat knows as an array of numbers, and what every number tells.

>>> import teerling
>>> match = teerling.new("rapido", players=2, seed=7)
>>> names = encoding_of(match.game).names(match.players)
>>> knows = numbers(match, seat=1)
>>> knows.shape == (len(names),), [name for name, number in zip(names, knows) if number][:2]
(True, ['turn: 1 on', 'mover: 1 on'])
"""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import OBSERVATION, bound_name
from ..engine.features import Encoding
from ..errors import Phrase, TeerlingError
from ..game import Game
from ..match import Match


def encoding_of(game: Game) -> Encoding:
    """How the game tells a seat what it knows in numbers; TeerlingError if it does not."""
    found: Any = getattr(_module_of(game), "ENCODING", None)
    if found is None:
        raise TeerlingError(
            Phrase(
                "{game} does not say what a seat knows in numbers: its folder has no observation.py",
                game=game.name,
            )
        )
    encoding: Encoding = found
    return encoding


def numbers(match: Match, seat: int) -> NDArray[np.float32]:
    """What a seat of a match knows, in numbers."""
    found = np.zeros(encoding_of(match.game).size(match.players), np.float32)
    _module_of(match.game).encode(match.seen(seat), seat, found)
    return found


def encode(game: Game, state: Any, seat: int, into: NDArray[np.float32]) -> None:
    """Fills in what a seat knows of a state."""
    _module_of(game).encode(game.observed(state, seat), seat, into)


def _module_of(game: Game) -> Any:
    return import_module(bound_name(OBSERVATION, game.rules.__name__))
