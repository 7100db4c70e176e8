"""A game is one folder: everything works for one that the package has never heard of.

The game is Pig, as `docs/a-game-of-your-own.md` builds it: what these tests play is what the page says.
"""

import configparser
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import teerling
from teerling import lab
from teerling.engine.compile import bind
from teerling.engine.record import scratch
from teerling.game import _games, game_ids
from tests.server.houses import flat, opened
from tests.sixth import blocks_of_the_page, follow_the_page
from tests.variants import GAMES, play

ROOT = Path(__file__).parents[1]
SOURCES = Path(teerling.__file__).parents[1]


@pytest.fixture
def pig() -> Iterator[teerling.Game]:
    from tests.sixth.pig import game

    yield teerling.register(game)
    del _games["pig"]


class TestInThisProcess:
    """Pig is registered, as a program would do it."""

    pytestmark = pytest.mark.usefixtures("pig")

    def test_a_registered_game_is_listed_after_those_that_are_there(self) -> None:
        assert game_ids() == [*GAMES, "pig"]

    def test_a_match_of_it_is_looked_back_at(self) -> None:
        *_, match = play(teerling.new("pig", players=3, seed=4, goal=20))
        for seat in lab.review(match, 2).seats:
            assert seat.start + seat.luck + seat.own + seat.others == pytest.approx(seat.result, abs=1e-9)

    def test_it_is_played_saved_loaded_and_explained(self) -> None:
        for match in play(teerling.new("pig", players=3, seed=4, goal=20)):
            assert teerling.at("pig", match.position(), chance="manual").state == match.state
            if match.turn is not None:
                with pytest.raises(teerling.UnknownMove, match="did you mean 'throw'"):
                    match.push("thorw")
        assert teerling.load(match.save()).save() == match.save()
        assert max(match.scores) >= 20
        assert match.scores == tuple(
            sum(line.data["points"] for line in match.score_lines(seat)) for seat in range(3)
        )
        assert "Seat 0 throws" in match.log()[0]
        assert "Zitplaats 0 gooit" in match.log("nl")[0]

    def test_its_refusals_name_its_own_rules(self) -> None:
        match = teerling.new("pig", players=2, seed=4)
        with pytest.raises(teerling.IllegalMove, match=r"nothing to hold yet \(PG-02\)"):
            match.push("hold")

    def test_its_rules_are_compiled_with_the_same_kernels(self, pig: teerling.Game) -> None:
        kernel = bind(pig.rules.__name__, "teerling.engine.kernels.playout")
        start = pig.start(2, {"goal": 50}).to_array()
        scores, ranks = np.zeros((50, 2), np.int16), np.zeros((50, 2), np.int8)
        lengths, room = np.zeros(50, np.int32), np.zeros(1, scratch(2, 6))
        kernel.playouts(start, start.copy(), room, 1, 0, scores, ranks, lengths)
        assert (scores.max(axis=1) >= 50).all()
        assert ((ranks == 1).sum(axis=1) == 1).all()

    def test_batches_and_environments_play_it_and_tell_what_is_known_in_numbers(self) -> None:
        batch = teerling.batch("pig", players=2, size=50, seed=1, seats=[None, "heuristic"], goal=12)
        names = lab.encoding_of(batch.game).names(2)
        assert names == [
            "self turn", "self points", "1 on turn", "1 on points", "turn_points", "goal",
        ]  # fmt: skip
        for _ in range(60):
            batch.step(batch.random_moves())
            assert (batch.observations[:, names.index("self turn")] == 1).all()
        assert (batch.numbers >= 50).all()

    def test_nothing_of_the_package_names_it(self) -> None:
        named = [name for name in sys.modules if name.startswith("teerling.") and "pig" in name.split(".")]
        assert not named

    @pytest.mark.parametrize(
        ("lang", "button", "refused"),
        [("en", "Throw", "There is nothing to hold yet"), ("nl", "Gooi", "Er is nog niets vast te houden")],
    )
    def test_its_board_is_the_table_in_the_browser(
        self, tmp_path: Path, lang: str, button: str, refused: str
    ) -> None:
        with opened(tmp_path) as client:
            client.headers["accept-language"] = lang
            assert 'href="/new/pig"' in client.get("/").text
            made = client.post("/new/pig", data={"seat0": "me", "seat1": "me", "option_goal": "12"})
            address, page = made.url.path, flat(made.text)
            assert '<progress max="12" value="0">' in page
            assert "/games/pig/table.css" in page
            assert ".pig progress" in client.get("/games/pig/table.css").text
            assert re.search(rf'<button name="move" value="throw"[^>]*>{button}<', page)
            hold = re.search(r'<button name="move" value="hold"[^>]*>', page)
            assert hold is not None
            assert f'aria-disabled="true" title="{refused} (PG-02)"' in hold[0]
            at = re.search(r'name="at" value="([^"]*)"', page)
            assert at is not None
            client.post(f"{address}/move", data={"move": "throw", "at": at[1]})
            assert flat(client.get(address).text) != page


