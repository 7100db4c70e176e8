"""A whole state of Ra: The Dice Game as a readable dict, and back."""

from collections.abc import Mapping
from typing import Any

from teerling.engine import CHANCE, OVER, Cells
from teerling.options import Number, first_player
from teerling.positions import Reader

from . import rules
from .rules import (
    ANKH,
    CHOOSING_DICE,
    CIVILISATION,
    CIVILISATION_POINTS,
    COLUMN_BONUS,
    COLUMNS,
    COLUMNS_POINTS,
    DICE,
    DRAWING_LOTS,
    EMPTY,
    EPOCHS,
    FINISHED,
    FIRST_CIVILISATION_DICE,
    FIRST_SCORE,
    FLOOD_DICE,
    MARKERS_LOST,
    MONUMENT,
    MOST_PLAYERS,
    MOST_SUNS_THAT_MOVE,
    NILE,
    NOT_THROWN,
    PHARAOH,
    REMOVING,
    SUN,
    SUN_STEPS,
    SUNS_FOR_CATASTROPHE,
    SUNS_FOR_POINTS,
    THROWING,
    THROWS,
    TRACK_END,
    USING,
    State,
    showing,
    unspent,
)
from .tell import CATASTROPHES, COLOURS, FACES, FIELDS

SUN_STEPS_OPTION = Number(
    "sun_steps", "How many steps Ra takes in an epoch; by default 8, 12 or 16 with 2, 3 or 4 players.",
    None, least=4, most=40,
)  # fmt: skip
FIRST = first_player("Who begins? The rulebook leaves it to the players.", MOST_PLAYERS)
PHASES = {
    DRAWING_LOTS: "drawing lots", THROWING: "throwing", CHOOSING_DICE: "choosing dice",
    USING: "using symbols", REMOVING: "removing markers", FINISHED: "over",
}  # fmt: skip
LINES = ("pharaoh", "nile", "civilisation", "monuments")
MOST_POINTS, MOST_FLOODS = 9999, 999


def limits(s: State) -> dict[str, Any]:
    """How far tracks, turns and epochs go, what suns bring, and what markers count, by their number."""
    return {
        "epochs": EPOCHS,
        "throws": THROWS,
        "track": TRACK_END,
        "area": rules.room_in_area(s),
        "suns_that_move": MOST_SUNS_THAT_MOVE,
        "suns_for_points": SUNS_FOR_POINTS,
        "suns_for_catastrophe": SUNS_FOR_CATASTROPHE,
        "civilisation_points": _listed(CIVILISATION_POINTS),
        "columns_points": _listed(COLUMNS_POINTS),
        "column_bonus": _listed(COLUMN_BONUS),
    }


def _listed(table: Cells) -> list[int]:
    return [table[i] for i in range(len(table))]


def position(s: State) -> dict[str, Any]:
    """A state, readable; columns count from 1, a list of them from the left."""
    return {
        "players": s.players,
        "options": {"sun_steps": s.sun_steps, "first": FIRST.choices[s.first]},
        "limits": limits(s),
        "epoch": s.epoch,
        "phase": PHASES[s.phase],
        "turn": None if s.turn in (CHANCE, OVER) else s.turn,
        "mover": s.mover,
        "ra": s.ra,
        "throws": s.throws,
        "dice": {colour: _face(s.dice[die]) for die, colour in enumerate(COLOURS)},
        "used": [colour for die, colour in enumerate(COLOURS) if s.spent[die]],
        "catastrophe": _face(s.catastrophe),
        "owed": s.owed,
        "monuments": {
            colour: [None if owner == EMPTY else owner for owner in _row(s, die)]
            for die, colour in enumerate(COLOURS)
        },
        "seats": [_seat(s, p) for p in range(s.players)],
    }


def _face(symbol: int) -> str | None:
    return None if symbol == NOT_THROWN else FACES[symbol - PHARAOH]


def _row(s: State, colour: int) -> list[int]:
    return [s.monuments[colour, column] for column in range(COLUMNS)]


