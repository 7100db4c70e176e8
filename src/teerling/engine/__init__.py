"""How rules run: records, rules and tables, random numbers, and kernels bound to a game.

A game's rules import from here, and other rules (`engine.random`, say) from the module they stand
in; see `contract` for the functions they have to offer.
"""

from .contract import EvaluationModule, PolicyModule, RulesModule, StateT
from .record import CHANCE, HIDDEN, OVER, SPECTATOR, Cells, GameState, Grid, Numbers, Record, int8, int16
from .rule import rule, table

__all__ = [
    "CHANCE",
    "HIDDEN",
    "OVER",
    "SPECTATOR",
    "Cells",
    "EvaluationModule",
    "GameState",
    "Grid",
    "Numbers",
    "PolicyModule",
    "Record",
    "RulesModule",
    "StateT",
    "int8",
    "int16",
    "rule",
    "table",
]
