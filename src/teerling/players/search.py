"""Players that try moves in their head, in a tree that grows where it is interesting.

>>> import teerling
>>> from teerling import players
>>> match = teerling.new("rapido", players=2, seed=7)
>>> choice = players.player("search:200").choose(players.sight(match, match.turn), seed=1)
>>> choice.move == choice.thoughts[0].move, sum(thought.playouts for thought in choice.thoughts)
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
from ..engine.record import scratch
from ..errors import Phrase, TeerlingError
from ..game import Game
from .advice import advice_for, stage_of
from .base import Choice, Player, Sight, Thought, choices

SEARCH = "teerling.engine.kernels.search"
TREES = 2
"""How many trees grow side by side, whatever the machine: what is found does not depend on it."""
threads = TREES
"""How many of them grow at the same time; fewer where other decisions use the other cores."""
CHUNK = 50
"""How many playouts a tree makes between looks at the clock."""
MOST_NODES = 40_000
MOST_PLAYOUTS = 100_000_000
DEEPEST = 60
"""How many choices in a row a tree follows at most."""
STREAMS = 2**40
"""How far the random streams of two trees lie apart."""

NEVER = 127
"""A stage that no game reaches."""

CHOICE = np.dtype([("node", "i4"), ("move", "i4"), ("seat", "i4")])
TRIED = np.dtype([("playouts", "i8"), ("reward", "f8"), ("wins", "f8"), ("score", "f8"), ("square", "f8")])


@dataclass(frozen=True)
class Manner:
    """How a tree is grown."""

    advised: bool = True
    """Whether the game's policy steers tree and playouts, or all is tried alike and played at random."""
    exploration: float = 1.0
    """How much is tried that has not done well so far, by what is at stake for who foresees."""
    margin: float = 0.4
    """How much of a result is by how far one is ahead, and not whether one has won."""
    openness: float = 1.0
    """How open to other moves than the best the policy's advice is in the tree, by its temperature."""
    noise: float = 1.0
    """How much players waver in playouts, by what the game's policy says of it."""
    doubt: float = 1.0
    """How much what was tried rarely is doubted in the end, by what is at stake and the root of how often."""
    foresight: bool = True
    """Whether playouts end with the stage (an epoch, say), where the game can foresee how it will end."""


MOST = {
    "exploration": 100.0, "margin": 1.0, "openness": 100.0, "noise": 100.0, "doubt": 100.0, "foresight": 1.0,
}  # fmt: skip
"""What of a manner can be tried out with other numbers, and up to which; without foresight is 0."""
FIRMEST = 1e-6
"""The least openness, as a temperature."""
PLAIN = Manner(advised=False, exploration=0.7, margin=0.0, doubt=1.0, foresight=False)
"""The yardstick: it does not change."""


class Tree:
    """A tree of one decision, and the arrays that a thread needs to grow it."""

    def __init__(self, sight: Sight, manner: Manner, playouts: int, number: int, seed: int) -> None:
        game, seen = sight.game, sight.seen
        rules = game.rules
        advice = advice_for(game)
        self.sight, self.manner, self.number, self.seed = sight, manner, number, seed
        self.done = 0
        self.steps = 0
        self.kernel = bind(rules.__name__, SEARCH)
        self.values, self.hopes = advice.array, advice.hopes_array
        self.temperature, self.wavering = advice.temperature, advice.wavering
        self.seen = seen.to_array()
        self.work = self.seen.copy()
        self.look, self.words = _record_and_words(self.seen.dtype)
        self.scratch = np.zeros(1, scratch(rules.DECISIONS, rules.OUTCOMES))
        moves = len(self.scratch[0]["mask"])
        self.nodes = np.zeros(min(playouts + 1, MOST_NODES), _node(moves))
        self.nodes[0]["nodes"] = 1
        self.slots = np.full(2 * len(self.nodes) + 1, -1, np.int32)
        self.path = np.zeros(DEEPEST, CHOICE)
        self.scores = np.zeros(seen.players, np.int16)
        self.ranks = np.zeros(seen.players, np.int8)
        self.ends = np.zeros(1, _end(game.players[-1]))
        foresees = manner.advised and manner.foresight
        self.horizon = stage_of(game, seen) + 1 if foresees else NEVER
        stakes = advice.stakes if foresees else 1.0
        self.exploration, self.doubt = stakes * manner.exploration, stakes * manner.doubt
        self.tried = np.zeros(moves, TRIED)

    def grow(self, playouts: int, until: float) -> None:
        """Makes so many playouts, or fewer if it is too late for more."""
        goal = self.done + playouts
        while self.done < goal and (self.done == 0 or time.perf_counter() < until):
            self.try_out(min(CHUNK, goal - self.done))

    def try_out(self, playouts: int) -> None:
        """Makes so many playouts."""
        self.steps += self.kernel.grow(
            self.seen, self.work, self.look, self.words, self.scratch, self.values, self.hopes,
            self.manner.advised, self.manner.noise * self.wavering,
            max(FIRMEST, self.manner.openness * self.temperature), self.exploration,
            self.manner.margin, self.horizon, self.sight.sees_all, self.sight.seat, self.seed,
            self.number * STREAMS + self.done, playouts,
            self.nodes, self.slots, self.path, self.scores, self.ranks, self.ends, self.tried,
        )  # fmt: skip
        self.done += playouts


