"""Many random games at once, compiled, on all cores.

>>> from teerling.lab import simulate
>>> result = simulate("rapido", players=4, games=200, seed=1)
>>> result.games, result.scores.shape, round(sum(result.win_rates), 6)
(200, (200, 4), 1.0)
>>> simulate("rapido", players=4, games=200, seed=1, threads=1).win_rates == result.win_rates
True

Every game has a random stream of its own, known by the seed and the game's number: neither the
number of threads nor how the games are shared out among them changes a result.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import bind
from ..engine.record import scratch
from ..errors import Phrase, TeerlingError
from ..game import Game
from ..game import game as game_of
from ..limits import LARGEST_SEED, within

PLAYOUT = "teerling.engine.kernels.playout"
CPU: Final = "cpu"
GPU: Final = "gpu"
MOST_GAMES = 100_000_000
MOST_THREADS = 1024
LARGEST_CHUNK, SMALLEST_CHUNK = 4096, 64
PERCENTS = (5, 25, 50, 75, 95)
MOST_BINS = 60
CACHE_LINE = 64


@dataclass(frozen=True)
class Spread:
    """How numbers are spread: their mean, standard deviation, limits, quantiles and histogram."""

    mean: float
    sd: float
    least: int
    most: int
    quantiles: Mapping[int, float]
    """By percent: 5, 25, 50, 75 and 95."""
    edges: tuple[int, ...]
    """Bin i of the histogram holds the numbers from edges[i] up to, not including, edges[i + 1]."""
    counts: tuple[int, ...]

    @classmethod
    def of(cls, values: NDArray[Any], edges: NDArray[Any] | None = None) -> "Spread":
        """The spread of integers, in these bins or in bins of their own."""
        edges = bins(values) if edges is None else edges
        counts, _ = np.histogram(values, edges)
        return cls(
            mean=float(values.mean()),
            sd=float(values.std()),
            least=int(values.min()),
            most=int(values.max()),
            quantiles=dict(zip(PERCENTS, np.percentile(values, PERCENTS).tolist(), strict=True)),
            edges=tuple(edges.tolist()),
            counts=tuple(counts.tolist()),
        )

    def as_dict(self) -> dict[str, Any]:
        """The same, ready for JSON."""
        return {
            "mean": self.mean,
            "sd": self.sd,
            "least": self.least,
            "most": self.most,
            "quantiles": {str(percent): value for percent, value in self.quantiles.items()},
            "histogram": {"edges": list(self.edges), "counts": list(self.counts)},
        }


@dataclass(frozen=True)
class Simulation:
    """What came of many random games: every game's scores, ranks and length, and their statistics."""

    game: Game
    players: int
    options: Mapping[str, Any]
    seed: int
    threads: int
    seconds: float
    """How long the games took; compiling is not counted."""
    scores: NDArray[np.int16]
    """By game and seat."""
    ranks: NDArray[np.int8]
    """By game and seat; 1 is best."""
    lengths: NDArray[np.int32]
    """The number of decisions and chance events of every game."""

    @property
    def games(self) -> int:
        return len(self.lengths)

    @cached_property
    def steps(self) -> int:
        """Decisions and chance events of all games together."""
        return int(self.lengths.sum())

    @cached_property
    def overall(self) -> Spread:
        """The scores of all seats together."""
        return Spread.of(self.scores)

    @cached_property
    def by_seat(self) -> tuple[Spread, ...]:
        """The scores of every seat, in the bins of all seats together."""
        edges = np.array(self.overall.edges)
        return tuple(Spread.of(self.scores[:, seat], edges) for seat in range(self.players))

    @cached_property
    def length(self) -> Spread:
        """The number of steps in a game."""
        return Spread.of(self.lengths)

    @cached_property
    def win_rates(self) -> tuple[float, ...]:
        """The part of all games that each seat won; a win shared by two counts half for both."""
        return tuple(self._shares.mean(axis=0).tolist())

    @cached_property
    def win_errors(self) -> tuple[float, ...]:
        """The half widths of 95% intervals about the win rates."""
        return tuple((1.96 * self._shares.std(axis=0) / sqrt(self.games)).tolist())

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        won = self.ranks == 1
        shares: NDArray[np.float64] = won / won.sum(axis=1, keepdims=True)
        return shares

    def as_dict(self) -> dict[str, Any]:
        """Figures and statistics, ready for JSON; the single games stay behind."""
        return {
            "game": self.game.id,
            "rules": self.game.version,
            "players": self.players,
            "options": self.game.format_options(self.options),
            "seed": self.seed,
            "threads": self.threads,
            "games": self.games,
            "steps": self.steps,
            "seconds": self.seconds,
            "win_rates": list(self.win_rates),
            "win_errors": list(self.win_errors),
            "scores": self.overall.as_dict(),
            "scores_by_seat": [spread.as_dict() for spread in self.by_seat],
            "length": self.length.as_dict(),
        }


