"""The records that a match went through, kept small: most of a state is the state before it."""

import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Generic, Self, TypeVar, overload

from .record import Record

RecordT = TypeVar("RecordT", bound=Record)

CHUNK = 32
"""So many states are packed together."""
FRESH = 8
"""At most so many of the newest are kept as records; half of them stay when there are more."""
OPENED = 32
"""How many chunks are kept unpacked, of all matches together."""


class States(Sequence[RecordT], Generic[RecordT]):
    """A row of records that grows and is cut at its end.

    The newest are there as they were put in. Older ones are kept as bytes, and in chunks by how each differs
    from the one before it; whoever asks for one gets a copy. Nobody writes in a record that is in here.

    >>> from teerling import new
    >>> match = new("rapido", players=2, seed=7)
    >>> states = States(type(match.state), match.states)
    >>> len(states), states[-1] is match.state, states[0] == match.states[0]
    (4, True, True)
    """

    def __init__(self, kind: type[RecordT], records: Iterable[RecordT] = ()) -> None:
        self._kind = kind
        self._chunks: list[bytes] = []
        self._rows: list[bytes] = []
        """The states behind the chunks, as bytes."""
        self._fresh: list[RecordT] = []
        """The states behind those, as records."""
        self._asked: tuple[int, RecordT] | None = None
        """The old state that was asked for last: whoever goes through them needs each of them twice."""
        for record in records:
            self.append(record)

    def __len__(self) -> int:
        return len(self._chunks) * CHUNK + len(self._rows) + len(self._fresh)

    @property
    def last(self) -> RecordT:
        return self._fresh[-1]

    @overload
    def __getitem__(self, index: int) -> RecordT: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[RecordT, ...]: ...

    def __getitem__(self, index: int | slice) -> RecordT | tuple[RecordT, ...]:
        if isinstance(index, slice):
            return tuple(self._record(place) for place in range(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} states, and none at {index}")
        return self._record(index % len(self))

    def _record(self, place: int) -> RecordT:
        fresh = place - len(self) + len(self._fresh)
        if fresh >= 0:
            return self._fresh[fresh]
        if self._asked is None or self._asked[0] != place:
            self._asked = place, self._kind(self._row(place))
        return self._asked[1]

    def _row(self, place: int) -> bytes:
        """The bytes of a state that is not fresh any more."""
        chunk, within = divmod(place, CHUNK)
        if chunk < len(self._chunks):
            return _unpacked(self._chunks[chunk], self._kind.dtype.itemsize)[within]
        return self._rows[place - len(self._chunks) * CHUNK]

    def append(self, record: RecordT) -> None:
        self._fresh.append(record)
        if len(self._fresh) > FRESH:
            self._settle(FRESH // 2)

    def _settle(self, keep: int) -> None:
        """Keeps so many records as they are."""
        old = len(self._fresh) - keep
        self._rows += [record.to_bytes() for record in self._fresh[:old]]
        del self._fresh[:old]
        while len(self._rows) >= 2 * CHUNK:
            self._chunks.append(_packed(self._rows[:CHUNK]))
            del self._rows[:CHUNK]

    def cut(self, length: int) -> None:
        """Forgets all states but the first; at least one stays."""
        fresh = length - len(self) + len(self._fresh)
        if fresh > 0:
            del self._fresh[fresh:]
            return
        last, self._asked = self._record(length - 1), None
        full = (length - 1) // CHUNK
        if full < len(self._chunks):
            self._rows = list(_unpacked(self._chunks[full], self._kind.dtype.itemsize))
            del self._chunks[full:]
        del self._rows[length - 1 - len(self._chunks) * CHUNK :]
        self._fresh = [last]

    def upto(self, length: int) -> "States[RecordT]":
        """The first states, as a row of their own."""
        other = States(self._kind)
        other._chunks, other._rows, other._fresh = self._chunks[:], self._rows[:], self._fresh[:]
        other.cut(length)
        return other

    def packed(self) -> list[bytes]:
        """All of them as a few blocks of bytes; see `unpacked`."""
        return [*self._chunks, _packed([*self._rows, *(record.to_bytes() for record in self._fresh)])]

    @classmethod
    def unpacked(cls, kind: type[RecordT], packed: Sequence[bytes]) -> Self:
        """The states that were packed; ValueError if these blocks are no such thing.

        Blocks of old states are not looked into before somebody asks for one.
        """
        states = cls(kind)
        states._chunks = list(packed[:-1])
        try:
            rows = _rows_of(packed[-1], kind.dtype.itemsize)
        except (zlib.error, IndexError) as error:
            raise ValueError(f"these are no states: {error}") from None
        states._rows = list(rows[:-1])
        states._fresh = [kind(rows[-1])]
        return states

    @property
    def weight(self) -> int:
        """About how many bytes of memory they take."""
        size = self._kind.dtype.itemsize
        record = 200 + 3 * size + 250 * sum(bool(field.shape) for field in self._kind.fields.values())
        packed = sum(map(len, self._chunks)) + 50 * len(self._chunks)
        return packed + len(self._rows) * (size + 41) + len(self._fresh) * record


def _packed(rows: Sequence[bytes]) -> bytes:
    """How each row differs from the one before it, compressed."""
    block = b"".join(rows)
    before = bytes(len(rows[0])) + block[: -len(rows[0])]
    differing = int.from_bytes(block, "little") ^ int.from_bytes(before, "little")
    return zlib.compress(differing.to_bytes(len(block), "little"), 6)


@lru_cache(OPENED)
def _unpacked(packed: bytes, size: int) -> tuple[bytes, ...]:
    return _rows_of(packed, size)


def _rows_of(packed: bytes, size: int) -> tuple[bytes, ...]:
    differing = zlib.decompress(packed)
    if not differing or len(differing) % size:
        raise ValueError(f"these are no states: {len(differing)} bytes, where each has {size}")
    rows: list[bytes] = []
    row: Any = 0
    for place in range(0, len(differing), size):
        row ^= int.from_bytes(differing[place : place + size], "little")
        rows.append(row.to_bytes(size, "little"))
    return tuple(rows)
