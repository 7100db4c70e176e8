"""How a sensible player of Priests of Ra decides.

A tile is worth what it adds to the display, now and by what it may still grow into; a plague costs
in every epoch that is left. The row is worth its tiles together.
"""

from teerling.engine import Cells, Numbers, rule

from ..auction.policy import (
    BITS,
    FIRST_OWN_VALUE,
    PERCENT,
    advise_bids,
    advise_turn,
    between,
    has_a_say,
    in_row,
    is_tempted,
    mean_sun,
    own_tiles_to_come,
    row_in_a_number,
    share,
    suns_face_up,
    tiles_a_sun,
    tiles_of_epochs,
)
from ..auction.policy import VALUES as AUCTION_VALUES
from ..auction.rules import BIDDING, EPOCHS, MOST_PLAYERS, ON_TURN, STOP, left_of
from .rules import (
    ANKH_FAME,
    ANKHS_WON,
    BUILDING_FAME,
    BUILDING_TILES,
    BUILDING_TYPES,
    BUILDINGS,
    DIFFERENT_BUILDINGS,
    FEWEST_LEADING,
    FIRST_FLIP,
    FIRST_LAY,
    FIRST_PROFESSION,
    FIRST_SIDE,
    FIRST_TOMB,
    FLIPPING,
    GRANARY,
    LARGEST_PYRAMID,
    LAST_PROFESSION,
    LAST_TOMB,
    LAY_OF_TILE,
    LEADING_FAME,
    MARKET,
    MOST_ANKHS,
    MOST_PLAGUES,
    MOST_TOMBS,
    PLAGUE,
    PLAGUE_FAME,
    PRIEST,
    PRIEST_FAME,
    PRIESTS_AGAINST_PLAGUE,
    PROFESSIONS,
    PYRAMID,
    PYRAMID_FAME,
    RA,
    SIDES,
    TILES,
    TOMB_FAME,
    State,
    other_side,
    side_of,
)

VALUES = {
    **AUCTION_VALUES,
    "tile": 1.9,
    "most_tiles": 7.5,
    "last_exchange": 4.0,
    "flip": 0.7,  # what a priest's turning over of a tile is worth
    "leading_blur": 4.0,  # percent: how much each tile to come blurs who will lead a profession
    "profession": 4.0,  # percent: the chance of a certain new profession with each tile to come
    "ankhs_later": 0.65,  # how many ankhs an epoch to come brings
    "half_building": 6.0,  # percent: the chance that half a building is completed with each tile to come
    "building_later": 0.4,  # the chance that half a building is completed in an epoch to come
    "stone": 11.0,  # percent: the chance of a pyramid or tomb with each tile to come
    "tomb": 4.5,  # percent: the chance of a tomb of the best colour with each tile to come
    "plague_later": 0.9,  # how much a plague counts in an epoch to come, against this one
    "plague_more": 0.7,  # how many plagues still come to a player who has to expect them
    "lay_for_others": 0.8,  # how much it matters what others gain by the side that lies up
}
FLIP, LEADING_BLUR, PROFESSION, ANKHS_LATER, HALF_BUILDING = range(FIRST_OWN_VALUE, FIRST_OWN_VALUE + 5)
BUILDING_LATER, STONE, TOMB, PLAGUE_LATER, PLAGUE_MORE, LAY_FOR_OTHERS = range(
    FIRST_OWN_VALUE + 5, FIRST_OWN_VALUE + 11
)
TEMPERATURE = 0.7
PLAYOUT_TEMPERATURE = 0.14
NOTES = MOST_PLAYERS
"""The notes hold what the row is worth to each seat."""
PRIEST_BITS = (1 << BITS * PYRAMID) - (1 << BITS * PRIEST)
PROFESSION_BITS = (1 << BITS * FIRST_TOMB) - (1 << BITS * FIRST_PROFESSION)
STONE_BITS = (1 << BITS * GRANARY) - (1 << BITS * FIRST_TOMB) + (15 << BITS * PYRAMID)


@rule
def advise(s: State, values: Numbers, mask: Cells, worth: Numbers, rows: Numbers) -> None:
    """What each legal move is worth to the player to decide, in points; the notes are of the row."""
    in_bag = tiles_in_bag(s)
    tiles = tiles_a_sun(s, values, in_bag, s.bag[RA])
    if s.phase == BIDDING or s.phase == ON_TURN:
        mean = mean_sun(s)
        note_row_worths(s, values, rows, mean, tiles)
        if s.phase == BIDDING:
            advise_bids(s, values, mask, worth, rows, mean, tiles)
        else:
            advise_turn(s, values, worth, rows, mean, tiles, s.bag[RA] / in_bag)
    elif s.phase == FLIPPING:
        advise_flips(s, values, mask, worth, tiles)
    else:
        advise_lay(s, values, worth, tiles)


