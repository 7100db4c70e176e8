"""DiceRun in a browser: previews, special cards, and a screen that is shared."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.playing import (
    MOVES,
    Visitor,
    await_change,
    await_turn,
    choose,
    findings,
    is_over,
    new_table,
    overflows,
    picture,
    reload,
    version,
)

SPECIAL = "1, 2, 12, 12, 12, 12"
PLAIN = "8, 8, 0, 0, 0, 0"


OPENERS = {"question": ".question .opens", "lay": ".again .opens"}
BOXES = """selectors => selectors.flatMap(selector => [...document.querySelectorAll(selector)].map(each => {
    const {x, y, width, height} = each.getBoundingClientRect();
    return [x, y, width, height].map(Math.round);
}))"""
PANELS = [".race", ".story", ".deed", ".hand", ".held.again", ".clock", ".strip .chip"]


def test_a_card_shows_what_it_would_do_and_nothing_makes_room_for_it(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "dicerun", ["me", "bot"], start="random", deck=PLAIN)
    await_turn(page)
    card = page.locator(".playing[data-shows]").first
    moving = len((card.get_attribute("data-shows") or "").split())
    groups = [*PANELS, ".place", ".yours"]
    before = page.evaluate(BOXES, groups)
    card.hover()
    expect(page.locator(".ghost")).to_have_count(moving)
    expect(page.locator(".lifts")).to_have_count(moving)
    assert page.evaluate(BOXES, groups) == before
    page.mouse.move(2, 2)
    expect(page.locator(".ghost, .lifts")).to_have_count(0)
    card.focus()
    expect(page.locator(".ghost")).to_have_count(moving)
    pieces = page.eval_on_selector_all("#live [data-piece]", "all => all.map(each => each.dataset.piece)")
    assert len(pieces) == len(set(pieces)) >= 30
    picture(page, "dicerun-preview-nl")
    landing = page.locator('[data-slot="new"] .ghost').count()
    version_before = version(page)
    page.keyboard.press("Enter")
    await_change(page, version_before)
    assert landing == 0 or page.locator(".place.leads").count() == 1


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844), (360, 740)])
def test_race_and_decision_are_seen_together_and_keep_their_places(
    visitor: Visitor, server: str, width: int, height: int
) -> None:
    page = visitor("en", width=width, height=height)
    page.evaluate("localStorage.setItem('teerling-guide-dicerun', 'seen')")
    new_table(page, server, "dicerun", ["me", "bot", "bot", "bot"], start="random", deck=PLAIN)
    seen = []
    for _ in range(4):
        page.mouse.move(2, 2)
        await_turn(page)
        seen.append(page.evaluate(BOXES, PANELS))
        race, prompt = (page.locator(each).bounding_box() for each in (".race", ".prompt"))
        assert race is not None
        assert prompt is not None
        assert race["y"] >= 0
        assert race["y"] + race["height"] <= prompt["y"]
        assert prompt["y"] + prompt["height"] <= height
        assert page.evaluate("scrollY") == 0
        for x, y, wide, high in page.evaluate(BOXES, [".hand .held", ".helps button"]):
            assert min(wide, high) >= 44
            assert 0 <= x <= x + wide <= width
            assert 0 <= y <= y + high <= height
        dice = page.evaluate(BOXES, [".track .die:not(.ghost)"])
        assert len(dice) == 30
        low = race["y"] + race["height"] - 28
        assert [die for die in dice if not race["y"] < die[1] <= low - die[3]] == []
        choose(page, page.locator("button.playing[name=move]").first)
    assert seen == seen[:1] * len(seen)
    assert not overflows(page)


HAND = """() => [...document.querySelectorAll(".hand [data-kept]")].map(card => [
    card.dataset.kept, card.querySelectorAll(".playing > .pic").length,
    Math.round(card.getBoundingClientRect().x)])"""


def test_cards_keep_their_places_when_one_is_played(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "dicerun", ["me", "bot"], start="random", deck=PLAIN)
    kept = 0
    for _ in range(10):
        await_turn(page)
        before = {name: place for name, _, place in page.evaluate(HAND)}
        choose(page, page.locator("button.playing[name=move]").nth(1))
        await_turn(page)
        hand = page.evaluate(HAND)
        places = [place for _, _, place in hand]
        assert places == sorted(set(places))
        assert sum(count for _, count, _ in hand) == 3
        same = [before[name] == place for name, _, place in hand if name in before]
        assert all(same)
        kept += len(same)
    assert kept >= 10


@pytest.mark.parametrize("width", [360, 1320])
def test_dice_of_the_race_are_taken_and_thrown_for_the_start(
    visitor: Visitor, server: str, width: int
) -> None:
    page = visitor("en", width=width)
    new_table(page, server, "dicerun", ["me", "bot"])
    await_turn(page)
    expect(page.locator(".starting li")).to_have_count(2)
    expect(page.locator("button.take")).to_have_count(30)
    picture(page, f"dicerun-start-{width}")
    assert findings(page) == []
    choose(page, page.locator("button.take").first)
    await_turn(page)
    expect(page.locator(".starting li.now .die")).to_have_count(1)
    expect(page.locator("button.take")).to_have_count(29)
    picture(page, f"dicerun-start-second-{width}")
    assert not overflows(page)
    choose(page, page.locator("button.take").last)
    expect(page.locator(".log, #log").first).to_contain_text("in all")


@pytest.mark.parametrize("width", [360, 1320])
def test_special_cards_are_played_in_the_race(visitor: Visitor, server: str, width: int) -> None:
    page = visitor("en", width=width)
    new_table(page, server, "dicerun", ["me", "bot"], deck=SPECIAL, start="random")
    tried: set[str] = set()
    while not tried >= {"question", "distance", "swap", "sprint", "lay", "reroll"}:
        await_turn(page)
        if is_over(page):
            new_table(page, server, "dicerun", ["me", "bot"], deck=SPECIAL, start="random")
            continue
        values = page.locator(MOVES).evaluate_all("all => all.map(each => each.value)")
        # With two groups there is nothing to choose after a card has been laid.
        few = page.locator(".place.group").count() < 3
        useful = [value for value in values if not (few and value.startswith("lay"))]
        fresh = [value for value in useful if value.split()[0] not in tried and "none" not in value]
        value = (fresh or useful)[0]
        tried |= set() if "none" in value else {value.split()[0]}
        button = page.locator(f'button[value="{value}"]:not([aria-disabled])')
        if value.split()[0] in ("distance", "swap", "reroll") and "none" not in value:
            assert button.evaluate("each => Boolean(each.closest('.track'))")
            button.hover()
            if value.startswith("swap"):
                expect(page.locator(".between .ghost").nth(1)).to_be_attached()
        # On a phone what a card may stand for lies over the hand.
        opener = page.locator(f"{OPENERS.get(value.split()[0], 'no')}:visible")
        if opener.count():
            opener.click()
        choose(page, button)
        assert not overflows(page)


def test_who_plays_by_keyboard_is_at_the_decision_when_it_is_their_turn_again(
    visitor: Visitor, server: str
) -> None:
    page = visitor("en")
    new_table(page, server, "dicerun", ["me", "bot", "bot"], start="random", deck=PLAIN)
    for _ in range(2):
        await_turn(page)
        before = version(page)
        page.locator("button.playing[name=move]").first.focus()
        page.keyboard.press("Enter")
        await_change(page, before)
        await_turn(page)
        assert page.evaluate("document.activeElement.closest('.prompt') !== null")


TOLD = """() => {
    window.told = [];
    const seen = new Set();
    setInterval(() => {
        const banner = document.querySelector(".telling .banner.late");
        const title = document.querySelector(".telling #prompt-h");
        if (!banner || !title || seen.has(title.textContent)) return;
        seen.add(title.textContent);
        const skip = document.querySelector("[data-skip]").getBoundingClientRect();
        const missions = [...document.querySelectorAll(".shown li")].filter((mission) => {
            const { width, right, bottom } = mission.getBoundingClientRect();
            return width && right <= skip.left && bottom < innerHeight;
        });
        told.push({ whole: title.scrollHeight <= title.clientHeight + 2, missions: missions.length });
    }, 20);
}"""


@pytest.mark.parametrize(("width", "players"), [(390, 3), (360, 5)])
def test_the_end_of_a_round_is_told_whole_on_a_phone(
    somebody: Callable[..., BrowserContext], server: str, width: int, players: int
) -> None:
    page = somebody(locale="nl", viewport={"width": width, "height": 740}, reduced_motion="reduce").new_page()
    new_table(page, server, "dicerun", ["me", *["bot"] * (players - 1)], start="random", deck=PLAIN)
    page.evaluate(TOLD)
    for _ in range(20):
        await_turn(page)
        if page.evaluate("told.length"):
            break
        choose(page, page.locator("button.playing[name=move]").first)
    assert page.evaluate("told[0]") == {"whole": True, "missions": players}


def test_a_card_that_rises_stays_under_the_pointer_at_its_edge(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "dicerun", ["me", "bot"], start="random", deck=PLAIN)
    await_turn(page)
    card = page.locator("button.playing[name=move]").first
    card.scroll_into_view_if_needed()
    box = card.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 1)
    expect(page.locator("button.playing:hover")).to_have_count(1)
    page.wait_for_timeout(400)
    tops = card.evaluate(
        """async (card) => {
          const tops = [];
          for (let i = 0; i < 30; i++) {
            await new Promise(requestAnimationFrame);
            tops.push(card.getBoundingClientRect().top);
          }
          return tops;
        }"""
    )
    assert max(tops) - min(tops) < 0.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_missions_and_special_cards_have_no_findings(visitor: Visitor, server: str, theme: str) -> None:
    page = visitor("nl", theme=theme)
    new_table(page, server, "dicerun", ["me", "bot"], deck=SPECIAL, variable_missions="yes", start="random")
    await_turn(page)
    assert findings(page) == []
    picture(page, f"dicerun-missions-{theme}")
    for _ in range(5):
        choose(page, page.locator(MOVES).last)
        await_turn(page)
    assert findings(page) == []
    picture(page, f"dicerun-special-{theme}")


def test_a_curtain_hides_the_hand_at_a_shared_screen(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "dicerun", ["me", "me", "bot"], start="random")
    seen: set[str] = set()
    for _ in range(6):
        page.wait_for_selector(".curtain")
        assert page.locator(".hand, .backed").count() == 0
        assert page.locator(MOVES).count() == 0
        if not seen:
            assert findings(page) == []
            reload(page)
        seen.add(page.locator(".curtain").inner_text())
        page.locator(".curtain").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".hand .held")
        picture(page, "dicerun-curtain-lifted")
        choose(page, page.locator(".playing[name=move]").or_(page.locator(MOVES)).first)
    assert len(seen) == 2
    picture(page, "dicerun-curtain")


def test_open_games_need_no_curtain(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "rapido", ["me", "me"])
    await_turn(page)
    assert page.locator(".curtain").count() == 0


NOTED = """() => {
    window.seen = new Set();
    (function note() {
        const parts = [".hand", "[data-skip]"].map(part => document.querySelector(part));
        const places = parts.map(part => part?.getBoundingClientRect());
        if (places.every(Boolean)) window.seen.add(places.map(({x, y}) => [x, y].map(Math.round)).join(" "));
        requestAnimationFrame(note);
    })();
}"""


def test_what_is_told_keeps_its_place_until_all_that_moves_lies_still(visitor: Visitor, server: str) -> None:
    page = visitor("nl", width=1280, height=720, pace="fast")
    page.emulate_media(reduced_motion="no-preference")
    new_table(page, server, "dicerun", ["me", "bot", "bot"], deck=PLAIN)
    page.evaluate(NOTED)
    for _ in range(2):
        await_turn(page)
        choose(page, page.locator(MOVES).first)
    await_turn(page)
    assert len(page.evaluate("[...window.seen]")) == 1
