"""How much reviews slow tables down: people play by turns with and without many who wait for reviews.

The server, its tables and the clients are the same all the time. Those who wait ask as a page does
(`static/review.js`), each from an address of its own.
"""

import asyncio
import json
import os
import random
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..game import Game
from ..lab.simulate import cores
from ..words import Speaker
from .crowd import Crowd, Gathering, Served, gathered, measure, percentile, quick_loop
from .figures import Figure, print_figures
from .web import PAUSE, Program, fetch, multiplied, play_tables, served, text_of

SLOWER = 1.2
"""How many times as long a move may take while many wait for reviews."""
WAITING = 100
TABLES, SECONDS, TURNS = 50, 15.0, 3
SOON, LATER, LATEST = 1.0, 3.0, 10.0
"""Seconds after which a page asks again: of the review that is worked out, the next one and the last."""
GIVEN_UP = 25.0
"""Seconds after which a server works no more on what nobody asks for."""
COMPILED = 240.0
"""Seconds that reviews of all games have to get ready in."""


@dataclass
class Waiting:
    """Those who wait for reviews, and how far these are."""

    port: int
    percents: dict[str, int] = field(default_factory=dict)

    async def begin(self, paths: Sequence[str]) -> list["asyncio.Task[None]"]:
        """Everybody asks; those who do are tasks until somebody ends them."""
        asking = [asyncio.create_task(self._ask(path, number)) for number, path in enumerate(paths)]
        async with asyncio.timeout(COMPILED):
            while len(self.percents) < len(paths) and not any(task.done() for task in asking):
                await asyncio.sleep(0.1)
        return asking

    async def _ask(self, path: str, number: int) -> None:
        """Opens the page of a review, and asks for what is new until it is complete."""
        source = f"127.0.{1 + number // 200}.{1 + number % 200}"

        async def get(what: str) -> str:
            answer = await asyncio.to_thread(fetch, self.port, path + what, source=source)
            return text_of(answer)

        await get("")
        shown = 0
        while True:
            now: dict[str, Any] = json.loads(await get("/progress"))
            self.percents[path] = now["percent"]
            if now["number"] != shown:
                shown = now["number"]
                await get("?fragment=1")
            if now["complete"]:
                return
            await asyncio.sleep(min(LATEST, LATER + now["before"] / 10) if now["before"] else SOON)


def review_bench(games: Sequence[Game], quick: bool, as_json: bool, say: Speaker) -> None:
    """Measures tables with and without people who wait for reviews, and prints it."""
    gathering = Gathering(10, 4.0) if quick else Gathering(TABLES, SECONDS)
    waiting, turns = (WAITING // 5, 1) if quick else (WAITING, TURNS)
    found = list(of_reviews(games, gathering, waiting, turns, say))
    if as_json:
        figures = {"reviews": [{**asdict(each), "met": each.met} for each in found]}
        print(json.dumps({"cores": cores(), "quick": quick, "figures": figures, "remarks": []}))
    else:
        label = say(
            "{tables} tables, and {count} who wait for reviews", tables=gathering.tables, count=waiting
        )
        print_figures(label, found, say)


def of_reviews(
    games: Sequence[Game], gathering: Gathering, waiting: int, turns: int, say: Speaker
) -> Iterator[Figure]:
    """From a client's move to its page, by turns without reviews and with them."""
    with tempfile.TemporaryDirectory() as folder:
        paths = played_out(Path(folder), games, waiting)
        with served(PAUSE, data=Path(folder)) as server:
            for path in paths:
                fetch(server.port, path.removesuffix("/review") + "/replay")
            server.settle()
            crowd, others = Crowd([server.port], gathering), Waiting(server.port)
            met = quick_loop(
                by_turns(
                    crowd, server, others, paths, turns,
                    lambda number: play_tables(crowd, games[number % len(games)], number),
                )
            )  # fmt: skip
    without, beside = ([each for part in parts for each in part] for parts in met)
    least, most = percentile(without, 99), percentile(beside, 99)
    yield Figure("alone_p99", say("99 of 100 within, without reviews"), least, "ms")
    yield Figure(
        "reviews_p99", say("99 of 100 within, with reviews"), most, "ms", SLOWER * least,
        ratio=most / least, beside=say("without reviews"),
    )  # fmt: skip
    slowest = [max(percentile(part, 99) for part in parts) for parts in met]
    yield Figure("alone_slowest", say("the same in the slowest turn, without reviews"), slowest[0], "ms")
    yield Figure("reviews_slowest", say("the same in the slowest turn, with reviews"), slowest[1], "ms")
    yield Figure("alone_median", say("median without reviews"), statistics.median(without), "ms")
    yield Figure("reviews_median", say("median with reviews"), statistics.median(beside), "ms")
    yield Figure("alone_moves", say("moves of clients without reviews"), len(without))
    yield Figure("reviews_moves", say("moves of clients with reviews"), len(beside))
    worked = sum(others.percents.values()) / 100
    yield Figure("reviews_worked", say("whole reviews worked out meanwhile"), worked)
    yield Figure("machine", say("load of the machine meanwhile"), os.getloadavg()[0])


def played_out(folder: Path, games: Sequence[Game], count: int) -> list[str]:
    """A data folder with so many tables whose matches are over; the paths of their reviews."""
    chooser = random.Random(1)
    with (
        served(data=folder, TEERLING_DURABILITY="process") as server,
        closing(Program(server.port)) as program,
    ):
        seats = [program.opens(game) for game in games]
        for seat in seats:
            while seat.legal:
                program.moves(seat, chooser)
    everywhere = multiplied(folder / "teerling.db", seats, count)
    return [f"/tables/{seat.table}/review" for seat in everywhere]


async def by_turns(
    crowd: Crowd,
    server: Served,
    others: Waiting,
    paths: Sequence[str],
    turns: int,
    play_tables: Callable[[int], Any],
) -> tuple[list[list[float]], list[list[float]]]:
    """What clients met in every turn without reviews, which is the first and the last, and with them."""
    alone, beside = [], []
    async with gathered(crowd, play_tables):
        alone.append(await measure(crowd, server))
        for _ in range(turns):
            asking = await others.begin(paths)
            beside.append(await measure(crowd, server))
            for task in asking:
                task.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
            await asyncio.sleep(GIVEN_UP)
            alone.append(await measure(crowd, server))
    return alone, beside
