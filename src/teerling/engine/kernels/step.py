"""The rules of a game, its policy and its evaluation one call at a time, on records in an array.

What they need is in the same records as in other kernels, so that they compile nothing of their own.
"""

from typing import Any

from ..cells import clear
from ..contract import apply, chance, imagine, legal, observe, results, setup
from ..evaluation import evaluate
from ..policy import advise
from ..record import Cells, Numbers
from ..rule import rule


@rule
def setup_at(states: Any, i: int, players: int, options: Cells) -> None:
    setup(states[i], players, options)


@rule
def legal_at(states: Any, i: int, scratch: Any) -> None:
    clear(scratch[0].mask)
    legal(states[i], scratch[0].mask)


@rule
def chance_at(states: Any, i: int, scratch: Any) -> None:
    clear(scratch[0].weights)
    chance(states[i], scratch[0].weights)


@rule
def apply_at(states: Any, i: int, move: int) -> None:
    apply(states[i], move)


@rule
def results_at(states: Any, i: int, scores: Cells, ranks: Cells) -> None:
    results(states[i], scores, ranks)


@rule
def observe_at(states: Any, i: int, seat: int) -> None:
    observe(states[i], seat)


@rule
def imagine_at(states: Any, i: int, seat: int, scratch: Any) -> None:
    imagine(states[i], seat, scratch[0].rng)


@rule
def advise_at(states: Any, i: int, values: Numbers, scratch: Any) -> None:
    advise(states[i], values, scratch[0].mask, scratch[0].worth, scratch[0].notes)


@rule
def evaluate_at(states: Any, i: int, values: Numbers, evaluation_weights: Numbers, workspace: Any) -> float:
    return evaluate(states[i], values, evaluation_weights, workspace[0].points)
