"""What happens in Ra: The Dice Game, told in events, and why a move is not legal."""

from collections.abc import Sequence

from teerling.engine import OVER
from teerling.game import Event, Move, Plural, accounts, legal_ids, winners

from . import rules
from .rules import (
    ANKH,
    CHOOSING_DICE,
    CIVILISATION,
    COLUMNS,
    DICE,
    DONE,
    DRAWING_LOTS,
    EMPTY,
    FIRST_BUILD,
    FIRST_BUILD_WITH,
    FIRST_CATASTROPHE,
    FIRST_CIVILISATION,
    FIRST_REMOVE_CIVILISATION,
    FIRST_REMOVE_MONUMENT,
    FLOOD,
    FLOOD_DICE,
    KEEP,
    MONUMENT,
    MONUMENT_LINE,
    MOST_PLAYERS,
    MOST_SUNS_THAT_MOVE,
    NILE,
    NILE_WITH_ANKH,
    NO_CATASTROPHE,
    PHARAOH,
    PHARAOH_LINE,
    PHARAOH_WITH_ANKH,
    REMOVING,
    SUN,
    SUNS_FOR_CATASTROPHE,
    THROWING,
    THROWS,
    TRACK_END,
    USING,
    State,
    is_monument_left,
    left_of,
    showing,
    some_spent,
    stands_in_column,
    unspent,
)

COLOURS = ("yellow", "red", "blue", "green", "purple")
FACES = ("pharaoh", "nile", "civilisation", "monument", "ankh", "sun")
SYMBOLS = {face: ("Nile" if name == "nile" else name) for face, name in enumerate(FACES, PHARAOH)}
"""What a symbol is called in a sentence."""
LINES = (
    ("pharaoh", "RD-20"), ("Nile", "RD-21"), ("civilisation", "RD-22"), ("monuments", "RD-23"),
)  # fmt: skip
COLUMNS_LINE, PILES_LINE = "columns with monuments", "three or more in a column"
"""The two parts of what monuments bring."""
ANKHS_LINE, SUNS_LINE = "ankhs", "suns"
"""What is scored at once, in a turn."""
ALL_LINES = (*(name for name, _ in LINES[:MONUMENT_LINE]), COLUMNS_LINE, PILES_LINE, ANKHS_LINE, SUNS_LINE)

BIG_THROW = 4
"""So many dice that show the same are told of."""
CATASTROPHES = range(PHARAOH, MONUMENT + 1)
FIELDS = [(die, column) for die in range(DICE) for column in range(COLUMNS)]
PAIRS = [
    (die, partner, column) for die in range(DICE) for partner in range(DICE) for column in range(COLUMNS)
]


def _throw(dice: int) -> str:
    colours = [colour for die, colour in enumerate(COLOURS) if dice >> die & 1]
    return " ".join(["throw", *colours]) if colours else "keep"


def _partner(die: int, partner: int) -> str:
    return SYMBOLS[ANKH] if partner == die else COLOURS[partner]


DECISIONS = (
    *(_throw(dice) for dice in range(1 << DICE)),
    "done", "pharaoh ankh", "nile ankh", "flood",
    *(f"civilisation {colour}" for colour in COLOURS),
    *(f"catastrophe {FACES[symbol - PHARAOH]}" for symbol in CATASTROPHES),
    *(f"build {COLOURS[die]} {column + 1}" for die, column in FIELDS),
    *(f"build {COLOURS[die]} with {_partner(die, partner)} {column + 1}" for die, partner, column in PAIRS),
    *(f"remove {colour}" for colour in COLOURS),
    *(f"remove {COLOURS[die]} {column + 1}" for die, column in FIELDS),
)  # fmt: skip
OUTCOMES = (
    *(f"die {colour} {face}" for colour in COLOURS for face in FACES),
    *(f"first {p}" for p in range(MOST_PLAYERS)),
)

