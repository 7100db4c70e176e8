"""What the games of an arena say about its players, with 95% intervals.

Games of the same deal are alike, so a deal is what counts as one observation. An interval is what
lies between its two ends: `(low, high)`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

NORMAL = 1.959964
"""Between minus this and this lie 95 % of what is normally distributed."""
OF_FEW = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}
"""The same of Student's t, by degrees of freedom, where the series is not close enough."""
FOLDS = 5
"""Into how many parts deals are divided: in four it is found out how much luck counts in the fifth."""
FEWEST_DEALS = 20
"""With fewer deals than this nothing is said of luck."""
Interval = tuple[float, float]


@dataclass(frozen=True)
class Standing:
    """How a player did; at several seats of a game it has played several games."""

    name: str
    games: int
    wins: float
    """A win that is shared counts as its share."""
    win_rate: float
    interval: Interval
    """About the win rate."""
    mean_rank: float
    """1 is best; players who share places have the mean of them."""
    rank_interval: Interval
    rating: float
    """By openskill's Plackett-Luce model; everybody begins with 25."""
    rating_interval: Interval
    mean_score: float
    decisions: int
    """How often there was something to choose."""
    seconds_per_decision: float
    adjusted: float | None = None
    """The win rate without the luck that was measured; None if none was, or in too few deals."""
    adjusted_interval: Interval | None = None
    saved: float | None = None
    """How many times as many matches would tell as much without it."""

    def as_dict(self) -> dict[str, Any]:
        """The same, ready for JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()
        }


@dataclass(frozen=True)
class ArenaResults:
    """What came of whole deals: arrays by deal, seating and seat."""

    names: tuple[str, ...]
    """The players, each once."""
    who: NDArray[np.int64]
    """By seating and seat, whose place in `names` it is."""
    scores: NDArray[np.int64]
    ranks: NDArray[np.int64]
    decisions: NDArray[np.int64]
    seconds: NDArray[np.float64]
    luck: NDArray[np.float64] | None = None
    """What chance brought, in shares of the win; None if it was not measured."""

    @property
    def matches(self) -> int:
        return len(self.ranks) * len(self.who)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Everybody's share of the win."""
        won = self.ranks == 1
        shares: NDArray[np.float64] = won / won.sum(axis=2, keepdims=True)
        return shares

    @property
    def places(self) -> NDArray[np.float64]:
        """Everybody's place: those who share places have the mean of them."""
        alike = (self.ranks[..., None] == self.ranks[..., None, :]).sum(axis=3)
        places: NDArray[np.float64] = self.ranks + (alike - 1) / 2
        return places

    @property
    def winning_scores(self) -> NDArray[np.float64]:
        """The score that won, by deal."""
        best: NDArray[np.float64] = np.where(self.ranks == 1, self.scores, -(2**31)).max(axis=2).mean(axis=1)
        return best


def standings(results: ArenaResults) -> Iterator[Standing]:
    """How every player did, in the order in which they were named."""
    shares, places, ratings = results.shares, results.places, rated(results)
    players = results.who.shape[1]
    for number, name in enumerate(results.names):
        own = results.who == number
        by_match = (shares * own).sum(axis=2) / own.sum(axis=1)
        won = by_match.mean(axis=1)
        rank = places[:, own].mean(axis=1)
        games = int(own.sum()) * len(won)
        decisions = int(results.decisions[:, own].sum())
        mu, sigma = ratings[number]
        half = NORMAL * sigma * sqrt(max(1.0, deals_alike(by_match)))
        adjusted = adjusted_wins(results, own, won)
        yield Standing(
            name=name,
            games=games,
            wins=float(shares[:, own].sum()),
            win_rate=float(won.mean()),
            interval=share_interval(won, results.matches),
            mean_rank=float(rank.mean()),
            rank_interval=mean_interval(rank, 1, players),
            rating=mu,
            rating_interval=(mu - half, mu + half),
            mean_score=float(results.scores[:, own].mean()),
            decisions=decisions,
            seconds_per_decision=float(results.seconds[:, own].sum()) / max(decisions, 1),
            adjusted=None if adjusted is None else float(adjusted.mean()),
            adjusted_interval=None if adjusted is None else mean_interval(adjusted, 0, 1),
            saved=None if adjusted is None else saved_by(won, adjusted),
        )


