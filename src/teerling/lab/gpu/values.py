"""Values on a card: thousands of games are played on at once, as reviews need them.

    from teerling.lab.gpu.values import GpuValues
    from teerling.lab.luck import Line
    line = Line(match, GpuValues)
    line.play(4096)                # games from every position of the match
    line.account()                 # what was luck, what was skill

Random numbers and rules are those of the CPU. The policy's advice is calculated with a card's own exponential
function, which may round otherwise: a game in a million goes another way, and values agree up to that.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..value import Values
from .batch import shape_of
from .card import Array, run


class GpuValues(Values):
    """Plays games on from states of one game, each in a thread of a card."""

    def add(self, tasks: NDArray[Any], sums: NDArray[np.float64], threads: int = 1) -> None:
        """Plays the games of the tasks and adds every seat's shares of the win to their rows."""
        single = np.repeat(tasks, tasks["games"])
        first = np.repeat(np.cumsum(tasks["games"]) - tasks["games"], tasks["games"])
        single["stream"] += np.arange(len(single)) - first
        single["games"], single["into"] = 1, np.arange(len(single))
        shares = Array((len(single), sums.shape[1]), np.float64)
        run(
            shape_of(self.game), "values", len(single), self._states, Array.of(single), self._settings, shares
        )
        np.add.at(sums, np.repeat(tasks["into"], tasks["games"]), shares.get())

    @cached_property
    def _states(self) -> Array:
        return Array.of(self.states)

    @cached_property
    def _settings(self) -> Array:
        return Array.of(self.settings)
