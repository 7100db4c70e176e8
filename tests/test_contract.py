"""The contract of a game is checked by mypy: a game with a part that does not fit is refused."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from teerling.game import game, game_ids

ROOT = Path(__file__).parents[1]
NO_IMAGINE = """
from teerling.games.rapido.rules import DECISIONS as DECISIONS, OUTCOMES as OUTCOMES, State as State
from teerling.games.rapido.rules import setup as setup, legal as legal, chance as chance, apply as apply
from teerling.games.rapido.rules import results as results, observe as observe, sound as sound
"""
GAME = """
from typing import Any
from teerling.game import Event, Game, Move, always_evident as evident, never_secret as secret
from teerling.games.ra.position import place as place_of_ra, position as position_of_ra
from teerling.games.ra.tell import why as why_in_ra
from teerling.games.rapido import rules
from teerling.games.rapido.position import place, position
from teerling.games.rapido.tell import aids, ask, tell, why
from teerling.games.rapido.terminal import board
import no_imagine

def tell_half(before: rules.State, move: Move) -> list[Event]:
    return []

def silent(view: dict[str, Any]) -> str:
    return ""

game = Game(
    id="x", name="X", author="nobody", year=1, players=range(2, 3), minutes=1, summary="",
    decisions=(), outcomes=(), words={}, terms=(), PARTS
)
"""
WRONG = {
    "rules": "no_imagine",
    "tell": "tell_half",
    "why": "why_in_ra",
    "position": "position_of_ra",
    "place": "place_of_ra",
    "secret": "evident",
    "evident": "secret",
    "board": "silent",
    "ask": "tell",
    "aids": "ask",
}
"""By part, something that does not fit."""


MODULES = {"policy": "PolicyModule", "evaluation": "EvaluationModule"}


def checked(files: Iterable[Path], folder: Path) -> tuple[str, dict[str, str]]:
    """What mypy says of these files, and the last error of each that has one, by its name."""
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *map(str, files)],
        env={**os.environ, "MYPYPATH": str(folder)}, cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    said = run.stdout + run.stderr
    return said, {Path(line.split(":")[0]).stem: line for line in said.splitlines() if ": error: " in line}


@pytest.mark.slow
def test_mypy_refuses_a_game_of_which_a_part_does_not_fit(tmp_path: Path) -> None:
    (tmp_path / "no_imagine.py").write_text(NO_IMAGINE)
    for wrong in (*WRONG, "nothing"):
        parts = ", ".join(f"{part}={WRONG[part] if part == wrong else part}" for part in WRONG)
        (tmp_path / f"wrong_{wrong}.py").write_text(GAME.replace("PARTS", parts))
    said, errors = checked(tmp_path.glob("wrong_*.py"), tmp_path)
    assert set(errors) == {f"wrong_{part}" for part in WRONG}, said
    for part in WRONG:
        assert f'Argument "{part}" to "Game" has incompatible type' in errors[f"wrong_{part}"]
    assert 'missing following "RulesModule" protocol member' in said


@pytest.mark.slow
def test_every_policy_and_evaluation_is_for_the_states_of_its_game(tmp_path: Path) -> None:
    for of in map(game, game_ids()):
        for name, protocol in MODULES.items():
            if (of.folder / f"{name}.py").exists():
                package = of.rules.__name__.rpartition(".")[0]
                (tmp_path / f"{of.id}_{name}.py").write_text(
                    f"from teerling.engine import {protocol}\nfrom {package} import {name}, rules\n"
                    f"module: {protocol}[rules.State] = {name}\n"
                )
    (tmp_path / "mixed.py").write_text(
        "from teerling.engine import PolicyModule\nfrom teerling.games.ra import policy\n"
        "from teerling.games.rapido import rules\nmodule: PolicyModule[rules.State] = policy\n"
    )
    said, errors = checked(tmp_path.glob("*.py"), tmp_path)
    assert set(errors) == {"mixed"}, said
