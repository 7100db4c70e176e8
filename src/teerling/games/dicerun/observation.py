"""What a seat of DiceRun knows, as numbers."""

from teerling.engine.features import OWN, SEATS, Encoding, encoder, mine, number, one_of, whose

from .rules import (
    DICE_EACH,
    FACES,
    HAND,
    LAYING_MISSIONS,
    ON_TURN,
    REROLLING,
    SHOWN,
    SORTS,
    TAKING,
    TIE_BREAK,
    UNKNOWN,
    VARIABLE_MISSIONS,
    State,
)
from .tell import CARDS, COLOURS, DICE_NAMES

PHASES = {LAYING_MISSIONS: "laying missions", ON_TURN: "turn", REROLLING: "re-rolling", TAKING: "taking dice"}
DICE = tuple(f"{colour}, die {die + 1}" for colour in COLOURS for die in range(DICE_EACH))
MOST_PLACES, MOST_DRAWN, MOST_ALIKE, MOST_GONE, MOST_VICTORY = 10, 15, 5, 10, 10

ENCODING = Encoding(
    State,
    (
        whose("turn", "who is to decide"),
        whose("mover", "whose turn it is"),
        one_of("phase", "what is decided", PHASES),
        one_of("round", "the round; the last is a tie-break", {n: str(n) for n in range(1, TIE_BREAK + 1)}),
        number("drawn", "cards drawn from the pile of this round", MOST_DRAWN),
        number("variable_missions", "whether missions are chosen", 1),
        number("exchanged", "whether a mission was exchanged this turn", 1),
        number("mission_bonus", "whether exactly the die of a mission counts for one more", 1),
        number("piles", "whether all piles are equal", 1),
        number("victory", "victory cards", MOST_VICTORY, SEATS),
        number("hands", "own cards", HAND, OWN, range(SORTS), CARDS),
        mine("holder", "own missions", names=DICE_NAMES),
        one_of("front", "the mission that lies in front", dict(enumerate(DICE_NAMES)), OWN),
        number("unseen", "missions of others", VARIABLE_MISSIONS, SEATS),
        one_of("holder", "missions that have been shown", {SHOWN: "shown"}, names=DICE_NAMES),
        number("rest", "cards that the seat has not seen, wherever they are", MOST_ALIKE, names=CARDS),
        whose("reroller", "who threw a group again last"),
        one_of("face_down", "the card in front of that player, if known", dict(enumerate(CARDS))),
        number("gone", "cards that the seat laid face down and that were discarded unseen", HAND, OWN,
               range(SORTS), CARDS),
        number("gone", "how many of others were", MOST_GONE, SEATS, range(UNKNOWN, UNKNOWN + 1), ("unseen",)),
        one_of("number", "what the dice show", {face: str(face) for face in range(1, FACES + 1)}, names=DICE),
        one_of("place", "whether a die leads", {0: "leads"}, names=DICE),
        number("place", "places behind the leading group, empty ones counted in", MOST_PLACES, names=DICE),
        number("taken", "the dice taken for the start, by their number (−1 is none)", len(DICE), SEATS),
    ),
)  # fmt: skip
encode = encoder(ENCODING, __name__)
