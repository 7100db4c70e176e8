"""Gymnasium's own test, and what it is told."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import teerling
from teerling.envs.gymnasium import AgentEnv, AgentsEnv, name_of
from teerling.errors import IllegalMove, TeerlingError
from teerling.lab.observations import numbers
from tests.variants import GAMES

GAME = "rapido"
NAME = "teerling/Rapido-v1"


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize("game", GAMES)
def test_gymnasiums_check_passes(game: str) -> None:
    check_env(gymnasium.make(name_of(teerling.game(game)), opponents="random").unwrapped)


def test_every_game_has_a_name_and_a_version() -> None:
    named = {id for id in gymnasium.registry if id.startswith("teerling/")}
    assert {name_of(teerling.game(game)) for game in GAMES} <= named
    assert name_of(teerling.game("radice")) == "teerling/RaTheDiceGame-v1"


def played(env: Any, seed: int) -> list[Any]:
    """A whole match of first legal moves: what was told."""
    observation, info = env.reset(seed=seed)
    told, over = [observation], False
    while not over:
        observation, reward, over, truncated, info = env.step(info["action_mask"].argmax())
        assert not truncated
        told.append(observation)
    return [np.concatenate(told).tobytes(), reward, info["seat"], info["ranks"].tolist()]


def test_the_same_seed_brings_the_same_match_and_others_other_seats() -> None:
    env = gymnasium.make(NAME, players=3)
    matches = [played(env, seed) for seed in range(12)]
    assert matches == [played(env, seed) for seed in range(12)]
    assert {seat for _, _, seat, _ in matches} == {0, 1, 2}
    for _, reward, seat, ranks in matches:
        assert reward == (ranks[seat] == 1)
    assert played(gymnasium.make(NAME, players=3, seat=2), 0)[2] == 2


def test_opponents_sit_clockwise_from_the_agent() -> None:
    """Seat 1 is played by the heuristic player, who sits after the agent on seat 0."""
    env = AgentEnv(GAME, players=2, opponents=["heuristic"], seat=0)
    match = teerling.new(GAME, players=2, chance="manual")
    match.entrust(teerling.Stream(4))
    observation, info = env.reset(seed=4)
    over = False
    while not over:
        while match.turn == 1:
            match.push(teerling.player("heuristic").choose(match).move)
        assert np.array_equal(observation, numbers(match, 0))
        action = int(info["action_mask"].argmax())
        match.push(action)
        observation, _, over, _, info = env.step(action)
    while match.turn == 1:
        match.push(teerling.player("heuristic").choose(match).move)
    assert match.over
    assert tuple(info["scores"]) == match.scores
    assert np.array_equal(observation, numbers(match, 0))


def test_an_illegal_move_ends_the_match_or_is_refused() -> None:
    ends, raises = AgentEnv("ra", seat=0), AgentEnv("ra", seat=0, illegal="raises")
    wrong = teerling.game("ra").move("bid 13").id
    for env in (ends, raises):
        _, info = env.reset(seed=1)
        assert not info["action_mask"][wrong]
    _, reward, over, _, info = ends.step(wrong)
    assert (reward, over, info["illegal"]) == (-1, True, wrong)
    before = raises.render()
    with pytest.raises(IllegalMove, match="bid 13 is not possible now"):
        raises.step(wrong)
    for no_move in (-1, 10**3, 2**80):
        with pytest.raises(TeerlingError, match="is not a move of Ra"):
            raises.step(no_move)
    for no_id in ("draw", 0.5, None, [1]):
        with pytest.raises(TeerlingError, match="a decision is given by its id, not by"):
            raises.step(no_id)
    assert raises.render() == before


@pytest.mark.parametrize(("wrong", "said"), [
    ({"opponents": ["casual"]}, "1 opponents are named, and there are 2"),
    ({"opponents": "club"}, "club cannot play in a batch"),
    ({"opponents": 3}, "opponents are one name, or a list of names, not 3"),
    ({"opponents": [None, "casual"]}, "opponents are one name, or a list of names"),
    ({"seat": 3}, "there is no seat 3; the seats are 0 to 2"),
    ({"illegal": "forgives"}, "an illegal move ends or raises, it does not 'forgives'"),
])  # fmt: skip
def test_what_makes_no_environment_is_refused_with_a_reason(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(TeerlingError) as refused:
        AgentEnv(GAME, players=3, **wrong)
    assert str(refused.value).startswith(said)


def test_many_matches_at_once_are_a_batch_with_autoreset() -> None:
    env: Any = gymnasium.make_vec(NAME, num_envs=32, players=3, opponents="random")
    assert isinstance(env, AgentsEnv)
    assert env.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
    observations, infos = env.reset(seed=3)
    assert env.observation_space.contains(observations)
    ends = 0
    for _ in range(80):
        kept = observations.copy()
        assert env.action_space.contains(env.batch.random_moves())
        after, rewards, terminations, truncations, infos = env.step(env.batch.random_moves())
        assert np.array_equal(observations, kept), "what was handed out stays as it was"
        observations = after
        assert env.single_observation_space.contains(observations[0])
        assert not truncations.any()
        assert infos["action_mask"].shape == (32, 7)
        for row in np.flatnonzero(terminations):
            seat = row % 3
            assert rewards[row] == env.batch.rewards[row, seat]
            won = infos["final_obs"][row][env_names().index("self pawns")] >= 1
            assert won == (rewards[row] == 1)
            ends += 1
        assert (rewards[~terminations] == 0).all()
    assert ends > 20


def env_names() -> list[str]:
    return teerling.lab.encoding_of(teerling.game(GAME)).names(3)


def test_without_copies_the_batchs_own_arrays_are_handed_out() -> None:
    env = AgentsEnv(GAME, num_envs=4, players=3, seat=1, copy=False)
    first, _ = env.reset(seed=3)
    assert set(env.batch.turn) == {1}
    second, *_ = env.step(env.batch.random_moves())
    assert first is second
    with pytest.raises(TeerlingError, match="one seed"):
        env.reset(seed=[1, 2, 3, 4])


def test_a_batch_tells_of_the_end_of_a_match_what_gymnasiums_own_vector_tells() -> None:
    same_step = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": AutoresetMode.SAME_STEP}}
    ours, theirs = gymnasium.make_vec(NAME, num_envs=3), gymnasium.make_vec(NAME, num_envs=3, **same_step)
    told, expected = first_end(ours), first_end(theirs)
    assert told.keys() == expected.keys()
    assert told["final_info"].keys() == expected["final_info"].keys()
    for name in ("action_mask", "seat", "scores", "ranks"):
        found, known = told["final_info"][name], expected["final_info"][name]
        assert (found.shape, found.dtype.kind) == (known.shape, known.dtype.kind)
        assert not found[~told["final_info"][f"_{name}"]].any()
    row = int(told["_final_info"].argmax())
    assert told["final_info"]["ranks"][row].min() == 1
    assert told["final_info"]["seat"][row] == row


def first_end(env: Any) -> dict[str, Any]:
    """The info of the first step in which a match ends."""
    _, info = env.reset(seed=1)
    while "final_obs" not in info:
        *_, info = env.step(info["action_mask"].argmax(axis=1))
    found: dict[str, Any] = info
    return found


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("many", [False, True])
def test_a_copy_goes_on_as_its_original_does_and_by_itself(copied: Callable[[Any], Any], many: bool) -> None:
    env = gymnasium.make_vec(NAME, num_envs=3) if many else gymnasium.make(NAME)
    _, info = env.reset(seed=3)
    twin = copied(env)
    assert whole(twin, info) == whole(env, info)


def whole(env: Any, info: dict[str, Any]) -> list[Any]:
    """First legal moves until a match is over: what was told."""
    told, over = [], np.zeros(1, np.bool_)
    while not np.any(over):
        observation, reward, over, _, info = env.step(info["action_mask"].argmax(axis=-1))
        told += [observation.tolist(), np.asarray(reward).tolist(), info["action_mask"].tolist()]
    return [*told, info.get("final_info", info)["scores"].tolist()]
