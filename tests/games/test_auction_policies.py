"""What sensible players of Ra and Priests of Ra do."""

from typing import Any

import numpy as np
import pytest

import teerling
from teerling import Match
from teerling.engine.compile import bind
from teerling.players.parameters import evaluation_of, notes_of, parameters_for, policy_of, scratch_for
from tests.games.auctions import Auction, push, suns, tiles
from tests.variants import VARIANTS, Variant, play

RA, PRIESTS = Auction("ra", "gold"), Auction("priests", "priest")
both_games = pytest.mark.parametrize("auction", [RA, PRIESTS], ids=lambda auction: auction.game)
EVERY_VARIANT = [variant for variant in VARIANTS if variant.game in ("ra", "priests")]
DEALT = suns(([2, 6, 13], []), ([3, 7, 12], []), ([4, 8, 11], []), ([5, 9, 10], []))
RA_DRAWN: dict[str, Any] = {"phase": "bidding", "ra_row": 1, "auction": {"cause": "tile drawn"}}
FIRST_WORD = {**RA_DRAWN, "turn": 1, "mover": 0}
LAST_WORD = {**RA_DRAWN, "turn": 1, "mover": 1}


def worths(match: Match, state: Any = None) -> dict[str, float]:
    """What the policy says of every legal move."""
    game, rules = match.game, match.game.rules
    state = state or match.state
    mask, worth = [0] * rules.DECISIONS, [0.0] * rules.DECISIONS
    rules.legal(state, mask)
    notes = [0.0] * notes_of(game)
    policy_of(game).advise(state, list(parameters_for(game).values.values()), mask, worth, notes)
    return {move.text: worth[move.id] for move in game.legal_moves(state)}


def advised(match: Match) -> str:
    """The move that the policy likes best."""
    found = worths(match)
    return max(found, key=lambda text: found[text])


def with_own(auction: Auction, own: dict[str, int], row: list[str], **position: Any) -> dict[str, float]:
    """What the policy says to seat 1 with these tiles when nobody else has bid for a row."""
    return worths(auction.at(row=row, seats=tiles({}, own), **LAST_WORD, **position))


@pytest.mark.parametrize("variant", EVERY_VARIANT[::3], ids=str)
def test_compiled_advice_is_the_same(variant: Variant) -> None:
    game = teerling.game(variant.game)
    compiled = bind(game.rules.__name__, "teerling.engine.kernels.step", "checked")
    room = np.zeros(1, scratch_for(game))
    for match in play(variant.new(), seed=4):
        if not match.over and len(match.legal_moves) > 1:
            room[0]["mask"][:] = 0
            game.rules.legal(match.state, room[0]["mask"])
            array = match.state.to_array()
            compiled.advise_at(array, 0, parameters_for(game).values_array, room)
            found = {move.text: room[0]["worth"][move.id] for move in game.legal_moves(match.state)}
            assert found == pytest.approx(worths(match))
            assert array[0].tobytes() == match.state.to_bytes()


@pytest.mark.parametrize("variant", EVERY_VARIANT, ids=str)
def test_advice_comes_from_what_the_player_knows_and_changes_nothing(variant: Variant) -> None:
    for match in play(variant.new(), seed=3):
        if not match.over and len(match.legal_moves) > 1:
            before = match.state.to_bytes()
            assert worths(match) == worths(match, match.game.observed(match.state, match.state.turn))
            assert match.state.to_bytes() == before


@both_games
def test_does_not_call_ra_for_an_empty_row(auction: Auction) -> None:
    assert advised(auction.at(row=[])) == "draw"


@both_games
def test_does_not_pay_its_best_sun_for_one_tile(auction: Auction) -> None:
    found = worths(auction.at(row=[auction.tile], seats=DEALT, **FIRST_WORD))
    assert max(found, key=lambda text: found[text]) == "pass"
    assert min(found, key=lambda text: found[text]) == "bid 12"


@pytest.mark.parametrize(
    ("auction", "row"),
    [
        (RA, ["gold", "gold", "flood", "pharaoh", "pharaoh", "god"]),
        (PRIESTS, ["priest", "priest", "farmer", "warrior", "merchant", "scribe"]),
    ],
)
def test_bids_for_a_rich_row(auction: Auction, row: list[str]) -> None:
    assert advised(auction.at(row=row, seats=DEALT, **FIRST_WORD)) != "pass"


