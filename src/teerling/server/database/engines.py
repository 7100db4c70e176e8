"""How databases are spoken to: SQLite in a file, or PostgreSQL."""

import os
import select
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any

from sqlalchemy import Connection, Engine, Insert, Update, create_engine, event, make_url
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import ArgumentError, DisconnectionError

CONNECTIONS = 18
"""So many to PostgreSQL has a process at most. All are kept: a new one costs as much as many moves."""


def engine_of(url: str, patience: float, durability: str) -> Engine:
    """The engine of a database; nothing waits longer than `patience` seconds for a lock."""
    if url.startswith("postgresql://"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    if url.startswith("sqlite"):
        return _sqlite(url, patience, "FULL" if durability == "full" else "NORMAL")
    if not url.startswith("postgresql"):
        raise ArgumentError("it is neither a sqlite:/// nor a postgresql:// database")
    if "@" in (make_url(url).host or ""):
        raise ArgumentError("an @ in a password is written %40")
    # Nobody waits for ever: not for the machine, not for a lock, not for an answer.
    seconds, milliseconds = max(2, round(patience)), max(1, round(1000 * patience))
    limits = {
        "client_encoding": "utf8",
        "connect_timeout": seconds,
        "tcp_user_timeout": 2 * milliseconds,
        "options": f"-c lock_timeout={milliseconds} -c statement_timeout={3 * milliseconds}",
    }
    can_see = hasattr(select, "poll")
    # The connection that was used last comes first: what it runs is prepared and near at hand.
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_pre_ping=not can_see,
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_use_lifo=True,
        connect_args=limits,
    )
    if can_see:
        event.listen(engine, "checkout", _check_open)
    return engine


def _check_open(connection: Any, *_: Any) -> None:
    """Misses a database that has closed a connection meanwhile; asking it each time would be a question more.

    On a connection that waits nothing comes but its end.
    """
    looking = select.poll()
    looking.register(connection.fileno(), select.POLLIN)
    if looking.poll(0):
        raise DisconnectionError("the database has closed the connection")


def file_of(url: str) -> str:
    """The file of a SQLite database, by whatever name or link it was named; empty for any other database."""
    try:
        given = make_url(url)
    except (ArgumentError, ValueError):
        return ""
    named = given.database if given.get_backend_name() == "sqlite" else None
    return os.path.realpath(named) if named else ""


def _sqlite(url: str, patience: float, synchronous: str) -> Engine:
    """The engine of a SQLite file; a file that was taken away is missed, and no new one made in its place."""
    engine = create_engine(
        url, hide_parameters=True, connect_args={"timeout": patience, "check_same_thread": False}
    )
    path = engine.url.database or ""
    if path in ("", ":memory:"):
        raise ArgumentError("it would be gone with the server; name a file, as in sqlite:////folder/name.db")
    known: list[int] = []

    def check(*_: Any) -> None:
        if known and [_file_number(path)] != known:
            raise sqlite3.OperationalError("the file of the database is not there any more")

    event.listen(engine, "do_connect", check)
    event.listen(engine, "checkout", check)

    @event.listens_for(engine, "connect")
    def configure(connection: Any, record: Any) -> None:
        """A committed move survives a killed server, and a power cut if it must; writers stop no readers."""
        cursor = connection.cursor()
        for setting in ("journal_mode=WAL", f"synchronous={synchronous}", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {setting}")
        cursor.close()
        if not known:
            known.append(_file_number(path))

    return engine


def _file_number(path: str) -> int:
    """The number of a file in its file system, which stays when it is renamed; 0 if there is none."""
    try:
        # Asked at every change; a Path would take longer than the answer.
        return os.stat(path).st_ino
    except FileNotFoundError:
        return 0


def run(connection: Connection, statement: Insert | Update, rows: Sequence[Mapping[str, Any]]) -> None:
    """Runs a statement for every row; SQLite is told directly: anything else takes longer than doing it."""
    if connection.dialect.name != "sqlite":
        connection.execute(statement, rows if len(rows) > 1 else rows[0])
        return
    text, names = _told_sqlite(statement, tuple(rows[0]))
    driver: Any = connection.connection.dbapi_connection
    for row in rows:
        driver.execute(text, [_stored_by_sqlite(row[name]) for name in names])


@cache
def _told_sqlite(statement: Insert | Update, names: tuple[str, ...]) -> tuple[str, Sequence[str]]:
    """A statement that is given these values in SQLite's words, and their order in it."""
    compiled = statement.compile(dialect=sqlite.dialect(), column_keys=names)
    return str(compiled), compiled.positiontup or ()


def _stored_by_sqlite(value: Any) -> Any:
    """A value as SQLAlchemy stores it; the only dates here are moments."""
    return value.strftime("%Y-%m-%d %H:%M:%S.%f") if isinstance(value, date) else value
