"""The rules of Ra: The Dice Game over one record."""

from teerling.engine import CHANCE, OVER, Cells, GameState, Grid, int8, int16, rule, table

MOST_PLAYERS = 4
DICE = 5
"""One of each colour, in the order yellow, red, blue, green, purple."""
COLUMNS = 8
NOT_THROWN, PHARAOH, NILE, CIVILISATION, MONUMENT, ANKH, SUN = range(7)
FACES = 6

SUN_STEPS = table([0, 0, 8, 12, 16])
FIRST_SCORE = 10
TRACK_END = 12
EPOCHS = 3
THROWS = 3

FLOOD_DICE = 3
FIRST_CIVILISATION_DICE, NEXT_CIVILISATION_DICE = 3, 1
ANKHS_FOR_POINTS, ANKH_POINTS = 2, 2
MOST_SUNS_THAT_MOVE = 2
SUNS_FOR_POINTS, SUN_POINTS = 3, 3
SUNS_FOR_CATASTROPHE = 4
STEPS_LOST, MARKERS_LOST = 2, 2

FURTHEST_POINTS, FURTHEST_STEPS = 5, -2
LAST_POINTS, LAST_STEPS = -2, 1
CIVILISATION_POINTS = table([-5, 0, 0, 5, 10, 15])
COLUMNS_POINTS = table([0, 1, 2, 3, 4, 5, 6, 10, 15])
COLUMN_BONUS = table([0, 0, 0, 5, 10, 15])

KEEP = 0
"""Ids 1…31 throw dice again: yellow counts 1, red 2, blue 4, green 8, purple 16."""
DONE = 32
PHARAOH_WITH_ANKH, NILE_WITH_ANKH, FLOOD = 33, 34, 35
FIRST_CIVILISATION = 36
FIRST_CATASTROPHE = FIRST_CIVILISATION + DICE
FIRST_BUILD = FIRST_CATASTROPHE + 4
"""A monument's first marker: die, column."""
FIRST_BUILD_WITH = FIRST_BUILD + DICE * COLUMNS
"""Later markers: die, partner, column. No die is its own partner; its place is that of an ankh."""
FIRST_REMOVE_CIVILISATION = FIRST_BUILD_WITH + DICE * DICE * COLUMNS
FIRST_REMOVE_MONUMENT = FIRST_REMOVE_CIVILISATION + DICE
DECISIONS = FIRST_REMOVE_MONUMENT + DICE * COLUMNS
FIRST_SEAT_OUTCOME = DICE * FACES
OUTCOMES = FIRST_SEAT_OUTCOME + MOST_PLAYERS

DRAWING_LOTS, THROWING, CHOOSING_DICE, USING, STRIKING, REMOVING, TURN_ENDS, FINISHED = range(8)
NO_CATASTROPHE = 0
EMPTY = -1
BY_CHANCE = 0
"""Who begins, as the option says: 1 is seat 0, and so on."""

PHARAOH_LINE, NILE_LINE, CIVILISATION_LINE, MONUMENT_LINE = range(4)
LINES = 4


class State(GameState):
    """A whole game of Ra: The Dice Game."""

    phase: int = int8()
    epoch: int = int8()
    mover: int = int8()
    """Whose turn it is, while dice fall and others remove markers too."""
    ra: int = int8()
    sun_steps: int = int8()
    first: int = int8()
    """Who begins by the option: BY_CHANCE, or a seat and 1."""
    throws: int = int8()
    """How many throws of this turn have begun."""
    dice: Cells = int8(DICE)
    """What each die shows; a sun is locked."""
    spent: Cells = int8(DICE)
    """1 for dice used this turn; of equal ones those of the first colours."""
    catastrophe: int = int8()
    """The symbol of this turn's catastrophe."""
    owed: int = int8()
    """How many markers the player to decide still has to remove."""
    pharaoh: Cells = int8(MOST_PLAYERS)
    nile: Cells = int8(MOST_PLAYERS)
    floods: Cells = int16(MOST_PLAYERS)
    civilisation: Grid = int8(MOST_PLAYERS, DICE)
    """1 where a seat has a marker in the area of a colour."""
    monuments: Grid = int8(DICE, COLUMNS)
    """The seat whose marker stands on a field."""
    score: Cells = int16(MOST_PLAYERS)
    scored: Grid = int16(MOST_PLAYERS, LINES)
    """Where the points of the last epoch's scoring came from."""


