"""Compiled code: found again in the cache, never stale, never another game's, and never required."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RULES = """
from teerling.engine import Cells, GameState, int8, rule

DECISIONS = 1
OUTCOMES = 1
STEP = {step}


class State(GameState):
    count: int = int8()


@rule
def setup(s: State, players: int, options: Cells) -> None:
    s.players = players


@rule
def legal(s: State, mask: Cells) -> None:
    mask[0] = 1


@rule
def chance(s: State, weights: Cells) -> None:
    weights[0] = 1


@rule
def apply(s: State, move: int) -> None:
    s.count += STEP


@rule
def results(s: State, scores: Cells, ranks: Cells) -> None:
    scores[0] = s.count


@rule
def observe(s: State, seat: int) -> None:
    pass


@rule
def imagine(s: State, seat: int, rng: Cells) -> None:
    pass


@rule
def sound(s: State) -> bool:
    return True
"""
RUN = """
import importlib, sys
from teerling.engine.compile import bind
for name in sys.argv[1:]:
    rules = importlib.import_module(name)
    step = bind(name, "teerling.engine.kernels.step")
    states = rules.State().to_array()
    step.apply_at(states, 0, 0)
    interpreted = rules.State()
    rules.apply(interpreted, 0)
    hits = sum(step.apply_at.stats.cache_hits.values())
    print(states["count"][0], interpreted.count, hits)
"""


class Workshop:
    """A folder with games in it, and a cache beside it."""

    def __init__(self, folder: Path) -> None:
        self.sources = folder / "sources"
        self.cache = folder / "cache"
        self.sources.mkdir()

    def write(self, game: str, step: int) -> Path:
        path = self.sources / game / "rules.py"
        path.parent.mkdir(exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(RULES.replace("{step}", str(step)))
        os.utime(path, (1_700_000_000, 1_700_000_000))
        return path

    def run(self, *games: str, **env: str) -> list[tuple[int, int, int]]:
        """For each game: compiled result, interpreted result, hits of the cache."""
        # Python's own cache goes by size and date, and would keep the interpreted rules stale.
        ours = {
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(self.sources),
            "TEERLING_CACHE": str(self.cache),
        }
        env = {**os.environ, **ours, **env}
        names = [f"{game}.rules" for game in games]
        done = subprocess.run([sys.executable, "-c", RUN, *names], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        rows = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
        return rows  # type: ignore[return-value]


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def test_a_second_start_finds_the_compiled_code_in_the_cache(workshop: Workshop) -> None:
    workshop.write("alpha", 1)
    assert workshop.run("alpha") == [(1, 1, 0)]
    assert workshop.run("alpha") == [(1, 1, 1)]
    assert {folder.name[:6] for folder in (workshop.cache / "compiled").iterdir()} == {"alpha-"}


def test_stale_code_never_runs_even_if_size_and_date_of_the_source_are_the_same(workshop: Workshop) -> None:
    workshop.write("alpha", 1)
    workshop.run("alpha")
    workshop.write("alpha", 2)
    assert workshop.run("alpha") == [(2, 2, 0)]


def test_another_games_code_never_runs_though_their_records_are_equal(workshop: Workshop) -> None:
    workshop.write("alpha", 1)
    workshop.write("beta", 2)
    assert workshop.run("alpha", "beta") == [(1, 1, 0), (2, 2, 0)]
    assert workshop.run("beta", "alpha") == [(2, 2, 1), (1, 1, 1)]


def test_where_nothing_can_be_written_nothing_is_cached_and_nothing_fails(workshop: Workshop) -> None:
    path = workshop.write("alpha", 3)
    workshop.cache.write_text("a file where the folder should be")
    assert workshop.run("alpha") == [(3, 3, 0)]
    assert workshop.run("alpha") == [(3, 3, 0)]
    assert not list(path.parent.rglob("*.nbi"))


def test_the_cache_lives_in_the_users_cache_folder(workshop: Workshop, tmp_path: Path) -> None:
    workshop.write("alpha", 1)
    home = tmp_path / "home"
    workshop.run("alpha", TEERLING_CACHE="", XDG_CACHE_HOME=str(home), HOME=str(home))
    assert list(home.rglob("teerling/compiled/alpha-*")) or sys.platform != "linux"


def test_numba_is_not_imported_before_it_is_needed() -> None:
    script = "import sys, teerling; teerling.new('ra', seed=1).push('draw'); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_an_unknown_target_is_refused() -> None:
    from teerling.engine.compile import bind

    with pytest.raises(ValueError, match="cpu, checked, cuda"):
        bind("teerling.games.ra.rules", "teerling.engine.kernels.step", "quantum")


def test_a_module_imported_while_another_thread_compiles_stays_plain_python() -> None:
    import threading

    from teerling.engine.rule import compiling_with, rule

    def plain() -> None:
        """A function that is marked in another thread."""

    found = []
    with compiling_with(lambda function: None):
        thread = threading.Thread(target=lambda: found.append(rule(plain)))
        thread.start()
        thread.join()
        assert rule(plain) is None
    assert found == [plain]


def test_while_code_is_compiled_what_is_printed_goes_where_it_went() -> None:
    program = (
        "import sys, teerling.engine.compile\n"
        "from numba.core.errors import termcolor\n"
        "class Watched(type(sys)):\n"
        "    def __setattr__(self, name, value):\n"
        "        assert name != 'stdout'\n"
        "sys.__class__ = Watched\n"
        "assert termcolor().errmsg('not this type') == 'not this type'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
