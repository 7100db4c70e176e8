"""Pages of reviews: who may see one, what it shows, that it adds up, and what a profile makes of it."""

import json
import random
import re
import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from teerling.game import game, list_games
from teerling.lab import review
from teerling.lab.insights import ENOUGH, Decision, insights, nearest
from teerling.server.afterwards.reviews import insights_of
from teerling.server.database.records import ReviewedMatch
from teerling.server.day import deals as daily
from teerling.server.page import review_pages
from teerling.server.tables import days, opening
from teerling.server.tables.opening import Place
from teerling.server.tables.table import Table
from teerling.server.thinking.workshop import Workshop
from teerling.server.web.profile import insights_view
from tests.server.houses import bearer, come_as, flat, house_of, new_table, opened

ANNE, BRAM = "anne" * 3, "bram" * 3
TODAY = date(2026, 11, 16)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened(tmp_path, bot_pause=60.0, review_playouts=8) as client:
        for person in (ANNE, BRAM):
            house_of(client).storage.save_person(person, person[:4].capitalize())
        come_as(client, ANNE)
        yield client


def over(client: TestClient, of: str = "rapido", seed: int = 1, **more: Any) -> Table:
    """A table of Anne's whose match is over."""
    places = [Place("me"), *[Place("bot", level="random")] * (game(of).players[0] - 1)]
    options = {"goal": 9} if of == "rapido" else {}
    storage = house_of(client).storage
    table, _ = opening.create(storage, of, places, ANNE, "Anne", options, seed=f"{seed}", **more)
    chooser = random.Random(seed)
    while table.match.turn is not None:
        table.push(table.match.turn, chooser.choice(table.match.legal_moves).text, by_bot=True)
    return table


def complete(client: TestClient, address: str) -> str:
    """The page of a review when all is worked out."""
    while not (now := client.get(f"{address}/progress").json())["complete"]:
        assert not now["failed"]
        time.sleep(0.02)
    page = client.get(address)
    assert page.status_code == 200
    return page.text


def test_a_review_shows_the_curve_first_and_at_the_end_everything(client: TestClient) -> None:
    table = over(client)
    first = client.get(f"/tables/{table.id}/review")
    assert first.status_code == 200
    assert 'http-equiv="refresh"' in first.text, "without a script the page loads itself again"
    assert "<progress" in first.text
    page = complete(client, f"/tables/{table.id}/review")
    assert "<progress" not in page
    assert 'http-equiv="refresh"' not in page
    assert page.count("<polyline") == 2 * 2, "two seats, for wide and for narrow screens"
    assert flat(page).count('<td><a href="') == len(table.match.history)
    assert "What luck means here" in page
    fragment = client.get(f"/tables/{table.id}/review?fragment=1").text
    assert "<html" not in fragment
    assert fragment.count("<polyline") == 4


def test_the_parts_of_every_result_add_up_as_they_are_shown(client: TestClient) -> None:
    for seed in range(4):
        page = flat(complete(client, f"/tables/{over(client, seed=seed).id}/review"))
        rows = re.findall(r'<th scope="row">.*?</th>(.*?)</tr>', page)
        assert len(rows) == 2
        for row in rows:
            cells = re.findall(r"<td>([^<]*)</td>", row)
            shown = [int(re.match(r"[+−]?\d+", cell)[0].replace("−", "-")) for cell in cells[:5]]  # type: ignore[index]
            assert sum(shown[:4]) == shown[4], cells


def test_a_review_says_first_what_decided_most_and_which_move_cost_most(client: TestClient) -> None:
    found, told = set(), 0
    for seed in range(6):
        table = over(client, seed=seed)
        assert "how this match was decided" in client.get(f"/tables/{table.id}/review").text
        page = flat(complete(client, f"/tables/{table.id}/review"))
        first = page.split('<section class="card"', 1)[0]
        said = re.search(r'<p class="finding">(.*?): ([+−]?)(\d+)%\.</p>', first)
        assert said, "the finding comes before the curve"
        parts = re.search(r"luck ([+−]?\d+)%, own moves ([+−]?\d+)%, moves of the others ([+−]?\d+)%", page)
        shown = [int(each.replace("−", "-")) for each in parts.groups()]  # type: ignore[union-attr]
        change = int(f"{said[2]}{said[3]}".replace("−", "-"))
        assert change == (max(shown) if sum(shown) >= 0 else min(shown))
        assert ("brought you most" in said[1]) == (sum(shown) >= 0)
        found.add(said[1])
        assert ("better was" in first) == ('class="mistakes"' in page)
        drawn = re.findall(r'<div class="painting">\s*<svg[^>]*>\s*(<\w+)', page)
        assert set(drawn) <= {"<path", "<g"}, "each move is shown with its own position"
        told += len(drawn)
    assert told
    assert len(found) > 1, "not the same of every match"


