"""Replays, match files and the check of chance, through real requests."""

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response

import teerling
from teerling import Match
from teerling.engine import CHANCE
from teerling.errors import IllegalMove
from teerling.server.app import create_app
from teerling.server.context import RequestContext
from teerling.server.look import match_view
from teerling.server.page.match_pages import Page, page_of
from teerling.server.people import COOKIE
from teerling.server.settings import Settings
from teerling.server.tables import opening
from teerling.server.tables.opening import Place
from teerling.server.tables.table import Table
from teerling.server.web.sources import checks_of, cut, stops
from tests.server.houses import flat, unhurried
from tests.variants import GAMES

SHORT: dict[str, dict[str, Any]] = {
    **{game: {} for game in GAMES}, "radice": {"sun_steps": 5}, "rapido": {"goal": 9},
}  # fmt: skip
PEOPLE = ("Anne", "Bob", "Carla")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = unhurried(Settings.read(tmp_path_factory.mktemp("data")))
    with TestClient(create_app(settings), headers={"accept-language": "en"}) as client:
        yield client


@pytest.fixture
def client(server: TestClient) -> TestClient:
    """The server as a stranger finds it."""
    server.cookies.clear()
    return server


def context_of(client: TestClient) -> RequestContext:
    context: RequestContext = client.app.state.context  # type: ignore[attr-defined]
    return context


def come_as(client: TestClient, name: str) -> None:
    """From here on the client is this person; an empty name is a stranger."""
    client.cookies.clear()
    if name:
        client.cookies.set(COOKIE, context_of(client).signatures.cookie(name.lower() * 3))


def table_of(client: TestClient, game: str, players: int = 3, **options: object) -> Table:
    """A table among people, one in every seat."""
    storage = context_of(client).house.storage
    for name in PEOPLE:
        storage.save_person(name.lower() * 3, name)
    places = [Place("me"), *[Place("open")] * (players - 1)]
    made, _ = opening.create(storage, game, places, "anne" * 3, "Anne", options)
    for seat in range(1, players):
        made.join(seat, PEOPLE[seat].lower() * 3, PEOPLE[seat])
    return made


def play(made: Table, most: int | None = None, seed: int = 1) -> Table:
    """Random moves until the match is over, or so many."""
    chooser = random.Random(seed)
    while not made.match.over and (most is None or len(made.match.history) < most):
        assert made.match.turn is not None
        made.push(made.match.turn, chooser.choice(made.match.legal_moves).text)
    return made


def upload(client: TestClient, content: bytes, name: str = "match.txt") -> Response:
    return client.post("/replay", files={"file": (name, content)}, follow_redirects=False)


