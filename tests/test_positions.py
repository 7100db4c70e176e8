"""Positions that somebody has written badly: each is refused with a sentence, or it can be."""

import copy
import math
import random
from collections.abc import Iterator
from typing import Any

import pytest

import teerling
from teerling import TeerlingError

ODD = (2.0, 1.5, math.inf, math.nan, True, None, "x", [], {}, [None], [2.0], [[]], [{}], {"a": 1}, -1, 10**30)


def places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a position."""
    if path:
        yield path
    entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in entries:
        yield from places(value, (*path, key))


@pytest.mark.parametrize("game", teerling.games(), ids=lambda game: game.id)
def test_an_odd_value_anywhere_in_a_position_is_refused_or_can_be(game: teerling.Game) -> None:
    match = teerling.new(game.id, seed=3)
    chooser = random.Random(1)
    for _ in range(20):
        match.push(chooser.choice(match.legal_moves))
    refused, whole = 0, match.position()
    for path in places(whole):
        for odd in ODD:
            position = copy.deepcopy(whole)
            part: Any = position
            for key in path[:-1]:
                part = part[key]
            part[path[-1]] = odd
            try:
                teerling.at(game.id, position, seed=1)
            except TeerlingError:
                refused += 1
    assert refused > 50