WORDS: dict[str, str | Plural] = {
    "first": "{seat} begins",
    "starts": "{seat} starts with {points} points",
    "threw": "{seat}, throw {throw}: {dice}",
    "alike": "{count} dice of {seat} show the same: {symbol}",
    "throws_again": "{seat} throws again: {dice}",
    "kept": "{seat} keeps the dice as they lie",
    "pharaoh_moved": Plural(
        "{seat} moves {steps} step on the pharaoh track, to space {space}",
        "{seat} moves {steps} steps on the pharaoh track, to space {space}",
        "steps",
    ),
    "nile_moved": Plural(
        "{seat} moves {steps} step on the Nile track, to space {space}",
        "{seat} moves {steps} steps on the Nile track, to space {space}",
        "steps",
    ),
    "pharaoh_with_ankh": "{seat} uses an ankh as a pharaoh: to space {space} on the pharaoh track",
    "nile_with_ankh": "{seat} uses an ankh as a Nile: to space {space} on the Nile track",
    "flooded": "{seat} places a flood marker on space {space} of the Nile track",
    "settled": "{seat} places a civilisation marker: {colour}",
    "built": "{seat} builds a monument: {colour}, column {column}",
    "built_with": "{seat} builds a monument: {colour} with {partner}, column {column}",
    "catastrophe": "{seat} causes a catastrophe: {symbol}",
    "pharaoh_back": Plural(
        "{seat} goes back {steps} step on the pharaoh track, to space {space}",
        "{seat} goes back {steps} steps on the pharaoh track, to space {space}",
        "steps",
    ),
    "nile_back": Plural(
        "{seat} goes back {steps} step on the Nile track, to space {space}",
        "{seat} goes back {steps} steps on the Nile track, to space {space}",
        "steps",
    ),
    "lost_flood": "{seat} loses a flood marker",
    "lost_civilisation": "{seat} loses a civilisation marker: {colour}",
    "lost_monument": "{seat} loses a monument: {colour}, column {column}",
    "unharmed": "{seat} has nothing to lose",
    "struck_nobody": "The catastrophe strikes nobody: there is nothing to lose",
    "has_to_remove": "{seat} has to remove {count} markers of their choice",
    "done": "{seat} is done",
    "ra_moved": Plural(
        "Ra moves {steps} step: {ra} of {sun_steps}", "Ra moves {steps} steps: {ra} of {sun_steps}", "steps"
    ),
    "ra_stays": "{suns} suns: Ra stays where it is",
    "epoch_over": "Epoch {epoch} is over: Ra has reached the end of the sun track",
    "all_equal": "Everybody stands on the same space of the pharaoh track: it brings nothing",
    "scored": Plural("{seat}: {points:+d} point ({line})", "{seat}: {points:+d} points ({line})", "points"),
    f"scored {COLUMNS_LINE}": Plural(
        "{seat}: {points:+d} point (monuments in {count} column)",
        "{seat}: {points:+d} points (monuments in {count} columns)",
        "count",
    ),
    f"scored {PILES_LINE}": "{seat}: {points:+d} points ({count} monuments in column {column})",
    "has_none": "none",
    "has_space": "space {count}",
    "has_furthest": "space {count}, in front",
    "has_last": "space {count}, last",
    "has_flood": "space {count}, with a flood",
    "has_no_flood": "space {count}, no flood",
    "has_markers": Plural("{count} marker", "{count} markers", "count"),
    "has_columns": Plural("{count} column", "{count} columns", "count"),
    "has_piles": "{markers} in a column",
    "brings pharaoh": "in front +5, last −2",
    "brings Nile": "the number of the space, with a flood",
    "brings civilisation": "3 markers +5, 4 +10, 5 +15, none −5",
    f"brings {COLUMNS_LINE}": "1 per column, 7 columns +10, 8 +15",
    f"brings {PILES_LINE}": "3 markers +5, 4 +10, 5 +15",
    "stays": "Who is in front goes back 2 steps, who is last forward 1. "
    "Flood markers and civilisations leave the board. All else stays.",
    "floods_leave": Plural(
        "{seat} takes back {count} flood marker", "{seat} takes back {count} flood markers", "count"
    ),
    "civilisations_leave": Plural(
        "{seat} takes back {count} civilisation marker",
        "{seat} takes back {count} civilisation markers",
        "count",
    ),
    "begins": "{seat} begins epoch {epoch}",
    "game_over": Plural(
        "{seats} wins the game with {points} points",
        "{seats} have {points} points each; nothing else decides, so they share the win",
        "count",
    ),
    "still_throwing": "first choose which dice to throw again, or keep them",
    "locked": "a sun is locked and stays where it is: {dice}",
    "throwing_over": "no more dice are thrown this turn: use the symbols or be done",
    "no_ankh": "there is no unused ankh",
    "symbol_missing": "an ankh replaces this symbol only beside a real one: {symbol}",
    "track_ended": "the marker stands on space {space}, and goes no further",
    "track_full": "the marker gets to space {space} without this ankh, and goes no further",
    "ankh_for_flood": (
        "without a flood the Nile dice bring the marker to space {space}, and a flood takes this ankh"
    ),
    "one_flood": "one flood marker has been placed already, and a turn brings no more",
    "flood_too_few": "a flood takes {needed} dice with Nile or ankh, one of them a real Nile",
    "not_civilisation": "the marker goes to the colour of a die that shows civilisation, not to {colour}",
    "area_own": "{seat} already has a marker in this area: {colour}",
    "area_full": "this area is full: {colour}",
    "civilisation_too_few": Plural(
        "another civilisation marker takes {needed} more die with civilisation or ankh",
        "a civilisation marker takes {needed} dice with civilisation or ankh",
        "needed",
    ),
    "suns_too_few": "a catastrophe takes {needed} suns",
    "one_catastrophe": "a turn brings only one catastrophe",
    "not_monument": "this die does not show a monument: {colour}",
    "die_used": "this die has been used: {colour}",
    "partner_needed": "only the first monument of a turn takes one die; this one needs a partner",
    "no_partner_yet": "the first monument of a turn takes one die, without a partner",
    "field_taken": "this field is taken: {colour}, column {column}",
    "column_own": "{seat} already has a marker in column {column}; only the first of a turn may go there",
    "nothing_to_remove": "no marker has to be removed now",
    "still_removing": Plural(
        "{seat} first has to remove {count} marker", "{seat} first has to remove {count} markers", "count"
    ),
    "not_struck": "the catastrophe strikes something else: {symbol}",
    "area_not_own": "{seat} has no marker in this area: {colour}",
    "field_not_own": "{seat} has no marker on this field: {colour}, column {column}",
    "ask_throw": Plural(
        "Choose the dice that you want to throw again, or keep all as they lie. "
        "You may throw {left} more time.",
        "Choose the dice that you want to throw again, or keep all as they lie. "
        "You may throw {left} more times.",
        "left",
    ),
    "ask_use": "Use your symbols, in any order, and say when you are done.",
    "ask_catastrophe": "You may cause one catastrophe. Use your other symbols too, in any order, "
    "and say when you are done.",
    "ask_remove": Plural(
        "A catastrophe strikes your markers ({symbol}): choose {count} that leaves the board.",
        "A catastrophe strikes your markers ({symbol}): choose {count} that leave the board, one by one.",
        "count",
    ),
}
TO_YOU: dict[str, str | Plural] = {
    "first": "You begin",
    "starts": "You start with {points} points",
    "threw": "You, throw {throw}: {dice}",
    "alike": "{count} of your dice show the same: {symbol}",
    "throws_again": "You throw again: {dice}",
    "kept": "You keep the dice as they lie",
    "pharaoh_moved": Plural(
        "You move {steps} step on the pharaoh track, to space {space}",
        "You move {steps} steps on the pharaoh track, to space {space}",
        "steps",
    ),
    "nile_moved": Plural(
        "You move {steps} step on the Nile track, to space {space}",
        "You move {steps} steps on the Nile track, to space {space}",
        "steps",
    ),
    "pharaoh_with_ankh": "You use an ankh as a pharaoh: to space {space} on the pharaoh track",
    "nile_with_ankh": "You use an ankh as a Nile: to space {space} on the Nile track",
    "flooded": "You place a flood marker on space {space} of the Nile track",
    "settled": "You place a civilisation marker: {colour}",
    "built": "You build a monument: {colour}, column {column}",
    "built_with": "You build a monument: {colour} with {partner}, column {column}",
    "catastrophe": "You cause a catastrophe: {symbol}",
    "pharaoh_back": Plural(
        "You go back {steps} step on the pharaoh track, to space {space}",
        "You go back {steps} steps on the pharaoh track, to space {space}",
        "steps",
    ),
    "nile_back": Plural(
        "You go back {steps} step on the Nile track, to space {space}",
        "You go back {steps} steps on the Nile track, to space {space}",
        "steps",
    ),
    "lost_flood": "You lose a flood marker",
    "lost_civilisation": "You lose a civilisation marker: {colour}",
    "lost_monument": "You lose a monument: {colour}, column {column}",
    "unharmed": "You have nothing to lose",
    "has_to_remove": "You have to remove {count} markers of your choice",
    "done": "You are done",
    "scored": Plural("You: {points:+d} point ({line})", "You: {points:+d} points ({line})", "points"),
    "scored columns with monuments": Plural(
        "You: {points:+d} point (monuments in {count} column)",
        "You: {points:+d} points (monuments in {count} columns)",
        "count",
    ),
    "scored three or more in a column": "You: {points:+d} points ({count} monuments in column {column})",
    "floods_leave": Plural(
        "You take back {count} flood marker", "You take back {count} flood markers", "count"
    ),
    "civilisations_leave": Plural(
        "You take back {count} civilisation marker", "You take back {count} civilisation markers", "count"
    ),
    "begins": "You begin epoch {epoch}",
    "game_over": "You win the game with {points} points",
    "area_own": "You already have a marker in this area: {colour}",
    "column_own": "You already have a marker in column {column}; only the first of a turn may go there",
    "still_removing": Plural(
        "You first have to remove {count} marker", "You first have to remove {count} markers", "count"
    ),
    "area_not_own": "You have no marker in this area: {colour}",
    "field_not_own": "You have no marker on this field: {colour}, column {column}",
}
"""The same sentences, as they are said to whom they tell about."""
TERMS = (
    *COLOURS,
    *SYMBOLS.values(),
    *(f"{colour} {symbol}" for colour in COLOURS for symbol in SYMBOLS.values()),
    "ankhs",
    "suns",
    "monuments",
    COLUMNS_LINE,
    PILES_LINE,
)


