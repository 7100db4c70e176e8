"""Puzzles to test."""

import random

import teerling
from teerling import players
from teerling.players.hint import Gain, Hint, Reason
from teerling.server.day.puzzles import Puzzle


def puzzle_of(of: str, seed: int = 3, moves: int = 12) -> Puzzle:
    """A position with made-up estimates: the last legal move is the best."""
    match, chooser = teerling.new(of, seed=seed), random.Random(seed)
    while len(match.legal_moves) < 2 or len(match.history) < moves:
        match.push(chooser.choice(match.legal_moves))
    best, *others = reversed(match.legal_moves)
    estimates = (
        players.MoveEstimate(best, 900, 0.61, 20.0, 3.0),
        *(players.MoveEstimate(move, 300, 0.3, 10.0, 3.0) for move in others),
    )
    reason = Reason(others[0], (Gain("", 3.5),), wins=0.31)
    return Puzzle(match.copy(), Hint(match.game, int(match.turn or 0), "master", estimates, reason))
