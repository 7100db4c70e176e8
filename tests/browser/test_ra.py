"""Ra in a browser: whole matches by mouse and by keyboard."""

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.conftest import new_table, picture, play_by_keyboard, play_by_mouse


def test_a_whole_match_by_mouse(visitor: Callable[..., Page], server: str) -> None:
    page = visitor("nl")
    new_table(page, server, "ra", ["me", "bot", "bot"])
    play_by_mouse(page)
    assert page.locator(".ranking li").count() == 3
    picture(page, "ra-result-nl")


def test_a_whole_match_by_keyboard_alone_on_a_phone(visitor: Callable[..., Page], server: str) -> None:
    page = visitor("en", width=390, height=844)
    new_table(page, server, "ra", ["me", "bot"])
    play_by_keyboard(page)
    assert page.locator(".ranking li").count() == 2
    picture(page, "ra-result-phone-en")
