"""The web application of one server."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from prometheus_client import generate_latest
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from .. import __version__
from ..errors import TeerlingError
from ..words import Speaker
from . import lobby, tables
from .desk import Desk, address_of, language_of, same_origin, sentence, status_of
from .metrics import REGISTRY, REQUESTS, SECONDS
from .settings import Settings

log = logging.getLogger("teerling")

STATIC = Path(__file__).parent / "static"
MOST_BODY = 64 * 1024
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application of one server."""
    desk = Desk(settings or Settings.read())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await desk.house.start()
        yield
        await desk.house.stop()

    app = FastAPI(
        title="Teerling",
        version=__version__,
        description="Five board games: create tables, join, see, move.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.desk = desk
    app.add_middleware(GZipMiddleware, minimum_size=800)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for part in (lobby, tables):
        app.include_router(part.routes(desk))

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        """Sizes, rates, origins and headers, for every request."""
        began = time.perf_counter()
        say = Speaker(language_of(request))
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BODY:
            response: Response = desk.page(
                request, "error.html", 413, text=say("This is too large for the server.")
            )
        elif request.method == "POST" and not same_origin(request):
            response = desk.page(
                request, "error.html", 403, text=say("This came from another site and was refused.")
            )
        elif request.method == "POST" and not desk.limiter.allows(address_of(request)):
            response = desk.page(
                request, "error.html", 429, text=say("That was too fast; please wait a moment.")
            )
        else:
            response = await call_next(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        REQUESTS.labels(str(response.status_code)).inc()
        SECONDS.observe(time.perf_counter() - began)
        return response

    @app.exception_handler(TeerlingError)
    async def refused(request: Request, error: TeerlingError) -> Response:
        return desk.page(request, "error.html", status_of(error), text=sentence(error, language_of(request)))

    @app.exception_handler(HTTPException)
    async def not_found(request: Request, error: HTTPException) -> Response:
        say = Speaker(language_of(request))
        if error.status_code == 404:
            return desk.page(request, "error.html", 404, text=say("There is no such page."))
        return desk.page(request, "error.html", error.status_code, text=say("This can not be done here."))

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        log.exception("a request failed", exc_info=error)
        say = Speaker(language_of(request))
        return desk.page(
            request,
            "error.html",
            500,
            text=say("Something went wrong here. Nothing is lost; please try again."),
        )

    @app.get("/healthz", include_in_schema=False)
    async def healthz() -> PlainTextResponse:
        await asyncio.to_thread(desk.house.storage.alive)
        return PlainTextResponse("ok\n")

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> PlainTextResponse:
        return PlainTextResponse(generate_latest(REGISTRY), media_type="text/plain; version=0.0.4")

    return app
