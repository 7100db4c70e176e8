"""What a sensible player does in Ra: The Dice Game."""

from typing import Any

from teerling import Match
from tests.games.test_radice import at
from tests.test_policies import advised


def advice(match: Match) -> dict[str, float]:
    """What the policy thinks of every legal move, by its text."""
    return {match.game.move(move).text: worth for move, worth in advised(match.game, match.state).items()}


def best(match: Match) -> str:
    found = advice(match)
    return max(found, key=lambda move: found[move])


def choosing(dice: str, throws: int = 2, **position: Any) -> Match:
    """A position in which dice may be thrown again."""
    return at(dice, phase="choosing dice", throws=throws, **position)


def test_four_of_civilisation_are_kept_and_the_fifth_die_is_thrown() -> None:
    dice = "civilisation civilisation civilisation civilisation nile"
    assert best(choosing(dice, seats=[{"pharaoh": 12, "nile": 12}, {}, {}])) == "throw purple"


def test_two_of_civilisation_and_an_ankh_are_not_torn_apart_by_one_without_markers() -> None:
    assert best(choosing("civilisation civilisation ankh nile sun", epoch=3, ra=10)) == "throw green"


def test_with_a_nile_marker_at_the_end_of_its_track_all_is_done_for_a_flood() -> None:
    match = choosing("civilisation civilisation ankh nile nile", ra=10, seats=[{"nile": 12}, {}, {}])
    assert best(match) == "throw yellow red"


def test_a_third_marker_in_a_column_comes_before_a_new_column() -> None:
    monuments = {"yellow": [0], "red": [0]}
    match = at("nile nile monument nile nile", monuments=monuments)
    assert best(match) == "build blue 1"


def test_a_full_column_is_no_concern() -> None:
    rows = {colour: [0, 0] for colour in ("yellow", "red", "blue", "green", "purple")}
    assert best(at("nile nile monument nile nile", monuments=rows)).startswith("build blue")


def test_a_seventh_column_at_the_end_comes_before_a_second_marker() -> None:
    match = at("nile nile monument nile nile", epoch=3, ra=11, monuments={"yellow": [0] * 6})
    assert best(match) in ("build blue 7", "build blue 8")


def test_a_flood_beside_a_high_nile_marker_is_worth_its_dice() -> None:
    match = at("nile nile nile sun monument", epoch=3, seats=[{"nile": 10}, {}, {}])
    assert best(match) == "flood"


def test_a_flood_at_the_start_of_the_nile_is_not_worth_the_steps() -> None:
    match = at("nile nile nile sun pharaoh", epoch=1, ra=0)
    assert best(match) == "done"


def test_a_first_marker_of_civilisation_saves_five_points_at_the_end_of_an_epoch() -> None:
    match = at("civilisation civilisation ankh ankh sun", ra=11)
    assert best(match).startswith("civilisation")


def test_two_ankhs_are_left_for_points_when_they_gain_less() -> None:
    match = at("pharaoh ankh ankh sun sun", epoch=3, ra=11, seats=[{"pharaoh": 9}, {}, {}])
    assert best(match) == "done"


def test_a_catastrophe_hits_what_others_have() -> None:
    floods = [{}, {"nile": 11, "floods": 1}, {"nile": 9, "floods": 1}]
    assert best(at("sun sun sun sun ankh", epoch=3, seats=floods)) == "catastrophe nile"


def test_the_marker_that_counts_least_is_removed() -> None:
    monuments = {"yellow": [1, 1], "red": [1], "blue": [1]}
    match = at(
        "sun sun sun sun nile", phase="removing markers", turn=1, catastrophe="monument", monuments=monuments
    )
    assert best(match) == "remove yellow 2"
