"""Connections as they come in: so many from an address, no request without an end, no socket that floods.

What is done here costs next to nothing and is done before anything is understood of what somebody sends.
"""

import asyncio
import ipaddress
import time
from math import inf
from typing import Any, cast

import uvicorn
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory

from ..settings import ANYBODY, Settings
from ..watch.metrics import CLOSED, CONNECTIONS
from .limits import LASTS, Headcount, Limiter, prefix_of

MOST_HEAD = 32 * 1024
"""Bytes of a request before its body."""
PIECE = 1024
"""So many bytes of a socket are parsed before it is seen whether it floods."""
COMPRESSION = {"level": 1, "memLevel": 5}
"""A page takes a tenth more bytes than at level 3, for three quarters of the time."""
LOOK_AGAIN = 1.0
"""Seconds between two looks at the requests that have not come as a whole."""
FAREWELL = 0.5
"""Seconds that somebody has to read why a connection is closed: what they still send would cut that off."""
TOO_FAST = "That was too fast; please wait a moment."


MAPPED = "::ffff:"
"""Before an IPv4 address as a socket for IPv6 sees it."""
NO_TEXT = 1007
"""The code with which a socket is closed whose text is none."""


def is_text(data: bytes) -> bool:
    """Whether bytes are a text in UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class Door:
    """Who comes in: how many connections an address has, and which still have to say what they want."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.inside = Headcount(settings.most_connections_of_address, name="connections")
        self._knocks = Limiter(settings.connections_per_second, name="knocks")
        self._asking: dict[Requests, float] = {}
        """Connections whose request has not come as a whole, the oldest first, and since when."""
        self._unread: dict[Requests, float] = {}
        """Connections whose other side does not read what it asked for, and since when."""
        self._looking: asyncio.TimerHandle | None = None
        told = settings.trusted_proxies
        self._believes_all = told == ANYBODY
        networks = [each.strip() for each in told.split(",") if each.strip() and not self._believes_all]
        self._proxies = [ipaddress.ip_network(each, strict=False) for each in networks]

    def is_proxy(self, address: str) -> bool:
        """Whether everybody may come from this address, as a proxy is there that is believed."""
        try:
            given = ipaddress.ip_address(address)
        except ValueError:
            return True
        return self._believes_all or any(given in proxies for proxies in self._proxies)

    def enter(self, address: str) -> bool:
        """Whether another connection of an address may come in."""
        if not self.is_proxy(address):
            who = prefix_of(address)
            if not self._knocks.allows(who) or not self.inside.enter(who):
                CLOSED.labels("too_many").inc()
                return False
        CONNECTIONS.inc()
        return True

    def leave(self, address: str) -> None:
        CONNECTIONS.dec()
        if not self.is_proxy(address):
            self.inside.leave(prefix_of(address))

    def asks(self, connection: "Requests") -> None:
        """A connection has to say what it wants from now on."""
        self._asking.setdefault(connection, time.monotonic())
        self._look_soon(connection.loop)

    def has_asked(self, connection: "Requests") -> None:
        self._asking.pop(connection, None)

    def is_asking(self, connection: "Requests") -> bool:
        return connection in self._asking

    def stops_reading(self, connection: "Requests") -> None:
        """Nothing more of an answer can be sent, until the other side has read some of it."""
        self._unread.setdefault(connection, time.monotonic())
        self._look_soon(connection.loop)

    def reads_on(self, connection: "Requests") -> None:
        self._unread.pop(connection, None)

    def give_up_unread(self, since: float = inf) -> None:
        """Ends connections whose other side has read nothing since a moment; unless told, all that wait."""
        for connection in [each for each, began in self._unread.items() if began < since]:
            self.reads_on(connection)
            CLOSED.labels("unread").inc()
            connection.transport.abort()

    def _look_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._looking is None:
            self._looking = loop.call_later(LOOK_AGAIN, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Closes connections that take too long to say what they want, or to read what they asked for."""
        before = time.monotonic() - self.settings.request_seconds
        for connection in [each for each, since in self._asking.items() if since < before]:
            self.has_asked(connection)
            connection.refuse(408, "too_slow")
        self.give_up_unread(before)
        self._looking = None
        if self._asking or self._unread:
            self._look_soon(loop)


def plain(client: tuple[str, int] | None) -> tuple[str, int] | None:
    """Where somebody is, by the address they have: who listens to both kinds sees ::ffff:192.0.2.7.

    >>> plain(("::ffff:192.0.2.7", 80)), plain(("2001:db8::1", 80))
    (('192.0.2.7', 80), ('2001:db8::1', 80))
    """
    if client is None or not client[0].startswith(MAPPED):
        return client
    return client[0].removeprefix(MAPPED), client[1]


def hang_up(transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
    """Reads nothing more, and closes a connection when the other side has had time to read why."""
    transport.pause_reading()
    loop.call_later(FAREWELL, transport.abort)


class Config(uvicorn.Config):
    """How uvicorn runs the application, with a door."""

    def __init__(self, app: Any, door: Door, **options: Any) -> None:
        super().__init__(app, http=Requests, ws=Sockets, **options)
        self.door = door


class Requests(HttpToolsProtocol):
    """uvicorn's connections for requests: their head is short, and they come to an end."""

    def __init__(self, config: uvicorn.Config, *arguments: Any, **options: Any) -> None:
        super().__init__(config, *arguments, **options)
        self.door = cast(Config, config).door
        self.address = ""
        self._counted = self._refused = False
        self._in_head = True
        self._head = 0
        """How much of the head has come."""
        self._answering: RequestResponseCycle | None = None
        """The request that is being answered; `cycle` is the one that came last."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.client = plain(self.client)
        self.address = self.client[0] if self.client else ""
        if not self.door.enter(self.address):
            transport.abort()
            return
        self._counted = True
        self.door.asks(self)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answering is not None:
            # Who asks several things at once may hang up before the first is answered.
            self._answering.disconnected = True
            self._answering.message_event.set()
            self._answering = None
        super().connection_lost(exc)
        # What was asked after it holds this object, and nobody will answer it.
        self.pipeline.clear()
        self.door.has_asked(self)
        self.door.reads_on(self)
        if self._counted:
            self.door.leave(self.address)

    def data_received(self, data: bytes) -> None:
        """Parses what came, of a head no more than it may have: a longer one is quadratic to parse."""
        while data and self._in_head and not self._refused:
            piece, data = data[: MOST_HEAD - self._head], data[MOST_HEAD - self._head :]
            self._head += len(piece)
            super().data_received(piece)
            if self.transport.is_closing() or self.parser is None:
                return
            if self._in_head and self._head >= MOST_HEAD:
                self.refuse(431, "large_head")
        if data and not self._refused:
            super().data_received(data)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.door.stops_reading(self)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.door.reads_on(self)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.door.asks(self)

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._in_head, self._head = True, 0
        self.door.has_asked(self)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def shutdown(self) -> None:
        """Nobody waits for a request that has not come as a whole, or for one that came after another."""
        self.pipeline.clear()
        if self.door.is_asking(self) and (self._answering is None or self._answering is self.cycle):
            self.transport.abort()
            return
        if self._answering is not None:
            self._answering.keep_alive = False
        super().shutdown()

    def handle_websocket_upgrade(self) -> None:
        self.door.has_asked(self)
        super().handle_websocket_upgrade()
        # The parser and this object hold each other; nobody would let go of them before garbage is collected.
        self.parser = None  # type: ignore[assignment]
        self.cycle = None  # type: ignore[assignment]

    def refuse(self, status: int, why: str) -> None:
        """Closes a connection whose request is not even read."""
        CLOSED.labels(why).inc()
        if not self.transport.is_closing():
            answering = self.cycle is not None and not self.cycle.response_complete
            if not answering:
                self.transport.write(STATUS_LINE[status] + b"connection: close\r\ncontent-length: 0\r\n\r\n")
            self._refused = True
            hang_up(self.transport, self.loop)


class Sockets(WebSocketsSansIOProtocol):
    """uvicorn's sockets, which compress a page against the whole page before it: most of it is the same.

    One that sends more frames than it may is closed.
    """

    def __init__(self, config: uvicorn.Config, *arguments: Any, **options: Any) -> None:
        super().__init__(config, *arguments, **options)
        self.conn.available_extensions = [ServerPerMessageDeflateFactory(compress_settings=COMPRESSION)]
        self.door = cast(Config, config).door
        self._rate = self.door.settings.frames_per_second
        self._left = self._most = max(20.0, LASTS / 2 * self._rate)
        self._since = time.monotonic()
        self._flooded = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.client = plain(self.client)

    def data_received(self, data: bytes) -> None:
        """Parses what came piece by piece, as long as the socket does not flood."""
        for start in range(0, len(data), PIECE):
            if self.transport.is_closing() or self._flooded:
                return
            super().data_received(data[start : start + PIECE])
            if self.conn.handshake_exc is not None and not self.handshake_initiated:
                self._refuse_handshake()

    def _refuse_handshake(self) -> None:
        """Closes a connection whose wish for a socket is none, as with a line of 8 KB; nobody else would."""
        CLOSED.labels("bad_handshake").inc()
        self.handshake_complete = self.close_sent = True
        self.transport.write(b"".join(self.conn.data_to_send()))
        hang_up(self.transport, self.loop)

    def handle_events(self) -> None:
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._since) * self._rate)
        self._since = now
        self._left -= len(self.conn.events)
        if self._left < 0:
            self._close_flooding()
        else:
            super().handle_events()

    def send_receive_event_to_app(self) -> None:
        """Closes a socket whose text is no text: what strangers send is no error of the server."""
        if self.curr_msg_data_type == "text" and not is_text(b"".join(self.frames)):
            CLOSED.labels("no_text").inc()
            self.frames = []
            self.conn.send_close(NO_TEXT)
            self.handle_parser_exception()
            return
        super().send_receive_event_to_app()

    def _close_flooding(self) -> None:
        """Closes a socket; what it sent and nobody has read yet is not worth reading."""
        CLOSED.labels("flood").inc()
        while not self.queue.empty():
            self.queue.get_nowait()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": 1008})
        self.conn.fail(1008, TOO_FAST)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = self._flooded = True
        hang_up(self.transport, self.loop)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.door.leave(self.client[0] if self.client else "")
        # What is read and what reads it hold each other; nobody reads any more.
        self.conn.parser.close()
