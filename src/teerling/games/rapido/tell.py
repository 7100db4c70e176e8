"""What happens in Rapido, told in events, and why a move is not legal."""

from functools import cache
from typing import Any

from teerling.engine import OVER
from teerling.game import Event, Move, Plural, legal_ids, winners

from . import rules
from .rules import (
    BOTTOM_FIELD,
    DECIDING,
    DIE_A,
    DIE_B,
    FIRST_A_OUTCOME,
    FIRST_B_OUTCOME,
    FIRST_PLACE,
    LATER_THROW,
    MOST_PLAYERS,
    NOBODY,
    PAIRS,
    SIDES,
    STEPS_LOST,
    THROW,
    TOP_FIELD,
    TURN_ENDS,
    State,
    X,
)

FACES_A, FACES_B = (
    tuple("x" if die[side] == X else str(die[side]) for side in range(SIDES)) for die in (DIE_A, DIE_B)
)
FIELDS = range(BOTTOM_FIELD + 1, TOP_FIELD + 1)
"""Where pairs can be thrown off."""
DECISIONS = ("throw", *(f"place {field}" for field in range(TOP_FIELD + 1)))
OUTCOMES = (
    *(f"first {seat}" for seat in range(MOST_PLAYERS)),
    *(f"die a {face}" for face in FACES_A),
    *(f"die b {face}" for face in FACES_B),
)

COUNT_LINE, DOUBLE_LINE, X_LINE = "counting", "doubles", "X"
START_LINE, GOAL_LINE = "not below the start", "not beyond the goal"

WORDS: dict[str, str | Plural] = {
    "begins": "{seat} begins",
    "counted": Plural(
        "{seat} counts field {fields} and takes the pair back",
        "{seat} counts fields {fields} and takes both pairs back",
        "count",
    ),
    "threw": "{seat} throws {a} and {b}: {value}",
    "threw_again": "{seat} throws again, {a} and {b}: {value}",
    "invalid": "{seat} throws again, {a} and {b}: not valid, nothing is placed",
    "placed": "{seat} places {value} on field {field}",
    "thrown_off": "The {value} of {seat} is thrown off field {field}",
    "scored": Plural("{seat}: {points:+d} step ({line})", "{seat}: {points:+d} steps ({line})", "points"),
    f"scored {DOUBLE_LINE}": Plural(
        "{seat}: {points:+d} step (double)", "{seat}: {points:+d} steps (double)", "points"
    ),
    f"scored {START_LINE}": Plural(
        "{seat} can go no lower than the start: {points:+d} step",
        "{seat} can go no lower than the start: {points:+d} steps",
        "points",
    ),
    f"scored {GOAL_LINE}": Plural(
        "{seat} can go no higher than the goal: {points:+d} step",
        "{seat} can go no higher than the goal: {points:+d} steps",
        "points",
    ),
    "game_over": "{seat} reaches the goal and wins the game",
    "field_taken": "a pair of {seat} already lies on field {field}; place on a free field or on 0",
    "own_field": "{seat} already has a pair on field {field}, and it keeps that field occupied",
    "ask": "Place {value} on a field, or throw again: an X will then cost a step and end your turn.",
    "ask_last_field": (
        "Only field 0 is free for {value}. You may throw again: an X will cost a step and your turn."
    ),
    "ask_first_pair": (
        "Place {value} on a field, or throw again. You count once both your pairs lie on fields."
    ),
    "ask_second_pair": (
        "Place {value}: together with your pair on field {field} it counts next turn. Or throw again."
    ),
}
TO_YOU: dict[str, str | Plural] = {
    "begins": "You begin",
    "counted": Plural(
        "You count field {fields} and take the pair back",
        "You count fields {fields} and take both pairs back",
        "count",
    ),
    "threw": "You throw {a} and {b}: {value}",
    "threw_again": "You throw again, {a} and {b}: {value}",
    "invalid": "You throw again, {a} and {b}: not valid, nothing is placed",
    "placed": "You place {value} on field {field}",
    "thrown_off": "Your {value} is thrown off field {field}",
    "scored": Plural("You: {points:+d} step ({line})", "You: {points:+d} steps ({line})", "points"),
    "scored doubles": Plural("You: {points:+d} step (double)", "You: {points:+d} steps (double)", "points"),
    f"scored {START_LINE}": Plural(
        "You can go no lower than the start: {points:+d} step",
        "You can go no lower than the start: {points:+d} steps",
        "points",
    ),
    f"scored {GOAL_LINE}": Plural(
        "You can go no higher than the goal: {points:+d} step",
        "You can go no higher than the goal: {points:+d} steps",
        "points",
    ),
    "game_over": "You reach the goal and win the game",
    "own_field": "You already have a pair on field {field}, and it keeps that field occupied",
}
"""The same sentences, as they are said to whom they tell about."""
TERMS = LINES = (COUNT_LINE, DOUBLE_LINE, X_LINE, START_LINE, GOAL_LINE)


