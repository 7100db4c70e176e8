"""A player that sees everything, to measure how far seeing everything would bring somebody.

It is known in the lab only: no table offers it.
"""

from dataclasses import dataclass

from ..match import Match
from ..players import Observation, Player, Search, observe, player


@dataclass(frozen=True)
class Cheat(Search):
    """A search that knows all hands; what chance will bring it does not know either."""


CHEAT = Cheat("cheat", "Looks at all cards.", playouts=2000)


def contestant(name: str) -> Player:
    """A player of the lab by its name: any player, or `cheat`."""
    known, colon, setting = name.partition(":")
    if known != CHEAT.name:
        return player(name)
    return CHEAT.with_setting(setting) if colon else CHEAT


def observation_for(player: Player, match: Match, seat: int) -> Observation:
    """What a player decides from: what its seat may know, unless it cheats."""
    if isinstance(player, Cheat):
        return Observation(match.game, seat, match.state, match.history, sees_all=True)
    return observe(match, seat)
