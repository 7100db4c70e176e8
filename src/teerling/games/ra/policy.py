"""How a sensible player of Ra decides.

A tile is worth what it adds to the display, now and by what it may still grow into. The row is worth
its tiles together, less what its disasters take.
"""

from teerling.engine import Cells, Numbers, rule

from ..auction.policy import (
    BITS,
    FIRST_OWN_VALUE,
    PERCENT,
    advise_bids,
    advise_turn,
    has_a_say,
    in_row,
    is_tempted,
    mean_sun,
    own_tiles_to_come,
    rise,
    row_in_a_number,
    share,
    suns_face_up,
    tiles_a_sun,
    tiles_of_epochs,
)
from ..auction.policy import VALUES as AUCTION_VALUES
from ..auction.rules import BIDDING, EMPTY, EPOCHS, MOST_PLAYERS, ON_TURN, ROW_SPACES, STOP, left_of
from .rules import (
    CIVILISATION_FAME,
    DIFFERENT_MONUMENTS,
    DROUGHT,
    EARTHQUAKE,
    FEWEST_PHARAOHS,
    FIRST_CIVILISATION,
    FIRST_DISCARD,
    FIRST_MONUMENT,
    FIRST_TAKE,
    FLOOD,
    FUNERAL,
    GOD,
    GOD_FAME,
    GOLD,
    GOLD_FAME,
    IDENTICAL_MONUMENTS,
    KINDS,
    LAST_CIVILISATION,
    LAST_MONUMENT,
    MOST_PHARAOHS,
    NILE,
    PHARAOH,
    RA,
    SUPPLY,
    TILES_LOST,
    UNREST,
    State,
)

VALUES = {
    **AUCTION_VALUES,
    "god": 1.0,  # what a god is worth over its 2 fame while there is time to use it
    "pharaoh_later": 0.55,  # how much a pharaoh counts in an epoch to come, against this one
    "pharaoh_blur": 10.0,  # percent: how much each tile to come blurs who will have most pharaohs
    "flood": 8.0,  # percent: the chance of a flood with each tile to come
    "flood_later": 0.4,  # the chance of a flood in an epoch to come
    "civilisation": 3.5,  # percent: the chance of a certain new civilisation with each tile to come
    "monument": 3.0,  # percent: the same of a certain new monument
    "alike": 0.8,  # percent: the chance of another monument alike with each tile to come, for each in the bag
    "monument_lost": 1.5,  # what an earthquake costs for each monument
}
GOD_USE, PHARAOH_LATER, PHARAOH_BLUR, FLOOD_CHANCE, FLOOD_LATER = range(FIRST_OWN_VALUE, FIRST_OWN_VALUE + 5)
CIVILISATION_CHANCE, MONUMENT_CHANCE, ALIKE_CHANCE, MONUMENT_LOST = range(
    FIRST_OWN_VALUE + 5, FIRST_OWN_VALUE + 9
)
TEMPERATURE = 0.2
PLAYOUT_TEMPERATURE = 0.04
NOTES = MOST_PLAYERS
"""The notes hold what the row is worth to each seat."""
CIVILISATIONS, MONUMENTS, MOST_ALIKE = 5, 8, 5
CIVILISATION_BITS = (1 << BITS * (UNREST + 1)) - (1 << BITS * FIRST_CIVILISATION)


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
            advise_takes(s, values, mask, worth, tiles)
    else:
        worth[STOP] = 0.0
        advise_takes(s, values, mask, worth, tiles)
        advise_discards(s, values, mask, worth, tiles)


@rule
def tiles_in_bag(s: State) -> int:
    """How many tiles have not been drawn."""
    there = 0
    for kind in range(KINDS):
        there += s.bag[kind]
    return there


@rule
def note_row_worths(s: State, values: Numbers, rows: Numbers, mean: float, tiles: float) -> None:
    """Notes what the row is worth to the player to decide, and to the others if that matters."""
    row = row_in_a_number(s, RA, GOLD)
    monuments = row_in_a_number(s, FIRST_MONUMENT, EARTHQUAKE)
    p = s.turn
    matters = True
    for _ in range(s.players):
        counts = matters and has_a_say(s, p)
        rows[p] = row_worth(s, values, p, row, monuments, tiles) if counts else 0.0
        if p == s.turn:
            matters = is_tempted(s, values, rows[p], mean, tiles)
        p = left_of(s, p)


