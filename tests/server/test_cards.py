"""Cards of tables: what a link shows before anybody opens it."""

import asyncio
import random
import re
from html import unescape
from pathlib import Path
from xml.dom import minidom

import pytest
from starlette.testclient import TestClient

import teerling
from teerling.server.look import match_view
from teerling.server.page import cards, match_pages
from teerling.server.page.cards import Card, Painter, card_of, drawn, fitted
from teerling.server.thinking import workshop
from tests.server.houses import house_of, opened, table_at
from tests.variants import GAMES


def card_at(client: TestClient, path: str, lang: str = "en") -> Card:
    return card_of(house_of(client).broadcaster.view_of(table_at(client, path), ""), lang)


def test_a_table_that_waits_says_who_invites_to_what(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        form = {"preset": "friends", "players": "3", "name": 'Anne <"&'}
        path = client.post("/new/ra", data=form).url.path
        card = card_at(client, path)
        assert (card.title, card.text) == ('Anne <"& invites you to play Ra', "2 chairs are still free")
        assert "Anne &lt;&quot;&amp;" in drawn(card)
        page = client.get(path).text
        told = dict(re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)"', page))
        assert unescape(told["og:title"]) == card.title
        assert told["og:image"] == f"http://testserver{path}/card.png"


def test_a_result_shows_places_and_points(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        form = {"name": "Anne", "seat0": "me", "seat1": "me", "name1": "Bram", "option_goal": "5"}
        path = client.post("/new/rapido", data=form).url.path
        table = table_at(client, path)
        while not table.over:
            move = table.match.legal_moves[-1].text
            client.post(f"{path}/move", data={"move": move, "at": str(table.version)}, follow_redirects=False)
        card = card_at(client, path)
        winner = table.seating[table.match.ranks.index(1)].name
        assert card.title == f"{winner} wins"
        assert {name for _, name, _ in card.people} == {"Anne", "Bram"}
        assert card.places == (1, 2)
        assert card.people[0][1:] == (winner, str(max(table.match.scores)))
        assert drawn(card).count('fill="#f7e2ac"') == 1, "the winner's row is of gold"


def test_a_match_that_goes_on_tells_no_points(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        path = client.post("/new/ra", data={"seat0": "me", "seat1": "me", "option_fame": "hidden"}).url.path
        card = card_at(client, path)
        assert [beside for _, _, beside in card.people] == ["", ""]


@pytest.mark.parametrize("game", GAMES)
def test_every_card_is_drawn_in_plain_colours(game: str) -> None:
    drawing = drawn(Card(game, teerling.game(game).name, "", tuple((i, "W" * 40, "1") for i in range(6))))
    assert not re.search(r"var\(|light-dark\(", drawing)
    assert f'id="scene-{game}"' in drawing


@pytest.mark.parametrize("game", GAMES)
def test_a_position_is_drawn_small_with_drawings_that_are_there(game: str) -> None:
    match, chooser = teerling.new(game, seed=5), random.Random(5)
    while not match.over:
        drawing = match_pages.glance(match_view(match, None))
        minidom.parseString(f"<svg>{drawing}</svg>")
        card = drawn(Card(game, "", "", ((0, "Anne", ""), (1, "", "")), (), drawing))
        used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', card))
        assert used <= set(re.findall(r'\bid="([^"]+)"', card))
        assert not re.search(r"var\(|light-dark\(", card)
        for _ in range(40):
            if not match.over:
                match.push(chooser.choice(match.legal_moves))


def test_the_small_drawing_of_a_position_tells_no_secret() -> None:
    match = teerling.new("dicerun", players=2, seed=3)
    assert match.view(0) != match.view(1)
    assert len({str(match_pages.glance(match_view(match, seat))) for seat in (0, 1, None)}) == 1


def test_a_card_is_painted_once_and_as_large_as_links_want_it() -> None:
    async def paint() -> tuple[bytes, bytes]:
        painter, card = Painter(), Card("rapido", "Anne wins", "Rapido", ((0, "Anne", "1"),))
        return await painter.paint(card), await painter.paint(card)

    first, second = asyncio.run(paint())
    assert first is second
    assert first[:8] == b"\x89PNG\r\n\x1a\n"
    assert [int.from_bytes(first[at : at + 4], "big") for at in (16, 20)] == [cards.WIDTH, cards.HEIGHT]
    assert len(first) < 300_000


def test_an_address_has_only_so_many_cards_painted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A card takes a process half a second, and could be asked for over and over."""

    async def painted(drawing: str) -> bytes:
        await asyncio.sleep(0.3)
        return b"painted"

    monkeypatch.setattr(cards, "_painted", painted)
    monkeypatch.setattr(workshop, "MOST_WAITING", 0.0)
    with opened(tmp_path) as client:
        seats = {"seat0": "me", "seat1": "me"}
        paths = [client.post("/new/rapido", data=seats).url.path for _ in range(6)]
        statuses = [client.get(f"{path}/card.png").status_code for path in paths]
        assert statuses[:2] == [200, 200]
        assert statuses[-1] == 429
        assert client.get(f"{paths[0]}/card.png").content == b"painted", "which is there already"


def test_a_picture_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "MOST_SECONDS", 0.0)
    with pytest.raises(cards.NotPainted):
        asyncio.run(Painter().paint(Card("ra", "", "", ())))


def test_a_name_of_wide_letters_leaves_room_for_place_and_points() -> None:
    for beside in ("140 punten", "6e · 9", ""):
        name = fitted("M" * 20, 424 - 17 * len(beside))
        assert name.endswith("…")
        assert 23 * len(name) + 12 * len(beside) < 434
