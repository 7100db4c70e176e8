"""Long matches: a move costs as much after many others as after few, and what is kept of them is small."""

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

import teerling
from teerling.engine.states import CHUNK, FRESH, States
from teerling.loading import load
from teerling.match import Match


def steps_of_python(work: Callable[[], Any]) -> int:
    """How many functions and generators of Python were entered meanwhile."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def endless(decisions: int) -> Match:
    """A match of Rapido in which everybody throws whatever can be thrown, and nobody gets anywhere."""
    match = teerling.new("rapido", players=2, seed=1)
    for _ in range(decisions):
        throws = [move for move in match.legal_moves if move.text.startswith("throw")]
        match.push((throws or match.legal_moves)[0])
        assert not match.over
    return match


def test_loading_takes_twice_as_long_for_twice_as_many_moves() -> None:
    texts = [endless(count).save() for count in (150, 300)]
    load(texts[0])
    short, long = (steps_of_python(lambda text=text: load(text)) for text in texts)  # type: ignore[misc]
    assert long < 2.2 * short


def test_nature_counts_no_move_twice() -> None:
    def played(decisions: int) -> int:
        return steps_of_python(lambda: endless(decisions))

    played(10)
    assert played(300) < 2.2 * played(150)


def test_take_backs_are_not_gone_through_again_and_again() -> None:
    def regretted(times: int) -> int:
        match = endless(20)

        def regret() -> None:
            for _ in range(times):
                match.take_back()
                match.push(next(move for move in match.legal_moves if move.text.startswith("throw")))
            assert load(match.save()).draws == match.draws

        return steps_of_python(regret)

    regretted(5)
    assert regretted(200) < 2.2 * regretted(100)


def test_states_are_those_that_were_put_in_wherever_they_are_cut() -> None:
    chooser = random.Random(3)
    match = teerling.new("ra", players=3, seed=5)
    while not match.over:
        match.push(chooser.choice(match.legal_moves))
    source = list(match.states)
    assert len(source) > 4 * CHUNK
    states, expected = States(type(source[0]), source[:1]), [source[0].to_bytes()]
    for round in range(60):
        for state in source[: chooser.randrange(3 * CHUNK)]:
            states.append(state)
            expected.append(state.to_bytes())
        again = States.unpacked(type(source[0]), states.packed())
        for place in [0, -1, *(chooser.randrange(len(expected)) for _ in range(8))]:
            assert states[place].to_bytes() == again[place].to_bytes() == expected[place]
        assert len(states) == len(again) == len(expected)
        length = chooser.randrange(1, len(expected) + 1) if round % 3 else chooser.randrange(1, FRESH)
        shorter = states.upto(length)
        states.cut(length)
        del expected[length:]
        assert [state.to_bytes() for state in states] == expected
        assert [state.to_bytes() for state in shorter] == expected
        assert states.last.to_bytes() == expected[-1]


def test_states_that_are_none_are_refused() -> None:
    match = teerling.new("ra", players=3, seed=5)
    kind = type(match.state)
    for packed in ([], [b""], [b"nothing"], teerling.new("rapido", players=2, seed=1).states.packed()):
        with pytest.raises(ValueError, match="no states"):
            States.unpacked(kind, packed)


def test_a_match_keeps_few_bytes_of_its_past() -> None:
    match = endless(1200)
    assert match.states.weight < 40 * len(match.states)


def test_what_was_forgotten_is_told_again() -> None:
    chooser = random.Random(4)
    match = teerling.new("ra", players=3, seed=6)
    while len(match.history) < 150:
        match.push(chooser.choice(match.legal_moves))
    told, ends = match.steps_of(1), list(match.ends)
    end = match.step_of(1, ends[0])
    match.forget_steps(len(told))
    assert match.step_of(1, ends[0]) is end
    assert match.steps_of(1, 100) == told[100:]
    assert match.steps_of(1) == told
    assert match.steps_of(1)[ends[0] - 1] is not told[ends[0] - 1]


def test_the_ends_of_rounds_follow_a_take_back() -> None:
    chooser = random.Random(4)
    match = teerling.new("ra", players=3, seed=6)
    while not match.ends:
        match.push(chooser.choice(match.legal_moves))
    place = match.ends[0]
    match.take_back()
    assert not match.ends
    while not match.ends:
        match.push(chooser.choice(match.legal_moves))
    assert match.ends[0] >= place
    told = [i for i, step in enumerate(match.steps) if any(e.kind in match.game.rounds for e in step)]
    assert list(match.ends) == told
