"""Insights: what many decisions of somebody have in common, each backed by enough of them.

>>> import teerling
>>> ra = teerling.game("ra")
>>> some = [Decision(0, 0, "bidding", "overpays high", loss, 0.1) for loss in (0.02, 0.03) * 10]
>>> found, = insights(ra, some)
>>> found.told(Speaker("en", ra))
'You overpay with high suns in the first epoch.'
>>> found.count, round(found.mean, 3)
(20, 0.025)
>>> insights(ra, some[:19])
()

A decision counts for a tendency where another move seemed better to a search. What it lost was measured with
random numbers that the search has not seen, so the mean of such losses is no artefact of having been chosen.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from ..game import Game
from ..words import Speaker
from .mistakes import NORMAL_99
from .review import LEAST_STAKE, Review
from .standings import Interval, student

ENOUGH = 20
"""How many decisions a sentence needs."""


@dataclass(frozen=True)
class Decision:
    """A decision that was judged, in short."""

    seat: int
    part: int
    """In which part of the match, from 0."""
    kind: str
    tendency: str
    """What was wrong with it, if the game has a word for that and another move seemed better."""
    loss: float
    stake: float

    @property
    def short(self) -> list[str | int | float]:
        """The same, ready for JSON: `Decision(*short)`."""
        return [self.seat, self.part, self.kind, self.tendency, round(self.loss, 5), round(self.stake, 5)]


@dataclass(frozen=True)
class Insight:
    """What somebody tends to do in a part of matches, and what that costs each time."""

    tendency: str
    sentence: str
    """In English, with `{when}`."""
    when: str
    count: int
    """In how many decisions."""
    mean: float
    """What each of them lost, on average."""
    interval: Interval
    """About that mean, 99 %."""

    @property
    def sure(self) -> bool:
        """Whether there are enough decisions, and the interval lies above nothing."""
        return self.count >= ENOUGH and self.interval[0] > 0

    def told(self, say: Speaker) -> str:
        """The sentence; `say` knows the words of the game."""
        return say(self.sentence, when=say(self.when)) if self.when else say(self.sentence, when="").strip()


@dataclass(frozen=True)
class Share:
    """How well somebody decides in a part of matches, or in decisions of a kind."""

    name: str
    count: int
    loss: float
    """What was given away in all."""
    stake: float
    """What there was to decide in all."""

    @property
    def error_rate(self) -> float:
        """The part of what there was to decide that was given away."""
        return min(1.0, max(0.0, self.loss) / max(self.stake, LEAST_STAKE))


def decisions_of(review: Review) -> list[Decision]:
    """All judged decisions of a match, in short."""
    game, states = review.game, review.match.states
    sorts = game.tendencies
    found = []
    for each in review.judgements:
        state = states[each.place]
        knows = game.observed(state, each.seat)
        wrong = "" if each.played == each.best else sorts.tendency(knows, each.played, each.best)
        part = sorts.part(state)
        found.append(Decision(each.seat, part, sorts.kind(each.played), wrong, each.loss, each.stake))
    return found


def insights(game: Game, decisions: Iterable[Decision]) -> tuple[Insight, ...]:
    """What is sure of somebody's decisions in a game, the costliest in all first."""
    found = [each for each in tendencies_of(game, decisions) if each.sure]
    return tuple(sorted(found, key=lambda each: -each.mean * each.count))


def nearest(game: Game, decisions: Iterable[Decision]) -> Insight | None:
    """The tendency that lacks fewest decisions to be told, if any is short of them."""
    short = [each for each in tendencies_of(game, decisions) if each.count < ENOUGH]
    return max(short, key=lambda each: each.count, default=None)


def tendencies_of(game: Game, decisions: Iterable[Decision]) -> list[Insight]:
    """Every tendency in every part of matches, and what it costs."""
    sorts = game.tendencies
    losses: dict[tuple[str, int], list[float]] = {}
    for each in decisions:
        if each.tendency in sorts.sentences:
            losses.setdefault((each.tendency, each.part), []).append(each.loss)
    return [
        Insight(
            tendency=tendency,
            sentence=sorts.sentences[tendency],
            when=sorts.parts[part][1] if part < len(sorts.parts) else "",
            count=len(lost),
            mean=fmean(lost),
            interval=interval_of(lost),
        )
        for (tendency, part), lost in losses.items()
    ]


def interval_of(losses: Sequence[float]) -> Interval:
    """Within which the mean lies, 99 %; everything is possible for a single one.

    >>> [round(each, 4) for each in interval_of([0.0, 0.02] * 10)]
    [0.0034, 0.0166]
    """
    if len(losses) < 2:
        return (-1.0, 1.0)
    half = student(len(losses) - 1, NORMAL_99) * stdev(losses) / sqrt(len(losses))
    return fmean(losses) - half, fmean(losses) + half


def by_part(game: Game, decisions: Sequence[Decision]) -> tuple[Share, ...]:
    """How well somebody decides in every part of matches."""
    names = [name for name, _ in game.tendencies.parts]
    parts = [[each for each in decisions if each.part == part] for part in range(len(names))]
    return tuple(share_of(name, part) for name, part in zip(names, parts, strict=True) if part)


def by_kind(decisions: Sequence[Decision]) -> tuple[Share, ...]:
    """How well somebody decides in every kind of decision, the most frequent first."""
    kinds: dict[str, list[Decision]] = {}
    for each in decisions:
        kinds.setdefault(each.kind, []).append(each)
    return tuple(share_of(*kind) for kind in sorted(kinds.items(), key=lambda kind: -len(kind[1])))


def share_of(name: str, decisions: Sequence[Decision]) -> Share:
    """How well somebody decides in some decisions."""
    loss, stake = sum(each.loss for each in decisions), sum(each.stake for each in decisions)
    return Share(name, len(decisions), loss, stake)
