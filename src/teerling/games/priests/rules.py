"""The rules of Priests of Ra over one record."""

from teerling.engine import CHANCE, Cells, Grid, int8, int16, rule, table

from ..auction.rules import (
    BIDDING,
    DEALING,
    DRAW,
    EMPTY,
    EPOCH_ENDS,
    EPOCHS,
    FIRST_BID,
    FIRST_OWN_DECISION,
    FIRST_OWN_PHASE,
    INVOKE,
    MOST_PLAYERS,
    NOBODY,
    ON_TURN,
    PASS,
    ROW_SPACES,
    STOP,
    TURN_ENDS,
    WON,
    AuctionState,
    add_up_fame,
    allow_bids,
    allow_turn,
    clear_row,
    deal_suns,
    draw_tile,
    go_on,
    hide_fame,
    imagine_fame,
    invoke,
    lay_in_ra_row,
    lay_in_row,
    lay_out,
    leave_row,
    make_bid,
    may_pass,
    next_turn,
    rank_by_fame,
    row_is_sound,
    score_suns,
    suns_are_sound,
    take_row,
    weigh_stacks,
)

MOST_COLOURS = 5
COLOURS = table([1, 3, 5])

# Tiles, as the bag counts them: buildings come once for each colour.
RA, PRIEST, PLAGUE, PYRAMID = range(4)
FARMER_WARRIOR, MERCHANT_SCRIBE, TOMB_A_B, TOMB_C_D, GRANARY_FORTRESS = range(4, 9)
MARKET_LIBRARY = GRANARY_FORTRESS + MOST_COLOURS
TILES = MARKET_LIBRARY + MOST_COLOURS
FIRST_TWO_SIDED = FARMER_WARRIOR
SUPPLY = table([30, 15, 10, 15, 30, 30, 7, 7])
BUILDING_SUPPLY = 15

# Sides, as rows and displays hold them: those of a two-sided tile are neighbours.
FARMER, WARRIOR, MERCHANT, SCRIBE, TOMB_A, TOMB_B, TOMB_C, TOMB_D, GRANARY, FORTRESS = range(4, 14)
MARKET, LIBRARY = GRANARY + 2 * MOST_COLOURS, FORTRESS + 2 * MOST_COLOURS
SIDES = MARKET + 2 * MOST_COLOURS
FIRST_SIDE = FARMER
FIRST_PROFESSION, LAST_PROFESSION = FARMER, SCRIBE
FIRST_TOMB, LAST_TOMB = TOMB_A, TOMB_D
BUILDINGS = table([GRANARY, FORTRESS, MARKET, LIBRARY])

PROFESSIONS = 4
FEWEST_LEADING, LEADING_FAME = 2, 5
ANKHS_WON = table([0, 0, 0, 1, 2])
MOST_ANKHS = 4
BUILDING_TILES, BUILDING_FAME = 2, 2
BUILDING_TYPES = 4
DIFFERENT_BUILDINGS = table([0, 0, 0, 5, 10])
PRIEST_FAME = 2
PRIESTS_AGAINST_PLAGUE = 3
PLAGUE_FAME = table([0, -1, -3, -6, -10, -15, -20])
MOST_PLAGUES = 6
PYRAMID_FAME = table([0, 0, 0, 5, 5, 5, 10, 10, 10, 10, 20])
LARGEST_PYRAMID = 10
TOMB_FAME = table([0, 0, 0, 5, 10])
MOST_TOMBS = 4
ANKH_FAME = table([0, 0, 5, 10, 20])

# Which side lies up: farmer, warrior, merchant, scribe, tomb a … d, granary, fortress, market, library.
FIRST_LAY = FIRST_OWN_DECISION
LAYS = 12
LAY_OF_TILE = table([0, 0, 0, 0, 0, 2, 4, 6, 8, 8, 8, 8, 8, 10, 10, 10, 10, 10])
FIRST_FLIP = FIRST_LAY + LAYS
DECISIONS = FIRST_FLIP + SIDES - FIRST_SIDE
FIRST_STACK_OUTCOME = TILES
OUTCOMES = TILES + MOST_PLAYERS

LAYING, FLIPPING = FIRST_OWN_PHASE, FIRST_OWN_PHASE + 1

