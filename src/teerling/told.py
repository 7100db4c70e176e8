"""What a match tells its viewers: what they see of each state, of each move, and what happened with it.

A viewer is a seat, the spectator, or None, who sees everything.
"""

from collections.abc import Sequence
from typing import Any

from .game import Event, Game, Move
from .past import Past, Steps

STEP_WEIGHT = 120
"""About how many bytes what was told of a move takes; most viewers are told the same, and share it."""


class Told:
    """What is told of a past; it is made when somebody asks, and kept."""

    def __init__(self, game: Game, past: Past) -> None:
        self._game = game
        self._past = past
        self._count = sum(step is not None for steps in past.steps.values() for step in steps)
        self._saw: dict[int, list[Move]] = {}
        """By viewer, the moves as far as they have been asked for, secret ones veiled."""
        self._seen_last: dict[int, tuple[Any, Any]] = {}
        """By viewer, the state observed last and the observation of it."""

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes."""
        return STEP_WEIGHT * self._count + 8 * sum(map(len, self._past.steps.values()))

    def observed(self, state: Any, who: int) -> Any:
        """What a viewer knows of a state."""
        known = self._seen_last.get(who)
        if known is None or known[0] is not state:
            seen = self._game.observed(state, who)
            # Where nothing is hidden, what is known is the state itself.
            known = self._seen_last[who] = (state, state if seen == state else seen)
        return known[1]

    def moves(self, who: int) -> tuple[Move, ...]:
        """All moves as a viewer saw them."""
        saw = self._saw.setdefault(who, [])
        saw += [self._move(place, who) for place in range(len(saw), len(self._past.moves))]
        return tuple(saw)

    def _move(self, place: int, who: int) -> Move:
        move = self._past.moves[place]
        return move.veiled if self._game.secret(self._past.states[place], move, who) else move

    def steps(self, who: int | None, since: int = 0) -> list[tuple[Event, ...]]:
        """What happened with each move from one on; what was not told yet is told now."""
        return [
            self.step(who, place) if told is None else told
            for place, told in enumerate(self._known(who)[since:], since)
        ]

    def step(self, who: int | None, place: int) -> tuple[Event, ...]:
        """What happened with one move."""
        steps = self._known(who)
        told = steps[place]
        if told is None:
            told = steps[place] = self._tell(who, place)
            self._count += 1
        return told

    def _known(self, who: int | None) -> Steps:
        """What a viewer was told of each move so far."""
        steps = self._past.steps.setdefault(who, [])
        if len(steps) < len(self._past.moves):
            steps += [None] * (len(self._past.moves) - len(steps))
        return steps

    def _tell(self, who: int | None, place: int) -> tuple[Event, ...]:
        states = self._past.states
        before, move, after = states[place], self._past.moves[place], states[place + 1]
        if who is None:
            return tuple(self._game.tell(before, move, after))
        seen = self.observed(before, who), self._move(place, who), self.observed(after, who)
        if seen[0] is before and seen[1] is move and seen[2] is after:
            # Whoever knows everything is told the same.
            return self.step(None, place)
        told = tuple(self._game.tell(*seen))
        by_all = self._past.steps.get(None, [])[place : place + 1]
        return told if by_all[:1] != [told] else self.step(None, place)

    def ends(self) -> Sequence[int]:
        """The moves that ended a round or an epoch."""
        past = self._past
        for step in self.steps(None, past.searched):
            if any(event.kind in self._game.rounds for event in step):
                past.ends.append(past.searched)
            past.searched += 1
        return past.ends

    def forget(self, before: int) -> None:
        """Forgets what was told of old moves, but for the ends of rounds; it is told again if need be."""
        kept = set(self._past.ends)
        for steps in self._past.steps.values():
            for place in range(min(before, len(steps))):
                if steps[place] is not None and place not in kept:
                    steps[place] = None
                    self._count -= 1

    def cut(self, moves: int) -> None:
        """Forgets what was told of all but the first moves."""
        for steps in self._past.steps.values():
            self._count -= sum(step is not None for step in steps[moves:])
        for saw in self._saw.values():
            del saw[moves:]
