"""Hints in a browser: asked for with a button, shown beside the board, and marked on it."""

import pytest
from playwright.sync_api import expect

from tests.browser.playing import Visitor, await_turn, choose, findings, new_table, overflows, picture

COMPILING = 300_000
"""Milliseconds that the first hint of a server may take, as its search is compiled first."""


@pytest.mark.parametrize(("lang", "width"), [("nl", 1320), ("en", 360)])
def test_a_hint_ranks_the_moves_and_marks_the_best_one(
    visitor: Visitor, server: str, lang: str, width: int
) -> None:
    page = visitor(lang, width=width)
    new_table(page, server, "rapido", ["me", "bot"], goal="9")
    await_turn(page)
    page.locator(".prompt").get_by_role("button", name={"nl": "Tip", "en": "Hint"}[lang]).click()
    expect(page.locator(".advice")).to_be_visible()
    expect(page.locator(".advice[data-best]")).to_be_visible(timeout=COMPILING)
    best = page.locator(".advice").get_attribute("data-best")
    expect(page.locator(".board .advised:not(.advice *)")).to_have_attribute("value", str(best))
    expect(page.locator(".advice ol button").first).to_have_attribute("value", str(best))
    assert page.locator(".advice .wins").count() > 1
    assert not overflows(page)
    assert findings(page) == []
    picture(page, f"hint-{lang}-{width}")
    choose(page, page.locator(".advice ol button").first)
    expect(page.locator(".seats .p0 .note")).to_contain_text({"nl": "1 tip", "en": "1 hint"}[lang])
