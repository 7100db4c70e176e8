"""Studies in Parquet files: what stands in a row, that it is the same whoever plays, and whole files only."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import teerling
from teerling.errors import TeerlingError
from teerling.game import list_games
from teerling.lab import parquet, simulate, simulate_to_parquet
from teerling.lab.luck import luck_of
from teerling.lab.study import Study

GAME = "rapido"  # the quickest
ROOT = Path(__file__).parents[2]
games = pytest.mark.parametrize("game", [game.id for game in list_games()])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.parquet"


def rows_of(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


@games
def test_random_matches_are_those_of_a_simulation(game: str) -> None:
    found = simulate(game, 3, 4, seed=5)
    for number, row in enumerate(Study.of(game, games=4, seed=5, players=3).play(0)):
        assert [row[f"score_{seat}"] for seat in range(3)] == found.scores[number].tolist()
        assert [row[f"rank_{seat}"] for seat in range(3)] == found.ranks[number].tolist()
        assert row["decisions"] + row["chance_events"] == found.lengths[number]


@games
def test_every_point_is_on_a_line_that_the_game_has_declared(game: str) -> None:
    study = Study.of(game, ["random"], players=2, seed=3, games=2)
    for row in study.play(0):
        for seat in range(2):
            points = [
                value
                for name, value in row.items()
                if name.startswith("points_") and name.endswith(f"_{seat}")
            ]
            assert sum(points) == row[f"score_{seat}"]
    assert [column.name for column in study.columns] == list(row)


def test_a_row_tells_who_sat_where_who_began_and_who_won() -> None:
    study = Study.of(GAME, ["casual", "random", "novice"], games=3, seed=2, rotate=True)
    assert [study.seats(number) for number in range(3)] == [
        ("casual", "random", "novice"),
        ("novice", "casual", "random"),
        ("random", "novice", "casual"),
    ]
    row, match = study.row(1), study.match(1)
    assert [row[f"player_{seat}"] for seat in range(3)] == ["novice", "casual", "random"]
    assert row["first_seat"] == next(turn for turn in match.turns if turn >= 0)
    assert row["winner"] == match.ranks.index(1)
    assert sum(row[f"decisions_{seat}"] for seat in range(3)) == row["decisions"]


def test_a_shared_win_has_no_winner_but_shares() -> None:
    ranks = simulate("radice", 2, 2000, seed=1).ranks
    row = Study.of("radice", players=2, games=2000, seed=1).row(int((ranks == 1).all(axis=1).argmax()))
    assert (row["winner"], row["share_0"], row["share_1"]) == (None, 0.5, 0.5)


def test_luck_is_measured_only_where_it_is_asked_for() -> None:
    study = Study.of(GAME, ["casual"], players=2, games=1, luck=2)
    row = study.row(0)
    assert [row["luck_0"], row["luck_1"]] == luck_of(study.match(0), 2)
    assert abs(row["luck_0"] + row["luck_1"]) < 1e-9
    assert Study.of(GAME, ["casual"], players=2, games=1).row(0)["luck_0"] is None


def test_workers_and_row_groups_change_no_byte_but_where_rows_are_cut(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate_to_parquet(GAME, path, 2, 20, players_are=["casual"])
    whole = path.read_bytes()
    simulate_to_parquet(GAME, path, 2, 20, players_are=["casual"], workers=2, force=True)
    assert path.read_bytes() == whole
    rows = rows_of(path)
    monkeypatch.setattr(parquet, "ROWS", 8)
    simulate_to_parquet(GAME, path, 2, 20, players_are=["casual"], force=True)
    assert pq.ParquetFile(path).num_row_groups == 3
    assert rows_of(path) == rows
    assert [row["match"] for row in rows] == list(range(20))


@pytest.mark.slow
def test_a_ray_cluster_writes_the_same_bytes(path: Path) -> None:
    ray = pytest.importorskip("ray")
    simulate_to_parquet(GAME, path, 2, 20, players_are=["casual", "random"])
    alone = path.read_bytes()
    ray.init(num_cpus=2, configure_logging=False, log_to_driver=False, include_dashboard=False)
    try:
        simulate_to_parquet(GAME, path, 2, 20, players_are=["casual", "random"], ray=True, force=True)
    finally:
        ray.shutdown()
    assert path.read_bytes() == alone


def test_a_file_says_what_it_is_and_what_its_columns_mean(path: Path) -> None:
    written = simulate_to_parquet(GAME, path, 3, 2, seed=9, options={"goal": 9}, rotate=True)
    schema = pq.read_schema(path)
    about = json.loads(schema.metadata[b"teerling"])
    assert about == written.about
    assert (about["version"], about["rules"]) == (teerling.__version__, teerling.game(GAME).version)
    assert about["command"] == (
        "teerling simulate rapido --players 3 --games 2 --seed 9 --option goal=9 "
        "--players-are random,random,random --rotate --out results.parquet"
    )
    assert schema.field("rank_2").metadata[b"meaning"].startswith(b"place at the end")
    assert all(field.metadata[b"meaning"] for field in schema)


def test_the_documentation_names_every_column() -> None:
    told = (ROOT / "docs" / "research.md").read_text(encoding="utf-8")
    for column in Study.of("ra", players=2).columns:
        stem = column.name.removesuffix("_1").removesuffix("_0")
        assert f"`{stem}`" in told or stem.startswith(("points_", "option_")), stem


class Interrupted(Exception):
    pass


def test_a_study_that_breaks_off_leaves_nothing_and_changes_nothing(path: Path) -> None:
    def stop(done: int) -> None:
        if done:
            raise Interrupted

    with pytest.raises(Interrupted):
        simulate_to_parquet(GAME, path, 2, 20, progress=stop)
    assert list(path.parent.iterdir()) == []
    path.write_text("mine")
    with pytest.raises(Interrupted):
        simulate_to_parquet(GAME, path, 2, 20, progress=stop, force=True)
    assert path.read_text() == "mine"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_there_is_replaced_only_by_force(path: Path) -> None:
    path.write_text("mine")
    with pytest.raises(TeerlingError, match="already exists; choose another name, or use --force"):
        simulate_to_parquet(GAME, path, 2, 1)
    assert path.read_text() == "mine"
    simulate_to_parquet(GAME, path, 2, 1, force=True)
    assert len(rows_of(path)) == 1


def test_a_file_that_came_meanwhile_is_not_overwritten(path: Path) -> None:
    with pytest.raises(TeerlingError, match="already exists"):
        simulate_to_parquet(GAME, path, 2, 1, progress=lambda done: path.write_text("mine") and None)
    assert path.read_text() == "mine"


def test_without_pyarrow_the_error_says_what_to_install(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(TeerlingError, match=r"pip install 'teerling\[parquet\]"):
        simulate_to_parquet(GAME, path)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"players_are": ["casul"]}, "there is no player 'casul'; did you mean casual"),
        (
            {"players_are": ["casual", "club", "random"], "players": 4},
            "3 players cannot take turns at 4 seats",
        ),
        ({"players_are": ["random"] * 7}, "Rapido is for 2 to 6 players, not 7"),
        ({"games": 0}, "games is a number from 1 to 100000000, not 0"),
        ({"luck": -1}, "luck is a number from 0 to 10000, not -1"),
        ({"workers": 0}, "workers is a number from 1 to 1024, not 0"),
        ({"path": "results.csv"}, r"results\.csv: a file of matches ends in \.parquet"),
        ({"path": "nowhere/results.parquet"}, "cannot be written: its folder is not there"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_played(
    asked: dict[str, Any], why: str, tmp_path: Path
) -> None:
    place = tmp_path / asked.pop("path", "results.parquet")
    with pytest.raises(TeerlingError, match=why):
        simulate_to_parquet(GAME, place, **asked)
    assert list(tmp_path.iterdir()) == []


def test_players_take_turns_at_the_seats() -> None:
    assert Study.of("ra", ["casual", "random"], players=4).names == ("casual", "random") * 2
    assert Study.of("ra", ["casual"]).names == ("casual",) * 4
    assert Study.of("ra", ["casual", "random", "novice"]).names == ("casual", "random", "novice")


def test_shares_can_be_averaged_as_they_are(path: Path) -> None:
    simulate_to_parquet(GAME, path, 3, 30)
    shares = np.column_stack([pq.read_table(path)[f"share_{seat}"].to_numpy() for seat in range(3)])
    assert shares.sum(axis=1) == pytest.approx(1)
