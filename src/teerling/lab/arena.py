"""Players against each other: every deal is played again by every seating.

>>> from teerling.lab import arena
>>> result = arena("rapido", ["heuristic", "random"], games=8, seed=1)
>>> result.deals, result.seatings
(4, (('heuristic', 'random'), ('random', 'heuristic')))
>>> [standing.games for standing in result.standings], sum(standing.wins for standing in result.standings)
([8, 8], 8.0)

A deal is a seed of chance: in Ra and Priests of Ra the tiles come in the same order for all, a die
falls the same way each time it is thrown. What a player draws for itself follows from the seed, the
deal, its seat and the number of the move. So neither how many work at it nor how often it was stopped
changes a result.
"""

import hashlib
import json
import math
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..engine.compile import digest
from ..errors import Phrase, TeerlingError
from ..game import Game
from ..game import game as game_of
from ..match import Match
from ..players import Player, Search
from ..players.advice import advice_for
from ..players.ready import warm_up
from ..players.search import MOST_PLAYOUTS, SEARCH
from .cheat import contestant, sight_for
from .deal import Deal
from .simulate import LARGEST_SEED, MOST_THREADS, cores, ignore, within
from .standings import Results, Standing, mean_interval, standings
from .workers import at_home, check_ray, on_cluster

MOST_GAMES = 1_000_000
MOST_SEATINGS = 24
"""With more than so many ways to sit down, only those are played in which everybody moves up."""
FORMAT = 1
"""The version of the files that an arena goes on with."""

LONGEST_QUOTE = 60

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
    """How long was thought about that."""

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

    @classmethod
    def between(
        cls, game: Game, players: Sequence[str], seed: int, options: Mapping[str, Any] | None = None
    ) -> "Contest":
        """A contest between players by their names; what can not be played is refused."""
        game.check_players(len(players))
        names = tuple(contestant(name).name for name in players)
        return cls(game.id, names, game.check_options(options or {}), within("seed", seed, 0, LARGEST_SEED))

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
        match = Match(self.game, start, self.options, nature=Deal(f"{self.seed}:{deal}"))
        decisions, seconds = [0] * len(players), [0.0] * len(players)
        while match.turn is not None:
            seat, moves = match.turn, match.legal_moves
            if len(moves) == 1:
                match.push(moves[0])
                continue
            seen = sight_for(players[seat], match, seat)
            began = time.perf_counter()
            choice = players[seat].choose(seen, self.seed_of(deal, seat, len(match.history)))
            seconds[seat] += time.perf_counter() - began
            decisions[seat] += 1
            match.push(choice.move)
        return Played(deal, seating, list(match.scores), list(match.ranks), decisions, seconds)

    def seed_of(self, deal: int, seat: int, move: int) -> int:
        """What a seat's own chance follows from at a move."""
        text = f"{self.seed}:{deal}:{seat}:{move}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1

    def warm_up(self) -> None:
        """Has everything compiled that the players need."""
        if any(isinstance(player_of(name), Search) for name in self.names):
            warm_up_once(self.id)

    def header(self) -> dict[str, Any]:
        """What a file says about the games in it: all that they depend on."""
        return {
            "arena": FORMAT,
            "game": self.id,
            "rules": self.game.version,
            "players": list(self.names),
            "options": self.game.format_options(self.options),
            "seed": self.seed,
            "version": __version__,
            "made": self.made(),
        }

    def made(self) -> str:
        """A fingerprint of the players: of their code, their knowledge and their settings."""
        players = [vars(player_of(name)) for name in self.names]
        text = f"{digest(self.game.rules.__name__, SEARCH)} {advice_for(self.game)} {players}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]


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


@dataclass(frozen=True)
class Arena:
    """What came of an arena: its matches, and how every player did."""

    contest: Contest
    played: tuple[Played, ...]
    """The matches of whole deals, in order."""
    stopped: bool = False
    """Whether somebody ended it before all was played."""

    @property
    def game(self) -> Game:
        return self.contest.game

    @property
    def seatings(self) -> tuple[tuple[str, ...], ...]:
        return self.contest.seatings

    @property
    def deals(self) -> int:
        return len(self.played) // len(self.seatings)

    @cached_property
    def results(self) -> Results:
        """All matches as arrays."""
        names = tuple(dict.fromkeys(self.contest.names))
        shape = (self.deals, len(self.seatings), len(self.contest.names))

        def table(name: str, dtype: Any) -> Any:
            return np.array([getattr(match, name) for match in self.played], dtype).reshape(shape)

        return Results(
            names,
            np.array([[names.index(name) for name in seating] for seating in self.seatings]),
            table("scores", np.int64),
            table("ranks", np.int64),
            table("decisions", np.int64),
            table("seconds", np.float64),
        )

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """How every player did, in the order in which they were named."""
        return tuple(standings(self.results))

    @property
    def command(self) -> str:
        """What repeats it."""
        contest = self.contest
        words = ["teerling", "arena", contest.id, *contest.names, "--games", str(len(self.played))]
        words += ["--seed", str(contest.seed)]
        for name, value in self.game.chosen_options(contest.options).items():
            words += ["--option", f"{name}={value}"]
        return shlex.join(words)

    def as_dict(self) -> dict[str, Any]:
        """Everything but the single matches, ready for JSON."""
        winning = self.results.winning_scores
        count = len(self.contest.names)
        return {
            "game": self.contest.id,
            "rules": self.game.version,
            "options": self.game.format_options(self.contest.options),
            "seed": self.contest.seed,
            "games": len(self.played),
            "deals": self.deals,
            "seatings": [list(seating) for seating in self.seatings],
            "stopped": self.stopped,
            "even": {"win_rate": 1 / count, "mean_rank": (count + 1) / 2},
            "mean_winning_score": float(winning.mean()),
            "winning_score_interval": list(mean_interval(winning, winning.min(), winning.max())),
            "players": [standing.as_dict() for standing in self.standings],
            "command": self.command,
        }


