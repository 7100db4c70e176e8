"""PettingZoo's own tests, and what it is told."""

import contextlib
import copy
import io
import json
import pickle
import random
import sys
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, seed_test

import teerling
from teerling.envs import pettingzoo
from teerling.errors import IllegalMove, TeerlingError
from teerling.lab.observations import numbers
from tests.variants import GAMES

GAME = "rapido"


@pytest.fixture(autouse=True)
def quiet() -> None:
    warnings.filterwarnings("ignore", "Observation", UserWarning)


@pytest.mark.parametrize("game", GAMES)
def test_pettingzoos_api_test_passes(game: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        api_test(pettingzoo.env(game), num_cycles=100)


@pytest.mark.parametrize("rewards", ["share", "rank"])
def test_pettingzoos_seed_test_passes(rewards: str) -> None:
    seed_test(lambda: pettingzoo.env(GAME, players=3, rewards=rewards), num_cycles=50)


def test_pettingzoos_benchmark_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 1000, 2))
    benchmark = sys.modules[performance_benchmark.__module__]
    monkeypatch.setattr(benchmark, "time", SimpleNamespace(time=lambda: next(clock)))
    with contextlib.redirect_stdout(io.StringIO()) as told:
        performance_benchmark(pettingzoo.env(GAME))
    assert "turns per second" in told.getvalue()


def test_a_match_is_that_of_the_stream_of_its_seed() -> None:
    env, match = pettingzoo.env("ra", players=3), teerling.new("ra", players=3, chance="manual")
    env.reset(seed=5)
    match.entrust(teerling.Stream(5))
    chooser = random.Random(1)
    while not match.over:
        assert match.turn is not None
        assert env.agent_selection == f"seat_{match.turn}"
        observation, reward, termination, truncation, info = env.last()
        assert (reward, termination, truncation) == (0, False, False)
        assert np.flatnonzero(info["action_mask"]).tolist() == [move.id for move in match.legal_moves]
        assert np.array_equal(observation["action_mask"], info["action_mask"])
        for seat in range(3):
            assert np.array_equal(env.observe(f"seat_{seat}")["observation"], numbers(match, seat))
        other = f"seat_{(match.turn + 1) % 3}"
        assert not env.observe(other)["action_mask"].any()
        move = chooser.choice(match.legal_moves)
        match.push(move)
        env.step(move.id)
    assert env.rewards == {f"seat_{seat}": (seat in match.winners) / len(match.winners) for seat in range(3)}
    told = {}
    for agent in env.agent_iter():
        _, told[agent], termination, _, _ = env.last()
        assert termination
        env.step(None)
    assert told == {f"seat_{seat}": (seat in match.winners) / len(match.winners) for seat in range(3)}
    assert env.agents == []


def test_a_move_that_is_not_legal_is_refused_and_changes_nothing() -> None:
    env = pettingzoo.env("ra", players=3)
    with pytest.raises(TeerlingError, match="begin one first"):
        env._solo.step(0)
    env.reset(seed=5)
    before = env.render()
    with pytest.raises(IllegalMove, match=r"bid 13 is not possible now: .* \(RA-12\)"):
        env.step(teerling.game("ra").move("bid 13").id)
    with pytest.raises(TeerlingError, match="not a move of Ra"):
        env.step(-1)
    for no_id in (None, "draw", 0.5, float("nan"), [0]):
        with pytest.raises(TeerlingError, match="a decision is given by its id, not by"):
            env.step(no_id)
    assert env.render() == before
    assert json.loads(before)["game"] == "ra"


def test_without_a_seed_another_match_begins_each_time() -> None:
    env = pettingzoo.env(GAME, players=3)
    env.reset(seed=5)
    first = env.render()
    env.reset()
    assert env.render() != first
    env.reset(seed=5)
    assert env.render() == first


def test_before_the_first_reset_it_says_to_reset() -> None:
    env = pettingzoo.env(GAME, players=3)
    for asked in (env.last, lambda: env.step(0), lambda: env.rewards):
        with pytest.raises(TeerlingError, match="no match has begun: call reset first"):
            asked()
    with pytest.raises(TeerlingError, match="no match has begun"):
        env.render()
    assert not hasattr(env, "agent_selection")


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "a"])
def test_a_seed_that_is_none_is_refused(seed: Any) -> None:
    with pytest.raises(TeerlingError, match=r"seed is a (whole )?number"):
        pettingzoo.env(GAME, players=3).reset(seed=seed)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_as_its_original_does_and_by_itself(copied: Callable[[Any], Any]) -> None:
    env = pettingzoo.env(GAME, players=3)
    env.reset(seed=5)
    twin = copied(env)
    assert whole(twin) == whole(env)


def whole(env: Any) -> list[Any]:
    """First legal moves to the end: what was told."""
    told = []
    for agent in env.agent_iter():
        observation, reward, termination, _, _ = env.last()
        told += [agent, observation["observation"].tolist(), reward]
        env.step(None if termination else observation["action_mask"].argmax())
    return told
