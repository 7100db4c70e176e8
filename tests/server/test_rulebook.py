"""The rules pages: every rule has its anchor, and every link leads to one."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import teerling
from teerling.server.app import create_app
from teerling.server.page.environment import drawings
from teerling.server.settings import Settings
from teerling.server.web.rules_text import rulebook
from teerling.words import LANGUAGES
from tests.server.houses import unhurried

BOOKS = [(game, lang) for game in teerling.list_games() for lang in LANGUAGES]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = unhurried(Settings.read(tmp_path_factory.mktemp("data")))
    with TestClient(create_app(settings), headers={"accept-language": "nl"}) as client:
        yield client


class Reader(HTMLParser):
    """The ids and links of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id":
                self.ids.append(str(value))
            if name == "href" and tag == "a":
                self.links.append(str(value))


@pytest.mark.parametrize(("game", "lang"), BOOKS, ids=str)
def test_every_rule_is_an_anchor(game: teerling.Game, lang: str) -> None:
    book = rulebook(game, lang)
    common = game.folder.parent / f"rules.{lang}.md"
    text = (game.folder / f"rules.{lang}.md").read_text() + common.read_text()
    written = re.findall(r"^- \*\*([A-Z]+-\d\d)\*\*", text, re.MULTILINE)
    ids = Reader(book.html).ids
    assert set(written) == book.rules
    assert set(written) <= set(ids)
    assert len(ids) == len(set(ids))
    assert {anchor for anchor, _ in book.contents} <= set(ids)


@pytest.mark.parametrize(("game", "lang"), BOOKS, ids=str)
def test_every_link_of_a_rules_page_leads_somewhere(game: teerling.Game, lang: str) -> None:
    page = Reader(rulebook(game, lang).html)
    assert page.links
    for link in page.links:
        address, _, anchor = link.partition("#")
        other = teerling.game(address.rpartition("/")[2]) if address else game
        assert anchor in Reader(rulebook(other, lang).html).ids


@pytest.mark.parametrize(("game", "lang"), BOOKS, ids=str)
def test_a_rules_page_draws_only_what_the_game_has_drawn(game: teerling.Game, lang: str) -> None:
    there = set(re.findall(r'<symbol id="([^"]+)"', drawings(game.id)))
    assert set(re.findall(r'<use href="#([^"]+)"', rulebook(game, lang).html)) - there == set()


@pytest.mark.parametrize(("game", "lang"), BOOKS, ids=str)
def test_a_mark_is_a_sign_and_never_a_word(game: teerling.Game, lang: str) -> None:
    html = rulebook(game, lang).html
    assert 'class="mark"' in html
    assert re.findall(r"<em>\(\w+\)</em>", html) == []


def with_page(folder: Path, text: str) -> teerling.Game:
    """Ra with another rules page."""
    (folder / "rules.en.md").write_text(text, encoding="utf-8")
    ra = replace(teerling.game("ra"))
    ra.__dict__["folder"] = folder
    return ra


def test_a_mark_says_what_it_means_and_leads_to_the_legend(tmp_path: Path) -> None:
    html = rulebook(with_page(tmp_path, "- **RA-01** For *three*. *(ruling)*"), "en").html
    meaning = "Our reading: the rulebook leaves this open."
    assert f'<a class="mark" href="#mark-ruling" title="{meaning}" aria-label="{meaning}">°</a>' in html
    assert f'<p id="mark-ruling"><b class="sign">°</b> {meaning}</p>' in html
    assert "<em>three</em>" in html


def test_a_symbol_is_drawn_and_named_once(tmp_path: Path) -> None:
    text = "A ![pharaoh](pharaoh) pharaoh.\n\nWorth ![2 gold](gold) <b>.\n"
    html = rulebook(with_page(tmp_path, text), "en").html
    svg = '<svg class="icon" viewBox="0 0 24 24" focusable="false"'
    assert f'A {svg} aria-hidden="true"><use href="#pharaoh"/></svg> pharaoh.' in html
    assert f'Worth {svg} role="img" aria-label="2 gold"><use href="#gold"/></svg> &lt;b&gt;.' in html


def test_the_game_in_one_page_is_a_card(tmp_path: Path) -> None:
    text = "# Ra\n\n## On one page\n\nBid.\n\n## Your turn\n\nDraw.\n"
    html = " ".join(rulebook(with_page(tmp_path, text), "en").html.split())
    card = html.partition('<section class="summary">')[2].partition("</section>")[0]
    assert "Bid." in card
    assert "Draw." not in card


def test_the_rules_page_brings_the_drawings(client: TestClient) -> None:
    assert '<symbol id="t-pharaoh"' in client.get("/rules/ra").text


def test_a_rules_page_is_in_the_language_of_the_reader(client: TestClient) -> None:
    page = client.get("/rules/ra")
    assert page.status_code == 200
    assert "De veiling" in page.text
    assert 'id="RA-12"' in page.text
    assert 'id="G-01"' in page.text
    english = client.get("/rules/ra", headers={"accept-language": "en"}).text
    assert "The auction" in english


def test_the_panel_at_the_table_gets_the_text_alone(client: TestClient) -> None:
    page = client.get("/rules/dicerun?fragment=1")
    assert "<html" not in page.text
    assert 'id="DR-16"' in page.text


def test_rules_that_a_table_names_link_to_the_rules_page(client: TestClient) -> None:
    page = client.post("/play/ra").text
    links = {link for link in Reader(page).links if link.startswith("/rules/ra#")}
    assert links
    for link in links:
        assert link.partition("#")[2] in rulebook(teerling.game("ra"), "nl").rules
    assert '<dialog id="rules"' in page


def test_an_unknown_game_has_no_rules(client: TestClient) -> None:
    assert client.get("/rules/chess").status_code == 404


def test_the_page_about_the_games_names_their_authors(client: TestClient) -> None:
    page = client.get("/about").text
    assert "onafhankelijke" in page
    for game in teerling.list_games():
        assert game.author in page
        assert f'href="/rules/{game.id}"' in page
