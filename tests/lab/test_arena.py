"""The arena: duplicate play, results that can be checked by hand, and files it goes on with."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import teerling
from teerling.cli import app
from teerling.engine import CHANCE
from teerling.errors import TeerlingError
from teerling.lab import Arena, arena, plot
from teerling.lab import contest as contests
from teerling.lab.cheat import CHEAT, Cheat, contestant, observation_for
from teerling.lab.contest import Contest, Played, player_seed
from teerling.lab.duplicate import DuplicateNature
from teerling.lab.standings import likeness, mean_interval, share_interval, student, without_luck
from teerling.match import Match
from teerling.players import Random, base, levels, offer, players
from teerling.players.search import SearchSettings, Tree

GAME = "rapido"  # the quickest
COMMAND = [sys.executable, "-c", "from teerling.cli import main; main()"]


def contest(*names: str, game: str = GAME, seed: int = 1) -> Contest:
    return Contest.between(teerling.game(game), names, seed)


def by_hand(names: Sequence[str], ranks: Sequence[Sequence[int]]) -> Arena:
    """An arena whose matches were made up: their ranks, seating by seating and deal by deal."""
    of = contest(*names)
    decisions, seconds = [2] * len(names), [0.5] * len(names)
    played = [
        Played(*divmod(number, len(of.seatings)), [10 - rank for rank in row], list(row), decisions, seconds)
        for number, row in enumerate(ranks)
    ]
    return Arena(of, tuple(played))


def untimed(result: Arena) -> dict[str, Any]:
    """What came of an arena, but for the time it took."""
    told = result.as_dict()
    for player in told["players"]:
        del player["seconds_per_decision"]
    return told


def drawn(game: str, names: Sequence[str], deal: int, chosen: range) -> dict[tuple[str, ...], list[str]]:
    """By seating, the outcomes of these ids in the order in which they came."""
    found = {}
    of = contest(*names, game=game)
    for seating in of.seatings:
        match = Match(
            of.game, of.game.start(len(names), of.options), of.options, nature=DuplicateNature(f"1:{deal}")
        )
        deciders = [contestant(name) for name in seating]
        while match.turn is not None:
            seen = observation_for(deciders[match.turn], match, match.turn)
            seed = player_seed(of.seed, deal, match.turn, len(match.history))
            match.push(deciders[match.turn].choose(seen, seed).move)
        found[seating] = [move.text for move in match.history if move.chance and move.id in chosen]
    return found


@pytest.mark.parametrize("game", ["ra", "priests"])
def test_every_seating_sees_the_same_order_of_tiles(game: str) -> None:
    rules = teerling.game(game).rules
    orders = drawn(game, ("heuristic", "random", "random"), 5, range(rules.FIRST_STACK_OUTCOME))
    assert len(orders) == 3
    shortest = min(map(len, orders.values()))
    assert shortest > 40
    assert len({tuple(order[:shortest]) for order in orders.values()}) == 1
    other = drawn(game, ("random", "random", "random"), 6, range(rules.FIRST_STACK_OUTCOME))
    assert tuple(orders.popitem()[1][:20]) != tuple(other.popitem()[1][:20])


def test_a_die_falls_the_same_way_whoever_throws_it() -> None:
    orders = drawn("radice", ("heuristic", "random"), 1, range(6))
    one, other = orders.values()
    shortest = min(len(one), len(other))
    assert shortest > 5
    assert one[:shortest] == other[:shortest]


def chi_square(counts: Counter[Any], expected: dict[Any, float]) -> float:
    assert not set(counts) - set(expected)
    return sum((counts[key] - many) ** 2 / many for key, many in expected.items())


def test_a_die_stays_fair_and_has_no_memory() -> None:
    pairs: Counter[tuple[int, int]] = Counter()
    for seed in range(900):
        nature = DuplicateNature(str(seed))
        throws = [nature.answer(event, [1, 2, 3]) for event in range(10)]
        pairs.update(pairwise(throws))
    parts = [1 / 6, 2 / 6, 3 / 6]
    expected = {(a, b): 8100 * parts[a] * parts[b] for a in range(3) for b in range(3)}
    assert chi_square(pairs, expected) < 26.1  # 8 degrees of freedom, 0.1 %


def test_draws_without_return_are_fair_even_if_other_things_come_in_between() -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    for seed in range(6000):
        nature, bag, order = DuplicateNature(str(seed)), [2, 1, 1], []
        for event in range(4):
            nature.answer(2 * event, [0, 0, 0, 5, 1])
            tile = nature.answer(2 * event + 1, [*bag, 0, 0])
            bag[tile] -= 1
            order.append(tile)
        orders[tuple(order)] += 1
    assert len(orders) == 12
    assert chi_square(orders, dict.fromkeys(orders, 500.0)) < 31.3  # 11 degrees of freedom, 0.1 %


def test_weights_that_change_otherwise_are_followed() -> None:
    seconds = Counter(
        (nature.answer(0, [1, 1]), nature.answer(1, [1, 3]))[1]
        for nature in map(DuplicateNature, map(str, range(8000)))
    )
    assert chi_square(seconds, {0: 2000.0, 1: 6000.0}) < 10.8


@pytest.mark.parametrize(
    ("names", "seatings"),
    [
        (("random", "heuristic"), 2),
        (("heuristic", "random", "random", "random"), 4),
        (("heuristic", "heuristic", "random", "random"), 6),
        (("random", "heuristic", "novice", "casual"), 24),
        (("random",) * 4, 1),
        (("random", "heuristic", "novice", "casual", "random"), 5),
    ],
)
def test_every_seating_is_played_and_every_player_has_every_seat_equally_often(
    names: tuple[str, ...], seatings: int
) -> None:
    found = contest(*names).seatings
    assert len(found) == len(set(found)) == seatings
    for column in zip(*found, strict=True):
        assert Counter(column) == {
            name: times * seatings / len(names) for name, times in Counter(names).items()
        }


def test_games_are_rounded_up_to_whole_deals() -> None:
    result = arena(GAME, ["heuristic", "heuristic", "random", "random"], games=7)
    assert (result.deals, len(result.played)) == (2, 12)
    assert [standing.games for standing in result.standings] == [24, 24]
    assert "--games 12 --seed 1" in result.command


def test_the_same_seed_gives_the_same_result_and_another_seed_another() -> None:
    names = ["heuristic", "random", "random"]
    one, again, other = (arena(GAME, names, games=12, seed=seed) for seed in (3, 3, 4))
    assert untimed(one) == untimed(again)
    assert untimed(one)["players"] != untimed(other)["players"]


def test_the_number_of_workers_changes_nothing() -> None:
    names = ["plain:20", "random"]
    alone = arena(GAME, names, games=6)
    assert untimed(arena(GAME, names, games=6, workers=2)) == untimed(alone)


def test_a_match_depends_on_its_deal_and_seating_alone() -> None:
    few = arena(GAME, ["heuristic", "random"], games=4)
    many = arena(GAME, ["heuristic", "random"], games=12)
    assert [match.scores for match in few.played] == [match.scores for match in many.played[:4]]


def test_options_are_those_asked_for() -> None:
    result = arena(GAME, ["random", "heuristic"], games=4, options={"goal": 9})
    assert all(max(match.scores) == 9 for match in result.played)
    assert result.as_dict()["options"] == {"goal": "9", "first": "random"}
    assert result.command.endswith("--option goal=9")


def test_a_shared_win_counts_its_share_and_shared_places_their_mean() -> None:
    # a b, b a, a b, b a
    result = by_hand(("heuristic", "random"), [[1, 2], [1, 1], [1, 2], [2, 1]])
    a, b = result.standings
    assert (a.wins, b.wins) == (3.5, 0.5)
    assert (a.win_rate, b.win_rate) == (0.875, 0.125)
    assert (a.mean_rank, b.mean_rank) == (1.125, 1.875)
    assert (a.mean_score, a.decisions, a.seconds_per_decision) == (9.0, 8, 0.25)


def test_a_player_at_several_seats_is_one_entry_whose_games_add_up() -> None:
    result = by_hand(("heuristic", "random", "random"), [[1, 2, 3], [3, 1, 2], [1, 3, 2]])
    a, b = result.standings
    assert (a.name, a.games, a.wins) == ("heuristic", 3, 2.0)
    assert (b.name, b.games, b.wins) == ("random", 6, 1.0)


def test_ratings_put_the_winner_above_and_narrow_with_games() -> None:
    few = by_hand(("heuristic", "random"), [[1, 2], [2, 1]] * 5)
    many = by_hand(("heuristic", "random"), [[1, 2], [2, 1]] * 50)
    for result in (few, many):
        a, b = result.standings
        assert a.rating > 25 > b.rating
        assert a.rating_interval[0] < a.rating < a.rating_interval[1]
    widths = [result.standings[0].rating_interval for result in (few, many)]
    assert widths[1][1] - widths[1][0] < widths[0][1] - widths[0][0]


def test_equal_players_are_rated_alike() -> None:
    result = by_hand(("random", "random", "random"), [[1, 2, 3]] * 9)
    assert result.standings[0].rating == pytest.approx(25)


def test_games_of_one_deal_that_went_alike_widen_the_interval() -> None:
    alike = np.array([1.0, 0.0] * 20)
    mixed = np.array([0.5, 0.25, 0.5, 0.75] * 10)
    assert likeness(alike, 160) == pytest.approx(4 * 40 / 39)
    assert likeness(mixed, 160) < 1
    assert np.ptp(share_interval(alike, 160)) > 2 * np.ptp(share_interval(mixed, 160))
    assert share_interval(alike, 160) == pytest.approx((0.35, 0.65), abs=0.01)


@pytest.mark.parametrize("seats", [1, 2])
def test_deals_that_went_alike_widen_a_rating_however_many_seats_a_player_has(seats: int) -> None:
    names = ("heuristic",) * seats + ("random",) * seats
    seatings = contest(*names).seatings
    wins_of = {name: [names_first(seating, name) for seating in seatings] for name in set(names)}
    alike = [ranks for deal in range(20) for ranks in wins_of[names[0] if deal % 2 else names[-1]]]
    mixed = [
        wins_of[names[0] if (deal + n) % 2 else names[-1]][n]
        for deal in range(20)
        for n in range(len(seatings))
    ]
    widths = [np.ptp(by_hand(names, ranks).standings[0].rating_interval) for ranks in (alike, mixed)]
    assert widths[0] / widths[1] == pytest.approx(sqrt(len(seatings)), rel=0.1)


def names_first(seating: tuple[str, ...], name: str) -> list[int]:
    """The ranks of a match in which all seats of a player come before the others."""
    order = sorted(range(len(seating)), key=lambda seat: (seating[seat] != name, seat))
    return [order.index(seat) + 1 for seat in range(len(seating))]


def test_a_player_that_won_everything_is_not_said_to_be_certain_to() -> None:
    low, high = share_interval(np.ones(100), 400)
    assert high == 1
    assert 0.985 < low < 0.995


def test_a_single_deal_says_nothing() -> None:
    assert share_interval(np.array([0.5]), 4) == (0, 1)
    assert mean_interval(np.array([2.0]), 1, 4) == (1, 4)


def test_intervals_hold_what_is_true_in_95_of_100_cases() -> None:
    draw = np.random.default_rng(1)
    held = 0
    for _ in range(1000):
        luck = draw.beta(2, 6, 30)  # of a deal; the mean is a quarter
        won = draw.binomial(4, luck) / 4
        low, high = share_interval(won, 120)
        held += low <= 0.25 <= high
    assert 930 <= held <= 970


def test_the_quantile_of_students_t_is_that_of_the_tables() -> None:
    tables = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 10: 2.23, 30: 2.04, 1000: 1.96}
    assert {freedom: round(student(freedom), 2) for freedom in tables} == tables


def test_json_tells_everything_about_every_player() -> None:
    told = json.loads(json.dumps(arena(GAME, ["heuristic", "random"], games=4).as_dict()))
    assert {"game", "seed", "deals", "seatings", "command", "players", "mean_winning_score"} <= set(told)
    for player in told["players"]:
        assert {"name", "games", "wins", "win_rate", "interval", "mean_rank", "rating"} <= set(player)
        assert player["interval"][0] <= player["win_rate"] <= player["interval"][1]


# Going on


def test_a_file_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "arena.jsonl"
    names = ["heuristic", "random"]
    arena(GAME, names, games=4, out=path)
    first = path.read_bytes()
    told: list[int] = []
    longer = arena(GAME, names, games=10, out=path, progress=told.append)
    assert told == [4, 5, 6, 7, 8, 9, 10]
    assert path.read_bytes().startswith(first)
    assert untimed(longer) == untimed(arena(GAME, names, games=10))
    assert len(arena(GAME, names, games=4, out=path).played) == 4


def test_a_cut_last_line_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "arena.jsonl"
    names = ["heuristic", "random"]
    whole = arena(GAME, names, games=6, out=path)
    text = path.read_bytes()
    path.write_bytes(text[:-20])
    again = arena(GAME, names, games=6, out=path)
    assert untimed(again) == untimed(whole)
    assert [json.loads(line)["deal"] for line in path.read_text().splitlines()[1:]] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "ra"}, "is of an arena of rapido, not of ra"),
        ({"players": ["random", "novice"]}, "between heuristic, random, not between random, novice"),
        ({"seed": 2}, "with seed 1, not 2"),
        ({"options": {"goal": 9}}, "with goal=21, first=random, not with goal=9, first=random"),
    ],
)
def test_a_file_of_another_arena_is_refused_and_stays_as_it_is(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "arena.jsonl"
    asked = {"game": GAME, "players": ["heuristic", "random"], "games": 2, "out": path}
    arena(**asked)
    path.write_bytes(path.read_bytes() + b'{"cut')
    before = path.read_bytes()
    with pytest.raises(TeerlingError, match=message):
        arena(**{**asked, **change})
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["game: ra\n", "{}\n", "[1]\n", '{"arena"', "\x00\xff\n", '{"arena": 99}\n'])
def test_what_is_no_file_of_an_arena_is_refused_and_stays_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.txt"
    path.write_text(text)
    with pytest.raises(TeerlingError, match=r"other\.txt (is not the file of an arena|was written by)"):
        arena(GAME, ["random", "random"], games=2, out=path)
    assert path.read_text() == text


def test_a_damaged_line_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "arena.jsonl"
    arena(GAME, ["heuristic", "random"], games=4, out=path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], '{"deal": 0}', *lines[2:]]) + "\n")
    with pytest.raises(TeerlingError, match="is not a game of this arena"):
        arena(GAME, ["heuristic", "random"], games=4, out=path)


@pytest.mark.parametrize(
    "change",
    [
        {"ranks": 5}, {"scores": [1]}, {"deal": [0]}, {"deal": -1}, {"deal": 0.5}, {"ranks": [2, 3]},
        {"seating": 2}, {"seconds": ["x", "y"]}, {"decisions": [1, None]}, {"more": 1},
    ],
)  # fmt: skip
def test_a_line_that_can_be_no_game_is_refused_by_name(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "arena.jsonl"
    arena(GAME, ["heuristic", "random"], games=2, out=path)
    lines = path.read_text().splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | change)
    path.write_text("\n".join(lines) + "\n")
    before = path.read_bytes()
    with pytest.raises(TeerlingError, match="is not a game of this arena"):
        arena(GAME, ["heuristic", "random"], games=4, out=path)
    assert path.read_bytes() == before


def test_two_arenas_do_not_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "arena.jsonl"
    found: list[str] = []

    def begin_another(done: int) -> None:
        if done == 1:
            with pytest.raises(TeerlingError, match="being written by another arena") as refused:
                arena(GAME, ["heuristic", "random"], games=4, out=path)
            found.append(str(refused.value))

    arena(GAME, ["heuristic", "random"], games=4, out=path, progress=begin_another)
    assert len(found) == 1
    assert len(path.read_text().splitlines()) == 5
    assert len(arena(GAME, ["heuristic", "random"], games=4, out=path).played) == 4


def test_a_player_that_only_a_script_knows_is_refused_by_workers_in_a_sentence() -> None:
    class Mine(Random):
        name = "mine"

    offer(Mine())
    try:
        assert len(arena(GAME, ["mine", "random"], games=2).played) == 2
        with pytest.raises(TeerlingError, match="use workers=1"):
            arena(GAME, ["mine", "random"], games=2, workers=2)
    finally:
        del base._players["mine"]


def test_players_that_have_changed_are_not_mixed_with_those_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arena.jsonl"
    arena(GAME, ["novice", "random"], games=2, out=path)
    monkeypatch.setattr(contestant("novice"), "misjudgement", 9.0)
    with pytest.raises(TeerlingError, match="not what they are now"):
        arena(GAME, ["novice", "random"], games=2, out=path)


@pytest.mark.parametrize("changed", ["teerling.players.simple", "teerling.lab.duplicate", "Random"])
def test_players_and_deals_whose_code_has_changed_are_not_mixed_either(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arena.jsonl"
    arena(GAME, ["novice", "random"], games=2, out=path)
    arena(GAME, ["novice", "random"], games=2, out=path)
    source_of = contests.source_of

    def another(thing: Any) -> str:
        return source_of(thing) + "HASTE = 2\n" * (thing.__name__ == changed)

    monkeypatch.setattr(contests, "source_of", another)
    with pytest.raises(TeerlingError, match="not what they are now"):
        arena(GAME, ["novice", "random"], games=2, out=path)


def test_an_interrupt_gives_what_there_is(tmp_path: Path) -> None:
    def stop(done: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    path = tmp_path / "arena.jsonl"
    result = arena(GAME, ["heuristic", "random"], games=40, out=path, progress=stop)
    assert result.stopped
    assert (result.deals, len(path.read_text().splitlines())) == (2, 6)


def test_an_interrupt_before_a_deal_is_complete_has_nothing_to_tell(tmp_path: Path) -> None:
    def stop(done: int) -> None:
        if done:
            raise KeyboardInterrupt

    path = tmp_path / "arena.jsonl"
    with pytest.raises(TeerlingError, match="stopped before a deal was played by every seating"):
        arena(GAME, ["heuristic", "random"], games=4, out=path, progress=stop)
    assert len(arena(GAME, ["heuristic", "random"], games=4, out=path).played) == 4


def test_a_signal_stops_all_workers_and_leaves_a_file_to_go_on_with(tmp_path: Path) -> None:
    path = tmp_path / "arena.jsonl"
    command = [*COMMAND, "arena", GAME, "heuristic", "random", "--games", "1000000", "--out", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 120
    while (not path.exists() or path.read_bytes().count(b"\n") < 9) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped early" in said
    while others_in_session(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not others_in_session(process.pid)
    known = path.read_bytes().count(b"\n")
    assert len(arena(GAME, ["heuristic", "random"], games=4, out=path).played) == 4
    assert known > 8


def others_in_session(session: int) -> list[int]:
    """The processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if os.getsid(int(entry.name)) == session:
                    found.append(int(entry.name))
            except ProcessLookupError:
                continue
    return found