def tell(before: State, move: Move, after: State) -> list[Event]:
    """What a move brought about, from what was known before and after it."""
    if move.chance and before.phase == DRAWING_LOTS:
        return _told_start(after)
    if move.chance:
        return [] if after.phase == THROWING else _told_throw(after)
    if before.phase == CHOOSING_DICE:
        return [_told_choice(before, move.id - KEEP)]
    if move.id == DONE:
        return _told_end(before, after)
    if move.id < FIRST_CATASTROPHE or FIRST_BUILD <= move.id < FIRST_REMOVE_CIVILISATION:
        return _told_use(before, move.id, after)
    if move.id < FIRST_BUILD:
        symbol = SYMBOLS[after.catastrophe]
        cause = Event("catastrophe", "RD-13", before.turn, {"symbol": symbol})
        victims = _told_victims(before, after)
        harmless = all(event.kind == "unharmed" for event in victims)
        return [cause, *([Event("struck_nobody", "RD-14")] if harmless else victims)]
    return _told_removal(before, move.id, after)


def _scored(rule: str, p: int, points: int, line: str) -> list[Event]:
    return [Event("scored", rule, p, {"points": points, "line": line})] if points else []


def _told_start(after: State) -> list[Event]:
    starts = [Event("starts", "RD-03", p, {"points": after.score[p]}) for p in range(after.players)]
    return [Event("first", "RD-03", after.mover), *starts]


