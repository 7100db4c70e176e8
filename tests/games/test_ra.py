"""The rules of Ra, each pinned by its id."""

import random
from typing import Any

import pytest

import teerling
from teerling import CHANCE, Match
from teerling.games.ra.rules import FIRST_MONUMENT, LAST_MONUMENT, SUPPLY, State
from teerling.games.ra.tell import TILES
from teerling.words import Speaker
from tests.games.auctions import Auction, display, end_epoch_by_ra, push, suns, texts, tiles

RA = Auction("ra", "nile")
at, won, alone, scored, points = RA.at, RA.won, RA.alone, RA.scored, RA.points


@pytest.mark.rule("RA-01")
def test_two_players_have_nine_six_five_two_and_eight_seven_four_three() -> None:
    match = push(teerling.new("ra", players=2, chance="manual"), "stack 2")
    assert [seat["suns"] for seat in match.position()["seats"]] == [[3, 4, 7, 8], [2, 5, 6, 9]]


@pytest.mark.rule("RA-02")
def test_there_are_180_tiles() -> None:
    bag = teerling.new("ra", players=3, chance="manual").position()["bag"]
    assert sum(bag.values()) == 180
    kinds = {"ra": 30, "god": 8, "pharaoh": 25, "funeral": 2, "nile": 25, "flood": 12, "drought": 2,
             "unrest": 4, "gold": 5, "earthquake": 2}  # fmt: skip
    assert {kind: bag[kind] for kind in kinds} == kinds
    assert [bag[kind] for kind in TILES[7:12]] == [5] * 5
    assert [bag[kind] for kind in TILES[14:22]] == [5] * 8


@pytest.mark.rule("RA-02")
def test_every_tile_in_the_bag_is_as_likely_as_another() -> None:
    match = push(at(row=["nile"]), "draw")
    chances = {move.text: probability for move, probability in match.chances}
    assert chances["tile ra"] * 179 == 30
    assert chances["tile nile"] * 179 == 24
    assert sum(chances.values()) == 1


@pytest.mark.rule("RA-07")
def test_a_turn_is_a_tile_ra_or_a_god() -> None:
    match = at(row=["nile", "god"], seats=tiles({"god": 1}, {}, {}, {}))
    assert texts(match) == {"draw", "invoke", "take nile"}


@pytest.mark.rule("RA-08")
def test_a_drawn_tile_goes_on_the_first_free_space_and_the_turn_ends() -> None:
    match = at(row=["nile", None, "gold"], turn=0, mover=0)
    push(match, "draw", "tile flood")
    assert match.position()["row"][:4] == ["nile", "flood", "gold", None]
    assert match.turn == 1


@pytest.mark.rule("RA-08")
def test_the_eighth_tile_ends_the_turn_like_any_other() -> None:
    match = at(row=["nile"] * 7, turn=0, mover=0)
    push(match, "draw", "tile flood")
    assert (match.turn, match.position()["phase"]) == (1, "turn")


@pytest.mark.rule("RA-09")
def test_nobody_draws_with_eight_tiles_in_the_row() -> None:
    match = at(row=["nile"] * 8, turn=0, mover=0)
    assert texts(match) == {"invoke"}
    push(match, "invoke")
    assert match.position()["auction"]["cause"] == "row full"


@pytest.mark.rule("RA-09")
def test_gods_can_be_used_on_a_full_row() -> None:
    match = at(row=["nile"] * 8, turn=0, mover=0, seats=tiles({"god": 1}, {}, {}, {}))
    assert texts(match) == {"invoke", "take nile"}


@pytest.mark.rule("RA-09")
def test_eight_gods_in_the_row_leave_only_the_auction() -> None:
    match = at(row=["god"] * 8, turn=0, mover=0)
    assert match.forced is not None
    assert match.forced.text == "invoke"


@pytest.mark.rule("RA-10")
def test_ra_can_be_invoked_on_the_own_turn_only() -> None:
    match = at(turn=2, mover=2)
    push(match, "invoke")
    assert match.turn == 3
    with pytest.raises(teerling.IllegalMove, match="RA-12"):
        match.push("invoke")


