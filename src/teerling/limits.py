"""Limits of what may be asked for."""

from operator import index
from typing import SupportsIndex

from .errors import Phrase, TeerlingError

LARGEST_SEED = (1 << 63) - 1
"""Of a stream of random numbers; their seeds and numbers begin at 0."""


def within(name: str, number: SupportsIndex, least: int, most: int) -> int:
    """The number, if it is a whole one within its limits.

    >>> within("size", 4096, 1, 10_000)
    4096
    """
    if isinstance(number, bool):
        raise _not_whole(name, number)
    try:
        found = index(number)
    except TypeError:
        raise _not_whole(name, number) from None
    if not least <= found <= most:
        raise TeerlingError(
            Phrase(
                "{name} is a number from {least} to {most}, not {number}",
                name=name, least=least, most=most, number=found,
            )
        )  # fmt: skip
    return found


def _not_whole(name: str, given: object) -> TeerlingError:
    return TeerlingError(Phrase("{name} is a whole number, not {number!r}", name=name, number=given))
