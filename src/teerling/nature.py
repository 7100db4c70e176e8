"""Nature, who answers chance events. She stands outside the match, so nothing that searches can peek."""

import hashlib
import secrets
from collections.abc import Sequence
from itertools import count
from typing import Protocol

from .engine.random import ALL_BITS, STEP, below, start_stream
from .limits import LARGEST_SEED, within

RANGE = 2**64


class Nature(Protocol):
    """What answers the chance events of a match."""

    def answer(self, event: int, weights: Sequence[int]) -> int:
        """The id of the outcome of a chance event, counted from 0; answers taken back count too."""
        ...


class Sealed:
    """Nature bound to a seed: the same seed and the same decisions give the same match everywhere.

    Outcome `event` is found from x, the first 8 bytes, big-endian, of SHA-256 of
    ``seed:event:attempt``. With T the total weight, x is taken if it is below ⌊2⁶⁴ / T⌋·T, else the
    attempt goes up by one; x mod T then counts through the weights in order of id.

    >>> Sealed(7).answer(0, [1, 1, 1, 1, 1, 1]), Sealed("7").answer(1, [30, 150])
    (2, 1)
    >>> Sealed(7).seal[:16]
    '7902699be42c8a8e'
    """

    def __init__(self, seed: int | str | None = None) -> None:
        self.seed = secrets.token_hex(32) if seed is None else str(seed)

    def __repr__(self) -> str:
        return f"<Sealed {self.seal[:12]}…>"

    @property
    def seal(self) -> str:
        """SHA-256 of the seed: shown at the start, so that the seed can be checked at the end."""
        return hashlib.sha256(self.seed.encode()).hexdigest()

    def answer(self, event: int, weights: Sequence[int]) -> int:
        total = sum(weights)
        for attempt in count():
            digest = hashlib.sha256(f"{self.seed}:{event}:{attempt}".encode()).digest()
            x = int.from_bytes(digest[:8], "big")
            if x < RANGE // total * total:
                break
        left = x % total
        for outcome, weight in enumerate(weights):
            if left < weight:
                return outcome
            left -= weight
        raise AssertionError("the weights add up to their total")


class Stream:
    """Nature as a batch knows her: the random stream with this number of a seed, for one match.

    Answer `event` counts through the weights with number `event` of the stream, SplitMix64 as a counter
    (`engine/random.py`). So the match with number n of `teerling.batch(…, seed=s)` is played again with
    `Stream(s, n)`, and nothing is hashed. Unlike that of `Sealed` her seed can be found out from her answers:
    she is for studies, not for a table.

    >>> Stream(1, 5).answer(0, [1, 1, 1, 1, 1, 1]), Stream(1, 5).answer(1, [30, 150])
    (5, 1)
    """

    def __init__(self, seed: int, number: int = 0) -> None:
        self.seed = within("seed", seed, 0, LARGEST_SEED)
        self.number = within("number", number, 0, LARGEST_SEED)

    def __repr__(self) -> str:
        return f"<Stream {self.number} of seed {self.seed}>"

    def answer(self, event: int, weights: Sequence[int]) -> int:
        rng = [0]
        start_stream(rng, self.seed, self.number)
        rng[0] = (rng[0] + event * STEP) & ALL_BITS
        return drawn(rng, weights)


def drawn(rng: list[int], weights: Sequence[int]) -> int:
    """An outcome by its weight, with the next number of a stream."""
    left = below(rng, sum(weights))
    outcome = 0
    while left >= weights[outcome]:
        left -= weights[outcome]
        outcome += 1
    return outcome
