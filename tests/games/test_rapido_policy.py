"""What a sensible player does in Rapido."""

import pytest

from teerling import Match
from tests.games.test_rapido import at
from tests.test_policies import advised


def advice(match: Match) -> dict[str, float]:
    """What the policy thinks of every legal move, by its text."""
    return {match.game.move(move).text: worth for move, worth in advised(match.game, match.state).items()}


def best(match: Match) -> str:
    found = advice(match)
    return max(found, key=lambda move: found[move])


@pytest.mark.parametrize("players", range(2, 7))
def test_the_best_throw_is_placed_where_it_counts(players: int) -> None:
    assert best(at(players, [5] * players, dice=[7, 6])) in ("place 3", "place 4", "place 5")


@pytest.mark.parametrize("players", range(2, 7))
def test_a_poor_throw_is_thrown_again_or_lies_low(players: int) -> None:
    assert best(at(players, [5] * players, dice=[2, 1])) in ("throw", "place 1")


def test_with_nothing_to_lose_by_an_x_throwing_again_is_worth_more() -> None:
    assert advice(at(4, dice=[4, 5]))["throw"] > advice(at(4, [9], dice=[4, 5]))["throw"]


def test_a_pair_that_would_win_is_thrown_off() -> None:
    match = at(4, [5, 19, 5, 5], lying={2: (1, 61)}, dice=[7, 5])
    assert best(match) in ("place 1", "place 0")


def test_a_throw_too_low_to_stop_a_win_is_thrown_again() -> None:
    """Only a higher throw can still stop the next player."""
    match = at(4, [5, 19, 5, 5], lying={2: (1, 61)}, dice=[4, 5])
    assert best(match) == "throw"


def test_a_field_that_wins_is_worth_more_than_steps() -> None:
    assert advice(at(4, [19], dice=[7, 6]))["place 2"] > 2 * advice(at(4, [10], dice=[7, 6]))["place 2"]


def test_throwing_off_a_leader_is_worth_more() -> None:
    behind = advice(at(4, [5, 3], lying={5: (1, 51)}, dice=[7, 5]))
    ahead = advice(at(4, [5, 12], lying={5: (1, 51)}, dice=[7, 5]))
    assert ahead["place 4"] > behind["place 4"]


def test_nothing_is_gained_by_throwing_at_an_own_pair() -> None:
    own = advice(at(2, [5, 5], lying={5: (0, 51)}, dice=[7, 5]))
    another = advice(at(2, [5, 5], lying={5: (1, 51)}, dice=[7, 5]))
    assert own["place 0"] == 0 < another["place 0"]
