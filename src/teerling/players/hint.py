"""Hints: a player's estimates of every move of a seat, and in a sentence the reason for the best.

>>> import teerling
>>> from teerling import players
>>> match = teerling.new("rapido", players=2, seed=7)
>>> hint = players.hint(match, player="search:200")
>>> hint.best == hint.estimates[0].move, hint.playouts
(True, 200)
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from math import sqrt
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import CHANCE, OVER
from ..engine.compile import bind
from ..engine.kernels.trace import settings_fields, workspace_fields
from ..engine.record import filled
from ..errors import Phrase, TeerlingError
from ..game import Game, Move
from ..match import Match
from ..words import Speaker
from .base import DEFAULT_SEED, MoveEstimate, Observation, Player, observe, player, seat_to_move
from .parameters import parameters_for, scratch_for
from .search import Search

TRACE = "teerling.engine.kernels.trace"
ADVISER = "expert"
"""Who gives hints, if nobody else is asked."""
TRACES = 100
"""How many games after a move are traced for its reason."""
MOST_SCORINGS = 2000
LEAST_GAIN = 0.3
"""Differences below this many points are not worth a word."""
TRIALS = 100
"""How many times it is tried what a move can touch."""
LATER_DECISIONS = (2, 3)
"""After how many decisions of a seat that is tried, if nothing was touched after the first."""
MOST_LINES = 2
"""How many lines are named that gain, and as many that lose."""

OF_A_HINT: Mapping[str, Any] = {"openness": 10.0, "evaluation": False}
"""A hint looks at moves that seem bad, too, and tells how matches end, so it plays them to their end."""
FEWEST = 10
"""A move that was tried less often is judged by its traced games alone."""
CERTAINTY = 1.96
"""How many standard errors apart two moves are before they are told apart: 95%."""

SCORING = np.dtype([("game", "i4"), ("move", "i4")])


@dataclass(frozen=True)
class Gain:
    """What a move brings more than another on a line of the scoring, in points; less if below zero."""

    line: str
    points: float

    def said(self, say: Speaker) -> str:
        points = say.number(abs(self.points), 1)
        if not self.line:
            return say("{points} points", points=points)
        return say("{points} on {line}", points=points, line=say(self.line))


@dataclass(frozen=True)
class Reason:
    """What the best move brings in comparison with another."""

    other: Move | None = None
    """The next best move; None if no other was tried."""
    gains: tuple[Gain, ...] = ()
    """The lines on which most is gained or lost, the largest first; those only that a move can touch."""
    later: float = 0.0
    """How many points more are scored on all other lines, as the match goes on; 0 if that hardly differs."""
    later_on: tuple[str, ...] = ()
    """The lines that carry most of that; none if no two of them do."""
    for_others: float = 0.0
    """How many points more the others get, on average; 0 if that hardly differs."""
    wins: float = 0.0
    """How much more of the playouts was won; 0 if that may well be chance."""
    points: float = 0.0
    """How many points more there were at the end of playouts; 0 if that may well be chance."""
    is_only: bool = False
    """Whether there is no other."""

    def kept(self) -> dict[str, Any]:
        """The reason, ready for JSON; `Reason.of` reads it back."""
        return asdict(self) | {"other": self.other and self.other.text}

    @classmethod
    def of(cls, game: Game, kept: Mapping[str, Any]) -> "Reason":
        """A reason that was kept; what an older version kept besides is left out."""
        told = {field.name: kept[field.name] for field in fields(cls) if field.name in kept}
        told["gains"] = tuple(Gain(**gain) for gain in told["gains"])
        told["later_on"] = tuple(told.get("later_on", ()))
        told["other"] = None if told["other"] is None else game.move(told["other"])
        return cls(**told)

    def said(self, say: Speaker) -> str:
        """The reason as a sentence; `say` knows the words of the game."""
        if self.is_only:
            return say("There is no other move.")
        if self.other is None:
            return say("Nothing else was tried: there were too few playouts.")
        other = say.move(self.other)
        if max(self.net, self.wins, self.points) <= 0:
            return say("It hardly matters: “{other}” is about as good.", other=other)
        return say("Compared with “{other}”: {what}.", other=other, what=self._differences(say))

    @property
    def net(self) -> float:
        """The points that are gained on the named lines and later, less what the others get more."""
        return sum(gain.points for gain in self.gains) + self.later - self.for_others

    def _parts(self, say: Speaker, sign: int) -> list[str]:
        """What is gained, or with -1 what is lost, part by part."""
        parts = [gain.said(say) for gain in self.gains if gain.points * sign > 0]
        if self.later * sign > 0:
            points, lines = say.number(abs(self.later), 1), say.listed(list(map(say, self.later_on)))
            parts.append(
                say("{points} later in the match (mostly on {lines})", points=points, lines=lines)
                if self.later_on
                else say("{points} later in the match", points=points)
            )
        return parts

    def _differences(self, say: Speaker) -> str:
        if max(self.net, self.wins) <= 0:
            return say("gains {gains}", gains=Gain("", self.points).said(say))
        parts = []
        if gains := self._parts(say, 1):
            parts.append(say("gains {gains}", gains=say.listed(gains)))
        if losses := self._parts(say, -1):
            parts.append(say("loses {losses}", losses=say.listed(losses)))
        points = say.number(abs(self.for_others), 1)
        if self.for_others < 0:
            parts.append(say("the others get {points} points less each", points=points))
        elif self.for_others > 0:
            parts.append(say("the others get {points} points more each", points=points))
        differences = ", ".join(parts) or say("about as many points")
        if self.net <= 0 and self.wins > 0:
            return say("{differences}, yet it wins more often", differences=differences)
        return differences


@dataclass(frozen=True)
class Hint:
    """The legal moves of a seat, best first, with what came of them in playouts; and why."""

    game: Game
    seat: int
    player: str
    estimates: tuple[MoveEstimate, ...]
    reason: Reason

    @property
    def best(self) -> Move:
        return self.estimates[0].move

    @property
    def playouts(self) -> int:
        return sum(estimate.playouts for estimate in self.estimates)

    def text(self, lang: str = "en") -> str:
        """The best move and its reason, in a language."""
        say = Speaker(lang, self.game)
        return say(
            "The best move is “{move}”. {reason}", move=say.move(self.best), reason=self.reason.said(say)
        )

    def as_dict(self, say: Speaker) -> dict[str, Any]:
        """The hint, ready for JSON; the reason also as a sentence."""
        other = self.reason.other
        return {
            "game": self.game.id,
            "seat": self.seat,
            "player": self.player,
            "playouts": self.playouts,
            "moves": [as_dict(estimate) for estimate in self.estimates],
            "reason": self.reason.said(say),
            "compared_with": other and other.text,
            "gains": [asdict(gain) for gain in self.reason.gains],
            "for_others": self.reason.for_others,
        }


def as_dict(estimate: MoveEstimate) -> dict[str, Any]:
    """An estimate, ready for JSON; what was not tried has no figures."""
    found = asdict(estimate) if estimate.playouts else dict.fromkeys(asdict(estimate)) | {"playouts": 0}
    return {**found, "move": estimate.move.text}


def hint(match: Match, seat: int | None = None, player: str = ADVISER, seed: int = DEFAULT_SEED) -> Hint:
    """The hint of a player for the seat to move, from what that seat may know.

    A seat may be named; TeerlingError if it is not the one to move.

    >>> import teerling
    >>> match = teerling.new("rapido", players=2, seed=7)
    >>> teerling.hint(match, player="search:200").text("nl")[:17]
    'De beste zet is “'
    """
    adviser = adviser_named(player)
    turn = seat_to_move(match)
    return hint_from(observe(match, turn if seat is None else seat), adviser, seed)


def adviser_named(name: str) -> Search:
    """A player that can give hints."""
    found: Player = player(name)
    if not isinstance(found, Search):
        raise TeerlingError(
            Phrase("the player {name} does not try moves in its head; ask expert or master", name=name)
        )
    return found


def hint_from(knows: Observation, adviser: Search, seed: int = DEFAULT_SEED) -> Hint:
    """The same, from what a seat may know."""
    estimates = replace(adviser, settings=replace(adviser.settings, **OF_A_HINT)).estimate(knows, seed)
    best, other = estimates[0], rival(estimates)
    if other is None:
        reason = Reason(is_only=len(estimates) == 1)
    elif told_apart(best, other):
        reason = reason_for(knows, best, other, seed)
    else:
        reason = Reason(other.move)
    return Hint(knows.game, knows.seat, adviser.name, estimates, reason)


def rival(estimates: Sequence[MoveEstimate]) -> MoveEstimate | None:
    """What the best move is compared with: the next best that was tried."""
    return next((estimate for estimate in estimates[1:] if estimate.playouts), None)


def told_apart(best: MoveEstimate, other: MoveEstimate) -> bool:
    """Whether the best move clearly wins more often than another, or has clearly more points at the end.

    A move that was hardly tried is not called about as good.
    """
    if other.playouts < FEWEST:
        return True
    wins = more_wins(best, other)
    return wins > 0 or (wins == 0 and more_points(best, other) > 0)


def more_wins(best: MoveEstimate, other: MoveEstimate) -> float:
    """How much more often a move wins than another, or 0 if that may well be chance."""
    # By Agresti and Caffo, a win and a loss more: with few playouts, all of them lost, nothing is certain.
    shares = [(each.win * each.playouts + 1) / (each.playouts + 2) for each in (best, other)]
    counts = (best.playouts + 2, other.playouts + 2)
    variance = sum(share * (1 - share) / count for share, count in zip(shares, counts, strict=True))
    return _if_clear(best.win - other.win, variance)


def more_points(best: MoveEstimate, other: MoveEstimate) -> float:
    """How many points more a move has at the end than another, or 0 if that may well be chance."""
    if min(best.playouts, other.playouts) < FEWEST:
        return 0.0
    variance = sum(each.spread**2 / each.playouts for each in (best, other))
    return _if_clear(best.score - other.score, variance)


def _if_clear(difference: float, variance: float) -> float:
    return difference if abs(difference) > CERTAINTY * sqrt(variance) else 0.0


def reason_for(knows: Observation, best: MoveEstimate, other: MoveEstimate, seed: int) -> Reason:
    """What is scored more and less after the best move than after another.

    Lines that neither move can touch differ too, as the match goes another way; they are not told apart.
    """
    after_best, after_other = (Scorings(knows, estimate.move, seed) for estimate in (best, other))
    games = min(after_best.games, after_other.games)
    lines = {**after_best.rules, **after_other.rules}
    more_on = {line: after_best.own[line][:games] - after_other.own[line][:games] for line in sorted(lines)}
    untouched = untouched_by(knows, (best.move, other.move), seed)
    indirect = {line for line, rule in lines.items() if line in untouched or rule in untouched}
    later = clear_mean(sum((more_on[line] for line in indirect), np.zeros(games)))
    later_on = _carrying(later, {line: clear_mean(more_on[line]) for line in sorted(indirect)})
    means = ((line, clear_mean(more)) for line, more in more_on.items() if line not in indirect)
    gains = [Gain(line, points) for line, points in means if points]
    gains.sort(key=lambda gain: -abs(gain.points))
    more = [gain for gain in gains if gain.points > 0][:MOST_LINES]
    less = [gain for gain in gains if gain.points < 0][:MOST_LINES]
    named = tuple(gain for gain in gains if gain in more or gain in less)
    for_others = clear_mean(after_best.others[:games] - after_other.others[:games])
    wins, points = more_wins(best, other), more_points(best, other)
    return Reason(other.move, named, later, later_on, for_others, wins, points)


def _carrying(total: float, on: Mapping[str, float]) -> tuple[str, ...]:
    """The lines, at most two, that together are more than half of a difference."""
    most = sorted((line for line in on if on[line] * total > 0), key=lambda line: -abs(on[line]))[:MOST_LINES]
    return tuple(most) if abs(sum(on[line] for line in most)) > abs(total) / 2 else ()


def untouched_by(knows: Observation, moves: Sequence[Move], seed: int) -> set[str]:
    """The lines, or their rules, that none of these moves can change anything of.

    What a move brings is seen when its seat is asked again. If no move has brought anything by then, as when
    Ra was invoked and the bids are still to come, it is seen after its next decision, or the one after.
    """
    if knows.game.holdings is None:
        return set()
    touched = {line for move in moves for line in _touched(knows, move, 1, seed)}
    for move in moves if not touched else ():
        later = (_touched(knows, move, decisions, seed) for decisions in LATER_DECISIONS)
        touched |= next(filter(None, later), set())
    return set(knows.game.holdings(knows.seen, knows.seat)) - touched if touched else set()


def _touched(knows: Observation, move: Move, decisions: int, seed: int) -> set[str]:
    """What a move can change before its seat has decided so many times, itself included."""
    trials = (Random(f"{seed} {trial}") for trial in range(TRIALS))
    return {line for rng in trials for line in _changed(knows, knows.game.holdings, move, decisions, rng)}


def _changed(knows: Observation, holdings: Any, move: Move, decisions: int, rng: Random) -> set[str]:
    """What is changed by a move and by what follows in one way or another, scorings not included."""
    game, seat = knows.game, knows.seat
    state = game.imagined(knows.seen, seat, [rng.getrandbits(63)])
    before, scores = holdings(state, seat), game.results(state)[0]
    while True:
        after = game.after(state, move)
        if game.results(after)[0] != scores:
            break
        state = after
        moves = game.legal_moves(state)
        decisions -= state.turn == seat and len(moves) > 1
        if state.turn == OVER or not decisions:
            break
        weights = game.weights(state) if state.turn == CHANCE else None
        move = rng.choices(moves, weights and [weights[each.id] for each in moves])[0]
    now = holdings(state, seat)
    return {line for line in before if now[line] != before[line]}


def clear_mean(differences: NDArray[np.float64]) -> float:
    """The mean of differences, or 0 if it is small or may well be chance."""
    mean = float(differences.mean()) if len(differences) else 0.0
    half_width = 2 * float(differences.std()) / sqrt(max(len(differences), 1))
    return mean if abs(mean) >= max(LEAST_GAIN, half_width) else 0.0


class Scorings:
    """What is scored in advised games after a move of a seat: game by game, those of the seat by line."""

    def __init__(self, knows: Observation, move: Move, seed: int) -> None:
        self.own: Mapping[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(TRACES))
        self.rules: dict[str, str] = {}
        """The rule of every line on which the seat scored."""
        self.others = np.zeros(TRACES)
        """The mean of what the others score."""
        self.games = self._play(knows, move, seed)

    def _play(self, knows: Observation, move: Move, seed: int) -> int:
        rules, parameters = knows.game.rules, parameters_for(knows.game)
        seen = knows.seen.to_array()
        scorings = np.full(MOST_SCORINGS, -1, SCORING)
        befores, afters = (np.zeros(MOST_SCORINGS, seen.dtype) for _ in range(2))
        settings = filled(
            settings_fields(len(parameters.values_array)),
            seat=knows.seat,
            move=move.id,
            seed=seed % 2**63,
            games=TRACES,
            temperature=parameters.temperature,
            values=parameters.values_array,
        )
        room = np.zeros(1, scratch_for(knows.game, workspace_fields(knows.game.players[-1])))
        games: int = bind(rules.__name__, TRACE).trace(
            seen, settings, seen.copy(), seen.copy(), room, scorings, befores, afters
        )
        for i in range(int(np.count_nonzero(scorings["game"] >= 0))):
            before, after = (rules.State.from_array(states, i) for states in (befores, afters))
            made = knows.game.move(int(scorings["move"][i]), chance=before.turn == CHANCE)
            self._note(knows, int(scorings["game"][i]), before, made, after)
        return games

    def _note(self, knows: Observation, number: int, before: Any, made: Move, after: Any) -> None:
        for event in knows.game.tell(before, made, after):
            if event.kind == "scored" and event.seat == knows.seat:
                line = event.data.get("line", "")
                self.own[line][number] += event.data["points"]
                self.rules[line] = event.rule
            elif event.kind == "scored":
                self.others[number] += event.data["points"] / (before.players - 1)
