"""The rules of DiceRun over one record.

The race is a row of places, the leading group on place 0. A place without dice, with dice behind it,
is held open by a distance card: every other empty place is closed at once (DR-08). So where the dice
are says where the distance cards lie.

Places that have something in common are often kept as bits of one number: bit 0 is the leading place.
"""

from teerling.engine import CHANCE, HIDDEN, OVER, Cells, GameState, Grid, int8, rule, table
from teerling.engine.random import below

MOST_PLAYERS = 6
COLOURS, FACES, DICE_EACH = 5, 6, 6
DICE = COLOURS * DICE_EACH
MISSIONS = COLOURS * FACES
HAND = 3
ROUNDS = 4
TIE_BREAK = ROUNDS + 1
VARIABLE_MISSIONS = 4
"""How many everybody gets at once, if missions are variable."""
VICTORY_CARDS = table([[0, 3, 2, 1, 0, 0, 0], [0, 5, 2, 1, 0, 0, 0]])
"""By place, before and in the last round."""
PILES = 5
UNEVEN, EVEN = range(2)
LEAST_MORE, MOST_MORE = -2, 2
"""By how much an uneven pile may differ from a fifth of the cards."""
BY_THROW, BY_LOT = range(2)
"""How the first player is found. In version 1 of the rules it was always by lot."""
VERSION = 2
START_DICE = 2
"""How many dice everybody throws again for the start."""

# Sorts of cards: a colour, a number, or one of these.
FIRST_NUMBER = COLOURS
QUESTION, DISTANCE, SPRINT, SWAP = range(FIRST_NUMBER + FACES, FIRST_NUMBER + FACES + 4)
SORTS = SWAP + 1
UNKNOWN = SORTS
"""A card of which an observation does not tell the sort."""
ANY_COLOUR, ANY_NUMBER, QUESTIONS, DISTANCES, SPRINTS, SWAPS = range(6)
DECK_SORTS = 6
DECK = table([5, 5, 4, 3, 3, 3])
"""How many of each colour, of each number, question marks, distance, sprint and swap cards."""

FIRST_PLAY = 0
FIRST_QUESTION = FIRST_PLAY + COLOURS + FACES
FIRST_LAY = FIRST_QUESTION + COLOURS + FACES
PLAY_SPRINT = FIRST_LAY + SORTS
FIRST_REROLL = PLAY_SPRINT + 1
"""Group 2; the leading group is never thrown again."""
DISTANCE_NONE = FIRST_REROLL + DICE - 1
FIRST_DISTANCE = DISTANCE_NONE + 1
"""Behind group 1."""
SWAP_NONE = FIRST_DISTANCE + DICE - 1
FIRST_SWAP = SWAP_NONE + 1
"""Groups 2 and 3."""
FIRST_MISSION = FIRST_SWAP + DICE - 2
FIRST_EXCHANGE = FIRST_MISSION + MISSIONS
FIRST_TAKE = FIRST_EXCHANGE + MISSIONS
DECISIONS = FIRST_TAKE + COLOURS * FACES

FIRST_CARD_OUTCOME = 0
END_OUTCOME = FIRST_CARD_OUTCOME + SORTS
FIRST_DIE_OUTCOME = END_OUTCOME + 1
FIRST_MISSION_OUTCOME = FIRST_DIE_OUTCOME + COLOURS * FACES
FIRST_PLAYER_OUTCOME = FIRST_MISSION_OUTCOME + MISSIONS
OUTCOMES = FIRST_PLAYER_OUTCOME + MOST_PLAYERS

(
    DEALING, THROWING, DEALING_MISSIONS, CHOOSING_FIRST, LAYING_MISSIONS, ON_TURN, REROLLING, DRAWING,
    MISSIONS_READY, TURN_ENDS, ROUND_ENDS, FINISHED, TAKING, THROWING_TO_START,
) = range(14)  # fmt: skip
NONE = -1
IN_STACK, SHOWN = -1, -2
IN_THE_AIR = 0


