"""The rules of Ra over one record."""

from teerling.engine import CHANCE, Cells, Grid, int8, int16, rule, table

from ..auction.rules import (
    BIDDING,
    DEALING,
    DRAW,
    EMPTY,
    EPOCH_ENDS,
    EPOCHS,
    FIRST_BID,
    FIRST_OWN_PHASE,
    HIGHEST_SUN,
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

(
    RA, GOD, PHARAOH, FUNERAL, NILE, FLOOD, DROUGHT,
    ART, AGRICULTURE, RELIGION, ASTRONOMY, WRITING, UNREST, GOLD,
    FORTRESS, OBELISK, PALACE, PYRAMID, SPHINX, STATUES, STEP_PYRAMID, TEMPLE, EARTHQUAKE,
) = range(23)  # fmt: skip
KINDS = 23
FIRST_CIVILISATION, LAST_CIVILISATION = ART, WRITING
FIRST_MONUMENT, LAST_MONUMENT = FORTRESS, TEMPLE
SUPPLY = table([30, 8, 25, 2, 25, 12, 2, 5, 5, 5, 5, 5, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 2])

TILES_LOST = 2
GOD_FAME, GOLD_FAME, NILE_FAME = 2, 3, 1
MOST_PHARAOHS, FEWEST_PHARAOHS = 5, -2
CIVILISATION_FAME = table([-5, 0, 0, 5, 10, 15])
DIFFERENT_MONUMENTS = table([0, 1, 2, 3, 4, 5, 6, 10, 15])
IDENTICAL_MONUMENTS = table([0, 0, 0, 5, 10, 15])

FIRST_TAKE = FIRST_BID + HIGHEST_SUN
FIRST_DISCARD = FIRST_TAKE + KINDS
DECISIONS = FIRST_DISCARD + KINDS
FIRST_STACK_OUTCOME = KINDS
OUTCOMES = KINDS + MOST_PLAYERS

USING_GODS, STRICKEN, LOSING_TILES = FIRST_OWN_PHASE, FIRST_OWN_PHASE + 1, FIRST_OWN_PHASE + 2

GODS_LINE, PHARAOHS_LINE, NILE_LINE, CIVILISATIONS_LINE, GOLD_LINE, MONUMENTS_LINE, SUNS_LINE = range(7)
FLOOR_LINE = 7
LINES = 8


class State(AuctionState):
    """A whole game of Ra."""

    bag: Cells = int8(KINDS)
    tiles: Grid = int8(MOST_PLAYERS, KINDS)
    """Every seat's display; a disaster lies there until it has been carried out."""
    owed: int = int8()
    """How many tiles of choice the player on turn still has to give up."""
    scored: Grid = int16(MOST_PLAYERS, LINES)
    """Where the fame of the last scoring came from."""


@rule
def setup(s: State, players: int, options: Cells) -> None:
    """RA-01, RA-02, RA-03: 180 tiles in the bag, 10 fame for everybody."""
    lay_out(s, players, options[0])
    for kind in range(KINDS):
        s.bag[kind] = SUPPLY[kind]


@rule
def legal(s: State, mask: Cells) -> None:
    """RA-07: what the player to decide may do."""
    if s.phase == ON_TURN:
        allow_turn(s, mask)
        if s.tiles[s.turn, GOD] > 0:
            allow_takes(s, mask)
    elif s.phase == BIDDING:
        allow_bids(s, mask, FIRST_BID)
        if may_pass(s):
            mask[PASS] = 1
    elif s.phase == USING_GODS:
        mask[STOP] = 1
        allow_takes(s, mask)
    else:
        allow_discards(s, mask)


@rule
def allow_takes(s: State, mask: Cells) -> None:
    """RA-11: any tile of the auction row that a god takes."""
    for i in range(ROW_SPACES):
        if may_be_taken(s.row[i]):
            mask[FIRST_TAKE + s.row[i]] = 1


@rule
def may_be_taken(kind: int) -> bool:
    """RA-11: a god takes any tile but a god."""
    return kind != EMPTY and kind != GOD


@rule
def allow_discards(s: State, mask: Cells) -> None:
    """RA-21: tiles that the disaster strikes."""
    disaster = disaster_of_choice(s)
    for kind in range(KINDS):
        if strikes(disaster, kind) and s.tiles[s.turn, kind] > 0:
            mask[FIRST_DISCARD + kind] = 1


@rule
def disaster_of_choice(s: State) -> int:
    """RA-20, RA-21: what tiles of choice are given up for: unrest, and then an earthquake."""
    return UNREST if s.tiles[s.turn, UNREST] > 0 else EARTHQUAKE


@rule
def strikes(disaster: int, kind: int) -> bool:
    """RA-21: unrest strikes civilisations, an earthquake monuments."""
    if disaster == UNREST:
        return FIRST_CIVILISATION <= kind <= LAST_CIVILISATION
    return FIRST_MONUMENT <= kind <= LAST_MONUMENT


@rule
def chance(s: State, weights: Cells) -> None:
    """RA-02, RA-04: a tile out of the bag, or a stack of suns."""
    if s.phase == DEALING:
        weigh_stacks(s, weights, FIRST_STACK_OUTCOME)
    else:
        for kind in range(KINDS):
            weights[kind] = s.bag[kind]


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
        s.phase = STRICKEN
    elif move < FIRST_TAKE:
        bid(s, move - FIRST_BID + 1)
    elif move < FIRST_DISCARD:
        take_with_god(s, move - FIRST_TAKE)
    else:
        discard(s, move - FIRST_DISCARD)
    if s.phase == STRICKEN:
        carry_out_disasters(s, s.turn)
    if s.phase == TURN_ENDS and not next_turn(s):
        s.phase = EPOCH_ENDS
    if s.phase == EPOCH_ENDS:
        end_epoch(s)


@rule
def turn_over(s: State, kind: int) -> None:
    """RA-08, RA-27: a drawn tile goes to its row; Ra calls an auction or ends the epoch."""
    s.bag[kind] -= 1
    if kind == RA:
        lay_in_ra_row(s)
    else:
        lay_in_row(s, kind)
        s.phase = TURN_ENDS


@rule
def bid(s: State, sun: int) -> None:
    """RA-14, RA-15, RA-16: a bid or a pass, and what it leads to when it was the last."""
    happened = make_bid(s, sun)
    if happened == WON:
        take_row(s, s.tiles)
        s.phase = STRICKEN
    elif happened == NOBODY:
        leave_row(s)


@rule
def take_with_god(s: State, kind: int) -> None:
    """RA-11: one god leaves the game for one tile; the turn ends when no other can be taken."""
    s.tiles[s.turn, GOD] -= 1
    s.tiles[s.turn, kind] += 1
    s.phase = USING_GODS
    taken = False
    more = False
    for i in range(ROW_SPACES):
        if s.row[i] == kind and not taken:
            s.row[i] = EMPTY
            s.lying -= 1
            taken = True
        elif may_be_taken(s.row[i]):
            more = True
    if s.tiles[s.turn, GOD] == 0 or not more:
        s.phase = STRICKEN


@rule
def carry_out_disasters(s: State, p: int) -> None:
    """RA-20, RA-21, RA-22: funeral, drought, unrest, earthquake; then the turn ends."""
    s.phase = TURN_ENDS
    bury(s, p)
    dry_up(s, p)
    if not must_choose(s, p, UNREST):
        must_choose(s, p, EARTHQUAKE)


@rule
def bury(s: State, p: int) -> None:
    """RA-21: a funeral takes pharaohs."""
    s.tiles[p, PHARAOH] -= min(s.tiles[p, PHARAOH], TILES_LOST * s.tiles[p, FUNERAL])
    s.tiles[p, FUNERAL] = 0


@rule
def dry_up(s: State, p: int) -> None:
    """RA-21: a drought takes floods first, then Nile."""
    lost = TILES_LOST * s.tiles[p, DROUGHT]
    floods = min(s.tiles[p, FLOOD], lost)
    s.tiles[p, FLOOD] -= floods
    s.tiles[p, NILE] -= min(s.tiles[p, NILE], lost - floods)
    s.tiles[p, DROUGHT] = 0


@rule
def must_choose(s: State, p: int, disaster: int) -> bool:
    """RA-20, G-01: tiles suffer; where more are there than must go, the player chooses."""
    lost = TILES_LOST * s.tiles[p, disaster]
    if lost == 0:
        return False
    there = 0
    for kind in range(KINDS):
        if strikes(disaster, kind):
            there += s.tiles[p, kind]
    if there > lost:
        s.phase = LOSING_TILES
        s.owed = lost
        return True
    for kind in range(KINDS):
        if strikes(disaster, kind):
            s.tiles[p, kind] = 0
    s.tiles[p, disaster] = 0
    return False


@rule
def discard(s: State, kind: int) -> None:
    """RA-21, G-04: gives up a tile of choice; after the last one the disaster tile goes too."""
    s.tiles[s.turn, kind] -= 1
    s.owed -= 1
    if s.owed == 0:
        s.tiles[s.turn, disaster_of_choice(s)] = 0
        s.phase = STRICKEN


@rule
def end_epoch(s: State) -> None:
    """RA-25, RA-27, RA-28: both rows are emptied and everybody scores; the next epoch begins."""
    clear_row(s)
    score(s)
    go_on(s)


@rule
def score(s: State) -> None:
    """RA-30: all gains and losses of the epoch, after epoch 3 with monuments and suns."""
    for p in range(s.players):
        for line in range(LINES):
            s.scored[p, line] = 0
        score_gods_and_gold(s, p)
        score_nile(s, p)
        score_civilisations(s, p)
        if s.epoch == EPOCHS:
            score_monuments(s, p)
    score_pharaohs(s)
    if s.epoch == EPOCHS:
        score_suns(s, s.scored, SUNS_LINE)
    add_up_fame(s, s.scored, FLOOR_LINE)


@rule
def score_gods_and_gold(s: State, p: int) -> None:
    """RA-31, RA-35: gods 2 each, gold 3 each; both leave."""
    s.scored[p, GODS_LINE] = GOD_FAME * s.tiles[p, GOD]
    s.scored[p, GOLD_LINE] = GOLD_FAME * s.tiles[p, GOLD]
    s.tiles[p, GOD] = 0
    s.tiles[p, GOLD] = 0


@rule
def score_pharaohs(s: State) -> None:
    """RA-32: most +5, fewest −2, ties all, nothing if all are equal."""
    most = fewest = s.tiles[0, PHARAOH]
    for p in range(1, s.players):
        most = max(most, s.tiles[p, PHARAOH])
        fewest = min(fewest, s.tiles[p, PHARAOH])
    if most > fewest:
        for p in range(s.players):
            if s.tiles[p, PHARAOH] == most:
                s.scored[p, PHARAOHS_LINE] = MOST_PHARAOHS
            elif s.tiles[p, PHARAOH] == fewest:
                s.scored[p, PHARAOHS_LINE] = FEWEST_PHARAOHS


@rule
def score_nile(s: State, p: int) -> None:
    """RA-33: with a flood, 1 for each Nile and flood; floods leave, Nile stays."""
    if s.tiles[p, FLOOD] > 0:
        s.scored[p, NILE_LINE] = NILE_FAME * (s.tiles[p, NILE] + s.tiles[p, FLOOD])
        s.tiles[p, FLOOD] = 0


@rule
def score_civilisations(s: State, p: int) -> None:
    """RA-34: by the number of kinds, none costs 5; all leave."""
    kinds = 0
    for kind in range(FIRST_CIVILISATION, LAST_CIVILISATION + 1):
        kinds += s.tiles[p, kind] > 0
        s.tiles[p, kind] = 0
    s.scored[p, CIVILISATIONS_LINE] = CIVILISATION_FAME[kinds]


@rule
def score_monuments(s: State, p: int) -> None:
    """RA-36: by the number of kinds, and for three or more alike."""
    kinds = 0
    alike = 0
    for kind in range(FIRST_MONUMENT, LAST_MONUMENT + 1):
        kinds += s.tiles[p, kind] > 0
        alike += IDENTICAL_MONUMENTS[s.tiles[p, kind]]
    s.scored[p, MONUMENTS_LINE] = DIFFERENT_MONUMENTS[kinds] + alike


@rule
def results(s: State, scores: Cells, ranks: Cells) -> None:
    """RA-38: most fame wins; among the tied, the highest single sun."""
    rank_by_fame(s, scores, ranks)


@rule
def observe(s: State, seat: int) -> None:
    """RA-03, G-03: all lies open but others' fame, if it is kept hidden."""
    hide_fame(s, seat, s.scored, LINES)


@rule
def imagine(s: State, seat: int, rng: Cells) -> None:
    """RA-03: fame that the seat does not see."""
    imagine_fame(s, seat, s.scored, LINES, rng)


@rule
def sound(s: State) -> bool:
    """RA-02, RA-04: no kind has more tiles than there are, and every sun is in one place."""
    for kind in range(KINDS):
        there = s.bag[kind]
        for p in range(s.players):
            if s.tiles[p, kind] < 0:
                return False
            there += s.tiles[p, kind]
        for i in range(ROW_SPACES):
            there += s.row[i] == kind
        if s.bag[kind] < 0 or there > SUPPLY[kind]:
            return False
    return row_is_sound(s) and suns_are_sound(s)
