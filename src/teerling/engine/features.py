"""What a seat knows as a row of numbers: one declaration makes the function and its description.

A game's `observation.py` lists features of its record and has a function made of them, which is a rule like
any other: interpreted, and compiled by whoever needs it.

>>> class Race(GameState):
...     steps: Cells = int8(4)
...     die: int = int8()
>>> encoding = Encoding(Race, (
...     whose("turn", "who is to move"),
...     number("steps", "steps", most=10, of=SEATS),
...     one_of("die", "the die", {1: "one", 2: "two"}),
... ))
>>> encoding.names(players=2)
['self turn', 'self steps', '1 on turn', '1 on steps', 'die: one', 'die: two']

First come the things that only the seat itself has, then what every seat has, that of the seat itself first
and the others' clockwise, then the table. All seats have equally many numbers, in the same order.

The function reads what `observe` has left and nothing else, so a row tells nobody what a seat may not know.
"""

import dataclasses
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from .record import HIDDEN, Cells, Field, GameState, int8
from .rule import rule

__all__ = [
    "OWN", "SEATS", "TABLE", "Cells", "Encoding", "Feature", "GameState", "counts", "encoder", "int8", "mine",
    "number", "one_of", "seat_at", "whose",
]  # fmt: skip

OWN, SEATS, TABLE = range(3)
"""Of whom a feature tells: of the seat itself only, of every seat, or of the table."""
NUMBER, KNOWN, ONE_OF, COUNTS, WHOSE = range(5)
RANGES = {"b": (-128, 127), "h": (-32768, 32767)}
"""The least and the largest number of a field, by its format."""


@rule
def seat_at(seat: int, on: int, players: int) -> int:
    """The seat so many places on, clockwise."""
    return seat + on if seat + on < players else seat + on - players


@dataclasses.dataclass(frozen=True)
class Feature:
    """A field of the record, and how its cells become numbers."""

    field: str
    about: str
    """What the field is, in words."""
    kind: int
    of: int = TABLE
    cells: range | None = None
    """Which places of a row count; None for all."""
    names: Sequence[str] = ()
    """What these places are called; without names they are counted."""
    most: float = 1.0
    """What a number is divided by."""
    values: Mapping[int, str] = dataclasses.field(default_factory=dict)
    """The values that have a number to themselves, with their names."""

    @property
    def for_a_cell(self) -> tuple[str, ...]:
        """What the numbers for one cell tell."""
        return {KNOWN: ("", "known"), ONE_OF: tuple(self.values.values())}.get(self.kind, ("",))


def number(
    field: str,
    about: str,
    most: float,
    of: int = TABLE,
    cells: range | None = None,
    names: Sequence[str] = (),
    may_be_hidden: bool = False,
) -> Feature:
    """Every cell, divided by `most`; where it may be hidden, followed by 1 if it is known, else 0.

    If it is of seats, the first index of the field is a seat.
    """
    return Feature(field, about, KNOWN if may_be_hidden else NUMBER, of, cells, names, most)


def one_of(
    field: str,
    about: str,
    values: Mapping[int, str],
    of: int = TABLE,
    cells: range | None = None,
    names: Sequence[str] = (),
) -> Feature:
    """For every cell a number for each of these values: 1 if it holds that value, else 0.

    If it is of seats, the first index of the field is a seat.
    """
    return Feature(field, about, ONE_OF, of, cells, names, values=values)


def counts(field: str, about: str, values: Sequence[str], most: float) -> Feature:
    """How many cells hold 0, how many 1, and so on, divided by `most`."""
    return Feature(field, about, COUNTS, most=most, values=dict(enumerate(values)))


def whose(field: str, about: str, cells: range | None = None, names: Sequence[str] = ()) -> Feature:
    """For every seat, 1 for every cell that holds that seat, else 0."""
    return Feature(field, about, WHOSE, SEATS, cells, names)


def mine(field: str, about: str, cells: range | None = None, names: Sequence[str] = ()) -> Feature:
    """1 for every cell that holds the seat itself, else 0."""
    return Feature(field, about, WHOSE, OWN, cells, names)


