"""Random play that reads masks and weights a word at a time: the very games of `playout`, quicker on a card.

`room` is a record whose `decision_words` and `outcome_words` lie over its `mask` and its `weights`, and those
over each other, as nobody needs both at once. Batches on a core choose by words, too.
"""

from typing import Any

from ..cells import clear
from ..contract import apply, chance, legal, results
from ..random import below, start_stream
from ..record import CHANCE, OVER, Cells, GameState
from ..rule import int64_type, rule, uint64_type
from .batch import add_rewards, begin, nothing_yet

uint64, int64 = uint64_type(), int64_type()
EVERY_BYTE, EVERY_PAIR = uint64(0x0101010101010101), uint64(0x0001000100010001)
"""A word times one of these has the sum of its parts in its highest part."""
WORD = 8
"""How many bytes a word has."""
BYTE, PAIR = uint64(0xFF), uint64(0xFFFF)
HIGHEST_BYTE, HIGHEST_PAIR, NEXT_BYTE, NEXT_PAIR = uint64(56), uint64(48), uint64(8), uint64(16)


@rule
def bytes_of(word: int) -> int:
    """The sum of the eight bytes of a word, all 0 or 1."""
    return int64((word * EVERY_BYTE) >> HIGHEST_BYTE)


@rule
def pairs_of(word: int) -> int:
    """The sum of the four pairs of bytes of a word, which must fit in a pair."""
    return int64((word * EVERY_PAIR) >> HIGHEST_PAIR)


@rule
def any_legal(words: Any, rng: Cells) -> int:
    """One of the decisions that a mask allows, each equally likely."""
    count = 0
    for i in range(len(words)):
        count += bytes_of(words[i])
    left = below(rng, count)
    i, here = 0, bytes_of(words[0])
    while left >= here:
        left -= here
        i += 1
        here = bytes_of(words[i])
    word, move = words[i], WORD * i
    while left >= int64(word & BYTE):
        left -= int64(word & BYTE)
        word = word >> NEXT_BYTE
        move += 1
    return move


@rule
def random_decision(s: GameState, room: Any, rng: Cells) -> int:
    """A legal move, each equally likely."""
    clear(room.decision_words)
    legal(s, room.mask)
    return any_legal(room.decision_words, rng)


@rule
def choose_all(rows: Any, mask_words: Any, moves: Cells) -> None:
    """A legal move for every row, each equally likely: those of `batch.choose_all`."""
    for i in range(len(moves)):
        moves[i] = any_legal(mask_words[i], rows[i].chooser)


@rule
def random_outcome(s: GameState, room: Any, rng: Cells) -> int:
    """An outcome of the chance event, drawn by its weight."""
    words = room.outcome_words
    clear(words)
    chance(s, room.weights)
    total = 0
    for i in range(len(words)):
        total += pairs_of(words[i])
    left = below(rng, total)
    i, here = 0, pairs_of(words[0])
    while left >= here:
        left -= here
        i += 1
        here = pairs_of(words[i])
    word, outcome = words[i], 4 * i
    while left >= int64(word & PAIR):
        left -= int64(word & PAIR)
        word = word >> NEXT_PAIR
        outcome += 1
    return outcome


@rule
def play_out(s: GameState, room: Any, rng: Cells) -> int:
    """Plays to the end at random; the number of decisions and chance events it took."""
    steps = 0
    while s.turn != OVER:
        if s.turn == CHANCE:
            move = random_outcome(s, room, rng)
        else:
            move = random_decision(s, room, rng)
        apply(s, move)
        steps += 1
    return steps


@rule
def playouts(
    start: Any, work: Any, scratch: Any, seed: int, first: int, scores: Any, ranks: Any, lengths: Cells
) -> None:
    """Plays games first, first + 1, … from a start, each with a stream of the seed to itself."""
    room = scratch[0]
    for game in range(len(lengths)):
        work[0] = start[0]
        start_stream(room.rng, seed, first + game)
        lengths[game] = play_out(work[0], room, room.rng)
        results(work[0], scores[game], ranks[game])


@rule
def play_all(
    states: Any, rows: Any, start: Any, settings: Any, scratch: Any,
    scores: Any, ranks: Any, rewards: Any, decisions: int,
) -> None:  # fmt: skip
    """Makes so many random decisions in every row, as `batch.play_all` does if all are of whoever calls."""
    for i in range(len(states)):
        nothing_yet(rows[i], rewards[i])
        play_row(
            states, i, start, rows[i], settings[0], scratch[0], scores[i], ranks[i], rewards[i], decisions
        )


@rule
def play_row(
    states: Any, i: int, start: Any, row: Any, settings: Any, room: Any,
    scores: Cells, ranks: Cells, rewards: Any, decisions: int,
) -> None:  # fmt: skip
    """Plays on in one row; one loop for decisions and chance, as threads of a card wait for each other.

    Both counts go on from one that is read from the row. A count that begins with a number that all threads
    share is kept once for all of them by the assembler of CUDA 13.0, even where only some of them count.
    """
    s, steps = states[i], row.steps
    enough = steps + decisions
    while True:
        if s.turn == OVER:
            add_rewards(s, scores, ranks, settings.by_rank, rewards)
            row.ended += 1
            begin(states, i, start, row, settings.seed, row.number + settings.stride)
            continue
        if s.turn == CHANCE:
            move = random_outcome(s, room, row.nature)
            enough += 1
        elif steps < enough:
            move = random_decision(s, room, row.chooser)
        else:
            break
        apply(s, move)
        steps += 1
    row.steps = steps
