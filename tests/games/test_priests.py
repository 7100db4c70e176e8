"""The rules of Priests of Ra, each pinned by its id."""

import random
from typing import Any

import pytest

import teerling
from teerling.games.priests import rules
from teerling.games.priests.tell import TILES
from tests.games.auctions import Auction, display, end_epoch_by_ra, push, row, suns, texts, tiles

PRIESTS = Auction("priests", "pyramid")
at, won, alone, scored, points = PRIESTS.at, PRIESTS.won, PRIESTS.alone, PRIESTS.scored, PRIESTS.points

BUILDINGS = ("granary", "fortress", "market", "library")
PAIRS = [
    ("farmer", "warrior"), ("merchant", "scribe"), ("tomb a", "tomb b"), ("tomb c", "tomb d"),
    ("granary", "fortress"), ("market", "library"),
]  # fmt: skip


def own_points(line: str, own: dict[str, int], epoch: int = 1, **position: Any) -> int:
    """What seat 0 scores on a line with these tiles."""
    return points(line, epoch, seats=tiles(own), **position)[0]


@pytest.mark.rule("PR-02")
def test_there_are_174_tiles() -> None:
    bag = teerling.new("priests", players=3, chance="manual").position()["bag"]
    assert sum(bag.values()) == 174
    assert bag == {
        "ra": 30, "farmer/warrior": 30, "merchant/scribe": 30, "tomb a/b": 7, "tomb c/d": 7, "priest": 15,
        "granary/fortress": 15, "market/library": 15, "pyramid": 15, "plague": 10,
    }  # fmt: skip


@pytest.mark.rule("PR-02")
def test_every_tile_in_the_bag_is_as_likely_as_another() -> None:
    match = push(at(row=["farmer", "tomb b"]), "draw")
    chances = {move.text: probability for move, probability in match.chances}
    assert chances["tile ra"] * 172 == 30
    assert chances["tile farmer/warrior"] * 172 == 29
    assert chances["tile tomb a/b"] * 172 == 6
    assert sum(chances.values()) == 1


@pytest.mark.rule("PR-02")
@pytest.mark.rule("PR-23")
@pytest.mark.parametrize(("colours", "each"), [(1, 15), (3, 5), (5, 3)])
def test_buildings_are_split_evenly_over_the_colours(colours: int, each: int) -> None:
    match = teerling.new("priests", players=3, chance="manual", building_colours=colours)
    bag = match.position()["bag"]
    assert sum(bag.values()) == 174
    for building in ("granary/fortress", "market/library"):
        assert [n for name, n in bag.items() if name.startswith(building)] == [each] * colours


@pytest.mark.rule("PR-06")
def test_the_offer_row_has_eight_spaces() -> None:
    match = push(at(row=["pyramid"] * 6, turn=0, mover=0), "draw", "tile plague")
    assert "draw" in texts(match)
    push(match, "draw", "tile plague")
    assert "draw" not in texts(match)
    assert len(row(match)) == 8


@pytest.mark.rule("PR-07")
def test_a_turn_is_a_tile_or_ra() -> None:
    match = at(row=["farmer", "priest"], seats=tiles({"priest": 2, "farmer": 1}))
    assert texts(match) == {"draw", "invoke"}


@pytest.mark.rule("PR-07")
@pytest.mark.rule("PR-09")
def test_with_a_full_row_the_player_must_take_the_ra_figure_but_may_pass() -> None:
    match = at(row=["pyramid"] * 8, turn=0, mover=0)
    assert match.forced is not None
    assert match.forced.text == "invoke"
    with pytest.raises(teerling.IllegalMove, match=r"row is full.*PR-07"):
        match.push("draw")
    push(match, "invoke", "pass", "pass", "pass")
    assert texts(match) == {"pass", "bid 2", "bid 6", "bid 13"}


@pytest.mark.rule("PR-08")
@pytest.mark.parametrize("tile", ["priest", "plague", "pyramid"])
def test_a_one_sided_tile_is_laid_without_a_question(tile: str) -> None:
    match = push(at(row=["farmer"], turn=0, mover=0), "draw", f"tile {tile}")
    assert row(match) == ["farmer", tile]
    assert (match.turn, match.position()["phase"]) == (1, "turn")


