"""A screen that several players share: a curtain before a secret hand."""

import re
from pathlib import Path

import pytest

from teerling.server.context import open_house
from teerling.server.house import House
from teerling.server.refusals import Refused
from teerling.server.settings import Settings
from teerling.server.tables.opening import Place, create
from teerling.server.tables.table import Table
from tests.server.houses import flat, opened, page_message, table_at

ANNE, LANG = "anne", "en"


@pytest.fixture
def house(tmp_path: Path) -> House:
    house = open_house(Settings.read(tmp_path))
    house.storage.migrate()
    house.storage.save_person(ANNE, "Anne")
    return house


def table_for(house: House, game: str, *kinds: str) -> Table:
    places = [Place(kind, level="random" if kind == "bot" else "") for kind in kinds]
    return create(house.storage, game, places, ANNE, "Anne", {}, seed="7")[0]


def page(table: Table, house: House) -> str:
    return flat(str(page_message(house, table, ANNE, LANG)["html"]))


def test_nothing_of_a_hand_reaches_the_page_before_the_curtain_is_lifted(house: House) -> None:
    table = table_for(house, "dicerun", "me", "me", "bot")
    while table.match.turn == 2:
        table.push(2, table.match.legal_moves[0].text)
    turn = table.match.turn
    assert table.curtain(ANNE) == turn
    assert table.seat_open_to(ANNE) is None
    told = page_message(house, table, ANNE, LANG)
    assert told["yours"]
    assert "show my side" in told["html"]
    assert 'name="move"' not in told["html"]
    assert "Your mission" not in told["html"]
    table.lift(ANNE)
    assert table.curtain(ANNE) is None
    assert table.seat_open_to(ANNE) == turn
    assert 'name="move"' in page(table, house)
    assert "Your mission" in page(table, house)


def test_the_curtain_falls_when_somebody_else_decides(house: House) -> None:
    table = table_for(house, "dicerun", "me", "me")
    lifted: list[int | None] = []
    for _ in range(12):
        turn = table.match.turn
        if not lifted or lifted[-1] != turn:
            assert table.curtain(ANNE) == turn
            table.lift(ANNE)
            lifted.append(turn)
        assert table.curtain(ANNE) is None
        table.push(int(turn or 0), table.match.legal_moves[-1].text)
    assert set(lifted) == {0, 1}


def test_the_next_turn_of_the_same_seat_is_not_taken_for_this_one(house: House) -> None:
    table = table_for(house, "dicerun", "me", "bot", "me")
    while table.match.turn != 0:
        table.push(int(table.match.turn or 0), table.match.legal_moves[0].text)
    table.lift(ANNE)
    while table.match.turn == 0:
        table.push(0, table.match.legal_moves[0].text)
    while table.match.turn != 0:
        assert table.seat_open_to(ANNE) is None
        table.push(int(table.match.turn or 0), table.match.legal_moves[0].text)
    assert table.curtain(ANNE) == 0


def test_lifting_is_only_for_who_is_to_decide(house: House) -> None:
    table = table_for(house, "dicerun", "me", "bot", "me")
    while table.match.turn != 1:
        table.push(int(table.match.turn or 0), table.match.legal_moves[0].text)
    table.lift(ANNE)
    assert table.seat_open_to(ANNE) is None
    table.lift("somebody else")
    assert table.curtain("somebody else") is None
    assert table.seat_open_to("somebody else") is None


def test_one_seat_or_an_open_game_needs_no_curtain(house: House) -> None:
    alone = table_for(house, "dicerun", "me", "bot")
    assert not alone.curtained(ANNE)
    assert alone.seat_open_to(ANNE) == 0
    shared = table_for(house, "rapido", "me", "me")
    assert not shared.curtained(ANNE)
    assert shared.seat_open_to(ANNE) == shared.match.turn


def test_the_seats_of_one_person_have_different_names(house: House) -> None:
    table = table_for(house, "dicerun", "me", "bot", "me", "me")
    assert [seat.name for seat in table.seating] == ["Anne", "Nefer", "Anne 2", "Anne 3"]


def test_who_gives_up_at_a_shared_screen_leaves_the_others_playing(house: House) -> None:
    table = table_for(house, "rapido", "me", "me", "me")
    table.resign(1)
    assert table.playing
    assert table.seating.way_out(1) == "resign"
    assert table.seating.seats_played_by(ANNE) == [0, 2]
    html = page(table, house)
    assert "gave up, a bot plays on" in html
    assert re.findall(r'/resign" name="seat" value="(\d)".*?>([^<]*)<', html) == [
        ("0", "Anne resigns"),
        ("2", "Anne 3 resigns"),
    ]
    table.resign(0)
    assert table.playing
    assert ">Resign<" in page(table, house)
    table.resign(2)
    assert (table.status, table.row.ending, table.ended_by) == ("over", "resigned", 2)


def test_only_the_last_at_a_shared_screen_abandons_a_match(house: House) -> None:
    table = table_for(house, "rapido", "me", "me")
    with pytest.raises(Refused, match="others are still playing here"):
        table.abandon(0)
    table.resign(1)
    with pytest.raises(Refused, match="others are still playing here"):
        table.abandon(1)
    table.abandon(0)
    assert table.over


def test_a_bot_that_plays_on_at_a_shared_screen_shows_nobody_its_hand(house: House) -> None:
    table = table_for(house, "dicerun", "me", "me", "me")
    gone = int(table.match.turn or 0)
    left = [seat for seat in range(3) if seat != gone]
    table.lift(ANNE)
    table.resign(gone)
    assert table.match.turn == gone
    assert table.curtain(ANNE) is None
    assert table.seat_open_to(ANNE) is None
    told = page_message(house, table, ANNE, LANG)
    assert not told["yours"]
    assert 'name="move"' not in told["html"]
    while table.match.turn == gone:
        table.push(gone, table.match.legal_moves[-1].text, by_bot=True)
    assert table.curtain(ANNE) == table.match.turn
    table.resign(left[0])
    assert not table.curtained(ANNE)
    assert table.seat_open_to(ANNE) == left[1]


def test_what_a_bot_played_on_is_not_taken_back_by_who_gave_up(house: House) -> None:
    table = table_for(house, "rapido", "me", "me")
    gone = int(table.match.turn or 0)
    table.resign(gone)
    table.push(gone, table.match.legal_moves[0].text, by_bot=True)
    assert table.pushes_to_take_back(gone) == 0
    with pytest.raises(Refused, match="you have given up"):
        table.take_back(gone)


def test_each_at_a_shared_screen_gives_up_by_name(tmp_path: Path) -> None:
    with opened(tmp_path, bot_pause=60.0) as client:
        path = client.post("/new/rapido", data={"seat0": "me", "seat1": "me", "seat2": "me"}).url.path
        table = table_at(client, path)
        last = (int(table.match.turn) + 2) % 3
        client.post(f"{path}/resign", data={"seat": str(last)})
        assert [seat for seat in range(3) if table.seating.way_out(seat)] == [last]
        client.post(f"{path}/return")
        assert table.seating.way_out(last) == "resign"
