"""How fast the web table is: a real server in a process of its own, and clients over loopback."""

import asyncio
import gzip
import http.client
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zlib
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from ..errors import TeerlingError
from ..game import Game
from ..words import Speaker
from .bench import Figure, print_figures
from .simulate import cores

START_SECONDS = 2.0
CLICK_MEDIAN, CLICK_P99 = 50.0, 150.0
FIRST_PAGE_KB, UPDATE_KB = 150.0, 12.0
LOAD_P99 = 250.0
KEPT = 0.9
"""The part of the moves that clients must have been able to make for the load to be the one that is meant."""

TABLES, SPECTATORS, BOTS = 250, 2, 3
RHYTHM = 2.0
"""Seconds between two moves of a client under load."""
PAUSE = 0.1
"""Seconds that bots wait under load: also those that decide often answer within the rhythm."""
LOAD_SECONDS = 40.0
PATIENCE = 30.0

UNLIMITED = (
    "TEERLING_MOVES_PER_SECOND",
    "TEERLING_FRAMES_PER_SECOND",
    "TEERLING_PAGES_PER_SECOND",
    "TEERLING_SOCKETS_PER_SECOND",
    "TEERLING_TABLES_PER_MINUTE",
    "TEERLING_TABLES_PER_DAY",
    "TEERLING_CONNECTIONS_PER_SECOND",
    "TEERLING_MOST_CONNECTIONS_OF_ADDRESS",
    "TEERLING_MOST_SOCKETS_OF_ADDRESS",
)
SERVE = "from teerling.cli import main; main()"
BOX = re.compile(r"<input\b([^>]*\bdata-pick\b[^>]*)>")
BUTTON = re.compile(r'<button\b([^>]*\bname="move"[^>]*)>')
VALUE = re.compile(r'\bvalue="([^"]*)"')
PART = re.compile(r'<(?:link|script|img)\b[^>]*?\b(?:href|src)="(/[^"]*)"')


Result = TypeVar("Result")


class NoServer(TeerlingError):
    """The server that is to be measured did not start or did not answer."""


def web_bench(games: Sequence[Game], quick: bool, as_json: bool, say: Speaker) -> None:
    """Measures the web table and prints it."""
    found: dict[str, list[Figure]] = {}

    def measure(what: str, label: str, measured: Iterator[Figure]) -> None:
        found[what] = list(measured)
        if not as_json:
            print_figures(label, found[what], say)

    measure("start", say("the web table"), of_starting(1 if quick else 3, say))
    measure("pages", say("what is sent"), of_sizes(games, 20 if quick else 60, say))
    for game in games:
        measure(
            f"click_{game.id}", f"{game.name} · {say('a click')}", of_clicks(game, 30 if quick else 150, say)
        )
    tables, seconds = (25, 8.0) if quick else (TABLES, LOAD_SECONDS)
    label = say("{tables} tables, {sockets} sockets", tables=tables, sockets=tables * (1 + SPECTATORS))
    measure("load", label, of_load(games, tables, seconds, say))
    if as_json:
        figures = {what: [{**asdict(f), "met": f.met} for f in each] for what, each in found.items()}
        print(json.dumps({"cores": cores(), "quick": quick, "figures": figures}))


# A server of one's own


@dataclass
class Served:
    """A server that was started for measuring."""

    port: int
    process: "subprocess.Popen[bytes]"
    seconds: float
    """From starting it to its first page."""

    @property
    def cpu_seconds(self) -> float:
        """What it has spent on the processor; 0 where the system does not tell."""
        with suppress(OSError), open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return 0.0


