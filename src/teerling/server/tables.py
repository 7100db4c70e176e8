"""Tables: the page, the forms on it, and the live connection."""

import asyncio
import json
from typing import Any

from fastapi import APIRouter, Form, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from ..errors import TeerlingError
from ..words import Speaker
from . import pages
from .desk import Desk, language_of, same_origin, sentence
from .house import Viewer
from .people import Person
from .table import Place, Refused, Table

MOST_MESSAGE = 4 * 1024
MOST_CHAT = 300


def routes(desk: Desk) -> APIRouter:
    """The routes of tables."""
    router = APIRouter(include_in_schema=False)
    house = desk.house

    @router.get("/tables/{table_id}")
    async def show_table(request: Request, table_id: str) -> Response:
        table = await house.table(table_id)
        person = await desk.somebody(request)
        say = Speaker(language_of(request), table.game)
        live = pages.live(table, person.id, language_of(request), house)
        response = desk.page(
            request, "table.html", table=table, game=table.game, say=say, live=live, person=person,
            own=table.seats_of(person.id), link=desk.signatures.link(person.id),
        )  # fmt: skip
        desk.remember(response, person)
        return response

    async def at_table(request: Request, table_id: str) -> tuple[Table, Person]:
        return await house.table(table_id), await desk.somebody(request)

    @router.post("/tables/{table_id}/move")
    async def move(request: Request, table_id: str, move: str = Form(), at: int = Form()) -> RedirectResponse:
        table, person = await at_table(request, table_id)
        await house.act(table, table.push, desk.own_seat(table, person.id), move, at)
        return desk.to(f"/tables/{table_id}")

    @router.post("/tables/{table_id}/join")
    async def join(
        request: Request, table_id: str, seat: int = Form(), name: str = Form("")
    ) -> RedirectResponse:
        table = await house.table(table_id)
        person = await desk.somebody(request, name)
        await house.act(table, table.join, seat, person.id, person.name)
        return desk.to(f"/tables/{table_id}", person)

    @router.post("/tables/{table_id}/{action}")
    async def other_action(request: Request, table_id: str, action: str) -> RedirectResponse:
        table, person = await at_table(request, table_id)
        form = await request.form()
        fields = {key: str(value) for key, value in form.items()}
        seat = desk.own_seat(table, person.id)
        if action == "back":
            await house.act(table, table.take_back, seat, None)
        elif action == "resign":
            await house.act(table, table.resign, seat)
        elif action == "abandon":
            await house.act(table, table.abandon, seat)
        elif action == "bots":
            await house.act(table, table.fill_with_bots)
        elif action == "stand-in":
            absent = house.absent_seats(table)
            if not absent:
                raise Refused("nobody is missing in that seat")
            await house.act(table, table.give_to_bot, absent[0], seat, "absent")
        elif action == "return":
            own = [s for s in table.seats_of(person.id) if table.seats[s].stand_in]
            await house.act(table, table.take_seat_back, own[0] if own else seat)
        elif action == "chat":
            await say_in_chat(table, person, fields.get("text", ""))
        elif action == "rematch":
            return desk.to(f"/tables/{await rematch(table, person)}", person)
        else:
            raise HTTPException(404)
        return desk.to(f"/tables/{table_id}")

    async def say_in_chat(table: Table, person: Person, text: str) -> None:
        line = " ".join(text.split())[:MOST_CHAT]
        if line:
            await asyncio.to_thread(house.storage.add_chat, table.id, person.id, person.name, line)
            table.chat = await asyncio.to_thread(house.storage.chat, table.id)
            await house.tell(table)

    async def rematch(table: Table, person: Person) -> str:
        """The table of the next match among the same; the first who asks opens it."""
        if not table.over:
            raise Refused("the match is not over yet")
        if table.row.rematch is None:
            places = [
                Place("me") if seat.person_id == person.id and seat.kind == "person"
                else Place("bot", seat.name, seat.level or "") if seat.kind == "bot"
                else Place("open")
                for seat in table.seats
            ]  # fmt: skip
            fresh, _ = await house.create(
                table.game.id, places, person.id, person.name, table.row.options,
                public=table.row.public, pace=table.row.pace,
            )  # fmt: skip
            await asyncio.to_thread(house.storage.change_table, table.id, rematch=fresh.id)
            table.row.rematch = fresh.id
            await house.tell(table)
        return table.row.rematch

    @router.websocket("/tables/{table_id}/live")
    async def watch(socket: WebSocket, table_id: str) -> None:
        lang = language_of(socket)
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
            while True:
                await hear(table, viewer, await socket.receive_text())
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            house.leave(table, viewer)

    async def hear(table: Table, viewer: Viewer, text: str) -> None:
        """A message of a page; whatever is wrong with it is said in a sentence."""
        try:
            if len(text) > MOST_MESSAGE:
                raise Refused("This is too large for the server.")
            if not desk.limiter.allows(f"socket {id(viewer)}"):
                raise Refused("That was too fast; please wait a moment.")
            message = json.loads(text)
            if not isinstance(message, dict):
                raise Refused("this message is not understood")
            await obey(table, viewer, message)
        except (ValueError, RecursionError) as error:
            problem: TeerlingError = (
                error if isinstance(error, TeerlingError) else Refused("this message is not understood")
            )
            await house._send(viewer, {"kind": "error", "text": sentence(problem, viewer.lang)})
        except TeerlingError as error:
            await house._send(viewer, {"kind": "error", "text": sentence(error, viewer.lang)})
            await house.tell_one(table, viewer)

    async def obey(table: Table, viewer: Viewer, message: dict[str, Any]) -> None:
        kind, at = message.get("kind"), message.get("at")
        if kind == "move":
            move = message.get("move")
            if not isinstance(move, str) or not isinstance(at, int):
                raise Refused("this message is not understood")
            await house.act(table, table.push, desk.own_seat(table, viewer.person_id), move, at)
        elif kind == "back":
            await house.act(table, table.take_back, desk.own_seat(table, viewer.person_id), None)
        elif kind == "ping":
            await house._send(viewer, {"kind": "pong", "version": table.version})
        else:
            raise Refused("this message is not understood")

    return router
