"""Tables: the page, the forms on it, and the live connection."""

import asyncio
import json
import logging
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from ..errors import TeerlingError
from ..words import LANGUAGES, Speaker
from . import pages
from .desk import Desk, language_of, same_origin, sentence
from .house import Viewer
from .look import table_view
from .people import Person, clean_name
from .table import Place, Refused, Table, TooFast
from .views import game_info

log = logging.getLogger("teerling")

MOST_MESSAGE = 4 * 1024
MOST_MOVE = 200
MOST_CHAT = 300


class Misunderstood(Refused):
    """A message that a page of ours would not send."""

    status = 400


def routes(desk: Desk) -> APIRouter:
    """The routes of tables."""
    router = APIRouter(include_in_schema=False)
    house = desk.house
    opening = asyncio.Lock()
    """Two who want a rematch at the same moment get the same table."""

    @router.get("/tables/{table_id}")
    async def show_table(request: Request, table_id: str) -> Response:
        table = await house.table(table_id)
        person = await desk.visitor(request)
        lang = language_of(request)
        view = await house.see(table, table_view, table, person.id, house)
        response = desk.page(
            request, "table.html", table_id=table.id, game=game_info(table.game),
            say=pages.speaker(lang, table.game.id), live=pages.live(view, lang),
            link=desk.signatures.link(person.id),
        )  # fmt: skip
        desk.remember(response, person)
        return response

    async def at_table(request: Request, table_id: str) -> tuple[Table, Person]:
        return await house.table(table_id), await desk.visitor(request)

    @router.post("/tables/{table_id}/move")
    async def move(
        request: Request, table_id: str, move: str = Form(), at: int = Form(),
        pick: Annotated[list[str] | None, Form()] = None,
    ) -> RedirectResponse:  # fmt: skip
        table, person = await at_table(request, table_id)
        # Boxes that are ticked make one move together: "throw +" becomes "throw blue green".
        text = move.replace("+", " ".join(pick or ()))
        await house.act(table, table.push, desk.own_seat(table, person.id), text, at)
        return desk.to(f"/tables/{table_id}")

    @router.post("/tables/{table_id}/join")
    async def join(
        request: Request, table_id: str, seat: int = Form(), name: str = Form("")
    ) -> RedirectResponse:
        table = await house.table(table_id)
        person = await desk.somebody(request)
        await house.act(table, table.join, seat, person.id, clean_name(name) or person.name)
        # Only who got the seat goes by the new name from now on.
        return desk.to(f"/tables/{table_id}", await desk.named(person, name))

    @router.post("/tables/{table_id}/{action}")
    async def other_action(request: Request, table_id: str, action: str) -> RedirectResponse:
        table, person = await at_table(request, table_id)
        form = await request.form()
        fields = {key: str(value) for key, value in form.items()}
        seat = desk.own_seat(table, person.id)
        if action == "back":
            await house.act(table, table.take_back, seat, None)
        elif action == "hint":
            await house.hints.ask(table, seat)
        elif action == "resign":
            named = [own for own in table.seats_played_by(person.id) if str(own) == fields.get("seat")]
            await house.act(table, table.resign, named[0] if named else seat)
        elif action == "abandon":
            await house.act(table, table.abandon, seat)
        elif action == "bots":
            await house.act(table, table.fill_with_bots)
        elif action in ("stand-in", "end"):
            absent = house.absent_seats(table)
            if not absent:
                raise Refused("nobody is missing in that seat")
            do = table.give_to_bot if action == "stand-in" else table.end_without
            await house.act(table, do, absent[0], seat)
        elif action == "return":
            left = [own for own in table.seats_of(person.id) if table.may_come_back(own)]
            await house.act(table, table.take_seat_back, left[0] if left else seat)
        elif action == "chat":
            await say_in_chat(table, person.id, fields.get("text", ""))
        elif action == "lift":
            await house.act(table, table.lift, person.id)
        elif action == "rematch":
            return desk.to(f"/tables/{await rematch(table, person)}", person)
        else:
            raise HTTPException(404)
        return desk.to(f"/tables/{table_id}")

    async def say_in_chat(table: Table, person_id: str, text: str) -> None:
        line = "".join(letter for letter in " ".join(text.split()) if letter.isprintable())[:MOST_CHAT]
        if line:
            if not desk.talkers.allows(person_id):
                raise TooFast("You said a lot at once; please wait a moment before you go on.")
            name = table.name_of(person_id)
            await asyncio.to_thread(house.storage.add_chat, table.id, person_id, name, line)
            table.chat = await asyncio.to_thread(house.storage.chat, table.id)
            await house.tell(table)

    async def rematch(table: Table, person: Person) -> str:
        """The table of the next match among the same; the first who asks opens it."""
        if not table.over:
            raise Refused("the match is not over yet")
        async with opening:
            if table.row.rematch is None:
                return await open_rematch(table, person)
        fresh = await house.table(table.row.rematch)
        own = [seat for seat in table.seats_of(person.id) if fresh.seats[seat].kind == "open"]
        if own and not fresh.seats_of(person.id):
            await house.act(fresh, fresh.join, own[0], person.id, table.seats[own[0]].name)
        return fresh.id

    async def open_rematch(table: Table, person: Person) -> str:
        places = [
            Place("me", seat.name) if seat.person_id == person.id and seat.kind == "person"
            else Place("bot", seat.name, seat.level or "") if seat.kind == "bot"
            else Place("open")
            for seat in table.seats
        ]  # fmt: skip
        fresh, _ = await house.create(
            table.game.id, places, person.id, person.name, table.row.options,
            public=table.row.public, pace=table.row.pace, hints=table.row.hints,
        )  # fmt: skip
        await asyncio.to_thread(house.storage.change_table, table.id, rematch=fresh.id)
        table.row.rematch = fresh.id
        await house.tell(table)
        return fresh.id

    @router.websocket("/tables/{table_id}/live")
    async def watch(socket: WebSocket, table_id: str) -> None:
        # Browsers need not tell their language when they open a socket; the page knows it.
        asked = socket.query_params.get("lang", "")
        lang = asked if asked in LANGUAGES else language_of(socket)
        person_id = desk.person_of(socket)
        if not same_origin(socket) or person_id is None:
            await socket.close(1008)
            return
        await socket.accept()
        viewer = Viewer(socket, person_id, lang)
        try:
            table = await house.table(table_id)
            house.enter(table, viewer)
        except TeerlingError as error:
            await socket.send_json({"kind": "error", "text": sentence(error, lang), "final": True})
            await socket.close(1011)
            return
        try:
            await house.tell_one(table, viewer)
            while (message := await socket.receive())["type"] == "websocket.receive":
                await hear(table, viewer, message.get("text"))
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            house.leave(table, viewer)

    async def hear(table: Table, viewer: Viewer, text: str | None) -> None:
        """A message of a page; whatever is wrong with it is said in a sentence, and changes nothing."""
        try:
            await obey(table, viewer, understood(viewer, text))
        except TeerlingError as error:
            await house.send(viewer, {"kind": "error", "text": sentence(error, viewer.lang)})
            if isinstance(error, Refused) and not isinstance(error, Misunderstood):
                await house.tell_one(table, viewer)
        except Exception:
            log.exception("a message of a page failed", extra={"table": table.id})
            text = Speaker(viewer.lang)("Something went wrong here. Nothing is lost; please try again.")
            await house.send(viewer, {"kind": "error", "text": text})

    def understood(viewer: Viewer, text: str | None) -> dict[str, Any]:
        """The message in a frame, if it is one; frames of bytes have no text."""
        if text is not None and len(text) > MOST_MESSAGE:
            raise Misunderstood("This is too large for the server.")
        if not desk.limiter.allows(f"socket {id(viewer)}"):
            raise Misunderstood("That was too fast; please wait a moment.")
        try:
            message = json.loads(text or "")
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise Misunderstood("this message is not understood")
        return message

    async def obey(table: Table, viewer: Viewer, message: dict[str, Any]) -> None:
        kind, at = message.get("kind"), message.get("at")
        if kind == "move":
            move = message.get("move")
            # True is an int to Python, and half a character is a str; neither is one to us.
            if not isinstance(move, str) or type(at) is not int or len(move) > MOST_MOVE or not _whole(move):
                raise Misunderstood("this message is not understood")
            await house.act(table, table.push, desk.own_seat(table, viewer.person_id), move, at, by=viewer)
        elif kind == "back":
            await house.act(table, table.take_back, desk.own_seat(table, viewer.person_id), None, by=viewer)
        elif kind == "hint":
            await house.hints.ask(table, desk.own_seat(table, viewer.person_id))
        elif kind == "lift":
            await house.act(table, table.lift, viewer.person_id, by=viewer)
        elif kind == "chat":
            line = message.get("text")
            if not isinstance(line, str):
                raise Misunderstood("this message is not understood")
            desk.own_seat(table, viewer.person_id)
            await say_in_chat(table, viewer.person_id, line)
            await house.send(viewer, {"kind": "said"})
        elif kind == "ping":
            await house.send(viewer, {"kind": "pong", "version": table.version})
        else:
            raise Misunderstood("this message is not understood")

    return router


def _whole(text: str) -> bool:
    """Whether a text can be sent on; JSON may hold halves of characters."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
