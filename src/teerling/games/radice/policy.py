"""How a sensible player decides in Ra: The Dice Game.

All is weighed in points. What a number of dice with one symbol gives is weighed symbol by symbol. Before
a throw it is decided what ankhs are to stand for, and what each symbol promises is added up; then the
uses follow, those that give most first.
"""

from teerling.engine import Cells, Numbers, rule, table

from .rules import (
    ANKH,
    ANKH_POINTS,
    ANKHS_FOR_POINTS,
    CHOOSING_DICE,
    CIVILISATION,
    CIVILISATION_POINTS,
    COLUMN_BONUS,
    COLUMNS,
    COLUMNS_POINTS,
    DICE,
    DONE,
    EMPTY,
    EPOCHS,
    FACES,
    FIRST_BUILD,
    FIRST_BUILD_WITH,
    FIRST_CATASTROPHE,
    FIRST_CIVILISATION,
    FIRST_REMOVE_CIVILISATION,
    FIRST_REMOVE_MONUMENT,
    FLOOD,
    FLOOD_DICE,
    FURTHEST_POINTS,
    KEEP,
    LAST_POINTS,
    MARKERS_LOST,
    MONUMENT,
    NILE,
    NILE_WITH_ANKH,
    PHARAOH,
    PHARAOH_WITH_ANKH,
    REMOVING,
    STEPS_LOST,
    SUN,
    SUN_POINTS,
    SUNS_FOR_CATASTROPHE,
    SUNS_FOR_POINTS,
    THROWS,
    TRACK_END,
    State,
    civilisation_dice,
    is_monument_left,
    stands_in_column,
    unspent,
)

VALUES = {
    "pharaoh_lead": 0.15,
    "pharaoh_lead_late": 0.3,
    "pharaoh_kept": 0.3,
    "flood_to_come": 0.4,
    "flood_in_later_epochs": 0.5,
    "nile_to_come": 2.0,
    "second_flood": 0.5,
    "hope_for_a_first_marker": 1.5,
    "hope_for_a_third_marker": 2.0,
    "last_place_in_an_area": 0.3,
    "hope_for_columns": 1.2,
    "hope_for_a_pair_in_a_column": 0.3,
    "hope_for_three_in_a_column": 1.0,
    "column_of_another": 0.5,
    "ra_moves": 0.0,
    "catastrophe": 3.0,
    "harm": 0.4,
    "strays": 0.11,
}
"""On the pharaoh track, how much surer one step ahead makes of being furthest, early and in addition late
in an epoch, and what a step is worth for each later epoch. How likely a flood is still to come in this
epoch, and in each later one; how many steps follow a flood; a flood too many. What early in an epoch is
hoped from no and from two markers of civilisation; taking an area's last place. What early in the game
is hoped from a column, for each free field: as one of many, with one marker and with two; a field where
another has two. A step of Ra; a catastrophe before it is chosen; a point that others lose. How likely,
with two throws to come, a die ends up as something that was not aimed for."""
(
    PHARAOH_LEAD, PHARAOH_LEAD_LATE, PHARAOH_KEPT, FLOOD_TO_COME, FLOOD_IN_LATER_EPOCHS, NILE_TO_COME,
    SECOND_FLOOD, HOPE_FOR_FIRST, HOPE_FOR_THIRD, LAST_PLACE, HOPE_FOR_COLUMNS, HOPE_FOR_PAIR,
    HOPE_FOR_THREE, COLUMN_OF_ANOTHER, RA_MOVES, CATASTROPHE, HARM, STRAYS,
) = range(len(VALUES))  # fmt: skip
TEMPERATURE = 0.2
PLAYOUT_TEMPERATURE = 0.04

