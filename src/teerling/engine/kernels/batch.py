"""Many games side by side, each in a row: whoever calls decides, nature and others go on by themselves.

Everything a row needs is in records that are passed in, so that a thread can keep them where it likes.
"""

from typing import Any

from ..cells import clear
from ..contract import apply, legal, observe, results
from ..observation import encode
from ..policy import advise
from ..random import below, normal, start_stream
from ..record import CHANCE, OVER, Cells, Fields, GameState, Numbers
from ..rule import rule
from .playout import random_decision, random_outcome
from .steer import best_of, gather

CALLER, RANDOM, ADVISED = range(3)
"""Who sits on a seat: whoever calls, somebody who does anything, or somebody who follows the policy."""
CHOOSERS = 1 << 62
"""The streams from here on are for who decides, those below for nature."""
BEGIN = -1
"""In place of a move: the row begins anew."""
NO_ROW = -1
ILLEGAL, GOES_ON, ENDED = range(3)
"""What comes of a decision at a desk: a record of all that a game needs, as arguments of calls cost time."""

ROW: Fields = [
    ("number", "i8"), ("nature", "u8", 1), ("chooser", "u8", 1), ("steps", "i8"), ("ended", "i4"),
]  # fmt: skip
"""The number of the row's game, its random numbers, how many decisions and chance events all its games had
so far, and how many games ended in the last step."""
SEAT: Fields = [("kind", "i8"), ("error", "f8")]
"""Who sits there, and by how many points they misjudge a move."""


def settings_fields(values: int) -> Fields:
    """Fields of the settings: the seed, how far apart the numbers of a row's games are, whether another game
    follows one that is over, what is rewarded, the policy's values.
    """
    return [("seed", "i8"), ("stride", "i8"), ("goes_on", "?"), ("by_rank", "?"), ("values", "f8", values)]


@rule
def start_streams(row: Any, seed: int, number: int) -> None:
    """Begins the random numbers of the game with this number."""
    row.number = number
    start_stream(row.nature, seed, number)
    start_stream(row.chooser, seed, number + CHOOSERS)


@rule
def begin(states: Any, i: int, start: Any, row: Any, seed: int, number: int) -> None:
    """Lays out the game with this number in a row."""
    states[i] = start[0]
    start_streams(row, seed, number)


@rule
def misjudged_decision(s: GameState, values: Numbers, error: float, room: Any, rng: Cells) -> int:
    """The move that seems worth most to somebody who misjudges each by about so many points."""
    moves, worth = room.moves, room.worth
    clear(room.mask)
    legal(s, room.mask)
    count = gather(room.mask, moves)
    if count == 1:
        return int(moves[0])
    advise(s, values, room.mask, worth, room.notes)
    if error > 0.0:
        for i in range(count):
            worth[moves[i]] += error * normal(rng)
    return int(best_of(moves, count, worth))


@rule
def add_rewards(s: GameState, scores: Cells, ranks: Cells, by_rank: bool, rewards: Numbers) -> None:
    """What every seat gets when a game is over: its share of the win, or the share of others it is ahead of.

    Being level with somebody is being ahead by half.
    """
    results(s, scores, ranks)
    winners = 0
    for p in range(s.players):
        winners += ranks[p] == 1
    for p in range(s.players):
        if by_rank:
            for q in range(s.players):
                if q != p and ranks[p] <= ranks[q]:
                    rewards[p] += (1.0 if ranks[p] < ranks[q] else 0.5) / (s.players - 1)
        elif ranks[p] == 1:
            rewards[p] += 1.0 / winners


@rule
def play_to_caller(s: GameState, row: Any, seats: Any, settings: Any, room: Any) -> None:
    """Plays on until whoever calls has to decide, or the game is over."""
    while s.turn != OVER:
        if s.turn == CHANCE:
            move = random_outcome(s, room.weights, row.nature)
        elif seats[s.turn].kind == RANDOM:
            move = random_decision(s, room.mask, row.chooser)
        elif seats[s.turn].kind == ADVISED:
            move = misjudged_decision(s, settings.values, seats[s.turn].error, room, row.chooser)
        else:
            break
        apply(s, move)
        row.steps += 1


@rule
def go_on(
    states: Any, i: int, start: Any, row: Any, seats: Any, settings: Any, room: Any,
    ends: Any, scores: Cells, ranks: Cells, rewards: Numbers,
) -> None:  # fmt: skip
    """Plays on until whoever calls has to decide; a game that is over may be followed by another."""
    s = states[i]
    while True:
        play_to_caller(s, row, seats, settings, room)
        if s.turn != OVER:
            break
        add_rewards(s, scores, ranks, settings.by_rank, rewards)
        row.ended += 1
        if len(ends) > 0:
            ends[i] = states[i]
        if not settings.goes_on:
            break
        begin(states, i, start, row, settings.seed, row.number + settings.stride)


@rule
def allow(s: GameState, mask: Cells) -> None:
    """What may be done; when the game is over, nothing."""
    clear(mask)
    if s.turn != OVER:
        legal(s, mask)


