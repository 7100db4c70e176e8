"""The rules of Rapido over one record."""

from teerling.engine import CHANCE, OVER, Cells, GameState, int8, rule, table

MOST_PLAYERS = 6
PAIRS = table([0, 0, 2, 1, 1, 1, 1])
"""How many pairs of dice each player has, by the number of players."""
X = 0
"""What an X counts in the first throw of a turn."""
SIDES = 6
DIE_A = table([1, 2, 3, 4, 7, X])
DIE_B = table([1, 2, 3, 5, 6, X])
DOUBLE_STEPS = table([0, 1, 2, 3])
"""How far XX, 11, 22 and 33 take a pawn; the dice show no other doubles."""
STEPS_LOST = 1
START, DEFAULT_GOAL = 0, 21
LEAST_GOAL, MOST_GOAL = 5, 100
BOTTOM_FIELD, TOP_FIELD = 0, 5

THROW = 0
FIRST_PLACE = 1
DECISIONS = FIRST_PLACE + TOP_FIELD + 1
FIRST_A_OUTCOME = MOST_PLAYERS
FIRST_B_OUTCOME = FIRST_A_OUTCOME + SIDES
OUTCOMES = FIRST_B_OUTCOME + SIDES

BY_CHANCE = 0
"""Who begins, as the option says: 1 is seat 0, and so on."""
NOBODY = -1
NOT_THROWN = -1
DRAWING_LOTS, FIRST_THROW, LATER_THROW, DECIDING, TURN_ENDS, TURN_BEGINS, FINISHED = range(7)


class State(GameState):
    """A whole game of Rapido."""

    phase: int = int8()
    mover: int = int8()
    """Whose turn it is, while nature throws too."""
    goal: int = int8()
    first: int = int8()
    """Who begins by the option: BY_CHANCE, or a seat and 1."""
    pawns: Cells = int8(MOST_PLAYERS)
    """The step that every seat's pawn stands on."""
    die_a: int = int8()
    die_b: int = int8()
    owner: Cells = int8(TOP_FIELD + 1)
    """Whose pair lies on each of the fields 1 to 5; field 0 is no one's."""
    worth: Cells = int8(TOP_FIELD + 1)
    """The value of the pair on each of the fields 1 to 5."""
    at_bottom: Cells = int8(MOST_PLAYERS)
    """How many pairs every seat has on field 0, where values no longer matter."""


@rule
def setup(s: State, players: int, options: Cells) -> None:
    """RP-01, RP-02: all pawns start on 0, and no dice lie on the fields."""
    s.players = players
    s.goal = options[0] if options[0] > 0 else DEFAULT_GOAL
    s.first = options[1]
    for field in range(TOP_FIELD + 1):
        s.owner[field] = NOBODY
    pick_up_dice(s)
    s.phase = DRAWING_LOTS
    s.turn = CHANCE


@rule
def legal(s: State, mask: Cells) -> None:
    """RP-07, RP-10: throw again, or place on field 0 or a free field."""
    mask[THROW] = 1
    mask[FIRST_PLACE + BOTTOM_FIELD] = 1
    for field in range(BOTTOM_FIELD + 1, TOP_FIELD + 1):
        mask[FIRST_PLACE + field] = s.owner[field] == NOBODY


@rule
def chance(s: State, weights: Cells) -> None:
    """RP-03, RP-05: a random or a chosen first player, or the sides of a die."""
    lots = s.phase == DRAWING_LOTS
    a_comes = not lots and s.die_a == NOT_THROWN
    b_comes = not lots and not a_comes
    for p in range(MOST_PLAYERS):
        weights[p] = lots and p < s.players and (s.first == BY_CHANCE or s.first == p + 1)
    for side in range(SIDES):
        weights[FIRST_A_OUTCOME + side] = a_comes
        weights[FIRST_B_OUTCOME + side] = b_comes


@rule
def apply(s: State, move: int) -> None:
    """Carries out a decision, or what nature answered, and what follows by itself."""
    if s.turn == CHANCE:
        if move >= FIRST_B_OUTCOME:
            s.die_b = DIE_B[move - FIRST_B_OUTCOME]
            read_throw(s, s.mover)
        elif move >= FIRST_A_OUTCOME:
            s.die_a = DIE_A[move - FIRST_A_OUTCOME]
        else:
            s.mover = move
            s.phase = TURN_BEGINS
    elif move == THROW:
        throw(s, LATER_THROW)
    else:
        place(s, s.mover, move - FIRST_PLACE)
    if s.phase == TURN_ENDS:
        s.mover = s.mover + 1 if s.mover + 1 < s.players else 0
        s.phase = TURN_BEGINS
    if s.phase == TURN_BEGINS:
        count(s, s.mover)
    if s.phase == TURN_BEGINS:
        throw(s, FIRST_THROW)


@rule
def pick_up_dice(s: State) -> None:
    """RP-05: the dice in hand show nothing until they are thrown."""
    s.die_a = NOT_THROWN
    s.die_b = NOT_THROWN


@rule
def throw(s: State, phase: int) -> None:
    """RP-05, RP-07, RP-22: the player on turn throws both dice of a pair."""
    pick_up_dice(s)
    s.phase = phase
    s.turn = CHANCE


