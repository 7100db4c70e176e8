"""What a table may choose before a game: declared once, read by the command line, forms and files.

>>> goal = Number("goal", "How many steps it is to the goal.", 21, least=5, most=100)
>>> goal.parse("30"), goal.parse(None), goal.encode(30)
(30, 21, (30,))
>>> goal.parse(3)
Traceback (most recent call last):
    ...
teerling.errors.BadOption: option goal is a number from 5 to 100, not 3
"""

from dataclasses import dataclass
from typing import Any

from .errors import BadOption, Phrase


@dataclass(frozen=True)
class Option:
    """An option's name, the sentence that explains it, and what it is if nobody chooses."""

    name: str
    text: str
    default: Any

    @property
    def values(self) -> str:
        """What may be chosen, in words."""
        raise NotImplementedError

    def accept(self, value: Any) -> Any:
        """The value in its own type, or None if it is none of this option's."""
        raise NotImplementedError

    def parse(self, value: Any) -> Any:
        """A value, or its text, as the option's own value; None is the default."""
        if value is None:
            return self.default
        accepted = self.accept(value)
        if accepted is None:
            raise BadOption(
                Phrase(
                    "option {name} is {values}, not {value}", name=self.name, values=self.values, value=value
                )
            )
        return accepted

    def format(self, value: Any) -> str:
        """The text of a value, as in files and on the command line."""
        return str(value)

    def encode(self, value: Any) -> tuple[int, ...]:
        """The value as the rules read it."""
        raise NotImplementedError

    def check(self, value: Any, players: int) -> None:
        """Refuses a value that does not fit so many players."""


@dataclass(frozen=True)
class Number(Option):
    """A number within limits; a default of None means that the game's own table decides."""

    least: int
    most: int

    @property
    def values(self) -> str:
        return Phrase("a number from {least} to {most}", least=self.least, most=self.most)

    def accept(self, value: Any) -> Any:
        number = _integer(value)
        return number if number is not None and self.least <= number <= self.most else None

    def encode(self, value: Any) -> tuple[int, ...]:
        return (value or 0,)


@dataclass(frozen=True)
class Choice(Option):
    """One of a few words or numbers; `meanings` say what each of them comes to."""

    choices: tuple[str | int, ...]
    meanings: tuple[str, ...] = ()
    seats: bool = False
    """Whether the numbers among the choices are seats."""

    def meaning(self, choice: str | int) -> str:
        """What a choice comes to, in words."""
        return self.meanings[self.choices.index(choice)] if self.meanings else str(choice)

    @property
    def values(self) -> str:
        *first, last = map(str, self.choices)
        return Phrase("{first} or {last}", first=", ".join(first), last=last) if first else last

    def accept(self, value: Any) -> Any:
        return next((choice for choice in self.choices if str(choice) == str(value)), None)

    def encode(self, value: Any) -> tuple[int, ...]:
        return (self.choices.index(value),)

    def check(self, value: Any, players: int) -> None:
        if self.seats and isinstance(value, int) and value >= players:
            raise BadOption(
                Phrase("there is no seat {seat}; the seats are 0 to {last}", seat=value, last=players - 1)
            )


@dataclass(frozen=True)
class Flag(Option):
    """Yes or no."""

    @property
    def values(self) -> str:
        return Phrase("yes or no")

    def accept(self, value: Any) -> Any:
        return {"yes": True, "no": False, "true": True, "false": False}.get(str(value).lower())

    def format(self, value: Any) -> str:
        return "yes" if value else "no"

    def encode(self, value: Any) -> tuple[int, ...]:
        return (int(value),)


RANDOM = "random"


def first_player(text: str, most_players: int) -> Choice:
    """Who begins, where the players may choose it themselves: chance, or a seat.

    The rules read 0 for chance and 1 for seat 0. People count seats from 1, and whoever opens a table sits in
    the first unless they choose otherwise.

    >>> first = first_player("Who begins.", 3)
    >>> first.parse("2"), first.encode(2), first.meaning(2)
    (2, (3,), 'seat 3 begins')
    >>> first.check(2, players=2)
    Traceback (most recent call last):
        ...
    teerling.errors.BadOption: there is no seat 2; the seats are 0 to 1
    """
    seats = range(most_players)
    meanings = (
        "a random player begins",
        "I begin, in seat 1",
        *(f"seat {seat + 1} begins" for seat in seats[1:]),
    )
    return Choice("first", text, RANDOM, (RANDOM, *seats), meanings, seats=True)


@dataclass(frozen=True)
class Counts(Option):
    """How many there are of each of several sorts; `times` says how many pieces a count stands for."""

    names: tuple[str, ...]
    times: tuple[int, ...]
    least: int
    most: int

    @property
    def values(self) -> str:
        return Phrase(
            "{count} numbers, like {usual}, that stand for {least} to {most} pieces in all",
            count=len(self.names), usual=self.format(self.default), least=self.least, most=self.most,
        )  # fmt: skip

    def accept(self, value: Any) -> Any:
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, list | tuple) or len(parts) != len(self.names):
            return None
        counts = tuple(_integer(part) for part in parts)
        if any(count is None or count < 0 for count in counts):
            return None
        total = sum(count * times for count, times in zip(counts, self.times, strict=True) if count)
        return counts if self.least <= total <= self.most else None

    def format(self, value: Any) -> str:
        return ",".join(map(str, value))

    def encode(self, value: Any) -> tuple[int, ...]:
        return tuple(value)


def _integer(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        return int(value) if str(int(value)) == str(value).strip() else None
    except (TypeError, ValueError, OverflowError):
        return None