@pytest.mark.rule("RA-11")
def test_each_god_takes_one_tile_and_the_turn_ends_with_the_last() -> None:
    match = at(row=["gold", "nile", "god"], turn=0, mover=0, seats=tiles({"god": 2}, {}, {}, {}))
    push(match, "take gold")
    assert texts(match) == {"take nile", "stop"}
    push(match, "take nile")
    assert match.turn == 1
    assert display(match, 0) == {"gold": 1, "nile": 1}
    assert match.position()["row"][:3] == [None, None, "god"]


@pytest.mark.rule("RA-11")
def test_a_player_may_stop_and_keep_the_other_gods() -> None:
    match = at(row=["gold", "nile"], turn=0, mover=0, seats=tiles({"god": 2}, {}, {}, {}))
    push(match, "take nile", "stop")
    assert display(match, 0) == {"god": 1, "nile": 1}
    assert match.turn == 1


@pytest.mark.rule("RA-11")
def test_the_turn_ends_when_no_takeable_tile_is_left() -> None:
    match = at(row=["gold", "god"], turn=0, mover=0, seats=tiles({"god": 3}, {}, {}, {}))
    push(match, "take gold")
    assert match.turn == 1
    assert display(match, 0) == {"god": 2, "gold": 1}


@pytest.mark.rule("RA-11")
def test_used_gods_leave_the_game_and_freed_spaces_are_filled_again() -> None:
    match = at(row=["gold", "nile"], turn=0, mover=0, seats=tiles({"god": 1}, {}, {}, {}))
    push(match, "take gold", "draw", "tile art")
    assert match.position()["row"][:3] == ["art", "nile", None]
    assert match.position()["bag"]["god"] == 7


@pytest.mark.rule("RA-11")
def test_a_disaster_taken_by_a_god_strikes_after_the_last_tile() -> None:
    match = at(row=["funeral", "pharaoh"], turn=0, mover=0, seats=tiles({"god": 2, "pharaoh": 2}, {}, {}, {}))
    push(match, "take funeral")
    assert display(match, 0) == {"god": 1, "pharaoh": 2, "funeral": 1}
    push(match, "take pharaoh")
    assert display(match, 0) == {"pharaoh": 1}


@pytest.mark.rule("RA-16")
def test_the_winner_gets_all_tiles_and_swaps_the_sun() -> None:
    match = push(
        at(row=["nile", "gold"], middle=1, turn=0, mover=0), "invoke", "bid 3", "bid 8", "pass", "pass"
    )
    position = match.position()
    winner = position["seats"][2]
    assert winner["tiles"] == {"nile": 1, "gold": 1}
    assert (winner["suns"], winner["used"]) == ([4, 11], [1])
    assert (position["middle"], position["row"]) == (8, [None] * 8)
    assert position["seats"][1]["suns"] == [3, 7, 12]


@pytest.mark.rule("RA-16")
def test_suns_taken_face_down_stay_public() -> None:
    match = push(at(turn=0, mover=0), "invoke", "bid 7", "pass", "pass", "pass")
    assert match.view(3)["board"]["seats"][1]["used"] == [1]


@pytest.mark.rule("RA-17")
def test_ra_tiles_stay_until_the_epoch_ends() -> None:
    match = push(at(turn=0, mover=0), "draw", "tile ra", "bid 3", "pass", "pass", "pass")
    assert match.position()["ra_row"] == 1


@pytest.mark.rule("RA-20")
@pytest.mark.parametrize(("own", "left"), [(3, 1), (2, 0), (1, 0), (0, 0)])
def test_a_disaster_takes_two_tiles_or_as_many_as_there_are(own: int, left: int) -> None:
    match = won(["funeral"], {"pharaoh": own})
    assert display(match, 0) == ({"pharaoh": left} if left else {})


@pytest.mark.rule("RA-20")
def test_tiles_won_with_a_disaster_count() -> None:
    assert display(won(["funeral", "pharaoh", "pharaoh", "nile"], {"pharaoh": 1}), 0) == {
        "pharaoh": 1,
        "nile": 1,
    }


