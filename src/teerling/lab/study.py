"""A study: many matches between chosen players, each with everything about it in one row.

>>> study = Study.of("rapido", ["casual", "random"], games=20, seed=1)
>>> row = study.row(7)
>>> row["match"], row["player_0"], row["player_1"], row["share_0"] + row["share_1"]
(7, 'casual', 'random', 1.0)
>>> [column.name for column in study.columns if column.name.endswith("_0")][:4]
['player_0', 'score_0', 'rank_0', 'share_0']

Nature and the seats that decide at random draw in turn from the stream of a match, which the seed and the
number of the match make. So where all are random these are the matches of `simulate`. What other players draw
for themselves follows from the seed, the match, the seat and the number of the move.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .. import __version__
from ..engine.random import below, start_stream
from ..errors import Phrase, TeerlingError
from ..game import Game, Move
from ..game import game as game_of
from ..limits import LARGEST_SEED, within
from ..match import Match
from ..nature import drawn
from ..players import Player, Random, Search
from .cheat import contestant, observation_for
from .contest import MOST_LUCK, player_of, player_seed, warm_up_for
from .luck import luck_of
from .simulate import MOST_GAMES

FORMAT = 1
"""The version of what the columns are called and mean."""
TOGETHER = 8
"""How many matches without search or luck a worker plays at once."""
TEXT, NUMBER, SHORT, LONG, REAL = "string", "int32", "int8", "int64", "float64"
"""What the cells of a column are, by the names that Arrow has for it."""

Row = dict[str, Any]
"""A match, by the names of the columns."""


@dataclass(frozen=True)
class Column:
    """A column: its name, what its cells are and what they mean."""

    name: str
    type: str
    meaning: str


class OneStream:
    """Nature of a match, and the choices of its random seats: all drawn in turn from one stream.

    >>> stream = OneStream(seed=1, number=5)
    >>> stream.answer(0, [1, 1, 1, 1, 1, 1]), stream.choice("abc")
    (5, 'c')
    """

    def __init__(self, seed: int, number: int) -> None:
        self._rng = [0]
        start_stream(self._rng, seed, number)

    def answer(self, event: int, weights: Sequence[int]) -> int:
        """What comes next; a match asks for its events in order."""
        return drawn(self._rng, weights)

    def choice(self, moves: Sequence[Any]) -> Any:
        """One of the moves, each equally likely."""
        return moves[below(self._rng, len(moves))]


@dataclass(frozen=True)
class Study:
    """Who plays how many matches of which game: all that decides what stands in every row."""

    id: str
    names: tuple[str, ...]
    """Who sits at each seat."""
    games: int
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    rotate: bool = False
    """Whether everybody sits one seat further in each match."""
    luck: int = 0
    """By how many playouts from every position luck is measured; not at all with none."""

    @classmethod
    def of(
        cls,
        game: Game | str,
        players_are: Sequence[str] = ("random",),
        games: int = 1000,
        seed: int = 1,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        rotate: bool = False,
        luck: int = 0,
    ) -> "Study":
        """A study of matches between players by their names; what cannot be played is refused."""
        of = game_of(game)
        names = tuple(contestant(name).name for name in players_are or ("random",))
        study = cls(
            of.id,
            seated(of, names, players),
            within("games", games, 1, MOST_GAMES),
            within("seed", seed, 0, LARGEST_SEED),
            of.check_options(options or {}),
            rotate,
            within("luck", luck, 0, MOST_LUCK),
        )
        of.start(len(study.names), study.options)
        return study

    @property
    def game(self) -> Game:
        return game_of(self.id)

    @cached_property
    def jobs(self) -> range:
        """The numbers of the matches with which workers begin."""
        slow = self.luck or any(isinstance(player_of(name), Search) for name in self.names)
        return range(0, self.games, 1 if slow else TOGETHER)

    def warm_up(self) -> None:
        """Has everything compiled that the players need."""
        warm_up_for(self.id, self.names)

    def play(self, first: int) -> list[Row]:
        """The rows of the matches of a job, in order."""
        return [self.row(number) for number in range(first, min(first + self.jobs.step, self.games))]

    def seats(self, number: int) -> tuple[str, ...]:
        """Who sits where in a match."""
        moved = number % len(self.names) if self.rotate else 0
        return self.names[-moved:] + self.names[:-moved] if moved else self.names

    def match(self, number: int) -> Match:
        """A match, played to its end."""
        stream = OneStream(self.seed, number)
        players = [player_of(name) for name in self.seats(number)]
        match = Match(self.game, self.game.start(len(players), self.options), self.options, nature=stream)
        while match.turn is not None:
            match.push(self._decision(players[match.turn], match, match.turn, number, stream))
        return match

    def _decision(self, player: Player, match: Match, seat: int, number: int, stream: OneStream) -> Move:
        moves = match.legal_moves
        if isinstance(player, Random):
            chosen: Move = stream.choice(moves)
            return chosen
        if len(moves) == 1:
            return moves[0]
        seed = player_seed(self.seed, number, seat, len(match.history))
        return player.choose(observation_for(player, match, seat), seed).move

    def row(self, number: int) -> Row:
        """Everything about a match, by column."""
        match = self.match(number)
        deciders = [turn for turn, move in zip(match.turns, match.history, strict=True) if not move.chance]
        won = [seat for seat, rank in enumerate(match.ranks) if rank == 1]
        row: Row = {
            "match": number,
            "seed": self.seed,
            "game": self.id,
            "rules": match.version,
            "players": match.players,
            **{f"option_{name}": text for name, text in self.game.format_options(self.options).items()},
            "first_seat": deciders[0],
            "winner": won[0] if len(won) == 1 else None,
            "decisions": len(deciders),
            "chance_events": len(match.history) - len(deciders),
        }
        luck = luck_of(match, self.luck) if self.luck else [None] * match.players
        points = self._points(match)
        for seat, name in enumerate(self.seats(number)):
            row |= {
                f"player_{seat}": name,
                f"score_{seat}": match.scores[seat],
                f"rank_{seat}": match.ranks[seat],
                f"share_{seat}": 1 / len(won) if seat in won else 0.0,
                f"decisions_{seat}": deciders.count(seat),
                f"luck_{seat}": luck[seat],
                **{f"{column}_{seat}": scored for column, scored in points[seat].items()},
            }
        return row

    def _points(self, match: Match) -> list[dict[str, int]]:
        """By seat, the points that it had before the first decision, and those on every line."""
        before = next(place for place, move in enumerate(match.history) if not move.chance)
        had, _ = self.game.results(match.states[before])
        points = [
            {"points_start": start, **dict.fromkeys(map(points_on, self.game.lines), 0)} for start in had
        ]
        for event in match.score_lines():
            column = points_on(event.data["line"])
            if event.seat is not None and column in points[event.seat]:
                points[event.seat][column] += event.data["points"]
        return points

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All columns, in order: of the match first, then of every seat."""
        return (*self._match_columns(), *(each for seat in range(len(self.names)) for each in self._of(seat)))

    def _match_columns(self) -> Iterator[Column]:
        yield Column("match", LONG, "the number of the match, from 0")
        yield Column("seed", LONG, "the seed of the study")
        yield Column("game", TEXT, "the id of the game")
        yield Column("rules", NUMBER, "the version of its rules")
        yield Column("players", SHORT, "how many play")
        for option in self.game.options:
            yield Column(f"option_{option.name}", TEXT, f"the option {option.name}, as it is written")
        yield Column("first_seat", SHORT, "the seat that made the first decision")
        yield Column("winner", SHORT, "the seat that won alone; null if the win was shared")
        yield Column("decisions", NUMBER, "how many decisions there were, forced ones included")
        yield Column("chance_events", NUMBER, "how often chance answered")

    def _of(self, seat: int) -> Iterator[Column]:
        yield Column(f"player_{seat}", TEXT, "who sat there")
        yield Column(f"score_{seat}", NUMBER, "points at the end")
        yield Column(f"rank_{seat}", SHORT, "place at the end; 1 is best, equal ones share it")
        yield Column(f"share_{seat}", REAL, "share of the win: 1 divided among the winners")
        yield Column(f"decisions_{seat}", NUMBER, "how many decisions the seat made")
        yield Column(f"luck_{seat}", REAL, "what chance brought, in shares of the win; null if not measured")
        yield Column(f"points_start_{seat}", NUMBER, "points before the first decision")
        for line in self.game.lines:
            yield Column(f"{points_on(line)}_{seat}", NUMBER, f"points for: {line}")

    def command(self, out: str) -> str:
        """What writes the same file again."""
        words = ["teerling", "simulate", self.id, "--players", str(len(self.names))]
        words += ["--games", str(self.games), "--seed", str(self.seed)]
        for name, value in self.game.chosen_options(self.options).items():
            words += ["--option", f"{name}={value}"]
        words += ["--players-are", ",".join(self.names), *(["--rotate"] if self.rotate else [])]
        words += ["--luck", str(self.luck)] if self.luck else []
        return shlex.join([*words, "--out", out])

    def about(self, out: str) -> dict[str, Any]:
        """What a file says about the matches in it: all that they depend on, ready for JSON."""
        return {
            "format": FORMAT,
            "version": __version__,
            "game": self.id,
            "rules": self.game.version,
            "players": list(self.names),
            "rotate": self.rotate,
            "options": self.game.format_options(self.options),
            "seed": self.seed,
            "games": self.games,
            "luck": self.luck,
            "command": self.command(out),
        }


def seated(game: Game, names: tuple[str, ...], players: int | None) -> tuple[str, ...]:
    """Who sits at each seat: the names in order, again and again until all seats are taken.

    >>> seated(game_of("ra"), ("casual", "random"), 4)
    ('casual', 'random', 'casual', 'random')
    """
    usual = game.usual_players if len(names) == 1 else len(names)
    count = game.check_players(usual if players is None else players)
    if count % len(names):
        raise TeerlingError(
            Phrase(
                "{names} players cannot take turns at {seats} seats; name one for all, or one for every seat",
                names=len(names), seats=count,
            )
        )  # fmt: skip
    return names * (count // len(names))


def points_on(line: str) -> str:
    """The name of a line of the scoring as a column has it.

    >>> points_on("different monuments")
    'points_different_monuments'
    """
    return "points_" + re.sub(r"\W+", "_", line.lower()).strip("_")
