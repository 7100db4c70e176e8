"""Rapido is shown thing by thing: a throw, the X, a pair that lands, those that it throws off, a climb."""

import dataclasses
import re
from itertools import count

import teerling
from teerling import Match
from teerling.server.look import frames_since, match_view
from teerling.server.page import live_pages, match_pages
from tests.server.houses import flat
from tests.server.test_pure_pages import table_view

DICE = re.compile(r'data-rolls="[^"]*".*?<b data-face>(\w)</b>')
STANDS = re.compile(r'aria-label="(\w+)[^"]*: step (\d+)"')


NAMES = ["Anne", "Bob", "Cleo"]


def played(move: str, *wanted: str, steps: tuple[int, int, int] = (5, 6, 2)) -> tuple[Match, int]:
    """Bob places 71 on field 5, Cleo her pair on field 3, and Anne's move brings about what is wanted.

    Whatever chance has to do for it is done; the match, and where that move begins.
    """
    seats = [{"step": step} for step in steps]
    for seed in count():
        position = {"players": 3, "mover": 1, "dice": [7, 1], "seats": seats}
        match = teerling.at("rapido", position, seed=seed, names=NAMES)
        match.push("place 5")
        match.push("place 3")
        begun = len(match.history)
        if match.turn == 0 and match.scores == steps:
            match.push(move)
            told = [event.kind for events in match.steps[begun:] for event in events]
            if tuple(told[: len(wanted)]) == wanted:
                return match, begun
    raise AssertionError


def shown(match: Match, since: int) -> tuple[list[match_pages.Page], list[live_pages.Frame]]:
    """The pictures of what has happened since, as Cleo sees it: what they tell, and what they look like."""
    views = frames_since(match, match_view(match, 2, 2), since)
    live = live_pages.live(dataclasses.replace(table_view(match, 2), frames=views), "en")
    return [match_pages.page_of(view, "en") for view in views], list(live.frames)


def kinds(seen: list[match_pages.Page]) -> list[list[str]]:
    return [[event.kind for event in page.moment] for page in seen]


def test_an_x_is_held_and_named_before_the_next_player_counts() -> None:
    seen, looks = shown(*played("throw", "invalid", "scored", "counted"))
    assert kinds(seen)[0] == ["invalid", "scored"]
    assert kinds(seen)[1][0] == "counted"
    thrown, html = seen[0].moment[0].data, flat(looks[0].html)
    assert looks[0].hold == 1200
    assert 'class="rapido bust' in html
    assert "An X! Anne goes down one step" in html
    assert 'class="rung f5 taken"' in html, "Bob has not taken his pair back yet"
    assert "telling" in html
    assert 'name="move"' not in html
    assert sorted(DICE.findall(html)) == sorted(str(thrown[die]) for die in "ab")
    assert dict(STANDS.findall(html)) == {"Anne": "4", "Bob": "6", "You": "2"}
    assert seen[0].scores == (4, 6, 2)
    assert seen[0].turn == 0
    assert dict(STANDS.findall(flat(looks[1].html)))["Bob"] == "11"
    assert seen[1].turn == 1


def test_the_x_settles_last_and_nothing_tells_the_result_while_the_dice_roll() -> None:
    _, looks = shown(*played("throw", "invalid"))
    html = flat(looks[0].html)
    crosses = re.findall(r'<span class="die cross"[^>]*data-rolls[^>]*>', html)
    assert crosses
    assert all("data-last" in die for die in crosses)
    banner = re.search(r'<div class="banner"[^>]*>', html)
    assert banner is not None
    assert "data-after-roll" in banner[0]
    assert re.search(r'<b class="before"[^>]*>5</b>', html), "the score of before stands until the dice lie"


def test_pairs_land_and_throw_off_and_only_then_the_next_player_counts_and_throws() -> None:
    match, begun = played("place 1", "placed", "thrown_off", "counted", "scored", "threw")
    seen, looks = shown(match, begun)
    seen, looks = seen[:3], looks[:3]
    assert kinds(seen) == [["placed"], ["thrown_off"], ["counted", "scored"]]
    lying = [re.findall(r'class="rung (f\d) taken"', flat(look.html)) for look in looks]
    assert lying == [["f5", "f3", "f1"], ["f5", "f1"], ["f1"]]
    assert [page.turn for page in seen] == [0, 0, 1]
    assert [look.hold for look in looks] == [0, 900, 0]
    assert "Thrown off: you" in looks[1].html
    assert not any(DICE.findall(flat(look.html)) for look in looks), "nobody has thrown yet"
    still = flat(live_pages.live(table_view(match, 2), "en").html)
    assert len(DICE.findall(still)) == 2


def test_a_pair_keeps_its_name_from_the_sky_to_the_field_and_home() -> None:
    match, _ = played("throw", "threw_again")
    before = flat(live_pages.live(table_view(match, 2), "en").html)
    name = re.search(r'class="pair big p0"\s+data-piece="(\w+)"', before)
    assert name is not None
    begun = len(match.history)
    match.push("place 1")
    _, looks = shown(match, begun)
    landed = looks[0]
    assert f'data-piece="{name[1]}"' in flat(landed.html)


def test_an_x_that_lets_the_next_player_win_is_shown_before_the_win() -> None:
    match, begun = played("throw", "invalid", "scored", "counted", steps=(5, 18, 2))
    assert match.over
    seen, looks = shown(match, begun)
    assert kinds(seen) == [["invalid", "scored"], ["counted", "scored", "scored", "game_over"]]
    assert [look.hold for look in looks] == [1200, 1600]
    assert seen[0].scores == (4, 18, 2)
    assert not seen[0].over
    assert "Bob reached the goal!" not in looks[0].html
    assert "Bob reached the goal!" in looks[1].html
    assert dict(STANDS.findall(flat(looks[1].html)))["Bob"] == "21"


def test_a_double_is_climbed_when_the_dice_lie() -> None:
    match, begun = played("throw", "threw_again", "scored")
    seen, _ = shown(match, begun)
    assert kinds(seen) == [["threw_again"]]
    assert seen[0].scores[0] == 5
    assert match_pages.page_of(match_view(match, 2), "en").scores[0] in (6, 7, 8)
