"""Tables without a server around them, and what a house does with those that it finds."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from teerling import players
from teerling.errors import TeerlingError
from teerling.game import game
from teerling.players import ready
from teerling.server.context import open_house
from teerling.server.database.storage import TABLES, Entry, now
from teerling.server.database.transactions import StorageGone
from teerling.server.house import House
from teerling.server.refusals import Refused
from teerling.server.settings import Settings
from teerling.server.tables.opening import Place, create, load
from teerling.server.tables.table import Table
from teerling.server.thinking.bots import is_watched
from tests.apart import run_apart
from tests.server.houses import bearer, flat, house_of, new_table, opened, page_message, table_at
from tests.variants import GAMES

ANNE, BRAM = "anne", "bram"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = open_house(Settings.read(tmp_path))
    house.storage.migrate()
    for person in (ANNE, BRAM):
        house.storage.save_person(person, person.capitalize())
    yield house
    house.storage.close()


def table_for(house: House, *kinds: str, of: str = "ra", **options: object) -> Table:
    places = [Place(kind, level="random" if kind == "bot" else "") for kind in kinds]
    return create(house.storage, of, places, ANNE, "Anne", options, seed="7")[0]


def change(house: House, table: Table, **values: object) -> None:
    with house.storage.engine.begin() as connection:
        connection.execute(TABLES.update().where(TABLES.c.id == table.id).values(**values))


def test_a_table_keeps_the_rules_that_it_began_with(house: House) -> None:
    table = table_for(house, "me", "bot", of="dicerun")
    assert table.match.version == game("dicerun").version == 2
    change(house, table, rules=1)
    assert load(house.storage, table.id).match.version == 1


def test_nobody_takes_a_seat_back_after_the_end(house: House) -> None:
    table = table_for(house, "me", "open")
    table.join(1, BRAM, "Bram")
    table.resign(1)
    table.resign(0)
    assert table.over
    stored = len(house.storage.entries(table.id))
    with pytest.raises(Refused, match="the match is over"):
        table.take_seat_back(1)
    assert len(house.storage.entries(table.id)) == stored


def test_a_table_that_can_not_be_opened_does_not_keep_the_house_closed(house: House) -> None:
    broken, whole = (table_for(house, "bot", "me", of="rapido", first=0) for _ in range(2))
    change(house, broken, game="chess")

    async def start() -> set[str]:
        await house.start()
        async with asyncio.timeout(10):
            while not house.bots.play_at(whole.id):
                await asyncio.sleep(0.01)
        woken = {table.id for table in (broken, whole) if house.bots.play_at(table.id)}
        await house.stop()
        return woken

    assert run_apart(start()) == {whole.id}


def test_only_players_are_remembered_as_seen(house: House) -> None:
    table = table_for(house, "me", "bot")
    house.presence.notice(table, BRAM)
    house.presence.notice(table, ANNE)
    assert set(house.presence.seen) == {(table.id, ANNE)}


def test_public_tables_of_one_game_are_found_behind_many_of_another(tmp_path: Path) -> None:
    seats = [{"kind": "me"}, {"kind": "open"}]
    with opened(tmp_path) as client:
        rare = new_table(client, "rapido", seats)["table"]["id"]
        for _ in range(21):
            new_table(client, "ra", seats)
        found = client.get("/api/tables", params={"game": "rapido"}).json()["tables"]
    assert [table["id"] for table in found] == [rare]


def people(client: TestClient) -> int:
    with house_of(client).storage.engine.connect() as connection:
        return int(connection.exec_driver_sql("select count(*) from people").scalar_one())


def test_who_has_no_seat_is_refused_and_not_stored(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        table_id = new_table(client)["table"]["id"]
        before = people(client)
        assert client.post(f"/tables/{table_id}/resign").status_code == 403
        assert people(client) == before


def test_a_rematch_at_one_screen_keeps_the_names(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        seats = {"name": "Anne", "seat0": "me", "seat1": "me", "name1": "Cleo"}
        first = client.post("/new/rapido", data=seats).url.path
        for seat in ("0", "1"):
            client.post(f"{first}/resign", data={"seat": seat})
        second = client.post(f"{first}/rematch").url.path
        assert second != first
        table = client.get(f"/api{second}").json()
        assert client.post(f"{first}/rematch").url.path == second
    assert [seat["name"] for seat in table["seats"]] == ["Anne", "Cleo"]


def test_the_secret_is_made_once_and_read_by_its_owner_only(tmp_path: Path) -> None:
    assert len(Settings.read(tmp_path).secret) == 64
    assert Settings.read(tmp_path).secret == (tmp_path / "secret").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]
    assert (tmp_path / "secret").stat().st_mode & 0o077 == 0


def test_who_has_a_stand_in_takes_the_seat_back_before_moving(house: House) -> None:
    table = table_for(house, "me", "open")
    table.join(1, BRAM, "Bram")
    turn = table.match.turn
    assert turn is not None
    table.give_to_bot(turn, 1 - turn)
    for action in (lambda: table.push(turn, "draw"), lambda: table.resign(turn)):
        with pytest.raises(Refused, match="take it back first"):
            action()
    table.take_seat_back(turn)
    table.push(turn, "draw")


def test_nobody_sits_twice_at_a_table_of_others(house: House) -> None:
    table = table_for(house, "me", "open", "open")
    table.join(1, BRAM, "Bram")
    with pytest.raises(Refused, match="already sit"):
        table.join(2, BRAM, "Bram")


def test_a_table_at_which_others_sit_can_not_be_closed(house: House) -> None:
    table = table_for(house, "me", "open", "open")
    table.join(1, BRAM, "Bram")
    with pytest.raises(Refused, match="resign instead"):
        table.abandon(1)
    assert not table.over


@pytest.mark.parametrize(("fame", "needed"), [("open", False), ("hidden", True)])
def test_hidden_fame_needs_a_curtain_at_a_shared_screen(house: House, fame: str, needed: bool) -> None:
    places = [Place("me"), Place("me", "Bram")]
    table, _ = create(house.storage, "ra", places, ANNE, "Anne", {"fame": fame}, seed="7")
    assert table.curtained(ANNE) is needed


def test_a_bot_that_can_not_decide_does_not_stop_the_table(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no idea")

    table = table_for(house, "me", "bot")
    novice = players.level("novice")
    monkeypatch.setattr(novice, "choose", fail)
    sight = players.observe(table.match, 0)
    assert run_apart(house.bots.choice(novice, sight)) in table.game.legal_moves(sight.seen)


def test_bots_play_without_search_until_it_has_been_compiled(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "is_ready", lambda of: False)
    table = table_for(house, "me", "bot")
    sight = players.observe(table.match, 0)
    advised = players.player("heuristic").choose(sight, 1).move
    assert run_apart(house.bots.choice(players.level("master"), sight)) == advised


def test_only_bots_that_search_have_to_warm_up(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("teerling.server.thinking.bots.is_preparing", lambda of: True)
    places = [Place("me"), Place("bot", level="casual")]
    table, _ = create(house.storage, "ra", places, ANNE, "Anne", {}, seed="7")
    assert not house.bots.are_preparing(table)
    table.seating[1].level = "club"
    assert house.bots.are_preparing(table)


@pytest.mark.parametrize("level", ["god", "plain:1000000", "search:3600s", "simple"])
def test_only_levels_sit_at_a_table(house: House, level: str) -> None:
    with pytest.raises(TeerlingError, match=f"there is no level {level!r}; there are random, novice"):
        create(house.storage, "ra", [Place("me"), Place("bot", level=level)], ANNE, "Anne", {})
    assert house.storage.count_tables() == 0


def test_finished_tables_do_not_fill_a_house(house: House) -> None:
    table = table_for(house, "me", "bot")
    assert house.storage.count_tables() == 1
    table.resign(0)
    assert house.storage.count_tables() == 0


def test_a_page_is_told_when_somebody_has_been_away_for_long(tmp_path: Path) -> None:
    with opened(tmp_path, absent_after=0.2) as client:
        made = new_table(client, seats=[{"kind": "me"}, {"kind": "open"}])
        path = f"/tables/{made['table']['id']}"
        client.post(f"{path}/join", data={"seat": "1", "name": "Bram"})
        table = table_at(client, made["table"]["id"])
        if table.match.turn == 1:
            client.post(f"{path}/move", data={"move": "invoke", "at": str(table.version)})
        assert table.match.turn == 0
        with client.websocket_connect(f"{path}/live?lang=en") as socket:
            while "has been away for a long time" not in socket.receive_json()["html"]:
                pass


def table_of_two(house: House, pace: str = "live", *more: str) -> Table:
    """Anne in seat 0, Bram in seat 1, and maybe somebody more."""
    places = [Place("me"), Place("open"), *(Place(kind) for kind in more)]
    table, _ = create(house.storage, "ra", places, ANNE, "Anne", {}, pace=pace, seed="7")
    table.join(1, BRAM, "Bram")
    return table


@pytest.mark.parametrize(("pace", "way"), [("live", "absent"), ("days", "time")])
def test_the_record_tells_why_a_bot_sits_in(house: House, pace: str, way: str) -> None:
    table = table_of_two(house, pace)
    table.give_to_bot(1, 0)
    assert table.seating.way_out(1) == load(house.storage, table.id).seating.way_out(1) == way
    table.take_seat_back(1)
    assert table.seating.way_out(1) is None
    table.resign(1)
    assert table.seating.way_out(1) == load(house.storage, table.id).seating.way_out(1) == "resign"


def test_who_has_given_up_does_not_come_back(house: House) -> None:
    table = table_of_two(house)
    table.resign(1)
    for action in (lambda: table.take_seat_back(1), lambda: table.resign(1)):
        with pytest.raises(Refused, match="you have given up"):
            action()


@pytest.mark.parametrize(
    ("pace", "ending", "told"),
    [("live", "abandoned", "Bram left the table"), ("days", "time", "Bram ran out of time")],
)
def test_who_is_left_alone_may_end_the_match(house: House, pace: str, ending: str, told: str) -> None:
    table = table_of_two(house, pace)
    table.end_without(1, 0)
    again = load(house.storage, table.id)
    assert (again.status, again.row.ending, again.ended_by) == ("over", ending, 1)
    assert again.last is not None
    assert again.last.kind == ending
    assert told in page_message(house, again, ANNE, "en")["html"]


def test_giving_up_is_an_end_of_its_own(house: House) -> None:
    table = table_of_two(house)
    table.resign(1)
    assert "gave up, a bot plays on" in page_message(house, table, ANNE, "en")["html"]
    table.resign(0)
    assert (table.row.ending, table.ended_by) == ("resigned", 0)
    html = page_message(house, table, BRAM, "en")["html"]
    assert "Anne gave up, and so the match ended." in html
    assert "You gave up; a bot played on." in html


def test_a_table_that_never_filled_was_closed(house: House) -> None:
    table = table_for(house, "me", "open")
    table.abandon(0)
    assert "closed before the match began" in page_message(house, table, ANNE, "en")["html"]


def test_nobody_ends_a_match_that_others_still_play(house: House) -> None:
    table = table_of_two(house, "live", "open")
    house.storage.save_person("cleo", "Cleo")
    table.join(2, "cleo", "Cleo")
    with pytest.raises(Refused, match="others are still playing here"):
        table.end_without(1, 0)
    assert table.playing


def test_the_parts_of_an_option_make_one_value(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        form = {
            "seat0": "me",
            "seat1": "open",
            "name1": "Nobody",
            "option_deck": ["3", "4", "6", "8", "8", "8"],
        }
        answer = client.post("/new/dicerun", data=form, follow_redirects=False)
        table = table_at(client, answer.headers["location"])
        assert table.match.options["deck"] == (3, 4, 6, 8, 8, 8)
        assert table.seating[1].name == ""
        assert "Seat 2" in client.get(answer.headers["location"]).text


def told(house: House, table: Table, lang: str = "en") -> tuple[str, str, str]:
    """The title, the heading of the prompt and the announcement of a table's page."""
    live = page_message(house, table, ANNE, lang)
    heading = re.search(r'<h2 id="(?:prompt|wait)-h"[^>]*>([^<]*)</h2>', live["html"])
    assert heading is not None
    return live["title"], heading[1].strip(), live["announce"]


