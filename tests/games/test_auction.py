"""The auction that Ra and Priests of Ra share, each rule pinned by its ids in both."""

import random
import re
from collections import Counter
from typing import Any

import pytest

import teerling
from tests.games.auctions import Auction, asked, display, end_epoch_by_ra, push, row, suns, texts, tiles

WITHOUT_SUNS = suns(([2, 6, 13], []), ([], [3, 7, 12]), ([4, 8, 11], []), ([5, 9, 10], []))
"""Hands of which the second has no sun to bid."""


NAMES = ("An", "Bo", "Cy", "Di")


@pytest.fixture(params=[Auction("ra", "nile"), Auction("priests", "pyramid")], ids=lambda each: each.game)
def auction(request: pytest.FixtureRequest) -> Auction:
    found: Auction = request.param
    return found


@pytest.mark.rule("RA-01")
@pytest.mark.rule("PR-01")
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_it_is_for_two_to_five(auction: Auction, players: int) -> None:
    assert teerling.new(auction.game, players=players, seed=1).players == players


@pytest.mark.rule("RA-01")
@pytest.mark.rule("PR-01")
@pytest.mark.parametrize("players", [0, 1, 6, -1, True])
def test_other_numbers_of_players_are_refused(auction: Auction, players: int) -> None:
    with pytest.raises(teerling.BadPlayers, match="2 to 5 players"):
        teerling.new(auction.game, players=players)


@pytest.mark.rule("RA-03")
@pytest.mark.rule("PR-03")
def test_everybody_starts_with_ten_fame(auction: Auction) -> None:
    assert teerling.new(auction.game, players=5, seed=1).scores == (10,) * 5


@pytest.mark.rule("RA-03")
@pytest.mark.rule("PR-03")
def test_fame_is_open_unless_told_otherwise(auction: Auction) -> None:
    match = auction.at(seats=[{"fame": fame} for fame in (11, 12, 13, 14)])
    assert match.view(None)["scores"] == [11, 12, 13, 14]


@pytest.mark.rule("RA-03")
@pytest.mark.rule("PR-03")
@pytest.mark.rule("PR-13")
def test_hidden_fame_is_shown_to_its_owner_only_until_the_game_is_over(auction: Auction) -> None:
    position = {"options": {"fame": "hidden"}, "epoch": 3, "ra_row": 8}
    match = auction.at(**position, seats=[{"fame": fame} for fame in (11, 12, 13, 14)])
    assert match.view(2)["scores"] == [None, None, 13, None]
    assert match.view(None)["scores"] == [None] * 4
    end_epoch_by_ra(match)
    assert None not in match.view(2)["scores"]


@pytest.mark.rule("RA-03")
@pytest.mark.rule("PR-03")
def test_hidden_fame_is_imagined_as_it_must_be_before_anybody_has_scored(auction: Auction) -> None:
    match = auction.at(options={"fame": "hidden"})
    game, seen = match.game, match.seen(0)
    assert {game.imagined(seen, 0, [seed]).fame[1] for seed in range(20)} == {10}
    later = auction.at(options={"fame": "hidden"}, epoch=2).seen(0)
    assert len({game.imagined(later, 0, [seed]).fame[1] for seed in range(20)}) > 5


@pytest.mark.rule("RA-03")
@pytest.mark.rule("PR-03")
def test_hidden_score_lines_of_others_are_not_told_before_the_end(auction: Auction) -> None:
    scoring = {"ra": "gold", "priests": "priest"}[auction.game]
    seats = tiles(*({scoring: count} for count in (1, 2, 1, 1)))
    match = end_epoch_by_ra(auction.at(options={"fame": "hidden"}, ra_row=8, seats=seats))
    assert {event.seat for event in match.events_of(1) if event.kind == "scored"} == {1}
    assert {event.seat for event in match.events if event.kind == "scored"} == {0, 1, 2, 3}
    assert match.view(1)["board"]["seats"][0]["scored"] is None


