"""The interface for programs: JSON over HTTP, a token per seat, a stream of events."""

import asyncio
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse, StreamingResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.types import Receive, Scope, Send

from .. import options, players
from ..game import Event, Game, Move, game, games
from ..words import Speaker
from .desk import Desk, language_of
from .house import House, Viewer
from .people import MOST_NAME, Person, clean_name, new_person_id
from .reference import operations, types
from .storage import TableRow
from .table import NotAllowed, Place, Refused, Table, token_hash

MOST_MOVE = 200
MOST_SEATS = 20
HEARTBEAT = 15.0


class NoToken(Refused):
    """Something that needs the token of a seat, or a token that is none of this table's."""

    status = 401


# What is sent


def _whole(value: object) -> object:
    """To JSON 3.0 is a whole number too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]
Seat = Annotated[int, Field(ge=0, lt=MOST_SEATS), BeforeValidator(_whole)]
Version = Annotated[int, Field(ge=0), BeforeValidator(_whole)]


class Wanted(BaseModel):
    """What a program sends; anything that does not belong there is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class WantedSeat(Wanted):
    kind: Literal["me", "open", "bot"] = Field(
        description="Who sits here: the program itself, whoever comes, or a bot."
    )
    name: str = Field("", max_length=MOST_NAME, description="A name of its own for this seat.")
    level: str = Field("", max_length=20, description="Of a bot: its level, as listed with the games.")


class WantedTable(Wanted):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "game": "ra",
                    "seats": [{"kind": "me"}, {"kind": "bot", "level": "random"}],
                    "name": "Tester",
                }
            ]
        }
    )
    game: str = Field(max_length=40, description="The id of a game.")
    seats: list[WantedSeat] = Field(max_length=MOST_SEATS, description="All seats, in order.")
    options: dict[str, bool | Whole | str | list[Whole]] = Field(
        default_factory=dict,
        max_length=20,
        description="Options of the game; the others have their default.",
    )
    name: str = Field("", max_length=MOST_NAME, description="What the program is called at the table.")
    public: bool = Field(True, description="Whether the table is listed; otherwise only its id leads there.")
    pace: Literal["live", "days"] = Field("live", description="Live, or days to move.")


class WantedPlace(Wanted):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Tester"}]})
    seat: Seat | None = Field(None, description="Which free seat; otherwise the first.")
    name: str = Field("", max_length=MOST_NAME, description="What the program is called at the table.")


class WantedMove(Wanted):
    model_config = ConfigDict(json_schema_extra={"examples": [{"move": "draw", "at": 1}]})
    move: str = Field(max_length=MOST_MOVE, description="The text of a move, as listed with the legal moves.")
    at: Version | None = Field(
        None,
        description="The version that the program has seen; 409 if there is a newer one.",
    )


class WantedBack(Wanted):
    model_config = ConfigDict(json_schema_extra={"examples": [{"at": 2}]})
    at: Version | None = Field(
        None,
        description="The version that the program has seen; 409 if there is a newer one.",
    )


# What is answered


class Trouble(BaseModel):
    kind: str = Field(description="What it is, for programs: stale, illegal_move and the like.")
    message: str = Field(description="What it is, for people, in the language of Accept-Language.")
    rule: str | None = Field(None, description="The rule that a move would break.")


class Problem(BaseModel):
    error: Trouble


class OptionInfo(BaseModel):
    name: str
    kind: str = Field(description="number, choice, flag or counts")
    text: str = Field(description="What it changes.")
    values: str = Field(description="What may be chosen, in words.")
    default: bool | int | str | list[int] | None
    least: int | None = None
    most: int | None = None
    choices: list[int | str] | None = None
    names: list[str] | None = Field(default=None, description="Of counts: what is counted.")


class GameInfo(BaseModel):
    id: str
    name: str
    author: str
    year: int
    least_players: int
    most_players: int
    minutes: int
    summary: str
    rules: int = Field(description="The version of the rules.")
    options: list[OptionInfo]


class Level(BaseModel):
    name: str
    text: str


class GameList(BaseModel):
    games: list[GameInfo]
    levels: list[Level] = Field(description="The bots that there are, weakest first.")


class SeatInfo(BaseModel):
    seat: int
    kind: str = Field(description="person, bot or open")
    name: str
    level: str | None = Field(description="The level of a bot, or of the bot that sits in for a person.")
    sits_in: bool = Field(description="Whether a bot sits in for a person.")


class TableInfo(BaseModel):
    id: str
    game: str
    options: dict[str, str]
    status: str = Field(description="open, playing or over")
    ending: str | None = Field(description="finished, resigned or abandoned")
    pace: str
    public: bool
    turn: int | None = Field(description="The seat to decide.")
    seats: list[SeatInfo]
    page: str = Field(description="Where people see it.")


