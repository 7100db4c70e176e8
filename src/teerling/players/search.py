"""Players that decide by tree search: they try moves in their head, most often the promising ones.

>>> import teerling
>>> from teerling import players
>>> match = teerling.new("rapido", players=2, seed=7)
>>> choice = players.player("search:200").choose(match)
>>> choice.move == choice.estimates[0].move, sum(estimate.playouts for estimate in choice.estimates)
(True, 200)
"""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import bind
from ..engine.kernels.search import TRIED, node_fields, settings_fields, workspace_fields
from ..engine.record import filled
from ..errors import Phrase, TeerlingError
from ..game import Game
from ..match import Match
from .base import DEFAULT_SEED, Choice, MoveEstimate, Observation, Player, PlayerBase, choices, observed
from .parameters import parameters_for, scratch_for, stage_of

SEARCH = "teerling.engine.kernels.search"
TREES = 2
"""How many trees grow side by side, whatever the machine: what is found does not depend on it."""
threads = TREES
"""How many of them grow at the same time; fewer where other decisions use the other cores."""
CHUNK = 50
"""How many playouts a tree makes between looks at the clock."""
MOST_NODES = 40_000
MOST_PLAYOUTS = 100_000_000
STREAMS = 2**40
"""How far the random streams of two trees lie apart."""

NEVER = 127
"""A stage that no game reaches."""


@dataclass(frozen=True)
class SearchSettings:
    """The settings of a search: how its tree grows, and how moves are ranked in the end."""

    advised: bool = True
    """Whether the game's policy steers tree and playouts, or all is tried alike and played at random."""
    exploration: float = 1.0
    """How much is tried that has not done well so far, in units of the value scale."""
    margin: float = 0.4
    """How much of a result is by how far one is ahead, and not whether one has won."""
    openness: float = 1.0
    """The temperature of the policy's advice in the tree, as a multiple of the policy's temperature."""
    noise: float = 1.0
    """The temperature of playouts, as a multiple of the policy's playout temperature."""
    caution: float = 1.0
    """What a move's rank loses by being tried rarely: so many value scales by the root of its playouts."""
    evaluation: bool = True
    """Whether playouts end with the stage (an epoch, say) in an evaluation, where the game has one."""


MOST = {
    "exploration": 100.0,
    "margin": 1.0,
    "openness": 100.0,
    "noise": 100.0,
    "caution": 100.0,
    "evaluation": 1.0,
}
"""The settings that can be tried out with other numbers, and up to which; `evaluation=0` is without."""
FIRMEST = 1e-6
"""The least openness, as a temperature."""
PLAIN = SearchSettings(advised=False, exploration=0.7, margin=0.0, caution=1.0, evaluation=False)
"""The yardstick: it does not change."""


class Tree:
    """A tree of one decision, and the arrays that a thread needs to grow it."""

    def __init__(
        self, observation: Observation, settings: SearchSettings, playouts: int, number: int, seed: int
    ) -> None:
        game, seen = observation.game, observation.seen
        parameters = parameters_for(game)
        self.observation, self.number = observation, number
        self.done = 0
        self.steps = 0
        self.kernel = bind(game.rules.__name__, SEARCH)
        self.seen = seen.to_array()
        self.work = self.seen.copy()
        self.look, self.words = _record_and_words(self.seen.dtype)
        # As wide as the game can be, so that the kernel is compiled once for all numbers of players.
        self.workspace = np.zeros(1, scratch_for(game, workspace_fields(game.players[-1])))
        moves = len(self.workspace[0]["mask"])
        self.nodes = np.zeros(min(playouts + 1, MOST_NODES), np.dtype(list(node_fields(moves))))
        self.nodes[0]["nodes"] = 1
        self.slots = np.full(2 * len(self.nodes) + 1, -1, np.int32)
        self.tried = np.zeros(moves, np.dtype(list(TRIED)))
        evaluates = settings.advised and settings.evaluation
        value_scale = parameters.value_scale if evaluates else 1.0
        self.caution = value_scale * settings.caution
        self.settings = filled(
            settings_fields(len(parameters.values_array), len(parameters.weights_array)),
            seat=observation.seat,
            seed=seed,
            horizon=stage_of(game, seen) + 1 if evaluates else NEVER,
            advised=settings.advised,
            sees_all=observation.sees_all,
            exploration=value_scale * settings.exploration,
            margin=settings.margin,
            openness=max(FIRMEST, settings.openness * parameters.temperature),
            playout_temperature=settings.noise * parameters.playout_temperature,
            values=parameters.values_array,
            evaluation_weights=parameters.weights_array,
        )

    def grow(self, playouts: int, until: float) -> None:
        """Makes so many playouts, or fewer if it is too late for more."""
        goal = self.done + playouts
        while self.done < goal and (self.done == 0 or time.perf_counter() < until):
            self.try_out(min(CHUNK, goal - self.done))

    def try_out(self, playouts: int) -> None:
        """Makes so many playouts."""
        self.steps += self.kernel.grow(
            self.seen, self.settings, self.nodes, self.slots, self.tried,
            self.work, self.look, self.words, self.workspace, self.number * STREAMS + self.done, playouts,
        )  # fmt: skip
        self.done += playouts