@pytest.mark.rule("PR-08")
@pytest.mark.rule("PR-02")
@pytest.mark.rule("PR-14")
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_the_drawer_chooses_which_side_of_a_two_sided_tile_lies_up(one: str, other: str) -> None:
    tile = next(tile for tile in TILES if tile.startswith(one) and tile.endswith(other[-1]))
    for side in (one, other):
        match = push(at(row=["plague"], turn=3, mover=3), "draw", f"tile {tile}")
        assert match.turn == 3
        assert match.position()["in_hand"] == tile
        assert texts(match) == {f"lay {one}", f"lay {other}"}
        push(match, f"lay {side}")
        assert row(match) == ["plague", side]
        assert (match.turn, match.position()["in_hand"]) == (0, None)


@pytest.mark.rule("PR-08")
def test_nothing_else_can_be_done_before_a_side_has_been_chosen() -> None:
    match = push(at(turn=0, mover=0), "draw", "tile farmer/warrior")
    with pytest.raises(teerling.IllegalMove, match=r"choose which side lies up \(PR-08\)"):
        match.push("invoke")
    with pytest.raises(teerling.IllegalMove, match=r"farmer/warrior; it has no such side: scribe \(PR-08\)"):
        match.push("lay scribe")


@pytest.mark.rule("PR-08")
@pytest.mark.rule("PR-23")
@pytest.mark.parametrize("side", BUILDINGS)
def test_a_building_keeps_its_colour_when_it_is_laid(side: str) -> None:
    tile = "granary/fortress green" if side in ("granary", "fortress") else "market/library green"
    match = at(options={"building_colours": 5}, turn=0, mover=0)
    push(match, "draw", f"tile {tile}", f"lay {side}")
    assert row(match) == [f"{side} green"]


@pytest.mark.rule("PR-08")
def test_the_eighth_tile_ends_the_turn_like_any_other() -> None:
    match = push(at(row=["plague"] * 7, turn=0, mover=0), "draw", "tile tomb c/d", "lay tomb d")
    assert (match.turn, match.position()["phase"], row(match)[7]) == (1, "turn", "tomb d")


@pytest.mark.rule("PR-10")
def test_tiles_are_kept_with_the_side_that_lay_up() -> None:
    match = won(["farmer", "warrior", "tomb d", "library", "plague"], {"farmer": 1})
    assert display(match, 0) == {"farmer": 2, "warrior": 1, "tomb d": 1, "library": 1, "plague": 1}
    assert row(match) == []
    assert match.turn == 1


@pytest.mark.rule("PR-10")
def test_a_priest_just_won_turns_over_a_tile_won_now_or_earlier() -> None:
    for flip, left in (("farmer", {"warrior": 1, "market": 1}), ("market", {"farmer": 1, "library": 1})):
        match = won(["priest", "farmer"], {"market": 1})
        assert (match.turn, match.position()["phase"]) == (0, "flipping")
        assert texts(match) == {"stop", "flip farmer", "flip market"}
        push(match, f"flip {flip}")
        assert display(match, 0) == {"priest": 1, **left}
        assert (match.turn, match.position()["phase"]) == (1, "turn")


@pytest.mark.rule("PR-10")
def test_every_priest_just_won_turns_over_one_tile() -> None:
    match = won(["priest", "priest", "priest"], {"farmer": 4})
    push(match, "flip farmer", "flip farmer", "flip farmer")
    assert display(match, 0) == {"priest": 3, "farmer": 1, "warrior": 3}
    assert match.turn == 1


@pytest.mark.rule("PR-10")
def test_a_tile_may_be_turned_back() -> None:
    match = push(won(["priest", "priest"], {"tomb a": 1}), "flip tomb a")
    assert texts(match) == {"stop", "flip tomb b"}
    assert display(push(match, "flip tomb b"), 0) == {"priest": 2, "tomb a": 1}


@pytest.mark.rule("PR-10")
def test_stopping_gives_up_all_remaining_flips() -> None:
    match = push(won(["priest", "priest", "priest"], {"farmer": 2}), "flip farmer", "stop")
    assert display(match, 0) == {"priest": 3, "farmer": 1, "warrior": 1}
    assert (match.turn, match.position()["flips"]) == (1, 0)


