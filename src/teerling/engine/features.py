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
['turn: self', 'turn: 1 on', 'steps: self', 'steps: 1 on', 'die: one', 'die: two']

The function reads what `observe` has left and nothing else, so a row tells nobody what a seat may not know.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .record import HIDDEN, Cells, Field, GameState, int8
from .rule import rule

__all__ = [
    "OWN", "SEATS", "TABLE", "Cells", "Encoding", "Feature", "GameState", "counts", "encoder", "int8", "mine",
    "number", "one_of", "seat_at", "whose",
]  # fmt: skip

TABLE, SEATS, OWN = "the table", "each seat", "the seat"
"""Of whom a field tells: its first index is a seat, unless it is of the table."""
NUMBER, KNOWN, ONE_OF, COUNTS, WHOSE, MINE = range(6)
RANGES = {"b": (-128, 127), "h": (-32768, 32767)}
"""The least and the largest number of a field, by its format."""


@rule
def seat_at(seat: int, on: int, players: int) -> int:
    """The seat so many places on, clockwise."""
    return seat + on if seat + on < players else seat + on - players


@dataclass(frozen=True)
class Feature:
    """A field of the record, and how its cells become numbers."""

    field: str
    about: str
    """What the field is, in words."""
    kind: int
    of: str = TABLE
    cells: range | None = None
    """Which places of a row count; None for all."""
    names: Sequence[str] = ()
    """What these places are called; without names they are counted."""
    most: float = 1.0
    """What a number is divided by."""
    values: Mapping[int, str] = field(default_factory=dict)
    """The values that have a number to themselves, with their names."""


def number(
    field: str,
    about: str,
    most: float,
    of: str = TABLE,
    cells: range | None = None,
    names: Sequence[str] = (),
    may_be_hidden: bool = False,
) -> Feature:
    """Every cell, divided by `most`; where it may be hidden, followed by 1 if it is known, else 0."""
    return Feature(field, about, KNOWN if may_be_hidden else NUMBER, of, cells, names, most)


def one_of(
    field: str,
    about: str,
    values: Mapping[int, str],
    of: str = TABLE,
    cells: range | None = None,
    names: Sequence[str] = (),
) -> Feature:
    """For every cell a number for each of these values: 1 if it holds that value, else 0."""
    return Feature(field, about, ONE_OF, of, cells, names, values=values)


def counts(field: str, about: str, values: Sequence[str], most: float) -> Feature:
    """How many cells hold 0, how many 1, and so on, divided by `most`."""
    return Feature(field, about, COUNTS, most=most, values=dict(enumerate(values)))


def whose(field: str, about: str, cells: range | None = None, names: Sequence[str] = ()) -> Feature:
    """For every cell, which holds a seat, a number for each seat: 1 if it holds that seat, else 0."""
    return Feature(field, about, WHOSE, cells=cells, names=names)


def mine(field: str, about: str, cells: range | None = None, names: Sequence[str] = ()) -> Feature:
    """1 for every cell that holds the seat itself, else 0."""
    return Feature(field, about, MINE, cells=cells, names=names)


