"""The rules of Ra: The Dice Game, each pinned by its id."""

import io
import random
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
from rich.console import Console

import teerling
from teerling import CHANCE, Match
from teerling.game import SPECTATOR, Move, legal_ids
from teerling.games.radice import rules
from teerling.games.radice.tell import COLOURS, DECISIONS, FACES, FIELDS, ask, why
from teerling.games.radice.uses import aids
from teerling.words import Speaker

ALL_COLUMNS = range(1, 9)


def at(dice: str = "", **position: Any) -> Match:
    """A position of three players unless told otherwise; with dice, their symbols are to be used."""
    if dice:
        position = {"phase": "using symbols", "dice": faces(dice), **position}
    return teerling.at("radice", {"players": 3, **position}, chance="manual")


def faces(dice: str) -> dict[str, str]:
    """What the dice show, in the order yellow, red, blue, green, purple."""
    return dict(zip(COLOURS, dice.split(), strict=True))


def push(match: Match, *moves: str) -> Match:
    for move in moves:
        match.push(move)
    return match


def throw(match: Match, dice: str) -> Match:
    """The next dice to fall show these faces; `-` for a die that is not thrown."""
    return push(match, *(f"die {colour} {face}" for colour, face in faces(dice).items() if face != "-"))


def texts(match: Match) -> set[str]:
    return {move.text for move in match.legal_moves}


def starting(match: Match, word: str) -> set[str]:
    """The legal moves that begin with a word."""
    return {text for text in texts(match) if text.split()[0] == word}


def seat(match: Match, p: int) -> dict[str, Any]:
    found: dict[str, Any] = match.position()["seats"][p]
    return found


def row(match: Match, colour: str) -> list[int | None]:
    found: list[int | None] = match.position()["monuments"][colour]
    return found


def scored(line: str, epoch: int = 1, **position: Any) -> list[int]:
    """What every seat scores on a line when Ra ends an epoch at this position."""
    match = epoch_ended(epoch, **position)
    return [one["scored"].get(line, 0) for one in match.position()["seats"]]


def epoch_ended(epoch: int = 1, **position: Any) -> Match:
    """Ra makes its last step; nothing else happens on the turn."""
    dice = "sun civilisation civilisation monument monument"
    return push(at(dice, epoch=epoch, options={"sun_steps": 5}, ra=4, **position), "done")


# The dice and the board


@pytest.mark.rule("RD-01")
@pytest.mark.parametrize("players", [0, 1, 5, True])
def test_the_game_is_for_two_to_four(players: int) -> None:
    assert [teerling.new("radice", players=count, seed=1).players for count in (2, 3, 4)] == [2, 3, 4]
    with pytest.raises(teerling.BadPlayers, match="2 to 4 players"):
        teerling.new("radice", players=players)


@pytest.mark.rule("RD-01")
def test_five_dice_fall_one_by_one_and_every_face_is_equally_likely() -> None:
    match = at()
    for colour in ("yellow", "red", "blue", "green", "purple"):
        outcomes = [
            f"die {colour} {face}" for face in ("pharaoh", "nile", "civilisation", "monument", "ankh", "sun")
        ]
        assert [(move.text, chance) for move, chance in match.chances] == [
            (outcome, Fraction(1, 6)) for outcome in outcomes
        ]
        match.push(f"die {colour} ankh")
    assert match.turn == 0


@pytest.mark.rule("RD-02")
@pytest.mark.parametrize(("players", "steps"), [(2, 8), (3, 12), (4, 16)])
def test_an_epoch_takes_eight_steps_of_ra_for_two_twelve_for_three_sixteen_for_four(
    players: int, steps: int
) -> None:
    fresh = teerling.new("radice", players=players, chance="manual")
    assert fresh.position()["options"]["sun_steps"] == steps
    dice = "sun civilisation civilisation monument monument"
    assert push(at(dice, players=players, ra=steps - 2), "done").position()["epoch"] == 1
    assert push(at(dice, players=players, ra=steps - 1), "done").position()["epoch"] == 2


@pytest.mark.rule("RD-02")
@pytest.mark.parametrize("steps", [4, 40])
def test_the_steps_of_an_epoch_are_an_option(steps: int) -> None:
    match = teerling.new("radice", players=2, chance="manual", sun_steps=steps)
    assert match.position()["options"]["sun_steps"] == steps
    dice = "sun civilisation civilisation monument monument"
    assert push(at(dice, options={"sun_steps": steps}, ra=steps - 1), "done").position()["epoch"] == 2
    assert push(at(dice, options={"sun_steps": steps}, ra=steps - 2), "done").position()["epoch"] == 1


@pytest.mark.rule("RD-02")
@pytest.mark.parametrize("steps", [0, 3, 41, "many"])
def test_fewer_than_four_or_more_than_forty_steps_are_refused(steps: Any) -> None:
    with pytest.raises(teerling.BadOption, match="a number from 4 to 40"):
        teerling.new("radice", players=2, sun_steps=steps)


@pytest.mark.rule("RD-03")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_chance_picks_the_first_player_and_points_go_up_clockwise(players: int) -> None:
    match = teerling.new("radice", players=players, chance="manual")
    assert [(move.text, chance) for move, chance in match.chances] == [
        (f"first {p}", Fraction(1, players)) for p in range(players)
    ]
    match.push("first 1")
    assert match.position()["mover"] == 1
    assert [match.scores[(1 + place) % players] for place in range(players)] == [10, 11, 12, 13][:players]


@pytest.mark.rule("RD-03")
@pytest.mark.parametrize("first", [0, 2, "2"])
def test_the_players_may_choose_who_begins(first: int | str) -> None:
    match = teerling.new("radice", players=3, chance="manual", first=first)
    assert [(move.text, chance) for move, chance in match.chances] == [(f"first {first}", Fraction(1))]
    assert match.position()["options"] == {"sun_steps": 12, "first": int(first)}
    assert teerling.at("radice", match.position(), chance="manual").state == match.state
    sealed = teerling.new("radice", players=3, seed=1, first=first)
    assert (sealed.position()["mover"], sealed.scores[int(first)]) == (int(first), 10)
    assert teerling.load(sealed.save()).state == sealed.state
    assert sealed.log()[0] == f"Seat {first} begins"


@pytest.mark.rule("RD-03")
def test_a_seat_that_nobody_has_cannot_begin() -> None:
    with pytest.raises(teerling.BadOption, match="there is no seat 2; the seats are 0 to 1"):
        teerling.new("radice", players=2, first=2)
    with pytest.raises(teerling.BadOption, match="option first is random, 0, 1, 2 or 3, not youngest"):
        teerling.new("radice", players=2, first="youngest")
    with pytest.raises(teerling.BadPosition, match=r"options\.first: there is no seat 2"):
        teerling.at("radice", {"players": 2, "options": {"first": 2}})


@pytest.mark.rule("RD-03")
def test_all_markers_start_at_zero() -> None:
    match = push(teerling.new("radice", players=4, chance="manual"), "first 3")
    for p in range(4):
        assert [seat(match, p)[key] for key in ("pharaoh", "nile", "floods", "civilisation")] == [0, 0, 0, []]
    position = match.position()
    assert (position["ra"], position["epoch"], position["throws"]) == (0, 1, 1)
    assert position["monuments"] == {colour: [None] * 8 for colour in COLOURS}


@pytest.mark.rule("RD-03")
def test_a_score_may_go_below_zero() -> None:
    match = epoch_ended(seats=[{"score": 1}, {"score": 1, "pharaoh": 1}, {"score": 1, "pharaoh": 2}])
    assert match.scores == (1 - 2 - 5, 1 - 5, 1 + 5 - 5)


@pytest.mark.rule("RD-04")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_area_of_civilisation_holds_one_marker_fewer_than_there_are_players(players: int) -> None:
    dice = "civilisation civilisation civilisation monument monument"
    full: list[dict[str, Any]] = [{}] + [{"civilisation": ["red"]}] * (players - 1)
    room: list[dict[str, Any]] = [{}, {}] + [{"civilisation": ["red"]}] * (players - 2)
    assert "civilisation red" not in texts(at(dice, players=players, seats=full))
    assert "civilisation red" in texts(at(dice, players=players, seats=room))


