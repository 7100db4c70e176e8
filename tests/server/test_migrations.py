"""Migrations in SQLite: from nothing, from every released schema, and not from one that is too new."""

import threading

import pytest

from teerling.server.database.storage import Storage
from teerling.server.database.transactions import MIGRATIONS, NewerStorage
from tests.server.migrating import NEWEST, RELEASED, build, check_fresh, check_upgrade


def test_a_fresh_database_is_what_the_program_expects(empty: Storage) -> None:
    check_fresh(empty)


@pytest.mark.parametrize("schema", RELEASED)
def test_every_released_schema_is_brought_up_to_date(empty: Storage, schema: str) -> None:
    check_upgrade(empty, schema)


def test_every_schema_has_a_snapshot() -> None:
    made = sorted(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    assert made[:-1] == RELEASED[: len(made) - 1], (
        "a schema that was released needs its snapshot in tests/server/schemas"
    )


def test_a_database_of_a_newer_version_is_left_alone(empty: Storage) -> None:
    build(empty, RELEASED[0])
    with empty.engine.begin() as connection:
        connection.exec_driver_sql("update alembic_version set version_num = '9999'")
    with pytest.raises(NewerStorage, match=f"9999.*{NEWEST}"):
        empty.migrate()


def test_two_that_start_at_once_do_not_disturb_each_other(url: str) -> None:
    storages, failed = [Storage(url) for _ in range(2)], []

    def migrate(storage: Storage) -> None:
        try:
            storage.migrate()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=migrate, args=(storage,)) for storage in storages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # One may be told that the other was first, but what there is then is whole.
    assert len(failed) <= 1
    storages[0].migrate()
    assert storages[0].schema() == NEWEST
    for storage in storages:
        storage.close()
