"""The table of Ra: The Dice Game: what decides something is shown and named; Done says what it gives away."""

import dataclasses
import random
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import teerling
from teerling import Match
from teerling.server.look import frames_since
from teerling.server.page import live_pages
from tests.server.houses import flat, opened, table_at
from tests.server.test_pure_pages import table_view

COLOURS = ("yellow", "red", "blue", "green", "purple")


def at(dice: str, **position: Any) -> Match:
    """Three players; the first has thrown these dice and uses the symbols."""
    faces = dict(zip(COLOURS, dice.split(), strict=True))
    usual = {"players": 3, "phase": "using symbols", "turn": 0, "mover": 0, "epoch": 1, "throws": 3}
    return teerling.at("radice", {**usual, "dice": faces, **position}, seed=1)


def page(match: Match, viewer: int | None = 0, since: int | None = None) -> live_pages.LivePage:
    """What somebody sees of a match, after what has happened since a step."""
    view = table_view(match, viewer)
    frames = () if since is None else frames_since(match, view.match, since)
    return live_pages.live(dataclasses.replace(view, frames=frames), "en")


def shown(match: Match, move: str) -> live_pages.Frame:
    """The frame that shows a move which decides something."""
    since = len(match.history)
    match.push(move)
    (frame,) = page(match, since=since).frames
    return frame


def banner(frame: live_pages.Frame) -> str:
    found = re.search(r'<div class="banner[^"]*".*?<b>(.*?)</b>', flat(frame.html))
    return found[1] if found else ""


def test_a_catastrophe_is_held_and_named_and_its_victims_are_seen_to_fall() -> None:
    seats = [{}, {"civilisation": ["red"]}, {"civilisation": ["red", "blue"]}]
    frame = shown(at("nile sun sun sun sun", seats=seats), "catastrophe civilisation")
    assert frame.hold >= 1200
    assert "You cause a catastrophe: civilisation" in banner(frame)
    assert 'href="#t-unrest"' in frame.html
    assert len(re.findall(r'class="marker p\d falls"', frame.html)) == 3
    assert 'name="move"' not in frame.html


def test_a_flood_that_a_catastrophe_takes_is_seen_to_go() -> None:
    frame = shown(at("nile sun sun sun sun", seats=[{}, {"floods": 1}, {}]), "catastrophe nile")
    assert "You cause a catastrophe: Nile" in banner(frame)
    assert re.findall(r'class="drop p(\d) falls"', frame.html) == ["1"]


def test_a_monument_that_is_taken_away_is_seen_to_fall_where_it_stood() -> None:
    match = at("nile sun sun sun sun", monuments={"yellow": [1, 1, 1]})
    match.push("catastrophe monument")
    frame = shown(match, "remove yellow 2")
    assert "loses a monument: yellow, column 2" in banner(frame)
    assert len(re.findall(r'class="marker p1 falls"', frame.html)) == 1


def played(match: Match, seed: int = 1) -> list[tuple[str, int]]:
    """Plays a match to its end at random: its decisions, each with the step before it."""
    chooser, made = random.Random(seed), []
    while not match.over:
        move = chooser.choice(match.legal_moves)
        made.append((move.text, len(match.history)))
        match.push(move)
    return made


def test_ra_is_seen_at_its_last_step_with_the_throw_that_ended_the_epoch() -> None:
    names, chooser = ["Anne", "Bob"], random.Random(5)
    match = teerling.new("radice", players=2, seed=5, sun_steps=5, names=names)
    while True:
        mover, throw = match.turn or 0, match.position()["dice"]
        since = len(match.history)
        match.push(chooser.choice(match.legal_moves))
        if any(event.kind == "epoch_over" for step in match.steps[since:] for event in step):
            break
    assert match.position()["ra"] == 0
    done, frame = page(match, since=since).frames
    assert banner(done) == ""
    assert "curtain-call" not in done.html
    assert frame.hold >= 1200
    assert "Epoch 1 is over" in banner(frame)
    assert "curtain-call" in frame.html
    assert "Ra: step 5 of 5" in flat(frame.html)
    assert 'data-hour="4"' in frame.html
    named = {"civilisation": "t-art", "monument": "t-pyramid", "ankh": "radice-ankh", "sun": "disc"}
    faces = re.findall(r'<use data-face href="#([^"]+)"', frame.html)
    assert faces == [named.get(face, f"t-{face}") for face in throw.values()]
    for seat in range(2):
        _, seen = page(match, seat, since=since).frames
        assert ("Your last throw" if seat == mover else f"The last throw of {names[mover]}") in seen.html
    # The dice of whoever begins the next epoch roll only when that has been seen.
    rolls = set(re.findall(r'data-rolls="([^"]+)"', frame.html))
    assert not rolls & set(re.findall(r'data-rolls="([^"]+)"', page(match).html))


