"""Recorded matches still load, and go as they went."""

from pathlib import Path

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


def changed(tmp_path: Path, variant: Variant, old: str, new: str) -> str:
    """What is said about the recording of a variant in which the first of some text is another."""
    text = path_of(variant).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "v1" / f"{variant}.txt"
    path.parent.mkdir()
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return Recording(path).difference() or ""


def test_a_difference_between_digests_names_the_step_and_what_is_different(tmp_path: Path) -> None:
    lines = path_of(Variant("rapido", 3)).read_text(encoding="utf-8").splitlines()
    number = next(number for number, line in enumerate(lines) if line.startswith("1: "))
    digests = lines[number + 1]
    other = f"{digests[:6]}{'0000' if digests[6:10] != '0000' else '1111'}{digests[10:]}"
    told = changed(tmp_path, Variant("rapido", 3), f"{lines[number]}\n{digests}", f"{lines[number]}\n{other}")
    assert told.startswith(
        f"Rapido for 3 players: step 1, where seat 1 decides `{lines[number][3:]}`, is not"
    )
    assert "\n  what is legal has changed\n`python -m tests.golden v1/rapido-3 1` shows" in told


def test_a_difference_between_words_says_what_was_recorded_and_what_is_there(tmp_path: Path) -> None:
    told = changed(tmp_path, Variant("rapido", 4), "# board.bottom: [0]", "# board.bottom: [1]")
    assert "\n  recorded: board.bottom: [1]\n  now:      board.bottom: [0]\n" in told


def test_a_match_that_does_not_load_any_more_is_told_by_the_step_that_is_refused(tmp_path: Path) -> None:
    told = changed(tmp_path, Variant("rapido", 3), "\n2: throw", "\n2: place 9")
    assert "where seat 2 decides `place 9" in told
    assert "'place 9' is not a move of Rapido" in told


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
