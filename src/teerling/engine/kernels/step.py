"""The rules of a game one call at a time, on records in an array."""

from typing import Any

from ..contract import apply, chance, imagine, legal, observe, results, setup
from ..record import Cells
from ..rule import rule


@rule
def setup_at(states: Any, i: int, players: int, options: Cells) -> None:
    setup(states[i], players, options)


@rule
def legal_at(states: Any, i: int, mask: Cells) -> None:
    legal(states[i], mask)


@rule
def chance_at(states: Any, i: int, weights: Cells) -> None:
    chance(states[i], weights)


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
def imagine_at(states: Any, i: int, seat: int, rng: Cells) -> None:
    imagine(states[i], seat, rng)
