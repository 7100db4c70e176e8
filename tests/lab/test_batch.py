"""Batches: every row is a match like any other, whatever its size, its threads and who else plays."""

import copy
import pickle
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import teerling
from teerling.errors import IllegalMove, TeerlingError
from teerling.lab.batch import Batch
from teerling.lab.observations import numbers
from tests.variants import GAMES

GAME = "rapido"  # the quickest to compile


def streamed(game: str, players: int, seed: int, number: int, **options: Any) -> teerling.Match:
    """A single match with the nature of a batch."""
    match = teerling.new(game, players, chance="manual", **options)
    match.entrust(teerling.Stream(seed, number))
    return match


@pytest.mark.parametrize("game", GAMES)
def test_a_row_is_the_single_match_with_its_number(game: str) -> None:
    players = teerling.game(game).usual_players
    batch = teerling.batch(game, players, size=2, seed=9, threads=1)
    match = streamed(game, players, 9, number=1)
    while not match.over:
        assert batch.numbers[1] == 1
        assert batch.match(1).state == match.state
        assert batch.turn[1] == match.turn
        assert np.flatnonzero(batch.legal[1]).tolist() == [move.id for move in match.legal_moves]
        assert np.array_equal(batch.observations[1], numbers(match, int(batch.turn[1])))
        moves = batch.random_moves()
        match.push(int(moves[1]))
        batch.step(moves)
    assert batch.numbers[1] == 3
    assert batch.ended[1] == 1
    assert (tuple(batch.scores[1]), tuple(batch.ranks[1])) == (match.scores, match.ranks)
    assert batch.rewards[1].tolist() == pytest.approx(
        [(seat in match.winners) / len(match.winners) for seat in range(players)]
    )
    assert batch.match(1).state == streamed(game, players, 9, number=3).state


def test_options_hold_in_every_row() -> None:
    batch = teerling.batch(GAME, players=2, size=3, seed=1, goal=9)
    assert set(batch.states["goal"]) == {9}
    assert batch.match(2).options["goal"] == 9


def trace(steps: int, **settings: Any) -> list[Any]:
    """The arrays of a batch after some random steps."""
    batch = teerling.batch(GAME, players=3, seed=4, **settings)
    told = []
    for _ in range(steps):
        batch.step(batch.random_moves())
        told.append([batch.states.tobytes(), batch.rewards.tobytes(), batch.observations.tobytes()])
    return told


def test_threads_change_nothing() -> None:
    assert trace(40, size=2048, threads=1) == trace(40, size=2048, threads=4)


def test_a_row_does_not_depend_on_how_many_others_there_are() -> None:
    few, many = (teerling.batch(GAME, players=3, seed=4, size=size) for size in (2, 5))
    for _ in range(12):
        few.step(few.random_moves())
        many.step(many.random_moves())
        assert (few.numbers < 2).all(), "both are still in their first match"
        assert np.array_equal(few.states, many.states[:2])


def test_beginning_again_brings_the_same_and_another_seed_something_else() -> None:
    batch = teerling.batch(GAME, players=3, size=4, seed=4)
    begun = batch.states.tobytes()
    for _ in range(60):
        batch.step(batch.random_moves())
    batch.restart()
    assert batch.states.tobytes() == begun
    assert not batch.scores.any()
    assert not batch.ended.any()
    batch.restart(seed=5)
    assert batch.seed == 5
    assert batch.states.tobytes() != begun


def test_arrays_are_the_batchs_own_and_are_filled_anew() -> None:
    batch = teerling.batch(GAME, players=3, size=4, seed=4)
    before = (batch.legal, batch.observations, batch.rewards, batch.turn, batch.random_moves())
    batch.step(batch.random_moves())
    after = (batch.legal, batch.observations, batch.rewards, batch.turn, batch.random_moves())
    for one, other in zip(before, after, strict=True):
        assert one is other
        with pytest.raises(ValueError, match="read-only"):
            one[0] = 1
    assert np.shares_memory(batch.turn, batch.states)


@pytest.mark.parametrize(("move", "said"), [
    (7, "row 2: 7 is no decision of Rapido; they have ids 0 to 6"),
    (-1, "row 2: -1 is no decision of Rapido; they have ids 0 to 6"),
    (2, "row 2: place 1 (move 2) is not legal there for seat"),
])  # fmt: skip
def test_a_move_that_is_not_legal_names_row_and_move_and_changes_nothing(move: int, said: str) -> None:
    batch = teerling.batch(GAME, players=3, size=4, seed=4)
    while batch.legal[2, 2]:
        batch.step(batch.random_moves())
    before, moves = batch.states.tobytes(), batch.random_moves().copy()
    moves[2] = move
    with pytest.raises(IllegalMove) as refused:
        batch.step(moves)
    assert str(refused.value).startswith(said)
    assert batch.states.tobytes() == before


