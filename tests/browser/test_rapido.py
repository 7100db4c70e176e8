"""Rapido in a browser: the stairs, what the board shows beforehand, and what it holds for a moment."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.playing import (
    MOVES,
    Visitor,
    await_change,
    await_turn,
    choose,
    is_over,
    new_table,
    overflows,
    picture,
    version,
)


@pytest.mark.parametrize("goal", ["5", "21", "60", "100"])
@pytest.mark.parametrize("width", [360, 1320])
def test_stairs_of_any_length_fold_into_the_page(
    visitor: Visitor, server: str, goal: str, width: int
) -> None:
    page = visitor("nl", width=width)
    new_table(page, server, "rapido", ["me", "bot"], goal=goal)
    await_turn(page)
    assert not overflows(page)
    tops = page.eval_on_selector_all(".step", "steps => steps.map(s => s.getBoundingClientRect().toJSON())")
    assert len(tops) == int(goal) + 1
    assert len({(round(step["left"]), round(step["bottom"])) for step in tops}) == len(tops)
    assert min(step["width"] for step in tops) >= 14
    # One always climbs, and the next step is at one's side or straight above.
    assert all(upper["top"] < lower["top"] for lower, upper in pairwise(tops))
    assert all(abs(upper["left"] - lower["left"]) < lower["width"] * 1.2 for lower, upper in pairwise(tops))
    picture(page, f"rapido-goal-{goal}-{width}")


def test_a_field_shows_beforehand_whom_it_throws_off(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "rapido", ["me", "bot", "bot", "bot"], goal="100")
    off = page.locator("button.rung .off").first
    for _ in range(60):
        await_turn(page)
        assert not is_over(page)
        if off.count():
            break
        choose(page, page.locator("button.rung.f0"))
    rung = page.locator("button.rung:has(.off)").last
    field = (rung.get_attribute("value") or "").removeprefix("place ")
    victim = page.locator(f".by{field}").first
    name = victim.locator(".name").inner_text().removesuffix(" ligt hier")
    heard = rung.get_attribute("aria-label") or ""
    assert "gooit" in heard
    assert name in heard
    page.mouse.move(2, 2)
    expect(victim).not_to_have_css("rotate", "3deg")
    rung.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(victim).to_have_css("rotate", "3deg")
    expect(page.locator(f".to{field}")).to_have_css("outline-style", "solid")
    picture(page, "rapido-throws-off-nl")


ON_TOP = """what => {
    const {x, y, width, height} = what.getBoundingClientRect();
    return what.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


@pytest.mark.parametrize(("width", "height"), [(1320, 900), (360, 740)])
def test_a_taken_field_says_why_it_can_not_be_used(
    visitor: Visitor, server: str, width: int, height: int
) -> None:
    page = visitor("nl", width=width, height=height)
    page.evaluate("localStorage.setItem('teerling-guide-rapido', 'seen')")
    new_table(page, server, "rapido", ["me", "bot", "bot", "bot"], goal="100")
    taken = page.locator("button.rung.no").first
    for _ in range(60):
        await_turn(page)
        if taken.count():
            break
        choose(page, page.locator("button.rung.f5, button.rung.f4").last)
    assert "RP-10" in (taken.get_attribute("title") or "")
    before = version(page)
    taken.click(force=True)
    expect(page.locator("#state")).to_contain_text("ligt al een paar van")
    assert page.locator("#state").evaluate(ON_TOP)
    assert version(page) == before


def test_a_field_that_reaches_the_goal_says_so_whole(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "rapido", ["me", "bot"], goal="21")
    word = page.locator(".reaches")
    for _ in range(60):
        await_turn(page)
        if word.count():
            break
        choose(page, page.locator(MOVES).first)
    flag, around = (page.locator(each).first.bounding_box() for each in (".reaches .icon", ".reaches"))
    assert flag is not None
    assert around is not None
    assert around["height"] >= flag["height"] > 0


SEEN = """() => {
    window.seen = [];
    new MutationObserver(() => {
        const rapido = document.querySelector(".telling .rapido");
        if (!rapido) return;
        const faces = [...rapido.querySelectorAll(".big .die")].map(die => die.textContent);
        const banner = rapido.querySelector(".banner");
        seen.push({
            bust: rapido.classList.contains("bust"),
            faces,
            banner: banner?.innerText ?? "",
            moves: document.querySelectorAll("#stage button[name=move]").length,
        });
    }).observe(document.getElementById("live"), { childList: true, subtree: true });
}"""


def test_the_x_that_ends_a_turn_is_seen_and_named_before_the_next_turn(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "rapido", ["me", "bot"], goal="100")
    page.evaluate(SEEN)
    for _ in range(30):
        await_turn(page)
        page.evaluate("window.seen.length = 0")
        choose(page, page.locator("button.again"))
        busts = [each for each in page.evaluate("window.seen") if each["bust"]]
        if busts:
            break
    assert "X" in busts[0]["faces"]
    assert re.search(r"(An X!|Two Xs!) You (go down|stay)", busts[0]["banner"])
    assert busts[0]["moves"] == 0
    thrown = " and ".join(busts[0]["faces"])
    other = " and ".join(reversed(busts[0]["faces"]))
    log = page.locator("ol.log").last.inner_text()
    assert re.search(f"You throw again, ({thrown}|{other}): not valid", log)


FALLS = """() => {
    window.fell = [];
    setInterval(() => {
        const pawn = document.querySelector(".telling .bust .stand.falls");
        const banner = document.querySelector(".telling .bust .banner");
        if (!pawn || !banner || document.querySelector(".rolling")) return;
        const [at, named] = [pawn.getBoundingClientRect(), banner.getBoundingClientRect()];
        const [across, down] = [["left", "right"], ["top", "bottom"]].map(
            ([from, to]) => at[to] > named[from] && at[from] < named[to],
        );
        const above = document.elementFromPoint(named.left + named.width / 2, named.top + named.height / 2);
        fell.push((across && down) || !banner.contains(above));
    }, 30);
}"""


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844), (360, 740)])
def test_who_falls_and_what_names_it_cover_each_other_nowhere(
    visitor: Visitor, server: str, width: int, height: int
) -> None:
    page = visitor("nl", width=width, height=height, pace="fast")
    page.evaluate("localStorage.setItem('teerling-guide-rapido', 'seen')")
    new_table(page, server, "rapido", ["me", "bot", "bot"], goal="21")
    page.evaluate(FALLS)
    for _ in range(60):
        await_turn(page)
        if page.evaluate("fell.length") or is_over(page):
            break
        climbed = page.locator(".strip .points").first.inner_text() != "0"
        choose(page, page.locator("button.again" if climbed else "button.rung:not(.no)").first)
    assert set(page.evaluate("fell")) == {False}


