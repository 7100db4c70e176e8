"""DiceRun, by Spartaco Albertarelli."""

from teerling.game import Game

from . import rules
from .aids import aids
from .position import OPTIONS, place, position
from .tell import (
    DECISIONS,
    LAST_LINE,
    LINES,
    OUTCOMES,
    TERMS,
    TO_YOU,
    WORDS,
    ask,
    begins_picture,
    evident,
    pictured,
    rests,
    score_rows,
    secret,
    tell,
    ties,
    why,
)
from .tendencies import TENDENCIES
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
    to_you=TO_YOU,
    terms=TERMS,
    options=OPTIONS,
    version=rules.VERSION,
    secret=secret,
    evident=evident,
    lines=(*(name for name, _ in LINES[1:]), LAST_LINE[0]),
    board=board,
    ask=ask,
    aids=aids,
    rounds=("drew_end", "drew_last", "game_over"),
    tendencies=TENDENCIES,
    moments={
        "thrown_to_start": 700,
        "equal_throws": 1600,
        "begins_highest": 1800,
        "drew_end": 2000,
        "drew_last": 2000,
        "game_over": 2000,
    },
    rests=rests,
    begins_picture=begins_picture,
    ties=ties,
    pictured=pictured,
    score_rows=score_rows,
    order=40,
    tested=(
        {"piles": "even"},
        {"start": "random"},
        {"variable_missions": True},
        {"mission_bonus": True},
        {"deck": (3, 4, 6, 8, 8, 8), "variable_missions": True, "mission_bonus": True},
    ),
    guide=(
        (
            "race",
            "The goal: have the most victory cards after four rounds. Thirty dice run this race, in groups "
            "one behind the other, and at the end of a round the leading group counts.",
        ),
        ("lead", "This group leads. At the end of a round you get points for dice in it."),
        (
            "mission",
            "Your secret mission: a point for every die of its colour and for every die of its number. "
            "Dice that count for you have a ring.",
        ),
        (
            "hand",
            "Play one of your cards: dice of that colour or number go a place forward. Point at a card or "
            "tap it to see which dice move and where they land.",
        ),
        ("throw", "Or lay a card face down and throw all dice of a group again, except the leading one."),
        ("clock", "Somewhere in each pile hides the end of the round. Here you see how near it is."),
        ("unseen", "What you have not seen yet: these cards are in the rest or in the hands of the others."),
        ("players", "After every round the best missions bring victory cards. Whoever has the most wins."),
    ),
)
