"""What can be thought about on any machine: a job and its answer are plain data.

A job is made where somebody waits, and does its work there in a thread, or is told to a thinker that makes
the same job of it. Whatever is told is ready for JSON; nothing that comes from outside is more than data.
"""

import base64
import binascii
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import inf
from typing import Any, ClassVar, Generic, Self, TypeVar

from ...errors import TeerlingError
from ...game import Game, game
from ...lab.review import Budget, Reviewing
from ...loading import load
from ...match import Match
from ...players import Choice, Hint, MoveEstimate, Observation, Search
from ...players.hint import Reason, hint_from, reason_for
from ...players.search import MOST_PLAYOUTS, SearchSettings

Answer = TypeVar("Answer")
MOST_BEGUN = 8
"""How many reviews a process can go on with."""
LONG = 10.0
"""Seconds within which something is expected that has no time of its own."""


class BadJob(ValueError):
    """What was told is no job, or no answer to it; the text says why."""


class Job(ABC, Generic[Answer]):
    """Something to work out, here or elsewhere."""

    kind: ClassVar[str]
    """What it is called where it is told."""

    @property
    @abstractmethod
    def game(self) -> Game: ...

    @property
    def seconds(self) -> float:
        """How long it may take whoever has nothing else to do."""
        return LONG

    @abstractmethod
    def work(self) -> Answer:
        """Works it out."""

    @abstractmethod
    def told(self) -> dict[str, Any]:
        """All that is needed to do the same elsewhere, ready for JSON."""

    @classmethod
    @abstractmethod
    def of(cls, game: Game, told: Mapping[str, Any]) -> Self:
        """The job that was told."""

    @abstractmethod
    def tell(self, answer: Answer) -> Any:
        """An answer, ready for JSON."""

    @abstractmethod
    def heard(self, told: Any) -> Answer:
        """The answer that was told."""


@dataclass(frozen=True)
class Searching(Job[Answer]):
    """Something that a search from what a seat knows tells."""

    search: Search
    knows: Observation
    seed: int

    @property
    def game(self) -> Game:
        return self.knows.game

    @property
    def seconds(self) -> float:
        return min(LONG, self.search.seconds)

    def told(self) -> dict[str, Any]:
        return {"search": _search_told(self.search), "knows": _knows_told(self.knows), "seed": self.seed}

    @classmethod
    def of(cls, game: Game, told: Mapping[str, Any]) -> Self:
        return cls(_search_of(told["search"]), _knows_of(game, told["knows"]), int(told["seed"]))


class Choosing(Searching[Choice]):
    """Which move somebody who searches makes, and what they think of the others."""

    kind = "choice"

    def work(self) -> Choice:
        return self.search.choose(self.knows, self.seed)

    def tell(self, answer: Choice) -> Any:
        return {"move": answer.move.text, "estimates": _estimates_told(answer.estimates)}

    def heard(self, told: Any) -> Choice:
        return Choice(self.game.move(str(told["move"])), _estimates_of(self.game, told["estimates"]))


class Advising(Searching[Hint]):
    """A hint for a seat."""

    kind = "hint"

    @property
    def seconds(self) -> float:
        """A reason is looked for afterwards."""
        return super().seconds + 1.0

    def work(self) -> Hint:
        return hint_from(self.knows, self.search, self.seed)

    def tell(self, answer: Hint) -> Any:
        return {"estimates": _estimates_told(answer.estimates), "reason": answer.reason.kept()}

    def heard(self, told: Any) -> Hint:
        estimates = _estimates_of(self.game, told["estimates"])
        if not estimates:
            raise BadJob("a hint without any move")
        reason = Reason.of(self.game, told["reason"])
        return Hint(self.game, self.knows.seat, self.search.name, estimates, reason)


