"""Compiles searches in the background, so that nobody waits for them."""

import threading
from random import Random as Chooser
from typing import Any

from ..game import Game
from .base import Observation, Player
from .hint import reason_for
from .search import Search
from .simple import Heuristic

_ready: dict[tuple[str, bool], threading.Event] = {}
_failed: set[tuple[str, bool]] = set()
_asking = threading.Lock()


def is_ready(game: Game, hints: bool = False) -> bool:
    """Whether the game's search has been compiled, or all that hints need; if not, that begins now."""
    with _asking:
        if (game.id, hints) not in _ready:
            _ready[game.id, hints] = threading.Event()
            threading.Thread(target=_compile, args=(game, hints), daemon=True).start()
    return _ready[game.id, hints].is_set()


def is_preparing(game: Game, hints: bool = False) -> bool:
    """Whether the game's search, or what hints need, is being compiled or soon will be."""
    return not is_ready(game, hints) and (game.id, hints) not in _failed


def for_now(player: Player, game: Game) -> Player:
    """The player; in place of one whose search is still being compiled, one that needs none."""
    return Heuristic() if isinstance(player, Search) and not is_ready(game) else player


def _compile(game: Game, hints: bool) -> None:
    try:
        warm_up(game, hints)
        _ready[game.id, hints].set()
    except Exception:
        _failed.add((game.id, hints))
        raise


def warm_up(game: Game, hints: bool = False) -> None:
    """Has everything compiled that a decision needs, or a hint."""
    state: Any = game.start(game.players[-1], game.check_options({}))
    chooser = Chooser(1)
    while state.turn < 0:
        weights = game.weights(state)
        game.rules.apply(state, chooser.choices(range(len(weights)), weights)[0])
    observation = Observation(game, state.turn, game.observed(state, state.turn))
    estimates = Search("warm", "", 2).estimate(observation, 1)
    if hints:
        reason_for(observation, estimates[0], estimates[-1], 1)
