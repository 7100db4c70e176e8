"""SQLite: what every database must do, and what happens when the file is locked or taken away."""

import random
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from teerling.server.database.storage import Storage
from teerling.server.database.transactions import A_MOMENT, StorageBusy, StorageGone
from teerling.server.tables import opening
from tests.server.storage_failures import check_gone, check_lost_answer, opened_at
from tests.server.storing import ANNE, OPEN, Storing, new_table, play


class TestSqlite(Storing):
    """All of them, in a file."""


def test_a_locked_file_is_not_waited_for_for_ever(storage: Storage, tmp_path: Path) -> None:
    storage.save_person("a", "Anne")
    with sqlite3.connect(tmp_path / "teerling.db", isolation_level=None) as lock:
        lock.execute("begin exclusive")
        began = time.monotonic()
        with pytest.raises(StorageGone, match="locked"):
            storage.save_person("a", "Bram")
        assert time.monotonic() - began < 5
        assert storage.person("a").name == "Anne"  # type: ignore[union-attr]
        lock.execute("rollback")
    storage.save_person("a", "Bram")
    assert storage.person("a").name == "Bram"  # type: ignore[union-attr]


def test_what_is_stored_at_once_does_not_wait_and_leaves_all_as_it_was(url: str, tmp_path: Path) -> None:
    storage = Storage(url, patience=60)
    storage.migrate()
    table = new_table(storage)
    before = table.match.save()
    turn, move = int(table.match.turn or 0), table.match.legal_moves[0].text
    with sqlite3.connect(tmp_path / "teerling.db", isolation_level=None) as lock:
        lock.execute("begin immediate")
        began = time.monotonic()
        with pytest.raises(StorageBusy), storage.at_once():
            table.push(turn, move)
        with pytest.raises(StorageBusy), storage.at_once():
            storage.save_person("b", "Bram")
        assert time.monotonic() - began < 30
        assert table.match.save() == before == opening.load(storage, table.id).match.save()
        lock.execute("rollback")
    with storage.at_once():
        table.push(turn, move)
    assert opening.load(storage, table.id).match.save() == table.match.save() != before
    # Afterwards everybody is patient again.
    with storage.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 60_000
    storage.close()


def test_who_stores_at_once_does_not_wait_for_another_thread(storage: Storage) -> None:
    table = new_table(storage)
    writing, done = threading.Event(), threading.Event()

    def write_for_long() -> None:
        with storage.changing():
            writing.set()
            done.wait(30)

    with ThreadPoolExecutor() as pool:
        other = pool.submit(write_for_long)
        writing.wait(30)
        began = time.monotonic()
        with pytest.raises(StorageBusy), storage.at_once():
            table.push(int(table.match.turn or 0), table.match.legal_moves[0].text)
        assert A_MOMENT <= time.monotonic() - began < 10
        done.set()
        other.result()


def test_while_a_move_waits_for_a_locked_file_everything_else_goes_on(url: str, tmp_path: Path) -> None:
    with (
        opened_at(tmp_path, url, storage_patience=60) as at,
        sqlite3.connect(tmp_path / "teerling.db", isolation_level=None) as lock,
        ThreadPoolExecutor() as pool,
    ):
        lock.execute("begin immediate")
        moving = pool.submit(at.move)
        began = time.monotonic()
        for _ in range(20):
            assert at.client.get("/rules/ra").status_code == 200
        assert time.monotonic() - began < 30
        assert not moving.done()
        lock.execute("rollback")
        assert moving.result().status_code == 303


def test_a_file_that_was_taken_away_is_missed(storage: Storage, tmp_path: Path) -> None:
    storage.save_person("a", "Anne")
    path, elsewhere = tmp_path / "teerling.db", tmp_path / "elsewhere.db"
    path.rename(elsewhere)
    for action in (storage.alive, lambda: storage.save_person("a", "Bram")):
        with pytest.raises(StorageGone, match="not there"):
            action()
    assert not path.exists()
    elsewhere.rename(path)
    storage.save_person("b", "Bram")
    assert storage.person("a").name == "Anne"  # type: ignore[union-attr]


