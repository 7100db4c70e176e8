"""What is learned from the games: simulations, players against each other, reviews and pictures."""

from .arena import Arena, arena
from .batch import Batch, batch
from .luck import Account
from .mistakes import Judgement
from .observations import encoding_of, numbers
from .parquet import StudyFile, simulate_to_parquet
from .plot import plot
from .review import Budget, Review, Reviewing, ReviewStep, SeatReview, Stroke, review
from .simulate import Simulation, Spread, simulate

__all__ = [
    "Account",
    "Arena",
    "Batch",
    "Budget",
    "Judgement",
    "Review",
    "ReviewStep",
    "Reviewing",
    "SeatReview",
    "Simulation",
    "Spread",
    "Stroke",
    "StudyFile",
    "arena",
    "batch",
    "encoding_of",
    "numbers",
    "plot",
    "review",
    "simulate",
    "simulate_to_parquet",
]
