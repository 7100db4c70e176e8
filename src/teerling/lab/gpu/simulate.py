"""Random games on a card, one a thread: the very games that `simulate` plays on the CPU."""

from collections.abc import Iterator

import numpy as np

from ..simulate import SimulationJob
from .batch import shape_of
from .card import Array, run

AT_ONCE = 1 << 22
"""So many games are begun together."""


class GpuJob(SimulationJob):
    """A number of games to be played on a card, and the arrays their results go to."""

    def run(self, threads: int) -> Iterator[int]:
        """Plays all games; after every part, how many it held. Threads are the card's own."""
        for first in range(0, len(self.lengths), AT_ONCE):
            yield self.play(first, AT_ONCE)

    def play(self, first: int, games: int) -> int:
        """Plays the games from a first one on; how many that were."""
        part = slice(first, first + games)
        count, players = self.scores[part].shape
        scores, ranks = Array((count, players), np.int16), Array((count, players), np.int8)
        lengths = Array((count,), np.int32)
        run(
            shape_of(self.game), "playouts", count,
            Array.of(self.start), self.seed, first, scores, ranks, lengths,
        )  # fmt: skip
        self.scores[part], self.ranks[part] = scores.get(), ranks.get()
        self.lengths[part] = lengths.get()
        return int(count)
