"""Ra: The Dice Game in a browser: dice ticked and thrown again, symbols used on the board, whole matches."""

import random
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.playing import (
    MOVES,
    Visitor,
    await_change,
    await_turn,
    choose,
    is_over,
    new_table,
    picture,
    tab_to,
    version,
)

SHORT = {"sun_steps": "5"}
PARTNERS = ".play .field.can[popovertarget]"
MOST = 600


def throw_some(page: Page, chooser: random.Random) -> bool:
    """Clicks some of the dice and throws them; False where no die may be thrown."""
    dice = page.locator(".pick")
    if dice.count() == 0 or chooser.random() < 0.2:
        return False
    chosen = chooser.sample(range(dice.count()), chooser.randint(1, dice.count()))
    for die in chosen:
        dice.nth(die).click()
    expect(page.locator("[data-count]")).to_have_text(str(len(chosen)))
    page.locator("[data-picks]").click()
    return True


def use_something(page: Page, chooser: random.Random) -> None:
    """Clicks one of the things that can be done, and a partner where a monument asks for one."""
    choices = page.locator(f"{MOVES}, {PARTNERS}")
    visible = [i for i in range(choices.count()) if choices.nth(i).is_visible()]
    others = [i for i in visible if choices.nth(i).get_attribute("value") != "done"]
    choice = choices.nth(chooser.choice(others or visible))
    asks = choice.get_attribute("popovertarget")
    choice.click()
    if asks:
        page.locator(f"#{asks} button").first.click()


def play(page: Page, until: Callable[[Page], bool] = is_over, seed: int = 1) -> None:
    """Plays by mouse until something is so, or the match is over."""
    chooser = random.Random(seed)
    for _ in range(MOST):
        await_turn(page)
        if until(page) or is_over(page):
            return
        before = version(page)
        if not throw_some(page, chooser):
            use_something(page, chooser)
        await_change(page, before)
    raise AssertionError(f"the match was not over after {MOST} moves")


def move_by_keyboard(page: Page, number: int) -> None:
    """One move with Tab, Space and Enter."""
    if page.locator(".pick").count() and number % 3:
        tab_to(page, "[data-pick]")
        page.keyboard.press("Space")
        tab_to(page, "[data-picks]:not([aria-disabled])")
    else:
        tab_to(page, f"{MOVES}, {PARTNERS}")
        if page.evaluate("document.activeElement.hasAttribute('popovertarget')"):
            page.keyboard.press("Enter")
            tab_to(page, ".partners button")
    page.keyboard.press("Enter")


def test_a_whole_match_by_mouse(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "radice", ["me", "bot", "bot"], **SHORT)
    play(page)
    assert page.locator(".ranking li").count() == 3
    picture(page, "radice-result-nl")


def test_a_whole_match_by_keyboard_alone_on_a_phone(visitor: Visitor, server: str) -> None:
    page = visitor("en", width=390, height=844)
    new_table(page, server, "radice", ["me", "bot"], **SHORT)
    for number in range(MOST):
        await_turn(page)
        if is_over(page):
            break
        before = version(page)
        move_by_keyboard(page, number)
        await_change(page, before)
    assert page.locator(".ranking li").count() == 2
    picture(page, "radice-result-phone-en")


def test_the_use_of_a_symbol_can_be_taken_back_where_it_was_made(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "radice", ["me", "bot"])
    play(page, lambda page: page.locator(".die.used").count() > 0)
    used = page.locator(".die.used").count()
    choose(page, page.locator("[data-live=back]"))
    assert page.locator(".die.used").count() < used
    assert page.locator(f"{MOVES}, {PARTNERS}").count() > 1


def test_a_sun_can_not_be_picked_and_nothing_picked_says_why(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "radice", ["me", "bot"])
    play(page, lambda page: bool(page.locator(".locked").count() and page.locator(".pick").count()))
    assert page.locator(".pick").count() + page.locator(".locked").count() == 5
    page.locator("[data-picks]").click(force=True)
    expect(page.locator("#state")).to_contain_text("ies eerst de dobbelstenen")


def test_dice_are_thrown_again_without_script(plain: Page, server: str) -> None:
    new_table(plain, server, "radice", ["me", "me"], script=False)
    while plain.locator(".pick").count() == 0:
        choose(plain, plain.locator(MOVES).last)
    plain.locator(".pick").first.click()
    plain.locator("[data-picks]").click()
    expect(plain.locator(".log")).to_contain_text("throws again")
