"""The lobby: games, new tables, and who somebody is."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from .. import players
from ..game import Game, game, game_ids, list_games
from ..words import Speaker
from . import pages
from .context import RequestContext, language_of, local_path
from .opening import Place
from .people import LANG_COOKIE, Person, clean_name
from .refusals import NotAllowed, Refused
from .storage import TableRow, now
from .views import LevelInfo, LobbyView, TableLine, game_info

LIVELY = {"live": timedelta(hours=1), "days": timedelta(days=7)}
"""For how long a table at which nothing happens is listed as one to watch, by its pace."""


class NotInTheForm(Refused):
    """A choice that the form of a new table does not offer."""

    status = 422


def routes(context: RequestContext) -> APIRouter:
    """The routes of the lobby."""
    router = APIRouter(include_in_schema=False)
    house = context.house

    @router.get("/")
    async def lobby(request: Request) -> HTMLResponse:
        person_id = context.person_of(request)
        mine = await asyncio.to_thread(house.storage.tables_of, person_id) if person_id else []
        person = await asyncio.to_thread(house.storage.person, person_id) if person_id else None
        open_tables = await asyncio.to_thread(house.storage.public_tables, "open")
        playing = await asyncio.to_thread(house.storage.public_tables, "playing")
        known = game_ids()
        mine, open_tables, playing = (
            [row for row in rows if row.game in known] for rows in (mine, open_tables, playing)
        )
        mine.sort(key=lambda row: (row.status == "over", not is_turn_of(row, person_id)))
        others = [row for row in open_tables if not sits_at(row, person_id)]
        lively = [row for row in playing if is_lively(row) and not sits_at(row, person_id)]
        view = LobbyView(
            name=person.name if person else "",
            games=tuple(map(game_info, list_games())),
            mine=tuple(table_line(row, person_id) for row in mine),
            open_tables=tuple(table_line(row, person_id) for row in others),
            playing=tuple(table_line(row, person_id) for row in lively),
        )
        day = await house.deals.view(person_id, language_of(request))
        puzzle = await house.puzzles.card(person_id)
        return context.page(request, "lobby.html", lobby=view, day=day, puzzle=puzzle)

    @router.post("/play/{game_id}")
    async def play_now(request: Request, game_id: str) -> RedirectResponse:
        of = game(game_id)
        person = await context.somebody(request)
        places = [Place("me"), *[Place("bot", level=players.USUAL)] * (of.usual_players - 1)]
        table, _ = await house.changes.create(game_id, places, person.id, person.name, {}, public=False)
        return context.to(f"/tables/{table.id}", person)

    @router.get("/new/{game_id}")
    async def new_table(request: Request, game_id: str) -> HTMLResponse:
        of = game(game_id)
        person_id = context.person_of(request)
        row = await asyncio.to_thread(house.storage.person, person_id) if person_id else None
        levels = tuple(LevelInfo(level.name, level.character) for level in players.levels())
        return context.page(
            request, "new.html", game=game_info(of), say=pages.speaker(language_of(request), of.id),
            name=row.name if row else "", levels=levels, usual=players.USUAL,
        )  # fmt: skip

    @router.post("/new/{game_id}")
    async def create_table(request: Request, game_id: str) -> RedirectResponse:
        of = game(game_id)
        form = await request.form()
        fields = {key: str(value) for key, value in form.items()}
        person, name = await context.somebody(request), fields.get("name", "")
        places = [
            wanted_place(fields, i) for i in range(of.players[-1]) if fields.get(f"seat{i}", "none") != "none"
        ]
        # A field that is there several times holds the parts of one value.
        given = {
            option.name: ",".join(map(str, form.getlist(f"option_{option.name}"))).strip()
            for option in of.options
        }
        options = {name: value for name, value in given.items() if value}
        check_options(of, options, language_of(request))
        table, _ = await house.changes.create(
            game_id, places, person.id, clean_name(name) or person.name, options,
            public=fields.get("public") == "yes", pace=fields.get("pace", "live"),
            hints=fields.get("hints", "bots"),
        )  # fmt: skip
        # Only who got the table goes by the new name from now on.
        return context.to(f"/tables/{table.id}", await context.named(person, name))

    @router.get("/me/{link}")
    async def second_device(request: Request, link: str) -> Response:
        person_id = context.signatures.person_of_link(link)
        row = await asyncio.to_thread(house.storage.person, person_id) if person_id else None
        if row is None:
            raise NotAllowed("this link is not valid")
        return context.to("/", Person(row.id, row.name))

    @router.post("/name")
    async def choose_name(request: Request, name: str = Form("")) -> RedirectResponse:
        return context.to("/", await context.somebody(request, name))

    @router.post("/language")
    async def choose_language(lang: str = Form(), back: str = Form("/")) -> RedirectResponse:
        Speaker(lang)
        response = context.to(local_path(back))
        context.set_cookie(response, LANG_COOKIE, lang)
        return response

    @router.post("/theme")
    async def choose_theme(theme: str = Form(), back: str = Form("/")) -> RedirectResponse:
        response = context.to(local_path(back))
        value = theme if theme in ("light", "dark") else ""
        context.set_cookie(response, "theme", value)
        return response

    return router


def check_options(of: Game, options: Mapping[str, str], lang: str) -> None:
    """Refuses an option that does not fit in the words of the form: people do not know it by its name."""
    say = pages.speaker(lang, of.id)
    for option in of.options:
        value = options.get(option.name)
        if value is not None and option.accept(value) is None:
            raise NotInTheForm(
                "“{option}” must be {values}, not {value}",
                option=say(option.text).rstrip("."), values=say.phrase(option.values), value=value,
            )  # fmt: skip


def wanted_place(fields: Mapping[str, str], seat: int) -> Place:
    """What the form says of a seat; an open one gets its name from whoever takes it."""
    kind = fields.get(f"seat{seat}", "")
    name = "" if kind == "open" else clean_name(fields.get(f"name{seat}", ""))
    return Place(kind, name, fields.get(f"level{seat}", ""))


def table_line(row: TableRow, person_id: str | None) -> TableLine:
    """A table as the lobby lists it."""
    return TableLine(
        id=row.id,
        game=game_info(game(row.game)),
        names=tuple(seat.name for seat in row.seats),
        status=row.status,
        yours=is_turn_of(row, person_id),
        mover=None if row.turn is None or row.turn < 0 else row.seats[row.turn].name,
    )


def sits_at(row: TableRow, person_id: str | None) -> bool:
    """Whether a person has a seat at a table; a visitor without a cookie has none anywhere."""
    return person_id is not None and any(seat.person_id == person_id for seat in row.seats)


def is_turn_of(row: TableRow, person_id: str | None) -> bool:
    """Whether a person is to move at a table; where a bot sits in, it is the bot."""
    turn = None if row.turn is None else row.seats[row.turn]
    return turn is not None and turn.person_id == person_id and not turn.stand_in


def is_lively(row: TableRow) -> bool:
    """Whether something happened lately at a table, so that there is something to watch."""
    return now() - row.changed < LIVELY[row.pace]
