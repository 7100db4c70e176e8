"""PostgreSQL, a real one: what every database must do, and what happens when it is locked or goes away."""

import dataclasses
import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread

import psycopg
import pytest
from sqlalchemy import event, text

from teerling.server.database import claim
from teerling.server.database.backup import CannotBackUp, back_up, restore
from teerling.server.database.claim import Claim
from teerling.server.database.engines import CONNECTIONS
from teerling.server.database.storage import Storage
from teerling.server.database.transactions import StorageBusy, StorageGone
from teerling.server.door.entrance import CannotServe
from teerling.server.run import alone_with
from teerling.server.settings import Settings
from teerling.server.tables import opening
from teerling.words import Speaker
from tests.server import cluster as clusters
from tests.server.cluster import Cluster
from tests.server.houses import opened
from tests.server.migrating import RELEASED, check_fresh, check_upgrade
from tests.server.storage_failures import check_gone, check_lost_answer, opened_at
from tests.server.storing import Storing, new_table, play

OPEN = "select pid from pg_stat_activity where datname = current_database()"
HOLDERS = "select pid from pg_locks where locktype = 'advisory' and objid = %s and granted = %s"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with clusters.cluster() as made:
        yield made


@pytest.fixture
def url(cluster: Cluster) -> str:
    return cluster.new_database()


class TestPostgresql(Storing):
    """All of them, in PostgreSQL."""


def test_a_fresh_database_is_what_the_program_expects(empty: Storage) -> None:
    check_fresh(empty)


@pytest.mark.parametrize("schema", RELEASED)
def test_every_released_schema_is_brought_up_to_date(empty: Storage, schema: str) -> None:
    check_upgrade(empty, schema)


def test_it_goes_away_and_comes_back(cluster: Cluster, url: str, tmp_path: Path) -> None:
    with opened_at(tmp_path, url) as at:
        cluster.stop(at_once=True)
        try:
            check_gone(at, reading=False)
        finally:
            cluster.start()
        at.check_back()


def test_a_game_that_no_database_could_look_for_has_no_tables(url: str, tmp_path: Path) -> None:
    with opened(tmp_path, database_url=url) as client:
        assert client.get("/api/tables", params={"game": "\0"}).json() == {"tables": []}


def test_nobody_waits_for_ever_however_patient_the_server_is_told_to_be(url: str) -> None:
    for patience in (0.0, 1e300):
        storage = Storage(url, patience)
        with storage.engine.connect() as connection:
            assert connection.exec_driver_sql("select current_setting('lock_timeout')").scalar() != "0"
        storage.close()


@pytest.mark.parametrize(("code", "fits"), [("SQL_ASCII", True), ("LATIN1", False)])
def test_a_database_holds_every_letter_or_is_refused(
    cluster: Cluster, tmp_path: Path, code: str, fits: bool
) -> None:
    name = f"in_{code.lower()}"
    with psycopg.connect(cluster.url("postgres"), autocommit=True) as connection:
        connection.execute(f"create database {name} encoding '{code}' locale 'C' template template0")  # type: ignore[call-overload]
    storage = Storage(cluster.url(name))
    if fits:
        storage.migrate()
        storage.save_person("a" * 24, "Anne 🎲")
        person = storage.person("a" * 24)
        assert person is not None
        assert person.name == "Anne 🎲"
    else:
        with pytest.raises(StorageGone, match="encoding is LATIN1"):
            storage.migrate()
    storage.close()


def test_somebody_else_holds_a_lock(url: str, tmp_path: Path) -> None:
    with opened_at(tmp_path, url) as at:
        with psycopg.connect(url) as lock:
            lock.execute("lock table entries in access exclusive mode")
            check_gone(at, reading=True)
        at.check_back()


