"""Every game at every number of players and with every option, for the tests that hold for all."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import teerling
from teerling import Match


@dataclass(frozen=True)
class Variant:
    """A game, a number of players and options."""

    game: str
    players: int
    options: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        options = "".join(f"-{name}-{value}" for name, value in self.options)
        return re.sub(r"[^a-zA-Z0-9_-]+", "-", f"{self.game}-{self.players}{options}")

    def new(self, seed: int | str = 1) -> Match:
        return teerling.new(self.game, players=self.players, seed=seed, **dict(self.options))

    def start(self) -> Any:
        """The state before nature's first answer."""
        game = teerling.game(self.game)
        return game.start(self.players, game.check_options(dict(self.options)))


OPTIONS: dict[str, list[dict[str, Any]]] = {
    "ra": [{}, {"fame": "hidden"}],
    "priests": [{}, {"fame": "hidden"}, {"building_colours": 3}, {"building_colours": 5}],
    "radice": [{}, {"sun_steps": 5}],
    "dicerun": [
        {},
        {"piles": "even"},
        {"variable_missions": True},
        {"mission_bonus": True},
        {"deck": (3, 4, 6, 8, 8, 8), "variable_missions": True, "mission_bonus": True},
    ],
    "rapido": [{}, {"goal": 9}],
}
VARIANTS = [
    Variant(game, players, tuple(options.items()))
    for game, choices in OPTIONS.items()
    for players in teerling.game(game).players
    for options in choices
]


def play(match: Match, seed: int = 0) -> Iterator[Match]:
    """Random decisions to the end; the match before each of them, and at last when it is over."""
    chooser = random.Random(seed)
    while not match.over:
        yield match
        match.push(chooser.choice(match.legal_moves))
    yield match


def play_to_end(match: Match, seed: int = 0) -> Match:
    """The match after random decisions, when it is over."""
    *_, last = play(match, seed)
    return last