@dataclass(frozen=True)
class Search:
    """Somebody who decides by tree search, within a number of playouts and a time in seconds."""

    name: str
    character: str
    playouts: int
    seconds: float = inf
    manner: Manner = Manner()

    def choose(self, sight: Sight, seed: int) -> Choice:
        thoughts = self.think(sight, seed)
        return Choice(thoughts[0].move, thoughts if len(thoughts) > 1 else ())

    def think(self, sight: Sight, seed: int) -> tuple[Thought, ...]:
        """What it thinks of every legal move, best first; nothing of one that is the only one."""
        moves = choices(sight)
        if len(moves) == 1:
            return (Thought(moves[0], 0, 0.0, 0.0, 0.0),)
        return _thoughts(sight.game, grown(self, sight, seed))

    def with_setting(self, setting: str) -> Player:
        """The same with another budget: a number of playouts (`2000`) or a time (`500ms`, `2s`).

        Other numbers of its manner may follow, to try them out: `2000,margin=0.2,noise=1`.
        """
        budget, *changes = setting.split(",") if self.manner.advised else [setting]
        found = re.fullmatch(r"(\d{1,9})(ms|s)?", budget)
        amount = int(found[1]) if found else 0
        if found is None or not 0 < amount <= MOST_PLAYOUTS or (found[2] and not self.manner.advised):
            raise TeerlingError(self._no_budget(budget))
        seconds = amount / 1000 if found[2] == "ms" else float(amount)
        manner: dict[str, Any] = dict(map(self._change, changes))
        return replace(
            self,
            name=f"{self.name}:{setting}",
            playouts=MOST_PLAYOUTS if found[2] else amount,
            seconds=seconds if found[2] else inf,
            manner=replace(self.manner, **manner),
        )

    def _change(self, change: str) -> tuple[str, float]:
        """A number of its manner by name, as in `margin=0.2`."""
        found = re.fullmatch(r"([a-z]+)=(\d{1,3}(?:\.\d{1,9})?)", change)
        name, number = (found[1], float(found[2])) if found else ("", 0.0)
        if number > MOST.get(name, -1.0) or (name == "foresight" and number not in (0, 1)):
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
        if not self.manner.advised:
            return Phrase(
                "{setting!r} is no budget for the player {name}; it is a number of playouts, "
                "like {name}:2000",
                setting=setting, name=self.name,
            )  # fmt: skip
        return Phrase(
            "{setting!r} is no budget for the player {name}; it is a number of playouts, like "
            "{name}:2000, or a time, like {name}:500ms",
            setting=setting, name=self.name,
        )  # fmt: skip


def grown(search: Search, sight: Sight, seed: int) -> list[Tree]:
    """The trees of a decision, grown side by side on as many cores."""
    shares = [search.playouts // TREES + (number < search.playouts % TREES) for number in range(TREES)]
    trees = [Tree(sight, search.manner, share, n, seed % 2**63) for n, share in enumerate(shares) if share]
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
    return {name: np.sum([tree.tried[name] for tree in trees], axis=0) for name in TRIED.names or ()}


def _thoughts(game: Game, trees: list[Tree]) -> tuple[Thought, ...]:
    """What is thought of every legal move: what is surely good comes first."""
    tried = tried_in(trees)
    ids = [move.id for move in game.legal_moves(trees[0].sight.seen)]
    times = np.maximum(tried["playouts"], 1)
    doubt = trees[0].doubt / np.sqrt(times)
    surely = np.where(tried["playouts"] > 0, tried["reward"] / times - doubt, -inf)
    ids.sort(key=lambda id: (-surely[id], id))
    found = []
    for id in ids:
        mean = float(tried["score"][id] / times[id])
        spread = sqrt(max(0.0, tried["square"][id] / times[id] - mean**2))
        win = float(tried["wins"][id] / times[id])
        found.append(Thought(game.move(id), int(tried["playouts"][id]), win, mean, spread))
    return tuple(found)


def _record_and_words(dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.uint64]]:
    """Room for one record, and the same memory as 64-bit numbers."""
    words = np.zeros(-(-dtype.itemsize // 8), np.uint64)
    return words.view(np.uint8)[: dtype.itemsize].view(dtype), words


def _end(players: int) -> np.dtype[Any]:
    """What a playout came to for every seat, of as many as there can be: another size is compiled anew."""
    return np.dtype([("points", "f8", players), ("shares", "f8", players), ("rewards", "f8", players)])


def _node(moves: int) -> np.dtype[Any]:
    """A node: its key, how often each move was tried, and what that brought whoever chose it."""
    return np.dtype([("key", "u8"), ("nodes", "i8"), ("visits", "i4", moves), ("total", "f8", moves)])
