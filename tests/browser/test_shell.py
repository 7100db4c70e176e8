"""Lobby, tables and people in a browser, whatever the game."""

import re

import pytest
from playwright.sync_api import expect

import teerling
from tests.browser.playing import (
    MOVES,
    Visitor,
    await_turn,
    choose,
    findings,
    join,
    new_table,
    overflows,
    picture,
    reload,
    version,
)

GAMES = [game.id for game in teerling.list_games()]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["nl", "en"])
def test_lobby_and_new_table_have_no_findings(visitor: Visitor, server: str, lang: str, theme: str) -> None:
    page = visitor(lang, theme=theme)
    assert findings(page) == []
    picture(page, f"lobby-{lang}-{theme}")
    page.goto(f"{server}/new/dicerun")
    assert findings(page) == []
    page.goto(f"{server}/nowhere")
    assert findings(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("game", GAMES)
def test_a_table_has_no_findings_and_fits_a_small_phone(
    visitor: Visitor, server: str, game: str, theme: str
) -> None:
    page = visitor("nl", theme=theme)
    new_table(page, server, game, ["me", "bot", "bot"])
    for _ in range(6):
        await_turn(page)
        choose(page, page.locator(MOVES).first)
    await_turn(page)
    assert findings(page) == []
    picture(page, f"{game}-{theme}")
    page.set_viewport_size({"width": 360, "height": 740})
    assert not overflows(page)
    picture(page, f"{game}-{theme}-phone")


@pytest.mark.parametrize("game", GAMES)
def test_play_now_seats_you_with_one_click(visitor: Visitor, game: str) -> None:
    page = visitor("nl")
    page.locator(f"article.{game} .btn.primary").click()
    expect(page.locator("#live .board")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "nl")
    expect(page.locator(".player").first).to_contain_text("Gast (jij)")
    await_turn(page)
    choose(page, page.locator(MOVES).first)
    await_turn(page)
    expect(page.locator("#prompt-h")).to_have_text("Jij bent aan de beurt")


def test_the_language_can_be_switched_and_stays(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    expect(page.locator("h1")).to_have_text("Vijf spellen, één tafel.")
    page.get_by_role("button", name="English").click()
    expect(page.locator("h1")).to_have_text("Five games, one table.")
    page.goto(f"{server}/new/ra")
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_two_people_play_by_invite_link(visitor: Visitor, server: str) -> None:
    anne, marc = visitor("nl"), visitor("en")
    table = new_table(anne, server, "rapido", ["me", "open"])
    link = anne.locator("[data-invite]").input_value()
    assert link == table
    join(marc, link, "Marc")
    expect(anne.locator(".player").nth(1)).to_contain_text("Marc")
    expect(anne.locator("#live")).to_have_attribute("data-version", version(marc))
    moved = set()
    for _ in range(8):
        page, other = (anne, marc) if anne.locator(MOVES).count() else (marc, anne)
        choose(page, page.locator(MOVES).first)
        expect(other.locator("#live")).to_have_attribute("data-version", version(page))
        moved.add(page)
    assert moved == {anne, marc}
    late = visitor("nl", path=table.removeprefix(server))
    assert late.locator(MOVES).count() == 0
    expect(late.locator("#live .board")).to_be_visible()


def test_a_seat_can_be_claimed_once(visitor: Visitor, server: str) -> None:
    anne, marc, eva = visitor("nl"), visitor("en"), visitor("en")
    table = new_table(anne, server, "ra", ["me", "open"])
    for page in (marc, eva):
        page.goto(table)
    marc.get_by_role("button", name="Take this seat").click()
    expect(marc.locator("#live .board")).to_be_visible()
    expect(eva.get_by_role("button", name="Take this seat")).to_have_count(0)


def test_refresh_and_lost_connection_lose_nothing(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "ra", ["me", "bot", "bot"])
    await_turn(page)
    choose(page, page.locator(MOVES).first)
    await_turn(page)
    log = page.locator(".log li").first.inner_text()
    reload(page)
    await_turn(page)
    assert page.locator(".log li").first.inner_text() == log
    page.context.set_offline(True)
    page.context.set_offline(False)
    choose(page, page.locator(MOVES).first)


def test_a_move_can_be_taken_back_alone_against_bots(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "ra", ["me", "bot", "bot"])
    await_turn(page)
    asked = page.locator(".prompt").inner_text()
    choose(page, page.locator(MOVES).first)
    await_turn(page)
    choose(page, page.get_by_role("button", name="Take back"))
    expect(page.locator(".prompt")).to_contain_text(asked.splitlines()[0])


def test_what_can_not_be_done_says_why(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "ra", ["me", "bot", "bot"])
    for _ in range(40):
        await_turn(page)
        refused = page.locator(".choices button[aria-disabled]")
        if refused.count():
            assert re.search(r"\(RA-\d\d\)", refused.first.get_attribute("title") or "")
            before = version(page)
            refused.first.focus()
            page.keyboard.press("Enter")
            expect(page.locator("#state")).to_contain_text("RA-")
            assert version(page) == before
            return
        choose(page, page.locator(MOVES).first)
    raise AssertionError("nothing was refused in forty moves")


def test_chat_is_shown_to_the_others_and_never_as_markup(visitor: Visitor, server: str) -> None:
    anne, marc = visitor("nl"), visitor("en")
    table = new_table(anne, server, "ra", ["me", "open"])
    join(marc, table, "<b>Marc</b>")
    marc.locator("#chat-text").fill("<img src=x onerror=alert(1)>")
    marc.get_by_role("button", name="Send", exact=True).click()
    expect(anne.locator(".chat .lines li")).to_have_text("<b>Marc</b> <img src=x onerror=alert(1)>")
    assert anne.locator(".chat img").count() == 0


def test_a_screen_reader_hears_what_happened_and_whose_turn_it_is(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "ra", ["me", "bot", "bot"])
    await_turn(page)
    choose(page, page.locator(MOVES).first)
    await_turn(page)
    expect(page.locator("#said")).to_contain_text("It is your turn")
    assert page.title().startswith("●")


def test_a_rematch_seats_both_people_again(visitor: Visitor, server: str) -> None:
    anne, marc = visitor("en"), visitor("en")
    table = new_table(anne, server, "rapido", ["me", "open"])
    join(marc, table, "Marc")
    expect(anne.locator(".player").nth(1)).to_contain_text("Marc")
    for page in (anne, marc):
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Resign").click()
    anne.get_by_role("button", name="Rematch").click()
    anne.wait_for_url(lambda url: url != table)
    marc.get_by_role("button", name="To the rematch").click()
    marc.wait_for_url(anne.url)
    expect(marc.locator(".player").first).to_contain_text("Marc (you)")
    expect(anne.locator(".player").nth(1)).to_contain_text("Marc")
    expect(anne.locator("#prompt-h")).not_to_have_text("Waiting for players")
