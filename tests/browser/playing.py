"""Ways to sit at a table in a browser, to play, and to look at the page."""

import os
import random
from collections.abc import Callable
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

PICTURES = Path(os.environ.get("TEERLING_PICTURES", "build/pictures"))
MOVES = ".play button[name=move]:not([aria-disabled])"
SCORING = ".curtain-call:not(.result, [hidden]) [data-continue]"
PATIENCE = 30_000
WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
Visitor = Callable[..., Page]

expect.set_options(timeout=PATIENCE)


def new_table(
    page: Page, server: str, game: str, seats: list[str], script: bool = True, **options: str
) -> str:
    """Opens a table by the form: seats are me, open, bot or none; the address of the table."""
    page.goto(f"{server}/new/{game}")
    page.locator("details summary").click()
    page.check("[name=preset][value=seats]")
    for number in range(page.locator(".seatrow").count()):
        seat = seats[number] if number < len(seats) else "none"
        page.select_option(f"[name=seat{number}]", seat)
        if seat == "bot":
            page.select_option(f"[name=level{number}]", "random")
    for name, value in options.items():
        fill_option(page.locator(f"[name=option_{name}]"), value)
    page.locator("form.new button.primary").click()
    page.wait_for_selector("#live :is(.board, .room)")
    if script:
        await_connection(page)
    return page.url


def fill_option(fields: Locator, value: str) -> None:
    """Fills in an option; one that counts several things has a field for each."""
    if fields.first.evaluate("each => each.tagName") == "SELECT":
        fields.select_option(value)
        return
    values = value.split(",") if fields.count() > 1 else [value]
    for number, each in enumerate(values):
        fields.nth(number).fill(each.strip())


def await_connection(page: Page) -> None:
    """Waits for the first page over the socket: it replaces everything that a test might already hold."""
    page.wait_for_selector("#live[data-connected]", state="attached")
    page.evaluate("document.fonts.ready.then(() => true)")
    await_attention(page)


def await_attention(page: Page) -> None:
    """Waits until the page hears keys: a browser drops those that come too soon after it was loaded."""
    page.evaluate("document.addEventListener('keydown', () => document.body.dataset.hears = '')")
    for _ in range(PATIENCE // 50):
        page.keyboard.press("Shift")
        if page.locator("body[data-hears]").count():
            return
        page.wait_for_timeout(50)
    raise AssertionError("the page hears no keys")


def reload(page: Page) -> None:
    page.reload()
    await_connection(page)


def join(page: Page, table: str, name: str) -> None:
    """Takes the free seat of a table."""
    page.goto(table)
    await_connection(page)
    page.fill("#your-name", name)
    page.get_by_role("button", name="Sit down").click()
    expect(page.locator("#your-name")).to_have_count(0)
    await_connection(page)


def is_over(page: Page) -> bool:
    return page.locator(".result").count() > 0


def await_turn(page: Page) -> None:
    """Waits until the page asks for a move, or the match is over."""
    await_shown(page, f"{MOVES}, .result")
    go_on(page)


def await_shown(page: Page, wanted: str) -> None:
    """Waits for something; what happened after a scoring is shown only when somebody has gone on."""
    page.wait_for_selector(f"{wanted}, {SCORING}", state="attached")
    while not page.locator(wanted).count():
        go_on(page)
        page.wait_for_selector(f"{wanted}, {SCORING}", state="attached")


def go_on(page: Page) -> None:
    """Closes the scoring of an epoch or a round that stands over the board."""
    scoring = page.locator(SCORING)
    if scoring.count() and scoring.is_visible():
        scoring.click()


def version(page: Page) -> str:
    return page.locator("#live").get_attribute("data-version") or ""


def await_change(page: Page, before: str) -> None:
    await_shown(page, f'#live:not([data-version="{before}"])')


def choose(page: Page, button: Locator) -> None:
    """Clicks something that changes the table, and waits until it has."""
    before = version(page)
    button.click()
    await_change(page, before)


def play_by_mouse(page: Page, seed: int = 1, most: int = 2000) -> None:
    """Clicks random moves until the match is over."""
    chooser = random.Random(seed)
    for _ in range(most):
        await_turn(page)
        if is_over(page):
            return
        buttons = page.locator(MOVES)
        visible = [i for i in range(buttons.count()) if buttons.nth(i).is_visible()]
        choose(page, buttons.nth(chooser.choice(visible)))
    raise AssertionError(f"the match was not over after {most} moves")


def play_by_keyboard(page: Page, most: int = 2000) -> None:
    """Tab to a move, Enter, until the match is over; no pointer at all."""
    for number in range(most):
        await_turn(page)
        if is_over(page):
            return
        before = version(page)
        tab_to(page, MOVES)
        for _ in range(number % 3):
            page.keyboard.press("Tab")
            tab_to(page, MOVES)
        page.keyboard.press("Enter")
        await_change(page, before)
    raise AssertionError(f"the match was not over after {most} moves")


def tab_to(page: Page, selector: str) -> None:
    """Goes on with Tab until the focus is on what is asked for."""
    for _ in range(600):
        if page.evaluate("what => document.activeElement.matches(what)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached with Tab")


def findings(page: Page) -> list[str]:
    """What axe has to say against a page."""
    found = Axe().run(page, options=WCAG).response["violations"]
    return [f"{node['html'][:160]} {node['failureSummary']}" for each in found for node in each["nodes"]]


def overflows(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


def picture(page: Page, name: str, whole: bool = True) -> None:
    """Keeps a picture of the page where a person can look at it."""
    page.screenshot(path=PICTURES / f"{name}.png", full_page=whole)