def _told_throw(after: State) -> list[Event]:
    """RD-05: what the dice show, and what is worth a cry."""
    dice = [f"{COLOURS[die]} {SYMBOLS[after.dice[die]]}" for die in range(DICE)]
    events = [Event("threw", "RD-05", after.mover, {"throw": after.throws, "dice": dice})]
    for symbol, name in SYMBOLS.items():
        count = showing(after, symbol)
        if count >= BIG_THROW:
            events.append(Event("alike", "RD-05", after.mover, {"count": count, "symbol": name}))
    return events


def _told_choice(before: State, dice: int) -> Event:
    if dice == 0:
        return Event("kept", "RD-05", before.turn)
    return Event("throws_again", "RD-05", before.turn, {"dice": _colours(dice)})


def _colours(dice: int) -> list[str]:
    return [COLOURS[die] for die in range(DICE) if dice >> die & 1]


def _told_use(before: State, id: int, after: State) -> list[Event]:
    p = before.turn
    if id == PHARAOH_WITH_ANKH:
        return [Event("pharaoh_with_ankh", "RD-07", p, {"space": after.pharaoh[p]})]
    if id == NILE_WITH_ANKH:
        return [Event("nile_with_ankh", "RD-08", p, {"space": after.nile[p]})]
    if id == FLOOD:
        return [Event("flooded", "RD-09", p, {"space": after.nile[p]})]
    if id < FIRST_CATASTROPHE:
        return [Event("settled", "RD-10", p, {"colour": COLOURS[id - FIRST_CIVILISATION]})]
    if id < FIRST_BUILD_WITH:
        die, column = FIELDS[id - FIRST_BUILD]
        return [Event("built", "RD-11", p, {"colour": COLOURS[die], "column": column + 1})]
    die, partner, column = PAIRS[id - FIRST_BUILD_WITH]
    pair = {"colour": COLOURS[die], "partner": _partner(die, partner), "column": column + 1}
    return [Event("built_with", "RD-11", p, pair)]


