"""Measures what players give away, decision by decision, in comparison with a long look.

    python -m teerling.lab.regret ra club expert search:2000,caution=0.3 --seed 1

Casual players bring matches to decisions. There a search with very many playouts, and an open mind
for all moves, says what each is worth; a player regrets by how much the move of its choice is worth
less than the best. That takes far fewer decisions than an arena to tell two players apart, but what
is wrong in the long look it does not see: policy, evaluation and how players are imagined. The same seed
finds the same regrets.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from ..errors import TeerlingError
from ..game import Game
from ..game import game as game_of
from ..limits import LARGEST_SEED, within
from ..match import new
from ..players import Observation, Player, choices, observe, player
from ..players.search import Search, SearchSettings, grown, tried_in

BRINGS_THEM_THERE = "casual"
ONE_IN = 20
"""Of so many decisions one is looked at, on average."""
OPEN_TO_ALL = SearchSettings(exploration=5.0, openness=10.0)
"""How a long look tries moves."""
LEAST_LOOK = 300
"""What was tried more rarely is so bad that nobody knows how bad: as bad as the worst of the others."""
MOST_DECISIONS, MOST_PLAYOUTS, MOST_TRIES = 10_000, 10_000_000, 1000


@dataclass(frozen=True)
class Decision:
    """What somebody had to decide from, and what a long look says each move is worth, by its id."""

    observation: Observation
    worth: dict[int, float]

    def regret(self, player: Player, tries: int) -> float:
        """How much less than the best move what a player chooses is worth, on average."""
        best, worst = max(self.worth.values()), min(self.worth.values())
        chosen = (player.choose(self.observation, seed).move.id for seed in range(tries))
        return best - sum(self.worth.get(move, worst) for move in chosen) / tries


def observations(game: Game, players: int, seed: int) -> Iterator[Observation]:
    """What seats knew when they had a choice, now and then in one match after another."""
    mover, chooser = player(BRINGS_THEM_THERE), Random(seed)
    while True:
        match = new(game.id, players=players, seed=chooser.getrandbits(32))
        while match.turn is not None:
            seen = observe(match, match.turn)
            if len(choices(seen)) > 1 and chooser.randrange(ONE_IN) == 0:
                yield seen
            match.push(mover.choose(seen, chooser.getrandbits(32)).move)


def looked_at(seen: Observation, playouts: int) -> Decision:
    """A decision with what a long look says of its moves."""
    # With a seed that no try has: the luck that misleads a player must not seem to prove it right.
    trees = grown(Search("look", "Looks long.", playouts, settings=OPEN_TO_ALL), seen, seed=MOST_TRIES)
    tried = tried_in(trees)
    least = min(LEAST_LOOK, int(tried["playouts"].max()))
    looked = np.flatnonzero(tried["playouts"] >= least)
    return Decision(seen, {int(i): float(tried["reward"][i] / tried["playouts"][i]) for i in looked})


def decisions(game: Game, players: int, count: int, playouts: int, seed: int) -> list[Decision]:
    """So many decisions, each looked at with so many playouts."""
    within("decisions", count, 1, MOST_DECISIONS)
    within("playouts", playouts, 1, MOST_PLAYOUTS)
    within("seed", seed, 0, LARGEST_SEED)
    found = observations(game, players, seed)
    return [looked_at(next(found), playouts) for _ in range(count)]


def regrets(of: Player, at: Sequence[Decision], tries: int) -> NDArray[np.float64]:
    """The regret of a player at each decision, taken with so many seeds."""
    return np.array([decision.regret(of, tries) for decision in at])


def with_interval(found: NDArray[np.float64]) -> str:
    """The mean of regrets, or of differences between them, in hundredths of a win, ± 95 %."""
    return f"{100 * found.mean():7.3f} ± {196 * found.std() / math.sqrt(len(found)):.3f}"


def main(
    name: Annotated[str, typer.Argument(metavar="GAME")],
    names: Annotated[list[str], typer.Argument(metavar="PLAYER…")],
    players: int | None = None,
    count: Annotated[int, typer.Option("--decisions")] = 60,
    playouts: int = 100_000,
    tries: int = 5,
    seed: int = 1,
) -> None:
    """Tells what players give away in a game, and what each of them more than the first.

    In hundredths of a win at each decision.
    """
    try:
        game = game_of(name)
        seats = game.check_players(game.usual_players if players is None else players)
        judged = [player(each) for each in names]
        within("tries", tries, 1, MOST_TRIES)
        at = decisions(game, seats, count, playouts, seed)
        first = regrets(judged[0], at, tries)
        print(f"{judged[0].name:32} {with_interval(first)}", flush=True)
        for each in judged[1:]:
            found = regrets(each, at, tries)
            print(f"{each.name:32} {with_interval(found)}   more {with_interval(found - first)}", flush=True)
    except TeerlingError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None


if __name__ == "__main__":
    typer.run(main)
