"""Nature for duplicate play: whoever sits where, the same things come in the same order.

>>> one, other = DuplicateNature("7"), DuplicateNature("7")
>>> tiles = [one.answer(event, [3, 2, 0]) for event in range(2)]
>>> other.answer(0, [0, 0, 5])  # something else is thrown in between
2
>>> tiles == [other.answer(event, [3, 2, 0]) for event in range(2)]
True
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from math import log1p

from ..nature import RANGE


class DuplicateNature:
    """A nature that lets the same things come in the same order, whatever else happens in between.

    Every outcome has a clock; that of one with weight w runs w times as fast, and the first that rings
    comes. The clocks run out after times that are exponentially distributed. Such clocks have no memory, so
    whatever came before, every outcome is as likely as its weight says. Only clocks of outcomes that are
    possible run: a bag, a die or a stack of cards does not notice what else is drawn or thrown.
    """

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self._rung: Counter[int] = Counter()
        self._left: dict[int, float] = {}

    def answer(self, event: int, weights: Sequence[int]) -> int:
        """What comes next; events are answered in their order, each once."""
        possible = {outcome: weight for outcome, weight in enumerate(weights) if weight}
        for outcome in possible:
            self._left.setdefault(outcome, self._wound(outcome))
        first = min(possible, key=lambda outcome: self._left[outcome] / possible[outcome])
        passed = self._left[first] / possible[first]
        for outcome, weight in possible.items():
            self._left[outcome] -= passed * weight
        self._rung[first] += 1
        self._left[first] = self._wound(first)
        return first

    def _wound(self, outcome: int) -> float:
        """For how long the clock of an outcome runs this time, at weight 1."""
        text = f"{self.seed}:{outcome}:{self._rung[outcome]}"
        number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        return -log1p(-number / RANGE)
