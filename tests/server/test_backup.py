"""Backups are whole or refused, while the server goes on; schemas go on and a step back."""

import dataclasses
import gzip
import json
import random
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from teerling.server.database.backup import CannotBackUp, back_up, migrate, restore
from teerling.server.database.schema import ReviewRow
from teerling.server.database.storage import Storage
from teerling.server.database.transactions import schemas
from teerling.server.door.entrance import CannotServe
from teerling.server.run import alone_with
from teerling.server.settings import Settings
from teerling.server.tables import opening
from teerling.words import Speaker
from tests.server.houses import opened
from tests.server.storing import new_table, play

FILES = ["all.jsonl.gz", "all.db"]
Playing = tuple[Settings, Storage, str]


@pytest.fixture
def playing(tmp_path: Path) -> Iterator[Playing]:
    """A server's folder with a match that is being played, and something said."""
    settings = Settings.read(tmp_path / "server")
    storage = Storage(settings.database_url)
    storage.migrate()
    table = new_table(storage, "rapido")
    play(table, 12, random.Random(1))
    storage.add_chat(table.id, "a" * 24, "Anne", "it's “fine” 🎲")
    with storage.changing() as session:
        session.add(ReviewRow(table_id=table.id, complete=True, kept={"luck": [1, 2]}, insights=None))
    yield settings, storage, table.id
    storage.close()


def elsewhere(tmp_path: Path) -> Settings:
    return Settings.read(tmp_path / "elsewhere")


def check_same(settings: Settings, storage: Storage, table_id: str) -> None:
    again = Storage(settings.database_url)
    right, found = opening.load(storage, table_id), opening.load(again, table_id)
    assert found.match.save() == right.match.save()
    assert found.chat == right.chat
    with again.reading() as session:
        assert session.get_one(ReviewRow, table_id).kept == {"luck": [1, 2]}
    assert (found.row.created, found.row.options, found.row.turn) == (
        right.row.created, right.row.options, right.row.turn,
    )  # fmt: skip
    # It can be played on, and talked at.
    play(found, 2, random.Random(2))
    again.add_chat(table_id, "a" * 24, "Anne", "and on")
    assert again.schema() == schemas()[-1]
    again.close()


@pytest.mark.parametrize("name", FILES)
def test_what_is_backed_up_comes_back(playing: Playing, tmp_path: Path, name: str) -> None:
    settings, storage, table_id = playing
    counts = back_up(settings, tmp_path / name)
    assert (counts["tables"], counts["people"], counts["chat"]) == (1, 1, 1)
    assert restore(elsewhere(tmp_path), tmp_path / name) == counts
    check_same(elsewhere(tmp_path), storage, table_id)
    left = {path.name for path in tmp_path.iterdir()} - {"server", "elsewhere"}
    assert left == {name}


@pytest.mark.parametrize("name", FILES)
def test_a_backup_while_moves_are_made_is_of_one_moment(playing: Playing, tmp_path: Path, name: str) -> None:
    settings, storage, _ = playing
    tables = [new_table(storage, "rapido") for _ in range(3)]
    enough = threading.Event()

    def go_on() -> None:
        chooser = random.Random(4)
        while not enough.is_set():
            for table in tables:
                play(table, 1, chooser)

    moving = threading.Thread(target=go_on)
    moving.start()
    try:
        for number in range(2):
            back_up(settings, tmp_path / f"{number}{name}")
    finally:
        enough.set()
        moving.join()
    for number in range(2):
        there = Settings.read(tmp_path / f"to{number}")
        restore(there, tmp_path / f"{number}{name}")
        again = Storage(there.database_url)
        for table in tables:
            found = opening.load(again, table.id)
            assert found.row.turn == found.match.turn
        again.close()


def test_a_portable_backup_of_an_older_schema_is_brought_up_to_date(playing: Playing, tmp_path: Path) -> None:
    settings, storage, table_id = playing
    storage.migrate(schemas()[-2])
    back_up(settings, tmp_path / "old.gz")
    restore(elsewhere(tmp_path), tmp_path / "old.gz")
    storage.migrate()
    check_same(elsewhere(tmp_path), storage, table_id)


