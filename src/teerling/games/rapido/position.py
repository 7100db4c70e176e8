"""A whole state of Rapido as a readable dict, and back."""

from collections.abc import Mapping
from typing import Any

from teerling.engine import CHANCE, OVER
from teerling.options import Number, first_player
from teerling.positions import Reader

from . import rules
from .rules import (
    DECIDING,
    DEFAULT_GOAL,
    DRAWING_LOTS,
    FINISHED,
    FIRST_THROW,
    LATER_THROW,
    LEAST_GOAL,
    MOST_GOAL,
    MOST_PLAYERS,
    NOBODY,
    NOT_THROWN,
    PAIRS,
    START,
    TOP_FIELD,
    State,
)
from .tell import FACES_A, FACES_B, FIELDS, fields_of

GOAL = Number(
    "goal", "How many steps it is from the start to the goal.", DEFAULT_GOAL, least=LEAST_GOAL, most=MOST_GOAL
)
FIRST = first_player("Who begins? By the rulebook, the youngest.", MOST_PLAYERS)
PHASES = {
    DRAWING_LOTS: "drawing lots", FIRST_THROW: "first throw", LATER_THROW: "later throw",
    DECIDING: "deciding", FINISHED: "over",
}  # fmt: skip


def limits(s: State) -> dict[str, Any]:
    """How many pairs everybody has, what is on the sides of the two dice, and the highest field."""
    return {"pairs": PAIRS[s.players], "dice": [list(FACES_A), list(FACES_B)], "top_field": TOP_FIELD}


def _value(s: State) -> int | None:
    """RP-05: what the two dice are worth that have been thrown."""
    return None if s.die_b == NOT_THROWN else rules.value_of(s.die_a, s.die_b)


def _in_hand(s: State, p: int) -> int:
    """RP-20: how many of a seat's pairs lie on no field."""
    return PAIRS[s.players] - len(fields_of(s, p))


def position(s: State) -> dict[str, Any]:
    """A state or an observation, readable; all lies open."""
    dice = [die for die in (s.die_a, s.die_b) if die != NOT_THROWN]
    return {
        "players": s.players,
        "options": {"goal": s.goal, "first": FIRST.choices[s.first]},
        "limits": limits(s),
        "phase": PHASES[s.phase],
        "mover": s.mover,
        "dice": ["x" if die == rules.X else die for die in dice],
        "value": _value(s),
        "fields": {
            str(field): {"seat": s.owner[field], "value": s.worth[field]}
            for field in FIELDS
            if s.owner[field] != NOBODY
        },
        "bottom": [p for p in range(s.players) for _ in range(s.at_bottom[p])],
        "seats": [{"step": s.pawns[p], "in_hand": _in_hand(s, p)} for p in range(s.players)],
    }


def place(position: Mapping[str, Any]) -> State:
    """The state of a position; what is left out is as at the start of the first turn."""
    reader = Reader(position)
    s = State()
    s.version = 1
    s.players = reader.number("players", 2, MOST_PLAYERS)
    options = reader.part("options", {})
    s.goal = options.number("goal", LEAST_GOAL, MOST_GOAL, DEFAULT_GOAL)
    s.first = options.chosen(FIRST, s.players)
    options.done()
    reader.derived("limits", limits(s))
    _read_dice(reader, s)
    reader.derived("value", _value(s))
    _read_fields(reader, s)
    for p, seat in enumerate(reader.parts("seats", s.players, [{}] * s.players)):
        s.pawns[p] = seat.number("step", START, s.goal, START)
        seat.derived("in_hand", _in_hand(s, p))
        seat.done()
    _read_turn(reader, s)
    reader.done()
    _check_pawns(reader, s)
    _check_pairs(reader, s)
    _check_dice(reader, s)
    return s


def _read_dice(reader: Reader, s: State) -> None:
    """RP-01: what has been thrown, die A first."""
    dice = reader.row("dice", None, [])
    if len(dice) > 2:
        reader.refuse("dice", f"shows at most 2 dice, not {len(dice)}")
    thrown = []
    for i, (die, faces) in enumerate(zip(dice, (FACES_A, FACES_B), strict=False)):
        if isinstance(die, bool) or str(die) not in faces:
            reader.refuse(f"dice[{i}]", f"shows {', '.join(faces)}, not {die!r}")
        thrown.append(rules.X if die == "x" else int(die))
    s.die_a, s.die_b = [*thrown, NOT_THROWN, NOT_THROWN][:2]


