"""What a browser makes of pages: what the first waits for, how soon clicks are seen, Lighthouse's scores."""

import gzip
import json
import os
import random
import re
import shutil
import statistics
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..errors import TeerlingError
from ..game import Game
from ..words import Speaker
from .crowd import Served
from .figures import Figure, print_figures
from .web import PART, fetch, new_table, served

FIRST_PAGE_KB, BLOCKING = 60.0, 2
NEXT_PAINT, SLOWER = 100.0, 4
"""Within how many milliseconds a click must be seen, on a processor that is so many times slower."""
LEAST_SCORE = 95
CATEGORIES = {"accessibility": "Accessibility", "best-practices": "Best practice"}
LIGHTHOUSE = "lighthouse@12"
BUILD = Path("build/lighthouse")
"""Where Lighthouse is put, if there is no other: a folder that is not part of the project."""
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
MOVES = ".play :is(button[name=move], button[popovertarget]:not([popovertargetaction])):not([aria-disabled])"
"""What answers a decision, or asks how it is meant: there may be nothing else to press."""
OPEN = (
    ".curtain-call:not([hidden]) [data-continue], #offer:not([hidden]) [data-close], "
    ".play :popover-open button[name=move]:not([aria-disabled])"
)
"""What stands over a board, and is answered first."""
EMPTY = "data:text/html,<button>"
PHONE: Any = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LOOK, ANSWER = 500, 250
"""Milliseconds that a person looks at a decision before the finger comes down, and sees what it did."""
CLICKS, FEW_CLICKS = 20, 8
LONGEST = 300.0
"""Seconds that Lighthouse or its installation may take."""

STYLE = re.compile(r'<link\b[^>]*\brel="stylesheet"[^>]*>')
SCRIPT = re.compile(r"<script\b(?=[^>]*\bsrc=)(?![^>]*\b(?:async|defer|type=\"module\"))[^>]*>")
LISTEN = """
window.interactions = {};
new PerformanceObserver((list) => {
  for (const { interactionId: id, duration } of list.getEntries())
    if (id) interactions[id] = Math.max(interactions[id] ?? 0, duration);
}).observe({ type: "event", durationThreshold: 16, buffered: true });
"""
"""Notes from the press of a finger or key to the next paint, the longest of its events."""
AT_ONCE = 'localStorage.setItem("pace", "instant")'
"""Nobody waits for bots to be shown; what they did is put into the page all the same."""
AIM = """([buttons, over, part]) => {
  const seen = (where) => [...document.querySelectorAll(where)].filter((each) => each.checkVisibility());
  const offered = [seen(over), seen(buttons)].find((each) => each.length) ?? [];
  const button = offered[Math.floor(part * offered.length)];
  const point = () => {
    const { left, top, width, height } = button.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    return button.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
  };
  if (!button || point()) return button && point();
  button.scrollIntoView({ block: "center", behavior: "instant" });
  return point();
}"""
"""Where a finger finds one of the buttons; what lies over the board is answered first."""

Step = Callable[[], None]
"""Is called when a part of what is measured is done."""


class NoBrowser(TeerlingError):
    """There is no browser to measure with."""


def page_bench(games: Sequence[Game], quick: bool, as_json: bool, say: Speaker) -> None:
    """Measures pages in a browser and prints it."""
    found: dict[str, list[Figure]] = {}
    clicks = FEW_CLICKS if quick else CLICKS

    def measure(what: str, label: str, parts: int, measured: Callable[[Step], Iterator[Figure]]) -> None:
        with progress(label, parts) as step:
            found[what] = list(measured(step))
        if not as_json:
            print_figures(label, found[what], say)

    with served() as server:
        measure("first_page", say("the first page"), 1, lambda step: of_first_page(server.port, say))
        label = say("a click, on a processor {times} times slower", times=SLOWER)
        measure(
            "next_paint", label, clicks * (1 + len(games)),
            lambda step: of_next_paint(server.port, games, clicks, step, say),
        )  # fmt: skip
        measure("lighthouse", "Lighthouse", len(games), lambda step: of_lighthouse(server, games, step, say))
    if as_json:
        figures = {what: [{**asdict(f), "met": f.met} for f in each] for what, each in found.items()}
        print(json.dumps({"load": os.getloadavg()[0], "quick": quick, "figures": figures}))


@contextmanager
def progress(label: str, parts: int) -> Iterator[Step]:
    """A bar on the standard error for as long as it lasts."""
    err = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(label, total=parts)
        yield lambda: bar.advance(task)


def of_first_page(port: int, say: Speaker) -> Iterator[Figure]:
    """What a stranger's first page weighs without fonts, and how many requests it waits for."""
    html, size = page_at(port, "/")
    parts = {part for part in PART.findall(html) if not part.startswith("/fonts/")}
    size += sum(page_at(port, part.replace("&amp;", "&"))[1] for part in parts)
    label = say("with all its parts, without fonts")
    yield Figure("first_page_kb", label, size / 1024, "KB", FIRST_PAGE_KB)
    yield Figure("blocking", say("requests that it waits for"), 1 + blocking_in(html), target=BLOCKING)


def page_at(port: int, path: str) -> tuple[str, int]:
    """What lies at an address, and how many bytes come over the wire."""
    _, headers, body = fetch(port, path)
    text = gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body
    return text.decode(errors="replace"), len(body)