PROMISES = 0
"""The notes hold from here on what each symbol promises by how many dice with it are kept and how many dice
are thrown."""
AIMED = FACES
"""After the promises of the six symbols: those of the first four if ankhs count for them too."""
BY_THROWN = table([0, 6, 11, 15, 18, 20])
"""Where in a symbol's notes those for a number of thrown dice begin: the more thrown, the fewer kept."""
NOTE = 21
"""How long a symbol's notes are."""
COLUMN_NOTES = PROMISES + NOTE * (AIMED + ANKH - PHARAOH)
"""What another marker in each column is worth."""
COLOUR_NOTES = COLUMN_NOTES + COLUMNS
"""What a monument die of each colour is worth."""
TYPICAL_NOTE = COLOUR_NOTES + DICE
NOTES = TYPICAL_NOTE + 1
BITS = 4
"""Counts side by side in one number: each has so many bits."""
COUNT = 15


@rule
def advise(s: State, values: Numbers, mask: Cells, worth: Numbers, notes: Numbers) -> None:
    """What each legal move is worth to the player to decide, in points; `early` falls from 1 to 0."""
    early = 1.0 - s.ra / s.sun_steps
    if s.phase == REMOVING:
        weigh_removals(s, values, early, mask, worth)
        return
    note_columns(s, values, early, notes)
    if s.phase == CHOOSING_DICE:
        weigh_throws(s, values, early, mask, worth, notes)
    else:
        weigh_uses(s, values, early, mask, worth, notes)


@rule
def others_on_pharaoh_track(s: State, p: int) -> tuple[int, int]:
    """Where the furthest and the last of the others stand."""
    furthest = 0
    last = TRACK_END
    for q in range(s.players):
        if q != p:
            furthest = max(furthest, s.pharaoh[q])
            last = min(last, s.pharaoh[q])
    return furthest, last


@rule
def on_pharaoh_track(s: State, values: Numbers, early: float, p: int, step: int) -> float:
    """What a place on the pharaoh track promises: being furthest, not being last, a start later on."""
    furthest, last = others_on_pharaoh_track(s, p)
    surer = values[PHARAOH_LEAD] + values[PHARAOH_LEAD_LATE] * (1.0 - early)
    ahead = min(1.0, max(0.0, 0.5 + surer * (step - furthest)))
    behind = min(1.0, max(0.0, 0.5 - surer * (step - last)))
    later = values[PHARAOH_KEPT] * (EPOCHS - s.epoch) * step
    return FURTHEST_POINTS * ahead + LAST_POINTS * behind + later


@rule
def nile_step(s: State, values: Numbers, early: float, p: int) -> float:
    """What a step on the Nile track gives, in this epoch and in later ones."""
    now = 1.0 if s.floods[p] > 0 else values[FLOOD_TO_COME] * early
    return now + values[FLOOD_IN_LATER_EPOCHS] * (EPOCHS - s.epoch)


@rule
def flood_marker(s: State, values: Numbers, early: float, p: int) -> float:
    """What a flood marker gives: the space of the Nile marker, and the steps that follow."""
    if s.floods[p] > 0:
        return values[SECOND_FLOOD]
    return s.nile[p] + values[NILE_TO_COME] * early


@rule
def markers_of(s: State, p: int) -> int:
    """How many markers of civilisation a player has."""
    markers = 0
    for colour in range(DICE):
        markers += s.civilisation[p, colour]
    return markers


@rule
def with_markers(s: State, values: Numbers, early: float, markers: int) -> float:
    """What so many markers of civilisation give, and early on may still become."""
    hope = 0.0
    if markers == 0:
        hope = values[HOPE_FOR_FIRST]
    elif markers == 2:
        hope = values[HOPE_FOR_THIRD]
    return CIVILISATION_POINTS[markers] + hope * early


@rule
def who_stands_in(s: State, column: int) -> int:
    """How many fields of a column are empty, and how many each player has, side by side."""
    found = 0
    for colour in range(DICE):
        found += 1 << BITS * (s.monuments[colour, column] - EMPTY)
    return found


@rule
def count_of(found: int, who: int) -> int:
    """How many of them are a player's, or empty."""
    return found >> BITS * (who - EMPTY) & COUNT


@rule
def columns_of(s: State) -> int:
    """In how many columns the player to decide has markers."""
    columns = 0
    for column in range(COLUMNS):
        columns += stands_in_column(s, s.turn, column)
    return columns