@pytest.mark.rule("PR-10")
def test_priests_won_earlier_turn_over_nothing() -> None:
    match = won(["farmer"], {"priest": 3, "market": 2})
    assert (match.turn, match.position()["phase"]) == (1, "turn")
    both = won(["priest", "farmer"], {"priest": 3})
    assert both.position()["flips"] == 1
    with pytest.raises(teerling.IllegalMove, match="just after winning priests"):
        match.push("flip farmer")


@pytest.mark.rule("PR-10")
@pytest.mark.rule("G-01")
def test_without_a_two_sided_tile_there_is_no_decision() -> None:
    match = won(["priest", "plague"], {"pyramid": 4, "priest": 1})
    assert (match.turn, match.position()["phase"], match.position()["flips"]) == (1, "turn", 0)


@pytest.mark.rule("PR-10")
def test_a_winner_who_is_not_the_ra_player_turns_over_tiles_too() -> None:
    seats = tiles({}, {}, {"scribe": 1})
    match = push(at(row=["priest"], turn=0, mover=0, seats=seats), "invoke", "pass", "bid 4", "pass", "pass")
    assert (match.turn, texts(match)) == (2, {"stop", "flip scribe"})
    assert push(match, "flip scribe").turn == 1
    assert display(match, 2) == {"priest": 1, "merchant": 1}


@pytest.mark.rule("PR-12")
def test_the_epoch_ends_when_the_last_sun_has_been_used_and_tiles_have_been_turned_over() -> None:
    match = push(alone({"farmer": 1}, row=["warrior", "priest"], ra_row=4), "invoke", "bid 13")
    assert match.position()["epoch"] == 1
    push(match, "flip warrior")
    position = match.position()
    assert (position["epoch"], position["ra_row"], row(match)) == (2, 0, [])
    assert position["bag"]["ra"] == 26
    assert position["seats"][0]["scored"] == {"farmers": 5, "priests": 2}


@pytest.mark.rule("PR-12")
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_bag_cannot_run_out(players: int) -> None:
    match = teerling.new("priests", players=players, seed=players)
    chooser = random.Random(players)
    while not match.over:
        moves = [move for move in match.legal_moves if move.text != "invoke"] or list(match.legal_moves)
        match.push("pass" if "pass" in texts(match) else chooser.choice(moves))
        assert match.state.bag[rules.RA] >= 0
    assert sum(match.position()["bag"].values()) > 0


@pytest.mark.rule("PR-13")
def test_all_but_fame_lies_open_to_everybody() -> None:
    seats = tiles({"farmer": 2, "plague": 1}, {"tomb a": 1})
    seats[1]["ankhs"] = 2
    match = at(options={"fame": "hidden"}, epoch=2, row=["priest"], seats=seats)
    seen, known = match.view(3)["board"], match.position()
    assert {**seen, "seats": None} == {**known, "seats": None}
    for other, true in zip(seen["seats"], known["seats"], strict=True):
        assert all(other[key] == true[key] for key in ("tiles", "suns", "used", "ankhs"))


@pytest.mark.rule("PR-14")
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_flip_goes_along_the_pairs_both_ways(one: str, other: str) -> None:
    there = push(won(["priest"], {one: 1}), f"flip {one}")
    assert display(there, 0) == {"priest": 1, other: 1}
    back = push(won(["priest"], {other: 1}), f"flip {other}")
    assert display(back, 0) == {"priest": 1, one: 1}


@pytest.mark.rule("PR-14")
@pytest.mark.rule("PR-23")
@pytest.mark.parametrize(("one", "other"), PAIRS[4:])
def test_a_building_keeps_its_colour_when_it_is_turned_over(one: str, other: str) -> None:
    for colour in ("", " red", " blue", " green", " yellow"):
        own = {one + colour: 1}
        match = won(["priest"], own, options={"building_colours": 5})
        push(match, f"flip {one}{colour}")
        assert display(match, 0) == {"priest": 1, other + colour: 1}


