"""Interpreted and compiled rules agree in every field after every step."""

import random
from typing import Any

import numpy as np
import pytest

import teerling
from teerling.engine import CHANCE, OVER
from teerling.engine.compile import bind
from teerling.engine.kernels import playout as interpreted_playout
from teerling.engine.record import scratch
from teerling.game import SPECTATOR
from tests.variants import VARIANTS, Variant


class Compiled:
    """The compiled rules of a game, bounds checks on, on one record in an array."""

    def __init__(self, rules: Any, start: Any) -> None:
        self.step = bind(rules.__name__, "teerling.engine.kernels.step", "checked")
        self.states = start.to_array()
        self.room = np.zeros(1, scratch(rules.DECISIONS, rules.OUTCOMES))
        self.mask, self.padding = np.split(self.room[0]["mask"], [rules.DECISIONS])
        self.weights, self.more_padding = np.split(self.room[0]["weights"], [rules.OUTCOMES])

    def bytes(self) -> bytes:
        return bytes(self.states[0].tobytes())


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_interpreted_and_compiled_rules_agree_after_every_step(variant: Variant) -> None:
    game = teerling.game(variant.game)
    rules = game.rules
    chooser = random.Random(str(variant))
    options = game.encode_options(game.check_options(dict(variant.options)))
    empty = rules.State()
    empty.version = game.version
    compiled = Compiled(rules, empty)
    compiled.step.setup_at(compiled.states, 0, variant.players, np.array(options, np.int64))
    state = variant.start()
    while True:
        assert compiled.bytes() == state.to_bytes()
        assert rules.sound(state)
        compare_results(rules, compiled, state)
        seat = chooser.choice([SPECTATOR, *range(variant.players)])
        compare_observations(rules, compiled, state, seat)
        if state.turn == OVER:
            break
        if state.turn == CHANCE:
            weights = game.weights(state)
            compiled.step.chance_at(compiled.states, 0, compiled.room)
            assert compiled.weights.tolist() == weights
            assert not compiled.more_padding.any()
            move = chooser.choices(range(len(weights)), weights)[0]
        else:
            mask = [0] * rules.DECISIONS
            rules.legal(state, mask)
            compiled.step.legal_at(compiled.states, 0, compiled.room)
            assert compiled.mask.tolist() == mask
            assert not compiled.padding.any()
            assert set(mask) <= {0, 1}
            assert any(mask), "a player to move always has a move"
            move = chooser.choice([id for id, allowed in enumerate(mask) if allowed])
        rules.apply(state, move)
        compiled.step.apply_at(compiled.states, 0, move)


def compare_results(rules: Any, compiled: Compiled, state: Any) -> None:
    scores, ranks = [0] * state.players, [0] * state.players
    rules.results(state, scores, ranks)
    found_scores, found_ranks = np.zeros(state.players, np.int16), np.zeros(state.players, np.int8)
    compiled.step.results_at(compiled.states, 0, found_scores, found_ranks)
    assert [found_scores.tolist(), found_ranks.tolist()] == [scores, ranks]


def compare_observations(rules: Any, compiled: Compiled, state: Any, seat: int) -> None:
    seen = state.copy()
    rules.observe(seen, seat)
    states = state.to_array()
    compiled.step.observe_at(states, 0, seat)
    assert states[0].tobytes() == seen.to_bytes()
    rng = [12345]
    compiled.room["rng"] = rng
    rules.imagine(seen, seat, rng)
    compiled.step.imagine_at(states, 0, seat, compiled.room)
    assert states[0].tobytes() == seen.to_bytes()
    assert compiled.room[0]["rng"].tolist() == rng
    assert state.turn != seat or legal(rules, seen) == legal(rules, state)


def legal(rules: Any, state: Any) -> list[int]:
    mask = [0] * rules.DECISIONS
    rules.legal(state, mask)
    return mask


@pytest.mark.parametrize("game", teerling.list_games(), ids=lambda game: game.id)
def test_the_playout_kernel_plays_the_same_games_interpreted_and_compiled(game: teerling.Game) -> None:
    players = game.players[-1]
    start = game.start(players, game.check_options({}))
    kernel = bind(game.rules.__name__, "teerling.engine.kernels.playout")
    games = 3
    scores, ranks = np.zeros((games, players), np.int16), np.zeros((games, players), np.int8)
    lengths = np.zeros(games, np.int32)
    array = start.to_array()
    room = np.zeros(1, scratch(game.rules.DECISIONS, game.rules.OUTCOMES))
    kernel.playouts(array, array.copy(), room, 5, 10, scores, ranks, lengths)
    for index in range(games):
        state, steps = play_out_interpreted(game, start.copy(), 5, 10 + index)
        assert steps == lengths[index]
        assert game.results(state) == (tuple(scores[index].tolist()), tuple(ranks[index].tolist()))


def play_out_interpreted(game: teerling.Game, state: Any, seed: int, stream: int) -> tuple[Any, int]:
    """The kernel's own functions as plain Python, with this game's rules."""
    kernel = vars(interpreted_playout)
    names = ("apply", "chance", "legal", "results")
    before = {name: kernel[name] for name in names}
    kernel.update({name: getattr(game.rules, name) for name in names})
    try:
        rng = [0]
        interpreted_playout.start_stream(rng, seed, stream)
        mask, weights = [0] * game.rules.DECISIONS, [0] * game.rules.OUTCOMES
        return state, interpreted_playout.play_out(state, mask, weights, rng)
    finally:
        kernel.update(before)