def rewritten(file: Path, change: Callable[[str], str]) -> Path:
    text = gzip.decompress(file.read_bytes()).decode()
    file.write_bytes(gzip.compress(change(text).encode()))
    return file


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text.replace(f'"schema": "{schemas()[-1]}"', '"schema": "9999"'), "newer version"),
        (lambda text: text.replace("teerling backup", "other backup"), "no backup"),
        (lambda text: "\n".join(text.splitlines()[:-1]), "not a whole one"),
        (lambda text: "\n".join([*text.splitlines()[:3], *text.splitlines()[4:]]), "not a whole one"),
        (lambda text: text[:400], "not a whole one"),
        (lambda text: "", "no backup"),
        (lambda text: "[]", "no backup"),
        (lambda text: 100_000 * "[", "no backup"),
        (lambda text: text.replace('["people", ', '["people"], ["people", '), "no backup"),
        (lambda text: f"{text.splitlines()[0]}\n[1]\n", "no backup"),
        (lambda text: f'{text.splitlines()[0]}\n{{"end": 5}}\n', "no backup"),
    ],
)
def test_a_backup_that_is_none_is_refused_and_changes_nothing(
    playing: Playing, tmp_path: Path, change: Callable[[str], str], why: str
) -> None:
    back_up(playing[0], tmp_path / "all.gz")
    with pytest.raises(CannotBackUp, match=why):
        restore(elsewhere(tmp_path), rewritten(tmp_path / "all.gz", change))
    storage = Storage(elsewhere(tmp_path).database_url)
    assert storage.schema() is None
    storage.close()


@pytest.mark.parametrize(
    "row",
    [
        '["ghosts", {}]',
        '["people", {"ghost": 1}]',
        '["people", {"created": "soon"}]',
        '["people", {"id": "b"}]',
        r'["people", {"id": "b", "name": "\ud800", "created": "2026-01-01T00:00+00:00", "renewed": 0}]',
        '["people", {"id": "b", "name": "B", "created": "2026-01-01T00:00+00:00", "renewed": 1%s}]'
        % (30 * "0"),
    ],
)
def test_a_backup_with_rows_that_are_none_is_refused_and_nothing_is_kept_of_it(
    playing: Playing, tmp_path: Path, row: str
) -> None:
    settings, storage, table_id = playing
    back_up(settings, tmp_path / "all.gz")
    shutil.copy(tmp_path / "all.gz", tmp_path / "odd.gz")
    kind = row.split('"')[1]

    def spoiled(text: str) -> str:
        head, *rows, end = text.splitlines()
        counts = json.loads(end)["end"]
        return "\n".join([head, *rows, row, json.dumps({"end": {**counts, kind: counts.get(kind, 0) + 1}})])

    with pytest.raises(CannotBackUp, match="no backup"):
        restore(elsewhere(tmp_path), rewritten(tmp_path / "odd.gz", spoiled))
    restore(elsewhere(tmp_path), tmp_path / "all.gz")
    check_same(elsewhere(tmp_path), storage, table_id)


@pytest.mark.parametrize("name", FILES)
def test_a_backup_comes_back_where_a_server_was_only_looked_at(
    playing: Playing, tmp_path: Path, name: str
) -> None:
    settings, storage, table_id = playing
    with opened(settings.data) as client:
        client.get("/")
    back_up(settings, tmp_path / name)
    with opened(tmp_path / "elsewhere") as client:
        client.get("/")
    restore(elsewhere(tmp_path), tmp_path / name)
    check_same(elsewhere(tmp_path), storage, table_id)


@pytest.mark.parametrize("name", ["a#b.db", "a?b.db", "a%41.db"])
def test_a_backup_may_have_any_name(playing: Playing, tmp_path: Path, name: str) -> None:
    settings, storage, table_id = playing
    back_up(settings, tmp_path / name)
    restore(elsewhere(tmp_path), tmp_path / name)
    check_same(elsewhere(tmp_path), storage, table_id)


