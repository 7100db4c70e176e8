"""The routes for programs."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, StreamingResponse

from ... import players
from ...game import Move, game
from ...game import list_games as games
from ...words import Speaker
from ..desk import Desk, language_of
from ..house import Viewer
from ..people import clean_name
from ..reference import operations, types
from ..table import Place, Refused
from .models import (
    Advice,
    GameInfo,
    GameList,
    History,
    LegalMoves,
    Level,
    MoveInfo,
    Seated,
    State,
    TableInfo,
    TableList,
    WantedBack,
    WantedMove,
    WantedPlace,
    WantedTable,
)  # fmt: skip
from .refusals import REFUSALS, refusals
from .seats import (
    NoToken,
    OwnSeat,
    Token,
    acting_seat,
    chosen_seat,
    is_to_decide,
    newcomer,
    notice,
    own_seats,
)
from .stream import EVENT_STREAM, Follower, Silent, Stream, messages
from .tell import game_info, played, state_of, table_info

OPTIONAL_TOKEN: dict[str, Any] = {"security": [{}, {"token": []}]}
TableId = Annotated[str, Path(description="The id of a table.", max_length=40)]


def routes(desk: Desk) -> APIRouter:
    """The routes for programs."""
    router = APIRouter()
    api = APIRouter(prefix="/api", generate_unique_id_function=lambda route: route.name)
    house = desk.house

    @router.get("/api", include_in_schema=False)
    async def reference(request: Request) -> HTMLResponse:
        document = request.app.openapi()
        return desk.page(
            request, "api.html", operations=operations(document), types=types(document),
            about=document["info"]["description"], refusals=REFUSALS,
            address=str(request.base_url).rstrip("/"),
        )  # fmt: skip

    @api.get("/games", summary="List the games", response_model=GameList, responses=refusals())
    async def list_games(request: Request) -> GameList:
        """All games with their options, and the bots that can sit at a table."""
        lang = language_of(request)
        say = Speaker(lang)
        levels = [Level(name=each.name, text=say(each.character)) for each in players.levels()]
        return GameList(games=[game_info(each, Speaker(lang, each)) for each in games()], levels=levels)

    @api.get("/games/{game_id}", summary="See a game", response_model=GameInfo, responses=refusals(404))
    async def show_game(
        request: Request, game_id: Annotated[str, Path(description="The id of a game.", max_length=40)]
    ) -> GameInfo:
        """One game with its options."""
        of = game(game_id)
        return game_info(of, Speaker(language_of(request), of))

    @api.post(
        "/tables", summary="Create a table", status_code=201, response_model=Seated,
        responses=refusals(403, 404, 409, 413),
    )  # fmt: skip
    async def create_table(request: Request, wanted: WantedTable) -> Seated:
        """Opens a table. The match begins as soon as no seat is open. The answer holds the token of the
        program's own seats."""
        of = game(wanted.game)
        of.check_players(len(wanted.seats))
        of.check_options(wanted.options)
        places = [Place(seat.kind, clean_name(seat.name), seat.level) for seat in wanted.seats]
        for place in places:
            players.level(place.level or players.USUAL)
        person = await newcomer(house, wanted.name, Speaker(language_of(request)))
        table, token = await house.create(
            of.id, places, person.id, person.name, wanted.options,
            public=wanted.public, pace=wanted.pace, hints=wanted.hints,
        )  # fmt: skip
        return Seated(table=table_info(table.row), seats=table.seats_of(person.id), token=token)

    @api.get("/tables", summary="List tables", response_model=TableList, responses=refusals())
    async def list_tables(
        status: Annotated[
            Literal["open", "playing"], Query(description="open: seats are free; playing: to watch")
        ] = "open",
        game: Annotated[str | None, Query(description="The id of a game.", max_length=40)] = None,
    ) -> TableList:
        """The public tables, the liveliest first."""
        rows = await asyncio.to_thread(house.storage.public_tables, status, game)
        return TableList(tables=[table_info(row) for row in rows])

    @api.get("/tables/{table_id}", summary="See a table", response_model=TableInfo, responses=refusals(404))
    async def show_table(table_id: TableId) -> TableInfo:
        """Who sits where, and how things stand."""
        table = await house.table(table_id)
        return await house.see(table, lambda: table_info(table.row))

    @api.post(
        "/tables/{table_id}/join", summary="Join a table", response_model=Seated,
        responses=refusals(403, 404, 409, 413),
    )  # fmt: skip
    async def join(request: Request, table_id: TableId, wanted: WantedPlace) -> Seated:
        """Takes a free seat. The answer holds the token of the seat."""
        table = await house.table(table_id)
        free = [seat.seat for seat in table.seats if seat.kind == "open" and table.status == "open"]
        if not free or wanted.seat not in (None, *free):
            raise Refused("this seat is taken")
        seat = free[0] if wanted.seat is None else wanted.seat
        person = await newcomer(house, wanted.name, Speaker(language_of(request)))
        token = await house.act(table, table.join, seat, person.id, person.name)
        return Seated(table=table_info(table.row), seats=[seat], token=token)

    @api.get(
        "/tables/{table_id}/view", summary="See the match", response_model=State,
        responses=refusals(401, 403, 404, 409), openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def view(table_id: TableId, token: Token, seat: OwnSeat = None) -> State:
        """The match as the token's seat may see it; without a token as a spectator does."""
        table = await house.table(table_id)
        state = await house.see(table, state_of, table, token, seat)
        notice(house, table, state.seat)
        return state

    @api.get(
        "/tables/{table_id}/moves", summary="List the legal moves", response_model=LegalMoves,
        responses=refusals(401, 403, 404), openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def legal_moves(table_id: TableId, token: Token, seat: OwnSeat = None) -> LegalMoves:
        """What the seat may do now, if it is to decide."""
        table = await house.table(table_id)

        def look() -> LegalMoves:
            own = own_seats(table, token)
            shown = chosen_seat(table, own, seat)
            yours = is_to_decide(table, shown)
            moves: Sequence[Move] = table.match.legal_moves if yours else ()
            listed = [MoveInfo(id=move.id, text=move.text) for move in moves]
            return LegalMoves(version=table.version, seat=shown, yours=yours, moves=listed)

        listed = await house.see(table, look)
        notice(house, table, listed.seat)
        return listed

    @api.post(
        "/tables/{table_id}/moves", summary="Make a move", response_model=State,
        responses=refusals(401, 403, 404, 409, 413),
    )  # fmt: skip
    async def push(table_id: TableId, wanted: WantedMove, token: Token, seat: OwnSeat = None) -> State:
        """Makes a move for the seat; the answer is the match after it. What is refused changes nothing."""
        table = await house.table(table_id)
        mine = acting_seat(table, token, seat)
        await house.act(table, table.push, mine, wanted.move, wanted.at)
        return await house.see(table, state_of, table, token, seat)

    @api.post(
        "/tables/{table_id}/back", summary="Take back", response_model=State,
        responses=refusals(401, 403, 404, 409, 413),
    )  # fmt: skip
    async def take_back(table_id: TableId, wanted: WantedBack, token: Token, seat: OwnSeat = None) -> State:
        """Takes back to the seat's own last decision: against bots at any time, among people only until
        chance, a secret or another player is involved."""
        table = await house.table(table_id)
        mine = acting_seat(table, token, seat)
        await house.act(table, table.take_back, mine, wanted.at)
        return await house.see(table, state_of, table, token, seat)

    @api.post(
        "/tables/{table_id}/hint", summary="Ask for a hint", response_model=Advice,
        responses=refusals(401, 403, 404, 409),
    )  # fmt: skip
    async def ask_hint(request: Request, table_id: TableId, token: Token, seat: OwnSeat = None) -> Advice:
        """What a strong bot would think in the seat, from what the seat may know. It takes a second; that it
        was asked for raises the version, and the others can see it."""
        table = await house.table(table_id)
        coming = await house.hints.ask(table, acting_seat(table, token, seat))
        # The match may go on meanwhile: the hint is about the version in which it was asked for.
        version = table.version
        hint = await house.hints.worked_out(table, coming)
        told = hint.as_dict(Speaker(language_of(request), table.game))
        return Advice.model_validate({**told, "version": version})

    @api.post(
        "/tables/{table_id}/resign", summary="Resign", response_model=State,
        responses=refusals(401, 403, 404, 409),
    )  # fmt: skip
    async def resign(table_id: TableId, token: Token, seat: OwnSeat = None) -> State:
        """Gives up. Among people a bot plays on for the seat; otherwise the match ends."""
        table = await house.table(table_id)
        mine = acting_seat(table, token, seat)
        await house.act(table, table.resign, mine)
        return await house.see(table, state_of, table, token, seat)

    @api.get(
        "/tables/{table_id}/events", summary="Follow a table", response_class=StreamingResponse,
        responses=refusals(401, 403, 404)
        | {200: {"description": "Messages whose data is a Change", "content": EVENT_STREAM}},
        openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def events(
        request: Request,
        table_id: TableId,
        token: Token,
        seat: OwnSeat = None,
        since: Annotated[
            int | None,
            Query(ge=0, description="How many moves the program knows; it is told the rest."),
        ] = None,
    ) -> Stream:
        """Server-sent events: first how the table stands, then every change, with what happened since as
        the seat knows it. The id of a message is the number of moves; Last-Event-ID goes on from there. The
        stream ends when the match is over."""
        table = await house.table(table_id)
        own = own_seats(table, token)
        shown = chosen_seat(table, own, seat)
        last = request.headers.get("last-event-id", "")
        known = int(last) if last.isascii() and last.isdecimal() and len(last) < 9 else since
        person_id = "" if shown is None else str(table.seats[shown].person_id)
        viewer = Viewer(Silent(), person_id, language_of(request), news=asyncio.Event())
        follower = await house.see(table, Follower, table, shown, Speaker(viewer.lang, table.game), known)
        house.enter(table, viewer)
        return Stream(
            messages(house, follower, viewer, desk.settings.stream_seconds),
            lambda: house.leave(table, viewer),
        )

    @api.get(
        "/tables/{table_id}/history", summary="See what happened", response_model=History,
        responses=refusals(401, 403, 404, 409), openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def history(request: Request, table_id: TableId, token: Token, seat: OwnSeat = None) -> History:
        """All moves and what came of them, as the seat knows it."""
        table = await house.table(table_id)
        say = Speaker(language_of(request), table.game)

        def look() -> History:
            shown = chosen_seat(table, own_seats(table, token), seat)
            table.check_begun()
            return History(version=table.version, seat=shown, moves=played(table, shown, say))

        return await house.see(table, look)

    @api.get(
        "/tables/{table_id}/file", summary="Download the match", response_class=PlainTextResponse,
        responses=refusals(401, 403, 404, 409), openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def download(table_id: TableId, token: Token, seat: OwnSeat = None) -> PlainTextResponse:
        """The match file: complete and with its seed when the match is over; until then, what the seat may
        know."""
        table = await house.table(table_id)

        def look() -> str:
            shown = chosen_seat(table, own_seats(table, token), seat)
            table.check_begun()
            if not table.over and shown is None:
                raise NoToken("until the match is over, only who plays it may have its file")
            return table.match.save(None if table.over else shown)

        text = await house.see(table, look)
        name = f'attachment; filename="{table.game.id}-{table.id}.txt"'
        return PlainTextResponse(text, headers={"Content-Disposition": name})

    router.include_router(api)
    return router