@pytest.mark.parametrize("game", SHORT)
def test_a_finished_match_can_be_seen_step_by_step_from_every_seat(client: TestClient, game: str) -> None:
    made = play(table_of(client, game, **SHORT[game]))
    last = len(stops(made.match)) - 1
    for seat in ("all", "0", "1", "2"):
        for move in {0, 1, last // 2, last - 1, last}:
            page = client.get(f"/tables/{made.id}/replay?move={move}&seat={seat}&fragment=1")
            assert page.status_code == 200
            assert f'data-number="{move}"' in page.text
            assert "<html" not in page.text
    whole = client.get(f"/tables/{made.id}/replay")
    assert whole.status_code == 200
    assert f"0 / {last}" in whole.text
    assert f'href="?move={last}&amp;seat=all"' in whole.text


@pytest.mark.parametrize("game", SHORT)
def test_a_replay_stops_only_where_somebody_decides_or_it_is_over(game: str) -> None:
    match = random_match(game)
    for moves in stops(match):
        assert match.states[moves].turn != CHANCE
    part = cut(match, stops(match)[3], 0)
    assert part.history == match.history[: len(part.history)]
    assert part.steps_of(0) == match.steps_of(0)[: len(part.history)]


def random_match(game: str, players: int = 3, **options: object) -> Match:
    chooser = random.Random(2)
    match = teerling.new(game, players, seed=4, **(options or SHORT[game]))
    while not match.over:
        match.push(chooser.choice(match.legal_moves))
    return match


def test_steps_beyond_the_ends_are_the_nearest(client: TestClient) -> None:
    made = play(table_of(client, "rapido", goal=9))
    last = len(stops(made.match)) - 1
    for text, number in (("999999999999", last), ("-3", 0), ("x", 0), ("", 0), ("3", 3)):
        page = client.get(f"/tables/{made.id}/replay?fragment=1", params={"move": text})
        assert f'data-number="{number}"' in page.text


@pytest.mark.parametrize("over", [False, True])
def test_nobody_sees_from_a_seat_that_is_not_there(client: TestClient, over: bool) -> None:
    made = play(table_of(client, "rapido", goal=9), None if over else 20)
    assert made.over is over
    for seat in ("3", "77", "00", "-1", "²"):
        page = client.get(f"/tables/{made.id}/replay", params={"seat": seat})
        assert page.status_code == 404
        assert "There is no such seat at this table." in page.text


def test_while_a_match_runs_nobody_sees_from_another_seat(client: TestClient) -> None:
    made = play(table_of(client, "dicerun"), 60)
    address = f"/tables/{made.id}/replay"
    for name, own in (("Anne", "0"), ("Bob", "1"), ("", None)):
        come_as(client, name)
        assert client.get(address).status_code == 200
        assert client.get(f"{address}?seat=all").status_code == 200
        for seat in ("0", "1", "2"):
            page = client.get(address, params={"seat": seat})
            assert page.status_code == (200 if seat == own else 403)
            assert page.status_code == 200 or "when the match is over" in page.text


def test_who_has_several_seats_sees_what_everybody_sees(client: TestClient) -> None:
    storage = context_of(client).house.storage
    storage.save_person("anne" * 3, "Anne")
    made, _ = opening.create(storage, "dicerun", [Place("me"), Place("me", "Bob")], "anne" * 3, "Anne", {})
    play(made, 40)
    come_as(client, "Anne")
    assert client.get(f"/tables/{made.id}/replay").status_code == 200
    assert client.get(f"/tables/{made.id}/replay?seat=0").status_code == 403
    assert client.get(f"/tables/{made.id}/file").status_code == 403


def twins() -> tuple[Match, Match]:
    """Two matches of DiceRun that differ in a card of seat 1, of which nobody else knows."""
    chooser = random.Random(8)
    match = teerling.new("dicerun", 3, seed=1, names=PEOPLE)
    for _ in range(14):
        match.push(chooser.choice(match.legal_moves))
    pair = [teerling.new("dicerun", 3, chance="manual", names=PEOPLE) for _ in range(2)]
    changed = False
    for move in match.history:
        twin = move
        first = pair[0]
        hidden = first.game.secret(first.state, move, 0) and not first.game.secret(first.state, move, 1)
        if move.chance and hidden and not changed and move.text.startswith("card"):
            # The rarest other card: seat 1 is least likely to have played it soon.
            twin = min((other for other, _ in first.chances if other != move), key=lambda m: m.text)
            changed = twin != move
        try:
            pair[1].push(twin)
        except IllegalMove:
            break
        pair[0].push(move)
    assert changed
    return pair[0], pair[1]


def test_a_running_replay_does_not_depend_on_what_others_hold(client: TestClient) -> None:
    made = play(table_of(client, "dicerun"), 30)
    pages: dict[str, list[str]] = {"Anne": [], "": [], "Bob": []}
    for match in twins():
        client.get(f"/tables/{made.id}/replay")
        context_of(client).house.registry.get(made.id).match = match
        for name, seen in pages.items():
            come_as(client, name)
            steps = range(len(stops(match)))
            seen += [client.get(f"/tables/{made.id}/replay?move={n}").text for n in steps]
    for name in ("Anne", ""):
        half = len(pages[name]) // 2
        assert half > 3
        assert pages[name][:half] == pages[name][half:]
    half = len(pages["Bob"]) // 2
    assert pages["Bob"][:half] != pages["Bob"][half:]


def test_a_finished_file_is_the_whole_match_with_its_seed(client: TestClient) -> None:
    made = play(table_of(client, "ra"))
    answer = client.get(f"/tables/{made.id}/file")
    assert answer.headers["content-disposition"] == f'attachment; filename="ra-{made.id}.txt"'
    assert f"seed {made.row.seed}" in answer.text
    again = teerling.load(answer.text)
    assert again.history == made.match.history
    assert again.names == PEOPLE


def test_a_running_file_is_what_the_own_seat_may_know(client: TestClient) -> None:
    made = play(table_of(client, "dicerun"), 60)
    come_as(client, "Bob")
    text = client.get(f"/tables/{made.id}/file").text
    assert text == made.match.save(seat=1)
    assert made.row.seed not in text
    assert "card ?" in text
    come_as(client, "")
    answer = client.get(f"/tables/{made.id}/file")
    assert answer.status_code == 403
    assert "when the match is over" in answer.text


def test_a_match_that_was_given_up_can_be_taken_home_too(client: TestClient) -> None:
    made = play(table_of(client, "ra", players=2), 30)
    made.resign(0)
    made.resign(1)
    assert made.over
    text = client.get(f"/tables/{made.id}/file").text
    assert teerling.load(text).history[: len(made.match.history)] == made.match.history
    assert client.get(f"/tables/{made.id}/replay?seat=1").status_code == 200


@pytest.mark.parametrize("game", SHORT)
def test_an_uploaded_file_is_shown_and_not_stored(client: TestClient, game: str) -> None:
    match = random_match(game)
    stored = context_of(client).house.storage.count_tables()
    answer = upload(client, match.save().encode())
    assert answer.status_code == 303
    address = answer.headers["location"]
    last = len(stops(match)) - 1
    page = client.get(f"{address}?move={last}&seat=1")
    assert page.status_code == 200
    assert f"{last} / {last}" in page.text
    check = client.get(f"{address}/verify")
    count = sum(move.chance for move in match.history)
    assert f"All {count} chance events follow from the seed." in check.text
    assert context_of(client).house.storage.count_tables() == stored


def test_a_file_of_a_running_match_by_hand_is_shown_from_every_seat(client: TestClient) -> None:
    match = twins()[0]
    address = upload(client, match.save().encode()).headers["location"]
    for seat in ("all", "0", "1", "2"):
        assert client.get(f"{address}?seat={seat}").status_code == 200
    assert "entered by hand" in client.get(f"{address}/verify").text
    sealed = teerling.new("ra", 3, seed=1)
    address = upload(client, sealed.save(seed=False).encode()).headers["location"]
    text = client.get(f"{address}/verify").text
    assert str(sealed.seal) in text
    assert "follow from the seed." not in text


GOOD = random_match("rapido", goal=9).save()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"\xff\xfe\x00\x01",
        b"teerling 1\nend\n",
        GOOD[: len(GOOD) // 2].encode(),
        re.sub("seed .*", "seed another", GOOD).encode(),
        re.sub("players 3", "players 99", GOOD).encode(),
        re.sub("players 3", "players " + "9" * 5000, GOOD).encode(),
        re.sub("moves\n", 'position {"players": ' + "9" * 5000 + "}\nmoves\n", GOOD).encode(),
        re.sub("moves\n", "position " + "[" * 20_000 + "\nmoves\n", GOOD).encode(),
        random_match("rapido", goal=9).save(seat=1).encode(),
    ],
    ids=lambda content: content[:12].decode(errors="replace") + str(len(content)),
)
def test_a_bad_file_is_refused_with_a_sentence(client: TestClient, content: bytes) -> None:
    stored = context_of(client).house.storage.count_tables()
    answer = upload(client, content)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert "Traceback" not in answer.text
    assert context_of(client).house.storage.count_tables() == stored


