"""The rules of Rapido, each pinned by its id, and a second, naive telling of them to compare with."""

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import teerling
from teerling import CHANCE, Match
from teerling.engine import OVER
from teerling.engine.compile import bind
from teerling.engine.record import scratch
from teerling.games.rapido import rules
from teerling.games.rapido.tell import DECISIONS, OUTCOMES

Pairs = dict[int, tuple[int, int]]


def at(players: int = 4, steps: Sequence[int] = (), lying: Pairs | None = None, **position: Any) -> Match:
    """A position by the steps of its pawns and what lies where (field: seat and value)."""
    steps = [*steps, *[0] * (players - len(steps))]
    written = {
        "players": players,
        "seats": [{"step": step} for step in steps],
        "fields": {
            str(field): {"seat": seat, "value": value} for field, (seat, value) in (lying or {}).items()
        },
    }
    return teerling.at("rapido", {**written, **position}, chance="manual")


def push(match: Match, *moves: str) -> Match:
    for move in moves:
        match.push(move)
    return match


def throw(match: Match, a: object, b: object) -> Match:
    """Both dice of a throw; the one before it has been decided upon."""
    return push(match, f"die a {a}", f"die b {b}")


def again(match: Match, a: object, b: object) -> Match:
    return throw(push(match, "throw"), a, b)


def texts(match: Match) -> set[str]:
    return {move.text for move in match.legal_moves}


def lying(match: Match) -> Pairs:
    """What lies on the fields 1 to 5."""
    fields = match.position()["fields"].items()
    return {int(field): (pair["seat"], pair["value"]) for field, pair in fields}


def mover(match: Match) -> int:
    """Whose turn it is, while the dice roll too."""
    seat: int = match.position()["mover"]
    return seat


@pytest.mark.rule("RP-01")
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_rapido_is_for_two_to_six(players: int) -> None:
    assert teerling.new("rapido", players=players, seed=1).players == players


@pytest.mark.rule("RP-01")
@pytest.mark.parametrize("players", [0, 1, 7, -1, True])
def test_other_numbers_of_players_are_refused(players: int) -> None:
    with pytest.raises(teerling.BadPlayers, match="2 to 6 players"):
        teerling.new("rapido", players=players)


@pytest.mark.rule("RP-01")
def test_the_two_dice_of_a_pair_have_different_sides_each_as_likely() -> None:
    match = at()
    assert {str(move): p for move, p in match.chances} == {
        f"die a {side}": Fraction(1, 6) for side in "12347x"
    }
    push(match, "die a 7")
    assert {str(move): p for move, p in match.chances} == {
        f"die b {side}": Fraction(1, 6) for side in "12356x"
    }


@pytest.mark.rule("RP-01")
@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_everybody_has_one_pair(players: int) -> None:
    match = throw(at(players), 1, 2)
    push(match, "place 4")
    assert lying(match) == {4: (0, 21)}
    with pytest.raises(teerling.BadPosition, match="2 pairs of seat 1, who has 1"):
        at(players, lying={4: (1, 21), 3: (1, 21)})


@pytest.mark.rule("RP-02")
def test_all_pawns_start_on_0_and_no_dice_lie_on_the_fields() -> None:
    match = teerling.new("rapido", players=6, chance="manual")
    assert match.scores == (0,) * 6
    assert lying(match) == {}
    assert match.position()["bottom"] == []


@pytest.mark.rule("RP-02")
def test_it_is_21_steps_to_the_goal() -> None:
    match = throw(at(steps=[19]), 1, 1)
    assert not match.over
    again(match, 1, 1)
    assert match.over
    assert match.scores[0] == 21


@pytest.mark.rule("RP-02")
@pytest.mark.parametrize("goal", [5, 100])
def test_the_goal_is_an_option(goal: int) -> None:
    match = throw(at(steps=[goal - 2], options={"goal": goal}), 1, 1)
    assert not match.over
    assert match.options["goal"] == goal
    assert again(match, 1, 1).over


@pytest.mark.rule("RP-02")
@pytest.mark.parametrize("goal", [4, 101, 0, "x"])
def test_other_goals_are_refused(goal: object) -> None:
    with pytest.raises(teerling.BadOption, match="a number from 5 to 100"):
        teerling.new("rapido", goal=goal)


@pytest.mark.rule("RP-02")
def test_pawns_share_a_step() -> None:
    match = throw(at(steps=[2, 4, 4]), 2, 2)
    assert match.scores == (4, 4, 4, 0)


