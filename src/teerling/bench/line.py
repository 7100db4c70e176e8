"""A socket as a browser has it, that takes next to nothing of the machine on which a server is measured."""

import asyncio
import zlib
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import cast

PATIENCE = 30.0
CLOSED = "the server has closed the line"
REQUEST = (
    "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGVlcmxpbmcgbWVhc3VyZQ==\r\n"
    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n{headers}\r\n"
)
PARTS, TEXT, CLOSE, PING, PONG = 0, 1, 8, 9, 10
"""Kinds of frames (RFC 6455)."""
LAST, PACKED, MASKED = 0x80, 0x40, 0x80
MASK = bytes(4)
"""A mask hides what is sent from careless proxies; there is none on the way, so it changes nothing."""
PACKED_END = b"\x00\x00\xff\xff"
"""What the sender leaves out at the end of everything it packed (RFC 7692)."""


class Line(asyncio.Protocol):
    """A socket that offers to be sent packed texts, as browsers do."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._come = bytearray()
        self._answered = self._lost = False
        self._texts: deque[tuple[int, bytes]] = deque()
        """What has come and was not read: the first byte of a frame, and what it carries."""
        self._unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
        self._waiting: asyncio.Future[None] | None = None

    async def open(self, port: int, path: str, headers: Mapping[str, str]) -> None:
        """Asks for a socket; ConnectionError if the server gives none."""
        named = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._transport.write(REQUEST.format(path=path, port=port, headers=named).encode())
        while not self._answered:
            await self._news()

    def close(self) -> None:
        if not self._transport.is_closing():
            self._write(CLOSE, (1000).to_bytes(2))
        self._transport.close()

    async def send(self, text: str) -> None:
        self._write(TEXT, text.encode())

    async def recv(self) -> str:
        """The next text."""
        while not self._texts:
            await self._news()
        first, carried = self._texts.popleft()
        return (self._unpacking.decompress(carried + PACKED_END) if first & PACKED else carried).decode()

    async def passed(self) -> int:
        """Waits until texts have come, and says how many; they are not unpacked, and none is from then on."""
        while not self._texts:
            await self._news()
        count = len(self._texts)
        self._texts.clear()
        return count

    async def _news(self) -> None:
        """Waits until something has come."""
        if self._lost:
            raise ConnectionError(CLOSED)
        self._waiting = asyncio.get_running_loop().create_future()
        await self._waiting

    def _tell(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _write(self, kind: int, carried: bytes) -> None:
        if self._transport.is_closing():
            raise ConnectionError(CLOSED)
        size = len(carried)
        sized = bytes([MASKED | size]) if size < 126 else bytes([MASKED | 126]) + size.to_bytes(2)
        self._transport.write(bytes([LAST | kind]) + sized + MASK + carried)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        self._tell()

    def data_received(self, data: bytes) -> None:
        self._come += data
        if not self._answered:
            head, ended, rest = self._come.partition(b"\r\n\r\n")
            if not ended:
                return
            if not head.startswith(b"HTTP/1.1 101 "):
                self._transport.abort()
                return
            self._answered, self._come = True, rest
        self._take_frames()
        self._tell()

    def _take_frames(self) -> None:
        come, at = self._come, 0
        while len(come) >= at + 2:
            size, begins = come[at + 1], at + 2
            if size > 125:
                begins += 2 if size == 126 else 8
                if len(come) < begins:
                    break
                size = int.from_bytes(come[at + 2 : begins])
            if len(come) < begins + size:
                break
            self._take(come[at], bytes(come[begins : begins + size]))
            at = begins + size
        del come[:at]

    def _take(self, first: int, carried: bytes) -> None:
        kind = first & 0x0F
        if kind == PING:
            self._write(PONG, carried)
        elif kind in (CLOSE, PARTS) or not first & LAST:
            # Texts in parts are sent by no server that is measured here.
            self._transport.abort()
        else:
            self._texts.append((first, carried))


@asynccontextmanager
async def connected(port: int, path: str, headers: Mapping[str, str] | None = None) -> AsyncIterator[Line]:
    """A socket of a server on this machine, until the block ends."""
    async with asyncio.timeout(PATIENCE):
        _, line = await asyncio.get_running_loop().create_connection(Line, "127.0.0.1", port)
        try:
            await line.open(port, path, headers or {})
        except BaseException:
            line.close()
            raise
    try:
        yield line
    finally:
        line.close()
