"""What helps to decide in Ra: The Dice Game: what the dice that lie bring, and what being done gives away."""

from typing import Any

from teerling.engine import OVER
from teerling.game import legal_ids

from . import rules
from .rules import (
    ANKH,
    ANKH_POINTS,
    ANKHS_FOR_POINTS,
    CHOOSING_DICE,
    CIVILISATION,
    CIVILISATION_POINTS,
    COLUMNS,
    COLUMNS_POINTS,
    DICE,
    FIRST_BUILD,
    FIRST_BUILD_WITH,
    FIRST_CATASTROPHE,
    FIRST_CIVILISATION,
    FIRST_REMOVE_CIVILISATION,
    FLOOD,
    FURTHEST_POINTS,
    LAST_POINTS,
    MONUMENT,
    NILE,
    NILE_WITH_ANKH,
    PHARAOH,
    PHARAOH_WITH_ANKH,
    REMOVING,
    TRACK_END,
    USING,
    State,
    is_monument_left,
    showing,
    some_spent,
    stands_in_column,
    unspent,
)
from .tell import COLOURS, FACES, LINES, SYMBOLS


def aids(s: State, seat: int) -> dict[str, Any]:
    """What a scoring would bring everybody now, what the dice bring, and what being done would do."""
    if s.turn == OVER:
        return {}
    then = s.copy()
    then.epoch = rules.EPOCHS
    rules.score_epoch(then)
    now = [{name: then.scored[p, line] for line, (name, _) in enumerate(LINES)} for p in range(s.players)]
    helps: dict[str, Any] = {"now": now}
    if s.phase in (CHOOSING_DICE, USING, REMOVING):
        helps["uses"] = uses(s)
    if s.phase == USING and s.turn == seat:
        # A later monument takes a partner.
        helps |= {"done": _when_done(s, seat), "later": some_spent(s, MONUMENT), "lost": given_away(s)}
    return helps


def _when_done(s: State, seat: int) -> dict[str, int]:
    """RD-06, RD-12, RD-13: what happens by itself when a seat says that it is done."""
    done = s.copy()
    rules.be_done(done, seat)
    return {
        "pharaoh": done.pharaoh[seat] - s.pharaoh[seat],
        "nile": done.nile[seat] - s.nile[seat],
        "points": done.score[seat] - s.score[seat],
        "ra": min(done.ra, done.sun_steps) - s.ra,
    }


def uses(s: State) -> list[dict[str, Any]]:
    """RD-06: what the unused dice of each symbol bring whoever threw them, as they lie."""
    then = s.copy()
    then.turn, then.phase = s.mover, USING
    found = (_pharaoh(then), _nile(then), _civilisation(then), _monument(then), _ankh(then))
    return [use for use in found if use["dice"]]


def _pharaoh(s: State) -> dict[str, Any]:
    """RD-07, RD-20: how far the marker gets by itself, and how it stands there among the others."""
    p, dice = s.turn, unspent(s, PHARAOH)
    end = min(TRACK_END, s.pharaoh[p] + dice)
    others = [s.pharaoh[q] for q in range(s.players) if q != p]
    standing = pharaoh_standing(end, others)
    points = FURTHEST_POINTS if "first" in standing else LAST_POINTS if "last" in standing else 0
    return {
        "symbol": "pharaoh", "dice": dice, "from": s.pharaoh[p], "to": end, "standing": standing,
        "points": points,
    }  # fmt: skip


def pharaoh_standing(space: int, others: list[int]) -> str:
    """RD-20: how a marker stands on the pharaoh track.

    >>> pharaoh_standing(5, [3, 5])
    'shared first'
    """
    if min(others) == max(others) == space:
        return "level"
    if space >= max(others):
        return "first" if space > max(others) else "shared first"
    if space <= min(others):
        return "last" if space < min(others) else "shared last"
    return "between"


def _nile(s: State) -> dict[str, Any]:
    """RD-08, RD-09, RD-21: how far the marker gets by itself, and whether a flood makes it count."""
    p, dice = s.turn, unspent(s, NILE)
    return {
        "symbol": "nile", "dice": dice, "from": s.nile[p], "to": min(TRACK_END, s.nile[p] + dice),
        "flood": FLOOD in legal_ids(rules, s), "floods": s.floods[p],
    }  # fmt: skip


