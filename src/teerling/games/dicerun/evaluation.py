"""What a standing at the beginning of a round will be worth in the end."""

from teerling.engine import Numbers, rule

from .rules import QUESTION, ROUNDS, TIE_BREAK, VICTORY_CARDS, State

WEIGHTS = {
    "error_of_the_last_round": 2.1,  # by how many victory cards it may well end otherwise
    "error_of_a_round": 0.2,  # the same in addition, for each round before the last
    "two_players": 1.9,  # by how much the error is larger between two, who have only each other to overtake
    "question": 0.33,  # what a question mark in the hand is worth, as a part of the error
}
ERROR_OF_THE_LAST_ROUND, ERROR_OF_A_ROUND, TWO_PLAYERS, QUESTION_KEPT = range(len(WEIGHTS))
ERROR_OF_A_TIE = 0.1
"""So little that nobody but the tied can win."""
VALUE_SCALE = 0.1
"""A round hardly changes who is likely to win, so a search has to look at small differences."""


@rule
def stage(s: State) -> int:
    """A search looks no further than the end of the round; what comes before the first is part of it."""
    return max(1, s.round)


@rule
def evaluate(s: State, values: Numbers, weights: Numbers, points: Numbers) -> float:
    """DR-20, DR-21: the victory cards so far, a fair share of those to come, and question marks kept."""
    error = error_of_the_end(s, weights)
    for p in range(s.players):
        points[p] = s.victory[p] + fair_share(s) + weights[QUESTION_KEPT] * error * s.hands[p, QUESTION]
    return error


@rule
def error_of_the_end(s: State, weights: Numbers) -> float:
    """By how many victory cards two players may still change places."""
    if s.round == TIE_BREAK:
        return ERROR_OF_A_TIE
    error = weights[ERROR_OF_THE_LAST_ROUND] + weights[ERROR_OF_A_ROUND] * (ROUNDS - s.round)
    return error * weights[TWO_PLAYERS] if s.players == 2 else error


@rule
def fair_share(s: State) -> float:
    """DR-20, DR-21: the victory cards still to win, divided equally."""
    cards = 0
    for round in range(s.round, ROUNDS + 1):
        for rank in range(1, s.players + 1):
            cards += VICTORY_CARDS[round // ROUNDS, rank]
    return cards / s.players