def _seat(s: State, p: int) -> dict[str, Any]:
    return {
        "score": s.score[p],
        "pharaoh": s.pharaoh[p],
        "nile": s.nile[p],
        "floods": s.floods[p],
        "civilisation": [colour for die, colour in enumerate(COLOURS) if s.civilisation[p, die]],
        "scored": {name: s.scored[p, line] for line, name in enumerate(LINES) if s.scored[p, line]},
    }


def place(position: Mapping[str, Any]) -> State:
    """The state of a position; what is left out is as at the start of the first turn."""
    reader = Reader(position)
    s = State()
    s.version = 1
    s.players = reader.number("players", 2, MOST_PLAYERS)
    reader.derived("limits", limits(s))
    options = reader.part("options", {})
    steps = options.take("sun_steps", None)
    s.sun_steps = SUN_STEPS[s.players] if steps is None else Reader({"sun_steps": steps}, "options").number(
        "sun_steps", SUN_STEPS_OPTION.least, SUN_STEPS_OPTION.most
    )  # fmt: skip
    s.first = options.chosen(FIRST, s.players)
    options.done()
    s.phase = list(PHASES)[reader.choice("phase", list(PHASES.values()), PHASES[THROWING])]
    first, last = (0, 0) if s.phase == DRAWING_LOTS else (1, EPOCHS)
    s.epoch = reader.number("epoch", first, last, last if s.phase == FINISHED else first)
    s.ra = reader.number("ra", 0, s.sun_steps - 1, 0)
    _read_turn(reader, s)
    _read_dice(reader, s)
    _read_monuments(reader, s)
    for p, seat in enumerate(reader.parts("seats", s.players, [{}] * s.players)):
        _read_seat(seat, s, p)
    s.owed = reader.number("owed", 0, MARKERS_LOST, MARKERS_LOST if s.phase == REMOVING else 0)
    reader.done()
    _check_areas(reader, s)
    _check_phase(reader, s)
    return s


def _read_turn(reader: Reader, s: State) -> None:
    """Reads whose turn it is; turn is the mover unless somebody else removes markers."""
    s.mover = reader.number("mover", 0, s.players - 1, 0)
    by_chance = s.phase in (DRAWING_LOTS, THROWING)
    nobody = by_chance or s.phase == FINISHED
    s.turn = reader.seat("turn", s.players, None if nobody else s.mover)
    if nobody:
        if s.turn >= 0:
            reader.refuse("turn", "is null when nature decides or the game is over")
        s.turn = OVER if s.phase == FINISHED else CHANCE
    elif s.turn < 0:
        reader.refuse("turn", "is a seat in this phase, not null")
    elif (s.turn == s.mover) == (s.phase == REMOVING):
        who = "somebody else than the mover" if s.phase == REMOVING else "the mover"
        reader.refuse("turn", f"is {who} in this phase, not seat {s.turn}")


def _read_dice(reader: Reader, s: State) -> None:
    """Reads what the dice show, what has been used, and the catastrophe they brought."""
    lying = s.phase in (CHOOSING_DICE, USING, REMOVING)
    dice = reader.part("dice", {})
    for die, colour in enumerate(COLOURS):
        face = dice.take(colour, None)
        if face is not None:
            s.dice[die] = PHARAOH + Reader({colour: face}, "dice").choice(colour, FACES)
        elif lying:
            dice.refuse(colour, f"shows one of {', '.join(FACES)} in this phase")
    dice.done()
    thrown = s.phase == THROWING or lying
    most = THROWS - 1 if s.phase == CHOOSING_DICE else THROWS if thrown else 0
    s.throws = reader.number("throws", int(thrown), most, int(thrown))
    for colour in reader.row("used", None, []):
        if colour not in COLOURS or s.spent[COLOURS.index(colour)]:
            reader.refuse("used", f"names each of {', '.join(COLOURS)} once at most, not {colour!r}")
        s.spent[COLOURS.index(colour)] = 1
    _use_first_colours(s)
    catastrophe = reader.take("catastrophe", None)
    if catastrophe is not None:
        names = [FACES[symbol - PHARAOH] for symbol in CATASTROPHES]
        s.catastrophe = PHARAOH + Reader({"catastrophe": catastrophe}).choice("catastrophe", names)


