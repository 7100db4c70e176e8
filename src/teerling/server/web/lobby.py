"""The lobby: games, new tables, and who somebody is."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from ...errors import TeerlingError
from ...game import Game, game, game_ids, list_games
from ...words import Speaker
from ..context import THEME_COOKIE, THEMES, RequestContext, language_of, local_path
from ..database.schema import TableRow
from ..database.storage import now
from ..database.transactions import StorageGone
from ..look import match_view
from ..page import environment, match_pages
from ..page.scenery import has_front, props, scenery
from ..page.views import LobbyView, SeatLine, TableLine, game_info, level_infos
from ..people import LANG_COOKIE, clean_name
from ..refusals import Refused
from ..tables.opening import Place
from ..tables.table import BOT_NAMES, Table, keeps_chairs
from .habits import habits_of, remember

LIVELY = {"live": timedelta(hours=1), "days": timedelta(days=7)}
"""For how long a table at which nothing happens is listed as one to watch, by its pace."""

MOST_TOLD = 6
"""Of how many tables that wait for the visitor the lobby tells what is going on."""
MOST_FINISHED = 6
PRESETS = {"bots": "bot", "friends": "open", "screen": "me"}
"""With whom somebody plays, and what that makes of every other seat."""


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
        invited = [row for row in mine if not sits_at(row, person_id)]
        mine = [row for row in mine if row not in invited]
        turns = [row for row in mine if is_turn_of(row, person_id)]
        waiting = [row for row in mine if row.status != "over" and row not in turns]
        finished = [row for row in mine if row.status == "over"][:MOST_FINISHED]
        others = [row for row in open_tables if offers_seat(row) and not knows(row, person_id)]
        lively = [row for row in playing if is_lively(row) and not sits_at(row, person_id)]
        view = LobbyView(
            name=person.name if person else "",
            at=now(),
            games=tuple(map(game_info, list_games())),
            invitations=tuple(table_line(row, person_id) for row in invited if row.status == "open"),
            turns=await lines(turns[:MOST_TOLD], person_id)
            + tuple(table_line(row, person_id) for row in turns[MOST_TOLD:]),
            waiting=tuple(table_line(row, person_id) for row in waiting),
            finished=await lines(finished, person_id),
            open_tables=tuple(table_line(row, person_id) for row in others),
            playing=tuple(table_line(row, person_id) for row in lively),
            habits=habits_of(request),
        )
        try:
            day = await house.deals.view(person_id)
        except StorageGone:
            # The first who comes on a day has its deals kept; a disk that is full keeps nobody out.
            day = None
        puzzle = await house.puzzles.card(person_id)
        return context.page(
            request, "lobby.html", lobby=view, day=day, puzzle=puzzle, levels=level_infos(),
            scenery=scenery(*known, fronts=() if view.returning else tuple(known[:1]))
            + props("".join(match_pages.glance(line.match) for line in view.turns if line.match), *known),
            has_front=has_front(known[0]),
        )  # fmt: skip

    async def lines(rows: Sequence[TableRow], person_id: str | None) -> tuple[TableLine, ...]:
        """Tables as the lobby lists them, with what the visitor may know of their matches."""
        found = []
        for row in rows:
            line = table_line(row, person_id)
            try:
                found.append(await house.changes.see(row.id, partial(told_line, line, person_id=person_id)))
            except TeerlingError:
                # A match that cannot be opened any more is listed all the same.
                found.append(line)
        return tuple(found)

    @router.post("/play/{game_id}")
    async def play_now(
        request: Request, game_id: str, level: str = Form(""), guide: str = Form("")
    ) -> RedirectResponse:
        of, habits = game(game_id), habits_of(request)
        person = await context.somebody(request)
        level, count = level or habits.level, habits.players_of(of)
        places = [Place("me"), *[Place("bot", level=level)] * (count - 1)]
        table, _ = await context.open_table(
            request, game_id, places, person.id, person.name, {}, public=False
        )
        response = context.to(f"/tables/{table.id}{'#guide' if guide else ''}", person)
        remember(context, response, habits, level, of.id, count)
        return response

    @router.get("/new/{game_id}")
    async def new_table(request: Request, game_id: str) -> HTMLResponse:
        of = game(game_id)
        person_id = context.person_of(request)
        row = await asyncio.to_thread(house.storage.person, person_id) if person_id else None
        return context.page(
            request, "new.html", game=game_info(of), say=environment.speaker(language_of(request), of.id),
            name=row.name if row else "", levels=level_infos(), habits=habits_of(request),
            scenery=scenery(of.id), bots=BOT_NAMES,
        )  # fmt: skip

    @router.post("/new/{game_id}")
    async def create_table(request: Request, game_id: str) -> RedirectResponse:
        of = game(game_id)
        form = await request.form()
        fields = {key: str(value) for key, value in form.items()}
        person, name = await context.somebody(request), fields.get("name", "")
        # A field that is there several times holds the parts of one value.
        given = {
            option.name: ",".join(map(str, form.getlist(f"option_{option.name}"))).strip()
            for option in of.options
        }
        options = {name: value for name, value in given.items() if value}
        check_options(of, options, language_of(request))
        places, habits = wanted_places(of, fields), habits_of(request)
        table, _ = await context.open_table(
            request, game_id, places, person.id, clean_name(name) or person.name, options,
            public=fields.get("public") == "yes", pace=fields.get("pace", "live"),
            hints=fields.get("hints", "bots"),
            tutor=fields.get("tutor") == "yes" and fields.get("preset") in ("bots", "seats"),
        )  # fmt: skip
        # Only who got the table goes by the new name from now on.
        response = context.to(f"/tables/{table.id}", await context.named(person, name))
        level = next((place.level for place in places if place.kind == "bot"), habits.level)
        remember(context, response, habits, level, of.id, len(places))
        return response

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
        context.set_cookie(response, THEME_COOKIE, theme if theme in THEMES else "")
        return response

    return router


def check_options(of: Game, options: Mapping[str, str], lang: str) -> None:
    """Refuses an option that does not fit in the words of the form: people do not know it by its name."""
    say = environment.speaker(lang, of.id)
    for option in of.options:
        value = options.get(option.name)
        if value is not None and option.accept(value) is None:
            raise NotInTheForm(
                "“{option}” must be {values}, not {value}",
                option=say(option.text).rstrip("."), values=say.phrase(option.values), value=value,
            )  # fmt: skip


def wanted_places(of: Game, fields: Mapping[str, str]) -> list[Place]:
    """Who sits where, by the form: seat by seat, or by one of its presets where seats are not told apart."""
    preset = fields.get("preset", "")
    if preset not in PRESETS:
        seats = range(of.players[-1])
        return [wanted_place(fields, seat) for seat in seats if fields.get(f"seat{seat}", "none") != "none"]
    count = fields.get("players", "")
    if not count.isascii() or not count.isdecimal() or len(count) > 2:
        raise NotInTheForm("how many players there are is a number, not {value}", value=count)
    others = range(1, of.check_players(int(count)))
    if preset == "screen":
        return [Place("me"), *(Place("me", clean_name(fields.get(f"player{i}", ""))) for i in others)]
    level = fields.get("level", "") if preset == "bots" else ""
    return [Place("me"), *(Place(PRESETS[preset], level=level) for _ in others)]


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
        seats=tuple(SeatLine(seat.seat, seat.name, seat.kind) for seat in row.seats),
        status=row.status,
        ending=row.ending,
        changed=row.changed,
        yours=is_turn_of(row, person_id),
        mover=None if row.turn is None or row.turn < 0 else row.seats[row.turn].name,
    )


def told_line(line: TableLine, table: Table, person_id: str | None) -> TableLine:
    """The same with what a person may know: what is going on, or how it ended."""
    if table.branch is not None:
        line = replace(line, branch=table.branch.step)
    if table.playing:
        seat = table.seat_open_to(person_id)
        return replace(line, match=match_view(table.match, seat, seat))
    own = table.seating.seats_of(person_id)
    if table.row.ending != "finished" or not own:
        return line
    best = min(own, key=lambda seat: table.match.ranks[seat])
    return replace(line, place=table.match.ranks[best], score=table.match.scores[best])


def sits_at(row: TableRow, person_id: str | None) -> bool:
    """Whether a person has a seat at a table; a visitor without a cookie has none anywhere."""
    return person_id is not None and any(
        seat.person_id == person_id and seat.kind == "person" for seat in row.seats
    )


def knows(row: TableRow, person_id: str | None) -> bool:
    """Whether a person has a seat at a table, or one is kept there."""
    return person_id is not None and any(seat.person_id == person_id for seat in row.seats)


def offers_seat(row: TableRow) -> bool:
    """Whether a table has a free seat that is not kept for somebody."""
    kept = keeps_chairs(row)
    return any(seat.kind == "open" and not (kept and seat.person_id) for seat in row.seats)


def is_turn_of(row: TableRow, person_id: str | None) -> bool:
    """Whether a person is to move at a table; where a bot sits in, it is the bot."""
    turn = None if row.turn is None else row.seats[row.turn]
    return turn is not None and turn.person_id == person_id and not turn.stand_in


def is_lively(row: TableRow) -> bool:
    """Whether something happened lately at a table, so that there is something to watch."""
    return now() - row.changed < LIVELY[row.pace]