def test_what_is_wrong_in_a_file_is_said_in_the_readers_language(client: TestClient) -> None:
    files = {"file": ("match.txt", re.sub("players 3", "players 99", GOOD).encode())}
    for lang, said in (("nl", "Rapido is voor 2 tot 6 spelers, niet voor 99"), ("en", "not 99")):
        answer = client.post("/replay", files=files, headers={"Accept-Language": lang})
        assert (answer.status_code, said in answer.text) == (422, True)


def test_a_running_replay_tells_how_far_the_match_has_come(client: TestClient) -> None:
    made = play(table_of(client, "ra"), 9)
    address = f"/tables/{made.id}/replay"
    assert f'data-last="{address}/last"' in client.get(address).text
    before = client.get(f"{address}/last").json()
    play(context_of(client).house.registry.get(made.id), len(made.match.history) + 1)
    after = client.get(f"{address}/last").json()
    assert (before["over"], before["last"] < after["last"]) == (False, True)


def test_a_form_without_a_file_and_a_file_that_is_too_large_are_refused(client: TestClient) -> None:
    assert client.post("/replay", data={"file": "text"}).status_code == 422
    assert client.post("/replay").status_code in (400, 422)
    assert upload(client, b"x" * 70_000).status_code == 413


def test_an_upload_that_was_forgotten_says_so(client: TestClient) -> None:
    answer = client.get("/replay/nothing")
    assert answer.status_code == 404
    assert "choose it again" in answer.text


def test_chance_is_checked_when_the_match_is_over_and_the_seed_is_told_only_then(client: TestClient) -> None:
    made = play(table_of(client, "rapido", goal=9), 12)
    page = client.get(f"/tables/{made.id}/verify").text
    assert str(made.match.seal) in page
    assert made.row.seed not in page
    assert made.row.seed not in client.get(f"/tables/{made.id}/replay").text
    context_of(client).house.registry._tables.clear()
    play(made)
    page = client.get(f"/tables/{made.id}/verify").text
    count = sum(move.chance for move in made.match.history)
    assert f"All {count} chance events follow from the seed." in page
    assert made.row.seed in page


def test_a_wrong_seed_is_found_out() -> None:
    match = random_match("rapido", goal=9)
    assert all(check.outcome == check.by_seed for check in checks_of(match, "4"))
    assert any(check.outcome != check.by_seed for check in checks_of(match, "5"))


