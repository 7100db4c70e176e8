"""What every page is dressed in: styles in one file, fonts, icons, and what makes it an app."""

import asyncio
import re
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
        return style(request, environment.styles("tokens", "style", "lobby", "new", "day"))

    @router.get("/games/{game_id}/table.css")
    async def table_style(request: Request, game_id: str) -> Response:
        board = str(environment.drawing(game(game_id).id, "board.css"))
        return style(request, environment.styles("tokens", "style", "table", "room", "book") + board)

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


def style(request: Request, text: str) -> Response:
    """A style sheet, or that it is the one which the browser has."""
    if request.url.query == environment.version():
        return Response(text, media_type="text/css", headers={"Cache-Control": YEAR})
    tag = f'"{sha256(text.encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag}
    # One that was squeezed on the way may be called a weak one.
    if request.headers.get("if-none-match", "").removeprefix("W/") == tag:
        return Response(status_code=304, headers=headers)
    return Response(text, media_type="text/css", headers=headers)