@pytest.mark.rule("RD-04")
def test_nobody_has_two_markers_in_an_area() -> None:
    match = at("civilisation civilisation civilisation ankh ankh", seats=[{"civilisation": ["red"]}, {}, {}])
    assert starting(match, "civilisation") == {"civilisation yellow", "civilisation blue"}
    match.push("civilisation yellow")
    assert starting(match, "civilisation") == {"civilisation blue"}


@pytest.mark.rule("RD-04")
def test_there_are_five_rows_of_eight_fields_with_one_marker_each() -> None:
    match = at("monument monument monument monument monument")
    assert starting(match, "build") == {
        f"build {colour} {column}" for colour in COLOURS for column in ALL_COLUMNS
    }
    match = at("monument ankh ankh ankh ankh", monuments={"yellow": [1, None, 0, 2]})
    assert starting(match, "build") == {f"build yellow {column}" for column in (2, 5, 6, 7, 8)}


# A turn


@pytest.mark.rule("RD-05")
def test_after_the_first_throw_any_dice_but_suns_may_be_thrown_again() -> None:
    match = throw(at(), "sun nile sun ankh monument")
    assert texts(match) == {
        "keep", "throw red", "throw green", "throw purple", "throw red green", "throw red purple",
        "throw green purple", "throw red green purple",
    }  # fmt: skip


@pytest.mark.rule("RD-05")
def test_only_the_chosen_dice_are_thrown_again() -> None:
    match = push(throw(at(), "sun nile sun ankh monument"), "throw red purple")
    assert match.position()["dice"] == {**faces("sun nile sun ankh monument"), "red": None, "purple": None}
    throw(match, "- pharaoh - - civilisation")
    assert match.position()["dice"] == faces("sun pharaoh sun ankh civilisation")


@pytest.mark.rule("RD-05")
def test_a_sun_of_a_later_throw_is_locked_too() -> None:
    match = push(throw(at(), "ankh ankh ankh ankh ankh"), "throw red purple")
    throw(match, "- sun - - sun")
    assert texts(match) == {
        "keep", "throw yellow", "throw blue", "throw green", "throw yellow blue", "throw yellow green",
        "throw blue green", "throw yellow blue green",
    }  # fmt: skip


@pytest.mark.rule("RD-05")
def test_a_die_kept_before_may_be_thrown_later() -> None:
    match = push(throw(at(), "ankh nile ankh ankh ankh"), "throw yellow")
    throw(match, "nile - - - -")
    push(match, "throw red")
    assert texts(throw(match, "- nile - - -")) >= {"done"}


@pytest.mark.rule("RD-05")
def test_there_are_at_most_three_throws() -> None:
    match = push(throw(at(), "ankh ankh ankh ankh ankh"), "throw yellow")
    throw(match, "ankh - - - -")
    assert "throw yellow" in texts(match)
    throw(push(match, "throw yellow"), "ankh - - - -")
    assert not starting(match, "throw") | starting(match, "keep")
    assert match.position()["phase"] == "using symbols"


@pytest.mark.rule("RD-05")
def test_the_next_player_begins_with_all_dice_and_three_throws() -> None:
    match = push(at("monument sun sun sun sun", throws=3), "catastrophe nile", "build yellow 1", "done")
    position = match.position()
    assert (position["mover"], position["throws"], position["catastrophe"]) == (1, 1, None)
    assert (position["dice"], position["used"]) == (dict.fromkeys(COLOURS), [])
    throw(match, "ankh ankh ankh ankh ankh")
    throw(push(match, "throw red"), "- ankh - - -")
    assert "throw red" in texts(match)


@pytest.mark.rule("RD-05")
@pytest.mark.parametrize("throws", [1, 2])
def test_throwing_none_ends_the_throwing(throws: int) -> None:
    match = at("nile nile nile sun sun", phase="choosing dice", throws=throws)
    assert texts(push(match, "keep")) == {"done", "flood"}


@pytest.mark.rule("RD-05")
def test_with_five_suns_the_dice_can_only_be_kept() -> None:
    match = throw(at(), "sun sun sun sun sun")
    assert texts(match) == {"keep"}
    assert match.forced is not None


@pytest.mark.rule("RD-05")
def test_suns_beyond_the_free_spaces_count_all_the_same() -> None:
    match = push(at("sun sun sun civilisation monument", ra=11, seats=[{"score": 10}, {}, {}]), "done")
    assert match.position()["ra"] == 11
    assert match.scores[0] == 13
    catastrophes = texts(at("sun sun sun sun monument", ra=11))
    assert "catastrophe nile" in catastrophes
    assert push(at("sun sun nile nile nile", ra=11), "done").position()["epoch"] == 2


@pytest.mark.rule("RD-06")
def test_symbols_are_used_in_any_order_until_the_player_is_done() -> None:
    dice = "monument nile nile ankh sun"
    one = push(at(dice), "build yellow 3", "flood", "done")
    other = push(at(dice), "flood", "build yellow 3", "done")
    assert one.state == other.state
    assert (row(one, "yellow")[2], seat(one, 0)["floods"]) == (0, 1)
    assert one.position()["mover"] == 1


@pytest.mark.rule("RD-06")
def test_each_die_is_used_once() -> None:
    match = push(at("monument nile nile ankh sun"), "flood")
    assert match.position()["used"] == ["red", "blue", "green"]
    assert texts(match) == {"done"} | {f"build yellow {column}" for column in ALL_COLUMNS}
    match = push(at("monument nile nile ankh sun"), "build yellow 3")
    assert texts(match) == {"done", "flood", "nile ankh"}


@pytest.mark.rule("RD-06")
def test_real_pharaohs_and_niles_move_by_themselves_and_the_rest_is_optional() -> None:
    match = push(at("pharaoh pharaoh nile monument ankh"), "done")
    assert (seat(match, 0)["pharaoh"], seat(match, 0)["nile"]) == (2, 1)
    assert not any(row(match, colour).count(0) for colour in COLOURS)
    assert push(at("nile nile nile nile sun"), "done").position()["seats"][0]["nile"] == 4
    match = push(at("civilisation civilisation civilisation civilisation sun"), "done")
    assert seat(match, 0)["civilisation"] == []


@pytest.mark.rule("RD-06")
def test_a_use_without_effect_is_not_offered() -> None:
    seats = [{"pharaoh": 12, "nile": 12}, {}, {}]
    assert texts(at("pharaoh nile ankh sun sun", seats=seats)) == {"done"}
    seats = [{"pharaoh": 11, "nile": 10}, {}, {}]
    assert texts(at("pharaoh nile ankh sun sun", seats=seats)) == {"done", "nile ankh"}


@pytest.mark.rule("RD-06")
def test_an_ankh_moves_the_nile_marker_once_a_flood_has_taken_the_real_dice() -> None:
    match = at("nile nile ankh sun sun", seats=[{"nile": 11}, {}, {}])
    assert texts(match) == {"done", "flood"}
    match = push(at("nile nile ankh ankh sun", seats=[{"nile": 11}, {}, {}]), "flood")
    assert texts(match) == {"done", "nile ankh"}
    assert seat(push(match, "nile ankh", "done"), 0)["nile"] == 12


@pytest.mark.rule("RD-06")
@pytest.mark.parametrize("uses", [("flood", "nile ankh", "nile ankh"), ("nile ankh", "nile ankh", "flood"),
                                  ("nile ankh", "flood", "nile ankh")])  # fmt: skip
def test_ankhs_move_the_nile_marker_before_or_after_the_flood_that_makes_room(uses: tuple[str, ...]) -> None:
    match = push(at("nile nile nile ankh ankh", seats=[{"nile": 9}, {}, {}]), *uses, "done")
    assert (seat(match, 0)["nile"], seat(match, 0)["floods"]) == (11, 1)


@pytest.mark.rule("RD-07")
def test_every_pharaoh_is_a_step_and_twelve_is_the_end() -> None:
    dice = "pharaoh pharaoh pharaoh monument sun"
    assert seat(push(at(dice, seats=[{"pharaoh": 4}, {}, {}]), "done"), 0)["pharaoh"] == 7
    assert seat(push(at(dice, seats=[{"pharaoh": 10}, {}, {}]), "done"), 0)["pharaoh"] == 12


