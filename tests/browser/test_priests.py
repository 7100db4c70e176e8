"""Priests of Ra in a browser: whole matches, sides that are chosen, tiles that are turned over."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import (
    MOVES,
    await_change,
    await_turn,
    is_over,
    new_table,
    picture,
    play_by_keyboard,
    play_by_mouse,
    version,
)
from tests.browser.test_shell import findings, overflows

Visitor = Callable[..., Page]
OWN = "article.player:first-child"


def test_a_whole_match_by_mouse(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "priests", ["me", "bot", "bot"])
    play_by_mouse(page)
    assert page.locator(".ranking li").count() == 3
    picture(page, "priests-result-nl")


def test_a_whole_match_by_keyboard_alone_on_a_phone(visitor: Visitor, server: str) -> None:
    page = visitor("en", width=390, height=844)
    new_table(page, server, "priests", ["me", "bot"])
    play_by_keyboard(page)
    assert page.locator(".ranking li").count() == 2
    picture(page, "priests-result-phone-en")


def choose(page: Page, button: Locator) -> None:
    before = version(page)
    button.click()
    await_change(page, before)
    await_turn(page)


def play_until(page: Page, server: str, wanted: str, **options: str) -> None:
    """Draws, and bids high for priests, until such a move is there."""
    await_turn(page)
    while page.locator(wanted).count() == 0:
        if is_over(page):
            new_table(page, server, "priests", ["me", "me"], **options)
            await_turn(page)
            continue
        priest = page.locator('.auction use[href="#priests-priest"]').count() > 0
        order = ("bid", "invoke", "lay", "draw", "stop") if priest else ("pass", "draw", "lay", "bid", "stop")
        found = [page.locator(f'{MOVES}[value^="{verb}"]') for verb in order]
        choose(page, next(buttons for buttons in found if buttons.count()).last)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_side_is_chosen_and_tiles_are_turned_over_on_the_own_display(
    visitor: Visitor, server: str, theme: str
) -> None:
    page = visitor("nl", theme=theme)
    options = {"building_colours": "3"} if theme == "dark" else {}
    new_table(page, server, "priests", ["me", "me"], **options)
    play_until(page, server, f'{MOVES}[value^="lay"]', **options)
    expect(page.locator(f'.choices {MOVES.split()[1]}[value^="lay"]')).to_have_count(2)
    expect(page.locator(".auction .tile.held")).to_have_count(1)
    assert findings(page) == []
    picture(page, f"priests-laying-{theme}")
    flips = f'{OWN} .display button[value^="flip"]'
    play_until(page, server, flips, **options)
    assert findings(page) == []
    picture(page, f"priests-flipping-{theme}")
    before = version(page)
    page.locator(flips).first.click()
    await_change(page, before)
    expect(page.locator(".player .flip .back .tile.two")).to_have_count(1)
    page.set_viewport_size({"width": 360, "height": 740})
    assert not overflows(page)


def test_every_piece_has_one_name_to_travel_by(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "priests", ["me", *["bot"] * 4])
    for _ in range(12):
        await_turn(page)
        if is_over(page):
            break
        names = page.eval_on_selector_all(
            "#live [style*=view-transition-name]", "all => all.map(each => each.style.viewTransitionName)"
        )
        assert len(names) == len(set(names)) >= 16
        choose(page, page.locator(MOVES).first)
