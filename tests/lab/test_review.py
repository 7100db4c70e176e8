"""The review of a match: accounts that add up, mistakes by what the mover knew, work in parts, and a page."""

import json
import re
from dataclasses import replace
from functools import cache, partial
from html.parser import HTMLParser
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import teerling
from teerling import Match
from teerling.engine import CHANCE
from teerling.engine.states import States
from teerling.game import Move
from teerling.lab import Review, Reviewing, review
from teerling.lab.errors import error_rates, rate
from teerling.lab.mistakes import GRADES, Judgement, compared, judged
from teerling.lab.review import Budget, SeatReview, Stroke
from teerling.lab.review_drawing import bands_of
from teerling.lab.review_page import page_of
from teerling.lab.review_words import Telling, account_row, signed, told_of
from teerling.lab.value import Values
from teerling.players import Observation, observe
from teerling.words import Speaker
from tests.lab.test_luck import played

LEAST = 4
"""A budget that is over soon."""


@cache
def reviewed(id: str = "rapido", players: int = 3, level: str = "novice") -> Review:
    return review(played(id, players, level=level), LEAST)


def test_every_account_adds_up_and_the_adjusted_result_is_the_result_without_luck() -> None:
    for seat in reviewed().seats:
        assert seat.start + seat.luck + seat.own + seat.others == pytest.approx(seat.result, abs=1e-9)
        assert seat.adjusted == pytest.approx(seat.start + seat.own + seat.others, abs=1e-9)
        assert seat.error_rate is not None
        assert 0 <= seat.error_rate <= 1
    assert sum(seat.result for seat in reviewed().seats) == pytest.approx(1)
    assert sum(seat.luck for seat in reviewed().seats) == pytest.approx(0, abs=1e-9)


def test_every_move_has_its_chances_and_every_choice_its_judgement() -> None:
    found = reviewed()
    match = found.match
    assert [step.move for step in found.steps] == list(match.history)
    assert all(sum(step.values) == pytest.approx(1) for step in found.steps)
    assert found.steps[-1].values == pytest.approx([seat.result for seat in found.seats], abs=1e-9)
    states = list(enumerate(match.states[:-1]))
    choices = [p for p, s in states if s.turn != CHANCE and len(match.game.legal_moves(s)) > 1]
    assert [each.place for each in found.judgements] == choices
    assert all(each.played == match.history[each.place] for each in found.judgements)
    assert sum(seat.decisions for seat in found.seats) == len(choices)


def test_only_what_surely_loses_is_called_a_mistake() -> None:
    one, other = Move(0, "pass"), Move(1, "bid 13")
    for loss, grade in ((0.2, "blunder"), (0.08, "blunder"), (0.079, "mistake"), (0.03, "mistake"),
                        (0.029, "slip"), (0.01, "slip"), (0.009, "")):  # fmt: skip
        sure = Judgement(3, 0, one, other, loss, (0.001, 1.0), loss)
        assert sure.grade == grade
        assert replace(sure, interval=(0.0, 1.0)).grade == ""
    assert sorted(GRADES.values(), reverse=True) == list(GRADES.values())


class Alike(Values):
    """Values by which all moves win alike: each game is won so often, whatever is played."""

    def __init__(self, knows: Observation, wins: float) -> None:
        super().__init__(knows.game, [knows.seen])
        self.wins, self.chance = wins, np.random.default_rng(5)

    def add(self, tasks: NDArray[Any], sums: NDArray[np.float64], threads: int = 1) -> None:
        sums[tasks["into"], 0] = self.chance.random(len(tasks)) < self.wins


@pytest.mark.parametrize(
    ("wins", "games"), [(0.02, 256), (0.1, 256), (0.5, 256), (0.98, 256), (0.5, 4), (0.5, 8), (0.1, 16)]
)
def test_of_moves_that_are_alike_hardly_one_in_a_hundred_is_called_a_mistake(wins: float, games: int) -> None:
    """The interval is one of 99 %: one move in 200 seems worse by chance, in however few games."""
    knows = observe(teerling.new("rapido", players=2, seed=1))
    one, other = knows.legal_moves[:2]
    values, tries = Alike(knows, wins), 2000
    found = [compared(values, knows, one, other, games, 1) for _ in range(tries)]
    called = [Judgement(0, knows.seat, other, one, loss, interval, 0.0).grade for loss, interval in found]
    held = sum(low <= 0 <= high for _, (low, high) in found)
    assert sum(map(bool, called)) <= tries / 100
    assert 0.98 <= held / tries < 1


