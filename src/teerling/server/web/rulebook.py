"""The rules pages, and the page about the games."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from ...game import game, list_games
from ..context import RequestContext, language_of
from ..page import environment
from ..page.views import game_info


def routes(context: RequestContext) -> APIRouter:
    """The routes of the rules pages and of the page about the games."""
    router = APIRouter(include_in_schema=False)

    @router.get("/rules/{game_id}")
    async def show_rules(request: Request, game_id: str, fragment: str = "") -> HTMLResponse:
        # What reads the text takes long to load, and is not needed to play.
        from .rules_text import rulebook

        of = game(game_id)
        lang = language_of(request)
        template, games = "rulebook.html" if fragment else "rules.html", tuple(map(game_info, list_games()))
        return context.page(
            request, template, game=game_info(of), games=games, book=rulebook(of, lang),
            say=environment.speaker(lang, of.id),
        )  # fmt: skip

    @router.get("/about")
    async def about(request: Request) -> HTMLResponse:
        return context.page(request, "about.html", games=tuple(map(game_info, list_games())))

    return router
