"""What a game declares for the tests of all games."""

import pytest

import teerling
from tests.variants import GAMES


@pytest.mark.parametrize("id", GAMES)
def test_every_option_is_played_with_something_else_than_usual(id: str) -> None:
    game = teerling.game(id)
    varied = {name for options in game.tested for name in game.chosen_options(game.check_options(options))}
    assert varied == {option.name for option in game.options}


@pytest.mark.parametrize("id", GAMES)
def test_no_tested_options_are_the_usual_ones(id: str) -> None:
    game = teerling.game(id)
    assert all(game.chosen_options(game.check_options(options)) for options in game.tested)