def test_moves_of_another_shape_or_kind_are_refused() -> None:
    batch = teerling.batch(GAME, players=3, size=4, seed=4)
    ragged = [[1], [1, 2], [1], [1]]
    for wrong in ([1, 1, 1], [[1], [1], [1], [1]], [1.0] * 4, [True] * 4, ["throw"] * 4, ragged, None):
        with pytest.raises(TeerlingError, match="moves are 4 whole numbers, one for each row"):
            batch.step(wrong)
    for dtype in (np.int8, np.uint16, np.int64):
        batch.step(np.zeros(4, dtype))
    with pytest.raises(IllegalMove, match="row 0: 9223372036854775808 is no decision"):
        batch.step(np.full(4, 1 << 63, np.uint64))


@pytest.mark.parametrize(("wrong", "said"), [
    ({"size": 0}, "size is a number from 1"),
    ({"size": 2.5}, "size is a whole number, not 2.5"),
    ({"seed": -1}, "seed is a number from 0"),
    ({"seed": 2**63}, "seed is a number from 0"),
    ({"seed": "7"}, "seed is a whole number, not '7'"),
    ({"size": True}, "size is a whole number, not True"),
    ({"threads": 0}, "threads is a number from 1"),
    ({"rewards": "glory"}, "rewards are by share or by rank, not by 'glory'"),
    ({"seats": [None, "random"]}, "2 seats are named, and 3 play"),
    ({"seats": "random"}, "seats are a list of players, a name or None for each seat, not 'random'"),
    ({"seats": 3}, "seats are a list of players"),
    ({"seats": [None, 3, "random"]}, "there is no player '3'"),
    ({"seats": ["random"] * 3}, "one seat at least is None"),
    ({"seats": [None, "club", "club"]}, "club cannot play in a batch"),
    ({"seats": [None, "nobody", "random"]}, "there is no player 'nobody'"),
    ({"goat": 9}, "Rapido has no option goat"),
])  # fmt: skip
def test_what_makes_no_batch_is_refused_with_a_reason(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(TeerlingError) as refused:
        teerling.batch(GAME, players=3, **wrong)
    assert str(refused.value).startswith(said)


def test_seats_of_others_are_played_and_the_caller_decides_for_the_rest() -> None:
    seats = [None, "casual", None]
    batch = teerling.batch(GAME, players=3, size=64, seed=2, seats=seats)
    for _ in range(50):
        assert set(batch.turn) <= {0, 2}
        batch.step(batch.random_moves())


def test_with_rotation_everybody_sits_one_seat_further_in_each_row() -> None:
    batch = teerling.batch(GAME, players=3, size=64, seed=2, seats=[None, "random", "casual"], rotate=True)
    assert batch.turn.tolist() == [row % 3 for row in range(64)]
    won = np.zeros(3)
    for _ in range(400):
        batch.step(batch.random_moves())
        for row in range(64):
            won += np.roll(batch.rewards[row], -row)
    assert won[2] > 2 * won[1], "casual beats random, wherever they sit"
    assert won[2] > 2 * won[0]


def test_a_heuristic_seat_makes_the_move_that_the_player_would_make() -> None:
    """What happens between two decisions of seat 0 is what the heuristic player and nature do."""
    batch = teerling.batch(GAME, players=2, size=1, seed=3, seats=[None, "heuristic"])
    match = streamed(GAME, 2, 3, number=0)
    heuristic = teerling.player("heuristic")
    while True:
        while match.turn == 1:
            match.push(heuristic.choose(match).move)
        if match.over:
            break
        assert batch.match(0).state == match.state
        move = int(batch.random_moves()[0])
        match.push(move)
        batch.step([move])
    assert tuple(batch.scores[0]) == match.scores


def test_rewards_by_rank_count_those_one_is_ahead_of() -> None:
    batch = teerling.batch(GAME, players=4, size=64, seed=2, rewards="rank")
    seen = 0
    for _ in range(120):
        batch.step(batch.random_moves())
        for row in np.flatnonzero(batch.ended == 1):
            ranks = batch.ranks[row].tolist()
            expected = [
                sum(1.0 if mine < other else 0.5 for q, other in enumerate(ranks) if q != p and mine <= other)
                / 3
                for p, mine in enumerate(ranks)
            ]
            assert batch.rewards[row].tolist() == pytest.approx(expected)
            seen += 1
    assert seen > 20


def test_what_is_known_at_the_end_is_kept_if_asked_for() -> None:
    batch = teerling.batch(GAME, players=2, size=1, seed=3, keep_ends=True)
    match = streamed(GAME, 2, 3, number=0)
    while not match.over:
        move = int(batch.random_moves()[0])
        match.push(move)
        batch.step([move])
    for seat in (0, 1):
        assert np.array_equal(batch.observe_ends(seat)[0], numbers(match, seat))
    assert not np.array_equal(batch.observe(0), batch.observe_ends(0))
    with pytest.raises(TeerlingError, match="keep_ends=True"):
        teerling.batch(GAME, players=2, size=1).observe_ends(0)
    for wrong in (2, -1, 0.5, [0, 1]):
        with pytest.raises(TeerlingError, match="seats are whole numbers from 0 to 1, one for all rows"):
            batch.observe(wrong)
    with pytest.raises(TeerlingError, match=r"rows are whole numbers from 0 to 0, .* not \[1\]"):
        batch.observe(0, rows=[1])


def test_every_seat_can_be_asked_what_it_knows() -> None:
    batch = teerling.batch("dicerun", players=3, size=2, seed=1, threads=1)
    for _ in range(10):
        batch.step(batch.random_moves())
    for seat, row in product(range(3), range(2)):
        assert np.array_equal(batch.observe(seat)[row], numbers(batch.match(row), seat))
    assert np.array_equal(batch.observe(batch.turn), batch.observations)


@pytest.mark.parametrize("rows", [[-1], [64], [0.5], [[0, 1]], [[0], [1, 2]], "all", np.ones(3, bool)])
def test_rows_that_are_not_there_are_refused(rows: Any) -> None:
    batch = teerling.batch(GAME, players=3, size=64, seed=4)
    with pytest.raises(TeerlingError, match="rows are whole numbers from 0 to 63, or a mask of all rows"):
        batch.observe(0, rows)


def test_rows_are_chosen_by_a_mask_too() -> None:
    batch = teerling.batch(GAME, players=3, size=64, seed=4)
    some = np.arange(64) % 5 == 0
    assert np.array_equal(batch.observe(1, some), batch.observe(1, np.flatnonzero(some)))


@pytest.mark.parametrize("seats", [-1, 3, 0.5, [0, 1], [[0], [1]], "all", [[0], [1, 2]]])
def test_seats_that_are_not_there_are_refused(seats: Any) -> None:
    batch = teerling.batch(GAME, players=3, size=64, seed=4)
    with pytest.raises(TeerlingError, match="seats are whole numbers from 0 to 2, one for all rows"):
        batch.observe(seats)


def test_random_moves_are_equally_likely() -> None:
    batch = teerling.batch(GAME, players=2, size=4000, seed=6, first=1)
    open_board = np.flatnonzero(batch.legal.all(axis=1))
    shares = np.bincount(batch.random_moves()[open_board], minlength=7) / len(open_board)
    assert shares == pytest.approx(np.full(7, 1 / 7), abs=0.03)


def test_the_noise_of_a_misjudgement_is_normal() -> None:
    from teerling.engine.random import normal, start_stream

    rng = [0]
    start_stream(rng, 1, 0)
    drawn = np.array([normal(rng) for _ in range(20_000)])
    assert drawn.mean() == pytest.approx(0, abs=0.03)
    assert drawn.std() == pytest.approx(1, abs=0.03)
    assert (np.abs(drawn) < 1.96).mean() == pytest.approx(0.95, abs=0.01)


def stepped(batch: Batch, times: int) -> list[bytes]:
    """Everything a batch tells after so many random steps."""
    for _ in range(times):
        batch.step(batch.random_moves())
    told = (
        batch.states,
        batch.legal,
        batch.observations,
        batch.rewards,
        batch.ended,
        batch.numbers,
        batch.scores,
    )
    return [array.tobytes() for array in told]


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, copy.copy, lambda batch: pickle.loads(pickle.dumps(batch))]
)
def test_a_copy_goes_on_as_its_original_does_and_by_itself(copied: Callable[[Batch], Batch]) -> None:
    batch = teerling.batch(
        GAME, players=3, size=1100, seats=[None, "casual", None], rotate=True, rewards="rank", threads=2
    )
    batch.restart(seed=5)
    before = stepped(batch, 40)
    twin = copied(batch)
    after = stepped(twin, 60)
    assert stepped(batch, 0) == before
    assert stepped(batch, 60) == after
