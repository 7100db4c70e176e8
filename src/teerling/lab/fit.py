"""Finds the weights that a game's evaluation weighs with, from what became of games.

    python -m teerling.lab.fit ra --seed 1

The policy plays matches with every number of players. Wherever a stage began (an epoch, a round),
evaluation says how likely each seat is to win; the weights are those with which it is least surprised by
who did. Surprise is the mean of -ln of the share that the winner was given. One weight after another is
moved a little up or down as long as that helps. The same seed finds the same weights.
"""

import json
import sys
from collections.abc import Callable, Sequence
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
from ..players.parameters import FITTED, as_array, evaluation_of, parameters_for, scratch_for

STAGES = "teerling.engine.kernels.stages"
MOST_STAGES = 8
"""How many stages a match has at most, on average."""
MOST_GAMES = 1_000_000
STEP = 0.3
"""How far a weight is moved at first, as a part of its size."""
LEAST_STEP = 0.01
LEAST_WEIGHT = 0.001


@dataclass(frozen=True)
class Beginnings:
    """The positions in which stages began, in matches with one number of players, and who won."""

    game: Game
    states: NDArray[Any]
    shares: NDArray[np.float64]
    """Every seat's share of the win."""

    def surprise(self, weights: Sequence[float] | NDArray[np.float64]) -> float:
        """How surprised evaluation is, with these weights, by who won."""
        points = np.zeros(self.shares.shape)
        errors = np.zeros(len(self.states))
        kernel = bind(self.game.rules.__name__, STAGES)
        kernel.evaluate_all(
            self.states, parameters_for(self.game).values_array, np.asarray(weights), points, errors
        )
        logits = (points - points.max(axis=1, keepdims=True)) / errors[:, None]
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return float(-(self.shares * logits).sum(axis=1).mean())


def play(game: Game, players: int, games: int, seed: int) -> Beginnings:
    """Lets the policy play, and keeps where stages began."""
    rules, parameters = game.rules, parameters_for(game)
    start = game.start(players, game.check_options({})).to_array()
    states = np.zeros(games * MOST_STAGES, start.dtype)
    numbers = np.zeros(len(states), np.int64)
    scores, ranks = np.zeros((games, players), np.int16), np.zeros((games, players), np.int8)
    found = bind(rules.__name__, STAGES).beginnings(
        start, start.copy(), np.zeros(1, scratch_for(game)),
        parameters.values_array, parameters.temperature, seed, states, numbers, scores, ranks,
    )  # fmt: skip
    if found > len(states):
        raise TeerlingError(f"{game.name} has more than {MOST_STAGES} stages, too many to fit")
    won = (ranks == 1)[numbers[:found]]
    return Beginnings(game, states[:found].copy(), won / won.sum(axis=1, keepdims=True))


def play_all(game: Game, games: int, seed: int) -> list[Beginnings]:
    """The same with every number of players."""
    return [play(game, players, games, seed) for players in game.players]


def surprise(beginnings: Sequence[Beginnings], weights: Sequence[float] | NDArray[np.float64]) -> float:
    """The mean surprise over all numbers of players."""
    return float(np.mean([each.surprise(weights) for each in beginnings]))


def fit(
    game: Game, seed: int = 1, games: int = 4000, tell: Callable[[str], None] = print
) -> dict[str, float]:
    """The weights with which evaluation is least surprised."""
    within("games", games, 1, MOST_GAMES)
    within("seed", seed, 0, LARGEST_SEED)
    begun: dict[str, float] = getattr(evaluation_of(game), "WEIGHTS", {})
    if not begun:
        raise TeerlingError(f"{game.name} has no evaluation that weighs with weights")
    beginnings = play_all(game, games, seed)
    weights, steps = as_array(begun), np.full(len(begun), STEP)
    least = surprise(beginnings, weights)
    while steps.max() > LEAST_STEP:
        for i in range(len(weights)):
            moved = [weights.copy(), weights.copy()]
            moved[0][i] *= 1 + steps[i]
            moved[1][i] = max(LEAST_WEIGHT, moved[1][i] / (1 + steps[i]))
            found = [surprise(beginnings, each) for each in moved]
            if min(found) < least:
                least, weights = min(found), moved[int(np.argmin(found))]
                steps[i] *= 1.5
            else:
                steps[i] *= 0.5
        tell(f"surprise {least:.4f}: {', '.join(f'{weight:.3f}' for weight in weights)}")
    return {name: round(float(weight), 3) for name, weight in zip(begun, weights, strict=True)}


def main(name: Annotated[str, typer.Argument(metavar="GAME")], seed: int = 1, games: int = 4000) -> None:
    """Fits a game's evaluation and writes the weights into the game's folder."""
    try:
        game = game_of(name)
        found = fit(game, seed, games)
    except TeerlingError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None
    record = {
        "command": f"python -m teerling.lab.fit {game.id} --seed {seed} --games {games}",
        "surprise_in_other_games": in_other_games(game, found, games, seed + 1),
        "weights": found,
    }
    (game.folder / FITTED).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(record["surprise_in_other_games"]))


def in_other_games(game: Game, found: dict[str, float], games: int, seed: int) -> dict[str, float]:
    """How surprised one is by who won in games that were not fitted to."""
    beginnings = play_all(game, games, seed)
    return {
        "knowing_nothing": round(float(np.mean([np.log(players) for players in game.players])), 4),
        "with_the_first_weights": round(surprise(beginnings, as_array(evaluation_of(game).WEIGHTS)), 4),
        "with_these": round(surprise(beginnings, as_array(found)), 4),
    }


if __name__ == "__main__":
    typer.run(main)