FARMERS_LINE, WARRIORS_LINE, MERCHANTS_LINE, SCRIBES_LINE, BUILDINGS_LINE, BUILDING_TYPES_LINE = range(6)
PRIESTS_LINE, PLAGUES_LINE, PYRAMID_LINE, TOMBS_LINE, ANKHS_LINE, SUNS_LINE = range(6, 12)
FLOOR_LINE = 12
LINES = 13


class State(AuctionState):
    """A whole game of Priests of Ra."""

    colours: int = int8()
    """How many colours buildings have."""
    bag: Cells = int8(TILES)
    in_hand: int = int8()
    """The two-sided tile that has been drawn and not yet laid in the row."""
    tiles: Grid = int8(MOST_PLAYERS, SIDES)
    """Every seat's display, by the side that lies up."""
    flips: int = int8()
    """How many tiles the winner of the row may still turn over."""
    ankhs: Cells = int8(MOST_PLAYERS)
    scored: Grid = int16(MOST_PLAYERS, LINES)
    """Where the fame of the last scoring came from."""


@rule
def setup(s: State, players: int, options: Cells) -> None:
    """PR-01, PR-02, PR-03: 174 tiles in the bag, 10 fame for everybody."""
    lay_out(s, players, options[0])
    s.colours = COLOURS[options[1]]
    s.in_hand = EMPTY
    for tile in range(TILES):
        s.bag[tile] = supply(s, tile)


@rule
def supply(s: State, tile: int) -> int:
    """PR-02, PR-23: how many such tiles there are; buildings are split evenly over the colours."""
    if tile < GRANARY_FORTRESS:
        return SUPPLY[tile]
    colour = (tile - GRANARY_FORTRESS) % MOST_COLOURS
    return BUILDING_SUPPLY // s.colours if colour < s.colours else 0


@rule
def side_of(tile: int, side: int) -> int:
    """PR-14: side 0 or 1 of a two-sided tile."""
    return FIRST_SIDE + 2 * (tile - FIRST_TWO_SIDED) + side


@rule
def other_side(side: int) -> int:
    """PR-14: what lies up after a tile has been turned over."""
    return side + 1 if side % 2 == 0 else side - 1


@rule
def legal(s: State, mask: Cells) -> None:
    """PR-07: what the player to decide may do."""
    if s.phase == ON_TURN:
        allow_turn(s, mask)
    elif s.phase == BIDDING:
        allow_bids(s, mask, FIRST_BID)
        mask[PASS] = may_pass(s)
    elif s.phase == LAYING:
        lay = FIRST_LAY + LAY_OF_TILE[s.in_hand]
        mask[lay] = 1
        mask[lay + 1] = 1
    else:
        mask[STOP] = 1
        for side in range(FIRST_SIDE, SIDES):
            mask[FIRST_FLIP + side - FIRST_SIDE] = s.tiles[s.turn, side] > 0


@rule
def chance(s: State, weights: Cells) -> None:
    """PR-02, PR-04: a tile out of the bag, or a stack of suns."""
    if s.phase == DEALING:
        weigh_stacks(s, weights, FIRST_STACK_OUTCOME)
    else:
        for tile in range(TILES):
            weights[tile] = s.bag[tile]


@rule
def apply(s: State, move: int) -> None:
    """Carries out a decision, or what nature answered, and what follows by itself."""
    if s.turn == CHANCE:
        if s.phase == DEALING:
            deal_suns(s, move - FIRST_STACK_OUTCOME)
        else:
            turn_over(s, move)
    elif move == DRAW:
        draw_tile(s)
    elif move == INVOKE:
        invoke(s)
    elif move == PASS:
        bid(s, 0)
    elif move == STOP:
        stop_flipping(s)
    elif move < FIRST_LAY:
        bid(s, move - FIRST_BID + 1)
    elif move < FIRST_FLIP:
        lay(s, move - FIRST_LAY)
    else:
        flip(s, move - FIRST_FLIP + FIRST_SIDE)
    if s.phase == TURN_ENDS and not next_turn(s):
        s.phase = EPOCH_ENDS
    if s.phase == EPOCH_ENDS:
        end_epoch(s)


