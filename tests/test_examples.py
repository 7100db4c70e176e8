"""The examples and the guides run as they stand."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

from teerling.players import base

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_an_example_runs(path: Path) -> None:
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize(
    "path", sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]), ids=lambda path: path.stem
)
def test_the_code_in_a_guide_does_what_it_says(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Players that a guide makes known are known to nobody else.
    monkeypatch.setattr(base, "_players", dict(base._players))
    failures, _ = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert failures == 0