@pytest.mark.rule("RD-07")
def test_ankhs_are_pharaohs_beside_at_least_one_real_one() -> None:
    match = at("pharaoh ankh ankh ankh sun")
    push(match, "pharaoh ankh", "pharaoh ankh", "done")
    assert seat(match, 0)["pharaoh"] == 3
    assert "pharaoh ankh" not in texts(at("nile ankh ankh ankh sun"))


@pytest.mark.rule("RD-08")
def test_every_nile_is_a_step_and_twelve_is_the_end() -> None:
    dice = "nile nile nile monument sun"
    assert seat(push(at(dice, seats=[{"nile": 4}, {}, {}]), "done"), 0)["nile"] == 7
    assert seat(push(at(dice, seats=[{"nile": 10}, {}, {}]), "done"), 0)["nile"] == 12


@pytest.mark.rule("RD-08")
def test_ankhs_are_niles_beside_at_least_one_real_one_used_or_not() -> None:
    match = push(at("nile ankh ankh ankh sun"), "nile ankh")
    assert match.position()["used"] == ["red"]
    assert seat(push(match, "done"), 0)["nile"] == 2
    assert "nile ankh" not in texts(at("pharaoh ankh ankh ankh sun"))
    match = push(at("nile nile nile ankh ankh"), "flood", "nile ankh", "done")
    assert (seat(match, 0)["nile"], seat(match, 0)["floods"]) == (1, 1)


@pytest.mark.rule("RD-09")
@pytest.mark.parametrize(
    ("dice", "used"),
    [
        ("nile nile nile nile ankh", ["yellow", "red", "blue"]),
        ("ankh nile nile ankh sun", ["yellow", "red", "blue"]),
        ("ankh ankh ankh ankh nile", ["yellow", "red", "purple"]),
    ],
)
def test_three_niles_or_ankhs_are_a_flood_and_real_ones_go_first(dice: str, used: list[str]) -> None:
    match = push(at(dice), "flood")
    assert match.position()["used"] == used
    assert seat(match, 0)["floods"] == 1


@pytest.mark.rule("RD-09")
@pytest.mark.parametrize(
    "dice", ["nile nile sun sun sun", "ankh ankh ankh ankh ankh", "nile ankh sun sun sun"]
)
def test_fewer_dice_or_ankhs_alone_are_no_flood(dice: str) -> None:
    assert "flood" not in texts(at(dice))


@pytest.mark.rule("RD-09")
def test_the_dice_of_a_flood_give_no_steps() -> None:
    match = push(at("nile nile nile nile sun"), "flood", "done")
    assert (seat(match, 0)["nile"], seat(match, 0)["floods"]) == (1, 1)


@pytest.mark.rule("RD-09")
def test_one_flood_a_turn_but_several_over_time_that_move_along() -> None:
    match = push(at("nile nile nile ankh ankh", seats=[{"nile": 5, "floods": 1}, {}, {}]), "flood")
    assert texts(match) == {"done", "nile ankh"}
    assert (seat(match, 0)["nile"], seat(match, 0)["floods"]) == (5, 2)
    push(match, "nile ankh", "done")
    assert (seat(match, 0)["nile"], seat(match, 0)["floods"]) == (6, 2)


@pytest.mark.rule("RD-10")
@pytest.mark.parametrize(
    ("dice", "markers"),
    [
        ("civilisation civilisation monument monument monument", 0),
        ("civilisation civilisation civilisation monument monument", 1),
        ("civilisation civilisation civilisation civilisation monument", 2),
        ("civilisation civilisation civilisation civilisation civilisation", 3),
        ("civilisation ankh monument monument monument", 0),
        ("civilisation ankh ankh monument monument", 1),
        ("civilisation ankh ankh ankh ankh", 1),
        ("civilisation civilisation ankh ankh ankh", 2),
        ("civilisation civilisation ankh monument monument", 1),
        ("civilisation civilisation civilisation ankh ankh", 3),
        ("ankh ankh ankh ankh ankh", 0),
    ],
)
def test_three_four_five_dice_are_one_two_three_markers(dice: str, markers: int) -> None:
    match = at(dice)
    for _ in range(markers):
        match.push(min(starting(match, "civilisation")))
    assert not starting(match, "civilisation")
    assert len(seat(match, 0)["civilisation"]) == markers


@pytest.mark.rule("RD-10")
def test_real_civilisations_are_used_first_and_their_colours_stay_open() -> None:
    match = push(at("ankh civilisation civilisation ankh ankh"), "civilisation red")
    assert match.position()["used"] == ["yellow", "red", "blue"]
    assert starting(match, "civilisation") == {"civilisation blue"}
    assert push(match, "civilisation blue").position()["used"] == ["yellow", "red", "blue", "green"]
    match = push(at("civilisation ankh civilisation civilisation civilisation"), "civilisation yellow")
    assert push(match, "civilisation purple").position()["used"] == ["yellow", "blue", "green", "purple"]


@pytest.mark.rule("RD-10")
def test_a_marker_never_goes_to_the_colour_of_an_ankh() -> None:
    match = at("civilisation ankh ankh ankh ankh")
    assert starting(match, "civilisation") == {"civilisation yellow"}


@pytest.mark.rule("RD-10")
def test_the_example_of_the_rulebook_places_one_marker_and_leaves_two_ankhs() -> None:
    match = at(
        "civilisation ankh civilisation ankh civilisation",
        seats=[
            {"score": 10, "civilisation": ["purple"]},
            {"civilisation": ["blue"]},
            {"civilisation": ["blue"]},
        ],
    )
    assert texts(match) == {"done", "civilisation yellow"}
    match.push("civilisation yellow")
    assert match.position()["used"] == ["yellow", "blue", "purple"]
    assert texts(match) == {"done"}
    match.push("done")
    assert seat(match, 0)["civilisation"] == ["yellow", "purple"]
    assert match.scores[0] == 12


@pytest.mark.rule("RD-11")
def test_the_first_monument_takes_one_die_and_goes_to_any_column() -> None:
    match = at("monument sun sun sun nile", monuments={"red": [0], "blue": [0], "yellow": [None, 1]})
    assert starting(match, "build") == {f"build yellow {column}" for column in ALL_COLUMNS if column != 2}
    match.push("build yellow 1")
    assert row(match, "yellow")[:2] == [0, 1]
    assert match.position()["used"] == ["yellow"]


@pytest.mark.rule("RD-11")
def test_the_next_monument_takes_a_die_and_a_partner_in_a_column_of_ones_own_none() -> None:
    match = at("monument monument sun ankh monument", monuments={"blue": [None, 0, 1]})
    push(match, "build yellow 1")
    free = [3, 4, 5, 6, 7, 8]
    assert starting(match, "build") == {
        f"build {pair} {column}"
        for pair in ("red with purple", "red with ankh", "purple with red", "purple with ankh")
        for column in free
    }
    push(match, "build purple with red 3")
    assert (row(match, "purple")[2], match.position()["used"]) == (0, ["yellow", "red", "purple"])
    assert texts(match) == {"done"}


@pytest.mark.rule("RD-11")
def test_a_third_monument_takes_two_more_dice_and_markers_of_this_turn_count() -> None:
    match = push(at("monument monument monument ankh ankh"), "build yellow 1", "build red with ankh 2")
    assert match.position()["used"] == ["yellow", "red", "green"]
    assert starting(match, "build") == {f"build blue with ankh {column}" for column in range(3, 9)}
    push(match, "build blue with ankh 8")
    assert match.position()["used"] == list(COLOURS)
    assert texts(match) == {"done"}


@pytest.mark.rule("RD-11")
def test_a_later_monument_may_stand_in_the_first_column() -> None:
    match = push(at("monument monument ankh sun sun"), "build red 8", "build yellow with ankh 1")
    assert (row(match, "yellow")[0], row(match, "red")[7]) == (0, 0)
    assert match.position()["used"] == ["yellow", "red", "blue"]


@pytest.mark.rule("RD-11")
def test_two_ankhs_are_no_pair_and_an_ankh_is_no_first_monument() -> None:
    assert not starting(at("ankh ankh ankh ankh ankh"), "build")
    assert not starting(push(at("monument ankh ankh ankh ankh"), "build yellow 1"), "build")
    assert not starting(push(at("monument monument sun sun sun"), "build yellow 1"), "build")


