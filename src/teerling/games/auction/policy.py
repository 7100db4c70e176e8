"""How a sensible player bids and calls Ra, in Ra and in Priests of Ra.

A sun is worth the tiles it may still bring in this epoch. So one bids when the row is worth more
than the sun, with the lowest sun that is likely to stand. Each game says what the row is worth.
"""

from teerling.engine import Cells, Numbers, rule

from .rules import (
    DRAW,
    EPOCHS,
    FACE_UP,
    FIRST_BID,
    HIGHEST_SUN,
    INVOKE,
    ON_TURN,
    PASS,
    RA_TILES_TO_END,
    ROW_SPACES,
    SUNS_EACH,
    AuctionState,
    left_of,
    row_is_full,
)

VALUES = {
    "tile": 1.3,  # what a tile brings on average to the sun that wins it
    "most_tiles": 6.0,  # how many tiles a sun may hope for at most
    "height": 0.3,  # how much dearer a sun is that is twice as high as the others
    "exchange": 1.0,  # what ten points more on a sun are worth in every epoch to come
    "last_exchange": 2.5,  # what ten points more on a sun are worth at the end of the game
    "envy": 0.4,  # how much it hurts when another gains a point
    "bid_error": 3.0,  # points by which we may misjudge what another will bid
    "waiting": 0.7,  # how much of what the row would bring now is still there when the turn is back
    "growth": 0.6,  # what a drawn tile adds to what the row will bring
    "spite": 1.0,  # how much a bid may cost that keeps others from gaining more
    "tiles_later": 3.5,  # how many tiles a sun brings in an epoch that has not begun
}
(
    TILE, MOST_TILES, HEIGHT, EXCHANGE, LAST_EXCHANGE, ENVY, BID_ERROR, WAITING, GROWTH, SPITE, TILES_LATER,
    FIRST_OWN_VALUE,
) = range(len(VALUES) + 1)  # fmt: skip

TEN, PERCENT = 10.0, 0.01
UNTHINKABLE = 1000.0
BITS = 4
"""How many bits a kind has where the row is one number."""


@rule
def share(chance: float) -> float:
    """A chance, between never and for sure."""
    return min(1.0, max(0.0, chance))


@rule
def row_in_a_number(s: AuctionState, first: int, last: int) -> int:
    """How many tiles of each of the kinds first…last lie in the row, four bits a kind."""
    counts = 0
    for i in range(ROW_SPACES):
        kind = s.row[i]
        if first <= kind <= last:
            counts += 1 << BITS * (kind - first)
    return counts


@rule
def in_row(counts: int, place: int) -> int:
    """How many tiles of a kind lie in the row."""
    return counts >> BITS * place & 15


@rule
def own_tiles_to_come(s: AuctionState, p: int, tiles: float) -> float:
    """How many tiles a player may still win in this epoch, once a sun has been used for the row."""
    return tiles * max(0, s.ready[p] - 1)


@rule
def tiles_of_epochs(s: AuctionState, values: Numbers, epochs: int) -> float:
    """How many tiles a player may win in epochs that have not begun."""
    return values[TILES_LATER] * SUNS_EACH[s.players] * epochs


@rule
def between(fame: Cells, last: int, place: float) -> float:
    """What a table of fame says between its entries; after the last, as the last."""
    if place >= last:
        return float(fame[last])
    whole = int(place)
    return fame[whole] + (place - whole) * (fame[whole + 1] - fame[whole])


@rule
def rise(fame: Cells, last: int, before: float, after: float) -> float:
    """How much more a table of fame gives for one number than for another."""
    return between(fame, last, after) - between(fame, last, before)


@rule
def ra_tiles_to_come(s: AuctionState) -> int:
    """How many Ra tiles are still to come before the epoch is over."""
    return RA_TILES_TO_END[s.players] - s.ra_tiles


@rule
def tiles_to_come(s: AuctionState, in_bag: int, ra_in_bag: int) -> float:
    """How many tiles may be expected to lie in the row before the last Ra tile of the epoch."""
    return s.lying + ra_tiles_to_come(s) * (in_bag - ra_in_bag) / (ra_in_bag + 1.0)


@rule
def suns_face_up(s: AuctionState) -> int:
    """How many suns can still be bid in this epoch."""
    there = 0
    for p in range(s.players):
        there += s.ready[p]
    return there


@rule
def mean_sun(s: AuctionState) -> float:
    """How high the suns are, on average, that can still be bid."""
    total = 0
    for p in range(s.players):
        for sun in range(1, HIGHEST_SUN + 1):
            total += sun * (s.suns[p, sun] == FACE_UP)
    return total / max(1, suns_face_up(s))


@rule
def tiles_a_sun(s: AuctionState, values: Numbers, in_bag: int, ra_in_bag: int) -> float:
    """How many tiles a sun may still bring: all have to share what is to come."""
    return min(values[MOST_TILES], tiles_to_come(s, in_bag, ra_in_bag) / max(1, suns_face_up(s)))


@rule
def price(values: Numbers, sun: int, mean: float, tiles: float) -> float:
    """What a sun would bring later in the epoch, so what it costs to use it now."""
    return max(0.0, values[TILE] * tiles * (1.0 + values[HEIGHT] * (sun / mean - 1.0)))


@rule
def exchange(s: AuctionState, values: Numbers, sun: int) -> float:
    """What it is worth to have the sun in the middle instead of this one after the epoch."""
    epochs = EPOCHS - s.epoch
    return (s.middle - sun) * (values[LAST_EXCHANGE] + values[EXCHANGE] * epochs) / TEN