@rule
def tiles_in_bag(s: State) -> int:
    """How many tiles have not been drawn."""
    there = 0
    for tile in range(TILES):
        there += s.bag[tile]
    return there


@rule
def note_row_worths(s: State, values: Numbers, rows: Numbers, mean: float, tiles: float) -> None:
    """Notes what the row is worth to the player to decide, and to the others if that matters."""
    people = row_in_a_number(s, RA, GRANARY - 1)
    stores = row_in_a_number(s, GRANARY, MARKET - 1)
    shops = row_in_a_number(s, MARKET, SIDES - 1)
    p = s.turn
    matters = True
    for _ in range(s.players):
        counts = matters and has_a_say(s, p)
        rows[p] = row_worth(s, values, p, people, stores, shops, tiles) if counts else 0.0
        if p == s.turn:
            matters = is_tempted(s, values, rows[p], mean, tiles)
        p = left_of(s, p)


@rule
def advise_flips(s: State, values: Numbers, mask: Cells, worth: Numbers, tiles: float) -> None:
    """A tile is turned over if its other side is worth more."""
    worth[STOP] = 0.0
    for side in range(FIRST_SIDE, SIDES):
        if mask[FIRST_FLIP + side - FIRST_SIDE]:
            s.tiles[s.turn, side] -= 1
            turned = side_worth(s, values, s.turn, other_side(side), tiles)
            worth[FIRST_FLIP + side - FIRST_SIDE] = turned - side_worth(s, values, s.turn, side, tiles)
            s.tiles[s.turn, side] += 1


@rule
def advise_lay(s: State, values: Numbers, worth: Numbers, tiles: float) -> None:
    """The side that helps oneself more than the others lies up."""
    for choice in range(2):
        own, others = 0.0, 0.0
        for p in range(s.players):
            if s.ready[p] > 0:
                gained = side_worth(s, values, p, side_of(s.in_hand, choice), tiles)
                if p == s.turn:
                    own = gained
                else:
                    others = max(others, gained)
        worth[FIRST_LAY + LAY_OF_TILE[s.in_hand] + choice] = own - values[LAY_FOR_OTHERS] * others


@rule
def side_worth(s: State, values: Numbers, p: int, side: int, tiles: float) -> float:
    """What one more tile with this side up adds to a player's display."""
    one = 1 << BITS * side if side < GRANARY else 0
    store = 1 << BITS * (side - GRANARY) if GRANARY <= side < MARKET else 0
    shop = 1 << BITS * (side - MARKET) if side >= MARKET else 0
    return row_worth(s, values, p, one, store, shop, tiles)


@rule
def row_worth(s: State, values: Numbers, p: int, people: int, stores: int, shops: int, tiles: float) -> float:
    """What tiles add to a player's display: people, priests, plagues and stones, and buildings."""
    own = own_tiles_to_come(s, p, tiles)
    total = 0.0
    if people & PROFESSION_BITS:
        total += professions_added(s, values, p, people, tiles)
    if people & STONE_BITS:
        total += stones_added(s, values, p, people, own)
    if people & PRIEST_BITS:
        total += priests_added(s, values, p, in_row(people, PRIEST), in_row(people, PLAGUE))
    if stores | shops:
        total += buildings_added(s, values, p, stores, shops, own)
    return total


@rule
def professions_added(s: State, values: Numbers, p: int, people: int, tiles: float) -> float:
    """Whoever has most of a profession wins; whoever has many different ones gets ankhs."""
    sharp = 1.0 / (1.0 + PERCENT * values[LEADING_BLUR] * tiles * suns_face_up(s))
    total = 0.0
    before, after = 0, 0
    for profession in range(FIRST_PROFESSION, LAST_PROFESSION + 1):
        had = s.tiles[p, profession]
        more = in_row(people, profession)
        before += had > 0
        after += had + more > 0
        if more > 0:
            most = FEWEST_LEADING
            for q in range(s.players):
                if q != p:
                    most = max(most, s.tiles[q, profession])
            place = 0.5 + (had - most + 0.5) * sharp
            total += LEADING_FAME * (share(place + more * sharp) - share(place))
    if after > before:
        own = own_tiles_to_come(s, p, tiles)
        total += ankhs_worth(s, values, p, after, own) - ankhs_worth(s, values, p, before, own)
    return total


