"""The review of a match: what was luck, what was skill, and what would have been better.

>>> import teerling
>>> from teerling import lab
>>> match = teerling.new("rapido", players=2, seed=7)
>>> while not match.over:
...     match.push(teerling.player("heuristic").choose(match).move)
>>> found = lab.review(match, budget=2)
>>> seat = found.seats[0]
>>> abs(seat.start + seat.luck + seat.own + seat.others - seat.result) < 1e-9
True
>>> seat.adjusted == seat.result - seat.luck
True

A server reviews part by part: `Reviewing.work` goes on for as long as somebody asks, and `Reviewing.kept` is
all that is needed to go on elsewhere.

>>> reviewing = Reviewing(match, 2)
>>> for done in reviewing.work():
...     if reviewing.curve is not None:
...         break
>>> reviewing.curve.shape == (len(match.history) + 1, 2), done < 1
(True, True)
>>> again = Reviewing(match, 2, kept=reviewing.kept())
>>> list(again.work())[-1]
1.0
>>> again.review().seats == found.seats
True
"""

import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import inf
from random import Random
from typing import Any

import numpy as np

from ..engine import CHANCE
from ..engine.kernels.value import NOTHING
from ..errors import Phrase, TeerlingError
from ..game import Game, Move
from ..match import Match
from ..players import Observation
from ..players.hint import Reason
from ..players.ready import warm_up as compile_hints
from ..words import Speaker
from .luck import Account, Line, Numbers
from .mistakes import GRADES, Judgement, explained, judged
from .simulate import cores
from .value import Values

JUDGED = 64
"""By how many playouts, at most, a decision is judged; `mistakes` says how many those are of each kind."""
ROUND = 16
"""How many playouts a round makes from every position."""
MOST_PLAYOUTS, LONGEST = 10_000, 86_400.0
EXPLAINED = 3
"""Of how many moves of a seat it is said why another is better: the costliest."""
LEAST_STAKE = 0.01
"""Where there was less to decide in a whole match, the error rate is as if there had been so much."""
LUCKIEST = 6
"""How many strokes of luck are key moments."""


@dataclass(frozen=True)
class Budget:
    """How much thinking a review may take: playouts from every position, and seconds in all."""

    playouts: int = 512
    seconds: float = 38.0

    @classmethod
    def of(cls, given: "Budget | int | str") -> "Budget":
        """A budget from a number of playouts (64, "64") or a time ("20s", "500ms").

        >>> Budget.of("20s").seconds, Budget.of(64).playouts
        (20.0, 64)
        """
        if isinstance(given, Budget):
            return given
        found = re.fullmatch(r"(\d{1,9})(ms|s)?", str(given))
        amount = int(found[1]) if found else 0
        seconds = amount / 1000 if found and found[2] == "ms" else float(amount)
        if found is None or amount == 0 or (seconds > LONGEST if found[2] else amount > MOST_PLAYOUTS):
            raise TeerlingError(
                Phrase(
                    "{budget!r} is not a budget for a review; it is a number of playouts from every "
                    "position, like 64, or a time, like 20s",
                    budget=str(given),
                )
            )
        return cls(MOST_PLAYOUTS, seconds) if found[2] else cls(amount, inf)


@dataclass(frozen=True)
class SeatReview:
    """Where a seat's share of the win came from; everything is a share: 1 is a whole win."""

    seat: int
    name: str
    start: float
    """What the seat could expect before anything happened."""
    luck: float
    """What chance brought."""
    luck_error: float | None
    """The standard error of that, as values come from playouts; None where there were too few."""
    own: float
    """What the seat's own decisions changed."""
    others: float
    """What the decisions of the others changed."""
    result: float
    """1 shared among the winners; start, luck, own and others add up to it."""
    error_rate: float | None
    """The part of what there was to decide that was given away: 0 is flawless, 1 is what any legal move would
    do; None if nothing was judged."""
    decisions: int
    """How many decisions were judged."""
    loss: float
    """What they gave away in all."""

    @property
    def adjusted(self) -> float:
        """The result without the luck."""
        return self.result - self.luck

    def as_dict(self) -> dict[str, Any]:
        """The same, ready for JSON."""
        return {**vars(self), "adjusted": self.adjusted}


