"""What the server of boardgame.io needs for a move of its simplest game, measured as ours is.

Node runs it, in a process of its own; the clients are ours, and speak socket.io over the same sockets that
our own server is measured with.
"""

import asyncio
import http.client
import json
import os
import random
import secrets
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from ..engine.compile import cache_root
from ..errors import Phrase, TeerlingError
from ..words import Speaker
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
from .figures import Figure
from .line import PATIENCE, connected

VERSION = "0.50.2"
NEEDED = (f"boardgame.io@{VERSION}", "node-persist@3.1.0")
"""What npm is asked for. The second keeps the files, the oldest that the first allows: later ones write
once a second, and a match could make one move in that time."""
SCRIPT = Path(__file__).with_name("boardgame_io.js")
SPACE = "/pig,"
"""The namespace of the game, as socket.io writes it."""
CONNECT, EVENT, PING, PONG = "40", "42", "2", "3"
SOCKET = "/socket.io/?EIO=4&transport="
INSTALL_SECONDS = 300.0
TURNS = 5
Costing = Callable[[int], float]
"""Makes so many moves, and tells the milliseconds of a server for each."""


class NoPeer(TeerlingError):
    """There is no boardgame.io to measure; the sentence says why."""


def installed() -> Path:
    """The folder of its modules; npm fetches it once. NoPeer where it cannot be had."""
    npm = shutil.which("npm")
    if shutil.which("node") is None or npm is None:
        raise NoPeer(Phrase("boardgame.io is not measured: there is no Node with npm here"))
    folder = cache_root() / "peers" / "-".join(NEEDED)
    if not folder.exists():
        try:
            fetch_into(folder, npm)
        except (OSError, subprocess.SubprocessError) as error:
            raise NoPeer(Phrase("boardgame.io is not measured: npm could not install it")) from error
    return folder / "node_modules"


def fetch_into(folder: Path, npm: str) -> None:
    """Installs it, whole or not at all; nothing of it is run meanwhile."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    options = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    with tempfile.TemporaryDirectory(dir=folder.parent) as fresh:
        whole = Path(fresh) / "whole"
        subprocess.run(
            [npm, "install", *options, "--prefix", str(whole), *NEEDED],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=INSTALL_SECONDS,
        )  # fmt: skip
        whole.rename(folder)


@contextmanager
def serving_pig(modules: Path, in_files: bool) -> Iterator[Served]:
    """Its server, with matches in memory or in files, until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"NODE_PATH": str(modules), "NODE_ENV": "production"}
        kept = [folder] if in_files else []
        with running(
            lambda port: ["node", str(SCRIPT), str(port), *kept], environment, shakes_hands
        ) as server:
            yield server


