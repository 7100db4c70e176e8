"""The front door: new, at, push, pop, and what a match answers."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import teerling
from teerling import CHANCE, Move


def test_a_new_match_waits_for_the_first_decision() -> None:
    match = teerling.new("ra", players=4, seed=7)
    assert match.turn in range(4)
    assert not match.over
    assert match.winners == ()
    assert all(move.chance for move in match.history)


@pytest.mark.parametrize("players", [1, 6, 3.0, "4", True])
def test_a_number_of_players_that_is_none_is_refused(players: Any) -> None:
    with pytest.raises(teerling.BadPlayers, match=f"Ra is for 2 to 5 players, not {players!r}"):
        teerling.new("ra", players=players)


@pytest.mark.parametrize("game", ["chess", 3, None, ["ra"]])
def test_what_is_no_game_is_refused(game: Any) -> None:
    with pytest.raises(teerling.UnknownGame, match="there is no game"):
        teerling.new(game)


def test_without_a_number_of_players_as_many_sit_down_as_usually_play() -> None:
    assert teerling.new("ra", seed=1).players == 4
    many = replace(teerling.game("ra"), players=range(5, 9))
    few = replace(teerling.game("ra"), players=range(2, 4))
    assert (many.usual_players, few.usual_players) == (5, 3)


def test_a_move_is_pushed_as_itself_as_text_or_as_id() -> None:
    for move in (Move(0, "draw"), "draw", " DRAW ", 0):
        match = teerling.new("ra", players=4, seed=7)
        match.push(move)
        assert match.history[-2] == Move(0, "draw")


def test_a_move_knows_its_parts() -> None:
    move = teerling.game("ra").move("take step pyramid")
    assert move.parts == ("take", "step", "pyramid")
    assert str(move) == move.text
    assert move.veiled.text == "take ?"


@pytest.mark.parametrize("nonsense", ["bidd 13", "", -1, 10**6, 1.5, None, True, Move(3, "draw"), ["draw"]])
def test_what_is_no_move_at_all_is_refused_by_name(nonsense: object) -> None:
    match = teerling.new("ra", players=4, seed=7)
    before = match.save()
    with pytest.raises(teerling.UnknownMove, match="is not a move of Ra"):
        match.push(nonsense)  # type: ignore[arg-type]
    assert match.save() == before


def test_a_typing_error_gets_a_suggestion() -> None:
    with pytest.raises(teerling.UnknownMove, match="did you mean 'bid 13'"):
        teerling.new("ra", players=4, seed=7).push("bid13")


def test_an_illegal_move_says_why_with_its_rule() -> None:
    match = teerling.new("ra", players=4, seed=7)
    with pytest.raises(
        teerling.IllegalMove, match=r"bid 13 is not possible now: no auction is on \(RA-12\)"
    ) as info:
        match.push("bid 13")
    assert info.value.why is not None
    assert info.value.why.rule == "RA-12"


def test_an_outcome_can_not_be_pushed_when_nothing_is_left_to_chance() -> None:
    match = teerling.new("ra", players=4, chance="manual")
    with pytest.raises(teerling.IllegalMove, match="nature is to answer first"):
        match.push("draw")
    for stack in ("stack 1", "stack 2", "stack 3"):
        match.push(stack)
    with pytest.raises(teerling.IllegalMove, match="nothing is left to chance"):
        match.push("tile nile")


def test_nothing_can_be_pushed_when_the_match_is_over() -> None:
    match = teerling.at("ra", {"players": 3, "epoch": 3, "ra_row": 7}, chance="manual")
    match.push("draw")
    match.push("tile ra")
    assert match.turn is None
    with pytest.raises(teerling.IllegalMove, match="the match is over"):
        match.push("draw")


def test_pop_takes_back_the_last_decision_with_natures_answers() -> None:
    match = teerling.new("ra", players=4, seed=7)
    before = match.save()
    match.push("draw")
    assert match.history[-1].chance
    assert match.pop() == Move(0, "draw")
    assert match.save() == before
    with pytest.raises(teerling.NothingToTakeBack):
        match.pop()


def test_by_hand_pop_takes_back_one_push() -> None:
    match = teerling.new("ra", players=3, chance="manual")
    match.push("stack 1")
    match.push("stack 2")
    assert match.pop().text == "stack 2"
    assert [move.text for move in match.history] == ["stack 1"]


def test_a_preview_waits_for_nature() -> None:
    match = teerling.new("ra", players=4, seed=7)
    after = match.preview("draw")
    assert after.turn == CHANCE
    assert dict(after.chances)[Move(0, "tile ra", True)] == Fraction(30, 180)


def test_a_copy_has_no_nature() -> None:
    match = teerling.new("ra", players=4, seed=7)
    copy = match.copy()
    copy.push("draw")
    assert copy.turn == CHANCE
    assert copy.seal == match.seal


def test_a_seat_that_does_not_exist_is_refused() -> None:
    match = teerling.new("ra", players=3, seed=1)
    for seat in (3, -1, True):
        with pytest.raises(teerling.BadPlayers, match="the seats are 0 to 2"):
            match.view(seat)


def test_an_unknown_game_is_refused_with_a_suggestion() -> None:
    with pytest.raises(teerling.UnknownGame, match="did you mean rapido"):
        teerling.new("rapid")
    with pytest.raises(teerling.UnknownGame, match="there are ra, priests, radice, dicerun, rapido"):
        teerling.game("go")


def test_an_option_out_of_range_or_unknown_is_refused() -> None:
    with pytest.raises(teerling.BadOption, match="option fame is open or hidden, not secret"):
        teerling.new("ra", fame="secret")
    with pytest.raises(teerling.BadOption, match="Ra has no option goal; its options are fame"):
        teerling.new("ra", goal=3)


@pytest.mark.parametrize(
    ("chance", "seed"), [("fair", None), ("manual", 3), ("sealed", ""), ("sealed", "a\nb"), ("sealed", "7 ")]
)
def test_chance_that_can_not_be_is_refused(chance: str, seed: str | None) -> None:
    with pytest.raises(teerling.TeerlingError):
        teerling.new("ra", players=3, chance=chance, seed=seed)


def test_score_lines_tell_where_points_came_from() -> None:
    seats = [{"tiles": {"pharaoh": 2, "gold": 1}}, {}, {}]
    match = teerling.at("ra", {"players": 3, "ra_row": 7, "seats": seats}, chance="manual")
    match.push("draw")
    match.push("tile ra")
    lines = [(line.data["points"], line.data["line"], line.rule) for line in match.score_lines(0)]
    assert (5, "pharaohs", "RA-32") in lines
    assert (3, "gold", "RA-35") in lines


def test_calling_the_package_of_games_lists_them() -> None:
    import teerling.games.ra

    assert [game.id for game in teerling.list_games()][:5] == ["ra", "priests", "radice", "dicerun", "rapido"]
    assert teerling.games.ra.game is teerling.game("ra")  # type: ignore[attr-defined]


@pytest.mark.rule("G-04")
def test_tiles_are_given_up_one_at_a_time() -> None:
    seats = [{"tiles": {"art": 2, "writing": 2}}, {}, {}]
    match = teerling.at("ra", {"players": 3, "row": ["unrest"], "seats": seats}, chance="manual")
    for move in ("invoke", "pass", "pass", "bid 2", "discard art"):
        match.push(move)
    assert match.turn == 0
    assert match.position()["owed"] == 1


def test_whether_nature_is_to_answer() -> None:
    match = teerling.new("ra", players=3, seed=7)
    assert not match.is_chance
    after = match.preview("draw")
    assert after.is_chance
    after.push("tile ra")
    assert not after.is_chance


def test_a_match_entered_by_hand_goes_on_by_a_nature_that_would_have_answered_the_same() -> None:
    played = teerling.new("ra", players=3, seed=7)
    played.push("draw")
    match = teerling.new("ra", players=3, chance="manual")
    for move in played.history[:-1]:
        match.push(move)
    match.entrust(teerling.Sealed(7))
    assert (match.history, match.pushes, match.seed, match.seal) == (
        played.history, played.pushes, "7", played.seal,
    )  # fmt: skip
    assert match.pop().text == "draw"


def test_a_nature_that_would_have_answered_otherwise_is_refused_and_nothing_changes() -> None:
    match = teerling.new("ra", players=3, chance="manual")
    for move in teerling.new("ra", players=3, seed=7).history:
        match.push(move)
    before = match.save()
    with pytest.raises(teerling.WrongOutcome, match="by the seed, nature's answer here is stack") as refused:
        match.entrust(teerling.Sealed(11))
    assert refused.value.place == 1
    assert (match.save(), match.seed, match.seal) == (before, None, None)


def test_the_front_door_has_all_it_names_and_the_games_are_a_package() -> None:
    assert all(hasattr(teerling, name) for name in teerling.__all__)
    assert teerling.games.__name__ == "teerling.games"
    assert not callable(teerling.games)
    with pytest.raises(AttributeError, match="has no attribute 'nobody'"):
        teerling.__getattr__("nobody")


def test_the_players_are_not_loaded_before_somebody_asks_for_them() -> None:
    script = (
        "import sys, teerling; teerling.new('ra', seed=1).push('draw');"
        "print('teerling.players' in sys.modules); teerling.player('casual');"
        " print('teerling.players' in sys.modules, 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]
