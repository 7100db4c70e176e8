"""Who plays which game against whom, and a match of it: all that decides how it goes."""

import hashlib
import inspect
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from itertools import permutations
from typing import Any

from .. import __version__
from ..engine.compile import digest
from ..game import Game
from ..game import game as game_of
from ..limits import LARGEST_SEED, within
from ..match import Match
from ..players import Player, Search
from ..players.base import Adapted
from ..players.parameters import parameters_for
from ..players.ready import warm_up
from ..players.search import MOST_PLAYOUTS, SEARCH
from .cheat import contestant, observation_for
from .duplicate import DuplicateNature
from .luck import sure_luck_of

MOST_GAMES = 1_000_000
USUAL_LUCK = 64
"""By how many playouts from every position luck is measured where somebody searches."""
MOST_LUCK = 10_000
MOST_SEATINGS = 24
"""With more than so many ways to sit down (five or six who all differ), everybody only moves up."""
DECIDING = (
    *(f"teerling.players.{name}" for name in ("parameters", "base", "levels", "search", "simple")),
    *(f"teerling.lab.{name}" for name in ("cheat", "contest", "duplicate", "luck", "value")),
)
"""The modules that say how players decide, what they are dealt and what of it is luck."""
FORMAT = 2
"""The version of the files that an arena goes on with."""

Job = tuple[int, int]
"""A match: the numbers of its deal and its seating."""


@dataclass(frozen=True)
class Played:
    """What came of a match, by seat."""

    deal: int
    seating: int
    scores: list[int]
    ranks: list[int]
    decisions: list[int]
    """How often there was something to choose."""
    seconds: list[float]
    """How long the player of a seat took for them, in seconds."""
    luck: list[float] = field(default_factory=list)
    """What chance surely brought, in shares of the win; nothing if nobody asked."""

    @property
    def job(self) -> Job:
        return self.deal, self.seating


@dataclass(frozen=True)
class Contest:
    """Who plays which game: all that decides how every match goes."""

    id: str
    names: tuple[str, ...]
    options: Mapping[str, Any]
    seed: int
    luck: int = 0
    """By how many playouts from every position luck is measured; not at all with none."""

    @classmethod
    def between(
        cls,
        game: Game,
        players: Sequence[str],
        seed: int,
        options: Mapping[str, Any] | None = None,
        luck: int | None = None,
    ) -> "Contest":
        """A contest between players by their names; what cannot be played is refused.

        If nobody says how, luck is measured where somebody searches: such matches take long, and fewer of
        them tell as much.
        """
        game.check_players(len(players))
        names = tuple(contestant(name).name for name in players)
        if luck is None:
            luck = USUAL_LUCK if any(isinstance(player_of(name), Search) for name in names) else 0
        return cls(
            game.id,
            names,
            game.check_options(options or {}),
            within("seed", seed, 0, LARGEST_SEED),
            within("luck", luck, 0, MOST_LUCK),
        )

    @property
    def game(self) -> Game:
        return game_of(self.id)

    @cached_property
    def seatings(self) -> tuple[tuple[str, ...], ...]:
        """All ways to sit down that differ; if there are too many, all moves up by a seat."""
        ways = dict.fromkeys(permutations(self.names))
        if len(ways) > MOST_SEATINGS:
            ways = dict.fromkeys(self.names[n:] + self.names[:n] for n in range(len(self.names)))
        return tuple(ways)

    def jobs(self, games: int) -> list[Job]:
        """The matches of so many games, or a few more: of whole deals."""
        seatings = range(len(self.seatings))
        deals = range(-(-within("games", games, 1, MOST_GAMES) // len(seatings)))
        return [(deal, seating) for deal in deals for seating in seatings]

    def play(self, job: Job) -> Played:
        """Plays a match to its end."""
        deal, seating = job
        players = [player_of(name) for name in self.seatings[seating]]
        start = self.game.start(len(players), self.options)
        match = Match(self.game, start, self.options, nature=DuplicateNature(f"{self.seed}:{deal}"))
        decisions, seconds = [0] * len(players), [0.0] * len(players)
        while match.turn is not None:
            seat, moves = match.turn, match.legal_moves
            if len(moves) == 1:
                match.push(moves[0])
                continue
            seen = observation_for(players[seat], match, seat)
            began = time.perf_counter()
            choice = players[seat].choose(seen, player_seed(self.seed, deal, seat, len(match.history)))
            seconds[seat] += time.perf_counter() - began
            decisions[seat] += 1
            match.push(choice.move)
        return Played(
            deal, seating, list(match.scores), list(match.ranks), decisions, seconds,
            sure_luck_of(match, self.luck) if self.luck else [],
        )  # fmt: skip

    def warm_up(self) -> None:
        """Has everything compiled that the players need."""
        warm_up_for(self.id, self.names)

    def header(self) -> dict[str, Any]:
        """What a file says about the games in it: all that they depend on."""
        return {
            "arena": FORMAT,
            "game": self.id,
            "rules": self.game.version,
            "players": list(self.names),
            "options": self.game.format_options(self.options),
            "seed": self.seed,
            "luck": self.luck,
            "version": __version__,
            "made": self.made(),
        }

    def made(self) -> str:
        """A fingerprint of the players and their deals: of code, knowledge and settings."""
        players = [player_of(name) for name in self.names]
        deciders = [player.chooser if isinstance(player, Adapted) else player for player in players]
        settings = [getattr(decider, "__dict__", {}) for decider in deciders]
        deciding = (*map(import_module, DECIDING), *map(type, deciders))
        code = [source_of(each) for each in deciding]
        text = f"{digest(self.game.rules.__name__, SEARCH)} {parameters_for(self.game)} {settings} {code}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def source_of(thing: Any) -> str:
    """The code of a module or a class; nothing if it is not kept, as of what was typed in."""
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):
        return ""


def player_seed(seed: int, number: int, seat: int, move: int) -> int:
    """The seed of a seat's player at a move of a deal or a match."""
    text = f"player:{seed}:{number}:{seat}:{move}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def warm_up_for(id: str, names: Sequence[str]) -> None:
    """Has everything compiled that these players need in a game."""
    if any(isinstance(player_of(name), Search) for name in names):
        warm_up_once(id)


@cache
def warm_up_once(id: str) -> None:
    """Has everything compiled that search needs in a game."""
    warm_up(game_of(id))


def player_of(name: str) -> Player:
    """A contestant; one with a number of playouts makes all of them, however long that takes."""
    found = contestant(name)
    if isinstance(found, Search) and found.playouts < MOST_PLAYOUTS:
        return replace(found, seconds=math.inf)
    return found