@pytest.mark.rule("RA-21")
@pytest.mark.parametrize(
    ("floods", "nile", "left"),
    [(3, 3, {"flood": 1, "nile": 3}), (1, 3, {"nile": 2}), (0, 3, {"nile": 1}), (1, 0, {})],
)
def test_a_drought_takes_floods_first_then_nile(floods: int, nile: int, left: dict[str, int]) -> None:
    assert display(won(["drought"], {"flood": floods, "nile": nile}), 0) == left


@pytest.mark.rule("RA-21")
def test_unrest_takes_civilisations_of_choice_and_no_gold() -> None:
    match = won(["unrest"], {"art": 2, "writing": 1, "gold": 3, "sphinx": 2})
    assert texts(match) == {"discard art", "discard writing"}
    push(match, "discard art", "discard writing")
    assert display(match, 0) == {"art": 1, "gold": 3, "sphinx": 2}
    assert match.turn == 1


@pytest.mark.rule("RA-21")
def test_an_earthquake_takes_monuments_of_choice() -> None:
    match = won(["earthquake"], {"temple": 1, "sphinx": 2, "art": 1})
    assert texts(match) == {"discard temple", "discard sphinx"}
    push(match, "discard sphinx", "discard sphinx")
    assert display(match, 0) == {"temple": 1, "art": 1}


@pytest.mark.rule("RA-21")
@pytest.mark.rule("G-01")
def test_without_a_choice_the_tiles_go_by_themselves() -> None:
    match = won(["earthquake", "unrest"], {"temple": 1, "sphinx": 1, "art": 1})
    assert display(match, 0) == {}
    assert match.turn == 1


@pytest.mark.rule("RA-22")
def test_two_disasters_of_one_kind_take_four_tiles() -> None:
    match = won(["unrest", "unrest"], {"art": 3, "writing": 2})
    push(match, *["discard art"] * 3)
    assert match.turn == 0
    push(match, "discard writing")
    assert display(match, 0) == {"writing": 1}


@pytest.mark.rule("RA-22")
def test_different_disasters_are_all_carried_out_in_order() -> None:
    own = {"pharaoh": 3, "flood": 1, "nile": 2, "art": 3, "temple": 3}
    match = won(["earthquake", "funeral", "unrest", "drought"], own)
    assert display(match, 0) == {"pharaoh": 1, "nile": 1, "art": 3, "unrest": 1, "temple": 3, "earthquake": 1}
    push(match, "discard art", "discard art", "discard temple", "discard temple")
    assert display(match, 0) == {"pharaoh": 1, "nile": 1, "art": 1, "temple": 1}


@pytest.mark.rule("RA-23")
def test_all_tiles_and_suns_lie_open_to_everybody() -> None:
    match = won(["gold", "art"], {"pharaoh": 3})
    assert match.view(3)["board"]["seats"] == match.view(0)["board"]["seats"] == match.position()["seats"]


@pytest.mark.rule("RA-25")
def test_the_epoch_ends_when_the_last_sun_has_been_used_and_settled() -> None:
    match = push(alone(row=["nile", "flood"], ra_row=4), "invoke", "bid 13")
    position = match.position()
    assert (position["epoch"], position["ra_row"], position["row"]) == (2, 0, [None] * 8)
    assert display(match, 0) == {"nile": 1}
    assert position["seats"][0]["scored"]["Nile"] == 2
    assert position["bag"]["ra"] == 26


@pytest.mark.rule("RA-25")
def test_disasters_of_the_last_auction_are_settled_before_the_epoch_ends() -> None:
    hands = suns(([13], [2, 6]), ([], [3, 7, 12]), ([], [4, 8, 11]), ([], [5, 9, 10]))
    hands[0]["tiles"] = {"art": 1, "writing": 1, "religion": 1}
    match = push(at(seats=hands, turn=0, mover=0, row=["unrest"]), "invoke", "bid 13")
    assert match.position()["epoch"] == 1
    push(match, "discard art", "discard writing")
    assert match.position()["epoch"] == 2
    assert "civilisations" not in match.position()["seats"][0]["scored"]


