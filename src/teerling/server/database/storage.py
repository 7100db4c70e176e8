"""What is kept, and how: every method of a storage is a transaction that is done when it returns."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from threading import Lock, get_ident
from typing import Any, TypeVar, cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    Update,
    bindparam,
    delete,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ...errors import TeerlingError
from ..watch.metrics import Inside
from .engines import engine_of, run
from .schema import Base, PersonRow, SeatRow, TableRow

Result = TypeVar("Result")

MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATION_LOCK = 0x7EE711
MOST_LINES = 100
"""How many lines of chat a table shows."""
A_MOMENT = 0.005
"""Seconds that another thread has to finish writing, for one that does not wait."""


class StorageGone(TeerlingError):
    """The database does not answer, or is locked; nothing has been changed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the database does not answer: {reason}")
        self.reason = reason


class StorageBusy(StorageGone):
    """Somebody else is writing; nothing has been changed."""


class Overtaken(StorageGone):
    """Somebody else stored something first at the same place; nothing has been changed."""


class NewerStorage(StorageGone):
    """The database was made by a newer version of this program."""


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


@dataclass(eq=False)
class _Work:
    """A change that waits for its turn to be written."""

    write: Callable[[Connection], object]
    result: Any = None
    error: Exception | None = None
    done: bool = False

    def do(self, connection: Connection) -> None:
        self.result = self.write(connection)


