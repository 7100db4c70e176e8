"""What holds for the policy of every game."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import teerling
from teerling.engine import CHANCE, OVER
from teerling.engine.compile import EVALUATION, bind
from teerling.engine.kernels.search import workspace_fields
from teerling.players.parameters import evaluation_of, parameters_for, policy_of, scratch_for
from tests.variants import VARIANTS, Variant

WITH_POLICY = [v for v in VARIANTS if hasattr(policy_of(teerling.game(v.game)), "VALUES")]


def decisions(variant: Variant, follow: float) -> Iterator[Any]:
    """The states of a match with a choice of moves; so often the advice is followed, else chance decides."""
    game = teerling.game(variant.game)
    chooser = random.Random(str(variant))
    state = variant.start()
    while state.turn != OVER:
        if state.turn == CHANCE:
            weights = game.weights(state)
            move = chooser.choices(range(len(weights)), weights)[0]
        else:
            moves = [move.id for move in game.legal_moves(state)]
            move = chooser.choice(moves)
            if len(moves) > 1:
                yield state
                if chooser.random() < follow:
                    worth = advised(game, state)
                    move = max(moves, key=lambda id: worth[id])
        game.rules.apply(state, move)


def advised(game: teerling.Game, state: Any, compiled: Any = None) -> dict[int, float]:
    """What the policy thinks of every legal move."""
    room = np.zeros(1, scratch_for(game))
    mask, worth, notes = (room[0][field] for field in ("mask", "worth", "notes"))
    for move in game.legal_moves(state):
        mask[move.id] = 1
    worth[:] = notes[:] = np.nan
    if compiled is None:
        policy_of(game).advise(state, parameters_for(game).values_array, mask, worth, notes)
    else:
        compiled.advise_at(state.to_array(), 0, parameters_for(game).values_array, room)
    return {int(move): float(worth[move]) for move in np.flatnonzero(mask)}


@pytest.mark.parametrize("variant", WITH_POLICY, ids=str)
def test_the_advice_is_the_same_interpreted_and_compiled(variant: Variant) -> None:
    game = teerling.game(variant.game)
    compiled = bind(game.rules.__name__, "teerling.engine.kernels.step", "checked")
    for state in decisions(variant, follow=0.5):
        worth = advised(game, state)
        assert np.isfinite(list(worth.values())).all()
        assert advised(game, state, compiled) == pytest.approx(worth)


@pytest.mark.parametrize("variant", WITH_POLICY, ids=str)
def test_the_advice_rests_on_what_the_player_may_know_and_changes_nothing(variant: Variant) -> None:
    game = teerling.game(variant.game)
    for state in decisions(variant, follow=0.5):
        before = state.copy()
        worth = advised(game, state)
        assert state == before
        assert advised(game, game.observed(state, state.turn)) == worth


WITH_EVALUATION = [game.id for game in teerling.list_games() if evaluation_of(game).__name__ != EVALUATION]


def evaluated(game: teerling.Game, seed: int) -> Iterator[tuple[Any, list[float], float]]:
    """The states of an advised match in which a stage begins, with its evaluation and the error of that."""
    evaluation, parameters, chooser = evaluation_of(game), parameters_for(game), random.Random(seed)
    state = game.start(3, game.check_options({}))
    before = evaluation.stage(state)
    while state.turn != OVER:
        if state.turn == CHANCE:
            weights = game.weights(state)
            move = chooser.choices(range(len(weights)), weights)[0]
        else:
            worth = advised(game, state)
            move = max(worth, key=lambda id: worth[id])
        game.rules.apply(state, move)
        if state.turn != OVER and evaluation.stage(state) > before > 0:
            points = [0.0] * state.players
            error = evaluation.evaluate(state, parameters.values_array, parameters.weights_array, points)
            yield state.copy(), points, error
        before = evaluation.stage(state)
    yield state, [float(score) for score in game.results(state)[0]], 0.0


def leads(points: Any) -> Any:
    """How far each is before the mean of all."""
    return np.array(points, float) - np.mean(points)


@pytest.mark.parametrize("id", WITH_EVALUATION)
def test_the_evaluation_comes_nearer_to_the_end_than_the_points_so_far(id: str) -> None:
    """A value that is weighed in the wrong unit makes it worse than knowing nothing."""
    game = teerling.game(id)
    errors, errors_of_now = [], []
    for seed in range(30):
        *stages, (_, end, _) = evaluated(game, seed)
        for state, points, _ in stages:
            errors += list(leads(points) - leads(end))
            errors_of_now += list(leads(game.results(state)[0]) - leads(end))
    assert len(errors) > 100
    assert np.std(errors) < np.std(errors_of_now)


@pytest.mark.parametrize("id", WITH_EVALUATION)
def test_the_evaluation_is_the_same_interpreted_and_compiled(id: str) -> None:
    game = teerling.game(id)
    compiled = bind(game.rules.__name__, "teerling.engine.kernels.step", "checked")
    parameters = parameters_for(game)
    *stages, _ = evaluated(game, seed=1)
    for state, points, error in stages:
        room = np.zeros(1, scratch_for(game, workspace_fields(game.players[-1])))
        arguments = state.to_array(), 0, parameters.values_array, parameters.weights_array, room
        assert compiled.evaluate_at(*arguments) == pytest.approx(error)
        assert room[0]["points"][: state.players] == pytest.approx(np.array(points))