@contextmanager
def served(bot_pause: float = 0.0) -> Iterator[Served]:
    """A server with a data folder of its own, until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "TEERLING_BOT_PAUSE": str(bot_pause),
            "TEERLING_DATABASE_URL": "",
            # Everybody comes from one address here.
            **dict.fromkeys(UNLIMITED, "100000"),
        }
        command = [sys.executable, "-c", SERVE, "serve", "--port", str(port), "--no-open", "--data", folder]
        began = time.perf_counter()
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        try:
            wait_for_page(port, process)
            yield Served(port, process, time.perf_counter() - began)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for_page(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Asks for the first page until it comes."""
    for _ in range(int(PATIENCE / 0.005)):
        with suppress(OSError):
            if fetch(port, "/")[0] == 200:
                return
        if process.poll() is not None:
            break
        time.sleep(0.005)
    raise NoServer("the server that is to be measured did not start")


def fetch(
    port: int, path: str, cookie: str = "", form: dict[str, str] | None = None
) -> tuple[int, Any, bytes]:
    """Status, headers and body, as they come over the wire."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {"Accept-Encoding": "gzip", "Accept-Language": "nl", "Cookie": cookie}
    body = None
    if form is not None:
        body = urllib.parse.urlencode(form)
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    try:
        connection.request("GET" if form is None else "POST", path, body, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def new_table(port: int, game: Game) -> tuple[str, str]:
    """The path of a new table with one person and random bots, and that person's cookie."""
    form = {"public": "yes", "name": "Bench", "seat0": "me"}
    for seat in range(1, min(1 + BOTS, game.players[-1])):
        form |= {f"seat{seat}": "bot", f"level{seat}": "random"}
    status, headers, _ = fetch(port, f"/new/{game.id}", form=form)
    if status != 303:
        raise NoServer(f"a new table of {game.name} was answered with {status}")
    return headers["location"], headers["set-cookie"].partition(";")[0]


def connected(port: int, path: str, cookie: str) -> Any:
    """A live connection to a table, with the compression that browsers offer."""
    from websockets.asyncio.client import connect
    from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

    return connect(
        f"ws://127.0.0.1:{port}{path}/live",
        additional_headers={"Cookie": cookie, "Accept-Language": "nl"},
        compression=None,
        extensions=[ClientPerMessageDeflateFactory(client_max_window_bits=True)],
        max_size=None,
        ping_interval=None,
        open_timeout=PATIENCE,
    )


def move_on(html: str, chooser: random.Random) -> str:
    """One of the moves that the buttons of a page offer; boxes can be ticked for it."""
    buttons = (attributes for attributes in BUTTON.findall(html) if "aria-disabled" not in attributes)
    moves = [value.group(1) for attributes in buttons if (value := VALUE.search(attributes))]
    boxes = [value.group(1) for attributes in BOX.findall(html) if (value := VALUE.search(attributes))]
    if not boxes:
        moves = [move for move in moves if "+" not in move]
    if not moves:
        raise NoServer("it is a client's turn, but its page offers no move")
    return chooser.choice(moves).replace("+", chooser.choice(boxes) if boxes else "")


# What is measured


def of_starting(times: int, say: Speaker) -> Iterator[Figure]:
    """From the command to the first page, with an empty data folder."""
    seconds = []
    for _ in range(times):
        with served() as server:
            seconds.append(server.seconds)
    yield Figure(
        "start_seconds",
        say("from the command to the first page"),
        statistics.median(seconds),
        "s",
        START_SECONDS,
    )


def of_sizes(games: Sequence[Game], moves: int, say: Speaker) -> Iterator[Figure]:
    """What comes over the wire: the first page with all its parts, and updates of tables."""
    with served() as server:
        first = wire_size(server.port, "/")
        tables, updates = [], []
        for game in games:
            path, cookie = new_table(server.port, game)
            tables.append(wire_size(server.port, path, cookie))
            updates += quick_loop(clicks(server.port, game, moves)).sizes
    yield Figure("first_page_kb", say("the first page with all its parts"), first / 1024, "KB", FIRST_PAGE_KB)
    yield Figure(
        "table_page_kb", say("the largest table with all its parts"), max(tables) / 1024, "KB", FIRST_PAGE_KB
    )
    yield Figure("update_kb", say("the largest update of a table"), max(updates) / 1024, "KB", UPDATE_KB)
    yield Figure("usual_update_kb", say("a usual update"), statistics.median(updates) / 1024, "KB", UPDATE_KB)


