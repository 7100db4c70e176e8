"""The short way of a move: as programs usually send it, it goes straight to the table."""

import re
from collections.abc import Awaitable, Callable

from fastapi import Request, Response
from pydantic import ValidationError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import TeerlingError
from ..actions import Wish
from ..context import once_more
from ..house import House
from .models import WantedMove
from .tell import act

MOVES = re.compile(r"/api/tables/([^/]{1,40})/moves")
BEARER = b"Bearer "


class ShortWay:
    """Makes moves that are sent as they usually are; everything else goes by the routes.

    Finding a route and what it depends on takes longer than a move. What is done is the same.
    """

    path = "/api/tables/{table_id}/moves"

    def __init__(
        self,
        app: ASGIApp,
        house: House,
        refused: Callable[[Request, TeerlingError], Awaitable[Response]],
    ) -> None:
        """`refused` makes the answer to what cannot be done."""
        self.app = app
        self._house = house
        self._refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        table_id, token = _asked(scope)
        if not token:
            await self.app(scope, receive, send)
            return
        message = await receive()
        wanted = _wanted(message)
        if wanted is None:
            await self.app(scope, once_more(message, receive), send)
            return
        scope["route"], scope["path_params"] = self, {"table_id": table_id}
        wish = Wish(move=wanted.move, at=wanted.at, sure=wanted.sure)
        try:
            state = await act(self._house, "move", table_id, token, None, wish)
            response = Response(state.model_dump_json(), media_type="application/json")
        except TeerlingError as error:
            response = await self._refused(Request(scope), error)
        await response(scope, receive, send)


def _asked(scope: Scope) -> tuple[str, str]:
    """The table and the token of a move as it is usually sent; no token if this is something else."""
    if scope["type"] != "http" or scope["method"] != "POST" or scope["query_string"]:
        return "", ""
    found = MOVES.fullmatch(scope["path"])
    headers = dict(scope["headers"])
    given = headers.get(b"authorization", b"")
    usual = headers.get(b"content-type") == b"application/json" and given.startswith(BEARER)
    return (found[1], given.removeprefix(BEARER).decode("latin-1").strip()) if found and usual else ("", "")


def _wanted(message: Message) -> WantedMove | None:
    """The move in a body that came as a whole; None if that needs a closer look."""
    if message["type"] != "http.request" or message.get("more_body"):
        return None
    try:
        return WantedMove.model_validate_json(message.get("body", b""))
    except ValidationError:
        return None
