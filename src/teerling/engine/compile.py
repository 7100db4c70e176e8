"""Executes the rules of a game, and kernels bound to them, a second time under a compiler.

Closures over compiled functions are never found in Numba's disk cache again, and two games with
equal record types would get each other's code from it. So a kernel's module is executed once per
game, with the game's rules as its globals, and what is compiled goes to a cache folder whose name
holds the game and a digest of all sources that take part. Rules have a folder apart from those of
the kernels that call them, so that every kernel finds them there.
"""

import ast
import builtins
import hashlib
import importlib.util
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import RLock
from types import ModuleType, SimpleNamespace
from typing import Any

from .rule import compiling_with, modules_with_rules

CONTRACT = "teerling.engine.contract"
POLICY = "teerling.engine.policy"
EVALUATION = "teerling.engine.evaluation"
OBSERVATION = "teerling.engine.observation"
TARGETS = ("cpu", "checked", "cuda")
"""Numba on the CPU, the same with its bounds checks on, and CUDA."""
ATTEMPTS = 5
"""How often a source is parsed that another thread's parsing made fail."""
KERNEL, CALLED = "kernel", "called"
"""Modules whose functions Python calls, and those whose functions are called by compiled ones only."""

# Numba's coloured errors replace `sys.stdout` for a moment, at every type it tries; we compile in threads.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

_bound: dict[tuple[str, str], "Bound"] = {}
_lock = RLock()


def bind(rules: str, kernel: str, target: str = "cpu") -> Any:
    """The functions of a kernel's module, compiled for the game with these rules (names of modules)."""
    with _lock:
        if (rules, target) not in _bound:
            _bound[rules, target] = Bound(rules, target)
        return _bound[rules, target].kernel(kernel)


def direct(function: Any, *arguments: Any) -> Callable[..., Any]:
    """A compiled function for arguments of just these kinds.

    It does not look at their kinds, which for a dozen records takes longer than a move: whoever calls it
    gives arrays of the same types and layouts every time.
    """
    numba: Any = import_module("numba")
    kinds = tuple(numba.typeof(argument) for argument in arguments)
    function.compile(kinds)
    found: Callable[..., Any] = function.overloads[kinds].entry_point
    return found


def forget(rules: str, target: str) -> None:
    """Has everything compiled anew the next time it is needed."""
    with _lock:
        _bound.pop((rules, target), None)


class Bound:
    """The rules of one game under one compiler, and the kernels bound to them."""

    def __init__(self, rules: str, target: str) -> None:
        if target not in TARGETS:
            raise ValueError(f"unknown target {target!r}; there are {', '.join(TARGETS)}")
        self.rules = rules
        self.target = target
        self._kernels: dict[str, SimpleNamespace] = {}
        self._called: dict[str, ModuleType] = {}

    def kernel(self, name: str) -> SimpleNamespace:
        """What a module defines, compiled; without what it imports, which Python may not call."""
        if name not in self._kernels:
            twin = self._execute(name, KERNEL)
            own = {key: value for key, value in vars(twin).items() if is_defined_in(twin, value)}
            self._kernels[name] = SimpleNamespace(**own)
        return self._kernels[name]

    def called(self, name: str) -> ModuleType:
        """The twin of a module that a kernel imports from."""
        if name not in self._called:
            self._called[name] = self._execute(name, CALLED)
        return self._called[name]

    def _execute(self, name: str, kind: str) -> ModuleType:
        """The twin of a module: the same source, its rules compiled."""
        original = _imported(name)
        path = _source(original)
        twin = ModuleType(f"teerling_{self.target}_{kind}.{self.rules}.{name}", original.__doc__)
        twin.__file__ = str(path)
        twin.__package__ = original.__package__

        def import_twin(
            wanted: str, globals: Any = None, locals: Any = None, names: Any = (), level: int = 0
        ) -> ModuleType:
            absolute = bound_name(_absolute(wanted, level, original.__package__), self.rules)
            if names and _imported(absolute).__name__ in modules_with_rules:
                return self.called(absolute)
            return builtins.__import__(wanted, globals, locals, names, level)

        twin.__dict__["__builtins__"] = {**vars(builtins), "__import__": import_twin}
        sys.modules[twin.__name__] = twin
        folder = cache_folder(self.rules, name, self.target, kind)
        compiler = _compiler(self.target, kind, keep=folder is not None)
        with _numba_cache(folder), compiling_with(compiler):
            exec(compile(path.read_bytes(), str(path), "exec"), twin.__dict__)
        return twin


