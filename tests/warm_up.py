"""Compiles all that tests need before they begin, a game with a target in one process, so that no two do it."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np

import teerling
from teerling.engine.compile import FORESIGHT
from teerling.lab import fit, tune
from teerling.lab.simulate import cores, simulate
from teerling.players.advice import advice_for, foresight_of
from teerling.players.ready import warm_up
from tests import million, test_parity, test_policies
from tests.players import test_search
from tests.variants import Variant


def compile_for_play(id: str) -> None:
    """What players, hints and the lab run."""
    game = teerling.game(id)
    warm_up(game, hints=True)
    simulate(game, games=2, threads=1)
    values = np.array([advice_for(game).array] * 2)
    tune.Duels(game, 2).play(values, np.ones(2), tune.one_against_all(2, 2), 1)
    if foresight_of(game).__name__ != FORESIGHT:
        fit.play(game, 2, 1, 1).surprise(advice_for(game).hopes_array)


def compile_with_checks(id: str) -> None:
    """What tests compare with the interpreted rules."""
    game = teerling.game(id)
    variant = Variant(id, game.players[-1])
    test_parity.test_interpreted_and_compiled_rules_agree_after_every_step(variant)
    million.unsound_game(variant, 1)
    test_policies.test_the_advice_is_the_same_interpreted_and_compiled(variant)
    if foresight_of(game).__name__ != FORESIGHT:
        test_policies.test_foresight_is_the_same_interpreted_and_compiled(id)
    test_search.test_bounds_hold_in_the_tree_and_change_nothing(id, test_search.Manner())


if __name__ == "__main__":
    ids = ("dicerun", "ra", "priests", "radice", "rapido")
    with ProcessPoolExecutor(cores(), max_tasks_per_child=1) as pool:
        work = [
            pool.submit(compile_it, id)
            for id in ids
            for compile_it in (compile_with_checks, compile_for_play)
        ]
        for done in work:
            done.result()
