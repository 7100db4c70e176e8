"""What the tables of Ra and Priests of Ra show beforehand follows from the rules."""

import json
import random
from typing import Any

import pytest

import teerling
from teerling import Match
from teerling.game import SPECTATOR, Event
from teerling.words import Speaker

GAMES = ("ra", "priests")
FULL = {"ra": ["nile"] * 8, "priests": ["pyramid"] * 8}


def aids_of(match: Match, seat: int) -> dict[str, Any]:
    """What helps a seat to decide."""
    assert match.game.aids is not None
    return match.game.aids(match.game.observed(match.state, seat), seat)


def at(game: str, tiles: dict[str, int], row: list[str], **more: Any) -> Match:
    """Two players; the first has these tiles and is on turn."""
    seats = [
        {"suns": [9, 6, 5, 2], "tiles": tiles, **more.pop("first", {})},
        {"suns": [8, 7, 4, 3], **more.pop("other", {})},
    ]
    return teerling.at(game, {"players": 2, "row": row, "seats": seats, **more}, chance="manual")


def lines(found: dict[str, Any]) -> dict[str, tuple[int, bool]]:
    return {line["line"]: (line["points"], line["later"]) for line in found["lines"]}


def test_a_lot_is_worth_what_would_be_scored_for_it() -> None:
    lot = aids_of(at("ra", {"nile": 2}, ["god", "flood", "gold"]), 0)["lot"]
    assert lines(lot) == {"gods": (2, False), "Nile": (3, False), "gold": (3, False)}
    assert lot["points"] == 8


def test_the_first_civilisation_saves_the_loss_for_none() -> None:
    assert lines(aids_of(at("ra", {}, ["art"]), 0)["lot"]) == {"civilisations": (5, False)}


@pytest.mark.parametrize(("epoch", "later"), [(1, True), (2, True), (3, False)])
def test_what_only_the_last_epoch_scores_comes_later(epoch: int, later: bool) -> None:
    assert lines(aids_of(at("ra", {}, ["temple"], epoch=epoch), 0)["lot"]) == {
        "different monuments": (1, later)
    }
    found = aids_of(at("ra", {"temple": 2, "sphinx": 1}, ["temple", "palace"], epoch=epoch), 0)["lot"]
    assert lines(found) == {"different monuments": (1, later), "identical monuments": (5, later)}
    found = aids_of(at("priests", {"pyramid": 2}, ["tomb a"], epoch=epoch), 0)["lot"]
    assert lines(found) == {"step pyramid": (5, later)}


@pytest.mark.parametrize("epoch", [1, 3])
def test_what_a_lot_is_worth_says_what_a_seat_would_have(epoch: int) -> None:
    def said(game: str, tiles: dict[str, int], row: list[str]) -> dict[str, str]:
        found = aids_of(at(game, tiles, row, epoch=epoch), 0)["lot"]
        speaker = Speaker("en", teerling.game(game))
        return {
            line["line"]: speaker.say(Event.from_dict(line["has"]), ("a", "b")) for line in found["lines"]
        }

    assert said("ra", {"nile": 2, "pharaoh": 1, "temple": 1}, ["flood", "pharaoh", "palace"]) == {
        "Nile": "2 Nile, 1 flood",
        "different monuments": "2 kinds",
    }
    assert said("ra", {"art": 3, "religion": 1, "writing": 1}, ["unrest", "gold", "pharaoh"]) == {
        "pharaohs": "1 pharaoh, most",
        "gold": "1 gold",
    }
    assert said("priests", {"warrior": 1, "pyramid": 2}, ["warrior", "plague", "pyramid"]) == {
        "warriors": "2, most",
        "plagues": "1",
        "step pyramid": "3 stones",
    }


def test_a_disaster_in_the_lot_takes_what_hurts_least() -> None:
    tiles = {"art": 3, "religion": 1, "writing": 1}
    assert aids_of(at("ra", tiles, ["unrest"]), 0)["lot"]["points"] == 0
    assert aids_of(at("ra", {"pharaoh": 2}, ["funeral"]), 0)["lot"]["points"] == -5


def test_giving_up_a_tile_shows_what_it_costs() -> None:
    match = at("ra", {"art": 2, "religion": 1, "writing": 1}, ["unrest"])
    for move in ("invoke", "pass", "bid 2"):
        match.push(move)
    found = aids_of(match, 0)
    assert found["discards"] == {"art": 0, "religion": -5, "writing": -5}
    assert "discards" not in aids_of(match, 1)


def test_both_sides_of_a_drawn_tile_show_what_the_row_would_bring() -> None:
    match = at("priests", {"warrior": 1}, ["priest"])
    match.push("draw")
    match.push("tile farmer/warrior")
    sides = aids_of(match, 0)["lays"]
    assert [(side["move"], side["side"], side["points"]) for side in sides] == [
        ("lay farmer", "farmer", 2),
        ("lay warrior", "warrior", 7),
    ]
    assert "lays" not in aids_of(match, 1)


