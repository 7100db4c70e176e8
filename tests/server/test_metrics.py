"""Metrics and logs: is it slow, for whom, and why; without anybody's name, secrets or noise."""

import asyncio
import json
import logging
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from teerling.errors import TeerlingError
from teerling.game import game_ids
from teerling.server.actions import ACTIONS
from teerling.server.database.storage import Storage
from teerling.server.thinking.queue import Thinking, Urgency
from teerling.server.watch import logs, metrics
from teerling.server.watch.logs import Lines, Seldom
from teerling.server.watch.metrics import REGISTRY, Inside, begin_walk, current_walk, walk_alone
from tests.server.houses import bearer, house_of, new_table, opened

TWO = [{"kind": "me"}, {"kind": "me"}]
WALKED = {"adapter", "limits", "lock", "load", "change", "commit", "view", "page", "send"}
KNOWN = {
    "room": {*WALKED, "thinking", "workshop"},
    "game": {"", *game_ids(), "pig"},
    "by": {"page", "form", "program", "asset"},
    "kind": None,
    "whose": set(metrics.WHOSE),
    "urgency": {"workshop", "reader", *(each.name.lower() for each in Urgency)},
    "status": None,
    "limit": None,
    "why": None,
    "where": None,
    "le": None,
}  # fmt: skip
"""The labels that there may be, and what they may say where that is not said by a class or a number. Pig is a
game that other tests add."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened(tmp_path) as client:
        yield client


def count(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(f"{name}_count", labels) or 0.0


def rooms(game: str) -> dict[str, float]:
    """How often something was in each room so far."""
    bare = {room: count("teerling_room_seconds", room=room, game="") for room in KNOWN["room"] or ()}
    of_game = {room: count("teerling_room_seconds", room=room, game=game) for room in bare}
    return {room: bare[room] + of_game[room] for room in bare}


def test_a_move_is_counted_in_every_room_that_it_walks_through(client: TestClient) -> None:
    where = client.post("/new/rapido", data={"seat0": "me", "seat1": "me"}).url.path
    table_id = where.rpartition("/")[2]
    house = house_of(client)
    with client.websocket_connect(f"{where}/live") as socket:
        page = socket.receive_json()
        table = house.registry.get(table_id)
        assert table is not None
        before, moves = rooms("rapido"), count("teerling_message_seconds", kind="move")
        socket.send_json({"kind": "move", "move": table.match.legal_moves[0].text, "at": page["version"]})
        while socket.receive_json().get("version") == page["version"]:
            pass
        # What is delivered is counted after it came.
        socket.send_json({"kind": "ping"})
        assert socket.receive_json()["kind"] == "pong"
    after = rooms("rapido")
    assert count("teerling_message_seconds", kind="move") == moves + 1
    for room in ("adapter", "lock", "change", "commit", "view", "page", "send"):
        assert after[room] > before[room], room
    assert count("teerling_room_seconds", room="change", game="rapido") > 0


def test_labels_are_bounded_and_name_nobody(client: TestClient) -> None:
    made = new_table(client, "rapido", TWO)
    table_id, token = made["table"]["id"], made["token"]
    legal = client.get(f"/api/tables/{table_id}/moves", headers=bearer(token)).json()["moves"]
    client.post(f"/api/tables/{table_id}/moves", json={"move": legal[0]["text"]}, headers=bearer(token))
    client.post(f"/api/tables/{table_id}/moves", json={"move": "fly"}, headers=bearer(token))
    client.get("/tables/nothing-of-this-name")
    client.post("/tables/nothing/of-this-verb")
    client.get(f"/tables/{table_id}")
    with client.websocket_connect(f"/tables/{table_id}/live") as socket:
        socket.receive_json()
        socket.send_json({"kind": "of-this-kind"})
        assert socket.receive_json()["kind"] == "error"
    text = client.get("/metrics").text
    for secret in (table_id, token, "of-this", *client.cookies.values()):
        assert secret not in text
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            for label, value in sample.labels.items():
                assert label in KNOWN, sample
                assert KNOWN[label] is None or value in KNOWN[label], sample
    kinds = {
        sample.labels["kind"] for family in text_string_to_metric_families(text)
        if family.name == "teerling_message_seconds" for sample in family.samples
    }  # fmt: skip
    assert kinds <= {"ping", "misunderstood", *ACTIONS}
    assert REGISTRY.get_sample_value("teerling_refused_total", {"kind": "unknown_table"})


def test_how_much_there_is_is_told_when_it_is_asked(client: TestClient) -> None:
    new_table(client, "rapido", TWO)
    new_table(client, "rapido", TWO)
    client.get("/metrics")
    house = house_of(client)
    assert REGISTRY.get_sample_value("teerling_tables_in_memory") == len(house.registry) == 2
    assert REGISTRY.get_sample_value("teerling_tables_bytes") == house.registry.weight > 0


def test_a_move_of_a_program_costs_few_counts(client: TestClient) -> None:
    """One count takes a few microseconds; a move takes hundreds of them."""
    made = new_table(client, "rapido", TWO)
    table_id, token = made["table"]["id"], made["token"]
    legal = client.get(f"/api/tables/{table_id}/moves", headers=bearer(token)).json()["moves"]

    def counted() -> float:
        return sum(
            sample.value for family in REGISTRY.collect() for sample in family.samples
            if sample.name.endswith("_count") and "loop_late" not in sample.name
        )  # fmt: skip

    before = counted()
    client.post(f"/api/tables/{table_id}/moves", json={"move": legal[0]["text"]}, headers=bearer(token))
    assert 5 <= counted() - before <= 12


def test_a_room_does_not_count_what_is_done_in_rooms_within_it() -> None:
    async def live() -> None:
        walk = begin_walk()
        with Inside("change"):
            with Inside("commit"):
                await asyncio.sleep(0.05)
            with Inside("commit"):
                await asyncio.sleep(0.05)
        walk.end()
        assert walk.seconds["commit"] >= 0.1
        assert walk.seconds["change"] < 0.05
        assert walk.seconds["adapter"] < 0.05
        assert walk.total == pytest.approx(sum(walk.seconds.values()))
        assert next(iter(walk.told)) == "commit"

    asyncio.run(live())


def test_what_goes_on_alone_is_no_part_of_the_walk_that_began_it() -> None:
    async def live() -> None:
        async def alone() -> None:
            walk_alone()
            with Inside("page"):
                pass

        async def part() -> None:
            with Inside("lock"):
                pass

        walk = begin_walk()
        await asyncio.gather(asyncio.create_task(alone()), asyncio.create_task(part()))
        walk.end()
        assert set(walk.seconds) == {"lock", "adapter"}
        assert current_walk() is None

    asyncio.run(live())


def test_what_waits_to_be_worked_out_is_counted_by_urgency() -> None:
    import threading

    async def live() -> None:
        thinking, gate = Thinking(1), threading.Event()
        waited, thought = (
            count(f"teerling_thinking_{what}", urgency="review") for what in ("wait_seconds", "seconds")
        )
        works = [
            asyncio.create_task(thinking.work_out(gate.wait, urgency=Urgency.REVIEW, whose="anne"))
            for _ in range(3)
        ]
        await asyncio.sleep(0.01)
        assert REGISTRY.get_sample_value("teerling_thinking_queue", {"urgency": "review"}) == 2
        gate.set()
        await asyncio.gather(*works)
        await asyncio.sleep(0.01)
        assert REGISTRY.get_sample_value("teerling_thinking_queue", {"urgency": "review"}) == 0
        assert count("teerling_thinking_wait_seconds", urgency="review") == waited + 3
        assert count("teerling_thinking_seconds", urgency="review") == thought + 3
        thinking.stop()

    asyncio.run(live())


def lines_of(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [
        json.loads(Lines().format(record)) for record in caplog.records if record.name == "teerling.requests"
    ]


def test_something_slow_is_named_with_where_the_time_went(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, slow_seconds=0.0) as client, caplog.at_level(logging.WARNING):
        made = new_table(client, "rapido", TWO)
        table_id = made["table"]["id"]
        legal = client.get(f"/api/tables/{table_id}/moves", headers=bearer(made["token"])).json()["moves"]
        caplog.clear()
        written = Storage._written

        def write_slowly(*arguments: Any) -> Any:
            time.sleep(0.02)
            return written(*arguments)

        monkeypatch.setattr(Storage, "_written", write_slowly)
        client.post(
            f"/api/tables/{table_id}/moves", json={"move": legal[0]["text"]}, headers=bearer(made["token"])
        )
    (line,) = lines_of(caplog)
    assert (line["text"], line["level"]) == ("a slow request", "warning")
    assert (line["route"], line["table"]) == ("/api/tables/{table_id}/moves", table_id)
    assert len(line["request"]) == 8
    assert next(iter(line["rooms"])) == "commit"
    assert sum(line["rooms"].values()) == pytest.approx(line["ms"], abs=5)


def test_a_slow_message_of_a_page_is_named_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with opened(tmp_path, slow_seconds=0.0) as client, caplog.at_level(logging.WARNING):
        where = client.post("/new/rapido", data={"seat0": "me", "seat1": "me"}).url.path
        with client.websocket_connect(f"{where}/live") as socket:
            socket.receive_json()
            caplog.clear()
            socket.send_json({"kind": "chat", "text": "hello"})
            while socket.receive_json()["kind"] != "said":
                pass
            socket.send_json({"kind": "ping"})
            while socket.receive_json()["kind"] != "pong":
                pass
    (line,) = lines_of(caplog)
    assert (line["text"], line["kind"], line["table"]) == ("a slow message", "chat", where.rpartition("/")[2])
    assert "hello" not in json.dumps(line)


def test_files_and_machines_leave_no_lines(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        for path in ("/static/style.css", "/styles.css", "/livez", "/readyz", "/metrics"):
            assert client.get(path).status_code == 200
        assert lines_of(caplog) == []
        client.get("/")
        client.get("/static/nothing.css")
    assert [line["status"] for line in lines_of(caplog)] == [200, 404]


def test_a_line_says_to_which_request_it_belongs() -> None:
    walk = begin_walk("proxy-says-so")
    line = json.loads(Lines().format(logging.makeLogRecord({"msg": "hm", "name": "teerling"})))
    assert line["request"] == "proxy-says-so"
    walk.end()
    assert "request" not in json.loads(Lines().format(logging.makeLogRecord({"msg": "hm"})))


@pytest.mark.parametrize(("proxies", "believed"), [("", False), ("127.0.0.1", True)])
def test_the_name_that_a_proxy_gives_to_a_request_is_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, proxies: str, believed: bool
) -> None:
    with opened(tmp_path, trusted_proxies=proxies) as client, caplog.at_level(logging.INFO):
        client.get("/", headers={"X-Request-ID": "0123456789abcdef"})
        client.get("/", headers={"X-Request-ID": "token=abc\u0001 def"})
    given, odd = (line["request"] for line in lines_of(caplog))
    assert (given == "0123456789abcdef") is believed
    assert len(odd) == 8


def test_an_address_that_is_no_table_does_not_stand_in_a_line(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        client.get("/tables/IjEi.a-token-in-the-wrong-place")
    assert [line["status"] for line in lines_of(caplog)] == [404]
    assert "token" not in json.dumps(lines_of(caplog))


def warning(text: str, **details: Any) -> logging.LogRecord:
    return logging.makeLogRecord({"msg": text, "levelno": logging.WARNING, **details})


def test_the_same_warning_comes_once_in_a_while_and_says_how_many_were_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = 100.0
    monkeypatch.setattr(logs, "time", SimpleNamespace(monotonic=lambda: at))
    seldom = Seldom(10.0)
    assert seldom.filter(warning("gone"))
    assert not seldom.filter(warning("gone"))
    at = 109.9
    assert not seldom.filter(warning("gone"))
    assert seldom.filter(warning("gone", route="/other"))
    assert seldom.filter(warning("other"))
    assert seldom.filter(logging.makeLogRecord({"msg": "gone", "levelno": logging.INFO}))
    at = 111.0
    again = warning("gone")
    assert seldom.filter(again)
    assert json.loads(Lines().format(again))["left_out"] == 2


def test_a_clock_that_is_set_back_keeps_no_warning_from_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    at = 100.0
    monkeypatch.setattr(logs, "time", SimpleNamespace(monotonic=lambda: at))
    seldom = Seldom(10.0)
    assert seldom.filter(warning("gone", created=86_400.0))
    at = 111.0
    assert seldom.filter(warning("gone", created=0.0))


@pytest.mark.parametrize("level", ["loud", "warnings"])
def test_a_level_of_the_log_that_there_is_not_is_said(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setenv("TEERLING_LOG", level)
    with pytest.raises(TeerlingError, match=f"TEERLING_LOG is info, warning or error, not '{level}'"):
        logs.configuration()


def test_another_error_is_another_warning() -> None:
    def failing(error: Exception) -> tuple[Any, ...]:
        try:
            raise error
        except Exception as raised:
            return type(raised), raised, raised.__traceback__

    seldom = Seldom(10.0)
    kept = [
        seldom.filter(warning("failed", exc_info=failing(error)))
        for error in (ValueError(), KeyError(), ValueError())
    ]
    assert kept == [True, True, False]
