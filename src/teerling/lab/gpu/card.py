"""Runs kernels on a card, by CuPy; no compiler is needed where they have been compiled elsewhere."""

import re
from functools import cache
from importlib import import_module
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Phrase, TeerlingError
from .compile import kept
from .shape import Shape

BLOCK = 128
"""Threads that begin together."""
NOTHING = np.uint64(0)


class NoCard(TeerlingError):
    """There is no card, no driver, or nothing to speak to it with."""


@cache
def cupy() -> Any:
    """CuPy, if it is installed and finds a card."""
    try:
        found: Any = import_module("cupy")
    except ImportError as error:
        raise NoCard(
            Phrase(
                "a GPU needs CuPy, which is not there ({error}); pip install 'teerling[gpu]'",
                error=str(error),
            )
        ) from None
    try:
        count = found.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise NoCard(Phrase("CuPy finds no GPU with a driver here: {error}", error=str(error))) from None
    if count == 0:
        raise NoCard(Phrase("CuPy finds no GPU here"))
    return found


@cache
def loaded(of: Shape, kernel: str) -> Any:
    """A kernel on the card."""
    path = kept(of, kernel)
    name = re.findall(r"\.entry (\w+)", path.read_text())[0]
    return cupy().RawModule(path=str(path)).get_function(name)


def run(of: Shape, kernel: str, threads: int, *arguments: Any) -> None:
    """Runs so many threads of a kernel; arguments are arrays on the card and whole numbers."""
    told = [part for argument in arguments for part in passed(argument)]
    loaded(of, kernel)((-(-threads // BLOCK),), (BLOCK,), tuple(told))


def passed(argument: Any) -> list[Any]:
    """How compiled code is passed an argument: of an array its size, address, shape and strides."""
    if isinstance(argument, int):
        return [np.int64(argument)]
    item, shape = argument.itemsize, argument.shape
    strides = [item * prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return [
        NOTHING, NOTHING, np.int64(prod(shape)), np.int64(item),
        np.uint64(argument.address), *map(np.int64, shape), *map(np.int64, strides),
    ]  # fmt: skip


class Array:
    """An array on the card: of numbers, as CuPy knows them, or of records, which it knows as bytes."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self.shape = shape
        self.itemsize = self.dtype.itemsize
        plain = self.dtype.names is None
        self.there = (
            cupy().zeros(shape, self.dtype) if plain else cupy().zeros((*shape, self.itemsize), np.uint8)
        )

    @classmethod
    def of(cls, array: NDArray[Any]) -> "Array":
        """A copy of an array, on the card."""
        found = cls(array.shape, array.dtype)
        found.put(array)
        return found

    @property
    def address(self) -> int:
        return int(self.there.data.ptr)

    def put(self, array: NDArray[Any]) -> None:
        """Writes an array of the same shape and type over this one."""
        plain = np.ascontiguousarray(array)
        if self.dtype.names is not None:
            plain = plain.view(np.uint8).reshape(self.there.shape)
        self.there.set(plain)

    def get(self) -> NDArray[Any]:
        """A copy that is not on the card."""
        found: NDArray[Any] = self.there.get()
        return found if self.dtype.names is None else found.view(self.dtype).reshape(self.shape)

    def get_row(self, row: int) -> NDArray[Any]:
        """A copy of one record."""
        found: NDArray[Any] = self.there[row].get().view(self.dtype)
        return found

    def field(self, name: str) -> Any:
        """One field of all records as CuPy's array, without a copy."""
        dtype, offset = self.dtype.fields[name][:2]
        base, shape = dtype.subdtype or (dtype, ())
        inner = np.zeros(shape, base).strides
        memory = cupy().cuda.MemoryPointer(self.there.data.mem, self.there.data.ptr - self.there.data.mem.ptr)
        return cupy().ndarray(
            (*self.shape, *shape), base, memptr=memory + offset, strides=(self.itemsize, *inner)
        )
