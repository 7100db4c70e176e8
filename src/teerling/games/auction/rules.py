"""The rules that Ra and Priests of Ra share.

The functions change the record and say what happened; what follows from it is each game's own.
"""

from teerling.engine import CHANCE, HIDDEN, OVER, Cells, GameState, Grid, int8, int16, rule, table
from teerling.engine.random import below

MOST_PLAYERS = 5
HIGHEST_SUN = 16
STACK_SUNS = table([
    [9, 6, 5, 2], [8, 7, 4, 3],
    [13, 8, 5, 2], [12, 9, 6, 3], [11, 10, 7, 4],
    [13, 6, 2, 0], [12, 7, 3, 0], [11, 8, 4, 0], [10, 9, 5, 0],
    [16, 7, 2, 0], [15, 8, 3, 0], [14, 9, 4, 0], [13, 10, 5, 0], [12, 11, 6, 0],
])  # fmt: skip
FIRST_STACK = table([0, 0, 0, 2, 5, 9])
SUNS_EACH = table([0, 0, 4, 4, 3, 3])
RA_TILES_TO_END = table([0, 0, 6, 8, 9, 10])
ROW_SPACES = 8
EPOCHS = 3
STARTING_FAME = 10
MOST_SUNS, LEAST_SUNS = 5, -5

NOT_OWNED, FACE_UP, FACE_DOWN = range(3)
EMPTY = -1
NO_BIDDER = -1
DEALING, ON_TURN, DRAWING, BIDDING, TURN_ENDS, EPOCH_ENDS, FINISHED, FIRST_OWN_PHASE = range(8)
NO_AUCTION, TILE_DRAWN, INVOKED, ROW_FULL = range(4)
STILL_OPEN, WON, NOBODY = range(3)

DRAW, INVOKE, PASS, STOP = range(4)
FIRST_BID = 4
FIRST_OWN_DECISION = FIRST_BID + HIGHEST_SUN


class AuctionState(GameState):
    """The part of the record that both games have; what has no size here each game declares with its own."""

    phase: int = int8()
    epoch: int = int8()
    mover: int = int8()
    """Whose turn it is; in an auction the Ra player."""
    dealt: int = int8()
    suns: Grid = int8(MOST_PLAYERS, HIGHEST_SUN + 1)
    """For each seat and sun: not owned, face up or face down."""
    ready: Cells = int8(MOST_PLAYERS)
    """How many suns lie face up."""
    middle: int = int8()
    row: Cells = int8(ROW_SPACES)
    lying: int = int8()
    """How many tiles lie in the auction row."""
    ra_tiles: int = int8()
    cause: int = int8()
    bid: int = int8()
    bidder: int = int8()
    fame: Cells = int16(MOST_PLAYERS)
    fame_hidden: int = int8()
    bag: Cells
    tiles: Grid
    """Every seat's display, by what lies there."""
    scored: Grid
    """Where the fame of the last scoring came from, by seat and line."""


@rule
def lay_out(s: AuctionState, players: int, fame_hidden: int) -> None:
    """RA-03, RA-04, PR-03, PR-04: fame for everybody, sun 1 in the middle, suns still to deal."""
    s.players = players
    s.fame_hidden = fame_hidden
    for p in range(players):
        s.fame[p] = STARTING_FAME
    s.middle = 1
    s.bidder = NO_BIDDER
    clear_row(s)
    s.phase = DEALING
    s.turn = CHANCE


@rule
def stack_is_left(s: AuctionState, stack: int) -> bool:
    """RA-04: whether nobody has been dealt this stack, known by its highest sun."""
    highest = STACK_SUNS[FIRST_STACK[s.players] + stack, 0]
    for p in range(s.dealt):
        if s.suns[p, highest] != NOT_OWNED:
            return False
    return True


@rule
def weigh_stacks(s: AuctionState, weights: Cells, first_stack: int) -> None:
    """RA-04, PR-04: every stack that is left is as likely; first_stack is the id of the first."""
    for stack in range(s.players):
        weights[first_stack + stack] = stack_is_left(s, stack)


@rule
def deal_stack(s: AuctionState, stack: int) -> None:
    """RA-04: the next seat gets a stack of suns, face up."""
    for i in range(SUNS_EACH[s.players]):
        s.suns[s.dealt, STACK_SUNS[FIRST_STACK[s.players] + stack, i]] = FACE_UP
    s.ready[s.dealt] = SUNS_EACH[s.players]
    s.dealt += 1


@rule
def deal_suns(s: AuctionState, stack: int) -> None:
    """RA-04, RA-05: deals a stack; the last seat gets what is left, and the first epoch begins."""
    deal_stack(s, stack)
    if s.dealt == s.players - 1:
        for last in range(s.players):
            if stack_is_left(s, last):
                deal_stack(s, last)
                break
        start_epoch(s)


@rule
def clear_row(s: AuctionState) -> None:
    """RA-15, RA-16, RA-27: all tiles leave the auction row."""
    for i in range(ROW_SPACES):
        s.row[i] = EMPTY
    s.lying = 0