def test_a_move_is_judged_by_what_the_mover_knows_alone() -> None:
    match = played("dicerun", 3, level="random")
    place = next(
        place
        for place, state in enumerate(match.states[:-1])
        if state.turn != CHANCE and len(match.game.legal_moves(state)) > 2 and place > 100
    )
    state = match.states[place]
    seen = match.game.observed(state, state.turn)
    imagined = match.game.imagined(seen, state.turn, [12345])
    verdicts = []
    for world in (state, imagined):
        knows = Observation(match.game, int(state.turn), match.game.observed(world, state.turn))
        verdicts.append(judged(knows, match.history[place], place, playouts=8))
    assert verdicts[0] == verdicts[1], "what the mover cannot know changes nothing"


def test_a_review_is_the_same_again_and_goes_on_where_it_stopped() -> None:
    match = played("rapido", 2)
    at_once = review(match, 20, threads=1)
    reviewing = Reviewing(match, 20, threads=2)
    for done in reviewing.work():
        if done > 0.5:
            break
    kept = json.loads(json.dumps(reviewing.kept()))
    later = Reviewing(match, 20, kept=kept)
    assert later.curve is not None
    shares = list(later.work())
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert later.review().playouts == at_once.playouts == 20
    assert later.review().judgements == at_once.judgements
    assert np.allclose(later.review().account.luck, at_once.account.luck, atol=1e-9)


def test_the_curve_comes_before_luck_and_luck_before_mistakes() -> None:
    match = played("rapido", 3)
    reviewing = Reviewing(match, LEAST)
    work = reviewing.work()
    assert reviewing.curve is None
    with pytest.raises(teerling.TeerlingError, match="only just begun"):
        reviewing.review()
    for _ in range(reviewing.line.first_parts):
        assert reviewing.curve is None
        next(work)
    assert reviewing.curve is not None
    assert reviewing.curve.shape == (len(match.history) + 1, 3)
    assert reviewing.curve.sum(axis=1) == pytest.approx(1)
    while not reviewing.line.playouts:
        next(work)
    assert not reviewing.judgements
    assert reviewing.review().seats[0].error_rate is None


def test_a_time_that_is_over_leaves_a_whole_account() -> None:
    match = played("rapido", 3)
    found = review(match, "1ms")
    assert found.playouts > 0
    assert len(found.judgements) < len(review(match, LEAST).judgements)
    for seat in found.seats:
        assert seat.start + seat.luck + seat.own + seat.others == pytest.approx(seat.result, abs=1e-9)


@pytest.mark.parametrize("budget", [0, "0", "0s", "", "-3", "nothing", "1.5s", "1000000000", 10_001])
def test_a_budget_of_nothing_is_refused(budget: int | str) -> None:
    with pytest.raises(teerling.TeerlingError, match="is not a budget for a review"):
        Budget.of(budget)


def test_a_match_that_is_not_over_is_not_reviewed() -> None:
    with pytest.raises(teerling.TeerlingError, match="the match is not over"):
        review(teerling.new("ra", players=3, seed=1))


def test_matches_by_old_rules_from_any_position_are_reviewed() -> None:
    game = teerling.game("dicerun")
    options = game.check_options({})
    old = Match(game, game.start(2, options, version=1), options, nature=teerling.Sealed(3))
    while not old.over:
        old.push(teerling.player("casual").choose(old, len(old.history)).move)
    loaded = teerling.load(old.save())
    assert loaded.version == 1 < game.version
    placed = teerling.at("ra", {"players": 2, "epoch": 3}, seed=1)
    while not placed.over:
        placed.push(teerling.player("casual").choose(placed, len(placed.history)).move)
    for match in (loaded, teerling.load(placed.save())):
        for seat in review(match, "1ms").seats:
            assert seat.start + seat.luck + seat.own + seat.others == pytest.approx(seat.result, abs=1e-9)


@pytest.mark.parametrize("id", [game.id for game in teerling.list_games()])
def test_parts_of_a_match_begin_where_its_first_state_of_them_is(id: str) -> None:
    match = played(id, teerling.game(id).players[-1])
    sorts = match.game.tendencies
    parts = [sorts.part(state) for state in match.states]
    assert parts == sorted(parts), "a match never goes back"
    assert bands_of(match) == [(parts.index(part), sorts.parts[part][0]) for part in sorted(set(parts))]


