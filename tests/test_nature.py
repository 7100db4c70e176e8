"""Nature, sealed: anybody can compute her answers."""

import hashlib
from collections import Counter
from typing import Any

import pytest

import teerling
from teerling import Sealed
from teerling.nature import RANGE

VECTORS = [
    ("7", 0, [1] * 6, 2),
    ("7", 1, [30, 150], 1),
    ("teerling", 0, [1] * 6, 4),
    ("teerling", 5, [0, 3, 0, 1], 3),
    ("é", 2, [1, 2, 3, 4], 2),
]


@pytest.mark.parametrize(("seed", "event", "weights", "outcome"), VECTORS)
def test_the_test_vectors_of_the_documentation(
    seed: str, event: int, weights: list[int], outcome: int
) -> None:
    assert Sealed(seed).answer(event, weights) == outcome


def test_the_recipe_step_by_step() -> None:
    weights = [4, 0, 5, 1]
    x = int.from_bytes(hashlib.sha256(b"42:3:0").digest()[:8], "big")
    assert x < RANGE // 10 * 10
    expected = next(id for id in range(4) if x % 10 < sum(weights[: id + 1]))
    assert Sealed(42).answer(3, weights) == expected


def test_a_number_beyond_the_last_whole_multiple_is_drawn_again() -> None:
    total = RANGE // 2 + 1
    first = int.from_bytes(hashlib.sha256(b"1:0:0").digest()[:8], "big")
    seed = 1
    while first < total:
        seed += 1
        first = int.from_bytes(hashlib.sha256(f"{seed}:0:0".encode()).digest()[:8], "big")
    second = int.from_bytes(hashlib.sha256(f"{seed}:0:1".encode()).digest()[:8], "big")
    attempt = 1
    while second >= total:
        attempt += 1
        second = int.from_bytes(hashlib.sha256(f"{seed}:0:{attempt}".encode()).digest()[:8], "big")
    assert Sealed(seed).answer(0, [second, total - second]) == 1
    assert Sealed(seed).answer(0, [second + 1, total - second - 1]) == 0


def test_numbers_and_their_texts_are_the_same_seed() -> None:
    assert teerling.new("ra", players=3, seed=12).save() == teerling.new("ra", players=3, seed="12").save()


def test_without_a_seed_every_match_has_its_own_of_64_hexadecimal_digits() -> None:
    one, other = Sealed(), Sealed()
    assert one.seed != other.seed
    assert len(one.seed) == 64
    int(one.seed, 16)


def test_the_seal_is_sha_256_of_the_seed_and_does_not_tell_it() -> None:
    sealed = Sealed("geheim")
    assert sealed.seal == hashlib.sha256(b"geheim").hexdigest()
    assert "geheim" not in repr(sealed)


def test_outcomes_follow_their_weights() -> None:
    sealed = Sealed("weights")
    counts = Counter(sealed.answer(event, [1, 0, 3]) for event in range(4000))
    assert counts[1] == 0
    assert 850 < counts[0] < 1150


def drawn(match: teerling.Match) -> tuple[list[str], tuple[int, ...]]:
    """Nature's answers so far, and their numbers."""
    return [move.text for move in match.history if move.chance], match.draws


@pytest.mark.parametrize("game", ["ra", "priests", "radice", "dicerun", "rapido"])
def test_what_was_taken_back_is_never_drawn_again_and_every_draw_can_still_be_checked(game: str) -> None:
    match, numbers = teerling.new(game, seed=11), set()
    for turn in range(60):
        if match.over:
            break
        match.push(match.legal_moves[turn % len(match.legal_moves)])
        numbers |= set(match.draws)
        if turn % 3 == 0:
            match.take_back(min(2, len(match.pushes)))
    seed, weights = Sealed(11), match.game.weights
    answers = [(match.states[place], move) for place, move in enumerate(match.history) if move.chance]
    assert len(match.taken_back) > 5
    for (state, move), draw in zip(answers, match.draws, strict=True):
        assert seed.answer(draw, weights(state)) == move.id
    # Every number up to the last was drawn on the way, and each just once.
    left_out = sum(back.draws for back in match.taken_back)
    assert numbers == set(range(len(answers) + left_out))
    assert len(set(match.draws)) == len(answers)
    again = teerling.load(match.save())
    assert (again.history, again.draws, again.taken_back) == (match.history, match.draws, match.taken_back)


def test_a_take_back_without_chance_leaves_no_trace() -> None:
    match, other = teerling.new("ra", players=3, seed=7), teerling.new("ra", players=3, seed=7)
    match.push("invoke")
    match.take_back()
    assert match.save() == other.save()


def test_pop_brings_the_same_luck_also_after_a_take_back() -> None:
    match = teerling.new("ra", players=3, seed=7)
    match.push("draw")
    match.take_back()
    match.push("draw")
    after = match.save()
    match.push("draw")
    match.take_back()
    match.pop()
    match.push("draw")
    assert match.save() == after
    assert match.upto(match.pushes[-1]).taken_back == match.taken_back
    assert match.upto(match.pushes[-1] - 1).taken_back == ()


def test_chance_by_hand_is_entered_anew_and_no_draw_is_left_out() -> None:
    match = teerling.new("rapido", players=2, chance="manual")
    match.push("first 0")
    match.take_back()
    assert match.taken_back == ()
    with pytest.raises(teerling.NothingToTakeBack):
        match.take_back()


@pytest.mark.parametrize(("seed", "number", "said"), [
    (-1, 0, "seed is a number from 0 to 9223372036854775807, not -1"),
    (1, 2**63, "number is a number from 0 to 9223372036854775807"),
    ("a", 0, "seed is a whole number, not 'a'"),
    (1.5, 0, "seed is a whole number, not 1.5"),
])  # fmt: skip
def test_a_stream_that_no_batch_has_is_refused(seed: Any, number: Any, said: str) -> None:
    with pytest.raises(teerling.TeerlingError) as refused:
        teerling.Stream(seed, number)
    assert str(refused.value).startswith(said)
