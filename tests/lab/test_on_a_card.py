"""What a batch on a card is to whoever calls it; where there is no card, none of it runs."""

import copy
from pathlib import Path

import numpy as np
import pytest

import teerling
from teerling import IllegalMove, TeerlingError
from teerling.lab.gpu import card, compile
from teerling.lab.gpu.batch import GpuBatch, shape_of
from teerling.lab.gpu.card import NoCard, cupy
from teerling.lab.observations import numbers
from tests.variants import GAMES

ROWS = 1000
"""No multiple of the threads that begin together."""


@pytest.fixture(autouse=True)
def needs_a_card() -> None:
    try:
        cupy()
    except NoCard as none:
        pytest.skip(str(none))


@pytest.fixture
def batch() -> GpuBatch:
    return teerling.batch("ra", players=4, size=ROWS, seed=1, device="gpu")


def contents(batch: GpuBatch) -> list[bytes]:
    """Everything that a move may change."""
    kept = [
        batch.legal,
        batch.observations,
        batch.rewards,
        batch.turn,
        batch.steps,
        batch.scores,
        batch.numbers,
    ]
    return [batch.states.tobytes(), *(each.get().tobytes() for each in kept)]


@pytest.mark.parametrize("name", GAMES)
def test_a_row_is_the_single_match_with_its_number(name: str) -> None:
    batch = teerling.batch(name, players=3, size=ROWS, seed=4, device="gpu")
    match = teerling.new(name, players=3, chance="manual")
    match.entrust(teerling.Stream(4, number=ROWS - 1))
    while not match.over:
        assert batch.match(ROWS - 1).state == match.state
        assert batch.turn[ROWS - 1] == match.turn
        assert batch.legal[ROWS - 1].nonzero()[0].tolist() == [move.id for move in match.legal_moves]
        assert (batch.observations[ROWS - 1].get() == numbers(match, match.turn)).all()
        moves = batch.random_moves()
        match.push(int(moves[ROWS - 1]))
        batch.step(moves)
    assert batch.numbers[ROWS - 1] == 2 * ROWS - 1
    assert batch.ended[ROWS - 1] == 1
    assert tuple(batch.scores[ROWS - 1].tolist()) == match.scores
    assert tuple(batch.ranks[ROWS - 1].tolist()) == match.ranks


def test_seats_of_others_are_played_as_on_the_cpu() -> None:
    pytest.importorskip("numba")
    seats = [None, "random", None, "random"]
    here, there = (
        teerling.batch("ra", size=ROWS, seed=4, seats=seats, rotate=True, device=device)
        for device in ("cpu", "gpu")
    )
    for _ in range(40):
        moves = here.random_moves()
        assert (there.random_moves().get() == moves).all()
        here.step(moves)
        there.step(moves)
    assert (there.states == here.states).all()


@pytest.mark.parametrize(
    ("row", "move", "said"),
    [
        (417, 10_000, "row 417: 10000 is no decision of Ra; they have ids 0 to"),
        (999, -1, "row 999: -1 is no decision of Ra; they have ids 0 to"),
    ],
)
def test_what_is_no_decision_names_the_row_and_changes_nothing(
    batch: GpuBatch, row: int, move: int, said: str
) -> None:
    before = contents(batch)
    moves = batch.random_moves().copy()
    chosen = contents(batch)
    moves[row] = move
    with pytest.raises(IllegalMove, match=said):
        batch.step(moves)
    assert contents(batch) == chosen == before


def test_what_is_not_legal_names_the_first_row_and_changes_nothing(batch: GpuBatch) -> None:
    batch.play(50)
    moves, before = batch.random_moves().copy(), contents(batch)
    for row in (700, 300):
        moves[row] = int(batch.legal[row].argmin())
    with pytest.raises(IllegalMove, match=rf"^row 300: .*\(move {int(moves[300])}\) is not legal there"):
        batch.step(moves)
    assert contents(batch) == before


