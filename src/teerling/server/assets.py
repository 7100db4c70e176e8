"""What every page is dressed in: styles in one file, and fonts."""

import asyncio

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response

from ..game import game
from . import fonts, pages
from .context import RequestContext

YEAR = "public, max-age=31536000, immutable"


def routes(context: RequestContext) -> APIRouter:
    """The routes of styles and fonts."""
    router = APIRouter(include_in_schema=False)

    @router.get("/styles.css")
    async def page_style() -> Response:
        return Response(pages.styles("tokens", "style", "lobby", "new", "day"), media_type="text/css")

    @router.get("/games/{game_id}/table.css")
    async def table_style(game_id: str) -> Response:
        board = str(pages.drawing(game(game_id).id, "board.css"))
        return Response(
            pages.styles("tokens", "style", "table", "room", "book") + board, media_type="text/css"
        )

    @router.get("/fonts/{name}.woff2")
    async def font(name: str) -> Response:
        if name not in fonts.SOURCES:
            raise HTTPException(404)
        made = await asyncio.to_thread(fonts.font, name)
        return Response(made, media_type="font/woff2", headers={"Cache-Control": YEAR})

    return router