@pytest.mark.rule("RA-04")
@pytest.mark.rule("PR-04")
@pytest.mark.parametrize(
    ("players", "stacks"),
    [
        (2, [[2, 5, 6, 9], [3, 4, 7, 8]]),
        (3, [[2, 5, 8, 13], [3, 6, 9, 12], [4, 7, 10, 11]]),
        (4, [[2, 6, 13], [3, 7, 12], [4, 8, 11], [5, 9, 10]]),
        (5, [[2, 7, 16], [3, 8, 15], [4, 9, 14], [5, 10, 13], [6, 11, 12]]),
    ],
)
def test_stacks_of_suns_are_dealt_at_random_face_up(
    auction: Auction, players: int, stacks: list[list[int]]
) -> None:
    match = teerling.new(auction.game, players=players, chance="manual")
    order = list(range(players))[::-1]
    for left, stack in zip(range(players, 1, -1), order[:-1], strict=True):
        assert [probability * left for _, probability in match.chances] == [1] * left
        match.push(f"stack {stack + 1}")
    position = match.position()
    assert [seat["suns"] for seat in position["seats"]] == [stacks[stack] for stack in order]
    assert all(seat["used"] == [] for seat in position["seats"])
    assert position["middle"] == 1


@pytest.mark.rule("RA-05")
@pytest.mark.rule("PR-05")
def test_the_owner_of_the_highest_sun_begins_and_play_goes_clockwise(auction: Auction) -> None:
    match = push(teerling.new(auction.game, players=4, chance="manual"), "stack 4", "stack 2", "stack 1")
    turns = [match.turn]
    for _ in range(3):
        push(match, "draw", f"tile {auction.tile}")
        turns.append(match.turn)
    assert turns == [2, 3, 0, 1]


@pytest.mark.rule("RA-06")
@pytest.mark.rule("PR-06")
@pytest.mark.rule("PR-12")
@pytest.mark.parametrize(("players", "last"), [(2, 6), (3, 8), (4, 9), (5, 10)])
def test_the_last_ra_tile_depends_on_the_number_of_players(auction: Auction, players: int, last: int) -> None:
    match = push(auction.at(players=players, ra_row=last - 2), "draw", "tile ra")
    assert match.position()["phase"] == "bidding"
    full = push(auction.at(players=players, ra_row=last - 1), "draw", "tile ra")
    assert full.position()["epoch"] == 2


@pytest.mark.rule("RA-07")
@pytest.mark.rule("PR-07")
def test_who_has_no_sun_left_is_skipped(auction: Auction) -> None:
    match = auction.at(seats=WITHOUT_SUNS, turn=0, mover=0)
    assert push(match, "draw", f"tile {auction.tile}").turn == 2


@pytest.mark.rule("RA-08")
@pytest.mark.rule("PR-08")
def test_a_drawn_ra_tile_calls_an_auction_at_once(auction: Auction) -> None:
    match = push(auction.at(turn=0, mover=0), "draw", "tile ra")
    position = match.position()
    assert (position["ra_row"], position["auction"]["cause"], match.turn) == (1, "tile drawn", 1)
    assert row(match) == []


@pytest.mark.rule("RA-12")
@pytest.mark.rule("PR-09")
def test_bidding_goes_once_round_from_the_left_and_ends_with_the_ra_player(auction: Auction) -> None:
    match = push(auction.at(turn=1, mover=1), "invoke")
    order = []
    for _ in range(3):
        order.append(match.turn)
        match.push("pass")
    order.append(match.turn)
    assert order == [2, 3, 0, 1]


@pytest.mark.rule("RA-12")
@pytest.mark.rule("PR-09")
def test_a_bid_is_a_face_up_sun_higher_than_the_highest(auction: Auction) -> None:
    match = push(auction.at(turn=0, mover=0), "invoke", "bid 7")
    assert texts(match) == {"pass", "bid 8", "bid 11"}
    with pytest.raises(teerling.IllegalMove, match="not higher than the bid of 7"):
        match.push("bid 4")


@pytest.mark.rule("RA-12")
@pytest.mark.rule("PR-09")
def test_who_has_no_higher_sun_can_only_pass(auction: Auction) -> None:
    match = push(auction.at(turn=0, mover=0), "invoke", "bid 12")
    assert match.forced is not None
    assert match.forced.text == "pass"


@pytest.mark.rule("RA-12")
@pytest.mark.rule("PR-09")
def test_players_without_suns_are_passed_over_in_an_auction(auction: Auction) -> None:
    assert push(auction.at(seats=WITHOUT_SUNS, turn=0, mover=0), "invoke").turn == 2


