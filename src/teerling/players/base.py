"""What a player is, and where the players are."""

import difflib
from dataclasses import dataclass
from typing import Any, Protocol

from ..errors import Phrase, TeerlingError
from ..game import Game, Move
from ..match import Match


@dataclass(frozen=True)
class Observation:
    """What a player decides from: its seat, what that seat knows, and all moves as it saw them."""

    game: Game
    seat: int
    seen: Any
    history: tuple[Move, ...] = ()
    sees_all: bool = False
    """Whether that is everything there is: nobody at a table does, only a cheat in the lab."""


def observe(match: Match, seat: int) -> Observation:
    """What a seat of a match may know."""
    return Observation(match.game, seat, match.seen(seat), match.history_of(seat))


def choices(observation: Observation) -> tuple[Move, ...]:
    """The moves between which a player has to choose; TeerlingError if its seat is not to move."""
    if observation.seen.turn != observation.seat:
        raise TeerlingError(Phrase("seat {seat} is not to move", seat=observation.seat))
    return observation.game.legal_moves(observation.seen)


@dataclass(frozen=True)
class MoveEstimate:
    """What a player found out about a move: how the playouts ended that began with it.

    Where a playout was cut short, wins and points are those of the evaluation there.
    """

    move: Move
    playouts: int
    win: float
    """The share of playouts that were won."""
    score: float
    """The mean of the own points at the end."""
    spread: float
    """The standard deviation of those points."""


@dataclass(frozen=True)
class Choice:
    """The move that a player makes, and its estimates of all legal ones, best first."""

    move: Move
    estimates: tuple[MoveEstimate, ...] = ()


class Player(Protocol):
    """Somebody who decides; `name` is how a seat asks for it, `character` a sentence about it."""

    @property
    def name(self) -> str: ...

    @property
    def character(self) -> str: ...

    def choose(self, observation: Observation, seed: int) -> Choice:
        """A legal move, from what the seat may know; the same for the same seed."""
        ...

    def with_setting(self, setting: str) -> "Player":
        """The same player with the setting that follows its name, as in `plain:2000`."""
        ...


_players: dict[str, Player] = {}


def offer(player: Player) -> Player:
    """Makes a player known by its name."""
    _players[player.name] = player
    return player


def players() -> tuple[Player, ...]:
    """All players."""
    return tuple(_players.values())


def player(name: str) -> Player:
    """The player with this name, perhaps with a setting: `master`, `plain:2000`, `search:500ms`."""
    known, colon, setting = name.partition(":")
    if known not in _players:
        near = difflib.get_close_matches(known, _players, 1)
        hint = (
            Phrase("did you mean {near}?", near=near[0])
            if near
            else Phrase("there are {known}", known=", ".join(_players))
        )
        raise TeerlingError(Phrase("there is no player {name!r}; {hint}", name=known, hint=hint))
    return _players[known].with_setting(setting) if colon else _players[known]


def no_setting(name: str) -> TeerlingError:
    """The error for a setting after the name of a player that has none."""
    return TeerlingError(Phrase("the player {name} has no setting", name=name))
