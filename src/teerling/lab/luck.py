"""Luck: what chance brought every seat of a match, and what decisions changed.

>>> import teerling
>>> from teerling.lab.luck import Line
>>> match = teerling.new("rapido", players=2, seed=7)
>>> while not match.over:
...     match.push(teerling.player("heuristic").choose(match).move)
>>> line = Line(match)
>>> line.play(playouts=2)
>>> account = line.account()
>>> sums = account.start + account.luck.sum(axis=0) + account.changes.sum(axis=0)
>>> bool(abs(sums - account.result).max() < 1e-9)
True

For a value V of positions, the luck of a chance event is V after what came, less the mean of V after all
that could have come. It has mean zero whatever V is. What a decision changed is V where somebody decides
next, less V before, less the luck on the way there. So everything adds up to the result.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..engine import CHANCE
from ..engine.kernels.value import NOTHING
from ..errors import Phrase, TeerlingError
from ..match import Match
from .value import Values

Numbers = NDArray[np.float64]
Event = tuple[int, list[tuple[int, float]]]
"""A chance event: its place, and the row and probability of each outcome."""
FADES = 0.8
"""How much an event tells of how exact the values of the next one are."""
PART = 64
"""From how many positions a part of a round plays on: few, as whoever stops asking waits for its end."""


@dataclass(frozen=True)
class Account:
    """Where every seat's share of the win came from: arrays by step of the match, and by seat."""

    start: Numbers
    """By seat: the value before anything happened."""
    luck: Numbers
    """Of every chance event; zero at decisions."""
    changes: Numbers
    """By every decision; zero at chance events."""
    result: Numbers
    """By seat: 1 shared among the winners."""

    @property
    def curve(self) -> Numbers:
        """The value before every step, and last the result."""
        steps: Numbers = np.vstack([self.start, self.luck + self.changes])
        return np.cumsum(steps, axis=0)


