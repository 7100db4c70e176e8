"""The web application of one server."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import generate_latest
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from .. import __version__
from ..errors import TeerlingError, UnknownGame
from ..words import Speaker
from . import api
from .api.short_way import ShortWay
from .context import (
    RequestContext,
    for_programs,
    kind_of,
    language_of,
    no_such_game,
    rule_of,
    sentence,
    status_of,
)
from .database.transactions import StorageGone
from .house import House
from .page import environment, fonts
from .refusals import LEAVING, NotReady
from .settings import Settings
from .watch.metrics import REFUSED, REGISTRY
from .web import again, assets, day, lobby, profile, replay, rulebook, tables
from .web.guard import Guard

log = logging.getLogger("teerling")
HEALTHY = 1.0
"""For so many seconds it is believed that the database can be written."""
QUICKLY = 4
"""How much trouble is taken to compress pages: everybody waits meanwhile, and more saves hardly anything."""
RETRY_HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "2"}, 503: {"Retry-After": "5"}}
"""What a refusal tells programs besides its sentence: how to be let in, and when to try again."""


class Health:
    """Whether somebody who comes now could play; looked at once in a while, however often it is asked."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._checking = asyncio.Lock()
        self._checked = -HEALTHY

    async def check(self) -> None:
        """NotReady or StorageGone says why not."""
        if self._house.leaving:
            raise NotReady(LEAVING)
        async with self._checking:
            if time.monotonic() - self._checked >= HEALTHY:
                await asyncio.to_thread(self._house.storage.alive)
                self._checked = time.monotonic()


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application of one server."""
    context = RequestContext(settings or Settings.read())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await context.house.start()
        # The first visitor need not wait for the fonts to be made.
        making = asyncio.create_task(asyncio.to_thread(fonts.make_all))
        yield
        await asyncio.gather(making, return_exceptions=True)
        await context.house.stop()

    app = FastAPI(
        title="Teerling",
        version=__version__,
        description="Five board games: create tables, join, see, move.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.context = context
    app.mount("/static", assets.Statics(directory=environment.STATIC), name="static")
    # A route is looked for from the first on: what is asked most stands first. Routers that are included
    # would have all their routes worked out once more, at the first request.
    for part in (api, tables, profile, lobby, assets, day, replay, again, rulebook):
        app.router.routes.extend(part.routes(context).routes)

    @app.exception_handler(TeerlingError)
    async def refused(request: Request, error: TeerlingError) -> Response:
        lang = language_of(request)
        by_name = isinstance(error, UnknownGame) and not for_programs(request)
        text = no_such_game(lang) if by_name else sentence(error, lang)
        status = status_of(error)
        REFUSED.labels(kind_of(error)).inc()
        if isinstance(error, StorageGone):
            log.warning("the database does not answer: %s", error.reason, extra={"method": request.method})
        headers = RETRY_HEADERS.get(status)
        return context.refusal(request, status, kind_of(error), text, rule_of(error), headers)

    app.add_middleware(ShortWay, house=context.house, refused=refused)
    app.add_middleware(GZipMiddleware, minimum_size=800, compresslevel=QUICKLY)
    app.add_middleware(Guard, context=context)

    @app.exception_handler(RequestValidationError)
    async def not_understood(request: Request, error: RequestValidationError) -> Response:
        status, text = api.misunderstanding(error, Speaker(language_of(request)))
        return context.refusal(request, status, "bad_request", text)

    @app.exception_handler(HTTPException)
    async def not_found(request: Request, error: HTTPException) -> Response:
        say = Speaker(language_of(request))
        kind = HTTPStatus(error.status_code).name.lower()
        if error.status_code == 404:
            text = say("There is no such page.")
        elif error.status_code == 400:
            text = say("this message could not be understood")
        else:
            text = say("This cannot be done here.")
        headers = dict(error.headers or {})
        if error.status_code == 405 and (methods := api.allowed(request)):
            headers["Allow"] = methods
        return context.refusal(request, error.status_code, kind, text, headers=headers)

    health = Health(context.house)

    @app.get("/livez", include_in_schema=False)
    async def livez() -> PlainTextResponse:
        """Alive: it answers, whatever else; whoever does not answer is started anew."""
        return PlainTextResponse("ok\n")

    @app.get("/readyz", include_in_schema=False)
    @app.get("/healthz", include_in_schema=False)
    async def readyz() -> PlainTextResponse:
        """Ready: moves can be stored, and the server is not about to stop."""
        await health.check()
        return PlainTextResponse("ok\n")

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> PlainTextResponse:
        context.house.measure()
        return PlainTextResponse(generate_latest(REGISTRY), media_type="text/plain; version=0.0.4")

    return app
