"""What is done with any row of numbers."""

from .record import Cells
from .rule import rule


@rule
def clear(cells: Cells) -> None:
    """Puts 0 in every cell."""
    for i in range(len(cells)):
        cells[i] = 0