@pytest.mark.rule("RD-11")
def test_the_row_of_a_partner_may_be_full() -> None:
    full = [1, 1, 1, 1, 2, 2, 2, 2]
    match = push(at("monument monument monument sun sun", monuments={"blue": full}), "build yellow 1")
    assert starting(match, "build") == {f"build red with blue {column}" for column in range(2, 9)}


@pytest.mark.rule("RD-11")
def test_the_example_of_the_rulebook_builds_in_columns_one_three_and_four() -> None:
    match = at(
        "monument monument monument monument monument",
        monuments={"red": [0, 1], "blue": [0, None, 2], "purple": [None, None, None, 1]},
    )
    push(match, "build yellow 1")
    assert not {"build purple with red 1", "build purple with red 4"} & texts(match)
    push(match, "build purple with red 3")
    assert "build green with blue 3" not in texts(match)
    push(match, "build green with blue 4", "done")
    assert [row(match, "yellow")[0], row(match, "purple")[2], row(match, "green")[3]] == [0, 0, 0]


@pytest.mark.rule("RD-12")
@pytest.mark.parametrize(("ankhs", "points"), [(0, 0), (1, 0), (2, 2), (3, 2), (4, 4), (5, 4)])
def test_every_two_unused_ankhs_are_two_points(ankhs: int, points: int) -> None:
    dice = " ".join(["ankh"] * ankhs + ["monument"] * (5 - ankhs))
    assert push(at(dice, seats=[{"score": 10}, {}, {}]), "done").scores[0] == 10 + points


@pytest.mark.rule("RD-12")
def test_an_ankh_replaces_one_symbol_once() -> None:
    match = at("ankh pharaoh nile monument monument", seats=[{"score": 10}, {}, {}])
    assert {"pharaoh ankh", "nile ankh"} <= texts(match)
    push(match, "pharaoh ankh")
    assert not {"pharaoh ankh", "nile ankh"} & texts(match)
    push(match, "build green 1")
    assert texts(match) == {"done"}
    assert push(match, "done").scores[0] == 10


@pytest.mark.rule("RD-12")
def test_the_colour_of_an_ankh_never_matters() -> None:
    one = push(at("ankh ankh pharaoh nile sun"), "pharaoh ankh", "nile ankh")
    other = push(at("ankh ankh pharaoh nile sun"), "nile ankh", "pharaoh ankh")
    assert one.state == other.state
    assert at("ankh sun sun ankh nile", used=["green"], seats=[{"nile": 1}, {}, {}]).position()["used"] == [
        "yellow"
    ]


@pytest.mark.rule("RD-13")
@pytest.mark.parametrize(
    ("suns", "steps", "points"), [(0, 0, 0), (1, 1, 0), (2, 2, 0), (3, 0, 3), (4, 0, 0), (5, 0, 0)]
)
def test_one_or_two_suns_move_ra_three_are_three_points(suns: int, steps: int, points: int) -> None:
    dice = " ".join(["sun"] * suns + ["civilisation"] * (5 - suns))
    match = at(dice, seats=[{"score": 10}, {}, {}], ra=3)
    assert match.position()["ra"] == 3
    push(match, "done")
    assert match.position()["ra"] == 3 + steps
    assert match.scores[0] == 10 + points


@pytest.mark.rule("RD-13")
def test_the_example_of_the_rulebook_moves_ra_two_steps() -> None:
    match = push(throw(at(), "sun sun nile pharaoh monument"), "keep", "done")
    assert match.position()["ra"] == 2


@pytest.mark.rule("RD-13")
@pytest.mark.parametrize("suns", [3, 4, 5])
def test_four_or_five_suns_allow_one_catastrophe_or_none(suns: int) -> None:
    match = at(" ".join(["sun"] * suns + ["nile"] * (5 - suns)))
    catastrophes = {f"catastrophe {symbol}" for symbol in ("pharaoh", "nile", "civilisation", "monument")}
    assert starting(match, "catastrophe") == (catastrophes if suns >= 4 else set())
    assert "done" in texts(match)
    if suns >= 4:
        assert texts(push(match, "catastrophe pharaoh")) == {"done"}


@pytest.mark.rule("RD-13")
def test_a_catastrophe_comes_before_or_after_other_uses() -> None:
    monuments = {"yellow": [1, 1]}
    match = at("monument sun sun sun sun", monuments=monuments)
    assert "build yellow 1" not in texts(match)
    push(match, "catastrophe monument", "build yellow 1")
    assert row(match, "yellow")[:2] == [0, None]
    match = push(at("monument sun sun sun sun", monuments=monuments), "build yellow 3")
    assert "catastrophe nile" in texts(match)


@pytest.mark.rule("RD-14")
def test_the_catastrophe_pharaoh_sets_others_back_two_not_below_zero() -> None:
    seats = [{"pharaoh": 5}, {"pharaoh": 5}, {"pharaoh": 1}]
    match = push(at("sun sun sun sun sun", seats=seats), "catastrophe pharaoh")
    assert [seat(match, p)["pharaoh"] for p in range(3)] == [5, 3, 0]


@pytest.mark.rule("RD-14")
def test_the_catastrophe_nile_takes_a_flood_marker_or_two_steps() -> None:
    seats = [{"nile": 5, "floods": 2}, {"nile": 5, "floods": 1}, {"nile": 5}, {"nile": 1}]
    match = push(at("sun sun sun sun sun", players=4, seats=seats), "catastrophe nile")
    assert [(seat(match, p)["nile"], seat(match, p)["floods"]) for p in range(4)] == [
        (5, 2), (5, 0), (3, 0), (0, 0),
    ]  # fmt: skip


@pytest.mark.rule("RD-14")
def test_the_catastrophe_civilisation_takes_two_markers_of_choice_all_if_no_more() -> None:
    seats = [
        {"civilisation": ["yellow", "red", "blue"]},
        {"civilisation": ["yellow", "red"]},
        {"civilisation": ["yellow", "green", "blue"]},
        {"civilisation": ["purple"]},
    ]
    match = push(at("sun sun sun sun sun", players=4, seats=seats), "catastrophe civilisation")
    assert match.turn == 2
    assert texts(match) == {"remove yellow", "remove green", "remove blue"}
    push(match, "remove green")
    assert (match.turn, texts(match)) == (2, {"remove yellow", "remove blue"})
    push(match, "remove yellow")
    assert match.turn == 0
    assert [seat(match, p)["civilisation"] for p in range(4)] == [["yellow", "red", "blue"], [], ["blue"], []]


@pytest.mark.rule("RD-14")
def test_the_catastrophe_monument_takes_two_markers_of_choice_all_if_no_more() -> None:
    monuments = {"yellow": [0, 1, 2, 2], "purple": [1, None, 2, 3]}
    match = push(at("sun sun sun sun sun", players=4, monuments=monuments), "catastrophe monument")
    assert match.turn == 2
    assert texts(match) == {"remove yellow 3", "remove yellow 4", "remove purple 3"}
    push(match, "remove yellow 3", "remove purple 3")
    assert match.turn == 0
    assert row(match, "yellow") == [0, None, None, 2, None, None, None, None]
    assert row(match, "purple") == [None] * 8


@pytest.mark.rule("RD-14")
def test_others_choose_clockwise_from_the_left_of_the_player_on_turn() -> None:
    three = {"civilisation": ["yellow", "red", "blue"]}
    match = at("sun sun sun sun sun", players=4, mover=2, seats=[three, {}, {}, three])
    push(match, "catastrophe civilisation")
    turns = []
    while match.turn != 2:
        turns.append(match.turn)
        match.push(match.legal_moves[0])
    assert turns == [3, 3, 0, 0]


@pytest.mark.rule("RD-14")
def test_a_catastrophe_that_hits_nobody_may_be_chosen() -> None:
    match = push(at("sun sun sun sun sun"), "catastrophe monument")
    assert (match.turn, texts(match)) == (0, {"done"})
    assert [event.kind for event in match.events] == ["catastrophe", "struck_nobody"]


# Epochs and scoring