@rule
def setup(s: State, players: int, options: Cells) -> None:
    """RD-02, RD-03, RD-04: an empty board; chance picks the first player, unless one has been chosen."""
    s.players = players
    s.sun_steps = options[0] if options[0] > 0 else SUN_STEPS[players]
    s.first = options[1]
    for colour in range(DICE):
        for column in range(COLUMNS):
            s.monuments[colour, column] = EMPTY
    s.phase = DRAWING_LOTS
    s.turn = CHANCE


@rule
def legal(s: State, mask: Cells) -> None:
    """RD-05, RD-06, RD-14: what the player to decide may do."""
    if s.phase == CHOOSING_DICE:
        allow_throws(s, mask)
    elif s.phase == USING:
        allow_uses(s, mask)
    elif s.catastrophe == CIVILISATION:
        for colour in range(DICE):
            mask[FIRST_REMOVE_CIVILISATION + colour] = s.civilisation[s.turn, colour]
    else:
        for colour in range(DICE):
            for column in range(COLUMNS):
                own = s.monuments[colour, column] == s.turn
                mask[FIRST_REMOVE_MONUMENT + COLUMNS * colour + column] = own


@rule
def allow_throws(s: State, mask: Cells) -> None:
    """RD-05: any of the dice that are not locked, or none."""
    locked = 0
    for die in range(DICE):
        locked += (s.dice[die] == SUN) << die
    for dice in range(1 << DICE):
        mask[KEEP + dice] = dice & locked == 0


@rule
def showing(s: State, symbol: int) -> int:
    """RD-07: how many dice show a symbol, used or not."""
    count = 0
    for die in range(DICE):
        count += s.dice[die] == symbol
    return count


@rule
def unspent(s: State, symbol: int) -> int:
    """RD-06: how many dice that show a symbol have not been used."""
    count = 0
    for die in range(DICE):
        count += (s.dice[die] == symbol) & (s.spent[die] == 0)
    return count


@rule
def some_spent(s: State, symbol: int) -> bool:
    """RD-10, RD-11: whether a die that shows a symbol has been used, so that a marker was placed."""
    return showing(s, symbol) > unspent(s, symbol)


@rule
def allow_uses(s: State, mask: Cells) -> None:
    """RD-06: every use that has an effect or still can have one, and to be done."""
    ankhs = unspent(s, ANKH)
    mask[DONE] = 1
    if ankhs > 0:
        pharaohs = unspent(s, PHARAOH)
        mask[PHARAOH_WITH_ANKH] = (pharaohs > 0) & (s.pharaoh[s.turn] + pharaohs < TRACK_END)
        mask[NILE_WITH_ANKH] = (showing(s, NILE) > 0) & leaves_nile_room(s, ankhs - 1)
    mask[FLOOD] = can_flood(s, ankhs)
    if unspent(s, CIVILISATION) + ankhs >= civilisation_dice(s):
        allow_civilisations(s, mask)
    monuments = unspent(s, MONUMENT)
    if monuments > 0:
        if not some_spent(s, MONUMENT):
            allow_first_monument(s, mask)
        elif monuments + ankhs > 1:
            allow_next_monuments(s, mask, ankhs)
    if s.catastrophe == NO_CATASTROPHE and showing(s, SUN) >= SUNS_FOR_CATASTROPHE:
        for symbol in range(PHARAOH, MONUMENT + 1):
            mask[FIRST_CATASTROPHE + symbol - PHARAOH] = 1


@rule
def can_flood(s: State, ankhs: int) -> bool:
    """RD-09: whether Nile dice are left that make a flood with so many ankhs; five dice make one at most."""
    niles = unspent(s, NILE)
    return niles > 0 and niles + ankhs >= FLOOD_DICE


