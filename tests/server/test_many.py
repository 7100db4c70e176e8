"""Several servers at one PostgreSQL: every one serves every table, and hears by Redis what others do."""

import asyncio
import contextlib
import dataclasses
import json
import random
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from redis import Redis
from starlette.testclient import TestClient, WebSocketTestSession

from teerling.server.actions import Asker, Done
from teerling.server.database.storage import Storage
from teerling.server.database.transactions import Overtaken
from teerling.server.door.entrance import CannotServe
from teerling.server.door.limits import Headcount, Limiter
from teerling.server.people import COOKIE, Person
from teerling.server.processes import leases as leases_module
from teerling.server.processes import news, redis_link
from teerling.server.processes.leases import Leases
from teerling.server.processes.news import EXPIRY
from teerling.server.processes.redis_link import NoRedis, RedisLink, seal_of
from teerling.server.run import alone_with
from teerling.server.settings import Settings
from teerling.server.tables import opening
from teerling.server.tables.opening import Place
from teerling.server.tables.table import Table
from teerling.server.thinking import bots
from teerling.words import Speaker
from tests.apart import run_apart
from tests.server import cluster as clusters
from tests.server import storing
from tests.server.cluster import Cluster
from tests.server.houses import bearer, house_of, new_table, opened, running
from tests.server.redis_server import RedisServer, redis_server

ANNE, MARC = "a" * 24, "b" * 24
ME, OPEN = {"kind": "me"}, {"kind": "open"}
MOVED_ON = "the table has moved on; here is how it stands now"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with clusters.cluster() as made:
        yield made


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as made:
        yield made


@pytest.fixture
def url(cluster: Cluster) -> str:
    return cluster.new_database()


class Two:
    """Two servers, each with an event loop of its own, and somebody who plays by both."""

    def __init__(self, one: TestClient, two: TestClient) -> None:
        self.one, self.two = one, two
        until(lambda: all(house_of(each).news._others for each in (one, two)))

    def stored(self, id: str) -> Table:
        """A table as the database has it."""
        return opening.load(house_of(self.one).storage, id)

    def people(self) -> tuple[str, list[str]]:
        """A table of Rapido for two people, who came by different servers: its id, and their tokens."""
        made = new_table(self.one, "rapido", [ME, OPEN], name="Anne")
        id = made["table"]["id"]
        joined = self.two.post(f"/api/tables/{id}/join", json={"name": "Marc"})
        assert joined.status_code == 200, joined.text
        return id, [made["token"], joined.json()["token"]]

    def mover(self, id: str, tokens: list[str]) -> str:
        """The token of whoever is to move."""
        return tokens[self.stored(id).match.turn or 0]


@contextlib.contextmanager
def two_servers(folder: Path, url: str, redis_url: str, **settings: Any) -> Iterator[Two]:
    shared = {"database_url": url, "redis_url": redis_url, **settings}
    with opened(folder, **shared) as one, opened(folder, **shared) as two:
        yield Two(one, two)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory, cluster: Cluster, redis: RedisServer) -> Iterator[Two]:
    with two_servers(tmp_path_factory.mktemp("two"), cluster.new_database(), redis.url) as made:
        yield made


def until(true: Callable[[], object], seconds: float = 20.0) -> None:
    """Waits until something is true."""
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, "it did not come to be"
        time.sleep(0.02)


@contextlib.contextmanager
def looking(client: TestClient, table: Table, token: str) -> Iterator[WebSocketTestSession]:
    """The page of a table, open in the browser of whoever has a token."""
    person_id = table.seating[table.seating.seats_with(token)[0]].person_id
    cookie = client.app.state.context.signatures.cookie(person_id)  # type: ignore[attr-defined]
    headers = {"Cookie": f"{COOKIE}={cookie}"}
    with client.websocket_connect(f"/tables/{table.id}/live?lang=en", headers=headers) as live:
        yield live