@pytest.mark.rule("RP-02")
def test_there_are_fields_0_to_5() -> None:
    assert texts(throw(at(), 1, 2)) == {"throw", *(f"place {field}" for field in range(6))}


@pytest.mark.rule("RP-03")
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_chance_picks_the_first_player_each_as_likely(players: int) -> None:
    match = teerling.new("rapido", players=players, chance="manual")
    chances = {str(move): p for move, p in match.chances}
    assert chances == {f"first {seat}": Fraction(1, players) for seat in range(players)}
    assert mover(push(match, f"first {players - 1}")) == players - 1


@pytest.mark.rule("RP-03")
@pytest.mark.parametrize("first", [0, 2])
def test_the_players_may_choose_who_begins(first: int) -> None:
    match = teerling.new("rapido", players=3, chance="manual", first=first)
    assert {str(move): p for move, p in match.chances} == {f"first {first}": Fraction(1)}
    assert match.position()["options"] == {"goal": 21, "first": first}
    assert teerling.at("rapido", match.position(), chance="manual").state == match.state
    sealed = teerling.new("rapido", players=3, seed=1, first=first)
    assert mover(sealed) == first
    assert teerling.load(sealed.save()).state == sealed.state


@pytest.mark.rule("RP-03")
def test_a_seat_that_nobody_has_cannot_begin() -> None:
    with pytest.raises(teerling.BadOption, match="there is no seat 3; the seats are 0 to 2"):
        teerling.new("rapido", players=3, first=3)
    with pytest.raises(teerling.BadPosition, match=r"options\.first: there is no seat 3"):
        teerling.at("rapido", {"players": 3, "options": {"first": 3}})


@pytest.mark.rule("RP-03")
def test_turns_go_clockwise() -> None:
    match = push(teerling.new("rapido", players=3, chance="manual"), "first 1")
    seats = []
    for _ in range(4):
        seats.append(mover(match))
        push(throw(match, 4, 5), "place 0")
    assert seats == [1, 2, 0, 1]


@pytest.mark.rule("RP-04")
def test_a_pair_on_3_lets_the_pawn_climb_3_and_is_taken_back() -> None:
    match = throw(at(steps=[0, 5], lying={3: (1, 41)}), 1, 2)
    push(match, "place 5")
    assert match.scores == (0, 8, 0, 0)
    assert lying(match) == {5: (0, 21)}
    assert mover(match) == 1


@pytest.mark.rule("RP-04")
@pytest.mark.parametrize("field", [1, 2, 3, 4, 5])
def test_a_pair_counts_its_field(field: int) -> None:
    match = throw(at(lying={field: (1, 76)}), 1, 2)
    assert push(match, "place 0").scores == (0, field, 0, 0)


@pytest.mark.rule("RP-04")
def test_a_pair_on_field_0_is_taken_back_for_nothing() -> None:
    match = throw(at(bottom=[1, 2]), 1, 2)
    push(match, "place 0")
    assert match.scores == (0, 0, 0, 0)
    assert match.position()["bottom"] == [0, 2]


@pytest.mark.rule("RP-04")
def test_on_the_first_turn_nothing_is_counted() -> None:
    match = push(teerling.new("rapido", players=3, chance="manual"), "first 2")
    assert match.scores == (0, 0, 0)
    push(throw(match, 3, 2), "place 5")
    assert match.scores == (0, 0, 0)


@pytest.mark.rule("RP-04")
def test_others_pairs_are_not_counted() -> None:
    match = throw(at(lying={3: (1, 70), 4: (2, 70), 5: (3, 70)}), 1, 2)
    assert push(match, "place 0").scores == (0, 3, 0, 0)


@pytest.mark.rule("RP-05")
@pytest.mark.parametrize(("a", "b", "value"), [(2, 6, 62), (7, 6, 76), (1, 3, 31), (3, 1, 31), (4, 5, 54)])
def test_the_higher_number_is_the_tens(a: int, b: int, value: int) -> None:
    match = push(throw(at(), a, b), "place 2")
    assert lying(match) == {2: (0, value)}


@pytest.mark.rule("RP-05")
def test_the_first_throw_of_a_turn_happens_by_itself() -> None:
    match = push(throw(at(), 1, 2), "place 0")
    assert match.turn == CHANCE
    assert texts(match) == {f"die a {side}" for side in "12347x"}
    assert throw(match, 1, 2).turn == 1


