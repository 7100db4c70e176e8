"""The lobby: what it lists, and for whom."""

import gzip
import html
import re
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import teerling
from teerling.server.database.storage import TABLES, now
from teerling.server.page import environment
from teerling.server.page.scenery import has_front, scenery
from teerling.server.web.lobby import table_line, told_line
from teerling.words import Speaker
from tests.server.houses import flat, new_table, opened, table_at
from tests.variants import GAMES

FREE = [{"kind": "me"}, {"kind": "open"}]
PEOPLE_AND_A_BOT = [{"kind": "me"}, {"kind": "me"}, {"kind": "bot", "level": "random"}]


def listed(client: TestClient, heading: str) -> str:
    """A list of the lobby as shown (`turns`, `waiting`, `finished`, `open-h`, `watch-h`), or nothing."""
    found = re.search(f'"{heading}"[^>]*>.*?</section>', flat(client.get("/").text), re.DOTALL)
    return "" if found is None else html.unescape(found[0])


def mine(client: TestClient) -> str:
    """All lists of the visitor's own tables."""
    return "".join(listed(client, name) for name in ("turns", "waiting", "finished"))


def test_a_visitor_without_a_cookie_sees_what_can_be_joined_and_watched(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        free = new_table(client, seats=FREE)["table"]["id"]
        played = new_table(client, seats=PEOPLE_AND_A_BOT)["table"]["id"]
        assert not client.cookies
        assert f"/tables/{free}" in listed(client, "open-h")
        assert f"/tables/{played}" in listed(client, "watch-h")


def test_own_tables_are_listed_as_own_only(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        for seats in ({"seat0": "me", "seat1": "open"}, {"seat0": "me", "seat1": "me"}):
            path = client.post("/new/ra", data={"public": "yes", **seats}).url.path
            assert path in mine(client)
            assert path not in listed(client, "open-h") + listed(client, "watch-h")


def test_my_games_say_whose_turn_it_is(tmp_path: Path) -> None:
    with opened(tmp_path, bot_pause=60.0) as client:
        form = {"name": "Anne", "seat0": "me", "seat1": "open", "public": "yes"}
        path = client.post("/new/ra", data=form).url.path
        assert "one chair free" in listed(client, "waiting")
        anne = dict(client.cookies)
        client.cookies.clear()
        client.post(f"{path}/join", data={"seat": "1", "name": "Bram"})
        bram = dict(client.cookies)
        table = table_at(client, path)
        for _ in range(2):
            turn = int(table.match.turn or 0)
            client.cookies = [bram, anne][turn]  # type: ignore[assignment]
            assert f"{table.seating[turn].name}'s turn" in listed(client, "waiting")
            assert path not in listed(client, "turns")
            client.cookies = [anne, bram][turn]  # type: ignore[assignment]
            assert '<span class="badge">your turn</span>' in listed(client, "turns")
            client.post(f"{path}/move", data={"move": "invoke", "at": str(table.version)})
        table.give_to_bot(turn := int(table.match.turn or 0), 1 - turn)
        client.cookies = [anne, bram][turn]  # type: ignore[assignment]
        assert f"{table.seating[turn].name}'s turn" in listed(client, "waiting")


def test_a_visitor_chooses_among_free_seats_by_number(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        free = [*FREE, {"kind": "open"}]
        path = f"/tables/{new_table(client, seats=free)['table']['id']}"
        page = flat(client.get(path).text)
        offered = re.findall(r'name="seat" value="(\d)" class="plus" aria-label="([^"]*)"', page)
        assert offered == [("1", "Take seat 2"), ("2", "Take seat 3")]
        client.post(f"{path}/join", data={"seat": "2", "name": "Cleo"})
        assert table_at(client, path).seating[2].name == "Cleo"


@pytest.mark.parametrize(("pace", "idle"), [("live", timedelta(hours=2)), ("days", timedelta(days=8))])
def test_a_table_that_everybody_left_is_nothing_to_watch(tmp_path: Path, pace: str, idle: timedelta) -> None:
    with opened(tmp_path) as client:
        left, lively = (
            new_table(client, seats=[{"kind": "me"}, {"kind": "me"}], pace=pace)["table"]["id"]
            for _ in range(2)
        )
        with client.app.state.context.house.storage.engine.begin() as connection:  # type: ignore[attr-defined]
            connection.execute(TABLES.update().where(TABLES.c.id == left).values(changed=now() - idle))
        watched = listed(client, "watch-h")
        assert lively in watched
        assert left not in watched


@pytest.mark.parametrize("game", GAMES)
def test_play_now_and_the_form_have_as_many_seats_as_usually_play(tmp_path: Path, game: str) -> None:
    usual = teerling.game(game).usual_players
    with opened(tmp_path) as client:
        form = client.get(f"/new/{game}").text
        chosen = re.findall(r'<option value="(me|open|bot|none)"\s+selected', form)
        assert len(chosen) - chosen.count("none") == usual
        assert re.findall(r'name="players"\s+value="(\d)"\s+checked', form) == [str(usual)]
        played = client.post(f"/play/{game}").url.path
        assert len(table_at(client, played).seating) == usual


def test_a_table_that_waits_for_me_tells_what_is_going_on(tmp_path: Path) -> None:
    with opened(tmp_path, bot_pause=60.0) as client:
        path = client.post("/new/ra", data={"name": "Anne", "seat0": "me", "seat1": "me"}).url.path
        table = table_at(client, path)
        client.post(f"{path}/move", data={"move": "invoke", "at": str(table.version)})
        assert "invokes Ra" in listed(client, "turns")
        assert "One table waits for you" in client.get("/").text


def test_what_is_going_on_tells_no_secret_of_another_seat(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        form = {"seat0": "me", "seat1": "me", "name": "Anne", "name1": "Bram"}
        path = client.post("/new/dicerun", data=form).url.path
        table = table_at(client, path)
        person = str(table.seating[0].person_id)
        line = told_line(table_line(table.row, person), table, person)
        assert line.match is not None
        # At a shared screen the curtain is down: what everybody may know, and nothing else.
        assert line.match.seat is None
        assert line.match.observation == table.match.seen(None).to_bytes()


def test_finished_matches_show_place_score_and_day(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        form = {"name": "Anne", "seat0": "me", "seat1": "me", "option_goal": "5"}
        path = client.post("/new/rapido", data=form).url.path
        table = table_at(client, path)
        while not table.over:
            move = table.match.legal_moves[-1].text
            client.post(f"{path}/move", data={"move": move, "at": str(table.version)}, follow_redirects=False)
        line = flat(listed(client, "finished"))
        best = max(table.match.scores)
        assert '<span class="place first">place 1</span>' in line
        assert f"of 2, {best} points" in line
        assert Speaker("en").day(now()) in line
        assert path not in listed(client, "turns") + listed(client, "waiting")
        shelf = client.get("/").text.split('class="shelf"', 1)[1].split("</section>", 1)[0]
        assert shelf.count("New table</span>") == shelf.count("<article"), "whoever comes back finds it, too"


def test_a_preset_seats_bots_friends_or_everybody_at_one_screen(tmp_path: Path) -> None:
    with opened(tmp_path, bot_pause=60.0) as client:
        for preset, kinds in (("bots", "bot"), ("friends", "open"), ("screen", "person")):
            form = {"preset": preset, "players": "3", "level": "novice", "player1": "Bram", "seat3": "bot"}
            table = table_at(client, client.post("/new/ra", data=form).url.path)
            assert [seat.kind for seat in table.seating] == ["person", kinds, kinds]
            if preset == "bots":
                assert [seat.level for seat in table.seating] == [None, "novice", "novice"]
            if preset == "screen":
                assert table.seating[1].name == "Bram"
        for players in ("9", "x", "", "٣"):
            refused = client.post("/new/ra", data={"preset": "bots", "players": players})
            assert refused.status_code == 422, players


def test_play_now_takes_the_level_and_remembers_it_and_the_count(tmp_path: Path) -> None:
    with opened(tmp_path, bot_pause=60.0) as client:
        client.post("/new/ra", data={"preset": "bots", "players": "3", "level": "novice"})
        first = table_at(client, client.post("/play/ra").url.path)
        assert [seat.level for seat in first.seating] == [None, "novice", "novice"]
        client.post("/play/rapido", data={"level": "random"})
        second = table_at(client, client.post("/play/ra").url.path)
        assert [seat.level for seat in second.seating] == [None, "random", "random"]
        assert re.search(r'<option\s+value="random"\s+selected', client.get("/").text)
        assert client.post("/play/ra", data={"level": "nobody"}).status_code == 422


@pytest.mark.parametrize("text", ["", "nobody.ra-9", "club.ra-x.-.ra", "." * 5000, "club.nowhere-3"])
def test_habits_that_nobody_has_are_left_out(tmp_path: Path, text: str) -> None:
    with opened(tmp_path) as client:
        client.cookies.set("habits", text)
        assert client.get("/").status_code == 200
        table = table_at(client, client.post("/play/ra").url.path)
        assert len(table.seating) == teerling.game("ra").usual_players


def test_the_first_page_is_small(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        parts = [client.get(path).content for path in ("/", "/styles.css")]
        assert sum(len(gzip.compress(part)) for part in parts) < 60_000


def test_a_game_without_a_scene_is_listed_all_the_same() -> None:
    assert scenery("ra", fronts=("ra",)).count("<symbol id=") < environment.drawings("ra").count(
        "<symbol id="
    )
    assert not has_front("rapido")


def test_a_stranger_sees_all_games_before_the_deal_of_the_day(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        page = client.get("/").text
        cards = [
            page.index(f'action="/play/{of.id}"', page.index('class="games"')) for of in teerling.list_games()
        ]
        assert max(cards) < page.index('id="deal-h"')


@pytest.mark.parametrize(("name", "hello"), [("", "Welcome back</h1>"), ("Anne", "Welcome back, Anne</h1>")])
def test_who_gave_no_name_is_not_called_by_one(tmp_path: Path, name: str, hello: str) -> None:
    with opened(tmp_path) as client:
        client.post("/new/rapido", data={"preset": "friends", "players": "3", "name": name})
        assert hello in flat(client.get("/").text)