class TableList(BaseModel):
    tables: list[TableInfo]


class Seated(BaseModel):
    table: TableInfo
    seats: list[int] = Field(description="The seats of the program.")
    token: str | None = Field(
        description="To be sent as Authorization: Bearer …; it is told only here. None without a seat."
    )


class Told(BaseModel):
    kind: str
    rule: str
    seat: int | None
    data: dict[str, Any]
    text: str = Field(description="The event as a sentence, in the language of Accept-Language.")


class State(BaseModel):
    table: TableInfo
    version: int = Field(description="Goes up with everything that happens.")
    seat: int | None = Field(description="The seat that sees this; none: a spectator.")
    own: list[int] = Field(description="The seats of the token.")
    yours: bool = Field(description="Whether the seat is to decide.")
    may_take_back: bool
    seal: str = Field(description="SHA-256 of the seed.")
    seed: str | None = Field(description="Told when the match is over.")
    view: dict[str, Any] = Field(description="What the seat may see, legal moves included.")


class MoveInfo(BaseModel):
    id: int
    text: str


class LegalMoves(BaseModel):
    version: int
    seat: int | None
    yours: bool
    moves: list[MoveInfo] = Field(description="None if the seat is not to decide.")


class Played(BaseModel):
    number: int = Field(description="Counting from 1.")
    seat: int | None = Field(description="Who decided; none: nature.")
    text: str = Field(description="The move; what the seat may not know reads like: card ?")
    events: list[Told]


class History(BaseModel):
    version: int
    seat: int | None
    moves: list[Played]


class Change(BaseModel):
    """A message of the stream."""

    version: int
    status: str
    turn: int | None
    yours: bool
    moves: int = Field(description="How many moves there are now.")
    taken_back: int = Field(description="How many moves were taken back since the last message.")
    events: list[Told] = Field(description="What happened since the last message, as the seat knows it.")


REFUSALS = {
    400: "The message is not understood.",
    401: "A token is needed, or this one does not belong to the table.",
    403: "Somebody else's seat, somebody else's turn, or another site.",
    404: "There is no such table, or no such game.",
    409: "It can not be done now: the table has moved on, the seat is taken, the match is over.",
    413: "The message is too large.",
    422: "The message does not fit: an illegal move, an unknown option, a wrong type.",
    429: "Too fast; Retry-After says how many seconds to wait.",
    503: "The server is full, or its database does not answer; nothing is lost.",
}


