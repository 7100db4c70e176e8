"""Recorded matches still load, and go as they went."""

import pytest

import teerling
from tests.golden.__main__ import PAGE_OF_MOVES, all_moves
from tests.golden.recording import Recording, is_in_full, path_of, recordings
from tests.variants import GAMES, VARIANTS, Variant

QUICK = {path_of(Variant(game, 3)).stem for game in GAMES}
"""What `make check` looks at."""
RECORDINGS = [
    pytest.param(recording, id=str(recording), marks=[] if recording.path.stem in QUICK else pytest.mark.slow)
    for recording in recordings()
]


@pytest.mark.parametrize("recording", RECORDINGS)
def test_a_recorded_match_goes_as_it_went(recording: Recording) -> None:
    difference = recording.difference()
    if difference:
        pytest.fail(difference, pytrace=False)


@pytest.mark.parametrize("recording", RECORDINGS)
def test_a_recorded_match_is_saved_as_it_was(recording: Recording) -> None:
    assert teerling.load(recording.text).save() == recording.match_file


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_variant_is_recorded_by_the_present_rules(variant: Variant) -> None:
    assert path_of(variant).exists(), "`make golden` records it"


@pytest.mark.parametrize("game", GAMES)
def test_one_match_of_every_game_stands_there_in_words(game: str) -> None:
    usual = Variant(game, teerling.game(game).usual_players)
    assert is_in_full(usual.new())
    assert "# board." in path_of(usual).read_text(encoding="utf-8")


def test_ids_and_texts_of_moves_are_those_of_the_documentation() -> None:
    assert all_moves() == PAGE_OF_MOVES.read_text(encoding="utf-8")
