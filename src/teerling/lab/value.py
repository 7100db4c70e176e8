"""Values: every seat's share of the win in a position, found by games that are played on from there.

>>> import teerling
>>> match = teerling.new("rapido", players=2, seed=7)
>>> from teerling.engine.kernels.value import NOTHING
>>> values = Values(match.game, match.states[-1:])
>>> sums = np.zeros((1, 2))
>>> values.add(values.tasks([(0, NOTHING, NOTHING)], playouts=20), sums)
>>> round(float(sums.sum()), 9)
20.0

A value is a fixed function of a position: it depends on nothing but the position, the number of games and the
policy that plays them. What nature has in store for a match it cannot know.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import bind
from ..engine.kernels.value import TASK, settings_fields, workspace_fields
from ..engine.record import filled
from ..game import Game
from ..players.parameters import parameters_for, scratch_for

VALUE = "teerling.engine.kernels.value"
VALUE_SEED = 1
"""The seed of all values."""
COMPARISON_SEED = 2
"""The seed of the games in which moves are compared."""
CHUNK = 16
"""How many tasks a thread does at once."""
WORTH_THREADS = 4
"""How many such chunks are worth the beginning of threads."""


class Values:
    """Plays games on from states of one game."""

    def __init__(self, game: Game, states: Sequence[Any], seed: int = VALUE_SEED) -> None:
        parameters = parameters_for(game)
        self.game = game
        self.states: NDArray[Any] = np.concatenate([state.to_array() for state in states])
        self.room = scratch_for(game, workspace_fields(game.players[-1]))
        self.settings = filled(
            settings_fields(len(parameters.values_array), len(parameters.weights_array)),
            seed=seed,
            evaluates=bool(parameters.weights),
            temperature=parameters.playout_temperature,
            values=parameters.values_array,
            evaluation_weights=parameters.weights_array,
        )

    @staticmethod
    def tasks(rows: Sequence[tuple[int, int, int]], playouts: int, first: int = 0) -> NDArray[Any]:
        """A task for each state, seat that imagines it and move that is made first; each into its own row."""
        return np.array(
            [(state, seat, move, first, playouts, into) for into, (state, seat, move) in enumerate(rows)],
            np.dtype(list(TASK)),
        )

    def add(self, tasks: NDArray[Any], sums: NDArray[np.float64], threads: int = 1) -> None:
        """Plays the games of the tasks and adds every seat's shares of the win to their rows."""
        parts = [tasks[first : first + CHUNK] for first in range(0, len(tasks), CHUNK)]
        if threads == 1 or len(parts) < WORTH_THREADS:
            for part in parts:
                self._play(part, sums)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(lambda part: self._play(part, sums), parts))

    def _play(self, tasks: NDArray[Any], sums: NDArray[np.float64]) -> None:
        work, room = self.states[:1].copy(), np.zeros(1, self.room)
        bind(self.game.rules.__name__, VALUE).add_shares(self.states, tasks, self.settings, work, room, sums)
