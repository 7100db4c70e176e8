"""What can be done at a table: one table of verbs, each with who may and what it takes.

Pages (by socket or form) and programs find out who asks and whether it is well-formed; the rest is here.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .door.limits import Limiter
from .people import Person
from .refusals import Misunderstood, NotAllowed, Refused, Stale, TooFast
from .tables.broadcaster import Broadcaster, Viewer
from .tables.changes import Changes
from .tables.opening import Place
from .tables.presence import Presence
from .tables.registry import Registry
from .tables.table import Table
from .thinking.hints import Coming, Hints
from .thinking.tutor import Tutors

MOST_MOVE = 200
MOST_CHAT = 300
MOST_MARK = 40
SAID = {"kind": "said"}
"""What a page hears when its line of chat is stored, so that the field becomes empty."""


@dataclass(frozen=True)
class Asker:
    """Somebody who wants something at a table."""

    person: Person
    seat: int | None = None
    """The seat for which they act; None for somebody without one."""
    viewer: Viewer | None = None
    """The page that asks, which is answered before all others are."""

    @property
    def acting_seat(self) -> int:
        """The seat of somebody who has one; nobody else does what is only for people who sit at the table."""
        assert self.seat is not None
        return self.seat


@dataclass(frozen=True)
class Wish:
    """What was sent along; every verb takes its part of it."""

    move: str = ""
    text: str = ""
    """A line of chat."""
    mark: str = ""
    """What the page calls it, so that it is said once, however often it is sent."""
    at: int | None = None
    """The version that the asker has seen; None if that does not matter."""
    seat: int | None = None
    """Which seat is meant, where there are several."""
    name: str = ""
    sure: bool = False
    """Whether a move is meant even if the tutor would ask."""
    level: str = ""
    """Which level of a bot is meant."""

    @classmethod
    def read(cls, verb: str, message: Mapping[str, object]) -> "Wish":
        """What a verb takes from a message, whoever wrote it; Misunderstood if that is not there."""
        given = [name for name in ACTIONS[verb].may_take if name in message]
        taken: dict[str, Any] = {name: message.get(name) for name in (*ACTIONS[verb].takes, *given)}
        if not all(FITS[name](value) for name, value in taken.items()):
            raise Misunderstood("this message could not be understood")
        return cls(**taken)


@dataclass(frozen=True)
class Done:
    """What came of an action."""

    table_id: str
    """Where the asker goes on."""
    token: str | None = None
    """The token of the seat that was taken."""
    hint: Coming | None = None


class Actions:
    """Does what somebody wants at a table, if they may."""

    def __init__(
        self,
        registry: Registry,
        broadcaster: Broadcaster[Any],
        changes: Changes,
        presence: Presence,
        hints: Hints,
        tutors: Tutors,
        chat_per_second: float,
    ) -> None:
        self.registry = registry
        self.broadcaster = broadcaster
        self.changes = changes
        self.presence = presence
        self.hints = hints
        self.tutors = tutors
        self.talkers = Limiter(chat_per_second, name="chat")
        self.opening_rematch = asyncio.Lock()
        """Two who want a rematch at the same moment get the same table."""

    async def do(self, verb: str, table_id: str, asker: Asker, wish: Wish | None = None) -> Done:
        """Does one of ACTIONS at a table; what is refused changes nothing."""
        action = ACTIONS[verb]
        self.presence.hear(table_id, asker.viewer.address if asker.viewer else "")
        if action.seated and asker.seat is None:
            raise NotAllowed("you have no seat at this table")
        done = await action.do(self, table_id, asker, wish or Wish())
        return done or Done(table_id)

    async def change(
        self,
        table_id: str,
        asker: Asker,
        change: Callable[[Table], None],
        receipt: Mapping[str, str] | None = None,
    ) -> None:
        """Changes a table; the page that asked is answered first."""
        await self.changes.apply(table_id, change, by=asker.viewer, receipt=receipt)


async def move(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Makes a move in the seat, unless the tutor asks first."""
    seat = asker.acting_seat
    if not wish.sure:
        await actions.tutors.consider(table_id, seat, wish.move, wish.at)

    def push(table: Table) -> None:
        at = actions.tutors.version_known(table, seat, wish.at) if wish.sure else wish.at
        table.push(seat, wish.move, at)

    await actions.change(table_id, asker, push)