def refusals(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of an operation, for its description."""
    wanted = [code for code in REFUSALS if code in (*codes, 400, 422, 429, 503)]
    schema = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    # The model makes the schema known; what is said outright holds for answers that are no JSON too.
    return {
        code: {"description": REFUSALS[code], "content": schema}
        | ({} if 401 in codes else {"model": Problem})
        for code in wanted
    }


CHANGE = Change.model_json_schema(ref_template="#/components/schemas/{model}")
EVENT_STREAM = {
    "text/event-stream": {
        "schema": {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "event": {"const": "change"},
                "data": {
                    "type": "string",
                    "contentMediaType": "application/json",
                    "contentSchema": {name: value for name, value in CHANGE.items() if name != "$defs"},
                },
            },
        }
    }
}
OPTIONAL_TOKEN: dict[str, Any] = {"security": [{}, {"token": []}]}

bearer = HTTPBearer(
    auto_error=False, scheme_name="token", description="The token of a seat, as given on creating or joining."
)
TableId = Annotated[str, Path(description="The id of a table.", max_length=40)]
OwnSeat = Annotated[
    int | None,
    Query(
        ge=0,
        lt=MOST_SEATS,
        description="Which of the token's seats, if it has several; otherwise the one to decide.",
    ),
]


async def _token(
    request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
) -> str | None:
    """The token that came with a request; None for a spectator."""
    if given is None and "authorization" in request.headers:
        raise NoToken("a token is sent as Authorization: Bearer …")
    return None if given is None else given.credentials


Token = Annotated[str | None, Depends(_token)]


class Stream(StreamingResponse):
    """A stream after which its viewer leaves, however it ends."""

    media_type = "text/event-stream"

    def __init__(self, messages: AsyncIterator[str], leave: Callable[[], None]) -> None:
        super().__init__(messages, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()


class Silent:
    """The socket of a stream, which asks for itself."""

    async def send_text(self, data: str) -> None:
        """Sends nothing."""

    async def close(self, code: int = 1000) -> None:
        """Closes nothing."""


def routes(desk: Desk) -> APIRouter:
    """The routes for programs."""
    router = APIRouter()
    api = APIRouter(
        prefix="/api",
        dependencies=[Depends(_not_kept)],
        generate_unique_id_function=lambda route: route.name,
    )
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
        levels = [Level(name=each.name, text=say(each.character)) for each in players.players()]
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
            players.player(place.level or players.players()[0].name)
        person = await newcomer(house, wanted.name, Speaker(language_of(request)))
        table, token = await house.create(
            of.id, places, person.id, person.name, wanted.options, public=wanted.public, pace=wanted.pace
        )
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
        responses=refusals(401, 403, 404), openapi_extra=OPTIONAL_TOKEN,
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
        responses=refusals(401, 403, 404), openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def history(request: Request, table_id: TableId, token: Token, seat: OwnSeat = None) -> History:
        """All moves and what came of them, as the seat knows it."""
        table = await house.table(table_id)
        say = Speaker(language_of(request), table.game)

        def look() -> History:
            shown = chosen_seat(table, own_seats(table, token), seat)
            return History(version=table.version, seat=shown, moves=played(table, shown, say))

        return await house.see(table, look)

    @api.get(
        "/tables/{table_id}/file", summary="Download the match", response_class=PlainTextResponse,
        responses=refusals(401, 403, 404), openapi_extra=OPTIONAL_TOKEN,
    )  # fmt: skip
    async def download(table_id: TableId, token: Token, seat: OwnSeat = None) -> PlainTextResponse:
        """The match file: complete and with its seed when the match is over; until then, what the seat may
        know."""
        table = await house.table(table_id)

        def look() -> str:
            shown = chosen_seat(table, own_seats(table, token), seat)
            if not table.over and shown is None:
                raise NoToken("until the match is over, only who plays it may have its file")
            return table.match.save(None if table.over else shown)

        text = await house.see(table, look)
        name = f'attachment; filename="{table.game.id}-{table.id}.txt"'
        return PlainTextResponse(text, headers={"Content-Disposition": name, "Cache-Control": "no-store"})

    router.include_router(api)
    return router


async def _not_kept(response: Response) -> None:
    """Nothing on the way keeps an answer: it may be for one seat only."""
    response.headers["Cache-Control"] = "no-store"


# Who asks


async def newcomer(house: House, name: str, say: Speaker) -> Person:
    """A person for a program, who is known by the token of a seat only."""
    wanted = clean_name(name) or say("Program")
    row = await asyncio.to_thread(house.storage.save_person, new_person_id(), wanted)
    return Person(row.id, row.name)


def own_seats(table: Table, token: str | None) -> list[int]:
    """The seats of a token; none without one, and NoToken if it is none of this table's."""
    if token is None:
        return []
    given = token_hash(token)
    own = [seat.seat for seat in table.seats if seat.token and hmac.compare_digest(seat.token, given)]
    if not own:
        raise NoToken("this token does not belong to a seat at this table")
    return own


def chosen_seat(table: Table, own: Sequence[int], wanted: int | None) -> int | None:
    """The seat that is asked for; of several own ones the one to decide."""
    if wanted is not None:
        if wanted not in own:
            raise NotAllowed("this is not your seat")
        return wanted
    if table.match.turn in own:
        return table.match.turn
    return own[0] if own else None


def acting_seat(table: Table, token: str | None, wanted: int | None) -> int:
    """The seat for which something is done."""
    if token is None:
        raise NoToken("the token of a seat is needed for this")
    seat = chosen_seat(table, own_seats(table, token), wanted)
    if seat is None:
        raise NotAllowed("you have no seat at this table")
    return seat


def notice(house: House, table: Table, seat: int | None) -> None:
    """A program that asks is there, even without a stream."""
    if seat is not None:
        house.notice(table, str(table.seats[seat].person_id))


def is_to_decide(table: Table, seat: int | None) -> bool:
    return table.playing and seat is not None and table.match.turn == seat


# How things are told


def game_info(of: Game, say: Speaker) -> GameInfo:
    return GameInfo(
        id=of.id, name=say(of.name), author=of.author, year=of.year, least_players=of.players[0],
        most_players=of.players[-1], minutes=of.minutes, summary=say(of.summary), rules=of.version,
        options=[option_info(option, say) for option in of.options],
    )  # fmt: skip


def option_info(option: options.Option, say: Speaker) -> OptionInfo:
    default = list(option.default) if isinstance(option.default, tuple) else option.default
    info = OptionInfo(
        name=option.name, kind=type(option).__name__.lower(), text=say(option.text),
        values=say.phrase(option.values), default=default,
    )  # fmt: skip
    if isinstance(option, options.Number | options.Counts):
        info.least, info.most = option.least, option.most
    if isinstance(option, options.Counts):
        info.names = list(option.names)
    if isinstance(option, options.Choice):
        info.choices = list(option.choices)
    return info


def table_info(row: TableRow) -> TableInfo:
    seats = [
        SeatInfo(seat=each.seat, kind=each.kind, name=each.name, level=each.level or each.stand_in,
                 sits_in=each.stand_in is not None)
        for each in row.seats
    ]  # fmt: skip
    return TableInfo(
        id=row.id, game=row.game, options=row.options, status=row.status, ending=row.ending, pace=row.pace,
        public=row.public, turn=row.turn, seats=seats, page=f"/tables/{row.id}",
    )  # fmt: skip


def state_of(table: Table, token: str | None, wanted: int | None) -> State:
    """The match as the seats of a token see it."""
    own = own_seats(table, token)
    seat = chosen_seat(table, own, wanted)
    yours = is_to_decide(table, seat)
    view = table.match.view(seat)
    if not yours:
        view["legal"] = []
    return State(
        table=table_info(table.row), version=table.version, seat=seat, own=own, yours=yours,
        may_take_back=seat is not None and table.pushes_to_take_back(seat) > 0,
        seal=str(table.match.seal), seed=table.row.seed if table.over else None, view=view,
    )  # fmt: skip


def told(event: Event, say: Speaker, names: Sequence[str]) -> Told:
    return Told(
        kind=event.kind, rule=event.rule, seat=event.seat, data=dict(event.data), text=say.say(event, names)
    )


def played(table: Table, seat: int | None, say: Speaker) -> list[Played]:
    """Every move as a seat saw it, with what came of it."""
    match = table.match
    moves = zip(match.history_of(seat), match.told_to(seat), match._states, strict=False)
    return [
        Played(number=number, seat=None if move.chance else int(before.turn), text=move.text,
               events=[told(event, say, match.names) for event in happened])
        for number, (move, happened, before) in enumerate(moves, 1)
    ]  # fmt: skip


class Follower:
    """Somebody who is told what is new at a table, as a seat knows it."""

    def __init__(self, table: Table, seat: int | None, say: Speaker, known: int | None) -> None:
        self.table = table
        self.seat = seat
        self.say = say
        self.version = -1
        """The version that was told last."""
        moves = table.match.history_of(seat)
        self.known = moves if known is None else moves[:known]

    def news(self) -> Change | None:
        """What is new since the last time; None if nothing is."""
        table, match = self.table, self.table.match
        if table.version == self.version:
            return None
        moves = match.history_of(self.seat)
        same = next(
            (i for i, (old, new) in enumerate(zip(self.known, moves, strict=False)) if old != new),
            min(len(self.known), len(moves)),
        )
        change = Change(
            version=table.version, status=table.status, turn=table.row.turn,
            yours=is_to_decide(table, self.seat), moves=len(moves), taken_back=len(self.known) - same,
            events=[
                told(event, self.say, match.names)
                for happened in match.told_to(self.seat)[same:]
                for event in happened
            ],
        )  # fmt: skip
        self.version, self.known = table.version, moves
        return change


async def messages(house: House, follower: Follower, viewer: Viewer, seconds: float) -> AsyncIterator[str]:
    """The messages of a stream: how the table stands, then every change until the match is over."""
    news, table = viewer.news, follower.table
    assert news is not None
    ends = time.monotonic() + seconds
    while True:
        news.clear()
        change = await house.see(table, follower.news)
        if change is not None:
            data = json.dumps(change.model_dump(), ensure_ascii=False)
            yield f"id: {change.moves}\nevent: change\ndata: {data}\n\n"
        if table.over or time.monotonic() >= ends:
            return
        try:
            await asyncio.wait_for(news.wait(), min(HEARTBEAT, ends - time.monotonic()))
        except TimeoutError:
            yield ": still here\n\n"


def misunderstanding(error: RequestValidationError, say: Speaker) -> tuple[int, str]:
    """The status and the sentence for a message that does not fit what is expected."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    if first["type"] == "json_invalid" or not where:
        return (400 if first["type"] == "json_invalid" else 422), say("this message is not understood")
    if first["type"] == "missing":
        return 422, say("{field} is missing", field=where)
    if first["type"] == "extra_forbidden":
        return 422, say("{field} does not belong here", field=where)
    return 422, say("{field} is not as it should be", field=where)


def allowed(request: Request) -> str | None:
    """The methods that an operation knows, for somebody who used another; None if it is none of ours."""
    path = getattr(request.scope.get("route"), "path", "")
    methods = request.app.openapi()["paths"].get(path)
    return ", ".join(sorted(method.upper() for method in methods)) if methods else None