@pytest.mark.rule("RA-29")
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_bag_never_runs_out_even_if_everybody_only_draws_and_passes(players: int) -> None:
    match = teerling.new("ra", players=players, chance="manual")
    while not match.over:
        if match.turn == CHANCE:
            outcomes = [move for move in match.legal_moves if move.text != "tile ra"] or list(
                match.legal_moves
            )
            match.push(outcomes[0])
        else:
            wanted = ("draw", "pass", "invoke", "stop")
            moves = {move.text: move for move in match.legal_moves}
            match.push(next((moves[text] for text in wanted if text in moves), match.legal_moves[-1]))
        assert match.over or sum(match.position()["bag"].values()) > 0


@pytest.mark.rule("RA-30")
def test_gains_and_losses_are_added_up_before_fame_stops_at_zero() -> None:
    seats: list[dict[str, Any]] = [
        {"fame": 1, "tiles": {"gold": 1}},
        {"fame": 1},
        {},
        {"tiles": {"pharaoh": 1}},
    ]
    match = end_epoch_by_ra(at(seats=seats, ra_row=8))
    assert match.scores[:2] == (0, 0)
    assert match.position()["seats"][0]["scored"] == {
        "gold": 3, "pharaohs": -2, "civilisations": -5, "not below zero": 3,
    }  # fmt: skip


@pytest.mark.rule("RA-30")
def test_fame_stops_at_zero_after_the_last_epoch_too() -> None:
    match = end_epoch_by_ra(at(epoch=3, ra_row=8, seats=[{"fame": 2}, {}, {}, {}]))
    assert match.scores[0] == 0


@pytest.mark.rule("RA-31")
def test_unused_gods_give_two_each_and_leave() -> None:
    match = end_epoch_by_ra(at(ra_row=8, turn=1, mover=1, seats=tiles({"god": 3}, {}, {}, {})))
    assert match.position()["seats"][0]["scored"]["gods"] == 6
    assert "god" not in display(match, 0)


@pytest.mark.rule("RA-32")
@pytest.mark.parametrize(
    ("pharaohs", "expected"),
    [
        ((3, 2, 2, 3), [5, -2, -2, 5]),
        ((4, 2, 1, 0), [5, 0, 0, -2]),
        ((2, 2, 2, 2), [0, 0, 0, 0]),
        ((0, 0, 0, 1), [-2, -2, -2, 5]),
    ],
)
def test_most_pharaohs_gain_five_and_fewest_lose_two(pharaohs: tuple[int, ...], expected: list[int]) -> None:
    seats = tiles(*({"pharaoh": count} for count in pharaohs))
    assert points("pharaohs", seats=seats) == expected


@pytest.mark.rule("RA-32")
def test_pharaohs_stay() -> None:
    match = end_epoch_by_ra(at(ra_row=8, seats=tiles({"pharaoh": 3}, {}, {}, {})))
    assert display(match, 0) == {"pharaoh": 3}


@pytest.mark.rule("RA-33")
def test_the_nile_scores_with_a_flood_only() -> None:
    seats = tiles({"nile": 4, "flood": 2}, {"nile": 5}, {"flood": 1}, {})
    assert points("Nile", seats=seats) == [6, 0, 1, 0]


@pytest.mark.rule("RA-33")
def test_floods_leave_and_nile_stays() -> None:
    match = end_epoch_by_ra(at(ra_row=8, seats=tiles({"nile": 4, "flood": 2}, {}, {}, {})))
    assert display(match, 0) == {"nile": 4}


@pytest.mark.rule("RA-34")
@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ({}, -5),
        ({"art": 4}, 0),
        ({"art": 1, "writing": 1}, 0),
        ({"astronomy": 3, "agriculture": 2, "writing": 2}, 5),
        ({"astronomy": 1, "agriculture": 1, "writing": 1}, 5),
        ({"art": 1, "astronomy": 1, "agriculture": 1, "writing": 1}, 10),
        ({"art": 1, "astronomy": 1, "agriculture": 1, "writing": 1, "religion": 2}, 15),
    ],
)
def test_civilisations_score_by_the_number_of_kinds(kinds: dict[str, int], expected: int) -> None:
    match = end_epoch_by_ra(at(ra_row=8, seats=tiles(kinds, {}, {}, {})))
    assert match.position()["seats"][0]["scored"].get("civilisations", 0) == expected
    assert display(match, 0) == {}