def is_defined_in(module: ModuleType, value: Any) -> bool:
    """Whether it is a function of this module, not one that it imports."""
    return callable(value) and getattr(value, "__module__", None) == module.__name__


def bound_name(name: str, rules: str) -> str:
    """The module that stands for this one in a kernel that is bound to a game."""
    if name == CONTRACT:
        return rules
    if name in (POLICY, EVALUATION, OBSERVATION):
        own = f"{rules.rpartition('.')[0]}.{name.rpartition('.')[2]}"
        return own if "." in rules and importlib.util.find_spec(own) else name
    return name


def _compiler(target: str, kind: str, keep: bool) -> Callable[[Any], Any]:
    """What compiles a rule; what is called by others only needs no wrappers, a third of the work."""
    numba: Any = import_module("numba")
    if target == "cuda":
        cuda: Any = import_module("numba.cuda")
        found: Callable[[Any], Any] = cuda.jit(device=True)
    else:
        found = numba.njit(
            cache=keep, nogil=True, boundscheck=target == "checked",
            no_cpython_wrapper=kind == CALLED, no_cfunc_wrapper=kind == CALLED,
        )  # fmt: skip
    return found


@contextmanager
def _numba_cache(folder: Path | None) -> Iterator[None]:
    """Numba reads the folder of its cache while it decorates."""
    config: Any = import_module("numba").config
    before = config.CACHE_DIR
    if folder is not None:
        config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def cache_folder(rules: str, name: str, target: str, kind: str) -> Path | None:
    """Where the compiled code of a game's module is kept; None where nothing can be written.

    A function that Python calls is other code than the same function called by others only.
    """
    folder = cache_root() / "compiled" / f"{label(rules)}-{target}-{kind}-{digest(rules, name)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def is_kept(rules: str, kernel: str) -> bool | None:
    """Whether a kernel bound to these rules was compiled before; None where nothing can be kept."""
    folder = cache_folder(rules, kernel, "cpu", KERNEL)
    return None if folder is None else any(folder.rglob("*.nbi"))


def cache_root() -> Path:
    """Where everything that is compiled is kept."""
    from platformdirs import user_cache_path

    return Path(os.environ.get("TEERLING_CACHE") or user_cache_path("teerling", appauthor=False))


def label(rules: str) -> str:
    """A short name for a game, by the module of its rules."""
    return rules.removesuffix(".rules").rpartition(".")[2]


def digest(rules: str, name: str) -> str:
    """A short fingerprint of every source that takes part, and of the compiler."""
    numba: Any = import_module("numba")
    return fingerprint(rules, name, f"{platform.python_version()} {numba.__version__}")


def fingerprint(rules: str, name: str, besides: str) -> str:
    """A short fingerprint of every source that takes part, and of what else counts."""
    found = hashlib.sha256(besides.encode())
    for each in sorted(_sources(rules, name)):
        found.update(each.encode() + b"\0")
        found.update(_source(_imported(each)).read_bytes())
    return found.hexdigest()[:16]


def _sources(rules: str, name: str) -> set[str]:
    """Both modules and all that they import, as far as those are rules or of the same package."""
    seen: set[str] = set()
    waiting = {rules, name}
    while waiting:
        each = waiting.pop()
        seen.add(each)
        for imported in _imports(each):
            wanted = bound_name(imported, rules)
            if wanted.partition(".")[0] == each.partition(".")[0] or wanted in modules_with_rules:
                waiting |= {wanted} - seen
    return seen


@cache
def _imports(name: str) -> tuple[str, ...]:
    """The modules from which a module imports names."""
    module = _imported(name)
    tree = _parsed(_source(module).read_bytes())
    return tuple(
        _absolute(node.module or "", node.level, module.__package__)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    )


def _imported(name: str) -> ModuleType:
    """A module as everybody imports it: what is first imported while something else compiles, does not."""
    with compiling_with(None):
        return import_module(name)


def _parsed(source: bytes) -> ast.Module:
    """The syntax tree of a source; Python 3.11 fails at times if another thread parses at the same moment."""
    for _ in range(ATTEMPTS):
        try:
            return ast.parse(source)
        except SystemError:
            continue
    return ast.parse(source)


def _absolute(name: str, level: int, package: str | None) -> str:
    return importlib.util.resolve_name("." * level + name, package) if level else name


def _source(module: ModuleType) -> Path:
    if module.__file__ is None:
        raise ImportError(f"the source of {module.__name__} is needed to compile it, and is not there")
    return Path(module.__file__)
