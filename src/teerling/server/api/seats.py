"""Who asks: the token of a seat, and what it is good for."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from ...words import Speaker
from ..actions import Asker
from ..house import House
from ..people import Person, clean_name, new_person_id
from ..refusals import NotAllowed, Refused
from ..tables.days import lasts
from ..tables.table import Table
from .models import MOST_SEATS

bearer = HTTPBearer(
    auto_error=False, scheme_name="token", description="The token of a seat, as given on creating or joining."
)
OwnSeat = Annotated[
    int | None,
    Query(
        ge=0,
        lt=MOST_SEATS,
        description="Which of the token's seats, if it has several; otherwise the one whose turn it is.",
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
    person = Person(new_person_id(), clean_name(name) or say("Program"))
    await asyncio.to_thread(house.storage.save_person, person.id, person.name)
    return person


def own_seats(table: Table, token: str | None) -> list[int]:
    """The seats of a token; none without one, and NoToken if it is none of this table's."""
    if token is None:
        if lasts(table.row.day):
            raise NotAllowed("this is the deal of the day: until the day is over, only who plays it sees it")
        return []
    own = table.seating.seats_with(token)
    if not own:
        raise NoToken("this token does not belong to a seat at this table")
    return own


def chosen_seat(table: Table, own: Sequence[int], wanted: int | None) -> int | None:
    """The seat that is asked for; of several the one to decide, among those still played."""
    if wanted is not None:
        if wanted not in own:
            raise NotAllowed("this is not your seat")
        return wanted
    return table.seating.shown_of(own, table.match.turn)


def asker(table: Table, token: str | None, wanted: int | None) -> Asker:
    """The program that does something for a seat."""
    if token is None:
        raise NoToken("the token of a seat is needed for this")
    seat = chosen_seat(table, own_seats(table, token), wanted)
    row = None if seat is None else table.seating[seat]
    return Asker(Person("", "") if row is None else Person(str(row.person_id), row.name), seat)


def notice(house: House, table: Table, seat: int | None) -> None:
    """A program that asks is there, even without a stream."""
    if seat is not None:
        house.presence.notice(table, table.seating[seat].person_id)


def is_to_decide(table: Table, seat: int | None) -> bool:
    return table.playing and seat is not None and table.match.turn == seat
