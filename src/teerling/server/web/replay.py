"""Replay: a match step by step, looked back at, as a file, and with its chance checked."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.datastructures import UploadFile

from ... import __version__
from ...errors import TeerlingError
from ...files import MOST_DIGITS
from ...lab.review_drawing import bands_of
from ...match import Match
from ...nature import Sealed
from ..afterwards.reviews import NotOver, Standing
from ..afterwards.what_if import NOT_TODAY, BadUpload, NotThere, Turning, loaded, name_of_file, open_match
from ..context import RequestContext, address_of, language_of, sentence
from ..door.limits import RELUCTANCE
from ..look import branch_view, match_view
from ..page import pages, review_pages
from ..page.scenery import scenery
from ..page.views import (
    CheckView,
    PlayOnView,
    ProofView,
    ReplayView,
    ReviewView,
    SourceView,
    StepView,
    game_info,
    level_infos,
)
from ..refusals import NotAllowed, Refused, TooFast, UnknownTable
from ..tables.branches import SAME_LUCK
from ..tables.days import lasts
from ..tables.table import Table
from ..thinking.workshop import Workshop
from .habits import habits_of

Cached = TypeVar("Cached")

MOST_FILE = 64 * 1024
MOST_FIELDS = 40
MOST_UPLOADS = 400
MOST_LOADED = 12
MOST_SHOWN = 16 * 1024 * 1024
"""Bytes of pages that are kept."""


class NoSuchSeat(Refused):
    """A view from where nobody sits."""

    status = 404


@dataclass(frozen=True)
class Source:
    """A match to be replayed, and who may look at it from where."""

    match: Match
    base: str
    """Where its pages are."""
    seats: tuple[int, ...]
    """The seats from which the one who asks may look; a spectator's view is always there."""
    first: int | None
    """The view to begin with."""
    over: bool
    seed: str | None
    """The seed of its nature, once it may be told."""
    name: str = ""
    """What its branches call it."""
    closed: str = ""
    """Why it cannot be played on, though it is over."""
    at_table: bool = False
    """Whether it is a table's match, and not that of an uploaded file."""
    begun: bool = True
    """Whether everybody sits, so that there is something to see."""

    @property
    def view(self) -> SourceView:
        """What a page tells about it."""
        may_download = self.at_table and (self.over or self.first is not None)
        replay = f"{self.base}/replay" if self.at_table else self.base
        playing_on = PlayOnView(
            address=f"{replay}/play-on",
            seat=self.first,
            knows_luck=self.match.seed is not None,
            ends=self.match.over,
            closed=self.closed,
        )
        return SourceView(
            self.base, self.at_table, self.begun, self.over, self.seats, may_download,
            played_out=self.over and self.match.over,
            may_try_again=self.at_table and self.match.over and self.first is not None,
            play_on=playing_on if self.over or not self.at_table else None,
            branch=branch_view(self.match, replay),
        )  # fmt: skip

    @property
    def key(self) -> str:
        """The table's id, or the key of the file."""
        return self.base.rpartition("/")[2]


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
        say = pages.speaker(language_of(request), source.match.game.id)
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
            if not context.limits.uploads.allows(address_of(request)):
                await asyncio.sleep(RELUCTANCE)
                raise TooFast("That was a lot of files in a row; please wait a moment before the next.")
            key = await uploads.keep(text, address_of(request))
        except TooFast as error:
            return context.page(request, "upload.html", 429, problem=sentence(error, lang))
        except TeerlingError as error:
            return context.page(request, "upload.html", 422, problem=sentence(error, lang))
        return RedirectResponse(f"/replay/{key}", 303)

    return router