def _told_steps(track: str, rule: str, p: int, start: int, end: int) -> list[Event]:
    """A marker's way along a track, forward or back."""
    if start == end:
        return []
    kind = f"{track}_moved" if end > start else f"{track}_back"
    return [Event(kind, rule, p, {"steps": abs(end - start), "space": end})]


def _told_victims(before: State, after: State) -> list[Event]:
    """What a catastrophe does to one player after the other, until somebody has to choose."""
    events = []
    p = left_of(before, before.turn)
    while p != after.turn:
        events += _told_victim(before, p, after)
        p = left_of(before, p)
    if after.phase == REMOVING:
        events.append(Event("has_to_remove", "RD-14", p, {"count": after.owed}))
    return events


def _told_victim(before: State, p: int, after: State) -> list[Event]:
    events = _told_steps("pharaoh", "RD-14", p, before.pharaoh[p], after.pharaoh[p])
    events += _told_steps("nile", "RD-14", p, before.nile[p], after.nile[p])
    if after.floods[p] < before.floods[p]:
        events.append(Event("lost_flood", "RD-14", p))
    events += [
        _told_lost_civilisation(p, colour)
        for colour in range(DICE)
        if before.civilisation[p, colour] and not after.civilisation[p, colour]
    ]
    events += [
        _told_lost_monument(p, *field)
        for field in FIELDS
        if before.monuments[field] == p and after.monuments[field] == EMPTY
    ]
    return events or [Event("unharmed", "RD-14", p)]


def _told_lost_civilisation(p: int, colour: int) -> Event:
    return Event("lost_civilisation", "RD-14", p, {"colour": COLOURS[colour]})


def _told_lost_monument(p: int, colour: int, column: int) -> Event:
    return Event("lost_monument", "RD-14", p, {"colour": COLOURS[colour], "column": column + 1})


