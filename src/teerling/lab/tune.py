"""Finds the values that a game's policy weighs with, by playing it against itself.

    python -m teerling.lab.tune ra --seed 1

Begins with the policy's own values. In every round, values near the best so far are drawn and each
set takes one seat against the best so far in all others, in the same games as its rivals. The best
quarter says where to look next, and how far around (the cross-entropy method). The same seed finds the
same values.
"""

import json
import math
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from ..engine.compile import bind
from ..errors import TeerlingError
from ..game import Game
from ..game import game as game_of
from ..limits import LARGEST_SEED, within
from ..players.parameters import TUNED, PolicyParameters, policy_of, scratch_for
from .simulate import apart, cores

STEER = "teerling.engine.kernels.steer"
WIDTH = 0.35
"""How far from a value its rivals are drawn at first, as a part of its size."""
LEAST_WIDTH = 0.3
KEPT = 0.25
"""The part of the rivals that says where to look next."""
MOST_ROUNDS, MOST_RIVALS, MOST_GAMES = 10_000, 10_000, 1_000_000
MARGIN = 0.3
"""How much of a rival's result is by how far it was ahead, and not whether it won."""


@dataclass(frozen=True)
class TuningResults:
    """What came of games: for each, every seat's share of the win and its lead over the best other."""

    shares: NDArray[np.float64]
    leads: NDArray[np.float64]


class Duels:
    """Games of one kind between policies that differ in their values."""

    def __init__(self, game: Game, players: int) -> None:
        self.game = game
        self.players = players
        self.start = game.start(players, game.check_options({})).to_array()
        self.kernel = bind(game.rules.__name__, STEER)

    def play(
        self,
        values: NDArray[np.float64],
        temperatures: NDArray[np.float64],
        seatings: NDArray[np.int64],
        seed: int,
    ) -> TuningResults:
        """Plays a game for every row of `seatings`, which names a row of `values` for each seat."""
        games = len(seatings)
        scores = np.zeros((games, self.players), np.int16)
        ranks = np.zeros((games, self.players), np.int8)
        parts = np.array_split(np.arange(games // self.players), cores())

        def part(blocks: NDArray[np.int64]) -> None:
            if len(blocks):
                first, last = int(blocks[0]) * self.players, (int(blocks[-1]) + 1) * self.players
                self.kernel.matches(
                    self.start,
                    apart(self.start.dtype),
                    apart(scratch_for(self.game)),
                    values,
                    temperatures,
                    seatings[first:last],
                    seed,
                    first,
                    scores[first:last],
                    ranks[first:last],
                )

        with ThreadPoolExecutor(cores()) as pool:
            list(pool.map(part, parts))
        won = ranks == 1
        best = np.array([np.delete(scores, seat, axis=1).max(axis=1) for seat in range(self.players)]).T
        return TuningResults(won / won.sum(axis=1, keepdims=True), (scores - best).astype(float))


def one_against_all(players: int, games: int) -> NDArray[np.int64]:
    """Policy 1 in every seat in turn, policy 0 in all others."""
    seatings = np.zeros((games // players * players, players), np.int64)
    rows = np.arange(len(seatings))
    seatings[rows, rows % players] = 1
    return seatings


def success(results: TuningResults, seatings: NDArray[np.int64], scale: float) -> float:
    """How well policy 1 did: its share of wins, and a little for how far it was ahead or behind."""
    mine = seatings == 1
    lead = np.tanh(results.leads[mine] / scale)
    return float((1 - MARGIN) * results.shares[mine].mean() + MARGIN * (0.5 + 0.5 * lead.mean()))


def tune(
    game: Game,
    players: int,
    seed: int = 1,
    rounds: int = 40,
    rivals: int = 24,
    games: int = 1000,
    tell: Callable[[str], None] = print,
) -> PolicyParameters:
    """The values with which the game's policy does best against itself."""
    within("rounds", rounds, 1, MOST_ROUNDS)
    within("rivals", rivals, 2, MOST_RIVALS)
    within("games", games, players, MOST_GAMES)
    within("seed", seed, 0, LARGEST_SEED)
    policy = policy_of(game)
    if not getattr(policy, "VALUES", None):
        raise TeerlingError(f"{game.name} has no policy that weighs with values")
    begun = PolicyParameters(dict(policy.VALUES), policy.TEMPERATURE)
    duels = Duels(game, players)
    draw = np.random.default_rng(seed)
    centre = begun.values_array
    width = WIDTH * np.maximum(np.abs(centre), LEAST_WIDTH)
    seatings = one_against_all(players, games)
    both = np.zeros(2)
    for number in range(rounds):
        drawn = centre + width * draw.standard_normal((rivals, len(centre)))
        seed_of_round = int(draw.integers(2**32))
        level = duels.play(np.array([centre, centre]), both, seatings, seed_of_round)
        scale = max(1.0, float(np.abs(level.leads).mean()))
        found = [
            success(duels.play(np.array([centre, rival]), both, seatings, seed_of_round), seatings, scale)
            for rival in drawn
        ]
        kept = drawn[np.argsort(found)[::-1][: max(2, int(KEPT * rivals))]]
        centre = 0.5 * centre + 0.5 * kept.mean(axis=0)
        width = 0.7 * width + 0.3 * (kept.std(axis=0) + 0.02 * np.abs(centre))
        tell(f"round {number + 1:3}: best of {rivals} {max(found):.3f}, mean {np.mean(found):.3f}")
    return PolicyParameters(
        dict(zip(begun.values, (round(float(x), 3) for x in centre), strict=True)), begun.temperature
    )


def compare(
    game: Game, players: int, one: PolicyParameters, other: PolicyParameters, games: int, seed: int
) -> tuple[float, float]:
    """The share of wins of one policy in every seat in turn against another in all others, ± 95 %."""
    seatings = one_against_all(players, games)
    duels = Duels(game, players)
    results = duels.play(np.array([other.values_array, one.values_array]), np.zeros(2), seatings, seed)
    mine = results.shares[seatings == 1]
    return float(mine.mean()), float(1.96 * mine.std() / math.sqrt(len(mine)))


def main(
    name: Annotated[str, typer.Argument(metavar="GAME")],
    players: int | None = None,
    seed: int = 1,
    rounds: int = 40,
    rivals: int = 24,
    games: int = 1000,
) -> None:
    """Tunes a game's policy and writes the values into the game's folder."""
    try:
        game = game_of(name)
        count = game.check_players(game.usual_players if players is None else players)
        found = tune(game, count, seed, rounds, rivals, games)
    except TeerlingError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None
    policy = policy_of(game)
    share, error_of_share = compare(
        game, count, found, PolicyParameters(dict(policy.VALUES)), 20_000, seed + 1
    )
    command = (
        f"python -m teerling.lab.tune {game.id} --players {count} --seed {seed} "
        f"--rounds {rounds} --rivals {rivals} --games {games}"
    )
    record: dict[str, Any] = {
        "command": command,
        "against_the_values_it_began_with": {
            "games": 20_000,
            "win_rate": round(share, 4),
            "interval": round(error_of_share, 4),
            "even": round(1 / count, 4),
        },
        "values": found.values,
    }
    (game.folder / TUNED).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(f"{share:.1%} ± {error_of_share:.1%} of the wins against the first values; {1 / count:.0%} is even")


if __name__ == "__main__":
    typer.run(main)
