"""How fast the web table is: a real server in a process of its own, and clients over loopback."""

import asyncio
import gzip
import http.client
import json
import os
import random
import re
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
import urllib.parse
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from ..game import Game
from ..lab.simulate import cores
from ..server.tables.pieces import Pieces
from ..words import Speaker
from .boardgame_io import VERSION, Costing, NoPeer, installed, of_peer
from .crowd import (
    APART,
    SPECTATORS,
    Crowd,
    Gathering,
    NoServer,
    Served,
    gather,
    percentile,
    quick_loop,
    running,
)
from .figures import Figure, print_figures
from .line import PATIENCE, Line, connected

START_SECONDS = 2.0
CLICK_MEDIAN, CLICK_P99 = 50.0, 150.0
FIRST_PAGE_KB, UPDATE_KB = 150.0, 12.0
LOAD_P99 = 250.0
MOVES_PER_SECOND = 500.0
MORE, MOST_MB = 1.3, 1024.0
"""How many times as much a move may cost with many open tables as with few, and the memory of many."""
JSON_MS, PAGE_MS = 0.8, 1.2
KEPT = 0.9
"""The part of the moves that clients must have been able to make for the load to be the one that is meant."""

TABLES, BOTS = 250, 3
PAUSE = 0.1
"""Seconds that bots wait under load: also those that decide often answer within the rhythm."""
LOAD_SECONDS = 40.0
HASTY, HASTE_SECONDS = 50, 10.0
"""Tables at which nobody waits, and for how long."""
FEW, MANY, GROWN, TURN = 100, 10_000, 30, 100
"""Open tables, moves that were made at each, and moves that are measured before the other server's turn."""
PEER_MOVES = 3000
"""After so many moves of boardgame.io the next ones cost no less."""

UNLIMITED = (
    "TEERLING_MOVES_PER_SECOND",
    "TEERLING_FRAMES_PER_SECOND",
    "TEERLING_PAGES_PER_SECOND",
    "TEERLING_FILES_PER_SECOND",
    "TEERLING_SOCKETS_PER_SECOND",
    "TEERLING_TABLES_PER_MINUTE",
    "TEERLING_TABLES_PER_DAY",
    "TEERLING_CONNECTIONS_PER_SECOND",
    "TEERLING_MOST_CONNECTIONS_OF_ADDRESS",
    "TEERLING_MOST_SOCKETS_OF_ADDRESS",
)
PIECES: WeakKeyDictionary[Line, Pieces] = WeakKeyDictionary()
"""What clients have of the page before, by their socket."""
SERVE = "from teerling.cli import main; main()"
BOX = re.compile(r"<input\b([^>]*\bdata-pick\b[^>]*)>")
BUTTON = re.compile(r'<button\b([^>]*\bname="move"[^>]*)>')
VALUE = re.compile(r'\bvalue="([^"]*)"')
IN_MEMORY = re.compile(r"^teerling_tables_in_memory (\S+)$", re.MULTILINE)
PART = re.compile(r'<(?:link|script|img)\b[^>]*?\b(?:href|src)="(/[^"]*)"')


