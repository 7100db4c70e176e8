"""The waiting room and the rematch: who is told what, who may sit where, and for how long."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from teerling.errors import TeerlingError
from teerling.server.actions import Asker, Wish
from teerling.server.house import House
from teerling.server.people import Person
from teerling.server.refusals import NotAllowed, Refused
from teerling.server.run import PING_SECONDS
from teerling.server.tables import table as tables
from teerling.server.tables.opening import Place
from teerling.server.tables.presence import COMING, GOING
from teerling.server.tables.table import Table
from tests.server.houses import flat, opened, table_at
from tests.server.test_rooms import ANNE, BRAM, in_house, open_table, quiet, watch

CLEO = Person("cleo", "Cleo")


def test_the_others_see_within_seconds_who_comes_and_who_goes(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table = await open_table(house)
        _, wire = await watch(house, table, ANNE.id)
        await asyncio.sleep(2 * COMING)
        await quiet(house)
        heard = len(wire.sent)
        visitor, _ = await watch(house, table, CLEO.id)
        await asyncio.sleep(2 * COMING)
        await quiet(house)
        assert len(wire.sent) == heard + 1
        assert house.presence.watching(table) == 1
        house.presence.leave(visitor)
        await asyncio.sleep(GOING + COMING)
        await quiet(house)
        assert len(wire.sent) == heard + 2
        assert house.presence.watching(table) == 0

    assert COMING + GOING < 5
    in_house(tmp_path, test)


def test_whose_line_was_found_dead_is_missed_at_once(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table = await open_table(house)
        _, wire = await watch(house, table, ANNE.id)
        visitor, _ = await watch(house, table, CLEO.id)
        await asyncio.sleep(2 * COMING)
        await quiet(house)
        heard = len(wire.sent)
        house.presence.leave(visitor, goes_on=False)
        await asyncio.sleep(2 * COMING)
        await quiet(house)
        assert len(wire.sent) == heard + 1

    # A line that says nothing for so long is dead.
    assert 2 * PING_SECONDS + COMING < 5
    assert 2 * COMING < GOING
    in_house(tmp_path, test)


def test_only_before_the_match_somebody_stands_up(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table = await open_table(house)
        await house.actions.do("join", table.id, Asker(BRAM))
        with pytest.raises(Refused, match="the match has begun"):
            await house.actions.do("leave", table.id, Asker(BRAM, 1))
        assert not table.over

    in_house(tmp_path, test)


def test_a_page_that_is_loaded_anew_is_not_told_as_gone(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table = await open_table(house)
        _, wire = await watch(house, table, ANNE.id)
        visitor, _ = await watch(house, table, CLEO.id)
        await asyncio.sleep(2 * COMING)
        await quiet(house)
        heard = len(wire.sent)
        house.presence.leave(visitor)
        await watch(house, table, CLEO.id)
        await asyncio.sleep(GOING + COMING)
        await quiet(house)
        assert len(wire.sent) == heard

    in_house(tmp_path, test)


async def played(house: House) -> Table:
    """A match of Anne and Bram that is over."""
    table = await open_table(house)
    await house.actions.do("join", table.id, Asker(BRAM))
    await house.actions.do("chat", table.id, Asker(BRAM, 1), Wish(text="well played"))
    for person, seat in ((ANNE, 0), (BRAM, 1)):
        await house.actions.do("resign", table.id, Asker(person, seat))
    assert table.over
    return table


async def rematch_of(house: House, table: Table) -> Table:
    done = await house.actions.do("rematch", table.id, Asker(ANNE, 0))
    return await house.registry.find(done.table_id)


def test_a_rematch_keeps_the_seats_of_those_who_played_and_the_chat(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        house.storage.save_person(CLEO.id, CLEO.name)
        fresh = await rematch_of(house, await played(house))
        assert [line.text for line in fresh.chat] == ["well played"]
        assert (fresh.kept_seats, fresh.seating.names) == ([1], ("Anne", "Bram"))
        for seat in (1, None):
            with pytest.raises(Refused, match="kept for"):
                await house.actions.do("join", fresh.id, Asker(CLEO), Wish(seat=seat))
        with pytest.raises(Refused, match="kept for"):
            await house.actions.do("bots", fresh.id, Asker(ANNE, 0))
        assert fresh.status == "open"
        await house.actions.do("join", fresh.id, Asker(BRAM))
        assert fresh.playing
        assert fresh.seating.seats_of(BRAM.id) == [1]

    in_house(tmp_path, test)


def test_after_two_minutes_anybody_may_sit_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert timedelta(minutes=2) == tables.KEPT

    async def test(house: House) -> None:
        house.storage.save_person(CLEO.id, CLEO.name)
        fresh = await rematch_of(house, await played(house))
        monkeypatch.setattr(tables, "KEPT", timedelta(0))
        assert fresh.kept_seats == []
        await house.actions.do("join", fresh.id, Asker(CLEO))
        assert fresh.seating.seats_of(CLEO.id) == [1]
        assert fresh.seating.seats_of(BRAM.id) == []

    in_house(tmp_path, test)


def test_somebody_who_takes_a_kept_seat_is_nobody_else_in_the_lobby(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        fresh = await rematch_of(house, await played(house))
        assert fresh.id in [row.id for row in house.storage.tables_of(BRAM.id)]
        await asyncio.to_thread(tables_filled, fresh)
        assert fresh.id not in [row.id for row in house.storage.tables_of(BRAM.id)]

    def tables_filled(fresh: Table) -> None:
        fresh.row.created -= tables.KEPT
        fresh.fill_with_bots()

    in_house(tmp_path, test)


def test_those_who_played_are_told_at_the_old_table_and_in_their_lobby(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        path = client.post("/new/ra", data={"preset": "friends", "players": "2", "name": "Anne"}).url.path
        anne = dict(client.cookies)
        client.cookies.clear()
        client.post(f"{path}/join", data={"seat": "1", "name": "Bram"})
        bram = dict(client.cookies)
        for who in (anne, bram):
            client.cookies = who  # type: ignore[assignment]
            client.post(f"{path}/resign")
        client.cookies = anne  # type: ignore[assignment]
        fresh = client.post(f"{path}/rematch").url.path
        client.cookies = bram  # type: ignore[assignment]
        assert (
            "There is a rematch; your chair is kept for its first two minutes"
            in client.get(path).text.split('class="reopened"')[1]
        )
        lobby = flat(client.get("/").text)
        assert "Anne wants a rematch" in lobby
        assert f'href="{fresh}"' in lobby
        assert "kept for you" in client.get(fresh).text
        client.cookies.clear()
        stranger = client.get(fresh).text
        assert "kept for you" not in stranger
        assert 'name="seat"' not in stranger
        watched = client.get(path).text
        assert "Watch the rematch" in watched
        assert f'href="{fresh}"' in watched
        assert "your chair" not in watched
        assert fresh not in client.get("/").text
        client.cookies = bram  # type: ignore[assignment]
        assert client.post(f"{path}/rematch").url.path == fresh
        assert table_at(client, fresh).playing


def test_the_invited_reads_who_invites_and_sits_down_with_one_click(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        form = {"preset": "friends", "players": "3", "name": "Anne"}
        path = client.post("/new/rapido", data=form).url.path
        client.cookies.clear()
        page = flat(client.get(path).text)
        assert "Anne invites you to play Rapido" in page
        assert "What may we call you?" in page
        client.post(f"{path}/join", data={"seat": "1", "name": ""})
        assert table_at(client, path).seating[1].name == "Guest"
        assert "One chair is still free" in client.get(path).text


def test_the_code_to_scan_holds_the_address_of_the_table(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        path = client.post("/new/ra", data={"preset": "friends", "players": "2"}).url.path
        drawn = client.get(f"{path}/qr.svg")
        assert drawn.headers["content-type"] == "image/svg+xml"
        assert drawn.content.startswith(b"<?xml")
        assert client.get("/tables/nowhere/qr.svg").status_code == 404


def test_places_can_be_kept_for_nobody_else(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table, _ = await house.changes.create(
            "ra", [Place("me"), Place("open", "Bram", kept_for=BRAM.id), Place("open")], ANNE.id, "Anne", {}
        )
        assert table.free_seat(None, CLEO.id) == 2
        assert table.free_seat(None, BRAM.id) == 1

    in_house(tmp_path, test)


def test_bots_are_put_on_chairs_at_any_level_and_sent_away_again(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table, _ = await house.changes.create(
            "ra", [Place("me"), Place("open"), Place("open")], ANNE.id, "Anne", {}
        )
        await house.actions.do("bot", table.id, Asker(ANNE, 0), Wish(seat=1, level="expert"))
        await house.actions.do("bot", table.id, Asker(ANNE, 0), Wish(seat=1, level="novice"))
        assert (table.seating[1].level, table.status, table.row.turn) == ("novice", "open", None)
        for seat, level in ((0, "novice"), (1, "genius"), (7, "novice")):
            with pytest.raises(TeerlingError):
                table.seat_bot(seat, level)
        with pytest.raises(NotAllowed):
            await house.actions.do("bot", table.id, Asker(BRAM), Wish(seat=2, level="novice"))
        await house.actions.do("no-bot", table.id, Asker(ANNE, 0), Wish(seat=1))
        assert (table.seating.free, table.seating[1].level) == ([1, 2], None)
        await house.actions.do("bot", table.id, Asker(ANNE, 0), Wish(seat=2, level="master"))
        await house.actions.do("bots", table.id, Asker(ANNE, 0))
        assert [row.level for row in table.seating] == [None, "master", "master"]
        assert table.playing
        with pytest.raises(Refused):
            table.free_of_bot(1)

    in_house(tmp_path, test)


def test_a_bot_on_the_last_chair_begins_the_match_and_none_takes_a_kept_one(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        fresh = await rematch_of(house, await played(house))
        with pytest.raises(Refused, match="kept for"):
            fresh.seat_bot(1, "novice")
        fresh.row.created -= tables.KEPT
        fresh.seat_bot(1, "novice")
        assert fresh.playing

    in_house(tmp_path, test)


def test_somebody_without_a_chair_is_not_counted_before_their_own_eyes(tmp_path: Path) -> None:
    async def test(house: House) -> None:
        table = await open_table(house)
        await watch(house, table, CLEO.id)
        assert house.presence.watching(table, ANNE.id) == 1
        assert house.presence.watching(table, CLEO.id) == 0

    in_house(tmp_path, test)