@pytest.mark.rule("RP-06")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_double_climbs_its_number_and_is_a_throw_like_any_other(number: int) -> None:
    match = throw(at(), number, number)
    assert match.scores == (number, 0, 0, 0)
    assert texts(match) == {"throw", *(f"place {field}" for field in range(6))}
    assert lying(push(match, "place 1")) == {1: (0, 11 * number)}


@pytest.mark.rule("RP-06")
def test_doubles_climb_on_every_valid_throw() -> None:
    match = again(again(throw(at(), 1, 1), 3, 3), 2, 2)
    assert match.scores == (6, 0, 0, 0)


@pytest.mark.rule("RP-06")
def test_two_xs_are_no_double() -> None:
    match = throw(at(steps=[4]), "x", "x")
    assert match.scores == (4, 0, 0, 0)
    assert match.score_lines() == ()


@pytest.mark.rule("RP-07")
def test_a_player_may_throw_as_often_as_wanted() -> None:
    match = throw(at(), 1, 2)
    for _ in range(300):
        again(match, 4, 5)
        assert match.turn == 0
        assert "throw" in texts(match)


@pytest.mark.rule("RP-07")
def test_who_is_on_turn_has_to_throw_or_place_and_field_0_is_always_possible() -> None:
    full = {field: (field, 70) for field in range(1, 6)}
    assert texts(throw(at(6, lying=full), 1, 2)) == {"throw", "place 0"}


@pytest.mark.rule("RP-07")
def test_the_last_throw_is_what_counts() -> None:
    match = push(again(throw(at(), 7, 6), 1, 2), "place 3")
    assert lying(match) == {3: (0, 21)}


@pytest.mark.rule("RP-08")
@pytest.mark.parametrize(("a", "b", "value"), [(7, "x", 70), ("x", 6, 60), ("x", "x", 0)])
def test_an_x_on_the_first_throw_counts_0(a: object, b: object, value: int) -> None:
    match = throw(at(steps=[4]), a, b)
    assert match.turn == 0
    assert match.scores == (4, 0, 0, 0)
    assert lying(push(match, "place 5")) == {5: (0, value)}


@pytest.mark.rule("RP-08")
def test_after_an_x_on_the_first_throw_one_may_throw_on() -> None:
    assert again(throw(at(), "x", 6), 3, 3).scores == (3, 0, 0, 0)


@pytest.mark.rule("RP-09")
@pytest.mark.parametrize(("a", "b", "lost"), [("x", 6, 1), (7, "x", 1), ("x", "x", 2)])
def test_a_later_x_is_one_step_down_each_and_ends_the_turn(a: object, b: object, lost: int) -> None:
    match = again(throw(at(steps=[9], lying={4: (2, 10)}), 7, 6), a, b)
    assert match.scores == (9 - lost, 0, 0, 0)
    assert mover(match) == 1
    assert lying(match) == {4: (2, 10)}
    assert match.position()["bottom"] == []


@pytest.mark.rule("RP-09")
def test_every_throw_after_the_first_is_a_later_one() -> None:
    match = again(again(throw(at(steps=[9]), "x", 6), 1, 2), "x", 6)
    assert match.scores == (8, 0, 0, 0)
    assert mover(match) == 1


@pytest.mark.rule("RP-09")
@pytest.mark.parametrize("step", [0, 1])
def test_nobody_goes_below_the_start(step: int) -> None:
    assert again(throw(at(steps=[step]), 7, 6), "x", "x").scores == (0, 0, 0, 0)


@pytest.mark.rule("RP-09")
def test_steps_of_doubles_are_kept_and_the_penalty_comes_off_them() -> None:
    match = again(throw(at(steps=[0]), 3, 3), "x", "x")
    assert match.scores == (1, 0, 0, 0)


@pytest.mark.rule("RP-09")
def test_the_next_turn_of_somebody_begins_with_a_first_throw() -> None:
    match = again(throw(at(3), 7, 6), "x", 6)
    assert throw(match, "x", 6).turn == 1


@pytest.mark.rule("RP-10")
def test_blue_with_62_may_use_all_fields_but_the_taken_3() -> None:
    match = throw(at(lying={3: (1, 41)}), 2, 6)
    assert texts(match) == {"throw", "place 0", "place 1", "place 2", "place 4", "place 5"}
    with pytest.raises(teerling.IllegalMove, match=r"seat 1 already lies on field 3.*\(RP-10\)"):
        match.push("place 3")


