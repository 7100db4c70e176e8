"""A whole state of DiceRun as a readable dict, and back."""

from collections.abc import Mapping
from typing import Any

from teerling.engine import CHANCE, HIDDEN, OVER
from teerling.errors import BadOption
from teerling.options import Choice, Counts, Flag
from teerling.positions import Reader, is_number, named_counts

from . import rules
from .rules import (
    BY_LOT,
    CHOOSING_FIRST,
    DEALING,
    DEALING_MISSIONS,
    DICE,
    DICE_EACH,
    DISTANCE,
    DRAWING,
    FACES,
    FINISHED,
    HAND,
    IN_STACK,
    IN_THE_AIR,
    LAYING_MISSIONS,
    MISSIONS,
    MOST_PLAYERS,
    NONE,
    ON_TURN,
    REROLLING,
    ROUNDS,
    SHOWN,
    SORTS,
    START_DICE,
    TAKING,
    THROWING,
    THROWING_TO_START,
    TIE_BREAK,
    UNKNOWN,
    VERSION,
    State,
)
from .tell import CARDS, COLOURS, DICE_NAMES

FEWEST_CARDS, MOST_CARDS = 60, 120
MOST_PLACES = 2 * DICE - 1
MOST_POINTS = DICE + 2 * DICE_EACH
MOST_VICTORY = 3 * (ROUNDS - 1) + 5
START = Choice(
    "start", "Who begins?", "throw", ("throw", "random"),
    ("everybody throws two dice of the race again, and the highest sum begins", "a random player begins"),
)  # fmt: skip
PILE_SIZES = Choice(
    "piles", "Piles of the rounds: uneven, so that nobody knows when a round ends, or even.", "uneven",
    ("uneven", "even"),
    ("uneven: nobody knows exactly when a round ends", "even: everybody can count when a round ends"),
)  # fmt: skip
VARIABLE = Flag("variable_missions", "Does everybody get four missions and choose one for each round?", False)
BONUS = Flag(
    "mission_bonus",
    "Does exactly the die of your mission in the leading group count for 3 instead of 2?",
    False,
)
DECK = Counts(
    "deck", "Number of cards of each colour, of each number and of the other sorts.", (5, 5, 4, 3, 3, 3),
    ("each colour", "each number", "question mark", "distance", "sprint", "swap"), (5, 6, 1, 1, 1, 1),
    FEWEST_CARDS, MOST_CARDS,
)  # fmt: skip
OPTIONS = (START, PILE_SIZES, VARIABLE, BONUS, DECK)

PHASES = {
    DEALING: "dealing", THROWING: "throwing", DEALING_MISSIONS: "dealing missions",
    CHOOSING_FIRST: "choosing first", LAYING_MISSIONS: "laying missions", ON_TURN: "turn",
    REROLLING: "re-rolling", DRAWING: "drawing", FINISHED: "over", TAKING: "taking dice",
    THROWING_TO_START: "throwing for the start",
}  # fmt: skip
STARTING = (TAKING, THROWING_TO_START)
SETTING_UP = (DEALING, CHOOSING_FIRST, *STARTING)
BY_CHANCE = (DEALING, THROWING, DEALING_MISSIONS, CHOOSING_FIRST, DRAWING, THROWING_TO_START)
CARD_OWED = (REROLLING, THROWING, DRAWING)
"""When the mover has played or laid a card and not drawn yet."""


LIMITS = {"rounds": ROUNDS}