def boxes(page: Page) -> dict[str, dict[str, float]]:
    """Where everything is that can be pressed, by its move."""
    buttons = page.locator(".play button[name=move]").all()
    return {str(each.get_attribute("value")): dict(each.bounding_box() or {}) for each in buttons}


@pytest.mark.parametrize(
    ("width", "height", "players"),
    [(1440, 900, 4), (1280, 720, 2), (1280, 720, 6), (390, 844, 4), (360, 740, 6)],
)
def test_nothing_moves_between_decisions_and_all_of_it_is_in_view(
    visitor: Visitor, server: str, width: int, height: int, players: int
) -> None:
    page = visitor("nl", width=width, height=height)
    new_table(page, server, "rapido", ["me", *["bot"] * (players - 1)])
    page.locator("#offer [data-close]").click()
    await_turn(page)
    first = boxes(page)
    assert len(first) == 7
    assert min(box["height"] for box in first.values()) >= 44
    for _ in range(3):
        choose(page, page.locator("button.rung:not(.no)").first)
        await_turn(page)
        if is_over(page):
            break
        assert boxes(page) == first
    board = page.locator(".rapido").bounding_box()
    prompt = page.locator(".prompt").bounding_box()
    assert board is not None
    assert prompt is not None
    assert board["y"] + board["height"] <= prompt["y"]
    assert prompt["y"] + prompt["height"] <= height
    assert page.evaluate("scrollY") == 0
    assert not overflows(page)
    picture(page, f"rapido-{players}-{width}", whole=False)


def test_the_total_and_the_odds_are_hidden_while_dice_roll(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "rapido", ["me", "bot"])
    await_turn(page)
    hidden = (".total", ".odds", ".words p", "button.rung .effect")
    for each in hidden:
        expect(page.locator(each).first).to_be_visible()
    page.locator("#live").evaluate("live => live.classList.add('rolling')")
    for each in hidden:
        expect(page.locator(each).first).to_have_css("visibility", "hidden")


@pytest.mark.parametrize("what", [".stand", ".pair.big", ".odds .x", ".faces"])
def test_pieces_explain_themselves_with_the_rule(visitor: Visitor, server: str, what: str) -> None:
    page = visitor("en")
    new_table(page, server, "rapido", ["me", "bot", "bot"])
    await_turn(page)
    piece = page.locator(what).first
    assert re.search(r"\(RP-\d\d", piece.get_attribute("data-tip") or "")
    piece.hover()
    expect(page.locator("#tip")).to_be_visible()
    expect(page.locator("#tip")).to_contain_text("RP-")


def test_nobody_decides_about_dice_that_still_roll(
    somebody: Callable[..., BrowserContext], server: str
) -> None:
    page = somebody(locale="en", viewport={"width": 1320, "height": 900}).new_page()
    page.goto(server)
    page.evaluate("localStorage.setItem('pace', 'calm')")
    new_table(page, server, "rapido", ["me", "me"])
    # As soon as dice roll that somebody may decide about, the button for it is pressed.
    page.evaluate(
        """() => new MutationObserver((_, watch) => {
            const button = document.querySelector(".rolling .choices button[name=move]");
            if (!button) return;
            watch.disconnect();
            button.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
            button.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
            button.click();
            document.body.dataset.pressed = "";
        }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["class"] })"""
    )
    before = ""
    # A throw with an X is over before anybody could decide.
    while not page.locator("body[data-pressed]").count():
        await_turn(page)
        before = version(page)
        page.locator(".choices button[name=move]").click()
        await_change(page, before)
    page.wait_for_selector(".rolling", state="detached")
    page.wait_for_timeout(300)
    assert int(version(page)) == int(before) + 1
