"""Priests of Ra in a browser: sides that are chosen, tiles that are turned over."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.playing import (
    MOVES,
    Visitor,
    await_turn,
    choose,
    findings,
    is_over,
    new_table,
    overflows,
    picture,
)

OWN = "article.player:first-child"


def play_until(page: Page, server: str, wanted: str, **options: str) -> None:
    """Draws, and bids high for priests, until such a move is there."""
    await_turn(page)
    while page.locator(wanted).count() == 0:
        if is_over(page):
            new_table(page, server, "priests", ["me", "me"], **options)
            await_turn(page)
            continue
        priest = page.locator('.tray use[href="#t-priest"]').count() > 0
        order = ("bid", "invoke", "lay", "draw", "stop") if priest else ("pass", "draw", "lay", "bid", "stop")
        found = [page.locator(f'{MOVES}[value^="{verb}"]') for verb in order]
        choose(page, next(buttons for buttons in found if buttons.count()).last)
        await_turn(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_side_is_chosen_and_tiles_are_turned_over(visitor: Visitor, server: str, theme: str) -> None:
    page = visitor("nl", theme=theme)
    options = {"building_colours": "3"} if theme == "dark" else {}
    new_table(page, server, "priests", ["me", "me"], **options)
    play_until(page, server, f'{MOVES}[value^="lay"]', **options)
    expect(page.locator(f'.choices {MOVES.split()[1]}[value^="lay"]')).to_have_count(2)
    expect(page.locator(".tray .tile.held")).to_have_count(1)
    assert findings(page) == []
    picture(page, f"priests-laying-{theme}")
    flips = '.picks button[value^="flip"]'
    play_until(page, server, flips, **options)
    assert findings(page) == []
    picture(page, f"priests-flipping-{theme}")
    choose(page, page.locator(flips).first)
    expect(page.locator(".player .tile.flip use[href='#fold']")).to_have_count(1)
    page.set_viewport_size({"width": 360, "height": 740})
    assert not overflows(page)


def test_every_piece_has_one_name_to_travel_by(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "priests", ["me", *["bot"] * 4])
    for _ in range(12):
        await_turn(page)
        if is_over(page):
            break
        names = page.eval_on_selector_all("#live [data-piece]", "all => all.map(each => each.dataset.piece)")
        assert len(names) == len(set(names)) >= 16
        choose(page, page.locator(MOVES).first)
