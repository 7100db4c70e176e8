"""Who decides: players by name, each deciding from what its seat may know and nothing else.

>>> import teerling
>>> from teerling import players
>>> match = teerling.new("ra", players=3, seed=7)
>>> seen = players.sight(match, match.turn)
>>> players.player("random").choose(seen, seed=1).move.text
'draw'
"""

from .base import Choice, Player, Sight, Thought, choices, offer, player, players, sight
from .hint import Hint, hint
from .levels import USUAL, level, levels
from .search import Search
from .simple import Heuristic, Random

__all__ = [
    "USUAL",
    "Choice",
    "Heuristic",
    "Hint",
    "Player",
    "Random",
    "Search",
    "Sight",
    "Thought",
    "choices",
    "hint",
    "level",
    "levels",
    "offer",
    "player",
    "players",
    "sight",
]