@both_games
def test_pays_no_more_than_needed_with_the_last_word(auction: Auction) -> None:
    bid = {"cause": "tile drawn", "bid": 4, "bidder": 2}
    position = {**LAST_WORD, "turn": 3, "mover": 3, "auction": bid}
    assert advised(auction.at(row=[auction.tile] * 4, seats=DEALT, **position)) == "bid 5"


@both_games
def test_alone_with_suns_draws_until_the_last_ra_tile_threatens(auction: Auction) -> None:
    table: Any = {"row": [auction.tile] * 4, "bag": {"ra": 20, auction.tile: 1}, "epoch": 3}
    assert advised(auction.alone(ra_row=7, **table)) == "draw"
    assert advised(auction.alone(ra_row=8, **table)) == "invoke"


@both_games
def test_a_sun_is_cheaper_when_the_epoch_is_nearly_over(auction: Auction) -> None:
    row = [auction.tile] * 2
    early = worths(auction.at(row=row, seats=DEALT, **LAST_WORD))
    late = worths(auction.at(row=row, seats=DEALT, **{**LAST_WORD, "ra_row": 8}))
    assert late["bid 3"] > early["bid 3"]


def test_takes_with_a_god_what_is_missing_in_a_set() -> None:
    own = {"god": 1, "art": 1, "religion": 1, "writing": 1}
    found = worths(RA.at(turn=0, mover=0, row=["astronomy", "pyramid", "art"], seats=tiles(own)))
    assert found["take astronomy"] > found["take pyramid"] > found["take art"]
    assert found["take art"] < 0


def test_gives_up_what_it_has_twice() -> None:
    own = {"unrest": 1, "art": 3, "religion": 1, "writing": 1}
    position = {"phase": "losing tiles", "turn": 0, "mover": 0, "owed": 2}
    assert advised(RA.at(seats=tiles(own), **position)) == "discard art"


def test_with_pharaohs_a_funeral_is_worse() -> None:
    row = ["gold", "gold", "funeral"]
    assert with_own(RA, {"pharaoh": 2}, row)["bid 3"] < with_own(RA, {}, row)["bid 3"]


def test_whoever_is_far_behind_in_pharaohs_is_expected_to_lose_by_it() -> None:
    match = RA.at(epoch=2, seats=tiles({}, {"pharaoh": 8}, {"pharaoh": 8}, {"pharaoh": 8}))
    weights = list(parameters_for(match.game).weights.values())
    expected = [evaluation_of(match.game).pharaohs_to_come(match.state, weights, seat) for seat in range(4)]
    assert expected[0] < -1.5
    assert expected[1] == expected[3] > 2


def test_with_nile_a_flood_is_worth_more() -> None:
    row = ["gold", "gold", "flood"]
    assert with_own(RA, {"nile": 4}, row)["bid 3"] > with_own(RA, {}, row)["bid 3"] + 1


def test_a_monument_is_worth_more_when_it_is_the_third_alike_in_the_last_epoch() -> None:
    row = ["gold", "gold", "sphinx"]
    third = with_own(RA, {"sphinx": 2}, row, epoch=3)
    assert third["bid 3"] > with_own(RA, {"temple": 2}, row, epoch=3)["bid 3"] + 1


def test_turns_over_a_tile_to_complete_a_building() -> None:
    match = PRIESTS.won(["priest"], {"granary": 1, "fortress": 1})
    assert advised(match) in ("flip granary", "flip fortress")


def test_lays_up_the_side_that_completes_its_own_building() -> None:
    match = push(PRIESTS.alone({"market": 1}, epoch=3), "draw", "tile market/library")
    assert advised(match) == "lay market"


def test_a_plague_is_worse_the_more_there_are() -> None:
    row = ["priest", "priest", "plague"]
    assert with_own(PRIESTS, {"plague": 2}, row)["bid 3"] < with_own(PRIESTS, {}, row)["bid 3"]


def test_a_third_profession_is_worth_more_than_a_second() -> None:
    row = ["priest", "scribe"]
    third = with_own(PRIESTS, {"farmer": 1, "warrior": 1}, row)
    assert third["bid 3"] > with_own(PRIESTS, {"farmer": 2}, row)["bid 3"]