@pytest.mark.rule("RA-12")
@pytest.mark.rule("PR-09")
def test_an_empty_row_is_auctioned_for_the_sun_alone(auction: Auction) -> None:
    match = push(auction.at(turn=0, mover=0), "invoke", "bid 7", "pass", "pass", "pass")
    seat = match.position()["seats"][1]
    assert (seat["used"], seat["tiles"], match.position()["middle"]) == ([1], {}, 7)


@pytest.mark.rule("RA-13")
@pytest.mark.rule("PR-09")
def test_a_free_invoker_must_bid_if_nobody_did(auction: Auction) -> None:
    match = push(auction.at(turn=0, mover=0), "invoke", "pass", "pass", "pass")
    assert texts(match) == {"bid 2", "bid 6", "bid 13"}
    with pytest.raises(teerling.IllegalMove, match={"ra": "RA-13", "priests": "PR-09"}[auction.game]):
        match.push("pass")


@pytest.mark.rule("RA-13")
@pytest.mark.rule("PR-09")
def test_a_free_invoker_may_pass_if_somebody_bid(auction: Auction) -> None:
    match = push(auction.at(turn=0, mover=0), "invoke", "bid 3", "pass", "pass")
    assert texts(match) == {"pass", "bid 6", "bid 13"}


@pytest.mark.rule("RA-14")
@pytest.mark.rule("PR-09")
def test_after_a_drawn_ra_tile_all_may_pass_and_the_row_stays(auction: Auction) -> None:
    match = push(auction.at(row=[auction.tile], turn=0, mover=0), "draw", "tile ra", *["pass"] * 4)
    assert row(match) == [auction.tile]
    assert match.turn == 1


@pytest.mark.rule("RA-15")
@pytest.mark.rule("PR-09")
def test_a_full_row_that_nobody_wants_leaves_the_game(auction: Auction) -> None:
    match = auction.at(row=[auction.tile] * 8, turn=0, mover=0)
    bag = match.position()["bag"]
    push(match, "invoke", *["pass"] * 4)
    assert (row(match), match.turn, match.position()["bag"]) == ([], 1, bag)
    assert all(seat["tiles"] == {} for seat in match.position()["seats"])


@pytest.mark.rule("RA-16")
@pytest.mark.rule("PR-09")
def test_the_winner_gets_all_tiles_and_swaps_the_sun(auction: Auction) -> None:
    lot = auction.at(row=[auction.tile] * 2, middle=1, turn=0, mover=0)
    match = push(lot, "invoke", "bid 3", "bid 8", "pass", "pass")
    winner, middle = match.position()["seats"][2], match.position()["middle"]
    assert (winner["suns"], winner["used"], middle) == ([4, 11], [1], 8)
    assert (display(match, 2), row(match)) == ({auction.tile: 2}, [])
    assert match.position()["seats"][1]["suns"] == [3, 7, 12]


@pytest.mark.rule("RA-16")
@pytest.mark.rule("PR-09")
def test_a_sun_lying_face_down_cannot_be_bid(auction: Auction) -> None:
    match = push(auction.at(turn=0, mover=0), "invoke", "bid 7", *["pass"] * 3, "invoke", *["pass"] * 3)
    with pytest.raises(teerling.IllegalMove, match="face down until the next epoch"):
        match.push("bid 1")


@pytest.mark.rule("RA-18")
@pytest.mark.rule("PR-11")
def test_the_player_left_of_the_ra_player_is_next_whoever_won(auction: Auction) -> None:
    match = push(auction.at(turn=1, mover=1), "invoke", "pass", "bid 10", "pass", "pass")
    assert match.turn == 2


@pytest.mark.rule("RA-19")
@pytest.mark.rule("PR-09")
def test_the_last_player_must_bid_when_invoking_of_free_will(auction: Auction) -> None:
    assert texts(push(auction.alone(), "invoke")) == {"bid 13"}


@pytest.mark.rule("RA-19")
@pytest.mark.rule("PR-09")
def test_the_last_player_may_pass_after_a_drawn_ra_tile_or_a_full_row_and_is_next_again(
    auction: Auction,
) -> None:
    full = auction.alone(row=[auction.tile] * 8)
    for match in (push(auction.alone(), "draw", "tile ra"), push(full, "invoke")):
        assert texts(match) == {"pass", "bid 13"}
        push(match, "pass")
        assert (match.turn, match.position()["phase"]) == (0, "turn")


