"""Tuning: the same seed finds the same values, and nothing is overwritten by nonsense."""

import json
import subprocess
import sys

import numpy as np
import pytest

import teerling
from teerling.errors import TeerlingError
from teerling.lab.tune import compare, tune
from teerling.players.parameters import TUNED, PolicyParameters, parameters_for, policy_of

GAMES = [game.id for game in teerling.list_games()]
SMALL = {"rounds": 2, "rivals": 4, "games": 40}


def quiet(line: str) -> None:
    pass


@pytest.mark.parametrize("id", GAMES)
def test_the_values_that_were_found_are_those_that_the_policy_weighs_with(id: str) -> None:
    game = teerling.game(id)
    record = json.loads((game.folder / TUNED).read_text())
    assert list(record["values"]) == list(policy_of(game).VALUES)
    assert record["command"].startswith(f"python -m teerling.lab.tune {id} --players ")
    assert parameters_for(game).values == record["values"]


def test_the_same_seed_finds_the_same_values_and_another_seed_others() -> None:
    game = teerling.game("rapido")
    one, again, other = (tune(game, 3, seed, tell=quiet, **SMALL) for seed in (1, 1, 2))
    assert one == again != other
    assert list(one.values) == list(policy_of(game).VALUES)


@pytest.mark.parametrize("id", ["rapido", "radice"])
def test_what_was_recorded_of_the_values_is_found_again(id: str) -> None:
    game = teerling.game(id)
    record = json.loads((game.folder / TUNED).read_text())
    words = record["command"].split()
    players, seed = (int(words[words.index(name) + 1]) for name in ("--players", "--seed"))
    told = record["against_the_values_it_began_with"]
    begun = PolicyParameters(dict(policy_of(game).VALUES))
    share, error = compare(game, players, parameters_for(game), begun, told["games"], seed + 1)
    assert (round(share, 4), round(error, 4)) == (told["win_rate"], told["interval"])


def test_a_policy_that_wants_to_lose_is_found_out() -> None:
    game = teerling.game("rapido")
    found = parameters_for(game)
    worse = PolicyParameters({name: -value for name, value in found.values.items()}, found.temperature)
    share, error = compare(game, 4, worse, found, 800, seed=1)
    assert share + error < 0.25
    assert np.isclose(compare(game, 4, found, found, 800, seed=1)[0], 0.25, atol=0.05)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("nothing", "there is no game"),
        ("rapido --players 9", "players"),
        ("rapido --players 0", "players"),
        ("rapido --games 0", "games is a number from 4"),
        ("rapido --rounds 0", "rounds is a number from 1"),
        ("rapido --rivals 1", "rivals is a number from 2"),
        ("rapido --seed -1", "seed is a number from 0"),
    ],
)
def test_nonsense_is_refused_in_a_sentence_and_overwrites_nothing(words: str, sentence: str) -> None:
    files = {id: (teerling.game(id).folder / TUNED).read_bytes() for id in GAMES}
    command = [sys.executable, "-m", "teerling.lab.tune", *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert files == {id: (teerling.game(id).folder / TUNED).read_bytes() for id in GAMES}


def test_a_game_without_a_policy_has_nothing_to_tune() -> None:
    from tests.sixth.pig import game

    with pytest.raises(TeerlingError, match="no policy"):
        tune(game, 2, tell=quiet, **SMALL)