@pytest.mark.rule("PR-14")
def test_buildings_and_tombs_of_earlier_epochs_can_be_turned_over() -> None:
    match = end_epoch_by_ra(
        at(ra_row=8, seats=tiles({"granary": 1, "tomb c": 1, "farmer": 1}), turn=0, mover=0)
    )
    while row(match) == []:
        push(match, "draw", "tile priest")
    while match.turn != 0:
        push(match, "draw", "tile plague")
    push(match, "invoke", "pass", "pass", "pass", "bid 2")
    assert texts(match) == {"stop", "flip granary", "flip tomb c"}


@pytest.mark.rule("PR-20")
def test_gains_and_losses_are_added_up_before_fame_stops_at_zero() -> None:
    seats = [{"fame": 5, "tiles": {"plague": 5, "priest": 2}}, {"fame": 5, "tiles": {"plague": 5}}, {}, {}]
    match = end_epoch_by_ra(at(ra_row=8, seats=seats))
    assert match.scores == (0, 0, 10, 10)
    lines = [seat["scored"] for seat in match.position()["seats"]]
    assert lines[0] == {"priests": 4, "plagues": -15, "not below zero": 6}
    assert lines[1] == {"plagues": -15, "not below zero": 10}


@pytest.mark.rule("PR-20")
def test_gains_save_fame_from_losses() -> None:
    seats = [{"fame": 1, "tiles": {"plague": 2, "priest": 1, "farmer": 2}}, {}, {}, {}]
    assert end_epoch_by_ra(at(ra_row=8, seats=seats)).scores[0] == 1 + 5 + 2 - 3


@pytest.mark.rule("PR-21")
@pytest.mark.parametrize("profession", ["farmer", "warrior", "merchant", "scribe"])
@pytest.mark.parametrize(
    ("counts", "fame"),
    [
        ((3, 2, 0, 1), [5, 0, 0, 0]), ((2, 2, 0, 1), [5, 5, 0, 0]), ((1, 1, 0, 1), [0, 0, 0, 0]),
        ((1, 0, 0, 0), [0, 0, 0, 0]), ((0, 0, 0, 2), [0, 0, 0, 5]), ((4, 4, 4, 4), [5, 5, 5, 5]),
    ],
)  # fmt: skip
def test_who_leads_a_profession_with_two_or_more_gets_five(
    profession: str, counts: tuple[int, ...], fame: list[int]
) -> None:
    assert points(f"{profession}s", seats=tiles(*({profession: n} for n in counts))) == fame


@pytest.mark.rule("PR-21")
def test_every_profession_is_scored_on_its_own() -> None:
    seats = tiles({"farmer": 2, "scribe": 3}, {"farmer": 1, "warrior": 2, "merchant": 4}, {"merchant": 3})
    assert scored(seats=seats)[:3] == [
        {"farmers": 5, "scribes": 5}, {"warriors": 5, "merchants": 5}, {},
    ]  # fmt: skip


@pytest.mark.rule("PR-21")
@pytest.mark.rule("PR-22")
@pytest.mark.rule("PR-24")
def test_professions_and_priests_leave_after_scoring_and_the_rest_stays() -> None:
    own = {"farmer": 2, "warrior": 1, "merchant": 1, "scribe": 1, "priest": 2, "plague": 1, "pyramid": 1}
    stays = {"plague": 1, "pyramid": 1, "tomb a": 2, "granary": 3, "library": 1}
    match = end_epoch_by_ra(at(ra_row=8, seats=tiles({**own, **stays})))
    assert display(match, 0) == stays


@pytest.mark.rule("PR-22")
@pytest.mark.parametrize(
    ("own", "ankhs"),
    [
        ({"farmer": 1, "warrior": 1, "merchant": 1, "scribe": 1}, 2),
        ({"farmer": 1, "warrior": 3, "merchant": 1, "scribe": 2}, 2),
        ({"farmer": 1, "merchant": 1, "scribe": 1}, 1),
        ({"farmer": 1, "warrior": 1}, 0), ({"farmer": 4}, 0), ({}, 0),
    ],
)  # fmt: skip
def test_ankhs_for_three_and_four_professions(own: dict[str, int], ankhs: int) -> None:
    match = end_epoch_by_ra(at(ra_row=8, seats=tiles(own)))
    assert [seat["ankhs"] for seat in match.position()["seats"]] == [ankhs, 0, 0, 0]
    told = [(event.seat, event.data["count"]) for event in match.events if event.kind == "took_ankhs"]
    assert told == ([(0, ankhs)] if ankhs else [])