def arena(
    game: Game | str,
    players: Sequence[str],
    games: int = 400,
    seed: int = 1,
    options: Mapping[str, Any] | None = None,
    workers: int | None = 1,
    out: Path | None = None,
    ray: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Arena:
    """Lets players play against each other, and gathers what came of it.

    As many games as asked for are played, or a few more: every deal by every seating. With a file
    `out` it goes on where that file ends. `progress` is told how many games are done. An interrupt
    (Ctrl-C) ends it early; what there is by then comes back. With several workers (None: one a core)
    a script needs the usual `if __name__ == "__main__":`. With `ray` the matches are spread over a Ray
    cluster: the one that RAY_ADDRESS names, or one that begins and ends on this machine.
    """
    of = game_of(game) if isinstance(game, str) else game
    contest = Contest.between(of, players, seed, options)
    jobs = contest.jobs(games)
    workers = cores() if workers is None else within("workers", workers, 1, MOST_THREADS)
    if ray:
        check_ray()
    ledger = Ledger(contest, out)
    known = ledger.open()
    tell = progress or ignore
    stopped = False
    with closing(ledger):
        try:
            contest.warm_up()
            done = sum(job in known for job in jobs)
            tell(done)
            for match in spread(contest, [job for job in jobs if job not in known], workers, ray):
                known[match.job] = match
                ledger.add(match)
                done += 1
                tell(done)
        except KeyboardInterrupt:
            stopped = True
    whole = [known[job] for job in jobs if all((job[0], n) in known for n in range(len(contest.seatings)))]
    if not whole:
        raise TeerlingError(Phrase("stopped before a deal was played by every seating"))
    return Arena(contest, tuple(whole), stopped)


def spread(contest: Contest, jobs: Sequence[Job], workers: int, cluster: bool) -> Iterator[Played]:
    """Plays matches, here or by many workers, and hands on each as soon as it is over."""
    if cluster:
        return on_cluster(contest, jobs)
    if workers == 1 or len(jobs) < 2:
        return map(contest.play, jobs)
    return at_home(contest, jobs, workers)


class Ledger:
    """The file of an arena: a header and then a line for every match, in the order they ended."""

    def __init__(self, contest: Contest, path: Path | None) -> None:
        self.contest = contest
        self.path = path
        self._file: Any = None

    def open(self) -> dict[Job, Played]:
        """What is in the file already; one of another arena is refused and stays as it is."""
        if self.path is None:
            return {}
        text = self.path.read_bytes() if self.path.exists() else b""
        # A last line without an end was being written when everything stopped.
        whole = text[: text.rfind(b"\n") + 1]
        if text:
            self._check(whole)
        known = {match.job: match for match in map(self._match, whole.splitlines()[1:])}
        self._file = self.path.open("r+b" if self.path.exists() else "wb")
        self._file.truncate(len(whole))
        self._file.seek(len(whole))
        if not text:
            self._write(self.contest.header())
        return known

    def add(self, match: Played) -> None:
        """Adds a match that is over."""
        if self._file is not None:
            self._write(vars(match))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()

    def _check(self, text: bytes) -> None:
        """Refuses a file that is not of this arena."""
        try:
            header = json.loads(text.partition(b"\n")[0])
            format = header["arena"]
        except (ValueError, KeyError, TypeError):
            raise TeerlingError(Phrase("{path} is not the file of an arena", path=self.path)) from None
        if format != FORMAT:
            raise TeerlingError(Phrase("{path} was written by another version of Teerling", path=self.path))
        expected = self.contest.header()
        for name in ("game", "players", "options", "seed", "rules", "version", "made"):
            if header.get(name) != expected[name]:
                raise TeerlingError(self._other(name, header.get(name), expected[name]))

    def _other(self, name: str, found: Any, expected: Any) -> Phrase:
        """Why a file is not of this arena."""
        details = {"path": self.path, "found": written(found), "expected": written(expected)}
        changed = Phrase(
            "{path} was written when the players or the rules were not what they are now; "
            "choose another file",
            path=self.path,
        )
        return {
            "game": Phrase("{path} is of an arena of {found}, not of {expected}", **details),
            "players": Phrase("{path} is of an arena between {found}, not between {expected}", **details),
            "options": Phrase("{path} is of an arena with {found}, not with {expected}", **details),
            "seed": Phrase("{path} is of an arena with seed {found}, not {expected}", **details),
        }.get(name, changed)

    def _match(self, line: bytes) -> Played:
        """The match of a line."""
        try:
            match = Played(**json.loads(line))
        except (ValueError, TypeError):
            match = None
        seatings, seats = len(self.contest.seatings), len(self.contest.names)
        if match is None or match.seating not in range(seatings) or len(match.ranks) != seats:
            text = line[:LONGEST_QUOTE].decode("utf-8", "replace")
            raise TeerlingError(
                Phrase("{path}: {line!r} is no game of this arena", path=self.path, line=text)
            )
        return match


def written(value: Any) -> str:
    """A setting of an arena in words."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}={text}" for name, text in value.items())
    return str(value)
