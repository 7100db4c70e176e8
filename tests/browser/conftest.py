"""A real server, Debian's Chromium, and ways to play at a table."""

import os
import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PICTURES = Path(os.environ.get("TEERLING_PICTURES", "build/pictures"))
MOVES = ".play button[name=move]:not([aria-disabled])"
PATIENCE = 15_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser on a busy machine may be late: what fails is tried again at a fresh table."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=3))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = tmp_path_factory.mktemp("data")
    process = subprocess.Popen([sys.executable, "-m", "tests.browser.serve", str(data), str(port)])
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{address}/healthz", timeout=2).read()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        message = "CHROMIUM IS NOT INSTALLED: no browser test runs"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    manager = sync_playwright()
    playwright: Playwright = manager.start()
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
    yield browser
    browser.close()
    playwright.stop()


@pytest.fixture
def visitor(chromium: Browser, server: str) -> Iterator[Callable[..., Page]]:
    """Opens the server as a new person: `visitor(lang="nl", width=1320)`."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def open_page(
        lang: str = "nl", width: int = 1320, height: int = 900, theme: str = "light", path: str = "/"
    ) -> Page:
        context = chromium.new_context(
            locale=lang,
            viewport={"width": width, "height": height},
            color_scheme=theme,
            reduced_motion="reduce",  # type: ignore[arg-type]
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(server + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == [], "a page reported errors"


def new_table(
    page: Page, server: str, game: str, seats: list[str], script: bool = True, **options: str
) -> str:
    """Opens a table by the form: seats are me, open, bot or none; the address of the table."""
    page.goto(f"{server}/new/{game}")
    for number in range(page.locator(".seatrow").count()):
        page.select_option(f"[name=seat{number}]", seats[number] if number < len(seats) else "none")
        page.select_option(f"[name=level{number}]", "random")
    for name, value in options.items():
        field = page.locator(f"[name=option_{name}]")
        if field.evaluate("each => each.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.locator("form.sheet button.primary").click()
    page.wait_for_selector("#live .board")
    if script:
        # The first page over the socket replaces everything that a test might already hold.
        page.wait_for_selector("#live[data-connected]", state="attached")
    return page.url


def is_over(page: Page) -> bool:
    return page.locator(".result").count() > 0


def await_turn(page: Page) -> None:
    """Waits until the page asks for a move, or the match is over."""
    page.wait_for_selector(f"{MOVES}, .result", state="attached")


def version(page: Page) -> str:
    return page.locator("#live").get_attribute("data-version") or ""


def await_change(page: Page, before: str) -> None:
    page.wait_for_selector(f'#live:not([data-version="{before}"])', state="attached")


def play_by_mouse(page: Page, seed: int = 1, most: int = 2000) -> None:
    """Clicks random moves until the match is over."""
    chooser = random.Random(seed)
    for _ in range(most):
        await_turn(page)
        if is_over(page):
            return
        before = version(page)
        buttons = page.locator(MOVES)
        visible = [i for i in range(buttons.count()) if buttons.nth(i).is_visible()]
        buttons.nth(chooser.choice(visible)).click()
        await_change(page, before)
    raise AssertionError(f"the match was not over after {most} moves")


def play_by_keyboard(page: Page, most: int = 2000) -> None:
    """Tab to a move, Enter, until the match is over; no pointer at all."""
    for number in range(most):
        await_turn(page)
        if is_over(page):
            return
        before = version(page)
        tab_to_a_move(page)
        for _ in range(number % 3):
            page.keyboard.press("Tab")
            tab_to_a_move(page)
        page.keyboard.press("Enter")
        await_change(page, before)
    raise AssertionError(f"the match was not over after {most} moves")


def tab_to_a_move(page: Page) -> None:
    """Goes on with Tab until a move has the focus."""
    for _ in range(600):
        if page.evaluate(f"document.activeElement.matches('{MOVES}')"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("no move can be reached with Tab")


def picture(page: Page, name: str) -> None:
    """Keeps a picture of the whole page where a person can look at it."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
