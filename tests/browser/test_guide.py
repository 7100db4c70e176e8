"""The first-time guide, quiet sounds, and the notice that it is one's turn."""

import pytest
from playwright.sync_api import expect

import teerling
from tests.browser.playing import PATIENCE, Visitor, await_turn, choose, findings, new_table, picture, reload

GUIDED = [game.id for game in teerling.list_games() if game.guide]
BOXES = """() => ["#guide .steps", "#guide .spot"].map(name => {
  const box = document.querySelector(name).getBoundingClientRect();
  return { left: box.left, top: box.top, right: box.right, bottom: box.bottom, width: box.width };
})"""


@pytest.mark.parametrize("game", GUIDED)
@pytest.mark.parametrize(("width", "height"), [(1320, 900), (360, 740)])
def test_a_newcomer_is_shown_around(
    visitor: Visitor, server: str, game: str, width: int, height: int
) -> None:
    page = visitor("nl", width=width, height=height)
    new_table(page, server, game, ["me", "bot", "bot"])
    await_turn(page)
    page.locator("#offer [data-guide-start]").click()
    steps = len(teerling.game(game).guide)
    assert steps <= 8
    for number in range(1, steps + 1):
        expect(page.locator("#guide h2:visible")).to_have_text(f"Stap {number} van {steps}")
        page.wait_for_timeout(60)
        card, spot = page.evaluate(BOXES)
        assert card["left"] >= 0
        assert card["right"] <= width
        assert card["top"] >= 0
        assert card["bottom"] <= height
        if spot["width"]:
            assert min(spot["bottom"], height) > max(spot["top"], 0), f"step {number} points outside the page"
        picture(page, f"guide-{game}-{width}-{number}", whole=False)
        if number == 1:
            assert findings(page) == []
        page.keyboard.press("ArrowRight" if number % 2 else "Enter")
    expect(page.locator("#guide")).not_to_be_visible()
    reload(page)
    await_turn(page)
    expect(page.locator("#offer")).to_be_hidden()


@pytest.mark.parametrize("game", teerling.list_games(), ids=lambda game: game.id)
def test_every_step_points_at_something_of_the_board(
    visitor: Visitor, server: str, game: teerling.Game
) -> None:
    assert 0 < len(game.guide) <= 8
    page = visitor("en")
    new_table(page, server, game.id, ["me", "bot"])
    await_turn(page)
    missing = [
        target for target, _ in game.guide if not page.locator(f'#live [data-guide="{target}"]').count()
    ]
    # What is there only in some situations is at least in the template.
    templates = "".join(path.read_text("utf-8") for path in game.folder.glob("*.html"))
    assert [target for target in missing if f'data-guide="{target}"' not in templates] == []
    assert len(missing) <= 1


def test_the_guide_goes_back_closes_and_comes_again(visitor: Visitor, server: str) -> None:
    page = visitor("en")
    new_table(page, server, "rapido", ["me", "bot"])
    page.locator("#offer [data-close]").click()
    expect(page.locator("#offer")).to_be_hidden()
    again = page.get_by_role("button", name="Guide")
    again.click()
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#guide h2:visible")).to_have_text("Step 2 of 8")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#guide h2:visible")).to_have_text("Step 1 of 8")
    expect(page.get_by_role("button", name="Back")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(page.locator("#guide")).not_to_be_visible()
    expect(again).to_be_focused()


LISTEN = """
window.tones = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...given) { window.tones += 1; return start.apply(this, given); };
"""


def test_sounds_are_off_until_switched_on_and_that_is_remembered(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    page.add_init_script(LISTEN)
    new_table(page, server, "rapido", ["me", "bot"], goal="100")
    await_turn(page)
    sound = page.get_by_role("button", name="Geluid")
    expect(sound).to_have_attribute("aria-pressed", "false")
    choose(page, page.locator("button.rung.f0"))
    await_turn(page)
    assert page.evaluate("window.tones") == 0
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    reload(page)
    await_turn(page)
    expect(sound).to_have_attribute("aria-pressed", "true")
    # A browser takes a moment to let a page sound after the first click.
    for _ in range(10):
        await_turn(page)
        choose(page, page.locator("button.rung.f0"))
        page.wait_for_timeout(100)
        if page.evaluate("window.tones"):
            break
    assert page.evaluate("window.tones") > 0


MY_TURN = """document.dispatchEvent(
  new CustomEvent("teerling:page", { detail: { title: "Rapido", moved: true, turned: true } }),
)"""
SHOWN = """navigator.serviceWorker.getRegistration("/")
  .then(worker => worker.getNotifications()).then(all => all.map(notice => notice.title))"""


def test_a_notice_is_asked_for_and_shown_while_the_page_is_out_of_sight(
    visitor: Visitor, server: str
) -> None:
    page = visitor("nl")
    page.add_init_script("""
        const ask = Notification.requestPermission.bind(Notification);
        window.asked = 0;
        Notification.requestPermission = () => { window.asked += 1; return ask(); };
    """)
    new_table(page, server, "rapido", ["me", "bot"], goal="100")
    await_turn(page)
    notice = page.get_by_role("button", name="Waarschuw me")
    expect(notice).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("window.asked") == 0
    page.context.grant_permissions(["notifications"], origin=server)
    notice.click()
    expect(notice).to_have_attribute("aria-pressed", "true")
    page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    page.evaluate(MY_TURN)
    for _ in range(PATIENCE // 100):
        if page.evaluate(SHOWN):
            break
        page.wait_for_timeout(100)
    assert page.evaluate(SHOWN) == ["Rapido"]


def test_a_refused_notice_says_so(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "rapido", ["me", "bot"])
    page.evaluate("Notification.requestPermission = () => Promise.resolve('denied')")
    page.get_by_role("button", name="Waarschuw me").click()
    expect(page.locator("#state")).to_contain_text("staat meldingen van deze pagina niet toe")
