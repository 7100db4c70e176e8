"""Rapido, by Reiner Knizia."""

from teerling.game import Game

from . import rules
from .position import GOAL, place, position
from .tell import DECISIONS, OUTCOMES, TERMS, WORDS, tell, why
from .terminal import board

game = Game(
    id="rapido",
    name="Rapido",
    author="Reiner Knizia",
    year=2021,
    players=range(2, 7),
    minutes=30,
    summary="Throw as often as you dare, and be the first up the stairs.",
    rules=rules,
    decisions=DECISIONS,
    outcomes=OUTCOMES,
    tell=tell,
    why=why,
    position=position,
    place=place,
    words=WORDS,
    terms=TERMS,
    options=(GOAL,),
    board=board,
)