def position(s: State) -> dict[str, Any]:
    """A state or an observation, readable; what is not known is None."""
    return {
        "players": s.players,
        "options": {
            "start": START.choices[s.start],
            "piles": PILE_SIZES.choices[s.piles],
            "variable_missions": bool(s.variable_missions),
            "mission_bonus": bool(s.mission_bonus),
            "deck": [s.deck[i] for i in range(len(DECK.names))],
        },
        "limits": dict(LIMITS),
        "round": s.round,
        "phase": PHASES[s.phase],
        "turn": None if s.turn in (CHANCE, OVER) else s.turn,
        "mover": s.mover,
        "exchanged": bool(s.exchanged),
        "race": _written_race(s),
        "start": _written_start(s) if s.phase in STARTING else None,
        "reroller": None if s.reroller == NONE else s.reroller,
        "face_down": None if s.face_down in (NONE, UNKNOWN) else CARDS[s.face_down],
        "drawn": s.drawn,
        "rest": rules.cards_in_stack(s),
        "unseen": {card: s.rest[sort] for sort, card in enumerate(CARDS)},
        "shown": [DICE_NAMES[mission] for mission in range(MISSIONS) if s.holder[mission] == SHOWN],
        "seats": [_written_seat(s, p) for p in range(s.players)],
    }