@dataclasses.dataclass(frozen=True)
class Encoding:
    """What a seat knows in a game as a row of numbers."""

    state: type[GameState]
    features: Sequence[Feature]

    def size(self, players: int) -> int:
        """How many numbers there are."""
        return self.width(OWN) + players * self.width(SEATS) + self.width(TABLE)

    def width(self, of: int) -> int:
        """How many numbers tell of the seat itself only, of a seat, or of the table."""
        return sum(len(self.told(feature)) for feature in self.of(of))

    def of(self, of: int) -> list[Feature]:
        """The features that tell of the seat itself only, of every seat, or of the table."""
        return [feature for feature in self.features if feature.of == of]

    def names(self, players: int) -> list[str]:
        """What every number tells."""
        seats = ["self", *(f"{on} on" for on in range(1, players))]
        blocks = [(OWN, ["self"]), (SEATS, seats), (TABLE, [""])]
        return [
            " ".join(filter(None, (who, ": ".join(filter(None, (feature.field, told))))))
            for of, whom in blocks
            for who in whom
            for feature in self.of(of)
            for told in self.told(feature)
        ]

    def told(self, feature: Feature) -> list[str]:
        """What the numbers of a feature tell, of one seat if it is of seats."""
        if feature.kind == COUNTS:
            return list(feature.values.values())
        places = [" ".join(map(str, place)) for place in product(*self.places(feature))]
        return [
            ", ".join(filter(None, (cell, told)))
            for cell in feature.names or places
            for told in feature.for_a_cell
        ]

    def places(self, feature: Feature) -> list[range]:
        """The indices of a field, without that of a seat."""
        by_seat = feature.of != TABLE and feature.kind != WHOSE
        places = [range(length) for length in self.field(feature).shape[by_seat:]]
        return places if feature.cells is None else [*places[:-1], feature.cells]

    def field(self, feature: Feature) -> Field:
        """The field of the record."""
        return self.state.fields[feature.field]

    def limits(self, players: int) -> list[tuple[float, float]]:
        """The least and the largest that every number can be, by the format of its field."""
        own, seat, table = (
            [lim for f in self.of(of) for lim in self._limits(f)] for of in (OWN, SEATS, TABLE)
        )
        return [*own, *(seat * players), *table]

    def _limits(self, feature: Feature) -> list[tuple[float, float]]:
        limits = [(0.0, 1.0)]
        if feature.kind in (NUMBER, KNOWN):
            least, largest = RANGES[self.field(feature).code]
            limits = [(least / feature.most, largest / feature.most), *limits][: len(feature.for_a_cell)]
        elif feature.kind == COUNTS:
            limits = [(0.0, prod(self.field(feature).shape) / feature.most)]
        return limits * (len(self.told(feature)) // len(limits))

    def source(self) -> str:
        """The function as a text. What a compiler knows to be no negative index it need not check."""
        own, seat = self.width(OWN), self.width(SEATS)
        lines = ["players = s.players", f"part = out[:{own}]", "p = seat", *self._lines(OWN)]
        lines += [
            "for on in range(players):",
            f"    part = out[{own} + on * {seat} : {own} + (on + 1) * {seat}]",
            "    p = seat_at(seat, on, players)",
            *(f"    {line}" for line in self._lines(SEATS)),
            f"part = out[{own} + players * {seat} :]",
            *self._lines(TABLE),
        ]
        return "\n".join(["@rule", "def encode(s, seat, out):", *(f"    {line}" for line in lines), ""])

    def _lines(self, of: int) -> list[str]:
        """The part of the function that fills in what tells of one seat, or of the table."""
        lines, at = [], 0
        for feature in self.of(of):
            lines += self._lines_of(feature, at)
            at += len(self.told(feature))
        return lines

    def _lines_of(self, feature: Feature, at: int) -> list[str]:
        """The part of the function that one feature is; its numbers begin at a place."""
        loops, to, indices = [], str(at), [] if feature.of == TABLE or feature.kind == WHOSE else ["p"]
        places = self.places(feature)
        for depth, within in enumerate(places):
            stride = len(feature.for_a_cell) * prod(len(each) for each in places[depth + 1 :])
            loops.append(f"{'    ' * depth}for i{depth} in range({len(within)}):")
            indices.append(f"i{depth} + {within.start}")
            to += f" + i{depth} * {stride}"
        cell = f"s.{feature.field}" + (f"[{', '.join(indices)}]" if indices else "")
        before = []
        if feature.kind == COUNTS:
            before = [f"for i in range({len(feature.values)}):", f"    part[{at} + i] = 0.0"]
            to = str(at)
        return [
            *before,
            *loops,
            *("    " * len(loops) + line for line in _PUT[feature.kind](feature, cell, to)),
        ]


def _put_number(feature: Feature, cell: str, to: str) -> list[str]:
    return [f"part[{to}] = {cell} * {1 / feature.most!r}"]


def _put_known(feature: Feature, cell: str, to: str) -> list[str]:
    return [
        f"known = {cell} != {HIDDEN}",
        f"part[{to}] = {cell} * {1 / feature.most!r} if known else 0.0",
        f"part[{to} + 1] = 1.0 if known else 0.0",
    ]


def _put_one_of(feature: Feature, cell: str, to: str) -> list[str]:
    values, first = list(feature.values), min(feature.values)
    if values == list(range(first, first + len(values))) and len(values) > 2:
        loop = f"for i in range({len(values)}):"
        return [f"held = {cell} - {first}", loop, f"    part[{to} + i] = 1.0 if held == i else 0.0"]
    flags = [f"part[{to} + {n}] = 1.0 if held == {value} else 0.0" for n, value in enumerate(values)]
    return [f"held = {cell}", *flags]


def _put_count(feature: Feature, cell: str, to: str) -> list[str]:
    return [
        f"held = {cell}",
        f"if 0 <= held < {len(feature.values)}:",
        f"    part[{to} + held] += {1 / feature.most!r}",
    ]


def _put_whose(feature: Feature, cell: str, to: str) -> list[str]:
    return [f"part[{to}] = 1.0 if {cell} == p else 0.0"]


_PUT: dict[int, Callable[[Feature, str, str], list[str]]] = {
    NUMBER: _put_number,
    KNOWN: _put_known,
    ONE_OF: _put_one_of,
    COUNTS: _put_count,
    WHOSE: _put_whose,
}


def encoder(encoding: Encoding, module: str) -> Any:
    """The function of an encoding, as a rule of this module, whose file stands for its source."""
    path = str(sys.modules[module].__file__)
    names: dict[str, Any] = {"__name__": module, "rule": rule, "seat_at": seat_at}
    exec(compile(encoding.source(), path, "exec"), names)
    return names["encode"]
