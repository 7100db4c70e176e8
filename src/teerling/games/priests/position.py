"""A whole state of Priests of Ra as a readable dict, and back."""

from collections.abc import Mapping
from typing import Any

from teerling.options import Choice
from teerling.positions import Reader, named_counts

from ..auction import position as auction
from ..auction.rules import (
    BIDDING,
    DEALING,
    DRAWING,
    EMPTY,
    EPOCHS,
    FACE_DOWN,
    FINISHED,
    HIGHEST_SUN,
    NO_AUCTION,
    ON_TURN,
    ROW_SPACES,
)
from . import rules
from .rules import (
    ANKHS_WON,
    FIRST_PROFESSION,
    FIRST_TWO_SIDED,
    FLIPPING,
    LAST_PROFESSION,
    LAYING,
    MOST_ANKHS,
    PRIEST,
    PROFESSIONS,
    RA,
    State,
)
from .tell import LINES, SIDES, TILES

BUILDING_COLOURS = Choice(
    "building_colours",
    "Colours of each type of building; both tiles of a building have the same colour",
    1,
    (1, 3, 5),
    ("one colour", "three colours", "five colours"),
)
PHASES = {
    DEALING: "dealing", ON_TURN: "turn", DRAWING: "drawing", BIDDING: "bidding", FINISHED: "over",
    LAYING: "laying", FLIPPING: "flipping",
}  # fmt: skip
LINE_NAMES = [name for name, _ in LINES]


def limits(s: State) -> dict[str, int]:
    """How long rows are, how many epochs there are, and how many ankhs somebody has at most."""
    return {**auction.limits(s), "ankhs": MOST_ANKHS}


def position(s: State) -> dict[str, Any]:
    """A state or an observation, readable; what is not known is None."""
    seats = [
        {
            **auction.written_seat(s, p, LINE_NAMES, SIDES),
            "ankhs": s.ankhs[p],
            "stones": rules.stones_of(s, p),
        }
        for p in range(s.players)
    ]
    table = auction.written(s, PHASES, SIDES)
    return {
        **table,
        "options": {**table["options"], "building_colours": s.colours},
        "limits": limits(s),
        "in_hand": None if s.in_hand == EMPTY else TILES[s.in_hand],
        "flips": s.flips,
        "bag": named_counts(TILES, lambda tile: s.bag[tile]),
        "seats": seats,
    }


def place(position: Mapping[str, Any]) -> State:
    """The state of a position; what is left out is as at the start, the bag holds all other tiles."""
    reader = Reader(position)
    s = State()
    s.version = 1
    _read_options(reader.part("options", {}), s)
    auction.read_table(reader, s, PHASES, SIDES)
    reader.derived("limits", limits(s))
    for p, seat in enumerate(reader.parts("seats", s.players, [{}] * s.players)):
        auction.read_seat(seat, s, p, LINE_NAMES, SIDES)
        s.ankhs[p] = seat.number("ankhs", 0, MOST_ANKHS, 0)
        seat.derived("stones", rules.stones_of(s, p))
        seat.done()
    auction.check_suns(reader, s)
    auction.read_turn(reader, s)
    in_hand = reader.take("in_hand", None)
    if in_hand is not None and in_hand not in TILES[FIRST_TWO_SIDED:]:
        reader.refuse("in_hand", f"is null or one of {', '.join(TILES[FIRST_TWO_SIDED:])}, not {in_hand!r}")
    s.in_hand = EMPTY if in_hand is None else TILES.index(in_hand)
    s.flips = reader.number("flips", 0, ROW_SPACES, 0)
    supply = [rules.supply(s, tile) for tile in range(rules.TILES)]
    auction.read_bag(reader, s, TILES, supply, [rules.drawn(s, tile) for tile in range(rules.TILES)])
    reader.done()
    _check_tiles(reader, s)
    _check_laying(reader, s)
    _check_flipping(reader, s)
    return s


def _read_options(options: Reader, s: State) -> None:
    auction.read_fame(options, s)
    colours = BUILDING_COLOURS.accept(options.take("building_colours", BUILDING_COLOURS.default))
    if colours is None:
        options.refuse("building_colours", f"is {BUILDING_COLOURS.values}")
    s.colours = colours
    options.done()


def _check_tiles(reader: Reader, s: State) -> None:
    """PR-08, PR-12, PR-22: where tiles and ankhs cannot be."""
    auction.check_ra_tiles(reader, s, RA)
    for i in range(ROW_SPACES):
        if s.row[i] != EMPTY and i >= s.lying:
            reader.refuse("row", "has no empty space before a tile")
    if s.phase in (DEALING, FINISHED) and (s.lying or s.ra_tiles or s.mover):
        reader.refuse("phase", f"is {PHASES[s.phase]!r}, so both rows are empty and mover is 0")
    scorings = EPOCHS if s.phase == FINISHED else max(1, s.epoch) - 1
    for p in range(s.players):
        most = min(MOST_ANKHS, scorings * ANKHS_WON[PROFESSIONS])
        if s.ankhs[p] > most:
            reader.refuse("seats", f"have at most {most} ankhs by now, but seat {p} has {s.ankhs[p]}")
        there = sum(s.tiles[p, side] for side in range(rules.SIDES))
        if s.phase == DEALING and there:
            reader.refuse("seats", f"have no tiles while suns are dealt, but seat {p} has")
        gone = [PRIEST, *range(FIRST_PROFESSION, LAST_PROFESSION + 1)]
        if s.phase == FINISHED and any(s.tiles[p, side] for side in gone):
            reader.refuse("seats", f"keep no priests and professions after the game, but seat {p} does")


def _check_laying(reader: Reader, s: State) -> None:
    """PR-08: a two-sided tile is in hand just while its drawer chooses the side."""
    if (s.phase == LAYING) != (s.in_hand != EMPTY):
        reader.refuse("in_hand", "is a two-sided tile in the phase 'laying' and null in all others")
    if s.phase == LAYING:
        if s.turn != s.mover or s.ready[s.mover] == 0:
            reader.refuse("turn", "is the mover's, who has a sun face up, while a tile is laid")
        if s.cause != NO_AUCTION:
            reader.refuse("auction", "is null while a tile is laid")
        if s.lying == ROW_SPACES:
            reader.refuse("row", "is full, so nobody can be laying a tile")


def _check_flipping(reader: Reader, s: State) -> None:
    """PR-10: somebody has just won priests and has something to turn over."""
    if (s.phase == FLIPPING) != (s.flips > 0):
        reader.refuse("flips", "are there in the phase 'flipping' and 0 in all others")
    if s.phase == FLIPPING:
        if s.cause == NO_AUCTION or s.turn != s.bidder:
            reader.refuse("auction", "is there while tiles are turned over, by the bidder on turn")
        used = any(s.suns[s.turn, sun] == FACE_DOWN for sun in range(1, HIGHEST_SUN + 1))
        if s.middle != s.bid or not used:
            reader.refuse("middle", "is the sun that was bid, and the winner has the one that lay there")
        if s.lying:
            reader.refuse("row", "is empty once its tiles have been won")
        if s.flips > s.tiles[s.turn, PRIEST]:
            reader.refuse("flips", f"are {s.flips}, more than seat {s.turn} has priests")
        if not rules.has_two_sided(s, s.turn):
            reader.refuse("flips", f"are {s.flips}, but seat {s.turn} has no tile with two sides")