def test_a_match_that_begins_late_has_no_parts_before_that() -> None:
    match = teerling.at("ra", {"players": 2, "epoch": 3}, seed=1)
    for _ in range(3):
        match.push(match.legal_moves[0])
    assert bands_of(match) == [(0, "epoch 3")]


def test_accounts_steps_and_parts_do_not_go_through_all_positions_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server that shows a review makes them beside the moves, each time that there is something new."""
    found = reviewed("ra", 3)
    asked: list[int] = []
    record = States._record

    def noted(states: States[Any], place: int) -> Any:
        asked.append(place)
        return record(states, place)

    monkeypatch.setattr(States, "_record", noted)
    again = Review.of(found.match, found.kept())
    assert again.seats == found.seats
    assert again.steps == found.steps
    assert bands_of(found.match)
    assert len(asked) < len(found.steps) / 5


def test_error_rates_are_losses_by_stakes_and_fall_with_skill() -> None:
    measured = partial(error_rates, teerling.game("ra"), ["random", "heuristic"], 3, 8, one_in=2, seed=1)
    found = measured()
    assert found == measured(workers=2), "whoever plays the matches"
    assert found["random"][0] > 2 * found["heuristic"][0]
    share, (low, high) = rate(np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0]))
    assert share == pytest.approx(0.1)
    assert low == pytest.approx(high) == pytest.approx(0.1), "where every match has the same rate"


# The page


class Tags(HTMLParser):
    """The tags of a page; refuses those that are not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def told(match: Match, lang: str) -> str:
    return page_of(review(match, LEAST), Speaker(lang, match.game))


def test_the_page_needs_nothing_else_and_has_a_curve_and_a_row_for_every_move() -> None:
    page = page_of(reviewed(), Speaker("en", reviewed().game))
    tags = Tags(page)
    assert tags.open == []
    assert tags.seen.count("polyline") == 2 * 3, "for wide and for narrow screens"
    assert tags.seen.count("tr") == 1 + 3 + 1 + len(reviewed().steps)
    assert not re.search(r"https?:|src=|@import|url\((?!#)|<script", page)
    assert len(set(re.findall(r'<polyline.*?stroke-dasharray="([^"]*)"', page))) == 3
    assert "prefers-color-scheme: dark" in page
    assert re.search(r"</h1>\s*<p>Seat \d wins", page)
    assert f"Chances come from {LEAST} games played on from every position" in tags.text


def test_the_page_speaks_dutch_and_names_are_no_markup() -> None:
    match = played("rapido", 2)
    named = Match(match.game, match.states[0], match.options, ["<b>Anne</b>", "Bram"])
    for move in match.history:
        named.push(move)
    page = told(named, "nl")
    assert "<b>Anne" not in page
    assert "Hoe het potje verliep" in Tags(page).text
    assert "<b>Anne</b>" in Tags(page).text
    assert '<html lang="nl">' in page
    assert "<summary>Wat geluk hier betekent" in page


@pytest.mark.parametrize("id", [each.id for each in teerling.list_games()])
def test_luck_is_told_as_what_happened(id: str) -> None:
    match, names = played(id, 3), ("Anne", "Bram", "Tija")
    say = Speaker("en", match.game)
    telling = Telling(say, names, sentences=told_of(match, names, say))
    place, rows = 0, 0
    for by, moves in groupby(range(len(match.history)), lambda place: match.states[place].turn == CHANCE):
        row = tuple(match.history[each] for each in moves)
        if by:
            said, bare = telling.came(Stroke(place, row, (0.1, 0.0, -0.1))), telling.moves(row)
            assert any(name in said or "Group" in said for name in names), said
            assert said != bare
            assert said.count(". ") <= 3
            rows += 1
        place += len(row)
    assert rows


def test_changes_are_told_with_their_sign() -> None:
    assert [signed(share, Speaker("en")) for share in (0.091, -0.091, 0.001)] == ["+9%", "−9%", "0%"]


def test_a_start_below_nothing_has_the_sign_of_all_other_parts() -> None:
    seat = SeatReview(
        seat=0, name="Anne", start=-0.25, luck=0.17, luck_error=None, own=0.66, others=-0.58, result=0.0,
        error_rate=None, decisions=0, loss=0.0,
    )  # fmt: skip
    assert account_row(seat, Speaker("en"))[:4] == ["−25%", "+17%", "+66%", "−58%"]