def test_a_commit_whose_answer_was_lost_is_not_made_twice(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_at(tmp_path, url) as at:
        check_lost_answer(at, monkeypatch)


def test_a_move_is_one_question_to_the_database(storage: Storage, tmp_path: Path) -> None:
    table = new_table(storage, "rapido")
    play(table, 2, random.Random(1))
    told = tmp_path / "told"
    with told.open("w") as file:
        event.listen(
            storage.engine, "checkout", lambda connection, *_: connection.pgconn.trace(file.fileno())
        )
        before = table.version
        play(table, 1, random.Random(2))
        storage.close()
    assert table.version > before
    assert told.read_text().count("ReadyForQuery") == 1


def test_what_happens_is_stored_before_its_table_changes_so_that_nobody_waits_in_a_circle(
    storage: Storage, url: str
) -> None:
    """Somebody else has stored the next entry, is not done, and changes the table too, as all do."""
    table = new_table(storage, "rapido")
    with psycopg.connect(url) as first:
        entry = "insert into entries values (%s, %s, now(), 'hint', 0, '')"
        first.execute(entry, (table.id, table.version))
        moving = Thread(target=play, args=(table, 1, random.Random(1)))
        moving.start()
        with psycopg.connect(url, autocommit=True) as watching:
            waits = "select 1 from pg_locks where not granted"
            until(lambda: watching.execute(waits).fetchone() is not None)
        first.execute("set local lock_timeout = 200")
        first.execute("update tables set changed = now() where id = %s", (table.id,))
        first.rollback()
        moving.join()
    assert opening.load(storage, table.id).match.save() == table.match.save()
    assert [entry.kind for entry in storage.entries(table.id)][-1] == "move"


def test_connections_are_kept_however_many_were_needed_at_once(storage: Storage, url: str) -> None:
    known: list[set[int]] = []
    with psycopg.connect(url, autocommit=True) as watching:
        for _ in range(2):
            with ExitStack() as at_once:
                for _ in range(CONNECTIONS):
                    at_once.enter_context(storage.reading()).execute(text("select 1"))
            known.append({pid for (pid,) in watching.execute(OPEN)} - {watching.info.backend_pid})
    assert len(known[0]) == CONNECTIONS
    assert known[0] == known[1]


def test_a_connection_that_the_database_has_closed_is_not_used(storage: Storage, url: str) -> None:
    table = new_table(storage, "rapido")
    with psycopg.connect(url, autocommit=True) as other:
        for step in range(3):
            own = "select pg_terminate_backend(pid) from pg_stat_activity"
            ended = other.execute(f"{own} where datname = current_database() and pid <> pg_backend_pid()")
            assert ended.fetchall()
            until(lambda: len(other.execute(OPEN).fetchall()) == 1)
            play(table, 1, random.Random(step))
    assert opening.load(storage, table.id).version == table.version


def test_a_portable_backup_goes_from_one_kind_of_database_to_the_other(
    storage: Storage, url: str, cluster: Cluster, tmp_path: Path
) -> None:
    table = new_table(storage, "rapido")
    play(table, 12, random.Random(1))
    table.say("a" * 24, "well played")
    here = dataclasses.replace(Settings.read(tmp_path / "here"), database_url=url)
    sqlite = Settings.read(tmp_path / "sqlite")
    back = dataclasses.replace(here, database_url=cluster.new_database())
    back_up(here, tmp_path / "one.gz")
    counts = restore(sqlite, tmp_path / "one.gz")
    back_up(sqlite, tmp_path / "two.gz")
    assert restore(back, tmp_path / "two.gz") == counts
    again = Storage(back.database_url)
    found = opening.load(again, table.id)
    assert found.match.save() == table.match.save()
    assert found.chat == opening.load(storage, table.id).chat
    assert found.row.created == table.row.created
    # The numbers of lines go on where they were.
    found.say("a" * 24, "and on")
    play(found, 2, random.Random(2))
    again.close()
    with pytest.raises(CannotBackUp, match=r"only a SQLite database"):
        back_up(here, tmp_path / "copy.db")


def test_a_second_server_at_the_same_database_is_refused_until_the_first_is_gone(
    url: str, tmp_path: Path
) -> None:
    one = dataclasses.replace(Settings.read(tmp_path / "one"), database_url=url)
    two = dataclasses.replace(Settings.read(tmp_path / "two"), database_url=url)
    say = Speaker("en")
    with (
        alone_with(one, say),
        pytest.raises(CannotServe, match="already uses the database"),
        alone_with(two, say),
    ):
        pass
    with alone_with(two, say):
        pass


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim, "LOOK_EVERY", 0.02)


def is_held(url: str) -> bool:
    """Whether somebody has the lock of a database."""
    with psycopg.connect(url) as watching:
        return watching.execute(HOLDERS, (claim.LOCK, True)).fetchone() is not None


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_gone(connection: psycopg.Connection) -> bool:
    try:
        connection.execute("select 1")
    except psycopg.OperationalError:
        return True
    return False


@contextmanager
def taking_over(url: str, name: str) -> Iterator[psycopg.Connection]:
    """A connection of this name that has the lock of a server which just held it."""
    with (
        psycopg.connect(url, autocommit=True) as watching,
        psycopg.connect(url, autocommit=True, application_name=name) as other,
    ):
        # It waits for the lock, and so has it before anybody can take it again.
        taking = Thread(target=other.execute, args=(f"select pg_advisory_lock({claim.LOCK})",))
        taking.start()
        until(lambda: watching.execute(HOLDERS, (claim.LOCK, False)).fetchone() is not None)
        watching.execute(f"select pg_terminate_backend(pid) from ({HOLDERS}) as held", (claim.LOCK, True))
        taking.join()
        yield other


@pytest.mark.usefixtures("quick_looks")
def test_a_database_that_was_started_anew_is_still_kept_for_its_server(cluster: Cluster, url: str) -> None:
    lost = Event()
    with Claim(url, False, lost.set):
        cluster.kill()
        cluster.start()
        until(lambda: is_held(url))
        with pytest.raises(StorageBusy), Claim(url, False, lost.set):
            pass
    assert not lost.is_set()
    assert not is_held(url)


@pytest.mark.usefixtures("quick_looks")
def test_a_server_gives_way_if_another_has_its_database_by_now(url: str) -> None:
    lost = Event()
    with Claim(url, False, lost.set), taking_over(url, "another"):
        assert lost.wait(60)


@pytest.mark.usefixtures("quick_looks")
def test_a_line_that_was_cut_keeps_the_server_from_nothing(url: str) -> None:
    """The database may still believe in it, and hold the lock for it."""
    lost = Event()
    with Claim(url, False, lost.set) as held, taking_over(url, held.name) as cut_off:
        until(lambda: is_gone(cut_off))
        until(lambda: is_held(url))
    assert not lost.is_set()
