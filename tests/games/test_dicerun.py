"""The rules of DiceRun, each pinned by its id."""

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

import teerling
from teerling import CHANCE, Match
from teerling.games.dicerun import rules
from teerling.games.dicerun.tell import CARDS, COLOURS, DICE_NAMES

GAP: list[str] = []
"""A distance card in a race."""


def at(**position: Any) -> Match:
    """A position of four players unless told otherwise, its chance pushed by hand."""
    return teerling.at("dicerun", {"players": 4, **position}, chance="manual")


def race(*places: str, others: int = 5, pack: int | None = None) -> list[list[str]]:
    """Places from the front, as in "red 4, blue 1"; all other dice show the same, in a last group.

    "" is a distance card; `pack` puts the other dice in that place instead.
    """
    dice = [place.split(", ") if place else [] for place in places]
    named = Counter(die.split()[0] for place in dice for die in place)
    rest = [f"{colour} {others}" for colour in COLOURS for _ in range(6 - named[colour])]
    if pack is None:
        return [*dice, rest] if rest else dice
    dice[pack] += rest
    return dice


def running(match: Match, leaving_out: int | None = None) -> list[list[str]]:
    """The places from the front with what their dice show; dice with one number may be left out."""
    return [
        sorted(f"{die['colour']} {die['number']}" for die in place if die["number"] != leaving_out)
        for place in match.position()["race"]
    ]


def holding(*hands: str) -> list[dict[str, Any]]:
    """Four seats with these hands, as in "blue, blue, swap"; the rest of the seats as usual."""
    found = [{"hand": dict(Counter(hand.split(", ")))} if hand else {} for hand in hands]
    return [*found, *[{} for _ in range(4 - len(found))]]


def push(match: Match, *moves: str) -> Match:
    for move in moves:
        match.push(move)
    return match


def texts(match: Match) -> set[str]:
    return {move.text for move in match.legal_moves}


def after(move: str, places: list[list[str]], hand: str, leaving_out: int = 5) -> list[list[str]]:
    """The race after seat 0 has made a move with this hand."""
    return running(push(at(race=places, seats=holding(hand)), move), leaving_out)


def scoring(places: list[list[str]], *missions: str, **position: Any) -> Match:
    """The end of a round with this race, in which no die shows 6, and these missions."""
    seats = [
        {"front": mission, "hand": {"question": 3} if p == 0 else None} for p, mission in enumerate(missions)
    ]
    given = {"players": len(missions), "race": places, "seats": seats, "drawn": 11, **position}
    return push(at(**given), "question 6", "card end")


def scored(match: Match, key: str) -> list[int]:
    return [seat["scored"][key] for seat in match.position()["seats"]]


def why(match: Match, move: str) -> str:
    reason = match.why(move)
    assert reason is not None
    return reason.kind


# Material and set-up


@pytest.mark.rule("DR-01")
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_dicerun_is_for_two_to_six(players: int) -> None:
    assert teerling.new("dicerun", players=players, seed=1).players == players


@pytest.mark.rule("DR-01")
@pytest.mark.parametrize("players", [1, 7])
def test_other_numbers_of_players_are_refused(players: int) -> None:
    with pytest.raises(teerling.BadPlayers, match="2 to 6 players"):
        teerling.new("dicerun", players=players)


@pytest.mark.rule("DR-01")
def test_there_are_six_dice_of_each_of_five_colours() -> None:
    dice = [die for place in at().position()["race"] for die in place]
    assert Counter(die["colour"] for die in dice) == dict.fromkeys(COLOURS, 6)
    assert sorted(die["die"] for die in dice) == list(range(30))
    assert COLOURS == ("green", "red", "blue", "pink", "purple")


@pytest.mark.rule("DR-02")
def test_there_are_68_action_cards() -> None:
    cards = teerling.new("dicerun", chance="manual").position()["unseen"]
    assert cards == {**dict.fromkeys(CARDS[:11], 5), "question": 4, "distance": 3, "sprint": 3, "swap": 3}
    assert sum(cards.values()) == 68


@pytest.mark.rule("DR-02")
def test_the_deck_is_an_option() -> None:
    cards = teerling.new("dicerun", chance="manual", deck="2,10,0,1,2,3").position()["unseen"]
    assert [cards[card] for card in CARDS] == [2] * 5 + [10] * 6 + [0, 1, 2, 3]
    for deck in ("5,5,5,0,0,0", "20,3,1,1,0,0"):
        assert teerling.new("dicerun", seed=1, deck=deck).players
    for deck in ("5,5,1,1,1,1", "10,10,10,0,0,1"):
        with pytest.raises(teerling.BadOption, match="60 to 120 pieces in all"):
            teerling.new("dicerun", deck=deck)


@pytest.mark.rule("DR-03")
def test_every_colour_has_a_mission_with_every_number() -> None:
    match = teerling.new("dicerun", players=2, chance="manual")
    while "mission green 1" not in texts(match):
        match.push(match.legal_moves[0])
    assert {move.text: p for move, p in match.chances} == {
        f"mission {colour} {number}": Fraction(1, 30) for colour in COLOURS for number in range(1, 7)
    }
    match.push("mission red 3")
    assert "mission red 3" not in texts(match)


@pytest.mark.rule("DR-04")
def test_everybody_is_dealt_three_cards_by_what_is_left() -> None:
    match = teerling.new("dicerun", players=2, chance="manual")
    assert dict(match.chances)[match.game.move("card blue", True)] == Fraction(5, 68)
    push(match, "card blue", "card blue", "card swap")
    assert dict(match.chances)[match.game.move("card blue", True)] == Fraction(3, 65)
    push(match, "card 1", "card 2", "card 3")
    seats = match.position()["seats"]
    assert [seat["hand"] for seat in seats] == [{"blue": 2, "swap": 1}, {"1": 1, "2": 1, "3": 1}]


@pytest.mark.rule("DR-04")
def test_a_hand_is_secret() -> None:
    match = at(seats=holding("blue, blue, swap", "1, 2, 3"))
    assert match.view(0)["board"]["seats"][0]["hand"] == {"blue": 2, "swap": 1}
    for viewer in (None, 1, 2):
        seat = match.view(viewer)["board"]["seats"][0]
        assert (seat["hand"], seat["cards"]) == (None, 3)
    push(match, "play blue", "card distance")
    assert [str(move) for move in match.history_of(0)] == ["play blue", "card distance"]
    assert [str(move) for move in match.history_of(3)] == ["play blue", "card ?"]


@pytest.mark.rule("DR-04")
@pytest.mark.parametrize(("drawn", "chance"), [(8, 0), (9, 5), (10, 4), (11, 3), (12, 2), (13, 1)])
@pytest.mark.parametrize("round", [1, 2, 3, 4])
def test_an_uneven_pile_ends_sooner_or_later(drawn: int, chance: int, round: int) -> None:
    """68 − 12 = 56 cards: b is 11."""
    match = push(at(drawn=drawn, round=round, seats=holding("green, red, blue")), "play green")
    chances = {move.text: probability for move, probability in match.chances}
    assert chances.get("card end", 0) == (Fraction(1, chance) if chance else 0)
    if chance != 1:
        rest = match.position()["rest"]
        share = Fraction(match.position()["unseen"]["purple"], rest)
        assert chances["card purple"] == share * (1 - chances.get("card end", 0))


@pytest.mark.rule("DR-04")
@pytest.mark.parametrize(("players", "sizes"), [(2, [13, 13, 12, 12]), (4, [12, 11, 11, 11]), (6, [10] * 4)])
def test_even_piles_differ_by_at_most_one_the_larger_first(players: int, sizes: list[int]) -> None:
    for round, size in enumerate(sizes, 1):
        for drawn, ends in ((size - 1, False), (size, True)):
            match = at(players=players, options={"piles": "even"}, round=round, drawn=drawn)
            match.push(next(move for move in match.legal_moves if move.text.startswith("play ")))
            assert ("card end" in texts(match)) == ends
            assert (len(match.legal_moves) == 1) == ends


