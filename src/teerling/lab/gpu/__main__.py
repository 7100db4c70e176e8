"""Compiles for cards, and compares what a card plays with what a core plays.

python -m teerling.lab.gpu compile             # needs numba-cuda, no card
python -m teerling.lab.gpu expect cpu.npz      # plays on the CPU
python -m teerling.lab.gpu check cpu.npz       # plays the same on a card, bit for bit
python -m teerling.lab.gpu bench               # steps a second on a card
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Annotated, Any

import numpy as np
import typer

from ...errors import Phrase, TeerlingError
from ...game import Game, game, list_games
from ...match import new
from ..batch import batch
from ..luck import Line
from ..simulate import CPU, GPU, cores, simulate
from ..value import Values
from . import compile as compiler
from .batch import shape_of
from .card import cupy
from .values import GpuValues

app = typer.Typer(help=__doc__, no_args_is_help=True)
Games = Annotated[list[str] | None, typer.Argument(metavar="GAME…")]

ROWS, DECISIONS, STEPS = 4096, 300, 60
"""The batches that are compared: so many rows, random decisions at once, then one step after another."""
SEED, PLAYOUTS = 1, 64
NEARLY = 1e-3
"""By so much a value may differ: a card's exponential function rounds otherwise."""
WARM, TIMED = 200, 2000
"""How many decisions are made before those that are timed, so that rows are in all parts of a match."""


@contextmanager
def told() -> Iterator[None]:
    """Says in a sentence what went wrong."""
    try:
        yield
    except TeerlingError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None


def chosen(names: list[str] | None) -> list[Game]:
    return [game(name) for name in names] if names else list(list_games())


@app.command("compile")
def compile_all(names: Games = None) -> None:
    """Compile every kernel of games, or of all of them, and keep it."""
    with told():
        for of in chosen(names):
            for kernel in compiler.KERNELS:
                print(compiler.kept(shape_of(of), kernel), flush=True)


def played(of: Game, device: Any, matches: int) -> dict[str, Any]:
    """Everything that is compared: random matches, and a batch after many decisions and single steps."""
    found = simulate(of, 4, matches, SEED, device=device)
    rows = batch(of, 4, ROWS, SEED, device=device)
    rows.play(DECISIONS)
    for _ in range(STEPS):
        rows.step(rows.random_moves())
    return {
        "scores": found.scores, "ranks": found.ranks, "lengths": found.lengths, "states": rows.states,
        "legal": rows.legal, "observations": rows.observations, "rewards": rows.rewards,
        "numbers": rows.numbers, "steps": rows.steps, "row scores": rows.scores,
    }  # fmt: skip


def written_down(path: Path) -> Any:
    """What `expect` wrote into a file, by game and by what is compared."""
    try:
        found = dict(np.load(path))
    except (OSError, ValueError, EOFError, TypeError):
        found = {}
    if not any(f"{of.id}/lengths" in found for of in list_games()):
        raise TeerlingError(Phrase("{path} is no file that expect wrote", path=path))
    return found


def account(of: Game, device: str) -> Any:
    """What a match between random players was worth to everybody, move by move."""
    chooser, match = Random(SEED), new(of.id, players=4, seed=SEED)
    while not match.over:
        match.push(chooser.choice(match.legal_moves))
    line = Line(match, GpuValues if device == GPU else Values)
    line.play(PLAYOUTS, cores())
    return line.account().curve


@app.command()
def expect(path: Path, names: Games = None, matches: int = 100_000) -> None:
    """Play on the CPU and write down what came of it."""
    with told():
        lines = {
            f"{of.id}/{what}": np.asarray(array) if array.dtype.names is None else array.view(np.uint8)
            for of in chosen(names)
            for what, array in played(of, CPU, matches).items()
        }
        lines |= {f"{of.id}/curve": account(of, CPU) for of in chosen(names)}
    np.savez_compressed(path, allow_pickle=False, **lines)


@app.command()
def check(path: Path) -> None:
    """Play on a card what was written down, and compare it bit for bit."""
    differ = 0
    with told():
        expected = written_down(path)
        for of in [each for each in list_games() if f"{each.id}/lengths" in expected]:
            matches = len(expected[f"{of.id}/lengths"])
            for what, array in played(of, GPU, matches).items():
                here = array if isinstance(array, np.ndarray) else array.get()
                here = here if here.dtype.names is None else here.view(np.uint8)
                same = np.array_equal(here, expected[f"{of.id}/{what}"])
                differ += not same
                if not same:
                    print(f"{of.id}: {what} differ")
            curve = np.abs(account(of, GPU) - expected[f"{of.id}/curve"]).max()
            differ += curve > NEARLY
            print(f"{of.id}: {matches} matches and a batch of {ROWS} compared; values differ by {curve:.1e}")
    raise typer.Exit(1 if differ else 0)


@app.command()
def bench(names: Games = None, rows: int = 1_000_000) -> None:
    """Measure random play in a batch that stays on the card, and what it takes there."""
    with told():
        print(cupy().cuda.runtime.getDeviceProperties(0)["name"].decode())
        for of in chosen(names):
            on = batch(of, 4, rows, SEED, device=GPU)
            on.play(WARM)
            before, began = int(on.steps.sum()), time.perf_counter()
            on.play(TIMED)
            after = int(on.steps.sum())
            seconds = time.perf_counter() - began
            megabytes = on.nbytes / 1e6
            print(
                f"{of.id:8} {(after - before) / seconds / 1e9:6.2f} billion steps/s, "
                f"{rows} matches in {megabytes:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    app()