@rule
def turn_over(s: State, tile: int) -> None:
    """PR-08: a drawn tile goes to its row; one with two sides waits until its drawer has chosen."""
    s.bag[tile] -= 1
    if tile == RA:
        lay_in_ra_row(s)
    elif tile < FIRST_TWO_SIDED:
        lay_in_row(s, tile)
        s.phase = TURN_ENDS
    else:
        s.in_hand = tile
        s.phase = LAYING
        s.turn = s.mover


@rule
def lay(s: State, choice: int) -> None:
    """PR-08: the drawn tile goes in the row with the chosen side up."""
    lay_in_row(s, side_of(s.in_hand, choice - LAY_OF_TILE[s.in_hand]))
    s.in_hand = EMPTY
    s.phase = TURN_ENDS


@rule
def bid(s: State, sun: int) -> None:
    """PR-09: a bid or a pass, and what it leads to when it was the last."""
    happened = make_bid(s, sun)
    if happened == WON:
        win(s, s.bidder)
    elif happened == NOBODY:
        leave_row(s)


@rule
def win(s: State, p: int) -> None:
    """PR-10: all tiles enter the display; each priest among them may turn over a tile."""
    earlier = s.tiles[p, PRIEST]
    take_row(s, s.tiles)
    s.flips = s.tiles[p, PRIEST] - earlier
    s.phase = FLIPPING
    if s.flips == 0 or not has_two_sided(s, p):
        stop_flipping(s)


@rule
def has_two_sided(s: State, p: int) -> bool:
    """PR-10: whether there is anything to turn over."""
    there = 0
    for side in range(FIRST_SIDE, SIDES):
        there += s.tiles[p, side]
    return there > 0


@rule
def turn_tile(s: State, p: int, side: int) -> None:
    """PR-14: a tile of a display shows its other side."""
    s.tiles[p, side] -= 1
    s.tiles[p, other_side(side)] += 1


@rule
def flip(s: State, side: int) -> None:
    """PR-10, PR-14: the winner turns over a tile of the display."""
    turn_tile(s, s.turn, side)
    s.flips -= 1
    if s.flips == 0:
        stop_flipping(s)


@rule
def stop_flipping(s: State) -> None:
    """PR-10: flips that were not used are given up."""
    s.flips = 0
    s.phase = TURN_ENDS


@rule
def end_epoch(s: State) -> None:
    """PR-12: both rows are emptied and everybody scores; the next epoch begins."""
    clear_row(s)
    score(s)
    go_on(s)


@rule
def score(s: State) -> None:
    """PR-20: all gains and losses of the epoch, after epoch 3 with pyramid, tombs, ankhs and suns."""
    for p in range(s.players):
        for line in range(LINES):
            s.scored[p, line] = 0
    for profession in range(PROFESSIONS):
        score_profession(s, FIRST_PROFESSION + profession, FARMERS_LINE + profession)
    for p in range(s.players):
        win_ankhs(s, p)
        score_buildings(s, p)
        score_priests(s, p)
        score_plagues(s, p)
        if s.epoch == EPOCHS:
            score_pyramid(s, p)
            score_tombs(s, p)
            s.scored[p, ANKHS_LINE] = ANKH_FAME[s.ankhs[p]]
    if s.epoch == EPOCHS:
        score_suns(s, s.scored, SUNS_LINE)
    add_up_fame(s, s.scored, FLOOR_LINE)


@rule
def score_profession(s: State, profession: int, line: int) -> None:
    """PR-21: 5 for everybody with the most tiles of a profession, 2 at least."""
    most = FEWEST_LEADING
    for p in range(s.players):
        most = max(most, s.tiles[p, profession])
    for p in range(s.players):
        if s.tiles[p, profession] == most:
            s.scored[p, line] = LEADING_FAME


@rule
def win_ankhs(s: State, p: int) -> None:
    """PR-22: by the number of professions, four ankhs at most; then all professions leave."""
    professions = 0
    for profession in range(FIRST_PROFESSION, LAST_PROFESSION + 1):
        professions += s.tiles[p, profession] > 0
        s.tiles[p, profession] = 0
    s.ankhs[p] = min(MOST_ANKHS, s.ankhs[p] + ANKHS_WON[professions])


