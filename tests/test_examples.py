"""The examples run as they stand."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


FEW = {"first_seat": ["2"], "god_tile": ["2"], "luck_of_dicerun": ["2"]}
"""With how many matches a study is tried."""


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    few = [*FEW[path.stem], str(tmp_path)] if path.stem in FEW else []
    done = subprocess.run([sys.executable, path, *few], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert [picture.stem for picture in tmp_path.glob("*.png")] == ([path.stem] if few else [])
