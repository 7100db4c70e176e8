"""Those who play while something breaks, and what they remember of it.

They behave as pages and careful programs do: whoever gets no answer looks how things stand, and only then
moves again. Nobody ever gives up.
"""

import asyncio
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from teerling.bench.web import is_over, move_on
from tests.variants import GAMES

PATIENCE = 20.0
"""Seconds that somebody waits for one answer."""
FIRST_RETRY, LONGEST_RETRY = 0.05, 0.5
BUSY = {409, 429, 503}
"""Answers after which somebody looks again: the table has moved on, or nothing can be stored now."""
SPEAKS_EVERY = 6
"""After so many moves somebody says a line."""

Sent = tuple[int, str]
"""Which seat, and which move."""


class Lost(Exception):
    """No answer came, or none that says what happened."""


@dataclass
class Memory:
    """What somebody sent to a table and was told about it."""

    table_id: str
    seats: frozenset[int]
    """Those that nobody else plays."""
    sent: dict[int, list[Sent]] = field(default_factory=lambda: defaultdict(list))
    """By the version at which it was sent."""
    acknowledged: dict[int, Sent] = field(default_factory=dict)
    told: int = 0
    """The newest version that was seen."""
    said: list[str] = field(default_factory=list)
    """Lines of chat of which it was said that they are stored, or that were seen."""
    over: bool = False

    def acknowledge(self, at: int, what: Sent) -> None:
        self.acknowledged[at] = what
        self.told = max(self.told, at + 1)


class Crowd:
    """Everybody who plays at a server, or at several that serve the same tables."""

    def __init__(
        self, ports: list[int], programs: int, pages: int, seed: int = 0, level: str = "random"
    ) -> None:
        """`level` is that of all bots."""
        self.ports = ports
        self.level = level
        self.memories: list[Memory] = []
        self.answers: Counter[int] = Counter()
        """How often which status came."""
        self.sentences: set[str] = set()
        """What was said to those who were refused."""
        self.wrong: list[str] = []
        """What should never be answered."""
        self.moved = 0
        """How many moves were acknowledged."""
        self.waits: list[float] = []
        """Seconds from a lost connection of a page to its next page."""
        self.leaving = False
        chooser = random.Random(seed)
        self._playing = [Program(self, random.Random(chooser.random()), i) for i in range(programs)]
        self._playing += [Page(self, random.Random(chooser.random()), i) for i in range(pages)]

    @asynccontextmanager
    async def at_play(self) -> AsyncIterator["Crowd"]:
        """Everybody plays until the block ends; what anybody stumbled over is raised."""
        tasks = [asyncio.create_task(each.play()) for each in self._playing]
        try:
            yield self
        finally:
            # A cancellation that comes just with an answer may be taken for the answer.
            self.leaving = True
            for task in tasks:
                task.cancel()
            done = await asyncio.gather(*tasks, return_exceptions=True)
        for error in done:
            if isinstance(error, Exception):
                raise error

    async def go_on(self, moves: int, patience: float = 180.0) -> None:
        """Waits until so many more moves were acknowledged."""
        began, wanted = time.monotonic(), self.moved + moves
        while self.moved < wanted:
            assert time.monotonic() - began < patience, f"nobody gets on: {self.answers} {self.sentences}"
            await asyncio.sleep(0.005)

    def note_move(self, memory: Memory, at: int, what: Sent) -> None:
        memory.acknowledge(at, what)
        self.moved += 1

    def note_a_move(self, memory: Memory, at: int) -> None:
        """A page shows that something was done at a version.

        If what was sent there first was not answered, it may have been done late: any of it may be meant.
        """
        if len(memory.sent[at]) == 1:
            memory.acknowledge(at, memory.sent[at][0])
        self.moved += 1


class Player:
    """Somebody who plays one match after another."""

    def __init__(self, crowd: Crowd, chooser: random.Random, number: int) -> None:
        self.crowd = crowd
        self.chooser = chooser
        self.number = number
        self.memory: Memory | None = None
        self._tried = 0

    @property
    def port(self) -> int:
        """Where to ask; after a failure somewhere else, if there is."""
        return self.crowd.ports[(self.number + self._tried) % len(self.crowd.ports)]

    @property
    def game(self) -> str:
        return self.chooser.choice(GAMES)

    async def play(self) -> None:
        while not self.crowd.leaving:
            try:
                await self.play_on()
                self._tried = 0
            except (Lost, httpx.HTTPError, OSError, EOFError, TimeoutError):
                await asyncio.sleep(min(LONGEST_RETRY, FIRST_RETRY * 2 ** min(self._tried, 8)))
                self._tried += 1

    async def play_on(self) -> None:
        """Does the next thing; Lost if nobody knows whether it was done."""
        raise NotImplementedError

    def remember(self, table_id: str, seats: frozenset[int]) -> Memory:
        memory = self.memory = Memory(table_id, seats)
        self.crowd.memories.append(memory)
        return memory

    def check(self, answer: httpx.Response, *right: int) -> None:
        """Lost after an answer that asks for patience; anything else than what is right is noted as wrong."""
        self.crowd.answers[answer.status_code] += 1
        if answer.status_code in right:
            return
        if answer.status_code in BUSY:
            with suppress(ValueError, KeyError):
                self.crowd.sentences.add(answer.json()["error"]["message"])
        else:
            self.crowd.wrong.append(f"{answer.request.method} {answer.url}: {answer.status_code}")
        raise Lost


