"""The shared part of a position of Ra or Priests of Ra, written and read."""

from collections.abc import Mapping, Sequence
from typing import Any

from teerling.engine import CHANCE, HIDDEN, OVER
from teerling.options import Choice
from teerling.positions import Reader, is_number, named_counts

from . import rules
from .rules import (
    BIDDING,
    DEALING,
    DRAWING,
    EMPTY,
    EPOCHS,
    FACE_DOWN,
    FACE_UP,
    FINISHED,
    FIRST_STACK,
    HIGHEST_SUN,
    MOST_PLAYERS,
    NO_AUCTION,
    NOT_OWNED,
    ON_TURN,
    RA_TILES_TO_END,
    ROW_FULL,
    ROW_SPACES,
    STACK_SUNS,
    STARTING_FAME,
    SUNS_EACH,
    TILE_DRAWN,
    AuctionState,
)
from .tell import suns_of

FAME = Choice(
    "fame", "Fame: open or hidden", "open", ("open", "hidden"),
    ("open: everybody sees everybody's fame", "hidden: until the end everybody sees only their own fame"),
)  # fmt: skip
CAUSES = ("none", "tile drawn", "invoked", "row full")
MOST_FAME = 9999
MOST_SCORED = 999
MOST_TILES = 30


def limits(s: AuctionState) -> dict[str, int]:
    """How long rows are and how many epochs there are; `ra_spaces` is the Ra row of most players."""
    return {
        "epochs": EPOCHS,
        "row": ROW_SPACES,
        "ra_row": RA_TILES_TO_END[s.players],
        "ra_spaces": RA_TILES_TO_END[MOST_PLAYERS],
    }


def written(s: AuctionState, phases: Mapping[int, str], kinds: Sequence[str]) -> dict[str, Any]:
    """What both games have on the table; what is not known is None."""
    return {
        "players": s.players,
        "options": {"fame": FAME.choices[s.fame_hidden]},
        "limits": limits(s),
        "epoch": s.epoch,
        "phase": phases[s.phase],
        "turn": None if s.turn in (CHANCE, OVER) else s.turn,
        "mover": s.mover,
        "ra_row": s.ra_tiles,
        "row": [None if s.row[i] == EMPTY else kinds[s.row[i]] for i in range(ROW_SPACES)],
        "middle": s.middle,
        "auction": None if s.cause == NO_AUCTION else {
            "cause": CAUSES[s.cause], "bid": s.bid, "bidder": s.bidder if s.bid else None,
        },
    }  # fmt: skip


def written_seat(s: AuctionState, p: int, lines: Sequence[str], kinds: Sequence[str]) -> dict[str, Any]:
    """A seat's suns, fame, where its fame of the last scoring came from, and what lies in its display."""
    hidden = s.fame[p] == HIDDEN
    return {
        "fame": None if hidden else s.fame[p],
        "suns": suns_of(s, p, FACE_UP),
        "used": suns_of(s, p, FACE_DOWN),
        "scored": None if hidden else {
            name: s.scored[p, line] for line, name in enumerate(lines) if s.scored[p, line]
        },
        "tiles": named_counts(kinds, lambda kind: s.tiles[p, kind]),
    }  # fmt: skip


def read_fame(options: Reader, s: AuctionState) -> None:
    """Reads whether fame is open or hidden."""
    s.fame_hidden = options.choice("fame", [str(choice) for choice in FAME.choices], "open")


def read_table(reader: Reader, s: AuctionState, phases: Mapping[int, str], kinds: Sequence[str]) -> None:
    """Reads what `written` writes; what is left out is as at the start of the first turn."""
    s.players = reader.number("players", 2, MOST_PLAYERS)
    names = list(phases.values())
    s.phase = list(phases)[reader.choice("phase", names, phases[ON_TURN])]
    s.epoch = reader.number("epoch", 0 if s.phase == DEALING else 1, EPOCHS, 0 if s.phase == DEALING else 1)
    s.ra_tiles = reader.number("ra_row", 0, RA_TILES_TO_END[s.players] - 1, 0)
    s.middle = reader.number("middle", 1, HIGHEST_SUN, 1)
    row = reader.row("row", None, [])
    if len(row) > ROW_SPACES:
        reader.refuse("row", f"has at most {ROW_SPACES} spaces, not {len(row)}")
    rules.clear_row(s)
    for i, name in enumerate(row):
        if name is not None:
            if name not in kinds:
                reader.refuse("row", f"knows {', '.join(kinds)} and null, not {name!r}")
            s.row[i] = kinds.index(name)
            s.lying += 1


