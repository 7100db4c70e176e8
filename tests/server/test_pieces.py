"""A page comes in pieces: put together it is the same as a whole, whatever was sent before it."""

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import teerling
from teerling.server.house import House
from teerling.server.look import frames_since, match_view
from teerling.server.page import live_pages
from teerling.server.tables.broadcaster import Viewer
from teerling.server.tables.pieces import CUT, Held, Pieces, in_pieces
from tests.server.test_pure_pages import table_view
from tests.server.test_rooms import ANNE, Wire, in_house, open_table, quiet


@pytest.mark.parametrize("game", [game.id for game in teerling.list_games()])
def test_pieces_put_together_are_the_page(game: str) -> None:
    """With all that is shown before it, for a player and a spectator who miss some of the moves."""
    match, chooser = teerling.new(game, players=3, seed=6), random.Random(6)
    browsers: dict[int | None, tuple[Pieces, Held, int | None]] = {
        viewer: (Pieces(), (), None) for viewer in (0, None)
    }
    sent = whole = 0
    while len(match.pushes) < 40 and not match.over:
        match.push(chooser.choice(match.legal_moves))
        for viewer, (browser, held, since) in browsers.items():
            if chooser.random() < 0.3:
                continue
            view = match_view(match, viewer, viewer)
            frames = () if since is None else frames_since(match, view, since)
            table = replace(table_view(match, viewer), match=view, frames=frames)
            page = live_pages.live(table, "nl").as_message()
            message, held = in_pieces(page, held)
            assert browser.whole(json.loads(json.dumps(message))) == page
            browsers[viewer] = browser, held, len(match.history)
            sent, whole = sent + len(json.dumps(message)), whole + len(json.dumps(page))
    assert sent < whole / 2


def drawn(letters: str) -> dict[str, Any]:
    return {"kind": "page", "html": CUT.join(letters), "frames": []}


def test_a_browser_forgets_what_the_last_page_did_not_show() -> None:
    message, held = in_pieces(drawn("abc"), ())
    assert message["fresh"] == ["a", "b", "c"]
    message, held = in_pieces(drawn("cca"), held)
    assert (message["html"], message["fresh"]) == ([2, 2, 0], [])
    assert len(held) == 2
    message, held = in_pieces(drawn("b"), held)
    assert message["fresh"] == ["b"]


def test_what_was_never_sent_is_not_named(tmp_path: Path) -> None:
    """A page that waits for a slow line is replaced by the next one, which cannot rest on it."""
    letters = iter("abc")

    class Slow(Wire):
        async def send_text(self, data: str) -> None:
            await free.wait()
            await super().send_text(data)

    free, wire, browser = asyncio.Event(), Slow(), Pieces()

    async def test(house: House) -> None:
        table = await open_table(house)
        viewer = Viewer(table.id, wire, ANNE.id, "en", held=())
        house.broadcaster.add(viewer)
        house.broadcaster._render = lambda view, lang: drawn(f"x{next(letters)}")
        for _ in range(3):
            house.broadcaster.tell(table)
            await asyncio.sleep(0.1)
        free.set()
        await quiet(house)
        house.broadcaster.remove(viewer)

    in_house(tmp_path, test)
    assert [message["fresh"] for message in wire.sent] == [["x", "a"], ["c"]]
    assert [browser.whole(message)["html"] for message in wire.sent] == [f"x{CUT}a", f"x{CUT}c"]
