"""What goes wrong on an ordinary evening: a lost connection, small screens, long names, fingers, the dark."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocketRoute, expect

import teerling
from tests.browser.conftest import await_server
from tests.browser.playing import (
    MOVES,
    Visitor,
    await_change,
    await_connection,
    await_turn,
    choose,
    findings,
    join,
    new_table,
    overflows,
    picture,
    tab_to,
    version,
)

GAMES = [game.id for game in teerling.list_games()]

Server = subprocess.Popen[bytes]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[tuple[str, Callable[[], Server]]]:
    """An address, and how to start a server there; it finds what the one before it stored."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, started = f"http://127.0.0.1:{port}", []

    def start() -> Server:
        started.append(
            subprocess.Popen([sys.executable, "-m", "tests.browser.serve", str(tmp_path), str(port)])
        )
        await_server(address)
        return started[-1]

    yield address, start
    for process in started:
        process.kill()
        process.wait(60)


def test_a_click_without_connection_waits_for_it(
    serve: tuple[str, Callable[[], Server]], visitor: Visitor
) -> None:
    page = visitor("en")
    address, start = serve
    process = start()
    table = new_table(page, address, "ra", ["me", "me"])
    page.locator("#chat-text").fill("still there?")
    before = version(page)
    process.kill()
    process.wait(60)
    for button in (
        page.locator(MOVES).first,
        page.locator(".chat button"),
        page.locator("button.theme:visible"),
    ):
        expect(page.locator("#state")).to_contain_text("The connection is lost")
        page.evaluate("document.getElementById('state').hidden = true")
        button.click()
        expect(page.locator("#state")).to_contain_text("The connection is lost")
        assert page.url == table
    page.locator("[data-sure]").first.click()
    assert page.url == table
    start()
    expect(page.locator("#state")).to_contain_text("Connected again")
    assert page.locator("#chat-text").input_value() == "still there?"
    assert version(page) == before
    choose(page, page.locator(MOVES).first)


def test_a_line_that_does_not_open_is_told_and_another_is_tried(
    serve: tuple[str, Callable[[], Server]], visitor: Visitor
) -> None:
    page = visitor("en")
    address, start = serve
    process = start()
    new_table(page, address, "ra", ["me", "me"])
    # It takes what comes, and says nothing.
    process.send_signal(signal.SIGSTOP)
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator("#state")).to_contain_text("The connection is lost")
    # The first line that it is tried by does not open either.
    page.wait_for_timeout(7000)
    process.send_signal(signal.SIGCONT)
    expect(page.locator("#state")).to_contain_text("Connected again")
    choose(page, page.locator(MOVES).first)


def test_chat_keeps_the_page_the_place_and_the_focus(visitor: Visitor, server: str) -> None:
    anne, marc = visitor("nl", height=500), visitor("en")
    table = new_table(anne, server, "ra", ["me", "open"])
    join(marc, table, "Marc")
    expect(anne.locator(".player").nth(1)).to_contain_text("Marc")
    loads: list[str] = []
    anne.on("framenavigated", lambda frame: loads.append(frame.url))
    anne.locator("#chat-text").focus()
    place = anne.evaluate("scrollY")
    assert place > 0
    for number in range(9):
        anne.keyboard.type(f"line {number}")
        anne.keyboard.press("Enter")
        expect(marc.locator(".chat .lines li")).to_have_count(number + 1)
        expect(anne.locator(".chat .lines li")).to_have_count(number + 1)
        expect(anne.locator("#chat-text")).to_have_value("")
        expect(anne.locator("#chat-text")).to_be_focused()
    assert anne.evaluate("scrollY") == place
    assert loads == []
    expect(anne.locator(".chat .lines li").last).to_be_in_viewport()
    # What is typed and not sent yet outlives a page that comes meanwhile, and so does the cursor.
    anne.keyboard.type("not sent")
    anne.keyboard.press("Home")
    mover = marc if marc.locator(MOVES).count() else anne
    choose(mover, mover.locator(MOVES).first)
    expect(anne.locator("#live")).to_have_attribute("data-version", version(mover))
    expect(anne.locator("#chat-text")).to_have_value("not sent")
    assert anne.evaluate("document.activeElement.selectionStart") == 0


