"""The context of a request: who asks, in which language, and how answers look. All routes use it."""

import asyncio
import re
from collections.abc import Mapping
from math import inf
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request, WebSocket
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Message, Receive

from ..errors import IllegalMove, TeerlingError, UnknownGame
from ..game import list_games
from ..match import Match
from ..words import LANGUAGES, Speaker
from .afterwards.what_if import Turning, places_of, turned
from .database.transactions import StorageGone
from .door.limits import Limits, prefix_of
from .house import House
from .look import table_view
from .page import environment, live_pages
from .page.scenery import scenery
from .page.views import TableView, game_info
from .people import COOKIE, LANG_COOKIE, Person, Signatures, clean_name, new_person_id
from .refusals import Refused, TooFast
from .settings import Settings
from .tables.table import Table
from .watch.metrics import Inside

YEAR = 365 * 86400
THEMES = ("light", "dark")
THEME_COOKIE = "theme"
FOR_MACHINES = ("/healthz", "/livez", "/readyz", "/metrics")
"""What is asked by what watches over the server; it wants a line."""
MOST_LANGUAGES = 200
"""So many letters of what a browser says of its languages are read."""


def open_house(settings: Settings) -> House:
    """The house of a server, in which the broadcaster is told what people may see and how it looks."""

    def look(table: Table, person_id: str, since: int | None) -> TableView:
        return table_view(table, person_id, house.presence, house.hints, house.bots, house.tutors, since)

    def render(view: TableView, lang: str) -> dict[str, Any]:
        return live_pages.live(view, lang).as_message()

    house = House(settings, look, render)
    return house


