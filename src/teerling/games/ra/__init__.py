"""Ra, by Reiner Knizia."""

from teerling.game import Game

from .. import auction
from ..auction.position import FAME
from . import rules
from .position import place, position
from .tell import DECISIONS, OUTCOMES, TERMS, WORDS, aids, ask, tell, why
from .terminal import board

game = Game(
    id="ra",
    name="Ra",
    author="Reiner Knizia",
    year=1999,
    players=range(2, 6),
    minutes=60,
    summary="Auction by auction your dynasty grows, until the last sun has set.",
    rules=rules,
    decisions=DECISIONS,
    outcomes=OUTCOMES,
    tell=tell,
    why=why,
    position=position,
    place=place,
    words=WORDS,
    terms=TERMS,
    options=(FAME,),
    shares=(auction,),
    board=board,
    ask=ask,
    aids=aids,
)
