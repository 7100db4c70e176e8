"""What is kept of pages: of the same values a macro makes the same, for whoever looks."""

from collections.abc import Callable
from marshal import dumps
from types import FunctionType
from typing import Any

from jinja2.runtime import Macro
from markupsafe import Markup

from ...words import Speaker
from .scores import Sheet

MOST_KEPT = 10_000
"""How much is kept of one macro."""


class MemoMacro:
    """A macro that is given nothing but values: of the same values it makes the same, for whoever looks.

    What a seat alone may know is never in what another gets, as nobody gets what was made of other values.
    """

    def __init__(self, macro: Callable[..., Markup]) -> None:
        self._macro = macro
        self._made: dict[Any, Markup] = {}

    def __call__(self, *values: Any) -> Markup:
        # Of values that Python takes for the same, kinds tell what does not look the same.
        kinds = tuple(map(type, values))
        places = NESTED.get(kinds)
        if places is None:
            places = NESTED[kinds] = tuple(i for i, kind in enumerate(kinds) if kind not in UNCHANGING)
        known: Any = values
        if places:
            known = list(values)
            for place in places:
                known[place] = frozen(values[place])
            known = tuple(known)
        key = kinds, known
        made = self._made.get(key)
        if made is None:
            if len(self._made) >= MOST_KEPT:
                # The oldest goes; if all went, everything would have to be made again at once.
                self._made.pop(next(iter(self._made)), None)
            made = self._made[key] = self._macro(*values)
        return made


KEY_FORMAT = 2
"""How marshal writes the same values the same, whatever else refers to them."""
UNCHANGING = frozenset({str, int, bool, type(None), Markup, Speaker, FunctionType, Macro, MemoMacro, Sheet})
"""Kinds of values that are found again as they are."""
NESTED: dict[tuple[type, ...], tuple[int, ...]] = {}
"""Which places of values of these kinds hold others."""


def frozen(value: Any) -> Any:
    """A value as a part of a key; TypeError if it is no value, for then nobody knows what is made of it."""
    try:
        # Plain values of any depth, told apart by their types too; written sooner than looked through.
        return dumps(value, KEY_FORMAT)
    except ValueError:
        kind = type(value)
    if kind in UNCHANGING:
        # A text and the same text as markup are equal to Python, but do not look the same.
        return kind, value
    if kind is dict:
        return tuple([(key, frozen(part)) for key, part in value.items()])
    if kind is list or kind is tuple:
        return tuple([frozen(part) for part in value])
    raise TypeError(f"{kind.__name__} is no value that a kept macro can be given")
