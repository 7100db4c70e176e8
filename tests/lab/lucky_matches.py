"""Random matches with the luck of some of their chance events, compiled for one game at a time."""

from typing import Any

from teerling.engine.cells import clear
from teerling.engine.contract import apply, chance
from teerling.engine.kernels.playout import random_decision, random_outcome
from teerling.engine.kernels.search import judge
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
    desks: Any,
    kinds: Cells,
    one_in: Cells,
    seed: int,
    matches: int,
    peeks: bool,
    counts: Cells,
    sums: Any,
    squares: Any,
    won: Any,
    brought: Any,
) -> None:
    """Adds up the luck of chance events, of one in so many, by their kind and by seat from who decided last.

    Also notes what seat 0 won in every match, and how much of it those events brought. A value that peeks
    knows the number by which nature answers the event, and believes that it comes again.
    """
    s, t, room, desk = line[0], after[0], workspace[0], desks[0]
    for match in range(matches):
        line[0] = start[0]
        start_stream(desk.line, seed, match)
        start_stream(desk.lot, seed + 1, match)
        last = 0
        while s.turn != OVER:
            if s.turn != CHANCE:
                last = s.turn
                apply(s, random_decision(s, room.mask, desk.line))
                continue
            clear(desk.answers)
            chance(s, desk.answers)
            total = 0
            kind = -1
            for outcome in range(len(kinds)):
                total += desk.answers[outcome]
                if kind < 0 and desk.answers[outcome] > 0:
                    kind = kinds[outcome]
            number = desk.line[0]
            came = random_outcome(s, desk.answers, desk.line)
            if below(desk.lot, one_in[kind]) == 0:
                for p in range(s.players):
                    desk.luck[p] = 0.0
                for outcome in range(len(kinds)):
                    weight = desk.answers[outcome]
                    if weight > 0:
                        after[0] = line[0]
                        apply(t, outcome)
                        if peeks and t.turn == CHANCE:
                            desk.seen[0] = number
                            apply(t, random_outcome(t, room.weights, desk.seen))
                        start_stream(room.rng, settings[0].seed, 0)
                        play_on(t, settings[0], room)
                        for p in range(s.players):
                            desk.luck[p] -= weight / total * room.shares[p]
                            if outcome == came:
                                desk.luck[p] += room.shares[p]
                counts[kind] += 1
                brought[match] += desk.luck[0]
                for p in range(s.players):
                    role = (p - last) % s.players
                    sums[kind, role] += desk.luck[p]
                    squares[kind, role] += desk.luck[p] * desk.luck[p]
            apply(s, came)
        judge(s, settings[0].values, settings[0].evaluation_weights, room)
        won[match] = room.shares[0]
