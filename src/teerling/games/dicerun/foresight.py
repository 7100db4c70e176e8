"""What a standing at the beginning of a round will be worth in the end."""

from teerling.engine import Numbers, rule

from .rules import QUESTION, ROUNDS, TIE_BREAK, VICTORY_CARDS, State

DOUBT_OF_THE_LAST_ROUND = 2.1
DOUBT_OF_A_ROUND = 0.2
"""By how many victory cards it may well end otherwise, for the last round and each before it."""
TWO_PLAYERS = 1.9
"""By how much doubt is larger between two, who have only each other to overtake."""
DOUBT_OF_A_TIE = 0.1
"""Nobody but the tied can win."""
QUESTION_KEPT = 0.33
"""What a question mark in the hand is worth, as a part of the doubt."""


@rule
def stage(s: State) -> int:
    """A search looks no further than the end of the round."""
    return s.round


@rule
def foresee(s: State, values: Numbers, points: Numbers) -> float:
    """DR-20, DR-21: the victory cards so far, a fair share of those to come, and question marks kept."""
    doubt = doubt_of_the_end(s)
    for p in range(s.players):
        points[p] = s.victory[p] + fair_share(s) + QUESTION_KEPT * doubt * s.hands[p, QUESTION]
    return doubt


@rule
def doubt_of_the_end(s: State) -> float:
    """By how many victory cards two players may still change places."""
    if s.round == TIE_BREAK:
        return DOUBT_OF_A_TIE
    doubt = DOUBT_OF_THE_LAST_ROUND + DOUBT_OF_A_ROUND * (ROUNDS - s.round)
    return doubt * TWO_PLAYERS if s.players == 2 else doubt


@rule
def fair_share(s: State) -> float:
    """DR-20, DR-21: the victory cards still to win, divided equally."""
    cards = 0
    for round in range(s.round, ROUNDS + 1):
        for rank in range(1, s.players + 1):
            cards += VICTORY_CARDS[round // ROUNDS, rank]
    return cards / s.players