def begins_picture(before: Event, event: Event) -> bool:
    """One thing is seen after another: a throw and its double, a pair that lands and those it throws off."""
    if event.kind == "scored":
        return before.kind in ("threw", "threw_again")
    if event.kind == "thrown_off":
        return before.kind == "placed"
    return event.kind in ("counted", "threw")


def tell(before: State, move: Move, after: State) -> list[Event]:
    """What a move brought about, from what was known before and after it."""
    moved = before.copy()
    if not move.chance:
        events = _told_place(before, move, moved)
    elif move.id >= FIRST_B_OUTCOME:
        events = _told_throw(before, move, moved)
    elif move.id < FIRST_A_OUTCOME:
        events = [Event("begins", "RP-03", move.id)]
    else:
        events = []
    if moved.phase == TURN_ENDS:
        events += _told_count(moved, (before.mover + 1) % before.players, after)
    if after.turn == OVER:
        events.append(_told_end(after))
    return events


def _told_throw(before: State, move: Move, moved: State) -> list[Event]:
    """What the two dice show, and what they do to the pawn; `moved` becomes what they leave behind."""
    p = before.mover
    moved.die_b = DIE_B[move.id - FIRST_B_OUTCOME]
    dice = moved.die_a, moved.die_b
    shown = {"a": _face(dice[0]), "b": _face(dice[1])}
    rules.read_throw(moved, p)
    if moved.phase == TURN_ENDS:
        lost = -STEPS_LOST * dice.count(X)
        return [Event("invalid", "RP-09", p, shown), *_told_steps(before, p, lost, X_LINE, "RP-09", moved)]
    kind = "threw_again" if before.phase == LATER_THROW else "threw"
    rule = "RP-08" if X in dice else "RP-05"
    events = [Event(kind, rule, p, {**shown, "value": rules.value_of(*dice)})]
    if dice[0] == dice[1]:
        events += _told_steps(before, p, rules.DOUBLE_STEPS[dice[0]], DOUBLE_LINE, "RP-06", moved)
    return events


def _told_place(before: State, move: Move, moved: State) -> list[Event]:
    """Where a pair comes to lie and what it throws off; `moved` becomes what that leaves behind."""
    if move.id == THROW:
        return []
    p, field = before.turn, move.id - FIRST_PLACE
    value = rules.value_of(before.die_a, before.die_b)
    rules.place(moved, p, field)
    return [
        Event("placed", "RP-10", p, {"value": value, "field": field}),
        *(
            Event("thrown_off", "RP-11", before.owner[above], {"field": above, "value": before.worth[above]})
            for above in _thrown_off(before, moved)
        ),
    ]


def _thrown_off(before: State, placed: State) -> list[int]:
    """RP-11: the fields whose pairs a pair that was placed has sent back."""
    return [field for field in FIELDS if before.owner[field] != NOBODY and placed.owner[field] == NOBODY]


