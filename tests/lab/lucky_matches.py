"""Random matches with the luck of some of their chance events, compiled for one game at a time."""

from typing import Any

from teerling.engine.contract import apply, chance
from teerling.engine.kernels.playout import random_decision, random_outcome
from teerling.engine.kernels.value import play_on
from teerling.engine.random import below, start_stream
from teerling.engine.record import CHANCE, OVER, Cells
from teerling.engine.rule import rule


@rule
def lucky_matches(
    start: Any,
    line: Any,
    after: Any,
    settings: Any,
    workspace: Any,
    kinds: Cells,
    one_in: Cells,
    seed: int,
    matches: int,
    peeks: bool,
    counts: Cells,
    sums: Any,
    squares: Any,
) -> None:
    """Adds up the luck of chance events, of one in so many, by their kind and by seat from who decided last.

    A value that peeks knows the number by which nature answers the event, and believes that it comes again.
    """
    s, t, room = line[0], after[0], workspace[0]
    for match in range(matches):
        line[0] = start[0]
        start_stream(room.line, seed, match)
        start_stream(room.lot, seed + 1, match)
        last = 0
        while s.turn != OVER:
            if s.turn != CHANCE:
                last = s.turn
                apply(s, random_decision(s, room.mask, room.line))
                continue
            chance(s, room.answers)
            total = 0
            kind = -1
            for outcome in range(len(kinds)):
                total += room.answers[outcome]
                if kind < 0 and room.answers[outcome] > 0:
                    kind = kinds[outcome]
            number = room.line[0]
            came = random_outcome(s, room.answers, room.line)
            if below(room.lot, one_in[kind]) == 0:
                for p in range(s.players):
                    room.luck[p] = 0.0
                for outcome in range(len(kinds)):
                    weight = room.answers[outcome]
                    if weight > 0:
                        after[0] = line[0]
                        apply(t, outcome)
                        if peeks and t.turn == CHANCE:
                            room.seen[0] = number
                            apply(t, random_outcome(t, room.weights, room.seen))
                        start_stream(room.rng, settings[0].seed, 0)
                        play_on(t, settings[0], room)
                        for p in range(s.players):
                            room.luck[p] -= weight / total * room.shares[p]
                            if outcome == came:
                                room.luck[p] += room.shares[p]
                counts[kind] += 1
                for p in range(s.players):
                    role = (p - last) % s.players
                    sums[kind, role] += room.luck[p]
                    squares[kind, role] += room.luck[p] * room.luck[p]
            apply(s, came)
