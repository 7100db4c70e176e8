"""Who asks: the token of a seat, and what it is good for."""

import asyncio
import hmac
from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from ...words import Speaker
from ..house import House
from ..people import Person, clean_name, new_person_id
from ..table import NotAllowed, Refused, Table, token_hash
from .models import MOST_SEATS

bearer = HTTPBearer(
    auto_error=False, scheme_name="token", description="The token of a seat, as given on creating or joining."
)
OwnSeat = Annotated[
    int | None,
    Query(
        ge=0,
        lt=MOST_SEATS,
        description="Which of the token's seats, if it has several; otherwise the one to decide.",
    ),
]


class NoToken(Refused):
    """Something that needs the token of a seat, or a token that is none of this table's."""

    status = 401


async def _token(
    request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
) -> str | None:
    """The token that came with a request; None for a spectator."""
    if given is None and "authorization" in request.headers:
        raise NoToken("a token is sent as Authorization: Bearer …")
    return None if given is None else given.credentials


Token = Annotated[str | None, Depends(_token)]


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
    """The seat that is asked for; of several own ones the one to decide, among those still played."""
    if wanted is not None:
        if wanted not in own:
            raise NotAllowed("this is not your seat")
        return wanted
    return table.shown_of(own)


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