@pytest.mark.rule("RA-35")
def test_gold_gives_three_each_and_leaves() -> None:
    match = end_epoch_by_ra(at(ra_row=8, seats=tiles({"gold": 2}, {}, {}, {})))
    assert match.position()["seats"][0]["scored"]["gold"] == 6
    assert display(match, 0) == {}


MONUMENTS = TILES[14:22]


@pytest.mark.rule("RA-36")
@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ({}, 0),
        ({"pyramid": 4, "temple": 3, "fortress": 2, "sphinx": 1}, 19),
        ({"pyramid": 5}, 16),
        ({"pyramid": 2, "temple": 2}, 2),
        (dict.fromkeys(MONUMENTS[:6], 1), 6),
        (dict.fromkeys(MONUMENTS[:7], 1), 10),
        (dict.fromkeys(MONUMENTS, 1), 15),
        (dict.fromkeys(MONUMENTS, 1) | {"palace": 3}, 20),
    ],
)
def test_monuments_score_by_kinds_and_by_those_alike(kinds: dict[str, int], expected: int) -> None:
    assert points("monuments", epoch=3, seats=tiles(kinds, {}, {}, {}))[0] == expected


@pytest.mark.rule("RA-36")
def test_monuments_score_after_the_third_epoch_only_and_stay_until_then() -> None:
    match = end_epoch_by_ra(at(epoch=2, ra_row=8, seats=tiles({"pyramid": 4}, {}, {}, {})))
    assert "monuments" not in match.position()["seats"][0]["scored"]
    assert display(match, 0) == {"pyramid": 4}


@pytest.mark.rule("RA-37")
def test_the_highest_sum_of_suns_gains_five_and_the_lowest_loses_five() -> None:
    hands = suns(([1, 6], [10]), ([4], [8, 13]), ([2, 7], [12]), ([3, 5], [9]))
    assert [sum(seat["suns"] + seat["used"]) for seat in hands] == [17, 25, 21, 17]
    assert points("suns", epoch=3, seats=hands, middle=11) == [-5, 5, 0, -5]


@pytest.mark.rule("RA-37")
def test_equal_sums_of_suns_score_nothing() -> None:
    match = end_epoch_by_ra(teerling.at("ra", {"players": 2, "epoch": 3, "ra_row": 5}, chance="manual"))
    assert [sum(seat["suns"]) for seat in match.position()["seats"]] == [22, 22]
    assert ["suns" in seat["scored"] for seat in match.position()["seats"]] == [False, False]


@pytest.mark.rule("RA-37")
def test_suns_score_after_the_third_epoch_only() -> None:
    assert points("suns", epoch=2) == [0, 0, 0, 0]


@pytest.mark.rule("RA-38")
def test_most_fame_wins() -> None:
    seats = [{"fame": fame} for fame in (10, 40, 30, 20)]
    match = end_epoch_by_ra(at(epoch=3, ra_row=8, seats=seats))
    assert (match.winners, match.ranks) == ((1,), (4, 1, 2, 3))


@pytest.mark.rule("RA-38")
@pytest.mark.rule("G-02")
def test_among_the_tied_the_highest_single_sun_wins_in_every_place() -> None:
    hands = suns(([1, 6, 10], []), ([4, 8, 13], []), ([2, 7, 12], []), ([3, 5, 9], []))
    fame = (30, 15, 20, 30)
    seats = [{**hand, "fame": f} for hand, f in zip(hands, fame, strict=True)]
    match = end_epoch_by_ra(at(epoch=3, ra_row=8, middle=11, seats=seats))
    assert match.scores == (20, 15, 15, 20)
    assert match.ranks == (1, 3, 4, 2)
    assert match.winners == (0,)