class Line:
    """The positions of a match that is over, with all outcomes of its chance events, and their values.

    Games are played in rounds, each from all positions and with random numbers of its own; so the values
    become better and better. The first parts of a round play on from the positions of the match alone.
    """

    def __init__(self, match: Match, values: type[Values] = Values) -> None:
        """`values` is who plays games on: a core, or a card (`lab.gpu.values`)."""
        if not match.over:
            raise TeerlingError(Phrase("the match is not over; only then can it be reviewed"))
        self.match = match
        self.states = match.states
        self.values = values(match.game, self.states)
        self.rows: list[tuple[int, int, int]] = [
            (place, NOTHING, NOTHING) for place in range(len(self.states))
        ]
        """First the positions of the match, then those that did not come."""
        came = [False, *(move.chance for move in match.history)]
        self.counts = [
            place for place, state in enumerate(self.states) if state.turn != CHANCE or came[place]
        ]
        """The positions of the match whose values count: somebody decides, or chance has just answered."""
        self.events: list[Event] = []
        for place, move in enumerate(match.history):
            if move.chance:
                self.events.append((place, self._outcomes(place, move.id)))
        self.playouts = 0
        """How many games were played from every position, in rounds that are complete."""
        self.sums = np.zeros((len(self.rows), match.players))
        """The shares of the win in them."""
        self.rounds: list[tuple[int, list[float]]] = []
        """Of every round, its playouts, and every seat's luck by its values alone."""

    def _outcomes(self, place: int, came: int) -> list[tuple[int, float]]:
        """The row and the probability of every outcome of a chance event; what came has a row already."""
        weights = self.match.game.weights(self.states[place])
        found = []
        for outcome, weight in enumerate(weights):
            if weight and outcome == came:
                found.append((place + 1, weight / sum(weights)))
            elif weight:
                found.append((len(self.rows), weight / sum(weights)))
                self.rows.append((place, NOTHING, outcome))
        return found

    def play(self, playouts: int, threads: int = 1) -> None:
        """Plays a round of so many games from every position."""
        for _ in self.round(playouts, threads):
            pass

    def round(self, playouts: int, threads: int = 1) -> Iterator[Numbers]:
        """The same part by part, with what is added up so far; what is cut short does not count."""
        sums = np.zeros_like(self.sums)
        tasks = self.values.tasks(self.rows, playouts, self.playouts)
        counting = np.r_[self.counts, len(self.states) : len(self.rows)]
        *parts, last = np.split(tasks[counting], self._cuts)
        for part in parts:
            self.values.add(part, sums, threads)
            yield sums
        self.values.add(last, sums, threads)
        luck = account_of(self.match, sums / playouts, self.events).luck.sum(axis=0)
        self.rounds.append((playouts, luck.tolist()))
        self.sums += sums
        self.playouts += playouts
        yield sums

    @property
    def parts(self) -> int:
        """How many parts a round has."""
        return len(self._cuts) + 1

    @property
    def first_parts(self) -> int:
        """How many of them play on from the positions of the match."""
        return -(-len(self.counts) // PART)

    @property
    def _cuts(self) -> list[int]:
        """Before which tasks of a round a new part begins."""
        others = len(self.rows) - len(self.states)
        starts = [
            *range(0, len(self.counts), PART),
            *range(len(self.counts), len(self.counts) + others, PART),
        ]
        return starts[1:]

    def account(self) -> Account:
        """Luck and changes by the values of all complete rounds."""
        return account_of(self.match, self.sums / self.playouts, self.events)

    def coarse_curve(self, values: Numbers) -> Numbers:
        """The curve by the values of the match alone: before a chance event it stays as it was."""
        known = np.searchsorted(self.counts, np.arange(len(self.states)), side="right") - 1
        curve: Numbers = values[np.array(self.counts)[np.maximum(known, 0)]]
        return curve

    def luck_errors(self) -> Numbers | None:
        """The standard error of every seat's luck, as rounds differ; None after a single one."""
        if len(self.rounds) < 2:
            return None
        playouts = np.array([playouts for playouts, _ in self.rounds], np.float64)
        luck = np.array([luck for _, luck in self.rounds])
        mean = np.average(luck, axis=0, weights=playouts)
        spread = (playouts[:, None] * (luck - mean) ** 2).sum(axis=0) / (len(playouts) - 1)
        found: Numbers = np.sqrt(spread / playouts.sum())
        return found


def luck_of(match: Match, playouts: int) -> list[float]:
    """What chance brought every seat of a match that is over, by so many playouts from every position."""
    line = Line(match)
    line.play(playouts)
    found: list[float] = line.account().luck.sum(axis=0).tolist()
    return found


def sure_luck_of(match: Match, playouts: int) -> list[float]:
    """The same, but each event counts only as far as its luck is more than an error of the playouts."""
    line = Line(match)
    first = -(-playouts // 2)
    line.play(first)
    one = line.sums / first
    luck = line.account().luck
    if playouts > first:
        line.play(playouts - first)
        other = (line.sums - one * first) / (playouts - first)
        places = [place for place, _ in line.events]
        luck = line.account().luck[places] * sureness(line.events, one, other)[:, None]
    found: list[float] = luck.sum(axis=0).tolist()
    return found


def sureness(events: Sequence[Event], one: Numbers, other: Numbers) -> Numbers:
    """How much of the luck of every event is real, from 0 to 1, by values of the same rows found twice.

    What two independent values of the outcomes have in common is real, the rest is their error. Events
    shortly before tell of it, too. As it does not depend on what came, luck that is weighed so still has mean
    zero.

    >>> events = [(0, [(1, 0.5), (2, 0.5)])]
    >>> values = np.array([[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]])
    >>> sureness(events, values, values).tolist(), sureness(events, values, 1 - values).tolist()
    ([1.0], [0.0])
    """
    found, real, measured = np.zeros(len(events)), 0.0, 0.0
    for number, (_, outcomes) in enumerate(events):
        rows = [row for row, _ in outcomes]
        chances = np.array([chance for _, chance in outcomes])
        first, second = (values[rows] - chances @ values[rows] for values in (one, other))
        real = FADES * real + float((chances @ (first * second)).sum())
        measured = FADES * measured + float((chances @ ((first + second) / 2) ** 2).sum())
        found[number] = min(1.0, max(0.0, real / measured)) if measured else 0.0
    return found


def account_of(match: Match, values: Numbers, events: Sequence[Event]) -> Account:
    """The account of a match from the values of its positions and of what else could have come."""
    luck = np.zeros((len(match.history), match.players))
    changes = np.zeros_like(luck)
    for place, outcomes in events:
        mean = sum((chance * values[row] for row, chance in outcomes), np.zeros(match.players))
        luck[place] = values[place + 1] - mean
    asked = [place for place, state in enumerate(match.states) if state.turn != CHANCE]
    start = values[asked[0]] - luck[: asked[0]].sum(axis=0)
    for before, after in pairwise(asked):
        changes[before] = values[after] - values[before] - luck[before:after].sum(axis=0)
    return Account(start, luck, changes, values[len(match.history)])
