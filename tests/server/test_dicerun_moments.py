"""What decides something in DiceRun is shown before the table goes on: a first throw, the end of a round."""

import random
import re
from typing import Any

import pytest

import teerling
from teerling import Match
from teerling.server.look import frames_since, match_view
from teerling.server.page import pages
from tests.server.houses import flat


def played_until(kind: str, seed: int = 5, **options: Any) -> tuple[Match, int]:
    """A match after the decision that told of something, and the step before that decision."""
    match, chooser = teerling.new("dicerun", players=3, seed=seed, **options), random.Random(seed)
    while not match.over:
        shown = len(match.history)
        match.push(chooser.choice(match.legal_moves))
        if any(event.kind == kind for events in match.steps[shown:] for event in events):
            return match, shown
    raise AssertionError(f"nothing was told of {kind}")


def frame_of(match: Match, since: int, seat: int | None) -> pages.Page:
    *_, view = frames_since(match, match_view(match, seat, seat), since)
    return pages.page_of(view, "en")


def drawn(page: pages.Page, *parts: str) -> str:
    module: Any = pages.ENVIRONMENT.get_template(pages.board_of(teerling.game("dicerun"))).module
    return flat("".join(str(getattr(module, part)(page)) for part in parts))


def test_the_end_of_a_round_names_it_and_shows_all_missions() -> None:
    match, since = played_until("drew_end")
    page = frame_of(match, since, 0)
    shown = [event for event in page.moment if event.kind == "showed"]
    assert len(shown) == 3
    board, story = drawn(page, "board"), drawn(page, "story")
    assert "round 1 is over" in board
    assert "Round 1 of 4" in board
    assert story.count("<li") == 3
    for event in shown:
        assert event.data["mission"] in story
    # What counted is the mission that was shown; the next one, dealt already, tells nothing yet.
    (own,) = [event for event in shown if event.seat == 0]
    assert re.findall(r"<b>(\d+)</b><span>\s*for you", board) == [str(own.data["count"])]
    assert match.game.moments["drew_end"] >= 1200


def test_while_a_round_goes_on_nobody_sees_the_missions_of_others() -> None:
    match, since = played_until("drew_end")
    shown = [event for event in match.steps_of(None)[since] if event.kind == "showed"]
    while len(match.history) > since:
        match.pop()
    missions = {match.position()["seats"][p]["front"] for p in (1, 2)}
    assert len(missions) == 2
    assert not any(mission in drawn(match_page(match, 0), "story") for mission in missions), shown


def match_page(match: Match, seat: int) -> pages.Page:
    return pages.page_of(match_view(match, seat, seat), "en")


def test_the_last_throw_for_the_start_is_seen_where_it_was_thrown() -> None:
    match, since = played_until("begins_highest")
    page = frame_of(match, since, 0)
    board = drawn(page, "board")
    assert page.board["start"] is None
    assert "the highest throw" in board
    throws = [page.last_told("thrown_to_start", p) for p in range(3)]
    lines = board[board.index('class="starting"') :]
    for event in throws:
        assert event is not None
        assert f"</span>{event.data['sum']}" in lines
        for die in event.data["pieces"]:
            assert board.count(f'data-piece="die{die}"') == 1
            assert f'data-piece="die{die}"' in lines
    assert "ritual" not in drawn(match_page(match, 0), "board")


@pytest.mark.parametrize("seed", [2, 3])
def test_dice_that_were_thrown_roll_once_and_those_that_a_card_moved_run(seed: int) -> None:
    match, chooser = teerling.new("dicerun", players=3, seed=seed, start="random"), random.Random(seed)
    checked = set()
    while len(checked) < 2:
        since = len(match.history)
        match.push(chooser.choice(match.legal_moves))
        board = drawn(match_page(match, 0), "board")
        for event in (event for events in match.steps[since:] for event in events):
            if event.kind == "thrown":
                rolls = {int(die) for die in re.findall(r'data-rolls="throw\d+-(\d+)"', board)}
                assert set(event.data["pieces"]) <= rolls
                checked.add("thrown")
            if event.kind == "moved":
                runs = re.findall(r'data-piece="die(\d+)" data-beat="run"', board)
                assert sorted(map(int, runs)) == sorted(event.data["dice"])
                checked.add("moved")
