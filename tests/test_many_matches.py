"""Many random matches of every variant, compiled with bounds checks, their pieces counted at every step."""

from tests.million import unsound_game
from tests.variants import Variant


def test_pieces_are_counted_after_every_step_of_many_matches(variant: Variant) -> None:
    assert unsound_game(variant, 300) == -1
