"""OpenSpiel's own tests, and what it is told."""

import pickle

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import generate_playthrough, mcts

import teerling
import teerling.envs.openspiel as envs
from teerling.errors import TeerlingError
from teerling.lab.observations import numbers
from tests.variants import GAMES, play

SHORT = {
    "ra": "teerling_ra(players=2)",
    "priests": "teerling_priests(players=2)",
    "radice": "teerling_radice(players=2,sun_steps=4)",
    "dicerun": "teerling_dicerun(players=2)",
    "rapido": "teerling_rapido(players=2,goal=5)",
}


@pytest.mark.parametrize("game", GAMES)
def test_openspiels_simulation_test_passes(game: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(SHORT[game]), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("game", GAMES)
def test_openspiels_search_finds_a_move(game: str) -> None:
    spiel = pyspiel.load_game(SHORT[game])
    state = spiel.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[-1][0])
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = mcts.MCTSBot(spiel, 1.4, 4, evaluator, random_state=np.random.RandomState(1))
    assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize("game", [
    pytest.param(game, marks=[] if game == "rapido" else pytest.mark.slow) for game in GAMES
])  # fmt: skip
def test_openspiels_playthrough_is_written(game: str) -> None:
    text = generate_playthrough.playthrough(SHORT[game], action_sequence=None, seed=1)
    assert 'GameType.long_name = "' in text
    assert "Returns() = [" in text


def test_a_match_goes_as_it_goes_here() -> None:
    match = teerling.new("dicerun", players=3, seed=4)
    *_, match = play(match)
    state = pyspiel.load_game("teerling_dicerun(players=3)").new_initial_state()
    for place, move in enumerate(match.history):
        before = match.upto(place)
        if place % 25 == 0:
            for seat in range(3):
                seen = "; ".join(str(each) for each in before.history_of(seat))
                assert state.information_state_string(seat) == seen
                known = numbers(before, seat)
                assert np.array_equal(np.array(state.observation_tensor(seat), np.float32), known)
        assert state.is_chance_node() == before.is_chance
        if before.is_chance:
            assert state.chance_outcomes() == [(each.id, float(odds)) for each, odds in before.chances]
        else:
            assert state.legal_actions() == [each.id for each in before.legal_moves]
        assert state.action_to_string(move.id) == move.text
        state.apply_action(move.id)
    assert state.is_terminal()
    assert state.returns() == [(seat in match.winners) / len(match.winners) for seat in range(3)]


def test_states_and_games_are_written_down_and_read_again() -> None:
    game = pyspiel.load_game("teerling_priests(players=3,building_colours=3,fame=hidden)")
    state = game.new_initial_state()
    for _ in range(12):
        action = state.chance_outcomes()[0][0] if state.is_chance_node() else state.legal_actions()[0]
        state.apply_action(action)
    for again in (
        game.deserialize_state(state.serialize()),
        pickle.loads(pickle.dumps(state)),
        state.clone(),
    ):
        assert str(again) == str(state)
        assert again.information_state_string(1) == state.information_state_string(1)
    assert str(pyspiel.load_game(str(game)).new_initial_state()) == str(game.new_initial_state())


def test_options_are_parameters() -> None:
    deck = "teerling_dicerun(players=3,deck=3/4/6/8/8/8,variable_missions=True)"
    assert '"deck"' in str(pyspiel.load_game(deck).new_initial_state())
    with pytest.raises(TeerlingError, match="option goal is a number from 5 to 100, not 3"):
        pyspiel.load_game("teerling_rapido(goal=3)")
    with pytest.raises(TeerlingError, match="Ra is for 2 to 5 players, not 9"):
        pyspiel.load_game("teerling_ra(players=9)")


def test_a_game_from_elsewhere_is_registered_by_hand() -> None:
    from tests.sixth.pig import game

    assert envs.register(game) == "teerling_pig"
    pyspiel.random_sim_test(
        pyspiel.load_game("teerling_pig(goal=10)"), num_sims=1, serialize=True, verbose=False
    )