class Storage:
    """The database behind the tables. Every method is a transaction; it is done when it returns."""

    def __init__(
        self, url: str, patience: float = 5.0, durability: str = "process", idle_days: float = 30.0
    ) -> None:
        """Nothing waits longer than `patience` seconds for a lock. What was stored survives the death of the
        process, and with the durability `full` a power cut too. A table where nothing happened for
        `idle_days` is listed no more, unless its match is over.
        """
        self._waits_for_disk = durability == "full"
        try:
            self.engine = engine_of(url, patience, durability)
        except (SQLAlchemyError, ImportError) as error:
            raise StorageGone(str(error).splitlines()[0]) from error
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        self._patience = patience
        self._idle = timedelta(days=idle_days)
        # SQLite has one writer at a time; waiting for it in the database takes too long.
        self._writing = Lock() if self.engine.dialect.name == "sqlite" else None
        self._hurried: int | None = None
        """The thread that does not wait."""
        self._queue: list[_Work] = []
        """What waits to be written; whoever may write takes all of it."""
        self._queueing = Lock()

    def migrate(self, to: str | None = None) -> None:
        """Brings the database to a schema, on or back; unless told, to that of this version."""
        to = to or schemas()[-1]
        known = self.schema()
        if known == to:
            return
        if known is not None and known not in schemas():
            raise NewerStorage(f"its schema is {known}, and this version knows {schemas()[-1]}")
        # Alembic takes long to load, and is needed once.
        from alembic import command
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        with self._guarded(), self._migrating() as connection:
            config.attributes["connection"] = connection
            if known is None or known < to:
                command.upgrade(config, to)
                return
            try:
                command.downgrade(config, to)
            except AttributeError:
                # A migration that cannot be undone has no function for it.
                raise StorageGone(f"from schema {known} there is no way back to {to}") from None

    @contextmanager
    def _migrating(self) -> Iterator[Connection]:
        """One transaction for everything, alone: a process killed in the middle has changed nothing."""
        with self.engine.connect() as connection:
            if self.engine.dialect.name == "sqlite":
                # Tables are rebuilt by migrations, and whatever points at them must bear it for a moment.
                connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            elif self.engine.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
            yield connection
            if self.engine.dialect.name == "sqlite":
                broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
                if broken:
                    raise StorageGone(
                        f"a migration would leave {len(broken)} rows without what they belong to"
                    )
            connection.commit()
            connection.invalidate()

    def schema(self) -> str | None:
        """The schema of the database; None if it is empty."""
        with self._guarded(), self.engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            found: str | None = connection.scalar(text("select version_num from alembic_version"))
            return found

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as error:
            cause = getattr(error, "orig", error)
            busy = getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
            taken = isinstance(error, IntegrityError | sqlite3.IntegrityError)
            kind = Overtaken if taken else StorageBusy if busy else StorageGone
            raise kind(str(cause).splitlines()[0]) from error

    @contextmanager
    def _session(self) -> Iterator[Session]:
        with self._guarded(), self._sessions.begin() as session:
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction for what other rooms read."""
        with self._session() as session:
            yield session

    @contextmanager
    def changing(self) -> Iterator[Session]:
        """A transaction for what other rooms write."""
        with self._change() as session:
            yield session

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What this thread stores meanwhile hardly waits: StorageBusy, and nothing is changed, if it must."""
        if self._writing is None or self._waits_for_disk:
            raise StorageBusy("it takes its time")
        self._hurried = get_ident()
        try:
            yield
        finally:
            self._hurried = None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The only writer, as far as that is needed."""
        if self._writing is None:
            yield
            return
        if not self._writing.acquire(timeout=A_MOMENT if self._hurried == get_ident() else -1):
            raise StorageBusy("somebody else is writing")
        try:
            yield
        finally:
            self._writing.release()

    @contextmanager
    def _change(self) -> Iterator[Session]:
        """A session that writes."""
        with (
            Inside("commit"),
            self._alone(),
            self._session() as session,
            self._hurrying(session.connection()),
        ):
            yield session
            session.flush()

    def _write(self, write: Callable[[Connection], Result]) -> Result:
        """The same without the mapper; what waits meanwhile is committed together.

        One that fails takes nothing with it: then each gets a transaction of its own.
        """
        with Inside("commit"):
            return self._written(write)

    def _written(self, write: Callable[[Connection], Result]) -> Result:
        if self._writing is None:
            with self._writer() as connection:
                return write(connection)
        work = _Work(write)
        with self._queueing:
            self._queue.append(work)
        try:
            with self._alone():
                if not work.done:
                    self._write_all(self._taken(work))
        except StorageBusy:
            with self._queueing:
                if work in self._queue:
                    self._queue.remove(work)
                    raise
            # Somebody else has taken it along, and is about to be done with it.
            with self._writing:
                pass
        if work.error is not None:
            raise work.error
        return cast(Result, work.result)

    def _taken(self, work: _Work) -> list[_Work]:
        """What is to be written now: all that waits; somebody in a hurry waits for nobody else's."""
        with self._queueing:
            taken = [work] if self._hurried == get_ident() else list(self._queue)
            self._queue = [each for each in self._queue if each not in taken]
            return taken

    def _write_all(self, waiting: list[_Work]) -> None:
        """Writes all that waits, in one transaction if that can be."""
        try:
            with self._writer() as connection:
                for work in waiting:
                    work.do(connection)
        except Exception as error:
            if len(waiting) > 1:
                for work in waiting:
                    self._write_all([work])
            else:
                waiting[0].error = error
        for work in waiting:
            work.done = True

    @contextmanager
    def _writer(self) -> Iterator[Connection]:
        """A transaction without the mapper, for the only writer."""
        with self._guarded(), self.engine.begin() as connection, self._hurrying(connection):
            yield connection

    @contextmanager
    def _hurrying(self, connection: Connection) -> Iterator[None]:
        """Whether another process writes is known at the first change: somebody in a hurry ends there."""
        if self._hurried != get_ident():
            yield
            return
        driver: Any = connection.connection.dbapi_connection
        driver.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            driver.execute(f"PRAGMA busy_timeout = {round(1000 * self._patience)}")

    def alive(self) -> None:
        """Writes something that changes nothing: a database on a full disk can still be read."""
        with self._writer() as connection:
            connection.execute(text("update alembic_version set version_num = version_num"))

    def save_person(self, id: str, name: str) -> None:
        """A person with a name, new or renamed."""

        def write(connection: Connection) -> None:
            known = connection.execute(update(PEOPLE).where(PEOPLE.c.id == id).values(name=name)).rowcount
            if not known:
                connection.execute(insert(PEOPLE).values(id=id, name=name, created=now(), renewed=0))

        self._write(write)

    def person(self, id: str) -> PersonRow | None:
        with self._session() as session:
            return session.get(PersonRow, id)

    def renew_link(self, id: str) -> None:
        """Makes all personal links of somebody invalid but the next."""
        with self._change() as session:
            session.execute(update(PersonRow).where(PersonRow.id == id).values(renewed=PersonRow.renewed + 1))

    def add_table(self, table: TableRow, seats: Sequence[SeatRow], entries: Sequence[Entry] = ()) -> None:
        """A new table, with what its match has from another."""

        def write(connection: Connection) -> None:
            connection.execute(insert(TABLES).values(_values(table)))
            connection.execute(insert(SEATS), [_values(seat) for seat in seats])
            if entries:
                run(connection, APPEND, [asdict(entry) for entry in entries])

        self._write(write)

    def table(self, id: str) -> TableRow | None:
        with self._session() as session:
            return session.get(TableRow, id)

    def count_tables(self) -> int:
        """How many tables are not over, and not idle."""
        with self._session() as session:
            going_on = (TableRow.status != "over") & self._is_lively()
            rows = select(func.count()).select_from(TableRow).where(going_on)
            return session.scalar(rows) or 0

    def stored(self, id: str, since: int = 0) -> Stored | None:
        """All that is stored of a table, as it was at one moment; of its entries those from a number on."""
        with self._session() as session:
            if self.engine.dialect.name == "postgresql":
                # Others may write between two of these questions.
                session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            row = session.get(TableRow, id)
            if row is None:
                return None
            of = {"of": id}
            entries = [Entry(*each) for each in session.execute(ENTRIES_OF, of | {"since": since})]
            chat = [Said(*each) for each in session.execute(CHAT_OF, of)][::-1]
            return Stored(row, entries, chat, None if since else session.scalar(SNAPSHOT_OF, of))

    def keep_snapshots(self, snapshots: Mapping[str, bytes]) -> None:
        """Keeps how tables stand, by id, instead of what was kept of them before."""
        rows = [{"table_id": id, "data": data} for id, data in snapshots.items()]

        def write(connection: Connection) -> None:
            connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.table_id.in_(list(snapshots))))
            connection.execute(insert(SNAPSHOTS), rows)

        self._write(write)

    def drop_snapshot(self, table_id: str) -> None:
        """Forgets a snapshot that does not fit."""
        statement = delete(SNAPSHOTS).where(SNAPSHOTS.c.table_id == table_id)
        self._write(lambda connection: connection.execute(statement))

    def entries(self, table_id: str) -> list[Entry]:
        with self._session() as session:
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

        def write(connection: Connection) -> None:
            self._append(connection, entries, changes)
            self._check_seats(connection, entries[0].table_id, known)
            for seat, values in (seats or {}).items():
                of = (SEATS.c.table_id == entries[0].table_id) & (SEATS.c.seat == seat)
                connection.execute(update(SEATS).where(of).values(**values))

        self._write(write)

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
        values = {"changed": entries[-1].at, **changes}
        run(connection, _changing(tuple(values)), [{"of": entries[0].table_id, **values}])

    def note_rematch(self, table_id: str, rematch: str) -> bool:
        """Notes where the next match is played; False if that is noted already."""
        of = (TABLES.c.id == table_id) & TABLES.c.rematch.is_(None)
        statement = update(TABLES).where(of).values(changed=now(), rematch=rematch)
        return self._write(lambda connection: connection.execute(statement).rowcount == 1)

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
                self._append(connection, [start], changes)
            self._check_seats(connection, table_id, known)
            taken = connection.execute(update(SEATS).where(of).values(**values)).rowcount == 1
            if start is not None and not taken:
                raise Overtaken("somebody sat down there first")
            return taken

        return self._write(write)

    def tables_of(self, person_id: str, most: int = 30) -> list[TableRow]:
        """The tables at which a person sits, the liveliest first."""
        with self._session() as session:
            own = select(SeatRow.table_id).where(SeatRow.person_id == person_id)
            rows = select(TableRow).where(TableRow.id.in_(own))
            rows = rows.where((TableRow.status == "over") | self._is_lively())
            return list(session.scalars(rows.order_by(TableRow.changed.desc()).limit(most)))

    def public_tables(self, status: str, game: str | None = None, most: int = 20) -> list[TableRow]:
        """The tables that everybody may see, of one game or of all, the liveliest first."""
        with self._session() as session:
            rows = select(TableRow).where(TableRow.public, TableRow.status == status, self._is_lively())
            rows = rows if game is None else rows.where(TableRow.game == game)
            return list(session.scalars(rows.order_by(TableRow.changed.desc()).limit(most)))

    def _is_lively(self) -> ColumnElement[bool]:
        """That something happened at a table not too long ago."""
        return TableRow.changed > now() - self._idle

    def tables_with_bots_to_move(self, most: int = 10_000) -> list[str]:
        """The tables at which a bot has to move, for a server that has just started."""
        with self._session() as session:
            bots = (SeatRow.kind == "bot") | (SeatRow.stand_in.is_not(None))
            rows = (
                select(TableRow.id)
                .join(SeatRow, (SeatRow.table_id == TableRow.id) & (SeatRow.seat == TableRow.turn))
                .where(TableRow.status == "playing", bots, self._is_lively())
                .limit(most)
            )
            return list(session.scalars(rows))

    def add_chat(self, table_id: str, person_id: str, name: str, text: str) -> Said:
        said = Said(now(), person_id, name, text)
        self.copy_chat(table_id, [said])
        return said

    def copy_chat(self, table_id: str, lines: Sequence[Said]) -> None:
        """The same lines, said at another table."""
        rows = [{"table_id": table_id, **asdict(each)} for each in lines]
        if rows:
            self._write(lambda connection: connection.execute(insert(CHAT), rows))

    def chat(self, table_id: str) -> list[Said]:
        """The last lines that were said at a table, the oldest first."""
        with self._session() as session:
            return [Said(*each) for each in session.execute(CHAT_OF, {"of": table_id})][::-1]

    def close(self) -> None:
        self.engine.dispose()


ENTRIES, SEATS, TABLES, CHAT, SNAPSHOTS, PEOPLE = (
    Base.metadata.tables[name] for name in ("entries", "seats", "tables", "chat", "snapshots", "people")
)
APPEND = insert(ENTRIES)
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


def schemas() -> list[str]:
    """The schemas that this version knows, the oldest first."""
    return sorted(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def now() -> datetime:
    return datetime.now(UTC)
