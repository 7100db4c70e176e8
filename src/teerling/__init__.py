"""Teerling: five board games with exact rules, explicit chance and secrets that stay secret.

>>> import teerling
>>> match = teerling.new("ra", players=4, seed=7)
>>> match.push("draw")
>>> match.turn
1
>>> teerling.player("casual").choose(match).move in match.legal_moves
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import games
from .engine import CHANCE
from .errors import (
    BadFile,
    BadOption,
    BadPlayers,
    BadPosition,
    IllegalMove,
    NoSuchStep,
    NothingToTakeBack,
    TeerlingError,
    UnknownGame,
    UnknownMove,
    WrongOutcome,
)
from .game import Event, Game, Move, Plural, game, list_games, register
from .loading import load
from .match import Match, at, new
from .nature import Nature, Sealed, Stream

if TYPE_CHECKING:
    from . import players
    from .lab.batch import Batch, batch
    from .players.base import Choice, MoveEstimate, Observation, Player, player
    from .players.hint import Hint, hint

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "BadFile",
    "BadOption",
    "BadPlayers",
    "BadPosition",
    "Batch",
    "Choice",
    "Event",
    "Game",
    "Hint",
    "IllegalMove",
    "Match",
    "Move",
    "MoveEstimate",
    "Nature",
    "NoSuchStep",
    "NothingToTakeBack",
    "Observation",
    "Player",
    "Plural",
    "Sealed",
    "Stream",
    "TeerlingError",
    "UnknownGame",
    "UnknownMove",
    "WrongOutcome",
    "at",
    "batch",
    "game",
    "games",
    "hint",
    "list_games",
    "load",
    "new",
    "player",
    "players",
    "register",
]

_OF_PLAYERS = ("Choice", "Hint", "MoveEstimate", "Observation", "Player", "hint", "player")
_OF_BATCHES = ("Batch", "batch")


def __getattr__(name: str) -> Any:
    """Loads players and batches when somebody asks for them, so that `import teerling` stays quick."""
    if name in _OF_BATCHES:
        return getattr(import_module(".lab.batch", __name__), name)
    if name == "players" or name in _OF_PLAYERS:
        players = import_module(".players", __name__)
        return players if name == "players" else getattr(players, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
