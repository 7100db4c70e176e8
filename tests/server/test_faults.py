"""Faults on purpose, in their short forms: what was told is there once, and every match verifies.

The end of the server in the middle of play is in test_durability.py; `make chaos` does all of it for longer.
"""

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import teerling
from teerling.bench.web import fetch
from teerling.server import house
from teerling.server.database import storage
from teerling.server.database.storage import Storage
from teerling.server.database.transactions import StorageGone
from teerling.server.door.entrance import CannotServe, settings_of
from teerling.server.house import House
from teerling.server.run import opened as opened_app
from teerling.server.settings import Settings
from teerling.server.tables import changes, days, opening, presence
from teerling.server.tables.opening import Place
from teerling.server.tables.table import Table
from teerling.server.thinking import bots
from teerling.server.web.lobby import offers_seat
from teerling.words import Speaker
from tests.apart import run_apart
from tests.chaos.check import look
from tests.chaos.faults import SERVE, Server, running
from tests.chaos.load import Crowd, Memory
from tests.chaos.scenes import MOVES, Several, Stage, play_through
from tests.server import cluster as clusters
from tests.server.houses import bearer, house_of, new_table, opened, table_at
from tests.server.storage_failures import SORRY, check_gone, heard, opened_at
from tests.server.storing import new_table as stored_table

EN = Speaker("en")
DAY = 86_400.0
TWO = [{"kind": "me"}, {"kind": "open"}]


def test_what_is_lost_or_doubled_is_found(tmp_path: Path) -> None:
    settings = Settings.read(tmp_path)
    kept = Storage(settings.database_url)
    kept.migrate()
    table = stored_table(kept, places=[Place("me"), Place("me")])
    memory = Memory(table.id, frozenset({0, 1}))
    for number in range(4):
        at, turn, move = table.version, int(table.match.turn or 0), table.match.legal_moves[0].text
        table.push(turn, move)
        memory.sent[at].append((turn, move))
        if number < 3:
            memory.acknowledge(at, (turn, move))
    table.say("a" * 24, "hello")
    memory.said.append("hello")

    def found() -> tuple[int, int, int]:
        each = look(settings, [memory])
        assert (each.moves, each.lines, each.verified) == (3, 1, 1)
        return len(each.lost), len(each.doubled), len(each.broken)

    assert found() == (0, 0, 0)
    sent = memory.sent.pop(max(memory.sent))
    assert found() == (0, 1, 0), "a move that nobody sent"
    memory.sent[max(memory.acknowledged) + 1] = sent
    table.say("a" * 24, "hello")
    assert found() == (0, 1, 0), "a line that was said once"
    with kept.changing() as session:
        connection = session.connection()
        connection.exec_driver_sql("update tables set turn = 1 - turn")
        connection.exec_driver_sql("delete from chat")
        connection.exec_driver_sql(f"delete from entries where number >= {max(memory.acknowledged)}")
    kept.close()
    assert found() == (3, 0, 1), "a move, the version that was told, the line, and whose turn it is"


# What the server stands on goes away while many play


@pytest.mark.slow
def test_postgresql_is_killed_while_people_play(tmp_path: Path) -> None:
    with clusters.cluster() as cluster, running(Server(tmp_path, cluster.new_database())) as server:

        def fault() -> None:
            cluster.kill()
            cluster.start()

        crowd = Crowd([server.port], programs=3, pages=1)
        outcome = run_apart(play_through("PostgreSQL", crowd, server.settings, fault, 2, random.Random(1)))
        assert outcome.bad == []
        assert outcome.found.moves >= 2 * MOVES
        assert outcome.sentences <= {SORRY["en"], "the table has moved on; here is how it stands now"}


@pytest.mark.slow
def test_servers_outlive_one_of_them_their_redis_and_the_line_to_their_database() -> None:
    with ExitStack() as stack:
        stage = Stage("several", 3, 1, stack)
        stage.programs, stage.pages = 2, 2
        several = Several(stage)

        def lose_server() -> None:
            several.servers[0].kill()
            several.servers[0].start()

        def lose_redis() -> None:
            several.redis.kill()
            several.redis.start()

        def lose_line() -> None:
            with several.to_database.cut(for_good=True):
                time.sleep(0.5)

        faults = [lose_line, lose_redis, lose_server]
        outcome = stage.play(lambda: faults.pop()(), *several.servers)
        assert faults == []
        assert outcome.bad == []