class State(GameState):
    """A whole game of DiceRun."""

    phase: int = int8()
    round: int = int8()
    """0 during set-up, 5 in a tie-break."""
    mover: int = int8()
    """Whose turn it is, also while the end of a round interrupts it; or who throws for the start."""
    dealt_to: int = int8()
    """Who gets the next card or mission that is dealt."""
    die: int = int8()
    """Which die is being thrown."""
    number: Cells = int8(DICE)
    """What every die shows, six dice a colour; 0 is a die in the air."""
    place: Cells = int8(DICE)
    piles: int = int8()
    drawn: int = int8()
    """How many cards of this round's pile have been drawn."""
    deck: Cells = int8(DECK_SORTS)
    rest: Cells = int8(SORTS)
    """What has not been drawn; in an observation all that the seat has not seen, wherever it is."""
    hands: Grid = int8(MOST_PLAYERS, SORTS + 1)
    reroller: int = int8()
    """Who threw a group again last."""
    face_down: int = int8()
    """The card that lies in front of the last to throw again."""
    gone: Grid = int8(MOST_PLAYERS, SORTS + 1)
    """The cards that a seat laid face down and that were discarded unseen: only it knows them."""
    holder: Cells = int8(MISSIONS)
    """Who has a mission; in an observation those of others seem to be in the stack."""
    front: Cells = int8(MOST_PLAYERS)
    """The mission that lies in front of a seat."""
    unseen: Cells = int8(MOST_PLAYERS)
    """How many missions of a seat an observation does not tell; else 0."""
    variable_missions: int = int8()
    exchanged: int = int8()
    """Whether the mover has exchanged a mission this turn."""
    mission_bonus: int = int8()
    shown: Cells = int8(MOST_PLAYERS)
    """The missions of the last scoring."""
    points: Cells = int8(MOST_PLAYERS)
    """The points in the leading group at the last scoring."""
    rank: Cells = int8(MOST_PLAYERS)
    """The ranks of the last scoring; in a tie-break 0 for who was not tied."""
    victory: Cells = int8(MOST_PLAYERS)
    start: int = int8()
    """Whether the first player is found by throw or by lot."""
    taken: Grid = int8(MOST_PLAYERS, START_DICE)
    """The dice that everybody throws for the start who may still begin; else none."""
    throws_again: int = int8()
    """Whether equal highest sums are being thrown again."""


@rule
def setup(s: State, players: int, options: Cells) -> None:
    """DR-01, DR-02, DR-05: the deck; all dice in one group, still to be thrown."""
    s.players = players
    s.start = options[0] if s.version > 1 else BY_LOT
    s.piles = options[1]
    s.variable_missions = options[2]
    s.mission_bonus = options[3]
    cards = 0
    for i in range(DECK_SORTS):
        cards += options[4 + i]
    for i in range(DECK_SORTS):
        s.deck[i] = options[4 + i] if cards > 0 else DECK[i]
    for sort in range(SORTS):
        s.rest[sort] = supply(s, sort)
    for mission in range(MISSIONS):
        s.holder[mission] = IN_STACK
    for p in range(MOST_PLAYERS):
        s.front[p] = NONE
        s.shown[p] = NONE
        put_back(s, p)
    s.reroller = NONE
    s.face_down = NONE
    s.phase = DEALING
    s.turn = CHANCE


@rule
def supply(s: State, sort: int) -> int:
    """DR-02: how many cards of a sort there are."""
    if sort < FIRST_NUMBER:
        return s.deck[ANY_COLOUR]
    if sort < QUESTION:
        return s.deck[ANY_NUMBER]
    return s.deck[QUESTIONS + sort - QUESTION]


@rule
def a_fifth(s: State) -> int:
    """DR-04: b, a fifth of the cards that were left after dealing, rounded down."""
    return cards_to_pile(s) // PILES


@rule
def cards_to_pile(s: State) -> int:
    """DR-02, DR-04: how many cards were left after dealing."""
    colours, numbers = COLOURS * s.deck[ANY_COLOUR], FACES * s.deck[ANY_NUMBER]
    others = s.deck[QUESTIONS] + s.deck[DISTANCES] + s.deck[SPRINTS] + s.deck[SWAPS]
    return colours + numbers + others - HAND * s.players


@rule
def smallest_pile(s: State, number: int) -> int:
    """DR-04: how many cards pile 1, 2, … has at least."""
    return a_fifth(s) + (LEAST_MORE if s.piles == UNEVEN else left_over(s, number))


@rule
def largest_pile(s: State, number: int) -> int:
    """DR-04: how many cards pile 1, 2, … has at most."""
    return a_fifth(s) + (MOST_MORE if s.piles == UNEVEN else left_over(s, number))


@rule
def left_over(s: State, number: int) -> int:
    """DR-04: what is left over goes to the first of even piles, a card each."""
    return 1 if number <= cards_to_pile(s) % PILES else 0


@rule
def legal(s: State, mask: Cells) -> None:
    """DR-07: what the player to decide may do."""
    if s.phase == ON_TURN:
        allow_cards(s, mask)
        if s.reroller != s.turn and last_place(s) > 0:
            for sort in range(SORTS):
                mask[FIRST_LAY + sort] = s.hands[s.turn, sort] > 0
        if s.variable_missions and not s.exchanged:
            allow_missions(s, mask, FIRST_EXCHANGE)
    elif s.phase == REROLLING:
        for group in range(2, groups(s) + 1):
            mask[FIRST_REROLL + group - 2] = 1
    elif s.phase == TAKING:
        allow_dice(s, mask)
    else:
        allow_missions(s, mask, FIRST_MISSION)


