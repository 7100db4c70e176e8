"""Who decides: players by name, each deciding from what its seat may know and nothing else.

>>> import teerling
>>> from teerling import players
>>> match = teerling.new("ra", players=3, seed=7)
>>> seen = match.game.observed(match.state, match.turn)
>>> players.player("random").choose(match.game, seen, match.turn, seed=1).text
'draw'
"""

from .base import Player, player, players
from .simple import Random, Simple

__all__ = ["Player", "Random", "Simple", "player", "players"]