@pytest.mark.rule("DR-04")
def test_sizes_of_uneven_piles_are_equally_likely() -> None:
    """The chances of ending after 9, 10, 11, 12 and 13 cards, one after the other, make a fifth each."""
    lasting = Fraction(1)
    for drawn in range(9, 14):
        match = push(at(drawn=drawn, seats=holding("green, red, blue")), "play green")
        ends = dict(match.chances)[match.game.move("card end", True)]
        assert lasting * ends == Fraction(1, 5)
        lasting *= 1 - ends


@pytest.mark.rule("DR-05")
def test_all_dice_are_thrown_into_one_group() -> None:
    match = teerling.new("dicerun", players=2, chance="manual")
    push(match, "card 1", "card 1", "card 1", "card 2", "card 2", "card 2")
    for colour in COLOURS:
        for number in (1, 6, 2, 5, 3, 3):
            assert match.chances == tuple(
                (match.game.move(f"die {colour} {n}", True), Fraction(1, 6)) for n in range(1, 7)
            )
            match.push(f"die {colour} {number}")
    assert running(match) == [sorted(f"{colour} {n}" for colour in COLOURS for n in (1, 6, 2, 5, 3, 3))]
    assert match.position()["race"][0][3] == {"die": 3, "colour": "green", "number": 5}


@pytest.mark.rule("DR-05")
def test_a_mission_is_secret() -> None:
    match = teerling.new("dicerun", players=2, seed=3)
    index = next(i for i, move in enumerate(match.history) if move.text.startswith("mission"))
    mission = match.position()["seats"][0]["front"]
    assert match.history_of(0)[index].text == f"mission {mission}"
    assert match.history_of(1)[index].text == match.history_of(None)[index].text == "mission ?"
    assert match.view(0)["board"]["seats"][0]["front"] == mission
    for viewer in (1, None):
        seat = match.view(viewer)["board"]["seats"][0]
        assert (seat["front"], seat["missions"], seat["laid"]) == (None, None, True)
        assert mission not in [event.data.get("mission") for event in match.events_of(viewer)]


THREE_OF_A_COLOUR = "green 1, green 2, green 2, red 3, red 4, blue 5, pink 6"


def starting(players: int = 3, **position: Any) -> Match:
    """The first player takes dice to throw for the start; dice that are not named show 1."""
    places = race(THREE_OF_A_COLOUR, others=1, pack=0)
    return at(players=players, round=0, phase="taking dice", race=places, **position)


def seats_told(match: Match, kind: str) -> list[Any]:
    return [event.data.get("seats", event.seat) for event in match.events if event.kind == kind]


@pytest.mark.rule("DR-06")
def test_after_the_missions_everybody_takes_two_dice_by_colour_and_number() -> None:
    match = teerling.new("dicerun", players=2, chance="manual")
    while match.turn == CHANCE:
        match.push(match.legal_moves[0])
    assert match.turn == 0
    assert match.position()["seats"][1]["laid"]
    assert texts(match) == {f"take {colour} 1" for colour in COLOURS}


@pytest.mark.rule("DR-06")
def test_who_has_two_dice_throws_them_one_after_the_other_and_then_the_next_takes() -> None:
    match = starting()
    push(match, "take green 2", "take red 4")
    assert match.turn == CHANCE
    assert {move.text: p for move, p in match.chances} == {
        f"die green {n}": Fraction(1, 6) for n in range(1, 7)
    }
    push(match, "die green 6")
    assert {move.text for move in match.legal_moves} == {f"die red {n}" for n in range(1, 7)}
    push(match, "die red 1")
    assert match.turn == 1
    assert match.events[-1].data["sum"] == 7


@pytest.mark.rule("DR-06")
def test_nobody_takes_a_die_that_another_has_taken() -> None:
    match = starting()
    assert "take pink 6" in texts(match)
    push(match, "take pink 6")
    assert "take pink 6" not in texts(match)
    assert why(match, "take pink 6") == "die_not_there"
    push(match, "take green 2", "die pink 3", "die green 5")
    assert "take pink 3" not in texts(match)
    assert "take green 5" not in texts(match)
    assert "take green 2" in texts(match), "there were two"
    push(match, "take green 2")
    assert "take green 2" not in texts(match)


@pytest.mark.rule("DR-06")
def test_the_highest_sum_begins_and_the_dice_go_back_as_thrown() -> None:
    match = starting()
    push(match, "take green 2", "take green 2", "die green 1", "die green 4")
    push(match, "take red 3", "take blue 5", "die red 6", "die blue 6")
    push(match, "take red 4", "take pink 6", "die red 5", "die pink 6")
    assert match.turn == 1
    assert match.position()["start"] is None
    assert running(match, leaving_out=1) == [["blue 6", "green 4", "pink 6", "red 5", "red 6"]]
    assert seats_told(match, "begins_highest") == [1]
    push(match, match.legal_moves[0].text, "card swap")
    assert match.turn == 2


@pytest.mark.rule("DR-06")
def test_equal_highest_sums_throw_the_same_dice_again_and_nobody_else() -> None:
    match = starting()
    push(match, "take green 2", "take red 3", "die green 5", "die red 6")
    push(match, "take green 2", "take red 4", "die green 4", "die red 6")
    push(match, "take blue 5", "take pink 6", "die blue 6", "die pink 5")
    assert seats_told(match, "equal_throws") == [[0, 2]]
    assert match.position()["start"]["taken"] == [[1, 6], [], [12, 18]]
    assert {move.text for move in match.legal_moves} == {f"die green {n}" for n in range(1, 7)}
    push(match, "die green 1", "die red 1", "die blue 1", "die pink 1")
    assert seats_told(match, "equal_throws") == [[0, 2], [0, 2]]
    push(match, "die green 2", "die red 1", "die blue 2", "die pink 2")
    assert match.turn == 2, "seat 1 threw 10, but not the highest"
    assert running(match, leaving_out=1) == [["blue 2", "green 2", "green 4", "pink 2", "red 6"]]


@pytest.mark.rule("DR-06")
def test_with_variable_missions_the_throw_comes_before_missions_are_laid() -> None:
    match = starting(players=2, options={"variable_missions": True})
    push(match, "take green 2", "take red 3", "die green 1", "die red 1")
    push(match, "take green 2", "take red 4", "die green 4", "die red 6")
    assert (match.turn, match.position()["phase"]) == (1, "laying missions")


@pytest.mark.rule("DR-06")
def test_only_dice_can_be_taken_before_the_race_and_only_then() -> None:
    assert why(starting(), "play blue") == "take_first"
    assert why(at(), "take red 3") == "race_is_on"


@pytest.mark.rule("DR-06")
def test_a_position_in_the_middle_of_the_throws_can_be_gone_on_with() -> None:
    match = starting()
    moves = "take green 2, take red 3, die green 5, die red 6, take green 2, take red 4, die green 4, "
    moves += (
        "die red 6, take blue 5, take pink 6, die blue 6, die pink 5, die green 1, die red 1, die blue 1, "
    )
    moves += "die pink 1"
    for move in moves.split(", "):
        assert match.game.place(match.position()) == match.state
        push(match, move)
    position = match.position()
    for taken in ([[1], [], [12, 18]], [[1, 6], [], []], [[1, 1], [], [12, 18]], [[1, 30], [], [12, 18]]):
        with pytest.raises(teerling.BadPosition, match="start"):
            match.game.place({**position, "start": {"taken": taken, "again": True}})
    with pytest.raises(teerling.BadPosition, match="in the air"):
        match.game.place({**position, "start": {"taken": [[1, 7], [], [12, 18]], "again": True}})
    with pytest.raises(teerling.BadPosition, match="start is null unless"):
        at(start={"taken": [[], [], [], []]})
    with pytest.raises(teerling.BadPosition, match="where a random player begins"):
        at(round=0, phase="taking dice", options={"start": "random"})


@pytest.mark.rule("DR-06")
def test_in_version_1_and_by_option_a_random_player_begins() -> None:
    for head in ("rules 1", "rules 2\nplayers 2\noption start random"):
        head += "" if "players" in head else "\nplayers 2"
        match = teerling.load(f"teerling 1\ngame dicerun\n{head}\nchance manual\nmoves\nend\n")
        while "first 0" not in texts(match):
            match.push(match.legal_moves[0])
            assert match.turn == CHANCE
        assert push(match, "first 1").turn == 1


