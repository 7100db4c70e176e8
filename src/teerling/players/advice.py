"""The policy of a game and its foresight, and the numbers they weigh with."""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import FORESIGHT, POLICY, bound_name
from ..game import Game

TUNED = "values.json"
"""The file in a game's folder with the values that `teerling.lab.tune` found."""
FITTED = "hopes.json"
"""The file in a game's folder with the hopes that `teerling.lab.fit` found."""


@dataclass(frozen=True)
class Advice:
    """What a policy weighs with, by name, and how firmly its advice is followed."""

    values: dict[str, float]
    temperature: float = 1.0
    """In points: the larger, the more often something else is done than what seems best."""
    wavering: float = 1.0
    """The same in playouts."""
    hopes: dict[str, float] = field(default_factory=dict)
    """What the game's foresight weighs with, by name."""
    stakes: float = 1.0
    """By how much of a win differs what is foreseen: what a search's curiosity and doubt are measured in."""

    @property
    def array(self) -> NDArray[np.float64]:
        return as_array(self.values)

    @property
    def hopes_array(self) -> NDArray[np.float64]:
        return as_array(self.hopes)


def as_array(numbers: dict[str, float]) -> NDArray[np.float64]:
    """Numbers as compiled code reads them: in an array, which has at least one element."""
    return np.array(list(numbers.values()) or [0.0])


def policy_of(game: Game) -> Any:
    """The module with the game's policy; one that knows nothing if the game has none."""
    return import_module(bound_name(POLICY, game.rules.__name__))


def foresight_of(game: Game) -> Any:
    """The module with the game's foresight; one that foresees nothing if the game has none."""
    return import_module(bound_name(FORESIGHT, game.rules.__name__))


def stage_of(game: Game, seen: Any) -> int:
    """The part of the game that is being played."""
    stage: int = foresight_of(game).stage(seen)
    return stage


@cache
def advice_for(game: Game) -> Advice:
    """The values and hopes that were found by scripts, or those that policy and foresight begin with."""
    policy, foresight = policy_of(game), foresight_of(game)
    return Advice(
        found_or_begun(game, TUNED, "values", getattr(policy, "VALUES", {})),
        getattr(policy, "TEMPERATURE", Advice.temperature),
        getattr(policy, "WAVERING", Advice.wavering),
        found_or_begun(game, FITTED, "hopes", getattr(foresight, "HOPES", {})),
        getattr(foresight, "STAKES", Advice.stakes),
    )


def found_or_begun(game: Game, file: str, key: str, begun: dict[str, float]) -> dict[str, float]:
    """The numbers in a file of the game's folder, or those to begin with if there is no such file."""
    path = game.folder / file
    if not path.exists():
        return dict(begun)
    found = json.loads(path.read_text(encoding="utf-8"))[key]
    return {name: found[name] for name in begun}