def test_the_server_says_so_while_the_file_is_locked(
    url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened_at(tmp_path, url) as at:
        with sqlite3.connect(tmp_path / "teerling.db", isolation_level=None) as lock:
            lock.execute("begin exclusive")
            check_gone(at, reading=True)
            lock.execute("rollback")
        at.check_back()
    assert "the database does not answer: database is locked" in caplog.text


def test_the_server_says_so_while_the_file_is_gone(url: str, tmp_path: Path) -> None:
    with opened_at(tmp_path, url) as at:
        path, elsewhere = tmp_path / "teerling.db", tmp_path / "elsewhere.db"
        path.rename(elsewhere)
        check_gone(at, reading=False)
        elsewhere.rename(path)
        at.check_back()


def test_a_commit_whose_answer_was_lost_is_not_made_twice(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_at(tmp_path, url) as at:
        check_lost_answer(at, monkeypatch)


def test_what_waits_is_committed_together(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [new_table(storage) for _ in range(8)]
    commits: list[int] = []
    write_all = storage._write_all
    monkeypatch.setattr(
        storage, "_write_all", lambda waiting: (commits.append(len(waiting)), write_all(waiting))
    )
    with storage._writing:  # type: ignore[union-attr]
        pool = ThreadPoolExecutor(len(tables))
        moves = [pool.submit(play, table, 1, random.Random(1)) for table in tables[2:]]
        naming = pool.submit(storage.save_person, "b" * 24, "Bram")
        opens = pool.submit(opening.create, storage, "ra", OPEN, ANNE, "Anne", {})
        wait_until(lambda: len(storage._queue) == len(tables))
    for each in (*moves, naming):
        each.result()
    new, _ = opens.result()
    pool.shutdown()
    # Whoever came first writes for all.
    assert commits == [len(tables)]
    assert storage.person("b" * 24).name == "Bram"  # type: ignore[union-attr]
    assert opening.load(storage, new.id).seating.kinds == ["person", "open"]
    for table in tables:
        assert opening.load(storage, table.id).match.save() == table.match.save()


def test_one_that_fails_takes_nobody_with_it(storage: Storage) -> None:
    tables = [new_table(storage) for _ in range(4)]
    behind = opening.load(storage, tables[0].id)
    play(tables[0], 1, random.Random(1))
    with storage._writing:  # type: ignore[union-attr]
        pool = ThreadPoolExecutor(4)
        moves = [pool.submit(play, table, 1, random.Random(2)) for table in (behind, *tables[1:])]
        wait_until(lambda: len(storage._queue) == 4)
    with pytest.raises(StorageGone):
        moves[0].result()
    for move in moves[1:]:
        move.result()
    pool.shutdown()
    for table in tables:
        assert opening.load(storage, table.id).match.save() == table.match.save()


def test_somebody_in_a_hurry_writes_for_nobody_else(storage: Storage) -> None:
    waiting, hasty = new_table(storage), new_table(storage)
    pool = ThreadPoolExecutor(1)
    with storage._writing:  # type: ignore[union-attr]
        move = pool.submit(play, waiting, 1, random.Random(1))
        wait_until(lambda: len(storage._queue) == 1)
        version = hasty.version
        with storage.at_once(), pytest.raises(StorageBusy):
            play(hasty, 1, random.Random(1))
        assert len(storage._queue) == 1
    move.result()
    pool.shutdown()
    assert opening.load(storage, hasty.id).version == hasty.version == version


@pytest.mark.parametrize(("durability", "level"), [("full", 2), ("process", 1)])
def test_durability_decides_whether_the_disk_is_waited_for(url: str, durability: str, level: int) -> None:
    storage = Storage(url, durability=durability)
    storage.migrate()
    with storage.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == level
    table = new_table(storage)
    if durability == "full":
        # The disk may take its time, and the loop of the server must not.
        with pytest.raises(StorageBusy), storage.at_once():
            pass
    play(table, 2, random.Random(1))
    assert opening.load(storage, table.id).match.save() == table.match.save()
    storage.close()


def wait_until(done: Callable[[], bool]) -> None:
    for _ in range(2000):
        if done():
            return
        time.sleep(0.005)
    raise AssertionError("it never came to that")
