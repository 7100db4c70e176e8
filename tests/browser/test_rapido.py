"""Rapido in a browser: the stairs, and what the board shows beforehand."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.browser.playing import Visitor, await_turn, choose, is_over, new_table, overflows, picture, version


@pytest.mark.parametrize("goal", ["5", "21", "60", "100"])
@pytest.mark.parametrize("width", [360, 1320])
def test_stairs_of_any_length_fold_into_the_page(
    visitor: Visitor, server: str, goal: str, width: int
) -> None:
    page = visitor("nl", width=width)
    new_table(page, server, "rapido", ["me", "bot"], goal=goal)
    await_turn(page)
    assert not overflows(page)
    tops = page.eval_on_selector_all(".step", "steps => steps.map(s => s.getBoundingClientRect().toJSON())")
    assert len(tops) == int(goal) + 1
    assert len({(round(step["left"]), round(step["bottom"])) for step in tops}) == len(tops)
    assert min(step["width"] for step in tops) >= 20
    # One always climbs, and the next step is at one's side or straight above.
    assert all(upper["top"] < lower["top"] for lower, upper in pairwise(tops))
    assert all(abs(upper["left"] - lower["left"]) < lower["width"] * 1.2 for lower, upper in pairwise(tops))
    picture(page, f"rapido-goal-{goal}-{width}")


def test_a_field_shows_beforehand_whom_it_throws_off(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "rapido", ["me", "bot", "bot", "bot"], goal="100")
    chip = page.locator("button.rung .off").first
    for _ in range(60):
        await_turn(page)
        assert not is_over(page)
        if chip.count():
            break
        choose(page, page.locator("button.rung.f0"))
    rung = page.locator("button.rung:has(.off)").last
    field = (rung.get_attribute("value") or "").removeprefix("place ")
    victim = page.locator(f".by{field}").first
    name = victim.locator(".name").inner_text()
    heard = rung.get_attribute("aria-label") or ""
    assert "gooit" in heard
    assert name in heard
    page.mouse.move(2, 2)
    expect(victim).not_to_have_css("rotate", "3deg")
    rung.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(victim).to_have_css("rotate", "3deg")
    expect(page.locator(f".to{field}")).to_have_css("outline-style", "solid")
    picture(page, "rapido-throws-off-nl")


def test_a_taken_field_says_why_it_can_not_be_used(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "rapido", ["me", "bot", "bot", "bot"], goal="100")
    taken = page.locator("button.rung.no").first
    for _ in range(60):
        await_turn(page)
        if taken.count():
            break
        choose(page, page.locator("button.rung.f5, button.rung.f4").last)
    assert "RP-10" in (taken.get_attribute("title") or "")
    before = version(page)
    taken.click(force=True)
    expect(page.locator("#state")).to_contain_text("ligt al een paar van")
    assert version(page) == before
