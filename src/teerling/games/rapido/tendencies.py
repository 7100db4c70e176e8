"""How decisions are sorted where somebody looks back at many."""

from ...game import Move, Tendencies
from .rules import State

HALVES = (
    ("first half", "in the first half of the race"),
    ("second half", "in the second half of the race"),
)
KINDS = {"throw": "throwing again", "place": "placing a pair"}
SENTENCES = {
    "throws": "You throw again too often {when}.",
    "places": "You are satisfied too soon {when}.",
    "too high": "You place pairs too high {when}.",
    "too low": "You place pairs too low {when}.",
}


def half(s: State) -> int:
    """The second half begins when the first pawn is halfway up."""
    return int(2 * max(s.pawns[p] for p in range(s.players)) >= s.goal)


def tendency(state: State, played: Move, better: Move) -> str:
    """What is wrong with throwing again, or with the field of a pair."""
    if played.parts[0] == better.parts[0] == "place":
        return "too high" if int(played.parts[1]) > int(better.parts[1]) else "too low"
    return "throws" if played.parts[0] == "throw" else "places"


TENDENCIES = Tendencies(HALVES, half, KINDS, tendency, SENTENCES)
