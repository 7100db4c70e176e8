"""Random numbers for kernels: SplitMix64 as a counter, one stream a game, equal on every target.

`rng` is one unsigned 64-bit number in a row of length one.
"""

from math import cos, log, pi, sqrt

from .record import Cells
from .rule import int64_type, rule, uint64_type

uint64 = uint64_type()
int64 = int64_type()
ALL_BITS = uint64(0xFFFFFFFFFFFFFFFF)
STEP = uint64(0x9E3779B97F4A7C15)
FIRST = uint64(0xBF58476D1CE4E5B9)
SECOND = uint64(0x94D049BB133111EB)
BITS_11, BITS_27, BITS_30, BITS_31, BITS_32 = uint64(11), uint64(27), uint64(30), uint64(31), uint64(32)
ONE_OF_53_BITS = 2.0**-53


@rule
def mixed(x: int) -> int:
    """The finaliser of SplitMix64: every bit of x changes half of all bits."""
    x = ((x ^ (x >> BITS_30)) * FIRST) & ALL_BITS
    x = ((x ^ (x >> BITS_27)) * SECOND) & ALL_BITS
    return x ^ (x >> BITS_31)


@rule
def start_stream(rng: Cells, seed: int, stream: int) -> None:
    """Begins the stream with this number of this seed."""
    rng[0] = mixed((mixed(uint64(seed)) + uint64(stream) * STEP) & ALL_BITS)


@rule
def random_bits(rng: Cells) -> int:
    """The next 64 bits."""
    rng[0] = (rng[0] + STEP) & ALL_BITS
    return mixed(rng[0])


@rule
def below(rng: Cells, n: int) -> int:
    """A number from 0 to n - 1, for n below 2³²."""
    return int64(((random_bits(rng) >> BITS_32) * uint64(n)) >> BITS_32)


@rule
def uniform(rng: Cells) -> float:
    """A number from 0 up to, not including, 1."""
    return (random_bits(rng) >> BITS_11) * ONE_OF_53_BITS


@rule
def normal(rng: Cells) -> float:
    """A number from the normal distribution about 0 with standard deviation 1 (Box and Muller)."""
    distance = sqrt(-2.0 * log(1.0 - uniform(rng)))
    return distance * cos(2.0 * pi * uniform(rng))