@rule
def leaves_nile_room(s: State, ankhs: int) -> bool:
    """RD-06, RD-08: whether real dice leave room for a step, if need be since a flood takes some of them.

    Real dice move their marker anyway. `ankhs` are those left for the flood, which may come later.
    """
    niles = unspent(s, NILE)
    if can_flood(s, ankhs):
        niles = max(0, niles - FLOOD_DICE)
    return s.nile[s.turn] + niles < TRACK_END


@rule
def civilisation_dice(s: State) -> int:
    """RD-10: how many dice the next marker needs."""
    return NEXT_CIVILISATION_DICE if some_spent(s, CIVILISATION) else FIRST_CIVILISATION_DICE


@rule
def allow_civilisations(s: State, mask: Cells) -> None:
    """RD-10: the colours of dice that show civilisation, not full, not already one's own."""
    for colour in range(DICE):
        if s.dice[colour] == CIVILISATION and s.civilisation[s.turn, colour] == 0:
            mask[FIRST_CIVILISATION + colour] = markers_in(s, colour) < room_in_area(s)


@rule
def markers_in(s: State, colour: int) -> int:
    """RD-10: how many markers the area of a colour holds."""
    markers = 0
    for p in range(s.players):
        markers += s.civilisation[p, colour]
    return markers


@rule
def room_in_area(s: State) -> int:
    """RD-04: an area holds one marker fewer than there are players."""
    return s.players - 1


@rule
def is_monument_left(s: State, die: int) -> bool:
    """RD-11: whether a die shows a monument and has not been used."""
    return s.dice[die] == MONUMENT and s.spent[die] == 0


@rule
def allow_first_monument(s: State, mask: Cells) -> None:
    """RD-11: any free field in the colour of a monument die."""
    for die in range(DICE):
        if is_monument_left(s, die):
            for column in range(COLUMNS):
                mask[FIRST_BUILD + COLUMNS * die + column] = s.monuments[die, column] == EMPTY


@rule
def stands_in_column(s: State, p: int, column: int) -> bool:
    """RD-11: whether a player has a marker in a column."""
    markers = 0
    for colour in range(DICE):
        markers += s.monuments[colour, column] == p
    return markers > 0


@rule
def allow_next_monuments(s: State, mask: Cells, ankhs: int) -> None:
    """RD-11: a monument die, its partner, and a free field in a column without own markers."""
    for column in range(COLUMNS):
        if not stands_in_column(s, s.turn, column):
            for die in range(DICE):
                if is_monument_left(s, die) and s.monuments[die, column] == EMPTY:
                    for partner in range(DICE):
                        fits = ankhs > 0 if partner == die else is_monument_left(s, partner)
                        mask[FIRST_BUILD_WITH + COLUMNS * (DICE * die + partner) + column] = fits


@rule
def chance(s: State, weights: Cells) -> None:
    """RD-03, RD-05: a die, or who begins; all that may come is equally likely."""
    if s.phase == DRAWING_LOTS:
        for p in range(s.players):
            weights[FIRST_SEAT_OUTCOME + p] = (s.first == BY_CHANCE) | (s.first == p + 1)
    else:
        die = next_die(s)
        for face in range(FACES):
            weights[FACES * die + face] = 1


@rule
def next_die(s: State) -> int:
    """RD-05: dice fall in the order of their colours; DICE when all lie."""
    first = DICE
    for die in range(DICE - 1, -1, -1):
        first = die if s.dice[die] == NOT_THROWN else first
    return first