def run(*command: str, folder: Path, path: list[Path]) -> str:
    """What a command prints in a folder, with these folders to import from; it has to succeed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path)), "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def fresh_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What somebody has who followed the page."""
    folder = tmp_path_factory.mktemp("evening")
    follow_the_page(folder)
    return folder


class TestInAFreshFolder:
    """The page is followed to its twelfth step."""

    def test_its_program_prints_what_the_page_shows(self, fresh_folder: Path) -> None:
        printed = run("play.py", folder=fresh_folder, path=[fresh_folder, SOURCES])
        assert printed == blocks_of_the_page()["python play.py"]

    @pytest.mark.slow
    def test_an_installed_game_is_found_by_its_entry_point(self, fresh_folder: Path) -> None:
        """What `pip install` leaves of a project's entry points is all that is needed."""
        project = tomllib.loads((fresh_folder / "pyproject.toml").read_text())["project"]
        installed = fresh_folder / f"{project['name']}-{project['version']}.dist-info"
        installed.mkdir()
        (installed / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
        entries = configparser.ConfigParser()
        entries.read_dict(project["entry-points"])
        with (installed / "entry_points.txt").open("w") as file:
            entries.write(file)

        path = [fresh_folder, SOURCES]
        command = ("-c", "from teerling.cli import main; main()")
        listed = run(*command, "games", folder=fresh_folder, path=path)
        assert listed.index("rapido") < listed.index("pig")
        assert "PG-04" in run(*command, "rules", "pig", folder=fresh_folder, path=path)
        simulated = run(*command, "simulate", "pig", "--games", "1000", folder=fresh_folder, path=path)
        assert "1,000" in simulated
        chosen = "import teerling; from teerling.players.parameters import policy_of; "
        assert "pig.policy" in run(
            "-c", f"{chosen} print(policy_of(teerling.game('pig')).__name__)", folder=fresh_folder, path=path
        )


GENERIC = (
    "test_rule_coverage.py", "test_variants.py", "test_words.py", "test_every_match.py", "test_parity.py",
    "test_positions.py", "test_policies.py", "test_secrecy.py", "test_golden.py",
    "server/test_memo_macros.py", "games/test_pig.py",
)  # fmt: skip
"""Tests for all games, and those of the page."""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, fresh_folder: Path) -> Path:
    """A copy of the repository, with the folder of the game and its test where the page says."""
    copy = tmp_path_factory.mktemp("repository")
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in ("src", "tests", "docs"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=left_out)
    shutil.copy(ROOT / "pyproject.toml", copy)
    shutil.copytree(fresh_folder / "pig", copy / "src/teerling/games/pig", ignore=left_out)
    shutil.copy(fresh_folder / "test_pig.py", copy / "tests/games")
    return copy


class TestInTheRepository:
    """The page is followed to its end, in a copy of the repository."""

    def test_a_new_folder_is_listed_and_in_the_lobby(self, repository: Path) -> None:
        program = """
import pathlib, tempfile
from teerling.game import game_ids
from starlette.testclient import TestClient
from teerling.server.app import create_app
from teerling.server.settings import Settings
print(game_ids())
with TestClient(create_app(Settings.read(pathlib.Path(tempfile.mkdtemp())))) as client:
    print(client.get("/").text.count("/new/pig"))
"""
        listed, shown = run("-c", program, folder=repository, path=[repository / "src"]).splitlines()
        assert listed == str([*GAMES, "pig"])
        assert shown == "1"

    def test_its_imports_are_checked_like_those_of_the_others(self, repository: Path) -> None:
        command = ("-c", "from importlinter.cli import lint_imports_command as main; main()", "--no-cache")
        assert "0 broken" in run(*command, folder=repository, path=[repository / "src"])
        stolen = repository / "src/teerling/games/pig/stolen.py"
        stolen.write_text("from ..rapido import rules as rules\n")
        with pytest.raises(AssertionError, match=r"pig is not allowed to import teerling\.games\.rapido"):
            run(*command, folder=repository, path=[repository / "src"])
        stolen.unlink()

    @pytest.mark.slow
    def test_the_tests_for_all_games_run_for_it(self, repository: Path) -> None:
        path = [repository / "src", repository]
        recorded = run("-m", "tests.golden", "pig", folder=repository, path=path).splitlines()
        assert len(recorded) == 6, "two, three and four players, with two goals"
        files = [f"tests/{name}" for name in GENERIC]
        chosen = "pig or rule_coverage or game_has_letters"
        printed = run("-m", "pytest", "-q", "-rs", *files, "-k", chosen, folder=repository, path=path)
        passed = re.search(r"(\d+) passed", printed)
        assert passed is not None
        assert int(passed[1]) > 80
        assert "skipped" not in printed