@dataclass(frozen=True)
class Encoding:
    """What a seat knows in a game as a row of numbers; its own things come first, then clockwise."""

    state: type[GameState]
    features: Sequence[Feature]

    def size(self, players: int) -> int:
        """How many numbers there are."""
        return sum(self.width(feature, players) for feature in self.features)

    def width(self, feature: Feature, players: int) -> int:
        """How many numbers a feature has."""
        return len(list(self.parts(feature, players)))

    def names(self, players: int) -> list[str]:
        """What every number tells."""
        return [name for feature in self.features for name in self.parts(feature, players)]

    def parts(self, feature: Feature, players: int) -> Iterator[str]:
        """What every number of a feature tells."""
        seats = ["self", *(f"{on} on" for on in range(1, players))]
        of = {TABLE: [""], SEATS: seats, OWN: ["self"]}[feature.of]
        of_a_cell = {
            NUMBER: [""],
            KNOWN: ["", "known"],
            ONE_OF: list(feature.values.values()),
            COUNTS: list(feature.values.values()),
            WHOSE: seats,
            MINE: ["self"],
        }[feature.kind]
        cells = [""] if feature.kind == COUNTS else self.cell_names(feature)
        for who in of:
            for cell in cells:
                for what in of_a_cell:
                    told = ", ".join(word for word in (who, cell, what) if word)
                    yield f"{feature.field}: {told}" if told else feature.field

    def cell_names(self, feature: Feature) -> list[str]:
        """What the places of a field are called that a feature tells of."""
        names = [""]
        for places in self.places(feature):
            own = [""] if places is None else [str(place) for place in places]
            names = [" ".join(word for word in (one, other) if word) for one in names for other in own]
        return list(feature.names) or names

    def places(self, feature: Feature) -> list[range]:
        """The indices of a field, without that of a seat."""
        shape = self.field(feature).shape[feature.of != TABLE :]
        if feature.cells is not None:
            return [*(range(length) for length in shape[:-1]), feature.cells]
        return [range(length) for length in shape]

    def field(self, feature: Feature) -> Field:
        """The field of the record."""
        return self.state.fields[feature.field]

    def limits(self, players: int) -> list[tuple[float, float]]:
        """The least and the largest that every number can be, by the format of its field."""
        found: list[tuple[float, float]] = []
        for feature in self.features:
            if feature.kind in (NUMBER, KNOWN):
                least, largest = RANGES[self.field(feature).code]
                limits = [(least / feature.most, largest / feature.most), (0.0, 1.0)][: 1 + feature.kind]
            elif feature.kind == COUNTS:
                limits = [(0.0, self.field(feature).shape[0] / feature.most)]
            else:
                limits = [(0.0, 1.0)]
            found += limits * (self.width(feature, players) // len(limits))
        return found

    def source(self) -> str:
        """The function as a text."""
        lines = ["@rule", "def encode(s, seat, out):", "    players = s.players", "    at = 0"]
        for feature in self.features:
            lines += [f"    {line}" for line in self.lines(feature)]
        return "\n".join([*lines, ""])

    def lines(self, feature: Feature) -> list[str]:
        """The part of the function that one feature is."""
        indices = [f"i{n}" for n in range(len(self.places(feature)))]
        loops = [
            f"for {index} in range({places.start}, {places.stop}):"
            for index, places in zip(indices, self.places(feature), strict=True)
        ]
        if feature.of == SEATS:
            loops.insert(0, "for on in range(players):")
        if feature.of != TABLE:
            indices.insert(0, "seat_at(seat, on, players)" if feature.of == SEATS else "seat")
        cell = f"s.{feature.field}" + (f"[{', '.join(indices)}]" if indices else "")
        body = _PUT[feature.kind](cell, feature)
        before = []
        if feature.kind == COUNTS:
            before = [f"for value in range({len(feature.values)}):", "    out[at + value] = 0.0"]
            return [*before, *_nested(loops, body), f"at += {len(feature.values)}"]
        return _nested(loops, body)


def _nested(loops: Sequence[str], body: Sequence[str]) -> list[str]:
    """Lines within loops."""
    lines = [" " * 4 * depth + loop for depth, loop in enumerate(loops)]
    return [*lines, *(" " * 4 * len(loops) + line for line in body)]


def _put_number(cell: str, feature: Feature) -> list[str]:
    return [f"out[at] = {cell} * {1 / feature.most!r}", "at += 1"]


def _put_known(cell: str, feature: Feature) -> list[str]:
    return [
        f"known = {cell} != {HIDDEN}",
        f"out[at] = {cell} * {1 / feature.most!r} if known else 0.0",
        "out[at + 1] = 1.0 if known else 0.0",
        "at += 2",
    ]


def _put_one_of(cell: str, feature: Feature) -> list[str]:
    values, first = list(feature.values), min(feature.values)
    if values == list(range(first, first + len(values))):
        put = [
            f"for value in range({len(values)}):",
            f"    out[at + value] = 1.0 if held == value + {first} else 0.0",
        ]
    else:
        put = [f"out[at + {n}] = 1.0 if held == {value} else 0.0" for n, value in enumerate(values)]
    return [f"held = {cell}", *put, f"at += {len(values)}"]


def _put_count(cell: str, feature: Feature) -> list[str]:
    return [
        f"held = {cell}",
        f"if 0 <= held < {len(feature.values)}:",
        f"    out[at + held] += {1 / feature.most!r}",
    ]


def _put_whose(cell: str, feature: Feature) -> list[str]:
    return [
        f"held = {cell}",
        "for other in range(players):",
        "    out[at + other] = 1.0 if held == seat_at(seat, other, players) else 0.0",
        "at += players",
    ]


def _put_mine(cell: str, feature: Feature) -> list[str]:
    return [f"out[at] = 1.0 if {cell} == seat else 0.0", "at += 1"]


_PUT: dict[int, Callable[[str, Feature], list[str]]] = {
    NUMBER: _put_number,
    KNOWN: _put_known,
    ONE_OF: _put_one_of,
    COUNTS: _put_count,
    WHOSE: _put_whose,
    MINE: _put_mine,
}


def encoder(encoding: Encoding, module: str) -> Any:
    """The function of an encoding, as a rule of this module, whose file stands for its source."""
    path = str(sys.modules[module].__file__)
    names: dict[str, Any] = {"__name__": module, "rule": rule, "seat_at": seat_at}
    exec(compile(encoding.source(), path, "exec"), names)
    return names["encode"]