def wire_size(port: int, path: str, cookie: str = "") -> int:
    """Bytes of a page and of everything it names, compressed as the server sends it."""
    _, headers, body = fetch(port, path, cookie)
    page = gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body
    parts = {part for part in PART.findall(page.decode()) if part.startswith(("/static/", "/games/"))}
    return len(body) + sum(len(fetch(port, part.replace("&amp;", "&"))[2]) for part in parts)


@dataclass
class Clicks:
    """What a client met: milliseconds from a move to its page, of a ping, and compressed sizes."""

    milliseconds: list[float] = field(default_factory=list)
    pings: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)


def of_clicks(game: Game, count: int, say: Speaker) -> Iterator[Figure]:
    """From sending a move to having the page, alone at one table."""
    with served() as server:
        met = quick_loop(clicks(server.port, game, count))
    ping = statistics.median(met.pings)
    for key, label, value, target in (
        (
            "click_median",
            say("median of {count}", count=count),
            statistics.median(met.milliseconds),
            CLICK_MEDIAN,
        ),
        ("click_p99", say("99 of 100 within"), percentile(met.milliseconds, 99), CLICK_P99),
    ):
        yield Figure(key, label, value, "ms", target, ratio=value / ping, beside=say("a ping"))


async def clicks(port: int, game: Game, count: int) -> Clicks:
    """Plays random moves at tables of a game."""
    met, chooser = Clicks(), random.Random(1)
    while len(met.milliseconds) < count:
        path, cookie = await asyncio.to_thread(new_table, port, game)
        async with connected(port, path, cookie) as live:
            page = await next_page(live, met)
            while len(met.milliseconds) < count:
                while not page["yours"] and not is_over(page):
                    page = await next_page(live, met)
                if not page["yours"]:
                    break
                began = time.perf_counter()
                await live.send(json.dumps({"kind": "ping"}))
                while json.loads(await live.recv())["kind"] != "pong":
                    pass
                met.pings.append(1000 * (time.perf_counter() - began))
                version, move = page["version"], move_on(page["html"], chooser)
                began = time.perf_counter()
                await live.send(json.dumps({"kind": "move", "move": move, "at": version}))
                while page["version"] == version:
                    page = await next_page(live, met)
                met.milliseconds.append(1000 * (time.perf_counter() - began))
    return met


async def next_page(live: Any, met: Clicks | None = None) -> dict[str, Any]:
    """The next page that comes."""
    while True:
        text = await live.recv()
        message: dict[str, Any] = json.loads(text)
        if message["kind"] == "page":
            if met is not None:
                met.sizes.append(len(zlib.compress(text.encode(), 6)))
            return message
        if message["kind"] == "error":
            raise NoServer(message["text"])


def is_over(page: dict[str, Any]) -> bool:
    return 'id="result-h"' in page["html"]


def quick_loop(measuring: Coroutine[Any, Any, Result]) -> Result:
    """Runs clients on the quickest loop there is: what they need themselves is measured too."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return asyncio.run(measuring)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(measuring)


def percentile(values: Sequence[float], part: float) -> float:
    """The value that this part of 100 do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part / 100))]


# Many tables at once


@dataclass
class Crowd:
    """Everybody at all tables, and what the clients met while it was measured."""

    port: int
    until: float = 0.0
    ready: int = 0
    measuring: bool = False
    met: list[float] = field(default_factory=list)
    pages: int = 0
    bytes: int = 0