@dataclass(frozen=True)
class Reasoning(Job[Reason]):
    """Why a move is better than another."""

    kind = "reason"
    knows: Observation
    best: MoveEstimate
    other: MoveEstimate
    seed: int

    @property
    def game(self) -> Game:
        return self.knows.game

    def work(self) -> Reason:
        return reason_for(self.knows, self.best, self.other, self.seed)

    def told(self) -> dict[str, Any]:
        return {
            "knows": _knows_told(self.knows),
            "moves": _estimates_told((self.best, self.other)),
            "seed": self.seed,
        }

    @classmethod
    def of(cls, game: Game, told: Mapping[str, Any]) -> Self:
        best, other = _estimates_of(game, told["moves"])
        return cls(_knows_of(game, told["knows"]), best, other, int(told["seed"]))

    def tell(self, answer: Reason) -> Any:
        return answer.kept()

    def heard(self, told: Any) -> Reason:
        return Reason.of(self.game, told)


@dataclass(frozen=True)
class Reviewed:
    """How far a review is after another part of it."""

    done: float
    """From 0 to 1."""
    kept: dict[str, Any]
    """From where it goes on (`Reviewing.kept`)."""
    curve: list[list[float]]
    """Everybody's chance to win before every move and at the end."""
    review: dict[str, Any] | None
    """What is known so far (`Review.kept`); None until luck is."""


class Begun:
    """A review that this process may go on with."""

    def __init__(self, text: str, budget: Budget) -> None:
        self.match = load(text)
        self.going_on = threading.Lock()
        self._budget = budget
        self._reviewing: Reviewing | None = None
        self._parts: Iterator[float] = iter(())

    def go_on_from(self, kept: Mapping[str, Any] | None) -> tuple[Reviewing, Iterator[float]]:
        """The review and its next parts; begun anew unless it is just as far as what was kept."""
        far = (kept["playouts"], len(kept["judgements"])) if kept is not None else (0, 0)
        if self._reviewing is None or _known(self._reviewing) != far:
            self._reviewing = Reviewing(self.match, self._budget, kept=kept)
            self._parts = self._reviewing.work()
        return self._reviewing, self._parts


begun = lru_cache(MOST_BEGUN)(Begun)
"""The reviews that this process went on with last, by the text of the match and the budget."""


@dataclass(frozen=True)
class ReviewPart(Job[Reviewed]):
    """The next part of a review: a first curve, or what follows for some seconds."""

    kind = "review"
    match: Match
    budget: Budget
    kept: Mapping[str, Any] | None
    """How far it is; None before the first part."""
    least: float
    """For how many seconds a part goes on; none is enough for the curve."""

    @property
    def game(self) -> Game:
        return self.match.game

    @property
    def seconds(self) -> float:
        return self.least + LONG

    def work(self) -> Reviewed:
        until = time.perf_counter() + self.least
        review = begun(self.match.save(seed=False), self.budget)
        with review.going_on:
            reviewing, parts = review.go_on_from(self.kept)
            known = _known(reviewing)
            while (done := next(parts, 1.0)) < 1.0:
                if not self.least and reviewing.curve is not None:
                    break
                # Somebody else who goes on with a round that was cut short has to begin it anew.
                before, known = known, _known(reviewing)
                if known != before and time.perf_counter() > until:
                    break
            found = reviewing.review().kept() if reviewing.line.playouts else None
            assert reviewing.curve is not None
            return Reviewed(done, reviewing.kept(), reviewing.curve.tolist(), found)

    def told(self) -> dict[str, Any]:
        return {
            "match": self.match.save(seed=False),
            "budget": {"playouts": self.budget.playouts, "seconds": _number_told(self.budget.seconds)},
            "kept": self.kept,
            "least": self.least,
        }

    @classmethod
    def of(cls, game: Game, told: Mapping[str, Any]) -> Self:
        budget = Budget(int(told["budget"]["playouts"]), _number_of(told["budget"]["seconds"]))
        match = begun(str(told["match"]), budget).match
        if match.game is not game or not match.over:
            raise BadJob("only a match of this game that is over is reviewed")
        return cls(match, budget, told["kept"], min(LONG, float(told["least"])))

    def tell(self, answer: Reviewed) -> Any:
        return asdict(answer)

    def heard(self, told: Any) -> Reviewed:
        review = told["review"]
        return Reviewed(
            float(told["done"]),
            dict(told["kept"]),
            list(told["curve"]),
            None if review is None else dict(review),
        )


