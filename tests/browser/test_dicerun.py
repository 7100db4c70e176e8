"""DiceRun in a browser: previews, special cards, and a screen that is shared."""

import pytest
from playwright.sync_api import expect

from tests.browser.playing import (
    MOVES,
    Visitor,
    await_change,
    await_turn,
    choose,
    findings,
    is_over,
    new_table,
    overflows,
    picture,
    reload,
    version,
)

SPECIAL = "1, 2, 12, 12, 12, 12"


def test_a_card_shows_what_it_would_do(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "dicerun", ["me", "bot"], start="random")
    await_turn(page)
    card = page.locator(".playing[data-shows]").first
    moving = len((card.get_attribute("data-shows") or "").split())
    card.hover()
    expect(page.locator(".ghost")).to_have_count(moving)
    expect(page.locator(".lifts")).to_have_count(moving)
    page.mouse.move(2, 2)
    expect(page.locator(".ghost, .lifts")).to_have_count(0)
    card.focus()
    expect(page.locator(".ghost")).to_have_count(moving)
    names = page.eval_on_selector_all(
        "#live *", "all => all.map(e => getComputedStyle(e).viewTransitionName).filter(n => n && n != 'none')"
    )
    assert len(names) == len(set(names)) >= 30
    picture(page, "dicerun-preview-nl")
    landing = page.locator('[data-slot="new"] .ghost').count()
    before = version(page)
    page.keyboard.press("Enter")
    await_change(page, before)
    assert landing == 0 or page.locator(".place.leads").count() == 1


@pytest.mark.parametrize("width", [360, 1320])
def test_dice_of_the_race_are_taken_and_thrown_for_the_start(
    visitor: Visitor, server: str, width: int
) -> None:
    page = visitor("en", width=width)
    new_table(page, server, "dicerun", ["me", "bot"])
    await_turn(page)
    expect(page.locator(".starting li")).to_have_count(2)
    expect(page.locator("button.take")).to_have_count(30)
    picture(page, f"dicerun-start-{width}")
    assert findings(page) == []
    choose(page, page.locator("button.take").first)
    await_turn(page)
    expect(page.locator(".starting li.now .die")).to_have_count(1)
    expect(page.locator("button.take")).to_have_count(29)
    picture(page, f"dicerun-start-second-{width}")
    assert not overflows(page)
    choose(page, page.locator("button.take").last)
    expect(page.locator(".log, #log").first).to_contain_text("in all")


@pytest.mark.parametrize("width", [360, 1320])
def test_special_cards_are_played_in_the_race(visitor: Visitor, server: str, width: int) -> None:
    page = visitor("en", width=width)
    new_table(page, server, "dicerun", ["me", "bot"], deck=SPECIAL, start="random")
    tried: set[str] = set()
    while not tried >= {"question", "distance", "swap", "sprint", "lay", "reroll"}:
        await_turn(page)
        if is_over(page):
            new_table(page, server, "dicerun", ["me", "bot"], deck=SPECIAL, start="random")
            continue
        values = page.locator(MOVES).evaluate_all("all => all.map(each => each.value)")
        # With two groups there is nothing to choose after a card has been laid.
        few = page.locator(".place.group").count() < 3
        useful = [value for value in values if not (few and value.startswith("lay"))]
        fresh = [value for value in useful if value.split()[0] not in tried and "none" not in value]
        value = (fresh or useful)[0]
        tried |= set() if "none" in value else {value.split()[0]}
        button = page.locator(f'button[value="{value}"]:not([aria-disabled])')
        if value.split()[0] in ("distance", "swap", "reroll") and "none" not in value:
            assert button.evaluate("each => Boolean(each.closest('.track'))")
            button.hover()
            if value.startswith("swap"):
                expect(page.locator(".strip .ghost").nth(1)).to_be_attached()
        choose(page, button)
        assert not overflows(page)


def test_a_card_that_rises_stays_under_the_pointer_at_its_edge(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "dicerun", ["me", "bot"], start="random")
    await_turn(page)
    card = page.locator("button.playing").first
    card.scroll_into_view_if_needed()
    box = card.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 1)
    expect(page.locator("button.playing:hover")).to_have_count(1)
    page.wait_for_timeout(400)
    tops = card.evaluate(
        """async (card) => {
          const tops = [];
          for (let i = 0; i < 30; i++) {
            await new Promise(requestAnimationFrame);
            tops.push(card.getBoundingClientRect().top);
          }
          return tops;
        }"""
    )
    assert max(tops) - min(tops) < 0.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_missions_and_special_cards_have_no_findings(visitor: Visitor, server: str, theme: str) -> None:
    page = visitor("nl", theme=theme)
    new_table(page, server, "dicerun", ["me", "bot"], deck=SPECIAL, variable_missions="yes", start="random")
    await_turn(page)
    assert findings(page) == []
    picture(page, f"dicerun-missions-{theme}")
    for _ in range(5):
        choose(page, page.locator(MOVES).last)
        await_turn(page)
    assert findings(page) == []
    picture(page, f"dicerun-special-{theme}")


def test_a_curtain_hides_the_hand_at_a_shared_screen(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "dicerun", ["me", "me", "bot"], start="random")
    seen: set[str] = set()
    for _ in range(6):
        page.wait_for_selector(".curtain")
        assert page.locator(".hand, .mission").count() == 0
        assert page.locator(MOVES).count() == 0
        if not seen:
            assert findings(page) == []
            reload(page)
        seen.add(page.locator(".curtain").inner_text())
        page.locator(".curtain").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".hand .playing")
        picture(page, "dicerun-curtain-lifted")
        choose(page, page.locator(".playing[name=move]").or_(page.locator(MOVES)).first)
    assert len(seen) == 2
    picture(page, "dicerun-curtain")


def test_open_games_need_no_curtain(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "rapido", ["me", "me"])
    await_turn(page)
    assert page.locator(".curtain").count() == 0
