"""Lobby, tables and people in a browser, whatever the game."""

import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

import teerling
from tests.browser.playing import (
    MOVES,
    Visitor,
    await_change,
    await_connection,
    await_turn,
    choose,
    findings,
    is_over,
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
        if is_over(page):
            break
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
    expect(page.locator(".strip .chip").first).to_contain_text("Jij")
    # Until the script has come, a button for several boxes can be pressed with none of them ticked.
    await_connection(page)
    await_turn(page)
    choose(page, page.locator(MOVES).first)
    await_turn(page)
    expect(page.locator(".prompt.mine")).to_be_visible()


def test_the_language_can_be_switched_and_stays(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    expect(page.locator("h1")).to_have_text("Vijf spellen, één tafel")
    page.get_by_role("button", name="English").click()
    expect(page.locator("h1")).to_have_text("Five games, one table")
    page.goto(f"{server}/new/ra")
    expect(page.locator("html")).to_have_attribute("lang", "en")


STUBS = """
window.shared = [];
navigator.share = async (what) => (document.body.dataset.shared = shared.push(what));
navigator.canShare = () => true;
"""


def test_a_whole_match_from_invitation_to_rematch(visitor: Visitor, server: str) -> None:
    anne, marc = visitor("nl"), visitor("en", 390, 844)
    for page in (anne, marc):
        page.add_init_script(STUBS)
    table = new_table(anne, server, "rapido", ["me", "open"], goal="5")
    assert anne.locator("[data-invite]").input_value() == table
    expect(anne.locator(".invite")).to_contain_text("werkt alleen op deze computer")
    anne.locator("[data-share]").click()
    assert anne.evaluate("shared") == [{"title": "Kom Rapido spelen", "url": table}]
    anne.fill("#chat-text", "Kom je?")
    anne.keyboard.press("Enter")
    join(marc, table, "Marc")
    expect(anne.locator(".strip .chip").nth(1)).to_contain_text("Marc")
    anne.fill("#chat-text", "Succes!")
    anne.keyboard.press("Enter")
    expect(marc.locator("#heard")).to_contain_text("Succes!")
    eva = visitor("nl", path=table.removeprefix(server))
    expect(eva.locator(".watching").first).to_contain_text("Je kijkt mee")
    while not is_over(anne):
        page, other = (anne, marc) if anne.locator(MOVES).count() else (marc, anne)
        assert eva.locator(MOVES).count() == 0
        choose(page, page.locator(MOVES).first)
        expect(other.locator("#live")).to_have_attribute("data-version", version(page))
    expect(marc.locator(".result")).to_be_visible()
    marc.locator("[data-picture]").click()
    marc.wait_for_selector("body[data-shared]")
    assert marc.evaluate("shared[0].files[0].type") == "image/png"
    anne.get_by_role("button", name="Revanche").click()
    anne.wait_for_url(lambda url: url != table)
    eva.goto(anne.url)
    expect(eva.locator(".room")).to_contain_text("Gast wil revanche")
    assert eva.locator("button[name=seat]").count() == 0
    expect(marc.locator(".result .reopened")).to_be_visible()
    assert marc.evaluate("document.querySelector('.result').scrollWidth") == 390
    assert not overflows(marc)
    marc.get_by_role("button", name="To the rematch").click()
    marc.wait_for_url(anne.url)
    expect(marc.locator(".strip .chip").first).to_contain_text("You")
    expect(marc.locator("#offer")).to_be_hidden()
    expect(anne.locator(".strip .chip").nth(1)).to_contain_text("Marc")
    expect(marc.locator(".chat .lines")).to_contain_text("Kom je?")
    expect(eva.locator(".strip .chip").nth(1)).to_contain_text("Marc")


def test_who_sits_may_stand_up_before_the_match_and_leaves_the_room_to_the_others(
    visitor: Visitor, server: str
) -> None:
    anne, marc = visitor("en", 390, 700), visitor("en")
    table = new_table(anne, server, "rapido", ["me", "open", "open"])
    join(marc, table, "Marc")
    expect(anne.get_by_role("button", name="Close the table")).to_have_count(0)
    marc.get_by_role("button", name="Stand up").click()
    expect(marc.locator("#wait-h")).to_contain_text("invites you to play Rapido")
    expect(anne.locator("#wait-h")).to_have_text("2 chairs are still free")
    expect(anne.get_by_role("button", name="Close the table")).to_be_visible()


ROOM = """() => ["#live .room", "#live .rail"].map(name => {
  const { left, top, right, bottom } = document.querySelector(name).getBoundingClientRect();
  return { left, top, right, bottom };
})"""


@pytest.mark.parametrize("game", [game.id for game in teerling.list_games()])
def test_in_every_game_the_chairs_stand_before_the_invitation(
    visitor: Visitor, server: str, game: str
) -> None:
    page = visitor("en", 1320, 900)
    new_table(page, server, game, ["me", "open"])
    room, rail = page.evaluate(ROOM)
    assert room["left"] < 30
    assert room["right"] <= rail["left"]
    assert abs(room["top"] - rail["top"]) < 30
    page.set_viewport_size({"width": 390, "height": 844})
    room, rail = page.evaluate(ROOM)
    assert room["bottom"] <= rail["top"]
    assert rail["right"] - rail["left"] > 340


def test_when_the_match_begins_the_board_is_in_view(visitor: Visitor, server: str) -> None:
    anne, marc = visitor("en", 390, 700), visitor("en")
    table = new_table(anne, server, "rapido", ["me", "open"])
    anne.locator("#chat-text").focus()
    anne.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert anne.evaluate("scrollY") > 100
    join(marc, table, "Marc")
    expect(anne.locator(".strip .chip").nth(1)).to_contain_text("Marc")
    assert anne.evaluate("scrollY") == 0


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
    log = page.locator(".log[tabindex] li").first.inner_text()
    reload(page)
    await_turn(page)
    assert page.locator(".log[tabindex] li").first.inner_text() == log
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


def test_a_line_that_dies_without_a_word_is_noticed_and_nothing_typed_is_lost(
    visitor: Visitor, server: str
) -> None:
    page = visitor("en")
    lines: list[bool] = []

    def forward(line: WebSocketRoute) -> None:
        lines.append(True)
        far, number = line.connect_to_server(), len(lines)
        line.on_message(lambda message: far.send(message) if lines[number - 1] else None)
        far.on_message(lambda message: line.send(message) if lines[number - 1] else None)

    page.route_web_socket(re.compile("/live"), forward)
    table = new_table(page, server, "ra", ["me", "bot", "bot"])
    await_turn(page)
    page.fill("#chat-text", "half a thought")
    lines[-1] = False
    at, move = version(page), page.locator(MOVES).first.get_attribute("value") or ""
    page.request.post(f"{table}/move", form={"move": move, "at": at})
    assert version(page) == at
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator("#live")).not_to_have_attribute("data-version", at)
    assert len(lines) == 2
    expect(page.locator("#chat-text")).to_have_value("half a thought")
    reload(page)
    expect(page.locator("#chat-text")).to_have_value("half a thought")


def test_a_move_that_is_pressed_twice_on_a_slow_line_is_sent_once(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    sent: list[str | bytes] = []

    def slow(line: WebSocketRoute) -> None:
        far = line.connect_to_server()
        line.on_message(lambda message: sent.append(message))
        far.on_message(line.send)

    page.route_web_socket(re.compile("/live"), slow)
    new_table(page, server, "ra", ["me", "bot", "bot"])
    await_turn(page)
    for _ in range(2):
        page.locator(MOVES).first.click()
    assert len([each for each in sent if '"move"' in str(each)]) == 1


GOES_DOWN = {
    "before it": "line.close(); button.click();",
    "with it": "line.send = () => {}; button.click(); line.close();",
}


@pytest.mark.parametrize("when", GOES_DOWN)
def test_a_move_whose_line_goes_down_unnoticed_is_made_by_the_next_one(
    visitor: Visitor, server: str, when: str
) -> None:
    page = visitor("en")
    page.add_init_script(
        """window.WebSocket = class extends WebSocket {
            constructor(...all) { super(...all); window.line = this; }
        }"""
    )
    new_table(page, server, "radice", ["me", "me"])
    await_turn(page)
    before = version(page)
    page.evaluate(f"() => {{ const button = document.querySelector('[value=keep]'); {GOES_DOWN[when]} }}")
    await_change(page, before)
    expect(page.locator(".log[tabindex]")).to_contain_text("keeps the dice as they lie")


def test_the_level_of_a_bot_is_chosen_on_its_chair(visitor: Visitor, server: str) -> None:
    anne, marc = visitor("en"), visitor("en")
    table = new_table(anne, server, "ra", ["me", "open", "open"])
    anne.get_by_role("button", name="Put a bot on chair 2").click()
    marc.goto(table)
    expect(anne.locator(".room header")).to_contain_text("one more looks on")
    assert findings(anne) == []
    anne.locator(":popover-open").get_by_role("button", name="Expert").click()
    expect(marc.locator(".chairs li", has_text="expert")).to_have_count(1)


def test_whoever_comes_to_the_waiting_room_and_leaves_is_seen_within_seconds(
    visitor: Visitor, server: str
) -> None:
    anne, marc, eva = visitor("en"), visitor("en"), visitor("en")
    table = new_table(anne, server, "ra", ["me", "open", "open"])
    expect(anne.locator("#wait-h")).to_have_text("2 chairs are still free")
    join(marc, table, "Marc")
    chair = anne.locator(".chairs li", has_text="Marc")
    expect(chair).to_contain_text("is here", timeout=5000)
    eva.goto(table)
    expect(eva.locator("#wait-h")).to_contain_text("invites you to play Ra")
    expect(anne.locator(".room header")).to_contain_text("one more looks on", timeout=5000)
    assert findings(anne) == []
    assert findings(eva) == []
    marc.close()
    expect(chair).to_contain_text("away", timeout=5000)
    eva.set_viewport_size({"width": 360, "height": 740})
    assert not overflows(eva)


def test_what_is_typed_in_the_waiting_room_survives_that_others_come(visitor: Visitor, server: str) -> None:
    anne, marc, eva = visitor("en"), visitor("en"), visitor("en")
    table = new_table(anne, server, "ra", ["me", "open", "open"])
    eva.goto(table)
    await_connection(eva)
    eva.fill("#your-name", "Eva")
    join(marc, table, "Marc")
    expect(eva.locator("#wait-h")).to_be_visible()
    expect(eva.locator(".chairs li", has_text="Marc")).to_be_visible()
    expect(eva.locator("#your-name")).to_have_value("Eva")


def test_without_a_line_the_page_says_so_and_comes_back(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.context.set_offline(True)
    page.goto(f"{server}/new/ra")
    expect(page.locator("h1")).to_have_text("You are offline")
    page.context.set_offline(False)
    expect(page.locator("h1")).to_have_text("A table for Ra")


@pytest.mark.parametrize("preset", ["bots", "friends", "screen"])
def test_a_table_is_opened_by_keyboard_alone(visitor: Visitor, server: str, preset: str) -> None:
    page = visitor("en", path="/new/ra")
    page.locator("[name=preset]:checked").focus()
    for _ in range(["bots", "friends", "screen"].index(preset)):
        page.keyboard.press("ArrowRight")
    expect(page.locator(f"[name=preset][value={preset}]")).to_be_checked()
    page.locator("[name=players]:checked").focus()
    page.keyboard.press("ArrowLeft")
    if preset == "bots":
        page.locator("[name=level]:checked").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("[value=novice]").first).to_be_checked()
    assert findings(page) == []
    page.locator(".begin button").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#live :is(.board, .room, .curtain)")
    chairs = page.locator(".chairs li" if preset == "friends" else ".strip .chip")
    expect(chairs).to_have_count(3)


def test_a_new_table_needs_no_script(plain: Page, server: str) -> None:
    plain.goto(f"{server}/new/rapido")
    plain.check("[value=friends]", force=True)
    plain.check("[name=players][value='3']", force=True)
    plain.locator(".begin button").click()
    expect(plain.locator(".chairs li")).to_have_count(3)


def test_the_menu_at_the_table_sets_speed_and_volume(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "ra", ["me", "bot", "bot"])
    page.get_by_label("Settings").click()
    page.get_by_label("Calm").check()
    page.get_by_label("Volume").fill("20")
    assert page.evaluate("localStorage.getItem('pace')") == "calm"
    reload(page)
    page.get_by_label("Settings").click()
    expect(page.get_by_label("Volume")).to_have_value("20")
    assert findings(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_label("Volume")).to_be_hidden()
