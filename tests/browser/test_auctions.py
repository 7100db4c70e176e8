"""Auctions in a browser: nothing jumps while somebody decides."""

import pytest
from playwright.sync_api import Page

from tests.browser.playing import (
    MOVES,
    Visitor,
    await_turn,
    choose,
    is_over,
    new_table,
)

PLACES = (".egypt", ".tray", ".arc", ".mid", ".prompt", ".story", ".deed", ".helps", ".players")
BOXES = """places => Object.fromEntries(places.map(place => {
    const box = document.querySelector(place)?.getBoundingClientRect();
    return [place, box && [box.left, box.top, box.width]];
}))"""


def boxes(page: Page, *places: str) -> dict[str, list[float] | None]:
    found: dict[str, list[float] | None] = page.evaluate(BOXES, list(places))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "width", "height"), [("ra", 1280, 720), ("ra", 390, 844), ("priests", 1280, 720)]
)
def test_nothing_moves_between_two_decisions(
    visitor: Visitor, server: str, game: str, width: int, height: int
) -> None:
    page = visitor("nl", width=width, height=height)
    page.evaluate(f"localStorage.setItem('teerling-guide-{game}', 'seen')")
    new_table(page, server, game, ["me", "bot", "bot"])
    panels: dict[str, object] = {}
    buttons: dict[str, object] = {}
    for number in range(18):
        await_turn(page)
        if is_over(page):
            break
        # On a phone the decision stands at the lower edge, as high as it must be: there only the board stays.
        stay = PLACES if width > 760 else PLACES[:4]
        assert boxes(page, *stay) == (panels := panels or dict(boxes(page, *stay)))
        for move in ("draw", "invoke", "pass"):
            place = boxes(page, f"button[value={move}]")
            if place[f"button[value={move}]"]:
                assert buttons.setdefault(move, place) == place
        assert page.evaluate("scrollY") == 0
        wanted = ("pass", "draw", "bid", "lay", "stop", "discard") if number % 3 else ("bid", "invoke", "lay")
        found = [page.locator(f'{MOVES}[value^="{verb}"]') for verb in wanted]
        choose(page, next((each for each in found if each.count()), page.locator(MOVES)).first)
    assert {"draw", "invoke", "pass"} <= set(buttons)
