"""Ra: The Dice Game, by Reiner Knizia."""

from teerling.game import Game

from .. import egypt
from . import rules
from .holdings import holdings
from .pieces import pieces
from .position import FIRST, SUN_STEPS_OPTION, place, position
from .tell import (
    ALL_LINES,
    DECISIONS,
    OUTCOMES,
    TERMS,
    TO_YOU,
    WORDS,
    ask,
    begins_picture,
    evident,
    pictured,
    tell,
    why,
)
from .tendencies import TENDENCIES
from .terminal import board
from .uses import aids

GUIDE = (
    (
        "sun",
        "Whoever has the most points after three epochs wins. An epoch is scored when Ra arrives at the end "
        "of this path: the suns that you throw, locked at once, move Ra on, unless you have three or more.",
    ),
    (
        "dice",
        "These five dice are yours to throw, up to three times. Choose the ones you want to throw again.",
    ),
    (
        "throws",
        "After throwing you use the symbols, in any order. Ankhs stand in for symbols that you also threw"
        " for real; two unused ones bring 2 points.",
    ),
    (
        "pharaoh",
        "Each pharaoh moves your marker one step. Whoever is furthest gets 5 points, whoever is last "
        "loses 2.",
    ),
    (
        "nile",
        "Each Nile moves your marker too. The Nile brings points only with a flood marker, which takes "
        "three dice.",
    ),
    (
        "civilisation",
        "Three dice with civilisation place a marker here, and each further one places another. Having "
        "none costs 5 points.",
    ),
    (
        "monuments",
        "A monument die builds in the row of its colour. Spread over many columns, or pile up in one: it "
        "counts at the very end.",
    ),
    ("players", "Here are everybody's markers, and what they would bring if the epoch were over now."),
)
"""The first-time guide: what on the board a step points at, and what it says."""

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
    to_you=TO_YOU,
    terms=TERMS,
    options=(SUN_STEPS_OPTION, FIRST),
    shares=(egypt,),
    lines=ALL_LINES,
    board=board,
    pigment="nile",
    evident=evident,
    ask=ask,
    aids=aids,
    holdings=holdings,
    rounds=("epoch_over",),
    tendencies=TENDENCIES,
    moments={
        "alike": 900,
        "catastrophe": 1600,
        "lost_civilisation": 800,
        "lost_monument": 800,
        "epoch_over": 1600,
        "game_over": 1600,
    },
    begins_picture=begins_picture,
    pieces=pieces,
    pictured=pictured,
    order=30,
    tested=({"sun_steps": 5}, {"first": 1}),
    guide=GUIDE,
)