def read_turn(reader: Reader, s: AuctionState) -> None:
    """Reads whose turn it is, and the auction; the seats have been read."""
    auction = reader.take("auction", None)
    by_nature = s.phase in (DEALING, DRAWING, FINISHED)
    first = max(range(s.players), key=lambda p: (s.ready[p] > 0, int(rules.highest_sun(s, p))))
    mover = reader.seat("mover", s.players, None)
    s.turn = reader.seat("turn", s.players, None if by_nature else mover if mover >= 0 else first)
    s.mover = mover if mover >= 0 else _usual_mover(s, first, auction is not None)
    if by_nature:
        if s.turn >= 0:
            reader.refuse("turn", f"is null when nature decides or the game is over, not seat {s.turn}")
        s.turn = OVER if s.phase == FINISHED else CHANCE
    elif s.turn < 0:
        reader.refuse("turn", "is a seat in this phase, not null")
    s.bidder = rules.NO_BIDDER
    if auction is not None:
        _read_auction(Reader(auction, "auction"), s)
    if s.phase == BIDDING and s.cause == NO_AUCTION:
        reader.refuse("auction", "is missing while the phase is bidding")
    if s.phase in (ON_TURN, DRAWING, DEALING, FINISHED) and s.cause != NO_AUCTION:
        reader.refuse("auction", "is null unless tiles are being auctioned or settled")
    if s.phase == ON_TURN and s.turn != s.mover:
        reader.refuse("mover", f"is seat {s.turn}, who is on turn, not {s.mover}")
    if s.phase == FINISHED and s.epoch != EPOCHS:
        reader.refuse("epoch", f"is {EPOCHS} when the game is over, not {s.epoch}")
    if s.phase == DRAWING and rules.row_is_full(s):
        reader.refuse("row", "is full, so nobody can be drawing")
    if s.phase in (ON_TURN, BIDDING) and s.ready[s.turn] == 0:
        reader.refuse("turn", f"is seat {s.turn}, who has no sun face up")
    if s.phase in (DRAWING, BIDDING) and s.ready[s.mover] == 0:
        reader.refuse("mover", f"is seat {s.mover}, who has no sun face up")


def _usual_mover(s: AuctionState, first: int, auctioned: bool) -> int:
    """Whose turn it is where nobody says so: whoever is to decide, or in an auction who would begin."""
    if s.phase in (DEALING, FINISHED):
        return 0
    return first if auctioned or s.turn < 0 else s.turn


def _read_auction(reader: Reader, s: AuctionState) -> None:
    s.cause = reader.choice("cause", CAUSES)
    s.bid = reader.number("bid", 0, HIGHEST_SUN, 0)
    s.bidder = reader.seat("bidder", s.players, None)
    reader.done()
    if (s.bid > 0) != (s.bidder >= 0):
        reader.refuse("bidder", "is there just when there is a bid")
    if s.cause == ROW_FULL and s.phase == BIDDING and not rules.row_is_full(s):
        reader.refuse("cause", "is 'row full', but the row is not")
    if s.cause == TILE_DRAWN and s.ra_tiles == 0:
        reader.refuse("cause", "is 'tile drawn', but no Ra tile lies in the Ra row")
    if s.phase == BIDDING and s.bid:
        if s.suns[s.bidder, s.bid] != FACE_UP:
            reader.refuse("bid", f"is {s.bid}, which does not lie face up before seat {s.bidder}")
        if not _before(s, s.bidder, s.turn):
            reader.refuse("bidder", f"is seat {s.bidder}, whose turn to bid comes after seat {s.turn}'s")


def _before(s: AuctionState, p: int, q: int) -> bool:
    """RA-12: whether p bids before q."""
    return bool((p - s.mover - 1) % s.players < (q - s.mover - 1) % s.players)


