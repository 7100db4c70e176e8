"""What a player is, and where the players are."""

import difflib
from typing import Any, Protocol

from ..errors import Phrase, TeerlingError
from ..game import Game, Move


class Player(Protocol):
    """Somebody who decides; `name` is how a seat asks for it, `character` a sentence about it."""

    name: str
    character: str

    def choose(self, game: Game, seen: Any, seat: int, seed: int) -> Move:
        """A legal move of a seat, from the observation it has; the same for the same seed."""
        ...


_players: dict[str, Player] = {}


def offer(player: Player) -> Player:
    """Makes a player known by its name."""
    _players[player.name] = player
    return player


def players() -> tuple[Player, ...]:
    """All players, weakest first."""
    return tuple(_players.values())


def player(name: str) -> Player:
    """The player with this name."""
    if name not in _players:
        near = difflib.get_close_matches(name, _players, 1)
        hint = (
            Phrase("did you mean {near}?", near=near[0])
            if near
            else Phrase("there are {known}", known=", ".join(_players))
        )
        raise TeerlingError(Phrase("there is no player {name!r}; {hint}", name=name, hint=hint))
    return _players[name]
