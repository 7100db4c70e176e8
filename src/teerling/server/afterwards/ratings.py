"""Ratings: how strong people are in a game, by openskill (Plackett–Luce), beside levels that stand fixed."""

import json
from collections.abc import Mapping, Sequence
from functools import cache

from ... import players
from ...game import Game

Rating = tuple[float, float]
"""openskill's mu, and its sigma: how uncertain that is."""
NEWCOMER: Rating = (25.0, 25 / 3)
LEVEL_SIGMA = 1.0
"""How uncertain the rating of a level is."""
MEASURED = "levels.json"
"""The file of a game that says what its levels are rated; docs/strength.md tells how they were measured."""
STEP = 5.0
"""How far apart the levels of a game are that was not measured; the usual one is rated like a newcomer."""


@cache
def level_ratings(of: Game) -> Mapping[str, float]:
    """What every level is rated in a game, weakest first; these do not change."""
    path = of.folder / MEASURED
    if path.is_file():
        return {name: float(mu) for name, mu in json.loads(path.read_text(encoding="utf-8")).items()}
    names = [level.name for level in players.levels()]
    usual = names.index(players.USUAL)
    return {name: NEWCOMER[0] + STEP * (place - usual) for place, name in enumerate(names)}


def rated(before: Sequence[Rating], ranks: Sequence[int]) -> list[Rating]:
    """Everybody's rating after a match.

    >>> winner, loser = rated([(25.0, 8.0), (25.0, 8.0)], [1, 2])
    >>> winner[0] > 25 > loser[0], winner[1] < 8
    (True, True)
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    teams = [[model.rating(mu=mu, sigma=sigma)] for mu, sigma in before]
    return [(team[0].mu, team[0].sigma) for team in model.rate(teams, ranks=[float(rank) for rank in ranks])]


def nearest_level(of: Game, mu: float) -> str:
    """The level that is rated most like somebody."""
    ratings = level_ratings(of)
    return min(ratings, key=lambda name: abs(ratings[name] - mu))