def read_seat(reader: Reader, s: AuctionState, p: int, lines: Sequence[str], kinds: Sequence[str]) -> None:
    """Reads what `written_seat` writes."""
    s.fame[p] = reader.number("fame", 0, MOST_FAME, STARTING_FAME)
    stack = FIRST_STACK[s.players] + p
    dealt = [] if s.phase == DEALING else [STACK_SUNS[stack, i] for i in range(SUNS_EACH[s.players])]
    for key, face in (("suns", FACE_UP), ("used", FACE_DOWN)):
        for sun in reader.row(key, None, dealt if key == "suns" else []):
            if not is_number(sun) or not 1 <= sun <= HIGHEST_SUN:
                reader.refuse(key, f"holds suns from 1 to {HIGHEST_SUN}, not {sun!r}")
            if s.suns[p, sun] != NOT_OWNED:
                reader.refuse(key, f"holds sun {sun} twice")
            s.suns[p, sun] = face
            s.ready[p] += face == FACE_UP
    scored = reader.take("scored", {})
    if not isinstance(scored, dict):
        reader.refuse("scored", f"is a dict of score lines, not {scored!r}")
    for line, points in scored.items():
        if line not in lines or not is_number(points) or abs(points) > MOST_SCORED:
            reader.refuse("scored", f"knows {', '.join(lines)} with small numbers, not {line!r}: {points!r}")
        s.scored[p, lines.index(line)] = points
    for kind, count in enumerate(reader.counts("tiles", kinds, MOST_TILES)):
        s.tiles[p, kind] = count


def check_suns(reader: Reader, s: AuctionState) -> None:
    """RA-04, RA-16: every sun of the game is in one place, and everybody has as many."""
    first = FIRST_STACK[s.players]
    each = SUNS_EACH[s.players]
    suns = {STACK_SUNS[first + stack, i] for stack in range(s.players) for i in range(each)} | {1}
    owner: dict[int, str] = {s.middle: "the middle"}
    for p in range(s.players):
        own = [sun for sun in range(1, HIGHEST_SUN + 1) if s.suns[p, sun] != NOT_OWNED]
        for sun in own:
            if sun in owner:
                reader.refuse("seats", f"hold sun {sun} twice: seat {p} and {owner[sun]}")
            if sun not in suns:
                known = ", ".join(map(str, sorted(suns)))
                reader.refuse("seats", f"hold sun {sun}; with {s.players} players the suns are {known}")
            owner[sun] = f"seat {p}"
        if s.phase == DEALING:
            s.dealt += p == s.dealt and len(own) == each
        elif len(own) != each:
            reader.refuse("seats", f"have {each} suns each, but seat {p} has {len(own)}")
    if s.middle not in suns:
        reader.refuse("middle", f"is {s.middle}, which is no sun with {s.players} players")
    if s.phase == DEALING:
        dealt = {sun for sun in owner if sun != s.middle}
        stacks = [
            {STACK_SUNS[first + stack, i] for i in range(each)} for stack in range(s.players)
        ]  # fmt: skip
        if s.middle != 1 or s.dealt > s.players - 2 or len(dealt) != s.dealt * each:
            reader.refuse("seats", "are dealt whole stacks in order while suns are dealt, the last two never")
        for p in range(s.dealt):
            if {sun for sun in dealt if owner[sun] == f"seat {p}"} not in stacks:
                reader.refuse("seats", f"are dealt whole stacks, unlike seat {p}")
    else:
        s.dealt = s.players


def check_ra_tiles(reader: Reader, s: AuctionState, ra: int) -> None:
    """RA-08, PR-08: Ra tiles lie in the Ra row and nowhere else."""
    for i in range(ROW_SPACES):
        if s.row[i] == ra:
            reader.refuse("row", "holds no Ra tiles; they lie in the Ra row (ra_row)")
    for p in range(s.players):
        if s.tiles[p, ra]:
            reader.refuse("seats", f"have no Ra tiles, but seat {p} has")


def read_bag(
    reader: Reader, s: AuctionState, tiles: Sequence[str], supply: Sequence[int], elsewhere: Sequence[int]
) -> None:
    """RA-02, RA-29, PR-02: what lies nowhere else is in the bag, unless it is told what is."""
    for name, most, count in zip(tiles, supply, elsewhere, strict=True):
        if count > most:
            reader.refuse("seats", f"and rows hold {count} {name} tiles; there are {most}")
    rest = {name: supply[i] - elsewhere[i] for i, name in enumerate(tiles)}
    for i, count in enumerate(reader.counts("bag", tiles, max(supply), rest)):
        s.bag[i] = count
        if elsewhere[i] + count > supply[i]:
            total = elsewhere[i] + count
            reader.refuse("bag", f"makes it {total} {tiles[i]} tiles; there are {supply[i]}")
    needed = RA_TILES_TO_END[s.players] * (EPOCHS + 1 - max(1, s.epoch)) - s.ra_tiles
    ra = s.bag[tiles.index("ra")]
    if s.phase != FINISHED and ra < needed:
        reader.refuse("bag", f"holds {ra} Ra tiles, but {needed} are left at this point at least")
