"""What counts on each line of a scoring of the dice game: hints name no line that a move cannot touch."""

from collections.abc import Hashable

from .rules import COLUMNS, DICE, State


def holdings(s: State, seat: int) -> dict[str, Hashable]:
    """RD-20 to RD-23: a seat's markers by line."""
    return {
        "pharaoh": int(s.pharaoh[seat]),
        "Nile": (int(s.nile[seat]), int(s.floods[seat])),
        "civilisation": tuple(int(s.civilisation[seat, i]) for i in range(DICE)),
        "RD-23": tuple(s.monuments[i, j] == seat for i in range(DICE) for j in range(COLUMNS)),
    }
