"""Luck: it adds up with what decisions changed, its mean is zero, and a value that peeks is found out."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import teerling
from teerling import Match
from teerling.engine.compile import bind
from teerling.engine.kernels.value import NOTHING, workspace_fields
from teerling.engine.record import filled
from teerling.lab.luck import Line, luck_of, sure_luck_of, sureness
from teerling.lab.standings import mean_interval, without_luck
from teerling.lab.value import Values
from teerling.players.parameters import scratch_for

GAMES = [game.id for game in teerling.list_games()]
MATCHES = 20_000
MOST_ERRORS = 3.0
"""So many standard errors a mean of luck may lie from zero."""


@cache
def played(id: str, players: int, seed: int = 3, level: str = "casual") -> Match:
    """A match that is over, played by players of a level."""
    match = teerling.new(id, players=players, seed=seed)
    player = teerling.player(level)
    while not match.over:
        match.push(player.choose(match, len(match.history)).move)
    return match


def every_count() -> Iterator[tuple[str, int]]:
    return ((game.id, players) for game in teerling.list_games() for players in game.players)


@pytest.mark.parametrize(("id", "players"), list(every_count()))
def test_start_luck_and_changes_add_up_to_the_result(id: str, players: int) -> None:
    match = played(id, players)
    line = Line(match)
    line.play(1, threads=2)
    account = line.account()
    total = account.start + account.luck.sum(axis=0) + account.changes.sum(axis=0)
    shares = np.array([seat in match.winners for seat in range(players)]) / len(match.winners)
    assert account.result == pytest.approx(shares, abs=1e-12)
    assert total == pytest.approx(shares, abs=1e-9)
    assert account.curve[-1] == pytest.approx(shares, abs=1e-9)
    assert account.luck.sum(axis=1) == pytest.approx(0, abs=1e-9), "what one wins by luck another loses"
    chances = np.array([move.chance for move in match.history])
    assert not account.luck[~chances].any()
    assert not account.changes[chances].any()


def test_luck_is_the_value_of_what_came_less_the_mean_of_all_that_could_have_come() -> None:
    match = played("rapido", 3)
    line = Line(match)
    line.play(5)
    place = next(place for place, move in enumerate(match.history) if place > 40 and move.chance)
    before = match.upto(place)
    values = {}
    for move, _ in before.chances:
        found = np.zeros((1, 3))
        after = before.preview(move).state
        at_once = Values(match.game, [after])
        at_once.add(at_once.tasks([(0, NOTHING, NOTHING)], playouts=5), found)
        values[move] = found[0] / 5
    mean = sum(float(chance) * values[move] for move, chance in before.chances)
    assert line.account().luck[place] == pytest.approx(values[match.history[place]] - mean, abs=1e-12)


def test_where_one_event_follows_a_decision_it_changed_the_mean_value_after_less_the_value_before() -> None:
    match = played("ra", 3)
    line = Line(match)
    line.play(2, threads=2)
    account, values = line.account(), line.sums / 2
    events = dict(line.events)
    turns = [state.turn for state in match.states]
    places = [p for p in range(1, len(turns) - 2) if turns[p] >= 0 and turns[p + 1] < 0 <= turns[p + 2]]
    assert len(places) > 20
    for place in places:
        mean = sum(chance * values[row] for row, chance in events[place + 1])
        assert account.changes[place] == pytest.approx(mean - values[place], abs=1e-9)


def test_values_do_not_depend_on_what_nature_has_in_store() -> None:
    one, other = (teerling.new("ra", players=3, seed=seed) for seed in (7, "7 or another"))
    for match in (one, other):
        assert match.copy().seed is None
    lines = [Values(match.game, match.states[:1]) for match in (one, other)]
    sums = [np.zeros((1, 3)) for _ in lines]
    for values, found in zip(lines, sums, strict=True):
        values.add(values.tasks([(0, NOTHING, NOTHING)], playouts=8), found)
    assert (sums[0] == sums[1]).all()


def test_rounds_and_threads_change_nothing_in_the_values() -> None:
    match = played("rapido", 2)
    at_once, in_rounds = Line(match), Line(match)
    at_once.play(6, threads=1)
    in_rounds.play(2, threads=2)
    for _ in in_rounds.round(4, threads=2):
        pass
    assert in_rounds.playouts == 6
    assert in_rounds.sums == pytest.approx(at_once.sums, abs=1e-9)
    list(zip(in_rounds.round(4), range(1), strict=False))
    assert in_rounds.playouts == 6, "a round that is cut short does not count"


def test_luck_counts_as_far_as_it_is_found_twice() -> None:
    """Values with errors as large as what is real: half of what two of them together tell is sure."""
    draw = np.random.default_rng(5)
    events = [(0, [(5 * number + outcome, 0.2) for outcome in range(5)]) for number in range(2000)]
    real, one, other = draw.normal(size=(3, 10_000, 1))
    halves = sureness(events, real + one, real + other)
    assert halves.mean() == pytest.approx(1 / (1 + 1 / 2), abs=0.05)
    assert sureness(events, one, other).mean() < 0.2
    assert sureness(events, real, real) == pytest.approx(1)


def test_sure_luck_is_less_than_luck_and_what_one_wins_by_it_another_loses() -> None:
    matches = [played("rapido", 2, seed, "random") for seed in range(8)]
    plain, sure = (np.array([of(match, 4) for match in matches]) for of in (luck_of, sure_luck_of))
    assert np.abs(sure).mean() < np.abs(plain).mean()
    assert sure.sum(axis=1) == pytest.approx(0, abs=1e-9)
    assert luck_of(matches[0], 1) == sure_luck_of(matches[0], 1)


@pytest.mark.slow
def test_the_mean_of_sure_luck_is_zero_too() -> None:
    """What weighs luck looks at all outcomes alike: by the one that came it would be found out here."""
    start = teerling.new("rapido", players=2, seed=1, goal=9)
    brought = np.array([sure_luck_of(random_match(start, seed), 2)[0] for seed in range(1000)])
    assert abs(brought.mean()) < MOST_ERRORS * brought.std() / np.sqrt(len(brought))


def random_match(start: Match, seed: int) -> Match:
    """A match by random players, over after few moves."""
    chooser = Random(seed)
    match = teerling.new(start.game.id, players=start.players, seed=seed, **start.options)
    while not match.over:
        match.push(chooser.choice(match.legal_moves))
    return match


def test_a_match_that_is_not_over_has_no_account() -> None:
    with pytest.raises(teerling.TeerlingError, match="the match is not over"):
        Line(teerling.new("ra", players=3, seed=1))


# The mean of luck


@dataclass(frozen=True)
class MeanLuck:
    """The mean of luck and its standard error: by kind of event, and by seat from who decided last."""

    kinds: list[str]
    counts: NDArray[np.int64]
    means: NDArray[np.float64]
    errors: NDArray[np.float64]
    won: NDArray[np.float64]
    """By match, the share of the win of seat 0."""
    brought: NDArray[np.float64]
    """By match, the luck of seat 0."""

    def off(self) -> NDArray[np.float64]:
        """By how many standard errors each mean lies from zero."""
        found: NDArray[np.float64] = np.abs(self.means) / np.maximum(self.errors, 1e-12)
        return found


def mean_luck(
    id: str, players: int, matches: int, seed: int, peeks: bool = False, whole: bool = False, **options: Any
) -> MeanLuck:
    """The luck of a few events of every kind, or of all, in each of many random matches."""
    game = teerling.game(id)
    start = game.start(players, game.check_options(options))
    values = Values(game, [start])
    of = [text.split()[0] for text in game.outcomes]
    names = sorted(set(of))
    kinds = np.array([names.index(name) for name in of])
    history = played(id, players, level="random").history
    seen = [move.parts[0] for move in history if move.chance]
    one_in = np.array([1 if whole else max(1, seen.count(name)) for name in names])
    desk = [("line", "u8", 1), ("lot", "u8", 1), ("seen", "u8", 1), ("luck", "f8", game.players[-1]),
            ("answers", "i2", len(kinds))]  # fmt: skip
    room = scratch_for(game, workspace_fields(game.players[-1]))
    counts, won, brought = np.zeros(len(names), np.int64), np.zeros(matches), np.zeros(matches)
    sums, squares = np.zeros((len(names), players)), np.zeros((len(names), players))
    bind(game.rules.__name__, "tests.lab.lucky_matches").lucky_matches(
        values.states, values.states.copy(), values.states.copy(), values.settings,
        np.zeros(1, room), filled(desk), kinds, one_in, seed, matches, peeks, counts, sums, squares,
        won, brought,
    )  # fmt: skip
    had = counts > 1
    number = counts[had, None]
    means = sums[had] / number
    errors = np.sqrt((squares[had] / number - means**2) / number)
    known = [name for name, some in zip(names, had, strict=True) if some]
    return MeanLuck(known, counts[had], means, errors, won, brought)


@pytest.mark.slow
@pytest.mark.parametrize("id", GAMES)
def test_the_mean_of_luck_is_zero_for_every_kind_of_event(id: str) -> None:
    found = mean_luck(id, teerling.game(id).usual_players, MATCHES, seed=11)
    assert found.counts.max() >= MATCHES / 2
    assert found.off().max() < MOST_ERRORS, (found.kinds, found.means, found.errors)


def test_a_value_that_peeks_is_found_out_by_the_mean_of_its_luck() -> None:
    assert mean_luck("rapido", 4, MATCHES, seed=11, peeks=True).off().max() > MOST_ERRORS


@pytest.mark.slow
def test_results_without_luck_are_unbiased_and_their_intervals_hold_what_they_say() -> None:
    """Two equal players in 500 arenas of 40 deals: half the wins, and 93 to 97 % of the intervals hold it."""
    found = mean_luck("rapido", 2, MATCHES, seed=5, whole=True, goal=9)
    even = found.won.mean()
    assert abs(even - 0.5) < MOST_ERRORS * found.won.std() / np.sqrt(MATCHES)
    plain, adjusted, held = [], [], []
    for won, luck in zip(np.split(found.won, 500), np.split(found.brought, 500), strict=True):
        without = without_luck(won, luck)
        low, high = mean_interval(without, 0, 1)
        held.append(low <= 0.5 <= high)
        plain.append(won.mean())
        adjusted.append(without.mean())
    for means in (plain, adjusted):
        assert abs(np.mean(means) - 0.5) < MOST_ERRORS * np.std(means) / np.sqrt(len(means))
    assert 0.93 <= np.mean(held) <= 0.97