async def take_back(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Takes back to the seat's last decision."""
    seat = asker.acting_seat
    await actions.change(table_id, asker, lambda table: table.take_back(seat, wish.at))


async def set_tutor(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Has the tutor ask before a move that loses clearly, or not any more."""
    seat, on = asker.acting_seat, wish.text == "on"
    await actions.change(table_id, asker, lambda table: table.set_tutor(seat, on))


async def reconsider(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Rather chooses another move than the one that the tutor asks about."""
    seat = asker.acting_seat
    await actions.changes.see(table_id, lambda table: actions.tutors.close(table, seat))


async def ask_hint(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> Done:
    """Lets a hint be worked out for the seat."""
    return Done(table_id, hint=await actions.hints.ask(table_id, asker.acting_seat))


async def lift(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Lifts the curtain of a shared screen for the player who is to decide."""
    await actions.change(table_id, asker, lambda table: table.lift(asker.person.id))


async def chat(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Says a line to everybody at the table; an empty one is not said."""
    line = clean_line(wish.text)
    if not line:
        if asker.viewer is not None:
            actions.broadcaster.send(asker.viewer, SAID)
        return
    if not actions.talkers.allows(asker.person.id):
        raise TooFast("That was a lot of messages in a row; please wait a moment before you go on.")
    mark = wish.mark or None
    await actions.change(table_id, asker, lambda table: table.say(asker.person.id, line, mark), receipt=SAID)


async def resign(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Gives up the seat that is named, at a shared screen; otherwise the one that is shown."""

    def give_up(table: Table) -> None:
        named = wish.seat in table.seating.seats_played_by(asker.person.id)
        table.resign(wish.seat if named and wish.seat is not None else asker.acting_seat)

    await actions.change(table_id, asker, give_up)


async def abandon(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Closes a table at which nobody else plays."""
    seat = asker.acting_seat
    await actions.change(table_id, asker, lambda table: table.abandon(seat))


async def leave(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Stands up before the match begins; the chair is free again."""

    def stand_up(table: Table) -> None:
        if table.status != "open":
            raise Refused("the match has begun; resign instead")
        table.leave(asker.person.id)

    await actions.change(table_id, asker, stand_up)


async def fill_with_bots(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Lets bots take the free seats, and the match begin."""
    await actions.change(table_id, asker, lambda table: table.fill_with_bots())


async def seat_bot(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Puts a bot on a free chair, or lets the one there play at another level."""
    await actions.change(table_id, asker, lambda table: table.seat_bot(wish.seat, wish.level))


async def send_bot_away(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Lets a bot stand up from its chair before the match."""
    await actions.change(table_id, asker, lambda table: table.free_of_bot(wish.seat))


async def let_bot_sit_in(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Gives the seat of somebody who has been away for long to a bot."""
    seat = asker.acting_seat
    await actions.change(table_id, asker, lambda table: table.give_to_bot(missing(actions, table), seat))


async def end_without(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Ends the match, as the only other player has been away for long."""
    seat = asker.acting_seat
    await actions.change(table_id, asker, lambda table: table.end_without(missing(actions, table), seat))


async def come_back(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> None:
    """Takes a seat back from the bot that sits in."""

    def take_seat_back(table: Table) -> None:
        left = [seat for seat in table.seating.seats_of(asker.person.id) if table.may_come_back(seat)]
        table.take_seat_back(left[0] if left else asker.acting_seat)

    await actions.change(table_id, asker, take_seat_back)


async def join(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> Done:
    """Takes a free seat."""
    person_id, name = asker.person.id, wish.name or asker.person.name
    token = await actions.changes.apply(table_id, lambda table: table.join(wish.seat, person_id, name))
    return Done(table_id, token=token)


async def rematch(actions: Actions, table_id: str, asker: Asker, wish: Wish) -> Done:
    """Goes to the table of the next match among the same people; the first who asks opens it."""
    async with actions.opening_rematch:
        # It may have ended by another process a moment ago.
        table = await actions.changes.newest(table_id)
        if not table.over:
            raise Refused("the match is not over yet")
        if table.row.rematch is None:
            try:
                return Done(await open_rematch(actions, table, asker.person))
            except Stale:
                # Somebody else was first, by another process.
                table = await actions.registry.find(table_id)
    if table.row.rematch is None:
        raise Stale("the table has moved on; here is how it stands now")
    fresh = await actions.registry.find(table.row.rematch)
    for seat in kept_in_rematch(table, fresh, asker.person.id):
        await join(actions, fresh.id, asker, Wish(seat=seat, name=table.seating[seat].name))
    return Done(fresh.id)


def kept_in_rematch(table: Table, fresh: Table, person_id: str) -> list[int]:
    """The seat of a person at the next table, if it is still free and the person has none there."""
    own = [seat for seat in table.seating.seats_of(person_id) if seat in fresh.seating.free]
    return [] if fresh.seating.seats_of(person_id) else own[:1]


async def open_rematch(actions: Actions, table: Table, person: Person) -> str:
    """A new table like one whose match is over, with its chat; the others find their seats kept for them."""
    places = [
        Place("me", seat.name) if seat.person_id == person.id and seat.kind == "person"
        else Place("bot", seat.name, seat.level or "") if seat.kind == "bot"
        else Place("open", seat.name, kept_for=seat.person_id)
        for seat in table.seating
    ]  # fmt: skip
    fresh, _ = await actions.changes.create(
        table.game.id, places, person.id, person.name, table.row.options,
        public=table.row.public, pace=table.row.pace, hints=table.row.hints, tutor=table.has_tutor,
    )  # fmt: skip
    await actions.changes.apply(fresh.id, lambda fresh: fresh.take_over_chat(table.chat))
    try:
        await actions.changes.apply(table.id, lambda table: table.note_rematch(fresh.id))
    except Stale:
        await actions.changes.apply(
            fresh.id, lambda fresh: fresh.abandon(fresh.seating.seats_of(person.id)[0])
        )
        raise
    return fresh.id


def missing(actions: Actions, table: Table) -> int:
    """The seat of the player who has been away for long; Refused if there is none."""
    absent = actions.presence.absent_seats(table)
    if not absent:
        raise Refused("nobody is missing in that seat")
    return absent[0]


def clean_line(text: str) -> str:
    """A line of chat without line breaks and control characters, not too long."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())[:MOST_CHAT]


def is_move(value: object) -> bool:
    """Whether something could be the text of a move; JSON may hold halves of characters."""
    return (
        isinstance(value, str)
        and len(value) <= MOST_MOVE
        and not any("\ud800" <= letter <= "\udfff" for letter in value)
    )


FITS: dict[str, Callable[[object], bool]] = {
    "move": is_move,
    "text": lambda value: isinstance(value, str),
    "mark": lambda value: isinstance(value, str) and len(value) <= MOST_MARK and value.isascii(),
    # True is an int to Python, but no version.
    "at": lambda value: type(value) is int,
    "sure": lambda value: isinstance(value, bool),
}
"""What a field of a Wish may hold."""


@dataclass(frozen=True)
class Action:
    """Something that can be done at a table."""

    do: Callable[[Actions, str, Asker, Wish], Awaitable[Done | None]]
    takes: tuple[str, ...] = ()
    """The fields of a message without which it is not understood."""
    may_take: tuple[str, ...] = ()
    """The fields that may be there too."""
    live: bool = False
    """Whether a page sends it over its socket, and not by a form only."""
    seated: bool = True
    """Whether it is only for people who have a seat at the table."""


ACTIONS: dict[str, Action] = {
    "move": Action(move, takes=("move", "at"), may_take=("sure",), live=True),
    "back": Action(take_back, live=True),
    "hint": Action(ask_hint, live=True),
    "tutor": Action(set_tutor),
    "reconsider": Action(reconsider, live=True),
    "lift": Action(lift, live=True),
    "chat": Action(chat, takes=("text",), may_take=("mark",), live=True),
    "resign": Action(resign),
    "abandon": Action(abandon),
    "leave": Action(leave),
    "bots": Action(fill_with_bots),
    "bot": Action(seat_bot),
    "no-bot": Action(send_bot_away),
    "stand-in": Action(let_bot_sit_in),
    "end": Action(end_without),
    "return": Action(come_back),
    "join": Action(join, seated=False),
    "rematch": Action(rematch),
}
