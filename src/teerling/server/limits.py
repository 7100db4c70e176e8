"""How often somebody may do something."""

import time
from collections import OrderedDict


class Limiter:
    """A bucket for everybody that fills at a rate and holds ten seconds' worth."""

    def __init__(self, rate: float, most_known: int = 20_000) -> None:
        self.rate = rate
        self.size = max(1.0, 10 * rate)
        self.most_known = most_known
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, who: str) -> bool:
        """Whether somebody may do one more thing now."""
        now = time.monotonic()
        left, since = self._buckets.pop(who, (self.size, now))
        left = min(self.size, left + (now - since) * self.rate)
        self._buckets[who] = (left - 1 if left >= 1 else left, now)
        if len(self._buckets) > self.most_known:
            self._buckets.popitem(last=False)
        return left >= 1
