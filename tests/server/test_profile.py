"""Profiles without an account: what counts, what is shown, taken along and deleted."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from teerling.game import game, list_games
from teerling.players import levels
from teerling.server.afterwards.ratings import NEWCOMER, level_ratings, rated
from teerling.server.afterwards.results import places_of, results_of
from teerling.server.database.schema import ChatRow, PersonRow, SeatRow
from teerling.server.tables import opening
from teerling.server.tables.opening import Place
from teerling.server.tables.table import Table
from teerling.server.web import profile
from teerling.server.web.profile import favourite_rival
from tests.server.houses import come_as, flat, house_of, opened

ANNE, BRAM = "anne" * 3, "bram" * 3


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened(tmp_path) as client:
        for person in (ANNE, BRAM):
            house_of(client).storage.save_person(person, person[:4].capitalize())
        yield client


def table_of(client: TestClient, *kinds: str, of: str = "rapido", **options: object) -> Table:
    """A table of Anne's that no house looks after; Bram takes a seat that is open."""
    places = [Place(kind, level="casual" if kind == "bot" else "") for kind in kinds]
    goal = {"goal": 9} if of == "rapido" else {}
    table, _ = opening.create(house_of(client).storage, of, places, ANNE, "Anne", goal | options)
    for seat in table.seating.free:
        table.join(seat, BRAM, "Bram")
    return table


def play(table: Table, seed: int = 1) -> Table:
    chooser = random.Random(seed)
    while table.playing and table.match.turn is not None:
        move = chooser.choice(table.match.legal_moves).text
        table.push(table.match.turn, move, by_bot=True)
    return table


def test_the_levels_of_every_game_are_rated_weakest_first() -> None:
    names = [level.name for level in levels()]
    for of in list_games():
        ratings = level_ratings(of)
        assert list(ratings) == names
        assert list(ratings.values()) == sorted(set(ratings.values()))
        assert ratings["casual"] == NEWCOMER[0]


def test_a_win_against_a_stronger_level_counts_for_more() -> None:
    after = [
        rated([NEWCOMER, (level_ratings(game("ra"))[level], 1.0)], [1, 2])[0][0]
        for level in ("novice", "casual", "master")
    ]
    assert NEWCOMER[0] < after[0] < after[1] < after[2]


def test_who_gave_up_comes_last_and_the_others_move_up(client: TestClient) -> None:
    table = table_of(client, "me", "open", "bot")
    table.resign(0)
    play(table)
    places, ranks = places_of(table), table.match.ranks
    assert places[0] == 3
    assert sorted((places[1], places[2])) == ([1, 1] if ranks[1] == ranks[2] else [1, 2])
    results = results_of(table)
    assert results[0].score is None
    assert (results[1].score, results[1].person_id, results[2].person_id) == (
        table.match.scores[1],
        BRAM,
        None,
    )


def test_a_shared_screen_counts_for_nobody(client: TestClient) -> None:
    table = play(table_of(client, "me", "me"))
    assert [row.person_id for row in results_of(table)] == [None, None]


def test_the_profile_tells_what_was_played(client: TestClient) -> None:
    tables = [play(table_of(client, "me", "bot"), seed) for seed in range(4)]
    play(table_of(client, "me", "open", of="ra"))
    come_as(client, ANNE)
    page = flat(client.get("/me").text)
    assert "<dt>Matches</dt><dd>5</dd>" in page
    wins = sum(table.match.ranks[0] == 1 for table in tables)
    scores = [table.match.scores[0] for table in tables]
    assert f"{sum(scores) / 4:.1f}" in page
    assert f"best {max(scores)}" in page
    if wins:
        assert f"place 1<b>{wins}×</b>" in page.replace(" <b>", "<b>")
    assert "<b>Bram</b>" in page
    assert page.count("<polyline") == 1
    points = re.search(r'<polyline points="([^"]+)"', page)
    assert points is not None
    assert len(points[1].split()) == 4
    assert "Je profiel" in client.get("/me", headers={"Accept-Language": "nl"}).text
    # Bram sees Bram's.
    come_as(client, BRAM)
    assert "<dt>Matches</dt><dd>1</dd>" in flat(client.get("/me").text)