def source_of(table: Table, person_id: str | None) -> Source:
    """A table's match as it stands, and what a person may see of it.

    Until the match is over that is the own seat; who has several of them, at one screen with others,
    sees what everybody sees, or a curtain would be of no use.
    """
    own = table.seating.seats_of(person_id)
    base = f"/tables/{table.id}"
    if table.over:
        everybody = tuple(range(table.match.players))
        first = own[0] if own else None
        closed = NOT_TODAY if lasts(table.row.day) else ""
        return Source(table.match, base, everybody, first, True, table.told_seed, table.id, closed, True)
    seats = tuple(own) if len(own) == 1 else ()
    first = seats[0] if seats else None
    seen = cut(table.match, len(table.match.history), first)
    return Source(seen, base, seats, first, False, None, table.id, "", True, table.status != "open")


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
        look = {"theme": self.theme, "version": __version__, "path": self.path}
        return pages.render(template, self.lang, **look, **values).encode()


def wish_of(request: Request, move: str = "", seat: str = "", fragment: str = "") -> Wish:
    """What a request asks for."""
    theme, level = request.cookies.get("theme", ""), habits_of(request).level
    return Wish(
        request.url.path, language_of(request), theme, level, move[:MOST_DIGITS], seat, bool(fragment)
    )


def replay_page(source: Source, wish: Wish) -> bytes:
    """The replay at a step, from a seat; or only the part of it that changes."""
    view = replay_view(source, wish.move, wish.seat)
    template = "replay_fragment.html" if wish.fragment else "replay.html"
    values = pages.replay_values(view, wish.lang)
    return wish.page(template, levels=level_infos(), level=wish.level, **values)


def review_page(view: ReviewView, wish: Wish) -> bytes:
    """A review as far as it is worked out; or only the part of it that changes."""
    template = "review_parts.html" if wish.fragment else "review.html"
    values = review_pages.values(view, wish.lang)
    return wish.page(template, scenery=scenery(view.match.game), **values)


def verify_page(source: Source, wish: Wish) -> bytes:
    """A match with its chance checked."""
    say = pages.speaker(wish.lang, source.match.game.id)
    return wish.page("verify.html", proof=proof_view(source), say=say)


@lru_cache(MOST_LOADED)
def source_of_file(text: str, key: str) -> Source:
    """The match of a file. Who has the file has all of it, so every view is allowed."""
    match = loaded(text)
    everybody = tuple(range(match.players))
    return Source(match, f"/replay/{key}", everybody, None, match.over, match.seed, name_of_file(text))


def be_ready() -> None:
    """Does nothing; whoever can do it has loaded what reads files."""


def check_file(text: str, key: str) -> None:
    """Reads a file, and says what is wrong with it."""
    source_of_file(text, key)


def page_of_file(make: Callable[[Source, Wish], bytes], text: str, key: str, wish: Wish) -> bytes:
    """A page of a match that is known by its file."""
    return make(source_of_file(text, key), wish)


class Uploads:
    """The latest files that people looked at; they are kept in memory only."""

    def __init__(self, workshop: Workshop) -> None:
        """Files are read in the workshop: a long one takes a while."""
        self._workshop = workshop
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._sources: OrderedDict[str, Source] = OrderedDict()

    async def keep(self, text: str, address: str) -> str:
        """The key under which a match can be seen for a while; it is read at the expense of an address."""
        key = secrets.token_urlsafe(12)
        await self._workshop.make_apart(check_file, text, key, whose=address)
        _remember(self._texts, key, text, MOST_UPLOADS)
        return key

    def text(self, key: str) -> str:
        """The file with this key."""
        if key not in self._texts:
            raise UnknownTable("This file is no longer here; please choose it again.")
        text = self._texts[key]
        _remember(self._texts, key, text, MOST_UPLOADS)
        return text

    async def source(self, key: str, address: str) -> Source:
        """The match with this key, here: for what is more than a page of it."""
        text = self.text(key)
        source = self._sources.get(key)
        if source is None:
            source = await self._workshop.make(source_of_file, text, key, whose=address)
        _remember(self._sources, key, source, MOST_LOADED)
        return source


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


def _remember(kept: OrderedDict[str, Cached], key: str, value: Cached, most: int) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > most:
        kept.popitem(last=False)


def seat_of(source: Source, text: str) -> int | None:
    """The seat that an address names, if it may be looked from."""
    if not text:
        return source.first
    if text == pages.SPECTATING:
        return None
    seat = next((seat for seat in range(source.match.players) if str(seat) == text), None)
    if seat is None:
        raise NoSuchSeat("There is no such seat at this table.")
    if seat not in source.seats:
        raise NotAllowed("Another seat's view can be seen when the match is over.")
    return seat


