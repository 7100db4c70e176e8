"""The examples run as they stand."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


HEAVY = {"train_agent": ("sb3_contrib", ["--decisions", "1", "--test-matches", "10"])}
"""What needs more than the tests install, and how little of it is tried where that is there."""
FEW = {"first_seat": ["2"], "god_tile": ["2"], "luck_of_dicerun": ["2"]}
"""With how many matches a study is tried."""


@pytest.mark.parametrize("name", HEAVY)
def test_a_heavy_example_runs_where_what_it_needs_is_installed(name: str) -> None:
    package, little = HEAVY[name]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package.upper()} IS NOT INSTALLED: {name} is not tried")
    command = [sys.executable, ROOT / "examples" / f"{name}.py", *little]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "decisions" in done.stdout


LIGHT = [path for path in sorted((ROOT / "examples").glob("*.py")) if path.stem not in HEAVY]


@pytest.mark.parametrize("path", LIGHT, ids=lambda path: path.stem)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    few = [*FEW[path.stem], str(tmp_path)] if path.stem in FEW else []
    done = subprocess.run([sys.executable, path, *few], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert [picture.stem for picture in tmp_path.glob("*.png")] == ([path.stem] if few else [])


@pytest.mark.parametrize("given", [["1"], ["2", "no/such/folder"]])
@pytest.mark.parametrize("name", FEW)
def test_a_study_that_would_find_or_keep_nothing_is_not_begun(name: str, given: list[str]) -> None:
    command = [sys.executable, ROOT / "examples" / f"{name}.py", *given]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("at least 2 ")
