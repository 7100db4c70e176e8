"""Reading a position written by hand, with errors that say where and what would be right.

>>> reader = Reader({"fame": 12, "tiles": {"gold": 2}})
>>> reader.number("fame", 0, 999, default=10), reader.counts("tiles", ("god", "gold"), 5)
(12, [0, 2])
>>> reader.done()
>>> Reader({"fame": -1}).number("fame", 0, 999)
Traceback (most recent call last):
    ...
teerling.errors.BadPosition: fame is a number from 0 to 999, not -1
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from .errors import BadOption, BadPosition, whole
from .options import Option

_MISSING: Any = object()


class Reader:
    """The entries of a part of a position, each to be read once."""

    def __init__(self, entries: Any, where: str = "") -> None:
        self.where = where
        if not isinstance(entries, Mapping):
            raise BadPosition(f"{where or 'a position'} is a dict, not {entries!r}")
        self._left: dict[Any, Any] = dict(entries)

    def refuse(self, key: str, message: str) -> NoReturn:
        """Says of an entry what is wrong with it."""
        raise BadPosition(whole(f"{self._path(key)} {message}"))

    def take(self, key: str, default: Any = _MISSING) -> Any:
        """An entry as it is."""
        if key in self._left:
            return self._left.pop(key)
        if default is _MISSING:
            self.refuse(key, "is missing")
        return default

    def number(self, key: str, least: int, most: int, default: Any = _MISSING) -> int:
        """A number within limits."""
        value = self.take(key, default)
        if not is_number(value) or not least <= value <= most:
            self.refuse(key, f"is a number from {least} to {most}, not {value!r}")
        return int(value)

    def chosen(self, option: Option, players: int) -> int:
        """The value of an option that fits so many players, as the rules read it."""
        try:
            value = option.parse(self.take(option.name, None))
            option.check(value, players)
        except BadOption as error:
            raise BadPosition(f"{self._path(option.name)}: {error}") from None
        return option.encode(value)[0]

    def flag(self, key: str, default: Any = _MISSING) -> bool:
        """True or false."""
        value = self.take(key, default)
        if not isinstance(value, bool):
            self.refuse(key, f"is true or false, not {value!r}")
        return value

    def choice(self, key: str, names: Sequence[str], default: Any = _MISSING) -> int:
        """The place of a name among names."""
        return self._index(key, self.take(key, default), names)

    def seat(self, key: str, players: int, default: Any = _MISSING) -> int:
        """A seat; None is -1."""
        value = self.take(key, default)
        if value is None:
            return -1
        if not is_number(value) or not 0 <= value < players:
            self.refuse(key, f"is a seat, 0 to {players - 1}, not {value!r}")
        return int(value)

    def counts(self, key: str, names: Sequence[str], most: int, default: Any = _MISSING) -> list[int]:
        """How many there are of each name: {"gold": 2} leaves the others at 0."""
        given = self.take(key, {} if default is _MISSING else default)
        if not isinstance(given, Mapping):
            self.refuse(key, f"is a dict of counts, not {given!r}")
        counts = [0] * len(names)
        for name, count in given.items():
            index = self._index(key, name, names)
            if not is_number(count) or not 0 <= count <= most:
                self.refuse(f"{key}.{name}", f"is a number from 0 to {most}, not {count!r}")
            counts[index] = int(count)
        return counts

    def row(self, key: str, length: int | None, default: Any = _MISSING) -> list[Any]:
        """A list, of this length if one is given."""
        value = self.take(key, default)
        if not isinstance(value, list | tuple):
            self.refuse(key, f"is a list, not {value!r}")
        if length is not None and len(value) != length:
            self.refuse(key, f"has {length} entries, not {len(value)}")
        return list(value)

    def part(self, key: str, default: Any = _MISSING) -> "Reader":
        """A dict within this one."""
        return Reader(self.take(key, default), self._path(key))

    def parts(self, key: str, count: int, default: Any = _MISSING) -> "list[Reader]":
        """A list of dicts within this one."""
        entries = enumerate(self.row(key, count, default))
        return [Reader(entry, f"{self._path(key)}[{i}]") for i, entry in entries]

    def derived(self, key: str, value: Any) -> None:
        """Reads what follows from the rest of the position: it may be left out, not be something else.

        >>> Reader({"limits": {"row": 9}}).derived("limits", {"row": 8, "epochs": 3})
        Traceback (most recent call last):
            ...
        teerling.errors.BadPosition: limits.row is 8, not 9
        """
        given = self.take(key, value)
        if isinstance(value, Mapping):
            part = Reader(given, self._path(key))
            for name, each in value.items():
                part.derived(name, each)
            part.done()
        elif given != value:
            self.refuse(key, f"is {value!r}, not {given!r}")

    def done(self) -> None:
        """Refuses entries that nobody asked for."""
        for key in self._left:
            self.refuse(str(key), "is not known here")

    def _index(self, key: str, name: Any, names: Sequence[str]) -> int:
        if name not in names:
            self.refuse(key, f"knows {', '.join(names)}, not {name!r}")
        return names.index(name)

    def _path(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key


def named_counts(names: Sequence[str], count: Callable[[int], int]) -> dict[str, int]:
    """The counts above zero, by name."""
    return {name: count(i) for i, name in enumerate(names) if count(i) > 0}


def is_number(value: Any) -> bool:
    """Whether a value is a whole number, and no flag."""
    return isinstance(value, int) and not isinstance(value, bool)