@rule
def marker_in_column(s: State, values: Numbers, early: float, found: int, columns: int) -> float:
    """What another marker in a column gives at the end, and what it may still become."""
    own = count_of(found, s.turn)
    room = count_of(found, EMPTY) - 1
    if room < 0:
        return 0.0
    to_come = (EPOCHS - s.epoch + early) / EPOCHS
    gained = 0.0 + COLUMN_BONUS[own + 1] - COLUMN_BONUS[own]
    if own == 0:
        gained += COLUMNS_POINTS[columns + 1] - COLUMNS_POINTS[columns]
        gained += to_come * (values[HOPE_FOR_COLUMNS] + values[HOPE_FOR_PAIR] * room)
    else:
        gained += to_come * values[HOPE_FOR_THREE] * room
    for q in range(s.players):
        if q != s.turn and count_of(found, q) >= 2:
            gained += values[COLUMN_OF_ANOTHER]
    return gained


@rule
def note_columns(s: State, values: Numbers, early: float, notes: Numbers) -> None:
    """Notes what a marker in each column is worth, and in the best column for each colour."""
    columns = columns_of(s)
    for column in range(COLUMNS):
        notes[COLUMN_NOTES + column] = marker_in_column(s, values, early, who_stands_in(s, column), columns)
    notes[TYPICAL_NOTE] = 0.0
    for colour in range(DICE):
        best = 0.0
        for column in range(COLUMNS):
            if s.monuments[colour, column] == EMPTY:
                best = max(best, notes[COLUMN_NOTES + column])
        notes[COLOUR_NOTES + colour] = best
        notes[TYPICAL_NOTE] += best / DICE


@rule
def weigh_throws(
    s: State, values: Numbers, early: float, mask: Cells, worth: Numbers, notes: Numbers
) -> None:
    """What throwing some dice again and keeping the others promises."""
    note_promises(s, values, early, notes)
    for dice in range(1 << DICE):
        if mask[KEEP + dice]:
            worth[KEEP + dice] = promised_with(s, dice, notes)


@rule
def note_promises(s: State, values: Numbers, early: float, notes: Numbers) -> None:
    """Notes what each symbol promises, by the number of dice kept with it and the number thrown."""
    note_gains(s, values, early, notes)
    last = s.throws == THROWS - 1
    for symbol in range(PHARAOH, ANKH):
        spread(notes, first_note(symbol + AIMED), 1 / 3 if last else 1 / 2)
    for symbol in range(PHARAOH, SUN):
        spread(notes, first_note(symbol), 1 / 6 if last else values[STRAYS])
    spread(notes, first_note(SUN), 1 / 6 if last else 1 / 4)


@rule
def first_note(symbol: int) -> int:
    """Where the notes on a symbol begin, with what dice give when none is thrown."""
    return PROMISES + NOTE * (symbol - PHARAOH)


