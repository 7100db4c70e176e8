"""Compiles kernels to PTX, on any machine, and keeps them: cards run them without a compiler."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ...engine import compile as engine
from ...errors import Phrase, TeerlingError
from .loops import counted_at_once, for_size, never_unrolled
from .shape import BATCH, BY_WORD, VALUE, Shape

KERNELS = {
    "playouts": BY_WORD,
    "play": BY_WORD,
    "play_seated": BATCH,
    "step": BATCH,
    "legal": BATCH,
    "choose": BATCH,
    "observe": BATCH,
    "values": VALUE,
}
"""What a card can do, and the module whose rules that needs."""
OLDEST = (7, 5)
"""The least compute capability; newer cards translate it when it is loaded."""
REGISTERS = 96
"""So many a thread may use: with more, fewer threads run at once; with fewer they wait for memory."""
FEWER_REGISTERS = {"dicerun": 56, "priests": 56}
"""So many in random play of these games, as measured: more threads at once are worth more there."""
LONGEST = 10_000
"""Code of more lines is compiled for size: it would not fit where a card keeps what it is executing."""
LONGEST_RANDOM_PLAY = 3_500
"""Random play is always compiled for size; in code of more lines than this no loop is unrolled at all."""
FORMAT = 2
"""Counts on when what is kept is to be made anew."""
ANY_LENGTH = 1_000_000_000
Treatment = tuple[tuple[Callable[[bytes], bytes], ...], int]
RANDOM_PLAY: list[Treatment] = [
    ((counted_at_once, for_size), LONGEST_RANDOM_PLAY),
    ((counted_at_once, never_unrolled), ANY_LENGTH),
]
THE_REST: list[Treatment] = [((), LONGEST), ((for_size,), ANY_LENGTH)]
"""How code is compiled, and up to how many lines that is good enough."""


def kept(of: Shape, kernel: str) -> Path:
    """The file with the code of a kernel; if there is none for these very sources, it is compiled now."""
    path = kept_at(of, kernel)
    if not path.exists():
        code = compiled(of, kernel)
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_suffix(f".{os.getpid()}")
        written.write_text(code)
        written.replace(path)
    return path


def kept_at(of: Shape, kernel: str) -> Path:
    """Where a kernel is kept. The name holds a digest of all its sources: what does not fit is not found."""
    here = Path(__file__).parent
    besides = [f"{FORMAT} {kernel} {of} {OLDEST} {registers(of, kernel)} {LONGEST} {LONGEST_RANDOM_PLAY}"]
    besides += [(here / name).read_text() for name in ("threads.py", "shape.py", "loops.py")]
    fingerprint = engine.fingerprint(of.rules, KERNELS[kernel], "\0".join(besides))
    return engine.cache_root() / "gpu" / f"{engine.label(of.rules)}-{kernel}-{fingerprint}.ptx"


def registers(of: Shape, kernel: str) -> int:
    """How many registers a thread may use."""
    return FEWER_REGISTERS.get(engine.label(of.rules), REGISTERS) if plays_at_random(kernel) else REGISTERS


def plays_at_random(kernel: str) -> bool:
    """Whether all its decisions are random."""
    return kernel in ("playouts", "play")


def compiled(of: Shape, kernel: str) -> str:
    """The code of a kernel."""
    try:
        import_module("numba_cuda")  # Numba has a `numba.cuda` of its own, which is older and knows less
        with without_a_card():
            for changes, longest in RANDOM_PLAY if plays_at_random(kernel) else THE_REST:
                engine.forget(of.rules, "cuda")
                with treated(*changes):
                    code = _compiled(of, kernel)
                if len(code.splitlines()) <= longest:
                    break
    except (ImportError, AttributeError) as error:  # not there, or there with packages that do not fit it
        raise TeerlingError(
            Phrase(
                "{kernel} of {rules} is not compiled for a card yet, and cannot be: {error}. "
                "pip install 'teerling[gpu]', or bring {folder} from a machine that has it",
                kernel=kernel, rules=of.rules, error=error, folder=kept_at(of, kernel).parent,
            )
        ) from None  # fmt: skip
    most = f".maxnreg {registers(of, kernel)}"
    return re.sub(r"(\.entry [^{]*\))\s*\{", rf"\1\n{most}\n{{", code, count=1)


def _compiled(of: Shape, kernel: str) -> str:
    from . import threads

    numba: Any = import_module("numba")
    cuda: Any = import_module("numba.cuda")
    thread, types = getattr(threads, kernel)(of)
    code: str = cuda.compile_ptx(thread, numba.void(*types), cc=OLDEST, device=False)[0]
    return code


@contextmanager
def without_a_card() -> Iterator[None]:
    """Numba asks the card what it is when it meets a function that others call; here it need not be there."""
    dispatcher: Any = import_module("numba.cuda.dispatcher")
    before = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=OLDEST)
    try:
        yield
    finally:
        dispatcher.get_current_device = before


@contextmanager
def treated(*changes: Callable[[bytes], bytes]) -> Iterator[None]:
    """What numba-cuda hands over to be compiled is changed before; it has no options for that."""
    nvvm: Any = import_module("numba.cuda.cudadrv.nvvm")
    before = nvvm.CompilationUnit.add_module

    def add_module(unit: Any, module: Any) -> None:
        text: bytes = module if isinstance(module, bytes) else module.encode()
        before(unit, reduce(lambda changed, change: change(changed), changes, text))

    nvvm.CompilationUnit.add_module = add_module
    try:
        yield
    finally:
        nvvm.CompilationUnit.add_module = before
