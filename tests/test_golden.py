"""Recorded playthroughs still go as they went."""

import pytest

from tests.golden.record import FOLDER, PAGE_OF_MOVES, all_moves, path_of, playthrough
from tests.variants import VARIANTS, Variant


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_recorded_playthrough_goes_as_it_went(variant: Variant) -> None:
    recorded = path_of(variant).read_text(encoding="utf-8").splitlines()
    played = playthrough(variant).splitlines()
    for number, (old, new) in enumerate(zip(recorded, played, strict=False), 1):
        assert new == old, f"{path_of(variant).name} line {number}; `make golden` records anew"
    assert len(played) == len(recorded)


def test_every_recording_belongs_to_a_variant() -> None:
    assert {path.name for path in FOLDER.glob("*.txt")} == {path_of(variant).name for variant in VARIANTS}


def test_ids_and_texts_of_moves_are_those_of_the_documentation() -> None:
    assert all_moves() == PAGE_OF_MOVES.read_text(encoding="utf-8")
