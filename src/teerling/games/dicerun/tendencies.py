"""How decisions are sorted where somebody looks back at many."""

from ...game import Move, Tendencies
from .rules import State

ROUNDS = (
    ("round 1", "in the first round"),
    ("round 2", "in the second round"),
    ("round 3", "in the third round"),
    ("round 4", "in the fourth round"),
)
CARDS, MISSIONS = "playing cards", "choosing missions"
KINDS = {
    "play": CARDS, "question": CARDS, "lay": CARDS, "sprint": CARDS, "distance": CARDS, "swap": CARDS,
    "reroll": "throwing a group again", "take": "throwing for the start",
    "mission": MISSIONS, "exchange": MISSIONS,
}  # fmt: skip
SENTENCES = {
    "spends": "You spend question marks too soon {when}.",
    "saves": "You keep question marks for too long {when}.",
    "lays": "You lay cards face down {when} where playing one would be better.",
    "plays": "You play cards {when} where throwing a group again would be better.",
    "wrong card": "You play the wrong cards {when}.",
}


def round_of(s: State) -> int:
    """The round, from 0; what comes before the first belongs to it."""
    return max(0, s.round - 1)


def tendency(state: State, played: Move, better: Move) -> str:
    """What is wrong with a card that was played or laid down."""
    pair = (played.parts[0], better.parts[0])
    if pair == ("play", "play"):
        return "wrong card"
    named = {("play", "lay"): "plays", ("lay", "play"): "lays"}
    if "question" in pair and pair[0] != pair[1] and KINDS[pair[0]] == KINDS[pair[1]]:
        return "spends" if pair[0] == "question" else "saves"
    return named.get(pair, "")


TENDENCIES = Tendencies(ROUNDS, round_of, KINDS, tendency, SENTENCES)