def _known(reviewing: Reviewing) -> tuple[int, int]:
    """How many playouts and judgements of a review are there to stay."""
    return reviewing.line.playouts, len(reviewing.judgements)


KINDS: dict[str, type[Job[Any]]] = {each.kind: each for each in (Choosing, Advising, Reasoning, ReviewPart)}


def told(job: Job[Any]) -> dict[str, Any]:
    """A job as it is told to a thinker, ready for JSON."""
    return {"kind": job.kind, "game": job.game.id, **job.told()}


def understood(given: Any) -> Job[Any]:
    """The job that was told; BadJob if it is none.

    >>> understood({"kind": "dance"})
    Traceback (most recent call last):
    ...
    teerling.server.thinking.jobs.BadJob: there is no kind 'dance' of thinking
    """
    if not isinstance(given, Mapping) or given.get("kind") not in KINDS:
        kind = given.get("kind") if isinstance(given, Mapping) else given
        raise BadJob(f"there is no kind {kind!r} of thinking")
    try:
        return KINDS[given["kind"]].of(game(str(given["game"])), given)
    except (LookupError, TypeError, ValueError, TeerlingError) as error:
        raise BadJob(f"this is no {given['kind']} to think about: {error}") from None


def answered(job: Job[Answer], given: Any) -> Answer:
    """The answer to a job that was told; BadJob if it is none."""
    try:
        return job.heard(given)
    except (LookupError, TypeError, ValueError, TeerlingError) as error:
        raise BadJob(f"this is no answer to a {job.kind}: {error}") from None


def _knows_told(knows: Observation) -> dict[str, Any]:
    """What a seat knows; a search decides from that alone, whatever was played before."""
    return {"seat": knows.seat, "seen": base64.b64encode(knows.seen.to_bytes()).decode()}


def _knows_of(game: Game, told: Mapping[str, Any]) -> Observation:
    kind = game.rules.State
    try:
        seen = base64.b64decode(told["seen"], validate=True)
    except binascii.Error as error:
        raise BadJob(str(error)) from None
    if len(seen) != kind.dtype.itemsize:
        raise BadJob(f"an observation of {game.id} has {kind.dtype.itemsize} bytes, not {len(seen)}")
    knows = Observation(game, int(told["seat"]), kind(seen))
    if not knows.legal_moves:
        raise BadJob(f"seat {knows.seat} is not to move")
    return knows


def _search_told(search: Search) -> dict[str, Any]:
    return {
        "name": search.name,
        "playouts": search.playouts,
        "seconds": _number_told(search.seconds),
        "settings": asdict(search.settings),
    }


def _search_of(told: Mapping[str, Any]) -> Search:
    playouts = int(told["playouts"])
    if not 0 < playouts <= MOST_PLAYOUTS:
        raise BadJob(f"{playouts} playouts")
    settings = SearchSettings(**told["settings"])
    return Search(str(told["name"]), "", playouts, _number_of(told["seconds"]), settings)


def _number_told(number: float) -> float | None:
    """A number of seconds; JSON does not know one without end."""
    return None if number == inf else number


def _number_of(told: float | None) -> float:
    return inf if told is None else float(told)


def _estimates_told(estimates: Sequence[MoveEstimate]) -> list[list[Any]]:
    return [[each.move.text, each.playouts, each.win, each.score, each.spread] for each in estimates]


def _estimates_of(game: Game, told: Sequence[Sequence[Any]]) -> tuple[MoveEstimate, ...]:
    return tuple(
        MoveEstimate(game.move(str(move)), int(playouts), float(win), float(score), float(spread))
        for move, playouts, win, score, spread in told
    )
