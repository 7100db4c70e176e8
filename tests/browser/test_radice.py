"""Ra: The Dice Game in a browser: dice ticked and thrown again, symbols used on the board, whole matches."""

import random
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

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
    tab_to,
    version,
)

SHORT = {"sun_steps": "5"}
PARTNERS = ".play .field.can[popovertarget]"
MOST = 600
LOSSY = ".choices > .done[popovertarget]"
"""Being done, while something would be lost by it."""


def sit_down(page: Page, server: str, seats: list[str], **options: str) -> None:
    """Opens a table at which nothing is held for longer than the page needs."""
    page.goto(server)
    page.evaluate("localStorage.setItem('pace', 'instant')")
    page.evaluate("localStorage.setItem('teerling-guide-radice', 'seen')")
    new_table(page, server, "radice", seats, **options)


def go_on(page: Page) -> None:
    """Leaves the scoring of an epoch that stands over the board."""
    page.evaluate("document.querySelector('.curtain-call:not([hidden], .result) [data-continue]')?.click()")


def throw_some(page: Page, chooser: random.Random) -> bool:
    """Clicks some of the dice and throws them; False where no die may be thrown."""
    dice = page.locator(".pick")
    if dice.count() == 0 or chooser.random() < 0.2:
        return False
    chosen = chooser.sample(range(dice.count()), chooser.randint(1, dice.count()))
    for die in chosen:
        dice.nth(die).click()
    expect(page.locator("[data-picks]")).to_contain_text(str(len(chosen)))
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
        go_on(page)
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
    sit_down(page, server, ["me", "bot", "bot"], **SHORT)
    play(page)
    assert page.locator(".podium li").count() == 3
    picture(page, "radice-result-nl")


def test_a_whole_match_by_keyboard_alone_on_a_phone(visitor: Visitor, server: str) -> None:
    page = visitor("en", width=390, height=844)
    sit_down(page, server, ["me", "bot"], **SHORT)
    for number in range(MOST):
        await_turn(page)
        go_on(page)
        if is_over(page):
            break
        before = version(page)
        move_by_keyboard(page, number)
        await_change(page, before)
    assert page.locator(".podium li").count() == 2
    picture(page, "radice-result-phone-en")


SCORINGS = """() => {
    window.hidden = [];
    const seen = new Set();
    setInterval(() => {
        const call = document.querySelector(".curtain-call:not(.result, [hidden])");
        if (!call || seen.has(call.dataset.call)) return;
        seen.add(call.dataset.call);
        const act = call.querySelector(".act").getBoundingClientRect();
        const rows = [...call.querySelectorAll(".counted tbody tr")];
        hidden.push(rows.filter((row) => row.getBoundingClientRect().bottom > act.top + 8).length);
        if (act.bottom > innerHeight) hidden.push(-1);
    }, 20);
}"""


def test_every_line_of_a_scoring_is_seen_at_once_on_a_low_screen(visitor: Visitor, server: str) -> None:
    page = visitor("nl", width=1280, height=720)
    sit_down(page, server, ["me", "bot", "bot", "bot"], **SHORT)
    page.evaluate(SCORINGS)
    chooser = random.Random(1)
    for _ in range(MOST):
        await_turn(page)
        page.wait_for_timeout(100)
        go_on(page)
        if is_over(page):
            break
        before = version(page)
        if not throw_some(page, chooser):
            use_something(page, chooser)
        await_change(page, before)
    assert page.evaluate("hidden") == [0, 0, 0]


