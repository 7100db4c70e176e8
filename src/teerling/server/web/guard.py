"""The guard at the door: sizes, rates, origins and headers of every request, and no stack trace ever."""

import asyncio
import logging
import re
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from http import HTTPStatus
from math import ceil
from typing import Any

from python_multipart.multipart import parse_options_header
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...words import Speaker
from ..context import (
    FOR_MACHINES,
    RequestContext,
    address_of,
    for_programs,
    language_of,
    once_more,
    same_origin,
)
from ..door.limits import RELUCTANCE
from ..refusals import LEAVING
from ..tables.opening import is_id
from ..watch.logs import tell_of
from ..watch.metrics import REQUESTS, SECONDS, Inside, begin_walk, labelled

log = logging.getLogger("teerling")

MOST_BODY = 64 * 1024
MOST_DRAINED = 1024 * 1024
"""So much of a body that is too large is still read, so that whoever sends it hears why it is refused."""
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
FOR_EVERYBODY = ("/static/", "/games/", "/rules/", "/fonts/", "/styles.css")
"""What is here is the same for everybody and may be kept on the way; the rest may be for one person only."""
AT_WILL = (*FOR_EVERYBODY, *FOR_MACHINES)
"""What costs little, or is asked by machines regularly: there may be more of it than of pages."""
SAFE = ("GET", "HEAD", "OPTIONS")
REQUEST_ID = re.compile(r"[0-9a-zA-Z-]{8,40}")
"""What a proxy may call a request."""
MOST_WAITING = 10.0
"""So many seconds a page or a file waits for its turn; who has asked for more is refused."""

GLANCE = 0.1
"""So often whoever waits looks whether the server is about to stop."""

TOO_FAST = "That was too fast; please wait a moment."
HUNG_UP = "the handler is closed"
"""What uvloop says to whoever writes to somebody who is gone."""
MOST_LEAVING = 1.0
"""So many seconds it takes at most until the server knows it, too."""


class TooLarge(Exception):
    """A body that the server does not take."""


class Guard:
    """What every request passes before the pages, and every answer after them."""

    def __init__(self, app: ASGIApp, context: RequestContext) -> None:
        self.app = app
        self.context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            # What watches over servers asks like this. uvicorn knows that it did, and sends no body.
            scope = {**scope, "method": "GET"}
        request = Request(scope)
        walk = begin_walk(self._given_id(request))
        status = 0
        turn = AsyncExitStack()

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                walk.end()
                _finish(MutableHeaders(scope=message), scope)
                # It is made; whoever reads it slowly, or never, keeps nobody else waiting.
                await turn.aclose()
            try:
                await send(message)
            except RuntimeError as error:
                if HUNG_UP not in str(error):
                    raise
                raise ClientDisconnect from error

        try:
            with Inside("limits"):
                # Counted first: a refusal is a page, too.
                refusal = await self._too_fast(request) or await self._wait(request) or self._refusal(request)
                if refusal is None and request.method not in SAFE:
                    receive = await _read(request, receive)
            async with turn:
                turns = self.context.limits.turns_at.get(_asker(request))
                if refusal is None and turns is not None:
                    await turn.enter_async_context(turns.turn_of(address_of(request)))
                await (refusal or self.app)(scope, receive, answer)
        except ClientDisconnect:
            await _until_gone(receive)
        except TooLarge:
            large = self._refused(request, 413, "too_large", "This is too large for the server.")
            await large(scope, receive, answer)
        except Exception:
            log.exception("a request failed", extra={"method": request.method, "route": _route(scope)})
            if status:
                raise
            await self._broken(request)(scope, receive, answer)
        finally:
            walk.end()
            by = _asker(request)
            labelled(REQUESTS, by, str(status)).inc()
            labelled(SECONDS, by).observe(walk.total)
            if by != "asset" or status >= 400 or walk.slow >= self.context.settings.slow_seconds:
                told: dict[str, Any] = {"method": request.method, "route": _route(scope), "status": status}
                table_id = scope.get("path_params", {}).get("table_id")
                if table_id and is_id(table_id):
                    told["table"] = table_id
                tell_of(walk, "request", self.context.settings.slow_seconds, told)

    def _given_id(self, request: Request) -> str:
        """What a proxy that is believed calls a request; nothing if there is none."""
        given = request.headers.get("x-request-id", "") if self.context.settings.trusted_proxies else ""
        return given if REQUEST_ID.fullmatch(given) else ""

    def _refusal(self, request: Request) -> Response | None:
        """Why a request does not even come in; None if it may."""
        length = request.headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()):
            return self._refused(request, 400, "bad_request", "this message could not be understood")
        # As long as the number is; one with a thousand digits need not be read.
        if len(length) > 12 or int(length) > MOST_DRAINED:
            return self._refused(request, 413, "too_large", "This is too large for the server.")
        if not _speaks_utf8(request):
            return self._refused(request, 400, "bad_request", "this message could not be understood")
        if request.method not in SAFE and not same_origin(request):
            return self._refused(request, 403, "other_site", "This came from another site and was refused.")
        return None

    def _refused(
        self, request: Request, status: int, kind: str, text: str, headers: Mapping[str, str] | None = None
    ) -> Response:
        """A refusal in the language of whoever asks."""
        said = Speaker(language_of(request))(text)
        return self.context.refusal(request, status, kind, said, headers=headers)

    async def _too_fast(self, request: Request) -> Response | None:
        """Why somebody who asks too often is refused, after a moment; None if it is not too often."""
        return None if self._in_time(request) else await self._turned_away(request, 1)

    async def _turned_away(self, request: Request, seconds: int) -> Response:
        """A refusal for somebody who asks too often, after a moment: a few at a time, as it is a page too."""
        async with self.context.limits.turns_away.turn_of(address_of(request)):
            await asyncio.sleep(RELUCTANCE)
        return self._refused(request, 429, "too_fast", TOO_FAST, {"Retry-After": str(seconds)})

    def _in_time(self, request: Request) -> bool:
        """Whether an address may act once more, or a program read; pages wait instead."""
        limits = self.context.limits
        if request.method not in SAFE:
            return limits.acts.allows(address_of(request))
        return not for_programs(request) or limits.reads.allows(address_of(request))

    async def _wait(self, request: Request) -> Response | None:
        """Lets an address that asks for many pages or files wait for the next, so that others need not; a
        refusal, if it would have to wait for too long."""
        limit = self.context.limits.waits_at.get(_asker(request))
        if limit is None:
            return None
        seconds = limit.wait_of(address_of(request), MOST_WAITING)
        if seconds is None:
            return await self._turned_away(request, 5)
        for _ in range(ceil(seconds / GLANCE)):
            if self.context.house.leaving:
                return self._refused(request, 503, "not_ready", LEAVING, {"Retry-After": "1"})
            await asyncio.sleep(GLANCE)
        return None

    def _broken(self, request: Request) -> Response:
        text = Speaker(language_of(request))("Something went wrong here. Nothing is lost; please try again.")
        try:
            return self.context.refusal(request, 500, "broken", text)
        except Exception:
            log.exception("the page that says so failed too")
            return PlainTextResponse(text, HTTPStatus.INTERNAL_SERVER_ERROR)