def _civilisation(s: State) -> dict[str, Any]:
    """RD-10, RD-22: how many dice are missing, where a marker may go, and what one more would count."""
    p, dice = s.turn, unspent(s, CIVILISATION)
    colours = [
        COLOURS[colour]
        for colour in range(DICE)
        if s.dice[colour] == CIVILISATION
        and not s.civilisation[p, colour]
        and rules.markers_in(s, colour) < rules.room_in_area(s)
    ]
    own = sum(s.civilisation[p, colour] for colour in range(DICE))
    missing = max(0, rules.civilisation_dice(s) - dice - unspent(s, ANKH))
    return {
        "symbol": "civilisation", "dice": dice, "missing": missing, "colours": colours,
        "points": CIVILISATION_POINTS[own], "then": CIVILISATION_POINTS[min(own + 1, DICE)],
    }  # fmt: skip


def _monument(s: State) -> dict[str, Any]:
    """RD-11, RD-23: in which rows one may build, whether it takes a partner, and what a new column brings."""
    p, legal = s.turn, legal_ids(rules, s)
    builds = [_field_of(id) for id in legal if FIRST_BUILD <= id < FIRST_REMOVE_CIVILISATION]
    columns = sum(stands_in_column(s, p, column) for column in range(COLUMNS))
    new = any(not stands_in_column(s, p, column) for _, column in builds)
    return {
        "symbol": "monument", "dice": unspent(s, MONUMENT),
        "colours": [colour for die, colour in enumerate(COLOURS) if any(die == field[0] for field in builds)],
        "partner": bool(some_spent(s, MONUMENT)),
        "gain": COLUMNS_POINTS[columns + 1] - COLUMNS_POINTS[columns] if new else 0,
    }  # fmt: skip


def _field_of(id: int) -> tuple[int, int]:
    """The die and the column of a monument that is built."""
    if id < FIRST_BUILD_WITH:
        return (id - FIRST_BUILD) // COLUMNS, (id - FIRST_BUILD) % COLUMNS
    pair = id - FIRST_BUILD_WITH
    return pair // COLUMNS // DICE, pair % COLUMNS


def _ankh(s: State) -> dict[str, Any]:
    """RD-12: what ankhs may stand in for, and what they bring if they are left."""
    dice = unspent(s, ANKH)
    symbols = [FACES[symbol - PHARAOH] for symbol in range(PHARAOH, MONUMENT + 1) if showing(s, symbol)]
    return {
        "symbol": "ankh", "dice": dice, "as": symbols, "points": dice // ANKHS_FOR_POINTS * ANKH_POINTS,
    }  # fmt: skip


def given_away(s: State) -> dict[str, Any]:
    """RD-06: the dice that something may still be done with and that do nothing when their player is done.

    Ankhs count in pairs, pharaohs and Niles walk by themselves; a catastrophe is told apart.
    """
    legal = legal_ids(rules, s)
    lost = [die for die in range(DICE) if _is_lost(s, die, legal)]
    return {
        "dice": [f"{COLOURS[die]} {SYMBOLS[s.dice[die]]}" for die in lost],
        "catastrophe": any(FIRST_CATASTROPHE <= id < FIRST_BUILD for id in legal),
    }


def _is_lost(s: State, die: int, legal: list[int]) -> bool:
    """RD-09 to RD-12: whether a die could still be used, and is not by being done."""
    symbol = s.dice[die]
    if s.spent[die]:
        return False
    if symbol == MONUMENT:
        takes = (id for id in legal if FIRST_BUILD <= id < FIRST_REMOVE_CIVILISATION)
        return any(die == _field_of(id)[0] for id in takes) and is_monument_left(s, die)
    if symbol == CIVILISATION:
        return any(FIRST_CIVILISATION <= id < FIRST_CATASTROPHE for id in legal)
    if symbol == NILE:
        return FLOOD in legal and s.nile[s.turn] == TRACK_END
    if symbol == ANKH:
        odd = unspent(s, ANKH) % ANKHS_FOR_POINTS and die == _last_ankh(s)
        return bool(odd) and (PHARAOH_WITH_ANKH in legal or NILE_WITH_ANKH in legal)
    return False


def _last_ankh(s: State) -> int:
    return max(die for die in range(DICE) if s.dice[die] == ANKH and not s.spent[die])
