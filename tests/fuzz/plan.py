"""How long fuzzing takes: the same minute every time, or what `python -m tests.fuzz` asks for."""

import contextlib
import os
import time
from collections.abc import Iterator

from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

TIMES = int(os.environ.get("TEERLING_FUZZ_TIMES", "1"))
"""How many times as many examples as in a test run; with more than one they are others every time."""
KEPT = os.environ.get("TEERLING_FUZZ_KEPT", "")
"""Where examples that failed are kept, to be tried first the next time."""
LONGEST = 1.0
"""So many seconds an answer may take, where nobody else needs the machine."""
LONGEST_AMONG_OTHERS = 20.0
"""So many seconds of work it may take where other tests run beside it and kernels may have to be loaded."""


def fuzzed(examples: int) -> settings:
    """So many examples in a test run, always the same ones."""
    return settings(
        max_examples=examples * TIMES,
        derandomize=TIMES == 1,
        database=DirectoryBasedExampleDatabase(KEPT) if KEPT else None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


@contextlib.contextmanager
def no_hang() -> Iterator[None]:
    """Fails if what is done within takes too long."""
    clock, longest = (
        (time.process_time, LONGEST_AMONG_OTHERS) if TIMES == 1 else (time.perf_counter, LONGEST)
    )
    began = clock()
    yield
    assert clock() - began < longest, f"{clock() - began:.2f} s"
