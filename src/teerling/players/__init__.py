"""Who decides: players by name, each deciding from what its seat may know and nothing else.

>>> import teerling
>>> from teerling import players
>>> match = teerling.new("ra", players=3, seed=7)
>>> players.player("random").choose(match, seed=1).move.text
'draw'
"""

from .base import (
    Choice,
    Chooser,
    MoveEstimate,
    Observation,
    Player,
    choices,
    observe,
    offer,
    player,
    players,
)
from .hint import Hint, hint
from .levels import USUAL, level, levels
from .search import Search
from .simple import Heuristic, Random

__all__ = [
    "USUAL",
    "Choice",
    "Chooser",
    "Heuristic",
    "Hint",
    "MoveEstimate",
    "Observation",
    "Player",
    "Random",
    "Search",
    "choices",
    "hint",
    "level",
    "levels",
    "observe",
    "offer",
    "player",
    "players",
]
