"""Executes the rules of a game, and kernels bound to them, a second time under a compiler.

Closures over compiled functions are never found in Numba's disk cache again, and two games with
equal record types would get each other's code from it. So a kernel's module is executed once per
game, with the game's rules as its globals, and every game has a cache folder of its own whose name
holds a digest of all sources that take part.
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
from importlib import import_module
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

from .rule import compiling_with, modules_with_rules

CONTRACT = "teerling.engine.contract"
POLICY = "teerling.engine.policy"
EVALUATION = "teerling.engine.evaluation"
TARGETS = ("cpu", "checked", "cuda")
"""Numba on the CPU, the same with its bounds checks on, and CUDA."""

_bound: dict[tuple[str, str], "Bound"] = {}
_lock = RLock()


def bind(rules: str, kernel: str, target: str = "cpu") -> Any:
    """A kernel's module, compiled for the game with these rules (names of modules)."""
    with _lock:
        if (rules, target) not in _bound:
            _bound[rules, target] = Bound(rules, target)
        return _bound[rules, target].module(kernel)


class Bound:
    """The rules of one game under one compiler, and the kernels bound to them."""

    def __init__(self, rules: str, target: str) -> None:
        if target not in TARGETS:
            raise ValueError(f"unknown target {target!r}; there are {', '.join(TARGETS)}")
        self.rules = rules
        self.target = target
        self._modules: dict[str, ModuleType] = {}

    def module(self, name: str) -> ModuleType:
        """The twin of a module: the same source, its rules compiled."""
        if name not in self._modules:
            folder = cache_folder(self.rules, name, self.target)
            with _numba_cache(folder):
                self._execute(name, _compiler(self.target, cache=folder is not None))
        return self._modules[name]

    def _execute(self, name: str, compiler: Callable[[Any], Any]) -> ModuleType:
        original = import_module(name)
        path = _source(original)
        twin = ModuleType(f"teerling_{self.target}.{self.rules}.{name}", original.__doc__)
        twin.__file__ = str(path)
        twin.__package__ = original.__package__

        def import_twin(
            wanted: str, globals: Any = None, locals: Any = None, names: Any = (), level: int = 0
        ) -> ModuleType:
            absolute = bound_name(_absolute(wanted, level, original.__package__), self.rules)
            if names and import_module(absolute).__name__ in modules_with_rules:
                return self._modules.get(absolute) or self._execute(absolute, compiler)
            return builtins.__import__(wanted, globals, locals, names, level)

        twin.__dict__["__builtins__"] = {**vars(builtins), "__import__": import_twin}
        sys.modules[twin.__name__] = twin
        with compiling_with(compiler):
            exec(compile(path.read_bytes(), str(path), "exec"), twin.__dict__)
        self._modules[name] = twin
        return twin


def bound_name(name: str, rules: str) -> str:
    """The module that stands for this one in a kernel that is bound to a game."""
    if name == CONTRACT:
        return rules
    if name in (POLICY, EVALUATION):
        own = f"{rules.rpartition('.')[0]}.{name.rpartition('.')[2]}"
        return own if "." in rules and importlib.util.find_spec(own) else name
    return name


def _compiler(target: str, cache: bool) -> Callable[[Any], Any]:
    numba: Any = import_module("numba")
    if target == "cuda":
        cuda: Any = import_module("numba.cuda")
        found: Callable[[Any], Any] = cuda.jit(device=True)
    else:
        found = numba.njit(cache=cache, nogil=True, boundscheck=target == "checked")
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


def cache_folder(rules: str, kernel: str, target: str) -> Path | None:
    """Where the compiled code of a game with a kernel is kept; None where nothing can be written."""
    from platformdirs import user_cache_path

    label = rules.removesuffix(".rules").rpartition(".")[2]
    root = Path(os.environ.get("TEERLING_CACHE") or user_cache_path("teerling", appauthor=False))
    folder = root / "compiled" / f"{label}-{target}-{digest(rules, kernel)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def digest(rules: str, kernel: str) -> str:
    """A short fingerprint of every source that takes part, and of the compiler."""
    numba: Any = import_module("numba")
    found = hashlib.sha256(f"{platform.python_version()} {numba.__version__}".encode())
    for name in sorted(_sources(rules, kernel)):
        found.update(name.encode() + b"\0")
        found.update(_source(import_module(name)).read_bytes())
    return found.hexdigest()[:16]


def _sources(rules: str, kernel: str) -> set[str]:
    """Both modules and all that they import, as far as those are rules or of the same package."""
    seen: set[str] = set()
    waiting = {rules, kernel}
    while waiting:
        name = waiting.pop()
        seen.add(name)
        module = import_module(name)
        for node in ast.walk(ast.parse(_source(module).read_bytes())):
            if isinstance(node, ast.ImportFrom):
                wanted = bound_name(_absolute(node.module or "", node.level, module.__package__), rules)
                if wanted.partition(".")[0] == name.partition(".")[0] or wanted in modules_with_rules:
                    waiting |= {wanted} - seen
    return seen


def _absolute(name: str, level: int, package: str | None) -> str:
    return importlib.util.resolve_name("." * level + name, package) if level else name


def _source(module: ModuleType) -> Path:
    if module.__file__ is None:
        raise ImportError(f"the source of {module.__name__} is needed to compile it, and is not there")
    return Path(module.__file__)
