"""Fitting evaluation: the same seed finds the same weights, and they are less surprised by who wins."""

import json
import subprocess
import sys

import numpy as np
import pytest

import teerling
from teerling.engine.compile import EVALUATION
from teerling.errors import TeerlingError
from teerling.lab.fit import fit, in_other_games, play
from teerling.players.parameters import FITTED, as_array, evaluation_of, parameters_for

GAMES = [game.id for game in teerling.list_games() if evaluation_of(game).__name__ != EVALUATION]


def quiet(line: str) -> None:
    pass


@pytest.mark.parametrize("id", GAMES)
def test_the_weights_that_were_found_are_those_that_the_evaluation_uses(id: str) -> None:
    game = teerling.game(id)
    record = json.loads((game.folder / FITTED).read_text())
    assert list(record["weights"]) == list(evaluation_of(game).WEIGHTS)
    assert record["command"].startswith(f"python -m teerling.lab.fit {id} --seed ")
    assert parameters_for(game).weights == record["weights"]


@pytest.mark.parametrize("id", GAMES)
def test_the_evaluation_knows_more_than_nothing_and_more_than_it_began_with(id: str) -> None:
    game = teerling.game(id)
    told = in_other_games(game, parameters_for(game).weights, games=300, seed=9)
    assert told["with_these"] < told["with_the_first_weights"] < told["knowing_nothing"]


def test_what_was_recorded_of_the_weights_is_found_again() -> None:
    game = teerling.game("radice")
    record = json.loads((game.folder / FITTED).read_text())
    words = record["command"].split()
    seed, games = (int(words[words.index(name) + 1]) for name in ("--seed", "--games"))
    assert in_other_games(game, record["weights"], games, seed + 1) == record["surprise_in_other_games"]


def test_the_same_seed_finds_the_same_weights_and_another_seed_others() -> None:
    game = teerling.game("radice")
    one, again, other = (fit(game, seed, games=60, tell=quiet) for seed in (1, 1, 2))
    assert one == again != other
    assert list(one) == list(evaluation_of(game).WEIGHTS)


def test_surprise_is_the_mean_of_the_logarithms_of_what_winners_were_given() -> None:
    game = teerling.game("ra")
    begun = play(game, players=3, games=20, seed=1)
    weights = as_array(parameters_for(game).weights)
    surprises = []
    for number, shares in enumerate(begun.shares):
        state = game.rules.State.from_array(begun.states, number)
        points = [0.0] * 3
        error = evaluation_of(game).evaluate(state, parameters_for(game).values_array, weights, points)
        likely = np.exp(np.array(points) / error)
        surprises.append(-float(shares @ np.log(likely / likely.sum())))
    assert len(surprises) == 20 * 2, "the second and the third epoch of every match"
    assert begun.surprise(weights) == pytest.approx(np.mean(surprises))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("nothing", "there is no game"),
        ("rapido", "Rapido has no evaluation"),
        ("ra --games 0", "games is a number from 1"),
        ("ra --seed -1", "seed is a number from 0"),
    ],
)
def test_nonsense_is_refused_in_a_sentence_and_overwrites_nothing(words: str, sentence: str) -> None:
    files = {id: (teerling.game(id).folder / FITTED).read_bytes() for id in GAMES}
    command = [sys.executable, "-m", "teerling.lab.fit", *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert files == {id: (teerling.game(id).folder / FITTED).read_bytes() for id in GAMES}


def test_a_game_without_an_evaluation_has_nothing_to_fit() -> None:
    from tests.sixth.pig import game

    with pytest.raises(TeerlingError, match="no evaluation"):
        fit(game, tell=quiet)
