"""What every page is dressed in: styles in one file, fonts, icons, and what makes it an app."""

import asyncio
import gzip
import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

from ...game import game, list_games
from ..context import RequestContext
from ..page import environment, fonts
from ..page.cards import Painter
from ..page.scenery import scenery
from ..page.views import game_info

ICONS = ("icon", "maskable")
SIZES = ("180", "192", "512")
YEAR = "public, max-age=31536000, immutable"
VERSION = re.compile("[0-9a-f]{12}")


def routes(context: RequestContext) -> APIRouter:
    """The routes of styles and fonts."""
    router = APIRouter(include_in_schema=False)
    painter = Painter()

    @router.get("/styles.css")
    async def page_style(request: Request) -> Response:
        return style(request, sheet("", "tokens", "style", "lobby", "new", "day"))

    @router.get("/games/{game_id}/table.css")
    async def table_style(request: Request, game_id: str) -> Response:
        return style(request, sheet(game(game_id).id, "tokens", "style", "table", "room", "book"))

    @router.get("/worker.js")
    async def worker() -> Response:
        # A worker is in charge of what lies beside and below it, so it is not with the other scripts.
        return FileResponse(environment.STATIC / "worker.js", media_type="text/javascript")

    @router.get("/offline")
    async def offline(request: Request) -> Response:
        first = list_games()[0]
        return context.page(
            request, "offline.html", path="/", games=(game_info(first),), scenery=scenery(first.id)
        )

    @router.get("/icons/{name}-{size}.png")
    async def icon(name: str, size: str) -> Response:
        if name not in ICONS or size not in SIZES:
            raise HTTPException(404)
        painted = await painter.icon(name, int(size))
        return Response(painted, media_type="image/png", headers={"Cache-Control": "public, max-age=86400"})

    @router.get("/fonts/{name}.woff2")
    async def font(name: str) -> Response:
        if name not in fonts.SOURCES:
            raise HTTPException(404)
        made = await asyncio.to_thread(fonts.font, name)
        return Response(made, media_type="font/woff2", headers={"Cache-Control": YEAR})

    return router


class Statics(StaticFiles):
    """Styles and scripts in files, with what they import from beside them.

    Under an address that names what they are they are kept for ever; under others they are asked for again.
    """

    async def get_response(self, path: str, scope: Scope) -> Response:
        given, _, name = path.partition("/")
        if not VERSION.fullmatch(given):
            return await super().get_response(path, scope)
        # A page that was open when the server became another one gets what there is now.
        answer = await super().get_response(name, scope)
        if given == environment.version() and answer.status_code in (200, 304):
            answer.headers["Cache-Control"] = YEAR
        return answer


@dataclass(frozen=True)
class Sheet:
    """A style sheet as it is sent: made once, and the same bytes for everybody."""

    plain: bytes
    squeezed: bytes
    tag: str


@cache
def sheet(game_id: str, *names: str) -> Sheet:
    """Styles of pages as one sheet, with those of a game's board, if there is one."""
    board = str(environment.drawing(game_id, "board.css")) if game_id else ""
    plain = (environment.styles(*names) + board).encode()
    return Sheet(plain, gzip.compress(plain, mtime=0), f'"{sha256(plain).hexdigest()[:32]}"')


def style(request: Request, given: Sheet) -> Response:
    """A style sheet, or that it is the one which the browser has."""
    headers = {"ETag": given.tag}
    if request.url.query == environment.version():
        headers = {"Cache-Control": YEAR}
    # One that was squeezed on the way may be called a weak one.
    elif request.headers.get("if-none-match", "").removeprefix("W/") == given.tag:
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(given.plain, media_type="text/css", headers=headers)
    headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(given.squeezed, media_type="text/css", headers=headers)
