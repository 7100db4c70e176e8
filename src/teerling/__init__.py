"""Teerling: five board games with exact rules, explicit chance and secrets that stay secret.

>>> import teerling
>>> match = teerling.new("ra", players=4, seed=7)
>>> match.push("draw")
>>> match.turn
1
"""

from .engine import CHANCE
from .errors import (
    BadFile,
    BadOption,
    BadPlayers,
    BadPosition,
    IllegalMove,
    NothingToTakeBack,
    TeerlingError,
    UnknownGame,
    UnknownMove,
)
from .game import Event, Game, Move, Plural, game, list_games, register
from .match import Match, at, load, new
from .nature import Nature, Sealed

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "BadFile",
    "BadOption",
    "BadPlayers",
    "BadPosition",
    "Event",
    "Game",
    "IllegalMove",
    "Match",
    "Move",
    "Nature",
    "NothingToTakeBack",
    "Plural",
    "Sealed",
    "TeerlingError",
    "UnknownGame",
    "UnknownMove",
    "at",
    "game",
    "list_games",
    "load",
    "new",
    "register",
]
