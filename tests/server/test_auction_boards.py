"""The boards of Ra and Priests of Ra, drawn from hand-written positions."""

import re
from pathlib import Path
from typing import Any

import pytest

import teerling
from teerling import Match
from teerling.server.look import match_view
from teerling.server.page import environment
from teerling.server.page.environment import ENVIRONMENT, board_of
from teerling.server.page.match_pages import page_of
from tests.server.houses import flat

WHOLE = """{% import board as game with context %}<main>{{ game.board(t) }}</main>
<header>{% for p in t.order %}{{ game.chip(t, p) }}{{ game.tag(t, p) }}{% endfor %}</header>
<section>{{ game.story(t) }}</section>
{% if t.mine %}<nav>{{ game.choices(t) }}</nav>{% endif %}
<div>{{ game.worth(t) }}</div>
{% for p in t.order %}<article>{{ game.player(t, p) }}</article>{% endfor %}
<aside>{{ game.side(t) }}</aside>"""
SEATS = [{"suns": [9, 6, 5, 2]}, {"suns": [8, 7, 4, 3]}]


def at(game: str, tiles: dict[str, int], row: list[str], *moves: str, **more: Any) -> Match:
    """Two players; the first has these tiles and was on turn before these moves."""
    seats = [{**SEATS[0], "tiles": tiles}, SEATS[1]]
    match = teerling.at(game, {"players": 2, "row": row, "seats": seats, **more}, chance="manual")
    for move in moves:
        match.push(move)
    return match


def drawn(match: Match, seat: int | None = 0, lang: str = "en") -> str:
    """What a seat sees."""
    page = page_of(match_view(match, seat), lang)
    return flat(ENVIRONMENT.from_string(WHOLE).render(t=page, board=board_of(match.game)))


def part(html: str, tag: str) -> str:
    """The first such element."""
    return html.split(f"<{tag}>")[1].split(f"</{tag}>")[0]


def moves_in(html: str) -> list[str]:
    """The moves that can be made there."""
    buttons = re.findall(r"<button name=\"move\" value=\"([^\"]+)\"([^>]*)>", html)
    return [value for value, rest in buttons if "aria-disabled" not in rest]


def names_in(html: str) -> list[str]:
    """The names by which pieces travel."""
    return re.findall(r'data-piece="([^"]+)"', html)


def test_suns_are_bid_themselves_and_a_low_one_says_why_not() -> None:
    match = at("ra", {}, ["pharaoh"], "invoke", "bid 4")
    nav = part(drawn(match), "nav")
    assert moves_in(nav) == ["bid 5", "bid 6", "bid 9", "pass"]
    assert 'title="Sun 2 is not higher than the bid of 4 (RA-12)"' in nav


def test_a_god_takes_tiles_by_a_click_in_the_row() -> None:
    html = drawn(at("ra", {"god": 1}, ["pharaoh", "god"]))
    assert moves_in(part(html, "main")) == ["take pharaoh"]
    assert "A god cannot take this tile: god (RA-11)" in part(html, "main")
    assert moves_in(part(drawn(at("ra", {}, ["pharaoh"])), "main")) == []


def test_what_giving_up_each_tile_costs_is_said_on_it() -> None:
    match = at("ra", {"art": 2, "religion": 1}, ["unrest"], "invoke", "pass", "bid 2")
    html = drawn(match)
    assert moves_in(html) == ["discard art", "discard religion"]
    assert moves_in(part(html, "article")) == []
    assert 'aria-label="Give up: religion"' in html
    assert moves_in(drawn(match, 1)) == moves_in(drawn(match, None)) == []


def test_both_sides_of_a_drawn_tile_are_offered_and_everybody_sees_that_it_is_held() -> None:
    match = at("priests", {}, ["priest"], "draw", "tile tomb c/d")
    html = drawn(match)
    assert moves_in(part(html, "nav")) == ["lay tomb c", "lay tomb d"]
    assert 'aria-label="Lay this side up: tomb D"' in html
    assert "tile held" in part(drawn(match, 1), "main")
    assert "tile held" in part(drawn(match, None), "main")


def test_what_turning_over_each_tile_brings_is_said_on_it_and_it_shows_its_back() -> None:
    match = at("priests", {"farmer": 2}, ["priest"], "invoke", "pass", "bid 2")
    html = drawn(match)
    assert [move for move in moves_in(html) if move != "stop"] == ["flip farmer"]
    assert moves_in(part(html, "article")) == []
    assert 'aria-label="Turn over: farmer becomes warrior"' in html
    assert "tile flip" not in html
    match.push("flip farmer")
    assert part(drawn(match), "article").count("tile flip") == 1