@dataclass(frozen=True)
class ReviewStep:
    """A move of the match: every seat's chance to win after it, and what it changed."""

    place: int
    """Where in the history it stands."""
    seat: int | None
    """Whose move it is; None if nature's."""
    move: Move
    values: tuple[float, ...]
    change: tuple[float, ...]
    """Luck at a chance event, otherwise what the decision changed."""

    def as_dict(self) -> dict[str, Any]:
        """The same, ready for JSON."""
        return {
            "place": self.place,
            "seat": self.seat,
            "move": self.move.text,
            "values": list(self.values),
            "change": list(self.change),
        }


@dataclass(frozen=True)
class Stroke:
    """A stroke of luck: chance events in a row, what came, and what they brought every seat."""

    place: int
    moves: tuple[Move, ...]
    luck: tuple[float, ...]

    @property
    def seat(self) -> int:
        """For whom most changed."""
        return max(range(len(self.luck)), key=lambda seat: abs(self.luck[seat]))

    @property
    def size(self) -> float:
        """How much changed for that seat."""
        return self.luck[self.seat]


@dataclass(frozen=True)
class Review:
    """A match looked back at: every seat's account, the curve of chances, mistakes and strokes of luck."""

    match: Match
    account: Account
    judgements: tuple[Judgement, ...]
    """Of every decision that was judged, in the order of the match."""
    playouts: int
    """From every position."""
    luck_errors: Numbers | None = None
    """The standard errors of the seats' luck."""

    @property
    def game(self) -> Game:
        return self.match.game

    @cached_property
    def seats(self) -> tuple[SeatReview, ...]:
        """The account of every seat."""
        return tuple(map(self._seat, range(self.match.players)))

    def _seat(self, seat: int) -> SeatReview:
        movers = np.array(self.match.turns)
        changed, account = self.account.changes[:, seat], self.account
        judgements = [each for each in self.judgements if each.seat == seat]
        stake = sum(each.stake for each in judgements)
        loss = sum(each.loss for each in judgements)
        return SeatReview(
            seat=seat,
            name=self.match.names[seat],
            start=float(account.start[seat]),
            luck=float(account.luck[:, seat].sum()),
            luck_error=None if self.luck_errors is None else float(self.luck_errors[seat]),
            own=float(changed[movers == seat].sum()),
            others=float(changed[movers != seat].sum()),
            result=float(account.result[seat]),
            error_rate=min(1.0, max(0.0, loss) / max(stake, LEAST_STAKE)) if judgements else None,
            decisions=len(judgements),
            loss=loss,
        )

    @cached_property
    def steps(self) -> tuple[ReviewStep, ...]:
        """Every move with the chances after it."""
        change = (self.account.luck + self.account.changes).tolist()
        after = self.account.curve[1:].tolist()
        return tuple(
            ReviewStep(place, None if move.chance else turn, move, tuple(after[place]), tuple(change[place]))
            for place, (turn, move) in enumerate(zip(self.match.turns, self.match.history, strict=True))
        )

    @cached_property
    def mistakes(self) -> tuple[Judgement, ...]:
        """Slips, mistakes and blunders, the costliest first."""
        return tuple(sorted((each for each in self.judgements if each.grade), key=lambda each: -each.loss))

    @cached_property
    def strokes(self) -> tuple[Stroke, ...]:
        """The largest strokes of luck; what chance brings at once counts together."""
        found = []
        for chance, group in groupby(self.steps, lambda step: step.seat is None):
            if chance:
                steps = list(group)
                luck = np.sum([step.change for step in steps], axis=0)
                found.append(Stroke(steps[0].place, tuple(step.move for step in steps), tuple(luck.tolist())))
        return tuple(sorted(found, key=lambda stroke: -abs(stroke.size))[:LUCKIEST])

    def kept(self) -> dict[str, Any]:
        """All that is needed to have it again, ready for JSON: `Review.of` reads it back."""
        account, errors = self.account, self.luck_errors
        return {
            "playouts": self.playouts,
            "start": account.start.tolist(),
            "luck": account.luck.tolist(),
            "changes": account.changes.tolist(),
            "result": account.result.tolist(),
            "luck_errors": None if errors is None else errors.tolist(),
            "judgements": [written(each) for each in self.judgements],
        }

    @classmethod
    def of(cls, match: Match, kept: Mapping[str, Any]) -> "Review":
        """A review that was kept, of this match."""
        account = Account(*(np.array(kept[part]) for part in ("start", "luck", "changes", "result")))
        errors = kept["luck_errors"]
        return cls(
            match,
            account,
            judgements_of(match, kept["judgements"]),
            kept["playouts"],
            None if errors is None else np.array(errors),
        )

    def as_dict(self, say: Speaker) -> dict[str, Any]:
        """The whole review, ready for JSON; reasons as sentences, too."""
        return {
            "game": self.game.id,
            "rules": self.match.version,
            "players": self.match.players,
            "playouts": self.playouts,
            "thresholds": dict(GRADES),
            "seats": [seat.as_dict() for seat in self.seats],
            "mistakes": [
                {
                    "place": each.place,
                    "seat": each.seat,
                    "grade": each.grade,
                    "played": each.played.text,
                    "best": each.best.text,
                    "loss": each.loss,
                    "interval": list(each.interval),
                    "reason": each.reason and each.reason.said(say),
                }
                for each in self.mistakes
            ],
            "strokes": [
                {
                    "place": each.place,
                    "moves": [move.text for move in each.moves],
                    "seat": each.seat,
                    "luck": list(each.luck),
                }
                for each in self.strokes
            ],
            "steps": [step.as_dict() for step in self.steps],
        }