@pytest.mark.rule("RP-10")
def test_field_0_holds_any_number_of_pairs() -> None:
    match = at(6)
    for _ in range(5):
        push(throw(match, 7, 6), "place 0")
    assert match.position()["bottom"] == [0, 1, 2, 3, 4]
    match = at(2, bottom=[0])
    push(throw(match, 7, 6), "place 0")
    assert match.position()["bottom"] == [0, 0]


@pytest.mark.rule("RP-10")
def test_a_pair_may_lie_above_one_of_higher_value() -> None:
    match = push(throw(at(lying={3: (2, 76)}), 1, 2), "place 5")
    assert lying(match) == {3: (2, 76), 5: (0, 21)}


WHITE, RED, BLUE, BLACK = range(4)
ABOVE_AND_BELOW = {3: (RED, 70), 4: (BLUE, 61), 1: (BLACK, 41)}


@pytest.mark.rule("RP-11")
@pytest.mark.parametrize(
    ("field", "left"), [(5, {RED, BLUE, BLACK}), (2, {RED, BLACK}), (0, {RED})], ids=["on 5", "on 2", "on 0"]
)
def test_white_with_62_throws_off_what_lies_above_and_is_lower(field: int, left: set[int]) -> None:
    match = throw(at(mover=WHITE, lying=ABOVE_AND_BELOW), 2, 6)
    thrown_off = {RED, BLUE, BLACK} - left
    push(match, f"place {field}")
    assert {event.seat for event in match.events if event.kind == "thrown_off"} == thrown_off
    assert match.scores == (0, 3, 0, 0)  # red was next, and counted
    assert {seat for seat, _ in lying(match).values()} == {*left, *([WHITE] if field else [])} - {RED}


@pytest.mark.rule("RP-11")
def test_who_was_thrown_off_counts_nothing() -> None:
    match = push(throw(at(lying={4: (1, 41)}), 2, 6), "place 2")
    assert match.scores == (0, 0, 0, 0)
    assert lying(match) == {2: (0, 62)}
    assert push(throw(match, 1, 2), "place 5").turn == CHANCE


@pytest.mark.rule("RP-11")
@pytest.mark.parametrize(("value", "stays"), [(61, False), (62, False), (63, True)])
def test_equal_values_are_thrown_off_too(value: int, stays: bool) -> None:
    match = push(throw(at(lying={5: (3, value)}), 2, 6), "place 4")
    assert (5 in lying(match)) == stays


@pytest.mark.rule("RP-11")
def test_two_xs_throw_off_two_xs() -> None:
    match = push(throw(at(lying={5: (3, 0), 4: (2, 10)}), "x", "x"), "place 1")
    assert lying(match) == {1: (0, 0), 4: (2, 10)}


@pytest.mark.rule("RP-11")
def test_field_0_is_safe() -> None:
    match = push(throw(at(bottom=[2, 3]), 7, 6), "place 0")
    assert match.position()["bottom"] == [0, 2, 3]


@pytest.mark.rule("RP-12")
@pytest.mark.parametrize("step", [17, 18, 20])
def test_counting_to_the_goal_or_past_it_wins_before_anything_is_thrown(step: int) -> None:
    match = push(throw(at(steps=[0, step], lying={4: (1, 70)}), 1, 2), "place 5")
    assert match.over
    assert match.winners == (1,)
    assert match.scores == (0, 21, 0, 0)
    assert match.legal_moves == ()


@pytest.mark.rule("RP-12")
def test_one_step_short_of_the_goal_is_not_enough() -> None:
    match = push(throw(at(steps=[0, 16], lying={4: (1, 70)}), 1, 2), "place 5")
    assert not match.over
    assert match.scores[1] == 20


@pytest.mark.rule("RP-12")
@pytest.mark.parametrize("step", [18, 19, 20])
def test_a_double_wins_at_once_before_anything_is_placed(step: int) -> None:
    match = throw(at(steps=[step, 20]), 3, 3)
    assert match.over
    assert match.winners == (0,)
    assert match.scores == (21, 20, 0, 0)
    assert lying(match) == {}


@pytest.mark.rule("RP-12")
def test_a_double_wins_on_a_later_throw() -> None:
    assert again(throw(at(steps=[20]), "x", 6), 1, 1).winners == (0,)


@pytest.mark.rule("RP-12")
def test_nobody_has_won_before_the_goal_is_reached() -> None:
    match = at(steps=[20, 3])
    assert match.winners == ()
    assert match.ranks == (1, 2, 3, 3)


