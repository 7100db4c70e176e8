"""Compiles what tests need before they begin: `python -m tests.warm_up`.

Two test workers that need the same code at the same time would both compile it. Here every game with a
target is compiled in one process, and the code stays in the user's cache for the next time.
"""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import teerling
from teerling.lab.fit import in_other_games
from teerling.lab.luck import Line
from teerling.lab.simulate import cores, simulate
from teerling.lab.tune import compare
from teerling.players.parameters import parameters_for
from teerling.players.ready import warm_up
from tests import test_parity, test_policies
from tests.lab import test_luck
from tests.million import unsound_game
from tests.players import test_search
from tests.sixth import pig
from tests.variants import Variant


def compile_for_play(id: str) -> None:
    """What players, hints and the lab run."""
    game, parameters = teerling.game(id), parameters_for(teerling.game(id))
    warm_up(game, hints=True)
    simulate(game, games=2, threads=1)
    compile_batches(game)
    compare(game, 2, parameters, parameters, games=2, seed=1)
    Line(test_luck.played(id, 2)).play(1)
    test_luck.mean_luck(id, 2, matches=1, seed=1)
    if parameters.weights:
        in_other_games(game, parameters.weights, games=2, seed=1)


def compile_batches(game: teerling.Game) -> None:
    """What batches and environments run."""
    batch = teerling.batch(game, size=1)
    batch.step(batch.random_moves())
    batch.observe(batch.turn)
    assert len(batch.observations)


def compile_with_checks(id: str) -> None:
    """What tests compare with the interpreted rules."""
    variant = Variant(id, teerling.game(id).players[-1])
    test_parity.test_interpreted_and_compiled_rules_agree_after_every_step(variant)
    unsound_game(variant, 1)
    if variant in test_policies.WITH_POLICY:
        test_policies.test_the_advice_is_the_same_interpreted_and_compiled(variant)
    if id in test_policies.WITH_EVALUATION:
        test_policies.test_the_evaluation_is_the_same_interpreted_and_compiled(id)
    test_search.checked_tree(next(test_search.some_choices(id))).grow(1, float("inf"))


def compile_the_sixth(id: str) -> None:
    """What players and hints run in a game from elsewhere."""
    warm_up(teerling.register(pig.game), hints=True)
    simulate(id, games=2, threads=1)
    compile_batches(pig.game)


def size_of(game: teerling.Game) -> int:
    """The larger its rules, the longer it takes to compile a game."""
    return Path(str(game.rules.__file__)).stat().st_size


if __name__ == "__main__":
    games = sorted(teerling.list_games(), key=size_of, reverse=True)
    tasks: list[tuple[Callable[[str], None], str]] = [
        (compile_it, game.id) for game in games for compile_it in (compile_for_play, compile_with_checks)
    ]
    tasks.append((compile_the_sixth, pig.game.id))
    with ProcessPoolExecutor(cores()) as pool:
        running = [pool.submit(*task) for task in tasks]
    for (_, id), done in zip(tasks, running, strict=True):
        if error := done.exception():
            print(f"{id} could not be compiled, its tests will say why: {error!r}")
