"""What is asked of every position of whole matches, in every game and variant."""

import json

import pytest

import teerling
from teerling import CHANCE, Move
from teerling.words import Speaker
from tests.variants import Variant, play, play_to_end, prefix_of


def test_every_illegal_decision_has_a_reason_with_a_rule_in_both_languages(variant: Variant) -> None:
    game = teerling.game(variant.game)
    speakers = [Speaker("en", game), Speaker("nl", game)]
    said: set[tuple[str, str]] = set()
    for match in play(variant.new()):
        if match.over:
            continue
        legal = set(match.legal_moves)
        for id in range(len(game.decisions)):
            move = game.move(id)
            reason = game.why(match.state, move)
            assert (reason is None) == (move in legal), move
            if reason is not None and (reason.kind, move.text) not in said:
                said.add((reason.kind, move.text))
                assert reason.rule.partition("-")[0] in ("G", prefix_of(game))
                sentences = {speaker.say(reason, match.names) for speaker in speakers}
                assert all(sentences)
                assert not any("{" in sentence for sentence in sentences)


def test_a_view_is_json_and_has_legal_moves_for_the_seat_to_decide_only(variant: Variant) -> None:
    for match in play(variant.new()):
        for seat in (None, *range(match.players)):
            view = match.view(seat)
            assert json.loads(json.dumps(view)) == view
            expected = [move.text for move in match.legal_moves] if seat == match.turn else []
            assert view["legal"] == expected


def test_whoever_rests_has_nothing_to_decide_until_a_round_or_the_match_is_over(variant: Variant) -> None:
    resting: set[int] = set()
    told = 0
    for match in play(variant.new()):
        steps, told = match.steps_since(told), len(match.history)
        if match.over or any(event.kind in match.game.rounds for step in steps for event in step):
            resting.clear()
        now = {seat for seat in range(match.players) if match.game.rests(match.state, seat)}
        assert resting <= now - {match.turn} or match.over
        resting = now


def test_every_point_is_explained_line_by_line(variant: Variant) -> None:
    start = variant.new()
    match = play_to_end(variant.new())
    game = match.game
    opening = game.results(start.state)[0]
    for seat in range(match.players):
        lines = match.score_lines(seat)
        assert opening[seat] + sum(line.data["points"] for line in lines) == match.scores[seat]
        assert all(line.data["points"] != 0 for line in lines)


def test_the_log_is_told_in_both_languages(variant: Variant) -> None:
    match = play_to_end(variant.new())
    for seat in (None, 0):
        dutch, english = match.log("nl", seat), match.log("en", seat)
        assert len(dutch) == len(english)
        assert not any("{" in line for line in dutch + english)


def test_every_event_has_a_rule_of_its_game(variant: Variant) -> None:
    match = play_to_end(variant.new())
    assert {event.rule.partition("-")[0] for event in match.events} <= {prefix_of(match.game), "G"}


def test_a_position_is_the_whole_state_at_every_step(variant: Variant) -> None:
    game = teerling.game(variant.game)
    for match in play(variant.new()):
        for state in (match.state,):
            assert game.place(json.loads(json.dumps(game.position(state)))) == state
    for state in match.states:
        assert game.place(game.position(state)) == state


def test_moves_are_parsed_back_exactly(variant: Variant) -> None:
    game = teerling.game(variant.game)
    for chance, texts in ((False, game.decisions), (True, game.outcomes)):
        assert len(set(texts)) == len(texts)
        for id, text in enumerate(texts):
            assert text == text.lower().strip()
            assert game.move(text, chance) == Move(id, text, chance) == game.move(id, chance)


def test_the_same_seed_and_decisions_give_the_same_match(variant: Variant) -> None:
    texts = set()
    for _ in range(2):
        texts.add(play_to_end(variant.new(seed="again")).save())
    assert len(texts) == 1


@pytest.mark.rule("G-01")
def test_a_forced_move_is_a_decision_of_its_own_in_the_history(variant: Variant) -> None:
    for match in play(variant.new()):
        if match.forced is not None:
            forced, before = match.forced, len(match.history)
            assert match.legal_moves == (forced,)
            assert match.preview(forced).history[before:] == (forced,)


@pytest.mark.rule("G-03")
def test_counts_of_what_has_not_been_drawn_are_public_in_the_open_games() -> None:
    for id in ("ra", "priests"):
        match = teerling.new(id, players=3, seed=1)
        assert match.view(None)["board"]["bag"] == match.position()["bag"]


@pytest.mark.rule("G-03")
def test_a_spectator_knows_what_everybody_knows(variant: Variant) -> None:
    """Whatever a spectator sees, every seat sees just so."""
    for match in play(variant.new()):
        common = match.view(None)["board"]
        for seat in range(match.players):
            assert_agrees(common, match.view(seat)["board"])
    assert match.turn != CHANCE


def assert_agrees(known: object, more: object) -> None:
    if isinstance(known, dict) and isinstance(more, dict):
        for key, value in known.items():
            assert_agrees(value, more.get(key))
    elif isinstance(known, list) and isinstance(more, list) and len(known) == len(more):
        for one, other in zip(known, more, strict=True):
            assert_agrees(one, other)
    elif known is not None:
        assert more is not None
