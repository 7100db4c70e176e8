"""The web bench without its measuring: rows beside boardgame.io, what is said without, copies of tables."""

import json
import random
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from teerling.bench import boardgame_io, web
from teerling.bench.boardgame_io import (
    TURNS,
    AtMatch,
    NoPeer,
    by_turns,
    event_in,
    event_of,
    installed,
    of_crowds,
    of_ratios,
)
from teerling.bench.crowd import Crowd, Gathering
from teerling.bench.figures import Figure
from teerling.bench.web import Seat, multiplied, web_bench
from teerling.game import game
from teerling.words import Speaker
from tests.several import Met, Spent

SAY = Speaker("en")
NO_NODE = "boardgame.io is not measured: there is no Node with npm here"


@pytest.fixture
def no_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything of our own takes one of its unit."""

    def of(name: str, *keys: str) -> None:
        def figures(*_: object) -> Iterator[Figure]:
            return (Figure(key, key, 1.0) for key in keys)

        monkeypatch.setattr(web, name, figures)

    for name in ("of_starting", "of_sizes", "of_clicks", "of_open_tables"):
        of(name)
    of("of_costs", "cost_json", "cost_page")
    of("of_load", "load_p99")
    of("of_haste", "haste_moves")


@pytest.mark.usefixtures("no_measuring")
@pytest.mark.parametrize("missing", ["node", "npm"])
def test_without_node_one_sentence_says_so_and_its_rows_are_left_out(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        boardgame_io.shutil, "which", lambda name: None if name == missing else f"/bin/{name}"
    )
    web_bench([game("ra")], True, False, SAY)
    told = capsys.readouterr().out
    assert told.count(NO_NODE) == 1
    assert "Pig" not in told
    web_bench([game("ra")], True, True, Speaker("nl"))
    told = json.loads(capsys.readouterr().out)
    assert told["remarks"] == ["boardgame.io is niet gemeten: hier is geen Node met npm"]
    assert not [what for what in told["figures"] if what.startswith("peer")]


@pytest.mark.usefixtures("no_measuring")
def test_memory_is_told_of_where_files_cannot_be_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def of_peer(modules: Path, in_files: bool, *_: object) -> Iterator[Figure]:
        if in_files:
            raise NoPeer("no files")
        yield Figure("cost", "a move", 0.5)

    monkeypatch.setattr(web, "installed", lambda: Path("nowhere"))
    monkeypatch.setattr(web, "served", lambda: nullcontext(Mock()))
    monkeypatch.setattr(web, "of_peer", of_peer)
    web_bench([game("ra")], True, True, SAY)
    told = json.loads(capsys.readouterr().out)
    assert [what for what in told["figures"] if what.startswith("peer")] == ["peer_memory"]
    assert told["remarks"] == ["no files"]


def test_what_npm_cannot_install_is_not_there_by_half(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def npm_install(command: list[str], **_: object) -> None:
        folder = Path(command[command.index("--prefix") + 1])
        (folder / "node_modules").mkdir(parents=True)
        if failing:
            raise subprocess.CalledProcessError(1, command)

    monkeypatch.setenv("TEERLING_CACHE", str(tmp_path))
    monkeypatch.setattr(boardgame_io.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(boardgame_io.subprocess, "run", npm_install)
    failing = True
    with pytest.raises(NoPeer, match="npm could not install it"):
        installed()
    assert list((tmp_path / "peers").iterdir()) == []
    failing = False
    assert installed().is_dir()
    failing = True
    assert installed().is_dir()


def test_a_server_that_does_not_start_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boardgame_io, "SCRIPT", Path("no-such-script.js"))
    monkeypatch.setenv("PATH", "")
    crowds = (Gathering(1, 1.0, 0.0), Gathering(1, 1.0))
    with pytest.raises(NoPeer, match="its server did not answer"):
        list(boardgame_io.of_peer(Path("nowhere"), False, 1, crowds, {}, {}, SAY))


def test_each_figure_of_a_crowd_stands_beside_ours_of_that_name() -> None:
    haste = Crowd([0], Gathering(50, 10.0, 0.0), moves=2000, seconds=10.0, spent=8.0, own=5.0)
    load = Crowd([0], Gathering(250, 4.0), met=[1.0, 2.0, 9.0, 40.0], seconds=4.0, spent=1.0)
    ours = {"haste_moves": 100.0, "haste_cost": 8.0, "load_p99": 80.0}
    figures = {figure.key: figure for figure in of_crowds(haste, load, ours, SAY)}
    assert {key: figure.value for key, figure in figures.items()} == {
        "haste_moves": 200, "haste_cost": 4, "haste_cores": 0.8, "haste_clients": 0.5,
        "load_moves": 1, "load_median": 5.5, "load_p99": 40, "load_cores": 0.25,
    }  # fmt: skip
    ratios = {key: figure.ratio for key, figure in figures.items() if figure.ratio is not None}
    assert ratios == {"haste_moves": 2, "haste_cost": 0.5, "load_p99": 0.5}
    assert "150 sockets" in figures["haste_moves"].label
    assert "750 sockets" in figures["load_moves"].label


def test_whoever_comes_goes_to_the_next_server() -> None:
    crowd = Crowd([8001, 8002], Gathering(2, 1.0))
    first, *others = [crowd.next_port() for _ in range(3)]
    assert {first, others[0]} == {8001, 8002}
    assert others[1] == first


def test_processes_are_worth_what_their_processor_time_allows() -> None:
    spent = Spent(serving=0.004, postgresql=0.0008, redis=0.0002, clients=0.001)
    one, two = Met(1, 0.0, spent), Met(2, 0.0, spent)
    assert one.most(2, clients=False) == pytest.approx(250)
    # Nothing more to do for a move: two cores are shared by the two of them and the storage.
    assert two.worth(one, 2, clients=False) == one.ceiling(2, clients=False) == pytest.approx(1.6)
    # And by the clients, if they are there too.
    assert two.worth(one, 2, clients=True) == one.ceiling(2, clients=True) == pytest.approx(4 / 3)
    # With enough cores each process has its own.
    assert two.worth(one, 8, clients=True) == pytest.approx(2)
    # What both do for every move makes the second one useless.
    both = replace(two, spent=replace(spent, serving=0.008))
    assert both.worth(one, 8, clients=True) == pytest.approx(1)


def test_our_moves_stand_beside_theirs_of_the_same_turns() -> None:
    costs = {"Ra: by a program": (2.0, 0.5), "Ra: by a person": (3.0, 1.0)}
    assert [(each.value, each.ratio) for each in of_ratios(costs, SAY)] == [(2, 4), (3, 3)]
    # Where the system does not tell of processor time there is no ratio.
    assert [each.ratio for each in of_ratios({"Ra": (0.0, 0.0)}, SAY)] == [None]


def test_servers_move_by_turns_and_the_first_turn_of_ours_does_not_count() -> None:
    turns: list[str] = []

    def ours(moves: int) -> float:
        turns.append("ours")
        return 100.0 if len(turns) == 1 else moves

    def theirs(moves: int) -> float:
        turns.append("theirs")
        return len(turns)

    assert by_turns(ours, theirs, 7) == (7, 7)
    assert turns == ["ours", *["ours", "theirs"] * TURNS]


def test_events_go_in_frames_of_the_game_and_other_frames_are_none() -> None:
    assert event_in(event_of("update", {"a": [1]}, 7, None)) == ["update", {"a": [1]}, 7, None]
    for other in ('0{"sid":"a"}', '40/pig,{"sid":"a"}', "2", '42/else,["update"]'):
        assert event_in(other) is None


@pytest.mark.parametrize(
    ("turn", "over", "offered"),
    [(0, False, {"roll"}), (6, False, {"roll", "hold"}), (6, True, {""})],
)
def test_a_client_of_pig_makes_only_moves_that_there_are(turn: int, over: bool, offered: set[str]) -> None:
    line = AtMatch(0, "m1", "0")
    line.state = {"G": {"turn": turn}, "ctx": {"gameover": {"winner": "0"}} if over else {}}
    chooser = random.Random(1)
    assert {line.choice(chooser) for _ in range(20)} == offered


def test_tables_are_copied_with_all_that_is_stored_of_them_and_nothing_else(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as store, store:
        store.execute("create table tables (id text primary key, ending text)")
        store.execute("create table entries (table_id text, number int, primary key (table_id, number))")
        store.execute("create table people (id text)")
        store.executemany("insert into tables values (?, null)", ["p", "q"])
        store.executemany("insert into entries values (?, ?)", [("p", 0), ("p", 1), ("q", 0)])
        store.execute("insert into people values ('anne')")
    seats = multiplied(tmp_path / "a.db", [Seat("p", "one"), Seat("q", "two")], 6)
    with closing(sqlite3.connect(tmp_path / "a.db")) as store:
        ids = {id for (id,) in store.execute("select id from tables")}
        assert ids == {seat.table for seat in seats}
        assert len(seats) == len(ids) == 6
        (entries,) = store.execute("select count(*) from entries where table_id like 'p%'").fetchone()
        assert entries == 3 * 2
        assert store.execute("select count(*) from people").fetchone() == (1,)
    assert {seat.token for seat in seats if seat.table.startswith("q")} == {"two"}