def web_bench(games: Sequence[Game], quick: bool, as_json: bool, say: Speaker) -> None:
    """Measures the web table and prints it."""
    found: dict[str, list[Figure]] = {}
    remarks: list[str] = []

    def measure(what: str, label: str, measured: Iterator[Figure]) -> None:
        found[what] = list(measured)
        if not as_json:
            print_figures(label, found[what], say)

    def remark(text: str) -> None:
        remarks.append(text)
        if not as_json:
            print(f"{text}\n")

    measure("start", say("the web table"), of_starting(1 if quick else 3, say))
    measure("pages", say("what is sent"), of_sizes(games, 20 if quick else 60, say))
    for game in games:
        measure(
            f"click_{game.id}", f"{game.name} · {say('a click')}", of_clicks(game, 30 if quick else 150, say)
        )
    for game in games:
        label = f"{game.name} · {say('what a move costs the server')}"
        measure(f"cost_{game.id}", label, of_costs(game, 100 if quick else 1000, say))
    load = Gathering(25, 8.0) if quick else Gathering(TABLES, LOAD_SECONDS)
    label = say("{tables} tables, {sockets} sockets", tables=load.tables, sockets=load.sockets)
    measure("load", label, of_load(games, load, say))
    haste = Gathering(10, 4.0, 0.0) if quick else Gathering(HASTY, HASTE_SECONDS, 0.0)
    label = say("{tables} tables, {sockets} sockets", tables=haste.tables, sockets=haste.sockets)
    measure("haste", f"{label} · {say('nobody waits')}", of_haste(games, haste, say))
    many, moves = (MANY // 10, 300) if quick else (MANY, 1000)
    measure("open", say("open tables"), of_open_tables(games, many, moves, say))

    ours = {figure.key: figure.value for each in ("load", "haste") for figure in found[each]}
    moves = PEER_MOVES // 10 if quick else PEER_MOVES
    crowds = haste, replace(load, seconds=load.seconds / 2)
    for in_files, storage in ((False, say("in memory")), (True, say("in files"))):
        label = f"boardgame.io {VERSION} · Pig · {storage}"
        try:
            modules = installed()
            with served() as server:
                server.settle()
                measured = of_peer(modules, in_files, moves, crowds, ours, moving(server, games, say), say)
                measure(f"peer_{'files' if in_files else 'memory'}", label, measured)
        except NoPeer as error:
            remark(say.phrase(error.args[0]))
            break
    if as_json:
        figures = {what: [{**asdict(f), "met": f.met} for f in each] for what, each in found.items()}
        print(json.dumps({"cores": cores(), "quick": quick, "figures": figures, "remarks": remarks}))


# A server of one's own


@contextmanager
def served(bot_pause: float = 0.0, data: Path | None = None, **settings: str) -> Iterator[Served]:
    """A server with a data folder of its own, or this one, until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "TEERLING_BOT_PAUSE": str(bot_pause),
            "TEERLING_DATABASE_URL": "",
            # Everybody comes from one address here.
            **dict.fromkeys(UNLIMITED, "100000"),
            **settings,
        }
        serve = [sys.executable, "-c", SERVE, "serve", "--no-open", "--data", str(data or folder), "--port"]
        with running(lambda port: [*serve, str(port)], environment, shows_a_page) as server:
            yield server


def shows_a_page(port: int) -> bool:
    return fetch(port, "/")[0] == 200


def fetch(
    port: int, path: str, cookie: str = "", form: dict[str, str] | None = None, source: str = ""
) -> tuple[int, Any, bytes]:
    """Status, headers and body, as they come over the wire; `source` is which address asks."""
    own = (source, 0) if source else None
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE, source_address=own)
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


def text_of(answer: tuple[int, Any, bytes]) -> str:
    """What an answer says, whether it came compressed or not."""
    _, headers, body = answer
    return (gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body).decode()


def new_table(port: int, game: Game) -> tuple[str, str]:
    """The path of a new table with one person and random bots, and that person's cookie."""
    form = {"public": "yes", "name": "Bench", "seat0": "me"}
    for seat in range(1, min(1 + BOTS, game.players[-1])):
        form |= {f"seat{seat}": "bot", f"level{seat}": "random"}
    status, headers, _ = fetch(port, f"/new/{game.id}", form=form)
    if status != 303:
        raise NoServer(f"a new table of {game.name} was answered with {status}")
    return headers["location"], headers["set-cookie"].partition(";")[0]


def at_table(port: int, path: str, cookie: str) -> AbstractAsyncContextManager[Line]:
    """A live connection to a table."""
    return connected(port, f"{path}/live?pieces", {"Cookie": cookie, "Accept-Language": "nl"})


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
    answer = fetch(port, path, cookie)
    body = answer[2]
    parts = {part for part in PART.findall(text_of(answer)) if part.startswith(("/static/", "/games/"))}
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
        async with at_table(port, path, cookie) as live:
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


async def next_page(live: Line, met: Clicks | None = None) -> dict[str, Any]:
    """The next page that comes."""
    while True:
        text = await live.recv()
        message: dict[str, Any] = json.loads(text)
        if message["kind"] == "page":
            if met is not None:
                met.sizes.append(len(zlib.compress(text.encode(), 6)))
            return PIECES.setdefault(live, Pieces()).whole(message)
        if message["kind"] == "error":
            raise NoServer(message["text"])


def is_over(page: dict[str, Any]) -> bool:
    return 'id="result-h"' in page["html"]


# What a move costs


def of_costs(game: Game, moves: int, say: Speaker) -> Iterator[Figure]:
    """Processor time of the server for a move of a program, and for one of a person with its page."""
    with served() as server:
        server.settle()
        # Templates and rules are read once; that is no part of a move.
        for count in (moves // 10, moves):
            by_program = program_moves(server, game, count)
            by_person = person_moves(server, game, count)
    yield Figure("cost_json", say("by a program, with the commit"), by_program, "ms", JSON_MS)
    yield Figure("cost_page", say("by a person, with the page and the commit"), by_person, "ms", PAGE_MS)


def moving(server: Served, games: Sequence[Game], say: Speaker) -> dict[str, Costing]:
    """The ways to move, by program and by person at every game."""
    by_program = say("by a program, with the commit")
    by_person = say("by a person, with the page and the commit")
    ways: dict[str, Costing] = {}
    for game in games:
        ways[f"{game.name}: {by_program}"] = partial(program_moves, server, game)
        ways[f"{game.name}: {by_person}"] = partial(person_moves, server, game)
    return ways


def program_moves(server: Served, game: Game, moves: int) -> float:
    """Milliseconds of the server for a move by the interface for programs, who sit in all seats."""
    chooser, done, spent = random.Random(1), 0, 0.0
    with closing(Program(server.port)) as program:
        while done < moves:
            seat = program.opens(game)
            before = server.cpu_seconds
            while seat.legal and done < moves:
                program.moves(seat, chooser)
                done += 1
            spent += server.cpu_seconds - before
    return 1000 * spent / moves


@dataclass
class Seat:
    """All seats of a table, for a program that has its token, and how things stood when it last looked."""

    table: str
    token: str
    version: int = 0
    legal: Sequence[str] = ()


class Program:
    """A program that plays by the JSON interface, over one connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def close(self) -> None:
        self._connection.close()

    def opens(self, game: Game) -> Seat:
        """A new table, with the program in every seat."""
        wanted = {"game": game.id, "seats": [{"kind": "me"}] * game.usual_players}
        made = self._ask("POST", "/api/tables", wanted)
        seat = Seat(made["table"]["id"], made["token"])
        self.looks(seat)
        return seat

    def looks(self, seat: Seat) -> None:
        self._note(seat, self._ask("GET", f"/api/tables/{seat.table}/view", token=seat.token))

    def moves(self, seat: Seat, chooser: random.Random) -> None:
        """Makes a random move."""
        wanted = {"move": chooser.choice(seat.legal), "at": seat.version}
        self._note(seat, self._ask("POST", f"/api/tables/{seat.table}/moves", wanted, seat.token))

    def _note(self, seat: Seat, state: dict[str, Any]) -> None:
        seat.version, seat.legal = state["version"], state["view"]["legal"]

    def _ask(self, method: str, path: str, body: object = None, token: str = "") -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = self._connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        if response.status >= 300:
            raise NoServer(answer["error"]["message"])
        return answer


def person_moves(server: Served, game: Game, moves: int) -> float:
    """Milliseconds of the server for a move of a person and random bots, with the pages of all of it."""
    return quick_loop(_person_moves(server, game, moves))


async def _person_moves(server: Served, game: Game, moves: int) -> float:
    chooser, done, spent = random.Random(1), 0, 0.0
    while done < moves:
        path, cookie = await asyncio.to_thread(new_table, server.port, game)
        async with at_table(server.port, path, cookie) as live:
            page = await next_page(live)
            before, first = server.cpu_seconds, page["version"]
            while not is_over(page) and done + page["version"] - first < moves:
                if page["yours"]:
                    wanted = {"kind": "move", "move": move_on(page["html"], chooser), "at": page["version"]}
                    await live.send(json.dumps(wanted))
                page = await next_page(live)
            spent += server.cpu_seconds - before
            done += page["version"] - first
    return 1000 * spent / done


# Many tables that are open


def of_open_tables(games: Sequence[Game], many: int, moves: int, say: Speaker) -> Iterator[Figure]:
    """What a move costs where many tables are open beside where few are, and how much memory they take.

    Tables are played on for a while, and then copied within the database while no server runs: opening as
    many by asking would take longer than all the rest. Every table is looked at before moves are counted.
    """
    chooser = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        few_folder, many_folder = Path(folder) / "few", Path(folder) / "many"
        few_seats = grown(few_folder, games, chooser)
        shutil.copytree(few_folder, many_folder)
        many_seats = multiplied(many_folder / "teerling.db", few_seats, many)
        with served(data=few_folder) as few_served, served(data=many_folder) as many_served:
            houses = (House(few_served, few_seats), House(many_served, many_seats))
            for house in houses:
                house.visit()
                house.server.settle()
            # By turns, so that other programs on the machine slow down both alike.
            for _ in range(moves // TURN):
                for house in houses:
                    house.play(TURN, chooser)
            memory, kept = many_served.resident_mb, tables_in_memory(many_served.port)
    few_cost, many_cost = (1000 * house.spent / house.made for house in houses)
    fewer, more = say.number(FEW), say.number(many)
    yield Figure("few_cost", say("a move, with {count} open", count=fewer), few_cost, "ms")
    yield Figure(
        "many_cost", say("a move, with {count} open", count=more), many_cost, "ms", MORE * few_cost,
        ratio=many_cost / few_cost, beside=say("with {count} open", count=fewer),
    )  # fmt: skip
    label = say("memory of the server, with {count} open", count=more)
    yield Figure("many_mb", label, memory, "MB", MOST_MB)
    yield Figure("many_kept", say("of those, tables in memory"), kept)
    yield Figure("machine", say("load of the machine meanwhile"), os.getloadavg()[0])


def grown(folder: Path, games: Sequence[Game], chooser: random.Random) -> list[Seat]:
    """A data folder with some tables of all games, each in the middle of a match."""
    folder.mkdir()
    with (
        served(data=folder, TEERLING_DURABILITY="process") as server,
        closing(Program(server.port)) as program,
    ):
        seats = [program.opens(games[number % len(games)]) for number in range(FEW)]
        for seat in seats:
            for _ in range(GROWN):
                if seat.legal:
                    program.moves(seat, chooser)
    return seats


def multiplied(database: Path, seats: Sequence[Seat], count: int) -> list[Seat]:
    """Copies of tables until there are so many, all that is stored of each under another id."""
    endings = ["".join(letters) for letters in product("abcdefgh", repeat=3)][: count // len(seats) - 1]
    with closing(sqlite3.connect(database)) as store, store:
        store.execute("create temp table copies (letters)")
        store.executemany("insert into copies values (?)", [(ending,) for ending in endings])
        for (kind,) in store.execute("select name from main.sqlite_master where type = 'table'").fetchall():
            columns = [column[1] for column in store.execute(f"pragma table_info({kind})")]
            key = "id" if kind == "tables" else "table_id"
            if key in columns:
                copied = ", ".join(f"{key} || letters" if name == key else name for name in columns)
                into = f"insert into {kind} ({', '.join(columns)})"
                store.execute(f"{into} select {copied} from {kind}, copies")
    return [Seat(seat.table + ending, seat.token) for ending in ["", *endings] for seat in seats]


@dataclass
class House:
    """A server with open tables, and what moves at them have cost."""

    server: Served
    seats: Sequence[Seat]
    spent: float = 0.0
    made: int = 0

    def visit(self) -> None:
        """Looks at every table, so that all are open."""
        with closing(Program(self.server.port)) as program:
            for seat in self.seats:
                program.looks(seat)

    def play(self, moves: int, chooser: random.Random) -> None:
        """Makes so many moves, each at any of the tables."""
        with closing(Program(self.server.port)) as program:
            before, until = self.server.cpu_seconds, self.made + moves
            while self.made < until:
                seat = chooser.choice(self.seats)
                if not seat.legal:
                    continue
                program.moves(seat, chooser)
                self.made += 1
            self.spent += self.server.cpu_seconds - before


def tables_in_memory(port: int) -> float:
    """How many tables a server has in memory, as it tells itself."""
    metrics = text_of(fetch(port, "/metrics"))
    found = IN_MEMORY.search(metrics)
    return float(found.group(1)) if found else 0.0


# Many tables at once


def of_load(games: Sequence[Game], gathering: Gathering, say: Speaker) -> Iterator[Figure]:
    """From a client's move to its page, while many play."""
    crowd = crowded(games, gathering)
    count = len(crowd.met)
    yield Figure("load_p99", say("99 of 100 within"), percentile(crowd.met, 99), "ms", LOAD_P99)
    yield Figure("load_median", say("median of {count}", count=count), statistics.median(crowd.met), "ms")
    yield Figure("load_slowest", say("the slowest of {count}", count=count), max(crowd.met), "ms")
    # A client that sees its turn too late cannot keep the rhythm, and the load is less than it should be.
    rate, meant = count / crowd.seconds, gathering.tables / gathering.rhythm
    yield Figure("load_moves", say("moves of clients"), rate, "/s", KEPT * meant, True)
    yield Figure("load_pages", say("pages sent"), crowd.pages / crowd.seconds, "/s", more_is_better=True)
    yield Figure("load_cores", say("cores that the server used"), crowd.spent / crowd.seconds)
    yield Figure("load_clients", say("cores that the clients used"), crowd.own / crowd.seconds)


def of_haste(games: Sequence[Game], gathering: Gathering, say: Speaker) -> Iterator[Figure]:
    """How many moves are made where clients and bots never wait, and what each costs with all its pages."""
    crowd = crowded(games, gathering)
    rate = crowd.moves / crowd.seconds
    yield Figure("haste_moves", say("moves of clients and bots"), rate, "/s", MOVES_PER_SECOND, True)
    yield Figure("haste_cost", say("processor time of a move"), 1000 * crowd.spent / crowd.moves, "ms")
    yield Figure("haste_cores", say("cores that the server used"), crowd.spent / crowd.seconds)
    yield Figure("haste_clients", say("cores that the clients used"), crowd.own / crowd.seconds)


def crowded(games: Sequence[Game], gathering: Gathering) -> Crowd:
    """What a crowd met at a server of its own."""
    with served(PAUSE if gathering.rhythm else 0.0) as server:
        crowd = Crowd([server.port], gathering)
        quick_loop(
            gather(crowd, server, lambda number: play_tables(crowd, games[number % len(games)], number))
        )
    return crowd


async def play_tables(crowd: Crowd, game: Game, number: int) -> None:
    """One table after another, with its spectators, until it is over."""
    chooser = random.Random(number)
    first = True
    await asyncio.sleep(number * APART)
    while time.monotonic() < crowd.until:
        path, cookie = await asyncio.to_thread(new_table, crowd.next_port(), game)
        strangers = [(await asyncio.to_thread(newcomer, crowd.next_port(), path)) for _ in range(SPECTATORS)]
        watching = [asyncio.create_task(watch(crowd, path, stranger)) for stranger in strangers]
        try:
            async with at_table(crowd.next_port(), path, cookie) as live:
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
    async with at_table(crowd.next_port(), path, cookie) as live:
        while True:
            came = await live.passed()
            crowd.pages += came * crowd.measuring


async def play(crowd: Crowd, live: Line, chooser: random.Random) -> None:
    """A client who moves in its rhythm, whenever it is its turn, until the match is over."""
    due = time.perf_counter() + crowd.rhythm * chooser.random()
    page = await next_page(live)
    while True:
        while not page["yours"]:
            if is_over(page):
                return
            page = await later_page(crowd, live, page)
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        began = due = time.perf_counter()
        due += crowd.rhythm
        version = page["version"]
        move = move_on(page["html"], chooser)
        await live.send(json.dumps({"kind": "move", "move": move, "at": version}))
        while page["version"] == version:
            page = await later_page(crowd, live, page)
        if crowd.measuring:
            crowd.met.append(1000 * (time.perf_counter() - began))


async def later_page(crowd: Crowd, live: Line, before: dict[str, Any]) -> dict[str, Any]:
    """The next page that comes; it is counted, and so are the moves since the page before."""
    page = await next_page(live)
    if crowd.measuring:
        crowd.pages += 1
        crowd.moves += page["version"] - before["version"]
    return page