class RequestContext:
    """What the routes of one server share."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.house = open_house(settings)
        self.signatures = Signatures(settings.secret)
        self.limits = Limits(settings)
        if self.house.news.is_shared:
            self.limits.share(self.house.news)
            self.house.actions.talkers.share(self.house.news)

    def person_of(self, request: Request | WebSocket) -> str | None:
        """The id in somebody's cookie, if it is one of ours."""
        return self.signatures.person_of_cookie(request.cookies.get(COOKIE))

    async def somebody(self, request: Request, name: str = "") -> Person:
        """The person behind a request; a newcomer gets an id and, unless told, a plain name."""
        id = self.person_of(request) or new_person_id()
        row = await asyncio.to_thread(self.house.storage.person, id)
        if row is not None:
            return await self.named(Person(row.id, row.name), name)
        known_as = clean_name(name) or Speaker(language_of(request))("Guest")
        await asyncio.to_thread(self.house.storage.save_person, id, known_as)
        return Person(id, known_as)

    async def named(self, person: Person, name: str) -> Person:
        """A person under the name given, if one is."""
        wanted = clean_name(name)
        if not wanted or wanted == person.name:
            return person
        await asyncio.to_thread(self.house.storage.save_person, person.id, wanted)
        return Person(person.id, wanted)

    async def visitor(self, request: Request) -> Person:
        """The person behind a request; a newcomer who only looks is not stored."""
        id = self.person_of(request)
        row = await asyncio.to_thread(self.house.storage.person, id) if id else None
        return Person(row.id, row.name, row.renewed) if row else Person(id or new_person_id(), "")

    async def open_table(
        self, request: Request, game_id: str, *arguments: Any, **options: Any
    ) -> tuple[Table, str | None]:
        """A new table, as `opening.create` makes it; TooFast if too many were opened from there."""
        self.check_opens(request)
        await self.keep_pace(request)
        table, token = await self.house.changes.create(game_id, *arguments, **options)
        self.house.presence.hear(table.id, address_of(request))
        return table, token

    async def play_on(
        self, request: Request, match: Match, source: str, person: Person, turning: Turning
    ) -> tuple[Table, str | None]:
        """A new table at which somebody plays a match on; `source` is what that is called."""
        branch = turned(match, source, turning)
        return await self.open_table(
            request, match.game.id, places_of(branch, turning), person.id, person.name, match.options,
            public=False, seed=branch.seed, branch=branch, luck=turning.luck,
        )  # fmt: skip

    async def keep_pace(self, request: Request) -> None:
        """Waits until an address may open one more table: many at once would keep others waiting."""
        wait = self.limits.pace_of_tables.wait_of(address_of(request), inf)
        if wait:
            with Inside("limits"):
                await asyncio.sleep(wait)

    def check_shows(self, address: str) -> None:
        """Counts one more match file that is shown from an address; TooFast if those are too many."""
        if not self.limits.uploads.allows(address):
            raise TooFast("That was a lot of files in a row; please wait a moment before the next.")

    def check_opens(self, request: Request) -> None:
        """Counts one more table that is opened from an address; TooFast if those are too many."""
        address = address_of(request)
        if not self.limits.tables.allows(address):
            raise TooFast("That was a lot of tables in a row; please wait a moment before you open another.")
        if not self.limits.tables_of_day.allows(address):
            raise TooFast("That was a lot of tables for one day; please open another tomorrow.")

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page in somebody's language."""
        lang = language_of(request)
        values.setdefault("say", Speaker(lang))
        values.setdefault("path", request.url.path)
        with Inside("page"):
            text = environment.render(
                template,
                lang,
                theme=theme_of(request),
                version=environment.version(),
                **values,
            )
        return HTMLResponse(text, status)

    def refusal(
        self,
        request: Request,
        status: int,
        kind: str,
        text: str,
        rule: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """What cannot be done, and why: a page for people, JSON for programs, a line for what watches."""
        response: Response
        if for_programs(request):
            told = {"kind": kind, "message": text} | ({"rule": rule} if rule else {})
            response = JSONResponse({"error": told}, status)
        elif request.url.path in FOR_MACHINES:
            response = PlainTextResponse(f"{text}\n", status)
        else:
            back = "/" if status == 404 else way_back(request.url.path)
            shown = request.method in ("GET", "HEAD") and status != 405
            path = request.url.path if shown else back
            games = list_games()
            response = self.page(
                request, "error.html", status, status_code=status, text=text, path=path, back=back,
                games=tuple(map(game_info, games)), scenery=scenery(games[0].id),
            )  # fmt: skip
        response.headers.update(headers or {})
        return response

    def to(self, path: str, person: Person | None = None) -> RedirectResponse:
        """Sends a browser on after a form; a person given is remembered."""
        response = RedirectResponse(path, 303)
        if person is not None:
            self.remember(response, person)
        return response

    def remember(self, response: Response, person: Person) -> None:
        self.set_cookie(response, COOKIE, self.signatures.cookie(person.id))

    def set_cookie(self, response: Response, name: str, value: str) -> None:
        response.set_cookie(name, value, max_age=2 * YEAR, httponly=True, samesite="lax", path="/")


def local_path(path: str) -> str:
    """A path of this server; anything else becomes the lobby."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"


def way_back(path: str) -> str:
    """Where somebody goes on after a refusal: the table, the form of a new one, or the lobby."""
    found = re.match("/(tables|new)/[^/]+", path)
    return found[0] if found else "/"


def once_more(message: Message, receive: Receive) -> Receive:
    """Receives a message that was received already, and then what comes."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return message

    return again


def language_of(request: Request | WebSocket) -> str:
    """The language somebody chose, or the browser's first that is known."""
    chosen = request.cookies.get(LANG_COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    for part in request.headers.get("accept-language", "")[:MOST_LANGUAGES].split(","):
        code = part.split(";")[0].strip().lower()[:2]
        if code in LANGUAGES:
            return code
    return "en"


def theme_of(request: Request) -> str:
    """The theme that somebody chose; whatever else a cookie says is none."""
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else ""


def same_origin(request: Request | WebSocket) -> bool:
    """Whether a form or socket comes from a page of this server; programs send no Origin."""
    origin = request.headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == request.headers.get("host")
    except ValueError:
        return False


def address_of(request: Request | WebSocket) -> str:
    """Where somebody is, as far as that counts for limits."""
    return prefix_of(request.client.host) if request.client else "unknown"


def for_programs(request: Request) -> bool:
    """Whether a program asks, which wants JSON."""
    return bool(request.scope["path"].startswith("/api/"))


def kind_of(error: TeerlingError) -> str:
    """The name by which a program knows an error: `IllegalMove` is `illegal_move`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__).lower()


def rule_of(error: TeerlingError) -> str | None:
    """The rule that a move would break."""
    return error.why.rule if isinstance(error, IllegalMove) and error.why is not None else None


def status_of(error: TeerlingError) -> int:
    if isinstance(error, Refused):
        return error.status
    if isinstance(error, UnknownGame):
        return 404
    return 503 if isinstance(error, StorageGone) else 422


def no_such_game(lang: str) -> str:
    """What a page says of a game that is not there: people know games by name, programs by id."""
    say = Speaker(lang)
    names = say.listed([Speaker(lang, of)(of.name) for of in list_games()])
    return say("There is no such game here. There are {names}.", names=names)


def sentence(error: TeerlingError, lang: str) -> str:
    """An error in somebody's language."""
    say = Speaker(lang)
    if isinstance(error, Refused):
        return say(error.text, **error.details)
    if isinstance(error, StorageGone):
        return say("The server cannot store anything right now. Nothing is lost; please try again.")
    return say.phrase(error.args[0]) if error.args else str(error)