@pytest.mark.rule("G-02")
def test_other_places_go_by_the_step_reached() -> None:
    match = throw(at(6, steps=[20, 4, 9, 4, 0, 9]), 1, 1)
    assert match.ranks == (1, 4, 2, 4, 6, 2)


@pytest.mark.rule("RP-20")
def test_with_two_players_each_has_two_pairs_and_one_pawn() -> None:
    match = at(2)
    for field in (1, 2, 3, 4):
        push(throw(match, 4, 5), f"place {field}")
        assert match.scores == ((0, 0) if field < 4 else (4, 0))
    assert lying(match) == {2: (1, 54), 4: (1, 54)}
    with pytest.raises(teerling.BadPosition, match="3 pairs of seat 1, who has 2"):
        at(2, lying={1: (1, 21), 2: (1, 21)}, bottom=[1])


@pytest.mark.rule("RP-21")
def test_two_pairs_on_2_and_4_climb_6_and_are_taken_back() -> None:
    match = push(throw(at(2, lying={2: (1, 70), 4: (1, 70)}), 1, 2), "place 1")
    assert match.scores == (0, 6)
    assert lying(match) == {1: (0, 21)}


@pytest.mark.rule("RP-21")
def test_field_0_counts_as_a_field() -> None:
    match = push(throw(at(2, lying={3: (1, 70)}, bottom=[1]), 1, 2), "place 5")
    assert match.scores == (0, 3)
    assert match.position()["bottom"] == []
    match = push(throw(at(2, bottom=[1, 1]), 1, 2), "place 5")
    assert match.scores == (0, 0)
    assert match.position()["bottom"] == []


@pytest.mark.rule("RP-21")
def test_with_one_pair_on_a_field_nothing_is_counted_and_it_stays() -> None:
    match = push(throw(at(2, lying={3: (1, 70)}), 1, 2), "place 5")
    assert match.scores == (0, 0)
    assert lying(match) == {3: (1, 70), 5: (0, 21)}
    match = push(throw(at(2, bottom=[1]), 1, 2), "place 5")
    assert match.position()["bottom"] == [1]


@pytest.mark.rule("RP-21")
def test_the_sum_of_two_fields_wins_too() -> None:
    match = push(throw(at(2, steps=[0, 15], lying={2: (1, 70), 4: (1, 70)}), 1, 2), "place 0")
    assert match.winners == (1,)


@pytest.mark.rule("RP-22")
def test_the_pair_that_is_not_on_a_field_is_thrown_without_a_choice() -> None:
    for position in ({}, {"lying": {3: (0, 41)}}, {"bottom": [0]}):
        match = at(2, **position)
        assert match.turn == CHANCE
        assert texts(match) == {f"die a {side}" for side in "12347x"}


@pytest.mark.rule("RP-22")
def test_after_an_invalid_throw_the_other_pair_stays_where_it_is() -> None:
    match = again(throw(at(2, steps=[5], lying={3: (0, 41)}), 1, 2), "x", 6)
    assert lying(match) == {3: (0, 41)}
    assert match.scores == (4, 0)
    push(throw(match, 1, 2), "place 4")
    push(throw(match, 1, 2), "place 5")
    assert lying(match) == {3: (0, 41), 4: (1, 21), 5: (0, 21)}


@pytest.mark.rule("RP-23")
def test_red_on_2_leaves_the_own_green_and_throws_off_black() -> None:
    match = push(throw(at(2, lying={3: (0, 41), 4: (1, 41)}), 2, 6), "place 2")
    assert lying(match) == {2: (0, 62), 3: (0, 41)}


@pytest.mark.rule("RP-23")
def test_both_pairs_of_the_opponent_are_thrown_off_if_they_qualify() -> None:
    match = throw(at(2, lying={3: (1, 41), 5: (1, 62)}), 2, 6)
    assert lying(push(match, "place 1")) == {1: (0, 62)}
    assert match.scores == (0, 0)


@pytest.mark.rule("RP-23")
def test_an_own_pair_occupies_its_field() -> None:
    match = throw(at(2, lying={3: (0, 41)}), 2, 6)
    assert "place 3" not in texts(match)
    with pytest.raises(teerling.IllegalMove, match=r"already has a pair on field 3.*\(RP-23\)"):
        match.push("place 3")


@pytest.mark.rule("G-03")
def test_all_lies_open() -> None:
    match = throw(at(3, steps=[1, 2, 3], lying={3: (1, 41)}, bottom=[2]), 2, 6)
    assert match.view(0)["board"] == match.view(2)["board"] == match.view(None)["board"] == match.position()


