"""Measures the error rates of players: which part of what there was to decide they give away.

    python -m teerling.lab.errors ra random novice casual club --matches 10 --seed 1

The players sit down in turn at all seats of one match after another; some of their decisions, chosen
beforehand, are judged as in a review (`lab/mistakes.py`). The same seed finds the same rates, whatever the
machine and however many workers: caps in time are lifted, as in the arena.
"""

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
from ..players import choices, observe
from .contest import player_of, warm_up_for
from .mistakes import Judgement, judged
from .simulate import MOST_THREADS
from .standings import Interval, student
from .workers import spread

MOST_MATCHES, MOST_PLAYOUTS, MOST_IN = 10_000, 10_000, 1000


@dataclass(frozen=True)
class Trial:
    """Players at one table, match after match, and how their decisions are judged."""

    id: str
    names: tuple[str, ...]
    playouts: int
    one_in: int
    """One in so many decisions is judged."""
    seed: int
    games: int | None = None
    """So many games are played after every move that is compared."""

    def warm_up(self) -> None:
        """Has everything compiled that the players need."""
        warm_up_for(self.id, self.names)

    def play(self, number: int) -> tuple[list[float], list[float]]:
        """What every player lost in a match, and what was at stake for it."""
        lost, staked = ([0.0] * len(self.names) for _ in range(2))
        turned = number % len(self.names)
        seated = self.names[turned:] + self.names[:turned]
        for seat, found in self.judgements(number, seated):
            who = self.names.index(seated[seat])
            lost[who] += found.loss
            staked[who] += found.stake
        return lost, staked

    def judgements(self, number: int, seated: Sequence[str]) -> Iterator[tuple[int, Judgement]]:
        """Plays a match, and judges one in so many of its decisions; each with the seat that decided."""
        chooser = Random(self.seed * MOST_MATCHES + number)
        match = new(self.id, players=len(seated), seed=chooser.getrandbits(32))
        while match.turn is not None:
            mover, knows = player_of(seated[match.turn]), observe(match)
            move = choices(knows)[0]
            if len(choices(knows)) > 1:
                move = mover.choose(knows, chooser.getrandbits(32)).move
                if chooser.randrange(self.one_in) == 0:
                    at = len(match.history)
                    yield knows.seat, judged(knows, move, at, self.playouts, games=self.games)
            match.push(move)


def rate(losses: NDArray[np.float64], stakes: NDArray[np.float64]) -> tuple[float, Interval]:
    """The error rate from what was lost and what was at stake in every match, and its 95% interval.

    >>> rate(np.array([0.1, 0.3]), np.array([1.0, 1.0]))[0]
    0.2
    """
    found = float(losses.sum() / stakes.sum())
    spread = float(np.sqrt(((losses - found * stakes) ** 2).sum())) / float(stakes.sum())
    half = student(len(losses) - 1) * spread if len(losses) > 1 else 1.0
    return found, (found - half, found + half)


def error_rates(
    game: Game,
    players: Sequence[str],
    matches: int,
    playouts: int,
    one_in: int,
    seed: int,
    games: int | None = None,
    workers: int = 1,
) -> dict[str, tuple[float, Interval]]:
    """The error rate of every player, by name; players that search are given all the time they need."""
    within("matches", matches, 1, MOST_MATCHES)
    within("playouts", playouts, 1, MOST_PLAYOUTS)
    within("one_in", one_in, 1, MOST_IN)
    within("games", games or 1, 1, MOST_PLAYOUTS)
    within("seed", seed, 0, LARGEST_SEED)
    within("workers", workers, 1, MOST_THREADS)
    game.check_players(len(players))
    names = tuple(player_of(name).name for name in players)
    trial = Trial(game.id, names, playouts, one_in, seed, games)
    found = list(spread(trial, range(matches), workers, cluster=False, in_order=True))
    lost, staked = np.array(found).transpose(1, 2, 0)
    return {name: rate(lost[names.index(name)], staked[names.index(name)]) for name in names}


def main(
    name: Annotated[str, typer.Argument(metavar="GAME")],
    names: Annotated[list[str], typer.Argument(metavar="PLAYER…")],
    matches: int = 20,
    playouts: int = 32,
    one_in: int = 1,
    seed: int = 1,
    games: int | None = None,
    workers: int = 1,
) -> None:
    """Tells the error rate of every player in a game, in per cent; one player sits at each seat."""
    try:
        found = error_rates(game_of(name), names, matches, playouts, one_in, seed, games, workers)
    except TeerlingError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None
    for each, (share, (low, high)) in found.items():
        print(f"{each:20} {100 * share:6.1f} ({100 * low:.1f} to {100 * high:.1f})")


if __name__ == "__main__":
    typer.run(main)
