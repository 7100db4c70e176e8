"""What happened is shown move by move before a page stands still; nobody sees more than their seat knows."""

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

import teerling
from teerling import Match
from teerling.game import SPECTATOR, Event
from teerling.server.context import open_house
from teerling.server.look import MOST_FRAMES, frames_since, match_view
from teerling.server.page import environment, live_pages, match_pages
from teerling.server.page.scores import sheet_of
from teerling.server.page.views import Scoring
from teerling.server.settings import Settings
from teerling.server.tables.opening import Place, create
from tests.server.houses import flat, page_message
from tests.server.test_pure_pages import table_view

SEATS = [{"suns": [9, 6, 5, 2]}, {"suns": [8, 7, 4, 3]}]


def at(row: list[str], *moves: str) -> Match:
    match = teerling.at("ra", {"players": 2, "row": row, "seats": SEATS}, chance="manual")
    for move in moves:
        match.push(move)
    return match


def frames(match: Match, seat: int | None, since: int) -> list[match_pages.Page]:
    return [match_pages.page_of(view, "en") for view in frames_since(match, match_view(match, seat), since)]


def test_every_move_that_was_missed_is_a_frame_and_the_last_stands_still() -> None:
    match = at(["god"], "invoke", "bid 4")
    seen = frames(match, 1, 0)
    assert [[event.kind for event in page.moment] for page in seen] == [["invoked"]]
    assert match_pages.page_of(match_view(match, 1), "en").moment == ()


def test_what_decides_something_is_shown_before_the_page_stands_still() -> None:
    match = at(["god"], "invoke", "bid 4")
    shown = len(match.history)
    match.push("bid 9")
    page = frames(match, 1, shown)[0]
    assert page.happening("won") is not None
    assert page.happening("drew_ra") is None
    assert not page.mine


def test_a_decision_is_shown_with_what_chance_answered() -> None:
    match = teerling.new("ra", players=3, seed=7)
    before = len(match.history)
    match.push("draw")
    page = frames(match, 0, before)[0]
    assert [event.kind for event in page.moment] == ["drew_ra"]
    assert page.board["ra_row"] == 1


def test_nothing_is_shown_of_what_was_taken_back() -> None:
    match = at(["god"], "invoke", "bid 4")
    shown = len(match.history)
    match.pop()
    assert frames(match, 0, shown) == []


def test_whoever_is_far_behind_sees_the_last_moves() -> None:
    match = teerling.new("ra", players=4, seed=3)
    while len(match.pushes) < 3 * MOST_FRAMES:
        match.push(match.legal_moves[0])
    assert MOST_FRAMES - 1 <= len(frames(match, 0, 0)) <= MOST_FRAMES


@pytest.mark.parametrize("game", ["dicerun", "ra"])
def test_a_frame_is_made_of_what_the_seat_knew_then(game: str) -> None:
    match = teerling.new(game, players=3, seed=5, **({"fame": "hidden"} if game == "ra" else {}))
    while len(match.pushes) < 30 and not match.over:
        match.push(match.legal_moves[0])
    for seat in (0, 1, 2, None):
        who = SPECTATOR if seat is None else seat
        for view in frames_since(match, match_view(match, seat), 0):
            steps = tuple(match.steps_of(seat))
            told = next(i for i in range(len(view.steps), 0, -1) if view.steps[i - 1])
            # Of what no page shows any more, nothing is told.
            expected = (*steps[:told], *[()] * (len(view.steps) - told))
            assert len(view.steps) == len(expected)
            assert view.steps[-40:] == expected[-40:]
            assert view.observation == match.game.observed(match.states[told], who).to_bytes()


def last_auction(row: list[str], tiles: dict[str, int], *moves: str) -> tuple[Match, int]:
    """The last auction of an epoch: the second seat has no sun left, and the first wins with its last."""
    seats = [
        {"suns": [9], "used": [6, 5, 2], "tiles": tiles},
        {"suns": [], "used": [8, 7, 4, 3], "tiles": {"god": 2}},
    ]
    match = teerling.at("ra", {"players": 2, "row": row, "seats": seats}, chance="manual")
    for move in moves:
        match.push(move)
    return match, match.pushes[-1]


def told(page: match_pages.Page) -> set[str]:
    return {event.kind for event in page.moment}


def test_a_disaster_strikes_when_the_tiles_have_landed_and_the_epoch_ends_when_it_has_struck() -> None:
    match, since = last_auction(["funeral", "gold"], {"pharaoh": 3}, "invoke", "bid 9")
    won, struck, over = frames(match, 0, since)
    assert ("won" in told(won), told(struck), "epoch_over" in told(over)) == (True, {"disaster"}, True)
    owned = {"gold": 1, "pharaoh": 3, "funeral": 1}
    assert won.board["seats"][0]["tiles"] == struck.board["seats"][0]["tiles"] == owned
    assert over.board["seats"][0]["tiles"] == {"gold": 1, "pharaoh": 1}
    assert match.position()["seats"][0]["tiles"] == {"pharaoh": 1}


