"""What happened is shown move by move before a page stands still; nobody sees more than their seat knows."""

import pytest

import teerling
from teerling import Match
from teerling.game import SPECTATOR
from teerling.server import pages
from teerling.server.look import MOST_FRAMES, frames_since, match_view

SEATS = [{"suns": [9, 6, 5, 2]}, {"suns": [8, 7, 4, 3]}]


def at(row: list[str], *moves: str) -> Match:
    match = teerling.at("ra", {"players": 2, "row": row, "seats": SEATS}, chance="manual")
    for move in moves:
        match.push(move)
    return match


def frames(match: Match, seat: int | None, since: int) -> list[pages.Page]:
    return [pages.page_of(view, "en") for view in frames_since(match, match_view(match, seat), since)]


def test_every_move_that_was_missed_is_a_frame_and_the_last_stands_still() -> None:
    match = at(["god"], "invoke", "bid 4")
    seen = frames(match, 1, 0)
    assert [[event.kind for event in page.moment] for page in seen] == [["invoked"]]
    assert pages.page_of(match_view(match, 1), "en").moment == ()


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
            state = match.states[len(view.steps)]
            assert view.observation == match.game.observed(state, who).to_bytes()
            told = tuple(match.steps_of(seat)[: len(view.steps)])
            assert len(view.steps) == len(told)
            assert view.steps[-40:] == told[-40:]


def test_a_moment_lasts_as_long_as_its_game_says_and_bots_wait_for_it() -> None:
    moments = teerling.game("ra").moments
    assert moments["epoch_over_ra"] == moments["disaster"] == 1200
    for of in teerling.list_games():
        unknown = [kind for kind in of.moments if kind not in of.words]
        assert unknown == []
        assert all(200 <= hold <= 2000 for hold in of.moments.values())
