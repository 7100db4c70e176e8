"""Transactions with the database: who reads, who may write, and what it means when it cannot be done."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, get_ident
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ...errors import TeerlingError
from ..watch.metrics import Inside
from .engines import engine_of

Result = TypeVar("Result")

MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATION_LOCK = 0x7EE711
MOST_PATIENCE = 3600.0
"""Seconds that something waits at most: databases cannot count to any number."""
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


@dataclass(eq=False)
class _Work:
    """A change that waits for its turn to be written."""

    write: Callable[[Connection], object]
    result: Any = None
    error: Exception | None = None
    done: bool = False

    def do(self, connection: Connection) -> None:
        self.result = self.write(connection)


class Transactions:
    """A database, and the order in which threads and processes write to it."""

    def __init__(self, url: str, patience: float = 5.0, durability: str = "process") -> None:
        """Nothing waits longer than `patience` seconds for a lock. What was stored survives the death of the
        process, and with the durability `full` a power cut too.
        """
        self._waits_for_disk = durability == "full"
        patience = min(patience, MOST_PATIENCE)
        try:
            self.engine = engine_of(url, patience, durability)
        except (SQLAlchemyError, ImportError, ValueError) as error:
            raise StorageGone(str(error).splitlines()[0]) from error
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        self._committing = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self._patience = patience
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
            if known is None:
                _check_letters(connection)
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
    def reading(self) -> Iterator[Session]:
        """A transaction that reads."""
        with self._guarded(), self._sessions.begin() as session:
            yield session

    @contextmanager
    def at_one_moment(self) -> Iterator[Connection]:
        """Reads how everything was at one moment, without the mapper: others may write meanwhile."""
        with self._guarded(), self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @property
    def tells_once(self) -> bool:
        """Whether the database is asked over a line, so that a question less is worth something."""
        return self.engine.dialect.name == "postgresql"

    @contextmanager
    def one_statement(self) -> Iterator[Connection]:
        """For what is one statement, and so a transaction by itself: the database is asked but once."""
        with Inside("commit"), self._guarded(), self._committing.connect() as connection:
            yield connection

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
    def changing(self) -> Iterator[Session]:
        """A transaction that writes, done when it is left."""
        with (
            Inside("commit"),
            self._alone(),
            self.reading() as session,
            self._hurrying(session.connection()),
        ):
            yield session
            session.flush()

    def write(self, write: Callable[[Connection], Result]) -> Result:
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

    def close(self) -> None:
        self.engine.dispose()


def _check_letters(connection: Connection) -> None:
    """Refuses a new database that cannot hold every letter that somebody may type."""
    if connection.dialect.name == "postgresql":
        code = connection.scalar(text("show server_encoding"))
        if code not in ("UTF8", "SQL_ASCII"):
            raise StorageGone(f"its encoding is {code}; make one with -E UTF8 -T template0")


def schemas() -> list[str]:
    """The schemas that this version knows, the oldest first."""
    return sorted(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