@rule
def first_illegal(moves: Cells, masks: Any) -> int:
    """The first row whose move is not legal there, or none."""
    for i in range(len(moves)):
        if moves[i] < 0 or moves[i] >= masks.shape[1] or masks[i, moves[i]] == 0:
            return i
    return NO_ROW


@rule
def nothing_yet(row: Any, rewards: Numbers) -> None:
    """No game has ended, nothing was brought."""
    row.ended = 0
    for p in range(len(rewards)):
        rewards[p] = 0.0


@rule
def step_all(
    states: Any, rows: Any, start: Any, seating: Any, settings: Any, room: Any,
    ends: Any, scores: Any, ranks: Any, rewards: Any, masks: Any, moves: Cells,
) -> None:  # fmt: skip
    """Makes a move in every row, or begins there, and plays on to the next decision of whoever calls.

    All moves are legal. What a row begins with is the game whose number stands there.
    """
    for i in range(len(states)):
        nothing_yet(rows[i], rewards[i])
        if moves[i] == BEGIN:
            rows[i].steps = 0
            begin(states, i, start, rows[i], settings[0].seed, rows[i].number)
        else:
            apply(states[i], moves[i])
            rows[i].steps += 1
        go_on(
            states, i, start, rows[i], seating[i], settings[0], room[0],
            ends, scores[i], ranks[i], rewards[i],
        )  # fmt: skip
        allow(states[i], masks[i])


@rule
def play_all(
    states: Any, rows: Any, start: Any, seating: Any, settings: Any, room: Any,
    ends: Any, scores: Any, ranks: Any, rewards: Any, decisions: int,
) -> None:  # fmt: skip
    """Makes so many random decisions of whoever calls in every row; what games brought is added up."""
    for i in range(len(states)):
        s = states[i]
        nothing_yet(rows[i], rewards[i])
        for _ in range(decisions):
            apply(s, random_decision(s, room[0].mask, rows[i].chooser))
            rows[i].steps += 1
            go_on(
                states, i, start, rows[i], seating[i], settings[0], room[0],
                ends, scores[i], ranks[i], rewards[i],
            )  # fmt: skip


@rule
def legal_all(states: Any, masks: Any) -> None:
    """What may be done, in every row."""
    for i in range(len(states)):
        allow(states[i], masks[i])


@rule
def choose_all(rows: Any, masks: Any, moves: Cells) -> None:
    """A legal move for every row, each equally likely."""
    for i in range(len(moves)):
        count = 0
        for move in range(masks.shape[1]):
            count += masks[i, move]
        left = below(rows[i].chooser, count)
        move = 0
        while left > 0 or masks[i, move] == 0:
            left -= masks[i, move]
            move += 1
        moves[i] = move


@rule
def observe_all(states: Any, work: Any, observations: Any) -> None:
    """What the seat to decide knows, in every row."""
    s = work[0]
    for i in range(len(states)):
        work[0] = states[i]
        observe(s, states[i].turn)
        encode(s, states[i].turn, observations[i])


@rule
def observe_as(states: Any, work: Any, seats: Cells, observations: Any) -> None:
    """What a seat knows, in every row another one."""
    s = work[0]
    for i in range(len(states)):
        work[0] = states[i]
        observe(s, seats[i])
        encode(s, seats[i], observations[i])


@rule
def tell(here: Any, seat: int, mask: Cells, observation: Any) -> None:
    """Tells whoever calls what may be done, which is noted at the desk, too, and what a seat knows."""
    allow(here.state, here.room.mask)
    for move in range(len(mask)):
        here.mask[move] = here.room.mask[move]
        mask[move] = here.room.mask[move]
    here.work = here.state
    observe(here.work, seat)
    encode(here.work, seat, observation)


@rule
def sit_down(desk: Any, start: Any, seed: int, seat: int, mask: Cells, observation: Any) -> None:
    """Begins the first game of a seed in which whoever calls has something to decide."""
    here = desk[0]
    here.row.steps = 0
    for p in range(len(here.rewards)):
        here.rewards[p] = 0.0
    number = 0
    while True:
        here.state = start[0]
        start_streams(here.row, seed, number)
        play_to_caller(here.state, here.row, here.seats, here.settings, here.room)
        if here.state.turn != OVER:
            break
        number += 1
    tell(here, seat, mask, observation)


@rule
def decide(desk: Any, move: int, seat: int, mask: Cells, observation: Any) -> int:
    """Makes a decision, if it is legal, and plays on to the next one of whoever calls or to the end."""
    here = desk[0]
    s = here.state
    if move < 0 or move >= len(here.mask) or here.mask[move] == 0:
        return ILLEGAL
    apply(s, move)
    here.row.steps += 1
    play_to_caller(s, here.row, here.seats, here.settings, here.room)
    if s.turn == OVER:
        add_rewards(s, here.scores, here.ranks, here.settings.by_rank, here.rewards)
    tell(here, seat, mask, observation)
    return ENDED if s.turn == OVER else GOES_ON