def _use_first_colours(s: State) -> None:
    """RD-06: which of equal dice are used does not matter, so it is those of the first colours."""
    for symbol in (NILE, CIVILISATION, ANKH):
        count = showing(s, symbol) - unspent(s, symbol)
        for die in range(DICE):
            if s.dice[die] == symbol:
                s.spent[die] = 0
        rules.spend(s, symbol, count)


def _read_monuments(reader: Reader, s: State) -> None:
    monuments = reader.part("monuments", {})
    for die, colour in enumerate(COLOURS):
        row = monuments.row(colour, None, [])
        if len(row) > COLUMNS:
            monuments.refuse(colour, f"has {COLUMNS} columns, not {len(row)}")
        for column in range(COLUMNS):
            owner = row[column] if column < len(row) else None
            where = f"monuments.{colour}"
            field = f"column {column + 1}"
            s.monuments[die, column] = Reader({field: owner}, where).seat(field, s.players)
    monuments.done()


def _read_seat(reader: Reader, s: State, p: int) -> None:
    start = FIRST_SCORE + (p - s.mover) % s.players if s.phase != DRAWING_LOTS else 0
    s.score[p] = reader.number("score", -MOST_POINTS, MOST_POINTS, start)
    s.pharaoh[p] = reader.number("pharaoh", 0, TRACK_END, 0)
    s.nile[p] = reader.number("nile", 0, TRACK_END, 0)
    s.floods[p] = reader.number("floods", 0, MOST_FLOODS, 0)
    for colour in reader.row("civilisation", None, []):
        if colour not in COLOURS or s.civilisation[p, COLOURS.index(colour)]:
            reader.refuse("civilisation", f"names each of {', '.join(COLOURS)} once at most, not {colour!r}")
        s.civilisation[p, COLOURS.index(colour)] = 1
    scored = reader.part("scored", {})
    for line, name in enumerate(LINES):
        s.scored[p, line] = scored.number(name, -MOST_POINTS, MOST_POINTS, 0)
    scored.done()
    reader.done()


def _check_areas(reader: Reader, s: State) -> None:
    """RD-04: an area holds one marker fewer than there are players."""
    for colour in range(DICE):
        room = rules.room_in_area(s)
        if rules.markers_in(s, colour) > room:
            reader.refuse("seats", f"leave no room: {COLOURS[colour]} holds {room} markers at most")


def _check_phase(reader: Reader, s: State) -> None:
    """Refuses what cannot be in the phase the game is in."""
    if s.phase == DRAWING_LOTS:
        start = State()
        start.version = s.version
        rules.setup(start, s.players, [s.sun_steps, s.first])
        if s != start:
            reader.refuse("phase", "is 'drawing lots' only before anything is on the board")
    elif s.phase == THROWING:
        _check_falling(reader, s)
    elif s.phase == FINISHED:
        _check_end(reader, s)
    if s.phase not in (USING, REMOVING):
        if any(s.spent[die] for die in range(DICE)):
            reader.refuse("used", "is empty until the throwing is over")
        if s.catastrophe:
            reader.refuse("catastrophe", "is null until the throwing is over")
    else:
        _check_uses(reader, s)
    if s.catastrophe and showing(s, SUN) < SUNS_FOR_CATASTROPHE:
        reader.refuse("catastrophe", f"takes {SUNS_FOR_CATASTROPHE} suns, not {showing(s, SUN)}")
    if s.phase == REMOVING:
        _check_removal(reader, s)
    elif s.owed:
        reader.refuse("owed", f"is 0 unless markers are being removed, not {s.owed}")


