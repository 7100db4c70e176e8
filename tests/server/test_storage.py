"""SQLite: what every database must do, and what happens when the file is locked or taken away."""

import sqlite3
import time
from pathlib import Path

import pytest

from teerling.server.storage import Storage, StorageGone
from tests.server.gone import check_gone, check_lost_answer, opened_at
from tests.server.storing import Storing


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