@rule
def note_gains(s: State, values: Numbers, early: float, notes: Numbers) -> None:
    """Notes what any number of dice with each symbol is worth when they are used."""
    p = s.turn
    own = markers_of(s, p)
    room = TRACK_END - s.nile[p]
    step = nile_step(s, values, early, p)
    flood = flood_marker(s, values, early, p)
    for count in range(DICE + 1):
        placed = min(max(0, count - 2), DICE - own)
        steps = step * min(room, count)
        if count >= FLOOD_DICE:
            steps = max(steps, flood + step * min(room, count - FLOOD_DICE))
        note(
            notes, PHARAOH, count, on_pharaoh_track(s, values, early, p, min(TRACK_END, s.pharaoh[p] + count))
        )
        note(notes, NILE, count, steps)
        note(notes, CIVILISATION, count, with_markers(s, values, early, own + placed))
        note(notes, MONUMENT, count, notes[TYPICAL_NOTE] * ((count + 1) // 2))
        notes[first_note(ANKH) + count] = points_for_ankhs(count)
        notes[first_note(SUN) + count] = sun_worth(values, count)


@rule
def note(notes: Numbers, symbol: int, count: int, gained: float) -> None:
    """Notes what a number of dice gives, if ankhs are among them or not."""
    notes[first_note(symbol) + count] = gained
    notes[first_note(symbol + AIMED) + count] = gained


@rule
def sun_worth(values: Numbers, count: int) -> float:
    """What a number of suns gives."""
    if count == SUNS_FOR_POINTS:
        return SUN_POINTS
    return values[CATASTROPHE] if count >= SUNS_FOR_CATASTROPHE else values[RA_MOVES] * count


@rule
def spread(notes: Numbers, first: int, chance: float) -> None:
    """From what dice give that lie: what they promise with one die still to fall, with two, and so on."""
    for length in range(DICE, 0, -1):
        for kept in range(length):
            one_more = notes[first + kept + 1] - notes[first + kept]
            notes[first + length + 1 + kept] = notes[first + kept] + chance * one_more
        first += length + 1


@rule
def points_for_ankhs(count: int) -> int:
    """What ankhs give that are left."""
    return count // ANKHS_FOR_POINTS * ANKH_POINTS


@rule
def promised_with(s: State, dice: int, notes: Numbers) -> float:
    """What all symbols promise together, when ankhs count for whichever of them gains most."""
    kept = 0
    thrown = 0
    best_colour = 0.0
    for die in range(DICE):
        if dice >> die & 1:
            thrown += 1
        else:
            kept += 1 << BITS * s.dice[die]
            if s.dice[die] == MONUMENT:
                best_colour = max(best_colour, notes[COLOUR_NOTES + die])
    ankhs = kept >> BITS * ANKH & COUNT
    without_ankhs = promise(notes, ANKH, ankhs, thrown)
    total = without_ankhs + promise(notes, SUN, kept >> BITS * SUN & COUNT, thrown)
    most = 0.0
    for symbol in range(PHARAOH, MONUMENT + 1):
        count = kept >> BITS * symbol & COUNT
        plain = promise(notes, symbol, count, thrown)
        total += plain
        if count > 0 or thrown > 1:
            most = max(most, promise(notes, symbol + AIMED, count + ankhs, thrown) - plain - without_ankhs)
    if best_colour > 0.0:
        total += best_colour - notes[TYPICAL_NOTE]
    return total + most


@rule
def promise(notes: Numbers, symbol: int, kept: int, thrown: int) -> float:
    """What has been noted."""
    return notes[first_note(symbol) + BY_THROWN[thrown] + kept]


@rule
def weigh_uses(s: State, values: Numbers, early: float, mask: Cells, worth: Numbers, notes: Numbers) -> None:
    """What each use gives more than leaving its dice; being done gives nothing more."""
    p = s.turn
    worth[DONE] = 0.0
    if mask[PHARAOH_WITH_ANKH]:
        here = s.pharaoh[p] + unspent(s, PHARAOH)
        gained = on_pharaoh_track(s, values, early, p, here + 1) - on_pharaoh_track(s, values, early, p, here)
        worth[PHARAOH_WITH_ANKH] = gained - price_of_ankhs(s, 1)
    if mask[NILE_WITH_ANKH]:
        # Where the real dice leave no room the flood that takes them comes first.
        room = s.nile[p] + unspent(s, NILE) < TRACK_END
        gained = nile_step(s, values, early, p)
        worth[NILE_WITH_ANKH] = (gained if room else -gained) - price_of_ankhs(s, 1)
    if mask[FLOOD]:
        real = min(FLOOD_DICE, unspent(s, NILE))
        steps = nile_step(s, values, early, p) * min(real, TRACK_END - s.nile[p])
        worth[FLOOD] = flood_marker(s, values, early, p) - steps - price_of_ankhs(s, FLOOD_DICE - real)
    weigh_civilisation(s, values, early, mask, worth)
    if unspent(s, MONUMENT) > 0:
        weigh_monuments(s, worth, notes)
    if mask[FIRST_CATASTROPHE]:
        for symbol in range(PHARAOH, MONUMENT + 1):
            lost = lost_by_others(s, values, early, symbol)
            worth[FIRST_CATASTROPHE + symbol - PHARAOH] = values[HARM] * lost


@rule
def price_of_ankhs(s: State, count: int) -> float:
    """The points that ankhs would give if they were left."""
    ankhs = unspent(s, ANKH)
    return 1.0 * (points_for_ankhs(ankhs) - points_for_ankhs(ankhs - count))


@rule
def weigh_civilisation(s: State, values: Numbers, early: float, mask: Cells, worth: Numbers) -> None:
    """What a marker in each area is worth; in an area's last place it shuts somebody out."""
    own = markers_of(s, s.turn)
    for colour in range(DICE):
        if mask[FIRST_CIVILISATION + colour]:
            others = 0
            for q in range(s.players):
                others += s.civilisation[q, colour]
            dice = civilisation_dice(s)
            gained = with_markers(s, values, early, own + 1) - with_markers(s, values, early, own)
            if others == s.players - 2:
                gained += values[LAST_PLACE]
            ankhs = max(0, dice - unspent(s, CIVILISATION))
            worth[FIRST_CIVILISATION + colour] = gained - price_of_ankhs(s, ankhs)


@rule
def weigh_monuments(s: State, worth: Numbers, notes: Numbers) -> None:
    """What a marker in each column is worth, less the points of the ankh it may take."""
    price = price_of_ankhs(s, 1)
    for die in range(DICE):
        if is_monument_left(s, die):
            for column in range(COLUMNS):
                gained = notes[COLUMN_NOTES + column]
                worth[FIRST_BUILD + COLUMNS * die + column] = gained
                for partner in range(DICE):
                    build = FIRST_BUILD_WITH + COLUMNS * (DICE * die + partner) + column
                    worth[build] = gained - price if partner == die else gained


@rule
def lost_by_others(s: State, values: Numbers, early: float, symbol: int) -> float:
    """What a catastrophe costs all others."""
    lost = 0.0
    for q in range(s.players):
        if q == s.turn:
            continue
        if symbol == PHARAOH:
            back = max(0, s.pharaoh[q] - STEPS_LOST)
            lost += on_pharaoh_track(s, values, early, q, s.pharaoh[q]) - on_pharaoh_track(
                s, values, early, q, back
            )
        elif symbol == NILE:
            lost += lost_on_the_nile(s, values, early, q)
        elif symbol == CIVILISATION:
            own = markers_of(s, q)
            lost += with_markers(s, values, early, own) - with_markers(
                s, values, early, max(0, own - MARKERS_LOST)
            )
        else:
            lost += values[HOPE_FOR_COLUMNS] * min(MARKERS_LOST, monuments_of(s, q))
    return lost


@rule
def lost_on_the_nile(s: State, values: Numbers, early: float, q: int) -> float:
    """What the Nile's catastrophe costs a player."""
    if s.floods[q] > 1:
        return values[SECOND_FLOOD]
    if s.floods[q] == 1:
        return 1.0 * s.nile[q]
    return nile_step(s, values, early, q) * min(STEPS_LOST, s.nile[q])


@rule
def monuments_of(s: State, q: int) -> int:
    """How many monument markers a player has."""
    markers = 0
    for colour in range(DICE):
        for column in range(COLUMNS):
            markers += s.monuments[colour, column] == q
    return markers


@rule
def weigh_removals(s: State, values: Numbers, early: float, mask: Cells, worth: Numbers) -> None:
    """Markers of civilisation are alike; a monument marker counts as it would if it were placed."""
    columns = columns_of(s)
    for colour in range(DICE):
        worth[FIRST_REMOVE_CIVILISATION + colour] = 0.0
        for column in range(COLUMNS):
            if mask[FIRST_REMOVE_MONUMENT + COLUMNS * colour + column]:
                found = who_stands_in(s, column)
                others = columns - (count_of(found, s.turn) == 1)
                without = found - (1 << BITS * (s.turn - EMPTY)) + 1
                lost = marker_in_column(s, values, early, without, others)
                worth[FIRST_REMOVE_MONUMENT + COLUMNS * colour + column] = -lost
