"""What marks a function as a rule and a constant as a table of the rulebook.

At import these do next to nothing: rules are plain Python. `compile` executes the same files again
under a compiler; then `rule` compiles and `table` makes NumPy arrays.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast, overload

import numpy as np

from .record import Cells, Grid

Function = TypeVar("Function", bound=Callable[..., Any])

modules_with_rules: set[str] = set()

Compiler = Callable[[Any], Any]


class _Thread(threading.local):
    """Each thread compiles by itself: others may import rules at the same moment."""

    compiler: Compiler | None = None


_thread = _Thread()


@contextmanager
def compiling_with(compiler: Compiler | None) -> Iterator[None]:
    """While this lasts, modules that this thread executes compile their rules; with None they do not."""
    before, _thread.compiler = _thread.compiler, compiler
    try:
        yield
    finally:
        _thread.compiler = before


def rule(function: Function) -> Function:
    """Marks a function over records that is interpreted, compiled for the CPU and for CUDA alike.

    It may call other rules and read tables; it allocates nothing.
    """
    if _thread.compiler is not None:
        return cast(Function, _thread.compiler(function))
    modules_with_rules.add(function.__module__)
    return function


@overload
def table(values: Sequence[int]) -> Cells: ...
@overload
def table(values: Sequence[Sequence[int]]) -> Grid: ...
def table(values: Any) -> Any:
    """A table of the rulebook, read as `prices[n]` or `stacks[row, column]`."""
    array: Any = np.array(values, np.int64)
    return array if _thread.compiler is not None else memoryview(array)


def uint64_type() -> Callable[[int], int]:
    """What makes an unsigned 64-bit number: int when interpreted, np.uint64 when compiled."""
    return int if _thread.compiler is None else cast(Callable[[int], int], np.uint64)


def int64_type() -> Callable[[int], int]:
    """What makes a signed number again; Numba counts on from an unsigned one in floating point."""
    return int if _thread.compiler is None else cast(Callable[[int], int], np.int64)