def number_of(text: str, last: int, otherwise: int) -> int:
    """The step that an address names; beyond the ends it is the nearest."""
    return min(int(text[:9]), last) if text.isdecimal() else otherwise


def stops(match: Match) -> list[int]:
    """After how many moves the replay stops: before every decision, and at the end."""
    decisions = [index for index, move in enumerate(match.history) if not move.chance]
    return [*decisions, len(match.history)]


def cut(match: Match, moves: int, seat: int | None) -> Match:
    """The match as it was after so many moves, for a seat."""
    # What the whole match told the seat is kept by it, and need not be told again at every step.
    match.steps_of(seat)
    return match.upto(moves)


def replay_view(source: Source, move: str, seat: str) -> ReplayView:
    """The step of a replay that an address names, as it was seen from the seat that it names."""
    viewer = seat_of(source, seat)
    places = stops(source.match)
    last = len(places) - 1
    number = number_of(move, last, 0 if source.over else last)
    then = cut(source.match, places[number], viewer)
    return ReplayView(
        match=match_view(then, viewer, source.first, asked=False),
        source=source.view,
        number=number,
        last=last,
        steps=steps_of(source.match, viewer, places),
    )


def review_view(source: Source, standing: Standing) -> ReviewView:
    """The review of a match as far as it is worked out, for whoever looks from the seat shown first."""
    found, places, branch = standing.review, stops(source.match), source.match.branch
    # What a branch was given, others have decided.
    first = 0 if branch is None else places[branch.step]
    return ReviewView(
        match=match_view(source.match, source.first, source.first, asked=False),
        source=source.view,
        stops=tuple(places),
        bands=tuple(bands_of(source.match)),
        done=standing.done,
        before=standing.before,
        preparing=standing.preparing,
        failed=standing.failed,
        number=standing.number,
        curve=standing.curve,
        playouts=found.playouts if found else 0,
        seats=found.seats if found else (),
        strokes=found.strokes if found else (),
        mistakes=tuple(each for each in found.mistakes if each.place >= first) if found else (),
        steps=found.steps if found else (),
    )


def steps_of(match: Match, seat: int | None, places: list[int]) -> tuple[StepView, ...]:
    """Every step as a seat knows it; step 0 is how the match was set up."""
    told, states = match.steps_of(seat), match.states
    steps = []
    for number, end in enumerate(places):
        start = places[number - 1] if number else 0
        turn = states[start].turn if number else -1
        steps.append(StepView(number, turn if turn >= 0 else None, tuple(told[start:end])))
    return tuple(steps)


def proof_view(source: Source) -> ProofView:
    """A match's chance beside what its seed gives, once the seed may be told."""
    match = source.match
    given = 0 if match.branch is None else match.branch.given
    return ProofView(
        game=game_info(match.game),
        source=source.view,
        seal=match.seal,
        seed=source.seed,
        seal_fits=source.seed is not None and Sealed(source.seed).seal == match.seal,
        count=sum(move.chance for move in match.history) - given,
        taken_back=sum(each.draws for each in match.taken_back),
        given=given,
        checks=() if source.seed is None else checks_of(match, source.seed),
    )


def checks_of(match: Match, seed: str) -> tuple[CheckView, ...]:
    """Every chance event of a match beside what the seed gives."""
    nature, states = Sealed(seed), match.states
    checks: list[CheckView] = []
    answers = [(index, move) for index, move in enumerate(match.history) if move.chance]
    given = 0 if match.branch is None else match.branch.given
    for (index, move), draw in list(zip(answers, match.draws, strict=True))[given:]:
        weights = match.game.weights(states[index])
        answer = match.game.move(nature.answer(draw, weights), chance=True)
        share = Fraction(weights[move.id], sum(weights)).as_integer_ratio()
        checks.append(CheckView(draw + 1, move.text, share, answer.text))
    return tuple(checks)