def _check_falling(reader: Reader, s: State) -> None:
    """RD-05: dice fall in the order of their colours, in the first throw all of them."""
    next_die = rules.next_die(s)
    if next_die == DICE:
        reader.refuse("dice", "all show something, so none is being thrown")
    if s.throws == 1 and any(s.dice[die] != NOT_THROWN for die in range(next_die, DICE)):
        reader.refuse("dice", f"fall in the order {', '.join(COLOURS)} in the first throw of a turn")


def _check_end(reader: Reader, s: State) -> None:
    """RD-15, RD-21, RD-22: after the last scoring nobody is on turn and these markers have left."""
    if s.epoch != EPOCHS or s.ra or s.mover:
        reader.refuse("phase", f"is 'over' only in epoch {EPOCHS}, with ra and mover 0")
    if rules.next_die(s) != 0 or any(s.dice[die] for die in range(DICE)):
        reader.refuse("dice", "show nothing when the game is over")
    for p in range(s.players):
        if s.floods[p] or any(s.civilisation[p, colour] for colour in range(DICE)):
            reader.refuse("seats", f"keep no flood and civilisation markers at the end, but seat {p} does")


def _check_removal(reader: Reader, s: State) -> None:
    """RD-14: somebody really has a choice which markers to remove."""
    if s.catastrophe not in (CIVILISATION, MONUMENT):
        reader.refuse("catastrophe", "is civilisation or monument while markers are being removed")
    if s.catastrophe == CIVILISATION:
        markers = sum(s.civilisation[s.turn, colour] for colour in range(DICE))
    else:
        markers = sum(s.monuments[field] == s.turn for field in FIELDS)
    gone = MARKERS_LOST - s.owed
    if s.owed == 0 or markers + gone <= MARKERS_LOST:
        reader.refuse("owed", f"is {s.owed}, but seat {s.turn} has no choice among {markers} markers")


def _check_uses(reader: Reader, s: State) -> None:
    """RD-06 to RD-12: the dice used can have been used for what lies on the board."""
    for die in range(DICE):
        if s.spent[die] and s.dice[die] in (PHARAOH, SUN):
            reader.refuse("used", f"names {COLOURS[die]}, which shows {FACES[s.dice[die] - PHARAOH]}")
    used = _spent(s, ANKH)
    most_steps = 0
    for symbol, track in ((PHARAOH, s.pharaoh), (NILE, s.nile)):
        most_steps += track[s.mover] if showing(s, symbol) else 0
    for ankhs in _ankhs_for_flood(s):
        for more in _ankhs_for_civilisation(s):
            for most in _ankhs_for_monuments(s):
                if 0 <= used - ankhs - more - most <= most_steps:
                    return
    reader.refuse("used", "names dice that cannot have been used for what is on the board")


def _spent(s: State, symbol: int) -> int:
    return showing(s, symbol) - unspent(s, symbol)


def _ankhs_for_flood(s: State) -> list[int]:
    """RD-09: how many ankhs may have helped the Nile dice that were used."""
    real = _spent(s, NILE)
    if real == 0:
        return [0]
    possible = real == min(FLOOD_DICE, showing(s, NILE)) and s.floods[s.mover] > 0
    return [FLOOD_DICE - real] if possible else []


def _ankhs_for_civilisation(s: State) -> list[int]:
    """RD-10: how many ankhs may have helped the civilisation dice that were used."""
    real = _spent(s, CIVILISATION)
    own = sum(s.dice[die] == CIVILISATION and s.civilisation[s.mover, die] for die in range(DICE))
    needed = [FIRST_CIVILISATION_DICE + more for more in range(own)]
    return [
        dice - real for dice in needed if real == min(dice, showing(s, CIVILISATION))
    ] if real else [0]  # fmt: skip


def _ankhs_for_monuments(s: State) -> list[int]:
    """RD-11: how many ankhs may have helped the monument dice that were used."""
    real = _spent(s, MONUMENT)
    own = sum(s.monuments[field] == s.mover and s.spent[field[0]] for field in FIELDS)
    if real == 0:
        return [0]
    markers = [count for count in range(1, real + 1) if count <= own]
    return [2 * count - 1 - real for count in markers if 0 <= 2 * count - 1 - real <= count - 1]
