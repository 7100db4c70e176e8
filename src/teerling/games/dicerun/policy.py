"""How a sensible player decides in DiceRun.

All is weighed in victory cards. If the race stopped now, how many other missions would be ahead of
mine? And if it goes on: how many of my dice run in the lead and right behind it, and which cards do I
still have when it matters?

What runs in a group is kept as one number: how many dice of each colour and of each number, side by
side, `ROOM` bits each.
"""

from teerling.engine import Cells, Numbers, rule

from .rules import (
    COLOURS,
    DICE,
    DICE_EACH,
    DISTANCE,
    DISTANCE_NONE,
    FACES,
    FIRST_DISTANCE,
    FIRST_EXCHANGE,
    FIRST_LAY,
    FIRST_MISSION,
    FIRST_NUMBER,
    FIRST_PLAY,
    FIRST_QUESTION,
    FIRST_REROLL,
    FIRST_SWAP,
    FIRST_TAKE,
    LAYING_MISSIONS,
    LEAST_MORE,
    MISSIONS,
    MOST_MORE,
    PLAY_SPRINT,
    QUESTION,
    REROLLING,
    ROUNDS,
    SHOWN,
    SORTS,
    SPRINT,
    SWAP,
    TAKING,
    TIE_BREAK,
    UNEVEN,
    VICTORY_CARDS,
    State,
    advances,
    cards_in_stack,
    last_place,
    place_of,
    plays_on,
    smallest_pile,
    splits_off,
)

VALUES = {
    "lasting": 0.8,
    "promising": 0.95,
    "in_lead": 0.25,
    "share_of_lead": 0.4,
    "in_second": 0.1,
    "share_of_second": 0.1,
    "in_third": 0.05,
    "safe_lead": 0.05,
    "new_throw": 0.7,
    "own_colour": 0.2,
    "own_number": 0.25,
    "question": 0.7,
    "winning": 1.5,
}
"""The part of a standing, and of the promise of dice in front, that survives a card of another player;
what a point more than the average mission has is worth in the first three groups, how much more if it
is a large share of its group, and if no group is right behind the lead; what a new throw is worth of
the dice it may bring into the second group; what cards are worth in the hand; what it is worth to win,
besides the victory cards."""
(
    LASTING, PROMISING, IN_LEAD, SHARE_OF_LEAD, IN_SECOND, SHARE_OF_SECOND, IN_THIRD, SAFE_LEAD, NEW_THROW,
    OWN_COLOUR, OWN_NUMBER, KEPT_QUESTION, WINNING,
) = range(len(VALUES))  # fmt: skip
TEMPERATURE = 0.1
PLAYOUT_TEMPERATURE = 0.02

ROOM = 5
ROOM_FOR_ALL = (1 << ROOM) - 1
FAIR_SHARE = 1 / COLOURS + 1 / FACES
"""The points that a die brings to the average mission."""
NO_CARD = QUESTION
"""Stands for a race that stays as it is: a question mark itself moves nothing."""


@rule
def advise(s: State, values: Numbers, mask: Cells, worth: Numbers, notes: Numbers) -> None:
    """What each legal move is worth to the player to decide, in victory cards."""
    if s.phase == LAYING_MISSIONS:
        weigh_missions(s, values, mask, worth)
    elif s.phase == REROLLING:
        weigh_throws(s, values, mask, worth)
    elif s.phase == TAKING:
        weigh_dice(s, values, mask, worth)
    else:
        weigh_turn(s, values, mask, worth)


@rule
def weigh_missions(s: State, values: Numbers, mask: Cells, worth: Numbers) -> None:
    """DR-30: the mission for which the race stands best."""
    for mission in range(MISSIONS):
        if mask[FIRST_MISSION + mission]:
            worth[FIRST_MISSION + mission] = as_it_is(s, values, mission)