def page(match: Match, seat: int | None, lang: str = "en") -> Page:
    return page_of(match_view(match, seat), lang)


def test_hidden_scores_of_others_are_told_when_it_is_over() -> None:
    match = random_match("ra", fame="hidden")
    before_end = cut(match, len(match.history) - 1, 0)
    before = page(before_end, 0).scorings[0]
    assert [score is None for score in before.scores] == [False, True, True]
    assert all(row.cells[1:] == (None, None) for row in before.rows)
    *parts, whole = page(match, 0).scorings
    assert len(parts) == 3
    assert whole.whole
    assert whole.scores == match.scores
    assert parts[-1].scores == match.scores
    assert whole.start == (10, 10, 10)
    for seat in range(3):
        assert 10 + sum(int(row.cells[seat] or 0) for row in whole.rows) == match.scores[seat]


@pytest.mark.parametrize("game", SHORT)
def test_score_sheets_have_a_line_for_every_reason(game: str) -> None:
    match = random_match(game)
    shown = page(match, None, "nl")
    whole = shown.scorings[-1]
    assert whole.scores == match.scores
    # What brought nobody anything may stand there too, with what everybody had.
    brought = {row.rule for row in whole.rows if any(isinstance(cell, int) and cell for cell in row.cells)}
    assert brought <= {line.rule for line in match.score_lines()} <= {row.rule for row in whole.rows}
    assert shown.outcome.endswith(("wint", "delen de overwinning"))


@pytest.mark.parametrize("game", ["ra", "priests", "radice"])
def test_the_sheet_of_the_whole_match_adds_up(game: str) -> None:
    match = random_match(game)
    whole = page(match, None).scorings[-1]
    assert whole.whole
    assert whole.start is not None
    for seat in range(match.players):
        gained = [cell for cell in (row.cells[seat] for row in whole.rows) if isinstance(cell, int)]
        assert whole.start[seat] + sum(gained) == match.scores[seat]


def test_what_everybody_starts_with_names_its_rule(client: TestClient) -> None:
    made = play(table_of(client, "radice", sun_steps=5))
    page = client.get(f"/tables/{made.id}").text
    assert re.search(r"At the start<a[^>]*>RD-03</a></th>(<td[^>]*>1[0-3]</td>){3}", flat(page))


def test_the_page_of_a_finished_table_offers_what_comes_after(client: TestClient) -> None:
    made = play(table_of(client, "ra"))
    come_as(client, "Anne")
    page = client.get(f"/tables/{made.id}").text
    for path in ("replay", "verify", "file", "rematch"):
        assert f"/tables/{made.id}/{path}" in page
    assert made.row.seed in page
    assert page.count('class="p0 place') == 1


def test_take_backs_are_counted_on_every_page_and_the_check_leaves_their_draws_out(
    client: TestClient,
) -> None:
    storage = context_of(client).house.storage
    storage.save_person("anne" * 3, "Anne")
    places = [Place("me"), Place("bot", level="random")]
    made, _ = opening.create(storage, "rapido", places, "anne" * 3, "Anne", {"goal": 9})
    backs = 0
    while not made.match.over:
        play(made, len(made.match.history) + 1)
        if backs < 2 and made.would_draw_anew(0):
            made.take_back(0)
            backs += 1
    assert made.take_backs_of(0) == 2
    draws = made.match.draws
    come_as(client, "Anne")
    assert "2 take backs" in client.get(f"/tables/{made.id}").text
    assert "2 take backs" in client.get(f"/tables/{made.id}/replay?move=999").text
    page = flat(client.get(f"/tables/{made.id}/verify").text)
    assert f"All {len(draws)} chance events follow from the seed." in page
    left_out = draws[-1] + 1 - len(draws)
    assert f"{left_out} of nature&#39;s draws were taken back" in page
    assert [int(n) for n in re.findall(r"<tr><td>(\d+)</td>", page)] == [draw + 1 for draw in draws]
    uploaded = client.post("/replay", files={"file": ("m.txt", client.get(f"/tables/{made.id}/file").text)})
    assert f"All {len(draws)} chance events follow" in client.get(f"{uploaded.url.path}/verify").text
    assert "2 take backs" in client.get(f"{uploaded.url.path}?move=999").text


def test_dice_that_nature_has_thrown_in_part_can_be_seen(client: TestClient) -> None:
    match = teerling.new("dicerun", players=2, chance="manual")
    while not match.history or not match.history[-1].text.startswith("die "):
        match.push(match.legal_moves[0])
    shown = client.post("/replay", files={"file": ("match.txt", match.save())})
    assert shown.status_code == 200
    assert client.get(f"{shown.url.path}?move=999").status_code == 200