@pytest.mark.rule("G-01")
def test_a_log_tells_every_step() -> None:
    names = ["Anne", "Bob", "Carl"]
    match = teerling.at("rapido", {"players": 3, "seats": [{"step": 1}, {"step": 18}, {}],
                                   "fields": {"4": {"seat": 1, "value": 76}, "5": {"seat": 2, "value": 21}}},
                        chance="manual", names=names)  # fmt: skip
    again(throw(match, "x", 6), "x", "x")
    assert match.log() == [
        "Anne throws X and 6: 60",
        "Anne throws again, X and X: not valid, nothing is placed",
        "Anne: −2 steps (X)",
        "Anne can go no lower than the start: +1 step",
        "Bob counts field 4 and takes the pair back",
        "Bob: +4 steps (counting)",
        "Bob can go no higher than the goal: −1 step",
        "Bob reaches the goal and wins the game",
    ]


def test_a_log_is_told_in_dutch_too() -> None:
    match = teerling.at("rapido", {"players": 2, "fields": {"4": {"seat": 1, "value": 31}}, "bottom": [1]},
                        chance="manual", names=["Anne", "Bob"])  # fmt: skip
    push(again(throw(match, 7, "x"), 3, 3), "place 5")
    push(throw(match, 7, 6), "place 2")
    assert match.log("nl") == [
        "Anne gooit 7 en X: 70",
        "Anne gooit nog eens, 3 en 3: 33",
        "Anne: +3 treden (dubbel)",
        "Anne legt 33 op veld 5",
        "Bob telt de velden 0 en 4 en neemt beide paren terug",
        "Bob: +4 treden (tellen)",
        "Bob gooit 7 en 6: 76",
        "Bob legt 76 op veld 2",
        "De 33 van Anne wordt van veld 5 gegooid",
    ]
    assert match.log("en")[-1] == "The 33 of Anne is thrown off field 5"


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ({}, "players is missing"),
        ({"players": 7}, "players is a number from 2 to 6"),
        ({"players": 3, "pawns": 1}, "pawns is not known here"),
        ({"players": 3, "options": {"goal": 4}}, "options.goal is a number from 5 to 100"),
        ({"players": 3, "options": {"stairs": 4}}, "options.stairs is not known"),
        ({"players": 3, "seats": [{}, {}]}, "seats has 3 entries"),
        ({"players": 3, "seats": [{"step": 22}, {}, {}]}, r"seats\[0\].step is a number from 0 to 21"),
        ({"players": 3, "seats": [{"step": -1}, {}, {}]}, r"seats\[0\].step is a number from 0 to 21"),
        ({"players": 3, "seats": [{"fame": 1}, {}, {}]}, r"seats\[0\].fame is not known"),
        ({"players": 3, "seats": [{"step": 21}, {}, {}]}, "phase is 'over' once"),
        ({"players": 3, "phase": "over"}, "one pawn on the goal"),
        ({"players": 3, "phase": "over", "seats": [{"step": 21}, {"step": 21}, {}]}, "one pawn on the goal"),
        (
            {"players": 3, "phase": "over", "mover": 1, "seats": [{"step": 21}, {}, {}]},
            "mover is 0 when nobody",
        ),
        ({"players": 3, "phase": "over", "dice": [1], "seats": [{"step": 21}, {}, {}]}, "dice is empty"),
        ({"players": 3, "phase": "bidding"}, "phase knows drawing lots"),
        ({"players": 3, "phase": "drawing lots", "mover": 2}, "mover is 0 when nobody"),
        ({"players": 3, "phase": "drawing lots", "seats": [{"step": 2}, {}, {}]}, "pawns on the start"),
        ({"players": 3, "phase": "drawing lots", "bottom": [1]}, "fields are empty"),
        ({"players": 3, "phase": "drawing lots", "dice": [1]}, "dice is empty"),
        ({"players": 3, "mover": 3}, "mover is a seat, 0 to 2"),
        ({"players": 3, "mover": None}, "mover is a seat, not null"),
        ({"players": 3, "dice": [5]}, r"dice\[0\] shows 1, 2, 3, 4, 7, x, not 5"),
        ({"players": 3, "dice": [1, 7]}, r"dice\[1\] shows 1, 2, 3, 5, 6, x, not 7"),
        ({"players": 3, "dice": [True, 6]}, r"dice\[0\] shows"),
        ({"players": 3, "dice": [1, 2, 3]}, "at most 2 dice"),
        ({"players": 3, "dice": 12}, "dice is a list"),
        ({"players": 3, "dice": [1], "phase": "deciding"}, "both dice"),
        ({"players": 3, "dice": [1, 2], "phase": "later throw"}, "phase is 'deciding'"),
        ({"players": 3, "dice": [3, 3], "seats": [{"step": 2}, {}, {}]}, "have climbed a double already"),
        ({"players": 3, "fields": {"0": {"seat": 1, "value": 21}}}, "fields.0 is not known"),
        ({"players": 3, "fields": {"6": {"seat": 1, "value": 21}}}, "fields.6 is not known"),
        ({"players": 3, "fields": {"5": {"seat": 3, "value": 21}}}, "fields.5.seat is a seat, 0 to 2"),
        ({"players": 3, "fields": {"5": {"seat": None, "value": 21}}}, "fields.5.seat is whose pair"),
        ({"players": 3, "fields": {"5": {"seat": 1, "value": 44}}}, "fields.5.value is 44, which the dice"),
        ({"players": 3, "fields": {"5": {"seat": 1, "value": 77}}}, "fields.5.value is a number"),
        ({"players": 3, "fields": {"5": {"seat": 1}}}, "fields.5.value is missing"),
        ({"players": 3, "fields": {"5": {"seat": 1, "value": 21, "die": 1}}}, "fields.5.die is not known"),
        ({"players": 3, "fields": {"5": 21}}, "fields.5 is a dict"),
        ({"players": 3, "bottom": [3]}, "bottom lists seats, 0 to 2"),
        ({"players": 3, "bottom": [1.0]}, "bottom lists seats, 0 to 2"),
        ({"players": 3, "bottom": [1, 1]}, "2 pairs of seat 1, who has 1"),
        ({"players": 3, "dice": [7, 6], "value": 67}, "value is 76, not 67"),
        ({"players": 3, "bottom": [1], "seats": [{}, {"in_hand": 1}, {}]}, "in_hand is 0, not 1"),
        ({"players": 3, "bottom": [0]}, "seat 0, who has no pair in hand"),
        ({"players": 2, "bottom": [0, 0]}, "seat 0, who has no pair in hand"),
        ({"players": 2, "bottom": [1, 1], "fields": {"5": {"seat": 1, "value": 21}}}, "3 pairs of seat 1"),
    ],
)
def test_what_cannot_be_is_refused(position: dict[str, Any], reason: str) -> None:
    with pytest.raises(teerling.BadPosition, match=reason):
        teerling.at("rapido", position)


