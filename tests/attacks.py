"""What others feel while one visitor misbehaves: `make attacks`, or `python -m tests.attacks NAME…`.

A server of its own with its usual settings, on loopback: the visitor who attacks comes from 127.0.0.2 and is
a process of its own, the others come from 127.0.0.1. Every attack is bounded in time. Quiet and attack take
turns, and all of it comes several times, each time to a new server: `--rounds 1` is quicker, but the slowest
of a hundred is chance then. What is printed are times, so nothing here is a test; what each guard does is
tested in tests/server/test_fair.py.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

import httpx
from websockets.asyncio.client import connect

import teerling
from teerling.bench.crowd import percentile
from teerling.bench.web import move_on, next_page

TURN_SECONDS, TURNS, ROUNDS = 8.0, 2, 3
SETTLING = 1.5
"""Seconds after which an attack has begun, or its last is done."""
FAR_AWAY = 10
"""How far back the attacker stands: in earnest the work of attacking is done by a machine elsewhere."""
CLICKS_EVERY = 0.14
"""Seconds between two clicks: a little longer than anybody has to wait."""
ATTACKER = "127.0.0.2"
PATIENCE = 60.0
SERVE = "from teerling.cli import main; main()"

Attack = Callable[["Attacker"], Awaitable[None]]
ATTACKS: dict[str, Attack] = {}


def attack(does: Attack) -> Attack:
    """Adds an attack to those that are run; its name is the function's."""
    ATTACKS[does.__name__] = does
    return does


# The others