def test_the_use_of_a_symbol_can_be_taken_back_where_it_was_made(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    sit_down(page, server, ["me", "bot"])
    play(page, lambda page: page.locator(".place.used").count() > 0)
    used = page.locator(".place.used").count()
    choose(page, page.locator("[data-live=back]"))
    assert page.locator(".place.used").count() < used
    assert page.locator(f"{MOVES}, {PARTNERS}").count() > 1


def test_a_sun_can_not_be_picked_and_nothing_picked_says_why(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    sit_down(page, server, ["me", "bot"])
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
    expect(plain.locator(".log[tabindex]")).to_contain_text("Guest throws again")


def until_it_would_lose(page: Page) -> bool:
    return page.locator(LOSSY).count() > 0


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_done_says_what_would_be_lost_and_is_not_pressed_by_mistake(
    visitor: Visitor, server: str, width: int, height: int
) -> None:
    page = visitor("en", width=width, height=height)
    sit_down(page, server, ["me", "bot"])
    play(page, until_it_would_lose)
    done, warning, sure = page.locator(LOSSY), page.locator(".warn"), page.locator("#sure")
    expect(warning).to_be_visible()
    expect(warning).to_contain_text("Done loses: ")
    expect(done).to_have_accessible_description(warning.inner_text())
    assert "primary" not in (done.get_attribute("class") or "")
    assert page.locator(".choices > .primary").count() == 0
    before = version(page)
    done.click()
    expect(sure).to_be_visible()
    expect(sure).to_contain_text(warning.inner_text())
    assert findings(page) == []
    picture(page, f"radice-sure-{width}-en", whole=False)
    sure.get_by_role("button", name="Use them").click()
    expect(sure).to_be_hidden()
    assert version(page) == before
    done.click()
    sure.get_by_role("button", name="Done all the same").click()
    await_change(page, before)


def test_what_a_symbol_can_be_used_for_keeps_its_place(visitor: Visitor, server: str) -> None:
    """Nothing else comes to lie under a finger when a use is gone, nor when help is offered."""
    page = visitor("nl", width=360, height=740)
    sit_down(page, server, ["me", "bot"])
    seen: dict[str, set[tuple[float, ...]]] = {}
    chooser = random.Random(5)
    for _ in range(40):
        await_turn(page)
        go_on(page)
        for use in ("pharaoh ankh", "nile ankh", "flood"):
            button = page.locator(f"[value='{use}']")
            if button.count() and (box := button.bounding_box()):
                seen.setdefault(use, set()).add((box["x"], box["y"]))
        box = page.locator("[data-live=hint]").bounding_box()
        assert box is not None
        seen.setdefault("hint", set()).add((box["x"], box["y"]))
        before = version(page)
        if not throw_some(page, chooser):
            use_something(page, chooser)
        await_change(page, before)
    assert len(seen) == 4
    assert {use: len(places) for use, places in seen.items()} == dict.fromkeys(seen, 1)


PLACES = (".egypt", ".tray", ".map", ".grid", ".deed", ".value", ".choices")


def boxes(page: Page, *what: str) -> dict[str, object]:
    """Where things lie on the page."""
    return {each: page.locator(each).first.bounding_box() for each in what}


def test_nothing_moves_between_two_decisions(visitor: Visitor, server: str) -> None:
    page = visitor("nl", width=1280, height=720)
    sit_down(page, server, ["me", "bot", "bot", "bot"])
    await_turn(page)
    places, buttons = boxes(page, *PLACES), dict[str, object]()
    chooser = random.Random(3)
    for _ in range(30):
        await_turn(page)
        go_on(page)
        assert boxes(page, *PLACES) == places
        for button in ("[data-picks]", "[value=keep]", ".choices > .done"):
            if page.locator(button).count():
                assert buttons.setdefault(button, boxes(page, button)) == boxes(page, button)
        before = version(page)
        if not throw_some(page, chooser):
            use_something(page, chooser)
        await_change(page, before)
    assert set(buttons) == {"[data-picks]", "[value=keep]", ".choices > .done"}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 720)])
def test_a_decision_needs_no_scrolling(
    visitor: Visitor, server: str, width: int, height: int, theme: str
) -> None:
    page = visitor("nl", width=width, height=height, theme=theme)
    sit_down(page, server, ["me", "bot", "bot", "bot"])
    play(page, lambda page: page.locator(".place.used").count() > 0)
    for part in (".strip", ".egypt", ".map", ".deed", ".value"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    assert not overflows(page)
    assert findings(page) == []
    picture(page, f"radice-{width}-{theme}-nl", whole=False)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 740)])
def test_dice_decision_and_board_fit_on_a_phone_together(
    visitor: Visitor, server: str, width: int, height: int
) -> None:
    page = visitor("nl", width=width, height=height)
    sit_down(page, server, ["me", "bot", "bot", "bot"])
    play(page, lambda page: page.locator(".field.can").count() > 0)
    for part in (".strip", ".egypt", ".map", ".deed"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    bottom = page.evaluate("document.querySelector('.map').getBoundingClientRect().bottom")
    assert bottom <= page.evaluate("document.querySelector('.prompt').getBoundingClientRect().top")
    assert not overflows(page)
    small = page.evaluate(
        """[...document.querySelectorAll('.stage button')].filter(each => each.checkVisibility())
        .map(each => [each.textContent.trim() || each.className, each.getBoundingClientRect()])
        .filter(([, box]) => Math.min(box.width, box.height) < 43).map(([name]) => name)"""
    )
    assert small == []
    assert findings(page) == []
    picture(page, f"radice-{width}-nl", whole=False)


def test_dice_roll_and_tell_nothing_before_they_lie(
    somebody: Callable[..., BrowserContext], server: str
) -> None:
    page = somebody(locale="en", viewport={"width": 1280, "height": 720}).new_page()
    new_table(page, server, "radice", ["me", "me"])
    page.locator(".pick").first.click()
    page.evaluate(
        """() => {
          window.seen = { faces: new Set(), hidden: 0, told: 0 };
          const look = () => {
            const stage = document.querySelector('.rolling');
            if (stage) {
              const faces = stage.querySelectorAll('.tray use');
              for (const face of faces) seen.faces.add(face.getAttribute('href'));
              const omen = getComputedStyle(stage.querySelector('.omen'));
              omen.visibility === 'hidden' ? seen.hidden++ : seen.told++;
            }
            requestAnimationFrame(look);
          };
          look();
        }"""
    )
    before = version(page)
    page.locator("[data-picks]").click()
    await_change(page, before)
    expect(page.locator(".rolling")).to_have_count(0)
    assert page.evaluate("seen.hidden") > 0
    assert page.evaluate("seen.told") == 0
    assert page.evaluate("seen.faces.size") > 1
    expect(page.locator(".omen")).to_be_visible()