@rule
def allow_cards(s: State, mask: Cells) -> None:
    """DR-07, DR-11: any card of the hand; a question mark as any colour or number."""
    p = s.turn
    for sort in range(QUESTION):
        mask[FIRST_PLAY + sort] = s.hands[p, sort] > 0
    if s.hands[p, QUESTION] > 0:
        for sort in range(QUESTION):
            mask[FIRST_QUESTION + sort] = 1
    if s.hands[p, DISTANCE] > 0:
        allow_distances(s, mask)
    if s.hands[p, SPRINT] > 0:
        mask[PLAY_SPRINT] = 1
    if s.hands[p, SWAP] > 0:
        allow_swaps(s, mask)


@rule
def allow_distances(s: State, mask: Cells) -> None:
    """DR-12: between any two groups without a distance card; with no such gap no effect."""
    taken = places_taken(s)
    group = 0
    free = 0
    for place in range(last_place(s)):
        if has(taken, place):
            group += 1
            if has(taken, place + 1):
                mask[FIRST_DISTANCE + group - 1] = 1
                free += 1
    if free == 0:
        mask[DISTANCE_NONE] = 1


@rule
def allow_swaps(s: State, mask: Cells) -> None:
    """DR-14: any two consecutive groups behind the leader; with fewer than three no effect."""
    count = groups(s)
    for group in range(2, count):
        mask[FIRST_SWAP + group - 2] = 1
    if count < 3:
        mask[SWAP_NONE] = 1


@rule
def allow_missions(s: State, mask: Cells, first: int) -> None:
    """DR-30: any own mission that does not lie in front; first is the id of mission 0."""
    for mission in range(MISSIONS):
        mask[first + mission] = (s.holder[mission] == s.turn) & (s.front[s.turn] != mission)


@rule
def allow_dice(s: State, mask: Cells) -> None:
    """DR-06: any die that nobody has taken, by what it shows."""
    for die in range(DICE):
        if not is_taken(s, die):
            mask[FIRST_TAKE + shown_by(s, die)] = 1


@rule
def shown_by(s: State, die: int) -> int:
    """DR-03: what a die shows, numbered like the missions."""
    return die // DICE_EACH * FACES + s.number[die] - 1


@rule
def is_taken(s: State, die: int) -> bool:
    """DR-06: whether somebody throws this die for the start."""
    for p in range(s.players):
        if s.taken[p, 0] == die or s.taken[p, 1] == die:
            return True
    return False