@rule
def advise_takes(s: State, values: Numbers, mask: Cells, worth: Numbers, tiles: float) -> None:
    """A tile taken with a god is worth itself, less the god."""
    if s.tiles[s.turn, GOD] > 0:
        god = god_worth(values, own_tiles_to_come(s, s.turn, tiles))
        for i in range(ROW_SPACES):
            kind = s.row[i]
            if kind != EMPTY and mask[FIRST_TAKE + kind]:
                worth[FIRST_TAKE + kind] = tile_worth(s, values, s.turn, kind, tiles) - god


@rule
def advise_discards(s: State, values: Numbers, mask: Cells, worth: Numbers, tiles: float) -> None:
    """One gives up what one will miss least."""
    for kind in range(FIRST_CIVILISATION, LAST_MONUMENT + 1):
        if mask[FIRST_DISCARD + kind]:
            s.tiles[s.turn, kind] -= 1
            worth[FIRST_DISCARD + kind] = -tile_worth(s, values, s.turn, kind, tiles)
            s.tiles[s.turn, kind] += 1


@rule
def row_worth(s: State, values: Numbers, p: int, row: int, monuments: int, tiles: float) -> float:
    """What the whole row adds to a player's display; disasters strike tiles won with them too."""
    own = own_tiles_to_come(s, p, tiles)
    total = GOLD_FAME * in_row(row, GOLD) + in_row(row, GOD) * god_worth(values, own)
    pharaohs, funerals = in_row(row, PHARAOH), in_row(row, FUNERAL)
    if pharaohs + funerals > 0:
        total += pharaohs_added(s, values, p, pharaohs, funerals, tiles)
    niles, floods, droughts = in_row(row, NILE), in_row(row, FLOOD), in_row(row, DROUGHT)
    if niles + floods + droughts > 0:
        total += nile_added(s, values, p, niles, floods, droughts, own)
    if row & CIVILISATION_BITS:
        total += civilisations_of_row(s, values, p, row, own)
    if monuments:
        total += monuments_of_row(s, values, p, monuments, own)
    return total


@rule
def tile_worth(s: State, values: Numbers, p: int, kind: int, tiles: float) -> float:
    """What one more tile of a kind adds to a player's display."""
    own = own_tiles_to_come(s, p, tiles)
    if kind == GOD:
        return god_worth(values, own)
    if kind == GOLD:
        return float(GOLD_FAME)
    if kind in (PHARAOH, FUNERAL):
        return pharaohs_added(s, values, p, int(kind == PHARAOH), int(kind == FUNERAL), tiles)
    if kind in (NILE, FLOOD, DROUGHT):
        return nile_added(s, values, p, int(kind == NILE), int(kind == FLOOD), int(kind == DROUGHT), own)
    if kind <= UNREST:
        kinds, there = 0, 0
        for civilisation in range(FIRST_CIVILISATION, LAST_CIVILISATION + 1):
            kinds += s.tiles[p, civilisation] > 0
            there += s.tiles[p, civilisation]
        if kind == UNREST:
            return civilisations_added(values, kinds, min(kinds, max(0, there - TILES_LOST)), own)
        return civilisations_added(values, kinds, kinds + (s.tiles[p, kind] == 0), own)
    if kind == EARTHQUAKE:
        return -TILES_LOST * values[MONUMENT_LOST]
    to_come = own_tiles_until_the_end(s, values, own)
    kinds = 0
    for monument in range(FIRST_MONUMENT, LAST_MONUMENT + 1):
        kinds += s.tiles[p, monument] > 0
    there = s.tiles[p, kind]
    new = different_added(values, kinds, kinds + 1, to_come) if there == 0 else 0.0
    return new + alike_added(s, values, kind, there, there + 1, to_come)


@rule
def god_worth(values: Numbers, own: float) -> float:
    """A god is worth its fame, and more while there is time to take something good with it."""
    return GOD_FAME + values[GOD_USE] * share(own / 2.0)


@rule
def pharaohs_of_others(s: State, p: int) -> tuple[int, int]:
    """RA-32: the most and the fewest pharaohs that another has."""
    most = 0
    fewest = SUPPLY[PHARAOH]
    for q in range(s.players):
        if q != p:
            most = max(most, s.tiles[q, PHARAOH])
            fewest = min(fewest, s.tiles[q, PHARAOH])
    return most, fewest


