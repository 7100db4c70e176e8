"""A whole state of Ra as a readable dict, and back."""

from collections.abc import Mapping
from typing import Any

from teerling.engine import CHANCE
from teerling.positions import Reader, named_counts

from ..auction import position as auction
from ..auction.rules import (
    BIDDING,
    DEALING,
    DRAWING,
    FINISHED,
    MOST_PLAYERS,
    NO_AUCTION,
    ON_TURN,
    ROW_SPACES,
)
from .rules import (
    DROUGHT,
    EARTHQUAKE,
    FUNERAL,
    GOD,
    KINDS,
    LOSING_TILES,
    RA,
    SUPPLY,
    TILES_LOST,
    UNREST,
    USING_GODS,
    State,
    disaster_of_choice,
    may_be_taken,
)
from .tell import LINES, SUFFERING, TILES

PHASES = {
    DEALING: "dealing", ON_TURN: "turn", DRAWING: "drawing", BIDDING: "bidding", FINISHED: "over",
    USING_GODS: "using gods", LOSING_TILES: "losing tiles",
}  # fmt: skip
LINE_NAMES = [name for name, _ in LINES]
DISASTERS = (FUNERAL, DROUGHT, UNREST, EARTHQUAKE)


def position(s: State) -> dict[str, Any]:
    """A state or an observation, readable; what is not known is None."""
    return {
        **auction.written(s, PHASES, TILES),
        "bag": named_counts(TILES, lambda kind: s.bag[kind]),
        "owed": s.owed,
        "seats": [auction.written_seat(s, p, LINE_NAMES, TILES) for p in range(s.players)],
    }


def place(position: Mapping[str, Any]) -> State:
    """The state of a position; what is left out is as at the start, the bag holds all other tiles."""
    reader = Reader(position)
    s = State()
    s.version = 1
    options = reader.part("options", {})
    auction.read_fame(options, s)
    options.done()
    auction.read_table(reader, s, PHASES, TILES)
    reader.derived("limits", auction.limits(s))
    for p, seat in enumerate(reader.parts("seats", s.players, [{}] * s.players)):
        auction.read_seat(seat, s, p, LINE_NAMES, TILES)
        seat.done()
    auction.check_suns(reader, s)
    auction.read_turn(reader, s)
    s.owed = reader.number("owed", 0, TILES_LOST * SUPPLY[UNREST], 0)
    elsewhere = [_outside_the_bag(s, kind) for kind in range(KINDS)]
    auction.read_bag(reader, s, TILES, [SUPPLY[kind] for kind in range(KINDS)], elsewhere)
    reader.done()
    _check_phase(reader, s)
    return s


def _outside_the_bag(s: State, kind: int) -> int:
    in_row = sum(s.row[i] == kind for i in range(ROW_SPACES))
    in_displays = sum(s.tiles[p, kind] for p in range(MOST_PLAYERS))
    return in_row + in_displays + (s.ra_tiles if kind == RA else 0)


def _check_phase(reader: Reader, s: State) -> None:
    """Refuses what cannot be in the phase the game is in."""
    auction.check_ra_tiles(reader, s, RA)
    for p in range(s.players):
        stricken = s.phase in (USING_GODS, LOSING_TILES) and p == s.turn
        for disaster in DISASTERS:
            if s.tiles[p, disaster] and not stricken:
                reader.refuse("seats", f"keep no disasters: seat {p} has {TILES[disaster]}")
    if s.turn == CHANCE or s.phase not in (USING_GODS, LOSING_TILES):
        if s.owed:
            reader.refuse("owed", f"is 0 unless tiles are being lost, not {s.owed}")
    elif s.phase == USING_GODS:
        takeable = any(may_be_taken(s.row[i]) for i in range(ROW_SPACES))
        if not s.tiles[s.turn, GOD] or not takeable or s.owed or s.turn != s.mover:
            reader.refuse("phase", "is 'using gods' only on the own turn with a god and a tile to take")
        if s.cause != NO_AUCTION:
            reader.refuse("auction", "is null while gods are used")
    else:
        _check_losses(reader, s)


def _check_losses(reader: Reader, s: State) -> None:
    """RA-20, RA-21: somebody really has a choice which tiles to give up."""
    disaster = disaster_of_choice(s)
    there = sum(s.tiles[s.turn, kind] for kind in SUFFERING[disaster])
    if not 1 <= s.owed <= TILES_LOST * s.tiles[s.turn, disaster] or there <= s.owed:
        reader.refuse("owed", f"is {s.owed}, but seat {s.turn} has no such choice after {TILES[disaster]}")
    if s.turn != (s.mover if s.cause == NO_AUCTION else s.bidder):
        reader.refuse("turn", "is that of whoever won the row or took tiles with gods while tiles are lost")
    if s.tiles[s.turn, FUNERAL] or s.tiles[s.turn, DROUGHT]:
        reader.refuse("seats", "have carried out funeral and drought before tiles of choice are lost")