def test_who_did_not_play_reads_what_decided_most_for_the_winner(client: TestClient) -> None:
    table = over(client)
    complete(client, f"/tables/{table.id}/review")
    come_as(client, BRAM)
    page = flat(client.get(f"/tables/{table.id}/review").text)
    (winner,) = table.match.winners
    said = re.search(r'<p class="finding">(.*?)</p>', page)
    assert said
    assert table.match.names[winner] in said[1]
    assert "you" not in said[1]


def test_every_mark_is_a_link_with_a_name_to_its_step_of_the_replay(client: TestClient) -> None:
    table = over(client)
    page = complete(client, f"/tables/{table.id}/review")
    marks = re.findall(r'<a href="([^"]+)" aria-label="([^"]+)"><circle', page)
    assert marks
    last = client.get(f"/tables/{table.id}/replay/last").json()["last"]
    for link, name in marks:
        assert name.startswith("Move ")
        step = int(re.search(r"move=(\d+)", link)[1])  # type: ignore[index]
        assert 0 <= step <= last
    assert client.get(marks[0][0].replace("&amp;", "&")).status_code == 200


@pytest.mark.parametrize("of", [each.id for each in list_games()])
def test_every_game_is_reviewed_and_its_page_speaks_dutch(client: TestClient, of: str) -> None:
    table = over(client, of)
    found = review(table.match, "1ms")
    house_of(client).records.keep_review(table.id, found.kept(), True, insights_of(found))
    page = client.get(f"/tables/{table.id}/review", headers={"Accept-Language": "nl"})
    assert page.status_code == 200
    assert "Hoe het potje verliep" in page.text
    for name, _ in game(of).tendencies.parts[:1]:
        assert name not in page.text, "the parts of the match are named in Dutch"
    kept = json.loads(json.dumps(insights_of(found)))
    assert len(kept["decisions"]) == len(found.judgements)
    view = insights_view(game(of), [ReviewedMatch(table.id, of, kept["luck"][0], kept["decisions"])])
    assert view.decisions == len(found.judgements)
    assert sum(share.count for share in view.kinds) == view.decisions
    assert sum(share.count for share in view.parts) == view.decisions


# Who may see it