def test_an_empty_hand_written_position_is_the_start_of_a_game() -> None:
    match = at()
    assert match.turn == 0
    assert match.scores == (10, 10, 10, 10)


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ({"players": 6}, "players is a number from 2 to 5, not 6"),
        ({"bag": {"ra": 31}}, "bag.ra is a number from 0 to 30, not 31"),
        ({"row": ["gold"], "bag": {"ra": 30, "gold": 5}}, "6 gold tiles; there are 5"),
        ({"seats": tiles({"gold": 6}, {}, {}, {})}, "6 gold tiles; there are 5"),
        ({"seats": suns(([2, 6, 13], []), ([13, 7, 12], []), ([4, 8, 11], []), ([5, 9, 10], []))},
         "sun 13 twice"),
        ({"middle": 13}, "sun 13 twice"),
        ({"seats": suns(([2, 6, 14], []), ([3, 7, 12], []), ([4, 8, 11], []), ([5, 9, 10], []))}, "sun 14"),
        ({"seats": suns(([2, 6], []), ([3, 7, 12], []), ([4, 8, 11], []), ([5, 9, 10], []))}, "3 suns each"),
        ({"seats": [{}, {}, {}]}, "seats has 4 entries, not 3"),
        ({"turn": 4}, "turn is a seat, 0 to 3, not 4"),
        ({"turn": 1, "mover": 0}, "mover is seat 1"),
        ({"epoch": 4}, "epoch is a number from 1 to 3"),
        ({"ra_row": 9}, "ra_row is a number from 0 to 8"),
        ({"bag": {"ra": 2}}, "2 Ra tiles, but 27"),
        ({"row": ["nile"] * 9}, "at most 8 spaces"),
        ({"row": ["ra"]}, "holds no Ra tiles"),
        ({"row": ["cat"]}, "not 'cat'"),
        ({"phase": "bidding"}, "auction is missing"),
        ({"phase": "losing tiles"}, "no such choice"),
        ({"phase": "losing tiles", "turn": 0, "mover": 1, "owed": 2,
          "seats": tiles({"unrest": 1, "art": 3}, {}, {}, {})}, "turn is that of whoever won"),
        ({"phase": "using gods"}, "with a god and a tile to take"),
        ({"phase": "over", "turn": None}, "epoch is 3 when the game is over"),
        ({"seats": tiles({"unrest": 1}, {}, {}, {})}, "keep no disasters"),
        ({"seats": [{"fame": -1}, {}, {}, {}]}, r"seats\[0\].fame is a number"),
        ({"wind": "west"}, "wind is not known here"),
        ({"options": {"fame": "secret"}}, "not 'secret'"),
        ({"options": {"goal": 3}}, "options.goal is not known here"),
    ],
)  # fmt: skip
def test_a_position_that_cannot_be_is_refused_with_the_reason(position: dict[str, Any], reason: str) -> None:
    with pytest.raises(teerling.BadPosition, match=reason):
        at(**position)


def test_a_position_survives_every_step_of_random_matches() -> None:
    game = teerling.game("ra")
    for seed in range(4):
        match = teerling.new("ra", players=2 + seed, seed=seed, fame=("open", "hidden")[seed % 2])
        chooser = random.Random(seed)
        while not match.over:
            match.push(chooser.choice(match.legal_moves))
            assert game.place(match.position()) == match.state


def test_a_state_is_small() -> None:
    assert State.dtype.itemsize <= 512
    assert sum(SUPPLY[kind] for kind in range(len(TILES))) == 180


@pytest.mark.rule("RA-36")
def test_all_monuments_of_the_game_can_be_scored() -> None:
    everything = dict.fromkeys(TILES[FIRST_MONUMENT : LAST_MONUMENT + 1], 5)
    match = teerling.at(
        "ra", {"players": 3, "epoch": 3, "ra_row": 7, "seats": [{"tiles": everything}, {}, {}]},
        chance="manual",
    )  # fmt: skip
    match.push("draw")
    match.push("tile ra")
    assert sum(line.data["points"] for line in match.score_lines(0) if line.rule == "RA-36") == 15 + 8 * 15
    assert teerling.at("ra", match.position(), chance="manual").state == match.state