def page_with(live: WebSocketTestSession, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The next page that shows something."""
    for _ in range(50):
        message: dict[str, Any] = json.loads(live.receive_text())
        if message["kind"] == "page" and fits(message):
            return message
    raise AssertionError("no such page came")


def move(client: TestClient, table: Table, token: str) -> Any:
    """Makes a legal move by a server, as somebody who knows a table like this."""
    text = random.Random(table.version).choice(table.match.legal_moves).text
    body = {"move": text, "at": table.version}
    return client.post(f"/api/tables/{table.id}/moves", headers=bearer(token), json=body)


def test_a_move_by_one_server_is_seen_at_the_other(two: Two) -> None:
    id, tokens = two.people()
    table = two.stored(id)
    with looking(two.two, table, tokens[1]) as live, looking(two.one, table, tokens[0]) as other:
        for client, page in ((two.one, live), (two.two, other)) * 2:
            table = two.stored(id)
            answer = move(client, table, two.mover(id, tokens))
            assert answer.status_code == 200, answer.text
            page_with(page, lambda page, before=table.version: page["version"] > before)  # type: ignore[misc]


def test_a_server_that_has_not_heard_yet_tells_how_it_stands_all_the_same(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, tokens = two.people()
    for client in (two.one, two.two):
        monkeypatch.setattr(house_of(client).news, "tell", lambda *_: None)
    for client, other in ((two.one, two.two), (two.two, two.one)) * 3:
        table = two.stored(id)
        token = two.mover(id, tokens)
        assert move(client, table, token).status_code == 200
        seen = other.get(f"/api/tables/{id}/view", headers=bearer(token)).json()
        assert seen["version"] == two.stored(id).version > table.version
        with looking(client, two.stored(id), token) as live:
            live.receive_text()
    table = two.stored(id)
    assert move(two.one, table, two.mover(id, tokens)).status_code == 200
    with looking(two.two, table, tokens[0]) as live:
        assert json.loads(live.receive_text())["version"] == two.stored(id).version > table.version


def test_what_a_server_stored_before_it_died_and_did_not_tell_is_read(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, tokens = two.people()
    table = two.stored(id)
    with looking(two.two, table, tokens[1]) as live:
        with monkeypatch.context() as silent:
            silent.setattr(house_of(two.one).news, "tell", lambda *_: None)
            assert move(two.one, table, two.mover(id, tokens)).status_code == 200
        house_of(two.two).news._others["dead"] = -EXPIRY
        page_with(live, lambda page: page["version"] == two.stored(id).version > table.version)


def test_of_two_moves_at_once_one_counts_and_the_other_hears_that_the_table_has_moved_on(two: Two) -> None:
    id, tokens = two.people()
    refused = 0
    for _ in range(8):
        table, token = two.stored(id), two.mover(id, tokens)
        together = threading.Barrier(2)

        def act(
            client: TestClient, table: Table = table, token: str = token, together: Any = together
        ) -> Any:
            together.wait()
            return move(client, table, token)

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(act, (two.one, two.two)))
        codes = sorted(answer.status_code for answer in answers)
        assert codes == [200, 409], [answer.text for answer in answers]
        assert MOVED_ON in next(each for each in answers if each.status_code == 409).text
        refused += 1
        after = two.stored(id)
        assert [entry.number for entry in after.storage.entries(id)] == list(range(after.version))
    assert refused == 8


def test_two_who_take_the_last_seats_at_once_begin_the_match(two: Two) -> None:
    for _ in range(4):
        id = new_table(two.one, "rapido", [ME, OPEN, OPEN])["table"]["id"]
        two.two.get(f"/api/tables/{id}")
        together = threading.Barrier(2)

        def join(client: TestClient, seat: int, id: str = id, together: Any = together) -> int:
            together.wait()
            return client.post(f"/api/tables/{id}/join", json={"seat": seat}).status_code

        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(join, (two.one, two.two), (1, 2))) == [200, 200]
        assert two.stored(id).status == "playing"


def test_whoever_sat_down_is_not_overlooked_by_a_server_that_has_not_heard_of_it(storage: Storage) -> None:
    """A table in memory that is behind: nobody's seat is given away, and the match begins in time."""
    storage.save_person(ANNE, "Anne")
    storage.save_person(MARC, "Marc")
    places = [Place("me"), Place("open"), Place("open")]
    here, _ = opening.create(storage, "rapido", places, ANNE, "Anne", {})
    there = opening.load(storage, here.id)
    here.join(1, MARC, "Marc")
    for change in (
        lambda: there.fill_with_bots(),
        lambda: there.seat_bot(2, "random"),
        lambda: there.abandon(0),
        lambda: there.join(2, "c" * 24, "Carla"),
    ):
        with pytest.raises(Overtaken):
            change()
    stored = storage.stored(here.id, there.version)
    assert stored is not None
    assert there.read_on(stored)
    assert not there.read_on(stored)
    there.seat_bot(2, "random")
    assert (there.status, there.seating.kinds) == ("playing", ["person", "person", "bot"])


def test_a_table_that_is_read_on_is_what_it_is_read_anew(storage: Storage) -> None:
    here = storing.new_table(storage, "ra")
    there = opening.load(storage, here.id)
    for step in range(12):
        storing.play(here, 7, random.Random(step))
        here.say(ANNE, f"line {step}")
        stored = storage.stored(here.id, there.version)
        assert stored is not None
        assert there.read_on(stored)
        assert (there.version, there.match.save(), there.chat) == (here.version, here.match.save(), here.chat)
        assert there.snapshot() == opening.load(storage, here.id).snapshot()


def test_a_table_that_makes_the_moves_of_others_is_what_it_is_read_anew(storage: Storage) -> None:
    here = storing.new_table(storage, "ra")
    there = opening.load(storage, here.id)
    here.say(ANNE, "a line is no move")
    assert not here.moved
    for step in range(60):
        storing.play(here, 1, random.Random(step))
        there.follow([(each.seat or 0, each.text) for each in here.moved], here.row.changed)
        anew = opening.load(storage, here.id)
        assert (there.version, there.match.save()) == (anew.version, anew.match.save())
        assert there.snapshot() == anew.snapshot()
        assert (there.row.turn, there.row.changed) == (anew.row.turn, anew.row.changed)
    storing.play(here, 10_000, random.Random(1))
    # What else changed by the last one has to be read.
    assert here.over
    assert not here.moved


def test_a_move_by_one_server_is_made_at_the_other_and_not_read(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, tokens = two.people()
    table = two.stored(id)
    with looking(two.two, table, tokens[1]) as live:
        page_with(live, lambda page: True)
        until(lambda: id not in house_of(two.two).registry.behind)
        reads, storage = [], house_of(two.two).storage
        stored = storage.stored
        monkeypatch.setattr(storage, "stored", lambda *of: reads.append(of[0]) or stored(*of))
        for _ in range(4):
            table = two.stored(id)
            assert move(two.one, table, two.mover(id, tokens)).status_code == 200
            page_with(live, lambda page, before=table.version: page["version"] > before)  # type: ignore[misc]
        assert id not in reads
        here = house_of(two.two).registry.get(id)
        assert here is not None
        assert here.match.save() == two.stored(id).match.save()


def test_moves_that_do_not_follow_what_is_known_are_read(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    id, tokens = two.people()
    table = two.stored(id)
    with looking(two.two, table, tokens[1]) as live:
        for _ in range(2):
            with monkeypatch.context() as silent:
                silent.setattr(house_of(two.one).news, "tell", lambda *_: None)
                assert move(two.one, two.stored(id), two.mover(id, tokens)).status_code == 200
            table = two.stored(id)
            assert move(two.one, table, two.mover(id, tokens)).status_code == 200
            page_with(live, lambda page, before=table.version: page["version"] > before)  # type: ignore[misc]
        here = house_of(two.two).registry.get(id)
        assert here is not None
        assert here.match.save() == two.stored(id).match.save()


@pytest.mark.parametrize("moves", [[[0, "nonsense"]], [[0, "throw"], "nonsense"], 7])
def test_moves_that_cannot_be_made_are_not_there(two: Two, moves: object) -> None:
    """Another version of this program may tell them otherwise; storage decides."""
    id, tokens = two.people()
    table, portal, house = two.stored(id), two.one.portal, house_of(two.two)
    assert portal is not None

    def is_stored() -> bool:
        here = house.registry.get(id)
        return here is not None and here.match.save() == two.stored(id).match.save()

    with looking(two.two, table, tokens[1]) as live:
        page_with(live, lambda page: True)
        spoiled = house.registry.get(id)
        told = ("moves", (id, table.version, moves, table.row.changed.isoformat()))
        portal.call(house_of(two.one).news.tell, *told)
        portal.call(house_of(two.one).news.tell, "table", id)
        if isinstance(moves, list):
            until(lambda: house.registry.get(id) is not spoiled)
        until(is_stored)
        assert move(two.one, table, two.mover(id, tokens)).status_code == 200
        page_with(live, lambda page: page["version"] > table.version)
        until(is_stored)


def test_chat_is_heard_at_the_other_server(two: Two) -> None:
    id, tokens = two.people()
    table = two.stored(id)
    with looking(two.two, table, tokens[1]) as live, looking(two.one, table, tokens[0]) as other:
        other.send_text(json.dumps({"kind": "chat", "text": "over the wire"}))
        page_with(live, lambda page: "over the wire" in json.dumps(page))


def test_who_is_here_is_known_at_the_other_server_until_they_go(two: Two) -> None:
    id, tokens = two.people()
    table, presence = two.stored(id), house_of(two.one).presence
    anne = table.seating[0].person_id
    with looking(two.one, table, tokens[1]) as live:
        assert not presence.is_here(table, anne)
        with looking(two.two, table, tokens[0]):
            until(lambda: presence.is_here(table, anne))
            page_with(live, lambda page: True)
        until(lambda: not presence.is_here(table, anne))


def test_of_a_server_that_dies_nobody_is_there_any_more(two: Two) -> None:
    presence = house_of(two.one).presence
    presence._hear_of("dead", ("abc", [ANNE]))
    assert presence.is_attended("abc")
    house_of(two.one).news._others["dead"] = -EXPIRY
    until(lambda: not presence.is_attended("abc"))


def test_what_happens_within_a_moment_is_told_in_one_message(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, heard, messages = house_of(two.one), [], []
    house_of(two.two).news.on("tested", lambda _, body: heard.append(body))
    publish = house.link.client.publish  # type: ignore[union-attr]
    monkeypatch.setattr(
        house.link.client,  # type: ignore[union-attr]
        "publish",
        lambda channel, text: messages.append(text) or publish(channel, text),
    )
    monkeypatch.setattr(news, "TOGETHER", 0.5)

    async def tell() -> None:
        # What waits since before goes by itself.
        await asyncio.sleep(0.1)
        for number in range(10):
            house.news.tell("tested", number)
            await asyncio.sleep(0)

    assert two.one.portal is not None
    two.one.portal.call(tell)
    until(lambda: len(heard) == 10)
    assert heard == list(range(10))
    assert sum("tested" in text for text in messages) == 1


def test_limits_count_what_is_done_by_the_other_server(two: Two) -> None:
    here, there = (Limiter(0.001, burst=10.0, name="tested") for _ in range(2))
    inside, outside = (Headcount(3, name="tested") for _ in range(2))
    for client, limits in ((two.one, (here, inside)), (two.two, (there, outside))):
        for limit in limits:
            limit.share(house_of(client).news)
    here.charge("192.0.2.1", 9.5)
    until(lambda: "192.0.2.1" in there._buckets)
    assert there.debt_of("192.0.2.1") == 0
    assert not there.allows("192.0.2.1")
    assert there.allows("192.0.2.2")
    for _ in range(2):
        assert inside.enter("192.0.2.1")
    until(lambda: outside._elsewhere)
    assert outside.enter("192.0.2.1")
    assert not outside.enter("192.0.2.1")
    inside.leave("192.0.2.1")
    until(lambda: outside.enter("192.0.2.1"))


def test_bots_move_once_however_many_servers_let_them(two: Two) -> None:
    seats = [ME, *[{"kind": "bot", "level": "random"}] * 3]
    made = new_table(two.one, "rapido", seats)
    id, token = made["table"]["id"], made["token"]
    with looking(two.one, two.stored(id), token), looking(two.two, two.stored(id), token):
        for client in (two.one, two.two) * 6:
            until(lambda: two.stored(id).match.turn in (0, None))
            table = two.stored(id)
            if table.over:
                break
            assert move(client, table, token).status_code == 200
        until(lambda: two.stored(id).match.turn in (0, None))
    numbers = [entry.number for entry in two.stored(id).storage.entries(id)]
    assert numbers == list(range(len(numbers)))


def test_a_bot_moves_by_what_was_heard_and_asks_nobody(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its move is refused if others were first, so nothing is read; only here is it open, so it is ours."""
    house = house_of(two.one)
    made = new_table(two.one, "rapido", [ME, *[{"kind": "bot", "level": "random"}] * 3])
    id, token = made["table"]["id"], made["token"]
    reads, asks = [], []
    stored, evaluate = house.storage.stored, house.leases._link.client.eval  # type: ignore[union-attr]
    monkeypatch.setattr(house.storage, "stored", lambda *of: reads.append(of[0]) or stored(*of))
    monkeypatch.setattr(
        house.leases._link.client,  # type: ignore[union-attr]
        "eval",
        lambda *given: asks.append(given[2]) or evaluate(*given),
    )
    table = house.registry.get(id)
    assert table is not None

    def turned() -> bool:
        return table.match.turn == 0 and not house.bots.play_at(id) and not house.registry.is_held(id)

    with looking(two.one, table, token):
        until(turned)
        reads.clear()
        asks.clear()
        before = table.version
        for _ in range(3):
            assert move(two.one, table, token).status_code == 200
            until(turned)
        by_bots = [entry for entry in house.storage.entries(id)[before:] if entry.seat]
        assert len(by_bots) >= 6
        # Nor has the answer to what was done.
        assert reads.count(id) == 0
        assert f"teerling:lease:bots:{id}" not in asks


def test_bots_move_by_the_server_where_somebody_looks(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what a program does by another wakes them there, and not by that."""
    made = new_table(two.one, "rapido", [ME, *[{"kind": "bot", "level": "random"}] * 3])
    id, token = made["table"]["id"], made["token"]
    until(lambda: two.stored(id).match.turn in (0, None))
    by_two: list[object] = []
    with looking(two.one, two.stored(id), token):
        until(lambda: house_of(two.two).presence.processes_at(id))
        monkeypatch.setattr(house_of(two.two).bots, "_move", lambda *of: by_two.append(of))
        for _ in range(3):
            table = two.stored(id)
            assert move(two.two, table, token).status_code == 200
            until(lambda: two.stored(id).match.turn in (0, None))
        monkeypatch.undo()
    assert by_two == []


def test_of_two_servers_where_somebody_looks_one_lets_the_bots_move_and_need_not_ask(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = new_table(two.one, "rapido", [ME, *[{"kind": "bot", "level": "random"}] * 3])
    id, token = made["table"]["id"], made["token"]
    until(lambda: two.stored(id).match.turn in (0, None))
    asked, moved = [], []
    with looking(two.one, two.stored(id), token), looking(two.two, two.stored(id), token):
        for client, other in ((two.one, two.two), (two.two, two.one)):
            house, elsewhere = house_of(client), house_of(other).news.own_name
            until(lambda house=house, elsewhere=elsewhere: house.presence.processes_at(id) >= {elsewhere})  # type: ignore[misc]
            take, by_bot = house.leases.take, house.bots._move
            monkeypatch.setattr(
                house.leases, "take", lambda what, take=take: asked.append(what) or take(what)
            )
            monkeypatch.setattr(
                house.bots, "_move", lambda *of, name=elsewhere, by=by_bot: moved.append(name) or by(*of)
            )
        clients = cycle((two.one, two.two))
        while len(moved) < 9:
            assert move(next(clients), two.stored(id), token).status_code == 200
            until(lambda: two.stored(id).match.turn in (0, None))
    assert f"bots:{id}" not in asked
    assert len(set(moved)) == 1


@pytest.mark.parametrize("is_there", [True, False])
def test_bots_do_not_wait_for_a_server_that_does_not_let_them_move(
    two: Two, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    """By what is known somebody looks there, but it may not have heard; without Redis nobody waits at all."""
    house = house_of(two.one)
    monkeypatch.setattr(bots, "OVERDUE", 0.2 if is_there else 60.0)
    made = new_table(two.one, "rapido", [ME, *[{"kind": "bot", "level": "random"}] * 3])
    id, token = made["table"]["id"], made["token"]
    until(lambda: two.stored(id).match.turn in (0, None))
    before = two.stored(id).version
    house.presence._elsewhere[id] = {"deaf": frozenset({ANNE})}
    monkeypatch.setattr(house.link, "is_there", is_there)
    if not is_there:
        monkeypatch.setattr(house.link, "_ask", lambda: asyncio.sleep(0))
    while not any(entry.seat for entry in house.storage.entries(id)[before:]):
        assert move(two.one, two.stored(id), token).status_code == 200
        until(lambda: two.stored(id).match.turn in (0, None))
    del house.presence._elsewhere[id]


def test_what_one_server_has_to_do_is_taken_again_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Link:
        """A Redis that gives everything to whoever asks."""

        is_there, own_name = True, "me"

        def __init__(self) -> None:
            self.client, self.asked = self, 0

        async def eval(self, *_: object) -> int:
            self.asked += 1
            return 1

        def surviving(self) -> contextlib.AbstractContextManager[None]:
            return contextlib.nullcontext()

    async def test() -> None:
        link: Any = Link()
        leases = Leases(link)
        for after, asked in ((0.0, 1), (1.0, 1), (3.9, 1), (4.1, 2), (8.0, 2), (8.2, 3)):
            monkeypatch.setattr(leases_module, "time", SimpleNamespace(monotonic=lambda at=after: 100 + at))
            assert await leases.take("bots:x")
            assert (after, link.asked) == (after, asked)
        await leases.leave("bots:x")
        assert await leases.take("bots:x")
        # Leaving asks too.
        assert link.asked == 5

    run_apart(test())


def test_one_server_at_a_time_lets_the_bots_of_a_table_move(two: Two) -> None:
    one, other = house_of(two.one).leases, house_of(two.two).leases
    here, there = two.one.portal, two.two.portal
    assert here is not None
    assert there is not None
    assert here.call(one.take, "bots:x")
    assert here.call(one.take, "bots:x")
    assert not there.call(other.take, "bots:x")
    there.call(other.leave, "bots:x")
    assert not there.call(other.take, "bots:x")
    here.call(one.leave, "bots:x")
    assert there.call(other.take, "bots:x")
    there.call(other.leave, "bots:x")


def test_bots_do_not_wait_for_a_dead_server_because_the_clock_of_redis_was_set_back(
    two: Two, redis: RedisServer
) -> None:
    """Redis notes until when something is taken: an hour too long, if its clock is set back by an hour."""
    leases, portal = house_of(two.one).leases, two.one.portal
    assert portal is not None
    with Redis.from_url(redis.url) as looked_into:
        looked_into.set("teerling:lease:bots:y", "somebody", px=8000)
        assert not portal.call(leases.take, "bots:y")
        looked_into.set("teerling:lease:bots:y", "somebody dead", px=3_600_000)
        assert portal.call(leases.take, "bots:y")
        assert 0 < looked_into.pttl("teerling:lease:bots:y") <= 8000
    portal.call(leases.leave, "bots:y")


def test_two_who_want_a_rematch_get_the_same_table(two: Two) -> None:
    id, tokens = two.people()
    assert two.one.post(f"/api/tables/{id}/resign", headers=bearer(tokens[0])).status_code == 200
    assert two.two.post(f"/api/tables/{id}/resign", headers=bearer(tokens[1])).status_code == 200
    table, together = two.stored(id), threading.Barrier(2)
    assert table.over

    def again(client: TestClient, seat: int) -> str:
        asker = Asker(Person(str(table.seating[seat].person_id), table.seating[seat].name), seat)
        together.wait()
        assert client.portal is not None
        done: Done = client.portal.call(house_of(client).actions.do, "rematch", id, asker)
        return done.table_id

    with ThreadPoolExecutor(2) as pool:
        wanted = set(pool.map(again, (two.one, two.two), (0, 1)))
    assert wanted == {two.stored(id).row.rematch}
    assert two.stored(wanted.pop()).seating.people() == table.seating.people()


def test_while_redis_is_gone_play_goes_on_and_all_is_told_when_it_is_back(
    tmp_path: Path, url: str, redis: RedisServer
) -> None:
    with two_servers(tmp_path, url, f"{redis.url}?db=1") as two:
        id, tokens = two.people()
        other_id, other_tokens = two.people()
        with looking(two.two, two.stored(id), tokens[1]) as live:
            redis.kill()
            try:
                until(lambda: not any(house_of(each).link.is_there for each in (two.one, two.two)))  # type: ignore[union-attr]
                for _ in range(3):
                    table = two.stored(id)
                    assert move(two.one, table, two.mover(id, tokens)).status_code == 200
                # By both servers in turn: each finds what the other stored.
                for client in (two.one, two.two) * 2:
                    table = two.stored(other_id)
                    assert move(client, table, two.mover(other_id, other_tokens)).status_code == 200
            finally:
                redis.start()
            page_with(live, lambda page: page["version"] == two.stored(id).version)
            table = two.stored(id)
            assert move(two.one, table, two.mover(id, tokens)).status_code == 200
            page_with(live, lambda page: page["version"] > table.version)
            assert table.version + 1 <= two.stored(id).version


def test_servers_share_a_database_by_redis_and_by_nothing_else(
    url: str, redis: RedisServer, tmp_path: Path
) -> None:
    say = Speaker("en")
    one = dataclasses.replace(Settings.read(tmp_path / "one"), database_url=url, redis_url=redis.url)
    two = dataclasses.replace(Settings.read(tmp_path / "two"), database_url=url, redis_url=redis.url)
    with alone_with(one, say, one.is_shared), alone_with(two, say, two.is_shared):
        with alone_with(one, say, one.is_shared):
            pass
        with pytest.raises(CannotServe, match="already uses the database"):
            alone_with(Settings.read(tmp_path / "three", url), say).__enter__()
    sqlite = Settings.read(tmp_path / "four", redis=redis.url)
    assert not sqlite.is_shared
    with alone_with(sqlite, say), pytest.raises(CannotServe, match="another server"):
        alone_with(sqlite, say).__enter__()


@pytest.mark.slow
def test_two_processes_of_their_own_serve_one_table(tmp_path: Path, url: str, redis: RedisServer) -> None:
    environment = {
        "TEERLING_DATABASE_URL": url,
        "TEERLING_REDIS": f"{redis.url}?db=2",
        "TEERLING_SECRET": "s" * 64,
    }
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    with running(folders[0], **environment) as one, running(folders[1], **environment) as two:
        seats = {"game": "rapido", "seats": [ME, OPEN]}
        made = httpx.post(f"{one}/api/tables", json=seats).json()
        path = f"/api/tables/{made['table']['id']}"
        tokens = [made["token"], httpx.post(f"{two}{path}/join", json={}).json()["token"]]
        for place in (one, two) * 3:
            turn = httpx.get(f"{one}{path}").json()["turn"]
            known = httpx.get(f"{two}{path}/moves", headers=bearer(tokens[turn])).json()
            body = {"move": known["moves"][0]["text"], "at": known["version"]}
            answer = httpx.post(f"{place}{path}/moves", json=body, headers=bearer(tokens[turn]))
            assert answer.status_code == 200, answer.text


def test_a_server_with_another_secret_is_refused(two: Two, redis: RedisServer) -> None:
    redis_link.check(redis.url, seal_of(house_of(two.one).settings.secret))
    with pytest.raises(NoRedis, match="have another secret"):
        redis_link.check(redis.url, seal_of("another"))


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://127.0.0.1", "the address of a Redis is redis://host:port/number"),
        ("redis://127.0.0.1/0?nothing=1", "the address of a Redis is redis://host:port/number"),
        ("redis://127.0.0.1:1", "cannot be used: Error 111"),
    ],
)
def test_an_address_without_a_redis_is_refused_with_a_sentence(url: str, sentence: str) -> None:
    with pytest.raises(NoRedis, match=re.escape(sentence)):
        redis_link.check(url)


def test_what_is_no_redis_is_refused_with_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(NoRedis, match="is no Redis"):
            redis_link.check(f"redis://127.0.0.1:{listening.getsockname()[1]}")


@pytest.mark.parametrize(
    ("command", "back", "sentence"),
    [
        ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE", "cannot be used: You can't write"),
        ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0", "cannot be used: .*maxmemory"),
        ("ACL SETUSER default -eval", "ACL SETUSER default +@all", "cannot be used: .*eval"),
    ],
)
def test_a_redis_that_cannot_be_written_is_of_no_use_until_it_can(
    redis: RedisServer, command: str, back: str, sentence: str
) -> None:
    async def follow(client: Redis) -> None:
        link = RedisLink(redis.url, "one", seal="x" if "eval" in command else "")
        await link.start()
        try:
            assert link.is_there
            client.execute_command(command)  # type: ignore[no-untyped-call]
            await asyncio.sleep(2 * redis_link.ASK_AGAIN)
            for _ in range(40):
                assert not link.is_there
                await asyncio.sleep(0.05)
            client.execute_command(back)  # type: ignore[no-untyped-call]
            await asyncio.sleep(3 * redis_link.ASK_AGAIN)
            assert link.is_there
        finally:
            await link.stop()

    with Redis.from_url(redis.url) as client:
        try:
            client.execute_command(command)  # type: ignore[no-untyped-call]
            with pytest.raises(NoRedis, match=sentence):
                redis_link.check(redis.url)
            client.execute_command(back)  # type: ignore[no-untyped-call]
            asyncio.run(follow(client))
        finally:
            client.execute_command(back)  # type: ignore[no-untyped-call]


def test_a_redis_that_goes_while_it_is_greeted_is_gone_again(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    from redis.exceptions import ConnectionError as Lost

    greeted: list[str] = []

    async def greets() -> None:
        greeted.append("")
        if len(greeted) == 1:
            raise Lost("Connection closed by server.")

    async def comes_and_goes() -> None:
        link = RedisLink(redis.url, "one")
        link.when_back(greets)
        await link.start()
        assert not link.is_there
        async with asyncio.timeout(20):
            while not link.is_there:
                await asyncio.sleep(0.05)
        await link.stop()

    run_apart(comes_and_goes())
    assert len(greeted) == 2
    assert "Traceback" not in caplog.text


def test_a_redis_that_wants_a_password_says_so(redis: RedisServer) -> None:
    with Redis.from_url(redis.url) as client:
        client.config_set("requirepass", "hush")
        try:
            with pytest.raises(NoRedis, match="wants a password"):
                redis_link.check(redis.url)
        finally:
            client.config_set("requirepass", "")


def test_a_redis_that_is_too_old_is_refused_with_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"-ERR unknown command 'HELLO'\r\n")

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(NoRedis, match=r"is too old: 6\.2"):
            redis_link.check(f"redis://127.0.0.1:{listening.getsockname()[1]}")


def test_without_the_extra_the_server_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(NoRedis, match=r"pip install 'teerling\[redis\]"):
        redis_link.check("redis://127.0.0.1")
