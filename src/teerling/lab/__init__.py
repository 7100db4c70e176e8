"""What is learned from the games: simulations, players against each other, reviews, pictures, benchmarks."""

from .arena import Arena, arena
from .luck import Account
from .mistakes import Judgement
from .plot import plot
from .review import Budget, Review, Reviewing, ReviewStep, SeatReview, Stroke, review
from .simulate import Simulation, Spread, simulate

__all__ = [
    "Account",
    "Arena",
    "Budget",
    "Judgement",
    "Review",
    "ReviewStep",
    "Reviewing",
    "SeatReview",
    "Simulation",
    "Spread",
    "Stroke",
    "arena",
    "plot",
    "review",
    "simulate",
]
