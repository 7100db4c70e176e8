"""What a press costs the page: how much of it is styled anew before the press is seen."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

import teerling
from tests.browser.playing import MOVES, await_turn, new_table

PHONE: Any = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CLOSE = "#offer [data-close]"
TIMELINE = {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": ["devtools.timeline"]}}
KEEP_MOVES = """() => document.addEventListener("submit", (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
}, true)"""
"""What a press costs is not what the server's answer costs."""


def styled_anew(page: Page, selector: str) -> int:
    """How many elements a tap gives their styles again, at most at once."""
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    over: list[object] = []
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda done: over.append(done))
    session.send("Tracing.start", TIMELINE)
    page.locator(selector).first.tap()
    page.wait_for_timeout(300)
    session.send("Tracing.end")
    while not over:
        page.wait_for_timeout(20)
    restyled = (each["args"] for each in events if each["name"] == "UpdateLayoutTree")
    counts: list[int] = [each.get("elementCount", 0) for each in restyled]
    assert counts, "the tap was not seen"
    return max(counts)


@pytest.mark.parametrize("game", teerling.list_games(), ids=lambda game: game.id)
def test_a_tap_styles_little_of_the_page_anew(
    somebody: Callable[..., BrowserContext], server: str, game: teerling.Game
) -> None:
    page = somebody(**PHONE).new_page()
    page.add_init_script("localStorage.setItem('pace', 'instant')")
    new_table(page, server, game.id, ["me", "bot", "bot"])
    await_turn(page)
    page.evaluate(KEEP_MOVES)
    part = page.locator("*").count() / 4
    assert styled_anew(page, CLOSE) < part
    assert styled_anew(page, f"{MOVES} >> visible=true") < part
    assert page.locator("body:not(.offered)").count(), "the offer was not answered"
