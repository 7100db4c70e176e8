"""The routes for programs."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from ... import players
from ...game import Move, game, game_ids
from ...game import list_games as games
from ...match import Match
from ...words import Speaker
from ..actions import Asker, Wish
from ..afterwards.reviews import NotOver
from ..afterwards.what_if import Turning, loaded, name_of_file, open_match, places_of, turned
from ..context import RequestContext, address_of, language_of
from ..people import clean_name
from ..refusals import Full, TooFast
from ..tables.broadcaster import Viewer
from ..tables.opening import Place, check_people
from ..tables.table import Table
from .models import (
    GameInfo,
    GameList,
    HintAnswer,
    History,
    LegalMoves,
    Level,
    MoveInfo,
    ReviewAnswer,
    Seated,
    State,
    TableInfo,
    TableList,
    WantedBack,
    WantedBranch,
    WantedMove,
    WantedPlace,
    WantedTable,
)  # fmt: skip
from .reference import operations, types
from .refusals import REFUSALS, refusals
from .seats import (
    NoToken,
    OwnSeat,
    Token,
    asker,
    chosen_seat,
    is_to_decide,
    newcomer,
    notice,
    own_seats,
)
from .stream import EVENT_STREAM, Follower, Silent, Stream, messages
from .tell import act, game_info, played, state_of, table_info, told_table

OPTIONAL_TOKEN: dict[str, Any] = {"security": [{}, {"token": []}]}
TableId = Annotated[str, Path(description="The id of a table.", max_length=40)]


def routes(context: RequestContext) -> APIRouter:
    """The routes for programs."""
    router = APIRouter()
    api = APIRouter(prefix="/api", generate_unique_id_function=lambda route: route.name)
    house = context.house

    @router.get("/api", include_in_schema=False)
    async def reference(request: Request) -> HTMLResponse:
        document = request.app.openapi()
        return context.page(
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
        check_people(places)
        person = await newcomer(house, wanted.name, Speaker(language_of(request)))
        table, token = await context.open_table(
            request, of.id, places, person.id, person.name, wanted.options,
            public=wanted.public, pace=wanted.pace, hints=wanted.hints, tutor=wanted.tutor,
        )  # fmt: skip
        return Seated(table=table_info(table.row), seats=table.seating.seats_of(person.id), token=token)

    @api.get("/tables", summary="List tables", response_model=TableList, responses=refusals())
    async def list_tables(
        status: Annotated[
            Literal["open", "playing"], Query(description="open: seats are free; playing: to watch")
        ] = "open",
        game: Annotated[str | None, Query(description="The id of a game.", max_length=40)] = None,
    ) -> TableList:
        """The public tables, the liveliest first."""
        if game is not None and game not in game_ids():
            # A database may not even be able to look for it.
            return TableList(tables=[])
        rows = await asyncio.to_thread(house.storage.public_tables, status, game)
        return TableList(tables=[table_info(row) for row in rows])

    @api.get("/tables/{table_id}", summary="See a table", response_model=TableInfo, responses=refusals(404))
    async def show_table(table_id: TableId) -> TableInfo:
        """Who sits where, and how things stand."""
        return await house.changes.see(table_id, told_table)

    @api.post(
        "/branches", summary="Play a match on", status_code=201, response_model=Seated,
        responses=refusals(403, 404, 409, 413),
    )  # fmt: skip
    async def branch(request: Request, wanted: WantedBranch) -> Seated:
        """Opens a table at which a match is played on from a step of it, against bots. The answer holds the
        token of the program's seat."""
        match, source = await source_of(wanted.source, address_of(request))
        turning = Turning(wanted.step, wanted.seat, wanted.levels, wanted.luck)
        places_of(turned(match, source, turning), turning)
        person = await newcomer(house, wanted.name, Speaker(language_of(request)))
        table, token = await context.play_on(request, match, source, person, turning)
        return Seated(table=told_table(table), seats=table.seating.seats_of(person.id), token=token)

    async def source_of(given: str, whose: str) -> tuple[Match, str]:
        """The match that a table or a file holds, and what its branches call it."""
        if given.startswith("teerling "):
            context.check_shows(whose)
            return await house.workshop.make(loaded, given, whose=whose), name_of_file(given)
        return await house.changes.see(given, open_match), given

    @api.post(
        "/tables/{table_id}/join", summary="Join a table", response_model=Seated,
        responses=refusals(403, 404, 409, 413),
    )  # fmt: skip
    async def join(request: Request, table_id: TableId, wanted: WantedPlace) -> Seated:
        """Takes a free seat. The answer holds the token of the seat."""
        seat = await house.changes.see(table_id, lambda table: table.free_seat(wanted.seat))
        person = await newcomer(house, wanted.name, Speaker(language_of(request)))
        done = await house.actions.do("join", table_id, Asker(person), Wish(seat=seat))
        told = await house.changes.see(table_id, lambda table: table_info(table.row))
        return Seated(table=told, seats=[seat], token=done.token)

    @api.get(
        "/tables/{table_id}/view", summary="See the match", response_model=State,
        responses=refusals(401, 403, 404, 409), openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def view(table_id: TableId, token: Token, seat: OwnSeat = None) -> State:
        """The match as the token's seat may see it; without a token as a spectator does."""

        def look(table: Table) -> State:
            state = state_of(table, token, seat)
            notice(house, table, state.seat)
            return state

        return await house.changes.see(table_id, look)

    @api.get(
        "/tables/{table_id}/moves", summary="List the legal moves", response_model=LegalMoves,
        responses=refusals(401, 403, 404), openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def legal_moves(table_id: TableId, token: Token, seat: OwnSeat = None) -> LegalMoves:
        """What the seat may do now, if it is its turn."""

        def look(table: Table) -> LegalMoves:
            shown = chosen_seat(table, own_seats(table, token), seat)
            notice(house, table, shown)
            yours = is_to_decide(table, shown)
            moves: Sequence[Move] = table.match.legal_moves if yours else ()
            listed = [MoveInfo(id=move.id, text=move.text) for move in moves]
            return LegalMoves(version=table.version, seat=shown, yours=yours, moves=listed)

        return await house.changes.see(table_id, look)

    @api.post(
        "/tables/{table_id}/moves", summary="Make a move", response_model=State,
        responses=refusals(401, 403, 404, 409, 413),
    )  # fmt: skip
    async def push(table_id: TableId, wanted: WantedMove, token: Token, seat: OwnSeat = None) -> State:
        """Makes a move for the seat; the answer is the match after it. What is refused changes nothing."""
        wish = Wish(move=wanted.move, at=wanted.at, sure=wanted.sure)
        return await act(house, "move", table_id, token, seat, wish)

    @api.post(
        "/tables/{table_id}/back", summary="Take back", response_model=State,
        responses=refusals(401, 403, 404, 409, 413),
    )  # fmt: skip
    async def take_back(table_id: TableId, wanted: WantedBack, token: Token, seat: OwnSeat = None) -> State:
        """Takes back to the seat's own last decision: against bots at any time, among people only until
        chance, a secret or another player is involved."""
        return await act(house, "back", table_id, token, seat, Wish(at=wanted.at))

    @api.post(
        "/tables/{table_id}/hint", summary="Ask for a hint", response_model=HintAnswer,
        responses=refusals(401, 403, 404, 409),
    )  # fmt: skip
    async def ask_hint(request: Request, table_id: TableId, token: Token, seat: OwnSeat = None) -> HintAnswer:
        """What a strong bot would do in the seat, from what the seat may know. It takes a second; asking
        raises the version, and the others can see that the seat asked."""
        table = await house.registry.find(table_id)
        done = await house.actions.do("hint", table_id, asker(table, token, seat))
        assert done.hint is not None
        version = done.hint.version
        hint = await house.hints.worked_out(table, done.hint)
        told = hint.as_dict(Speaker(language_of(request), table.game))
        return HintAnswer.model_validate({**told, "version": version})

    @api.post(
        "/tables/{table_id}/resign", summary="Resign", response_model=State,
        responses=refusals(401, 403, 404, 409),
    )  # fmt: skip
    async def resign(table_id: TableId, token: Token, seat: OwnSeat = None) -> State:
        """Gives up. Among people a bot plays on for the seat; otherwise the match ends."""
        return await act(house, "resign", table_id, token, seat, Wish())

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
            Query(ge=0, description="How many moves the program knows; it gets the rest."),
        ] = None,
    ) -> Stream:
        """Server-sent events: first how the table stands, then every change, with what happened since as
        the seat knows it. The id of a message is the number of moves; Last-Event-ID goes on from there. The
        stream ends when the match is over."""
        last = request.headers.get("last-event-id", "")
        known = int(last) if last.isascii() and last.isdecimal() and len(last) < 9 else since
        lang = language_of(request)

        def look(table: Table) -> tuple[Follower, str]:
            shown = chosen_seat(table, own_seats(table, token), seat)
            person_id = "" if shown is None else str(table.seating[shown].person_id)
            return Follower(table, shown, Speaker(lang, table.game), known), person_id

        follower, person_id = await house.changes.see(table_id, look)
        address = address_of(request)
        viewer = Viewer(table_id, Silent(), person_id, lang, address, news=asyncio.Event())
        if not context.limits.sockets.enter(address):
            raise TooFast("too many pages are open at tables from here; close some first")

        def leave() -> None:
            context.limits.sockets.leave(address)
            house.presence.leave(viewer)

        try:
            house.presence.enter(viewer)
        except Full:
            context.limits.sockets.leave(address)
            raise
        told = messages(house.changes, house.workshop, follower, viewer, context.settings.stream_seconds)
        return Stream(told, leave)

    @api.get(
        "/tables/{table_id}/history", summary="See what happened", response_model=History,
        responses=refusals(401, 403, 404, 409), openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def history(request: Request, table_id: TableId, token: Token, seat: OwnSeat = None) -> Response:
        """All moves and what came of them, as the seat knows it."""
        lang = language_of(request)

        def look(table: Table) -> tuple[int, Match, int | None]:
            shown = chosen_seat(table, own_seats(table, token), seat)
            table.check_begun()
            return table.version, table.match.upto(len(table.match.history)), shown

        # Of a long match it is much to tell.
        seen = await house.changes.see(table_id, look)
        text = await house.workshop.make(written_history, *seen, lang, whose=address_of(request))
        return Response(text, media_type="application/json")

    @api.get(
        "/tables/{table_id}/review", summary="Look back at the match", response_model=ReviewAnswer,
        responses=refusals(401, 403, 404, 409), openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def review(request: Request, table_id: TableId, token: Token) -> ReviewAnswer:
        """What was luck, what was skill and what would have been better in a match that is over. It is
        worked out while somebody asks for it: ask again every few seconds, until all is done."""

        def look(table: Table) -> tuple[Table, str]:
            own = own_seats(table, token)
            table.check_begun()
            person = table.seating[own[0]].person_id if own else ""
            return table, f"{address_of(request)} {person}".strip()

        table, whose = await house.changes.see(table_id, look)
        if not table.over:
            raise NotOver("the match is not over; only then can it be reviewed")
        standing = await house.reviews.ask(table_id, table.match, whose, stored=True)
        if standing.failed:
            raise Full("this review could not be worked out; please ask again")
        found = standing.review if standing.complete else None
        told = None if found is None else found.as_dict(Speaker(language_of(request), table.game))
        return ReviewAnswer(done=standing.done, before=standing.before, review=told)

    @api.get(
        "/tables/{table_id}/file", summary="Download the match", response_class=PlainTextResponse,
        responses=refusals(401, 403, 404, 409), openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def download(table_id: TableId, token: Token, seat: OwnSeat = None) -> PlainTextResponse:
        """The match file: complete and with its seed when the match is over; until then, what the seat may
        know."""

        def look(table: Table) -> tuple[str, str]:
            shown = chosen_seat(table, own_seats(table, token), seat)
            table.check_begun()
            if not table.over and shown is None:
                raise NoToken("until the match is over, only its players may have its file")
            text = table.match.save(None if table.over else shown, seed=table.told_seed is not None)
            return text, f"{table.game.id}-{table.id}.txt"

        text, name = await house.changes.see(table_id, look)
        return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'})

    router.routes.extend(api.routes)
    return router


def written_history(version: int, match: Match, seat: int | None, lang: str) -> str:
    """What happened in a match, as a seat knows it, as it is sent."""
    moves = played(match, seat, Speaker(lang, match.game))
    return History(version=version, seat=seat, moves=moves).model_dump_json()