def test_a_copy_that_is_damaged_or_too_new_is_refused(playing: Playing, tmp_path: Path) -> None:
    file = tmp_path / "all.db"
    back_up(playing[0], file)
    shutil.copy(file, tmp_path / "new.db")
    with sqlite3.connect(tmp_path / "new.db") as newer:
        newer.execute("update alembic_version set version_num = '9999'")
    newer.close()
    with pytest.raises(CannotBackUp, match="newer version"):
        restore(elsewhere(tmp_path), tmp_path / "new.db")
    file.write_bytes(file.read_bytes()[:9000])
    with pytest.raises(CannotBackUp, match="not a whole one"):
        restore(elsewhere(tmp_path), file)


def test_nothing_is_written_over(playing: Playing, tmp_path: Path) -> None:
    settings = playing[0]
    back_up(settings, tmp_path / "all.gz")
    before = (tmp_path / "all.gz").read_bytes()
    with pytest.raises(CannotBackUp, match="already"):
        back_up(settings, tmp_path / "all.gz")
    assert (tmp_path / "all.gz").read_bytes() == before
    with pytest.raises(CannotBackUp, match="already holds 1 tables"):
        restore(settings, tmp_path / "all.gz")
    with pytest.raises(CannotBackUp, match="no file"):
        restore(elsewhere(tmp_path), tmp_path / "none.gz")
    with pytest.raises(CannotBackUp, match="folder"):
        back_up(settings, tmp_path / "nowhere" / "all.gz")
    with pytest.raises(CannotBackUp, match="nothing to back up"):
        back_up(elsewhere(tmp_path), tmp_path / "empty.gz")


def test_the_schema_goes_a_step_back_and_on_again(playing: Playing) -> None:
    settings, storage, table_id = playing
    newest, before = schemas()[-1], schemas()[-2]
    storage.keep_snapshots({table_id: opening.load(storage, table_id).snapshot()})
    right = opening.load(storage, table_id).match.save()
    assert migrate(settings, before) == (newest, before)
    assert migrate(settings, None) == (before, newest)
    assert opening.load(storage, table_id).match.save() == right
    with pytest.raises(CannotBackUp, match="there is no schema 0000"):
        migrate(settings, "0000")
    with pytest.raises(CannotBackUp, match="no way back to 0001"):
        migrate(settings, "0001")
    assert storage.schema() == newest
    with storage.engine.begin() as connection:
        connection.exec_driver_sql("update alembic_version set version_num = '9999'")
    with pytest.raises(CannotBackUp, match="newer version"):
        migrate(settings, None)


@pytest.mark.parametrize("other", ["sqlite+pysqlite:///{}", "sqlite:///{}?timeout=3", "sqlite:///{}.link"])
def test_two_servers_do_not_share_a_database_by_two_names(tmp_path: Path, other: str) -> None:
    say, file = Speaker("en"), tmp_path / "shared.db"
    (tmp_path / "shared.db.link").symlink_to(file)
    one = dataclasses.replace(Settings.read(tmp_path / "one"), database_url=f"sqlite:///{file}")
    two = dataclasses.replace(Settings.read(tmp_path / "two"), database_url=other.format(file))
    with (
        alone_with(one, say),
        pytest.raises(CannotServe, match="already uses the database"),
        alone_with(two, say),
    ):
        pass


def test_two_servers_do_not_share_a_database_from_two_folders(tmp_path: Path) -> None:
    say = Speaker("en")
    one = Settings.read(tmp_path / "one")
    two = dataclasses.replace(Settings.read(tmp_path / "two"), database_url=one.database_url)
    with alone_with(one, say):
        with pytest.raises(CannotServe, match="already uses the database"), alone_with(two, say):
            pass
        with pytest.raises(CannotServe, match="give this one its own with --data"), alone_with(one, say):
            pass
    with alone_with(two, say):
        pass
