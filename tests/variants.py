"""Every game at every number of players and with every option, for the tests that hold for all."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import teerling
from teerling import Match
from teerling.game import game_ids


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


GAMES = game_ids()
VARIANTS = [
    Variant(game.id, players, tuple(options.items()))
    for game in map(teerling.game, GAMES)
    for players in game.players
    for options in ({}, *game.tested)
]
"""What a game declares as `tested`, besides the usual options, at every number of players."""


RULE_ITEM = re.compile(r"^- \*\*([A-Z]+-\d+)\*\* ", re.MULTILINE)
"""A rule on a rules page."""


def rules_on(page: Path) -> list[str]:
    """The ids of the rules on a page, in order."""
    return RULE_ITEM.findall(page.read_text(encoding="utf-8"))


def prefix_of(game: teerling.Game) -> str:
    """The letters with which the ids of a game's rules begin."""
    (prefix,) = {id.partition("-")[0] for id in rules_on(game.folder / "rules.en.md")}
    return prefix


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
