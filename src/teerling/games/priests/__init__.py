"""Priests of Ra, by Reiner Knizia."""

from teerling.game import Game

from .. import auction
from ..auction.position import FAME
from . import rules
from .position import BUILDING_COLOURS, place, position
from .tell import DECISIONS, OUTCOMES, TERMS, WORDS, tell, why
from .terminal import board

game = Game(
    id="priests",
    name="Priests of Ra",
    author="Reiner Knizia",
    year=2009,
    players=range(2, 6),
    minutes=90,
    summary="Almost every tile has two sides, and your priests turn them to what counts.",
    rules=rules,
    decisions=DECISIONS,
    outcomes=OUTCOMES,
    tell=tell,
    why=why,
    position=position,
    place=place,
    words=WORDS,
    terms=TERMS,
    options=(FAME, BUILDING_COLOURS),
    shares=(auction,),
    board=board,
)
