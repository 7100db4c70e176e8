"""Fixtures for all tests, and what `make check` leaves out."""

import logging
import os
import signal
from pathlib import Path

import pytest

from tests.variants import VARIANTS, Variant

HERE = Path(__file__).parent
SLOW = ("browser/", "lab/", "test_cli.py", "server/test_postgresql.py", "server/test_run.py",
        "server/test_safety.py", "fuzz/")  # fmt: skip
"""Of each of these files `make check` runs the first test only."""
LONG = ("players/", "server/test_durability.py", "test_many_matches.py", "test_policies.py")
"""Of these it runs none."""
TOGETHER = ("browser/", "fuzz/", "lab/", "server/")
"""Where several programs work together, a busy machine can be too slow for one of them: what fails there is
tried once more. A run says what it tried twice."""

# What tests store need not survive a power cut.
os.environ.setdefault("TEERLING_DURABILITY", "process")
# On a busy machine everything is slow; tests of the log say what they call slow.
os.environ.setdefault("TEERLING_SLOW_SECONDS", "600")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell has what it runs in the background ignore interrupts, and so would all that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=VARIANTS, ids=str)
def variant(request: pytest.FixtureRequest) -> Variant:
    found: Variant = request.param
    return found


@pytest.fixture(autouse=True)
def plain_logs() -> None:
    """Whatever a test before did with the logs, or a library that it used, a test hears everything."""
    logging.disable(logging.NOTSET)
    for name in ("teerling", "teerling.requests"):
        logger = logging.getLogger(name)
        logger.disabled, logger.propagate = False, True
        logger.setLevel(logging.NOTSET)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what is slow; of tests for all variants, all but those of the plain games for three."""
    begun: set[str] = set()
    for item in items:
        file = item.path.relative_to(HERE).as_posix() if HERE in item.path.parents else ""
        variant = getattr(item, "callspec", None) and item.callspec.params.get("variant")
        one_of_many = variant and (variant.players != 3 or variant.options)
        if one_of_many or file.startswith(LONG) or (file.startswith(SLOW) and file in begun):
            item.add_marker(pytest.mark.slow)
        begun.add(file)
        if file.startswith(TOGETHER):
            item.add_marker(pytest.mark.flaky(reruns=1))
            item.add_marker(pytest.mark.timeout(240))


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Says at once what failed or is tried once more: a run that is ended has told it, too."""
    if report.outcome in ("failed", "rerun") and "PYTEST_XDIST_WORKER" not in os.environ:
        print(
            f"\n{report.nodeid} failed after {report.duration:.0f} s\n{report.longreprtext[-3000:]}",
            flush=True,
        )