@rule
def lay_in_row(s: AuctionState, kind: int) -> None:
    """RA-08: a tile goes on the first free space from the left."""
    i = 0
    while s.row[i] != EMPTY:
        i += 1
    s.row[i] = kind
    s.lying += 1


@rule
def row_is_full(s: AuctionState) -> bool:
    """RA-09: whether all spaces of the auction row are taken."""
    return s.lying == ROW_SPACES


@rule
def highest_sun(s: AuctionState, p: int) -> int:
    """RA-05, RA-38: a player's highest single sun, face up or down."""
    for sun in range(HIGHEST_SUN, 0, -1):
        if s.suns[p, sun] != NOT_OWNED:
            return sun
    return 0


@rule
def sum_of_suns(s: AuctionState, p: int) -> int:
    """RA-37: all own suns, face up and down."""
    total = 0
    for sun in range(1, HIGHEST_SUN + 1):
        if s.suns[p, sun] != NOT_OWNED:
            total += sun
    return total


@rule
def start_epoch(s: AuctionState) -> None:
    """RA-05, RA-28: all suns turn face up; the owner of the highest begins."""
    s.epoch += 1
    s.ra_tiles = 0
    first = 0
    for p in range(s.players):
        s.ready[p] = SUNS_EACH[s.players]
        for sun in range(1, HIGHEST_SUN + 1):
            if s.suns[p, sun] == FACE_DOWN:
                s.suns[p, sun] = FACE_UP
        if highest_sun(s, p) > highest_sun(s, first):
            first = p
    give_turn(s, first)


@rule
def give_turn(s: AuctionState, p: int) -> None:
    """RA-07: a player's turn begins."""
    s.mover = p
    s.turn = p
    s.phase = ON_TURN
    s.cause = NO_AUCTION
    s.bid = 0
    s.bidder = NO_BIDDER


@rule
def left_of(s: AuctionState, p: int) -> int:
    """RA-05: the next seat clockwise."""
    return p + 1 if p + 1 < s.players else 0


@rule
def next_turn(s: AuctionState) -> bool:
    """RA-18, RA-25, RA-26: the next player with suns is on turn; False when nobody has any left."""
    p = s.mover
    for _ in range(s.players):
        p = left_of(s, p)
        if s.ready[p] > 0:
            give_turn(s, p)
            return True
    return False


@rule
def allow_turn(s: AuctionState, mask: Cells) -> None:
    """RA-07, RA-09, PR-07: draw a tile or invoke Ra; with a full row only the latter."""
    mask[INVOKE] = 1
    mask[DRAW] = s.lying < ROW_SPACES


@rule
def draw_tile(s: AuctionState) -> None:
    """RA-08, PR-08: the player on turn waits for a tile out of the bag."""
    s.phase = DRAWING
    s.turn = CHANCE


@rule
def invoke(s: AuctionState) -> None:
    """RA-09, RA-10, PR-07: the player on turn takes the Ra figure, of free will or as the row is full."""
    open_auction(s, ROW_FULL if row_is_full(s) else INVOKED)


@rule
def lay_in_ra_row(s: AuctionState) -> None:
    """RA-08, RA-27, PR-08, PR-12: a drawn Ra tile ends the epoch or calls an auction."""
    s.ra_tiles += 1
    if ra_row_is_full(s):
        s.phase = EPOCH_ENDS
    else:
        open_auction(s, TILE_DRAWN)


@rule
def ra_row_is_full(s: AuctionState) -> bool:
    """RA-06, RA-27: whether the last Ra tile of the epoch has been drawn."""
    return s.ra_tiles == RA_TILES_TO_END[s.players]


@rule
def open_auction(s: AuctionState, cause: int) -> None:
    """RA-12: bidding goes once round, starting left of the Ra player."""
    s.cause = cause
    s.phase = BIDDING
    s.turn = s.mover
    next_bidder(s)


@rule
def next_bidder(s: AuctionState) -> None:
    """RA-12: players without face-up suns are passed over."""
    s.turn = left_of(s, s.turn)
    while s.ready[s.turn] == 0:
        s.turn = left_of(s, s.turn)


@rule
def may_pass(s: AuctionState) -> bool:
    """RA-13, RA-19: only who invoked Ra of free will must bid, if nobody else did."""
    return not (s.cause == INVOKED and s.turn == s.mover and s.bid == 0)


@rule
def allow_bids(s: AuctionState, mask: Cells, first_bid: int) -> None:
    """RA-12: any face-up sun higher than the highest bid so far; first_bid is the id of sun 1."""
    p, bid = s.turn, s.bid
    for sun in range(1, HIGHEST_SUN + 1):
        mask[first_bid + sun - 1] = (s.suns[p, sun] == FACE_UP) & (sun > bid)


@rule
def make_bid(s: AuctionState, sun: int) -> int:
    """RA-12: bids a sun, or passes with 0; the Ra player's word ends the auction."""
    if sun > 0:
        s.bid = sun
        s.bidder = s.turn
    if s.turn != s.mover:
        next_bidder(s)
        return STILL_OPEN
    return WON if s.bid > 0 else NOBODY


