"""The numbers that a game's policy and its evaluation weigh with, and where those modules are."""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import EVALUATION, POLICY, bound_name
from ..engine.record import Fields, scratch
from ..game import Game

TUNED = "values.json"
"""The file in a game's folder with the values that `teerling.lab.tune` found."""
FITTED = "weights.json"
"""The file in a game's folder with the weights that `teerling.lab.fit` found."""


@dataclass(frozen=True)
class PolicyParameters:
    """The numbers of a game's policy and of its evaluation, by name, and the temperatures of its advice."""

    values: dict[str, float]
    temperature: float = 1.0
    """In points: the larger, the more often something else is done than what seems best."""
    playout_temperature: float = 1.0
    """The same in playouts."""
    weights: dict[str, float] = field(default_factory=dict)
    """What the game's evaluation weighs with, by name."""
    value_scale: float = 1.0
    """How much of a win evaluations differ by: the unit of a search's exploration and caution."""

    @property
    def values_array(self) -> NDArray[np.float64]:
        return as_array(self.values)

    @property
    def weights_array(self) -> NDArray[np.float64]:
        return as_array(self.weights)


def as_array(numbers: dict[str, float]) -> NDArray[np.float64]:
    """Numbers as compiled code reads them: in an array, which has at least one element."""
    return np.array(list(numbers.values()) or [0.0])


def policy_of(game: Game) -> Any:
    """The module with the game's policy; that of the engine if the game has none."""
    return import_module(bound_name(POLICY, game.rules.__name__))


def evaluation_of(game: Game) -> Any:
    """The module with the game's evaluation; that of the engine if the game has none."""
    return import_module(bound_name(EVALUATION, game.rules.__name__))


def scratch_for(game: Game, more: Fields = ()) -> np.dtype[Any]:
    """The record in which kernels play by the game's policy; `more` is what they need besides."""
    return scratch(game.rules.DECISIONS, game.rules.OUTCOMES, notes_of(game), more)


def notes_of(game: Game) -> int:
    """How many numbers the game's policy notes while it weighs moves; room for one is there at least."""
    return max(1, getattr(policy_of(game), "NOTES", 0))


def stage_of(game: Game, seen: Any) -> int:
    """The part of the game that is being played."""
    stage: int = evaluation_of(game).stage(seen)
    return stage


@cache
def parameters_for(game: Game) -> PolicyParameters:
    """The values and weights that were found by scripts, or those that policy and evaluation begin with."""
    policy, evaluation = policy_of(game), evaluation_of(game)
    return PolicyParameters(
        found_or_begun(game, TUNED, "values", getattr(policy, "VALUES", {})),
        getattr(policy, "TEMPERATURE", PolicyParameters.temperature),
        getattr(policy, "PLAYOUT_TEMPERATURE", PolicyParameters.playout_temperature),
        found_or_begun(game, FITTED, "weights", getattr(evaluation, "WEIGHTS", {})),
        getattr(evaluation, "VALUE_SCALE", PolicyParameters.value_scale),
    )


def found_or_begun(game: Game, file: str, key: str, begun: dict[str, float]) -> dict[str, float]:
    """The numbers in a file of the game's folder, or those to begin with if there is no such file."""
    path = game.folder / file
    if not path.exists():
        return dict(begun)
    found = json.loads(path.read_text(encoding="utf-8"))[key]
    return {name: found[name] for name in begun}
