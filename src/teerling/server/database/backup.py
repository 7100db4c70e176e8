"""Backups: all that is stored in a file of its own, and back; and the schema of a database, on and back.

A file that ends in `.db` is a copy of a SQLite database. Any other is a portable dump: gzipped lines of JSON,
first which schema it is of, then every row of every table, last how many there were. Snapshots are not in it,
as they can be made again. Both can be made while the server runs.
"""

import gzip
import json
import os
import sqlite3
import tempfile
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, DateTime, LargeBinary, MetaData, Table, func, insert, select, text
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError

from ... import __version__
from ...errors import Phrase, TeerlingError
from ..settings import Settings
from .storage import Storage
from .transactions import NewerStorage, StorageGone, schemas

FORMAT = "teerling backup"
VERSION = 1
SQLITE_MAGIC = b"SQLite format 3\0"
LEFT_OUT = ("alembic_version", "snapshots")
AT_ONCE = 500
"""How many rows are read or written together."""


class CannotBackUp(TeerlingError):
    """A backup cannot be made or taken back; the sentence says why, and nothing has changed."""


def back_up(settings: Settings, file: Path) -> dict[str, int]:
    """Writes all that is stored to a new file; how many rows there are of each kind."""
    if file.exists():
        raise CannotBackUp(Phrase("{file} is there already; choose another name", file=file))
    if not file.parent.is_dir():
        raise CannotBackUp(Phrase("{path} cannot be made: there is no such folder", path=file))
    with _opened(settings) as storage:
        if storage.schema() is None:
            raise CannotBackUp(Phrase("there is nothing to back up yet"))
        with _written_whole(file) as fresh:
            if file.suffix == ".db":
                return _copy(storage, fresh)
            return _dump(storage, fresh)


def restore(settings: Settings, file: Path) -> dict[str, int]:
    """Takes a backup back into an empty database; how many rows there are of each kind."""
    if not file.is_file():
        raise CannotBackUp(Phrase("there is no file {file}", file=file))
    with file.open("rb") as opened:
        is_copy = opened.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    with _opened(settings) as storage:
        if storage.schema() is not None:
            counts = _counts(storage)
            if counts["tables"] or counts["people"]:
                raise CannotBackUp(
                    Phrase(
                        "the database already holds {tables} tables; "
                        "a backup is restored into an empty one, another with --data",
                        tables=counts["tables"],
                    )
                )
        if is_copy:
            _take_copy(storage, file)
        else:
            _load(storage, file)
        storage.migrate()
        return _counts(storage)


def migrate(settings: Settings, to: str | None) -> tuple[str | None, str | None]:
    """Brings the database to a schema, the newest unless told; from which to which."""
    with _opened(settings) as storage:
        before = storage.schema()
        if to is not None and to not in schemas():
            known = ", ".join(schemas())
            raise CannotBackUp(Phrase("there is no schema {to}; there are {known}", to=to, known=known))
        storage.migrate(to)
        return before, storage.schema()


@contextmanager
def _opened(settings: Settings) -> Iterator[Storage]:
    storage = Storage(settings.database_url, settings.storage_patience, settings.durability)
    try:
        yield storage
    except NewerStorage as error:
        raise CannotBackUp(Phrase("the database was made by a newer version of Teerling")) from error
    except StorageGone as error:
        raise CannotBackUp(
            Phrase(
                "the database {url} cannot be used: {reason}",
                url=settings.shown_database_url,
                reason=error.reason,
            )
        ) from error
    finally:
        storage.close()


@contextmanager
def _written_whole(file: Path) -> Iterator[Path]:
    """A file that is there when all of it is, or not at all."""
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    os.close(handle)
    fresh = Path(name)
    try:
        yield fresh
        with fresh.open("rb") as written:
            os.fsync(written.fileno())
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def _counts(storage: Storage) -> dict[str, int]:
    with storage.reading() as session:
        kinds = [
            table for table in _metadata(session.connection()).sorted_tables if table.name not in LEFT_OUT
        ]
        return {table.name: session.scalar(select(func.count()).select_from(table)) or 0 for table in kinds}


# A copy of a SQLite database


def _copy(storage: Storage, fresh: Path) -> dict[str, int]:
    if storage.engine.dialect.name != "sqlite":
        raise CannotBackUp(Phrase("only a SQLite database can be copied to a file that ends in .db"))
    with storage.engine.connect() as connection, closing(sqlite3.connect(fresh)) as copy:
        source: Any = connection.connection.dbapi_connection
        source.backup(copy)
        # One file, and nothing beside it.
        copy.execute("PRAGMA journal_mode=DELETE")
        kinds = [table.name for table in _metadata(connection).sorted_tables if table.name not in LEFT_OUT]
        return {kind: copy.execute(f"select count(*) from {kind}").fetchone()[0] for kind in kinds}