@rule
def pharaohs_added(s: State, values: Numbers, p: int, pharaohs: int, funerals: int, tiles: float) -> float:
    """Most pharaohs win, fewest lose, in every epoch; the nearer its end, the more one tile decides."""
    most, fewest = pharaohs_of_others(s, p)
    before = s.tiles[p, PHARAOH]
    after = max(0, before + pharaohs - TILES_LOST * funerals)
    sharp = 1.0 / (1.0 + PERCENT * values[PHARAOH_BLUR] * tiles * suns_face_up(s))
    leading = share(0.5 + (after - most + 0.5) * sharp) - share(0.5 + (before - most + 0.5) * sharp)
    trailing = share(0.5 - (after - fewest - 0.5) * sharp) - share(0.5 - (before - fewest - 0.5) * sharp)
    epochs = 1.0 + values[PHARAOH_LATER] * (EPOCHS - s.epoch)
    return epochs * (MOST_PHARAOHS * leading + FEWEST_PHARAOHS * trailing)


@rule
def nile_added(
    s: State, values: Numbers, p: int, niles: int, floods: int, droughts: int, own: float
) -> float:
    """Nile tiles count with a flood, now if there is one, and in every epoch to come if one is found."""
    floods += s.tiles[p, FLOOD]
    niles += s.tiles[p, NILE]
    washed = min(floods, TILES_LOST * droughts)
    dried = min(niles, TILES_LOST * droughts - washed)
    before = nile_worth(s, values, s.tiles[p, NILE], s.tiles[p, FLOOD], own)
    return nile_worth(s, values, niles - dried, floods - washed, own) - before


@rule
def nile_worth(s: State, values: Numbers, niles: int, floods: int, own: float) -> float:
    """What Nile and floods bring in this epoch and the next."""
    flooded = 1.0 if floods > 0 else share(PERCENT * values[FLOOD_CHANCE] * own)
    return flooded * (niles + floods) + values[FLOOD_LATER] * niles * (EPOCHS - s.epoch)


@rule
def kinds_added(fame: Cells, all_kinds: int, before: int, after: int, chance: float) -> float:
    """How much more a table of fame gives, if each kind that is missing may still come by chance."""
    return rise(fame, all_kinds, before + chance * (all_kinds - before), after + chance * (all_kinds - after))


@rule
def civilisations_of_row(s: State, values: Numbers, p: int, row: int, own: float) -> float:
    """What the civilisations and unrests of the row do."""
    before, after, there = 0, 0, 0
    for kind in range(FIRST_CIVILISATION, LAST_CIVILISATION + 1):
        count = s.tiles[p, kind] + in_row(row, kind)
        before += s.tiles[p, kind] > 0
        after += count > 0
        there += count
    after = min(after, max(0, there - TILES_LOST * in_row(row, UNREST)))
    return civilisations_added(values, before, after, own)


@rule
def civilisations_added(values: Numbers, before: int, after: int, own: float) -> float:
    """By the number of kinds there will be when the epoch ends."""
    chance = PERCENT * values[CIVILISATION_CHANCE] * own
    return kinds_added(CIVILISATION_FAME, CIVILISATIONS, before, after, chance)


@rule
def own_tiles_until_the_end(s: State, values: Numbers, own: float) -> float:
    """How many tiles a player may still win until the game is over."""
    return own + tiles_of_epochs(s, values, EPOCHS - s.epoch)


@rule
def monuments_of_row(s: State, values: Numbers, p: int, monuments: int, own: float) -> float:
    """What the monuments and earthquakes of the row do."""
    to_come = own_tiles_until_the_end(s, values, own)
    before, after, there = 0, 0, 0
    total = 0.0
    for kind in range(FIRST_MONUMENT, LAST_MONUMENT + 1):
        had = s.tiles[p, kind]
        more = in_row(monuments, kind - FIRST_MONUMENT)
        before += had > 0
        after += had + more > 0
        there += had + more
        if more > 0:
            total += alike_added(s, values, kind, had, had + more, to_come)
    lost = min(there, TILES_LOST * in_row(monuments, EARTHQUAKE - FIRST_MONUMENT))
    return total + different_added(values, before, after, to_come) - lost * values[MONUMENT_LOST]


@rule
def different_added(values: Numbers, before: int, after: int, to_come: float) -> float:
    """By the number of kinds of monuments there may be at the end of the game."""
    chance = PERCENT * values[MONUMENT_CHANCE] * to_come
    return kinds_added(DIFFERENT_MONUMENTS, MONUMENTS, before, after, chance)


@rule
def alike_added(s: State, values: Numbers, kind: int, before: int, after: int, to_come: float) -> float:
    """By how many alike there may be at the end; a player who has none does not count on them."""
    more = PERCENT * values[ALIKE_CHANCE] * s.bag[kind] * to_come
    return rise(IDENTICAL_MONUMENTS, MOST_ALIKE, before + more if before > 0 else 0.0, after + more)