class Pair:
    """Two dice of one colour."""

    def __init__(self, owner: int) -> None:
        self.owner = owner
        self.field: int | None = None
        self.faces = ""


class Naive:
    """The rulebook read aloud, with pairs as things; slow, and on purpose nothing like `rules`."""

    def __init__(self, players: int, goal: int) -> None:
        self.players = players
        self.goal = goal
        self.steps = [0] * players
        each = 2 if players == 2 else 1
        self.pairs = [Pair(seat) for seat in range(players) for _ in range(each)]
        self.seat: int | None = None
        self.thrown: Pair | None = None
        self.attempt = 0
        self.lying: list[str] = []
        self.winner: int | None = None

    def play(self, text: str) -> None:
        match text.split():
            case ["first", seat]:
                self.begin(int(seat))
            case ["die", _, face]:
                self.lying.append(face)
                if len(self.lying) == 2:
                    self.look()
            case ["throw"]:
                self.attempt += 1
                self.lying = []
            case ["place", field]:
                self.place(int(field))

    def begin(self, seat: int) -> None:
        self.seat = seat
        own = [pair for pair in self.pairs if pair.owner == seat]
        if all(pair.field is not None for pair in own):
            total = sum(pair.field or 0 for pair in own)
            for pair in own:
                pair.field = None
            self.up(total)
        self.thrown = next(pair for pair in own if pair.field is None)
        self.attempt = 1
        self.lying = []

    def up(self, steps: int) -> None:
        assert self.seat is not None
        for _ in range(steps):
            if self.winner is None:
                self.steps[self.seat] += 1
                if self.steps[self.seat] == self.goal:
                    self.winner = self.seat

    def look(self) -> None:
        assert self.seat is not None
        crosses = self.lying.count("x")
        if crosses and self.attempt >= 2:
            for _ in range(crosses):
                if self.steps[self.seat] > 0:
                    self.steps[self.seat] -= 1
            self.next()
        elif self.lying in (["1", "1"], ["2", "2"], ["3", "3"]):
            self.up(int(self.lying[0]))

    def place(self, field: int) -> None:
        assert self.thrown is not None
        self.thrown.field = field
        self.thrown.faces = "".join(sorted((face.replace("x", "0") for face in self.lying), reverse=True))
        for pair in self.pairs:
            above = pair.field is not None and pair.field > field
            if above and pair.owner != self.seat and int(pair.faces) <= int(self.thrown.faces):
                pair.field = None
        self.next()

    def next(self) -> None:
        assert self.seat is not None
        self.begin((self.seat + 1) % self.players)

    def moves(self) -> set[str]:
        """All that can happen now."""
        if self.winner is not None:
            return set()
        if self.seat is None:
            return {f"first {seat}" for seat in range(self.players)}
        if len(self.lying) == 0:
            return {f"die a {face}" for face in "12347x"}
        if len(self.lying) == 1:
            return {f"die b {face}" for face in "12356x"}
        taken = {pair.field for pair in self.pairs}
        return {"throw", "place 0"} | {f"place {field}" for field in range(1, 6) if field not in taken}

    def to_decide(self) -> int:
        if self.winner is not None:
            return OVER
        return CHANCE if self.seat is None or len(self.lying) < 2 else self.seat


