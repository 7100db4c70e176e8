"""Results, replays and rules in a browser."""

import re

import pytest
from playwright.sync_api import Page, expect

import teerling
from tests.browser.playing import (
    Visitor,
    await_attention,
    await_connection,
    await_turn,
    findings,
    new_table,
    overflows,
    picture,
    play_by_mouse,
)


@pytest.fixture
def finished(visitor: Visitor, server: str) -> Page:
    """The page of a short match that has been played to its end."""
    page = visitor("nl")
    new_table(page, server, "rapido", ["me", "bot", "bot"], goal="9")
    play_by_mouse(page)
    return page


def test_the_last_board_is_there_behind_the_result_which_opens_again(finished: Page) -> None:
    page, result = finished, finished.locator(".result")
    result.locator("[data-continue]").click()
    expect(result).to_be_hidden()
    expect(page.locator("#prompt-h")).to_be_visible()
    assert findings(page) == []
    page.get_by_role("link", name="Toon de uitslag").click()
    expect(result).to_be_visible()
    expect(result.locator("[data-continue]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(result).to_be_hidden()


def test_a_result_can_be_replayed_by_keyboard_slider_and_log(finished: Page) -> None:
    page = finished
    assert findings(page) == []
    picture(page, "result")
    page.locator(".result >> text=Zet voor zet").click()
    place, last = page.locator("#place"), int(page.get_attribute("#steps", "data-last") or "")
    expect(place).to_have_text(f"0 / {last}")
    expect(page.locator("[data-step=run]")).to_be_visible()  # only a script shows this button
    await_attention(page)
    for key, number in (("ArrowRight", 1), ("End", last), ("ArrowLeft", last - 1), ("Home", 0)):
        page.keyboard.press(key)
        expect(page.locator(f'.moment[data-number="{number}"]')).to_be_visible()
        expect(place).to_have_text(f"{number} / {last}")
        expect(page).to_have_url(re.compile(rf"move={number}&"))
    expect(page.locator("#said")).to_contain_text(f"Zet 0 van {last}")
    page.locator("#slider").fill("2")
    expect(page.locator('.moment[data-number="2"]')).to_be_visible()
    page.locator("#moves a[data-number='3']").click()
    expect(page.locator('.moment[data-number="3"]')).to_be_visible()
    page.reload()
    expect(place).to_have_text(f"3 / {last}")
    page.locator("#views-seat").select_option("1")
    expect(page).to_have_url(re.compile("seat=1"))
    expect(place).to_have_text(f"3 / {last}")
    assert findings(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert not overflows(page)
    picture(page, "replay-phone")


def test_a_review_becomes_complete_while_one_watches_and_leads_to_the_replay(finished: Page) -> None:
    page = finished
    page.locator(".result >> text=Terugblik").click()
    expect(page.locator("#working")).to_have_count(0, timeout=120_000)
    expect(page.locator("#said")).to_have_text("De terugblik is klaar.")
    for details in ("strokes", "meaning", "figures"):
        page.locator(f"#{details} > summary").click()
    assert findings(page) == []
    assert not overflows(page)
    picture(page, "review")
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme="dark")
    assert findings(page) == []
    assert not overflows(page)
    picture(page, "review-phone")
    mark = page.locator("svg.narrow.course a").first
    mark.focus()
    number = re.search(r"move=(\d+)", mark.get_attribute("href") or "")
    assert number is not None
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"/replay\?move={number[1]}&"))
    expect(page.locator(f'.moment[data-number="{number[1]}"]')).to_be_visible()


def test_a_match_is_played_on_from_a_step_of_its_replay(finished: Page) -> None:
    page = finished
    old = page.url
    page.goto(f"{old}/replay?move=3")
    page.locator(".play-on > summary").click()
    page.locator(".play-on .each > summary").click()
    page.set_viewport_size({"width": 360, "height": 740})
    assert findings(page) == []
    assert not overflows(page)
    page.locator(".play-on form button").last.click()
    expect(page).not_to_have_url(old)
    await_connection(page)
    await_turn(page)
    expect(page.locator(".notice")).to_contain_text("Wat als")
    assert findings(page) == []
    assert not overflows(page)
    page.goto(f"{old}/again")
    assert findings(page) == []
    assert not overflows(page)


def test_a_match_file_goes_out_and_comes_in_again(finished: Page, server: str) -> None:
    page = finished
    with page.expect_download() as download:
        page.locator(".result >> text=Spelbestand").click()
    path = download.value.path()
    assert teerling.load(path.read_text()).over
    page.goto(f"{server}/replay")
    assert findings(page) == []
    page.locator("input[type=file]").set_input_files(path)
    page.locator("form.sheet button").click()
    expect(page.locator("#place")).to_have_text(re.compile(r"^0 / \d+$"))
    page.locator("text=Toeval controleren").click()
    expect(page.locator(".verdict.good")).to_be_visible()
    assert findings(page) == []


def test_a_rule_opens_beside_the_board_and_gives_the_focus_back(visitor: Visitor, server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "ra", ["me", "me"])
    link = page.locator(".prompt a.rule")
    rule = link.inner_text()
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator(f"#rules li[id='{rule}']")).to_be_focused()
    expect(page.locator(f"#rules li[id='{rule}']")).to_be_in_viewport()
    assert findings(page) == []
    picture(page, "rules-panel")
    page.keyboard.press("Escape")
    expect(page.locator("#rules")).to_be_hidden()
    expect(link).to_be_focused()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_rules_pages_have_no_findings_and_fit_a_small_phone(
    visitor: Visitor, server: str, theme: str
) -> None:
    page = visitor("nl", theme=theme)
    for game in teerling.list_games():
        page.goto(f"{server}/rules/{game.id}")
        assert findings(page) == []
        page.set_viewport_size({"width": 360, "height": 740})
        assert not overflows(page)
        page.set_viewport_size({"width": 1320, "height": 900})
    page.goto(f"{server}/about")
    assert findings(page) == []


def test_without_script_steps_and_rules_are_plain_links(finished: Page, plain: Page) -> None:
    plain.goto(finished.url + "/replay?move=4")
    plain.locator("[data-step=forward]").click()
    expect(plain.locator('.moment[data-number="5"]')).to_be_visible()
    plain.locator("#moves a.rule").first.click()
    expect(plain).to_have_url(re.compile(r"/rules/rapido#RP-\d\d$"))