def _written_race(s: State) -> list[list[dict[str, Any]]]:
    """Every place from the front, with its dice; a distance card is a place without."""
    race: list[list[dict[str, Any]]] = [[] for _ in range(rules.last_place(s) + 1)]
    for die in range(DICE):
        race[s.place[die]].append(
            {"die": die, "colour": COLOURS[die // DICE_EACH], "number": s.number[die] or None}
        )
    return race


def _written_start(s: State) -> dict[str, Any]:
    """DR-06: the dice that every seat throws for the start, and whether it is to settle a tie."""
    taken = [[s.taken[p, i] for i in range(START_DICE) if s.taken[p, i] != NONE] for p in range(s.players)]
    return {"taken": taken, "again": bool(s.throws_again)}


def _written_seat(s: State, p: int) -> dict[str, Any]:
    hidden_hand, hidden_gone = s.hands[p, UNKNOWN] > 0, s.gone[p, UNKNOWN] > 0
    own = [mission for mission in range(MISSIONS) if s.holder[mission] == p]
    return {
        "victory": s.victory[p],
        "hand": None if hidden_hand else named_counts(CARDS, lambda sort: s.hands[p, sort]),
        "cards": rules.cards_in_hand(s, p),
        "gone": None if hidden_gone else named_counts(CARDS, lambda sort: s.gone[p, sort]),
        "cards_gone": sum(s.gone[p, sort] for sort in range(SORTS + 1)),
        "missions": None if s.unseen[p] else [DICE_NAMES[mission] for mission in own],
        "missions_held": len(own) + s.unseen[p],
        "front": None if s.front[p] in (NONE, HIDDEN) else DICE_NAMES[s.front[p]],
        "laid": s.front[p] != NONE,
        "scored": None if s.shown[p] == NONE else {
            "mission": DICE_NAMES[s.shown[p]], "points": s.points[p], "rank": s.rank[p],
        },
    }  # fmt: skip


def place(position: Mapping[str, Any]) -> State:
    """The state of a position.

    What is left out is as at the first turn, with cards and missions that are still free: hands of
    three, a mission in front. Dice that are left out stand in a last group, the first of a colour
    showing 1, the next 2, and so on. Cards that are nowhere else are in the rest.
    """
    reader = Reader(position)
    s = State()
    s.version = VERSION
    _read_table(reader, s)
    _read_race(reader, s)
    seats = reader.parts("seats", s.players, [{}] * s.players)
    _read_turn(reader, s, seats)
    _read_start(reader, s)
    _read_cards(reader, s, seats)
    _read_missions(reader, s, seats)
    _read_dealt_to(s)
    for p, seat in enumerate(seats):
        _read_scored(seat, s, p)
        seat.done()
    _read_drawn(reader, s)
    reader.done()
    _check_phase(reader, s)
    _check_what_is_left(reader, s)
    return s


def _read_table(reader: Reader, s: State) -> None:
    """Players, options, round and phase."""
    s.players = reader.number("players", 2, MOST_PLAYERS)
    reader.derived("limits", LIMITS)
    options = reader.part("options", {})
    values: list[int] = []
    for option in OPTIONS:
        try:
            values += option.encode(option.parse(options.take(option.name, None)))
        except BadOption as error:
            options.refuse(option.name, f"cannot be: {error}")
    options.done()
    s.start, s.piles, s.variable_missions, s.mission_bonus = values[:4]
    for i, count in enumerate(values[4:]):
        s.deck[i] = count
    s.phase = list(PHASES)[reader.choice("phase", list(PHASES.values()), PHASES[ON_TURN])]
    if s.phase == CHOOSING_FIRST:
        # Positions of version 1 do not tell how the first player is found: it is by lot.
        s.start = BY_LOT
    if s.phase in STARTING and s.start == BY_LOT:
        reader.refuse("phase", f"is never {PHASES[s.phase]!r} where a random player begins")
    least = 1 if s.phase in (LAYING_MISSIONS, ON_TURN, REROLLING, DRAWING, FINISHED) else 0
    usual = ROUNDS if s.phase == FINISHED else least
    s.round = reader.number("round", least, 0 if s.phase in SETTING_UP else TIE_BREAK, usual)
    if s.phase == LAYING_MISSIONS and (not s.variable_missions or s.round == TIE_BREAK):
        reader.refuse("phase", "is 'laying missions' only with variable missions, in rounds 1 to 4")
    if s.phase == DEALING_MISSIONS and (s.round == 1 or (s.variable_missions and 0 < s.round <= ROUNDS)):
        reader.refuse("phase", f"is never 'dealing missions' in round {s.round} of such a game")
    if s.phase == FINISHED and s.round < ROUNDS:
        reader.refuse("round", f"is {ROUNDS}, or {TIE_BREAK} after a tie-break, when the game is over")


def _read_race(reader: Reader, s: State) -> None:
    """DR-08: places from the front; a die is a dict, or just a text like "red 4"."""
    race = reader.row("race", None, [])
    if len(race) > MOST_PLACES:
        reader.refuse("race", f"has at most {MOST_PLACES} places, not {len(race)}")
    found: dict[int, tuple[int, int]] = {}
    named: list[tuple[int, int, int]] = []
    for i, dice in enumerate(race):
        if not isinstance(dice, list | tuple):
            reader.refuse("race", f"is a list of places, each a list of dice, not {dice!r}")
        for die in dice:
            if isinstance(die, str):
                colour, number = _read_name(reader, "race", die)
                named.append((colour, number, i))
            else:
                which, number = _read_die(Reader(die, f"race[{i}]"))
                if which in found:
                    reader.refuse("race", f"has die {which} twice")
                found[which] = i, number
    for colour, number, i in named:
        free = [die for die in range(colour * DICE_EACH, (colour + 1) * DICE_EACH) if die not in found]
        if not free:
            reader.refuse("race", f"has more than {DICE_EACH} {COLOURS[colour]} dice")
        found[free[0]] = i, number
    unthrown = s.round == 0 and s.phase in (DEALING, THROWING)
    left = [die for die in range(DICE) if die not in found]
    for die in left:
        found[die] = len(race), IN_THE_AIR if unthrown else die % DICE_EACH + 1
    for die, (i, number) in found.items():
        s.place[die], s.number[die] = i, number
    taken = rules.places_taken(s)
    if not rules.has(taken, 0) or rules.last_place(s) + 1 < len(race):
        reader.refuse("race", "has dice in its first and in its last place")
    if any(not rules.has(taken, i) and not rules.has(taken, i + 1) for i in range(len(race))):
        reader.refuse("race", "has two empty places in a row; there is at most one distance card in a gap")
    in_the_air = [die for die in range(DICE) if s.number[die] == IN_THE_AIR]
    s.die = in_the_air[0] if s.phase == THROWING and in_the_air else 0


def _read_name(reader: Reader, key: str, name: Any) -> tuple[int, int]:
    """The colour and the number of a die or mission named like "red 4"."""
    if name not in DICE_NAMES:
        reader.refuse(key, f"knows a colour and a number, as in 'red 4', not {name!r}")
    return DICE_NAMES.index(name) // FACES, DICE_NAMES.index(name) % FACES + 1


def _read_die(reader: Reader) -> tuple[int, int]:
    """Which die it is, and what it shows."""
    die = reader.number("die", 0, DICE - 1)
    number = reader.take("number", None)
    if reader.choice("colour", COLOURS, COLOURS[die // DICE_EACH]) != die // DICE_EACH:
        reader.refuse("colour", f"of die {die} is {COLOURS[die // DICE_EACH]}")
    if number is not None and (not is_number(number) or not 1 <= number <= FACES):
        reader.refuse("number", f"is 1 to {FACES}, or null for a die in the air, not {number!r}")
    reader.done()
    return die, number or IN_THE_AIR


def _read_turn(reader: Reader, s: State, seats: list[Reader]) -> None:
    """Whose turn it is, how many victory cards everybody has, and who re-rolled last."""
    for p, seat in enumerate(seats):
        s.victory[p] = seat.number("victory", 0, MOST_VICTORY, 0)
    playing = [p for p in range(s.players) if rules.plays_on(s, p)]
    if s.round == TIE_BREAK and len(playing) < 2:
        reader.refuse(
            "round", f"is {TIE_BREAK}, the tie-break, but only seat {playing[0]} has most victory cards"
        )
    if s.phase == FINISHED and s.round == ROUNDS:
        s.round = TIE_BREAK
        leaders = [p for p in range(s.players) if rules.plays_on(s, p)]
        s.round = ROUNDS
        if len(leaders) > 1:
            reader.refuse("phase", f"is not 'over' while {len(leaders)} seats have most victory cards")
    waits = s.phase in BY_CHANCE or s.phase == FINISHED
    usual = 0 if s.round == 0 or s.phase == FINISHED else playing[0]
    mover = reader.seat("mover", s.players, None)
    s.turn = reader.seat("turn", s.players, None if waits else mover if mover >= 0 else usual)
    # Only missions are laid by others than the one whose turn it is.
    decides = s.turn >= 0 and not waits and s.phase != LAYING_MISSIONS
    s.mover = mover if mover >= 0 else s.turn if decides else usual
    nobody = s.phase == FINISHED or (s.round == 0 and s.phase not in STARTING)
    if s.mover and nobody:
        reader.refuse("mover", "is a seat; 0 when nobody is on turn")
    if waits and s.turn >= 0:
        reader.refuse("turn", "is null when nature decides or the game is over")
    if not waits and s.turn < 0:
        reader.refuse("turn", "is a seat in this phase, not null")
    if waits:
        s.turn = OVER if s.phase == FINISHED else CHANCE
    elif s.phase != LAYING_MISSIONS and s.turn != s.mover:
        reader.refuse("mover", f"is seat {s.turn}, who is on turn, not {s.mover}")
    if s.phase in (ON_TURN, *CARD_OWED) and not rules.plays_on(s, s.mover):
        reader.refuse("mover", f"is seat {s.mover}, who is not among the tied {playing}")
    s.exchanged = reader.flag("exchanged", False)
    if s.exchanged and not (s.phase == ON_TURN and s.variable_missions and s.round < ROUNDS):
        reader.refuse("exchanged", "is true only on a turn with a choice of variable missions")


def _read_start(reader: Reader, s: State) -> None:
    """DR-06: the dice that have been taken for the start: by all before the mover, or by the equal ones."""
    for p in range(MOST_PLAYERS):
        rules.put_back(s, p)
    given = reader.take("start", None)
    if given is None and s.phase != TAKING:
        if s.phase == THROWING_TO_START:
            reader.refuse("start", "is missing")
        return
    if s.phase not in STARTING:
        reader.refuse("start", "is null unless dice are taken or thrown for the start")
    start = Reader({} if given is None else given, "start")
    usual = [[2 * p, 2 * p + 1] if p < s.mover else [] for p in range(s.players)]
    rows = start.row("taken", s.players, usual)
    s.throws_again = start.flag("again", False)
    start.done()
    found: list[int] = []
    for p, dice in enumerate(rows):
        if not isinstance(dice, list | tuple) or len(dice) not in _possible_start_dice(s, p):
            start.refuse("taken", f"does not fit whose throw it is: seat {p} has {dice!r}")
        for i, die in enumerate(dice):
            if not is_number(die) or not 0 <= die < DICE or die in found:
                start.refuse("taken", f"holds numbers of dice from 0 to {DICE - 1}, each once, not {die!r}")
            found.append(die)
            s.taken[p, i] = die
    if s.throws_again and sum(s.taken[p, 0] != NONE for p in range(s.players)) < 2:
        start.refuse("again", "is true only when two seats are equal")
    if s.phase == THROWING_TO_START:
        second_left = s.number[s.taken[s.mover, 0]] != IN_THE_AIR
        s.die = s.taken[s.mover, 1 if second_left else 0]


def _possible_start_dice(s: State, p: int) -> tuple[int, ...]:
    """DR-06: how many dice a seat may have taken."""
    if s.throws_again:
        return (START_DICE,) if p == s.mover else (0, START_DICE)
    if p == s.mover:
        return (0, 1) if s.phase == TAKING else (START_DICE,)
    return (START_DICE,) if p < s.mover else (0,)


def _read_cards(reader: Reader, s: State, seats: list[Reader]) -> None:
    """DR-02, DR-04, DR-15: hands, cards face down, and the rest; every card is in one place."""
    s.reroller = reader.seat("reroller", s.players, None)
    face_down = reader.take("face_down", None)
    s.face_down = NONE
    if face_down is not None:
        if face_down not in CARDS:
            reader.refuse("face_down", f"is one of {', '.join(CARDS)}, not {face_down!r}")
        s.face_down = CARDS.index(face_down)
    if (s.reroller == NONE) != (s.face_down == NONE):
        reader.refuse("face_down", "is there just when there is a reroller")
    if s.phase in (REROLLING, THROWING) and s.round > 0 and s.reroller != s.mover:
        reader.refuse("reroller", f"is seat {s.mover}, who is throwing again, not {s.reroller}")
    laid = rules.distances(s)
    free = [
        rules.supply(s, sort) - (sort == s.face_down) - (sort == DISTANCE) * laid for sort in range(SORTS)
    ]
    left_out = []
    for p, seat in enumerate(seats):
        for key, cards in (("gone", s.gone), ("hand", s.hands)):
            given = seat.take(key, None)
            if given is None and key == "hand":
                left_out.append(p)
            for sort, count in enumerate(
                Reader({key: given or {}}, seat.where).counts(key, CARDS, MOST_CARDS)
            ):
                cards[p, sort] = count
                free[sort] -= count
    for sort in range(SORTS):
        if free[sort] < 0:
            there = rules.supply(s, sort)
            reader.refuse(
                "seats", f"and the table hold {there - free[sort]} cards {CARDS[sort]}; there are {there}"
            )
    for p in left_out:
        for _ in range(_usual_cards(s, p)):
            sort = max(range(SORTS), key=lambda sort: free[sort])
            free[sort] -= 1
            s.hands[p, sort] += 1
    _read_rest(reader, s, free)
    for p, seat in enumerate(seats):
        held = rules.cards_in_hand(s, p)
        if held > HAND:
            seat.refuse("hand", f"has at most {HAND} cards, not {held}")
        seat.derived("cards", held)
        seat.derived("cards_gone", sum(s.gone[p, sort] for sort in range(SORTS)))


def _usual_cards(s: State, p: int) -> int:
    """DR-04, DR-07, DR-16: how many cards a seat holds, unless it was told."""
    if s.phase == DEALING:
        return 0
    return HAND - (p == s.mover and _mover_owes_card(s))


def _mover_owes_card(s: State) -> bool:
    """Whether the mover has a card fewer, also because an end-of-round card was drawn instead."""
    return (s.round > 0 and s.phase in CARD_OWED) or (
        s.round > 1 and s.phase in (LAYING_MISSIONS, DEALING_MISSIONS)
    )


def _read_rest(reader: Reader, s: State, free: list[int]) -> None:
    """DR-04: what lies nowhere else is in the rest, unless it is told what is."""
    usual = {CARDS[sort]: count for sort, count in enumerate(free)}
    for sort, count in enumerate(reader.counts("unseen", CARDS, MOST_CARDS, usual)):
        if count > free[sort]:
            total = rules.supply(s, sort) - free[sort] + count
            reader.refuse(
                "unseen", f"makes it {total} cards {CARDS[sort]}; there are {rules.supply(s, sort)}"
            )
        s.rest[sort] = count
    reader.derived("rest", rules.cards_unseen(s))


def _read_missions(reader: Reader, s: State, seats: list[Reader]) -> None:
    """DR-03, DR-05, DR-30: every mission is in the stack, shown, or somebody's."""
    for mission in range(MISSIONS):
        s.holder[mission] = IN_STACK
    for p in range(MOST_PLAYERS):
        s.front[p] = NONE
        s.shown[p] = NONE
    _hand_out(reader, s, "shown", reader.row("shown", None, []), SHOWN)
    fronts = [seat.take("front", None) for seat in seats]
    left_out = []
    for p, seat in enumerate(seats):
        missions = seat.take("missions", None)
        if missions is None:
            left_out.append(p)
            missions = [] if fronts[p] is None else [fronts[p]]
        _hand_out(seat, s, "missions", missions, p)
    for p in left_out:
        for mission in range(MISSIONS):
            if rules.missions_of(s, p) < _usual_missions(s, p) and s.holder[mission] == IN_STACK:
                s.holder[mission] = p
    for p, seat in enumerate(seats):
        own = [mission for mission in range(MISSIONS) if s.holder[mission] == p]
        laid = seat.take("laid", None)
        if fronts[p] is not None:
            colour, number = _read_name(seat, "front", fronts[p])
            s.front[p] = colour * FACES + number - 1
        elif own and laid is not False and _usually_laid(s, p):
            s.front[p] = own[0]
        if s.front[p] != NONE and s.front[p] not in own:
            seat.refuse("front", f"is {fronts[p]}, which is not among the seat's missions")
        if laid not in (None, s.front[p] != NONE):
            seat.refuse("laid", f"is {laid!r}, but front says otherwise")
        seat.derived("missions_held", len(own))


def _hand_out(reader: Reader, s: State, key: str, missions: Any, holder: int) -> None:
    if not isinstance(missions, list | tuple):
        reader.refuse(key, f"is a list of missions, not {missions!r}")
    for name in missions:
        colour, number = _read_name(reader, key, name)
        mission = colour * FACES + number - 1
        if s.holder[mission] != IN_STACK:
            reader.refuse(key, f"holds {name}, which is somewhere else already")
        s.holder[mission] = holder


def _usual_missions(s: State, p: int) -> int:
    """DR-05, DR-23, DR-30: how many missions a seat has, unless missions are being dealt."""
    if s.phase in (DEALING, DEALING_MISSIONS, FINISHED) or (s.phase == THROWING and s.round == 0):
        return 0
    if not rules.plays_on(s, p):
        return 0
    if s.variable_missions and s.round <= ROUNDS:
        return ROUNDS + 1 - max(1, s.round)
    return 1


def _usually_laid(s: State, p: int) -> bool:
    """Whether a mission lies in front of a seat."""
    if s.phase == LAYING_MISSIONS:
        return _laid_before(s, p)
    return not (s.variable_missions and s.round == 0)


def _laid_before(s: State, p: int) -> bool:
    """DR-30: whether it was a seat's turn to lay a mission before whose turn it is now."""
    first = s.mover if s.round == 1 else rules.left_of(s, s.mover)
    return (p - first) % s.players < (s.turn - first) % s.players


def _read_dealt_to(s: State) -> None:
    """Cards and missions are dealt in order of seats, so who is next follows from who has them."""
    s.dealt_to = 0
    while s.dealt_to < s.players - 1 and _has_got(s, s.dealt_to):
        s.dealt_to += 1


def _has_got(s: State, p: int) -> bool:
    """Whether a seat has all that is being dealt; so everybody if nothing is."""
    if s.phase == DEALING:
        return rules.cards_in_hand(s, p) == HAND
    if s.phase == DEALING_MISSIONS:
        return rules.missions_of(s, p) == rules.missions_due(s) or not rules.plays_on(s, p)
    return False


def _read_scored(reader: Reader, s: State, p: int) -> None:
    """DR-18, DR-19: the last scoring of a seat."""
    entries = reader.take("scored", None)
    if entries is None:
        return
    scored = Reader(entries, f"{reader.where}.scored")
    colour, number = _read_name(scored, "mission", scored.take("mission"))
    s.shown[p] = colour * FACES + number - 1
    s.points[p] = scored.number("points", 0, MOST_POINTS)
    s.rank[p] = scored.number("rank", 1, s.players)
    scored.done()
    if s.holder[s.shown[p]] != SHOWN:
        scored.refuse("mission", f"is {DICE_NAMES[s.shown[p]]}, which is not among the shown missions")


def _check_phase(reader: Reader, s: State) -> None:
    """Refuses what cannot be in the phase the game is in."""
    _check_dice(reader, s)
    for p in range(s.players):
        cards, missions = rules.cards_in_hand(s, p), rules.missions_of(s, p)
        if cards not in _possible_cards(s, p):
            reader.refuse("seats", f"and phase do not fit: seat {p} has {cards} cards in hand")
        if missions not in _possible_missions(s, p):
            reader.refuse("seats", f"and phase do not fit: seat {p} has {missions} missions")
        laid = _usually_laid(s, p) and missions > 0
        if laid != (s.front[p] != NONE):
            reader.refuse(
                "seats", f"and phase do not fit: {'no' if laid else 'a'} mission lies in front of seat {p}"
            )
    if s.phase == DEALING_MISSIONS and not rules.plays_on(s, s.dealt_to):
        reader.refuse("phase", "is not 'dealing missions' when everybody has one who plays on")
    if sum(rules.cards_in_hand(s, p) < HAND for p in range(s.players)) > 1 and s.phase in (ON_TURN, FINISHED):
        reader.refuse("seats", "have all their cards, but for one who drew an end-of-round card")
    if s.phase == LAYING_MISSIONS and s.front[s.turn] != NONE:
        reader.refuse("turn", f"is seat {s.turn}, who has laid a mission already")
    if s.phase == FINISHED and s.round == TIE_BREAK:
        for p in range(s.players):
            if rules.plays_on(s, p) != (s.rank[p] > 0):
                reader.refuse("seats", f"and round do not fit: what seat {p} scored in the tie-break")


def _check_dice(reader: Reader, s: State) -> None:
    """DR-05, DR-15: which dice may be in the air."""
    in_the_air = [die for die in range(DICE) if s.number[die] == IN_THE_AIR]
    places = {s.place[die] for die in in_the_air}
    if s.round == 0 and rules.last_place(s) > 0:
        reader.refuse("race", "is one group before the first turn")
    if s.phase == DEALING and len(in_the_air) < DICE:
        reader.refuse("race", "has dice that were thrown, though cards are still being dealt")
    if s.phase == THROWING:
        if len(places) != 1 or (s.round > 0 and 0 in places):
            reader.refuse("race", "has no group in the air that may be thrown, though dice are being thrown")
        if any(s.place[die] in places and die > s.die and die not in in_the_air for die in range(DICE)):
            reader.refuse("race", "has a die that was thrown before its turn; the lowest goes first")
    elif s.phase == THROWING_TO_START:
        _check_start_dice(reader, s, in_the_air)
    elif s.phase != DEALING and in_the_air:
        reader.refuse("race", f"has die {in_the_air[0]} in the air, though nothing is being thrown")
    if s.phase == REROLLING and rules.last_place(s) == 0:
        reader.refuse("race", "has only the leading group, so nobody can be re-rolling")


def _check_start_dice(reader: Reader, s: State, in_the_air: list[int]) -> None:
    """DR-06: what the mover has not thrown is in the air, and what those have who throw again after."""
    waiting = [p for p in range(s.mover + 1, s.players) if s.taken[p, 0] != NONE] if s.throws_again else []
    due = {s.taken[p, i] for p in waiting for i in range(START_DICE)} | {s.die, s.taken[s.mover, 1]}
    if set(in_the_air) != due:
        reader.refuse("race", f"has other dice in the air than {sorted(due)}, which are to be thrown now")


def _possible_cards(s: State, p: int) -> range:
    """How many cards a seat may hold."""
    if s.phase == DEALING:
        return range(HAND) if p == s.dealt_to else range(HAND, HAND + 1) if p < s.dealt_to else range(1)
    if p == s.mover and _mover_owes_card(s):
        return range(HAND - 1, HAND)
    # Who drew the fourth end-of-round card and is not tied gets no other.
    drew_end = s.phase == FINISHED or (s.round == TIE_BREAK and not rules.plays_on(s, p))
    return range(HAND - 1 if drew_end else HAND, HAND + 1)


def _possible_missions(s: State, p: int) -> range:
    """How many missions a seat may have."""
    if s.phase == DEALING_MISSIONS and rules.plays_on(s, p):
        due = rules.missions_due(s)
        return range(due) if p == s.dealt_to else range(due, due + 1) if p < s.dealt_to else range(1)
    usual = _usual_missions(s, p)
    return range(usual, usual + 1)


def _read_drawn(reader: Reader, s: State) -> None:
    """DR-04: how many cards of this round's pile have been drawn."""
    drawing = s.round > 0 and s.phase in (ON_TURN, *CARD_OWED)
    if s.round == TIE_BREAK:
        most = MOST_CARDS if drawing or s.phase == FINISHED else 0
    else:
        most = rules.largest_pile(s, s.round) if drawing else 0
    s.drawn = reader.number("drawn", 0, most, 0)


def _check_what_is_left(reader: Reader, s: State) -> None:
    """DR-04, DR-16, DR-23: enough cards and missions are left to play to the end."""
    rest = rules.cards_unseen(s)
    if s.round <= ROUNDS and s.phase != FINISHED:
        undealt = sum(HAND - rules.cards_in_hand(s, p) for p in range(s.players)) if s.phase == DEALING else 0
        piles = sum(rules.largest_pile(s, number) for number in range(max(1, s.round), ROUNDS + 1))
        needed = piles - s.drawn + undealt
        if rest < needed:
            reader.refuse(
                "unseen", f"has {rest} cards, but up to {needed} are needed until the last round ends"
            )
    if s.round == TIE_BREAK and s.phase in (ON_TURN, *CARD_OWED) and rest == 0:
        reader.refuse("unseen", "has a card at least while a tie-break is on")
    if s.round == TIE_BREAK and s.phase == FINISHED and rest > 0:
        reader.refuse("unseen", f"has no card left after a tie-break, not {rest}")
    shown = rules.missions_of(s, SHOWN)
    most = 0 if s.round == 0 else MISSIONS - s.players * (TIE_BREAK + 1 - s.round)
    if shown > most and s.phase != FINISHED:
        reader.refuse("shown", f"has at most {most} missions in round {s.round}, not {shown}")