def _read_fields(reader: Reader, s: State) -> None:
    """RP-10: one pair on each of the fields 1 to 5, and any number on field 0."""
    for field in range(TOP_FIELD + 1):
        s.owner[field] = NOBODY
    fields = reader.part("fields", {})
    for field in FIELDS:
        given = fields.take(str(field), None)
        if given is not None:
            pair = Reader(given, f"fields.{field}")
            s.owner[field] = pair.seat("seat", s.players)
            s.worth[field] = pair.number("value", 0, 76)
            pair.done()
            if s.owner[field] == NOBODY:
                pair.refuse("seat", "is whose pair it is, not null")
            if not rules.can_be_thrown(s.worth[field]):
                pair.refuse("value", f"is {s.worth[field]}, which the dice cannot show")
    fields.done()
    for p in reader.row("bottom", None, []):
        if not isinstance(p, int) or isinstance(p, bool) or p not in range(s.players):
            reader.refuse("bottom", f"lists seats, 0 to {s.players - 1}, not {p!r}")
        s.at_bottom[p] += 1


def _read_turn(reader: Reader, s: State) -> None:
    """Whose turn it is, and what the game waits for; two thrown dice wait for a decision."""
    default = FIRST_THROW if s.die_b == NOT_THROWN else DECIDING
    s.phase = list(PHASES)[reader.choice("phase", list(PHASES.values()), PHASES[default])]
    s.mover = reader.seat("mover", s.players, 0)
    if s.mover < 0:
        reader.refuse("mover", "is a seat, not null")
    if s.phase in (DRAWING_LOTS, FINISHED) and s.mover != 0:
        reader.refuse("mover", f"is 0 when nobody is on turn, not {s.mover}")
    s.turn = {DECIDING: s.mover, FINISHED: OVER}.get(s.phase, CHANCE)


def _check_pawns(reader: Reader, s: State) -> None:
    """RP-02, RP-12: the game is over just when a pawn is on the goal."""
    on_goal = [p for p in range(s.players) if s.pawns[p] == s.goal]
    if s.phase == FINISHED and len(on_goal) != 1:
        reader.refuse("seats", f"have one pawn on the goal, {s.goal}, when it is over, not {len(on_goal)}")
    if s.phase != FINISHED and on_goal:
        reader.refuse("phase", f"is 'over' once a pawn is on the goal, as seat {on_goal[0]}'s is")
    if s.phase == DRAWING_LOTS and any(s.pawns[p] != START for p in range(s.players)):
        reader.refuse("seats", "have all pawns on the start until somebody begins")


def _check_pairs(reader: Reader, s: State) -> None:
    """RP-01, RP-20: nobody has more pairs than there are, and who throws has one in hand."""
    for p in range(s.players):
        lying, in_hand = len(fields_of(s, p)), _in_hand(s, p)
        if in_hand < 0:
            reader.refuse("fields", f"hold {lying} pairs of seat {p}, who has {PAIRS[s.players]}")
        if lying and s.phase == DRAWING_LOTS:
            reader.refuse("fields", "are empty until somebody begins")
        if in_hand == 0 and p == s.mover and s.phase != FINISHED:
            reader.refuse("mover", f"is seat {p}, who has no pair in hand to throw")


def _check_dice(reader: Reader, s: State) -> None:
    """RP-05, RP-06: as many dice lie there as the phase says, and a double has been climbed."""
    thrown = (s.die_a != NOT_THROWN) + (s.die_b != NOT_THROWN)
    if s.phase == DECIDING and thrown < 2:
        reader.refuse("dice", f"shows both dice when the player decides, not {thrown}")
    if s.phase in (FIRST_THROW, LATER_THROW) and thrown == 2:
        reader.refuse("phase", f"is {PHASES[DECIDING]!r} when both dice have been thrown")
    if s.phase in (DRAWING_LOTS, FINISHED) and thrown:
        reader.refuse("dice", "is empty when nobody is on turn")
    if s.phase == DECIDING and s.die_a == s.die_b and s.pawns[s.mover] < rules.DOUBLE_STEPS[s.die_a]:
        reader.refuse("seats", f"have climbed a double already, but seat {s.mover} is on {s.pawns[s.mover]}")