@pytest.mark.rule("PR-22")
@pytest.mark.parametrize(("before", "after"), [(1, 3), (2, 4), (3, 4), (4, 4)])
def test_a_fifth_ankh_is_not_taken(before: int, after: int) -> None:
    seats = tiles({"farmer": 1, "warrior": 1, "merchant": 1, "scribe": 1})
    seats[0]["ankhs"] = before
    match = end_epoch_by_ra(at(ra_row=8, epoch=3, seats=seats))
    assert match.position()["seats"][0]["ankhs"] == after


@pytest.mark.rule("PR-23")
@pytest.mark.parametrize("building", BUILDINGS)
@pytest.mark.parametrize(("count", "fame"), [(1, 0), (2, 2), (3, 2), (4, 4), (15, 14)])
def test_two_tiles_of_a_type_are_a_complete_building(building: str, count: int, fame: int) -> None:
    assert own_points("buildings", {building: count}) == fame
    assert own_points("types of building", {building: count}) == 0


@pytest.mark.rule("PR-23")
@pytest.mark.parametrize(
    ("counts", "fame", "extra"),
    [((2, 2, 0, 0), 4, 0), ((2, 2, 1, 1), 4, 0), ((2, 0, 3, 2), 6, 5), ((2, 2, 2, 4), 10, 10)],
)
def test_three_types_bring_five_more_and_four_ten(counts: tuple[int, ...], fame: int, extra: int) -> None:
    own = dict(zip(BUILDINGS, counts, strict=True))
    assert own_points("buildings", own) == fame
    assert own_points("types of building", own) == extra


@pytest.mark.rule("PR-23")
def test_buildings_stay_and_score_again() -> None:
    match = end_epoch_by_ra(at(ra_row=8, seats=tiles({"granary": 2}), turn=0, mover=0))
    assert match.scores == (12, 10, 10, 10)
    assert display(match, 0) == {"granary": 2}


@pytest.mark.rule("PR-23")
def test_with_more_colours_both_tiles_must_have_the_same() -> None:
    colours: dict[str, Any] = {"options": {"building_colours": 3}}
    assert own_points("buildings", {"granary": 1, "granary red": 1, "granary blue": 1}, **colours) == 0
    assert own_points("buildings", {"granary": 2, "granary red": 3, "granary blue": 4}, **colours) == 8
    types = {"granary red": 2, "fortress blue": 2, "market": 2, "library red": 1, "library": 1}
    assert own_points("types of building", types, **colours) == 5
    last = {"granary blue": 2, "fortress blue": 2, "market blue": 2, "library blue": 2}
    assert own_points("types of building", last, **colours) == 10


@pytest.mark.rule("PR-24")
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_a_priest_brings_two(count: int) -> None:
    assert own_points("priests", {"priest": count}) == 2 * count


@pytest.mark.rule("PR-24")
@pytest.mark.parametrize(
    ("priests", "plagues", "left", "fame"),
    [(2, 3, 3, -6), (3, 3, 2, -3), (6, 3, 2, -3), (3, 1, 0, 0), (3, 0, 0, 0)],
)
def test_three_priests_give_back_exactly_one_plague_before_plagues_score(
    priests: int, plagues: int, left: int, fame: int
) -> None:
    match = end_epoch_by_ra(at(ra_row=8, seats=tiles({"priest": priests, "plague": plagues})))
    assert display(match, 0).get("plague", 0) == left
    assert match.position()["seats"][0]["scored"].get("plagues", 0) == fame
    assert any(event.kind == "gave_back_plague" for event in match.events) == (left < plagues)


@pytest.mark.rule("PR-24")
def test_priests_and_plagues_of_the_last_auction_count() -> None:
    match = push(alone({"priest": 2, "plague": 1}, row=["priest", "plague"]), "invoke", "bid 13")
    assert display(match, 0) == {"plague": 1}
    assert match.position()["seats"][0]["scored"] == {"priests": 6, "plagues": -1}
    assert [event.seat for event in match.events if event.kind == "gave_back_plague"] == [0]