def test_a_match_at_the_server_counts_as_soon_as_it_is_over(client: TestClient) -> None:
    come_as(client, ANNE)
    made = client.post("/play/rapido", follow_redirects=False).headers["location"]
    client.post(f"{made}/resign")
    client.portal.call(house_of(client).results.stop)  # type: ignore[union-attr]
    (match,) = house_of(client).records.matches_of(ANNE)
    assert (match.own.score, match.own.rank) == (None, len(match.results))
    assert match.own.mu is not None
    assert match.own.mu < NEWCOMER[0]


def test_a_result_is_kept_once(client: TestClient) -> None:
    house, table = house_of(client), play(table_of(client, "me", "bot"))
    for _ in range(2):
        client.portal.call(house.results.keep, table)  # type: ignore[union-attr]
        client.portal.call(house.results.catch_up, ANNE)  # type: ignore[union-attr]
    assert len(house.records.matches_of(ANNE)) == 1


def test_people_are_rivals_before_bots_are(client: TestClient) -> None:
    house = house_of(client)
    for seed in range(2):
        play(table_of(client, "me", "bot", "bot"), seed)
    client.portal.call(house.results.catch_up, ANNE)  # type: ignore[union-attr]
    rival = favourite_rival(house.records.matches_of(ANNE))
    assert rival is not None
    assert (rival.level, rival.matches, rival.name) == ("casual", 2, "")
    play(table_of(client, "me", "open"))
    client.portal.call(house.results.catch_up, ANNE)  # type: ignore[union-attr]
    rival = favourite_rival(house.records.matches_of(ANNE))
    assert rival is not None
    assert (rival.level, rival.matches, rival.name) == (None, 1, "Bram")


def test_everything_is_taken_along(client: TestClient) -> None:
    table = play(table_of(client, "me", "open"))
    table.say(ANNE, "goed gespeeld")
    table.say(BRAM, "dank je")
    come_as(client, ANNE)
    answer = client.get("/me/export")
    assert "attachment" in answer.headers["content-disposition"]
    told = json.loads(answer.text)
    assert told["format"] == "teerling profile 1"
    assert told["name"] == "Anne"
    assert [match["table"] for match in told["matches"]] == [table.id]
    assert told["matches"][0]["scores"] == list(table.match.scores)
    assert [line["text"] for line in told["chat"]] == ["goed gespeeld"]
    client.cookies.clear()
    assert json.loads(client.get("/me/export").text) == {"format": "teerling profile 1"}


def test_of_very_many_matches_the_last_are_listed_and_all_are_taken_along(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile, "MOST_LINES", 2)
    tables = [play(table_of(client, "me", "bot"), seed) for seed in range(3)]
    come_as(client, ANNE)
    page = flat(client.get("/me").text)
    assert "The last 2 matches" in page
    assert [f"/tables/{table.id}/replay" in page for table in tables] == [False, True, True]
    assert len(json.loads(client.get("/me/export").text)["matches"]) == 3


