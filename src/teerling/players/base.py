"""What a player is, and where the players are."""

import difflib
from dataclasses import dataclass
from typing import Any, Protocol, cast

from ..engine import CHANCE
from ..errors import Phrase, TeerlingError
from ..game import Game, Move
from ..match import Match

DEFAULT_SEED = 1
"""The seed of a choice for which none is given: the same situation gives the same choice."""


@dataclass(frozen=True)
class Observation:
    """What a player decides from: its seat, what that seat knows, and all moves as the seat saw them."""

    game: Game
    seat: int
    seen: Any
    history: tuple[Move, ...] = ()
    sees_all: bool = False
    """Whether that is everything there is: nobody at a table sees all, only a cheat in the lab."""

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """The moves between which the seat has to choose; none if it is not to move.

        >>> import teerling
        >>> observation = observe(teerling.new("ra", players=3, seed=7))
        >>> observation.seat, [move.text for move in observation.legal_moves]
        (2, ['draw', 'invoke'])
        """
        return self.game.legal_moves(self.seen) if self.seen.turn == self.seat else ()


def observe(match: Match, seat: int | None = None) -> Observation:
    """What a seat of a match may know: that of the seat to move, if no other is named."""
    at = seat_to_move(match) if seat is None else seat
    return Observation(match.game, at, match.seen(at), match.history_of(at))


def seat_to_move(match: Match) -> int:
    """The seat that has to decide; TeerlingError if there is none."""
    if match.turn is None:
        raise TeerlingError(Phrase("the match is over"))
    if match.turn == CHANCE:
        raise TeerlingError(Phrase("nature is to answer first"))
    return match.turn


def observed(seen: Match | Observation) -> Observation:
    """What the seat to move may know of a match; an observation stays as it is."""
    return observe(seen) if isinstance(seen, Match) else seen


def choices(observation: Observation) -> tuple[Move, ...]:
    """The moves between which a player has to choose; TeerlingError if its seat is not to move."""
    if observation.seen.turn != observation.seat:
        raise TeerlingError(Phrase("seat {seat} is not to move", seat=observation.seat))
    return observation.legal_moves


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
    """The mean of the seat's points at the end."""
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

    def choose(self, seen: Match | Observation, seed: int = DEFAULT_SEED) -> Choice:
        """A legal move for the seat to move, from what that seat may know; the same for the same seed."""
        ...

    def with_setting(self, setting: str) -> "Player":
        """The same player with the setting that follows its name, as in `plain:2000`."""
        ...


class Chooser(Protocol):
    """A player of one's own: `offer` makes a `Player` of anything that can choose.

    It may also have a `name` (otherwise that of its class, in small letters), a `character` (otherwise the
    first line of its docstring) and `with_setting` (otherwise it has no setting).
    """

    def choose(self, observation: Observation, seed: int) -> Choice | Move | str:
        """A legal move, itself or its text; `seed` is all the chance that may be used."""
        ...


class PlayerBase:
    """What the players of this package have in common; they take no setting unless they say so."""

    name: str

    def with_setting(self, setting: str) -> Player:
        """Refuses the setting."""
        raise TeerlingError(Phrase("the player {name} has no setting", name=self.name))


class Adapted(PlayerBase):
    """A player of one's own with all that a `Player` has; it is given observations, never a match."""

    def __init__(self, chooser: Chooser) -> None:
        if not callable(getattr(chooser, "choose", None)):
            raise TeerlingError(
                Phrase(
                    "{thing} is not a player: it needs a method choose(observation, seed) "
                    "that returns a move",
                    thing=getattr(chooser, "__name__", type(chooser).__name__),
                )
            )
        if isinstance(chooser, type):
            raise TeerlingError(
                Phrase("{thing} is a class; a player is an object, like {thing}()", thing=chooser.__name__)
            )
        self.chooser = chooser
        doc = (type(chooser).__doc__ or "").strip()
        self.name: str = getattr(chooser, "name", type(chooser).__name__.lower())
        self.character: str = getattr(chooser, "character", doc.partition("\n")[0])

    def choose(self, seen: Match | Observation, seed: int = DEFAULT_SEED) -> Choice:
        observation = observed(seen)
        chosen: object = self.chooser.choose(observation, seed)
        if isinstance(chosen, Choice):
            return chosen
        if isinstance(chosen, Move | str):
            return Choice(observation.game.move(chosen))
        raise TeerlingError(
            Phrase("the player {name} has to choose a move, not {given!r}", name=self.name, given=chosen)
        )

    def with_setting(self, setting: str) -> Player:
        change = getattr(self.chooser, "with_setting", None)
        return super().with_setting(setting) if change is None else as_player(change(setting))


def as_player(chooser: Player | Chooser) -> Player:
    """A player of this package as it is; anything else that can choose, with what it lacks filled in.

    >>> class Last:
    ...     '''Takes the last of its legal moves.'''
    ...     def choose(self, observation, seed):
    ...         return observation.legal_moves[-1]
    >>> last = as_player(Last())
    >>> last.name, last.character
    ('last', 'Takes the last of its legal moves.')
    >>> import teerling
    >>> last.choose(teerling.new("ra", players=3, seed=7)).move.text
    'invoke'
    """
    return cast(Player, chooser) if isinstance(chooser, PlayerBase) else Adapted(cast(Chooser, chooser))


_players: dict[str, Player] = {}


def offer(player: Player | Chooser) -> Player:
    """Makes a player known by its name, one of one's own too, and returns it as a `Player`."""
    found = as_player(player)
    _players[found.name] = found
    return found


def players() -> tuple[Player, ...]:
    """All players."""
    return tuple(_players.values())


def player(name: str) -> Player:
    """The player with this name, perhaps with a setting: `master`, `plain:2000`, `search:500ms`.

    >>> import teerling
    >>> match = teerling.new("rapido", players=3, seed=4)
    >>> teerling.player("casual").choose(match).move in match.legal_moves
    True
    """
    known, colon, setting = str(name).partition(":")
    if known not in _players:
        near = difflib.get_close_matches(known, _players, 1)
        hint = (
            Phrase("did you mean {near}?", near=near[0])
            if near
            else Phrase("there are {known}", known=", ".join(_players))
        )
        raise TeerlingError(Phrase("there is no player {name!r}; {hint}", name=known, hint=hint))
    return _players[known].with_setting(setting) if colon else _players[known]
