"""The policy of a game, and the values it weighs with."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import FORESIGHT, POLICY, bound_name
from ..game import Game

TUNED = "values.json"
"""The file in a game's folder with the values that `teerling.lab.tune` found."""


@dataclass(frozen=True)
class Advice:
    """What a policy weighs with, by name, and how firmly its advice is followed in playouts."""

    values: dict[str, float]
    temperature: float = 1.0
    """In points: the larger, the more often something else is done than what seems best."""

    @property
    def array(self) -> NDArray[np.float64]:
        # A compiled policy reads its values from an array, and an array has at least one element.
        return np.array(list(self.values.values()) or [0.0])


def policy_of(game: Game) -> Any:
    """The module with the game's policy; one that knows nothing if the game has none."""
    return import_module(bound_name(POLICY, game.rules.__name__))


def stage_of(game: Game, seen: Any) -> int:
    """The part of the game that is being played."""
    stage: int = import_module(bound_name(FORESIGHT, game.rules.__name__)).stage(seen)
    return stage


@cache
def advice_for(game: Game) -> Advice:
    """The values found by tuning, or those that the policy begins with."""
    policy = policy_of(game)
    begun = Advice(dict(getattr(policy, "VALUES", {})), getattr(policy, "TEMPERATURE", 1.0))
    file = game.folder / TUNED
    if not file.exists():
        return begun
    tuned = json.loads(file.read_text(encoding="utf-8"))
    return Advice({name: tuned["values"][name] for name in begun.values}, begun.temperature)
