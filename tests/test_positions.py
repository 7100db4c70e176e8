"""Positions that somebody has written badly: each is refused with a sentence, or it can be."""

import copy
import math
import random
from collections.abc import Iterator
from typing import Any

import pytest

import teerling
from teerling import BadPosition, TeerlingError
from teerling.game import Game, game_ids
from teerling.game import game as game_of

ODD = (2.0, 1.5, math.inf, math.nan, True, None, "x", [], {}, [None], [2.0], [[]], [{}], {"a": 1}, -1, 10**30)


def places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a position."""
    if path:
        yield path
    entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in entries:
        yield from places(value, (*path, key))


@pytest.mark.parametrize("game", teerling.list_games(), ids=lambda game: game.id)
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


WITH_LIMITS = [
    game for game in map(game_of, game_ids()) if "limits" in teerling.new(game.id, seed=3).position()
]
"""A game may have nothing that follows from its positions."""


@pytest.mark.parametrize("game", WITH_LIMITS, ids=lambda game: game.id)
def test_what_follows_from_a_position_may_be_left_out_and_is_refused_if_it_is_wrong(game: Game) -> None:
    match = teerling.new(game.id, seed=3)
    position = match.position()
    left_out = {key: value for key, value in position.items() if key != "limits"}
    assert game.place(left_out) == game.place(position) == match.state
    for name, limit in position["limits"].items():
        wrong = {**position, "limits": {name: 99}}
        with pytest.raises(BadPosition) as refused:
            game.place(wrong)
        assert str(refused.value) == f"limits.{name} is {limit!r}, not 99"
    with pytest.raises(BadPosition, match=r"limits\.luck is not known here"):
        game.place({**position, "limits": {"luck": 1}})


@pytest.mark.parametrize("position", [{"\ud800": 1}, {"options": {"first": "\ud800"}}], ids=["name", "value"])
def test_half_a_character_in_a_position_is_refused_with_a_sentence_that_can_be_written(position: Any) -> None:
    with pytest.raises(BadPosition) as refused:
        teerling.at("radice", {"players": 3, **position})
    assert r"\ud800" in str(refused.value)
    assert str(refused.value).encode()