@pytest.mark.slow
def test_a_disk_that_is_full_for_a_while_loses_nothing(tmp_path: Path) -> None:
    async def through(server: Server, crowd: Crowd) -> None:
        async with crowd.at_play():
            await crowd.go_on(MOVES)
            with server.without_room():
                await wait_until(lambda: SORRY["en"] in crowd.sentences)
                await wait_until(lambda: fetch(server.port, "/readyz")[0] == 503)
                assert fetch(server.port, "/livez")[0] == 200
            await wait_until(lambda: fetch(server.port, "/readyz")[0] == 200)
            await crowd.go_on(MOVES)

    with running(Server(tmp_path)) as server:
        crowd = Crowd([server.port], programs=3, pages=1)
        run_apart(through(server, crowd))
        assert crowd.wrong == []
        assert look(server.settings, crowd.memories).bad == []
        assert "Traceback" not in server.log.read_text()


def test_bots_go_on_by_themselves_when_the_database_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with opened_at(tmp_path, f"sqlite:///{tmp_path / 'teerling.db'}") as at:
        see, gone = at.house.changes.see, [StorageGone("gone"), StorageGone("still gone")]

        async def cannot_see(*arguments: Any, **how: Any) -> Any:
            if gone:
                raise gone.pop()
            return await see(*arguments, **how)

        monkeypatch.setattr(bots, "AFTER_FAILURE", 0.01)
        monkeypatch.setattr(at.house.changes, "see", cannot_see)
        assert at.client.portal is not None
        while at.table.match.turn == 0:
            push = partial(Table.push, seat=0, text=at.some_move())
            at.client.portal.call(at.house.changes.apply, at.table.id, push)
        # Nobody comes and nobody asks.
        at.wait_for_turn()
        assert gone == []
        assert [each.levelname for each in caplog.records] == ["WARNING", "WARNING"]


def failing(times: int, real: Any) -> Any:
    """Something that the database does not answer so many times, and then does."""
    left = [StorageGone("gone")] * times

    def asked(*arguments: Any, **named: Any) -> Any:
        if left:
            raise left.pop()
        return real(*arguments, **named)

    return asked


def test_a_result_that_cannot_be_kept_is_kept_when_somebody_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(tmp_path) as client:
        path = client.post("/new/rapido", data={"name": "Anne", "seat0": "me", "seat1": "bot"}).url.path
        records = house_of(client).records
        monkeypatch.setattr(records, "add_results", failing(1, records.add_results))
        client.post(f"{path}/resign")
        table = table_at(client, path)
        assert client.portal is not None
        client.portal.call(house_of(client).results.stop)
        assert [(each.levelname, each.exc_info) for each in caplog.records] == [("WARNING", None)]
        assert not records.has_result(table.id)
        assert client.get("/me").status_code == 200
        assert records.has_result(table.id)


def test_bots_that_a_restart_interrupted_are_woken_when_the_database_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(house, "ASK_AGAIN", 0.01)
    with opened(tmp_path, bot_pause=600.0) as client:
        table = table_at(client, new_table(client)["table"]["id"])
        assert client.portal is not None
        while table.match.turn == 0:
            push = partial(Table.push, seat=0, text=table.match.legal_moves[0].text)
            client.portal.call(house_of(client).changes.apply, table.id, push)
    asked = failing(2, Storage.tables_with_bots_to_move)
    monkeypatch.setattr(Storage, "tables_with_bots_to_move", lambda storage: asked(storage))
    with opened(tmp_path, bot_pause=600.0) as client:
        run_apart(wait_until(lambda: house_of(client).bots.play_at(table.id)))
    assert [(each.levelname, each.exc_info) for each in caplog.records] == [("WARNING", None)] * 2