# Elsewhere


def test_a_ray_cluster_gives_the_same_result() -> None:
    pytest.importorskip("ray")
    names = ["heuristic", "random"]
    assert untimed(arena(GAME, names, games=6, ray=True)) == untimed(arena(GAME, names, games=6))


def test_without_ray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(TeerlingError, match=r"pip install 'teerling\[ray\]"):
        arena(GAME, ["random", "random"], games=2, ray=True)


def test_ray_is_not_needed_without_a_cluster() -> None:
    script = "import sys, teerling.lab; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


# Shown


@pytest.mark.parametrize(("suffix", "magic"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_a_picture_is_drawn(tmp_path: Path, suffix: str, magic: bytes) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"picture.{suffix}"
    plot(by_hand(("heuristic", "random", "random"), [[1, 2, 3], [3, 1, 2], [1, 3, 2]]), path)
    assert path.read_bytes().startswith(magic)


def test_the_same_arena_draws_the_same_picture_in_the_language_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = by_hand(("heuristic", "random"), [[1, 2], [1, 1], [1, 2], [2, 1]])
    for name, lang in (("a", "nl"), ("b", "nl"), ("c", "en")):
        plot(result, tmp_path / f"{name}.svg", lang)
    one, again, other = ((tmp_path / f"{name}.svg").read_bytes() for name in "abc")
    assert one == again != other


def run(*arguments: str) -> Result:
    """Runs the command with one worker."""
    return CliRunner().invoke(app, ["arena", *arguments, "--workers", "1"], env={"COLUMNS": "80"})


def test_the_command_prints_a_table_in_both_languages() -> None:
    for lang, word in (("en", "mean rank"), ("nl", "gem. plaats")):
        result = run(GAME, "heuristic", "random", "--games", "4", "--lang", lang)
        assert result.exit_code == 0, result.output
        assert word in result.stdout
        assert "…" not in result.stdout


def test_the_command_prints_one_json_object_that_its_own_command_repeats(tmp_path: Path) -> None:
    path = tmp_path / "arena.jsonl"
    told = json.loads(run(GAME, "heuristic", "random", "--games", "3", "--out", str(path), "--json").stdout)
    again = json.loads(run(*told["command"].split()[2:], "--json").stdout)
    assert [player["wins"] for player in told["players"]] == [player["wins"] for player in again["players"]]
    assert told["games"] == again["games"] == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([GAME, "exprt", "random"], "there is no player 'exprt'; did you mean expert?"),
        ([GAME, "random"], "Rapido is for 2 to 6 players, not 1"),
        ([GAME, "plain:0", "random"], "'0' is not a budget for the player plain"),
        ([GAME, "random", "random", "--games", "0"], "games is a number from 1 to 1000000, not 0"),
        ([GAME, "random", "random", "--plot", "x.txt"], "a picture ends in"),
        ([GAME, "random", "random", "--out", "/nowhere/at/all"], "No such file"),
    ],
)
def test_what_the_command_refuses_ends_in_one_line_and_exit_code_2(
    arguments: list[str], message: str
) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("teerling: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


# What cannot be


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"players": ["exprt", "random"]}, "there is no player 'exprt'; did you mean expert"),
        ({"players": ["random"]}, "Rapido is for 2 to 6 players, not 1"),
        ({"players": ["plain:0", "random"]}, "'0' is not a budget for the player plain"),
        ({"players": ["cheat:x", "random"]}, "'x' is not a budget for the player cheat"),
        ({"players": ["random:5", "random"]}, "the player random has no setting"),
        ({"games": 0}, "games is a number from 1"),
        ({"seed": -1}, "seed is a number from 0"),
        ({"workers": 0}, "workers is a number from 1"),
        ({"options": {"gaol": 1}}, "Rapido has no option gaol"),
        ({"game": "rapidoo"}, "did you mean rapido"),
    ],
)
def test_what_can_not_be_played_is_refused_by_name(
    wrong: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "arena.jsonl"
    with pytest.raises(TeerlingError, match=message):
        arena(**{"game": GAME, "players": ["random", "random"], "games": 2, "out": path, **wrong})
    assert not path.exists()


# Who cheats


def test_a_cheat_sees_the_whole_state_and_everybody_else_what_the_seat_may() -> None:
    match = teerling.new("dicerun", players=3, seed=5)
    seat = match.turn
    assert seat is not None
    assert observation_for(CHEAT, match, seat).seen == match.state
    assert observation_for(CHEAT, match, seat).sees_all
    assert observation_for(contestant("plain"), match, seat).seen == match.seen(seat) != match.state
    assert not observation_for(contestant("plain"), match, seat).sees_all
    assert isinstance(contestant("cheat:50"), Cheat)


@pytest.mark.parametrize(("game", "secrets"), [("dicerun", True), ("ra", False)])
def test_a_cheat_tells_apart_what_others_draw_also_in_its_tree(game: str, secrets: bool) -> None:
    match = teerling.new(game, players=3, seed=5)
    assert match.turn is not None
    sees_all = observation_for(CHEAT, match, match.turn)
    trees = [Tree(each, SearchSettings(), 50, 0, 1) for each in (sees_all, replace(sees_all, sees_all=False))]
    for tree in trees:
        tree.try_out(50)
    cheating, blind = (set(tree.nodes["key"].tolist()) for tree in trees)
    assert (cheating != blind) == secrets


@pytest.mark.parametrize("game", ["dicerun", "ra", "priests"])
def test_whoever_sees_everything_has_nothing_to_imagine(game: str) -> None:
    options = {"fame": "hidden"} if game != "dicerun" else {}
    match = teerling.new(game, players=3, seed=5, **options)
    chooser = contestant("random")
    for number in range(60):
        if match.turn is None or match.turn == CHANCE:
            break
        for seat in range(3):
            assert match.game.imagined(match.state, seat, [number]) == match.state
        match.push(chooser.choose(observation_for(chooser, match, match.turn), number).move)


def test_no_table_offers_a_cheat() -> None:
    assert all("cheat" not in player.name for player in (*players(), *levels()))
    with pytest.raises(TeerlingError, match="there is no player 'cheat'"):
        teerling.players.player("cheat")


# Results without luck


def test_luck_is_measured_where_somebody_searches_or_where_it_is_asked_for() -> None:
    game = teerling.game(GAME)
    assert Contest.between(game, ["heuristic", "random"], 1).luck == 0
    assert Contest.between(game, ["search:10", "random"], 1).luck == contests.USUAL_LUCK
    assert Contest.between(game, ["search:10", "random"], 1, luck=0).luck == 0
    assert Contest.between(game, ["heuristic", "random"], 1, luck=3).luck == 3
    with pytest.raises(TeerlingError, match="luck is a number from 0 to 10000, not -1"):
        Contest.between(game, ["heuristic", "random"], 1, luck=-1)


def test_results_without_luck_stand_beside_the_plain_ones() -> None:
    result = arena(GAME, ["heuristic", "random"], games=60, seed=1, luck=2)
    plain = arena(GAME, ["heuristic", "random"], games=60, seed=1)
    for with_luck, without in zip(result.standings, plain.standings, strict=True):
        assert with_luck.win_rate == without.win_rate
        assert with_luck.interval == without.interval
        assert without.adjusted is without.adjusted_interval is without.saved is None
        assert with_luck.adjusted_interval is not None
        assert with_luck.adjusted is not None
        low, high = with_luck.adjusted_interval
        assert low < with_luck.adjusted < high
    assert sum(standing.adjusted or 0 for standing in result.standings) == pytest.approx(1)
    assert all(sum(match.luck) == pytest.approx(0, abs=1e-9) for match in result.played)
    assert result.as_dict()["players"][0]["adjusted"] == result.standings[0].adjusted
    assert "--luck 2" in result.command


def test_luck_of_too_few_deals_says_nothing() -> None:
    result = arena(GAME, ["heuristic", "random"], games=8, seed=1, luck=1)
    assert result.results.luck is not None
    assert all(standing.adjusted is None for standing in result.standings)


def test_a_file_keeps_luck_and_is_refused_where_it_was_measured_otherwise(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    one = arena(GAME, ["heuristic", "random"], games=4, seed=1, luck=1, out=out)
    again = arena(GAME, ["heuristic", "random"], games=4, seed=1, luck=1, out=out)
    assert again.played == one.played
    with pytest.raises(TeerlingError, match="measures luck by 1 playouts, not by 2"):
        arena(GAME, ["heuristic", "random"], games=4, seed=1, luck=2, out=out)


def test_without_luck_the_mean_stays_and_the_interval_holds_what_it_says() -> None:
    """Equal players in many arenas, made up: half the wins, and 93 to 97 % of the intervals hold that."""
    rng = np.random.default_rng(5)
    plain, adjusted, held, widths = [], [], [], []
    for _ in range(3000):
        luck = rng.normal(0, 0.45, 60)
        won = (0.5 + luck + rng.normal(0, 0.35, 60) > 0.5).astype(float)
        measured = luck + rng.normal(0, 0.3, 60)
        found = without_luck(won, measured)
        low, high = mean_interval(found, 0, 1)
        held.append(low <= 0.5 <= high)
        widths.append((high - low) / np.diff(mean_interval(won, 0, 1))[0])
        plain.append(won.mean())
        adjusted.append(found.mean())
    for means in (plain, adjusted):
        assert abs(np.mean(means) - 0.5) < 3 * np.std(means) / sqrt(len(means))
    assert 0.93 <= np.mean(held) <= 0.97
    assert np.mean(widths) < 0.9
    assert np.std(adjusted) < 0.9 * np.std(plain)
