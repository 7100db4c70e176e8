"""A line to a server is read as it is sent: packed or not, long or short, until the other side hangs up."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from teerling.bench.line import connected
from tests.apart import run_apart

TEXTS = ["a", "é" * 60, "b" * 125, "c" * 126, "d" * 70_000, "packed " * 10_000, "a"]


def at_server(
    answer: Callable[[ServerConnection], Awaitable[None]],
    ask: Callable[[int], Awaitable[None]],
    packed: bool = True,
    refuse: Callable[[ServerConnection, Request], Response | None] | None = None,
) -> None:
    """Has somebody ask a server that gives such answers."""

    async def both() -> None:
        compression = "deflate" if packed else None
        async with serve(answer, "127.0.0.1", 0, compression=compression, process_request=refuse) as server:
            await ask(next(iter(server.sockets)).getsockname()[1])

    run_apart(both())


@pytest.mark.parametrize("packed", [True, False])
def test_texts_come_as_they_were_sent_and_pings_are_answered(packed: bool) -> None:
    heard: list[object] = []

    async def answer(line: ServerConnection) -> None:
        for text in TEXTS:
            await line.send(text)
            await asyncio.wait_for(await line.ping(), 5)
        heard.extend([await line.recv(), await line.recv()])
        await line.send("both")

    async def ask(port: int) -> None:
        async with connected(port, "/", {"Cookie": "a=b"}) as line:
            assert [await line.recv() for _ in TEXTS] == TEXTS
            await line.send("short ☀")
            await line.send("long " * 100)
            assert await line.recv() == "both"
            with pytest.raises(ConnectionError, match="has closed the line"):
                await line.recv()

    at_server(answer, ask, packed)
    assert heard == ["short ☀", "long " * 100]


def test_who_only_counts_reads_nothing() -> None:
    async def answer(line: ServerConnection) -> None:
        for text in TEXTS:
            await line.send(text)
        await line.wait_closed()

    async def ask(port: int) -> None:
        async with connected(port, "/") as line:
            count = 0
            while count < len(TEXTS):
                count += await line.passed()
            assert count == len(TEXTS)

    at_server(answer, ask)


def test_a_server_that_gives_no_line_is_told() -> None:
    async def answer(line: ServerConnection) -> None:
        raise AssertionError("nobody comes")

    async def ask(port: int) -> None:
        with pytest.raises(ConnectionError, match="has closed the line"):
            async with connected(port, "/"):
                pass

    at_server(answer, ask, refuse=lambda line, _: line.respond(403, "no"))
