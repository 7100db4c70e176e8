"""How long fuzzing takes: the same minute every time, or what `python -m tests.fuzz` asks for."""

import contextlib
import os
import time
from collections.abc import Iterator

from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from teerling import TeerlingError
from teerling.server.context import sentence

TIMES = int(os.environ.get("TEERLING_FUZZ_TIMES", "1"))
"""How many times as many examples as in a test run; with more than one they are others every time."""
KEPT = os.environ.get("TEERLING_FUZZ_KEPT", "")
"""Where examples that failed are kept, to be tried first the next time."""
LONGEST = 1.0 if TIMES > 1 else 20.0
"""So many seconds of work an answer may cost; more in a test run, where others work too."""
LONGEST_WAIT = 10.0 if TIMES > 1 else 120.0
"""So many seconds it may take, busy as the machine may be."""


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
    began, working = time.perf_counter(), time.process_time()
    yield
    worked, took = time.process_time() - working, time.perf_counter() - began
    assert worked < LONGEST, f"{worked:.2f} s of work"
    assert took < LONGEST_WAIT, f"{took:.2f} s"


def said_in_both_languages(refused: TeerlingError) -> None:
    """What is refused is said in a sentence that a page can show."""
    for lang in ("en", "nl"):
        assert sentence(refused, lang).encode()
