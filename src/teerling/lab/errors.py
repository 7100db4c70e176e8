"""Measures the error rates of players: which part of what there was to decide they give away.

    python -m teerling.lab.errors ra random novice casual club --matches 10 --seed 1

The players sit down in turn at all seats of one match after another; some of their decisions, chosen
beforehand, are judged as in a review (`lab/mistakes.py`). The same seed finds the same rates.
"""

import sys
from collections.abc import Iterator, Sequence
from random import Random
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from ..errors import TeerlingError
from ..game import Game
from ..game import game as game_of
from ..match import new
from ..players import Player, choices, observe, player
from .mistakes import Judgement, judged
from .simulate import LARGEST_SEED, within
from .standings import Interval, student

MOST_MATCHES, MOST_PLAYOUTS, MOST_IN = 10_000, 10_000, 1000


def judgements(
    game: Game, seated: Sequence[Player], playouts: int, one_in: int, seed: int, games: int | None = None
) -> Iterator[tuple[Player, Judgement]]:
    """Plays a match, and judges one in so many of its decisions."""
    chooser = Random(seed)
    match = new(game.id, players=len(seated), seed=chooser.getrandbits(32))
    while match.turn is not None:
        mover, knows = seated[match.turn], observe(match)
        move = choices(knows)[0]
        if len(choices(knows)) > 1:
            move = mover.choose(knows, chooser.getrandbits(32)).move
            if chooser.randrange(one_in) == 0:
                yield mover, judged(knows, move, len(match.history), playouts, games=games)
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
    players: Sequence[Player],
    matches: int,
    playouts: int,
    one_in: int,
    seed: int,
    games: int | None = None,
) -> dict[str, tuple[float, Interval]]:
    """The error rate of every player, by name; after every move that is compared so many games are played."""
    within("matches", matches, 1, MOST_MATCHES)
    within("playouts", playouts, 1, MOST_PLAYOUTS)
    within("one_in", one_in, 1, MOST_IN)
    within("games", games or 1, 1, MOST_PLAYOUTS)
    within("seed", seed, 0, LARGEST_SEED)
    seats = game.check_players(len(players))
    lost, staked = (np.zeros((len(players), matches)) for _ in range(2))
    for number in range(matches):
        seated = [players[(seat + number) % seats] for seat in range(seats)]
        for mover, found in judgements(game, seated, playouts, one_in, seed * MOST_MATCHES + number, games):
            lost[players.index(mover), number] += found.loss
            staked[players.index(mover), number] += found.stake
    return {each.name: rate(lost[i], staked[i]) for i, each in enumerate(players)}


def main(
    name: Annotated[str, typer.Argument(metavar="GAME")],
    names: Annotated[list[str], typer.Argument(metavar="PLAYER…")],
    matches: int = 20,
    playouts: int = 32,
    one_in: int = 1,
    seed: int = 1,
    games: int | None = None,
) -> None:
    """Tells the error rate of every player in a game, in per cent; one player sits at each seat."""
    try:
        found = error_rates(game_of(name), list(map(player, names)), matches, playouts, one_in, seed, games)
    except TeerlingError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None
    for each, (share, (low, high)) in found.items():
        print(f"{each:20} {100 * share:6.1f} ({100 * low:.1f} to {100 * high:.1f})")


if __name__ == "__main__":
    typer.run(main)
