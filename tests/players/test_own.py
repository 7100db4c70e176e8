"""Players of one's own: one method is enough; and what the players at the front door are given."""

from typing import Any

import pytest

import teerling
from teerling import TeerlingError, players
from teerling.lab import arena
from teerling.players import base
from teerling.words import Speaker


class Last:
    """Takes the last of its legal moves.

    It asks for nothing else.
    """

    def choose(self, observation: players.Observation, seed: int) -> teerling.Move:
        return observation.legal_moves[-1]


class Named:
    name, character = "named", "Says what it takes."

    def __init__(self, text: Any = "draw") -> None:
        self.text = text
        self.given: list[object] = []

    def choose(self, observation: players.Observation, seed: int) -> Any:
        self.given.append((observation, seed))
        return self.text

    def with_setting(self, setting: str) -> "Named":
        return Named(setting)


@pytest.fixture(autouse=True)
def known_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_players", dict(base._players))


@pytest.fixture
def match() -> teerling.Match:
    return teerling.new("ra", players=3, seed=7)


def test_a_player_needs_nothing_but_a_way_to_choose(match: teerling.Match) -> None:
    last = players.offer(Last())
    assert (last.name, last.character) == ("last", "Takes the last of its legal moves.")
    assert teerling.player("last").choose(match) == teerling.Choice(match.legal_moves[-1])
    with pytest.raises(TeerlingError, match="the player last has no setting"):
        teerling.player("last:3")


def test_what_a_player_says_of_itself_is_kept(match: teerling.Match) -> None:
    named = players.offer(Named())
    assert (named.name, named.character) == ("named", "Says what it takes.")
    assert teerling.player("named:invoke").choose(match).move.text == "invoke"


def test_a_player_of_ones_own_is_given_what_the_seat_to_move_knows_and_never_the_match() -> None:
    match, own = teerling.new("dicerun", players=3, seed=1), Named("bid 1")
    own.text = match.legal_moves[0].text
    base.as_player(own).choose(match)
    base.as_player(own).choose(players.observe(match), seed=5)
    assert match.turn is not None
    assert own.given == [(players.observe(match, match.turn), base.DEFAULT_SEED), (players.observe(match), 5)]


def test_what_is_chosen_is_a_move_its_text_or_a_choice(match: teerling.Match) -> None:
    draw = match.game.move("draw")
    for chosen in (draw, "draw", players.Choice(draw)):
        assert base.as_player(Named(chosen)).choose(match) == players.Choice(draw)
    with pytest.raises(TeerlingError, match="the player named has to choose a move, not None"):
        base.as_player(Named(None)).choose(match)
    with pytest.raises(teerling.UnknownMove, match="did you mean 'draw'"):
        base.as_player(Named("drow")).choose(match)


def test_what_cannot_choose_is_refused() -> None:
    nobody: Any = object()
    with pytest.raises(TeerlingError, match=r"object is not a player: it needs a method choose\("):
        players.offer(nobody)
    a_class: Any = Last
    with pytest.raises(TeerlingError, match=r"Last is a class; a player is an object, like Last\(\)"):
        players.offer(a_class)


def test_a_player_of_ones_own_plays_in_the_arena() -> None:
    result = arena("rapido", [Last(), "random"], games=2, seed=1)
    assert [standing.name for standing in result.standings] == ["last", "random"]


@pytest.mark.parametrize("name", ["random", "casual", "heuristic", "search:20", "plain:20"])
def test_every_player_takes_a_match_or_what_the_seat_to_move_may_know_of_it(name: str) -> None:
    match = teerling.new("rapido", players=3, seed=4)
    player = teerling.player(name)
    assert player.choose(match) == player.choose(players.observe(match), seed=base.DEFAULT_SEED)


@pytest.mark.parametrize("name", ["random", "casual", "search:20"])
def test_nobody_chooses_for_nature_or_when_all_is_over(name: str) -> None:
    match = teerling.new("rapido", players=2, chance="manual")
    with pytest.raises(TeerlingError, match="nature is to answer first"):
        teerling.player(name).choose(match)
    over = teerling.at("rapido", {"players": 2, "phase": "over", "seats": [{"step": 21}, {}]})
    assert over.over
    with pytest.raises(TeerlingError, match="the match is over"):
        teerling.player(name).choose(over)


def test_a_hint_in_words_is_the_best_move_and_its_reason() -> None:
    match = teerling.new("rapido", players=2, seed=7)
    hint = teerling.hint(match, player="search:100")
    assert hint.seat == match.turn
    reason = hint.reason.said(Speaker("en", match.game))
    assert hint.text() == f"The best move is “{hint.best.text}”. {reason}"
    assert hint.text("nl").startswith("De beste zet is “")
    with pytest.raises(TeerlingError, match="no language 'fr'"):
        hint.text("fr")
