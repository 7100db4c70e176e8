"""Tables: the page, the forms on it, and the live connection. What they ask for is done by `actions`."""

import asyncio
import io
import json
import logging
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

import segno
from fastapi import APIRouter, Form, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from ...errors import TeerlingError
from ...game import game
from ...words import LANGUAGES, Speaker, capital
from ..actions import ACTIONS, Asker, Wish
from ..context import RequestContext, address_of, kind_of, language_of, same_origin, sentence
from ..database.transactions import StorageGone
from ..door.limits import FLOODED, RELUCTANCE
from ..page import environment, live_pages
from ..page.cards import Painter, card_of
from ..page.views import TableView, game_info
from ..people import Person, clean_name
from ..refusals import Misunderstood, Refused, TooFast
from ..tables.broadcaster import Viewer
from ..thinking.tutor import Tutor
from ..watch.logs import tell_of
from ..watch.metrics import MESSAGES, REFUSED, begin_walk, labelled

log = logging.getLogger("teerling")

MOST_MESSAGE = 4 * 1024
MISUNDERSTOOD = "misunderstood"
GOING_ON = 1001
"""How a browser closes a line when it goes on to another page, or the page is closed."""
FLOODING = 1008
"""The code with which a socket is closed that sends more than it may."""


def routes(context: RequestContext) -> APIRouter:
    """The routes of tables."""
    router = APIRouter(include_in_schema=False)
    house, limits = context.house, context.limits
    painter = Painter()

    @router.get("/tables/{table_id}", name="page_of_table")
    async def show_table(request: Request, table_id: str) -> Response:
        person = await context.visitor(request)
        lang = language_of(request)
        await house.deals.check_seen_by(await house.registry.find(table_id), person.id)
        view = await house.changes.see(table_id, lambda table: house.broadcaster.view_of(table, person.id))
        response = context.page(
            request, "table.html", table_id=table_id, game=game_info(game(view.match.game)),
            say=environment.speaker(lang, view.match.game), live=live_pages.live(view, lang),
            link=context.signatures.link(person.id, person.renewed),
            card=card_of(await seen_by_all(table_id), lang),
            address=str(request.url_for("page_of_table", table_id=table_id)), branch=view.branch,
        )  # fmt: skip
        context.remember(response, person)
        return response

    async def seen_by_all(table_id: str) -> TableView:
        """A table as somebody without a seat sees it."""
        return await house.changes.see(table_id, lambda table: house.broadcaster.view_of(table, ""))

    @router.get("/tables/{table_id}/card.png")
    async def card(request: Request, table_id: str) -> Response:
        wanted, whose = card_of(await seen_by_all(table_id), language_of(request)), address_of(request)
        if not painter.has(wanted):
            await house.workshop.wait_for_budget(whose)
        painted = await painter.paint(wanted, partial(house.workshop.charge, whose))
        return Response(painted, media_type="image/png", headers={"Cache-Control": "public, max-age=60"})

    @router.get("/tables/{table_id}/qr.svg")
    async def qr_code(request: Request, table_id: str) -> Response:
        await house.registry.find(table_id)
        drawn = await asyncio.to_thread(code_of, str(request.url_for("page_of_table", table_id=table_id)))
        return Response(drawn, media_type="image/svg+xml")

    async def asker(table_id: str, person: Person, viewer: Viewer | None = None) -> Asker:
        """Somebody who acts for the seat whose view they get."""
        seat = (await house.registry.find(table_id)).seat_shown_to(person.id)
        if seat is None:
            # They may have sat down by another process a moment ago.
            seat = await house.changes.see(table_id, lambda table: table.seat_shown_to(person.id))
        return Asker(person, seat, viewer)

    # Forms

    @router.post("/tables/{table_id}/move")
    async def move(
        request: Request, table_id: str, move: str = Form(), at: int = Form(),
        pick: Annotated[list[str] | None, Form()] = None, sure: bool = False,
    ) -> RedirectResponse:  # fmt: skip
        # Boxes that are ticked make one move together: "throw +" becomes "throw blue green".
        if "+" in move and not pick:
            raise Refused("nothing is ticked; first tick what the move is made of")
        text = move.replace("+", " ".join(pick or ()))
        return await submit(request, table_id, "move", Wish(move=text, at=at, sure=sure))

    @router.post("/tables/{table_id}/join")
    async def join(
        request: Request, table_id: str, seat: int = Form(), name: str = Form("")
    ) -> RedirectResponse:
        await house.registry.find(table_id)
        person = await context.somebody(request)
        await house.actions.do("join", table_id, Asker(person), Wish(seat=seat, name=clean_name(name)))
        # Only somebody who got the seat goes by the new name from now on.
        return context.to(f"/tables/{table_id}", await context.named(person, name))

    @router.post("/tables/{table_id}/{verb}")
    async def other(request: Request, table_id: str, verb: str) -> RedirectResponse:
        # A button that names two things has one of them in its address.
        given = {**request.query_params, **await request.form()}
        text, seat, level = (str(given.get(name, "")) for name in ("text", "seat", "level"))
        wish = Wish(text=text, seat=seat_named(seat), level=level)
        return await submit(request, table_id, verb, wish)

    async def submit(request: Request, table_id: str, verb: str, wish: Wish) -> RedirectResponse:
        """Does what a form asks for, and shows the table after it."""
        person = await context.visitor(request)
        asks = await asker(table_id, person)
        if verb not in ACTIONS:
            raise HTTPException(404)
        if verb == "rematch":
            context.check_opens(request)
        try:
            done = await house.actions.do(verb, table_id, asks, wish)
        except Tutor:
            # The page asks.
            return context.to(f"/tables/{table_id}#doubt")
        return context.to(f"/tables/{done.table_id}", person if done.table_id != table_id else None)

    # The live connection

    @router.websocket("/tables/{table_id}/live")
    async def watch(socket: WebSocket, table_id: str) -> None:
        # Browsers need not tell their language when they open a socket; the page knows it.
        asked = socket.query_params.get("lang", "")
        lang = asked if asked in LANGUAGES else language_of(socket)
        person_id, address = context.person_of(socket), address_of(socket)
        if not same_origin(socket) or person_id is None:
            await socket.close(1008)
            return
        if not limits.openings.allows(address):
            await asyncio.sleep(RELUCTANCE)
            await socket.close(1008)
            return
        await socket.accept()
        if not limits.sockets.enter(address):
            await turn_away(
                socket, TooFast("too many pages are open at tables from here; close some first"), lang
            )
            return
        try:
            if not limits.sockets_of_person.enter(person_id):
                error = TooFast("you have too many pages open at tables; close some first")
                await turn_away(socket, error, lang)
                return
            try:
                pace = socket.query_params.get("pace", "")
                viewer = Viewer(table_id, socket, person_id, lang, address, pace)
                if "pieces" in socket.query_params:
                    viewer.held = ()
                await follow(viewer, socket)
            finally:
                limits.sockets_of_person.leave(person_id)
        finally:
            limits.sockets.leave(address)

    async def turn_away(socket: WebSocket, error: TeerlingError, lang: str) -> None:
        """Tells a page why it cannot stay."""
        # Nobody may be there any more to be told.
        with suppress(WebSocketDisconnect, RuntimeError):
            await socket.send_json({"kind": "error", "text": capital(sentence(error, lang)), "final": True})
            await socket.close(1011)

    async def follow(viewer: Viewer, socket: WebSocket) -> None:
        """Keeps a page up to date, and does what it asks for, as long as it is open."""
        table_id, person_id = viewer.table_id, viewer.person_id
        try:
            # Whoever lost a connection sees what was stored last, told or not: nobody says a line twice.
            table = await house.changes.newest(table_id)
            await house.deals.check_seen_by(table, person_id)
            house.presence.enter(viewer)
        except TeerlingError as error:
            await turn_away(socket, error, viewer.lang)
            return
        goes_on = False
        try:
            await house.broadcaster.show(viewer)
            while (message := await socket.receive())["type"] == "websocket.receive":
                await hear(viewer, message.get("text"))
                # Somebody who sends much at once lets others go between.
                await asyncio.sleep(0)
            goes_on = message.get("code") == GOING_ON
            if message.get("code") == FLOODING:
                limits.openings.charge(viewer.address, FLOODED)
        except (WebSocketDisconnect, RuntimeError):
            pass
        except StorageGone as error:
            await turn_away(socket, error, viewer.lang)
        finally:
            house.presence.leave(viewer, goes_on)

    async def hear(viewer: Viewer, text: str | None) -> None:
        """A message of a page; whatever is wrong with it is said in a sentence, and changes nothing."""
        walk, kind = begin_walk(), MISUNDERSTOOD
        try:
            message = understood(viewer, text)
            kind = kind_of_message(message)
            await obey(viewer, message)
        except Tutor:
            # The page asks.
            await house.broadcaster.show(viewer)
        except TeerlingError as error:
            REFUSED.labels(kind_of(error)).inc()
            house.broadcaster.send(viewer, {"kind": "error", "text": capital(sentence(error, viewer.lang))})
            if isinstance(error, Refused) and not isinstance(error, Misunderstood):
                # What cannot be read now is shown when there is news.
                with suppress(StorageGone):
                    await house.broadcaster.show(viewer)
        except Exception:
            log.exception("a message of a page failed", extra={"table": viewer.table_id})
            text = Speaker(viewer.lang)("Something went wrong here. Nothing is lost; please try again.")
            house.broadcaster.send(viewer, {"kind": "error", "text": text})
        finally:
            walk.end()
            labelled(MESSAGES, kind).observe(walk.total)
            if kind != "ping":
                told = {"kind": kind, "table": viewer.table_id}
                tell_of(walk, "message", context.settings.slow_seconds, told)

    def understood(viewer: Viewer, text: str | None) -> dict[str, Any]:
        """The message in a frame, if it is one; frames of bytes have no text."""
        if text is not None and len(text) > MOST_MESSAGE:
            raise Misunderstood("This is too large for the server.")
        if not limits.messages.allows(viewer.person_id) or not limits.messages_of_address.allows(
            viewer.address
        ):
            raise Misunderstood("That was too fast; please wait a moment.")
        try:
            message = json.loads(text or "")
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise Misunderstood("this message could not be understood")
        return message

    async def obey(viewer: Viewer, message: dict[str, Any]) -> None:
        """Does what a page asks for; its answer is the page after it."""
        verb = kind_of_message(message)
        if verb == "ping":
            viewer.pace = str(message.get("pace", viewer.pace))
            table = await house.registry.find(viewer.table_id)
            house.broadcaster.send(viewer, {"kind": "pong", "version": table.version})
            return
        if verb == MISUNDERSTOOD:
            raise Misunderstood("this message could not be understood")
        wish = Wish.read(verb, message)
        asks = await asker(viewer.table_id, Person(viewer.person_id, ""), viewer)
        await house.actions.do(verb, viewer.table_id, asks, wish)

    return router


def kind_of_message(message: dict[str, Any]) -> str:
    """What a page asks for, if it can be asked for."""
    verb = message.get("kind")
    live = isinstance(verb, str) and (verb == "ping" or (verb in ACTIONS and ACTIONS[verb].live))
    return str(verb) if live else MISUNDERSTOOD


def code_of(address: str) -> bytes:
    """An address as a QR code, drawn as SVG; dark on white in every theme, as cameras want it."""
    out = io.BytesIO()
    segno.make(address, micro=False).save(out, kind="svg", scale=4, border=2, dark="#2a2118", light="#fff")
    return out.getvalue()


def seat_named(text: str) -> int | None:
    """The seat that a form names, if it does."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 3 else None
