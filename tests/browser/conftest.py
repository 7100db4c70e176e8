"""A real server, Debian's Chromium, and people who visit."""

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.playing import PATIENCE, Visitor
from tests.browser.serve import TEST
from tests.missing import is_missing

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


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
        await_server(address)
        yield address
    finally:
        process.terminate()
        process.wait(60)


def await_server(address: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{address}/healthz", timeout=10).read()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser. While it is there an event loop runs in this thread, where no other can."""
    if not Path(CHROMIUM).exists():
        is_missing("Chromium", "no browser test runs")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def somebody(
    chromium: Browser, server: str, request: pytest.FixtureRequest
) -> Iterator[Callable[..., BrowserContext]]:
    """A browser of its own for somebody new; the server knows for which test."""
    opened: list[BrowserContext] = []

    def open_context(**settings: object) -> BrowserContext:
        made = chromium.new_context(**settings)  # type: ignore[arg-type]
        made.set_default_timeout(PATIENCE)
        made.add_cookies([{"name": TEST, "value": quote(request.node.name), "url": server}])
        opened.append(made)
        return made

    yield open_context
    for each in opened:
        each.close()


@pytest.fixture
def visitor(somebody: Callable[..., BrowserContext], server: str) -> Iterator[Visitor]:
    """Opens the server as a new person: `visitor(lang="nl", width=1320)`."""
    problems: list[str] = []

    def open_page(
        lang: str = "nl",
        width: int = 1320,
        height: int = 900,
        theme: str = "light",
        path: str = "/",
        pace: str = "instant",
    ) -> Page:
        page = somebody(
            locale=lang,
            viewport={"width": width, "height": height},
            color_scheme=theme,
            reduced_motion="reduce",
        ).new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.add_init_script(f"localStorage.setItem('pace', '{pace}')")
        page.goto(server + path)
        return page

    yield open_page
    assert problems == [], "a page reported errors"


@pytest.fixture
def plain(somebody: Callable[..., BrowserContext]) -> Page:
    """A page of a browser that runs no script."""
    return somebody(java_script_enabled=False, locale="en").new_page()