@pytest.mark.rule("PR-25")
@pytest.mark.parametrize(
    ("count", "fame"), [(1, -1), (2, -3), (3, -6), (4, -10), (5, -15), (6, -20), (7, -20), (10, -20)]
)
def test_plagues_cost_more_and_more_and_stay(count: int, fame: int) -> None:
    match = end_epoch_by_ra(at(ra_row=8, seats=tiles({"plague": count})))
    assert match.position()["seats"][0]["scored"]["plagues"] == fame
    assert display(match, 0) == {"plague": count}


@pytest.mark.rule("PR-26")
@pytest.mark.parametrize(
    ("stones", "fame"), [(0, 0), (2, 0), (3, 5), (5, 5), (6, 10), (9, 10), (10, 20), (11, 20), (15, 20)]
)
def test_one_step_pyramid_is_scored_after_the_third_epoch(stones: int, fame: int) -> None:
    assert own_points("step pyramid", {"pyramid": stones}, epoch=3) == fame
    assert own_points("step pyramid", {"pyramid": stones}, epoch=2) == 0


@pytest.mark.rule("PR-26")
def test_tombs_of_any_side_are_stones_too() -> None:
    own = {"pyramid": 2, "tomb a": 1, "tomb b": 1, "tomb c": 1, "tomb d": 1}
    assert own_points("step pyramid", own, epoch=3) == 10
    assert own_points("step pyramid", {"tomb a": 1, "tomb b": 1, "tomb d": 1}, epoch=3) == 5


@pytest.mark.rule("PR-26")
@pytest.mark.rule("PR-27")
def test_pyramids_and_tombs_stay_until_the_end() -> None:
    match = end_epoch_by_ra(at(ra_row=8, epoch=2, seats=tiles({"pyramid": 3, "tomb b": 3})))
    assert display(match, 0) == {"pyramid": 3, "tomb b": 3}
    assert match.scores[0] == 10


@pytest.mark.rule("PR-27")
@pytest.mark.parametrize("tomb", ["tomb a", "tomb b", "tomb c", "tomb d"])
@pytest.mark.parametrize(("count", "fame"), [(2, 0), (3, 5), (4, 10), (7, 10)])
def test_equal_tombs_are_scored_after_the_third_epoch(tomb: str, count: int, fame: int) -> None:
    assert own_points("tombs", {tomb: count}, epoch=3) == fame
    assert own_points("tombs", {tomb: count}, epoch=1) == 0


@pytest.mark.rule("PR-27")
def test_only_the_best_colour_of_tombs_counts() -> None:
    assert own_points("tombs", {"tomb a": 3, "tomb b": 3, "tomb c": 4, "tomb d": 3}, epoch=3) == 10
    assert own_points("tombs", {"tomb a": 3, "tomb d": 3}, epoch=3) == 5
    assert own_points("tombs", {"tomb a": 2, "tomb b": 2}, epoch=3) == 0


@pytest.mark.rule("PR-28")
@pytest.mark.parametrize(("ankhs", "fame"), [(0, 0), (1, 0), (2, 5), (3, 10), (4, 20)])
def test_ankhs_are_scored_after_the_third_epoch(ankhs: int, fame: int) -> None:
    seats = tiles({})
    seats[0]["ankhs"] = ankhs
    assert points("ankhs", 3, seats=seats)[0] == fame


@pytest.mark.rule("PR-28")
def test_ankhs_won_in_the_third_epoch_count_and_those_before_are_kept() -> None:
    own = {"farmer": 1, "warrior": 1, "merchant": 1, "scribe": 1}
    assert own_points("ankhs", own, epoch=3) == 5
    match = end_epoch_by_ra(at(ra_row=8, epoch=2, seats=tiles(own)))
    seat = match.position()["seats"][0]
    assert (seat["ankhs"], seat["scored"]) == (2, {})


@pytest.mark.rule("PR-29")
def test_the_highest_sum_of_suns_wins_five_and_the_lowest_loses_five() -> None:
    assert points("suns", 3) == [-5, 0, 0, 5]
    assert points("suns", 2) == [0, 0, 0, 0]


@pytest.mark.rule("PR-29")
def test_face_down_suns_count_and_all_who_tie_get_the_same() -> None:
    hands = suns(([2, 13], [6]), ([3], [7, 11]), ([4, 8], [12]), ([5, 9], [10]))
    assert points("suns", 3, seats=hands) == [-5, -5, 5, 5]


