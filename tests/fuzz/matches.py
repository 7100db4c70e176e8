"""Real matches to be spoiled: of every game, begun, over, sealed, by hand, placed, taken back, branched."""

import functools
import itertools
import random
from collections.abc import Iterator
from typing import Any

import teerling
from teerling.game import game_ids
from tests.variants import VARIANTS, play


@functools.cache
def texts() -> list[str]:
    """Match files, the short ones first."""
    return sorted((text for game in game_ids() for text in _texts_of(game)), key=len)


def _texts_of(game: str) -> Iterator[str]:
    *_, over = play(teerling.new(game, seed="fuzz", names=["Anne", "Zoë 🎲"]), 1)
    yield over.save()
    yield over.save(seed=False)
    yield over.branched(9, "k3j5h2mw").save()
    begun = over.upto(len(over.history) // 4)
    yield begun.save()
    yield begun.save(seat=0)
    yield teerling.at(game, begun.position(), seed=3).save()
    yield teerling.at(game, over.position(), seed=3).save()
    yield teerling.new(game, chance="manual").save()
    undecided = teerling.new(game, seed=5)
    for _ in range(6):
        undecided.push(undecided.legal_moves[0])
    undecided.take_back(2)
    undecided.push(undecided.legal_moves[-1])
    yield undecided.save()


@functools.cache
def positions() -> list[tuple[str, Any]]:
    """Positions of every variant, with the id of the game: a few moments of a match, and how it ended."""
    found = []
    for number, variant in enumerate(VARIANTS):
        *moments, over = (match.position() for match in play(variant.new(number), number))
        found += [
            (variant.game, each) for each in itertools.chain(random.Random(number).sample(moments, 3), [over])
        ]
    return found