@pytest.mark.rule("DR-06")
def test_a_position_of_version_1_is_played_on_by_version_1() -> None:
    match = teerling.new("dicerun", players=2, chance="manual")
    for _ in range(10):
        match.push(match.legal_moves[0])
    start = match.position()
    del start["start"], start["options"]["start"]
    saved = teerling.at("dicerun", start, chance="manual").save().replace("rules 2", "rules 1")
    old = teerling.load(saved)
    while not any(text.startswith(("first", "take")) for text in texts(old)):
        old.push(old.legal_moves[0])
    assert texts(old) == {"first 0", "first 1"}


@pytest.mark.rule("DR-06")
@pytest.mark.parametrize("first", [0, 1, 2])
def test_anybody_may_be_first_with_equal_chances(first: int) -> None:
    match = at(players=3, round=0, phase="choosing first", options={"start": "random"})
    assert [probability for _, probability in match.chances] == [Fraction(1, 3)] * 3
    assert push(match, f"first {first}").turn == first
    push(match, match.legal_moves[0].text, "card swap")
    assert match.turn == (first + 1) % 3


# A turn


@pytest.mark.rule("DR-07")
def test_a_card_is_played_and_another_drawn() -> None:
    match = at(seats=holding("blue, 3, swap"))
    assert texts(match) == {"play blue", "play 3", "swap none"}
    push(match, "play blue")
    assert match.turn == CHANCE
    push(match, "card sprint")
    assert match.position()["seats"][0]["hand"] == {"3": 1, "swap": 1, "sprint": 1}
    assert match.turn == 1


def test_cards_are_named_as_people_name_them() -> None:
    match = at(seats=holding("blue, 3, swap"))
    push(match, "play blue", "card 4")
    assert match.log(seat=0)[::3] == ["Seat 0 plays a blue card", "Seat 0 draws a 4"]
    assert [line.split(maxsplit=2)[2] for line in match.log("nl", seat=0)[::3]] == [
        "speelt een blauwe kaart",
        "trekt een 4",
    ]
    match = at(race=race("red 1", "blue 2"), seats=holding("swap, 3, 4"))
    push(match, "lay swap")
    assert match.log(seat=0) == ["Seat 0 lays a swap face down to throw again"]
    assert match.log("nl", seat=0)[0].endswith("legt een wissel gedekt neer om opnieuw te dobbelen")
    assert match.log(seat=1) == ["Seat 0 lays a card face down to throw again"]


@pytest.mark.rule("DR-07")
def test_a_card_without_effect_may_be_played() -> None:
    places = race("red 1, blue 2", others=5)
    match = push(at(race=places, seats=holding("3, 4, 6")), "play 4")
    assert running(match) == running(at(race=places))
    assert [event.kind for event in match.events] == ["played", "no_effect"]


@pytest.mark.rule("DR-07")
def test_what_a_card_does_is_compulsory() -> None:
    match = at(race=race("red 1", "red 2", "red 3"), seats=holding("distance, swap, sprint"))
    assert why(match, "distance none") == "distance_must"
    assert why(match, "swap none") == "swap_must"


@pytest.mark.rule("DR-07")
def test_only_a_card_of_the_own_hand_can_be_played() -> None:
    match = at(race=race("red 1", "red 2"), seats=holding("blue, 3, 4", "red, swap, question"))
    for move in ("play red", "play 5", "question red", "swap none", "sprint", "distance 1", "lay red"):
        with pytest.raises(teerling.IllegalMove, match="does not hold this card"):
            match.push(move)


@pytest.mark.rule("DR-08")
def test_a_group_that_joins_another_leaves_no_empty_place() -> None:
    assert after("play 6", race("red 1", "blue 6", "pink 2"), "6, 1, 2") == [
        ["blue 6", "red 1"], ["pink 2"], []
    ]  # fmt: skip


@pytest.mark.rule("DR-08")
def test_an_empty_place_is_a_distance_card() -> None:
    match = at(race=race("red 1", "", "red 2"))
    assert match.position()["unseen"]["distance"] == 2
    with pytest.raises(teerling.BadPosition, match="two empty places in a row"):
        at(race=race("red 1", "", "", "red 2"))
    with pytest.raises(teerling.BadPosition, match="hold 4 cards distance; there are 3"):
        at(race=race("red 1", "", "red 2", "", "red 3", "", "red 4", "", "red 6"))


@pytest.mark.rule("DR-09")
def test_at_the_start_blue_forms_a_new_leading_group() -> None:
    match = push(at(seats=holding("blue, 1, 2")), "play blue")
    assert running(match)[0] == [f"blue {number}" for number in range(1, 7)]
    assert len(running(match)) == 2


@pytest.mark.rule("DR-09")
def test_then_number_one_leaves_a_single_leader_and_three_groups() -> None:
    match = push(at(seats=holding("blue, 1, 2", "1, 3, 4")), "play blue", "card 6", "play 1")
    lead, second, pack = running(match)
    assert lead == ["blue 1"]
    assert second == [
        "blue 2",
        "blue 3",
        "blue 4",
        "blue 5",
        "blue 6",
        "green 1",
        "pink 1",
        "purple 1",
        "red 1",
    ]
    assert len(pack) == 20


@pytest.mark.rule("DR-09")
def test_a_colour_moves_whatever_number_and_a_number_whatever_colour() -> None:
    places = race("green 1", "red 1, red 2, blue 1, blue 2")
    assert after("play red", places, "red, 1, 2") == [["green 1", "red 1", "red 2"], ["blue 1", "blue 2"], []]
    assert after("play 2", places, "red, 1, 2") == [["blue 2", "green 1", "red 2"], ["blue 1", "red 1"], []]


@pytest.mark.rule("DR-10")
def test_number_six_makes_three_groups_of_four() -> None:
    """The rulebook's figures 4 and 5."""
    places = race("red 1, blue 2", "pink 6, pink 3", "green 6, purple 6", "blue 4")
    assert after("play 6", places, "6, 1, 2") == [
        ["blue 2", "pink 6", "red 1"], ["green 6", "pink 3", "purple 6"], ["blue 4"], []
    ]  # fmt: skip


@pytest.mark.rule("DR-10")
def test_a_leading_group_that_would_move_as_a_whole_stays() -> None:
    """The rulebook's figures 6 and 7."""
    places = race("red 1, blue 1", "pink 1, green 1, purple 1, pink 2")
    match = push(at(race=places, seats=holding("1, 2, 3")), "play 1")
    assert running(match, 5) == [["blue 1", "green 1", "pink 1", "purple 1", "red 1"], ["pink 2"], []]
    assert "lead_stays" in [event.kind for event in match.events]


@pytest.mark.rule("DR-10")
def test_places_are_counted_from_before_the_card_and_closed_last() -> None:
    """Our own example: a | 6 6 | 6 b gives a 6 6 | 6 | b."""
    places = race("red 1", "red 6, blue 6", "pink 6, pink 2")
    assert after("play 6", places, "6, 1, 2") == [["blue 6", "red 1", "red 6"], ["pink 6"], ["pink 2"], []]


@pytest.mark.rule("DR-10")
def test_matching_dice_of_the_lead_form_a_new_lead_and_others_close_in() -> None:
    places = race("red 6, red 1", "blue 6, blue 2", "pink 6")
    assert after("play 6", places, "6, 1, 2") == [["red 6"], ["blue 6", "red 1"], ["blue 2", "pink 6"], []]


@pytest.mark.rule("DR-10")
def test_distance_cards_close_up_along_with_the_dice_behind() -> None:
    places = race("red 1", "blue 6", "", "pink 2")
    assert after("play 6", places, "6, 1, 2") == [["blue 6", "red 1"], GAP, ["pink 2"], []]


@pytest.mark.rule("DR-11")
def test_a_question_mark_is_any_colour_or_number() -> None:
    match = at(seats=holding("question, 3, 4"))
    named = {f"question {card}" for card in CARDS[:11]}
    assert named < texts(match)
    places = race("green 1", "red 1, red 2, blue 1, blue 2")
    for name in ("red", "2"):
        assert after(f"question {name}", places, "question, 3, 4") == after(
            f"play {name}", places, f"{name}, 3, 4"
        )
    push(match, "question blue")
    assert "question" not in match.position()["seats"][0]["hand"]


