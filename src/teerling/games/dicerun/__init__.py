"""DiceRun, by Spartaco Albertarelli."""

from teerling.game import Game

from . import rules
from .position import OPTIONS, place, position
from .tell import DECISIONS, OUTCOMES, TERMS, WORDS, evident, secret, tell, why
from .terminal import board

game = Game(
    id="dicerun",
    name="DiceRun",
    author="Spartaco Albertarelli",
    year=2002,
    players=range(2, 7),
    minutes=45,
    summary="Thirty dice run a race, and only you know which of them you back.",
    rules=rules,
    decisions=DECISIONS,
    outcomes=OUTCOMES,
    tell=tell,
    why=why,
    position=position,
    place=place,
    words=WORDS,
    terms=TERMS,
    options=OPTIONS,
    secret=secret,
    evident=evident,
    board=board,
)
