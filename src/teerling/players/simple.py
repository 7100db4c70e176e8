"""Players that need no knowledge of a game."""

import threading
from random import Random as Chooser
from typing import Any

import numpy as np

from ..engine.compile import bind
from ..engine.record import scratch
from ..game import Game, Move
from .base import offer

FLAT = "teerling.engine.kernels.flat"


class Random:
    """Any legal move."""

    name = "random"
    character = "Does whatever comes to mind."

    def choose(self, game: Game, seen: Any, seat: int, seed: int) -> Move:
        return Chooser(seed).choice(game.legal_moves(seen))


class Simple:
    """The move after which random games from imagined states are won most often."""

    name = "simple"
    character = "Tries every move in its head a few times."

    def __init__(self, playouts: int = 60) -> None:
        self.playouts = playouts

    def choose(self, game: Game, seen: Any, seat: int, seed: int) -> Move:
        moves = game.legal_moves(seen)
        if len(moves) == 1:
            return moves[0]
        if not is_ready(game):
            return Chooser(seed).choice(moves)
        values = flat_values(game, seen, seat, self.playouts, seed)
        return max(moves, key=lambda move: values[move.id])


def flat_values(game: Game, seen: Any, seat: int, playouts: int, seed: int) -> list[float]:
    """The share of random games that a seat wins after each move; -1 where it is not legal."""
    rules = game.rules
    start = seen.to_array()
    found = np.zeros(rules.DECISIONS)
    bind(rules.__name__, FLAT).values(
        start,
        start.copy(),
        np.zeros(1, scratch(rules.DECISIONS, rules.OUTCOMES)),
        np.zeros(rules.DECISIONS, np.int8),
        seat,
        playouts,
        seed,
        np.zeros(seen.players, np.int16),
        np.zeros(seen.players, np.int8),
        found,
    )
    return [float(value) for value in found]


_ready: dict[str, threading.Event] = {}
_failed: set[str] = set()


def is_ready(game: Game) -> bool:
    """Whether the game's rules have been compiled; if not, that begins in the background."""
    if game.id not in _ready:
        _ready[game.id] = threading.Event()
        threading.Thread(target=_compile, args=(game, _ready[game.id]), daemon=True).start()
    return _ready[game.id].is_set()


def is_preparing(game: Game) -> bool:
    """Whether the game's rules are being compiled, or soon will be."""
    return not is_ready(game) and game.id not in _failed


def _compile(game: Game, ready: threading.Event) -> None:
    try:
        _warm_up(game)
        ready.set()
    except Exception:
        _failed.add(game.id)
        raise


def _warm_up(game: Game) -> None:
    """Has everything compiled that a decision needs."""
    players = game.players[-1]
    state = game.start(players, game.check_options({}))
    chooser = Chooser(1)
    while state.turn < 0:
        weights = game.weights(state)
        game.rules.apply(state, chooser.choices(range(len(weights)), weights)[0])
    flat_values(game, game.observed(state, state.turn), state.turn, 1, 1)


offer(Random())
offer(Simple())
