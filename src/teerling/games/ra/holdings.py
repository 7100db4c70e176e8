"""What counts on each line of a scoring of Ra: hints name no line that a move cannot touch."""

from collections.abc import Hashable

from ..auction.holdings import suns_of, tiles_of
from .rules import (
    DROUGHT,
    EARTHQUAKE,
    FIRST_CIVILISATION,
    FIRST_MONUMENT,
    FLOOD,
    FUNERAL,
    GOD,
    GOLD,
    LAST_CIVILISATION,
    LAST_MONUMENT,
    NILE,
    PHARAOH,
    UNREST,
    State,
)

CIVILISATIONS = range(FIRST_CIVILISATION, LAST_CIVILISATION + 1)
MONUMENTS = range(FIRST_MONUMENT, LAST_MONUMENT + 1)


def holdings(s: State, seat: int) -> dict[str, Hashable]:
    """RA-31 to RA-37: a seat's tiles by line, disasters with what they strike."""
    return {
        "gods": tiles_of(s, seat, [GOD]),
        "pharaohs": tiles_of(s, seat, [PHARAOH, FUNERAL]),
        "Nile": tiles_of(s, seat, [NILE, FLOOD, DROUGHT]),
        "civilisations": tiles_of(s, seat, [*CIVILISATIONS, UNREST]),
        "gold": tiles_of(s, seat, [GOLD]),
        "RA-36": tiles_of(s, seat, [*MONUMENTS, EARTHQUAKE]),
        "suns": suns_of(s, seat),
    }
