"""What migrations must do in every database."""

import random
from collections.abc import Iterator
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from teerling import players
from teerling.server.database.schema import Base
from teerling.server.database.storage import Storage
from teerling.server.database.transactions import MIGRATIONS
from teerling.server.tables import opening

SCHEMAS = Path(__file__).parent / "schemas"
RELEASED = sorted(path.name[:4] for path in SCHEMAS.glob("[0-9]*.rows.sql"))
NEWEST = max(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def statements(path: Path) -> Iterator[str]:
    """The statements of a file; each ends with a semicolon at the end of a line."""
    text = "\n".join(line for line in path.read_text(encoding="utf-8").splitlines() if line[:2] != "--")
    return (part.strip() for part in text.split(";\n") if part.strip())


def build(storage: Storage, schema: str) -> None:
    """A database as the version with this schema left it, with a few rows."""
    kind = ".postgresql" if storage.engine.dialect.name == "postgresql" else ""
    with storage.engine.begin() as connection:
        for name in (f"{schema}{kind}.sql", f"{schema}.rows.sql"):
            for statement in statements(SCHEMAS / name):
                connection.exec_driver_sql(statement)


def differences(storage: Storage) -> list[object]:
    """How the database differs from what the program expects."""
    with storage.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, Base.metadata))


def check_fresh(storage: Storage) -> None:
    """An empty database becomes what the program expects, and stays so."""
    assert storage.schema() is None
    storage.migrate()
    assert storage.schema() == NEWEST
    assert differences(storage) == []
    storage.migrate()
    assert differences(storage) == []


def check_upgrade(storage: Storage, schema: str) -> None:
    """A database of an earlier version becomes the same, and nothing in it is lost."""
    build(storage, schema)
    assert storage.schema() == schema
    storage.migrate()
    assert storage.schema() == NEWEST
    assert differences(storage) == []

    finished = opening.load(storage, "finished22")
    assert finished.match.over
    assert (finished.row.ending, finished.match.scores) == ("finished", (5, 9))
    running = opening.load(storage, "running222")
    assert (running.version, running.match.turn, running.playing) == (16, 0, True)
    assert running.last is not None
    assert running.last.kind == "back"
    assert [line.text for line in running.chat] == ['it\'s "fine" – 🎲; <b>']
    assert [seat.name for seat in running.seating] == ["Zoë", "Nefer", "Tija"]
    assert {seat.level for seat in running.seating} <= {None, *(level.name for level in players.levels())}
    assert running.row.hints == "bots"
    waiting = opening.load(storage, "waiting222")
    assert (waiting.status, waiting.row.pace) == ("open", "days")

    chooser = random.Random(1)
    while running.playing and running.match.turn is not None:
        running.push(running.match.turn, chooser.choice(running.match.legal_moves).text)
    assert opening.load(storage, "running222").over
    storage.add_chat("running222", "0" + "f0" * 11 + "f", "Guest", "well played")
    assert len(storage.chat("running222")) == 2