@pytest.mark.rule("DR-12")
def test_a_distance_is_laid_between_two_neighbouring_groups() -> None:
    places = race("red 1", "red 2", "red 3")
    assert after("distance 2", places, "distance, 1, 2") == [["red 1"], ["red 2"], GAP, ["red 3"], []]
    match = at(race=places, seats=holding("distance, 1, 2"))
    assert {text for text in texts(match) if text.startswith("distance")} == {
        f"distance {n}" for n in (1, 2, 3)
    }
    assert why(match, "distance 4") == "nothing_behind"


@pytest.mark.rule("DR-12")
def test_at_most_one_distance_lies_in_a_gap() -> None:
    match = at(race=race("red 1", "", "red 2"), seats=holding("distance, 1, 2"))
    assert {text for text in texts(match) if text.startswith("distance")} == {"distance 2"}
    assert why(match, "distance 1") == "distance_there"


@pytest.mark.rule("DR-12")
@pytest.mark.parametrize("places", [race("red 1", pack=0), race("red 1", "", "red 2", pack=0)])
def test_without_a_free_gap_a_distance_has_no_effect(places: list[list[str]]) -> None:
    match = at(race=places, seats=holding("distance, 1, 2"))
    assert {text for text in texts(match) if text.startswith("distance")} == {"distance none"}
    assert running(push(match, "distance none")) == running(at(race=places))


@pytest.mark.rule("DR-12")
def test_a_lead_that_splits_keeps_its_distance() -> None:
    places = race("red 6, red 1", "", "blue 2")
    assert after("play 6", places, "6, 1, 2") == [["red 6"], ["red 1"], GAP, ["blue 2"], []]


@pytest.mark.rule("DR-12")
def test_dice_behind_a_distance_fill_it_and_do_not_join_the_lead() -> None:
    places = race("red 6", "", "blue 6, blue 2")
    match = push(at(race=places, seats=holding("6, 1, 2")), "play 6")
    assert running(match, 5) == [["red 6"], ["blue 6"], ["blue 2"], []]
    assert ("distance_left", 1) in [(event.kind, event.data.get("count")) for event in match.events]


@pytest.mark.rule("DR-12")
def test_a_whole_group_that_moves_into_a_distance_closes_the_place_behind() -> None:
    places = race("red 1", "", "blue 6", "pink 2")
    assert after("play 6", places, "6, 1, 2") == [["red 1"], ["blue 6"], ["pink 2"], []]
    places = race("red 1", "", "blue 6", "", "pink 2")
    assert after("play 6", places, "6, 1, 2") == [["red 1"], ["blue 6"], GAP, ["pink 2"], []]


@pytest.mark.rule("DR-13")
def test_a_sprint_takes_the_last_group_to_second_place_on_its_own() -> None:
    places = race("red 1", "red 2", "red 3", "red 4", pack=0)
    assert after("sprint", places, "sprint, 1, 2") == [["red 1"], ["red 4"], ["red 2"], ["red 3"]]


@pytest.mark.rule("DR-13")
def test_a_sprinting_group_fills_a_distance_behind_the_lead() -> None:
    places = race("red 1", "", "red 2", "red 3", pack=0)
    assert after("sprint", places, "sprint, 1, 2") == [["red 1"], ["red 3"], ["red 2"]]


@pytest.mark.rule("DR-13")
def test_with_two_groups_a_sprint_closes_the_distance_or_does_nothing() -> None:
    assert after("sprint", race("red 1", "", "red 2", pack=0), "sprint, 1, 2") == [["red 1"], ["red 2"]]
    for places in (race("red 1", "red 2", pack=0), race("red 1", pack=0)):
        match = push(at(race=places, seats=holding("sprint, 1, 2")), "sprint")
        assert running(match) == running(at(race=places))
        assert [event.kind for event in match.events] == ["played", "no_effect"]


@pytest.mark.rule("DR-13")
def test_a_distance_left_behind_the_last_group_leaves() -> None:
    places = race("red 1", "red 2", "", "red 3", pack=0)
    assert after("sprint", places, "sprint, 1, 2") == [["red 1"], ["red 3"], ["red 2"]]


@pytest.mark.rule("DR-14")
def test_groups_three_and_four_change_places() -> None:
    places = race("red 1", "red 2", "red 3", "red 4")
    assert after("swap 3", places, "swap, 1, 2") == [["red 1"], ["red 2"], ["red 4"], ["red 3"], []]


@pytest.mark.rule("DR-14")
def test_the_leader_is_never_swapped() -> None:
    match = at(race=race("red 1", "red 2", "red 3"), seats=holding("swap, 1, 2"))
    assert {text for text in texts(match) if text.startswith("swap")} == {"swap 2", "swap 3"}
    with pytest.raises(teerling.UnknownMove):
        match.push("swap 1")
    assert why(match, "swap 4") == "nothing_behind"


@pytest.mark.rule("DR-14")
def test_a_distance_keeps_its_place_in_a_swap() -> None:
    places = race("red 1", "", "red 2", "", "red 3", "", "red 4")
    swapped = [["red 1"], GAP, ["red 3"], GAP, ["red 2"], GAP, ["red 4"], []]
    assert after("swap 2", places, "swap, 1, 2") == swapped


@pytest.mark.rule("DR-14")
@pytest.mark.parametrize("places", [race("red 1", pack=0), race("red 1", "red 2", pack=0)])
def test_with_fewer_than_three_groups_a_swap_has_no_effect(places: list[list[str]]) -> None:
    match = at(race=places, seats=holding("swap, 1, 2"))
    assert {text for text in texts(match) if text.startswith("swap")} == {"swap none"}
    assert running(push(match, "swap none")) == running(at(race=places))


# Re-rolling


@pytest.mark.rule("DR-15")
def test_a_group_is_thrown_again_and_stays_in_its_place() -> None:
    places = race("red 1", "red 2, blue 2, pink 4", "red 3")
    match = push(at(race=places, seats=holding("sprint, 1, 2")), "lay sprint")
    assert texts(match) == {"reroll 2", "reroll 3", "reroll 4"}
    push(match, "reroll 2", "die red 6", "die blue 2", "die pink 1")
    assert running(match, 5) == [["red 1"], ["blue 2", "pink 1", "red 6"], ["red 3"], []]
    assert match.log()[-1] == "Group 2 now shows red 6, blue 2 and pink 1"
    assert match.turn == CHANCE
    assert push(match, "card blue").position()["seats"][0]["cards"] == 3
    assert match.turn == 1


def test_a_group_is_told_colour_by_colour_with_its_numbers_in_order() -> None:
    places = race("red 1", "red 2, red 3, red 4, blue 2", "red 5")
    match = push(at(race=places, seats=holding("sprint, 1, 2")), "lay sprint", "reroll 2")
    push(match, "die red 6", "die red 1", "die red 6", "die blue 2")
    assert match.log()[-1] == "Group 2 now shows red 1 6 6 and blue 2"


def test_a_position_names_the_turn_or_the_mover_or_both() -> None:
    for position in ({"turn": 2}, {"mover": 2}, {"turn": 2, "mover": 2}):
        match = at(**position)
        assert (match.turn, match.position()["mover"]) == (2, 2)


@pytest.mark.rule("DR-15")
def test_the_leading_group_is_never_thrown_again() -> None:
    with pytest.raises(teerling.UnknownMove):
        at().game.move("reroll 1")
    match = at(race=race(), seats=holding("1, 2, 3"))
    assert not any(text.startswith("lay") for text in texts(match))
    assert why(match, "lay 1") == "only_lead"


@pytest.mark.rule("DR-15")
def test_nobody_throws_again_twice_unless_another_did_in_between() -> None:
    match = at(players=2, race=race("red 1", "red 2, red 3"), seats=holding("1, 2, 3", "1, 2, 3")[:2])
    push(match, "lay 1", "reroll 2", "die red 4", "die red 4", "card 6", "play 1", "card 6")
    assert match.turn == 0
    assert why(match, "lay 2") == "rerolled_last"
    push(match, "play 2", "card 6", "lay 2", "reroll 2", "die red 1", "die red 1", "card 6")
    assert match.turn == 0
    assert "lay 3" in texts(match)


