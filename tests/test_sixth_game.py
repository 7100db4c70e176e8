"""A game is one folder: everything works for one that the package has never heard of."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

import teerling
from teerling.engine.compile import bind
from teerling.engine.record import scratch
from teerling.game import _games
from tests.variants import play


@pytest.fixture(autouse=True)
def pig() -> Iterator[teerling.Game]:
    from tests.sixth.pig import game

    yield teerling.register(game)
    del _games["pig"]


def test_a_registered_game_is_listed_after_the_five() -> None:
    assert [game.id for game in teerling.games()] == ["ra", "priests", "radice", "dicerun", "rapido", "pig"]


def test_it_is_played_saved_loaded_and_explained() -> None:
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
    assert "seat 0 throws" in match.log()[0]
    assert "Zitplaats 0 gooit" in match.log("nl")[0]


def test_its_refusals_name_its_own_rules() -> None:
    match = teerling.new("pig", players=2, seed=4)
    with pytest.raises(teerling.IllegalMove, match=r"nothing to hold yet \(PG-02\)"):
        match.push("hold")


def test_its_rules_are_compiled_with_the_same_kernels(pig: teerling.Game) -> None:
    kernel = bind(pig.rules.__name__, "teerling.engine.kernels.playout")
    start = pig.start(2, {"goal": 50}).to_array()
    scores, ranks = np.zeros((50, 2), np.int16), np.zeros((50, 2), np.int8)
    lengths, room = np.zeros(50, np.int32), np.zeros(1, scratch(2, 6))
    kernel.playouts(start, start.copy(), room, 1, 0, scores, ranks, lengths)
    assert (scores.max(axis=1) >= 50).all()
    assert ((ranks == 1).sum(axis=1) == 1).all()


def test_nothing_of_the_package_names_it() -> None:
    assert not [name for name in sys.modules if name.startswith("teerling.") and "pig" in name.split(".")]
