"""The lobby: what it lists, and for whom."""

import html
import re
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import teerling
from teerling.server.storage import TABLES, now
from tests.server.houses import flat, new_table, opened, table_at
from tests.variants import GAMES

FREE = [{"kind": "me"}, {"kind": "open"}]
PEOPLE_AND_A_BOT = [{"kind": "me"}, {"kind": "me"}, {"kind": "bot", "level": "random"}]


def listed(client: TestClient, heading: str) -> str:
    """A list of the lobby as it is shown: `mine-h`, `open-h` or `watch-h`."""
    found = re.search(f'aria-labelledby="{heading}".*?</section>', flat(client.get("/").text), re.DOTALL)
    assert found is not None
    return html.unescape(found[0])


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
            assert path in listed(client, "mine-h")
            assert path not in listed(client, "open-h") + listed(client, "watch-h")


def test_my_games_say_whose_turn_it_is(tmp_path: Path) -> None:
    with opened(tmp_path, bot_pause=60.0) as client:
        form = {"name": "Anne", "seat0": "me", "seat1": "open", "public": "yes"}
        path = client.post("/new/ra", data=form).url.path
        assert "waiting for players" in listed(client, "mine-h")
        anne = dict(client.cookies)
        client.cookies.clear()
        client.post(f"{path}/join", data={"seat": "1", "name": "Bram"})
        bram = dict(client.cookies)
        table = table_at(client, path)
        for _ in range(2):
            turn = int(table.match.turn or 0)
            client.cookies = [bram, anne][turn]  # type: ignore[assignment]
            assert f"{table.seating[turn].name}'s turn" in listed(client, "mine-h")
            client.cookies = [anne, bram][turn]  # type: ignore[assignment]
            assert "<b>your turn</b>" in listed(client, "mine-h")
            client.post(f"{path}/move", data={"move": "invoke", "at": str(table.version)})
        table.give_to_bot(turn := int(table.match.turn or 0), 1 - turn)
        client.cookies = [anne, bram][turn]  # type: ignore[assignment]
        assert f"{table.seating[turn].name}'s turn" in listed(client, "mine-h")


def test_a_visitor_chooses_among_free_seats_by_number(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        free = [*FREE, {"kind": "open"}]
        path = f"/tables/{new_table(client, seats=free)['table']['id']}"
        offered = re.findall(r'name="seat" value="(\d)">([^<]*)<', flat(client.get(path).text))
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
        played = client.post(f"/play/{game}").url.path
        assert len(table_at(client, played).seating) == usual