@pytest.mark.rule("DR-15")
def test_the_ban_outlasts_the_end_of_a_round() -> None:
    match = at(players=2, race=race("red 1", "red 2"), drawn=13, reroller=0, face_down="swap")
    assert why(match, "lay green") == "rerolled_last"
    push(match, match.legal_moves[0].text, "card end", "mission red 5", "mission red 6", "card 1")
    push(match, match.legal_moves[0].text, "card 1")
    assert (match.turn, match.position()["round"]) == (0, 2)
    assert match.position()["face_down"] == "swap"
    assert not any(text.startswith("lay") for text in texts(match))


@pytest.mark.rule("DR-15")
def test_the_ban_holds_in_a_tie_break() -> None:
    seats = [{"victory": 9}, {"victory": 9}, {"victory": 1}, {"victory": 1}]
    match = at(round=5, race=race("red 1", "red 2"), reroller=0, face_down="swap", seats=seats)
    assert match.turn == 0
    assert not any(text.startswith("lay") for text in texts(match))


@pytest.mark.rule("DR-15")
def test_only_its_owner_knows_the_card_face_down_for_ever() -> None:
    hands = holding("sprint, 1, 2", "swap, 1, 2")
    match = push(at(race=race("red 1", "red 2"), seats=hands), "lay sprint")
    assert [str(match.history_of(seat)[0]) for seat in (0, 1, None)] == ["lay sprint", "lay ?", "lay ?"]
    for viewer, known in ((0, "sprint"), (1, None), (None, None)):
        board = match.view(viewer)["board"]
        assert (board["reroller"], board["face_down"]) == (0, known)
    push(match, "reroll 2", "die red 2", "card 4", "lay swap", "reroll 2", "die red 3", "card 4")
    for viewer, gone, face_down, sprints, swaps in (
        (0, {"sprint": 1}, None, 2, 3), (1, None, "swap", 3, 2), (2, None, None, 3, 3),
        (None, None, None, 3, 3),
    ):  # fmt: skip
        board = match.view(viewer)["board"]
        assert (board["seats"][0]["gone"], board["seats"][0]["cards_gone"]) == (gone, 1)
        assert board["face_down"] == face_down
        own = board["seats"][viewer]["hand"] if viewer is not None else {}
        assert board["unseen"]["sprint"] + own.get("sprint", 0) == sprints
        assert board["unseen"]["swap"] + own.get("swap", 0) == swaps


@pytest.mark.rule("DR-15")
def test_a_card_has_to_be_laid_before_the_group_is_chosen() -> None:
    match = at(race=race("red 1", "red 2"), seats=holding("1, 2, 3"))
    assert why(match, "reroll 2") == "lay_card_first"
    push(match, "lay 1")
    assert why(match, "play 2") == "choose_group_first"
    assert why(match, "reroll 4") == "no_such_group"


# The end of a round


@pytest.mark.rule("DR-16")
def test_an_end_card_stops_the_race_and_the_left_neighbour_goes_on() -> None:
    places = race("red 1", "", "red 2")
    fronts = ["red 1", "red 2", "red 3", "red 4"]
    seats = [{"front": front, **hand} for front, hand in zip(fronts, holding("3, 3, 3"), strict=True)]
    match = push(at(race=places, seats=seats, drawn=13, mover=0), "play 3")
    assert texts(match) == {"card end"}
    push(match, "card end")
    position = match.position()
    assert (position["round"], position["phase"], position["drawn"]) == (2, "dealing missions", 0)
    assert position["shown"] == fronts
    assert not {f"mission {front}" for front in fronts} & texts(match)
    push(match, "mission pink 1", "mission pink 2", "mission pink 3", "mission pink 4")
    assert [seat["front"] for seat in match.position()["seats"]] == [f"pink {n}" for n in range(1, 5)]
    assert match.position()["phase"] == "drawing"
    push(match, "card swap")
    assert match.position()["seats"][0]["hand"] == {"3": 2, "swap": 1}
    assert match.turn == 1
    assert running(match) == running(at(race=places))


@pytest.mark.rule("DR-16")
def test_missions_are_shown_to_all() -> None:
    match = scoring(race("red 1"), "red 1", "blue 2", "pink 3", "green 4")
    assert [seat["scored"]["mission"] for seat in match.view(None)["board"]["seats"]] == [
        "red 1", "blue 2", "pink 3", "green 4",
    ]  # fmt: skip


@pytest.mark.rule("DR-17")
def test_the_fourth_end_card_ends_the_game() -> None:
    match = scoring(race("red 1, red 2, blue 1"), "red 1", "blue 2", "pink 3", "green 4", round=4)
    assert match.over
    assert match.legal_moves == ()
    assert not scoring(race("red 1, red 2, blue 1"), "red 1", "blue 2", "pink 3", "green 4", round=3).over


@pytest.mark.rule("DR-18")
def test_every_red_die_and_every_three_counts_for_red_three() -> None:
    lead = "red 1, red 3, red 4, blue 3, pink 3, pink 2"
    assert scored(scoring(race(lead), "red 3", "green 4"), "points") == [6, 1]


@pytest.mark.rule("DR-18")
def test_blue_dice_and_fives_count_for_blue_five() -> None:
    lead = "blue 1, blue 5, red 5, red 2, red 3"
    assert scored(scoring(race(lead, others=4), "blue 5", "green 1"), "points") == [4, 1]


@pytest.mark.rule("DR-18")
def test_only_the_leading_group_counts() -> None:
    assert scored(scoring(race("red 1", "blue 2, blue 3"), "blue 2", "red 2"), "points") == [0, 1]


@pytest.mark.rule("DR-19")
def test_only_the_tied_compare_the_second_group() -> None:
    """A 5, B 5, C 4: C is third, however many points the second group would give."""
    lead = ", ".join(["red 1"] * 5 + ["blue 2"] * 5 + ["pink 3"] * 4)
    second = "red 4, pink 3, pink 3, green 3, green 3"
    match = scoring(race(lead, second), "red 6", "blue 6", "pink 6")
    assert scored(match, "points") == [5, 5, 4]
    assert scored(match, "rank") == [1, 2, 3]


@pytest.mark.rule("DR-19")
def test_ties_are_settled_each_on_its_own_in_the_first_group_that_differs() -> None:
    places = race("red 1, blue 1", "green 4", "", "pink 2, purple 2", "blue 1, purple 1")
    match = scoring(places, "red 6", "blue 6", "pink 6", "purple 6")
    assert scored(match, "points") == [1, 1, 0, 0]
    assert scored(match, "rank") == [2, 1, 4, 3]


ALL_EQUAL = race("red 5", pack=0)
"""All dice in one group, all showing 5: every colour has six."""


def told_of_ties(match: Match) -> list[str]:
    """The sentences about ties."""
    return [line for line in match.log() if "tied" in line or " in group " in line]


@pytest.mark.rule("DR-19")
def test_what_decided_a_tie_is_told() -> None:
    places = race("red 1, blue 1", "green 4", "", "pink 2, purple 2", "blue 1, purple 1")
    match = scoring(places, "red 6", "blue 6", "pink 6", "purple 6")
    assert told_of_ties(match) == [
        "Seat 0 and seat 1 are tied in the leading group; group 4 decides",
        "Seat 1 has 1 point in group 4",
        "Seat 0 has 0 points in group 4",
        "Seat 2 and seat 3 are tied in the leading group; group 4 decides",
        "Seat 3 has 1 point in group 4",
        "Seat 2 has 0 points in group 4",
    ]
    assert {event.rule for event in match.events if event.kind.startswith("tie")} == {"DR-19"}


@pytest.mark.rule("DR-19")
def test_of_several_who_are_tied_some_may_be_tied_longer() -> None:
    match = scoring(race("green 1", "red 4, blue 4", "blue 4", others=5), "red 6", "blue 6", "pink 6")
    assert scored(match, "rank") == [2, 1, 3]
    assert told_of_ties(match) == [
        "Seat 0, seat 1 and seat 2 are tied in the leading group; group 2 decides",
        "Seat 0 has 1 point in group 2",
        "Seat 1 has 1 point in group 2",
        "Seat 2 has 0 points in group 2",
        "Seat 0 and seat 1 are tied there too; group 3 decides",
        "Seat 1 has 1 point in group 3",
        "Seat 0 has 0 points in group 3",
    ]


