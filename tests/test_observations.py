"""What a seat knows in numbers: declared, described, within its limits, and nothing that it may not know."""

from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import teerling
from teerling.errors import TeerlingError
from teerling.lab.observations import encoding_of, numbers
from tests.golden.__main__ import PAGE_OF_OBSERVATIONS, all_observations
from tests.test_secrecy import SECRETIVE, other_pasts, played
from tests.variants import VARIANTS, Variant, play


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_numbers_have_names_and_stay_within_their_limits(variant: Variant) -> None:
    encoding = encoding_of(teerling.game(variant.game))
    names, limits = encoding.names(variant.players), np.array(encoding.limits(variant.players))
    assert len(names) == len(limits) == encoding.size(variant.players)
    assert len(set(names)) == len(names), "every number has a name of its own"
    for index, match in enumerate(play(variant.new())):
        if index % 7 and not match.over:
            continue
        for seat in range(match.players):
            known = numbers(match, seat)
            assert (known >= limits[:, 0]).all()
            assert (known <= limits[:, 1]).all()


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_number_is_filled_in(variant: Variant) -> None:
    game = teerling.game(variant.game)
    match = played(variant, decisions=5)
    found = np.full(encoding_of(game).size(variant.players), np.nan, np.float32)
    import_module(f"{game.rules.__name__.rpartition('.')[0]}.observation").encode(match.seen(0), 0, found)
    assert not np.isnan(found).any()


@pytest.mark.parametrize("variant", SECRETIVE, ids=str)
def test_another_past_of_others_secrets_is_the_same_in_numbers(variant: Variant) -> None:
    match = played(variant, decisions=4 * variant.players)
    for seat in (0, variant.players - 1):
        pasts = list(other_pasts(match, seat, most=4))
        assert pasts, "there is something to change"
        for changed in pasts:
            assert np.array_equal(numbers(changed, seat), numbers(match, seat))


@pytest.mark.parametrize("id", ["ra", "priests"])
def test_other_hidden_fame_is_the_same_in_numbers(id: str) -> None:
    told = []
    for change in (0, 5):
        seats = [{"fame": 20}, {"fame": 20 + change}, {"fame": 20 + change}]
        position = {"players": 3, "options": {"fame": "hidden"}, "seats": seats}
        told.append(numbers(teerling.at(id, position, seed=1), 0))
    assert np.array_equal(told[0], told[1])
    known = dict(zip(encoding_of(teerling.game(id)).names(3), told[0].tolist(), strict=True))
    assert (known["self fame"], known["self fame: known"]) == (pytest.approx(0.4), 1)
    assert (known["1 on fame"], known["1 on fame: known"]) == (0, 0)


def test_the_seat_itself_comes_first_and_the_others_clockwise() -> None:
    match = teerling.at("ra", {"players": 3, "seats": [{"fame": 5}, {"fame": 10}, {"fame": 15}]}, seed=1)
    names = encoding_of(match.game).names(3)
    for seat in range(3):
        known = dict(zip(names, numbers(match, seat).tolist(), strict=True))
        fames = [known[f"{who} fame"] * 50 for who in ("self", "1 on", "2 on")]
        assert fames == pytest.approx([5 + 5 * ((seat + on) % 3) for on in range(3)])
        assert known["self turn"] == (match.turn == seat)


def test_the_page_of_observations_is_made_of_the_declarations() -> None:
    assert all_observations() == PAGE_OF_OBSERVATIONS.read_text(encoding="utf-8")


def test_a_game_that_says_nothing_in_numbers_says_so() -> None:
    silent: Any = replace(teerling.game("rapido"), rules=SimpleNamespace(__name__="json.rules"))
    with pytest.raises(TeerlingError, match=r"Rapido does not say .*: its folder has no observation\.py"):
        encoding_of(silent)