def assert_same(s: Any, naive: Naive) -> None:
    """Pawns, pairs and who is to decide, in the record and in the naive game."""
    assert s.turn == naive.to_decide()
    assert [s.pawns[p] for p in range(6)] == naive.steps + [0] * (6 - naive.players)
    lying = {pair.field: (pair.owner, int(pair.faces)) for pair in naive.pairs if pair.field}
    for field in range(1, 6):
        assert (s.owner[field], s.worth[field]) == lying.get(field, (rules.NOBODY, 0))
    for p in range(6):
        assert s.at_bottom[p] == sum(pair.owner == p and pair.field == 0 for pair in naive.pairs)
    if naive.winner is None and naive.seat is not None:
        assert s.mover == naive.seat
        shown = [-1 if face == "" else int(face.replace("x", "0")) for face in [*naive.lying, "", ""][:2]]
        assert [s.die_a, s.die_b] == shown


def play_both(step: Any, players: int, goal: int, luck: random.Random, boldness: float) -> int:
    """One random game, by the compiled rules and naively, compared after every move; its length."""
    states = rules.State().to_array()
    states["version"] = 1
    step.setup_at(states, 0, players, np.array([goal, rules.BY_CHANCE], np.int64))
    naive = Naive(players, goal or 21)
    room = np.zeros(1, scratch(rules.DECISIONS, rules.OUTCOMES))
    mask, weights = room[0]["mask"][: rules.DECISIONS], room[0]["weights"][: rules.OUTCOMES]
    scores, ranks = np.zeros(players, np.int16), np.zeros(players, np.int8)
    length = 0
    while True:
        state = rules.State.from_array(states)
        assert rules.sound(state)
        assert_same(state, naive)
        if state.turn == OVER:
            break
        if state.turn == CHANCE:
            step.chance_at(states, 0, room)
            assert set(weights) == {0, 1}
            texts, allowed = OUTCOMES, weights.tolist()
        else:
            step.legal_at(states, 0, room)
            texts, allowed = DECISIONS, mask.tolist()
        moves = [move for move in range(len(texts)) if allowed[move]]
        assert {texts[move] for move in moves} == naive.moves()
        bold = state.turn != CHANCE and luck.random() < boldness
        move = rules.THROW if bold else luck.choice(moves)
        step.apply_at(states, 0, move)
        naive.play(texts[move])
        length += 1
    assert naive.moves() == set()
    step.results_at(states, 0, scores, ranks)
    assert scores.tolist() == naive.steps
    assert [p for p in range(players) if ranks[p] == 1] == [naive.winner]
    assert ranks.tolist() == [1 + sum(other > own for other in naive.steps) for own in naive.steps]
    return length


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("goal", [5, 0, 40, 100])
def test_compiled_games_are_the_naive_games(players: int, goal: int) -> None:
    step = bind(rules.__name__, "teerling.engine.kernels.step", "checked")
    luck = random.Random(f"{players} {goal}")
    for boldness in (0.0, 0.4):
        for _ in range(2 if goal == 100 else 5):
            play_both(step, players, goal, luck, boldness)