@pytest.mark.rule("PR-29")
def test_equal_sums_of_suns_bring_nothing() -> None:
    match = push(at(players=2, epoch=3, ra_row=5), "draw", "tile ra")
    assert [seat["scored"] for seat in match.position()["seats"]] == [{}, {}]


@pytest.mark.rule("PR-30")
@pytest.mark.parametrize(
    ("fame", "winners", "ranks"),
    [
        ((30, 20, 20, 10), (0,), (1, 2, 3, 4)),
        ((20, 30, 30, 20), (1,), (4, 1, 2, 3)),
        ((15, 10, 10, 5), (0,), (1, 2, 3, 4)),
    ],
)
def test_most_fame_wins_and_the_highest_sun_breaks_ties(
    fame: tuple[int, ...], winners: tuple[int, ...], ranks: tuple[int, ...]
) -> None:
    match = end_epoch_by_ra(at(epoch=3, ra_row=8, seats=[{"fame": points} for points in fame]))
    assert match.scores == (fame[0] - 5, fame[1], fame[2], fame[3] + 5)
    assert (match.winners, match.ranks) == (winners, ranks)


def reached(count: int, table: dict[int, int]) -> int:
    """The fame of the highest step of a table that a count reaches."""
    return max((fame for least, fame in table.items() if count >= least), default=0)