@dataclass(frozen=True)
class Search(PlayerBase):
    """Somebody who decides by tree search, within a number of playouts and a time in seconds."""

    name: str
    character: str
    playouts: int
    seconds: float = inf
    settings: SearchSettings = SearchSettings()

    def choose(self, seen: Match | Observation, seed: int = DEFAULT_SEED) -> Choice:
        estimates = self.estimate(observed(seen), seed)
        return Choice(estimates[0].move, estimates if len(estimates) > 1 else ())

    def estimate(self, observation: Observation, seed: int = DEFAULT_SEED) -> tuple[MoveEstimate, ...]:
        """The estimates of every legal move, best first; one that is the only one is not tried."""
        moves = choices(observation)
        if len(moves) == 1:
            return (MoveEstimate(moves[0], 0, 0.0, 0.0, 0.0),)
        return _estimates(observation.game, grown(self, observation, seed))

    def with_setting(self, setting: str) -> Player:
        """The same with another budget: a number of playouts (`2000`) or a time (`500ms`, `2s`).

        Other numbers of its settings may follow, to try them out: `2000,margin=0.2,noise=1`.
        """
        budget, *changes = setting.split(",") if self.settings.advised else [setting]
        found = re.fullmatch(r"(\d{1,9})(ms|s)?", budget)
        amount = int(found[1]) if found else 0
        if found is None or not 0 < amount <= MOST_PLAYOUTS or (found[2] and not self.settings.advised):
            raise TeerlingError(self._no_budget(budget))
        seconds = amount / 1000 if found[2] == "ms" else float(amount)
        settings: dict[str, Any] = dict(map(self._change, changes))
        return replace(
            self,
            name=f"{self.name}:{setting}",
            playouts=MOST_PLAYOUTS if found[2] else amount,
            seconds=seconds if found[2] else inf,
            settings=replace(self.settings, **settings),
        )

    def _change(self, change: str) -> tuple[str, float]:
        """A number of its settings by name, as in `margin=0.2`."""
        found = re.fullmatch(r"([a-z]+)=(\d{1,3}(?:\.\d{1,9})?)", change)
        name, number = (found[1], float(found[2])) if found else ("", 0.0)
        if number > MOST.get(name, -1.0) or (name == "evaluation" and number not in (0, 1)):
            known = ", ".join(f"{name} (0–{most:g})" for name, most in MOST.items())
            raise TeerlingError(
                Phrase(
                    "{change!r} changes nothing in how the player {name} thinks; there are {known}, "
                    "each with a number, like margin=0.2",
                    change=change, name=self.name, known=known,
                )
            )  # fmt: skip
        return name, number

    def _no_budget(self, setting: str) -> Phrase:
        """Why a setting is refused; the yardstick has playouts only, the same on every machine."""
        if not self.settings.advised:
            return Phrase(
                "{setting!r} is not a budget for the player {name}; it is a number of playouts, "
                "like {name}:2000",
                setting=setting, name=self.name,
            )  # fmt: skip
        return Phrase(
            "{setting!r} is not a budget for the player {name}; it is a number of playouts, like "
            "{name}:2000, or a time, like {name}:500ms",
            setting=setting, name=self.name,
        )  # fmt: skip


def grown(search: Search, observation: Observation, seed: int) -> list[Tree]:
    """The trees of a decision, grown side by side on as many cores."""
    shares = [search.playouts // TREES + (number < search.playouts % TREES) for number in range(TREES)]
    trees = [
        Tree(observation, search.settings, share, n, seed % 2**63) for n, share in enumerate(shares) if share
    ]
    # What has yet to be compiled, or read from the cache, does not count as thinking.
    trees[0].try_out(0)
    until = time.perf_counter() + search.seconds
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda tree, share: tree.grow(share, until), trees, shares))
    else:
        # In turns, so that each has its part of the time.
        while trees[0].done < shares[0] and (trees[0].done == 0 or time.perf_counter() < until):
            for tree, share in zip(trees, shares, strict=False):
                tree.grow(min(CHUNK, share - tree.done), until)
    return trees


def tried_in(trees: list[Tree]) -> dict[str, NDArray[Any]]:
    """What came of the moves of the decision in all trees together."""
    return {
        name: np.sum([tree.tried[name] for tree in trees], axis=0)
        for name in trees[0].tried.dtype.names or ()
    }


def _estimates(game: Game, trees: list[Tree]) -> tuple[MoveEstimate, ...]:
    """The estimates of every legal move: what is surely good comes first."""
    tried = tried_in(trees)
    ids = [move.id for move in game.legal_moves(trees[0].observation.seen)]
    times = np.maximum(tried["playouts"], 1)
    caution = trees[0].caution / np.sqrt(times)
    surely = np.where(tried["playouts"] > 0, tried["reward"] / times - caution, -inf)
    ids.sort(key=lambda id: (-surely[id], id))
    found = []
    for id in ids:
        mean = float(tried["score"][id] / times[id])
        spread = sqrt(max(0.0, tried["square"][id] / times[id] - mean**2))
        win = float(tried["wins"][id] / times[id])
        found.append(MoveEstimate(game.move(id), int(tried["playouts"][id]), win, mean, spread))
    return tuple(found)


def _record_and_words(dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.uint64]]:
    """Room for one record, and the same memory as 64-bit numbers."""
    words = np.zeros(-(-dtype.itemsize // 8), np.uint64)
    return words.view(np.uint8)[: dtype.itemsize].view(dtype), words