@pytest.mark.rule("DR-20")
def test_a_tie_that_nothing_decides_is_told_once_and_without_contradiction() -> None:
    match = scoring(ALL_EQUAL, "red 6", "blue 6")
    kinds = [event.kind for event in match.events]
    assert kinds.count("still_tied") == 1
    assert "tied_in_lead" not in kinds
    assert "Seat 0 and seat 1 are tied in every group and share their rank" in match.log()
    assert "Seat 0 is first: +3 victory cards" in match.log()
    assert any(line.endswith("0 is eerste: +3 zegekaarten") for line in match.log("nl"))


@pytest.mark.rule("DR-19")
def test_no_points_take_a_rank_too() -> None:
    match = scoring(race("green 1", "blue 4"), "red 6", "blue 6")
    assert scored(match, "points") == [0, 0]
    assert scored(match, "rank") == [2, 1]


@pytest.mark.rule("DR-20")
def test_the_first_three_get_three_two_and_one() -> None:
    lead = "red 1, red 1, red 1, blue 1, blue 1, pink 1"
    match = scoring(race(lead), "red 6", "blue 6", "pink 6", "green 6")
    assert match.scores == (3, 2, 1, 0)
    match = scoring(race(lead), "red 6", "blue 6")
    assert match.scores == (3, 2)


@pytest.mark.rule("DR-20")
def test_who_stays_tied_gets_the_same_and_the_next_counts_all_before() -> None:
    assert scoring(ALL_EQUAL, "red 6", "blue 6", "pink 6", "purple 6").scores == (3, 3, 3, 3)
    firsts = race("red 1, red 1, blue 1, blue 1, pink 1")
    assert scoring(firsts, "red 6", "blue 6", "pink 6").scores == (3, 3, 1)
    seconds = race("red 1, red 1, red 1, blue 1, pink 1")
    assert scoring(seconds, "red 6", "blue 6", "pink 6", "green 6").scores == (3, 2, 2, 0)


@pytest.mark.rule("DR-20")
def test_victory_cards_are_open_and_never_run_out() -> None:
    seats = [{"victory": 9, "hand": {"question": 3}}] + [{"victory": 9} for _ in range(5)]
    match = at(players=6, race=ALL_EQUAL, round=3, drawn=9, seats=seats)
    push(match, "question 6", "card end")
    assert sum(match.scores) > 34
    assert match.view(3)["scores"] == list(match.scores)


@pytest.mark.rule("DR-21")
def test_in_the_last_round_the_winner_gets_five() -> None:
    lead = "red 1, red 1, red 1, blue 1, blue 1, pink 1"
    match = scoring(race(lead), "red 6", "blue 6", "pink 6", "green 6", round=4)
    assert match.scores == (5, 2, 1, 0)
    assert [event.rule for event in match.score_lines(0)] == ["DR-21"]


@pytest.mark.rule("DR-21")
def test_tied_winners_of_the_last_round_get_five_each() -> None:
    assert scoring(ALL_EQUAL, "red 6", "blue 6", "pink 6", round=4).scores == (5, 5, 5)


# The end of the game


@pytest.mark.rule("DR-22")
def test_most_victory_cards_win() -> None:
    lead = "red 1, red 1, red 1, blue 1, blue 1, pink 1"
    seats: list[dict[str, Any]] = [
        {"front": "red 6", "victory": 2, "hand": {"question": 3}}, {"front": "blue 6", "victory": 7},
        {"front": "pink 6", "victory": 6}, {"front": "green 6", "victory": 1},
    ]  # fmt: skip
    match = push(at(race=race(lead), round=4, drawn=11, seats=seats), "question 6", "card end")
    assert match.scores == (7, 9, 7, 1)
    assert match.winners == (1,)
    assert match.ranks == (2, 1, 2, 4)


def tie_break(drawer: int = 0, left: int = 3, second: str = "red 3, red 4, pink 4") -> Match:
    """Seats 0 and 2 are tied after round 4; a few cards are left, and missions are to be dealt."""
    tied, other = {"red": 1, "blue": 1, "question": 1}, {"1": 2, "2": 1}
    seats: list[dict[str, Any]] = [
        {"victory": victory, "hand": hand} for victory, hand in [(8, tied), (3, other)] * 2
    ]  # fmt: skip
    seats[drawer]["hand"] = {"red": 1, "question": 1} if drawer in (0, 2) else {"1": 2}
    return at(
        round=5, phase="dealing missions", mover=drawer, seats=seats, unseen={"swap": left},
        race=race("green 1, green 2", second), shown=["green 1", "green 2"],
    )  # fmt: skip


@pytest.mark.rule("DR-23")
def test_a_tie_at_the_end_goes_on_among_the_tied() -> None:
    lead = "red 1, red 1, blue 1, blue 1, green 1, green 1, green 1"
    seats = [
        {"front": "red 6", "hand": {"question": 3}, "victory": 3}, {"front": "blue 6"},
        {"front": "pink 6", "victory": 1}, {"front": "green 6"},
    ]  # fmt: skip
    match = push(at(race=race(lead), seats=seats, round=4, drawn=12), "question 6", "card end")
    assert match.scores == (5, 2, 1, 5)
    assert not match.over
    tied = [event.data["seats"] for event in match.events if event.kind == "tie_break"]
    assert tied == [[0, 3]]
    assert "mission red 6" not in texts(match)
    push(match, "mission pink 1", "mission pink 2", "card swap")
    assert [seat["front"] for seat in match.position()["seats"]] == ["pink 1", None, None, "pink 2"]
    assert match.turn == 3
    assert [match.game.rests(match.state, seat) for seat in range(4)] == [False, True, True, False]
    push(match, match.legal_moves[0].text, "card swap")
    assert match.turn == 0


@pytest.mark.rule("DR-23")
def test_who_drew_the_fourth_end_card_draws_another_first_if_tied() -> None:
    match = push(tie_break(drawer=0), "mission red 1", "mission blue 1")
    assert match.turn == CHANCE
    push(match, "card swap")
    assert match.turn == 2
    assert match.position()["seats"][0]["cards"] == 3


@pytest.mark.rule("DR-23")
def test_who_drew_the_fourth_end_card_and_is_not_tied_draws_no_other() -> None:
    match = push(tie_break(drawer=1), "mission red 1", "mission blue 1")
    assert match.turn == 2
    assert match.position()["seats"][1]["cards"] == 2


@pytest.mark.rule("DR-23")
def test_the_last_card_ends_the_tie_break_at_once_and_the_best_of_the_tied_wins() -> None:
    match = push(tie_break(drawer=1), "mission red 1", "mission green 3")
    push(match, "question 6", "card swap", "question 6", "card swap")
    assert not match.over
    assert texts(push(match, "swap 2")) == {"card swap"}
    push(match, "card swap")
    assert match.over
    assert match.scores == (8, 3, 8, 3)
    assert match.winners == (2,)
    assert match.ranks == (2, 3, 1, 3)


@pytest.mark.rule("DR-23")
def test_a_replacement_may_be_the_last_card() -> None:
    match = push(tie_break(drawer=0, left=1), "mission red 1", "mission green 3", "card swap")
    assert match.winners == (2,)


@pytest.mark.rule("DR-23")
def test_who_is_still_tied_shares_the_win() -> None:
    match = tie_break(drawer=0, left=1)
    push(match, "mission purple 1", "mission blue 1", "card swap")
    # green 1 leads: a point each; six dice of either colour follow in one group.
    assert scored_in_tie_break(match) == [1, None, 1, None]
    assert match.winners == (0, 2)
    assert match.ranks == (1, 3, 1, 3)


@pytest.mark.rule("DR-23")
def test_only_the_tied_are_ranked_in_a_tie_break() -> None:
    match = tie_break(drawer=1, left=1, second="pink 6, pink 6, purple 3")
    push(match, "mission blue 3", "mission purple 4", "question 4", "card swap")
    # Group 2 gives one point each; behind it are six blue and five purple dice.
    assert scored_in_tie_break(match) == [1, None, 2, None]