class Program(Player):
    """Plays by the JSON API: two seats of its own, or one against bots."""

    def __init__(self, crowd: Crowd, chooser: random.Random, number: int) -> None:
        super().__init__(crowd, chooser, number)
        self._http = httpx.AsyncClient(timeout=PATIENCE)
        self._token = ""

    async def play(self) -> None:
        async with self._http:
            await super().play()

    async def play_on(self) -> None:
        if self.memory is None or self.memory.over:
            await self.sit_down()
        else:
            await self.move(self.memory)

    async def sit_down(self) -> None:
        other = {"kind": "me"} if self.number % 2 else {"kind": "bot", "level": self.crowd.level}
        wanted = {"game": self.game, "seats": [{"kind": "me"}, other], "name": f"P{self.number}"}
        made = await self._http.post(f"http://127.0.0.1:{self.port}/api/tables", json=wanted)
        self.check(made, 201)
        told = made.json()
        self._token = told["token"]
        self.remember(told["table"]["id"], frozenset(told["seats"]))

    async def ask(self, memory: Memory, what: str) -> dict[str, Any]:
        answer = await self._http.get(self.address(memory, what), headers=self.headers)
        self.check(answer, 200)
        told: dict[str, Any] = answer.json()
        return told

    async def move(self, memory: Memory) -> None:
        """One move if it is this program's turn, from what it has just read."""
        told = await self.ask(memory, "moves")
        at = told["version"]
        memory.told = max(memory.told, at)
        if not told["yours"]:
            state = await self.ask(memory, "view")
            memory.over = state["table"]["status"] == "over"
            await asyncio.sleep(0.02)
            return
        what = (told["seat"], self.chooser.choice(told["moves"])["text"])
        memory.sent[at].append(what)
        answer = await self._http.post(
            self.address(memory, "moves"), json={"move": what[1], "at": at}, headers=self.headers
        )
        self.check(answer, 200)
        self.crowd.note_move(memory, at, what)
        memory.over = answer.json()["table"]["status"] == "over"

    def address(self, memory: Memory, what: str) -> str:
        return f"http://127.0.0.1:{self.port}/api/tables/{memory.table_id}/{what}"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"}


class Page(Player):
    """Plays against bots as a page does, over a socket, and says something now and then."""

    def __init__(self, crowd: Crowd, chooser: random.Random, number: int) -> None:
        super().__init__(crowd, chooser, number)
        self._cookie = ""
        self._lines = 0
        self._line: str | None = None
        """What was said, as long as nobody knows whether it was heard."""
        self._broken: float | None = None

    async def play_on(self) -> None:
        if self.memory is None or self.memory.over:
            await self.sit_down()
            return
        try:
            async with self.connected(self.memory) as live:
                await self.follow(self.memory, live)
        except (ConnectionClosed, InvalidHandshake, InvalidMessage) as error:
            raise Lost from error
        finally:
            self._broken = self._broken or time.monotonic()

    async def sit_down(self) -> None:
        form = {"name": f"S{self.number}", "seat0": "me", "seat1": "bot", "level1": self.crowd.level}
        async with httpx.AsyncClient(timeout=PATIENCE) as http:
            made = await http.post(f"http://127.0.0.1:{self.port}/new/{self.game}", data=form)
        self.check(made, 303)
        self._cookie = "; ".join(f"{name}={value}" for name, value in made.cookies.items())
        self.remember(made.headers["location"].rpartition("/")[2], frozenset({0}))
        self._line = self._broken = None

    def connected(self, memory: Memory) -> Any:
        return connect(
            f"ws://127.0.0.1:{self.port}/tables/{memory.table_id}/live?lang=en",
            additional_headers={"Cookie": self._cookie},
            max_size=None,
            ping_interval=None,
            open_timeout=PATIENCE,
        )

    async def follow(self, memory: Memory, live: Any) -> None:
        """Moves whenever it is the turn, until the match is over or the connection breaks."""
        waiting: int | None = None
        """The version at which a move was sent that is not answered yet."""
        first = True
        while not self.crowd.leaving:
            message = json.loads(await asyncio.wait_for(live.recv(), PATIENCE))
            if message["kind"] == "said" and self._line is not None:
                memory.said.append(self._line)
                self._line = None
            elif message["kind"] == "error":
                # A page would show it; what comes of it is seen by whoever looks anew.
                self.crowd.sentences.add(message["text"])
                raise Lost
            if message["kind"] != "page":
                continue
            at, html = message["version"], message["html"]
            memory.told = max(memory.told, at)
            self._tried = 0
            if first:
                first = False
                self.note_back()
                await self.say_again(memory, live, html)
            if waiting is not None and at > waiting:
                # Nobody else moves in this seat: the table has moved on by what was sent.
                self.crowd.note_a_move(memory, waiting)
                waiting = None
            if is_over(message):
                memory.over = True
                return
            if message["yours"] and waiting is None:
                waiting, move = at, move_on(html, self.chooser)
                memory.sent[at].append((0, move))
                await live.send(json.dumps({"kind": "move", "move": move, "at": at}))
                if len(memory.acknowledged) % SPEAKS_EVERY == 0 and self._line is None:
                    self._lines += 1
                    await self.say(live, f"line {self.number}-{self._lines} of {memory.table_id}.")

    def note_back(self) -> None:
        if self._broken is not None:
            self.crowd.waits.append(time.monotonic() - self._broken)
        self._broken = None

    async def say(self, live: Any, line: str) -> None:
        self._line = line
        mark = f"{self.number}-{self._lines}"
        await live.send(json.dumps({"kind": "chat", "text": line, "mark": mark}))

    async def say_again(self, memory: Memory, live: Any, html: str) -> None:
        """Says once more what was not heard; what is on the page was."""
        if self._line is None:
            return
        if self._line in unescape(html):
            memory.said.append(self._line)
            self._line = None
        else:
            await self.say(live, self._line)