@pytest.mark.rule("RD-15")
@pytest.mark.parametrize(("dice", "ra"), [("sun sun nile nile ankh", 10), ("sun sun nile nile ankh", 11)])
def test_when_ra_reaches_or_passes_the_end_the_turn_is_finished_and_the_epoch_scored(
    dice: str, ra: int
) -> None:
    seats = [{"nile": 3, "score": 10, "civilisation": ["red"]}, {}, {}]
    match = push(at(dice, ra=ra, mover=0, seats=seats), "flood", "done")
    assert seat(match, 0)["scored"]["nile"] == 3
    position = match.position()
    assert (position["epoch"], position["ra"], position["mover"], match.turn) == (2, 0, 1, CHANCE)


@pytest.mark.rule("RD-15")
def test_all_but_flood_and_civilisation_markers_stays_on_the_board() -> None:
    seats = [{"pharaoh": 3, "nile": 4, "floods": 2, "civilisation": ["red"]}, {"pharaoh": 5}, {"pharaoh": 1}]
    match = epoch_ended(seats=seats, monuments={"green": [1, None, 2]})
    assert [seat(match, 0)[key] for key in ("pharaoh", "nile", "floods", "civilisation")] == [3, 4, 0, []]
    assert row(match, "green")[:3] == [1, None, 2]


@pytest.mark.rule("RD-15")
def test_the_player_to_the_left_begins_the_next_epoch() -> None:
    assert epoch_ended(mover=2).position()["mover"] == 0


@pytest.mark.rule("RD-15")
def test_the_game_has_three_epochs() -> None:
    assert [epoch_ended(epoch).over for epoch in (1, 2, 3)] == [False, False, True]
    end = epoch_ended(3, mover=1)
    assert teerling.at("radice", end.position()).state == end.state


@pytest.mark.rule("RD-20")
@pytest.mark.parametrize(
    ("pharaohs", "points", "moved"),
    [
        ([7, 3, 5], [5, -2, 0], [5, 4, 5]),
        ([7, 7, 5], [5, 5, -2], [5, 5, 6]),
        ([7, 5, 5], [5, -2, -2], [5, 6, 6]),
        ([1, 0, 1], [5, -2, 5], [0, 1, 0]),
        ([4, 4, 4], [0, 0, 0], [4, 4, 4]),
        ([0, 0, 0], [0, 0, 0], [0, 0, 0]),
    ],
)
def test_the_furthest_pharaoh_gains_five_and_goes_back_the_last_loses_two_and_goes_on(
    pharaohs: list[int], points: list[int], moved: list[int]
) -> None:
    seats = [{"pharaoh": pharaoh} for pharaoh in pharaohs]
    match = epoch_ended(seats=seats)
    assert scored("pharaoh", seats=seats) == points
    assert [seat(match, p)["pharaoh"] for p in range(3)] == moved


@pytest.mark.rule("RD-20")
def test_the_points_of_an_earlier_scoring_do_not_come_back() -> None:
    seats = [{"score": 10, "pharaoh": 4, "scored": {"pharaoh": 5}}, {"pharaoh": 4}, {"pharaoh": 4}]
    assert scored("pharaoh", epoch=2, seats=seats) == [0, 0, 0]
    assert epoch_ended(2, seats=seats).scores[0] == 10 - 5


@pytest.mark.rule("RD-21")
def test_with_a_flood_marker_the_nile_gives_as_many_points_as_the_space() -> None:
    seats = [{"nile": 12, "floods": 1}, {"nile": 7, "floods": 3}, {"nile": 9}, {"floods": 1}]
    assert scored("nile", players=4, seats=seats) == [12, 7, 0, 0]
    match = epoch_ended(players=4, seats=seats)
    assert [(seat(match, p)["nile"], seat(match, p)["floods"]) for p in range(4)] == [
        (12, 0), (7, 0), (9, 0), (0, 0),
    ]  # fmt: skip


@pytest.mark.rule("RD-22")
def test_civilisation_is_scored_by_the_number_of_markers_and_all_leave() -> None:
    seats = [{"civilisation": list(COLOURS[:count])} for count in (0, 1, 2, 3)]
    assert scored("civilisation", players=4, seats=seats) == [-5, 0, 0, 5]
    seats = [{"civilisation": list(COLOURS[:count])} for count in (4, 5, 0, 0)]
    assert scored("civilisation", players=4, seats=seats) == [10, 15, -5, -5]
    assert all(seat(epoch_ended(players=4, seats=seats), p)["civilisation"] == [] for p in range(4))


@pytest.mark.rule("RD-23")
@pytest.mark.parametrize(
    ("columns", "points"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 10), (8, 15)]
)
def test_monuments_are_scored_by_the_number_of_columns(columns: int, points: int) -> None:
    row = {"blue": [1] * columns, "red": [1] * columns}
    assert scored("monuments", epoch=3, monuments=row) == [0, points, 0]


@pytest.mark.rule("RD-23")
@pytest.mark.parametrize(("markers", "bonus"), [(1, 0), (2, 0), (3, 5), (4, 10), (5, 15)])
def test_three_four_five_markers_in_a_column_are_a_bonus(markers: int, bonus: int) -> None:
    column: dict[str, list[int | None]] = {colour: [None, 2] for colour in COLOURS[:markers]}
    assert scored("monuments", epoch=3, monuments=column) == [0, 0, 1 + bonus]
    columns: dict[str, list[int | None]] = {colour: [2, 2] for colour in COLOURS[:markers]}
    assert scored("monuments", epoch=3, monuments=columns) == [0, 0, 2 + 2 * bonus]


@pytest.mark.rule("RD-23")
def test_a_board_full_of_one_colour_is_worth_135() -> None:
    full = {colour: [1] * 8 for colour in COLOURS}
    assert scored("monuments", epoch=3, monuments=full) == [0, 135, 0]


@pytest.mark.rule("RD-23")
def test_monuments_are_scored_after_the_third_epoch_only() -> None:
    monuments = {colour: [0, 1] for colour in COLOURS}
    assert scored("monuments", epoch=1, monuments=monuments) == [0, 0, 0]
    assert scored("monuments", epoch=2, monuments=monuments) == [0, 0, 0]
    assert scored("monuments", epoch=3, monuments=monuments) == [16, 16, 0]


@pytest.mark.rule("RD-24")
def test_most_points_wins_and_a_tie_is_shared() -> None:
    match = epoch_ended(epoch=3, seats=[{"score": 20}, {"score": 30}, {"score": 25}])
    assert (match.winners, match.ranks) == ((1,), (3, 1, 2))
    match = epoch_ended(epoch=3, seats=[{"score": 30}, {"score": 20}, {"score": 30}])
    assert (match.winners, match.ranks) == ((0, 2), (1, 3, 1))


@pytest.mark.rule("G-04")
def test_dice_to_throw_are_one_choice_and_markers_to_remove_one_at_a_time() -> None:
    match = throw(at(), "ankh ankh ankh ankh ankh")
    push(match, "throw yellow red blue green purple")
    assert match.position()["dice"] == dict.fromkeys(COLOURS)
    three = {"civilisation": ["yellow", "red", "blue"]}
    match = push(at("sun sun sun sun sun", seats=[{}, three, {}]), "catastrophe civilisation", "remove red")
    assert match.turn == 1


# A second reading of the rules


def naive_uses(board: dict[str, Any]) -> set[str]:
    """RD-06 to RD-13 once more, told from a readable position and not from the record."""
    me, own = board["turn"], board["seats"][board["turn"]]
    unused = {colour: face for colour, face in board["dice"].items() if colour not in board["used"]}
    shown = list(board["dice"].values())
    left = list(unused.values())
    ankhs = left.count("ankh")
    moves = {"done"}
    if "pharaoh" in shown and ankhs and own["pharaoh"] + left.count("pharaoh") < 12:
        moves.add("pharaoh ankh")
    flood_can_follow = "nile" in left and left.count("nile") + ankhs - 1 >= 3
    niles = max(0, left.count("nile") - 3) if flood_can_follow else left.count("nile")
    if "nile" in shown and ankhs and own["nile"] + niles < 12:
        moves.add("nile ankh")
    if "nile" in left and left.count("nile") + ankhs >= 3:
        moves.add("flood")
    begun = {face for colour, face in board["dice"].items() if colour in board["used"]}
    if left.count("civilisation") + ankhs >= (1 if "civilisation" in begun else 3):
        for colour, face in board["dice"].items():
            markers = [p for p, seat in enumerate(board["seats"]) if colour in seat["civilisation"]]
            if face == "civilisation" and me not in markers and len(markers) < board["players"] - 1:
                moves.add(f"civilisation {colour}")
    real = [colour for colour, face in unused.items() if face == "monument"]
    mine = {c for row in board["monuments"].values() for c, owner in enumerate(row) if owner == me}
    for colour in real:
        for column in [c for c, owner in enumerate(board["monuments"][colour]) if owner is None]:
            if "monument" not in begun:
                moves.add(f"build {colour} {column + 1}")
            elif column not in mine:
                partners = [other for other in real if other != colour] + ["ankh"] * (ankhs > 0)
                moves |= {f"build {colour} with {partner} {column + 1}" for partner in partners}
    if shown.count("sun") >= 4 and board["catastrophe"] is None:
        moves |= {f"catastrophe {symbol}" for symbol in ("pharaoh", "nile", "civilisation", "monument")}
    return moves