def test_a_table_that_waits_says_so_and_nothing_of_its_match(house: House) -> None:
    table = table_for(house, "me", "open", of="dicerun")
    waiting = "Waiting for players"
    assert told(house, table) == (f"{waiting} · DiceRun", "One chair is still free", waiting)
    assert told(house, table, "nl")[2] == "Wachten op spelers"
    html = page_message(house, table, ANNE, "en")["html"]
    for secret in ("your mission", 'class="hand', 'class="points"', "/replay", "/file"):
        assert secret not in html, secret


def test_a_screen_reader_hears_what_happened_since_the_own_move_in_one_sentence(house: House) -> None:
    table = table_for(house, "me", "bot", of="rapido")
    table.push(0, "throw")
    title, _, said = told(house, table)
    happened, _, standing = said.rpartition("; ")
    assert title == f"● {standing} · Rapido"
    assert "You throw" in happened
    assert ". " not in said


def test_at_one_screen_everybody_is_called_by_name_and_the_strip_stays(house: House) -> None:
    table = table_for(house, "me", "me", "bot")
    strips, turns = [], []
    for _ in range(2):
        page = str(page_message(house, table, ANNE, "en")["html"])
        strips.append(re.findall(r'data-place="seat(\d)"', page))
        turns.append(told(house, table)[2])
        assert "Your" not in turns[-1]
        assert "You" not in re.findall(r'class="nm" title="([^"]*)"', page)
        table.push(table.match.turn, table.match.legal_moves[0].text)
    assert strips == [["0", "1", "2"]] * 2
    assert turns[0] != turns[1]


