"""Drawings and colours: pages find what they use, and the server's styles know no game."""

import re
from collections import Counter
from pathlib import Path

import pytest

import teerling
from teerling.game import Game, list_games
from teerling.server.page.environment import STATIC, TEMPLATES
from tests.server.houses import new_table, opened

PACKAGE = Path(teerling.__file__).parent
SHELL = sorted(STATIC.glob("*.css"))


def check_drawings(html: str) -> None:
    """Whatever is drawn by its name is there, once."""
    there = Counter(re.findall(r'<symbol id="([^"]+)"', html))
    assert set(re.findall(r'<use href="#([^"]+)"', html)) - set(there) == set()
    assert [name for name, count in there.items() if count > 1] == []


def test_scenes_in_the_lobby_find_their_drawings(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        page = client.get("/").text
        assert page.count("<use ") > 10
        check_drawings(page)


@pytest.mark.parametrize("game", list_games(), ids=lambda game: game.id)
def test_boards_find_their_drawings(game: Game, tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        table = new_table(client, game.id)["table"]["id"]
        page = client.get(f"/tables/{table}").text
        assert '<section class="board"' in page
        check_drawings(page)


@pytest.mark.parametrize("style", SHELL, ids=lambda path: path.name)
def test_the_servers_styles_name_no_game(style: Path) -> None:
    names = "|".join(game.id for game in list_games())
    assert re.findall(rf"[.#-](?:{names})\b", style.read_text(encoding="utf-8")) == []


def test_styles_use_nothing_that_nobody_sets() -> None:
    styles = [*SHELL, *(PACKAGE / "games").glob("*/board.css")]
    pages = [*TEMPLATES.glob("*.html"), *(PACKAGE / "games").glob("*/*.html")]
    texts = {path: path.read_text(encoding="utf-8") for path in [*styles, *pages]}
    known = {name for text in texts.values() for name in re.findall(r"(?<!var\()--([\w-]+):", text)}
    used = {(path.name, name) for path in styles for name in re.findall(r"var\(--([\w-]+)\)", texts[path])}
    assert [each for each in sorted(used) if each[1] not in known] == []


def test_every_colour_of_a_card_is_in_the_palette() -> None:
    palette = (STATIC / "style.css").read_text(encoding="utf-8")
    assert [game.id for game in list_games() if f"--{game.pigment}: " not in palette] == []
