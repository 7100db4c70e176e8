"""Where a turn decides a match, a search finds what the exact solution of the turn says.

Some turns leave a match undecided: the truth lies between what the turn is worth if those are lost and
if they are won.
"""

from collections.abc import Callable
from typing import Any

import pytest

import teerling
from teerling import Match, players
from teerling.engine import OVER
from teerling.games.radice import exact as radice
from teerling.games.radice.tell import COLOURS
from teerling.games.rapido import exact as rapido
from teerling.players.search import Search

SEARCH = Search("search", "", 20_000)
TOLERANCE = 0.06


def share(match: Match, undecided: Callable[[Any], float]) -> Callable[[Any], float]:
    """What a position after the turn is worth to seat 0."""

    def worth(s: Any) -> float:
        if s.turn != OVER:
            return undecided(s)
        ranks = match.game.results(s)[1]
        return (ranks[0] == 1) / ranks.count(1)

    return worth


def compare(match: Match, solve: Any, saved: Callable[[Any], float]) -> None:
    """The chosen move is as good as any, and no more is expected of it than there is.

    Less may be: a search tries poor moves later in the turn too, and counts them in.
    """
    lowest = solve(match.state, share(match, lambda _: 0.0))
    highest = solve(match.state, share(match, saved))
    estimate = SEARCH.choose(players.observe(match, 0), seed=3).estimates[0]
    assert highest[estimate.move.id] >= max(lowest.values()) - TOLERANCE
    assert max(lowest.values()) / 3 < estimate.win < highest[estimate.move.id] + TOLERANCE


@pytest.mark.parametrize("step", [18, 19, 20])
def test_in_rapido_before_the_next_player_wins(step: int) -> None:
    """Doubles may reach the goal; only 76 could throw the next player off."""
    match = teerling.at(
        "rapido",
        {
            "players": 3,
            "dice": [7, 5],
            "seats": [{"step": step}, {"step": 20}, {"step": 3}],
            "fields": {"1": {"seat": 1, "value": 76}},
        },
    )
    compare(match, rapido.solve, lambda s: float(s.pawns[1] < s.goal and s.owner[1] != 1))


@pytest.mark.parametrize("score", [12, 17, 18])
@pytest.mark.parametrize("throws", [1, 2])
def test_in_ra_dice_when_ra_is_about_to_end_the_game(score: int, throws: int) -> None:
    """A step ahead of the other is worth 5 and costs the other 2; a column 1, two ankhs 2."""
    dice = ("sun", "pharaoh", "ankh", "nile", "monument")
    match = teerling.at(
        "radice",
        {
            "players": 2,
            "epoch": 3,
            "ra": 7,
            "phase": "choosing dice",
            "throws": throws,
            "dice": dict(zip(COLOURS, dice, strict=True)),
            "seats": [{"score": 10, "pharaoh": 3}, {"score": score, "pharaoh": 3}],
        },
    )
    compare(match, radice.solve, lambda _: 1.0)


def test_in_ra_dice_the_only_use_that_wins_is_found() -> None:
    """Nine on the Nile with a flood; all else is too little."""
    dice = ("sun", "nile", "ankh", "ankh", "monument")
    match = teerling.at(
        "radice",
        {
            "players": 2,
            "epoch": 3,
            "ra": 7,
            "phase": "using symbols",
            "throws": 3,
            "dice": dict(zip(COLOURS, dice, strict=True)),
            "seats": [{"score": 10, "nile": 9}, {"score": 18}],
        },
    )
    worth = radice.solve(match.state, share(match, lambda _: 0.0))
    chosen = SEARCH.choose(players.observe(match, 0), seed=3).move
    assert worth[chosen.id] == 1
    assert min(worth.values()) == 0