@pytest.mark.rule("RA-26")
@pytest.mark.rule("PR-11")
def test_the_last_player_goes_on_alone(auction: Auction) -> None:
    match = push(auction.alone(), *["draw", f"tile {auction.tile}"] * 2)
    assert match.turn == 0
    assert row(match) == [auction.tile] * 2


@pytest.mark.rule("RA-25")
@pytest.mark.rule("PR-12")
def test_there_are_three_epochs(auction: Auction) -> None:
    assert not end_epoch_by_ra(auction.at(epoch=2, ra_row=8)).over
    last = end_epoch_by_ra(auction.at(epoch=3, ra_row=8))
    assert last.over
    assert last.legal_moves == ()


@pytest.mark.rule("RA-27")
@pytest.mark.rule("PR-12")
def test_the_last_ra_tile_ends_the_epoch_at_once_without_an_auction(auction: Auction) -> None:
    before = auction.at(row=[auction.tile] * 2, ra_row=8, turn=0, mover=0)
    bag: dict[str, Any] = before.position()["bag"]
    match = end_epoch_by_ra(before)
    position = match.position()
    assert (row(match), position["ra_row"], position["epoch"]) == ([], 0, 2)
    assert position["bag"] == bag | {"ra": bag["ra"] - 1}
    assert all(seat["tiles"] == {} for seat in position["seats"])
    assert [seat["suns"] for seat in position["seats"]] == [[2, 6, 13], [3, 7, 12], [4, 8, 11], [5, 9, 10]]


@pytest.mark.rule("RA-28")
@pytest.mark.rule("PR-12")
def test_suns_turn_up_after_scoring_and_the_highest_begins(auction: Auction) -> None:
    hands = suns(([2], [1, 6]), ([3, 7], [13]), ([4, 8], [12]), ([5, 9], [10]))
    match = end_epoch_by_ra(auction.at(seats=hands, middle=11, ra_row=8, turn=2, mover=2))
    position = match.position()
    assert [seat["suns"] for seat in position["seats"]] == [[1, 2, 6], [3, 7, 13], [4, 8, 12], [5, 9, 10]]
    assert all(seat["used"] == [] for seat in position["seats"])
    assert (position["middle"], match.turn) == (11, 1)
    push(match, *["draw", f"tile {auction.tile}"] * 4)
    assert match.turn == 1


def test_a_position_names_the_turn_or_the_mover_or_both(auction: Auction) -> None:
    for position in ({"turn": 1}, {"mover": 1}, {"turn": 1, "mover": 1}):
        match = teerling.at(auction.game, {"players": 3, **position}, chance="manual")
        assert (match.turn, match.position()["mover"]) == (1, 1)
    assert auction.at(phase="drawing", mover=2).position()["mover"] == 2
    bidding = auction.at(phase="bidding", turn=1, auction={"cause": "invoked"})
    assert (bidding.turn, bidding.position()["mover"]) == (1, 0)


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ({"turn": 1, "mover": 0}, "mover is seat 1, who is on turn, not 0"),
        ({"turn": None}, "turn is a seat in this phase, not null"),
        ({"phase": "drawing", "turn": 1}, "turn is null when nature decides or the game is over, not seat 1"),
        ({"seats": WITHOUT_SUNS, "turn": 1}, "turn is seat 1, who has no sun face up"),
        ({"seats": WITHOUT_SUNS, "phase": "drawing", "mover": 1}, "mover is seat 1, who has no sun face up"),
    ],
)
def test_a_turn_that_does_not_fit_is_refused_with_a_sentence(
    auction: Auction, position: dict[str, Any], reason: str
) -> None:
    with pytest.raises(teerling.BadPosition, match=reason):
        auction.at(**position)


@pytest.mark.rule("RA-12")
@pytest.mark.rule("PR-09")
@pytest.mark.parametrize("move", ["draw", "invoke", "stop"])
def test_what_an_auction_does_not_allow_is_refused_by_its_rule(auction: Auction, move: str) -> None:
    reason = push(auction.at(turn=0), "invoke").why(move)
    assert reason is not None
    assert (reason.kind, reason.rule) == ("auction_on", {"ra": "RA-12", "priests": "PR-09"}[auction.game])