@pytest.mark.rule("RD-06")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_uses_offered_are_those_of_a_second_reading_of_the_rules(players: int) -> None:
    luck = random.Random(players)
    match = teerling.new("radice", players=players, seed=players, sun_steps=30)
    while not match.over:
        moves = match.legal_moves
        board = match.position()
        if board["phase"] == "using symbols":
            assert texts(match) == naive_uses(board)
        eager = [move for move in moves if move.text not in ("done", "keep")]
        match.push(luck.choice(eager if eager and luck.random() < 0.8 else moves))


ENDS_OF_TRACKS = (0, 7, 8, 9, 10, 11, 12)
THROWN = [" ".join(dice) for dice in combinations_with_replacement(FACES, 5)]
"""All throws of five dice whose colours do not matter."""
Result = tuple[int, int, int, int, int, int]
"""Spaces on both tracks, flood, civilisation and monument markers, and the points of a turn."""


def using(dice: str, space: int) -> Any:
    """The state in which the first of two players uses these dice, on this space of both tracks."""
    seats = [{"pharaoh": space, "nile": space, "score": 0}, {}]
    return at(dice, players=2, options={"sun_steps": 40}, seats=seats).state


def result(s: Any) -> Result:
    """What the first player has after a turn."""
    markers = sum(s.civilisation[0, colour] for colour in range(rules.DICE))
    monuments = sum(s.monuments[field] == 0 for field in FIELDS)
    return s.pharaoh[0], s.nile[0], s.floods[0], markers, monuments, s.score[0]


def kind_of(move: int) -> str:
    """Moves of one kind differ in colours and columns alone: of each the first will do here."""
    return " ".join(word for word in DECISIONS[move].split() if word.isalpha() and word not in COLOURS)


def walked(s: Any, seen: set[bytes], ends: set[Result], refused: list[Any]) -> None:
    """Goes through the uses in every order; notes the results, and where an ankh as Nile is refused."""
    if s.to_array().tobytes() in seen:
        return
    seen.add(s.to_array().tobytes())
    legal = legal_ids(rules, s)
    if rules.NILE_WITH_ANKH not in legal:
        refused.append(s)
    first_of_kind = {kind_of(move): move for move in reversed(legal) if "catastrophe" not in DECISIONS[move]}
    for move in first_of_kind.values():
        after = s.copy()
        rules.apply(after, move)
        if after.phase == rules.USING:
            walked(after, seen, ends, refused)
        else:
            ends.add(result(after))


def allowed_results(dice: str, space: int) -> set[Result]:
    """RD-06 to RD-13 as a definition: which dice may in the end have been used for what, in no order."""
    shown = {face: dice.split().count(face) for face in FACES}
    niles, ankhs, civilisations, stones = (shown[f] for f in ("nile", "ankh", "civilisation", "monument"))
    found = set()
    for pharaoh, nile, markers, pairs, ankh_pairs in product(range(6), repeat=5):
        settled = max(0, markers + 2 - civilisations) if markers else 0
        left = ankhs - pharaoh - nile - settled - ankh_pairs
        built = 0 if not stones else 1 + pairs + ankh_pairs
        if (
            left < 0
            or (pharaoh and (not shown["pharaoh"] or space + shown["pharaoh"] + pharaoh > 12))
            or (nile and not niles)
            or markers > civilisations
            or (pairs + ankh_pairs and 1 + 2 * pairs + ankh_pairs > stones)
        ):
            continue
        # Three Nile dice, real ones first, make a flood; an ankh as Nile counts with it or without it.
        beside = max(0, niles - 3)
        flood_needs = max(0, 3 - niles) if niles else 6
        counts_without = space + niles + nile <= 12
        counts_with = space + beside + nile <= 12 and flood_needs <= ankhs - nile
        ends = []
        if nile == 0 or counts_without or counts_with:
            ends.append((0, min(12, space + niles + nile), left))
        if flood_needs <= left and (nile == 0 or counts_with):
            ends.append((1, min(12, space + beside + nile), left - flood_needs))
        for flood, nile_at, unused in ends:
            points = unused // 2 * 2 + 3 * (shown["sun"] == 3)
            pharaoh_at = min(12, space + shown["pharaoh"] + pharaoh)
            for monuments in {0, built} if pairs + ankh_pairs == 0 else {built}:
                found.add((pharaoh_at, nile_at, flood, markers, monuments, points))
    return found


@pytest.mark.rule("RD-06")
@pytest.mark.parametrize("space", ENDS_OF_TRACKS)
def test_any_order_of_uses_leads_to_what_the_rules_allow_and_to_nothing_else(space: int) -> None:
    for dice in THROWN:
        ends: set[Result] = set()
        walked(using(dice, space), set(), ends, [])
        assert ends == allowed_results(dice, space), dice


@pytest.mark.rule("RD-08")
@pytest.mark.parametrize("space", ENDS_OF_TRACKS)
def test_the_reason_why_an_ankh_is_no_nile_is_true(space: int) -> None:
    for dice in THROWN:
        refused: list[Any] = []
        walked(using(dice, space), set(), set(), refused)
        for s in refused:
            reason = why(s, Move(rules.NILE_WITH_ANKH, "nile ankh"))
            ends: set[Result] = set()
            walked(s, set(), ends, [])
            assert reason is not None
            assert {
                "no_ankh": rules.unspent(s, rules.ANKH) == 0,
                "symbol_missing": "nile" not in dice,
                "track_ended": s.nile[0] == 12,
                "track_full": all(end[1] == 12 for end in ends),
                "ankh_for_flood": all(end[1] == 12 or end[2] for end in ends)
                and rules.unspent(s, rules.NILE) + rules.unspent(s, rules.ANKH) == 3,
            }[reason.kind], (dice, reason)


# Positions, reasons, words


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        ({"players": 5}, "players is a number from 2 to 4"),
        ({"players": 3, "sun": 3}, "sun is not known here"),
        ({"players": 3, "options": {"sun_steps": 3}}, "sun_steps is a number from 4 to 40"),
        ({"players": 3, "options": {"moon": 3}}, "options.moon is not known"),
        ({"players": 3, "phase": "sleeping"}, "phase knows drawing lots"),
        ({"players": 3, "epoch": 4}, "epoch is a number from 1 to 3"),
        ({"players": 3, "epoch": 0}, "epoch is a number from 1 to 3"),
        ({"players": 3, "phase": "drawing lots", "epoch": 1}, "epoch is a number from 0 to 0"),
        ({"players": 3, "phase": "drawing lots", "ra": 1}, "only before anything"),
        ({"players": 3, "ra": 12}, "ra is a number from 0 to 11"),
        ({"players": 3, "mover": 3}, "mover is a number from 0 to 2"),
        ({"players": 3, "mover": None}, "mover is a number from 0 to 2"),
        ({"players": 3, "turn": 1}, "turn is null when nature decides"),
        ({"players": 3, "dice": {"yellow": "cat"}}, "dice.yellow knows pharaoh"),
        ({"players": 3, "dice": {"white": "sun"}}, "dice.white is not known"),
        ({"players": 3, "dice": dict.fromkeys(COLOURS, "sun")}, "none is being thrown"),
        ({"players": 3, "dice": {"red": "sun"}}, "fall in the order"),
        ({"players": 3, "throws": 4}, "throws is a number from 1 to 3"),
        ({"players": 3, "phase": "choosing dice"}, "dice.yellow shows one of"),
        ({"players": 3, "used": ["red"]}, "used is empty until"),
        ({"players": 3, "catastrophe": "nile"}, "catastrophe is null until"),
        ({"players": 3, "owed": 1}, "owed is 0 unless"),
        ({"players": 3, "monuments": {"white": []}}, "monuments.white is not known"),
        ({"players": 3, "monuments": {"red": [3]}}, "monuments.red.column 1 is a seat, 0 to 2"),
        ({"players": 3, "monuments": {"red": [None] * 9}}, "has 8 columns, not 9"),
        ({"players": 3, "seats": [{}]}, "seats has 3 entries"),
        ({"players": 3, "seats": [{"nile": 13}, {}, {}]}, r"seats\[0\].nile is a number from 0 to 12"),
        ({"players": 3, "seats": [{"hats": 1}, {}, {}]}, r"seats\[0\].hats is not known"),
        ({"players": 3, "seats": [{"civilisation": ["red", "red"]}, {}, {}]}, "once at most"),
        ({"players": 2, "seats": [{"civilisation": ["red"]}] * 2}, "red holds 1 markers at most"),
        ({"players": 3, "phase": "over", "epoch": 2}, "only in epoch 3"),
        ({"players": 3, "phase": "over", "seats": [{"floods": 1}, {}, {}]}, "keep no flood"),
        ({"players": 3, "phase": "over", "dice": {"red": "sun"}}, "dice show nothing"),
    ],
)  # fmt: skip
def test_a_position_that_cannot_be_is_refused(position: dict[str, Any], sentence: str) -> None:
    with pytest.raises(teerling.BadPosition, match=sentence):
        teerling.at("radice", position)