def _told_removal(before: State, id: int, after: State) -> list[Event]:
    if id < FIRST_REMOVE_MONUMENT:
        lost = _told_lost_civilisation(before.turn, id - FIRST_REMOVE_CIVILISATION)
    else:
        lost = _told_lost_monument(before.turn, *FIELDS[id - FIRST_REMOVE_MONUMENT])
    return [lost] if before.owed > 1 else [lost, *_told_victims(before, after)]


def _told_end(before: State, after: State) -> list[Event]:
    """RD-06, RD-12, RD-13, RD-15: the end of a turn, and of an epoch if it comes to that."""
    p = before.turn
    done = before.copy()
    rules.be_done(done, p)
    suns = showing(before, SUN)
    events = [Event("done", "RD-06", p)]
    events += _told_steps("pharaoh", "RD-07", p, before.pharaoh[p], done.pharaoh[p])
    events += _told_steps("nile", "RD-08", p, before.nile[p], done.nile[p])
    events += _scored("RD-12", p, rules.ankh_points(before), ANKHS_LINE)
    if 0 < suns <= MOST_SUNS_THAT_MOVE:
        ra = min(done.ra, done.sun_steps)
        data = {"steps": ra - before.ra, "ra": ra, "sun_steps": done.sun_steps}
        events.append(Event("ra_moved", "RD-13", data=data))
    elif suns:
        events.append(Event("ra_stays", "RD-13", data={"suns": suns}))
    events += _scored("RD-13", p, rules.sun_points(before), SUNS_LINE)
    return events if done.ra < done.sun_steps else events + _told_epoch(done, after)


def begins_picture(before: Event, event: Event) -> bool:
    """One thing is seen after another: a turn, the end of its epoch, and how the next begins."""
    return event.kind in ("epoch_over", "begins", "game_over")


def pictured(
    before: State, move: Move, after: State, told: Sequence[Event], coming: Sequence[Event]
) -> State:
    """RD-20 to RD-23: all stands on the board until an epoch has been scored."""
    if not coming:
        return after
    shown = before.copy()
    rules.be_done(shown, before.turn)
    shown.ra, shown.phase = min(shown.ra, shown.sun_steps), before.phase
    return shown


def _told_epoch(done: State, after: State) -> list[Event]:
    """RD-15, RD-20 to RD-24: the scoring of an epoch; done is just before it."""
    seats = range(after.players)
    scored = [event for p in seats for event in _told_scores(done, p, after)]
    had = accounts([event for p in seats for event in _had(done, p, after)], scored)
    events = [Event("epoch_over", "RD-15", data={"epoch": done.epoch, "accounts": had})]
    if len({done.pharaoh[p] for p in seats}) == 1:
        events.append(Event("all_equal", "RD-20"))
    events += scored
    for p in seats:
        events += _told_steps("pharaoh", "RD-20", p, done.pharaoh[p], after.pharaoh[p])
    for p in seats:
        events += _told_leaving("floods_leave", "RD-21", p, done.floods[p])
    for p in seats:
        markers = sum(done.civilisation[p, colour] for colour in range(DICE))
        events += _told_leaving("civilisations_leave", "RD-22", p, markers)
    if after.turn != OVER:
        return [*events, Event("begins", "RD-15", after.mover, {"epoch": after.epoch})]
    won = winners(rules, after)
    points = after.score[won[0]]
    return [*events, Event("game_over", "RD-24", data={"seats": won, "count": len(won), "points": points})]


def _told_scores(done: State, p: int, after: State) -> list[Event]:
    """RD-20 to RD-23: where a seat's points came from."""
    lines = enumerate(LINES[:MONUMENT_LINE])
    events = [
        event for line, (name, rule) in lines for event in _scored(rule, p, after.scored[p, line], name)
    ]
    return events + _scored_monuments(done, p) if after.turn == OVER else events