@rule
def count(s: State, p: int) -> None:
    """RP-04, RP-21: when all own pairs lie on fields, the pawn climbs their sum; they are taken back."""
    pairs = s.at_bottom[p]
    steps = 0
    for field in range(BOTTOM_FIELD + 1, TOP_FIELD + 1):
        if s.owner[field] == p:
            pairs += 1
            steps += field
    if pairs == PAIRS[s.players]:
        s.at_bottom[p] = 0
        for field in range(BOTTOM_FIELD + 1, TOP_FIELD + 1):
            if s.owner[field] == p:
                give_back(s, field)
        climb(s, p, steps)


@rule
def give_back(s: State, field: int) -> None:
    """RP-04, RP-11: the pair on a field goes back to its owner."""
    s.owner[field] = NOBODY
    s.worth[field] = 0


@rule
def climb(s: State, p: int, steps: int) -> None:
    """RP-12: a pawn goes up; who reaches or passes the goal wins at once."""
    s.pawns[p] = min(s.goal, s.pawns[p] + steps)
    if s.pawns[p] == s.goal:
        end_game(s)


@rule
def end_game(s: State) -> None:
    """RP-12: nothing is thrown, lost or placed any more."""
    pick_up_dice(s)
    s.mover = 0
    s.phase = FINISHED
    s.turn = OVER


@rule
def read_throw(s: State, p: int) -> None:
    """RP-06, RP-08, RP-09: a valid throw lets the player decide, an invalid one ends the turn."""
    crosses = (s.die_a == X) + (s.die_b == X)
    if s.phase == LATER_THROW and crosses > 0:
        s.pawns[p] = max(START, s.pawns[p] - STEPS_LOST * crosses)
        s.phase = TURN_ENDS
        return
    s.phase = DECIDING
    s.turn = p
    if s.die_a == s.die_b:
        climb(s, p, DOUBLE_STEPS[s.die_a])


@rule
def value_of(die_a: int, die_b: int) -> int:
    """RP-05: the higher number is the tens, the lower the ones."""
    return 10 * max(die_a, die_b) + min(die_a, die_b)


@rule
def place(s: State, p: int, field: int) -> None:
    """RP-10, RP-11, RP-23: the pair comes to lie on a field and throws off those above it."""
    value = value_of(s.die_a, s.die_b)
    for above in range(field + 1, TOP_FIELD + 1):
        if s.worth[above] <= value and s.owner[above] != p:
            give_back(s, above)
    if field == BOTTOM_FIELD:
        s.at_bottom[p] += 1
    else:
        s.owner[field] = p
        s.worth[field] = value
    s.phase = TURN_ENDS


@rule
def results(s: State, scores: Cells, ranks: Cells) -> None:
    """RP-12, G-02: the step reached; the winner alone stands on the goal."""
    for p in range(s.players):
        scores[p] = s.pawns[p]
        ranks[p] = 1
        for q in range(s.players):
            ranks[p] += s.pawns[q] > s.pawns[p]


@rule
def observe(s: State, seat: int) -> None:
    """G-03: all lies open."""


@rule
def imagine(s: State, seat: int, rng: Cells) -> None:
    """G-03: all lies open."""


@rule
def sound(s: State) -> bool:
    """RP-01, RP-02, RP-10, RP-20: pawns, pairs and dice are where they can be."""
    return pawns_are_sound(s) and pairs_are_sound(s) and dice_are_sound(s)


@rule
def pawns_are_sound(s: State) -> bool:
    """RP-02, RP-12: every pawn is on the stairs, and one is on the goal when the game is over."""
    on_goal = 0
    for p in range(MOST_PLAYERS):
        if s.pawns[p] < START or s.pawns[p] > s.goal or (p >= s.players and s.pawns[p] != START):
            return False
        on_goal += s.pawns[p] == s.goal
    return on_goal == (s.turn == OVER)


@rule
def pairs_are_sound(s: State) -> bool:
    """RP-10, RP-20: nobody has more pairs on fields than pairs; who throws has one in hand."""
    if s.owner[BOTTOM_FIELD] != NOBODY or s.worth[BOTTOM_FIELD] != 0:
        return False
    for field in range(BOTTOM_FIELD + 1, TOP_FIELD + 1):
        if s.owner[field] < NOBODY or s.owner[field] >= s.players:
            return False
        if not (s.worth[field] == 0 if s.owner[field] == NOBODY else can_be_thrown(s.worth[field])):
            return False
    for p in range(MOST_PLAYERS):
        in_hand = PAIRS[s.players] if p < s.players else 0
        in_hand -= s.at_bottom[p]
        for field in range(BOTTOM_FIELD + 1, TOP_FIELD + 1):
            in_hand -= s.owner[field] == p
        throws = s.phase != DRAWING_LOTS and s.phase != FINISHED and p == s.mover
        if s.at_bottom[p] < 0 or in_hand < throws:
            return False
    return True


@rule
def can_be_thrown(value: int) -> bool:
    """RP-01, RP-05: whether the two dice can show this value."""
    for a in range(SIDES):
        for b in range(SIDES):
            if value_of(DIE_A[a], DIE_B[b]) == value:
                return True
    return False


@rule
def dice_are_sound(s: State) -> bool:
    """RP-01, RP-05: die A is thrown before die B, and both show one of their sides."""
    a_shows = s.die_a == NOT_THROWN and s.phase != DECIDING
    b_shows = s.die_b == NOT_THROWN and s.phase != DECIDING
    for side in range(SIDES):
        a_shows |= s.die_a == DIE_A[side] and s.phase >= FIRST_THROW and s.phase <= DECIDING
        b_shows |= s.die_b == DIE_B[side] and s.phase == DECIDING
    return a_shows and b_shows
