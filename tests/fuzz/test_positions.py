"""A spoiled position is refused with a sentence, or it can be played like any other."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import teerling
from teerling import TeerlingError
from tests.fuzz.matches import positions
from tests.fuzz.plan import fuzzed, no_hang, said_in_both_languages
from tests.fuzz.spoiling import corpus, spoiled_values

DECISIONS = 30
"""So far what can be played is played."""


def tried(game_id: str, position: Any) -> None:
    """Places a position as far as that goes; what can be placed is played on, told and saved."""
    with no_hang():
        try:
            match = teerling.at(game_id, position, seed=1)
        except TeerlingError as refused:
            said_in_both_languages(refused)
            return
    game, chooser = match.game, random.Random(1)
    assert game.place(json.loads(json.dumps(game.position(match.states[0])))) == match.states[0]
    for _ in range(DECISIONS):
        assert game.rules.sound(match.state)
        assert bool(match.legal_moves) != match.over
        for seat in (None, *range(match.players)):
            match.view(seat)
        if match.over:
            break
        match.push(chooser.choice(match.legal_moves))
    match.log("nl")
    assert teerling.load(match.save()).save() == match.save()


@fuzzed(250)
@given(st.integers(min_value=0), st.data())
def test_a_spoiled_position_is_refused_with_a_sentence_or_can_be_played(
    number: int, data: st.DataObject
) -> None:
    game_id, position = positions()[number % len(positions())]
    tried(game_id, data.draw(spoiled_values(lambda: [position])))


@pytest.mark.parametrize("text", corpus("json"))
def test_what_once_found_something_finds_nothing_now(text: str) -> None:
    tried(*json.loads(text))