def of_load(games: Sequence[Game], tables: int, seconds: float, say: Speaker) -> Iterator[Figure]:
    """From a client's move to its page, while many play."""
    with served(PAUSE) as server:
        crowd = Crowd(server.port)
        spent, own = quick_loop(gather(crowd, games, tables, seconds, server))
    rate = len(crowd.met) / seconds
    yield Figure("load_p99", say("99 of 100 within"), percentile(crowd.met, 99), "ms", LOAD_P99)
    yield Figure(
        "load_median", say("median of {count}", count=len(crowd.met)), statistics.median(crowd.met), "ms"
    )
    yield Figure("load_slowest", say("the slowest of {count}", count=len(crowd.met)), max(crowd.met), "ms")
    # A client that sees its turn too late cannot keep the rhythm, and the load is less than it should be.
    yield Figure("load_moves", say("moves of clients"), rate, "/s", KEPT * tables / RHYTHM, True)
    yield Figure("load_pages", say("pages sent"), crowd.pages / seconds, "/s", more_is_better=True)
    yield Figure("load_cores", say("cores that the server used"), spent / seconds)
    yield Figure("load_clients", say("cores that the clients used"), own / seconds)


async def gather(
    crowd: Crowd, games: Sequence[Game], tables: int, seconds: float, server: Served
) -> tuple[float, float]:
    """Fills the tables, lets them settle, and measures; what server and clients spent on processors."""
    crowd.until = time.monotonic() + 3600
    playing = [asyncio.create_task(play_tables(crowd, games[i % len(games)], i)) for i in range(tables)]
    async with asyncio.timeout(120):
        while crowd.ready < tables and not any(task.done() for task in playing):
            await asyncio.sleep(0.05)
    await asyncio.sleep(2 * RHYTHM)
    spent, own = server.cpu_seconds, time.process_time()
    crowd.measuring = True
    await asyncio.sleep(seconds)
    crowd.measuring, crowd.until = False, 0.0
    spent, own = server.cpu_seconds - spent, time.process_time() - own
    for task in playing:
        task.cancel()
    failed = [
        each for each in await asyncio.gather(*playing, return_exceptions=True) if isinstance(each, Exception)
    ]
    if failed:
        raise failed[0]
    return spent, own


async def play_tables(crowd: Crowd, game: Game, number: int) -> None:
    """One table after another, with its spectators, until it is over."""
    chooser = random.Random(number)
    first = True
    # New tables come one after another, and not all clients move in the same moment.
    await asyncio.sleep(number * 0.03)
    while time.monotonic() < crowd.until:
        path, cookie = await asyncio.to_thread(new_table, crowd.port, game)
        strangers = [(await asyncio.to_thread(newcomer, crowd.port, path)) for _ in range(SPECTATORS)]
        watching = [asyncio.create_task(watch(crowd, path, stranger)) for stranger in strangers]
        try:
            async with connected(crowd.port, path, cookie) as live:
                crowd.ready += first
                first = False
                await play(crowd, live, chooser)
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)


def newcomer(port: int, path: str) -> str:
    """The cookie of somebody who opens a table's page for the first time."""
    return str(fetch(port, path)[1]["set-cookie"].partition(";")[0])


async def watch(crowd: Crowd, path: str, cookie: str) -> None:
    """A spectator, who only looks."""
    async with connected(crowd.port, path, cookie) as live:
        async for text in live:
            if crowd.measuring:
                crowd.pages += 1
                crowd.bytes += len(text)


async def play(crowd: Crowd, live: Any, chooser: random.Random) -> None:
    """A client who moves in its rhythm, whenever it is its turn, until the match is over."""
    due = time.perf_counter() + RHYTHM * chooser.random()
    page = await next_page(live)
    while True:
        while not page["yours"]:
            if is_over(page):
                return
            page = await next_page(live)
            crowd.pages += crowd.measuring
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        began = due = time.perf_counter()
        due += RHYTHM
        version = page["version"]
        move = move_on(page["html"], chooser)
        await live.send(json.dumps({"kind": "move", "move": move, "at": version}))
        while page["version"] == version:
            page = await next_page(live)
            crowd.pages += crowd.measuring
        if crowd.measuring:
            crowd.met.append(1000 * (time.perf_counter() - began))