@pytest.mark.rule("RA-36")
def test_monuments_are_told_by_kinds_and_by_those_alike() -> None:
    own = {"pyramid": 4, "temple": 3, "fortress": 2, "sphinx": 1}
    match = end_epoch_by_ra(at(epoch=3, ra_row=8, seats=tiles(own, {}, {}, {})))
    lines = [line for line in match.log() if line.startswith("Seat 0, ")]
    assert "Seat 0, 4 kinds of monument: +4 fame" in lines
    assert "Seat 0, identical monuments (4 pyramids): +10 fame" in lines
    assert "Seat 0, identical monuments (3 temples): +5 fame" in lines
    assert "Zitplaats 0, gelijke monumenten (3 tempels): +5 roem" in match.log("nl")
    rows = {row.line: row.cells for row in match.game.score_rows(match.events)}
    assert rows["different monuments"] == {0: 4, 1: 0, 2: 0, 3: 0}
    assert rows["identical monuments"] == {0: 15, 1: 0, 2: 0, 3: 0}
    assert "monuments" not in rows


def counted(match: Match, line: str, lang: str = "en") -> list[str]:
    """What every seat had on a line of the last scoring, in words."""
    say, rows = Speaker(lang, match.game), match.game.score_rows(match.events)
    counts = next(row.counts for row in rows if row.line == line)
    return [say.say(counts[seat], match.names) for seat in sorted(counts)]


def test_a_scoring_tells_what_everybody_had_also_where_it_brought_nothing() -> None:
    own = (
        {"pharaoh": 3, "nile": 3},
        {"pharaoh": 1, "nile": 2, "flood": 1},
        {"art": 2, "writing": 1},
        {"god": 1},
    )
    match = end_epoch_by_ra(at(ra_row=8, seats=tiles(*own)))
    assert counted(match, "pharaohs") == ["3 pharaohs, most", "1 pharaoh", "none, fewest", "none, fewest"]
    assert counted(match, "Nile") == ["3 Nile, no flood", "2 Nile, 1 flood", "none", "none"]
    assert counted(match, "civilisations") == ["none", "none", "2 kinds", "none"]
    assert counted(match, "gods", "nl") == ["geen", "geen", "geen", "1 god"]
    rows = {row.line: row.cells for row in match.game.score_rows(match.events)}
    assert rows["Nile"] == {0: 0, 1: 3, 2: 0, 3: 0}
    assert "gold" not in rows


def test_the_last_scoring_tells_monuments_and_the_sum_of_suns() -> None:
    match = end_epoch_by_ra(at(epoch=3, ra_row=8, seats=tiles({"pyramid": 3, "temple": 1}, {}, {}, {})))
    assert counted(match, "different monuments")[:2] == ["2 kinds", "none"]
    assert counted(match, "identical monuments")[:2] == ["3 pyramids", "none"]
    sums = [sum(seat["suns"] + seat["used"]) for seat in match.position()["seats"]]
    told = counted(match, "suns")
    assert [int(each.split()[1].rstrip(",")) for each in told] == sums
    assert told[sums.index(max(sums))].endswith("highest")


def test_who_may_not_know_the_scores_of_others_hears_no_reasons_for_them() -> None:
    match = end_epoch_by_ra(
        at(ra_row=8, options={"fame": "hidden"}, seats=tiles({"god": 1}, {"god": 2}, {}, {}))
    )
    gods = next(row for row in match.game.score_rows(match.events_of(1)) if row.line == "gods")
    assert (gods.cells, list(gods.counts)) == ({1: 4}, [1])


@pytest.mark.rule("RA-21")
def test_two_lost_alike_are_told_by_number() -> None:
    match = won(["funeral", "drought"], {"pharaoh": 3, "flood": 1, "nile": 2})
    assert match.log()[-2:] == [
        "Seat 0 is struck by a disaster (funeral) and loses: 2 pharaohs",
        "Seat 0 is struck by a disaster (drought) and loses: flood and Nile",
    ]


@pytest.mark.rule("RA-20")
def test_a_disaster_that_finds_nothing_says_so() -> None:
    match = won(["earthquake"], {"pharaoh": 1})
    assert match.log()[-1] == "Seat 0 is struck by a disaster (earthquake), but has nothing to lose"