def test_the_colour_of_a_drawn_building_stays_on_both_sides() -> None:
    match = at("priests", {}, [], options={"building_colours": 3})
    match.push("draw")
    match.push("tile market/library blue")
    sides = aids_of(match, 0)["lays"]
    assert [(side["move"], side["side"]) for side in sides] == [
        ("lay market", "market blue"),
        ("lay library", "library blue"),
    ]


def test_a_flip_shows_what_it_would_bring() -> None:
    match = at("priests", {"farmer": 1, "warrior": 1, "granary": 2}, ["priest"])
    for move in ("invoke", "pass", "bid 2"):
        match.push(move)
    assert aids_of(match, 0)["flips"] == {"farmer": 5, "warrior": 5, "granary": -2}
    assert "flips" not in aids_of(match, 1)


@pytest.mark.parametrize("game", GAMES)
def test_hidden_fame_changes_nothing_that_is_shown(game: str) -> None:
    def shown(fame: int) -> str:
        options = {"options": {"fame": "hidden"}, "epoch": 3, "other": {"fame": fame}}
        return json.dumps(aids_of(at(game, {}, ["pyramid", "pyramid", "pyramid"], **options), 0))

    assert shown(0) == shown(77)


@pytest.mark.parametrize("players", [2, 5])
@pytest.mark.parametrize("game", GAMES)
def test_every_decision_is_asked_for_in_both_languages(game: str, players: int) -> None:
    match = teerling.new(game, players=players, seed=3)
    chooser = random.Random(3)
    asked = set()
    assert match.game.ask is not None
    while not match.over:
        seat = int(match.turn or 0)
        event = match.game.ask(match.game.observed(match.state, seat))
        asked.add(event.kind)
        assert event.seat == seat
        assert event.rule.startswith(("RA-", "PR-"))
        for lang in ("nl", "en"):
            assert "{" not in Speaker(lang, match.game).say(event, match.names)
        found = aids_of(match, seat)
        assert json.loads(json.dumps(found)) == found
        if "lot" in found:
            assert found["lot"]["points"] == sum(line["points"] for line in found["lot"]["lines"])
        match.push(chooser.choice(match.legal_moves))
    assert asked >= {"ask_turn", "ask_bid", "ask_last_bid_over"}


@pytest.mark.parametrize("game", GAMES)
def test_bidding_for_a_full_row_it_is_said_that_its_tiles_leave_if_nobody_bids(game: str) -> None:
    """RA-15, PR-09: once somebody has bid they do not, and so it is not said any more."""
    match = at(game, {}, FULL[game])
    assert match.game.ask is not None
    match.push("invoke")
    asked = [match.game.ask(match.state)]
    asked.append(match.game.ask(match.preview("pass").state))
    asked.append(match.game.ask(match.preview("bid 3").state))
    assert [event.kind for event in asked] == ["ask_full_bid", "ask_full_last_bid", "ask_last_bid_over"]
    assert "these tiles leave the game" in Speaker("en", match.game).say(asked[0], match.names)
    assert "gaan deze tegels uit het spel" in Speaker("nl", match.game).say(asked[1], match.names)


@pytest.mark.parametrize("game", GAMES)
def test_an_empty_row_is_auctioned_for_the_sun_in_the_middle(game: str) -> None:
    match = at(game, {}, [], middle=1)
    asked = []
    for move in ("invoke", "pass"):
        match.push(move)
        assert match.game.ask is not None
        asked.append(match.game.ask(match.state))
    assert [event.kind for event in asked] == ["ask_empty", "ask_empty_must"]
    for event in asked:
        assert "only sun 1 is at stake" in Speaker("en", match.game).say(event, match.names)
        assert "alleen om zon 1" in Speaker("nl", match.game).say(event, match.names)
    match.push("bid 2")
    assert match.log()[-1] == "Seat 0 wins sun 1 with sun 2; the row was empty"
    assert match.log("nl")[-1] == "Zitplaats 0 wint zon 1 met zon 2; de rij was leeg"


@pytest.mark.parametrize("game", GAMES)
def test_spectators_see_what_is_open_and_nothing_for_a_seat(game: str) -> None:
    match = at(game, {}, ["pyramid"])
    assert list(aids_of(match, SPECTATOR)) == ["ra", "display"]
    match.push("invoke")
    assert list(aids_of(match, SPECTATOR)) == ["ra", "display", "speakers"]


@pytest.mark.parametrize("game", ["ra", "priests"])
def test_whoever_bids_sees_which_suns_are_still_higher_and_who_wins_if_they_pass(game: str) -> None:
    match = at(game, {}, ["pyramid"])
    match.push("invoke")
    found = aids_of(match, 1)
    assert found["speakers"] == [1, 0]
    assert found["higher"]["4"] == [sun for sun in (2, 5, 6, 9) if sun > 4]
    assert "passing" not in found
    match.push("bid 4")
    assert aids_of(match, 0)["passing"] == {"seat": 1, "sun": 4}
    assert aids_of(match, 0)["higher"]["5"] == []
