"""What holds for players that search, in every game."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import teerling
from teerling import Match, Move, TeerlingError, players
from teerling.engine.compile import bind
from teerling.engine.kernels.search import workspace_fields
from teerling.games.dicerun.evaluation import VALUE_SCALE
from teerling.players.parameters import parameters_for, scratch_for
from teerling.players.search import CHUNK, PLAIN, SEARCH, TREES, Search, SearchSettings, Tree, grown
from tests.test_secrecy import other_pasts, played
from tests.variants import GAMES, Variant

SEARCHES = [Search("advised", "", 300), Search("plain", "", 300, settings=PLAIN)]


def some_choices(game: str, most: int = 3, **options: Any) -> Iterator[Match]:
    """A match at decisions with a choice, spread over its course; random players bring it there."""
    match = teerling.new(game, players=teerling.game(game).players[-1], seed="choices", **options)
    choices = 0
    while not match.over and choices < most * 25:
        if len(match.legal_moves) > 1:
            choices += 1
            if choices % 25 == 1:
                yield match
        match.push(players.player("random").choose(players.observe(match, seat_of(match)), choices).move)


def seat_of(match: Match) -> int:
    assert match.turn is not None
    return match.turn


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
def test_a_search_repeats_itself_for_the_same_seed_and_budget(game: str, search: Search) -> None:
    for match in some_choices(game):
        observation = players.observe(match, seat_of(match))
        first = search.choose(observation, seed=5)
        assert search.choose(observation, seed=5) == first
        assert {estimate.move for estimate in first.estimates} == set(match.legal_moves)
        assert sum(estimate.playouts for estimate in first.estimates) == search.playouts


@pytest.mark.parametrize("game", GAMES)
def test_another_seed_makes_other_estimates(game: str) -> None:
    observation = next(players.observe(match, seat_of(match)) for match in some_choices(game))
    assert (
        SEARCHES[0].choose(observation, seed=5).estimates != SEARCHES[0].choose(observation, seed=6).estimates
    )


@pytest.mark.parametrize("name", ["random", "novice", "casual", "club:200", "plain:300"])
@pytest.mark.parametrize("players_", [2, 4])
def test_what_others_hold_changes_no_decision(name: str, players_: int) -> None:
    match = played(Variant("dicerun", players_), decisions=3 * players_)
    while len(match.legal_moves) < 2:
        match.pop()
    seat = seat_of(match)
    pasts = list(other_pasts(match, seat, most=3))
    assert pasts, "there is something to change"
    player = players.player(name)
    choice = player.choose(players.observe(match, seat), seed=3)
    for changed in pasts:
        assert changed.state != match.state
        assert player.choose(players.observe(changed, seat), seed=3) == choice


@pytest.mark.parametrize("game", ["ra", "priests"])
def test_hidden_fame_changes_no_decision(game: str) -> None:
    for match in some_choices(game, fame="hidden"):
        seat = seat_of(match)
        choice = SEARCHES[0].choose(players.observe(match, seat), seed=3)
        position = match.position()
        position["seats"][(seat + 1) % match.players]["fame"] += 7
        changed = teerling.at(game, position, chance="manual")
        assert changed.state != match.state
        observation = replace(players.observe(changed, seat), history=())
        assert SEARCHES[0].choose(observation, seed=3) == choice


def test_the_only_legal_move_is_made_without_thinking() -> None:
    match = teerling.new("ra", players=3, seed=7)
    while len(match.legal_moves) > 1:
        match.push(match.legal_moves[-1])
    assert players.player("master").choose(players.observe(match, seat_of(match)), seed=1).estimates == ()


def checked_tree(match: Match, settings: SearchSettings = SEARCHES[0].settings) -> Tree:
    """A tree of the decision that is compiled with bounds checks."""
    tree = Tree(players.observe(match, seat_of(match)), settings, 200, 0, 9)
    tree.kernel = bind(match.game.rules.__name__, SEARCH, "checked")
    return tree


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("settings", [SearchSettings(), PLAIN], ids=["advised", "plain"])
def test_bounds_hold_in_the_tree_and_change_nothing(game: str, settings: SearchSettings) -> None:
    """Compiled with bounds checks, the kernel finds the same."""
    for match in some_choices(game):
        fast = Tree(players.observe(match, seat_of(match)), settings, 200, 0, 9)
        checked = checked_tree(match, settings)
        for tree in (fast, checked):
            tree.grow(200, float("inf"))
        assert np.array_equal(fast.tried, checked.tried)
        assert fast.steps == checked.steps > 0


def test_what_is_known_again_is_the_same_node() -> None:
    """After one more throw of Pig there is a node for each face but the one; no playout adds another."""
    from tests.sixth.pig import game

    state = game.start(2, game.check_options({"goal": 20}))
    state.turn, state.turn_points = 0, 2
    tree = Tree(players.Observation(game, 0, state), PLAIN, 400, 0, 1)
    tree.workspace = np.zeros(1, scratch_for(game, workspace_fields(2, deepest=2)))
    tree.grow(400, float("inf"))
    after_throwing_twice = {2 + first + second for first in range(2, 7) for second in range(2, 7)}
    assert len(after_throwing_twice) < tree.nodes[0]["nodes"] < 60


def test_a_tree_does_not_grow_beyond_its_evaluation() -> None:
    """At the last card of a round every move ends it: a search that looks no further has one node."""
    match = teerling.new("dicerun", players=3, seed=1, piles="even", start="random")
    chooser = random.Random(1)

    def ends_the_round(move: Move) -> bool:
        before = match.state.round
        match.push(move)
        after = match.state.round
        match.pop()
        return bool(after > before)

    while len(match.legal_moves) == 1 or not all(map(ends_the_round, match.legal_moves)):
        match.push(chooser.choice(match.legal_moves))
    observation = players.observe(match, seat_of(match))
    for settings, alone in (
        (SearchSettings(), True),
        (SearchSettings(evaluation=False), False),
        (PLAIN, False),
    ):
        tree = Tree(observation, settings, 300, 0, 1)
        tree.grow(300, float("inf"))
        assert (int(tree.nodes[0]["nodes"]) == 1) is alone


def test_a_full_tree_goes_on_with_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("teerling.players.search.MOST_NODES", 5)
    match = teerling.new("rapido", players=4, seed=7)
    tree = Tree(players.observe(match, seat_of(match)), PLAIN, 300, 0, 1)
    tree.grow(300, float("inf"))
    assert tree.nodes[0]["nodes"] == 5
    assert tree.tried["playouts"].sum() == 300


def test_a_search_out_of_time_decides_with_what_it_has() -> None:
    match = teerling.new("rapido", players=4, seed=7)
    hurried = Search("hurried", "", 1_000_000, seconds=0.0)
    club = players.level("club")
    assert isinstance(club, Search)
    for search in (hurried, replace(club, seconds=0.0)):
        estimates = search.estimate(players.observe(match, seat_of(match)), seed=1)
        assert sum(estimate.playouts for estimate in estimates) == TREES * CHUNK, search.name


def test_trees_that_grow_in_turns_are_those_that_grow_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    match = teerling.new("rapido", players=4, seed=7)
    observation = players.observe(match, seat_of(match))
    search = Search("search", "", 333)
    together = search.estimate(observation, seed=1)
    monkeypatch.setattr("teerling.players.search.threads", 1)
    assert search.estimate(observation, seed=1) == together
    trees = grown(Search("timed", "", 1_000_000, seconds=0.05), observation, seed=1)
    assert abs(trees[0].done - trees[1].done) <= CHUNK


@pytest.mark.parametrize(
    "setting",
    ["0", "0ms", "-5", "", "many", "5m", "1.5", "9999999999", pytest.param("9" * 5000, id="digits"), "500ms"],
)
def test_a_budget_of_nothing_or_nonsense_is_refused(setting: str) -> None:
    with pytest.raises(TeerlingError, match="is not a budget for the player plain"):
        players.player(f"plain:{setting}")


@pytest.mark.parametrize("setting", ["250,margin=0.2", "50ms,noise=2,openness=0,evaluation=0"])
def test_other_settings_can_be_tried_out(setting: str) -> None:
    player = players.player(f"search:{setting}")
    assert isinstance(player, Search)
    assert player.settings == (
        SearchSettings(margin=0.2)
        if "margin" in setting
        else SearchSettings(noise=2, openness=0, evaluation=False)
    )
    for match in some_choices("ra", most=1):
        assert player.choose(players.observe(match, seat_of(match)), seed=1).move in match.legal_moves


@pytest.mark.parametrize(
    "change", ["", "margin", "margin=", "margin=1.1", "evaluation=0.5", "noise=-1", "advised=0", "x=1"]
)
def test_what_is_no_setting_is_refused(change: str) -> None:
    with pytest.raises(TeerlingError, match="changes nothing in how the player search thinks"):
        players.player(f"search:250,{change}")
    with pytest.raises(TeerlingError, match="is not a budget for the player plain"):
        players.player("plain:2000,margin=0.2")


def test_the_yardstick_does_not_change() -> None:
    plain = players.player("plain")
    assert isinstance(plain, Search)
    assert plain.settings == PLAIN
    assert (PLAIN.advised, PLAIN.exploration, PLAIN.margin, PLAIN.caution) == (False, 0.7, 0.0, 1.0)


@pytest.mark.parametrize(("exploration", "caution"), [(1.0, 0.0), (100.0, 0.5)])
@pytest.mark.parametrize(("evaluation", "value_scale"), [(True, VALUE_SCALE), (False, 1.0)])
def test_exploration_and_caution_are_measured_in_the_value_scale_where_playouts_end_in_an_evaluation(
    monkeypatch: pytest.MonkeyPatch, evaluation: bool, value_scale: float, exploration: float, caution: float
) -> None:
    match = next(some_choices("dicerun"))
    observation = players.observe(match, seat_of(match))
    settings = SearchSettings(exploration=exploration, caution=caution, evaluation=evaluation)
    found = Search("", "", 300, settings=settings).estimate(observation, seed=1)
    in_wins = replace(settings, exploration=value_scale * exploration, caution=value_scale * caution)
    parameters = replace(parameters_for(match.game), value_scale=1.0)
    monkeypatch.setattr("teerling.players.search.parameters_for", lambda game: parameters)
    assert found == Search("", "", 300, settings=in_wins).estimate(observation, seed=1)


def test_a_budget_is_playouts_or_time() -> None:
    by_number, by_time = players.player("search:250"), players.player("search:50ms")
    assert isinstance(by_number, Search)
    assert isinstance(by_time, Search)
    assert (by_number.playouts, by_number.name) == (250, "search:250")
    assert by_time.seconds == 0.05


def test_unknown_players_and_settings_are_refused_with_a_hint() -> None:
    with pytest.raises(TeerlingError, match="did you mean master"):
        players.player("mister")
    with pytest.raises(TeerlingError, match="the player random has no setting"):
        players.player("random:5")


@pytest.mark.parametrize("name", ["random", "casual", "club", "plain:300"])
def test_nobody_decides_for_a_seat_that_is_not_to_move(name: str) -> None:
    match = teerling.new("ra", players=3, seed=7)
    other = (seat_of(match) + 1) % 3
    with pytest.raises(TeerlingError, match=f"seat {other} is not to move"):
        players.player(name).choose(players.observe(match, other), seed=1)


def test_levels_are_named_from_weak_to_strong_and_take_more_and_more_playouts() -> None:
    assert [level.name for level in players.levels()] == [
        "random", "novice", "casual", "club", "expert", "master",
    ]  # fmt: skip
    searching = [level for level in players.levels() if isinstance(level, Search)]
    assert all(weaker.playouts < stronger.playouts for weaker, stronger in pairwise(searching))
    assert [level.seconds for level in searching] == [0.1, 1.0, 3.0]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
def test_a_won_game_is_won(search: Search) -> None:
    """In Pig, holding wins at once, and throwing loses it with every sixth throw."""
    from tests.sixth.pig import game

    state = game.start(2, game.check_options({"goal": 20}))
    state.turn, state.turn_points, state.points[0], state.points[1] = 0, 10, 10, 19
    observation = players.Observation(game, 0, state)
    choice = search.choose(observation, seed=2)
    assert choice.move.text == "hold"
    assert choice.estimates[0].win == 1.0
