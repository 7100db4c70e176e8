"""Rapido, by Reiner Knizia."""

from teerling.game import Game

from . import rules
from .pieces import pieces
from .position import FIRST, GOAL, place, position
from .tell import DECISIONS, LINES, OUTCOMES, TERMS, TO_YOU, WORDS, aids, ask, begins_picture, tell, why
from .tendencies import TENDENCIES
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
    to_you=TO_YOU,
    terms=TERMS,
    options=(GOAL, FIRST),
    lines=LINES,
    board=board,
    pigment="ochre",
    ask=ask,
    aids=aids,
    tendencies=TENDENCIES,
    moments={"invalid": 1200, "thrown_off": 900, "game_over": 1600},
    begins_picture=begins_picture,
    pieces=pieces,
    order=50,
    tested=({"goal": 9}, {"first": 1}),
    million_steps=15.0,
    guide=(
        (
            "stairs",
            "This is the race: every pawn starts at 0, "
            "and the first to reach the goal with the flag wins at once.",
        ),
        (
            "thrown",
            "Your first throw of a turn comes by itself. "
            "The higher number is the tens: 6 and 2 are 62, and an X is a 0.",
        ),
        (
            "fields",
            "Satisfied? Place the pair on a free field. If it still lies there on your next turn, "
            "you climb as many steps as the field's number.",
        ),
        (
            "fields",
            "A pair throws off every pair on a higher field that is worth the same or less. "
            "Each field shows beforehand whom it would throw off; on field 0 nobody can throw you off.",
        ),
        (
            "prompt",
            "Not satisfied? Throw again, as often as you dare. "
            "But from the second throw on an X ends your turn, and each X costs a step. "
            "The odds stand by the button.",
        ),
        (
            "dice",
            "The two dice differ, and there is no 8 or 9. "
            "A double of ones, twos or threes lets your pawn climb at once.",
        ),
        ("players", "Here is how far everybody is on the way to the goal, and whose turn it is."),
        ("log", "What happened is told here, with the number of the rule: press it to read that rule."),
    ),
)