@rule
def weigh_throws(s: State, values: Numbers, mask: Cells, worth: Numbers) -> None:
    """DR-15: the group in which the player's number may come up most, the nearer to the lead the better."""
    for move in range(FIRST_REROLL, DISTANCE_NONE):
        if mask[move]:
            place = place_of(s, move - FIRST_REROLL + 2)
            worth[move] = thrown_again(values, s.front[s.turn], group_at(s, place)) / place


@rule
def weigh_dice(s: State, values: Numbers, mask: Cells, worth: Numbers) -> None:
    """DR-06: every die may bring the highest sum, so best is one without a number to lose."""
    for shown in range(MISSIONS):
        if mask[FIRST_TAKE + shown]:
            promised = survives(s, values[PROMISING]) * values[IN_LEAD]
            worth[FIRST_TAKE + shown] = promised * points_by_throw(s, shown)


@rule
def points_by_throw(s: State, shown: int) -> float:
    """DR-06, DR-18, DR-31: the points that a die gains on average when it is thrown again."""
    own, gained = 0, 0.0
    for mission in range(MISSIONS):
        if s.holder[mission] == s.turn:
            exact = s.mission_bonus and mission // FACES == shown // FACES
            counts = 2.0 if exact else 1.0
            own += 1
            gained += counts * (1 / FACES - (mission % FACES == shown % FACES))
    return gained / own


@rule
def weigh_turn(s: State, values: Numbers, mask: Cells, worth: Numbers) -> None:
    """DR-07, DR-30: a card; or the same with another mission, if the race stands better for that one."""
    weigh_cards(s, values, worth)
    if s.variable_missions:
        best = -1000.0
        for move in range(FIRST_MISSION):
            if mask[move]:
                best = max(best, worth[move])
        for mission in range(MISSIONS):
            if mask[FIRST_EXCHANGE + mission]:
                better = as_it_is(s, values, mission) - as_it_is(s, values, s.front[s.turn])
                worth[FIRST_EXCHANGE + mission] = best + better


@rule
def weigh_cards(s: State, values: Numbers, worth: Numbers) -> None:
    """DR-07: what each card does to the race, less what it would be worth in the hand."""
    p = s.turn
    mission = s.front[p]
    again = another_turn(s)
    lasts = survives(s, values[LASTING])
    promises = survives(s, values[PROMISING])
    first, second, third, fourth = group_at(s, 0), group_at(s, 1), group_at(s, 2), group_at(s, 3)
    unmoved = 0.0
    for card in range(SORTS):
        named = card < QUESTION and s.hands[p, QUESTION] > 0
        if s.hands[p, card] > 0 or named or card == NO_CARD:
            lead, next_group, third_group = after(s, card, first, second, third, fourth)
            race = lasts * standing(s, values, mission, lead, next_group, third_group)
            race += promises * promise(values, mission, lead, next_group, third_group)
            weigh_card(values, mission, again, card, race, worth)
            if card == NO_CARD:
                unmoved = race
    if s.reroller != p:
        thrown = unmoved
        if second != 0:
            thrown += promises * thrown_again(values, mission, second)
        for card in range(SORTS):
            worth[FIRST_LAY + card] = thrown - kept(values, mission, again, card)


@rule
def weigh_card(values: Numbers, mission: int, again: float, card: int, race: float, worth: Numbers) -> None:
    """What the moves with a card are worth that leaves a race worth this much."""
    if card < QUESTION:
        worth[FIRST_PLAY + card] = race - kept(values, mission, again, card)
        worth[FIRST_QUESTION + card] = race - kept(values, mission, again, QUESTION)
    elif card == NO_CARD:
        for move in range(DISTANCE_NONE, FIRST_MISSION):
            worth[move] = race
    elif card == DISTANCE:
        worth[FIRST_DISTANCE] = race
    elif card == SPRINT:
        worth[PLAY_SPRINT] = race
    else:
        worth[FIRST_SWAP] = race