@rule
def complete_buildings(s: State, p: int, building: int) -> int:
    """PR-23: two tiles of one type and colour are a complete building."""
    complete = 0
    for colour in range(s.colours):
        complete += s.tiles[p, building + 2 * colour] // BUILDING_TILES
    return complete


@rule
def score_buildings(s: State, p: int) -> None:
    """PR-23: 2 for each complete building, and more for three or four types; they stay."""
    types = 0
    complete = 0
    for i in range(BUILDING_TYPES):
        of_this_type = complete_buildings(s, p, BUILDINGS[i])
        complete += of_this_type
        types += of_this_type > 0
    s.scored[p, BUILDINGS_LINE] = BUILDING_FAME * complete
    s.scored[p, BUILDING_TYPES_LINE] = DIFFERENT_BUILDINGS[types]


@rule
def score_priests(s: State, p: int) -> None:
    """PR-24: 2 each; three take away one plague; then they leave."""
    s.scored[p, PRIESTS_LINE] = PRIEST_FAME * s.tiles[p, PRIEST]
    if s.tiles[p, PRIEST] >= PRIESTS_AGAINST_PLAGUE and s.tiles[p, PLAGUE] > 0:
        s.tiles[p, PLAGUE] -= 1
    s.tiles[p, PRIEST] = 0


@rule
def score_plagues(s: State, p: int) -> None:
    """PR-25: the more, the worse; they stay."""
    s.scored[p, PLAGUES_LINE] = PLAGUE_FAME[min(MOST_PLAGUES, s.tiles[p, PLAGUE])]


@rule
def stones_of(s: State, p: int) -> int:
    """PR-26: pyramids and tombs are the stones of one step pyramid."""
    stones = s.tiles[p, PYRAMID]
    for tomb in range(FIRST_TOMB, LAST_TOMB + 1):
        stones += s.tiles[p, tomb]
    return stones


@rule
def score_pyramid(s: State, p: int) -> None:
    """PR-26: the larger the step pyramid, the better."""
    s.scored[p, PYRAMID_LINE] = PYRAMID_FAME[min(LARGEST_PYRAMID, stones_of(s, p))]


@rule
def score_tombs(s: State, p: int) -> None:
    """PR-27: three or more tombs of one colour; only the best colour counts."""
    alike = 0
    for tomb in range(FIRST_TOMB, LAST_TOMB + 1):
        alike = max(alike, s.tiles[p, tomb])
    s.scored[p, TOMBS_LINE] = TOMB_FAME[min(MOST_TOMBS, alike)]


@rule
def results(s: State, scores: Cells, ranks: Cells) -> None:
    """PR-30: most fame wins; among the tied, the highest single sun."""
    rank_by_fame(s, scores, ranks)


@rule
def observe(s: State, seat: int) -> None:
    """PR-03, PR-13, G-03: all lies open but others' fame, if it is kept hidden."""
    hide_fame(s, seat, s.scored, LINES)


@rule
def imagine(s: State, seat: int, rng: Cells) -> None:
    """PR-03: fame that the seat does not see."""
    imagine_fame(s, seat, s.scored, LINES, rng)


@rule
def sound(s: State) -> bool:
    """PR-02, PR-04: no more tiles of a kind than there are, and every sun is in one place."""
    for p in range(s.players):
        for side in range(SIDES):
            if s.tiles[p, side] < 0:
                return False
    for tile in range(TILES):
        if s.bag[tile] < 0 or s.bag[tile] + drawn(s, tile) > supply(s, tile):
            return False
    return row_is_sound(s) and suns_are_sound(s)


@rule
def drawn(s: State, tile: int) -> int:
    """PR-02: how many such tiles can be seen, whichever side lies up."""
    if tile < FIRST_TWO_SIDED:
        return seen(s, tile) + (s.ra_tiles if tile == RA else 0)
    in_hand = 1 if s.in_hand == tile else 0
    return in_hand + seen(s, side_of(tile, 0)) + seen(s, side_of(tile, 1))


@rule
def seen(s: State, side: int) -> int:
    """PR-13: how often a side lies up in the row and the displays."""
    there = 0
    for i in range(ROW_SPACES):
        there += s.row[i] == side
    for p in range(s.players):
        there += s.tiles[p, side]
    return there