@rule
def apply(s: State, move: int) -> None:
    """Carries out a decision, or what nature answered, and what follows by itself."""
    if s.turn == CHANCE:
        if s.phase == THROWING:
            die_falls(s, move // FACES, move % FACES + PHARAOH)
        else:
            begin(s, move - FIRST_SEAT_OUTCOME)
    elif s.phase == CHOOSING_DICE:
        throw_again(s, move - KEEP)
    elif move == DONE:
        be_done(s, s.turn)
    elif move == PHARAOH_WITH_ANKH:
        spend(s, ANKH, 1)
        s.pharaoh[s.turn] += 1
    elif move == NILE_WITH_ANKH:
        spend(s, ANKH, 1)
        s.nile[s.turn] += 1
    elif move == FLOOD:
        flood(s)
    elif move < FIRST_CATASTROPHE:
        settle(s, move - FIRST_CIVILISATION)
    elif move < FIRST_BUILD:
        s.catastrophe = move - FIRST_CATASTROPHE + PHARAOH
        s.phase = STRIKING
    elif move < FIRST_REMOVE_CIVILISATION:
        build(s, move)
    else:
        remove(s, move)
    if s.phase == STRIKING:
        strike_others(s)
    if s.phase == TURN_ENDS:
        end_turn(s)


@rule
def begin(s: State, first: int) -> None:
    """RD-03: the first player starts with 10 points, the next with 11, and so on."""
    p = first
    for place in range(s.players):
        s.score[p] = FIRST_SCORE + place
        p = left_of(s, p)
    s.epoch = 1
    give_turn(s, first)


@rule
def left_of(s: State, p: int) -> int:
    """RD-03: the next seat clockwise."""
    return p + 1 if p + 1 < s.players else 0


@rule
def give_turn(s: State, p: int) -> None:
    """RD-05: a turn begins with a throw of all dice."""
    s.mover = p
    clear_dice(s)
    s.throws = 1
    s.phase = THROWING
    s.turn = CHANCE


@rule
def clear_dice(s: State) -> None:
    """RD-05: no die has been thrown and nothing used."""
    for die in range(DICE):
        s.dice[die] = NOT_THROWN
        s.spent[die] = 0
    s.throws = 0
    s.catastrophe = NO_CATASTROPHE


@rule
def die_falls(s: State, die: int, face: int) -> None:
    """RD-05: after the last die the player chooses, after the last throw uses the symbols."""
    s.dice[die] = face
    if next_die(s) == DICE:
        s.turn = s.mover
        s.phase = CHOOSING_DICE if s.throws < THROWS else USING


@rule
def throw_again(s: State, dice: int) -> None:
    """RD-05: the chosen dice are thrown; choosing none ends the throwing."""
    if dice == 0:
        s.phase = USING
        return
    for die in range(DICE):
        if dice >> die & 1:
            s.dice[die] = NOT_THROWN
    s.throws += 1
    s.phase = THROWING
    s.turn = CHANCE


@rule
def spend(s: State, symbol: int, count: int) -> None:
    """RD-06: so many dice that show a symbol are used."""
    for die in range(DICE):
        if count > 0 and s.dice[die] == symbol and s.spent[die] == 0:
            s.spent[die] = 1
            count -= 1


@rule
def spend_with_ankhs(s: State, symbol: int, count: int) -> None:
    """RD-09, RD-10: real dice first, then ankhs."""
    real = min(count, unspent(s, symbol))
    spend(s, symbol, real)
    spend(s, ANKH, count - real)


@rule
def flood(s: State) -> None:
    """RD-09: three dice place a flood marker."""
    spend_with_ankhs(s, NILE, FLOOD_DICE)
    s.floods[s.turn] += 1


@rule
def settle(s: State, colour: int) -> None:
    """RD-10: three dice place a civilisation marker, one die each further one."""
    spend_with_ankhs(s, CIVILISATION, civilisation_dice(s))
    s.civilisation[s.turn, colour] = 1


@rule
def build(s: State, move: int) -> None:
    """RD-11: one die places a monument marker, two dice each further one."""
    if move < FIRST_BUILD_WITH:
        die = (move - FIRST_BUILD) // COLUMNS
        column = (move - FIRST_BUILD) % COLUMNS
    else:
        pair = (move - FIRST_BUILD_WITH) // COLUMNS
        column = (move - FIRST_BUILD_WITH) % COLUMNS
        die = pair // DICE
        partner = pair % DICE
        if partner == die:
            spend(s, ANKH, 1)
        else:
            s.spent[partner] = 1
    s.spent[die] = 1
    s.monuments[die, column] = s.turn


@rule
def strike_others(s: State) -> None:
    """RD-13, RD-14: the catastrophe goes on clockwise until somebody must choose, or to the end."""
    p = left_of(s, s.turn)
    while p != s.mover and not is_hit(s, p):
        p = left_of(s, p)
    s.turn = p
    if p == s.mover:
        s.phase = USING
    else:
        s.phase = REMOVING
        s.owed = MARKERS_LOST


@rule
def is_hit(s: State, p: int) -> bool:
    """RD-14, G-01: a player suffers; True when there are markers to choose from."""
    if s.catastrophe == PHARAOH:
        s.pharaoh[p] = max(0, s.pharaoh[p] - STEPS_LOST)
    elif s.catastrophe == CIVILISATION:
        return loses_civilisation(s, p)
    elif s.catastrophe == MONUMENT:
        return loses_monuments(s, p)
    elif s.floods[p] > 0:
        s.floods[p] -= 1
    else:
        s.nile[p] = max(0, s.nile[p] - STEPS_LOST)
    return False


@rule
def loses_civilisation(s: State, p: int) -> bool:
    """RD-14: all markers of civilisation if two or fewer, else two of choice."""
    markers = 0
    for colour in range(DICE):
        markers += s.civilisation[p, colour]
    if markers > MARKERS_LOST:
        return True
    for colour in range(DICE):
        s.civilisation[p, colour] = 0
    return False


@rule
def loses_monuments(s: State, p: int) -> bool:
    """RD-14: all monument markers if two or fewer, else two of choice."""
    markers = 0
    for colour in range(DICE):
        for column in range(COLUMNS):
            markers += s.monuments[colour, column] == p
    if markers > MARKERS_LOST:
        return True
    for colour in range(DICE):
        for column in range(COLUMNS):
            if s.monuments[colour, column] == p:
                s.monuments[colour, column] = EMPTY
    return False


@rule
def remove(s: State, move: int) -> None:
    """RD-14, G-04: one marker of choice leaves the board; after the last the next player is hit."""
    if move < FIRST_REMOVE_MONUMENT:
        s.civilisation[s.turn, move - FIRST_REMOVE_CIVILISATION] = 0
    else:
        field = move - FIRST_REMOVE_MONUMENT
        s.monuments[field // COLUMNS, field % COLUMNS] = EMPTY
    s.owed -= 1
    if s.owed == 0:
        s.phase = STRIKING


@rule
def be_done(s: State, p: int) -> None:
    """RD-06, RD-12, RD-13: what is left moves markers and gives points by itself; suns move Ra."""
    s.pharaoh[p] = min(TRACK_END, s.pharaoh[p] + unspent(s, PHARAOH))
    s.nile[p] = min(TRACK_END, s.nile[p] + unspent(s, NILE))
    s.score[p] += ankh_points(s) + sun_points(s)
    suns = showing(s, SUN)
    if suns <= MOST_SUNS_THAT_MOVE:
        s.ra += suns
    s.phase = TURN_ENDS


@rule
def ankh_points(s: State) -> int:
    """RD-12: the points for ankhs that were not used."""
    return unspent(s, ANKH) // ANKHS_FOR_POINTS * ANKH_POINTS


@rule
def sun_points(s: State) -> int:
    """RD-13: the points for exactly so many suns."""
    return SUN_POINTS if showing(s, SUN) == SUNS_FOR_POINTS else 0


@rule
def end_turn(s: State) -> None:
    """RD-15: if Ra has reached the end the epoch is scored; then the player to the left goes on."""
    over = False
    if s.ra >= s.sun_steps:
        score_epoch(s)
        s.ra = 0
        over = s.epoch == EPOCHS
        s.epoch += not over
    if over:
        end_game(s)
    else:
        give_turn(s, left_of(s, s.mover))


@rule
def end_game(s: State) -> None:
    """RD-15: after the third epoch nobody is on turn."""
    clear_dice(s)
    s.mover = 0
    s.phase = FINISHED
    s.turn = OVER


@rule
def score_epoch(s: State) -> None:
    """RD-15, RD-20…RD-23: all gains and losses of the epoch, after epoch 3 with monuments."""
    score_pharaohs(s)
    for p in range(s.players):
        score_nile(s, p)
        score_civilisation(s, p)
        s.scored[p, MONUMENT_LINE] = monument_points(s, p) if s.epoch == EPOCHS else 0
        for line in range(LINES):
            s.score[p] += s.scored[p, line]


@rule
def score_pharaohs(s: State) -> None:
    """RD-20: furthest +5 and back 2, last −2 and forward 1, ties all, nothing if all are equal."""
    furthest = last = s.pharaoh[0]
    for p in range(1, s.players):
        furthest = max(furthest, s.pharaoh[p])
        last = min(last, s.pharaoh[p])
    for p in range(s.players):
        s.scored[p, PHARAOH_LINE] = 0
        if furthest > last:
            if s.pharaoh[p] == furthest:
                s.scored[p, PHARAOH_LINE] = FURTHEST_POINTS
                s.pharaoh[p] = max(0, furthest + FURTHEST_STEPS)
            elif s.pharaoh[p] == last:
                s.scored[p, PHARAOH_LINE] = LAST_POINTS
                s.pharaoh[p] = last + LAST_STEPS


@rule
def score_nile(s: State, p: int) -> None:
    """RD-21: with a flood marker, the number of the space; flood markers leave."""
    s.scored[p, NILE_LINE] = s.nile[p] if s.floods[p] > 0 else 0
    s.floods[p] = 0


@rule
def score_civilisation(s: State, p: int) -> None:
    """RD-22: by the number of markers, none costs 5; all leave."""
    markers = 0
    for colour in range(DICE):
        markers += s.civilisation[p, colour]
        s.civilisation[p, colour] = 0
    s.scored[p, CIVILISATION_LINE] = CIVILISATION_POINTS[markers]


@rule
def monument_points(s: State, p: int) -> int:
    """RD-23: by the number of columns, and for three or more markers in a column."""
    columns = 0
    bonus = 0
    for column in range(COLUMNS):
        markers = 0
        for colour in range(DICE):
            markers += s.monuments[colour, column] == p
        columns += markers > 0
        bonus += COLUMN_BONUS[markers]
    return COLUMNS_POINTS[columns] + bonus


@rule
def results(s: State, scores: Cells, ranks: Cells) -> None:
    """RD-24, G-02: most points wins; equal points are equal places."""
    for p in range(s.players):
        scores[p] = s.score[p]
        ranks[p] = 1
        for q in range(s.players):
            if s.score[q] > s.score[p]:
                ranks[p] += 1


@rule
def observe(s: State, seat: int) -> None:
    """G-03: all lies open."""


@rule
def imagine(s: State, seat: int, rng: Cells) -> None:
    """G-03: nothing is left to imagine."""


@rule
def sound(s: State) -> bool:
    """RD-01…RD-11: markers are where they may be, dice are used only for what they show."""
    for p in range(s.players):
        if not (0 <= s.pharaoh[p] <= TRACK_END and 0 <= s.nile[p] <= TRACK_END and s.floods[p] >= 0):
            return False
    for colour in range(DICE):
        if markers_in(s, colour) > room_in_area(s):
            return False
        for column in range(COLUMNS):
            if not EMPTY <= s.monuments[colour, column] < s.players:
                return False
    if not 0 <= s.ra < s.sun_steps:
        return False
    return dice_are_sound(s)


@rule
def dice_are_sound(s: State) -> bool:
    """RD-05, RD-06: dice are not thrown only while they fall, and used only when all lie."""
    spent = 0
    for die in range(DICE):
        spent += s.spent[die]
        if s.spent[die] and (s.dice[die] < NILE or s.dice[die] > ANKH):
            return False
    falling = s.phase == DRAWING_LOTS or s.phase == THROWING or s.phase == FINISHED
    if falling != (next_die(s) < DICE):
        return False
    if s.catastrophe != NO_CATASTROPHE and showing(s, SUN) < SUNS_FOR_CATASTROPHE:
        return False
    if s.phase == REMOVING:
        return 0 < s.owed <= MARKERS_LOST and s.turn != s.mover
    return s.owed == 0 and (s.phase == USING or spent + s.catastrophe == 0)