@rule
def kept(values: Numbers, mission: int, again: float, card: int) -> float:
    """What a card in the hand is worth: of the mission's sorts for another turn, a question mark always."""
    if card == mission // FACES:
        return again * values[OWN_COLOUR]
    if card == FIRST_NUMBER + mission % FACES:
        return again * values[OWN_NUMBER]
    if card == QUESTION:
        return values[KEPT_QUESTION]
    return 0.0


@rule
def cards_for_sure(s: State) -> int:
    """DR-04, DR-23: how many cards come before the round may end; below 0 when it already might have."""
    if s.round == TIE_BREAK:
        return cards_in_stack(s) - 1
    return smallest_pile(s, s.round) - s.drawn


@rule
def possible_ends(s: State) -> int:
    """DR-04: at how many cards in a row the round may end."""
    if s.piles == UNEVEN and s.round != TIE_BREAK:
        return MOST_MORE - LEAST_MORE + 1 + min(0, cards_for_sure(s))
    return 1


@rule
def another_turn(s: State) -> float:
    """How likely the player to decide has another turn in this round."""
    playing = 0
    for p in range(s.players):
        playing += plays_on(s, p)
    ends = possible_ends(s)
    return max(0, min(ends, max(0, cards_for_sure(s)) + ends - playing)) / ends


@rule
def survives(s: State, part: float) -> float:
    """How much is left when the round ends of what every card of another player leaves this part of."""
    ends = possible_ends(s)
    left = part ** max(0, cards_for_sure(s))
    total = 0.0
    for _ in range(ends):
        total += left
        left *= part
    return total / ends


