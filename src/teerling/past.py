"""What has happened in a match."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .engine import CHANCE
from .engine.states import States
from .files import TakenBack
from .game import Event, Move

Steps = list[tuple[Event, ...] | None]
"""What was told of each move; None of those of which nothing has been told yet, or not any more."""


@dataclass
class Past:
    """The states and moves of a match, and what has been told of them. It grows, and is cut at its end."""

    states: States[Any]
    """The records that each move was made in, and last the present one."""
    moves: list[Move] = field(default_factory=list)
    """Nature's too."""
    turns: "array[int]" = field(default_factory=lambda: array("b"))
    """Who made each move."""
    pushed: list[int] = field(default_factory=list)
    """How many moves there were before each push."""
    taken_back: list[TakenBack] = field(default_factory=list)
    """Those nearest to the beginning first."""
    ends: list[int] = field(default_factory=list)
    """The moves that ended a round, among those in which an end was looked for."""
    searched: int = 0
    """In how many moves that was."""
    steps: dict[int | None, Steps] = field(default_factory=dict)
    """By viewer (None sees everything), the events of each move, as far as they were asked for."""
    answers: int = field(init=False)
    """How many of the moves are nature's."""
    left_out: int = field(init=False)
    """How many of her answers were taken back."""

    def __post_init__(self) -> None:
        self.answers = sum(turn == CHANCE for turn in self.turns)
        self.left_out = sum(each.draws for each in self.taken_back)

    def add(self, move: Move, after: Any) -> None:
        """One more move, and the state that it led to."""
        self.turns.append(self.states.last.turn)
        self.moves.append(move)
        self.states.append(after)
        self.answers += move.chance

    def cut(self, moves: int) -> None:
        """Forgets all but the first moves."""
        self.answers -= sum(turn == CHANCE for turn in self.turns[moves:])
        del self.moves[moves:], self.turns[moves:], self.pushed[bisect_left(self.pushed, moves) :]
        self.states.cut(moves + 1)
        for steps in self.steps.values():
            del steps[moves:]
        del self.ends[bisect_left(self.ends, moves) :]
        self.searched = min(self.searched, moves)
        while self.taken_back and self.taken_back[-1].place > moves:
            self.left_out -= self.taken_back.pop().draws

    def leave_out(self, taken_back: Iterable[TakenBack]) -> None:
        """Notes that answers of nature were taken back: she does not give them again."""
        for each in taken_back:
            self.taken_back.append(each)
            self.left_out += each.draws

    def upto(self, moves: int) -> "Past":
        """A copy of the first moves and what was told of them."""
        return Past(
            self.states.upto(moves + 1),
            self.moves[:moves],
            self.turns[:moves],
            self.pushed[: bisect_left(self.pushed, moves)],
            [each for each in self.taken_back if each.place <= moves],
            self.ends[: bisect_left(self.ends, moves)],
            min(self.searched, moves),
            {who: steps[:moves] for who, steps in self.steps.items()},
        )

    def numbered_answers(self) -> Iterator[tuple[int, int]]:
        """Where each of nature's answers stands among the moves, and its number; those taken back count."""
        number, backs = 0, iter(self.taken_back)
        back = next(backs, None)
        for place, turn in enumerate(self.turns):
            while back is not None and back.place <= place:
                number, back = number + back.draws, next(backs, None)
            if turn == CHANCE:
                yield place, number
                number += 1
