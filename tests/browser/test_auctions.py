"""Auctions in a browser: nothing jumps while somebody decides."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.playing import (
    MOVES,
    SCORING,
    Visitor,
    await_turn,
    choose,
    go_on,
    is_over,
    new_table,
    version,
)

PLACES = (".egypt", ".tray", ".arc", ".mid", ".prompt", ".story", ".deed", ".helps", ".players")
BOXES = """places => Object.fromEntries(places.map(place => {
    const box = document.querySelector(place)?.getBoundingClientRect();
    return [place, box && [box.left, box.top, box.width]];
}))"""


OVERLAPS = """() => {
    const words = document.querySelector('.deed .words p')?.getBoundingClientRect();
    const answers = document.querySelector('.deed .choices').getBoundingClientRect();
    return words !== undefined && words.bottom > answers.top + 1;
}"""


BETWEEN_LINES = """() => new Promise((done) => {
    const look = () => {
        const line = document.querySelector('.counted .counting');
        if (!line || line.querySelector('.coming')) return requestAnimationFrame(look);
        document.querySelector('[data-all]').click();
        done();
    };
    look();
})"""
"""Shows all of a scoring when a line has been counted and the next has not begun."""
STILL_ANNOUNCED = """() => {
    document.querySelector('.curtain-call:not([hidden]) [data-continue]').click();
    return document.querySelector('.board .banner') !== null;
}"""
"""Goes on after a scoring; whether the board announces then what the scoring was about."""


def boxes(page: Page, *places: str) -> dict[str, list[float] | None]:
    found: dict[str, list[float] | None] = page.evaluate(BOXES, list(places))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "width", "height"),
    [("ra", 1280, 720), ("ra", 390, 844), ("priests", 1280, 720), ("ra", 1440, 900), ("priests", 820, 1180)],
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
        assert not page.evaluate(OVERLAPS)
        wanted = ("pass", "draw", "bid", "lay", "stop", "discard") if number % 3 else ("bid", "invoke", "lay")
        found = [page.locator(f'{MOVES}[value^="{verb}"]') for verb in wanted]
        choose(page, next((each for each in found if each.count()), page.locator(MOVES)).first)
    assert {"draw", "invoke", "pass"} <= set(buttons)


def play_to_scoring(page: Page) -> None:
    """Moves on until the scoring of an epoch stands over the board."""
    while not page.locator(SCORING).count():
        page.wait_for_selector(f"{MOVES}, {SCORING}", state="attached")
        if not page.locator(SCORING).count():
            before = version(page)
            page.locator(f'{MOVES}:is([value^="bid"], [value="draw"], [value="pass"])').last.click()
            page.wait_for_selector(f'#live:not([data-version="{before}"]), {SCORING}', state="attached")


def test_what_happened_after_a_scoring_waits_until_somebody_has_read_it(
    visitor: Visitor, server: str
) -> None:
    page = visitor("en")
    page.evaluate("localStorage.setItem('teerling-guide-ra', 'seen')")
    page.evaluate("localStorage.setItem('pace', 'fast')")
    new_table(page, server, "ra", ["me", "bot"])
    play_to_scoring(page)
    known = version(page)
    totals = page.locator(".curtain-call [data-total]")
    counted = [totals.nth(seat).get_attribute("data-total") for seat in range(2)]
    expect(page.locator(".curtain-call [data-all]")).to_be_hidden()
    assert page.locator(".strip .points").all_inner_texts() == counted
    # Meanwhile the bot may have moved: nothing of it is seen before somebody goes on.
    assert (version(page), page.locator(MOVES).count()) == (known, 0)
    go_on(page)
    await_turn(page)
    assert version(page) != known
    assert page.locator(SCORING).count() == 0


@pytest.mark.parametrize("at_once", [True, False])
def test_a_scoring_counts_every_line_in_view_and_announces_nothing_after_it(
    somebody: Callable[..., BrowserContext], server: str, at_once: bool
) -> None:
    page = somebody(locale="en", viewport={"width": 360, "height": 480}).new_page()
    page.add_init_script("localStorage.setItem('pace', 'fast')")
    page.add_init_script("localStorage.setItem('teerling-guide-ra', 'seen')")
    new_table(page, server, "ra", ["me", "bot"])
    play_to_scoring(page)
    scoring = page.locator(".curtain-call:not([hidden])")
    scoring.locator(".counting").first.wait_for(state="attached")
    if at_once:
        page.evaluate(BETWEEN_LINES)
        # Longer than a line takes: the count that was going on would have come to the next.
        page.wait_for_timeout(1000)
    else:
        expect(scoring.locator("[data-all]")).to_be_hidden()
        last = scoring.locator("tbody tr").last.bounding_box()
        below = scoring.locator(".act").bounding_box()
        assert last
        assert below
        assert last["y"] + last["height"] <= below["y"] + 1
    expect(scoring.locator(".coming")).to_have_count(0)
    assert not page.evaluate(STILL_ANNOUNCED)


@pytest.mark.parametrize("game", ["ra", "priests"])
def test_row_own_display_and_bids_are_seen_together_by_five_on_a_small_phone(
    visitor: Visitor, server: str, game: str
) -> None:
    page = visitor("nl", width=360, height=740)
    page.evaluate(f"localStorage.setItem('teerling-guide-{game}', 'seen')")
    new_table(page, server, game, ["me", *["bot"] * 4])
    for _ in range(40):
        await_turn(page)
        bids = page.locator(f'{MOVES}[value^="bid"]')
        if bids.count() and page.locator(".tray .tile").count():
            break
        wanted = page.locator(f"{MOVES}:is([value=draw], [value=pass], [value^=lay], [value=stop])")
        choose(page, (wanted if wanted.count() else page.locator(MOVES)).first)
    assert bids.count()
    assert page.evaluate("scrollY") == 0
    top = page.locator(".prompt").bounding_box()
    display = page.locator(".player.own .display").bounding_box()
    assert top is not None
    assert display is not None
    # One row of tiles at least.
    assert display["y"] + 34 <= top["y"]
    expect(page.locator(".tray")).to_be_in_viewport(ratio=1)
    expect(bids.last).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    ("players", "width", "height"),
    [(4, 1440, 900), (4, 1280, 720), (4, 820, 1180), (4, 390, 844), (3, 360, 740), (5, 360, 740)],
)
def test_the_arc_of_the_sun_lies_above_the_row(
    visitor: Visitor, server: str, players: int, width: int, height: int
) -> None:
    page = visitor("nl", width=width, height=height)
    new_table(page, server, "ra", ["me", *["bot"] * (players - 1)])
    tray = page.locator(".tray").bounding_box()
    assert tray is not None
    for place in page.locator(".arc .place").all():
        box = place.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= tray["y"]