@rule
def gain(s: AuctionState, values: Numbers, row: float, sun: int, mean: float, tiles: float) -> float:
    """What winning the row with this sun is worth, over keeping the sun for later."""
    return row - price(values, sun, mean, tiles) + exchange(s, values, sun)


@rule
def next_sun(s: AuctionState, p: int, bid: int) -> int:
    """A player's lowest face-up sun above the bid, or 0."""
    for sun in range(bid + 1, HIGHEST_SUN + 1):
        if s.suns[p, sun] == FACE_UP:
            return sun
    return 0


@rule
def is_tempted(s: AuctionState, values: Numbers, row: float, mean: float, tiles: float) -> bool:
    """Whether the row comes near the lowest sun that may be bid; if not, others need no thought."""
    least = 0.0 if s.phase == ON_TURN else -values[SPITE]
    return gain(s, values, row, next_sun(s, s.turn, s.bid), mean, tiles) > least


@rule
def advise_bids(
    s: AuctionState,
    values: Numbers,
    mask: Cells,
    worth: Numbers,
    rows: Numbers,
    mean: float,
    tiles: float,
) -> None:
    """A bid is worth its gain if it stands; if not, whoever gets the row at least pays more."""
    row = rows[s.turn]
    tempted = is_tempted(s, values, row, mean, tiles)
    stands, rival = 1.0, 0.0
    for sun in range(s.bid + 1, HIGHEST_SUN + 1):
        move = FIRST_BID + sun - 1
        if mask[move]:
            if tempted:
                stands, rival = answers(s, values, rows, sun, mean, tiles)
            gained = gain(s, values, row, sun, mean, tiles)
            worth[move] = stands * gained - (1.0 - stands) * values[ENVY] * rival
    worth[PASS] = -values[ENVY] * rival_gain(s, values, rows, mean, tiles) if tempted else 0.0


@rule
def rival_gain(s: AuctionState, values: Numbers, rows: Numbers, mean: float, tiles: float) -> float:
    """What the row brings the keenest of the others if the player to decide passes."""
    _, rival = answers(s, values, rows, s.bid, mean, tiles)
    if s.bid > 0:
        rival = max(rival, gain(s, values, rows[s.bidder], s.bid, mean, tiles))
    return rival


@rule
def answers(
    s: AuctionState, values: Numbers, rows: Numbers, bid: int, mean: float, tiles: float
) -> tuple[float, float]:
    """How likely it is that nobody overbids, and what it would bring the keenest of those who may."""
    stands, most = 1.0, 0.0
    q = s.turn
    while q != s.mover:
        q = left_of(s, q)
        sun = next_sun(s, q, bid)
        if sun > 0:
            gained = gain(s, values, rows[q], sun, mean, tiles)
            stands *= 1.0 - share(0.5 + gained / values[BID_ERROR])
            most = max(most, gained)
    return stands, most


@rule
def has_a_say(s: AuctionState, p: int) -> bool:
    """Whether somebody may still bid in this auction, or holds the highest bid."""
    if s.phase == ON_TURN or p == s.bidder:
        return s.ready[p] > 0
    since_me = (p - s.turn) % s.players
    return s.ready[p] > 0 and since_me <= (s.mover - s.turn) % s.players


@rule
def outcome_of_auction(s: AuctionState, values: Numbers, rows: Numbers, mean: float, tiles: float) -> float:
    """What comes of calling Ra now: others bid in turn if they gain by it, the caller has the last word."""
    me = s.turn
    least = -UNTHINKABLE if not row_is_full(s) else 0.0
    own = gain(s, values, rows[me], next_sun(s, me, 0), mean, tiles)
    if own <= 0.0:
        return max(own, least)
    bid = 0
    q = left_of(s, me)
    while q != me:
        sun = next_sun(s, q, bid)
        if sun > 0:
            gained = gain(s, values, rows[q], sun, mean, tiles)
            if gained > 0.0:
                bid = sun
                least = -values[ENVY] * gained
        q = left_of(s, q)
    sun = next_sun(s, me, bid)
    if sun == 0:
        return least
    return max(least, gain(s, values, rows[me], sun, mean, tiles))


@rule
def own_prices(s: AuctionState, values: Numbers, mean: float, tiles: float) -> float:
    """What all suns of the player on turn may still bring in this epoch."""
    total = 0.0
    for sun in range(1, HIGHEST_SUN + 1):
        if s.suns[s.turn, sun] == FACE_UP:
            total += price(values, sun, mean, tiles)
    return total


@rule
def advise_turn(
    s: AuctionState,
    values: Numbers,
    worth: Numbers,
    rows: Numbers,
    mean: float,
    tiles: float,
    ra_chance: float,
) -> None:
    """Call Ra for what the row brings now, or draw for a better one and risk losing it."""
    now = outcome_of_auction(s, values, rows, mean, tiles)
    alone = suns_face_up(s) == s.ready[s.turn]
    if alone:
        later = now + values[TILE]
    else:
        later = values[WAITING] * max(0.0, now) + values[GROWTH]
    if ra_tiles_to_come(s) == 1:
        at_ra = -own_prices(s, values, mean, tiles)
    else:
        at_ra = now if alone else max(0.0, now)
    worth[INVOKE] = now
    worth[DRAW] = ra_chance * at_ra + (1.0 - ra_chance) * later