@rule
def exchange_suns(s: AuctionState) -> None:
    """RA-16: the winner takes the sun from the middle face down and lays the bid sun there."""
    s.suns[s.bidder, s.bid] = NOT_OWNED
    s.suns[s.bidder, s.middle] = FACE_DOWN
    s.ready[s.bidder] -= 1
    s.middle = s.bid


@rule
def take_row(s: AuctionState, tiles: Grid) -> None:
    """RA-16, PR-10: the winner, who now decides, gets all tiles of the row as they lie, and the sun."""
    s.turn = s.bidder
    for i in range(ROW_SPACES):
        if s.row[i] != EMPTY:
            tiles[s.turn, s.row[i]] += 1
    clear_row(s)
    exchange_suns(s)


@rule
def leave_row(s: AuctionState) -> None:
    """RA-14, RA-15, PR-09: nobody bid; a full row leaves the game, another stays."""
    if s.cause == ROW_FULL:
        clear_row(s)
    s.phase = TURN_ENDS


@rule
def score_suns(s: AuctionState, scored: Grid, line: int) -> None:
    """RA-37, PR-29: highest sum of suns +5, lowest −5, ties all, nothing if all are equal."""
    highest = lowest = sum_of_suns(s, 0)
    for p in range(1, s.players):
        highest = max(highest, sum_of_suns(s, p))
        lowest = min(lowest, sum_of_suns(s, p))
    if highest > lowest:
        for p in range(s.players):
            if sum_of_suns(s, p) == highest:
                scored[p, line] = MOST_SUNS
            elif sum_of_suns(s, p) == lowest:
                scored[p, line] = LEAST_SUNS


@rule
def add_up_fame(s: AuctionState, scored: Grid, floor_line: int) -> None:
    """RA-30, PR-20: gains and losses are added up; nobody goes below 0."""
    for p in range(s.players):
        fame = s.fame[p]
        for line in range(floor_line):
            fame += scored[p, line]
        scored[p, floor_line] = max(0, -fame)
        s.fame[p] = max(0, fame)


@rule
def go_on(s: AuctionState) -> None:
    """RA-25, RA-28, PR-12: after the scoring the next epoch begins, or the game is over."""
    if s.epoch == EPOCHS:
        end_game(s)
    else:
        start_epoch(s)


@rule
def end_game(s: AuctionState) -> None:
    """RA-25: after the third epoch nobody is on turn."""
    give_turn(s, 0)
    s.ra_tiles = 0
    s.phase = FINISHED
    s.turn = OVER


@rule
def rank_by_fame(s: AuctionState, scores: Cells, ranks: Cells) -> None:
    """RA-38, PR-30, G-02: most fame wins, the highest single sun breaks ties, in every place."""
    for p in range(s.players):
        scores[p] = s.fame[p]
        ranks[p] = 1
        for q in range(s.players):
            if s.fame[q] > s.fame[p] or (s.fame[q] == s.fame[p] and highest_sun(s, q) > highest_sun(s, p)):
                ranks[p] += 1


@rule
def hide_fame(s: AuctionState, seat: int, scored: Grid, lines: int) -> None:
    """RA-03, G-03: others' fame and score lines are shown after the game only."""
    if s.fame_hidden and s.turn != OVER:
        for p in range(s.players):
            if p != seat:
                s.fame[p] = HIDDEN
                for line in range(lines):
                    scored[p, line] = HIDDEN


@rule
def imagine_fame(s: AuctionState, seat: int, scored: Grid, lines: int, rng: Cells) -> None:
    """Gives players of unknown fame what all begin with, or later what somebody might have by now."""
    for p in range(s.players):
        if s.fame[p] == HIDDEN:
            s.fame[p] = STARTING_FAME if s.epoch <= 1 else below(rng, 2 * STARTING_FAME * s.epoch + 1)
            for line in range(lines):
                scored[p, line] = 0


@rule
def row_is_sound(s: AuctionState) -> bool:
    """RA-08: as many tiles lie in the auction row as are counted."""
    lying = 0
    for i in range(ROW_SPACES):
        lying += s.row[i] != EMPTY
    return lying == s.lying


@rule
def suns_are_sound(s: AuctionState) -> bool:
    """RA-04: every sun that was dealt, and sun 1, is in one place."""
    for p in range(s.players):
        ready = 0
        for sun in range(1, HIGHEST_SUN + 1):
            ready += s.suns[p, sun] == FACE_UP
        if ready != s.ready[p]:
            return False
    first = FIRST_STACK[s.players]
    for sun in range(1, HIGHEST_SUN + 1):
        places = 1 if s.middle == sun else 0
        for p in range(s.players):
            places += s.suns[p, sun] != NOT_OWNED
        expected = 1 if sun == 1 else 0
        for stack in range(s.players):
            for i in range(SUNS_EACH[s.players]):
                if STACK_SUNS[first + stack, i] == sun and (s.epoch > 0 or not stack_is_left(s, stack)):
                    expected = 1
        if places != expected:
            return False
    return True
