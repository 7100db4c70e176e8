"""A whole match of every game against bots: by mouse, and by keyboard alone on a phone."""

import pytest
from playwright.sync_api import expect

from tests.browser.playing import Visitor, await_turn, new_table, picture, play_by_keyboard, play_by_mouse
from tests.variants import GAMES

SHORT = {"rapido": {"goal": "9"}, "radice": {"sun_steps": "5"}}
FULL = {"dicerun": 6, "rapido": 6}
"""How many sit at a table that is full; at the others three do."""
IN_THE_END = {"dicerun": "Punten in de kopgroep", "rapido": "boven!"}
BY_CLICKS = [game for game in GAMES if game != "radice"]
"""Ra: The Dice Game is played by ticking dice; its own tests do that."""


@pytest.mark.parametrize("game", BY_CLICKS)
def test_a_whole_match_by_mouse(visitor: Visitor, server: str, game: str) -> None:
    page, players = visitor("nl"), FULL.get(game, 3)
    new_table(page, server, game, ["me", *["bot"] * (players - 1)], **SHORT.get(game, {}))
    await_turn(page)
    picture(page, f"{game}-start-nl")
    play_by_mouse(page, seed=2)
    assert page.locator(".ranking li").count() == players
    expect(page.locator("#live")).to_contain_text(IN_THE_END.get(game, ""))
    picture(page, f"{game}-result-nl")


@pytest.mark.parametrize("game", BY_CLICKS)
def test_a_whole_match_by_keyboard_alone_on_a_phone(visitor: Visitor, server: str, game: str) -> None:
    page = visitor("en", width=390, height=844)
    missions = {"variable_missions": "yes", "mission_bonus": "yes"} if game == "dicerun" else {}
    new_table(page, server, game, ["me", "bot"], **SHORT.get(game, {}), **missions)
    play_by_keyboard(page)
    assert page.locator(".ranking li").count() == 2
    picture(page, f"{game}-result-phone-en")
