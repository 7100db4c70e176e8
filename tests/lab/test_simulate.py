"""Simulations: the same whoever counts, with statistics that can be checked by hand."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teerling
from teerling.errors import TeerlingError
from teerling.lab import Simulation, Spread, plot, simulate
from teerling.lab.simulate import SimulationJob

GAME = "rapido"  # the quickest to compile


def by_hand(scores: list[list[int]], ranks: list[list[int]], lengths: list[int]) -> Simulation:
    """A simulation whose games were made up."""
    return Simulation(
        teerling.game(GAME),
        len(scores[0]),
        {"goal": 21},
        seed=1,
        threads=1,
        seconds=1.0,
        scores=np.array(scores, np.int16),
        ranks=np.array(ranks, np.int8),
        lengths=np.array(lengths, np.int32),
    )


def same(one: Simulation, other: Simulation) -> bool:
    pairs = ((one.scores, other.scores), (one.ranks, other.ranks), (one.lengths, other.lengths))
    return all(np.array_equal(left, right) for left, right in pairs)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_the_number_of_threads_changes_nothing(threads: int) -> None:
    assert same(
        simulate(GAME, 3, 1000, seed=5, threads=threads), simulate(GAME, 3, 1000, seed=5, threads=1)
    )  # fmt: skip


def test_how_games_are_shared_out_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = simulate(GAME, 3, 500, seed=5, threads=2)
    module = sys.modules["teerling.lab.simulate"]
    monkeypatch.setattr(module, "SMALLEST_CHUNK", 7)
    monkeypatch.setattr(module, "LARGEST_CHUNK", 7)
    assert same(simulate(GAME, 3, 500, seed=5, threads=2), whole)


def test_a_game_depends_on_its_number_alone() -> None:
    few, many = simulate(GAME, 3, 100, seed=5), simulate(GAME, 3, 300, seed=5)
    assert np.array_equal(few.scores, many.scores[:100])
    assert len({tuple(game) for game in many.scores.tolist()}) > 100


def test_another_seed_makes_other_games() -> None:
    assert not same(simulate(GAME, 3, 50, seed=1), simulate(GAME, 3, 50, seed=2))


def test_options_and_players_are_those_asked_for() -> None:
    result = simulate(GAME, 5, 100, options={"goal": 9})
    assert result.scores.shape == (100, 5)
    assert (result.scores.max(axis=1) == 9).all()
    assert (result.ranks.min(axis=1) == 1).all()


def test_a_game_may_be_given_as_itself() -> None:
    assert same(simulate(teerling.game(GAME), 2, 50), simulate(GAME, 2, 50))


def test_no_more_threads_than_cores_unless_asked_for() -> None:
    assert simulate(GAME, 2, 50).threads == len(os.sched_getaffinity(0))
    assert simulate(GAME, 2, 50, threads=5).threads == 5


def test_progress_goes_from_nothing_to_all_games() -> None:
    told: list[int] = []
    simulate(GAME, 2, 1000, threads=2, progress=told.append)
    assert told[0] == 0
    assert told[-1] == 1000
    assert told == sorted(told)
    assert len(told) > 2


def test_whoever_stops_the_progress_stops_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(done: int) -> None:
        if done:
            raise KeyboardInterrupt

    played: list[int] = []
    play = SimulationJob.play

    def counted(job: SimulationJob, first: int, games: int) -> int:
        played.append(first)
        return play(job, first, games)

    monkeypatch.setattr(SimulationJob, "play", counted)
    with pytest.raises(KeyboardInterrupt):
        simulate(GAME, 2, 400_000, threads=1, progress=stop)
    assert len(played) < 20


def test_a_shared_win_counts_its_share() -> None:
    result = by_hand([[5, 5, 1], [9, 2, 3]], [[1, 1, 3], [1, 3, 2]], [10, 20])
    assert result.win_rates == (0.75, 0.25, 0.0)
    assert sum(result.win_rates) == 1
    assert result.win_errors[2] == 0
    assert result.win_errors[0] == pytest.approx(1.96 * 0.25 / 2**0.5)


def test_spreads_hold_mean_deviation_quantiles_and_every_number_once() -> None:
    spread = Spread.of(np.array([0, 0, 2, 6]))
    assert (spread.mean, spread.least, spread.most) == (2.0, 0, 6)
    assert spread.sd == pytest.approx(6**0.5)
    assert spread.quantiles[50] == 1.0
    assert spread.edges == tuple(range(8))
    assert spread.counts == (2, 0, 1, 0, 0, 0, 1)


@pytest.mark.parametrize("numbers", [[3], [-5, 400], list(range(1000)), [7, 7]])
def test_a_histogram_leaves_no_number_out(numbers: list[int]) -> None:
    spread = Spread.of(np.array(numbers))
    assert sum(spread.counts) == len(numbers)
    assert len(spread.counts) <= 60
    assert len(spread.edges) == len(spread.counts) + 1
    assert spread.edges[0] <= min(numbers)
    assert max(numbers) < spread.edges[-1]


def test_statistics_are_of_all_seats_of_every_seat_and_of_the_length() -> None:
    result = by_hand([[4, 0], [6, 2]], [[1, 2], [1, 2]], [10, 30])
    assert result.overall.mean == 3
    assert [spread.mean for spread in result.by_seat] == [5, 1]
    assert {spread.edges for spread in result.by_seat} == {result.overall.edges}
    assert (result.length.mean, result.steps, result.games) == (20, 40, 2)


def test_figures_and_statistics_fit_into_json() -> None:
    told = json.loads(json.dumps(simulate(GAME, 2, 100, seed=3).as_dict()))
    assert told["games"] == 100
    assert told["steps"] == round(100 * told["length"]["mean"])
    assert told["seconds"] > 0
    assert sum(told["scores"]["histogram"]["counts"]) == 200
    assert len(told["scores_by_seat"]) == len(told["win_rates"]) == 2
    assert told["options"] == {"goal": "21", "first": "random"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games": 0}, "games is a number from 1 to 100000000, not 0"),
        ({"games": 10**12}, "games is a number from 1"),
        ({"threads": 0}, "threads is a number from 1 to 1024, not 0"),
        ({"seed": -1}, "seed is a number from 0"),
        ({"players": 9}, "Rapido is for 2 to 6 players, not 9"),
        ({"options": {"goal": 1}}, "option goal is a number from 5 to 100, not 1"),
        ({"options": {"gaol": 1}}, "Rapido has no option gaol"),
        ({"game": "rapidoo"}, "did you mean rapido"),
    ],
)
def test_what_can_not_be_simulated_is_refused_by_name(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(TeerlingError, match=message):
        simulate(**{"game": GAME, "games": 10, **wrong})


@pytest.mark.parametrize(("suffix", "magic"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_a_picture_is_drawn(tmp_path: Path, suffix: str, magic: bytes) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"picture.{suffix}"
    plot(simulate(GAME, 6, 50), path)
    assert path.read_bytes().startswith(magic)


def test_the_same_simulation_draws_the_same_picture_in_the_language_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = simulate(GAME, 2, 50)
    for name, lang in (("a", "nl"), ("b", "nl"), ("c", "en")):
        plot(result, tmp_path / f"{name}.svg", lang)
    one, again, other = ((tmp_path / f"{name}.svg").read_bytes() for name in "abc")
    assert one == again != other


def test_a_picture_can_be_drawn_of_a_single_game(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot(simulate(GAME, 2, 1), tmp_path / "one.svg")
    assert (tmp_path / "one.svg").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("picture.txt", r"a picture ends in \.svg, \.png, \.pdf"),
        ("nowhere/picture.svg", "its folder is not there"),
    ],
)
def test_a_picture_that_can_not_be_drawn_is_refused(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(TeerlingError, match=message):
        plot(simulate(GAME, 2, 10), tmp_path / name)


def test_without_matplotlib_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(TeerlingError, match=r"pip install 'teerling\[plot\]"):
        plot(simulate(GAME, 2, 10), tmp_path / "picture.svg")


def test_without_a_number_of_players_as_many_play_as_usual() -> None:
    assert simulate("rapido", games=1, threads=1).players == teerling.game("rapido").usual_players
