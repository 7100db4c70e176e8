"""Random matches with bounds checks on and pieces counted after every step.

`make million` plays a million of every game at every number of players; the tests play a few.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import teerling
from teerling.engine.compile import bind
from teerling.engine.record import scratch
from tests.variants import Variant

CHUNK = 10_000


def unsound_game(variant: Variant, games: int, first: int = 0) -> int:
    """The number of a random game whose pieces do not add up, or -1."""
    rules = teerling.game(variant.game).rules
    kernel = bind(rules.__name__, "teerling.engine.kernels.check", "checked")
    start = variant.start().to_array()
    room = np.zeros(1, scratch(rules.DECISIONS, rules.OUTCOMES))
    return int(kernel.first_unsound(start, start.copy(), room, 1, first, games))


def a_million_each(games: int) -> Iterator[str]:
    for game in teerling.list_games():
        for players in game.players:
            variant = Variant(game.id, players)
            unsound_game(variant, 1)
            with ThreadPoolExecutor(2) as pool:
                firsts = range(0, games, CHUNK)
                found = pool.map(
                    lambda first, v=variant: unsound_game(v, min(CHUNK, games - first), first), firsts
                )  # type: ignore[misc]
                broken = [game for game in found if game >= 0]
            yield f"{variant}: {games} games, {'all sound' if not broken else f'broken: {broken}'}"


if __name__ == "__main__":
    for line in a_million_each(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000):
        print(line, flush=True)