@pytest.mark.parametrize(
    ("dice", "position", "sentence"),
    [
        ("pharaoh sun nile ankh ankh", {"used": ["yellow"]}, "yellow, which shows pharaoh"),
        ("pharaoh sun nile ankh ankh", {"used": ["red"]}, "red, which shows sun"),
        ("nile nile nile ankh ankh", {"used": ["yellow"]}, "cannot have been used"),
        ("nile nile nile ankh ankh", {"used": ["yellow", "red", "blue"]}, "cannot have been used"),
        ("monument sun sun sun ankh", {"used": ["yellow"]}, "cannot have been used"),
        ("monument sun sun sun ankh", {"used": ["purple"]}, "cannot have been used"),
        ("civilisation sun sun ankh ankh", {"used": ["yellow", "green", "purple"]}, "cannot have been used"),
        ("pharaoh sun sun ankh ankh", {"used": ["green"]}, "cannot have been used"),
        ("sun sun sun nile ankh", {"catastrophe": "nile"}, "takes 4 suns, not 3"),
        ("sun sun sun sun ankh", {"catastrophe": "ankh"}, "catastrophe knows pharaoh"),
        ("sun sun sun sun ankh", {"turn": 1}, "turn is the mover in this phase"),
        ("sun sun sun sun ankh", {"turn": None}, "turn is a seat in this phase"),
        ("sun sun sun sun ankh", {"phase": "removing markers", "catastrophe": "monument"}, "somebody else"),
        (
            "sun sun sun sun ankh",
            {"phase": "removing markers", "turn": 1, "catastrophe": "nile"},
            "is civilisation or monument",
        ),
        (
            "sun sun sun sun ankh",
            {"phase": "removing markers", "turn": 1, "catastrophe": "monument", "monuments": {"red": [1, 1]}},
            "no choice among 2",
        ),
        ("sun sun sun sun ankh", {"phase": "choosing dice", "throws": 3}, "throws is a number from 1 to 2"),
    ],
)
def test_dice_that_cannot_lie_so_are_refused(dice: str, position: dict[str, Any], sentence: str) -> None:
    with pytest.raises(teerling.BadPosition, match=sentence):
        at(dice, **position)


@pytest.mark.parametrize(
    ("move", "rule", "sentence"),
    [
        ("keep", "RD-05", "no more dice are thrown"),
        ("pharaoh ankh", "RD-07", "only beside a real one: pharaoh"),
        ("flood", "RD-09", "takes 3 dice with Nile or ankh"),
        ("civilisation red", "RD-10", "not to red"),
        ("civilisation yellow", "RD-10", "takes 3 dice with civilisation or ankh"),
        ("catastrophe nile", "RD-13", "takes 4 suns"),
        ("build red 1", "RD-11", "does not show a monument: red"),
        ("build purple 1", "RD-11", "this field is taken: purple, column 1"),
        ("build purple with ankh 2", "RD-11", "without a partner"),
        ("build purple with red 2", "RD-11", "does not show a monument: red"),
        ("remove red", "RD-14", "no marker has to be removed"),
    ],
)
def test_a_refused_move_says_why(move: str, rule: str, sentence: str) -> None:
    match = at("civilisation nile sun ankh monument", monuments={"purple": [1]})
    with pytest.raises(teerling.IllegalMove, match=sentence) as refused:
        match.push(move)
    assert refused.value.why is not None
    assert refused.value.why.rule == rule


def test_a_refused_monument_says_what_is_in_its_way() -> None:
    match = push(at("monument monument monument nile sun"), "build yellow 1")
    for move, sentence in (
        ("build red 1", "needs a partner"),
        ("build yellow 2", "this die has been used: yellow"),
        ("build red with yellow 2", "this die has been used: yellow"),
        ("build red with ankh 2", "there is no unused ankh"),
        ("build red with blue 1", "already has a marker in column 1"),
    ):
        with pytest.raises(teerling.IllegalMove, match=sentence):
            match.push(move)


def test_a_refused_removal_says_what_has_to_go() -> None:
    three = {"civilisation": ["yellow", "red", "blue"]}
    match = push(at("sun sun sun sun sun", seats=[{}, three, {}]), "catastrophe civilisation")
    for move, sentence in (
        ("done", "has to remove 2 markers"),
        ("remove green", "has no marker in this area: green"),
        ("remove green 1", "strikes something else: civilisation"),
    ):
        with pytest.raises(teerling.IllegalMove, match=sentence):
            match.push(move)


def test_a_throw_is_told_once_all_dice_lie() -> None:
    match = throw(at(), "sun nile sun ankh monument")
    assert match.log("nl") == [
        "Zitplaats 0, worp 1: gele zon, rode Nijl, blauwe zon, groene ankh en paars monument"
    ]
    push(match, "throw red")
    throw(match, "- nile - - -")
    assert match.log()[-1] == (
        "Seat 0, throw 2: yellow sun, red Nile, blue sun, green ankh and purple monument"
    )


def test_ra_is_never_told_to_go_beyond_the_end() -> None:
    match = push(at("sun sun nile nile nile", ra=11), "done")
    assert "Ra moves 1 step: 12 of 12" in match.log()
    assert aids(at("sun sun nile nile nile", ra=11).state, 0)["done"]["ra"] == 1


def told_at_the_end(epoch: int = 1, **position: Any) -> list[str]:
    """The log of a scoring, from the end of the epoch on."""
    log = epoch_ended(epoch, **position).log()
    return log[next(i for i, line in enumerate(log) if line.startswith("Epoch")) + 1 :]


def test_a_scoring_names_points_and_what_leaves_the_board() -> None:
    seats = [
        {"pharaoh": 3, "nile": 1, "floods": 2, "civilisation": ["red"]},
        {"civilisation": ["red"]},
        {"pharaoh": 1},
    ]
    assert told_at_the_end(seats=seats) == [
        "Seat 0: +5 points (pharaoh)",
        "Seat 0: +1 point (Nile)",
        "Seat 1: −2 points (pharaoh)",
        "Seat 2: −5 points (civilisation)",
        "Seat 0 goes back 2 steps on the pharaoh track, to space 1",
        "Seat 1 moves 1 step on the pharaoh track, to space 1",
        "Seat 0 takes back 2 flood markers",
        "Seat 0 takes back 1 civilisation marker",
        "Seat 1 takes back 1 civilisation marker",
        "Seat 1 begins epoch 2",
    ]