@rule
def chance(s: State, weights: Cells) -> None:
    """DR-04, DR-05, DR-06: a die, a card, a mission or the first player."""
    if s.phase == THROWING or s.phase == THROWING_TO_START:
        for face in range(FACES):
            weights[FIRST_DIE_OUTCOME + s.die // DICE_EACH * FACES + face] = 1
    elif s.phase == DRAWING:
        weigh_cards(s, weights)
    elif s.phase == DEALING:
        for sort in range(SORTS):
            weights[FIRST_CARD_OUTCOME + sort] = s.rest[sort]
    elif s.phase == DEALING_MISSIONS:
        for mission in range(MISSIONS):
            weights[FIRST_MISSION_OUTCOME + mission] = s.holder[mission] == IN_STACK
    else:
        for p in range(s.players):
            weights[FIRST_PLAYER_OUTCOME + p] = 1


@rule
def weigh_cards(s: State, weights: Cells) -> None:
    """DR-04: when one of n sizes is left for this pile, the end-of-round card comes with chance 1/n."""
    sizes = sizes_left(s)
    if sizes > 0:
        weights[END_OUTCOME] = cards_unseen(s)
    for sort in range(SORTS):
        weights[FIRST_CARD_OUTCOME + sort] = s.rest[sort] * (sizes - 1 if sizes > 0 else 1)


@rule
def sizes_left(s: State) -> int:
    """DR-04: how many sizes this pile may have if it may be at its end now; else 0."""
    if s.round == TIE_BREAK or s.drawn < smallest_pile(s, s.round):
        return 0
    return largest_pile(s, s.round) + 1 - s.drawn


@rule
def cards_unseen(s: State) -> int:
    """DR-04: how many cards have not been drawn; in an observation: not been seen."""
    cards = 0
    for sort in range(SORTS):
        cards += s.rest[sort]
    return cards


@rule
def cards_in_stack(s: State) -> int:
    """DR-04, DR-23, G-03: how many cards can still be drawn, which everybody knows."""
    cards = cards_unseen(s) - (s.face_down == UNKNOWN)
    for p in range(s.players):
        cards -= s.hands[p, UNKNOWN] + s.gone[p, UNKNOWN]
    return cards


@rule
def apply(s: State, move: int) -> None:
    """Carries out a decision, or what nature answered, and what follows by itself."""
    if s.turn == CHANCE:
        answer(s, move)
    elif move < FIRST_QUESTION:
        play(s, move - FIRST_PLAY)
        advance(s, move - FIRST_PLAY)
    elif move < FIRST_LAY:
        play(s, QUESTION)
        advance(s, move - FIRST_QUESTION)
    elif move < PLAY_SPRINT:
        lay_face_down(s, move - FIRST_LAY)
    elif move == PLAY_SPRINT:
        play(s, SPRINT)
        sprint(s)
    elif move < DISTANCE_NONE:
        throw_again(s, move - FIRST_REROLL + 2)
    elif move < SWAP_NONE:
        play(s, DISTANCE)
        if move >= FIRST_DISTANCE:
            keep_distance(s, move - FIRST_DISTANCE + 1)
    elif move < FIRST_MISSION:
        play(s, SWAP)
        if move >= FIRST_SWAP:
            swap(s, move - FIRST_SWAP + 2)
    elif move < FIRST_EXCHANGE:
        lay_mission(s, move - FIRST_MISSION)
    elif move < FIRST_TAKE:
        exchange_mission(s, move - FIRST_EXCHANGE)
    else:
        take_die(s, move - FIRST_TAKE)
    if s.phase == MISSIONS_READY:
        resume(s)
    if s.phase == ROUND_ENDS:
        end_round(s)
    elif s.phase == TURN_ENDS:
        next_turn(s)


@rule
def answer(s: State, outcome: int) -> None:
    """What nature decided."""
    if s.phase == THROWING:
        throw_die(s, 1 + (outcome - FIRST_DIE_OUTCOME) % FACES)
    elif s.phase == DRAWING:
        draw(s, outcome - FIRST_CARD_OUTCOME)
    elif s.phase == DEALING:
        deal_card(s, outcome - FIRST_CARD_OUTCOME)
    elif s.phase == DEALING_MISSIONS:
        deal_mission(s, outcome - FIRST_MISSION_OUTCOME)
    elif s.phase == THROWING_TO_START:
        throw_to_start(s, 1 + (outcome - FIRST_DIE_OUTCOME) % FACES)
    else:
        start_race(s, outcome - FIRST_PLAYER_OUTCOME)


@rule
def deal_card(s: State, sort: int) -> None:
    """DR-04: three cards for everybody; then all dice are thrown."""
    s.rest[sort] -= 1
    s.hands[s.dealt_to, sort] += 1
    if cards_in_hand(s, s.dealt_to) == HAND:
        s.dealt_to += 1
    if s.dealt_to == s.players:
        s.dealt_to = 0
        s.phase = THROWING


@rule
def cards_in_hand(s: State, p: int) -> int:
    """DR-04: how many cards a player holds."""
    cards = 0
    for sort in range(SORTS + 1):
        cards += s.hands[p, sort]
    return cards


@rule
def throw_die(s: State, face: int) -> None:
    """DR-05, DR-15: a die comes down; after the last one the game goes on."""
    s.number[s.die] = face
    die = s.die
    while die < DICE and s.number[die] != IN_THE_AIR:
        die += 1
    s.die = die
    if die == DICE:
        s.die = 0
        s.phase = DEALING_MISSIONS if s.round == 0 else DRAWING


@rule
def deal_mission(s: State, mission: int) -> None:
    """DR-05, DR-16, DR-23, DR-30: a mission for everybody who plays on; four at once, or one in front."""
    p = s.dealt_to
    s.holder[mission] = p
    due = missions_due(s)
    if due == 1:
        s.front[p] = mission
    elif missions_of(s, p) < due:
        return
    p += 1
    while p < s.players and not plays_on(s, p):
        p += 1
    s.dealt_to = p
    if p == s.players:
        s.dealt_to = 0
        s.phase = CHOOSING_FIRST if s.round == 0 else MISSIONS_READY
        if s.round == 0 and s.start == BY_THROW and s.version > 1:
            s.phase = TAKING
            s.turn = 0


@rule
def missions_due(s: State) -> int:
    """DR-05, DR-16, DR-30: how many missions everybody is being dealt."""
    return VARIABLE_MISSIONS if s.round == 0 and s.variable_missions else 1


@rule
def missions_of(s: State, p: int) -> int:
    """DR-30: how many missions a player has, with the one in front."""
    count = 0
    for mission in range(MISSIONS):
        count += s.holder[mission] == p
    return count


@rule
def take_die(s: State, shown: int) -> None:
    """DR-06: a die of this colour and number; who has two throws them at once."""
    p = s.turn
    die = 0
    while shown_by(s, die) != shown or is_taken(s, die):
        die += 1
    if s.taken[p, 0] == NONE:
        s.taken[p, 0] = die
        return
    s.taken[p, 1] = die
    throw_both(s, p)
    s.die = s.taken[p, 0]
    s.phase = THROWING_TO_START
    s.turn = CHANCE


@rule
def throw_both(s: State, p: int) -> None:
    """DR-06: the dice that a player has taken are in the air."""
    s.number[s.taken[p, 0]] = IN_THE_AIR
    s.number[s.taken[p, 1]] = IN_THE_AIR


@rule
def put_back(s: State, p: int) -> None:
    """DR-06: the dice of a player are of the race again, as they were thrown."""
    s.taken[p, 0] = NONE
    s.taken[p, 1] = NONE


@rule
def throw_to_start(s: State, face: int) -> None:
    """DR-06: the first die, then the second; then it is the next player's turn, or all have thrown."""
    p = s.mover
    s.number[s.die] = face
    if s.die == s.taken[p, 0]:
        s.die = s.taken[p, 1]
        return
    p += 1
    if s.throws_again:
        while p < s.players and s.taken[p, 0] == NONE:
            p += 1
    if p == s.players:
        compare_throws(s)
        return
    s.mover = p
    if s.throws_again:
        s.die = s.taken[p, 0]
    else:
        s.die = 0
        s.phase = TAKING
        s.turn = p


@rule
def compare_throws(s: State) -> None:
    """DR-06: the highest sum begins; those who are equal throw the same dice again, the others are done."""
    highest = 0
    for p in range(s.players):
        highest = max(highest, thrown_to_start(s, p))
    equal, first = 0, 0
    for p in range(s.players - 1, -1, -1):
        if thrown_to_start(s, p) == highest:
            equal += 1
            first = p
    for p in range(s.players):
        if equal == 1 or thrown_to_start(s, p) < highest:
            put_back(s, p)
        else:
            throw_both(s, p)
    s.throws_again = 1 if equal > 1 else 0
    s.mover = first
    if s.throws_again:
        s.die = s.taken[first, 0]
    else:
        s.die = 0
        start_race(s, first)


@rule
def thrown_to_start(s: State, p: int) -> int:
    """DR-06: the sum of the dice that a player has taken; 0 without two dice that lie."""
    if s.taken[p, 1] == NONE:
        return 0
    one, other = s.number[s.taken[p, 0]], s.number[s.taken[p, 1]]
    return 0 if one == IN_THE_AIR or other == IN_THE_AIR else one + other


@rule
def start_race(s: State, first: int) -> None:
    """DR-06, DR-30: the first player is known; with variable missions everybody lays one."""
    s.mover = first
    s.round = 1
    if s.variable_missions:
        s.phase = LAYING_MISSIONS
        s.turn = first
    else:
        s.phase = MISSIONS_READY


@rule
def lay_mission(s: State, mission: int) -> None:
    """DR-30: clockwise everybody lays a mission in front."""
    s.front[s.turn] = mission
    s.turn = left_of(s, s.turn)
    if s.front[s.turn] != NONE:
        s.phase = MISSIONS_READY


@rule
def exchange_mission(s: State, mission: int) -> None:
    """DR-30: once a turn another own mission may be laid in front."""
    s.front[s.turn] = mission
    s.exchanged = 1


@rule
def resume(s: State) -> None:
    """DR-06, DR-16, DR-23: everybody has a mission; who drew the end-of-round card draws another."""
    if s.round == TIE_BREAK and cards_unseen(s) == 0:
        s.phase = ROUND_ENDS
    elif not plays_on(s, s.mover):
        s.phase = TURN_ENDS
    elif cards_in_hand(s, s.mover) < HAND:
        s.phase = DRAWING
        s.turn = CHANCE
    else:
        start_turn(s, s.mover)


@rule
def left_of(s: State, p: int) -> int:
    """DR-16: the next seat clockwise."""
    return p + 1 if p + 1 < s.players else 0


@rule
def plays_on(s: State, p: int) -> bool:
    """DR-23: in a tie-break only those play who have most victory cards."""
    return s.round != TIE_BREAK or s.victory[p] == most_victory_cards(s)


@rule
def most_victory_cards(s: State) -> int:
    """DR-22: the best score."""
    most = 0
    for p in range(s.players):
        most = max(most, s.victory[p])
    return most


@rule
def start_turn(s: State, p: int) -> None:
    """DR-07: a player's turn begins."""
    s.mover = p
    s.turn = p
    s.phase = ON_TURN


@rule
def next_turn(s: State) -> None:
    """DR-16, DR-23: the left neighbour goes on, or the next of the tied."""
    p = left_of(s, s.mover)
    while not plays_on(s, p):
        p = left_of(s, p)
    start_turn(s, p)


@rule
def play(s: State, sort: int) -> None:
    """DR-07: a card leaves the hand, and another will be drawn."""
    s.hands[s.turn, sort] -= 1
    s.exchanged = 0
    s.phase = DRAWING
    s.turn = CHANCE


@rule
def draw(s: State, sort: int) -> None:
    """DR-07, DR-16, DR-23: a card for the hand; an end-of-round card or the last card stops the race."""
    if sort == END_OUTCOME:
        s.drawn = 0
        s.phase = ROUND_ENDS
        return
    s.rest[sort] -= 1
    s.hands[s.mover, sort] += 1
    s.drawn += 1
    s.phase = TURN_ENDS
    if s.round == TIE_BREAK and cards_unseen(s) == 0:
        s.phase = ROUND_ENDS


@rule
def has(places: int, place: int) -> bool:
    """Whether a place is among these."""
    return (places >> place) & 1 == 1


@rule
def places_taken(s: State) -> int:
    """DR-08: the places with dice."""
    places = 0
    for die in range(DICE):
        places |= 1 << s.place[die]
    return places


@rule
def last_place(s: State) -> int:
    """DR-08: the place of the last group."""
    last = 0
    for die in range(DICE):
        last = max(last, s.place[die])
    return last


@rule
def groups(s: State) -> int:
    """DR-08: how many groups there are."""
    taken = places_taken(s)
    count = 0
    while taken > 0:
        count += taken & 1
        taken >>= 1
    return count


@rule
def distances(s: State) -> int:
    """DR-12: how many distance cards lie in the race."""
    return last_place(s) + 1 - groups(s)


@rule
def place_of(s: State, group: int) -> int:
    """DR-08: where group 1, 2, … is, distance cards counted in."""
    taken = places_taken(s)
    place = -1
    while group > 0:
        place += 1
        group -= has(taken, place)
    return place


@rule
def matches(s: State, die: int, sort: int) -> bool:
    """DR-09: whether a colour or number moves a die."""
    return die // DICE_EACH == sort if sort < FIRST_NUMBER else s.number[die] == sort - FIRST_NUMBER + 1


@rule
def splits_off(matching: int, leading: int) -> bool:
    """DR-10: a leading group splits if some of its dice match, and some do not."""
    return 0 < matching < leading


@rule
def lead_splits(s: State, sort: int) -> bool:
    """DR-10: whether a colour or number splits the leading group."""
    leading = 0
    matching = 0
    for die in range(DICE):
        leads = s.place[die] == 0
        leading += leads
        matching += leads & matches(s, die, sort)
    return splits_off(matching, leading)


@rule
def advances(s: State, die: int, sort: int, splits: bool) -> bool:
    """DR-09, DR-10: whether a die moves forward; one of the leading group only if that splits."""
    return matches(s, die, sort) & (splits | (s.place[die] > 0))


@rule
def advance(s: State, sort: int) -> None:
    """DR-09, DR-10, DR-12: dice move a place forward; those that split off are the new place 0."""
    splits = lead_splits(s, sort)
    left = places_taken(s)
    taken = 0
    for die in range(DICE):
        s.place[die] += splits - advances(s, die, sort, splits)
        taken |= 1 << s.place[die]
    if splits:
        left <<= 1
    close_up(s, left & ~taken)


@rule
def close_up(s: State, empty: int) -> None:
    """DR-10: empty places without a distance card are closed, those behind first."""
    place = 0
    while empty >> place > 0:
        place += 1
    while place > 0:
        place -= 1
        if has(empty, place):
            for die in range(DICE):
                s.place[die] -= s.place[die] > place


@rule
def keep_distance(s: State, group: int) -> None:
    """DR-12: an empty place behind a group."""
    place = place_of(s, group)
    for die in range(DICE):
        s.place[die] += s.place[die] > place


@rule
def sprint(s: State) -> None:
    """DR-13: the last group goes to second place, held open by a distance card or not."""
    last = last_place(s)
    if last == 0:
        return
    back = 1 if has(places_taken(s), 1) else 0
    for die in range(DICE):
        if s.place[die] == last:
            s.place[die] = 1
        elif s.place[die] > 0:
            s.place[die] += back


@rule
def swap(s: State, group: int) -> None:
    """DR-14: a group and the one behind it change places."""
    one, other = place_of(s, group), place_of(s, group + 1)
    for die in range(DICE):
        if s.place[die] == one:
            s.place[die] = other
        elif s.place[die] == other:
            s.place[die] = one


@rule
def lay_face_down(s: State, sort: int) -> None:
    """DR-15: a card in front; that of the last player to do so is discarded unseen."""
    p = s.turn
    if s.reroller != NONE:
        s.gone[s.reroller, s.face_down] += 1
    s.reroller = p
    s.face_down = sort
    s.hands[p, sort] -= 1
    s.exchanged = 0
    s.phase = REROLLING


@rule
def throw_again(s: State, group: int) -> None:
    """DR-15: all dice of a group are thrown again."""
    place = place_of(s, group)
    for die in range(DICE - 1, -1, -1):
        if s.place[die] == place:
            s.number[die] = IN_THE_AIR
            s.die = die
    s.phase = THROWING
    s.turn = CHANCE


@rule
def end_round(s: State) -> None:
    """DR-16, DR-17, DR-23: missions are scored; another round, a tie-break, or the end."""
    score(s)
    tied = 0
    for p in range(s.players):
        tied += s.victory[p] == most_victory_cards(s)
    if s.round == TIE_BREAK or (s.round == ROUNDS and tied == 1):
        end_game(s)
        return
    s.round += 1
    if s.variable_missions and s.round <= ROUNDS:
        s.phase = LAYING_MISSIONS
        s.turn = left_of(s, s.mover)
    else:
        s.phase = DEALING_MISSIONS
        s.turn = CHANCE
        while not plays_on(s, s.dealt_to):
            s.dealt_to += 1


@rule
def end_game(s: State) -> None:
    """DR-17, DR-22, DR-23: nobody is on turn."""
    s.mover = 0
    s.phase = FINISHED
    s.turn = OVER


@rule
def score(s: State) -> None:
    """DR-16, DR-18, DR-20, DR-21: missions are shown, players ranked; the best get victory cards."""
    for p in range(s.players):
        s.shown[p] = NONE
        s.points[p] = 0
        s.rank[p] = 0
        if s.front[p] != NONE:
            s.shown[p] = s.front[p]
            s.points[p] = points_in_lead(s, s.front[p])
            s.holder[s.front[p]] = SHOWN
            s.front[p] = NONE
    for p in range(s.players):
        if s.shown[p] != NONE:
            s.rank[p] = rank_in_round(s, p)
    if s.round <= ROUNDS:
        for p in range(s.players):
            s.victory[p] += VICTORY_CARDS[s.round // ROUNDS, s.rank[p]]


@rule
def rank_in_round(s: State, p: int) -> int:
    """DR-19, DR-20: the rank of a player counts all before."""
    rank = 1
    for q in range(s.players):
        if s.shown[q] != NONE and is_ahead(s, q, p):
            rank += 1
    return rank


@rule
def is_ahead(s: State, p: int, q: int) -> bool:
    """DR-19: whether p has more points than q in the leading group, or in the first that is not a tie."""
    if s.points[p] != s.points[q] or p == q:
        return s.points[p] > s.points[q]
    for place in range(1, last_place(s) + 1):
        more = points_at(s, s.shown[p], place) - points_at(s, s.shown[q], place)
        if more != 0:
            return more > 0
    return False


@rule
def points_at(s: State, mission: int, place: int) -> int:
    """DR-18: the points of a mission in the group at a place."""
    points = 0
    for die in range(DICE):
        if s.place[die] == place:
            points += points_of(s, mission, die)
    return points


@rule
def points_of(s: State, mission: int, die: int) -> int:
    """DR-18: whether a die has the colour or the number of a mission, or both."""
    return (die // DICE_EACH == mission // FACES) + (s.number[die] == mission % FACES + 1)


@rule
def points_in_lead(s: State, mission: int) -> int:
    """DR-18, DR-31: in the leading group exactly the mission's die may count for one more."""
    points = points_at(s, mission, 0)
    if s.mission_bonus:
        colour, number = mission // FACES, mission % FACES + 1
        for die in range(colour * DICE_EACH, (colour + 1) * DICE_EACH):
            points += (s.place[die] == 0) & (s.number[die] == number)
    return points


@rule
def results(s: State, scores: Cells, ranks: Cells) -> None:
    """DR-22, DR-23, G-02: most victory cards win; among the tied, the tie-break."""
    decided = s.turn == OVER and s.round == TIE_BREAK
    for p in range(s.players):
        scores[p] = s.victory[p]
        ranks[p] = 1
        for q in range(s.players):
            beaten = decided and s.victory[q] == s.victory[p] and s.rank[q] < s.rank[p]
            if s.victory[q] > s.victory[p] or beaten:
                ranks[p] += 1


@rule
def observe(s: State, seat: int) -> None:
    """G-03, DR-04, DR-05, DR-15, DR-30: hides the cards and missions of others among the unseen ones."""
    for p in range(s.players):
        if p != seat:
            hide_cards(s, s.hands, p)
            hide_cards(s, s.gone, p)
            if s.front[p] != NONE:
                s.front[p] = HIDDEN
    if s.face_down != NONE and s.face_down != UNKNOWN and s.reroller != seat:
        s.rest[s.face_down] += 1
        s.face_down = UNKNOWN
    for mission in range(MISSIONS):
        p = s.holder[mission]
        if p >= 0 and p != seat:
            s.unseen[p] += 1
            s.holder[mission] = IN_STACK


@rule
def hide_cards(s: State, cards: Grid, p: int) -> None:
    """G-03: only how many cards it were is known."""
    for sort in range(SORTS):
        s.rest[sort] += cards[p, sort]
        cards[p, UNKNOWN] += cards[p, sort]
        cards[p, sort] = 0


@rule
def imagine(s: State, seat: int, rng: Cells) -> None:
    """Deals what a seat has not seen to where it may be, every way equally likely."""
    for p in range(s.players):
        deal_unseen(s, s.hands, p, rng)
        deal_unseen(s, s.gone, p, rng)
        while s.unseen[p] > 0:
            s.unseen[p] -= 1
            s.holder[any_mission_of(s, IN_STACK, rng)] = p
        if s.front[p] == HIDDEN:
            s.front[p] = any_mission_of(s, p, rng)
    if s.face_down == UNKNOWN:
        s.face_down = take_unseen(s, rng)


@rule
def deal_unseen(s: State, cards: Grid, p: int, rng: Cells) -> None:
    """Unknown cards become cards that the seat has not seen."""
    while cards[p, UNKNOWN] > 0:
        cards[p, UNKNOWN] -= 1
        cards[p, take_unseen(s, rng)] += 1


@rule
def take_unseen(s: State, rng: Cells) -> int:
    """A card of those that the seat has not seen."""
    left = below(rng, cards_unseen(s))
    sort = 0
    while left >= s.rest[sort]:
        left -= s.rest[sort]
        sort += 1
    s.rest[sort] -= 1
    return sort


@rule
def any_mission_of(s: State, holder: int, rng: Cells) -> int:
    """One of the missions somebody has, or that are in the stack."""
    left = below(rng, missions_of(s, holder))
    mission = 0
    while left > 0 or s.holder[mission] != holder:
        left -= s.holder[mission] == holder
        mission += 1
    return mission


@rule
def sound(s: State) -> bool:
    """DR-01, DR-02, DR-03: all pieces are there, each once."""
    return cards_are_sound(s) and dice_are_sound(s) and missions_are_sound(s)


@rule
def cards_are_sound(s: State) -> bool:
    """DR-02, DR-04: no sort has more cards than there are, and nobody too many."""
    for sort in range(SORTS):
        there = s.rest[sort] + (1 if s.face_down == sort else 0)
        for p in range(s.players):
            if s.hands[p, sort] < 0 or s.gone[p, sort] < 0:
                return False
            there += s.hands[p, sort] + s.gone[p, sort]
        if s.rest[sort] < 0 or there > supply(s, sort):
            return False
    for p in range(s.players):
        if s.hands[p, UNKNOWN] != 0 or s.gone[p, UNKNOWN] != 0 or cards_in_hand(s, p) > HAND:
            return False
    return (s.reroller == NONE) == (s.face_down == NONE)


@rule
def dice_are_sound(s: State) -> bool:
    """DR-08, DR-12: somebody leads, and every empty place has its distance card."""
    for die in range(DICE):
        if s.place[die] < 0 or s.number[die] < IN_THE_AIR or s.number[die] > FACES:
            return False
        if s.number[die] == IN_THE_AIR and not may_be_in_the_air(s, die):
            return False
    played = s.deck[DISTANCES] - s.rest[DISTANCE]
    for p in range(s.players):
        played -= s.hands[p, DISTANCE] + s.gone[p, DISTANCE]
    return has(places_taken(s), 0) and distances(s) <= played


@rule
def may_be_in_the_air(s: State, die: int) -> bool:
    """DR-05, DR-06, DR-15: before they come down dice are in the air, the lowest first but for the start."""
    if s.phase == THROWING_TO_START:
        return is_taken(s, die)
    return (s.phase == DEALING or s.phase == THROWING) and die >= s.die


@rule
def missions_are_sound(s: State) -> bool:
    """DR-03, DR-30: what lies in front is one's own."""
    for p in range(s.players):
        if s.unseen[p] != 0 or (s.front[p] != NONE and s.holder[s.front[p]] != p):
            return False
    return True
