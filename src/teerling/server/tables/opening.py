"""Opening tables: new ones, and those that are stored."""

import logging
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ... import players
from ...game import game
from ...match import Match
from ...nature import Sealed
from ..database.schema import SeatRow, TableRow
from ..database.storage import Storage, now
from ..database.transactions import StorageGone
from ..refusals import NewerRules, Refused, UnknownTable
from .branches import entries_of
from .seating import token_hash
from .table import Table, bot_name

log = logging.getLogger("teerling")

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters and digits of ids, without those that look alike."""
MOST_ID = 16
PACES = ("live", "days")
HINT_RULES = ("bots", "all", "none")
"""When hints are given: to somebody who plays against bots only, to everybody, to nobody."""


@dataclass(frozen=True)
class Place:
    """What somebody wants a seat of a new table to be."""

    kind: str
    """me, open or bot"""
    name: str = ""
    level: str = ""
    kept_for: str | None = None
    """The person for whom an open seat is kept for a while."""


def create(
    storage: Storage,
    game_id: str,
    places: Sequence[Place],
    person_id: str,
    name: str,
    options: Mapping[str, Any],
    public: bool = True,
    pace: str = "live",
    seed: str | None = None,
    hints: str = "bots",
    day: str | None = None,
    table_id: str | None = None,
    branch: Match | None = None,
    luck: str = "",
    tutor: bool = False,
) -> tuple[Table, str | None]:
    """A new table, and the token of its creator's seat if there is one.

    A table of the deal of a day is told which day, and has an id already. One at which a match is played on
    that was branched from another is given that, and which luck it has.
    """
    of = game(game_id)
    of.check_players(len(places))
    check_people(places)
    values = of.check_options(options)
    of.start(len(places), values)  # refuses what does not fit so many players
    if pace not in PACES:
        raise Refused("a pace is live or days, not {pace}", pace=pace)
    if hints not in HINT_RULES:
        raise Refused("hints are for bots, all or none, not {hints}", hints=hints)
    if tutor and (hints == "none" or sum(place.kind != "bot" for place in places) != 1):
        raise Refused("a tutor is there only for one person against bots, where hints are given")
    table_id = table_id or new_id()
    token = secrets.token_urlsafe(24)
    seats = [
        _seat_row(table_id, i, place, person_id, own_name, token)
        for i, (place, own_name) in enumerate(zip(places, _own_names(places, name), strict=True))
    ]
    has_open = any(seat.kind == "open" for seat in seats)
    at = now()
    row = TableRow(
        id=table_id,
        game=of.id,
        rules=of.version,
        players=len(places),
        options={
            option.name: option.format(values[option.name])
            for option in of.options
            if values[option.name] is not None
        },
        seed=seed or Sealed().seed,
        public=public,
        pace=pace,
        hints=hints,
        status="open",
        ending=None,
        turn=None,
        created=at,
        changed=at,
        rematch=None,
        day=day,
    )
    given = [] if branch is None else entries_of(table_id, branch, luck)
    storage.add_table(row, seats, given)
    stored = storage.table(table_id)
    if stored is None:
        raise UnknownTable("there is no such table")
    table = Table(storage, stored, given)
    if not has_open:
        table.begin(tutor=tutor)
    return table, token if any(place.kind == "me" for place in places) else None


def check_people(places: Sequence[Place]) -> None:
    """Refuses a table at which bots would play among themselves."""
    if all(place.kind == "bot" for place in places):
        raise Refused("a table needs a person: a seat for you, or one that is open")


def _own_names(places: Sequence[Place], name: str) -> list[str]:
    """What the creator is called in every seat: at a shared screen the second is "Anne 2"."""
    mine = [sum(place.kind == "me" for place in places[: i + 1]) for i in range(len(places))]
    return [name if number < 2 else f"{name[:36]} {number}" for number in mine]


def _seat_row(table_id: str, seat: int, place: Place, person_id: str, name: str, token: str) -> SeatRow:
    row = SeatRow(table_id=table_id, seat=seat, kind=place.kind, name=place.name, stand_in=None)
    if place.kind == "me":
        row.kind, row.person_id, row.name, row.token = (
            "person",
            person_id,
            place.name or name,
            token_hash(token),
        )
    elif place.kind == "bot":
        row.level = players.level(place.level or players.USUAL).name
        row.name = place.name or bot_name(seat)
    elif place.kind == "open":
        row.person_id = place.kept_for
    else:
        raise Refused("a seat is for me, open or for a bot, not {kind}", kind=place.kind)
    return row


def load(storage: Storage, table_id: str) -> Table:
    """The table with this id, as the last stored entry left it."""
    stored = storage.stored(table_id)
    if stored is None:
        raise UnknownTable("there is no such table")
    if stored.row.rules > game(stored.row.game).version:
        # A newer server has opened it, while all are being replaced one by one.
        raise NewerRules(
            "this match is played by newer rules than this server knows; please come back in a moment"
        )
    if stored.snapshot is not None:
        try:
            return Table(storage, stored.row, stored.entries, stored.chat, stored.snapshot)
        except Exception as error:
            # Whatever is wrong with it: the entries are what happened.
            log.warning("the snapshot of table %s is dropped: %s", table_id, error)
            with suppress(StorageGone):
                storage.drop_snapshot(table_id)
    return Table(storage, stored.row, stored.entries, stored.chat)


def new_id() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(10))


def is_id(text: str) -> bool:
    """Whether a text could be the id of a table; the database need not be asked for anything else."""
    return len(text) <= MOST_ID and set(text) <= set(ALPHABET)