def _had(done: State, p: int, after: State) -> list[Event]:
    """RD-20 to RD-23: what a seat had on each line, as a reason for what it got."""
    pharaoh = after.scored[p, PHARAOH_LINE]
    standing = "has_furthest" if pharaoh > 0 else "has_last" if pharaoh < 0 else "has_space"
    markers = sum(done.civilisation[p, colour] for colour in range(DICE))
    found = [
        Event(standing, "RD-20", p, {"line": "pharaoh", "count": done.pharaoh[p]}),
        Event(
            "has_flood" if done.floods[p] else "has_no_flood", "RD-21", p,
            {"line": "Nile", "count": done.nile[p]},
        ),
        Event(
            "has_markers" if markers else "has_none", "RD-22", p,
            {"line": "civilisation", "count": markers},
        ),
    ]  # fmt: skip
    if after.turn == OVER:
        columns = _columns_of(done, p)
        used, piles = COLUMNS - columns.count(0), [count for count in columns if rules.COLUMN_BONUS[count]]
        found += [
            Event("has_columns" if used else "has_none", "RD-23", p, {"line": COLUMNS_LINE, "count": used}),
            Event(
                "has_piles" if piles else "has_none",
                "RD-23",
                p,
                {"line": PILES_LINE, "count": len(piles), "markers": piles},
            ),
        ]
    return found


def _told_leaving(kind: str, rule: str, p: int, count: int) -> list[Event]:
    return [Event(kind, rule, p, {"count": count})] if count else []


def _columns_of(s: State, p: int) -> list[int]:
    """How many monument markers a seat has in each column."""
    return [sum(s.monuments[colour, column] == p for colour in range(DICE)) for column in range(COLUMNS)]


def _scored_monuments(done: State, p: int) -> list[Event]:
    """RD-23: what monuments bring by their columns, and by each that is full enough."""
    markers = _columns_of(done, p)
    columns = COLUMNS - markers.count(0)
    events = []
    if columns:
        spread = {"points": rules.COLUMNS_POINTS[columns], "line": COLUMNS_LINE, "count": columns}
        events.append(Event("scored", "RD-23", p, spread))
    for column, count in enumerate(markers, 1):
        if rules.COLUMN_BONUS[count]:
            bonus = {"points": rules.COLUMN_BONUS[count], "line": PILES_LINE, "count": count}
            events.append(Event("scored", "RD-23", p, {**bonus, "column": column}))
    return events


def why(s: State, move: Move) -> Event | None:
    """Why a decision is not legal; None if it is."""
    if move.id in legal_ids(rules, s):
        return None
    if s.phase == CHOOSING_DICE:
        return _why_not_throw(s, move.id - KEEP)
    if s.phase == REMOVING:
        return _why_not_remove(s, move.id)
    if move.id < DONE:
        return Event("throwing_over", "RD-05")
    if move.id < FIRST_CIVILISATION:
        return _why_not_river(s, move.id)
    if move.id < FIRST_CATASTROPHE:
        return _why_not_settle(s, move.id - FIRST_CIVILISATION)
    if move.id < FIRST_BUILD:
        if s.catastrophe != NO_CATASTROPHE:
            return Event("one_catastrophe", "RD-13")
        return Event("suns_too_few", "RD-13", data={"needed": SUNS_FOR_CATASTROPHE})
    if move.id < FIRST_REMOVE_CIVILISATION:
        return _why_not_build(s, move.id)
    return Event("nothing_to_remove", "RD-14")


def _why_not_throw(s: State, dice: int) -> Event:
    if dice >= 1 << DICE:
        return Event("still_throwing", "RD-05")
    suns = [die for die in range(DICE) if dice >> die & 1 and s.dice[die] == SUN]
    return Event("locked", "RD-05", data={"dice": [COLOURS[die] for die in suns]})