def _speaks_utf8(request: Request) -> bool:
    """Whether the fields of a form are in UTF-8, as those of all browsers: Python knows other codes that give
    half characters, or are none."""
    given = request.headers.get("content-type", "")
    if "charset" not in given.lower():
        return True
    kind, options = parse_options_header(given)
    charset = options.get(b"charset", b"utf-8").lower()
    return kind != b"multipart/form-data" or charset in (b"utf-8", b"utf8")


def _asker(request: Request) -> str:
    """Who asks: a person who looks or sends a form, a program, or anybody for what is the same for all."""
    if request.scope["path"].startswith(AT_WILL):
        return "asset"
    if for_programs(request):
        return "program"
    return "page" if request.method in SAFE else "form"


async def _read(request: Request, receive: Receive) -> Receive:
    """The body of a request, read as a whole; TooLarge if it is, whatever it says of its length."""
    parts: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part: bytes = message.get("body", b"")
        size += len(part)
        if size <= MOST_BODY:
            parts.append(part)
        elif size > MOST_DRAINED:
            raise TooLarge
        more = message.get("more_body", False)
    if size > MOST_BODY:
        raise TooLarge
    return once_more({"type": "http.request", "body": b"".join(parts), "more_body": False}, receive)


async def _until_gone(receive: Receive) -> None:
    """Waits until the server knows that somebody has hung up: only then an answer may stay half."""
    gone = False
    with suppress(TimeoutError):
        async with asyncio.timeout(MOST_LEAVING):
            while not gone:
                # The first to ask whether more comes hears from uvloop, once more, that nobody is there.
                with suppress(RuntimeError):
                    gone = (await receive())["type"] == "http.disconnect"
                await asyncio.sleep(0)


def _finish(headers: MutableHeaders, scope: Scope) -> None:
    """The headers that every answer has."""
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    # What a browser has kept it asks for again: pages of a new server never get old styles or scripts.
    kept = scope["path"].startswith(FOR_EVERYBODY)
    headers.setdefault("Cache-Control", "no-cache" if kept else "no-store")
    if scope["scheme"] == "https":
        cookies = headers.getlist("set-cookie")
        del headers["set-cookie"]
        for cookie in cookies:
            headers.append("set-cookie", f"{cookie}; Secure")


def _route(scope: Scope) -> str:
    """The pattern of the page that was asked for: addresses themselves may hold secrets."""
    return str(getattr(scope.get("route"), "path", "-"))