@pytest.mark.parametrize("colours", [1, 5])
def test_a_folded_corner_tells_of_the_other_side(colours: int) -> None:
    row = ["granary", "priest"] if colours == 1 else ["granary red", "priest"]
    main = part(drawn(at("priests", {}, row, options={"building_colours": colours})), "main")
    assert main.count('href="#fold"') == 1
    assert "--fold: var(--co1)" in main
    assert ("▲" in main) == (colours == 5)


@pytest.mark.parametrize(
    ("game", "row"), [("ra", ["god", "pharaoh", "pharaoh"]), ("priests", ["plague", "farmer", "farmer"])]
)
def test_won_tiles_and_suns_keep_their_names_where_they_go(game: str, row: list[str]) -> None:
    match = at(game, {}, row, "invoke", "pass")
    before = names_in(part(drawn(match), "main"))
    match.push("bid 6")
    html = drawn(match)
    won = names_in(part(html, "article"))
    assert before[0] == "sun1"
    assert {name for name in before if name.startswith("t1-")} <= {*won}
    assert "sun6" in names_in(part(html, "main"))
    assert "sun1" in names_in(part(html, "header"))
    for seat in (0, 1, None):
        names = names_in(drawn(match, seat))
        assert len(names) == len(set(names))


@pytest.mark.parametrize("game", ["ra", "priests"])
def test_what_everybody_said_in_the_auction_is_shown(game: str) -> None:
    html = drawn(at(game, {}, ["pyramid"], "invoke", "bid 4"))
    assert "bids 4" in part(html, "header")
    assert "bids 4" in part(html, "section")
    assert "Seat 1 invoked Ra" in html
    html = drawn(at(game, {}, ["pyramid"], "invoke", "pass"))
    assert ">passes<" in part(html, "header")
    assert ">bids" not in html


@pytest.mark.parametrize("game", ["ra", "priests"])
def test_a_sun_that_was_outbid_stays_in_the_path(game: str) -> None:
    seats = [{"suns": [9, 6, 2]}, {"suns": [8, 5, 3]}, {"suns": [12, 7, 4]}]
    match = teerling.at(
        game, {"players": 4, "row": ["pyramid"], "seats": [*seats, {"suns": [13, 11, 10]}]}, chance="manual"
    )
    match.push("invoke")
    match.push("bid 2")
    assert "outbid" not in part(drawn(match), "section")
    match.push("bid 8")
    assert "outbid" in part(drawn(match), "section")


@pytest.mark.parametrize("game", ["ra", "priests"])
def test_a_bid_says_what_is_still_higher_and_a_pass_who_gets_the_row(game: str) -> None:
    first = drawn(at(game, {}, ["pyramid"], "invoke"), 1)
    assert "only 9 is higher" in part(first, "nav")
    last = drawn(at(game, {}, ["pyramid"], "invoke", "bid 4"))
    assert "pass: Seat 2 gets it for 4" in part(last, "nav")
    assert "sure to win" in part(last, "nav")


@pytest.mark.parametrize("game", ["ra", "priests"])
def test_what_the_row_is_worth_to_the_others_is_seen_in_an_auction(game: str) -> None:
    match = at(game, {"pyramid": 2}, ["pyramid"])
    assert 'class="others"' not in drawn(match)
    match.push("invoke")
    assert 'class="others"' in drawn(match, 1)


def test_a_tile_says_what_it_is_for_and_how_the_seats_stand() -> None:
    match = at("ra", {"pharaoh": 2}, ["pharaoh", "funeral"])
    html = drawn(match)
    assert "you have 2, the others 0 (RA-32)" in html
    assert "whoever gets it loses two of: pharaoh (RA-" in html
    priests = drawn(at("priests", {"farmer": 2}, ["farmer", "plague"]))
    assert "you have 2, the others 0 (PR-21)" in priests
    assert (
        "the more, the worse, from −1 to −20 after every epoch; you have 0, the others 0 (PR-25)" in priests
    )


@pytest.mark.parametrize("game", ["ra", "priests"])
def test_what_the_row_is_worth_is_told_to_seats_only(game: str) -> None:
    match = at(game, {"pyramid": 2}, ["pyramid"])
    assert 'class="led"' in drawn(match, 0)
    assert 'class="led"' not in drawn(match, None)


@pytest.mark.parametrize("game", ["ra", "priests"])
def test_every_step_of_the_guide_points_at_something(game: str) -> None:
    templates = Path(environment.__file__).parent / "templates"
    around = "".join(
        (templates / f"{name}.html").read_text(encoding="utf-8") for name in ("live", "stage", "strip")
    )
    html = drawn(at(game, {}, [])) + around
    steps = teerling.game(game).guide
    assert 1 <= len(steps) <= 8
    for target, _ in steps:
        assert html.count(f'data-guide="{target}"') == 1
