"""How a sensible player decides in Rapido.

All is weighed in steps. A pair on a field is worth the steps it will count, as far as it is likely to
lie there still, and the steps it takes from the pairs that it throws off. Throw again as long as that
promises more than the best field for this throw.
"""

from teerling.engine import Cells, Numbers, rule, table

from .rules import (
    BOTTOM_FIELD,
    DECISIONS,
    DIE_A,
    DIE_B,
    DOUBLE_STEPS,
    FIRST_PLACE,
    NOBODY,
    PAIRS,
    SIDES,
    START,
    STEPS_LOST,
    THROW,
    TOP_FIELD,
    State,
    X,
    value_of,
)

VALUES = {
    "attacked_on_1": 0.05,
    "attacked_on_2": 0.2,
    "attacked_on_3": 0.4,
    "attacked_on_4": 0.6,
    "attacked_on_5": 0.8,
    "nothing_better_above": 0.2,
    "stubborn": 0.3,
    "harm": 0.3,
    "harm_to_a_leader": 0.6,
    "win": 12.0,
    "last_to_stop_a_win": 8.0,
    "first_to_stop_a_win": 4.0,
}
"""How often others who throw high enough attack a pair on a field, the more so when no free field above
it tempts them; how often they throw again to manage it; what a step taken from another is worth, from
one at the start and in addition from one at the goal; what winning is worth, and keeping another from
it when nobody else can do so any more, and when somebody can."""
(
    ATTACKED_ON_1, _, _, _, _, NOTHING_BETTER_ABOVE, STUBBORN,
    HARM, HARM_TO_A_LEADER, WIN, LAST_TO_STOP_A_WIN, FIRST_TO_STOP_A_WIN,
) = range(len(VALUES))  # fmt: skip
TEMPERATURE = 0.3
PLAYOUT_TEMPERATURE = 1.2

NOTES = DECISIONS
"""The notes hold what another throw would be worth on each field, at the moves that place it there."""
HIGHEST = 76
THROWS = SIDES * SIDES
ALL_THROWS = [(DIE_A[a], DIE_B[b]) for a in range(SIDES) for b in range(SIDES)]
ALL_VALUES = [10 * max(throw) + min(throw) for throw in ALL_THROWS]
VALID_VALUES = [10 * max(throw) + min(throw) for throw in ALL_THROWS if X not in throw]
WITH_X = THROWS - len(VALID_VALUES)
TYPICAL = table([73, 62, 52, 42, 32, 21])
"""Throws are weighed by their tens alone, the highest first; each stands for those of about its worth."""
WAYS = table([sum(value // 10 == tens for value in VALID_VALUES) for tens in (7, 6, 5, 4, 3)] + [4])
AS_HIGH = table([sum(thrown >= value for thrown in ALL_VALUES) for value in range(HIGHEST + 1)])
"""How many of all throws are as high as a value."""
VALID_AS_HIGH = [sum(thrown >= value for thrown in VALID_VALUES) for value in range(HIGHEST + 1)]
AT_LAST = table([THROWS * valid // (valid + WITH_X) for valid in VALID_AS_HIGH])
"""Of as many players who throw again until they are as high as a value, or throw an X: how many succeed."""


@rule
def advise(s: State, values: Numbers, mask: Cells, worth: Numbers, notes: Numbers) -> None:
    """What throwing again and placing on each free field is worth to the player to decide, in steps."""
    worth[THROW] = throwing_again(s, values, notes)
    weigh_fields(s, values, value_of(s.die_a, s.die_b), worth)


@rule
def throwing_again(s: State, values: Numbers, notes: Numbers) -> float:
    """Throws until one satisfies: until its best field promises more than to go on."""
    promised = climbed_by_doubles(s, values) - lost_by_x(s)
    ways = WITH_X
    for i in range(len(TYPICAL)):
        best = weigh_fields(s, values, TYPICAL[i], notes)
        if best * ways <= promised:
            break
        promised += WAYS[i] * best
        ways += WAYS[i]
    return promised / ways


@rule
def lost_by_x(s: State) -> int:
    """The steps that X's cost, over all throws; nobody goes below the start."""
    down = s.pawns[s.turn] - START
    return (WITH_X - 1) * min(STEPS_LOST, down) + min(2 * STEPS_LOST, down)


@rule
def climbed_by_doubles(s: State, values: Numbers) -> float:
    """What doubles give, over all throws."""
    gained = 0.0
    for die in range(1, len(DOUBLE_STEPS)):
        gained += climbed(s, values, DOUBLE_STEPS[die])
    return gained


@rule
def climbed(s: State, values: Numbers, steps: int) -> float:
    """What it is worth to go up, and to win if that reaches the goal."""
    left = s.goal - s.pawns[s.turn]
    return steps if steps < left else left + values[WIN]


@rule
def weigh_fields(s: State, values: Numbers, value: int, worth: Numbers) -> float:
    """What a throw is worth on each free field, and on the best of them."""
    best = 0.0
    thrown_off = 0.0
    topped = False
    turns = turns_to_last(s)
    for field in range(TOP_FIELD, BOTTOM_FIELD, -1):
        if s.owner[field] == NOBODY:
            stays = chance_to_stay(s, values, value, field, topped)
            counts = climbed(s, values, field)
            for _ in range(turns):
                counts *= stays
            worth[FIRST_PLACE + field] = thrown_off + counts
            best = max(best, thrown_off + counts)
            topped = True
        elif s.worth[field] <= value:
            thrown_off += taken_from_owner(s, values, field)
    worth[FIRST_PLACE + BOTTOM_FIELD] = thrown_off
    return max(best, thrown_off)


@rule
def turns_to_last(s: State) -> int:
    """How many turns of others come before a pair is counted; with two pairs, the first waits longer."""
    if PAIRS[s.players] == 1:
        return s.players - 1
    lying = s.at_bottom[s.turn]
    for field in range(BOTTOM_FIELD + 1, TOP_FIELD + 1):
        lying += s.owner[field] == s.turn
    return 1 if lying > 0 else 2


@rule
def chance_to_stay(s: State, values: Numbers, value: int, field: int, topped: bool) -> float:
    """How likely a pair lies there still after another's turn; all attack a pair that will win."""
    at_once = AS_HIGH[value] / THROWS
    at_last = (1.0 - at_once) * AT_LAST[value] / THROWS
    if field >= s.goal - s.pawns[s.turn]:
        return 1.0 - at_once - at_last
    attacked = values[ATTACKED_ON_1 + field - 1]
    if not topped:
        attacked += values[NOTHING_BETTER_ABOVE]
    return max(0.0, 1.0 - attacked * (at_once + values[STUBBORN] * at_last))


@rule
def taken_from_owner(s: State, values: Numbers, field: int) -> float:
    """What it is worth to throw off the pair on a field."""
    q = s.owner[field]
    if q == s.turn:
        return 0.0
    if field >= s.goal - s.pawns[q]:
        is_next = q == s.turn + 1 or q == s.turn + 1 - s.players
        return values[LAST_TO_STOP_A_WIN] if is_next else values[FIRST_TO_STOP_A_WIN]
    return field * (values[HARM] + values[HARM_TO_A_LEADER] * s.pawns[q] / s.goal)
