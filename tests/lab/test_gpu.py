"""What a card plays is what a core plays; here by the core alone, as a card is not everywhere."""

import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import teerling
from teerling import TeerlingError
from teerling.engine.compile import bind
from teerling.lab import simulate
from teerling.lab.gpu import card, compile, loops
from teerling.lab.gpu.__main__ import app as command
from teerling.lab.gpu.batch import shape_of
from teerling.lab.gpu.shape import BY_WORD

GAMES = ["ra", "rapido"]
"""Two are enough to find a wrong word; `python -m teerling.lab.gpu check` compares all of them on a card."""


@pytest.mark.parametrize("name", GAMES)
def test_random_games_read_by_words_are_the_same_games(name: str) -> None:
    game = teerling.game(name)
    shape, expected = shape_of(game), simulate(game, games=50, seed=3)
    scores, ranks = np.zeros_like(expected.scores), np.zeros_like(expected.ranks)
    lengths = np.zeros_like(expected.lengths)
    start = game.start(expected.players, game.check_options({})).to_array()
    work, room = np.zeros(1, shape.state), np.zeros(1, shape.random_room)
    bind(shape.rules, BY_WORD).playouts(start, work, room, 3, 0, scores, ranks, lengths)
    assert (scores == expected.scores).all()
    assert (ranks == expected.ranks).all()
    assert (lengths == expected.lengths).all()


@pytest.mark.parametrize("name", GAMES)
def test_rows_read_by_words_go_on_as_a_batch_does(name: str) -> None:
    game = teerling.game(name)
    batch = teerling.batch(name, size=8, seed=5)
    twin = teerling.batch(name, size=8, seed=5)
    batch.play(150)
    rows, shape = twin._all, shape_of(game)
    bind(shape.rules, BY_WORD).play_all(
        rows.states, rows.about, game.start(batch.players, batch.options).to_array(), twin._settings,
        np.zeros(1, shape.random_room), rows.scores, rows.ranks, rows.rewards, 150,
    )  # fmt: skip
    for told in ("states", "numbers", "steps", "ended", "scores", "ranks", "rewards"):
        assert (getattr(twin, told) == getattr(batch, told)).all(), told


def test_playing_on_at_random_is_stepping_at_random() -> None:
    played, stepped = (teerling.batch("ra", players=3, size=16, seed=2) for _ in range(2))
    ended = np.zeros(16, np.int32)
    played.play(300)
    for _ in range(300):
        stepped.step(stepped.random_moves())
        ended += stepped.ended
    assert (played.states == stepped.states).all()
    assert (played.legal == stepped.legal).all()
    assert (played.observations == stepped.observations).all()
    assert (played.ended == ended).all()
    assert ended.sum() > 0
    assert (played.steps == stepped.steps).all()
    assert (played.steps > 300).all()


def test_without_cupy_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    card.cupy.cache_clear()
    with pytest.raises(TeerlingError, match=r"pip install 'teerling\[gpu\]'"):
        teerling.batch("ra", device="gpu")


def test_without_numba_cuda_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba alone has a `numba.cuda`, too, which cannot compile this."""
    monkeypatch.setitem(sys.modules, "numba_cuda", None)
    with pytest.raises(TeerlingError, match=r"not compiled for a card yet.*pip install 'teerling\[gpu\]'"):
        compile.compiled(shape_of(teerling.game("rapido")), "legal")


def test_a_device_that_is_none_is_refused() -> None:
    with pytest.raises(TeerlingError, match="cpu or on a gpu, not on 'tpu'"):
        teerling.batch("ra", device="tpu")  # type: ignore[call-overload]


def test_what_a_card_does_not_take_is_refused() -> None:
    with pytest.raises(TeerlingError, match="neither keep_ends nor threads"):
        teerling.batch("ra", device="gpu", threads=2)


def test_code_that_was_kept_for_other_sources_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = shape_of(teerling.game("rapido"))
    kept = compile.kept_at(shape, "play")
    assert kept == compile.kept_at(shape, "play")
    assert kept != compile.kept_at(shape_of(teerling.game("ra")), "play")
    assert kept != compile.kept_at(shape, "step")
    real = type(kept).read_text
    monkeypatch.setattr(type(kept), "read_text", lambda path: real(path) + "# another word")
    assert kept != compile.kept_at(shape, "play")


LOOP = b"""
define i32 @"cleared"([4 x i8]* %"cells")
{
B0:
  br label %"B1"
B1:
  %".83" = load i64, i64* %".82"
  %".84" = icmp sgt i64 %".83", 0
  %".85" = getelementptr inbounds {i64, i1}, {i64, i1}* %".74", i32 0, i32 1
  store i1 %".84", i1* %".85"
  br i1 %".84", label %"B1.if", label %"B1.endif"
B2:
  br label %"B1"
B1.if:
  %".93" = sub nsw i64 %".83", 1
  br label %"B1.endif"
B1.endif:
  br i1 %".120", label %"B2", label %"B3"
B3:
  ret i32 0
}
"""
"""A loop over a range as Numba writes it, without most of what it does."""


def test_a_range_counts_whether_or_not_a_number_is_left() -> None:
    changed = loops.counted_at_once(LOOP).decode()
    assert changed.count('br label %"B1.if"\n') == 1
    assert (
        changed.replace('br label %"B1.if"', 'br i1 %".84", label %"B1.if", label %"B1.endif"')
        == LOOP.decode()
    )


def test_a_branch_to_what_stands_above_is_forbidden_to_unroll() -> None:
    before, changed = LOOP.decode().splitlines(), loops.never_unrolled(LOOP).decode().splitlines()
    back, forth = before.index("B2:") + 1, before.index("B0:") + 1
    assert changed[back] == '  br label %"B1", !llvm.loop !900001'
    assert changed[forth] == '  br label %"B1"'
    assert "!900001 = distinct !{!900001, !900000}" in changed
    assert '!900000 = !{!"llvm.loop.unroll.disable"}' in changed


def test_what_loops_look_like_counts_for_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = shape_of(teerling.game("rapido"))
    kept, real = compile.kept_at(shape, "play"), Path.read_text
    changed = lambda path: real(path) + "# another way" * (path.name == "loops.py")  # noqa: E731
    monkeypatch.setattr(Path, "read_text", changed)
    assert kept != compile.kept_at(shape, "play")


@pytest.mark.parametrize("content", [None, b"", b"nothing of the kind", "one array", "other arrays"])
def test_a_file_that_is_not_of_matches_is_compared_with_nothing(
    content: bytes | str | None, tmp_path: Path
) -> None:
    path = tmp_path / "cpu.npz"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content == "one array":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    elif content:
        np.savez(path, other=np.zeros(3))
    found = CliRunner().invoke(command, ["check", str(path)])
    assert (found.exit_code, found.stderr.strip()) == (2, f"{path} is no file that expect wrote")