def _told_count(moved: State, p: int, after: State) -> list[Event]:
    """What the next player counts at the start of the turn; `moved` is before that."""
    fields = fields_of(moved, p)
    if not fields or fields_of(after, p):
        return []
    rule = "RP-21" if moved.players == 2 else "RP-04"
    return [
        Event("counted", rule, p, {"fields": fields, "count": len(fields)}),
        *_told_steps(moved, p, sum(fields), COUNT_LINE, rule, after),
    ]


def _told_steps(before: State, p: int, steps: int, line: str, rule: str, after: State) -> list[Event]:
    """Steps up or down, and those that start or goal cut off."""
    events = []
    if steps:
        events.append(Event("scored", rule, p, {"points": steps, "line": line}))
    cut_off = after.pawns[p] - before.pawns[p] - steps
    if cut_off > 0:
        events.append(Event("scored", "RP-09", p, {"points": cut_off, "line": START_LINE}))
    elif cut_off < 0:
        events.append(Event("scored", "RP-12", p, {"points": cut_off, "line": GOAL_LINE}))
    return events


def _told_end(after: State) -> Event:
    seats = winners(rules, after)
    return Event("game_over", "RP-12", seats[0], {"seats": seats, "count": len(seats)})


def _face(face: int) -> int | str:
    return X_LINE if face == X else face


def fields_of(s: State, p: int) -> list[int]:
    """The fields that a seat's pairs lie on."""
    return [BOTTOM_FIELD] * s.at_bottom[p] + [field for field in FIELDS if s.owner[field] == p]


def why(s: State, move: Move) -> Event | None:
    """Why a decision is not legal; None if it is."""
    if move.id in legal_ids(rules, s):
        return None
    field = move.id - FIRST_PLACE
    own = s.owner[field] == s.turn
    return Event(
        "own_field" if own else "field_taken", "RP-23" if own else "RP-10", s.owner[field], {"field": field}
    )


def ask(s: State) -> Event:
    """What the player to decide is asked."""
    value = rules.value_of(s.die_a, s.die_b)
    if PAIRS[s.players] == 1:
        fields_are_free = any(s.owner[field] == NOBODY for field in FIELDS)
        return Event("ask" if fields_are_free else "ask_last_field", "RP-07", s.turn, {"value": value})
    lying = fields_of(s, s.turn)
    if lying:
        return Event("ask_second_pair", "RP-21", s.turn, {"value": value, "field": lying[0]})
    return Event("ask_first_pair", "RP-21", s.turn, {"value": value})


def aids(s: State, seat: int) -> dict[str, Any]:
    """The odds of another throw; for the player to decide also what every field would bring."""
    if s.phase != DECIDING:
        return {}
    odds = dict(_odds(s.die_a, s.die_b))
    if s.turn != seat:
        return {"odds": odds}
    free = [id - FIRST_PLACE for id in legal_ids(rules, s) if id != THROW]
    return {"odds": odds, "fields": {str(field): _outlook(s, seat, field) for field in free}}


@cache
def _odds(a: int, b: int) -> dict[str, int]:
    """How many of all throws bring an X, a higher valid value, and one that is at least as high as this."""
    value = rules.value_of(a, b)
    throws = [(DIE_A[a], DIE_B[b]) for a in range(SIDES) for b in range(SIDES)]
    valid = [throw for throw in throws if X not in throw]
    return {
        "throws": len(throws),
        "x": len(throws) - len(valid),
        "two_x": throws.count((X, X)),
        "higher": sum(rules.value_of(*throw) > value for throw in valid),
        "threats": sum(rules.value_of(*throw) >= value for throw in throws),
    }


def _outlook(s: State, p: int, field: int) -> dict[str, Any]:
    """Whom a pair on this field throws off, and what is counted next turn if all stays as it is then."""
    placed = s.copy()
    rules.place(placed, p, field)
    counted = placed.copy()
    rules.count(counted, p)
    return {
        "off": _thrown_off(s, placed),
        "counts": not fields_of(counted, p),
        "steps": sum(fields_of(placed, p)),
        "step": counted.pawns[p],
        "wins": counted.pawns[p] == s.goal,
    }