@rule
def alone(s: State, die: int) -> int:
    """A die as a group of its own."""
    return (1 << ROOM * (die // DICE_EACH)) + (1 << ROOM * (FIRST_NUMBER + s.number[die] - 1))


@rule
def group_at(s: State, place: int) -> int:
    """DR-08: the dice at a place."""
    found = 0
    for die in range(DICE):
        if s.place[die] == place:
            found += alone(s, die)
    return found


@rule
def count(group: int, sort: int) -> int:
    """How many dice of a group have a colour or number."""
    return (group >> ROOM * sort) & ROOM_FOR_ALL


@rule
def size(group: int) -> int:
    """How many dice a group has."""
    dice = 0
    for colour in range(COLOURS):
        dice += count(group, colour)
    return dice


@rule
def after(s: State, card: int, first: int, second: int, third: int, fourth: int) -> tuple[int, int, int]:
    """DR-07: the first three places after a card."""
    if card < QUESTION:
        return advanced(s, card, first, second, third, fourth)
    if card == DISTANCE:
        return first, 0, second
    last = last_place(s)
    if card == SPRINT and last > 1:
        return first, group_at(s, last), second if second != 0 or last == 2 else third
    if card == SWAP and second != 0 and third != 0:
        return first, third, second
    return first, second, third


@rule
def advanced(s: State, sort: int, first: int, second: int, third: int, fourth: int) -> tuple[int, int, int]:
    """DR-09, DR-10: the first three places when all dice of a colour or number have moved forward."""
    splits = splits_off(count(first, sort), size(first))
    of_first, of_second, of_third, of_fourth = 0, 0, 0, 0
    for die in range(DICE):
        if advances(s, die, sort, splits):
            place = s.place[die]
            if place == 0:
                of_first += alone(s, die)
            elif place == 1:
                of_second += alone(s, die)
            elif place == 2:
                of_third += alone(s, die)
            elif place == 3:
                of_fourth += alone(s, die)
    behind = third - of_third + of_fourth
    next_to_lead = second - of_second + of_third
    if splits:
        return of_first, first - of_first + of_second, next_to_lead
    if next_to_lead == 0 and second != 0:
        return first + of_second, behind, fourth - of_fourth
    return first + of_second, next_to_lead, behind


@rule
def thrown_again(values: Numbers, mission: int, group: int) -> float:
    """The dice of the mission's number that a new throw of a group brings on average."""
    more = size(group) / FACES - count(group, FIRST_NUMBER + mission % FACES)
    return more * values[NEW_THROW] * values[IN_SECOND]


@rule
def promise(values: Numbers, mission: int, lead: int, second: int, third: int) -> float:
    """What the mission's dice in front are worth when the race goes on."""
    in_lead, in_second = advantage(mission, lead), advantage(mission, second)
    found = (
        values[IN_LEAD] * in_lead
        + values[SHARE_OF_LEAD] * in_lead / size(lead)
        + values[IN_SECOND] * in_second
        + values[IN_THIRD] * advantage(mission, third)
    )
    if second == 0:
        return found + values[SAFE_LEAD] * in_lead
    return found + values[SHARE_OF_SECOND] * in_second / size(second)


@rule
def as_it_is(s: State, values: Numbers, mission: int) -> float:
    """What the race is worth with a mission as it stands."""
    lead, second, third = group_at(s, 0), group_at(s, 1), group_at(s, 2)
    now = survives(s, values[LASTING]) * standing(s, values, mission, lead, second, third)
    return now + survives(s, values[PROMISING]) * promise(values, mission, lead, second, third)


@rule
def advantage(mission: int, group: int) -> float:
    """The points of a mission in a group, above those of the average mission."""
    points = count(group, mission // FACES) + count(group, FIRST_NUMBER + mission % FACES)
    return points - FAIR_SHARE * size(group)


@rule
def points(lead: int, second: int, third: int, sort: int) -> int:
    """DR-18, DR-19: the points for a colour or number; one in front weighs more than all behind it."""
    return (((count(lead, sort) << 6) + count(second, sort)) << 6) + count(third, sort)


@rule
def standing(s: State, values: Numbers, mission: int, lead: int, second: int, third: int) -> float:
    """DR-20: the victory cards to expect if the race stops like this."""
    ahead = others_ahead(s, mission, lead, second, third)
    others = s.players - 1
    chance = (1.0 - ahead) ** others
    found = 0.0
    for rank in range(1, s.players + 1):
        found += chance * prize(s, values, rank)
        chance *= ahead / (1.0 - ahead) * (others - rank + 1) / rank
    return found


@rule
def others_ahead(s: State, mission: int, lead: int, second: int, third: int) -> float:
    """DR-19: how likely each of the others is ahead, as far as the missions tell; never for certain."""
    mine = points(lead, second, third, mission // FACES)
    mine += points(lead, second, third, FIRST_NUMBER + mission % FACES)
    possible, better = 0, 0
    for colour in range(COLOURS):
        for_colour = points(lead, second, third, colour)
        for face in range(FACES):
            holder = s.holder[colour * FACES + face]
            if holder != SHOWN and holder != s.turn:
                theirs = for_colour + points(lead, second, third, FIRST_NUMBER + face)
                possible += 2
                better += (theirs > mine) + (theirs >= mine)
    return better / (possible + 1)


@rule
def prize(s: State, values: Numbers, rank: int) -> float:
    """DR-20, DR-21, DR-22: the victory cards for a rank; in the last round also whether they win."""
    if s.round < ROUNDS:
        return 1.0 * VICTORY_CARDS[0, rank]
    best = VICTORY_CARDS[1, 1 if rank > 1 else 2]
    next_best = VICTORY_CARDS[1, 2 if rank > 2 else 3]
    mine = s.victory[s.turn] + VICTORY_CARDS[1, rank]
    won = 0.0
    for q in range(s.players):
        if q != s.turn:
            won += stays_first(s, mine, q, best, next_best)
    return VICTORY_CARDS[1, rank] + values[WINNING] * won / (s.players - 1)


@rule
def stays_first(s: State, mine: int, lucky: int, best: int, next_best: int) -> float:
    """Whether so many victory cards win when one of the others is lucky; a tie counts half."""
    found = 1.0
    for q in range(s.players):
        if q != s.turn:
            theirs = s.victory[q] + (best if q == lucky else next_best)
            if theirs > mine:
                return 0.0
            if theirs == mine:
                found = 0.5
    return found
