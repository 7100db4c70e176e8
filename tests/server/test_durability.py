"""A server that is killed in the middle of play: after the restart nothing is lost that somebody was told.

Real processes, real sockets: people play at several tables, the server gets SIGKILL at a random moment, and
what is stored then is compared with what the people had seen.
"""

import asyncio
import json
import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from teerling.bench.web import fetch, is_over, move_on, new_table
from teerling.game import game
from teerling.server.context import open_house
from teerling.server.database.storage import Storage
from teerling.server.house import House
from teerling.server.tables import opening
from teerling.server.tables.table import Table
from tests.apart import run_apart
from tests.chaos.faults import Server
from tests.server import cluster as clusters
from tests.server.houses import page_message
from tests.variants import GAMES

TABLES = (*GAMES, GAMES[0])
ROUNDS, SECONDS = 8, 60.0
"""How often the server is killed at most, and how long that goes on; three times in any case."""
PATIENCE = 60.0


@dataclass
class Seat:
    """Somebody at a table, what was sent from there, and what came back."""

    path: str
    cookie: str
    sent: list[tuple[int, str]] = field(default_factory=list)
    """At which version, and which move."""
    page: dict[str, Any] = field(default_factory=dict)
    """The last page that came."""

    @property
    def table_id(self) -> str:
        return self.path.rpartition("/")[2]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    yield from running(Server(tmp_path))


def running(made: Server) -> Iterator[Server]:
    try:
        yield made
    finally:
        if made.process is not None and made.process.poll() is None:
            made.kill()


def test_nothing_that_was_told_is_lost(server: Server) -> None:
    play_and_kill(server, random.Random(7), ROUNDS, SECONDS)
    with sqlite3.connect(server.folder / "teerling.db") as database:
        assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert database.execute("pragma foreign_key_check").fetchall() == []


def test_nothing_that_was_told_is_lost_with_postgresql(tmp_path: Path) -> None:
    with clusters.cluster() as cluster:
        for server in running(Server(tmp_path, cluster.new_database())):
            play_and_kill(server, random.Random(8), 3, 30.0)


def test_a_server_that_is_killed_while_it_starts_starts_again(server: Server) -> None:
    chooser = random.Random(9)
    for _ in range(5):
        server.start(wait=False)
        time.sleep(chooser.uniform(0.1, 1.2))
        server.kill()
    server.start()
    assert fetch(server.port, "/")[0] == 200
    assert Storage(server.settings.database_url).schema() is not None


def play_and_kill(server: Server, chooser: random.Random, rounds: int, seconds: float) -> None:
    """Plays, kills, compares and starts again, several times."""
    began = time.monotonic()
    server.start()
    seats = [Seat(*new_table(server.port, game(id))) for id in TABLES]
    moves = 0
    for number in range(rounds):
        run_apart(play_until_killed(server, seats, chooser))
        moves = sum(len(seat.sent) for seat in seats)
        compare(server, seats)
        server.start()
        if number >= 2 and time.monotonic() - began > seconds:
            break
        renew(server, seats)
    run_apart(see_that_all_goes_on(server, seats))
    assert moves > rounds
    server.kill()


def renew(server: Server, seats: list[Seat]) -> None:
    """Where a match is over, another one begins."""
    for index, seat in enumerate(seats):
        if seat.page and is_over(seat.page):
            seats[index] = Seat(*new_table(server.port, game(TABLES[index])))


async def play_until_killed(server: Server, seats: list[Seat], chooser: random.Random) -> None:
    playing = [asyncio.create_task(play(server, seat, random.Random(chooser.random()))) for seat in seats]
    # The moment is random, but not before somebody has moved.
    before = sum(len(seat.sent) for seat in seats)
    deadline = time.monotonic() + PATIENCE
    while sum(len(seat.sent) for seat in seats) == before and time.monotonic() < deadline:
        await asyncio.sleep(0.01)
    await asyncio.sleep(chooser.uniform(0.0, 2.0))
    await asyncio.to_thread(server.kill)
    await asyncio.gather(*playing)


async def play(server: Server, seat: Seat, chooser: random.Random) -> None:
    """Moves whenever it is the turn, as quickly as pages come, until the connection breaks."""
    with suppress(ConnectionClosed, InvalidHandshake, OSError, EOFError):
        async with connected(server, seat) as live:
            async for text in live:
                message = json.loads(text)
                assert message["kind"] == "page", message
                seat.page = message
                at = message["version"]
                if message["yours"] and not (seat.sent and seat.sent[-1][0] == at):
                    move = move_on(message["html"], chooser)
                    seat.sent.append((at, move))
                    await live.send(json.dumps({"kind": "move", "move": move, "at": at}))


def connected(server: Server, seat: Seat) -> Any:
    return connect(
        f"ws://127.0.0.1:{server.port}{seat.path}/live?lang=nl",
        additional_headers={"Cookie": seat.cookie},
        max_size=None,
        ping_interval=None,
        open_timeout=PATIENCE,
    )


def compare(server: Server, seats: list[Seat]) -> None:
    """What is stored is what was told, and what was sent is stored once or not at all."""
    house = open_house(server.settings)
    try:
        for seat in seats:
            compare_seat(house, seat)
    finally:
        house.storage.close()


def compare_seat(house: House, seat: Seat) -> None:
    table = opening.load(house.storage, seat.table_id)
    stored = house.storage.entries(seat.table_id)
    entries = [(entry.seat, entry.text) for entry in stored]
    assert [entry.number for entry in stored] == list(range(table.version))
    assert table.row.turn == table.match.turn
    told = seat.page.get("version", 0)
    assert table.version >= told, "something was told that is not stored"
    for at, move in seat.sent:
        if at < told:
            assert entries[at] == (0, move), "an acknowledged move is not stored"
        else:
            assert table.version == at or entries[at] == (0, move), "somebody else moved instead"
    # Nobody but bots has gone on since, and what the person saw last is made again from what is stored.
    beyond = [kind for kind, _ in entries[told:]]
    unacknowledged = [at for at, _ in seat.sent if at >= told]
    assert len(unacknowledged) <= 1
    assert beyond == [] or unacknowledged or 0 not in beyond[:1]
    if seat.page:
        row = house.storage.table(seat.table_id)
        assert row is not None
        row.status = "playing" if not is_over(seat.page) else row.status
        row.ending = None if row.status == "playing" else row.ending
        then = Table(house.storage, row, stored[:told])
        page = page_message(house, then, str(then.seating[0].person_id), "nl")
        # What led there was shown once, before it.
        assert {**page, "frames": []} == {**seat.page, "frames": []}


async def see_that_all_goes_on(server: Server, seats: list[Seat]) -> None:
    """Everybody comes back, the bots go on, and moves are taken."""
    await asyncio.gather(*(asyncio.wait_for(see_that_it_goes_on(server, seat), PATIENCE) for seat in seats))


async def see_that_it_goes_on(server: Server, seat: Seat) -> None:
    chooser = random.Random(1)
    moved_at: set[int] = set()
    async with connected(server, seat) as live:
        while len(moved_at) < 3:
            page = json.loads(await live.recv())
            assert page["kind"] == "page", page
            assert page["version"] >= seat.page.get("version", 0)
            seat.page = page
            if is_over(page):
                return
            # Who is there may change while a move is on its way: then the same page comes again.
            if page["yours"] and page["version"] not in moved_at:
                moved_at.add(page["version"])
                message = {"kind": "move", "move": move_on(page["html"], chooser), "at": page["version"]}
                await live.send(json.dumps(message))
