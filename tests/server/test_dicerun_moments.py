"""What decides something in DiceRun is shown before the table goes on: a first throw, the end of a round."""

import random
import re
from typing import Any

import pytest

import teerling
from teerling import Match
from teerling.server.look import frames_since, match_view
from teerling.server.page import environment, match_pages
from tests.games.test_dicerun import at, holding, push, race
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


def frame_of(match: Match, since: int, seat: int | None) -> match_pages.Page:
    *_, view = frames_since(match, match_view(match, seat, seat), since)
    return match_pages.page_of(view, "en")


def drawn(page: match_pages.Page, *parts: str) -> str:
    module: Any = environment.ENVIRONMENT.get_template(environment.board_of(teerling.game("dicerun"))).module
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


def match_page(match: Match, seat: int) -> match_pages.Page:
    return match_pages.page_of(match_view(match, seat, seat), "en")


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


def test_below_the_race_who_begins_is_said_without_the_throw_before_it() -> None:
    """Both sentences have no room beside each other."""
    match, _ = played_until("begins_highest")
    board = drawn(match_page(match, int(match.turn or 0)), "board")
    assert "the highest throw" in board
    assert "in all" not in board


@pytest.mark.parametrize("seed", [2, 3])
def test_dice_that_were_thrown_roll_once_and_those_that_a_card_moved_run(seed: int) -> None:
    match, chooser = teerling.new("dicerun", players=3, seed=seed, start="random"), random.Random(seed)
    checked = set()
    while len(checked) < 4:
        since = len(match.history)
        match.push(chooser.choice(match.legal_moves))
        board = drawn(match_page(match, 0), "board")
        for event in (event for events in match.steps[since:] for event in events):
            if event.kind == "thrown":
                rolls = {int(die) for die in re.findall(r'data-rolls="throw\d+-(\d+)"', board)}
                assert set(event.data["pieces"]) <= rolls
                checked.add("thrown")
            if event.kind in ("moved", "sprinted", "swapped"):
                runs = re.findall(r'data-piece="die(\d+)" data-beat="run"', board)
                assert sorted(map(int, runs)) == sorted(event.data["dice"])
                checked.add(event.kind)


@pytest.mark.parametrize(
    ("card", "move", "news"),
    [
        ("sprint", "sprint", {"pink 1", "pink 2"}),
        ("swap", "swap 2", {"pink 1", "pink 2", "blue 3", "blue 4"}),
    ],
)
def test_dice_that_a_sprint_or_a_swap_moved_are_marked_until_the_viewer_moves(
    card: str, move: str, news: set[str]
) -> None:
    match = push(
        at(
            race=race("red 1, red 2", "blue 3, blue 4", "pink 1, pink 2", pack=0),
            seats=holding(f"{card}, red, blue"),
        ),
        move,
    )
    board = drawn(match_page(match, 1), "board")
    marked = {
        f"{colour} {face}"
        for colour, face in re.findall(r'class="die (\w+)[^"]* anew".*?#dicerun-(\d)', board, re.DOTALL)
    }
    assert marked == news


@pytest.mark.parametrize(
    ("hand", "move", "cards", "said"),
    [
        ("red, blue, swap", "play red", ['class="die red"'], "Seat 1 plays a red card ·"),
        ("question, blue, swap", "question 3", ["#dicerun-question", "#dicerun-3"], "a question mark as a 3"),
        ("sprint, red, blue", "sprint", ["#dicerun-sprint"], "Seat 1 plays a sprint"),
        ("distance, red, blue", "distance 1", ["#dicerun-distance"], "Seat 1 plays a distance card"),
        ("swap, red, blue", "lay red", ["#dicerun-back"], "Seat 1 lays a card face down"),
    ],
)
def test_the_card_that_was_played_last_lies_below_the_race_with_who_played_it(
    hand: str, move: str, cards: list[str], said: str
) -> None:
    places = race("red 1, blue 3", "red 2, blue 4, red 3", "pink 1, red 4", pack=2)
    match = push(at(race=places, seats=holding(hand, "red, red, red")), move)
    board = drawn(match_page(match, 1), "board")
    last = board[board.index('class="last"') : board.index('class="deck"')]
    assert 'href="#em-' in last
    assert all(card in last for card in cards)
    assert said in last


TIED = "red 1, red 1, blue 1, blue 1, green 1, green 1, green 1"
"""A lead that gives two missions as many points."""


def tied_after_round_four() -> Match:
    seats = [
        {"front": "red 6", "hand": {"question": 3}, "victory": 3}, {"front": "blue 6"},
        {"front": "pink 6", "victory": 1}, {"front": "green 6"},
    ]  # fmt: skip
    return push(at(race=race(TIED), seats=seats, round=4, drawn=12), "question 6", "card end")


def test_a_scoring_before_a_tie_break_says_who_play_on_and_that_only_they_get_a_mission() -> None:
    """DR-23: the others look on."""
    (sheet,) = match_page(tied_after_round_four(), 1).scorings
    notes = [note for row in sheet.rows for note in row.notes]
    assert ("Seat 1 and Seat 4 have the most victory cards and play on with the last pile", "DR-23") in notes
    assert sheet.stays == "Only they get a new mission. It counts when the last card is drawn."


def test_who_is_not_tied_is_told_that_they_look_on_in_the_tie_break() -> None:
    match = push(tied_after_round_four(), "mission pink 1", "mission pink 2", "card swap")
    looking_on, playing = (match_page(match, seat) for seat in (1, 3))
    assert "Seat 4 and Seat 1 play on for the win; you look on (DR-23)." in drawn(looking_on, "story")
    assert drawn(looking_on, "waiting") == ""
    assert "Your mission" in drawn(playing, "story")
    assert "look on" not in drawn(playing, "story")