@pytest.mark.parametrize("path", ["/me", "/me/export"])
def test_what_somebody_played_is_worked_out_aside_at_the_expense_of_their_address(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    made: list[str] = []
    make = house_of(client).workshop.make

    async def watched(work: Any, *arguments: Any, whose: str) -> Any:
        made.append(whose)
        return await make(work, *arguments, whose=whose)

    monkeypatch.setattr(house_of(client).workshop, "make", watched)
    play(table_of(client, "me", "bot"))
    come_as(client, ANNE)
    assert client.get(path).status_code == 200
    assert len(made) == 1


def rows_about(client: TestClient, person_id: str) -> int:
    """How many rows of the database still name a person."""
    with house_of(client).storage.reading() as session:
        return sum(
            session.query(kind).filter(column == person_id).count()
            for kind, column in (
                (PersonRow, PersonRow.id),
                (SeatRow, SeatRow.person_id),
                (ChatRow, ChatRow.person_id),
            )
        )


def test_deleting_needs_a_yes(client: TestClient) -> None:
    come_as(client, ANNE)
    assert "Yes, delete everything" in client.get("/me/delete").text
    assert client.post("/me/delete").status_code == 400
    assert rows_about(client, ANNE) == 1


def test_whoever_is_deleted_is_nowhere_any_more_and_the_others_play_on(client: TestClient) -> None:
    storage = house_of(client).storage
    over = play(table_of(client, "me", "open"))
    over.say(ANNE, "tot ziens")
    running, alone = table_of(client, "me", "open"), table_of(client, "me", "bot")
    empty, _ = opening.create(storage, "ra", [Place("me"), Place("open")], ANNE, "Anne", {})
    come_as(client, ANNE)
    client.get(f"/tables/{over.id}")
    client.get("/me")
    answer = client.post("/me/delete", data={"sure": "yes"})
    assert answer.status_code == 200
    assert "Everything is deleted" in answer.text
    forgotten = answer.headers.get_list("set-cookie")
    assert [each.partition(";")[0] for each in forgotten] == ['teerling=""', 'habits=""']
    assert rows_about(client, ANNE) == 0
    now = {table.id: opening.load(storage, table.id) for table in (over, running, alone, empty)}
    assert now[over.id].over
    assert now[over.id].match.scores == over.match.scores
    assert "Anne" not in now[over.id].seating.names
    assert (now[running.id].playing, now[running.id].seating[0].stand_in) == (True, "casual")
    assert (now[alone.id].status, now[alone.id].row.ending) == ("over", "resigned")
    assert (now[empty.id].status, now[empty.id].row.ending) == ("over", "abandoned")
    come_as(client, BRAM)
    page = client.get(f"/tables/{over.id}").text
    assert "Anne" not in page
    assert "tot ziens" not in page
    assert "<dt>Matches</dt><dd>1</dd>" in flat(client.get("/me").text)


def test_before_the_match_the_seat_of_whoever_leaves_is_free_again(client: TestClient) -> None:
    storage = house_of(client).storage
    table, _ = opening.create(storage, "ra", [Place("me"), Place("open"), Place("open")], ANNE, "Anne", {})
    table.join(1, BRAM, "Bram")
    come_as(client, ANNE)
    client.post("/me/delete", data={"sure": "yes"})
    again = opening.load(storage, table.id)
    assert (again.status, again.seating.free) == ("open", [0, 2])


def test_a_stranger_has_no_profile_and_the_personal_link_still_works(client: TestClient) -> None:
    assert "Nothing counts yet" in client.get("/me").text
    come_as(client, ANNE)
    link = re.search(r'href="[^"]*(/me/[^"]+\.[^"]+)"', client.get("/me").text)
    assert link is not None
    client.cookies.clear()
    assert client.post(link[1], follow_redirects=False).status_code == 303
    assert "Anne" in client.get("/me").text
    assert client.get("/me/nonsense").status_code == client.post("/me/nonsense").status_code == 403


def test_a_personal_link_asks_before_it_replaces_who_somebody_is(client: TestClient) -> None:
    signatures = client.app.state.context.signatures  # type: ignore[attr-defined]
    link = f"/me/{signatures.link(ANNE)}"
    come_as(client, BRAM)
    asked = client.get(link)
    assert "Play here as Anne?" in asked.text
    assert "Until now this browser is Bram" in asked.text
    assert "set-cookie" not in asked.headers
    assert "Bram" in client.get("/").text
    assert client.post(link, headers={"Origin": "http://elsewhere.example"}).status_code == 403
    assert "Bram" in client.get("/").text
    assert f'action="{link}"' in asked.text
    client.post(link)
    assert "Anne" in client.get("/").text
    assert client.get(link, follow_redirects=False).headers["location"] == "/"


def test_a_personal_link_that_was_renewed_is_not_valid_any_more(client: TestClient) -> None:
    come_as(client, ANNE)

    def shown() -> str:
        found = re.search(r'href="[^"]*(/me/[^"]+\.[^"]+)"', client.get("/me").text)
        assert found is not None
        return found[1]

    links = [shown()]
    for _ in range(2):
        assert client.post("/me/renew").status_code == 200
        links.append(shown())
    assert len(set(links)) == 3
    client.cookies.clear()
    assert [client.get(link).status_code for link in links] == [403, 403, 200]
    assert [client.post(link).status_code for link in links] == [403, 403, 200]
    assert client.post("/me/renew").status_code == 200
