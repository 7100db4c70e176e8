"""Priests of Ra, by Reiner Knizia."""

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
from .position import BUILDING_COLOURS, place, position
from .tell import DECISIONS, NOUNS, OUTCOMES, TERMS, TO_YOU, WORDS, aids, ask, pictured, tell, teller, why
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
    words={**WORDS, **ABOUT},
    to_you=TO_YOU,
    about=about,
    terms=TERMS,
    nouns=NOUNS,
    options=(FAME, BUILDING_COLOURS),
    shares=(auction, egypt),
    lines=teller.line_names,
    board=board,
    pigment="plum",
    ask=ask,
    aids=aids,
    holdings=holdings,
    rounds=ROUNDS,
    tendencies=tendencies(
        {"lay": "laying tiles", "flip": "turning tiles over", "stop": "turning tiles over"}
    ),
    moments={**MOMENTS, "flipped": 500},
    rests=rests,
    begins_picture=begins_picture,
    ties=ties,
    pictured=pictured,
    order=20,
    tested=({"fame": "hidden"}, {"building_colours": 3}, {"building_colours": 5}),
    million_steps=15.0,
    guide=(
        GOAL,
        (
            "row",
            "On your turn you draw a tile or invoke Ra. All tiles but Ra come here, and one auction is "
            "for the whole row. Whoever draws a tile with two sides chooses which one lies up.",
        ),
        SUNS,
        MIDDLE,
        RA_ROW,
        (
            "display",
            "What you win lies here. A folded corner shows the pigment of the other side. "
            "For each priest you win, you may turn over one tile here, right then.",
        ),
        (
            "treasure",
            "Three different professions in an epoch bring you an ankh, four bring two; pyramids and tombs "
            "build your step pyramid. Both count after the third epoch.",
        ),
        BAG,
    ),
)