@rule
def ankhs_worth(s: State, values: Numbers, p: int, professions: int, own: float) -> float:
    """By the number of ankhs there may be at the end of the game."""
    known = professions + PERCENT * values[PROFESSION] * own * (PROFESSIONS - professions)
    won = between(ANKHS_WON, PROFESSIONS, known)
    return between(ANKH_FAME, MOST_ANKHS, s.ankhs[p] + won + values[ANKHS_LATER] * (EPOCHS - s.epoch))


@rule
def stones_added(s: State, values: Numbers, p: int, people: int, own: float) -> float:
    """By how large the pyramid, and how many tombs of one colour there may be at the end of the game."""
    to_come = own + tiles_of_epochs(s, values, EPOCHS - s.epoch)
    before = s.tiles[p, PYRAMID]
    more = in_row(people, PYRAMID)
    alike, alike_after = 0, 0
    for tomb in range(FIRST_TOMB, LAST_TOMB + 1):
        had = s.tiles[p, tomb]
        before += had
        more += in_row(people, tomb)
        alike = max(alike, had)
        alike_after = max(alike_after, had + in_row(people, tomb))
    stones = before + PERCENT * values[STONE] * to_come
    total = between(PYRAMID_FAME, LARGEST_PYRAMID, stones + more) - between(
        PYRAMID_FAME, LARGEST_PYRAMID, stones
    )
    tombs = PERCENT * values[TOMB] * to_come
    return (
        total
        + between(TOMB_FAME, MOST_TOMBS, alike_after + tombs)
        - between(TOMB_FAME, MOST_TOMBS, alike + tombs)
    )


@rule
def priests_added(s: State, values: Numbers, p: int, priests: int, plagues: int) -> float:
    """Priests bring fame, turn over a tile each, and three heal a plague; plagues cost in every epoch."""
    healed_before = int(s.tiles[p, PRIEST] >= PRIESTS_AGAINST_PLAGUE)
    healed = int(s.tiles[p, PRIEST] + priests >= PRIESTS_AGAINST_PLAGUE)
    before = max(0, s.tiles[p, PLAGUE] - healed_before)
    after = max(0, s.tiles[p, PLAGUE] + plagues - healed)
    epochs = EPOCHS - s.epoch
    total = (PRIEST_FAME + values[FLIP]) * priests
    total += between(PLAGUE_FAME, MOST_PLAGUES, float(after)) - between(
        PLAGUE_FAME, MOST_PLAGUES, float(before)
    )
    if epochs > 0:
        more = values[PLAGUE_MORE]
        later = between(PLAGUE_FAME, MOST_PLAGUES, after + more) - between(
            PLAGUE_FAME, MOST_PLAGUES, before + more
        )
        total += epochs * values[PLAGUE_LATER] * later
    return total


@rule
def buildings_added(s: State, values: Numbers, p: int, stores: int, shops: int, own: float) -> float:
    """What complete buildings bring in this epoch and the next ones, for they stay."""
    half = share(PERCENT * values[HALF_BUILDING] * own)
    total = buildings_worth(s, p, stores, shops, half) - buildings_worth(s, p, 0, 0, half)
    epochs = EPOCHS - s.epoch
    if epochs > 0:
        half = values[BUILDING_LATER]
        total += epochs * (buildings_worth(s, p, stores, shops, half) - buildings_worth(s, p, 0, 0, half))
    return total


@rule
def buildings_worth(s: State, p: int, stores: int, shops: int, half: float) -> float:
    """What buildings bring in an epoch, if half a building counts this much of a whole one."""
    complete, types = 0.0, 0.0
    for i in range(BUILDING_TYPES):
        of_this_type = 0.0
        for colour in range(s.colours):
            side = BUILDINGS[i] + 2 * colour
            more = in_row(stores, side - GRANARY) if side < MARKET else in_row(shops, side - MARKET)
            there = s.tiles[p, side] + more
            of_this_type += there // BUILDING_TILES + half * (there % BUILDING_TILES)
        complete += of_this_type
        types += min(1.0, of_this_type)
    return BUILDING_FAME * complete + between(DIFFERENT_BUILDINGS, BUILDING_TYPES, types)
