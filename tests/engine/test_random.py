"""Random numbers of kernels: the same on every target, and what SplitMix64 gives."""

import numpy as np

from teerling.engine.compile import bind
from teerling.engine.random import below, random_bits, start_stream


def test_the_numbers_are_those_of_splitmix64() -> None:
    rng = [1234567]
    assert [random_bits(rng) for _ in range(3)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423,
    ]  # fmt: skip


def test_interpreted_and_compiled_streams_are_equal() -> None:
    compiled = bind("teerling.games.ra.rules", "teerling.engine.random")
    for seed, stream in ((0, 0), (1, 2), (2**40, 10**9)):
        rng, array = [0], np.zeros(1, np.uint64)
        start_stream(rng, seed, stream)
        compiled.start_stream(array, seed, stream)
        assert array.tolist() == rng
        for n in (1, 2, 6, 180, 1000):
            assert compiled.below(array, n) == below(rng, n)
        assert array.tolist() == rng


def test_streams_of_one_seed_differ() -> None:
    starts = set()
    for stream in range(1000):
        rng = [0]
        start_stream(rng, 7, stream)
        starts.add(rng[0])
    assert len(starts) == 1000


def test_every_number_below_n_is_about_as_likely() -> None:
    rng, counts = [0], [0] * 6
    start_stream(rng, 3, 0)
    for _ in range(6000):
        counts[below(rng, 6)] += 1
    assert all(850 < count < 1150 for count in counts)
