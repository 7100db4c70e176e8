"""Records: one declaration, an interpreted object and a NumPy dtype."""

import numpy as np
import pytest

from teerling.engine import CHANCE, OVER, SPECTATOR, Cells, GameState, Grid, Record, int8, int16


class Sample(GameState):
    small: Cells = int8(3)
    wide: int = int16()
    grid: Grid = int16(2, 3)


def test_a_record_and_its_array_hold_the_same_numbers() -> None:
    sample = Sample()
    sample.players, sample.wide, sample.small[2], sample.grid[1, 2] = 4, -300, 7, 12345
    array = sample.to_array()
    assert (array["players"][0], array["wide"][0]) == (4, -300)
    assert array["small"][0].tolist() == [0, 0, 7]
    assert array["grid"][0].tolist() == [[0, 0, 0], [0, 0, 12345]]
    array["grid"][0, 0, 1] = -5
    assert Sample.from_array(array).grid[0, 1] == -5


def test_whoever_has_no_seat_has_a_number_of_their_own() -> None:
    assert len({CHANCE, OVER, SPECTATOR}) == 3
    assert max(CHANCE, OVER, SPECTATOR) < 0


def test_a_field_without_a_size_is_declared_by_who_comes_after() -> None:
    class Part(GameState):
        later: Cells

    class Whole(Part):
        later: Cells = int8(2)

    assert "later" not in Part.fields
    whole = Whole()
    whole.later[1] = 3
    assert Whole(whole.to_bytes()).later[1] == 3


def test_fields_of_the_base_come_first() -> None:
    assert list(Sample.fields) == ["version", "players", "turn", "small", "wide", "grid"]


def test_a_copy_is_independent_and_equal() -> None:
    sample = Sample()
    sample.small[0] = 1
    other = sample.copy()
    assert other == sample
    other.small[0] = 2
    other.turn = 1
    assert (sample.small[0], sample.turn) == (1, 0)
    assert other != sample


@pytest.mark.parametrize("value", [128, -129])
def test_a_number_too_large_for_its_field_is_refused(value: int) -> None:
    sample = Sample()
    with pytest.raises(ValueError, match="invalid value for format"):
        sample.small[0] = value
    sample.turn = value
    with pytest.raises(Exception, match="format requires"):
        sample.to_bytes()


def test_an_index_beyond_the_field_is_refused() -> None:
    with pytest.raises(IndexError):
        Sample().grid[2, 0]


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(AttributeError):
        Sample().colour = 1  # type: ignore[attr-defined]


def test_numbers_of_an_array_are_aligned_for_the_gpu() -> None:
    assert Sample.dtype.isalignedstruct
    assert Sample.fields["wide"].offset % 2 == 0


def test_a_repr_shows_every_field() -> None:
    assert repr(Record()) == "Record()"
    assert "grid=[[0, 0, 0], [0, 0, 0]]" in repr(Sample())
    assert np.dtype(Sample.dtype).names == tuple(Sample.fields)