def naive_scoring(seats: list[dict[str, Any]]) -> list[int]:
    """The rulebook read aloud once more: every seat's fame after the last scoring, without suns."""
    totals = []
    for seat in seats:
        held = [tile for tile, count in seat["tiles"].items() for _ in range(count)]
        fame = 0
        for person in ("farmer", "warrior", "merchant", "scribe"):
            own = held.count(person)
            if own >= 2 and not any(other["tiles"].get(person, 0) > own for other in seats):
                fame += 5
        complete = {name: held.count(name) // 2 for name in held if name.split()[0] in BUILDINGS}
        types = {name.split()[0] for name, buildings in complete.items() if buildings}
        fame += 2 * sum(complete.values()) + {3: 5, 4: 10}.get(len(types), 0)
        fame += 2 * held.count("priest")
        if held.count("priest") >= 3 and "plague" in held:
            held.remove("plague")
        fame -= reached(held.count("plague"), {1: 1, 2: 3, 3: 6, 4: 10, 5: 15, 6: 20})
        kinds = len({"farmer", "warrior", "merchant", "scribe"} & set(held))
        fame += reached(seat["ankhs"] + {3: 1, 4: 2}.get(kinds, 0), {2: 5, 3: 10, 4: 20})
        fame += reached(sum(name == "pyramid" or "tomb" in name for name in held), {3: 5, 6: 10, 10: 20})
        fame += max(reached(held.count(f"tomb {colour}"), {3: 5, 4: 10}) for colour in "abcd")
        totals.append(max(0, seat["fame"] + fame))
    return totals


def sides(tile: str) -> list[str]:
    """What can lie up of a tile of the bag."""
    if tile.startswith("tomb"):
        return [f"tomb {colour}" for colour in tile.removeprefix("tomb ").split("/")]
    pair, _, colour = tile.partition(" ")
    return [f"{side} {colour}".strip() for side in pair.split("/")]


@pytest.mark.parametrize("colours", [1, 3, 5])
def test_scoring_agrees_with_a_naive_telling_of_the_rulebook(colours: int) -> None:
    chooser = random.Random(colours)
    bag = teerling.new("priests", players=2, chance="manual", building_colours=colours).position()["bag"]
    pieces = [tile for tile, count in bag.items() for _ in range(count) if tile != "ra"]
    for _ in range(60):
        chooser.shuffle(pieces)
        seats = []
        for lot in (pieces[:40:2], pieces[1:50:2]):
            shown = [chooser.choice(sides(tile)) for tile in lot]
            own = {side: shown.count(side) for side in shown}
            seats.append({"tiles": own, "fame": chooser.randrange(20), "ankhs": chooser.randrange(5)})
        options = {"building_colours": colours}
        match = at(players=2, epoch=3, ra_row=5, seats=seats, options=options)
        assert list(end_epoch_by_ra(match).scores) == naive_scoring(seats)


def refused(**position: Any) -> str:
    with pytest.raises(teerling.BadPosition) as caught:
        at(**position)
    return str(caught.value)


def test_impossible_positions_are_refused_with_a_sentence() -> None:
    assert "there are 7" in refused(seats=tiles({"tomb a": 4}, {"tomb b": 4}))
    assert "there are 0" in refused(seats=tiles({"granary red": 1}))
    assert "1, 3 or 5" in refused(options={"building_colours": 2})
    assert "no empty space before a tile" in refused(row=["farmer", None, "scribe"])
    assert "ra_row" in refused(row=["ra"])
    assert "no Ra tiles" in refused(seats=tiles({"ra": 1}))
    assert "by now" in refused(seats=[{"ankhs": 1}, {}, {}, {}])
    assert "'laying'" in refused(in_hand="tomb a/b")
    assert "'laying'" in refused(phase="laying")
    assert "is null or one of" in refused(phase="laying", in_hand="priest")
    assert "nobody can be laying" in refused(phase="laying", in_hand="tomb a/b", row=["plague"] * 8)
    assert "while a tile is laid" in refused(phase="laying", in_hand="tomb a/b", turn=2, mover=1)
    assert "'flipping'" in refused(flips=1)
    assert "is not known here" in refused(plague=1)
    assert "after the game" in refused(phase="over", epoch=3, seats=tiles({"priest": 1}))
    assert "while suns are dealt" in refused(
        phase="dealing", seats=[{"suns": [], "tiles": {"priest": 1}}, *[{"suns": []}] * 3]
    )


FLIPPING: dict[str, Any] = {
    "phase": "flipping", "flips": 1, "turn": 1, "mover": 0, "middle": 3,
    "auction": {"cause": "invoked", "bid": 3, "bidder": 1},
}  # fmt: skip


def test_a_position_while_tiles_are_turned_over_can_be_written_and_is_checked() -> None:
    seats: list[dict[str, Any]] = [
        {},
        {"suns": [7, 12], "used": [1], "tiles": {"priest": 1, "farmer": 1}},
        {},
        {},
    ]
    match = at(**FLIPPING, seats=seats)
    assert texts(match) == {"stop", "flip farmer"}
    assert "more than seat 1 has priests" in refused(**{**FLIPPING, "flips": 2}, seats=seats)
    assert "is empty once" in refused(**FLIPPING, seats=seats, row=["farmer"])
    assert "by the bidder" in refused(**{**FLIPPING, "turn": 0}, seats=seats)
    assert "two sides" in refused(**FLIPPING, seats=[{}, {**seats[1], "tiles": {"priest": 1}}, {}, {}])
    with_sun = {"suns": [7], "used": [1, 12], "tiles": {"priest": 1, "farmer": 1}}
    assert at(**FLIPPING, seats=[{}, with_sun, {}, {}]).turn == 1


def test_reasons_name_what_can_be_done_instead() -> None:
    match = won(["priest", "priest"], {"farmer": 1})
    for move, reason in (
        ("draw", "may still turn over 2 tiles, or stop"),
        ("flip scribe", "does not have this tile: scribe"),
        ("lay farmer", "may still turn over 2 tiles"),
    ):
        with pytest.raises(teerling.IllegalMove, match=reason):
            match.push(move)
    on_turn = at(turn=0, mover=0)
    for move, reason in (
        ("lay farmer", "no tile has been drawn"), ("flip farmer", "just after winning priests"),
        ("stop", "just after winning priests"), ("bid 2", "no auction"), ("pass", "no auction"),
    ):  # fmt: skip
        with pytest.raises(teerling.IllegalMove, match=reason):
            on_turn.push(move)
    bidding = push(on_turn, "invoke")
    for move in ("lay farmer", "flip farmer", "stop", "draw", "invoke"):
        with pytest.raises(teerling.IllegalMove, match="bid or pass"):
            bidding.push(move)


def test_a_first_colour_goes_without_saying() -> None:
    match = at(options={"building_colours": 3}, phase="drawing", turn=None, mover=0)
    buildings = [move.text for move in match.legal_moves if "library" in move.text]
    assert buildings == ["tile market/library", "tile market/library red", "tile market/library blue"]
