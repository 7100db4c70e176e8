"""Replay: a match step by step, looked back at, as a file, and with its chance checked."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.datastructures import UploadFile

from ...errors import TeerlingError
from ...files import MOST_DIGITS
from ...match import Match
from ..afterwards.reviews import NotOver, Standing
from ..afterwards.what_if import BadUpload, NotThere, Turning, open_match
from ..context import RequestContext, address_of, language_of, sentence, theme_of
from ..door.limits import RELUCTANCE
from ..page import environment, replay_pages, review_pages
from ..page.scenery import scenery
from ..page.views import ReviewView, level_infos
from ..refusals import NotAllowed, TooFast
from ..tables.branches import SAME_LUCK
from .habits import habits_of
from .sources import (
    Source,
    Uploads,
    proof_view,
    replay_view,
    review_view,
    source_of,
    source_of_file,
    stops,
)

MOST_FILE = 64 * 1024
MOST_FIELDS = 40
MOST_SHOWN = 16 * 1024 * 1024
"""Bytes of pages that are kept."""


def routes(context: RequestContext) -> APIRouter:
    """The routes of replays, match files and checks."""
    router = APIRouter(include_in_schema=False)
    workshop = context.house.workshop
    uploads, shown = Uploads(workshop), Shown()

    async def of_table(request: Request, table_id: str) -> Source:
        person_id = context.person_of(request)
        await context.house.deals.check_seen_by(await context.house.registry.find(table_id), person_id)
        return await context.house.changes.see(table_id, lambda table: source_of(table, person_id))

    async def of_match(request: Request, table_id: str) -> Source:
        """The same of a table at which everybody sits: before that nothing of its match is told."""
        (await context.house.registry.find(table_id)).check_begun()
        return await of_table(request, table_id)

    @router.get("/tables/{table_id}/replay")
    async def replay_table(
        request: Request, table_id: str, move: str = "", seat: str = "", fragment: str = ""
    ) -> HTMLResponse:
        wish = wish_of(request, move, seat, fragment)
        return await show(request, await of_match(request, table_id), wish)

    @router.get("/tables/{table_id}/replay/last")
    async def last_step(request: Request, table_id: str) -> JSONResponse:
        source = await of_match(request, table_id)
        return JSONResponse({"last": len(stops(source.match)) - 1, "over": source.over})

    @router.get("/replay/{key}")
    async def replay_upload(
        request: Request, key: str, move: str = "", seat: str = "", fragment: str = ""
    ) -> HTMLResponse:
        wish = wish_of(request, move, seat, fragment)
        text = uploads.text(key)
        if (page := shown.find((key, wish))) is None:
            whose = address_of(request)
            page = await workshop.make_apart(page_of_file, replay_page, text, key, wish, whose=whose)
            shown.keep((key, wish), page)
        return HTMLResponse(page)

    async def show(request: Request, source: Source, wish: Wish) -> HTMLResponse:
        """The replay at a step, from a seat; or only the part of it that changes."""
        # What is over does not change, and looks the same to all who see it from there.
        key = (source.base, source.view, source.first, source.match.names, wish)
        page = shown.find(key) if source.over else None
        if page is None:
            page = await workshop.make(replay_page, source, wish, whose=address_of(request))
            if source.over:
                shown.keep(key, page)
        return HTMLResponse(page)

    @router.post("/tables/{table_id}/replay/play-on")
    async def play_table_on(request: Request, table_id: str) -> RedirectResponse:
        return await play_on(request, await context.house.changes.see(table_id, open_match), table_id)

    @router.post("/replay/{key}/play-on")
    async def play_upload_on(request: Request, key: str) -> RedirectResponse:
        source = await uploads.source(key, address_of(request))
        return await play_on(request, source.match, source.name)

    async def play_on(request: Request, match: Match, name: str) -> RedirectResponse:
        """Opens a table at which a match is played on as a form says."""
        form = await request.form(max_files=0, max_fields=MOST_FIELDS)
        fields = {key: str(value) for key, value in form.items()}
        turning = turning_of(fields, match.players)
        person = await context.somebody(request)
        table, _ = await context.play_on(request, match, name, person, turning)
        return context.to(f"/tables/{table.id}", person)

    @router.get("/tables/{table_id}/review")
    async def review_table(request: Request, table_id: str, fragment: str = "") -> HTMLResponse:
        return await show_review(request, await of_match(request, table_id), fragment)

    @router.get("/replay/{key}/review")
    async def review_upload(request: Request, key: str, fragment: str = "") -> HTMLResponse:
        return await show_review(request, await uploads.source(key, address_of(request)), fragment)

    async def show_review(request: Request, source: Source, fragment: str) -> HTMLResponse:
        """The review as far as it is worked out; or only the part of it that changes."""
        standing, wish = await standing_of(request, source), wish_of(request, fragment=fragment)
        far = replace(standing, curve=None, review=None)
        key = (source.base, source.view, source.first, source.match.names, wish, far)
        page = shown.find(key)
        if page is None:
            view, whose = review_view(source, standing), address_of(request)
            if standing.curve is None:
                # There is hardly anything to show yet; the process begins that will have more to do.
                workshop.expect(be_ready)
                page = await workshop.make(review_page, view, wish, whose=whose)
            else:
                page = await workshop.make_apart(review_page, view, wish, whose=whose)
            shown.keep(key, page)
        return HTMLResponse(page)

    @router.get("/tables/{table_id}/review/progress")
    async def progress_of_table(request: Request, table_id: str) -> JSONResponse:
        return await show_progress(request, await of_match(request, table_id))

    @router.get("/replay/{key}/review/progress")
    async def progress_of_upload(request: Request, key: str) -> JSONResponse:
        return await show_progress(request, await uploads.source(key, address_of(request)))

    async def show_progress(request: Request, source: Source) -> JSONResponse:
        now = await standing_of(request, source)
        say = environment.speaker(language_of(request), source.match.game.id)
        told = {"number": now.number, "complete": now.complete, "failed": now.failed, "before": now.before}
        text = "" if now.complete else review_pages.progress(now, say)
        return JSONResponse({**told, "percent": round(100 * now.done), "text": text})

    async def standing_of(request: Request, source: Source) -> Standing:
        """How far the review of a match is; asking for it begins it."""
        if not source.over:
            raise NotOver("the match is not over; only then can it be reviewed")
        whose = f"{address_of(request)} {context.person_of(request) or ''}".strip()
        return await context.house.reviews.ask(source.key, source.match, whose, stored=source.at_table)

    @router.get("/tables/{table_id}/file")
    async def download(request: Request, table_id: str) -> Response:
        source = await of_match(request, table_id)
        if source.over:
            text = source.match.save(seed=source.seed is not None)
        elif source.first is not None:
            text = source.match.save(seat=source.first)
        else:
            raise NotAllowed("Everybody can download the match file when the match is over.")
        name = f"{source.match.game.id}-{table_id}.txt"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type="text/plain; charset=utf-8", headers=headers)

    @router.get("/tables/{table_id}/verify")
    async def verify_table(request: Request, table_id: str) -> HTMLResponse:
        source = await of_table(request, table_id)
        wish = wish_of(request)
        return HTMLResponse(await workshop.make(verify_page, source, wish, whose=address_of(request)))

    @router.get("/replay/{key}/verify")
    async def verify_upload(request: Request, key: str) -> HTMLResponse:
        given = (verify_page, uploads.text(key), key, wish_of(request))
        return HTMLResponse(await workshop.make_apart(page_of_file, *given, whose=address_of(request)))

    @router.get("/replay")
    async def choose_file(request: Request) -> HTMLResponse:
        workshop.expect(be_ready)
        return context.page(request, "upload.html", problem="")

    @router.post("/replay")
    async def upload(request: Request) -> Response:
        form = await request.form(max_files=1, max_fields=4)
        lang = language_of(request)
        try:
            text = await read_upload(form.get("file"))
            context.check_shows(address_of(request))
            key = await uploads.keep(text, address_of(request))
        except TooFast as error:
            await asyncio.sleep(RELUCTANCE)
            return context.page(request, "upload.html", 429, problem=sentence(error, lang))
        except TeerlingError as error:
            return context.page(request, "upload.html", 422, problem=sentence(error, lang))
        return RedirectResponse(f"/replay/{key}", 303)

    return router


def turning_of(fields: Mapping[str, str], players: int) -> Turning:
    """How a form wants a match to be played on."""
    step, seat = fields.get("step", ""), fields.get("seat", "")
    for text in (step, seat or "0"):
        if not text.isascii() or not text.isdecimal() or len(text) > MOST_DIGITS:
            raise NotThere("a step and a seat are numbers, not {given!r}", given=text[:20])
    level = fields.get("level", "")
    levels = [fields.get(f"level{each}") or level for each in range(players)]
    return Turning(int(step), int(seat) if seat else None, levels, fields.get("luck", SAME_LUCK))


async def read_upload(given: object) -> str:
    """The text of an uploaded match file; a sentence says what is wrong with it."""
    if not isinstance(given, UploadFile) or not given.filename:
        raise BadUpload("Choose a match file first.")
    data = await given.read(MOST_FILE + 1)
    if len(data) > MOST_FILE:
        raise BadUpload("This file is too large to be a match file.")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise BadUpload("This is not a match file.") from None


@dataclass(frozen=True)
class Wish:
    """What somebody wants to see of a match, and how pages look to them."""

    path: str
    lang: str
    theme: str
    level: str
    move: str = ""
    seat: str = ""
    fragment: bool = False

    def page(self, template: str, **values: Any) -> bytes:
        """A page as it is sent."""
        look = {"theme": self.theme, "version": environment.version(), "path": self.path}
        return environment.render(template, self.lang, **look, **values).encode()


def wish_of(request: Request, move: str = "", seat: str = "", fragment: str = "") -> Wish:
    """What a request asks for."""
    theme, level = theme_of(request), habits_of(request).level
    return Wish(
        request.url.path, language_of(request), theme, level, move[:MOST_DIGITS], seat, bool(fragment)
    )


def replay_page(source: Source, wish: Wish) -> bytes:
    """The replay at a step, from a seat; or only the part of it that changes."""
    view = replay_view(source, wish.move, wish.seat)
    template = "replay_fragment.html" if wish.fragment else "replay.html"
    values = replay_pages.replay_values(view, wish.lang)
    return wish.page(template, levels=level_infos(), level=wish.level, **values)


def review_page(view: ReviewView, wish: Wish) -> bytes:
    """A review as far as it is worked out; or only the part of it that changes."""
    template = "review_parts.html" if wish.fragment else "review.html"
    values = review_pages.values(view, wish.lang)
    return wish.page(template, scenery=scenery(view.match.game), **values)


def verify_page(source: Source, wish: Wish) -> bytes:
    """A match with its chance checked."""
    say = environment.speaker(wish.lang, source.match.game.id)
    return wish.page("verify.html", proof=proof_view(source), say=say)


def be_ready() -> None:
    """Does nothing; whoever can do it has loaded what reads files."""


def page_of_file(make: Callable[[Source, Wish], bytes], text: str, key: str, wish: Wish) -> bytes:
    """A page of a match that is known by its file."""
    return make(source_of_file(text, key), wish)


class Shown:
    """Pages of replays that were made lately."""

    def __init__(self) -> None:
        self._pages: OrderedDict[Hashable, bytes] = OrderedDict()
        self._size = 0

    def find(self, key: Hashable) -> bytes | None:
        """A page that was made before, if it is still there."""
        if key in self._pages:
            self._pages.move_to_end(key)
        return self._pages.get(key)

    def keep(self, key: Hashable, page: bytes) -> None:
        """Keeps a page, and lets go of the oldest."""
        self._size += len(page) - len(self._pages.pop(key, b""))
        self._pages[key] = page
        while self._size > MOST_SHOWN:
            self._size -= len(self._pages.popitem(last=False)[1])