@dataclass
class Felt:
    """Milliseconds that others waited for something, and what they were refused."""

    waited: dict[str, list[float]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    """Which part of the time the server worked, in each round."""

    def add(self, other: "Felt") -> None:
        """What they felt in another round, too."""
        for what, waits in other.waited.items():
            self.waited.setdefault(what, []).extend(waits)
        self.refused += other.refused
        self.busy += other.busy

    @contextlib.contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        except Exception as error:
            self.refused.append(f"{what}: {error!r}"[:100])
        finally:
            self.waited.setdefault(what, []).append(1000 * (time.perf_counter() - began))


class Others:
    """Somebody who clicks, looks at the lobby, opens tables and plays against a bot that thinks."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.chooser = random.Random(1)
        self.between_tables = 0.0

    async def live(self, seconds: float, with_bot: bool) -> Felt:
        felt, until = Felt(), time.monotonic() + seconds
        # Who looks on for longer opens tables less often: nobody may open so many.
        self.between_tables = 2.5 if with_bot else 0.6
        doing = [self.click, self.look_around, self.open_tables] + [self.play_against_bot] * with_bot
        await asyncio.gather(*(do(felt, until) for do in doing))
        return felt

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=PATIENCE)

    async def look_around(self, felt: Felt, until: float) -> None:
        async with self.client() as http:
            while time.monotonic() < until:
                with felt.waiting("lobby"):
                    (await http.get("/")).raise_for_status()
                await asyncio.sleep(0.25)

    async def open_tables(self, felt: Felt, until: float) -> None:
        async with self.client() as http:
            while time.monotonic() < until:
                with felt.waiting("new table"):
                    made = await http.post("/new/rapido", data={"seat0": "me", "seat1": "me"})
                    assert made.status_code == 303, made.status_code
                await asyncio.sleep(self.between_tables)

    async def click(self, felt: Felt, until: float) -> None:
        while time.monotonic() < until:
            try:
                async with await self.sits_down() as live:
                    await self.click_on(live, felt, until)
            except Exception as error:
                felt.refused.append(f"click: {error!r}"[:100])
                felt.waited.setdefault("click", []).append(1000 * PATIENCE)
                await asyncio.sleep(1.0)

    async def sits_down(self) -> Any:
        async with self.client() as http:
            made = await http.post("/new/rapido", data={"seat0": "me", "seat1": "me"})
            cookie = "; ".join(f"{name}={value}" for name, value in made.cookies.items())
            path = made.headers["location"]
        live = f"ws://127.0.0.1:{self.port}{path}/live"
        return connect(live, additional_headers={"Cookie": cookie}, max_size=None, open_timeout=PATIENCE)

    async def click_on(self, live: Any, felt: Felt, until: float) -> None:
        page = await next_page(live)
        while page["yours"] and time.monotonic() < until:
            move, version = move_on(page["html"], self.chooser), page["version"]
            began = time.perf_counter()
            await live.send(json.dumps({"kind": "move", "move": move, "at": version}))
            while page["version"] == version:
                page = await asyncio.wait_for(next_page(live), PATIENCE)
            felt.waited.setdefault("click", []).append(1000 * (time.perf_counter() - began))
            await asyncio.sleep(CLICKS_EVERY)

    async def play_against_bot(self, felt: Felt, until: float) -> None:
        """Moves of a bot that searches, from asking for a move to its answer."""
        seats = [{"kind": "me"}, {"kind": "bot", "level": "expert"}]
        async with self.client() as http:
            while time.monotonic() < until:
                made = (await http.post("/api/tables", json={"game": "ra", "seats": seats})).json()
                at = f"/api/tables/{made['table']['id']}"
                token = {"Authorization": f"Bearer {made['token']}"}
                state = (await http.get(f"{at}/view", headers=token)).json()
                while time.monotonic() < until and state["table"]["status"] == "playing":
                    if not state["yours"]:
                        began = time.perf_counter()
                        while not state["yours"] and state["table"]["status"] == "playing":
                            await asyncio.sleep(0.1)
                            state = (await http.get(f"{at}/view", headers=token)).json()
                        felt.waited.setdefault("a bot", []).append(1000 * (time.perf_counter() - began))
                    moves = (await http.get(f"{at}/moves", headers=token)).json()["moves"]
                    if moves:
                        wanted = {"move": moves[0]["text"]}
                        made_move = await http.post(f"{at}/moves", json=wanted, headers=token)
                        if made_move.status_code == 429:
                            # A machine with nothing else to do moves faster than anybody may.
                            await asyncio.sleep(0.5)
                        else:
                            state = made_move.json()


# The one who attacks


class Attacker:
    """A visitor with bad manners, from an address of their own."""

    def __init__(self, port: int, seconds: float, file: bytes = b"") -> None:
        self.port = port
        self.file = file
        self.until = time.monotonic() + seconds
        self.told = Counter[str]()
        """What the attack came to, to be printed."""

    @property
    def going_on(self) -> bool:
        return time.monotonic() < self.until

    def client(self) -> httpx.AsyncClient:
        transport = httpx.AsyncHTTPTransport(local_address=ATTACKER, limits=httpx.Limits(max_connections=50))
        return httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=20, transport=transport)

    async def connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(ATTACKER, 0))

    async def a_table(self, **seats: str) -> tuple[str, str]:
        """The path of a table of their own, and their cookie."""
        async with self.client() as http:
            made = await http.post("/new/rapido", data=seats or {"seat0": "me", "seat1": "me"})
            return made.headers["location"], "; ".join(f"{k}={v}" for k, v in made.cookies.items())

    async def socket(self, path: str, cookie: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A socket without anything that would keep its manners."""
        reader, writer = await self.connection()
        writer.write(
            f"GET {path}/live HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            f"Cookie: {cookie}\r\n\r\n".encode()
        )
        await reader.readuntil(b"\r\n\r\n")
        return reader, writer

    def count(self, what: str, by: int = 1) -> None:
        self.told[what] += by

    async def several(self, many: int, do: Callable[[], Awaitable[None]]) -> None:
        """Does something over and over, in so many places at once."""

        async def one() -> None:
            while self.going_on:
                try:
                    await do()
                except (OSError, EOFError, httpx.HTTPError, TimeoutError):
                    self.count("turned away")
                    await asyncio.sleep(0.02)

        await asyncio.gather(*(one() for _ in range(many)))


@attack
async def nobody(attacker: Attacker) -> None:
    """Nobody attacks: by how much the machine alone makes others wait longer or shorter."""
    await asyncio.sleep(attacker.until - time.monotonic())


def frame(opcode: int, data: bytes) -> bytes:
    """A frame as a browser would send it, masked with nothing."""
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack("!H", len(data))
    return bytes([0x80 | opcode]) + size + b"\0\0\0\0" + data


async def flood(attacker: Attacker, one: bytes) -> None:
    """Sends the same frame over one socket as fast as it can; opens another whenever that is closed."""
    path, cookie = await attacker.a_table()
    block = one * (32 * 1024 // len(one))

    async def swallow(reader: asyncio.StreamReader) -> None:
        while await reader.read(65536):
            pass

    async def send() -> None:
        reader, writer = await attacker.socket(path, cookie)
        attacker.count("sockets")
        swallowing = asyncio.create_task(swallow(reader))
        try:
            while attacker.going_on:
                writer.write(block)
                await asyncio.wait_for(writer.drain(), 5)
                attacker.count("frames", len(block) // len(one))
                await asyncio.sleep(0)
        finally:
            swallowing.cancel()
            writer.transport.abort()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    await attacker.several(1, send)


@attack
async def frames(attacker: Attacker) -> None:
    await flood(attacker, frame(1, b'{"kind": "ping"}'))


@attack
async def pings(attacker: Attacker) -> None:
    await flood(attacker, frame(9, b""))


@attack
async def opening(attacker: Attacker) -> None:
    """Opens sockets and closes them."""
    path, cookie = await attacker.a_table()

    async def once() -> None:
        reader, writer = await attacker.socket(path, cookie)
        attacker.count("sockets")
        await reader.read(100)
        writer.close()

    await attacker.several(4, once)


@attack
async def masters(attacker: Attacker) -> None:
    """Tables at which masters think, as many as there may be."""
    bots = [{"kind": "bot", "level": "master"}] * 5
    async with attacker.client() as http:
        alone = (await http.post("/api/tables", json={"game": "priests", "seats": bots[:4]})).status_code
        attacker.count(f"without a person {alone}")
        seats = bots[:4] if alone == 201 else [*bots[:3], {"kind": "me"}]
        for _ in range(80):
            made = await http.post("/api/tables", json={"game": "priests", "seats": seats})
            attacker.count(f"answered {made.status_code}")
        await asyncio.sleep(max(0.0, attacker.until - time.monotonic()))


@attack
async def throwing(attacker: Attacker) -> None:
    """Twenty sockets of one person throw for ever."""
    path, cookie = await attacker.a_table()
    headers = {"Cookie": cookie}

    async def throw() -> None:
        address = f"ws://127.0.0.1:{attacker.port}{path}/live"
        async with connect(address, additional_headers=headers, local_addr=(ATTACKER, 0)) as live:  # type: ignore[arg-type]
            version = json.loads(await live.recv())["version"]
            while attacker.going_on:
                await live.send(json.dumps({"kind": "move", "move": "throw", "at": version}))
                while (told := json.loads(await live.recv()))["kind"] != "page":
                    attacker.count(told["kind"])
                attacker.count("moves", told["version"] > version)
                version = told["version"]

    async def keep_throwing() -> None:
        try:
            await throw()
        except Exception as error:
            raise OSError from error

    await attacker.several(20, keep_throwing)


def large_file() -> bytes:
    """A match file that is about as long as a file may be."""
    match = teerling.new("rapido", players=2, seed=1, goal=30)
    while not match.over and len(match.history) < 6000:
        match.push("throw" if "throw" in map(str, match.legal_moves) else match.legal_moves[0])
    return match.save().encode()


@attack
async def uploads(attacker: Attacker) -> None:
    text = attacker.file
    async with attacker.client() as http:

        async def upload() -> None:
            answer = await http.post("/replay", files={"file": ("match.txt", text)})
            attacker.count(f"answered {answer.status_code}")

        await attacker.several(8, upload)


@attack
async def replays(attacker: Attacker) -> None:
    async with attacker.client() as http:
        kept = await http.post("/replay", files={"file": ("match.txt", attacker.file)})
        where = kept.headers.get("location", "/replay")

        async def look() -> None:
            answer = await http.get(where, params={"move": str(random.randrange(1000))})
            attacker.count(f"answered {answer.status_code}")

        await attacker.several(8, look)


@attack
async def lobbies(attacker: Attacker) -> None:
    """Looks at the lobby over and over."""
    async with attacker.client() as http:

        async def look() -> None:
            answer = await http.get("/")
            attacker.count(f"answered {answer.status_code}")

        await attacker.several(20, look)


@attack
async def endless_header(attacker: Attacker) -> None:
    async def send() -> None:
        _, writer = await attacker.connection()
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ")
        while attacker.going_on:
            writer.write(b"x" * 65536)
            await asyncio.wait_for(writer.drain(), 20)
            attacker.count("KB", 64)

    await attacker.several(2, send)


@attack
async def commas(attacker: Attacker) -> None:
    """Eight megabytes of commas in Accept-Language."""
    asks = b"GET / HTTP/1.1\r\nHost: x\r\nAccept-Language: " + b"," * (8 << 20) + b"\r\n\r\n"

    async def send() -> None:
        reader, writer = await attacker.connection()
        writer.write(asks)
        await asyncio.wait_for(writer.drain(), 20)
        answer = await reader.read(100)
        attacker.count(f"answered {answer[9:12].decode()}")
        writer.close()

    await attacker.several(2, send)


@attack
async def halves(attacker: Attacker) -> None:
    """Requests that never come to an end, and are kept open."""
    kept: list[asyncio.StreamWriter] = []

    async def begin() -> None:
        if len(kept) > 3000:
            await asyncio.sleep(0.1)
            return
        reader, writer = await attacker.connection()
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n")
        with contextlib.suppress(TimeoutError):
            if not await asyncio.wait_for(reader.read(10), 0.002):
                attacker.count("closed at once")
                return
        kept.append(writer)
        attacker.count("kept")

    await attacker.several(8, begin)


@attack
async def many_sockets(attacker: Attacker) -> None:
    path, cookie = await attacker.a_table()
    kept: list[asyncio.StreamWriter] = []

    async def begin() -> None:
        if len(kept) > 6000:
            await asyncio.sleep(0.1)
            return
        _, writer = await attacker.socket(path, cookie)
        kept.append(writer)
        attacker.count("kept")

    await attacker.several(8, begin)


@attack
async def tables(attacker: Attacker) -> None:
    async with attacker.client() as http:

        async def create() -> None:
            seats = [{"kind": "me"}, {"kind": "open"}]
            answer = await http.post("/api/tables", json={"game": "ra", "seats": seats})
            attacker.count(f"answered {answer.status_code}")

        await attacker.several(4, create)


async def over_and_over(attacker: Attacker, ask: bytes) -> None:
    """Asks for the same over as many connections as there may be, twenty times without waiting."""

    async def keep_asking() -> None:
        reader, writer = await attacker.connection()
        while attacker.going_on:
            writer.write(20 * ask)
            attacker.count("KB", len(await asyncio.wait_for(reader.read(1 << 20), 20)) // 1024)

    await attacker.several(250, keep_asking)


@attack
async def styles(attacker: Attacker) -> None:
    """What costs little and is asked by everybody."""
    await over_and_over(
        attacker, b"GET /games/ra/table.css HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n"
    )


@attack
async def refusals(attacker: Attacker) -> None:
    """Forms that seem to come from another site."""
    await over_and_over(
        attacker, b"POST /theme HTTP/1.1\r\nHost: x\r\nOrigin: http://y\r\nContent-Length: 0\r\n\r\n"
    )


@attack
async def nowhere(attacker: Attacker) -> None:
    """Pages that are not there."""
    await over_and_over(attacker, b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n")


# Both


@contextlib.contextmanager
def a_server(folder: Path) -> Iterator[tuple[int, int]]:
    """A server with its usual settings; its port and process."""
    environment = {**os.environ, "TEERLING_BOT_PAUSE": "0.1", "TEERLING_PUZZLES_AFTER": "0"}
    command = [sys.executable, "-c", SERVE, "serve", "--no-open", "--port", "0", "--data", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    try:
        assert process.stdout is not None
        told = re.search(rb"http://\S+:(\d+)/", process.stdout.readline())
        assert told is not None
        yield int(told[1]), process.pid
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def megabytes(pid: int) -> float:
    """How much memory a process has."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def worked(pid: int) -> float:
    """How many seconds a process has worked: what its tables, pages and readers had to share."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Measured:
    """What others felt as usual and while somebody attacked, and what the attack came to."""

    usual: Felt = field(default_factory=Felt)
    attacked: Felt = field(default_factory=Felt)
    told: Counter[str] = field(default_factory=Counter)
    grown: float = 0.0
    """Megabytes by which the server grew, at most."""


async def measure(name: str, port: int, pid: int, folder: Path, so_far: Measured) -> None:
    """Adds what others feel at a server, by turns with nobody and with somebody who attacks."""
    others, with_bot = Others(port), name == "masters"
    await others.live(2.0 if not with_bot else 25.0, with_bot)
    # Tables of masters are still there when who opened them is gone.
    turns, seconds = (1, 2 * TURN_SECONDS) if with_bot else (TURNS, TURN_SECONDS)

    async def turn(felt: Felt) -> None:
        began = worked(pid)
        now = await others.live(seconds, with_bot)
        now.busy = [(worked(pid) - began) / seconds]
        felt.add(now)

    for _ in range(turns):
        await turn(so_far.usual)
        attacking = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.attacks", "attack", name, str(port), str(seconds + SETTLING),
            str(folder / "match.txt"), stdout=subprocess.PIPE, preexec_fn=lambda: os.nice(FAR_AWAY),
        )  # fmt: skip
        await asyncio.sleep(SETTLING)
        await turn(so_far.attacked)
        told, _ = await asyncio.wait_for(attacking.communicate(), 120)
        so_far.told.update(json.loads(told or b"{}"))
        await asyncio.sleep(SETTLING)


def report(name: str, found: Measured) -> None:
    usual, felt = found.usual, found.attacked
    print(f"{name}: " + ", ".join(f"{what} {number}" for what, number in found.told.items()))
    for what in felt.waited:
        before, during = usual.waited.get(what, [0.0]), felt.waited[what]
        shares = [
            f"p{part} {percentile(before, part):7.1f} → {percentile(during, part):8.1f} ms "
            f"(× {percentile(during, part) / max(0.1, percentile(before, part)):.1f})"
            for part in (50, 90, 99)
        ]
        print(f"  {what:10} {'   '.join(shares)}   of {len(before)}, {len(during)}")
    print(f"  the server works {mean(usual.busy):.0%} → {mean(felt.busy):.0%} of the time")
    print(f"  memory {found.grown:+.0f} MB; refused: {len(felt.refused)} {felt.refused[:2]}")
    print(f"  load {os.getloadavg()[0]:.1f}", flush=True)


def attacked(name: str, rounds: int) -> None:
    """Has an attack come so many times, and prints what it came to."""
    found = Measured()
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as place, a_server(Path(place)) as (port, pid):
            folder = Path(place)
            (folder / "match.txt").write_bytes(large_file() if name in ("uploads", "replays") else b"")
            before = megabytes(pid)
            asyncio.run(measure(name, port, pid, folder, found))
            found.grown = max(found.grown, megabytes(pid) - before)
    report(name, found)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description="what others feel")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how many times each attack comes")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join(ATTACKS)}")
    given = parser.parse_args()
    for name in given.names or ATTACKS:
        attacked(name, given.rounds)


if __name__ == "__main__":
    if sys.argv[1:2] == ["attack"]:
        visitor = Attacker(int(sys.argv[3]), float(sys.argv[4]), Path(sys.argv[5]).read_bytes())
        with contextlib.suppress(TimeoutError):
            asyncio.run(asyncio.wait_for(ATTACKS[sys.argv[2]](visitor), float(sys.argv[4]) + 30))  # type: ignore[arg-type]
        print(json.dumps(visitor.told))
    else:
        main()