def test_bots_are_woken_although_a_table_cannot_be_opened(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(tmp_path, bot_pause=600.0) as client:
        ids = [new_table(client)["table"]["id"] for _ in range(2)]
        assert client.portal is not None
        for id in ids:
            while (table := table_at(client, id)).match.turn == 0:
                push = partial(Table.push, seat=0, text=table.match.legal_moves[0].text)
                client.portal.call(house_of(client).changes.apply, id, push)
        first, second = house_of(client).storage.tables_with_bots_to_move()
        with house_of(client).storage.changing() as session:
            spoiling = "update entries set kind = 'branch', text = '?' where number = 0 and table_id = ?"
            session.connection().exec_driver_sql(spoiling, (first,))
    with opened(tmp_path, bot_pause=600.0) as client:
        run_apart(wait_until(lambda: house_of(client).bots.play_at(second)))
    assert f"table {first} cannot be opened" in caplog.text


def test_a_stream_goes_on_when_the_database_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path, stream_seconds=1.0) as client:
        made = new_table(client, "rapido", [{"kind": "me"}, {"kind": "me"}])
        path, mine = f"/api/tables/{made['table']['id']}", bearer(made["token"])
        settled = house_of(client).changes._settled
        # Whoever asks for the stream gets it; then the database is gone for one look.
        answers = [settled, failing(1, settled)]
        monkeypatch.setattr(
            house_of(client).changes, "_settled", lambda held: (answers.pop(0) if answers else settled)(held)
        )
        assert client.portal is not None
        moved = client.portal.start_task_soon(move_soon, house_of(client), made["table"]["id"])
        told = client.get(f"{path}/events", headers=mine)
        moved.result()
        assert told.status_code == 200
        assert '"version": 1' in told.text or '"version": 2' in told.text


async def move_soon(house: House, table_id: str) -> None:
    await asyncio.sleep(0.3)
    await house.changes.apply(table_id, push_first)


def push_first(table: Table) -> None:
    """The first move of whoever is to move: an opening throw that busts has passed the turn on."""
    assert table.match.turn is not None
    table.push(table.match.turn, table.match.legal_moves[0].text)


def test_a_line_whose_answer_was_lost_is_seen_by_whoever_connects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "ASK_AGAIN", 600.0)
    with opened_at(tmp_path, f"sqlite:///{tmp_path / 'teerling.db'}") as at:
        stored = at.house.storage.add_chat

        def lost(*line: str) -> None:
            stored(*line)
            raise StorageGone("the connection was lost")

        with at.live() as live:
            assert heard(live, "page")
            monkeypatch.setattr(at.house.storage, "add_chat", lost)
            live.send_text(json.dumps({"kind": "chat", "text": "well played"}))
            assert json.loads(live.receive_text())["text"] == SORRY["en"]
        with at.live() as live:
            assert "well played" in heard(live, "page")["html"]


def test_a_page_whose_table_cannot_be_read_is_told_so_and_may_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with opened_at(tmp_path, f"sqlite:///{tmp_path / 'teerling.db'}") as at:
        monkeypatch.setattr(at.house.broadcaster, "show", failing(1, at.house.broadcaster.show))
        with at.live() as live:
            assert json.loads(live.receive_text())["text"] == SORRY["en"]
            with pytest.raises(WebSocketDisconnect):
                live.receive_text()
        with at.live() as live:
            assert heard(live, "page")
            monkeypatch.setattr(at.house.broadcaster, "show", failing(1, at.house.broadcaster.show))
            live.send_text(json.dumps({"kind": "move", "move": "nothing of the kind", "at": at.version}))
            live.send_text(json.dumps({"kind": "ping"}))
            assert json.loads(live.receive_text())["kind"] == "error"
            assert heard(live, "pong")
        assert [each for each in caplog.records if each.exc_info] == []


async def wait_until(done: Any, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not await asyncio.to_thread(done):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A disk of its own; skips where none may be mounted."""
    folder.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "teerling", str(folder)]
    if os.getuid() != 0 or subprocess.run(options, capture_output=True).returncode != 0:
        pytest.skip("no disk may be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(path: Path) -> None:
    """Takes all the room that a disk has left."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while file.write(b"\0" * 512):
            pass
    assert shutil.disk_usage(path).free < 4096


def test_a_full_disk_is_said_and_play_goes_on_when_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 4096) as disk:
        with opened_at(disk, f"sqlite:///{disk / 'teerling.db'}") as at:
            filling = disk / "filling"
            fill(filling)
            check_gone(at, reading=True)
            time.sleep(1.1)  # For a second it was believed that all is well.
            assert at.client.get("/readyz").status_code == 503
            assert at.client.get("/livez").status_code == 200
            assert [at.client.get(path).status_code for path in ("/", at.path)] == [200, 200]
            filling.unlink()
            at.check_back()
            table_id = at.table.id
        kept = Storage(f"sqlite:///{disk / 'teerling.db'}")
        text = opening.load(kept, table_id).match.save()
        kept.close()
        assert teerling.load(text).save() == text