@pytest.mark.rule("DR-23")
def test_no_end_card_comes_in_the_last_pile() -> None:
    seats = [{"victory": 9}, {"victory": 9}, {}, {}]
    for drawn in (9, 13, 20):
        match = at(round=5, drawn=drawn, seats=seats)
        match.push(match.legal_moves[0])
        assert "card end" not in texts(match)


def scored_in_tie_break(match: Match) -> list[int | None]:
    seats = match.position()["seats"]
    return [None if seat["scored"] is None else seat["scored"]["rank"] for seat in seats]


# Variants

VARIABLE = {"variable_missions": True}
FOUR = ["red 1", "red 2", "blue 1", "blue 2"]
OTHER_FOUR = ["pink 1", "pink 2", "green 1", "green 2"]


def variable(**position: Any) -> Match:
    """Two players with four variable missions each, unless told otherwise."""
    seats = [{"missions": FOUR}, {"missions": OTHER_FOUR}]
    return at(**{"players": 2, "options": VARIABLE, "seats": seats, **position})


@pytest.mark.rule("DR-30")
def test_everybody_gets_four_missions_and_lays_one_clockwise_from_the_first_player() -> None:
    match = at(players=2, options={**VARIABLE, "start": "random"}, round=0, phase="dealing missions")
    push(match, *(f"mission {mission}" for mission in [*FOUR, *OTHER_FOUR]), "first 1")
    assert match.turn == 1
    assert texts(match) == {f"mission {mission}" for mission in OTHER_FOUR}
    assert why(match, "play green") == "lay_mission_first"
    assert why(match, "mission red 1") == "mission_not_held"
    assert push(match, "mission pink 2").turn == 0
    push(match, "mission red 1")
    assert match.turn == 1
    assert [seat["front"] for seat in match.position()["seats"]] == ["red 1", "pink 2"]


@pytest.mark.rule("DR-30")
def test_a_mission_is_laid_and_exchanged_in_secret_but_not_that_it_happens() -> None:
    match = variable(phase="laying missions", mover=0, turn=0)
    push(match, "mission red 2", "mission pink 1", "exchange blue 1")
    seen = [[str(move) for move in match.history_of(seat)] for seat in (0, 1, None)]
    assert seen == [
        ["mission red 2", "mission ?", "exchange blue 1"],
        ["mission ?", "mission pink 1", "exchange ?"],
        ["mission ?", "mission ?", "exchange ?"],
    ]
    for viewer in (1, None):
        seat = match.view(viewer)["board"]["seats"][0]
        assert (seat["missions"], seat["missions_held"], seat["front"], seat["laid"]) == (None, 4, None, True)
        assert match.events_of(viewer)[-1].kind == "exchanged_unseen"


@pytest.mark.rule("DR-30")
def test_a_mission_may_be_exchanged_once_a_turn_before_playing() -> None:
    match = variable()
    assert match.position()["seats"][0]["front"] == "red 1"
    exchanges = {f"exchange {mission}" for mission in FOUR[1:]}
    assert {text for text in texts(match) if text.startswith("exchange")} == exchanges
    assert why(match, "exchange red 1") == "mission_in_front"
    assert why(match, "exchange pink 1") == "mission_not_held"
    push(match, "exchange blue 2")
    assert match.turn == 0
    assert why(match, "exchange red 2") == "exchanged_once"
    for _ in range(2):
        match.push(match.legal_moves[0])
        match.push("card swap")
    assert match.turn == 0
    assert match.position()["seats"][0]["front"] == "blue 2"
    assert "exchange red 2" in texts(match)


@pytest.mark.rule("DR-30")
def test_after_a_round_the_mission_in_front_leaves_and_another_is_laid_before_the_replacement() -> None:
    seats = [{"missions": FOUR, "hand": {"question": 3}}, {"missions": OTHER_FOUR}]
    match = push(variable(drawn=12, seats=seats), "question 6", "card end")
    assert match.position()["shown"] == ["green 1", "red 1"]
    assert match.turn == 1
    assert len(match.legal_moves) == 3
    push(match, match.legal_moves[0].text)
    assert texts(match) == {"mission red 2", "mission blue 1", "mission blue 2"}
    push(match, "mission blue 1")
    assert match.turn == CHANCE
    assert match.position()["phase"] == "drawing"
    assert push(match, "card swap").turn == 1


@pytest.mark.rule("DR-30", "G-01")
def test_the_last_mission_is_a_forced_move_that_everybody_knows_to_be_forced() -> None:
    match = variable(
        round=4, phase="laying missions", mover=1, turn=0,
        seats=[{"missions": ["red 1"]}, {"missions": ["pink 1"]}],
    )  # fmt: skip
    assert str(match.forced) == "mission red 1"
    push(match, "mission red 1", "mission pink 1", "card swap")
    assert not any(text.startswith("exchange") for text in texts(match))


@pytest.mark.rule("DR-30")
def test_without_the_option_missions_are_not_chosen() -> None:
    match = at()
    assert why(match, "exchange red 1") == why(match, "mission red 1") == "missions_are_dealt"


@pytest.mark.rule("DR-31")
def test_exactly_the_mission_in_the_lead_counts_three_with_the_bonus() -> None:
    places = race("red 3, red 1, blue 3, red 3")
    assert scored(scoring(places, "red 3", "blue 2"), "points") == [6, 1]
    bonus = scoring(places, "red 3", "blue 2", options={"mission_bonus": True})
    assert scored(bonus, "points") == [8, 1]


@pytest.mark.rule("DR-31")
def test_in_the_groups_of_a_tie_the_bonus_does_not_count() -> None:
    places = race("green 1", "red 3, blue 2, blue 1, blue 1")
    match = scoring(places, "red 3", "blue 2", options={"mission_bonus": True})
    assert scored(match, "points") == [0, 0]
    assert scored(match, "rank") == [2, 1]
    # Two against two in the second group: only a bonus would decide.
    places = race("green 1", "red 3, blue 1, blue 1", "blue 1")
    match = scoring(places, "red 3", "blue 2", options={"mission_bonus": True})
    assert scored(match, "rank") == [2, 1]


# What is forced, and what may be known


@pytest.mark.rule("G-01")
def test_a_hand_that_leaves_no_choice_is_not_given_away() -> None:
    match = at(seats=holding("green, green, green"))
    assert texts(match) == {"play green"}
    assert match.forced is None
    match = push(at(race=race("red 1", "red 2", pack=0), seats=holding("green, green, green")), "lay green")
    assert str(match.forced) == "reroll 2"


def imagined_hands(match: Match, seat: int, times: int) -> Counter[tuple[str, ...]]:
    """What a seat imagines of seat 1's hand, its card face down and its cards gone."""
    game = match.game
    seen = game.observed(match.state, seat)
    rng = [2024]
    found: Counter[tuple[str, ...]] = Counter()
    for _ in range(times):
        s = game.imagined(seen, seat, rng)
        hand = [card for sort, card in enumerate(CARDS) for _ in range(s.hands[1, sort])]
        found[(*hand, CARDS[s.face_down])] += 1
    return found


@pytest.mark.rule("G-03")
def test_unseen_cards_are_imagined_in_right_proportions() -> None:
    """Seat 0 has not seen 12 swaps, 6 sprints and 6 distances: 4 are seat 1's, 20 the rest."""
    deck = (3, 3, 0, 10, 10, 20)
    hand = {"distance": 1, "sprint": 1, "swap": 1}
    seats = [{"hand": hand}, {"hand": hand}]
    match = at(
        players=2, options={"deck": deck}, seats=seats, reroller=1, face_down="swap", round=4, drawn=12,
        unseen={"distance": 5, "sprint": 5, "swap": 10},
    )  # fmt: skip
    times = 3000
    found = imagined_hands(match, 0, times)
    face_down = Counter(cards[-1] for cards in found.elements())
    hands = Counter(card for cards in found.elements() for card in cards[:-1])
    for counts, number in ((face_down, times), (hands, 3 * times)):
        assert set(counts) == {"distance", "sprint", "swap"}
        for card, share in (("distance", 1 / 4), ("sprint", 1 / 4), ("swap", 1 / 2)):
            assert abs(counts[card] / number - share) < 0.03
    all_swaps = sum(count for cards, count in found.items() if cards == ("swap",) * 4)
    assert abs(all_swaps / times - 12 * 11 * 10 * 9 / (24 * 23 * 22 * 21)) < 0.015