@pytest.mark.parametrize("of", ["ra", "priests"])
def test_bots_and_pages_hurry_while_people_only_look_on(house: House, of: str) -> None:
    table = table_for(house, "me", "bot", "bot", of=of)
    hurried: list[bool] = []
    for _ in range(400):
        seat, texts = table.match.turn, [move.text for move in table.match.legal_moves]
        mine = (
            [text for text in texts if text.startswith("bid")][-1:] or ["invoke"] if seat == 0 else ["pass"]
        )
        table.push(seat, next((text for text in mine if text in texts), texts[0]))
        assert page_message(house, table, ANNE, "en")["watched"] == is_watched(table)
        last = table.match.steps_since(table.match.pushes[-1])
        if any(event.kind in table.game.rounds for step in last for event in step):
            break
        hurried.append(is_watched(table))
        # What somebody has just done is shown as usual.
        assert not (hurried[-1] and seat == 0)
    assert True in hurried
    assert hurried == sorted(hurried)
    assert not is_watched(table), "the next epoch begins for everybody"


def test_a_table_that_was_closed_says_so(house: House) -> None:
    table = table_for(house, "me", "open")
    table.abandon(0)
    closed = "The table was closed before the match began."
    assert told(house, table) == (f"{closed} · Ra", closed, closed)