@pytest.mark.parametrize("moves", [[0], np.zeros(ROWS), np.zeros((ROWS, 1), np.int64)])
def test_moves_that_are_not_a_whole_number_for_each_row_are_refused(batch: GpuBatch, moves: object) -> None:
    with pytest.raises(TeerlingError, match=f"moves are {ROWS} whole numbers, one for each row"):
        batch.step(moves)


def test_sizes_seeds_rows_and_players_out_of_range_say_so(batch: GpuBatch) -> None:
    with pytest.raises(TeerlingError, match="size"):
        teerling.batch("ra", size=0, device="gpu")
    with pytest.raises(TeerlingError, match="seed"):
        teerling.batch("ra", seed=-1, device="gpu")
    with pytest.raises(TeerlingError, match="seed"):
        batch.restart(seed=1.5)  # type: ignore[arg-type]
    with pytest.raises(TeerlingError, match="decisions"):
        batch.play(0)
    with pytest.raises(TeerlingError, match="row"):
        batch.match(ROWS)
    with pytest.raises(TeerlingError, match="cannot play in a batch"):
        teerling.batch("ra", players=3, seats=[None, "club", None], device="gpu")


def test_others_take_arrays_without_a_copy(batch: GpuBatch) -> None:
    torch = pytest.importorskip("torch")
    for told in (batch.observations, batch.legal, batch.rewards, batch.turn):
        assert told.__cuda_array_interface__["data"][0] == told.data.ptr
        seen = torch.from_dlpack(told)
        assert seen.is_cuda
        assert seen.data_ptr() == told.data.ptr
        assert (seen.cpu().numpy() == told.get()).all()


def test_moves_may_be_anothers_array_on_the_card(batch: GpuBatch) -> None:
    torch = pytest.importorskip("torch")
    twin = teerling.batch("ra", players=4, size=ROWS, seed=1, device="gpu")
    moves = torch.from_dlpack(batch.random_moves())
    batch.step(moves)
    twin.step(moves.cpu().numpy())
    assert contents(batch) == contents(twin)


def test_jax_takes_observations_without_a_copy(batch: GpuBatch) -> None:
    jax = pytest.importorskip("jax")
    seen = jax.dlpack.from_dlpack(batch.observations)
    assert seen.unsafe_buffer_pointer() == batch.observations.data.ptr
    assert (np.asarray(seen) == batch.observations.get()).all()


def test_a_restart_begins_with_the_first_matches_of_another_seed(batch: GpuBatch) -> None:
    fresh = contents(teerling.batch("ra", players=4, size=ROWS, seed=9, device="gpu"))
    batch.play(300)
    batch.restart(seed=9)
    assert contents(batch) == fresh


def test_code_of_other_rules_is_not_run(
    monkeypatch: pytest.MonkeyPatch, batch: GpuBatch, tmp_path: Path
) -> None:
    """What was kept for other sources lies beside it; its name is not asked for."""
    shape = shape_of(teerling.game("ra"))
    monkeypatch.setenv("TEERLING_CACHE", str(tmp_path))
    asked = compile.kept_at(shape, "play")
    asked.parent.mkdir(parents=True)
    asked.with_name(f"ra-play-{'0' * 16}.ptx").write_text("nothing that a card could run")
    card.loaded.cache_clear()
    monkeypatch.setattr(compile, "compiled", refuse)
    with pytest.raises(TeerlingError, match="compiled anew"):
        batch.play(1)
    card.loaded.cache_clear()


def refuse(*_: object) -> str:
    raise TeerlingError("compiled anew")


def test_a_million_matches_of_ra_take_less_than_half_a_gigabyte() -> None:
    pool = cupy().get_default_memory_pool()
    before = pool.used_bytes()
    batch = teerling.batch("ra", players=4, size=1_000_000, seed=1, device="gpu")
    batch.play(1)
    assert batch.nbytes <= pool.used_bytes() - before <= 500e6


def test_a_copy_goes_on_as_its_original_does_and_by_itself(batch: GpuBatch) -> None:
    batch.restart(seed=7)
    batch.play(100)
    before, twin = contents(batch), copy.deepcopy(batch)
    for each in (twin, batch):
        assert contents(each) == before
        each.play(100)
    assert contents(twin) == contents(batch) != before