def _why_not_river(s: State, id: int) -> Event:
    """Pharaoh and Nile with an ankh, and a flood."""
    if id == FLOOD:
        if some_spent(s, NILE):
            return Event("one_flood", "RD-09")
        return Event("flood_too_few", "RD-09", data={"needed": FLOOD_DICE})
    symbol, rule = (PHARAOH, "RD-07") if id == PHARAOH_WITH_ANKH else (NILE, "RD-08")
    if unspent(s, ANKH) == 0:
        return Event("no_ankh", "RD-12")
    if showing(s, symbol) == 0:
        return Event("symbol_missing", rule, data={"symbol": SYMBOLS[symbol]})
    stands = s.pharaoh[s.turn] if symbol == PHARAOH else s.nile[s.turn]
    if stands == TRACK_END:
        return Event("track_ended", rule, data={"space": TRACK_END})
    ankhs = unspent(s, ANKH)
    if symbol == NILE and rules.can_flood(s, ankhs) and not rules.can_flood(s, ankhs - 1):
        return Event("ankh_for_flood", rule, data={"space": TRACK_END})
    return Event("track_full", rule, data={"space": TRACK_END})


def _why_not_settle(s: State, colour: int) -> Event:
    data = {"colour": COLOURS[colour]}
    if s.dice[colour] != CIVILISATION:
        return Event("not_civilisation", "RD-10", data=data)
    if s.civilisation[s.turn, colour]:
        return Event("area_own", "RD-10", s.turn, data)
    if rules.markers_in(s, colour) == rules.room_in_area(s):
        return Event("area_full", "RD-10", data=data)
    return Event("civilisation_too_few", "RD-10", data={"needed": rules.civilisation_dice(s)})


def _why_not_build(s: State, id: int) -> Event:
    alone = id < FIRST_BUILD_WITH
    if alone:
        die, column = FIELDS[id - FIRST_BUILD]
        partner = die
    else:
        die, partner, column = PAIRS[id - FIRST_BUILD_WITH]
    for needed in (die, partner):
        if not is_monument_left(s, needed):
            kind = "die_used" if s.dice[needed] == MONUMENT else "not_monument"
            return Event(kind, "RD-11", data={"colour": COLOURS[needed]})
    if alone == some_spent(s, MONUMENT):
        return Event("partner_needed" if alone else "no_partner_yet", "RD-11")
    if s.monuments[die, column] != EMPTY:
        return Event("field_taken", "RD-11", data={"colour": COLOURS[die], "column": column + 1})
    if stands_in_column(s, s.turn, column):
        return Event("column_own", "RD-11", s.turn, {"column": column + 1})
    return Event("no_ankh", "RD-12")


def _why_not_remove(s: State, id: int) -> Event:
    if id < FIRST_REMOVE_CIVILISATION:
        return Event("still_removing", "RD-14", s.turn, {"count": s.owed})
    struck = CIVILISATION if id < FIRST_REMOVE_MONUMENT else MONUMENT
    if s.catastrophe != struck:
        return Event("not_struck", "RD-14", data={"symbol": SYMBOLS[s.catastrophe]})
    if struck == CIVILISATION:
        colour = COLOURS[id - FIRST_REMOVE_CIVILISATION]
        return Event("area_not_own", "RD-14", s.turn, {"colour": colour})
    die, column = FIELDS[id - FIRST_REMOVE_MONUMENT]
    return Event("field_not_own", "RD-14", s.turn, {"colour": COLOURS[die], "column": column + 1})


def ask(s: State) -> Event:
    """What the player to decide is asked."""
    if s.phase == CHOOSING_DICE:
        return Event("ask_throw", "RD-05", s.turn, {"left": THROWS - s.throws})
    if s.phase == REMOVING:
        return Event("ask_remove", "RD-14", s.turn, {"count": s.owed, "symbol": SYMBOLS[s.catastrophe]})
    if s.catastrophe == NO_CATASTROPHE and showing(s, SUN) >= SUNS_FOR_CATASTROPHE:
        return Event("ask_catastrophe", "RD-13", s.turn)
    return Event("ask_use", "RD-06", s.turn)


def evident(s: State) -> bool:
    """G-01: being done is left to the player, who may still take back how symbols were used."""
    return s.phase != USING