@pytest.mark.parametrize("of", GAMES)
def test_a_match_that_was_given_up_is_over_in_every_word(house: House, of: str) -> None:
    table = table_for(house, "me", "bot", of=of)
    table.resign(0)
    title, heading, said = told(house, table)
    assert title == f"The match is over · {table.game.name}"
    assert heading == "The match is over"
    assert said == "You gave up, and so the match ended."
    assert told(house, table, "nl")[1] == "Het potje is afgelopen"


def test_a_title_begins_with_a_capital(house: House) -> None:
    table, _ = create(house.storage, "ra", [Place("me", "anne"), Place("bot")], ANNE, "anne", {}, seed="7")
    assert page_message(house, table, BRAM, "en")["title"][:1].isupper()


def test_odds_are_told_only_while_a_match_is_played(house: House) -> None:
    table = table_for(house, "me", "open", of="rapido")
    odds = ("Odds of another throw", "worth as much or more")
    assert not any(words in page_message(house, table, ANNE, "en")["html"] for words in odds)
    table.join(1, BRAM, "Bram")
    for person in (ANNE, BRAM):
        assert all(words in page_message(house, table, person, "en")["html"] for words in odds)
    table.resign(1)
    table.resign(0)
    assert not any(words in page_message(house, table, ANNE, "en")["html"] for words in odds)


