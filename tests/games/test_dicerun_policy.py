"""What a sensible player does in DiceRun."""

from typing import Any

import numpy as np
import pytest

import teerling
from teerling import Match
from teerling.engine.compile import bind
from teerling.games.dicerun import evaluation, policy, rules
from teerling.games.dicerun.tell import COLOURS
from teerling.players.parameters import parameters_for, scratch_for
from tests.games.test_dicerun import at, holding, race
from tests.variants import VARIANTS, Variant, play

GAME = teerling.game("dicerun")
VALUES = list(parameters_for(GAME).values.values())
WEIGHTS = list(parameters_for(GAME).weights.values())
EVERY_VARIANT = [variant for variant in VARIANTS if variant.game == "dicerun"]


def worths(state: Any) -> dict[int, float]:
    """What the policy says of every legal move."""
    mask, worth = [0] * rules.DECISIONS, [0.0] * rules.DECISIONS
    rules.legal(state, mask)
    policy.advise(state, VALUES, mask, worth, [0.0])
    return {move: worth[move] for move in range(rules.DECISIONS) if mask[move]}


def advised(match: Match) -> str:
    """The move that the policy likes best."""
    found = worths(match.state)
    return GAME.move(max(found, key=lambda move: found[move])).text


def turn_with(hand: str, mission: str, places: list[list[str]], **position: Any) -> Match:
    """The turn of seat 0 with these cards and this mission."""
    seats = holding(hand)
    seats[0]["front"] = mission
    return at(race=places, seats=seats, **position)


NEAR_THE_END = {"drawn": 12}


def test_keeps_dice_with_the_own_number_from_being_thrown_for_the_start() -> None:
    match = at(players=2, round=0, phase="taking dice", seats=[{"front": "blue 4"}, {}])
    found = {GAME.move(move).text: worth for move, worth in worths(match.state).items()}
    own = {text for text in found if text.endswith(" 4")}
    assert own == {f"take {colour} 4" for colour in COLOURS}
    assert max(found[text] for text in own) < 0 < min(found[text] for text in found.keys() - own)


def test_with_the_bonus_hopes_most_for_the_own_die() -> None:
    match = at(
        players=2, round=0, phase="taking dice", options={"mission_bonus": True},
        seats=[{"front": "blue 4"}, {}],
    )  # fmt: skip
    assert advised(match).startswith("take blue")
    assert advised(match) != "take blue 4"


def test_the_throw_for_the_start_belongs_to_the_first_round() -> None:
    """So a search looks beyond it."""
    before, first, second = at(round=0, phase="taking dice"), at(round=1), at(round=2)
    assert evaluation.stage(before.state) == evaluation.stage(first.state) < evaluation.stage(second.state)


def test_moves_the_own_dice_into_the_lead_when_the_round_is_about_to_end() -> None:
    places = race("red 1, green 2, pink 3", "blue 4, red 6")
    match = turn_with("blue, pink, 6", "blue 4", places, **NEAR_THE_END)
    assert advised(match) == "play blue"


def test_names_the_own_number_with_a_question_mark_when_that_wins_the_round() -> None:
    places = race("red 1, green 2, pink 3", "purple 4, red 4, pink 4, blue 1")
    match = turn_with("question, pink, red", "blue 4", places, **NEAR_THE_END)
    assert advised(match) == "question 4"


def test_keeps_its_question_mark_early_in_the_round() -> None:
    places = race("red 1, green 2, pink 3", "purple 4, red 4, pink 4, blue 1")
    early = turn_with("question, 4, red", "blue 4", places, drawn=0)
    assert not advised(early).startswith("question")


def test_does_not_break_up_a_lead_of_its_own_dice() -> None:
    places = race("blue 1, blue 4, red 4", "pink 1, green 1, red 1")
    match = turn_with("1, red, sprint", "blue 4", places, reroller=0, face_down="swap", **NEAR_THE_END)
    assert advised(match) == "sprint"


def test_throws_a_group_again_rather_than_help_others() -> None:
    places = race("blue 1, blue 4, red 4", "pink 1, green 1, red 1")
    match = turn_with("1, red, pink", "blue 4", places, **NEAR_THE_END)
    assert advised(match).startswith("lay ")


def test_throws_again_the_group_that_lacks_its_number() -> None:
    places = race("red 1", "blue 4, red 4, green 4", "pink 1, purple 1, green 1, red 2, blue 2")
    match = turn_with("pink, pink, pink", "blue 4", places)
    match.push("lay pink")
    found = worths(match.state)
    assert found[rules.FIRST_REROLL + 1] > found[rules.FIRST_REROLL]


def test_lays_the_mission_that_leads() -> None:
    seats = [{"missions": ["blue 4", "red 1", "pink 2", "green 3"], "front": None}]
    match = at(
        race=race("red 1, red 2, green 1"),
        options={"variable_missions": True},
        seats=[*seats, {}, {}, {}],
        phase="laying missions",
    )
    assert advised(match) == "mission red 1"


@pytest.mark.parametrize("variant", EVERY_VARIANT, ids=str)
def test_advice_comes_from_what_the_player_knows(variant: Variant) -> None:
    for match in play(variant.new(), seed=3):
        if not match.over and len(match.legal_moves) > 1:
            assert worths(match.state) == worths(GAME.observed(match.state, match.state.turn))


@pytest.mark.parametrize("variant", EVERY_VARIANT[:: len(EVERY_VARIANT) // 4], ids=str)
def test_compiled_advice_is_the_same(variant: Variant) -> None:
    compiled = bind(rules.__name__, "teerling.engine.kernels.step", "checked")
    room = np.zeros(1, scratch_for(GAME))
    for match in play(variant.new(), seed=4):
        if not match.over and len(match.legal_moves) > 1:
            room[0]["mask"][:] = 0
            rules.legal(match.state, room[0]["mask"])
            compiled.advise_at(match.state.to_array(), 0, np.array(VALUES), room)
            for move, expected in worths(match.state).items():
                assert room[0]["worth"][move] == pytest.approx(expected)


def evaluated(match: Match) -> tuple[float, list[float]]:
    """By how much the outcome is in error, and the victory cards that every seat may expect."""
    points = [0.0] * match.players
    return evaluation.evaluate(match.state, VALUES, WEIGHTS, points), points


def test_all_victory_cards_are_expected() -> None:
    hands = [{"hand": {colour: 3}, "victory": 3 - p} for p, colour in enumerate(COLOURS[:4])]
    _, points = evaluated(at(round=2, seats=hands))
    assert sum(points) == pytest.approx(3 + 2 + 1 + 0 + 6 + 6 + 8)


def test_a_question_mark_in_the_hand_is_expected_to_help() -> None:
    _, points = evaluated(at(round=2, seats=holding("question, red, red", "blue, blue, red")))
    assert points[0] > points[1]


def test_in_a_tie_break_only_the_tied_are_expected_to_win() -> None:
    seats = [{"victory": 7}, {"victory": 6}, {"victory": 7}, {"victory": 0}]
    error, points = evaluated(at(round=5, seats=seats))
    assert min(points[0], points[2]) - points[1] > 5 * error