def test_the_end_of_the_game_is_named_before_the_result_is_shown() -> None:
    match = teerling.new("radice", players=2, seed=2, sun_steps=4)
    _, since = played(match)[-1]
    *_, scored, frame = page(match, since=since).frames
    assert "curtain-call" in scored.html
    assert "curtain-call" not in frame.html
    assert "win" in banner(frame)
    assert frame.hold >= 1200


def test_a_big_throw_is_named_when_the_dice_lie() -> None:
    for seed in range(200):
        match = teerling.new("radice", players=2, seed=seed)
        since = len(match.history)
        match.push("throw " + " ".join(c for c in COLOURS if match.position()["dice"][c] != "sun"))
        if any(event.kind == "alike" for event in match.steps[-1]):
            break
    (frame,) = page(match, since=since).frames
    assert "show the same" in banner(frame)
    assert re.search(r'<div class="banner high"[^>]*data-after-roll', flat(frame.html))


def test_what_ended_an_epoch_is_named_above_the_throw_that_ended_it() -> None:
    match = at("pharaoh nile sun sun nile", ra=10)
    since = len(match.history)
    match.push("done")
    (named,) = [frame for frame in page(match, since=since).frames if banner(frame)]
    assert "Epoch 1 is over" in banner(named)
    assert '<div class="banner high"' in flat(named.html)


def test_points_below_zero_have_a_minus_sign() -> None:
    html = flat(page(at("pharaoh nile sun sun nile", seats=[{"score": -5}, {}, {}])).html)
    assert '<b class="points">−5</b>' in html
    assert ">-5<" not in html


def test_on_a_phone_the_decision_says_which_throw_it_is() -> None:
    match = teerling.new("radice", players=2, seed=3)
    assert '<p class="throwing" aria-hidden="true">Your throw 1 of 3' in flat(page(match, match.turn).html)


def test_a_die_rolls_only_when_it_is_thrown() -> None:
    match = teerling.new("radice", players=2, seed=3)
    ids = re.compile(r'data-rolls="(\d+)-(\w+)"')
    before = {colour: roll for roll, colour in ids.findall(page(match, match.turn).html)}
    thrown = next(c for c in COLOURS if match.position()["dice"][c] != "sun")
    match.push(f"throw {thrown}")
    after = {colour: roll for roll, colour in ids.findall(page(match, match.turn).html)}
    assert {colour for colour in COLOURS if before[colour] != after[colour]} == {thrown}


DONE = re.compile(r'<button[^>]*class="([^"]*\bdone\b[^"]*)"')


@pytest.mark.parametrize(
    ("dice", "loses"),
    [
        ("monument nile nile sun sun", "yellow monument"),
        ("pharaoh ankh sun sun nile", "red ankh"),
        ("nile sun sun sun sun", "the catastrophe"),
    ],
)
def test_done_is_not_what_one_presses_first_while_something_would_be_lost(dice: str, loses: str) -> None:
    html = flat(page(at(dice)).html)
    (classes,) = DONE.findall(html)
    assert "primary" not in classes.split()
    assert f"Done loses: {loses}" in html
    assert re.search(r'id="sure".*value="done"', html)


def test_done_is_the_first_choice_when_nothing_is_lost() -> None:
    html = flat(page(at("pharaoh nile nile sun sun")).html)
    (classes,) = DONE.findall(html)
    assert "primary" in classes.split()
    assert "Done loses" not in html


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_marker_and_track_explains_itself(players: int) -> None:
    match = teerling.new("radice", players=players, seed=1)
    html = page(match, match.turn).html
    tips = re.findall(r'data-tip="([^"]+)"', html)
    # Ra's way, the suns, five dice, two tracks, civilisation and eight columns.
    assert len(tips) == 2 + 5 + 2 + 1 + 8
    assert all(re.search(r"\(RD-\d\d", tip) for tip in tips)


def table_with_a_throw(client: TestClient) -> str:
    """The path of a table at which a die may be thrown again: suns may not, and all five may show them."""
    while True:
        path = client.post("/new/radice", data={"seat0": "me", "seat1": "me"}).url.path
        if any(each.text.startswith("throw ") for each in table_at(client, path).match.legal_moves):
            return path


def test_a_throw_without_a_script_and_without_dice_says_that_nothing_is_ticked(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        path = table_with_a_throw(client)
        before = table_at(client, path).version
        form = {"move": "throw +", "at": str(before)}
        answer = client.post(f"{path}/move", data=form)
        assert answer.status_code == 409
        assert "nothing is ticked" in answer.text.lower()
        assert table_at(client, path).version == before
        throw = next(each.text for each in table_at(client, path).match.legal_moves if each.text != "keep")
        picked = {**form, "pick": throw.split()[1:]}
        assert client.post(f"{path}/move", data=picked).status_code == 200
        assert table_at(client, path).version > before