def blocking_in(html: str) -> int:
    """How many styles and scripts a page names that a browser fetches before it paints.

    >>> blocking_in('<link rel="stylesheet" href="/a.css"><script type="module" src="/a.js"></script>')
    1
    >>> blocking_in('<script src="/a.js"></script><script defer src="/b.js"></script><script>1</script>')
    1
    """
    return len(STYLE.findall(html)) + len(SCRIPT.findall(html))


def of_next_paint(
    port: int, games: Sequence[Game], clicks: int, step: Step, say: Speaker
) -> Iterator[Figure]:
    """The longest interaction to next paint at a table of each game; nothing without Playwright."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return
    yield Figure("load", say("load of the machine meanwhile"), os.getloadavg()[0])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        empty = statistics.median(next_paints(browser.new_page(**PHONE), EMPTY, "button", clicks, step))
        for game in games:
            path, cookie = new_table(port, game)
            name, _, value = cookie.partition("=")
            context = browser.new_context(**PHONE)
            context.add_init_script(AT_ONCE)
            context.add_cookies([{"name": name, "value": value, "url": f"http://127.0.0.1:{port}"}])
            address = f"http://127.0.0.1:{port}{path}"
            took = next_paints(context.new_page(), address, MOVES, clicks, step)
            context.close()
            for key, label, found, target in (
                ("longest", say("the longest of {count}", count=len(took)), max(took), NEXT_PAINT),
                ("median", say("median of {count}", count=len(took)), statistics.median(took), None),
            ):
                yield Figure(
                    f"{game.id}_{key}", f"{game.name}: {label}", found, "ms", target,
                    ratio=found / empty, beside=say("a click on an empty page"),
                )  # fmt: skip
        browser.close()


def next_paints(page: Any, address: str, buttons: str, clicks: int, step: Step) -> list[float]:
    """Milliseconds from each of so many taps on buttons to the next paint, half of them in the dark."""
    page.set_default_timeout(1000 * LONGEST)
    page.add_init_script(LISTEN)
    page.goto(address)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    chooser, taps = random.Random(1), 0
    for click in range(clicks):
        if click == clicks // 2:
            page.emulate_media(color_scheme="dark")
        page.wait_for_selector(f"{buttons}, {OPEN}, .result", state="attached")
        aim = [buttons, OPEN, chooser.random()]
        page.evaluate(AIM, aim)
        page.wait_for_timeout(LOOK)
        # A finger and nothing else: Playwright's own tap would look for its target while it is measured.
        if point := page.evaluate(AIM, aim):
            page.touchscreen.tap(*point)
            taps += 1
        page.wait_for_timeout(ANSWER)
        step()
    took: list[float] = page.evaluate("Object.values(interactions)")
    # What is not told took less than the least that is.
    return [*took, *[16.0] * max(0, taps - len(took))]


def of_lighthouse(server: Served, games: Sequence[Game], step: Step, say: Speaker) -> Iterator[Figure]:
    """Lighthouse's scores of a board of each game; nothing where there is no Node to run it with."""
    command = lighthouse()
    if command is None:
        return
    for game in games:
        path, cookie = new_table(server.port, game)
        scores, faults = scored(command, f"http://127.0.0.1:{server.port}{path}", cookie)
        step()
        for category, label in CATEGORIES.items():
            key, text = f"{game.id}_{category}", f"{game.name}: {say(label)}"
            yield Figure(key, text, scores[category], target=LEAST_SCORE, more_is_better=True, beside=faults)


def scored(command: Sequence[str], address: str, cookie: str) -> tuple[dict[str, float], str]:
    """The scores of a page, of 100, and what cost points."""
    options = [
        f"--only-categories={','.join(CATEGORIES)}", "--output=json", "--quiet",
        f"--chrome-flags=--headless=new {' '.join(QUIET)}",
        f"--extra-headers={json.dumps({'Cookie': cookie})}",
    ]  # fmt: skip
    done = subprocess.run(
        [*command, address, *options], capture_output=True, text=True, timeout=LONGEST,
        env={**os.environ, "CHROME_PATH": chromium()},
    )  # fmt: skip
    if done.returncode:
        raise NoBrowser(f"Lighthouse did not run: {done.stderr.strip()[-300:]}")
    report = json.loads(done.stdout)
    scores = {category: 100 * report["categories"][category]["score"] for category in CATEGORIES}
    faults = sorted(id for id, audit in report["audits"].items() if audit["score"] == 0)
    return scores, ", ".join(faults)


def lighthouse() -> list[str] | None:
    """How Lighthouse is called; it is fetched once if npm is there, and None if it cannot be had."""
    node, npm = shutil.which("node"), shutil.which("npm")
    program = BUILD / "node_modules" / "lighthouse" / "cli" / "index.js"
    if node is None or npm is None:
        return None
    if not program.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        install = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(BUILD), LIGHTHOUSE]
        if subprocess.run(install, stdout=subprocess.DEVNULL, timeout=LONGEST).returncode:
            return None
    return [node, str(program)]


def chromium() -> str:
    """The browser that is measured with."""
    found = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if found is None:
        raise NoBrowser("there is no Chromium to measure pages with; install it, or put it on the path")
    return found
