"""Ra, by Reiner Knizia."""

from teerling.game import Game

from .. import auction, egypt
from ..auction.guide import BAG, GOAL, MIDDLE, RA_ROW, SUNS
from ..auction.position import FAME
from ..auction.tell import MOMENTS, ROUNDS, begins_picture, rests, ties
from ..auction.tendencies import tendencies
from . import rules
from .about import WORDS as ABOUT
from .about import about
from .holdings import holdings
from .position import place, position
from .tell import DECISIONS, NOUNS, OUTCOMES, TERMS, TO_YOU, WORDS, aids, ask, pictured, tell, teller, why
from .terminal import board

game = Game(
    id="ra",
    name="Ra",
    author="Reiner Knizia",
    year=1999,
    players=range(2, 6),
    minutes=90,
    summary="Auction by auction your dynasty grows, until the last sun has set.",
    rules=rules,
    decisions=DECISIONS,
    outcomes=OUTCOMES,
    tell=tell,
    why=why,
    position=position,
    place=place,
    words={**WORDS, **ABOUT},
    to_you=TO_YOU,
    about=about,
    terms=TERMS,
    nouns=NOUNS,
    options=(FAME,),
    shares=(auction, egypt),
    lines=teller.line_names,
    board=board,
    pigment="clay",
    ask=ask,
    aids=aids,
    holdings=holdings,
    rounds=ROUNDS,
    tendencies=tendencies(
        {"take": "taking tiles with gods", "stop": "taking tiles with gods", "discard": "losing tiles"}
    ),
    moments={**MOMENTS, "disaster": 1200, "disaster_harmless": 900, "must_discard": 1200},
    rests=rests,
    begins_picture=begins_picture,
    ties=ties,
    pictured=pictured,
    order=10,
    tested=({"fame": "hidden"},),
    million_steps=15.0,
    guide=(
        GOAL,
        (
            "row",
            "On your turn you draw a tile or invoke Ra. All tiles but Ra come here, and one auction is "
            "for the whole row. The figure with the row says what it would bring you now.",
        ),
        SUNS,
        MIDDLE,
        RA_ROW,
        (
            "display",
            "What you win lies here. Pharaohs, the Nile, civilisations, gold and gods are scored after every "
            "epoch, monuments after the third. Dark tiles are disasters: they cost you tiles.",
        ),
        BAG,
    ),
)