def test_the_last_ra_tile_is_seen_in_its_row_before_the_epoch_is_over() -> None:
    position = {"players": 2, "ra_row": 5, "row": ["god", "gold"], "seats": SEATS}
    match = teerling.at("ra", position, chance="manual")
    match.push("draw")
    match.push("tile ra")
    *_, drew, over = frames(match, 0, 0)
    assert (told(drew), "epoch_over_ra" in told(over)) == ({"drew_ra"}, True)
    for page in (drew, over):
        assert page.board["ra_row"] == 6
        assert page.board["row"][:2] == ["god", "gold"]
    assert match.position()["ra_row"] == 0


def test_everything_after_a_scoring_waits_for_it_and_the_strip_counts_with_it() -> None:
    match, since = last_auction(["gold"], {}, "invoke", "bid 9")
    for move in ("invoke", "pass", "bid 8", "invoke"):
        match.push(move)
    view = replace(match_view(match, 0), seal="sealed")
    shown = live_pages.live(
        replace(table_view(match, 0), match=view, frames=frames_since(match, view, since)), "en"
    ).frames
    assert [frame.scored for frame in shown] == [False, True, *[False] * 4]
    strips = [re.findall(r'class="points">(\d+)</b>', flat(frame.html)) for frame in shown]
    scores = [str(score) for score in match.scores]
    assert strips == [["10", "10"], ["10", "10"], *[scores] * 4]
    assert scores != ["10", "10"]


def test_a_decision_of_which_nothing_is_told_is_shown_at_a_table_that_is_over() -> None:
    match = teerling.new("rapido", players=2, seed=1)
    while not match.over:
        match.push(match.legal_moves[-1])
    view = match_view(match, None)
    silent = replace(view, moment=1, told=len(view.steps[-1]), ranking=())
    table = replace(table_view(match, None), match=view, frames=(silent,))
    (frame,) = live_pages.live(table, "en").frames
    assert "<h1" not in frame.html, "how it ended comes with the page"


def test_a_scoring_is_shown_however_far_behind_somebody_is() -> None:
    match, since = last_auction(["gold"], {}, "invoke", "bid 9")
    for _ in range(MOST_FRAMES + 2):
        match.push("draw")
        match.push("tile ra")
        while "bid" in match.position()["phase"]:
            match.push("pass")
    scored = [view.fresh is not None for view in frames_since(match, match_view(match, 0), since)]
    assert scored.index(True) < 3
    assert scored.count(True) == 2


def test_a_moment_lasts_as_long_as_its_game_says_and_bots_wait_for_it() -> None:
    moments = teerling.game("ra").moments
    assert moments["epoch_over_ra"] == moments["disaster"] == 1200
    for of in teerling.list_games():
        unknown = [kind for kind in of.moments if kind not in of.words]
        assert unknown == []
        assert all(200 <= hold <= 2000 for hold in of.moments.values())


@pytest.mark.parametrize(
    ("kinds", "goes"), [(("me", "bot"), False), (("me", "me"), False), (("me", "open"), True)]
)
def test_a_scoring_closes_by_itself_only_where_other_people_wait(
    tmp_path: Path, kinds: tuple[str, ...], goes: bool
) -> None:
    house = open_house(Settings.read(tmp_path))
    house.storage.migrate()
    for person in ("anne", "bram"):
        house.storage.save_person(person, person.capitalize())
    places = [Place(kind, level="random" if kind == "bot" else "") for kind in kinds]
    table = create(house.storage, "radice", places, "anne", "Anne", {}, seed="7")[0]
    if "open" in kinds:
        table.join(None, "bram", "Bram")
    while not table.match.ends:
        table.push(int(table.match.turn or 0), table.match.legal_moves[0].text)
    page = str(page_message(house, table, "anne", "en")["html"])
    assert 'data-call="scoring' in page
    assert ("data-goes" in page, "closes by itself" in page) == (goes, goes)


@pytest.mark.parametrize(
    ("seat", "verdict", "margin"),
    [
        (0, "Bram wins, you come third", "10 against 35"),
        (1, "You win!", "35 against 30"),
        (2, "Bram wins, you come second", "30 against 35"),
        (None, "Bram wins", "35 against 30"),
    ],
)
def test_the_result_says_what_place_the_viewer_comes_in(seat: int | None, verdict: str, margin: str) -> None:
    seats = [{"fame": fame} for fame in (20, 40, 30)]
    position = {"players": 3, "epoch": 3, "ra_row": 7, "seats": seats}
    match = teerling.at("ra", position, chance="manual", names=["Anne", "Bram", "Cato"])
    match.push("draw")
    match.push("tile ra")
    page = match_pages.page_of(replace(match_view(match, seat), you=seat), "en")
    assert (page.verdict, page.margin) == (verdict, margin)