@pytest.mark.rule("RA-09")
@pytest.mark.rule("PR-07")
def test_at_a_full_row_it_is_said_that_everybody_may_pass_and_gods_only_to_who_has_one(
    auction: Auction,
) -> None:
    match = auction.at(row=[auction.tile] * 8, turn=0)
    assert "god" not in asked(match)
    assert "everybody may pass" in asked(match)
    assert "iedereen mag passen" in asked(match, "nl")


@pytest.mark.rule("RA-09")
def test_at_a_full_row_who_has_a_god_is_told_of_both_choices() -> None:
    match = Auction("ra", "nile").at(row=["nile"] * 8, turn=0, seats=tiles({"god": 1}))
    assert "with a god, or take the Ra figure" in asked(match)
    assert "everybody may pass" in asked(match)


def test_they_take_about_ninety_minutes(auction: Auction) -> None:
    assert teerling.game(auction.game).minutes == 90


# What is told


def finished(game: str, players: int, seed: int) -> teerling.Match:
    """A whole match of random moves."""
    match, chooser = teerling.new(game, players=players, seed=seed), random.Random(seed)
    while not match.over:
        match.push(match.forced or chooser.choice(match.legal_moves))
    return match


@pytest.mark.rule("RA-30")
@pytest.mark.rule("PR-20")
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_score_lines_of_a_match_add_up_to_the_fame(auction: Auction, players: int) -> None:
    match = finished(auction.game, players, seed=players)
    for seat, fame in enumerate(match.scores):
        assert 10 + sum(line.data["points"] for line in match.score_lines(seat)) == fame


def test_a_score_line_names_fame_not_things(auction: Auction) -> None:
    kept, scoring = {"ra": ("gold", "gold"), "priests": ("priest", "priests")}[auction.game]
    match = end_epoch_by_ra(auction.at(ra_row=8, seats=tiles({kept: 2}), names=NAMES))
    points = {"ra": 6, "priests": 4}[auction.game]
    assert f"An, {scoring}: +{points} fame" in match.log()
    dutch = {"ra": "goud", "priests": "priesters"}[auction.game]
    assert f"An, {dutch}: +{points} roem" in match.log("nl")


@pytest.mark.rule("RA-16")
@pytest.mark.rule("PR-09")
def test_a_won_row_is_named_tile_by_tile(auction: Auction) -> None:
    lot = {"ra": ["nile", "gold", "nile"], "priests": ["pyramid", "tomb a", "pyramid"]}[auction.game]
    match = push(auction.at(row=lot, turn=0, names=NAMES), "invoke", "pass", "pass", "pass", "bid 6")
    got = {"ra": "2 Nile tiles and gold", "priests": "2 pyramids and tomb A"}[auction.game]
    assert match.log()[-1] == f"An wins with sun 6, takes sun 1 and gets: {got}"
    assert match.events[-1].data["tiles"] == lot


@pytest.mark.rule("RA-15")
@pytest.mark.rule("PR-09")
def test_a_full_row_that_leaves_is_named(auction: Auction) -> None:
    match = push(auction.at(row=[auction.tile] * 8, turn=0), "invoke", *["pass"] * 4)
    gone = {"ra": "8 Nile tiles", "priests": "8 pyramids"}[auction.game]
    assert match.log()[-1] == f"Nobody bids; these tiles leave the game: {gone}"


@pytest.mark.rule("RA-27")
@pytest.mark.rule("PR-12")
def test_what_lay_in_the_row_when_the_last_ra_tile_came_is_told(auction: Auction) -> None:
    match = end_epoch_by_ra(auction.at(row=[auction.tile], ra_row=8))
    (left,) = [event for event in match.events if event.kind == "row_left"]
    assert left.data["tiles"] == [auction.tile]


