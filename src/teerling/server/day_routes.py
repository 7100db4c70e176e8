"""The pages of the day: today's deals, and how one did in them."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from ..game import game
from .context import RequestContext, language_of


def routes(context: RequestContext) -> APIRouter:
    """The routes of the deals of the day."""
    router = APIRouter(include_in_schema=False)
    deals = context.house.deals

    @router.get("/day")
    async def show(request: Request) -> HTMLResponse:
        view = await deals.view(context.person_of(request), language_of(request))
        return context.page(request, "deals.html", day=view)

    @router.post("/day/{game_id}")
    async def play(request: Request, game_id: str) -> RedirectResponse:
        of = game(game_id)
        person = await context.somebody(request)
        return context.to(f"/tables/{await deals.open(of.id, person)}", person)

    return router