def simulate(
    game: Game | str,
    players: int | None = None,
    games: int = 10_000,
    seed: int = 1,
    options: Mapping[str, Any] | None = None,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
    device: str = CPU,
) -> Simulation:
    """Plays random games to their end and gathers what came of them.

    Without a number of threads all cores are used; on the device `gpu` a card plays, the very same games.
    `progress` is told how many games are done: 0 when the rules have been compiled, then more and more.
    """
    of = game_of(game)
    count = of.check_players(of.usual_players if players is None else players)
    values = of.check_options(options or {})
    workers = cores() if threads is None else within("threads", threads, 1, MOST_THREADS)
    job = job_on(device)(
        of,
        of.start(count, values).to_array(),
        within("seed", seed, 0, LARGEST_SEED),
        within("games", games, 1, MOST_GAMES),
        count,
    )
    job.play(0, 1)
    tell = progress or ignore
    tell(0)
    began = time.perf_counter()
    done = 0
    for played in job.run(workers):
        done += played
        tell(done)
    seconds = time.perf_counter() - began
    return Simulation(of, count, values, seed, workers, seconds, job.scores, job.ranks, job.lengths)


def job_on(device: str) -> "type[SimulationJob]":
    """How games are played on a device."""
    if device == GPU:
        from .gpu.simulate import GpuJob

        return GpuJob
    if device != CPU:
        raise TeerlingError(
            Phrase("games are played on the cpu or on a gpu, not on {device!r}", device=device)
        )
    return SimulationJob


class SimulationJob:
    """A number of games to be played by several threads, and the arrays their results go to."""

    def __init__(self, game: Game, start: NDArray[Any], seed: int, games: int, players: int) -> None:
        self.game = game
        self.start = start
        self.seed = seed
        self.scores = np.zeros((games, players), np.int16)
        self.ranks = np.zeros((games, players), np.int8)
        self.lengths = np.zeros(games, np.int32)

    def run(self, threads: int) -> Iterator[int]:
        """Plays all games; after every chunk, how many it held."""
        games = len(self.lengths)
        chunk = min(max(games // (8 * threads), SMALLEST_CHUNK), LARGEST_CHUNK)
        pool = ThreadPoolExecutor(threads)
        try:
            chunks = [pool.submit(self.play, first, chunk) for first in range(0, games, chunk)]
            for played in as_completed(chunks):
                yield played.result()
        finally:
            # Whoever stops early does not wait for games that have not begun.
            pool.shutdown(cancel_futures=True)

    def play(self, first: int, games: int) -> int:
        """Plays the games from a first one on; how many that were."""
        part, rules = slice(first, first + games), self.game.rules
        lengths = self.lengths[part]
        bind(rules.__name__, PLAYOUT).playouts(
            self.start,
            apart(self.start.dtype),
            apart(scratch(rules.DECISIONS, rules.OUTCOMES)),
            self.seed,
            first,
            self.scores[part],
            self.ranks[part],
            lengths,
        )
        return len(lengths)


def apart(dtype: np.dtype[Any]) -> NDArray[Any]:
    """A record to work in that shares no cache line with another thread's."""
    spare = CACHE_LINE // dtype.itemsize + 1
    return np.zeros(1 + 2 * spare, dtype)[spare:-spare]


def bins(values: NDArray[Any]) -> NDArray[np.int64]:
    """Edges of equally wide bins for integers, not too many."""
    least, most = int(values.min()), int(values.max())
    width = -(-(most - least + 1) // MOST_BINS)
    return np.arange(least, most + width + 1, width)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ignore(done: int) -> None:
    """Tells nobody how far things are."""
