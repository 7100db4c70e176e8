"""What holds for the policy of every game."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import teerling
from teerling.engine import CHANCE, OVER
from teerling.engine.compile import POLICY, bind, bound_name
from teerling.players.advice import advice_for, policy_of
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
    mask = np.zeros(game.rules.DECISIONS, np.int8)
    for move in game.legal_moves(state):
        mask[move.id] = 1
    worth = np.full(game.rules.DECISIONS, np.nan)
    if compiled is None:
        policy_of(game).advise(state, advice_for(game).array, mask, worth)
    else:
        compiled.advise(state.to_array()[0], advice_for(game).array, mask, worth)
    return {int(move): float(worth[move]) for move in np.flatnonzero(mask)}


@pytest.mark.parametrize("variant", WITH_POLICY, ids=str)
def test_the_advice_is_the_same_interpreted_and_compiled(variant: Variant) -> None:
    game = teerling.game(variant.game)
    compiled = bind(game.rules.__name__, bound_name(POLICY, game.rules.__name__), "checked")
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
