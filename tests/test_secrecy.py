"""What a seat may not know changes nothing that it gets, byte for byte."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

import teerling
from teerling import CHANCE, Match, TeerlingError
from teerling.game import SPECTATOR
from tests.variants import VARIANTS, Variant, play


def all_that_a_seat_gets(match: Match, seat: int | None) -> str:
    """View, history, events, log and file of a seat, as one text."""
    return json.dumps(
        {
            "view": match.view(seat),
            "history": [(move.id, move.text) for move in match.history_of(seat)],
            "events": [event.as_dict() for event in match.events_of(seat)],
            "log": match.log("nl", seat),
            "save": match.save(seat=seat) if seat is not None else "",
        }
    )


def played(variant: Variant, decisions: int) -> Match:
    """A match of some decisions without a nature, so that chance can be changed."""
    for match in play(variant.new()):
        if sum(not move.chance for move in match.history) >= decisions:
            break
    return match.copy()


def other_pasts(match: Match, seat: int, most: int) -> Iterator[Match]:
    """The same match with one secret move changed, as far as all later moves stay legal."""
    history = match.history
    start = Match(match.game, match.states[0], match.options, match.names)
    start.seal = match.seal
    found = 0
    for index in range(len(history) - 1, -1, -1):
        state, move = match.states[index], history[index]
        if not match.game.secret(state, move, seat):
            continue
        for other in match.game.legal_moves(state):
            if other == move or other.veiled != move.veiled or not match.game.secret(state, other, seat):
                continue
            changed = start.copy()
            try:
                for text in (*history[:index], other, *history[index + 1 :]):
                    changed.push(text)
            except TeerlingError:
                continue
            found += 1
            yield changed
            break
        if found == most:
            return


SECRETIVE = [variant for variant in VARIANTS if variant.game == "dicerun"]


@pytest.mark.parametrize("variant", SECRETIVE, ids=str)
def test_another_past_of_others_secrets_looks_the_same_to_a_seat(variant: Variant) -> None:
    match = played(variant, decisions=4 * variant.players)
    for seat in (0, variant.players - 1):
        pasts = list(other_pasts(match, seat, most=4))
        assert pasts, "there is something to change"
        for changed in pasts:
            assert changed.history != match.history
            assert all_that_a_seat_gets(changed, seat) == all_that_a_seat_gets(match, seat)


@pytest.mark.parametrize("variant", SECRETIVE, ids=str)
def test_another_past_of_all_secrets_looks_the_same_to_a_spectator(variant: Variant) -> None:
    match = played(variant, decisions=3 * variant.players)
    pasts = list(other_pasts(match, SPECTATOR, most=4))
    assert pasts, "there is something to change"
    for changed in pasts:
        assert all_that_a_seat_gets(changed, None) == all_that_a_seat_gets(match, None)


@pytest.mark.parametrize("id", ["ra", "priests"])
@pytest.mark.parametrize("seat", [0, 2, None])
def test_other_hidden_fame_looks_the_same_to_a_seat(id: str, seat: int | None) -> None:
    position: dict[str, Any] = {"players": 3, "options": {"fame": "hidden"}, "ra_row": 7}
    gets = set()
    for change in (0, 5):
        seats = [{"fame": 20 + (0 if p == seat else change)} for p in range(3)]
        match = teerling.at(id, {**position, "seats": seats}, chance="manual")
        match.push("draw")
        match.push("tile ra")
        assert not match.over
        gets.add(all_that_a_seat_gets(match, seat))
    assert len(gets) == 1


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_what_a_seat_gets_of_an_imagined_state_is_what_it_got(variant: Variant) -> None:
    game = teerling.game(variant.game)
    for index, match in enumerate(play(variant.new())):
        if index % 3 and not match.over:
            continue
        for seat in (SPECTATOR, *range(match.players)):
            seen = game.observed(match.state, seat)
            imagined = game.imagined(seen, seat, [index])
            assert game.rules.sound(imagined)
            assert game.observed(imagined, seat) == seen
            assert game.position(game.observed(imagined, seat)) == game.position(seen)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_an_imagined_state_can_be_played_to_its_end(variant: Variant) -> None:
    game = teerling.game(variant.game)
    match = played(variant, decisions=6)
    seat = match.players - 1
    state = game.imagined(game.observed(match.state, seat), seat, [99])
    again = Match(game, state, match.options)
    chooser = random.Random(7)
    while not again.over:
        again.push(chooser.choice(again.legal_moves))
        assert game.rules.sound(again.state)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_no_view_history_or_seats_file_holds_the_seed(variant: Variant) -> None:
    seed = "a seed nobody may see 7461"
    for match in play(variant.new(seed=seed)):
        if len(match.history) > 40 and match.turn != CHANCE:
            break
    if not match.over:
        for seat in (None, *range(match.players)):
            assert seed not in all_that_a_seat_gets(match, seat)
            assert str(match.seal) in json.dumps(match.view(seat))
    assert seed not in repr(match)
    assert seed not in repr(match._nature)