def test_the_points_of_monuments_are_split_and_explained() -> None:
    monuments = {"yellow": [1] * 8, "red": [None, 1], "blue": [None, 1]}
    seats = [{"score": 0, "civilisation": ["red"]}] * 2 + [{"score": 0, "civilisation": ["blue"]}]
    assert told_at_the_end(3, seats=seats, monuments=monuments) == [
        "Everybody stands on the same space of the pharaoh track: it brings nothing",
        "Seat 1: +15 points (monuments in 8 columns)",
        "Seat 1: +5 points (3 monuments in column 2)",
        "Seat 0 takes back 1 civilisation marker",
        "Seat 1 takes back 1 civilisation marker",
        "Seat 2 takes back 1 civilisation marker",
        "Seat 1 wins the game with 20 points",
    ]


def test_a_tie_says_that_nothing_decides_it() -> None:
    seats = [{"score": 10}, {"score": 4}, {"score": 10}]
    sentence = "Seat 0 and seat 2 have 5 points each; nothing else decides, so they share the win"
    assert told_at_the_end(3, seats=seats)[-1] == sentence


def test_the_board_is_drawn_within_a_hundred_columns() -> None:
    match = at(
        "civilisation civilisation civilisation civilisation civilisation",
        players=4,
        options={"sun_steps": 40},
        seats=[{"civilisation": list(COLOURS)}, {}, {}, {}],
        monuments={"red": [0, 1, 2, 3]},
    )
    for lang in ("nl", "en"):
        page = io.StringIO()
        assert match.game.board is not None
        Console(file=page, width=200).print(match.game.board(match.view(0), Speaker(lang, match.game)))
        lines = page.getvalue().splitlines()
        assert max(len(line.rstrip()) for line in lines) <= 100
        assert any("0    1    2    3" in line for line in lines)
        assert ("worp 1 van 3" if lang == "nl" else "throw 1 of 3") in page.getvalue()


def test_faces_are_named_as_in_the_rules() -> None:
    assert FACES == ("pharaoh", "nile", "civilisation", "monument", "ankh", "sun")


# What the table asks and shows


def test_the_player_is_asked_what_can_be_done() -> None:
    assert ask(at("nile nile ankh sun sun", phase="choosing dice", throws=2).state).data["left"] == 1
    assert ask(at("nile nile ankh sun sun").state).kind == "ask_use"
    assert ask(at("nile sun sun sun sun").state).kind == "ask_catastrophe"
    assert ask(push(at("nile sun sun sun sun"), "catastrophe nile").state).kind == "ask_use"
    built = {"yellow": [1, 1, 1]}
    struck = push(at("nile sun sun sun sun", monuments=built), "catastrophe monument")
    assert (ask(struck.state).seat, ask(struck.state).data["count"]) == (1, 2)


def test_everybody_sees_what_a_scoring_would_bring_now_monuments_included() -> None:
    match = at(
        "pharaoh nile ankh ankh sun",
        monuments={"yellow": [0], "red": [0], "blue": [0, 0]},
        seats=[{"pharaoh": 4, "nile": 7, "floods": 1, "civilisation": ["red"]}, {"pharaoh": 2}, {}],
    )
    now = aids(match.state, 1)["now"]
    assert now[0] == {"pharaoh": 5, "Nile": 7, "civilisation": 0, "monuments": 7}
    assert now[2] == {"pharaoh": -2, "Nile": 0, "civilisation": -5, "monuments": 0}
    assert match.position()["seats"][0]["pharaoh"] == 4


def test_only_the_player_to_decide_sees_what_being_done_would_bring() -> None:
    match = at("pharaoh nile ankh ankh sun")
    assert aids(match.state, 0)["done"] == {"pharaoh": 1, "nile": 1, "points": 2, "ra": 1}
    assert "done" not in aids(match.state, 1)
    assert aids(match.state, SPECTATOR) == aids(match.state, 1)
    assert set(aids(match.state, SPECTATOR)) == {"now", "uses"}


def use_of(match: Match, symbol: str) -> dict[str, Any]:
    """What the dice that show a symbol bring whoever threw them."""
    found: dict[str, Any] = next(use for use in aids(match.state, 0)["uses"] if use["symbol"] == symbol)
    return found


@pytest.mark.parametrize(
    ("others", "standing", "points"),
    [
        ((3, 4), "first", 5),
        ((6, 4), "shared first", 5),
        ((7, 4), "between", 0),
        ((7, 6), "shared last", -2),
        ((9, 8), "last", -2),
        ((6, 6), "level", 0),
    ],
)
def test_pharaohs_tell_where_they_lead_and_what_it_brings(
    others: tuple[int, int], standing: str, points: int
) -> None:
    seats = [{"pharaoh": 5}, {"pharaoh": others[0]}, {"pharaoh": others[1]}]
    use = use_of(at("pharaoh nile nile sun sun", seats=seats), "pharaoh")
    assert (use["from"], use["to"], use["standing"], use["points"]) == (5, 6, standing, points)
    # What is told is what a scoring brings after those steps.
    walked = push(at("pharaoh nile nile sun sun", seats=seats), "done")
    assert aids(walked.state, 0)["now"][0]["pharaoh"] == points


def test_everybody_sees_what_the_dice_on_the_table_bring() -> None:
    match = at("nile nile ankh civilisation monument", seats=[{"nile": 4}, {}, {}])
    assert aids(match.state, 2)["uses"] == aids(match.state, 0)["uses"]
    nile = use_of(match, "nile")
    assert (nile["from"], nile["to"], nile["flood"], nile["floods"]) == (4, 6, True, 0)
    civilisation = use_of(match, "civilisation")
    assert (civilisation["missing"], civilisation["colours"]) == (1, ["green"])
    assert (use_of(match, "monument")["colours"], use_of(match, "monument")["gain"]) == (["purple"], 1)
    assert use_of(match, "ankh")["as"] == ["nile", "civilisation", "monument"]
    assert [use["symbol"] for use in aids(push(match, "flood").state, 0)["uses"]] == [
        "civilisation",
        "monument",
    ]


def test_a_later_monument_is_told_to_take_a_partner() -> None:
    match = at("monument monument ankh sun sun", monuments={"blue": [0]})
    assert not use_of(match, "monument")["partner"]
    push(match, "build yellow 2")
    use = use_of(match, "monument")
    assert (use["dice"], use["colours"], use["partner"]) == (1, ["red"], True)


def lost(match: Match) -> list[str]:
    """What being done gives away."""
    found: list[str] = aids(match.state, 0)["lost"]["dice"]
    return found


def test_being_done_gives_away_only_what_could_still_be_used() -> None:
    assert lost(at("pharaoh pharaoh nile sun sun")) == []
    assert lost(at("monument nile nile sun sun")) == ["yellow monument"]
    assert lost(push(at("monument nile nile sun sun"), "build yellow 1")) == []
    three = at("civilisation civilisation civilisation sun sun")
    assert lost(three) == ["yellow civilisation", "red civilisation", "blue civilisation"]
    assert lost(push(three, "civilisation red")) == []
    assert lost(at("civilisation civilisation nile sun sun")) == []


def test_one_ankh_is_given_away_where_two_are_points() -> None:
    assert lost(at("pharaoh ankh sun sun nile")) == ["red ankh"]
    assert lost(at("pharaoh ankh ankh sun nile")) == []
    assert lost(at("ankh sun sun sun civilisation")) == []


def test_niles_are_given_away_only_at_the_end_of_their_track() -> None:
    assert lost(at("nile nile nile sun sun")) == []
    end = at("nile nile nile sun sun", seats=[{"nile": 12}, {}, {}])
    assert lost(end) == ["yellow Nile", "red Nile", "blue Nile"]


def test_a_catastrophe_that_was_not_caused_is_given_away() -> None:
    match = at("nile sun sun sun sun", throws=3)
    assert aids(match.state, 0)["lost"] == {"dice": [], "catastrophe": True}
    assert not aids(push(match, "catastrophe nile").state, 0)["lost"]["catastrophe"]


def test_four_dice_that_show_the_same_are_told_of() -> None:
    match = push(teerling.new("radice", players=2, chance="manual"), "first 0")
    throw(match, "sun sun sun sun nile")
    told = [event for event in match.steps[-1] if event.kind == "alike"]
    assert [(event.data["count"], event.data["symbol"]) for event in told] == [(4, "sun")]
    match = throw(
        push(teerling.new("radice", players=2, chance="manual"), "first 0"), "sun sun sun nile nile"
    )
    assert [event.kind for event in match.steps[-1]] == ["threw"]