def test_nothing_of_a_match_is_told_before_everybody_sits(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        path = client.post("/new/dicerun", data={"seat0": "me", "seat1": "open"}).url.path
        for place in ("replay", "replay?seat=0", "replay/last", "file"):
            page = client.get(f"{path}/{place}")
            assert page.status_code == 409, place
            assert "The match has not begun: seats are still free" in page.text
        assert client.get(f"{path}/verify").status_code == 200
        dutch = client.get(f"{path}/replay", headers={"Accept-Language": "nl"})
        assert "Het potje is nog niet begonnen" in dutch.text
        made = new_table(client, "dicerun", [{"kind": "me"}, {"kind": "open"}])
        path, mine = f"/api/tables/{made['table']['id']}", bearer(made["token"])
        for place in ("view", "history", "file"):
            for headers in (mine, {}):
                answer = client.get(f"{path}/{place}", headers=headers)
                assert answer.status_code == 409, place
                assert "has not begun" in answer.json()["error"]["message"]
        heard = client.get(f"{path}/events?since=0", headers=mine).text
        assert '"moves": 0' in heard
        assert '"events": []' in heard
        client.post(f"{path}/join", json={})
        assert client.get(f"{path}/view", headers=mine).json()["view"]["moves"] > 0


def test_a_player_is_called_by_the_name_of_the_seat(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        path = client.post("/new/ra", data={"name": "Anne", "seat0": "open", "seat1": "me"}).url.path
        client.post("/name", data={"name": "Anneke"})
        table = table_at(client, path)
        assert table.seating.name_of(table.seating[1].person_id) == "Anne"
        assert table.seating.name_of("nobody") == ""


def test_who_is_refused_a_table_keeps_the_name(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        client.post("/name", data={"name": "Bram"})
        seats = {"name": "Cleo", "seat0": "me", "seat1": "open"}
        assert client.post("/new/rapido", data={**seats, "option_goal": "x"}).status_code == 422
        assert 'value="Bram"' in client.get("/").text
        table = client.get(f"/api{client.post('/new/rapido', data=seats).url.path}").json()
        assert table["seats"][0]["name"] == "Cleo"
        assert 'value="Cleo"' in client.get("/").text


def test_who_is_refused_a_seat_keeps_the_name(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        free = new_table(client, seats=[{"kind": "me"}, {"kind": "open"}])["table"]["id"]
        client.post("/name", data={"name": "Bram"})
        assert client.post(f"/tables/{free}/join", data={"seat": "0", "name": "Cleo"}).status_code == 409
        assert 'value="Bram"' in client.get("/").text
        joined = client.post(f"/tables/{free}/join", data={"seat": "1", "name": "Cleo"})
        assert '<b>Cleo</b><span class="note">you' in flat(joined.text)
        assert 'value="Cleo"' in client.get("/").text


def test_after_a_take_back_nature_draws_anew_and_it_is_counted_and_stored(house: House) -> None:
    table = table_for(house, "me", "bot")
    while table.match.turn != 0:
        table.push(1, "draw" if "draw" in map(str, table.match.legal_moves) else "pass", by_bot=True)
    before = table.match.draws
    table.push(0, "draw")
    first = table.match.draws
    assert len(first) > len(before)
    assert table.would_draw_anew(0)
    table.take_back(0)
    assert (table.take_backs_of(0), table.take_backs_of(1)) == (1, 0)
    table.push(0, "draw")
    new = table.match.draws[len(before) :]
    assert set(new).isdisjoint(first)
    again = load(house.storage, table.id)
    assert again.match.save() == table.match.save()
    assert again.take_backs_of(0) == 1


def test_a_take_back_without_chance_is_as_it_was_and_is_not_counted(house: House) -> None:
    table = table_for(house, "me", "open")
    table.join(1, BRAM, "Bram")
    turn = int(table.match.turn or 0)
    table.push(turn, "invoke")
    seat = next(seat for seat in (0, 1) if table.pushes_to_take_back(seat))
    assert not table.would_draw_anew(seat)
    table.take_back(seat)
    assert table.take_backs_of(seat) == 0
    assert table.match.taken_back == ()


def test_among_people_nothing_is_taken_back_after_chance(house: House) -> None:
    table = table_for(house, "me", "open")
    table.join(1, BRAM, "Bram")
    turn = int(table.match.turn or 0)
    table.push(turn, "draw")
    assert table.pushes_to_take_back(turn) == 0
    with pytest.raises(Refused, match="chance"):
        table.take_back(turn)


def test_tables_of_before_keep_the_luck_that_came_again(house: House) -> None:
    """What an older version stored as a take back brought the same luck again, and still does."""
    table = table_for(house, "me", "bot")
    while table.match.turn != 0:
        table.push(1, "draw" if "draw" in map(str, table.match.legal_moves) else "pass", by_bot=True)
    table.push(0, "draw")
    expected = table.match.save()
    entries = [
        Entry(table.id, table.version + i, kind, 0, text, now())
        for i, (kind, text) in enumerate((("back", "1"), ("move", "draw")))
    ]
    house.storage.append(entries)
    again = load(house.storage, table.id)
    assert again.match.save() == expected
    assert again.take_backs_of(0) == 0


def test_a_take_back_that_is_not_stored_did_not_happen(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_for(house, "me", "bot")
    while table.match.turn != 0:
        table.push(1, "draw" if "draw" in map(str, table.match.legal_moves) else "pass", by_bot=True)
    table.push(0, "draw")
    before = table.match.save()

    def gone(*_: object, **__: object) -> None:
        raise StorageGone("gone")

    monkeypatch.setattr(house.storage, "append", gone)
    with pytest.raises(StorageGone):
        table.take_back(0)
    assert table.match.save() == before
    assert table.take_backs_of(0) == 0


def test_when_everybody_has_sat_down_those_who_play_together_are_told_who_begins(house: House) -> None:
    def opening(person: str) -> str:
        html = flat(page_message(house, table, person, "en")["html"])
        return html.partition('class="curtain-call opening"')[2].partition("</section>")[0]

    table = table_for(house, "me", "open", of="rapido")
    assert opening(ANNE) == ""
    table.join(None, BRAM, "Bram")
    first = (ANNE, BRAM)[table.match.turn or 0]
    for person in (ANNE, BRAM):
        assert "The match begins" in opening(person)
        assert ("You begin" in opening(person)) == (person == first)
    assert opening("somebody else") == "", "who watches is not told"
    table.push(table.match.turn or 0, table.match.legal_moves[0].text)
    assert opening(ANNE) == ""


def test_a_table_opens_until_somebody_decides_where_people_play_together_live(house: House) -> None:
    table = table_for(house, "me", "open", of="rapido")
    assert not table.is_opening
    table.join(None, BRAM, "Bram")
    assert table.is_opening
    table.push(table.match.turn or 0, table.match.legal_moves[0].text)
    assert not table.is_opening
    assert not table_for(house, "me", "bot", of="rapido").is_opening


def test_whoever_plays_against_bots_sits_at_the_board_at_once(house: House) -> None:
    table = table_for(house, "me", "bot", of="rapido")
    assert "The match begins" not in page_message(house, table, ANNE, "en")["html"]