def test_a_folder_that_can_only_be_read_is_said_in_one_line(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 4096) as disk:
        settings_of(disk, EN)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(CannotServe, match="disk cannot be used: Read-only file system"):
            settings_of(disk, EN)


def serve(folder: Path) -> "subprocess.CompletedProcess[str]":
    """`teerling serve` that is expected to end at once."""
    command = [sys.executable, "-c", SERVE, "serve", "--no-open", "--port", "0", "--data", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


# Deploys


@pytest.mark.slow
def test_a_restart_while_people_play_loses_no_move_and_no_line(tmp_path: Path) -> None:
    with running(Server(tmp_path)) as server:

        def fault() -> None:
            server.stop()
            server.start()

        crowd = Crowd([server.port], programs=2, pages=2)
        outcome = run_apart(play_through("restart", crowd, server.settings, fault, 1, random.Random(2)))
        assert outcome.bad == []
        assert outcome.found.lines >= 2
        assert len(crowd.waits) >= 2, "pages came back"
        assert "Traceback" not in server.log.read_text()
        # Meanwhile nobody else may have the folder.
        refused = serve(tmp_path)
        assert refused.returncode == 2
        assert refused.stderr.startswith(f"teerling: another server already uses {tmp_path};")
        assert fetch(server.port, "/readyz")[0] == 200


def test_a_database_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    settings = Settings.read(tmp_path)
    made = Storage(settings.database_url)
    made.migrate()
    with made.changing() as session:
        session.connection().exec_driver_sql("update alembic_version set version_num = '9999'")
    made.close()
    with pytest.raises(CannotServe, match="the database was made by a newer version of Teerling"):
        opened_app(settings, EN)
    again = Storage(settings.database_url)
    assert again.schema() == "9999"
    again.close()


OLD_MESSAGES: list[tuple[dict[str, Any], str]] = [
    ({"kind": "pass"}, "This message could not be understood"),
    ({"kind": "move", "action": 3}, "This message could not be understood"),
    ({"kind": "chat", "line": "hello"}, "This message could not be understood"),
    ({"kind": "move", "move": "offer suns", "at": 0}, "The table has moved on"),
]


def test_a_message_of_an_older_page_is_answered_with_a_sentence_and_the_page_goes_on(tmp_path: Path) -> None:
    with opened_at(tmp_path, f"sqlite:///{tmp_path / 'teerling.db'}") as at:
        before, match = at.table.version, at.table.match.save()
        with at.live() as live:
            assert heard(live, "page")["version"] == before
            for message, said in OLD_MESSAGES:
                live.send_text(json.dumps(message))
                assert heard(live, "error")["text"].startswith(said)
            assert (at.table.version, at.table.match.save()) == (before, match)
            # What it sends besides is not minded.
            live.send_text(json.dumps({"kind": "move", "move": at.some_move(), "at": before, "seat": 0}))
            while heard(live, "page")["version"] == before:
                pass


# Clocks


class Clock:
    """The clock of the machine, which somebody sets; how much time passes is another matter."""

    ahead = 0.0

    def now(self, zone: Any = None) -> datetime:
        return datetime.now(zone) + timedelta(seconds=self.ahead)

    def time(self) -> float:
        return time.time() + self.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(storage, "datetime", made)
    monkeypatch.setattr(days, "datetime", made)
    monkeypatch.setattr(presence, "time", SimpleNamespace(time=made.time, monotonic=time.monotonic))
    assert abs(storage.now() - datetime.now(UTC)) < timedelta(seconds=60)
    return made


def two_people(client: TestClient) -> tuple[str, list[str]]:
    """A table of two, and their tokens."""
    made = new_table(client, "rapido", TWO)
    joined = client.post(f"/api/tables/{made['table']['id']}/join", json={"name": "Bram"})
    return made["table"]["id"], [made["token"], joined.json()["token"]]


def play_on(client: TestClient, table_id: str, tokens: list[str], moves: int) -> None:
    for number in range(moves):
        table = table_at(client, table_id)
        assert table.match.turn is not None
        move = random.Random(number).choice(table.match.legal_moves).text
        answer = client.post(
            f"/api/tables/{table_id}/moves",
            json={"move": move, "at": table.version},
            headers=bearer(tokens[table.match.turn]),
        )
        assert answer.status_code == 200, answer.text


def test_a_match_goes_on_whatever_the_clock_says(tmp_path: Path, clock: Clock) -> None:
    with opened(tmp_path) as client:
        table_id, tokens = two_people(client)
        for ahead in (0.0, 40 * DAY, -40 * DAY, 0.0):
            clock.ahead = ahead
            play_on(client, table_id, tokens, 3)
            other = new_table(client, "rapido", TWO)["table"]["id"]
            listed = [each["id"] for each in client.get("/api/tables").json()["tables"]]
            assert other in listed
        table, kept = table_at(client, table_id), house_of(client).storage
        again = opening.load(kept, table_id)
        assert again.match.save() == table.match.save()
        assert teerling.load(again.match.save()).save() == again.match.save()
        assert [entry.number for entry in kept.entries(table_id)] == list(range(table.version))


def test_a_table_that_a_wrong_clock_took_off_the_lists_is_still_there(tmp_path: Path, clock: Clock) -> None:
    with opened(tmp_path) as client:
        made = new_table(client, "rapido", TWO)

        def listed() -> list[str]:
            return [each["id"] for each in client.get("/api/tables").json()["tables"]]

        clock.ahead = 60 * DAY
        assert listed() == []
        assert client.get(f"/tables/{made['table']['id']}").status_code == 200
        clock.ahead = 0.0
        assert listed() == [made["table"]["id"]]


@pytest.mark.parametrize("ahead", [DAY, -DAY])
def test_nobody_is_missing_because_the_clock_was_set(tmp_path: Path, clock: Clock, ahead: float) -> None:
    with opened(tmp_path) as client:
        table_id, tokens = two_people(client)
        play_on(client, table_id, tokens, 2)
        for token in tokens:
            client.get(f"/api/tables/{table_id}/view", headers=bearer(token))
        clock.ahead = ahead
        table = table_at(client, table_id)
        assert house_of(client).presence.absent_seats(table) == []


@pytest.mark.parametrize("ahead", [DAY, -DAY])
def test_who_is_gone_is_missed_although_the_clock_was_set(tmp_path: Path, clock: Clock, ahead: float) -> None:
    with opened(tmp_path, absent_after=0.02) as client:
        table_id, tokens = two_people(client)
        play_on(client, table_id, tokens, 2)
        clock.ahead = ahead
        time.sleep(0.05)
        table = table_at(client, table_id)
        assert house_of(client).presence.absent_seats(table) == [table.match.turn]


@pytest.mark.parametrize("ahead", [DAY, -DAY])
def test_a_chair_is_not_kept_for_longer_because_the_clock_was_set(
    tmp_path: Path, clock: Clock, ahead: float
) -> None:
    with opened(tmp_path) as client:
        kept = house_of(client).storage
        bram = "b" * 24
        kept.save_person(bram, "Bram")
        table = stored_table(kept, places=[Place("me"), Place("open", "Bram", kept_for=bram)])
        clock.ahead = 1.0
        assert (table.kept_seats, offers_seat(table.row)) == ([1], False)
        clock.ahead = ahead
        assert (table.kept_seats, offers_seat(table.row)) == ([], True)


def test_ratings_follow_each_other_whatever_the_clock_says(tmp_path: Path, clock: Clock) -> None:
    with opened(tmp_path) as client:
        house, rated = house_of(client), []
        for ahead in (0.0, 40 * DAY, 0.0, -DAY):
            clock.ahead = ahead
            path = client.post("/new/rapido", data={"name": "Anne", "seat0": "me", "seat1": "bot"}).url.path
            client.post(f"{path}/resign")
            assert client.portal is not None
            client.portal.call(house.results.stop)
            (anne,) = table_at(client, path).seating.people()
            rated.append(house.records.ratings_of([anne], "rapido")[anne][0])
        assert rated == sorted(set(rated), reverse=True), "everybody who gives up is rated lower"
        assert len(rated) == 4