def test_the_page_of_a_review_is_made_once_and_by_a_process_of_its_own(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, made = over(client), []
    found = review(table.match, 2)
    house_of(client).records.keep_review(table.id, found.kept(), True, insights_of(found))
    make_apart = Workshop.make_apart

    def noted(workshop: Workshop, work: Any, *arguments: Any, whose: str) -> Any:
        made.append(work)
        return make_apart(workshop, work, *arguments, whose=whose)

    def never(*_: object) -> None:
        raise AssertionError("this is done elsewhere")

    monkeypatch.setattr(Workshop, "make_apart", noted)
    monkeypatch.setattr(review_pages, "values", never)
    pages = {client.get(f"/tables/{table.id}/review").text for _ in range(3)}
    assert len(pages) == len(made) == 1
    dutch = client.get(f"/tables/{table.id}/review", headers={"Accept-Language": "nl"})
    assert dutch.status_code == 200
    assert dutch.text not in pages


def test_a_match_that_is_not_over_has_no_review(client: TestClient) -> None:
    places = [Place("me"), Place("bot", level="random")]
    table, _ = opening.create(house_of(client).storage, "rapido", places, ANNE, "Anne", {})
    for path in ("review", "review/progress"):
        answer = client.get(f"/tables/{table.id}/{path}")
        assert answer.status_code == 409
        assert "only then can it be reviewed" in answer.text
    table, _ = opening.create(house_of(client).storage, "rapido", places, ANNE, "Anne", {})
    table.resign(0)
    assert table.over
    assert "was not played to its end" in client.get(f"/tables/{table.id}/review").text
    assert "/review" not in client.get(f"/tables/{table.id}/replay").text
    assert client.get("/tables/nosuch2222/review").status_code == 404
    assert client.get("/replay/nosuch/review").status_code == 404
    assert house_of(client).reviews.waiting == 0


def test_a_deal_of_today_is_reviewed_only_for_those_who_have_finished_it(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [TODAY]
    for module in (days, daily):
        monkeypatch.setattr(module, "today", lambda: now[0])

    def attempt(person: str) -> Table:
        come_as(client, person)
        where = client.post("/day/rapido", follow_redirects=False).headers["location"]
        table = house_of(client).registry.get(where.removeprefix("/tables/"))
        assert table is not None
        return table

    def finish(table: Table) -> None:
        chooser = random.Random(1)
        while table.match.turn is not None:
            table.push(table.match.turn, chooser.choice(table.match.legal_moves).text, by_bot=True)

    anne, bram = attempt(ANNE), attempt(BRAM)
    finish(anne)
    for path in ("review", "review/progress", "review?fragment=1"):
        assert client.get(f"/tables/{anne.id}/{path}").status_code == 403, "Bram has not finished it"
    assert client.get(f"/api/tables/{anne.id}/review").status_code in (401, 403)
    client.cookies.clear()
    assert client.get(f"/tables/{anne.id}/review").status_code == 403, "nobody knows who that is"
    come_as(client, ANNE)
    assert client.get(f"/tables/{anne.id}/review").status_code == 200
    finish(bram)
    come_as(client, BRAM)
    assert client.get(f"/tables/{anne.id}/review").status_code == 200
    now[0] = TODAY + timedelta(days=1)
    client.cookies.clear()
    assert client.get(f"/tables/{anne.id}/review").status_code == 200, "the day is over"


def test_uploaded_matches_are_reviewed_if_they_are_over(client: TestClient) -> None:
    table = over(client)

    def upload(text: str) -> str:
        sent = client.post("/replay", files={"file": ("match.txt", text)}, follow_redirects=False)
        return sent.headers["location"]

    at = upload(table.match.save())
    assert f"{at}/review" in client.get(at).text
    page = complete(client, f"{at}/review")
    assert "Costliest moves" in page
    assert f"{at}?move=" in page
    assert house_of(client).records.review(at.rpartition("/")[2]) is None, "files are not kept"
    unfinished = upload(table.match.upto(len(table.match.history) - 1).save())
    assert client.get(f"{unfinished}/review").status_code == 409


def test_programs_get_the_review_or_how_far_it_is(client: TestClient) -> None:
    table = over(client)
    client.cookies.clear()
    path = f"/api/tables/{table.id}/review"
    first = client.get(path).json()
    assert first["review"] is None
    assert first["done"] < 1
    while (now := client.get(path).json())["review"] is None:
        assert now["done"] < 1
        time.sleep(0.02)
    assert now["done"] == 1
    for seat in now["review"]["seats"]:
        assert seat["start"] + seat["luck"] + seat["own"] + seat["others"] == pytest.approx(seat["result"])
    assert client.get(path, headers=bearer("wrong")).status_code == 401
    playing = new_table(client, "rapido")
    refused = client.get(f"/api/tables/{playing['table']['id']}/review", headers=bearer(playing["token"]))
    assert refused.status_code == 409
    assert refused.json()["error"]["kind"] == "not_over"
    assert client.get("/api/tables/nosuch2222/review").status_code == 404


# Insights


def some(count: int, loss: float = 0.03, part: int = 0) -> list[Decision]:
    """Bids that were too high."""
    return [Decision(0, part, "bidding", "overpays high", loss + 0.001 * (n % 3), 0.1) for n in range(count)]


def test_a_sentence_needs_enough_decisions_and_an_interval_above_nothing() -> None:
    ra = game("ra")
    assert insights(ra, some(ENOUGH - 1)) == ()
    lacking = nearest(ra, some(ENOUGH - 3))
    assert lacking is not None
    assert lacking.count == ENOUGH - 3
    found = insights(ra, [*some(ENOUGH), *some(ENOUGH - 1, part=1)])
    assert [(each.tendency, each.when) for each in found] == [("overpays high", "in the first epoch")]
    as_often_better = [*some(ENOUGH, 0.2), *some(ENOUGH, -0.2)]
    assert insights(ra, as_often_better) == (), "the interval holds nothing, so nothing is said"


def test_a_profile_tells_what_reviews_have_in_common_and_how_much_is_missing(client: TestClient) -> None:
    table = over(client)
    complete(client, f"/tables/{table.id}/review")
    page = flat(client.get("/me").text)
    assert "1 match reviewed" in page
    missing = re.search(r"The next sentence needs at least (\d+) more decision", page)
    assert missing is not None
    assert 0 < int(missing[1]) < ENOUGH
    found = house_of(client).records.review(table.id)
    assert found is not None
    assert found.insights is not None
    own = [decision for decision in found.insights["decisions"] if decision[0] == 0]
    told = client.get("/me/export").json()["reviews"]
    assert [each["table"] for each in told] == [table.id]
    assert len(told[0]["decisions"]) == len(own)
    assert set(told[0]["decisions"][0]) == {"part", "kind", "tendency", "loss", "stake"}
    plenty = {"luck": [0.1, -0.1], "decisions": [[0, 1, "throwing again", "throws", 0.04, 0.1]] * ENOUGH}
    with house_of(client).storage.changing() as session:
        session.merge(found).insights = plenty
    page = client.get("/me").text
    assert "You throw again too often in the second half of the race." in page
    come_as(client, BRAM)
    assert "match reviewed" not in client.get("/me").text
    come_as(client, ANNE)
    client.post("/me/delete", data={"sure": "yes"})
    assert house_of(client).records.reviewed_by(ANNE) == []
    seats = client.get(f"/api/tables/{table.id}/review").json()["review"]["seats"]
    assert "Anne" not in [seat["name"] for seat in seats]