@pytest.mark.rule("RA-31")
@pytest.mark.rule("RA-33")
@pytest.mark.rule("RA-34")
@pytest.mark.rule("PR-22")
@pytest.mark.rule("PR-24")
@pytest.mark.parametrize("players", [2, 4])
def test_every_tile_that_leaves_a_display_after_an_epoch_is_told(auction: Auction, players: int) -> None:
    match = finished(auction.game, players, seed=5)
    for before, after, move, events in zip(
        match.states, match.states[1:], match.history, match.steps, strict=False
    ):
        if not any(event.kind.startswith("epoch_over") for event in events):
            continue
        names = match.game.position(before)["seats"]
        for seat in range(players):
            had = Counter(names[seat]["tiles"])
            for event in events:
                if event.kind == "won" and event.seat == seat:
                    had.update(event.data["tiles"])
                if event.kind == "disaster" and event.seat == seat:
                    had.subtract([event.data["disaster"], *event.data["lost"]])
                if event.kind == "discarded" and event.seat == seat:
                    had.subtract([event.data["tile"]])
                if event.kind == "flipped" and event.seat == seat:
                    had.subtract([event.data["tile"]])
                    had.update([event.data["other"]])
                if event.kind == "gave_back_plague" and event.seat == seat:
                    had.subtract(["plague"])
                if event.kind == "left" and event.seat == seat:
                    had.subtract(event.data["tiles"])
            has = match.game.position(after)["seats"][seat]["tiles"]
            if move.text.startswith("discard"):
                had = Counter({tile: had[tile] for tile in had if tile not in ("unrest", "earthquake")})
            assert +had == has


@pytest.mark.rule("RA-38")
@pytest.mark.rule("PR-30")
def test_a_tie_says_which_suns_decided_it(auction: Auction) -> None:
    # An's suns add up to the least, Di's to the most; in Ra everybody loses 5 for civilisations.
    seats = [{"fame": fame} for fame in (30, 5, 25, 10)]
    match = end_epoch_by_ra(auction.at(epoch=3, ra_row=8, seats=seats, names=NAMES))
    fame = {"ra": 20, "priests": 25}[auction.game]
    assert match.log()[-2:] == [
        f"An and Cy have {fame} fame each; An comes out ahead with the highest sun, 13 against 11",
        "An wins the game",
    ]
    untied = end_epoch_by_ra(
        auction.at(epoch=3, ra_row=8, seats=[{"fame": fame} for fame in (50, 40, 30, 10)])
    )
    assert not [event for event in untied.events if event.kind == "tie_broken"]


# The rules pages and the guide

CHAPTERS = {
    "en": ["The goal", "On one page", "Your turn"],
    "nl": ["Het doel", "Op één bladzijde", "Je beurt"],
}
LAST = {"en": "Our readings", "nl": "Onze lezing"}


def rules_page(game: str, lang: str) -> str:
    return (teerling.game(game).folder / f"rules.{lang}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", ["en", "nl"])
def test_a_rules_page_begins_with_the_goal_and_ends_with_our_readings(auction: Auction, lang: str) -> None:
    chapters = re.findall("^## (.+)$", rules_page(auction.game, lang), re.MULTILINE)
    assert chapters[:3] == CHAPTERS[lang]
    assert chapters[-1] == LAST[lang]


@pytest.mark.parametrize("lang", ["en", "nl"])
def test_every_marked_rule_and_no_other_is_named_among_our_readings(auction: Auction, lang: str) -> None:
    rules, _, readings = rules_page(auction.game, lang).partition(f"## {LAST[lang]}")
    marked = re.findall(r"^- \*\*(\w\w-\d\d)\*\* .* \*\(\w+\)\*$", rules, re.MULTILINE)
    assert sorted(re.findall(r"^- (\w\w-\d\d):", readings, re.MULTILINE)) == sorted(marked)
    for rule in {"ra": ["RA-22"], "priests": ["PR-03"]}[auction.game]:
        assert rule in marked
    assert "PR-22" not in marked


@pytest.mark.parametrize("lang", ["en", "nl"])
def test_every_picture_of_a_rules_page_is_a_drawing_of_the_game(auction: Auction, lang: str) -> None:
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", rules_page(auction.game, lang))
    drawn = "".join(
        path.read_text(encoding="utf-8")
        for folder in teerling.game(auction.game).catalogues
        for path in folder.glob("drawings.svg")
    )
    assert pictures
    assert [name for name in pictures if f'id="{name}"' not in drawn] == []


@pytest.mark.parametrize("lang", ["en", "nl"])
def test_a_rules_page_speaks_of_no_identifiers(auction: Auction, lang: str) -> None:
    assert "`" not in rules_page(auction.game, lang)


def test_the_guide_begins_with_the_goal(auction: Auction) -> None:
    _, first = teerling.game(auction.game).guide[0]
    assert first.startswith("Whoever has the most fame after three epochs wins.")
    assert not [text for _, text in teerling.game(auction.game).guide if "on the right" in text]
