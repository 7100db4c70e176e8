"""Ra: The Dice Game, by Reiner Knizia."""

from teerling.game import Game

from . import rules
from .position import SUN_STEPS_OPTION, place, position
from .tell import DECISIONS, OUTCOMES, TERMS, WORDS, tell, why
from .terminal import board

game = Game(
    id="radice",
    name="Ra: The Dice Game",
    author="Reiner Knizia",
    year=2009,
    players=range(2, 5),
    minutes=60,
    summary="Five dice, three throws: build, settle and flood before Ra's journey ends.",
    rules=rules,
    decisions=DECISIONS,
    outcomes=OUTCOMES,
    tell=tell,
    why=why,
    position=position,
    place=place,
    words=WORDS,
    terms=TERMS,
    options=(SUN_STEPS_OPTION,),
    board=board,
)