def test_the_result_says_with_whom_the_viewer_shares_a_place() -> None:
    seats, fields = [{"step": 3}, {"step": 17}, {"step": 3}], {"4": {"seat": 1, "value": 76}}
    position = {"players": 3, "seats": seats, "fields": fields}
    match = teerling.at("rapido", position, chance="manual", names=["Anne", "Bram", "Cato"])
    for move in ("die a 1", "die b 2", "place 0"):
        match.push(move)
    said = [match_pages.page_of(replace(match_view(match, 0), you=0), lang).verdict for lang in ("en", "nl")]
    assert said == ["Bram wins, you share second place", "Bram wint, jij deelt de tweede plaats"]


def test_what_the_last_scoring_clears_still_lies_when_the_match_is_over() -> None:
    seats = [
        {"suns": [9], "used": [6, 5, 2], "tiles": {"god": 2}},
        {"suns": [8, 7, 4, 3], "tiles": {"gold": 1}},
    ]
    start = {"players": 2, "epoch": 3, "ra_row": 5, "row": ["flood", "god"], "seats": seats}
    match = teerling.at("ra", start, chance="manual")
    match.push("draw")
    match.push("tile ra")
    assert match.over
    for seat in (0, 1, None):
        page = match_pages.page_of(match_view(match, seat), "en")
        assert page.over
        assert [name for name in page.board["row"] if name] == ["flood", "god"]
        assert page.board["ra_row"] == 6
        assert page.board["seats"][0]["tiles"] == {"god": 2}
        assert page.scores == match.scores
        last = frames(match, seat, 0)[-1]
        assert last.happening("game_over") is not None
        assert last.board["seats"][1]["tiles"] == {"gold": 1}


def played_by_chance(game: str, players: int, seed: int) -> Match:
    """A match to its end, every move by chance."""
    match, chooser = teerling.new(game, players=players, seed=str(seed)), random.Random(str(seed))
    while not match.over:
        match.push(chooser.choice(match.legal_moves))
    return match


@pytest.mark.parametrize(
    ("game", "players", "seed", "rule"), [("dicerun", 2, 3, "DR-23"), ("ra", 4, 0, "RA-38")]
)
def test_a_result_says_what_decided_between_equals(game: str, players: int, seed: int, rule: str) -> None:
    match = played_by_chance(game, players, seed)
    assert len(set(match.scores)) < players
    page = match_pages.page_of(match_view(match, 0, 0), "en")
    said = [text for text, _ in page.reasons]
    assert page.reasons[0][1] == rule
    if game == "dicerun":
        assert said[0] == "You and Seat 2 have the most victory cards and play on with the last pile"
        assert sum("in the leading group" in text for text in said) >= 2
    else:
        assert "with the highest sun" in said[0]


def test_who_shares_the_win_reads_why() -> None:
    match = teerling.new("radice", players=2, seed="1")
    view = match_view(match, 0, 0)
    won = Event("game_over", "RD-24", data={"seats": [0, 1], "count": 2, "points": 40})
    scoring = Scoring(None, (won,), (), None, (40, 40), 1)
    shared = replace(view, ranking=((1, 0, 40), (1, 1, 40)), scorings=(scoring,))
    assert match_pages.page_of(shared, "en").reasons == (
        ("You and Seat 2 have 40 points each; nothing else decides, so they share the win", "RD-24"),
    )


def test_a_scoring_says_which_group_decided_a_tie() -> None:
    told = [
        Event("showed", "DR-18", 0, {"mission": "red 3", "count": 4, "rank": 2}),
        Event("showed", "DR-18", 1, {"mission": "blue 1", "count": 4, "rank": 1}),
        Event("tied_in_lead", "DR-19", None, {"seats": [0, 1], "group": 2}),
        Event("tie_points", "DR-19", 1, {"count": 3, "group": 2}),
        Event("tie_points", "DR-19", 0, {"count": 1, "group": 2}),
    ]
    rank = next(row for row in teerling.game("dicerun").score_rows(told) if row.line == "rank")
    say = environment.speaker("en", "dicerun")
    assert {p: say.say(event, ["Anne", "Marc"]) for p, event in rank.counts.items()} == {
        0: "1 in group 2",
        1: "3 in group 2",
    }


def test_a_scoring_names_who_are_equal_below_their_points() -> None:
    told = (
        Event("drew_end", "DR-16", 0, {"round": 2}),
        Event("showed", "DR-18", 0, {"mission": "red 3", "count": 4, "rank": 2}),
        Event("showed", "DR-18", 1, {"mission": "blue 1", "count": 4, "rank": 1}),
        Event("tied_in_lead", "DR-19", None, {"seats": [0, 1], "group": 2}),
        Event("tie_points", "DR-19", 1, {"count": 3, "group": 2}),
        Event("tie_points", "DR-19", 0, {"count": 1, "group": 2}),
    )
    scoring = Scoring(told[0], told, (), None, (0, 0), 1)
    sheet = sheet_of(scoring, "dicerun", environment.speaker("en", "dicerun"), ("You", "Anne"))
    notes = {row.term: row.notes for row in sheet.rows if row.notes}
    sentence = "You and Anne are tied in the leading group; group 2 decides"
    assert notes == {"points in the lead": ((sentence, "DR-19"),)}
    assert sheet.stays.startswith("Everybody gets a new mission")