def _take_copy(storage: Storage, file: Path) -> None:
    if storage.engine.dialect.name != "sqlite":
        raise CannotBackUp(
            Phrase("{file} is a copy of a SQLite database; other databases need a portable backup", file=file)
        )
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as copy:
        try:
            sound = copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            schema = copy.execute("select version_num from alembic_version").fetchone()
        except sqlite3.Error:
            sound, schema = False, None
        if not sound or schema is None:
            raise CannotBackUp(_damaged(file))
        _check_schema(schema[0])
        with storage.engine.connect() as connection:
            target: Any = connection.connection.dbapi_connection
            copy.backup(target)


# A portable dump


def _dump(storage: Storage, fresh: Path) -> dict[str, int]:
    counts: Counter[str] = Counter()
    with _at_one_moment(storage) as connection, gzip.open(fresh, "wt", encoding="utf-8") as out:
        schema = storage.schema()
        print(json.dumps({FORMAT: VERSION, "schema": schema, "version": __version__}), file=out)
        for table in _metadata(connection).sorted_tables:
            if table.name not in LEFT_OUT:
                counts[table.name] = 0
                rows = connection.execution_options(yield_per=AT_ONCE).execute(select(table)).mappings()
                for row in rows:
                    told = {name: _written(value) for name, value in row.items()}
                    print(json.dumps([table.name, told], ensure_ascii=False), file=out)
                    counts[table.name] += 1
        print(json.dumps({"end": counts}), file=out)
    return dict(counts)


@contextmanager
def _at_one_moment(storage: Storage) -> Iterator[Connection]:
    """A connection that sees the database as it is now, whatever is written meanwhile."""
    engine = storage.engine
    if engine.dialect.name == "postgresql":
        engine = engine.execution_options(isolation_level="REPEATABLE READ")
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
        yield connection
        connection.rollback()


def _written(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    return b64encode(value).decode() if isinstance(value, bytes) else value


def _load(storage: Storage, file: Path) -> None:
    head, counts = _checked(file)
    _check_schema(head["schema"])
    _clear(storage)
    storage.migrate(head["schema"])
    with storage.changing() as session:
        connection = session.connection()
        tables = _metadata(connection).tables
        waiting: list[dict[str, Any]] = []
        kind = ""
        for name, row in _rows(file):
            if waiting and (name != kind or len(waiting) == AT_ONCE):
                _insert(connection, tables[kind], waiting, file)
                waiting = []
            kind = name
            try:
                waiting.append(_read(tables[name], row))
            except (KeyError, TypeError, ValueError):
                # Whole, but somebody has written it by hand.
                raise CannotBackUp(_damaged(file)) from None
        if waiting:
            _insert(connection, tables[kind], waiting, file)
        if storage.engine.dialect.name == "postgresql" and counts.get("chat"):
            connection.execute(
                text("select setval(pg_get_serial_sequence('chat', 'id'), (select max(id) from chat))")
            )


def _clear(storage: Storage) -> None:
    """Takes away what a server has kept before anybody came: the deals of its first day, a puzzle."""
    if storage.schema() is not None:
        with storage.changing() as session:
            _metadata(session.connection()).drop_all(session.connection())


def _insert(connection: Connection, table: Table, rows: list[dict[str, Any]], file: Path) -> None:
    """Adds rows as they stood in a file; what no database has given out is no backup."""
    try:
        connection.execute(insert(table), rows)
    except (StatementError, UnicodeError, OverflowError) as error:
        if isinstance(error, DBAPIError) and not isinstance(error, IntegrityError | DataError):
            raise
        raise CannotBackUp(_damaged(file)) from error


def _read(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _valued(table.c[name].type, value) for name, value in row.items()}


def _valued(kind: Any, value: Any) -> Any:
    """What was written of a value, as a column of this kind has it."""
    if value is None or not isinstance(kind, DateTime | LargeBinary):
        return value
    return datetime.fromisoformat(value) if isinstance(kind, DateTime) else b64decode(value)


def _lines(file: Path) -> Iterator[Any]:
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, EOFError, ValueError, RecursionError) as error:
        raise CannotBackUp(_damaged(file)) from error


def _rows(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((line[0], line[1]) for line in _lines(file) if isinstance(line, list))


def _checked(file: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """The first line of a dump, and how many rows it has; it is read to its end before anything changes."""
    lines = _lines(file)
    head = next(lines, None)
    if not isinstance(head, dict) or head.get(FORMAT) != VERSION or not isinstance(head.get("schema"), str):
        raise CannotBackUp(_damaged(file))
    counts: Counter[str] = Counter()
    last: Any = None
    for last in lines:
        match last:
            case [str(kind), dict()]:
                counts[kind] += 1
            case list():
                raise CannotBackUp(_damaged(file))
    end = last.get("end") if isinstance(last, dict) else None
    if not isinstance(end, dict) or Counter(end) != counts:
        raise CannotBackUp(_damaged(file))
    return head, dict(counts)


def _damaged(file: Path) -> Phrase:
    return Phrase("{file} is no backup of Teerling, or not a whole one", file=file)


def _check_schema(schema: str) -> None:
    if schema not in schemas():
        raise CannotBackUp(Phrase("this backup was made by a newer version of Teerling"))


def _metadata(connection: Connection) -> MetaData:
    """The tables as they are in the database, of whatever version."""
    metadata = MetaData()
    metadata.reflect(connection)
    return metadata