@pytest.mark.rule("G-03")
def test_a_seat_counts_what_it_has_not_seen_and_knows_the_size_of_the_rest() -> None:
    match = at(players=2, seats=holding("blue, blue, swap", "blue, 1, 2")[:2])
    own, other, nobody = (match.view(seat)["board"] for seat in (0, 1, None))
    assert [board["unseen"]["blue"] for board in (own, other, nobody)] == [3, 4, 5]
    assert [board["rest"] for board in (own, other, nobody)] == [62] * 3
    push(match, "play blue", "card 6")
    own, other, nobody = (match.view(seat)["board"] for seat in (0, 1, None))
    assert [board["unseen"]["blue"] for board in (own, other, nobody)] == [3, 3, 4]
    assert [board["unseen"]["6"] for board in (own, other, nobody)] == [4, 5, 5]
    assert [board["rest"] for board in (own, other, nobody)] == [61] * 3


@pytest.mark.rule("G-03")
def test_imagined_missions_are_those_nobody_has_shown() -> None:
    match = variable(
        shown=["purple 1", "purple 2"], round=2, seats=[{"missions": FOUR[:3]}, {"missions": OTHER_FOUR[:3]}]
    )
    game = match.game
    seen = game.observed(match.state, 0)
    fronts: Counter[str] = Counter()
    rng = [7]
    for _ in range(600):
        state = game.imagined(seen, 0, rng)
        held = {DICE_NAMES[m] for m in range(30) if state.holder[m] == 1}
        assert len(held) == 3
        assert not held & {*FOUR[:3], "purple 1", "purple 2"}
        assert DICE_NAMES[state.front[1]] in held
        fronts[DICE_NAMES[state.front[1]]] += 1
    assert len(fronts) == 25
    assert max(fronts.values()) < 600 / 25 * 2.2


# Positions


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ({"players": 7}, "players is a number from 2 to 6"),
        ({"options": {"deck": [1, 1, 1, 1, 1, 1]}}, "options.deck cannot be"),
        ({"options": {"jokers": 1}}, "options.jokers is not known here"),
        ({"race": [["red 1"] * 7]}, "more than 6 red dice"),
        ({"race": [["red 7"]]}, "as in 'red 4', not 'red 7'"),
        ({"race": [[], ["red 1"]]}, "dice in its first and in its last place"),
        ({"race": [[{"die": 3, "number": 1}, {"die": 3, "number": 2}]]}, "has die 3 twice"),
        ({"race": [[{"die": 3, "colour": "red", "number": 1}]]}, "of die 3 is green"),
        ({"race": [[{"die": 3, "number": None}]]}, "in the air, though nothing is being thrown"),
        ({"seats": [{"hand": {"swap": 4}}, {}, {}, {}]}, "hold 4 cards swap; there are 3"),
        ({"seats": [{"hand": {"swap": 2}}, {}, {}, {}]}, "seat 0 has 2 cards in hand"),
        ({"seats": [{"hand": {"joker": 3}}, {}, {}, {}]}, "not 'joker'"),
        ({"seats": [{"front": "red 1"}, {"front": "red 1"}, {}, {}]}, "red 1, which is somewhere else"),
        ({"seats": [{"missions": ["red 1", "red 2"]}, {}, {}, {}]}, "seat 0 has 2 missions"),
        ({"reroller": 1}, "face_down is there just when there is a reroller"),
        ({"round": 5, "seats": [{"victory": 3}, {}, {}, {}]}, "only seat 0 has most victory cards"),
        ({"phase": "over", "round": 3}, "round is 4, or 5 after a tie-break"),
        ({"phase": "over"}, "while 4 seats have most victory cards"),
        ({"phase": "re-rolling", "reroller": 0, "face_down": "swap"}, "only the leading group"),
        ({"phase": "laying missions"}, "only with variable missions"),
        ({"drawn": 14}, "drawn is a number from 0 to 13"),
        ({"unseen": {"blue": 3}}, "up to 52 are needed"),
        ({"unseen": {"blue": 6}}, "cards blue; there are 5"),
        ({"turn": 1, "mover": 0}, "mover is seat 1, who is on turn"),
        ({"turn": None}, "turn is a seat in this phase"),
        ({"exchanged": True}, "exchanged is true only"),
        ({"colour": "red"}, "colour is not known here"),
    ],
)  # fmt: skip
def test_positions_that_cannot_be_are_refused(position: dict[str, Any], message: str) -> None:
    with pytest.raises(teerling.BadPosition) as refused:
        at(**position)
    assert message in str(refused.value)


# The race told a second time, naively


class NaiveRace:
    """Places as lists of dice, read aloud from the rulebook; slow, and on purpose nothing like `rules`."""

    def __init__(self, position: dict[str, Any]) -> None:
        self.places = [
            [(die["die"], die["colour"], die["number"]) for die in place] for place in position["race"]
        ]

    def move(self, name: str) -> None:
        """Every matching die takes a step, then what has become empty goes."""
        lead = self.places[0]
        stays = all(name in (colour, str(number)) for _, colour, number in lead)
        before: list[list[Any]] = [[], *self.places]
        now: list[list[Any]] = [[] for _ in before]
        for i, place in enumerate(before):
            for die in place:
                steps = name in (die[1], str(die[2])) and not (i == 1 and stays)
                now[i - steps].append(die)
        self.places = [sorted(place) for i, place in enumerate(now) if place or (i > 0 and not before[i])]

    def groups(self) -> list[int]:
        return [i for i, place in enumerate(self.places) if place]

    def play(self, text: str) -> None:
        match text.split():
            case ["play" | "question", name]:
                self.move(name)
            case ["distance" | "swap", "none"]:
                pass
            case ["distance", group]:
                self.places.insert(self.groups()[int(group) - 1] + 1, [])
            case ["swap", group]:
                one, other = self.groups()[int(group) - 1 : int(group) + 1]
                self.places[one], self.places[other] = self.places[other], self.places[one]
            case ["sprint"] if len(self.groups()) > 1:
                last = self.places.pop()
                if self.places[1:] and not self.places[1]:
                    self.places[1] = last
                else:
                    self.places.insert(1, last)
                while not self.places[-1]:
                    self.places.pop()

    def ranks(self, missions: list[str]) -> list[int]:
        """The rank of every mission by its points in all groups, from the front."""
        lists = []
        for mission in missions:
            colour, number = mission.split()
            lists.append(
                [sum((die[1] == colour) + (str(die[2]) == number) for die in place) for place in self.places]
            )
        return [1 + sum(other > own for other in lists) for own in lists]


@pytest.mark.rule("DR-10", "DR-12", "DR-13", "DR-14", "DR-19")
@pytest.mark.parametrize("seed", range(12))
def test_races_of_random_matches_are_those_of_a_naive_telling(seed: int) -> None:
    luck = random.Random(seed)
    deck = "3,3,4,12,12,12" if seed % 2 else "5,5,4,3,3,3"
    match = teerling.new("dicerun", players=2 + seed % 5, seed=seed, deck=deck, start="random")
    while not match.over:
        before = match.position()
        moves = [move for move in match.legal_moves if not move.text.startswith("lay") or luck.random() < 0.2]
        move = luck.choice(moves or match.legal_moves)
        naive = NaiveRace(before)
        preview = match.preview(move)
        naive.play(move.text)
        if move.parts[0] not in ("lay", "reroll"):
            race_after = NaiveRace(preview.position()).places
            assert [sorted(place) for place in naive.places] == [sorted(place) for place in race_after]
        rounds = before["round"]
        match.push(move)
        scored_now = match.position()
        if rounds <= 4 and (scored_now["round"] > rounds or match.over):
            missions = [seat["front"] for seat in before["seats"]]
            race_now = naive if move.parts[0] != "reroll" else NaiveRace(scored_now)
            assert [seat["scored"]["rank"] for seat in scored_now["seats"]] == race_now.ranks(missions)
        assert rules.sound(match.state)