OPENING_STAYS = """{
  const later = setTimeout;
  window.setTimeout = (act, ms, ...more) => later(act, ms === 5000 ? 120_000 : ms, ...more);
}"""
"""Who plays is told until somebody goes on: on a busy machine the usual five seconds are over too soon."""
WATCH_TYPED = """() => {
  window.gone = 0;
  window.frames = 0;
  const look = () => {
    frames++;
    const field = document.getElementById("chat-text");
    if (field?.value !== "half a line") gone++;
    requestAnimationFrame(look);
  };
  look();
}"""


def test_what_is_being_typed_stays_while_the_match_begins_and_pieces_move(
    somebody: Callable[..., BrowserContext], visitor: Visitor, server: str
) -> None:
    anne, marc = somebody(locale="en").new_page(), visitor("en")
    anne.add_init_script(OPENING_STAYS)
    table = new_table(anne, server, "radice", ["me", "open"])
    anne.fill("#chat-text", "half a line")
    anne.evaluate(WATCH_TYPED)
    join(marc, table, "Marc")
    marc.fill("#chat-text", "Hello")
    marc.keyboard.press("Enter")
    expect(anne.locator(".opening")).to_be_visible()
    expect(anne.locator(".chat .lines li")).to_have_count(1)
    assert anne.evaluate("frames") > 5
    assert anne.evaluate("gone") == 0


def test_who_asks_for_a_moment_when_the_match_begins_is_not_hurried_and_heard(
    somebody: Callable[..., BrowserContext], visitor: Visitor, server: str
) -> None:
    anne, marc = somebody(locale="en").new_page(), visitor("en")
    anne.add_init_script(OPENING_STAYS)
    table = new_table(anne, server, "rapido", ["me", "open"])
    anne.fill("#chat-text", "half a line")
    join(marc, table, "Marc")
    anne.get_by_role("button", name="One moment").click()
    expect(anne.get_by_role("button", name="To the board")).to_be_focused()
    expect(marc.locator(".opening")).to_be_hidden()
    expect(marc.locator(".chat .lines li")).to_contain_text(["One moment, please!"])
    marc.fill("#chat-text", "Take your time")
    marc.keyboard.press("Enter")
    expect(anne.locator(".chat .lines li")).to_contain_text(["One moment, please!", "Take your time"])
    anne.wait_for_timeout(1000)
    expect(anne.locator(".opening")).to_be_visible()
    assert findings(anne) == []
    anne.get_by_role("button", name="To the board").click()
    expect(anne.locator(".opening")).to_be_hidden()
    expect(anne.locator("#chat-text")).to_have_value("half a line")


