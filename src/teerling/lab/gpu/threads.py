"""What one thread of a card does, by kernel: it takes a row into memory of its own, plays, and puts it back.

Records in a thread's own memory are four to five times as fast as in memory that all threads share. A thread
does with one row what a core does with many, so that there is nothing to write twice.
"""

# mypy: disable-error-code="no-untyped-def"
# Threads are compiled, and numba-cuda has no types to check them by.

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from ...engine.compile import bind
from .shape import BATCH, BY_WORD, VALUE, Shape

cuda: Any = import_module("numba.cuda")
from_dtype: Any = import_module("numba").from_dtype
types: Any = import_module("numba.core.types")
int8, int16, int32, int64 = types.int8, types.int16, types.int32, types.int64
float32, float64 = types.float32, types.float64

ALIGNED = 16
"""Records begin at a multiple of so many bytes there; otherwise their words could not be read."""

Kernel = tuple[Callable[..., None], Sequence[Any]]
"""What a thread does, and of which types its arguments are."""


def records(dtype: Any, dimensions: int = 1) -> Any:
    """The type of an array of records, one after another."""
    return types.Array(from_dtype(dtype), dimensions, "C")


def playouts(of: Shape) -> Kernel:
    """A random game from a start, for each length that is wanted."""
    play = bind(of.rules, BY_WORD, "cuda").playouts
    state, room = from_dtype(of.state), from_dtype(of.random_room)

    def thread(start, seed, first, scores, ranks, lengths):
        i = cuda.grid(1)
        if i < len(lengths):
            work, scratch = cuda.local.array(1, state, ALIGNED), cuda.local.array(1, room, ALIGNED)
            play(
                start, work, scratch, seed, first + i,
                scores[i : i + 1], ranks[i : i + 1], lengths[i : i + 1],
            )  # fmt: skip

    return thread, [records(of.state), int64, int64, int16[:, ::1], int8[:, ::1], int32[::1]]


def play(of: Shape) -> Kernel:
    """So many random decisions in a row of a batch whose seats are all of whoever calls."""
    play_all = bind(of.rules, BY_WORD, "cuda").play_all
    state, row, room = from_dtype(of.state), from_dtype(of.row), from_dtype(of.random_room)

    def thread(states, rows, start, settings, scores, ranks, rewards, decisions):
        i = cuda.grid(1)
        if i < len(states):
            work, mine = cuda.local.array(1, state, ALIGNED), cuda.local.array(1, row, ALIGNED)
            scratch = cuda.local.array(1, room, ALIGNED)
            work[0], mine[0] = states[i], rows[i]
            play_all(
                work, mine, start, settings, scratch,
                scores[i : i + 1], ranks[i : i + 1], rewards[i : i + 1], decisions,
            )  # fmt: skip
            states[i], rows[i] = work[0], mine[0]

    return thread, [
        records(of.state), records(of.row), records(of.state), records(of.settings),
        int16[:, ::1], int8[:, ::1], float32[:, ::1], int64,
    ]  # fmt: skip


def play_seated(of: Shape) -> Kernel:
    """So many random decisions of whoever calls in a row of a batch in which others play, too."""
    play_all = bind(of.rules, BATCH, "cuda").play_all
    state, row, room = from_dtype(of.state), from_dtype(of.row), from_dtype(of.room)

    def thread(states, rows, start, seating, settings, ends, scores, ranks, rewards, decisions):
        i = cuda.grid(1)
        if i < len(states):
            work, mine = cuda.local.array(1, state, ALIGNED), cuda.local.array(1, row, ALIGNED)
            scratch = cuda.local.array(1, room, ALIGNED)
            sitting = i % len(seating)
            work[0], mine[0] = states[i], rows[i]
            play_all(
                work, mine, start, seating[sitting : sitting + 1], settings, scratch, ends[i : i + 1],
                scores[i : i + 1], ranks[i : i + 1], rewards[i : i + 1], decisions,
            )  # fmt: skip
            states[i], rows[i] = work[0], mine[0]

    return thread, [
        records(of.state), records(of.row), records(of.state), records(of.seat, 2), records(of.settings),
        records(of.state), int16[:, ::1], int8[:, ::1], float32[:, ::1], int64,
    ]  # fmt: skip


def step(of: Shape) -> Kernel:
    """A move in a row of a batch, or its beginning, and on to the next decision of whoever calls."""
    step_all = bind(of.rules, BATCH, "cuda").step_all
    state, row, room = from_dtype(of.state), from_dtype(of.row), from_dtype(of.room)

    def thread(states, rows, start, seating, settings, ends, scores, ranks, rewards, masks, moves):
        i = cuda.grid(1)
        if i < len(states):
            work, mine = cuda.local.array(1, state, ALIGNED), cuda.local.array(1, row, ALIGNED)
            scratch = cuda.local.array(1, room, ALIGNED)
            sitting = i % len(seating)
            work[0], mine[0] = states[i], rows[i]
            step_all(
                work, mine, start, seating[sitting : sitting + 1], settings, scratch, ends[i : i + 1],
                scores[i : i + 1], ranks[i : i + 1], rewards[i : i + 1], masks[i : i + 1], moves[i : i + 1],
            )  # fmt: skip
            states[i], rows[i] = work[0], mine[0]

    return thread, [
        records(of.state), records(of.row), records(of.state), records(of.seat, 2), records(of.settings),
        records(of.state), int16[:, ::1], int8[:, ::1], float32[:, ::1], int8[:, ::1], int64[::1],
    ]  # fmt: skip


def legal(of: Shape) -> Kernel:
    """What may be done in a row of a batch."""
    legal_all = bind(of.rules, BATCH, "cuda").legal_all
    state = from_dtype(of.state)

    def thread(states, masks):
        i = cuda.grid(1)
        if i < len(states):
            mine = cuda.local.array(1, state, ALIGNED)
            mine[0] = states[i]
            legal_all(mine, masks[i : i + 1])

    return thread, [records(of.state), int8[:, ::1]]


def choose(of: Shape) -> Kernel:
    """A legal move for a row of a batch."""
    choose_all = bind(of.rules, BATCH, "cuda").choose_all

    def thread(rows, masks, moves):
        i = cuda.grid(1)
        if i < len(moves):
            choose_all(rows[i : i + 1], masks[i : i + 1], moves[i : i + 1])

    return thread, [records(of.row), int8[:, ::1], int64[::1]]


def observe(of: Shape) -> Kernel:
    """What the seat to decide knows in a row of a batch."""
    observe_all = bind(of.rules, BATCH, "cuda").observe_all
    state = from_dtype(of.state)

    def thread(states, observations):
        i = cuda.grid(1)
        if i < len(states):
            work, mine = cuda.local.array(1, state, ALIGNED), cuda.local.array(1, state, ALIGNED)
            mine[0] = states[i]
            observe_all(mine, work, observations[i : i + 1])

    return thread, [records(of.state), float32[:, ::1]]


def values(of: Shape) -> Kernel:
    """The games of a task, played on by the policy (`kernels/value.py`); each task has a row to itself."""
    add_shares = bind(of.rules, VALUE, "cuda").add_shares
    state, room = from_dtype(of.state), from_dtype(of.room)

    def thread(states, tasks, settings, shares):
        i = cuda.grid(1)
        if i < len(tasks):
            work, scratch = cuda.local.array(1, state, ALIGNED), cuda.local.array(1, room, ALIGNED)
            add_shares(states, tasks[i : i + 1], settings, work, scratch, shares)

    return thread, [records(of.state), records(of.task), records(of.value_settings), float64[:, ::1]]
