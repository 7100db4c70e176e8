"""One declaration of a record's fields makes three things.

>>> class Pair(Record):
...     left: int = int8()
...     right: Cells = int8(3)
>>> Pair.dtype.itemsize                      # the NumPy record that compiled rules run on
4
>>> pair = Pair()                            # the object that interpreted rules run on
>>> pair.left, pair.right[1] = 5, 7
>>> Pair(pair.to_bytes()) == pair
True

The third is what mypy sees: `left` is an int, `right` a row of ints.
"""

import struct
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, Self, overload

import numpy as np

CHANCE = -1
"""Whose turn it is when nature decides."""
OVER = -2
"""Whose turn it is when the game is over."""
SPECTATOR = -3
"""Who knows what everybody knows, where a seat is asked for."""
HIDDEN = -100
"""Stands in an observation for a number that the seat does not know."""


class Cells(Protocol):
    """A row of integers: a field of a record, a table of the rules, a mask."""

    def __getitem__(self, index: int, /) -> int: ...
    def __setitem__(self, index: int, value: int, /) -> None: ...
    def __len__(self) -> int: ...


class Numbers(Protocol):
    """A row of real numbers: what moves are worth, what a policy weighs with."""

    def __getitem__(self, index: int, /) -> float: ...
    def __setitem__(self, index: int, value: float, /) -> None: ...
    def __len__(self) -> int: ...


class Grid(Protocol):
    """Rows and columns of integers, addressed as `grid[row, column]`."""

    def __getitem__(self, index: tuple[int, int], /) -> int: ...
    def __setitem__(self, index: tuple[int, int], value: int, /) -> None: ...


class Field:
    """A field's number format and shape; its offset is known once the record is complete."""

    def __init__(self, code: str, shape: tuple[int, ...]) -> None:
        self.code = code
        self.shape = shape
        self.offset = 0
        self.size = struct.calcsize(code) * int(np.prod(shape, dtype=int))

    def placed(self, offset: int) -> "Field":
        field = Field(self.code, self.shape)
        field.offset = offset
        return field


@overload
def int8() -> int: ...
@overload
def int8(length: int, /) -> Cells: ...
@overload
def int8(rows: int, columns: int, /) -> Grid: ...
def int8(*shape: int) -> Any:
    """A field of small integers, -128 to 127."""
    return Field("b", shape)


@overload
def int16() -> int: ...
@overload
def int16(length: int, /) -> Cells: ...
@overload
def int16(rows: int, columns: int, /) -> Grid: ...
def int16(*shape: int) -> Any:
    """A field of integers, -32768 to 32767."""
    return Field("h", shape)


class _Declared(type):
    """Turns the fields declared in a class body, its bases' first, into slots and a dtype."""

    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> "_Declared":
        own = {key: value for key, value in body.items() if isinstance(value, Field)}
        fields: dict[str, Field] = {}
        for base in bases:
            fields.update(getattr(base, "fields", {}))
        fields.update(own)
        body = {key: value for key, value in body.items() if key not in own}
        body.setdefault("__slots__", tuple(own))
        dtype = np.dtype([(key, field.code, field.shape) for key, field in fields.items()], align=True)
        places: Any = dtype.fields
        body["dtype"] = dtype
        fields = {key: field.placed(places[key][1]) for key, field in fields.items()}
        body["fields"] = fields
        body["_windows"] = [
            (key, slice(field.offset, field.offset + field.size), field.code, field.shape)
            for key, field in fields.items()
            if field.shape
        ]
        body["_numbers"] = [
            (key, struct.Struct(field.code).pack_into, field.offset)
            for key, field in fields.items()
            if not field.shape
        ]
        body["_read"] = _reader(fields)
        return super().__new__(mcs, name, bases, body)


def _reader(fields: dict[str, Field]) -> struct.Struct:
    """Reads all single numbers of a record at once."""
    code, end = "=", 0
    for field in fields.values():
        if not field.shape:
            code += f"{field.offset - end}x{field.code}"
            end = field.offset + field.size
    return struct.Struct(code)


class Record(metaclass=_Declared):
    """A fixed-size record of integers that rules run on when they are interpreted.

    Single numbers are plain ints; rows and grids are windows on one block of memory that refuse a
    number too large for their format. The block has the layout of `dtype`.
    """

    __slots__ = ("_memory",)
    dtype: ClassVar[np.dtype[Any]]
    fields: ClassVar[dict[str, Field]]
    _windows: ClassVar[list[tuple[str, slice, Any, tuple[int, ...]]]]
    """Name, place, format and shape of every row and grid."""
    _numbers: ClassVar[list[tuple[str, Callable[..., None], int]]]
    """Name, how it is written, and place of every single number."""
    _read: ClassVar[struct.Struct]

    def __init__(self, memory: bytes | None = None) -> None:
        self._memory = bytearray(self.dtype.itemsize) if memory is None else bytearray(memory)
        window = memoryview(self._memory)
        for name, place, code, shape in self._windows:
            setattr(self, name, window[place].cast(code, shape))
        for (name, _, _), value in zip(self._numbers, self._read.unpack_from(self._memory), strict=True):
            setattr(self, name, value)

    @classmethod
    def from_array(cls, records: np.ndarray[Any, Any], index: int = 0) -> Self:
        """The record at a place of a NumPy array of records."""
        return cls(records[index].tobytes())

    def to_array(self) -> np.ndarray[Any, Any]:
        """A NumPy array with this record in it, for compiled code."""
        # Not a copy: NumPy copies fields, and would leave the padding between them undefined.
        return np.frombuffer(bytearray(self.to_bytes()), self.dtype)

    def to_bytes(self) -> bytes:
        for name, write, place in self._numbers:
            write(self._memory, place, getattr(self, name))
        return bytes(self._memory)

    def copy(self) -> Self:
        return type(self)(self.to_bytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = (f"{name}={_plain(getattr(self, name))}" for name in self.fields)
        return f"{type(self).__name__}({', '.join(shown)})"


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, memoryview) else value


class GameState(Record):
    """What the record of every game has: the version of its rules, its players, who decides."""

    version: int = int8()
    players: int = int8()
    turn: int = int8()


Fields = Sequence[tuple[str, str, int] | tuple[str, str]]
"""Names, formats and lengths of the fields of a NumPy record."""


def scratch(decisions: int, outcomes: int, notes: int = 0, more: Fields = ()) -> np.dtype[Any]:
    """A record that kernels work in: a mask, its moves, their worths, weights of chance and a random number.

    `notes` is how many numbers the game's policy notes, `more` is what a kernel needs besides. Compiled code
    counts references to arrays of their own, not to fields; and a mask that is a multiple of 32 long is added
    up without a remainder. Moves are as wide as any integer: rules are compiled anew for every width.
    """
    room: list[Any] = [
        ("rng", "u8", 1),
        ("weights", "i2", _rounded(outcomes)),
        ("mask", "i1", _rounded(decisions)),
        ("worth", "f8", _rounded(decisions)),
        ("moves", "i8", _rounded(decisions)),
        ("notes", "f8", max(1, notes)),
        *more,
    ]
    return np.dtype(room, align=True)


def filled(fields: Fields, **values: Any) -> np.ndarray[Any, Any]:
    """An array of one record with these fields and values, for compiled code.

    >>> filled([("seat", "i8"), ("margin", "f8")], seat=2, margin=0.5)["margin"]
    array([0.5])
    """
    record = np.zeros(1, np.dtype(list(fields), align=True))
    for name, value in values.items():
        record[name] = value
    return record


def _rounded(length: int) -> int:
    return (length + 31) // 32 * 32
