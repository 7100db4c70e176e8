"""Compiles searches in the background, so that nobody waits for them."""

import contextlib
import os
import subprocess
import sys
import threading
from random import Random as Chooser
from typing import Any

from ..engine.compile import is_kept
from ..game import Game
from ..game import game as game_of
from .base import Observation, Player
from .hint import TRACE, reason_for
from .search import SEARCH, Search
from .simple import Heuristic

APART = "import sys; from teerling.players.ready import compile_here; compile_here(*sys.argv[1:])"
HUMBLE = 10
"""How far back the process stands that compiles."""
_one_by_one = threading.Lock()
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
        with _one_by_one:
            if is_kept(game.rules.__name__, TRACE if hints else SEARCH) is False:
                _compile_apart(game, hints)
        warm_up(game, hints)
        _ready[game.id, hints].set()
    except Exception:
        _failed.add((game.id, hints))
        raise


def _compile_apart(game: Game, hints: bool) -> None:
    """Has another process compile, which is kept on disk.

    Compiling in this one, everything else in it would wait, for up to half a second at a time. What the other
    does not know, as a game that was registered here, is compiled here afterwards.
    """
    command = [sys.executable, "-c", APART, game.id, "hints" if hints else ""]
    with contextlib.suppress(OSError):
        subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )


def compile_here(game_id: str, hints: str) -> None:
    """What the process does that compiles for another."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(HUMBLE)
    warm_up(game_of(game_id), bool(hints))


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
