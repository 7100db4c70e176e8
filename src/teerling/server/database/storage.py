"""What is kept, and how: every method of a storage is a transaction that is done when it returns."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    Update,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from .engines import run
from .schema import Base, PersonRow, SeatRow, TableRow
from .transactions import Overtaken, Transactions

MOST_LINES = 100
"""How many lines of chat a table shows."""


@dataclass(slots=True)
class Entry:
    """Something that happened at a table, as the table keeps it; see `EntryRow`."""

    table_id: str
    number: int
    kind: str
    seat: int | None
    text: str
    at: datetime | None = None
    """When it happened; what is read does not say it."""


@dataclass(slots=True)
class Said:
    """A line of chat, as a table keeps it; see `ChatRow`."""

    at: datetime
    person_id: str
    name: str
    text: str


@dataclass(slots=True)
class Stored:
    """All that is stored of a table."""

    row: TableRow
    entries: list[Entry]
    chat: list[Said]
    snapshot: bytes | None


MOST_DAYS = 36_500.0
"""A century is as good as never, and calendars know nothing before the year 1."""


class Storage(Transactions):
    """The database behind the tables. Every method is a transaction; it is done when it returns."""

    def __init__(
        self, url: str, patience: float = 5.0, durability: str = "process", idle_days: float = 30.0
    ) -> None:
        """A table where nothing happened for `idle_days` is listed no more, unless its match is over."""
        super().__init__(url, patience, durability)
        self._idle = min(idle_days, MOST_DAYS) * timedelta(days=1)

    def save_person(self, id: str, name: str) -> None:
        """A person with a name, new or renamed."""

        def write(connection: Connection) -> None:
            known = connection.execute(update(PEOPLE).where(PEOPLE.c.id == id).values(name=name)).rowcount
            if not known:
                connection.execute(insert(PEOPLE).values(id=id, name=name, created=now(), renewed=0))

        self.write(write)

    def person(self, id: str) -> PersonRow | None:
        with self.reading() as session:
            return session.get(PersonRow, id)

    def renew_link(self, id: str) -> None:
        """Makes all personal links of somebody invalid but the next."""
        with self.changing() as session:
            session.execute(update(PersonRow).where(PersonRow.id == id).values(renewed=PersonRow.renewed + 1))

    def add_table(self, table: TableRow, seats: Sequence[SeatRow], entries: Sequence[Entry] = ()) -> None:
        """A new table, with what its match has from another."""

        def write(connection: Connection) -> None:
            connection.execute(insert(TABLES).values(_values(table)))
            connection.execute(insert(SEATS), [_values(seat) for seat in seats])
            if entries:
                run(connection, APPEND, [asdict(entry) for entry in entries])

        self.write(write)

    def table(self, id: str) -> TableRow | None:
        with self.reading() as session:
            return session.get(TableRow, id)

    def count_tables(self) -> int:
        """How many tables are not over, and not idle."""
        with self.reading() as session:
            going_on = (TableRow.status != "over") & self._is_lively()
            rows = select(func.count()).select_from(TableRow).where(going_on)
            return session.scalar(rows) or 0

    def stored(self, id: str, since: int = 0) -> Stored | None:
        """All that is stored of a table, as it was at one moment; of its entries those from a number on."""
        of = {"of": id}
        with self.at_one_moment() as connection:
            found = connection.execute(TABLE_OF, of).mappings().first()
            if found is None:
                return None
            # Without the mapper: several servers read on at every move.
            seats = [SeatRow(**seat) for seat in connection.execute(SEATS_OF, of).mappings()]
            entries = [Entry(*each) for each in connection.execute(ENTRIES_OF, of | {"since": since})]
            chat = [Said(*each) for each in connection.execute(CHAT_OF, of)][::-1]
            snapshot = None if since else connection.scalar(SNAPSHOT_OF, of)
            return Stored(TableRow(**found, seats=seats), entries, chat, snapshot)

    def keep_snapshots(self, snapshots: Mapping[str, bytes]) -> None:
        """Keeps how tables stand, by id, instead of what was kept of them before."""
        rows = [{"table_id": id, "data": data} for id, data in snapshots.items()]

        def write(connection: Connection) -> None:
            connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.table_id.in_(list(snapshots))))
            connection.execute(insert(SNAPSHOTS), rows)

        self.write(write)

    def drop_snapshot(self, table_id: str) -> None:
        """Forgets a snapshot that does not fit."""
        statement = delete(SNAPSHOTS).where(SNAPSHOTS.c.table_id == table_id)
        self.write(lambda connection: connection.execute(statement))

    def entries(self, table_id: str) -> list[Entry]:
        with self.reading() as session:
            return [Entry(*each) for each in session.execute(ENTRIES_OF, {"of": table_id, "since": 0})]

    def append(
        self,
        entries: Sequence[Entry],
        seats: Mapping[int, Mapping[str, Any]] | None = None,
        known: Sequence[str] | None = None,
        **changes: Any,
    ) -> None:
        """Appends what happened, with what of the seats and of the table has changed by it.

        Overtaken if something else happened meanwhile, or if the kinds of the seats are not those `known`.
        """
        changes = {"changed": entries[-1].at, **changes}
        if self.tells_once and not seats and known is None:
            # So it is at every move.
            with self.one_statement() as connection:
                connection.exec_driver_sql(*_happening(entries, changes))
            return

        def write(connection: Connection) -> None:
            self._append(connection, entries, changes)
            self._check_seats(connection, entries[0].table_id, known)
            for seat, values in (seats or {}).items():
                of = (SEATS.c.table_id == entries[0].table_id) & (SEATS.c.seat == seat)
                connection.execute(update(SEATS).where(of).values(**values))

        self.write(write)

    def _check_seats(self, connection: Connection, table_id: str, known: Sequence[str] | None) -> None:
        """Overtaken if others sit at a table than was known; nobody sits down until this is committed."""
        if known is None:
            return
        # Entries first, then the table, then its seats: whoever keeps to this never waits in a circle.
        connection.execute(select(TABLES.c.id).where(TABLES.c.id == table_id).with_for_update(key_share=True))
        kinds = select(SEATS.c.kind).where(SEATS.c.table_id == table_id).order_by(SEATS.c.seat)
        if list(connection.scalars(kinds)) != list(known):
            raise Overtaken("somebody sat down meanwhile")

    def _append(self, connection: Connection, entries: Sequence[Entry], changes: dict[str, Any]) -> None:
        # Straight to the tables: this happens at every move, and the mapper would take most of the time.
        rows = [
            {
                "table_id": entry.table_id, "number": entry.number, "at": entry.at,
                "kind": entry.kind, "seat": entry.seat, "text": entry.text,
            }
            for entry in entries
        ]  # fmt: skip
        run(connection, APPEND, rows)
        run(connection, _changing(tuple(changes)), [{"of": entries[0].table_id, **changes}])

    def note_rematch(self, table_id: str, rematch: str) -> bool:
        """Notes where the next match is played; False if that is noted already."""
        of = (TABLES.c.id == table_id) & TABLES.c.rematch.is_(None)
        statement = update(TABLES).where(of).values(changed=now(), rematch=rematch)
        return self.write(lambda connection: connection.execute(statement).rowcount == 1)

    def claim_seat(
        self, table_id: str, seat: int, person_id: str, name: str, token: str | None,
        start: Entry | None = None, known: Sequence[str] | None = None, **changes: Any,
    ) -> bool:  # fmt: skip
        """Gives an open seat to a person, the last with the match's start; False if somebody was first.

        Overtaken if the kinds of the seats are not those `known`.
        """
        of = (SEATS.c.table_id == table_id) & (SEATS.c.seat == seat) & (SEATS.c.kind == "open")
        values = {"kind": "person", "person_id": person_id, "name": name, "token": token}

        def write(connection: Connection) -> bool:
            if start is not None:
                self._append(connection, [start], {"changed": start.at, **changes})
            self._check_seats(connection, table_id, known)
            taken = connection.execute(update(SEATS).where(of).values(**values)).rowcount == 1
            if start is not None and not taken:
                raise Overtaken("somebody sat down there first")
            return taken

        return self.write(write)

    def tables_of(self, person_id: str, most: int = 30) -> list[TableRow]:
        """The tables at which a person sits, the liveliest first."""
        with self.reading() as session:
            own = select(SeatRow.table_id).where(SeatRow.person_id == person_id)
            rows = select(TableRow).where(TableRow.id.in_(own))
            rows = rows.where((TableRow.status == "over") | self._is_lively())
            return list(session.scalars(rows.order_by(TableRow.changed.desc()).limit(most)))

    def public_tables(self, status: str, game: str | None = None, most: int = 20) -> list[TableRow]:
        """The tables that everybody may see, of one game or of all, the liveliest first."""
        with self.reading() as session:
            rows = select(TableRow).where(TableRow.public, TableRow.status == status, self._is_lively())
            rows = rows if game is None else rows.where(TableRow.game == game)
            return list(session.scalars(rows.order_by(TableRow.changed.desc()).limit(most)))

    def _is_lively(self) -> ColumnElement[bool]:
        """That something happened at a table not too long ago."""
        return TableRow.changed > now() - self._idle

    def tables_with_bots_to_move(self, most: int = 10_000) -> list[str]:
        """The tables at which a bot has to move, for a server that has just started."""
        with self.reading() as session:
            bots = (SeatRow.kind == "bot") | (SeatRow.stand_in.is_not(None))
            rows = (
                select(TableRow.id)
                .join(SeatRow, (SeatRow.table_id == TableRow.id) & (SeatRow.seat == TableRow.turn))
                .where(TableRow.status == "playing", bots, self._is_lively())
                .limit(most)
            )
            return list(session.scalars(rows))

    def add_chat(
        self, table_id: str, person_id: str, name: str, text: str, mark: str | None = None
    ) -> Said | None:
        """Adds a line; None if the one with this mark is there already."""
        said = Said(now(), person_id, name, text)
        row = {"table_id": table_id, "mark": mark, **asdict(said)}

        def write(connection: Connection) -> bool:
            return connection.execute(_saying(connection.dialect.name), row).first() is not None

        return said if self.write(write) else None

    def copy_chat(self, table_id: str, lines: Sequence[Said]) -> None:
        """The same lines, said at another table."""
        rows = [{"table_id": table_id, **asdict(each)} for each in lines]
        if rows:
            self.write(lambda connection: connection.execute(insert(CHAT), rows))

    def chat(self, table_id: str) -> list[Said]:
        """The last lines that were said at a table, the oldest first."""
        with self.reading() as session:
            return [Said(*each) for each in session.execute(CHAT_OF, {"of": table_id})][::-1]


ENTRIES, SEATS, TABLES, CHAT, SNAPSHOTS, PEOPLE = (
    Base.metadata.tables[name] for name in ("entries", "seats", "tables", "chat", "snapshots", "people")
)
APPEND = insert(ENTRIES)
TABLE_OF = select(TABLES).where(TABLES.c.id == bindparam("of"))
SEATS_OF = select(SEATS).where(SEATS.c.table_id == bindparam("of")).order_by(SEATS.c.seat)
ENTRIES_OF = (
    select(*(ENTRIES.c[name] for name in ("table_id", "number", "kind", "seat", "text")))
    .where(ENTRIES.c.table_id == bindparam("of"), ENTRIES.c.number >= bindparam("since"))
    .order_by(ENTRIES.c.number)
)
CHAT_OF = (
    select(*(CHAT.c[name] for name in ("at", "person_id", "name", "text")))
    .where(CHAT.c.table_id == bindparam("of"))
    .order_by(CHAT.c.id.desc())
    .limit(MOST_LINES)
)
SNAPSHOT_OF = select(SNAPSHOTS.c.data).where(SNAPSHOTS.c.table_id == bindparam("of"))


def _values(row: TableRow | SeatRow) -> dict[str, Any]:
    """What stands in the columns of a row."""
    return {column.key: getattr(row, column.key) for column in row.__table__.columns}


@cache
def _changing(names: tuple[str, ...]) -> Update:
    """The statement that changes these columns of a table."""
    rows = update(TABLES).where(TABLES.c.id == bindparam("of"))
    return rows.values({name: bindparam(name) for name in names})


def _happening(entries: Sequence[Entry], changes: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The one statement that appends entries and changes their table, for PostgreSQL; and its values."""
    values = {"of": entries[0].table_id, **changes}
    for place, entry in enumerate(entries):
        for name in ("number", "at", "kind", "seat", "text"):
            values[f"{name}{place}"] = getattr(entry, name)
    return _told_once(len(entries), tuple(changes)), values


@cache
def _saying(dialect: str) -> Executable:
    """Adds a line of chat, unless there is one with its mark, and tells whether it did."""
    adds = postgresql.insert(CHAT) if dialect == "postgresql" else sqlite.insert(CHAT)
    return adds.on_conflict_do_nothing().returning(CHAT.c.id)


@cache
def _told_once(count: int, names: tuple[str, ...]) -> str:
    """Entries come first, as in any other transaction: whoever keeps to this never waits in a circle."""
    rows = ", ".join(
        f"(%(of)s, %(number{i})s, %(at{i})s, %(kind{i})s, %(seat{i})s, %(text{i})s)" for i in range(count)
    )
    changed = ", ".join(f"{name} = %({name})s" for name in names)
    return (
        "with happened as (insert into entries (table_id, number, at, kind, seat, text) "
        f"values {rows} returning table_id) "
        f"update tables set {changed} where id = (select max(table_id) from happened)"
    )


def now() -> datetime:
    return datetime.now(UTC)
