"""A database to test: a module that has another than SQLite says where, in its own `url`."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from teerling.server.database.storage import Storage


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'teerling.db'}"


@pytest.fixture
def other(url: str) -> Callable[[], Storage]:
    """Opens the database once more."""
    return lambda: Storage(url, patience=0.5)


@pytest.fixture
def empty(other: Callable[[], Storage]) -> Iterator[Storage]:
    """The database before its schema is made."""
    made = other()
    yield made
    made.close()


@pytest.fixture
def storage(empty: Storage) -> Storage:
    empty.migrate()
    return empty
