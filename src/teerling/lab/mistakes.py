"""Mistakes: what moves gave away, judged by what the mover could know.

| a move is called | if it loses, in shares of the win |
|---|---|
| a slip | 1 % or more |
| a mistake | 3 % or more |
| a blunder | 8 % or more |

Only where the interval of the loss lies above nothing; it is one of 99 %, because a match has many decisions.

A search from the mover's observation says what would have been best. Both moves are then played on many
times, with the same imagined hands and the same random numbers, which the search has not seen: so the loss
is an unbiased mean of differences, and below nothing where the search was wrong.
"""

from dataclasses import dataclass, replace
from math import sqrt
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..game import Move
from ..players import MoveEstimate, Observation, Search
from ..players.hint import Reason, reason_for
from .standings import Interval, student
from .value import COMPARISON_SEED, Values

GRADES = {"blunder": 0.08, "mistake": 0.03, "slip": 0.01}
"""What a move is called that loses so much of a win at least, the worst first."""
NORMAL_99 = 2.575829
"""Between minus this and this lie 99 % of what is normally distributed."""
SEARCHED, COMPARED = 8, 4
"""How many playouts look for the best move, and how many compare it, for every playout of a value."""
OTHERS = 4
"""Of how many moves, at most, the mean is taken to tell how much there is to decide."""
SEARCH_SEED = 3


@dataclass(frozen=True)
class Judgement:
    """What a decision gave away."""

    place: int
    """Where in the history the move stands."""
    seat: int
    played: Move
    best: Move
    """What would have been better, or the same move."""
    loss: float
    """By how much of a win the move is worse than the best."""
    interval: Interval
    """About the loss, 99 %."""
    stake: float
    """How much there was to decide: by how much any legal move, on average, is worse than the best. It is
    unbiased, so below nothing where there is little to decide."""
    reason: Reason | None = None
    """Why the other move is better; told of the costliest."""

    @property
    def grade(self) -> str:
        """`slip`, `mistake` or `blunder`; nothing if the move may well be as good as any.

        >>> one, two = Move(0, "pass"), Move(1, "bid 13")
        >>> Judgement(7, 0, one, two, loss=0.05, interval=(0.01, 0.09), stake=0.05).grade
        'mistake'
        >>> Judgement(7, 0, one, two, loss=0.05, interval=(-0.01, 0.11), stake=0.05).grade
        ''
        """
        if self.interval[0] <= 0:
            return ""
        return next((grade for grade, least in GRADES.items() if self.loss >= least), "")


def judged(
    knows: Observation, played: Move, place: int, playouts: int, threads: int = 1, games: int | None = None
) -> Judgement:
    """What a move gave away, from what its seat knew; more playouts make the interval smaller.

    With a number of `games`, so many are played after every move that is compared.
    """
    search = Search("review", "", SEARCHED * playouts)
    best = search.estimate(knows, SEARCH_SEED)[0].move
    values = Values(knows.game, [knows.seen], COMPARISON_SEED)
    moves = list(knows.legal_moves)
    others = Random(place).sample(moves, min(OTHERS, len(moves)))
    mean = mean_shares(values, knows, [best, *others], games or playouts, threads)
    stake = float(mean[0] - mean[1:].mean())
    loss, interval = 0.0, (0.0, 0.0)
    if best != played:
        loss, interval = compared(values, knows, best, played, games or COMPARED * playouts, threads)
    return Judgement(place, knows.seat, played, best, loss, interval, stake)


def mean_shares(
    values: Values, knows: Observation, moves: list[Move], games: int, threads: int
) -> NDArray[np.float64]:
    """How much of the win the seat gets after each of these moves, in so many games each."""
    rows = [(0, knows.seat, move.id) for move in moves]
    sums = np.zeros((len(rows), knows.seen.players))
    values.add(values.tasks(rows, games), sums, threads)
    found: NDArray[np.float64] = sums[:, knows.seat] / games
    return found


def compared(
    values: Values, knows: Observation, best: Move, played: Move, games: int, threads: int
) -> tuple[float, Interval]:
    """By how much a move is worse than another, game by game with the same luck, and the interval of that."""
    tasks: Any = np.concatenate(
        [values.tasks([(0, knows.seat, move.id)] * games, 1) for move in (best, played)]
    )
    tasks["stream"] = np.tile(np.arange(games), 2)
    tasks["into"] = np.arange(2 * games)
    shares = np.zeros((2 * games, knows.seen.players))
    values.add(tasks, shares, threads)
    lost = shares[:games, knows.seat] - shares[games:, knows.seat]
    loss = float(lost.mean())
    half = student(games - 1, NORMAL_99) * float(lost.std(ddof=1)) / sqrt(games) if games > 1 else 1.0
    return loss, (loss - half, loss + half)


def cost(knows: Observation, best: Move, move: Move, playouts: int) -> tuple[float, Interval]:
    """By how much a move is worse than the best, as `judged` says it of the one that was played."""
    if move == best:
        return 0.0, (0.0, 0.0)
    values = Values(knows.game, [knows.seen], COMPARISON_SEED)
    return compared(values, knows, best, move, COMPARED * playouts, 1)


def explained(judgement: Judgement, knows: Observation) -> Judgement:
    """The same with the reason why the other move is better; that it wins more often is known already."""
    best = MoveEstimate(judgement.best, 1, judgement.loss, 0.0, 0.0)
    other = MoveEstimate(judgement.played, 1, 0.0, 0.0, 0.0)
    found = reason_for(knows, best, other, SEARCH_SEED)
    return replace(judgement, reason=replace(found, wins=max(found.wins, judgement.loss)))