def adjusted_wins(
    results: ArenaResults, own: NDArray[np.bool_], won: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """A player's share of wins without luck, by deal; None where nothing is known of luck."""
    if results.luck is None or len(won) < FEWEST_DEALS:
        return None
    luck = ((results.luck * own).sum(axis=2) / own.sum(axis=1)).mean(axis=1)
    return without_luck(won, luck)


def without_luck(won: NDArray[np.float64], luck: NDArray[np.float64]) -> NDArray[np.float64]:
    """What was won in every deal, less as much of its luck as luck has decided in other deals.

    Values are not exact, so luck is measured with an error, and part of it is undone later; how much of it
    counts is found by regression. As that is found in other deals, and luck has mean zero, the mean stays
    right.
    """
    fold = np.arange(len(won)) % FOLDS
    found = won.copy()
    for each in range(FOLDS):
        there, here = fold != each, fold == each
        square = float((luck[there] ** 2).sum())
        counts = float(((won[there] - won[there].mean()) * luck[there]).sum()) / square if square else 0.0
        found[here] -= counts * luck[here]
    return found


def saved_by(won: NDArray[np.float64], adjusted: NDArray[np.float64]) -> float | None:
    """How many times the variance of wins is that of wins without luck."""
    spread = float(adjusted.var(ddof=1))
    return float(won.var(ddof=1)) / spread if spread > 0 else None


def mean_interval(by_deal: NDArray[np.float64], least: float, most: float) -> Interval:
    """Where the mean lies of which every deal gave one value; a single deal says nothing."""
    deals = len(by_deal)
    if deals == 1:
        return (least, most)
    mean = float(by_deal.mean())
    half = student(deals - 1) * float(by_deal.std(ddof=1)) / sqrt(deals)
    return (max(least, mean - half), min(most, mean + half))


def share_interval(by_deal: NDArray[np.float64], matches: int) -> Interval:
    """Where a share of wins lies (Wilson), by as many independent matches as tell equally much."""
    deals = len(by_deal)
    if deals == 1:
        return (0.0, 1.0)
    share = float(by_deal.mean())
    worth = matches / likeness(by_deal, matches)
    z = student(deals - 1)
    centre = (share + z * z / (2 * worth)) / (1 + z * z / worth)
    half = z * sqrt(share * (1 - share) / worth + (z / (2 * worth)) ** 2) / (1 + z * z / worth)
    # Rounding must not leave the share itself outside.
    return (max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def likeness(by_deal: NDArray[np.float64], matches: int) -> float:
    """How many times less a match tells because others had the same deal (the design effect)."""
    share = float(by_deal.mean())
    if len(by_deal) == 1 or np.ptp(by_deal) == 0:
        return 1.0
    return float(by_deal.var(ddof=1) / len(by_deal) * matches / (share * (1 - share)))


def deals_alike(by_match: NDArray[np.float64]) -> float:
    """How many times as much the means of deals vary as if every match (a column) had a deal of its own."""
    spread = float(by_match.var())
    if len(by_match) == 1 or spread == 0:
        return 1.0
    return float(by_match.mean(axis=1).var(ddof=1) * by_match.shape[1] / spread)


def student(freedom: int, z: float = NORMAL) -> float:
    """Between minus this and this lies as much of Student's t as of the normal distribution between -z and z.

    That is 95 % if nothing is said (Cornish and Fisher; of few, by the tables).

    >>> round(student(19), 3), round(student(19, z=2.575829), 3)
    (2.093, 2.861)
    """
    if z == NORMAL and freedom in OF_FEW:
        return OF_FEW[freedom]
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, 1))


def rated(results: ArenaResults) -> list[tuple[float, float]]:
    """Every player's rating after all games, and how uncertain it is.

    A player at several seats of a game learns the mean of what the seats would have learned.
    """
    from openskill.models import PlackettLuce

    # Nobody changes between games, so nothing is added to the uncertainty (tau).
    model = PlackettLuce(tau=0)
    begun = model.rating()
    ratings = [(begun.mu, begun.sigma) for _ in results.names]
    for deal in results.ranks:
        for who, ranks in zip(results.who.tolist(), deal.tolist(), strict=True):
            after = model.rate([[model.rating(*ratings[number])] for number in who], ranks=ranks)
            for number in set(who):
                seats = [rating for own, (rating,) in zip(who, after, strict=True) if own == number]
                ratings[number] = (
                    sum(rating.mu for rating in seats) / len(seats),
                    sum(rating.sigma for rating in seats) / len(seats),
                )
    return ratings