def test_a_move_that_nobody_answers_finds_out_that_the_line_is_dead(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    opened: list[WebSocketRoute] = []

    def dies(side: WebSocketRoute) -> None:
        first, alive = not opened, True
        opened.append(side)
        beyond = side.connect_to_server()

        def hear(text: str | bytes) -> None:
            nonlocal alive
            alive = alive and not (first and '"move"' in str(text))
            if alive:
                beyond.send(text)

        side.on_message(hear)

    new_table(page, server, "ra", ["me", "me"])
    page.route_web_socket("**/live*", dies)
    page.clock.install()
    page.reload()
    await_connection(page)
    before = version(page)
    page.locator(MOVES).first.click()
    page.clock.run_for(7_000)
    page.wait_for_timeout(300)
    assert len(opened) == 2
    # The line that comes after it takes the move along.
    await_change(page, before)
    choose(page, page.locator(MOVES).first)


def test_a_page_brings_what_is_new_and_is_the_same_as_one_that_is_opened_anew(
    visitor: Visitor, server: str
) -> None:
    page = visitor("en")
    heard: list[dict[str, Any]] = []
    page.on("websocket", lambda line: line.on("framereceived", lambda text: heard.append(json.loads(text))))
    new_table(page, server, "ra", ["me", "bot"])
    for _ in range(4):
        await_turn(page)
        choose(page, page.locator(MOVES).first)
    await_turn(page)
    first, *later = [message for message in heard if message["kind"] == "page"]
    assert len(first["fresh"]) > 50
    assert (
        sum(len(message["fresh"]) for message in later) < sum(len(message["html"]) for message in later) / 2
    )
    seen = [shown_text(page)]
    page.reload()
    await_turn(page)
    seen.append(shown_text(page))
    assert seen[0] == seen[1]


def shown_text(page: Page) -> str:
    """All that stands at a table, with what explains it."""
    told = "[...document.querySelectorAll('#live [data-tip]')].map((piece) => piece.dataset.tip)"
    return str(page.evaluate(f"[document.getElementById('live').innerText, ...{told}].join(' ')"))


def test_a_line_that_is_refused_stays_in_the_field(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    page.route_web_socket("**/live*", refuse_chat)
    new_table(page, server, "ra", ["me", "bot"])
    page.locator("#chat-text").fill("too much")
    page.keyboard.press("Enter")
    expect(page.locator("#state")).to_have_text("too fast, says the server")
    expect(page.locator("#chat-text")).to_have_value("too much")
    expect(page.locator("#chat-text")).to_be_focused()


def refuse_chat(page_side: WebSocketRoute) -> None:
    """A server that finds everybody too fast; all but chat goes through."""
    server_side = page_side.connect_to_server()
    no = '{"kind": "error", "text": "too fast, says the server"}'
    page_side.on_message(lambda text: page_side.send(no) if '"chat"' in str(text) else server_side.send(text))


def test_a_line_that_is_sent_once_more_is_said_once(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    page.route_web_socket("**/live*", keep_to_oneself_what_was_said)
    new_table(page, server, "ra", ["me", "bot"])
    page.locator("#chat-text").fill("well played")
    for _ in range(2):
        page.keyboard.press("Enter")
        expect(page.locator("#state")).to_have_text("nothing is known, says the server")
        expect(page.locator(".chat .lines li")).to_have_count(1)
        page.locator("#state").evaluate("state => state.textContent = ''")
    page.locator("#chat-text").fill("thank you")
    page.keyboard.press("Enter")
    expect(page.locator(".chat .lines li")).to_have_count(2)


def keep_to_oneself_what_was_said(page_side: WebSocketRoute) -> None:
    """A server that stores a line, and cannot tell so."""
    server_side = page_side.connect_to_server()
    no = '{"kind": "error", "text": "nothing is known, says the server"}'
    server_side.on_message(lambda text: page_side.send(no if '"said"' in str(text) else text))


@pytest.mark.parametrize(("width", "height"), [(844, 390), (667, 375), (640, 400)])
@pytest.mark.parametrize("game", GAMES)
def test_a_phone_held_sideways_shows_board_and_decision_side_by_side(
    visitor: Visitor, server: str, game: str, width: int, height: int
) -> None:
    page = visitor("nl", width=width, height=height)
    page.evaluate(f"localStorage.setItem('teerling-guide-{game}', 'seen')")
    new_table(page, server, game, ["me", "bot", "bot", "bot"])
    for _ in range(3):
        await_turn(page)
        assert page.evaluate("scrollY") == 0
        assert not overflows(page)
        assert page.evaluate(OUT_OF_REACH) == []
        choose(page, page.locator(f"{MOVES}:visible").first)
        page.evaluate("scrollTo(0, 0)")


OUT_OF_REACH = """() => [...document.querySelectorAll(".play button[name=move]:not([aria-disabled])")]
  .filter(each => each.checkVisibility({visibilityProperty: true}))
  .filter(each => {
    const {x, y, width, height} = each.getBoundingClientRect();
    return !each.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  }).map(each => each.value)"""
"""The moves that cannot be pressed without scrolling."""


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_forms_fit_a_small_phone(visitor: Visitor, server: str, lang: str) -> None:
    page = visitor(lang, width=360, height=740)
    for path in (*(f"new/{game}" for game in GAMES), "replay"):
        page.goto(f"{server}/{path}")
        assert not overflows(page), path


def test_the_seat_of_a_bot_takes_one_line(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    page.goto(f"{server}/new/dicerun")
    page.locator("details summary").click()
    page.check("[name=preset][value=seats]")
    rows = page.locator(".seatrow:has(.level:visible)")
    assert rows.count() > 0
    for row in rows.all():
        tops = row.locator(":is(select, input)").evaluate_all(
            "all => all.map(each => Math.round(each.getBoundingClientRect().bottom))"
        )
        assert len(tops) == 3
        assert len(set(tops)) == 1


LONG = "W" * 40
OUTSIDE = """all => all.filter(each => {
    const card = each.closest(".player").getBoundingClientRect(), own = each.getBoundingClientRect();
    return own.right > card.right || own.left < card.left;
}).length"""


@pytest.mark.parametrize("game", GAMES)
def test_a_long_name_without_spaces_fits_everywhere(visitor: Visitor, server: str, game: str) -> None:
    page = visitor("en")
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{server}/new/{game}")
    page.fill("[name=name]", LONG)
    page.locator("details summary").click()
    page.check("[name=preset][value=seats]")
    for number in range(page.locator(".seatrow").count()):
        page.select_option(f"[name=seat{number}]", "me" if number < 2 else "none")
    page.fill("[name=name1]", LONG)
    page.locator("form.new button.primary").click()
    await_connection(page)

    def check() -> None:
        for width in (360, 1320):
            page.set_viewport_size({"width": width, "height": 740})
            assert not overflows(page), (page.url, width)
            assert page.locator(".player header > *").evaluate_all(OUTSIDE) == 0, width

    check()
    for _ in range(6):
        # At a shared screen with secrets a curtain comes between.
        choices = page.locator(f".curtain, {MOVES}")
        choices.first.wait_for()
        if page.locator(".curtain").count():
            page.locator(".curtain").click()
            page.locator(".curtain").wait_for(state="detached")
        choose(page, page.locator(MOVES).first)
        check()
    page.fill("#chat-text", LONG * 4)
    page.keyboard.press("Enter")
    expect(page.locator(".chat .lines li")).to_have_count(1)
    check()
    table = page.url
    page.goto(f"{table}/replay?move=4")
    check()
    page.goto(table)
    for _ in range(2):
        choose(page, page.locator("[data-sure]").first)
    expect(page.locator(".result")).to_be_visible()
    check()
    page.goto(server)
    check()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_first_click_on_the_theme_changes_what_is_seen(visitor: Visitor, theme: str) -> None:
    page = visitor("en", theme=theme)
    colour = "getComputedStyle(document.body).color"
    signs = {"light": "#sign-moon", "dark": "#sign-sun"}
    button = page.get_by_role("button", name="Light or dark")
    expect(button).to_have_count(1)
    expect(button.locator("use")).to_have_attribute("href", signs[theme])
    before = page.evaluate(colour)
    button.click()
    page.wait_for_function(f"before => {colour} !== before", arg=before)
    expect(button).to_have_count(1)
    other = "dark" if theme == "light" else "light"
    expect(button.locator("use")).to_have_attribute("href", signs[other])
    button.click()
    page.wait_for_function(f"before => {colour} === before", arg=before)


@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (1320, "dark")])
def test_what_can_not_be_done_says_why_when_it_has_the_focus(
    visitor: Visitor, server: str, width: int, theme: str
) -> None:
    page = visitor("en", width=width, height=740, theme=theme)
    new_table(page, server, "radice", ["me", "bot"])
    await_turn(page)
    why, button = page.locator("#why"), page.locator("button[data-picks]")
    tab_to(page, "button[data-picks]")
    expect(why).to_be_visible()
    reason = button.get_attribute("title") or ""
    expect(why).to_have_text(reason)
    expect(button).to_have_accessible_description(reason)
    expect(why).to_be_in_viewport(ratio=1)
    assert not overflows(page)
    assert findings(page) == []
    picture(page, f"why-{theme}", whole=False)
    page.keyboard.press("Escape")
    expect(why).to_be_hidden()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(why).to_be_visible()
    page.keyboard.press("Tab")
    expect(why).to_be_hidden()
    assert button.get_attribute("aria-describedby") is None


def test_a_finger_sees_what_a_card_would_do_before_it_plays_it(
    somebody: Callable[..., BrowserContext], server: str
) -> None:
    size = {"width": 390, "height": 844}
    page = somebody(
        locale="en", viewport=size, has_touch=True, is_mobile=True, reduced_motion="reduce"
    ).new_page()
    new_table(page, server, "dicerun", ["me", "bot"], start="random", deck="6, 7, 0, 0, 0, 0")
    await_turn(page)
    before = version(page)
    cards = page.locator(".hand button[data-shows]")
    seen: list[str] = []
    for number in (0, 1, 0):
        card = cards.nth(number)
        card.tap()
        expect(card).to_have_class(re.compile("aimed"))
        expect(card.locator(".tap")).to_be_visible()
        expect(page.locator(".aimed")).to_have_count(1)
        moving = (card.get_attribute("data-shows") or "").split()
        expect(page.locator(".ghost")).to_have_count(len(moving))
        if moving:
            expect(page.locator(".ghost").first).to_be_in_viewport()
        seen.extend(moving)
    assert seen
    page.locator(".race").tap(position={"x": 5, "y": 5})
    expect(page.locator(".aimed, .ghost")).to_have_count(0)
    cards.first.tap()
    expect(page.locator(".aimed")).to_have_count(1)
    assert version(page) == before
    cards.first.tap()
    await_change(page, before)
    # Keys need no second press.
    await_turn(page)
    before = version(page)
    cards.first.focus()
    page.keyboard.press("Enter")
    await_change(page, before)


def test_with_a_mouse_one_click_plays_a_card(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "dicerun", ["me", "bot"], start="random")
    await_turn(page)
    expect(page.locator(".tap").first).to_be_hidden()
    choose(page, page.locator("button.playing[data-shows]").first)


def test_a_hint_that_is_asked_for_comes_into_view(visitor: Visitor, server: str) -> None:
    page = visitor("en", width=360, height=640)
    new_table(page, server, "rapido", ["me", "bot"])
    await_turn(page)
    page.locator("[data-live=hint]").click()
    expect(page.locator(".advice")).to_be_in_viewport(ratio=1)
    advice, prompt = (page.locator(each).bounding_box() for each in (".advice", ".prompt"))
    assert advice is not None
    assert prompt is not None
    assert advice["y"] + advice["height"] <= prompt["y"], "the decision stands over the foot of the page"


HINT = """prompt => {
    const line = move => `<li><button class="btn small">${move}</button> <span class="wins"><i></i></span>
        <b>50 %</b> <span class="soft">${move}</span></li>`;
    const lines = line("a") + line("a far longer move");
    prompt.insertAdjacentHTML("afterend", `<section class="card advice"><ol>${lines}</ol></section>`);
}"""


def test_the_bars_of_a_hint_start_at_the_same_place(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "ra", ["me", "bot"])
    page.locator(".prompt").evaluate(HINT)
    edges = page.locator(".advice .wins").evaluate_all(
        "all => all.map(each => [each.getBoundingClientRect().left, each.getBoundingClientRect().right])"
    )
    assert len(edges) == 2
    assert edges[0] == edges[1]


def test_the_letter_of_a_die_keeps_clear_of_its_pips(visitor: Visitor, server: str) -> None:
    page = visitor("en", width=360)
    new_table(page, server, "dicerun", ["me", "bot"])
    room = page.locator(".race .die").evaluate_all(
        """all => all.map(die => {
            const [pips, letter] = ["use", "b"].map(each => die.querySelector(each).getBoundingClientRect());
            return Math.max(letter.left - pips.right, letter.top - pips.bottom);
        })"""
    )
    assert len(room) >= 25
    assert min(room) > -1


def test_a_field_of_rapido_shows_the_pair_that_would_lie_there(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "rapido", ["me", "bot"])
    await_turn(page)
    for field in page.locator("button.rung:not(.no)").all()[:2]:
        field.hover()
        expect(field.locator(".ghost")).to_have_css("opacity", "1")