def written(judgement: Judgement) -> list[Any]:
    """A judgement, ready for JSON."""
    reason = judgement.reason and judgement.reason.kept()
    found = [judgement.place, judgement.best.id, judgement.loss, *judgement.interval, judgement.stake]
    return [*found, reason]


def judgements_of(match: Match, kept: Sequence[Sequence[Any]]) -> tuple[Judgement, ...]:
    """Judgements of decisions of a match that were kept."""
    turns = match.turns
    return tuple(
        Judgement(
            place=place,
            seat=turns[place],
            played=match.history[place],
            best=match.game.move(best),
            loss=loss,
            interval=(low, high),
            stake=stake,
            reason=None if reason is None else Reason.of(match.game, reason),
        )
        for place, best, loss, low, high, stake, reason in kept
    )


class Reviewing:
    """A review that is being worked out, part by part: a coarse curve, luck, mistakes, then ever finer."""

    def __init__(
        self,
        match: Match,
        budget: Budget | int | str = Budget(),  # noqa: B008  (a budget never changes)
        threads: int | None = None,
        kept: Mapping[str, Any] | None = None,
    ) -> None:
        self.budget = Budget.of(budget)
        self.line = Line(match)
        self.threads = min(cores(), 2) if threads is None else threads
        self.curve: Numbers | None = None
        """Every seat's chance to win before every move and at the end; coarse at first."""
        self.judgements: dict[int, Judgement] = {}
        self._seconds = 0.0
        if kept is not None:
            self._go_on_from(kept)

    @property
    def match(self) -> Match:
        return self.line.match

    def work(self) -> Iterator[float]:
        """Works it out; after every part, how much is done, from 0 to 1. Whoever stops asking ends it."""
        asked = self._decisions()
        parts = len(asked) + -(-self.budget.playouts // ROUND) * self.line.parts
        done = len(self.judgements) + self.line.playouts // ROUND * self.line.parts
        for _ in self._timed(self._parts(asked)):
            done += 1
            yield min(0.99, max(done / parts, self._seconds / self.budget.seconds))
        for _ in self._explain():
            yield 0.99
        yield 1.0

    def _timed(self, parts: Iterator[None]) -> Iterator[None]:
        """The same parts; only what they take counts, not what whoever asks does between two of them."""
        while True:
            began = time.perf_counter()
            if next(parts, self) is self:
                return
            self._seconds += time.perf_counter() - began
            yield

    def _parts(self, asked: list[int]) -> Iterator[None]:
        """One part after another; the first round is never cut short, as luck would not be known."""
        if not self.line.playouts:
            yield from self._round()
        for place in asked:
            if self._is_late:
                return
            if place not in self.judgements:
                self.judgements[place] = self._judge(place)
                yield
        while self.line.playouts < self.budget.playouts and not self._is_late:
            yield from self._round()

    def _round(self) -> Iterator[None]:
        before = self.line.playouts
        playouts = min(ROUND, self.budget.playouts - before)
        for part, sums in enumerate(self.line.round(playouts, self.threads), start=1):
            if self.line.playouts > before:
                self.curve = self.line.account().curve
            elif self.curve is None and part == self.line.first_parts:
                self.curve = self.line.coarse_curve(sums / playouts)
            yield
            if before and self._is_late:
                return

    @property
    def _is_late(self) -> bool:
        return self._seconds > self.budget.seconds

    def review(self) -> Review:
        """What is known so far; luck is known once every position has been played on from."""
        if not self.line.playouts:
            raise TeerlingError(Phrase("the review has only just begun"))
        judgements = tuple(self.judgements[place] for place in sorted(self.judgements))
        return Review(
            self.match, self.line.account(), judgements, self.line.playouts, self.line.luck_errors()
        )

    def kept(self) -> dict[str, Any]:
        """How far it is, ready for JSON: `Reviewing(match, kept=…)` goes on from there."""
        return {
            "playouts": self.line.playouts,
            "sums": self.line.sums.tolist(),
            "rounds": list(self.line.rounds),
            "seconds": self._seconds,
            "judgements": [written(each) for each in self.judgements.values()],
        }

    def _go_on_from(self, kept: Mapping[str, Any]) -> None:
        self.line.playouts = kept["playouts"]
        self.line.sums = np.array(kept["sums"], np.float64).reshape(self.line.sums.shape)
        self.line.rounds = [(playouts, luck) for playouts, luck in kept["rounds"]]
        self._seconds = kept["seconds"]
        for each in judgements_of(self.match, kept["judgements"]):
            self.judgements[each.place] = each
        if self.line.playouts:
            self.curve = self.line.account().curve

    def _decisions(self) -> list[int]:
        """Where somebody had a choice; in an order in which no seat and no part of the match comes first."""
        states = self.line.states
        asked = [
            place
            for place, state in enumerate(states[:-1])
            if state.turn != CHANCE and len(self.match.game.legal_moves(state)) > 1
        ]
        Random(len(states)).shuffle(asked)
        return asked

    def _knows(self, place: int) -> Observation:
        """What the seat to move knew."""
        state = self.line.states[place]
        return Observation(self.match.game, int(state.turn), self.match.game.observed(state, state.turn))

    def _judge(self, place: int) -> Judgement:
        playouts = min(self.budget.playouts, JUDGED)
        return judged(self._knows(place), self.match.history[place], place, playouts, self.threads)

    def _explain(self) -> Iterator[None]:
        """Finds the reasons of the costliest mistakes of every seat, one after another."""
        told: dict[int, int] = defaultdict(int)
        for each in sorted(self.judgements.values(), key=lambda each: -each.loss):
            if each.grade and told[each.seat] < EXPLAINED:
                told[each.seat] += 1
                if each.reason is None:
                    self.judgements[each.place] = explained(each, self._knows(each.place))
                    yield


def review(
    match: Match,
    budget: Budget | int | str = Budget(),  # noqa: B008  (a budget never changes)
    threads: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> Review:
    """Reviews a match that is over: luck and skill of every seat, the curve of chances, and mistakes.

    `budget` is a number of playouts from every position, or a time like "20s"; with a number the same match
    has the same review everywhere. `progress` is told how much is done, from 0 to 1.
    """
    reviewing = Reviewing(match, budget, threads)
    for done in reviewing.work():
        if progress is not None:
            progress(done)
    return reviewing.review()


def warm_up(game: Game) -> None:
    """Has everything compiled that a review of a game needs."""
    warm_up_values(game)
    compile_hints(game, hints=True)


def warm_up_values(game: Game) -> None:
    """Has compiled what the curve of a match of a game needs."""
    Values(game, [game.start(game.players[-1], game.check_options({}))]).add(
        Values.tasks([(0, NOTHING, NOTHING)], 1), np.zeros((1, game.players[-1]))
    )