def shakes_hands(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", f"{SOCKET}polling")
        return connection.getresponse().status == 200
    finally:
        connection.close()


# What is measured


def of_peer(
    modules: Path,
    in_files: bool,
    moves: int,
    crowds: tuple[Gathering, Gathering],
    ours: Mapping[str, float],
    moving: Mapping[str, Costing],
    say: Speaker,
) -> Iterator[Figure]:
    """What a move costs it, how many it makes and how long they take, beside ours.

    One crowd never waits, the other moves in the rhythm of people; `ours` are figures of the same crowds at
    our own server. `moving` makes moves there, which are measured anew, by turns with moves of Pig.
    """
    from websockets.exceptions import WebSocketException

    try:
        with serving_pig(modules, in_files) as server:
            # Node compiles what runs often; that is no part of a move.
            for _ in range(2):
                cost = cost_of(server, moves)
            costs = {
                label: by_turns(make, partial(cost_of, server), moves // 30) for label, make in moving.items()
            }
        haste, load = (crowded(modules, in_files, gathering) for gathering in crowds)
    except (OSError, NoServer, WebSocketException) as error:
        raise NoPeer(Phrase("boardgame.io is not measured: its server did not answer")) from error
    yield Figure("cost", say("processor time of a move, alone at one table"), cost, "ms")
    yield from of_crowds(haste, load, ours, say)
    yield from of_ratios(costs, say)
    yield Figure("machine", say("load of the machine meanwhile"), os.getloadavg()[0])


def of_crowds(haste: Crowd, load: Crowd, ours: Mapping[str, float], say: Speaker) -> Iterator[Figure]:
    """What two crowds met, each figure beside ours of the same name."""

    def beside(key: str, label: str, value: float, unit: str = "", more_is_better: bool = False) -> Figure:
        ratio = value / ours[key] if ours.get(key) else None
        return Figure(key, label, value, unit, None, more_is_better, ratio, "Teerling")

    label = say("moves where nobody waits, {sockets} sockets", sockets=haste.gathering.sockets)
    yield beside("haste_moves", label, haste.moves / haste.seconds, "/s", True)
    yield beside("haste_cost", say("processor time of a move"), 1000 * haste.spent / haste.moves, "ms")
    yield beside("haste_cores", say("cores that the server used"), haste.spent / haste.seconds)
    yield beside("haste_clients", say("cores that the clients used"), haste.own / haste.seconds)
    label = say("moves in the rhythm of people, {sockets} sockets", sockets=load.gathering.sockets)
    yield beside("load_moves", label, len(load.met) / load.seconds, "/s", True)
    label = say("median of {count}", count=len(load.met))
    yield beside("load_median", label, statistics.median(load.met), "ms")
    yield beside("load_p99", say("99 of 100 within"), percentile(load.met, 99), "ms")
    yield beside("load_cores", say("cores that the server used"), load.spent / load.seconds)


def of_ratios(costs: Mapping[str, tuple[float, float]], say: Speaker) -> Iterator[Figure]:
    """What moves of ours cost, each beside what theirs did by turns with it.

    >>> [figure.ratio for figure in of_ratios({"Ra: by a program": (1.0, 0.25)}, Speaker("en"))]
    [4.0]
    """
    for label, (ours, theirs) in costs.items():
        ratio = ours / theirs if theirs else None
        yield Figure("ours", label, ours, "ms", ratio=ratio, beside=say("a move of boardgame.io"))


def by_turns(ours: Costing, theirs: Costing, moves: int) -> tuple[float, float]:
    """What a move of ours and one of theirs cost, so many at a time: other programs slow down both alike."""
    ours(moves)
    costs = [(ours(moves), theirs(moves)) for _ in range(TURNS)]
    return statistics.fmean(cost for cost, _ in costs), statistics.fmean(cost for _, cost in costs)


def cost_of(server: Served, moves: int) -> float:
    """Milliseconds of its server for a move of Pig."""
    return quick_loop(moves_at_one_match(server, moves))


async def moves_at_one_match(server: Served, moves: int) -> float:
    """Milliseconds of the server for a move of a client that plays both seats, one match after another."""
    chooser, done, spent = random.Random(1), 0, 0.0
    while done < moves:
        async with AtMatch(server.port, fresh_id(), "0") as line:
            before = server.cpu_seconds
            while (move := line.choice(chooser)) and done < moves:
                await line.move(move)
                done += 1
            spent += server.cpu_seconds - before
    return 1000 * spent / moves


def crowded(modules: Path, in_files: bool, gathering: Gathering) -> Crowd:
    """What a crowd met at a server of its own."""
    with serving_pig(modules, in_files) as server:
        crowd = Crowd([server.port], gathering)
        quick_loop(gather(crowd, server, lambda number: play_matches(crowd, number)))
    return crowd


async def play_matches(crowd: Crowd, number: int) -> None:
    """One match after another, with its spectators, until it is over."""
    chooser, first = random.Random(number), True
    await asyncio.sleep(number * APART)
    while time.monotonic() < crowd.until:
        match = fresh_id()
        async with AtMatch(crowd.next_port(), match, "0") as line:
            watching = [asyncio.create_task(watch(crowd, match)) for _ in range(SPECTATORS)]
            crowd.ready += first
            first = False
            try:
                await play(crowd, line, chooser)
            finally:
                for task in watching:
                    task.cancel()
                await asyncio.gather(*watching, return_exceptions=True)


async def play(crowd: Crowd, line: "AtMatch", chooser: random.Random) -> None:
    """A client who moves in its rhythm, for both seats, until the match is over."""
    due = time.perf_counter() + crowd.rhythm * chooser.random()
    while move := line.choice(chooser):
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        began = due = time.perf_counter()
        due += crowd.rhythm
        await line.move(move)
        if crowd.measuring:
            crowd.met.append(1000 * (time.perf_counter() - began))
            crowd.moves += 1


async def watch(crowd: Crowd, match: str) -> None:
    """A spectator, who only looks."""
    async with AtMatch(crowd.next_port(), match, None) as line:
        while True:
            await line.next_event()
            crowd.pages += crowd.measuring


# Its protocol: socket.io 4 in frames of Engine.IO 4


def fresh_id() -> str:
    """The name of a match that there was not before; its server opens it when somebody comes."""
    return secrets.token_hex(8)


class AtMatch:
    """A client at a match of Pig, in a seat or as a spectator."""

    def __init__(self, port: int, match: str, seat: str | None) -> None:
        self.match, self.seat = match, seat
        self.state: dict[str, Any] = {}
        self._line = connected(port, f"{SOCKET}websocket")
        self._live: Any = None

    async def __aenter__(self) -> "AtMatch":
        self._live = await self._line.__aenter__()
        async with asyncio.timeout(PATIENCE):
            await self._live.recv()
            await self._live.send(CONNECT + SPACE)
            await self._live.recv()
            await self._live.send(event_of("sync", self.match, self.seat, None, 2))
            while not self.state:
                await self.next_event()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._line.__aexit__(None, None, None)

    async def next_event(self) -> None:
        """The next thing that is told; how the match stands then is kept."""
        while True:
            text = await self._live.recv()
            if text == PING:
                await self._live.send(PONG)
            elif event := event_in(text):
                if event[0] in ("sync", "update"):
                    self.state = event[2]["state"] if event[0] == "sync" else event[2]
                return

    def choice(self, chooser: random.Random) -> str:
        """One of the moves that whoever is to move has; none if the match is over."""
        if "gameover" in self.state["ctx"]:
            return ""
        return chooser.choice(["roll", "hold"] if self.state["G"]["turn"] else ["roll"])

    async def move(self, move: str) -> None:
        """Makes a move for whoever is to move, and waits until the server tells of it."""
        seat, number = self.state["ctx"]["currentPlayer"], self.state["_stateID"]
        payload = {"type": move, "args": [], "playerID": seat, "credentials": None}
        action = {"type": "MAKE_MOVE", "payload": payload}
        await self._live.send(event_of("update", action, number, self.match, seat))
        async with asyncio.timeout(PATIENCE):
            while self.state["_stateID"] == number:
                await self.next_event()


def event_of(*event: object) -> str:
    """An event as a frame.

    >>> event_of("sync", "m1", None)
    '42/pig,["sync", "m1", null]'
    """
    return EVENT + SPACE + json.dumps(event)


def event_in(frame: str) -> list[Any] | None:
    """The event in a frame; None if it is another kind of frame.

    >>> event_in('42/pig,["update","m1",{"_stateID":7}]')
    ['update', 'm1', {'_stateID': 7}]
    >>> event_in('40/pig,{"sid":"a"}')
    """
    begin = EVENT + SPACE
    event: list[Any] | None = json.loads(frame[len(begin) :]) if frame.startswith(begin) else None
    return event
