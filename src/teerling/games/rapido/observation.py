"""What a seat of Rapido knows, as numbers."""

from teerling.engine.features import SEATS, Encoding, encoder, number, one_of, whose

from .rules import DEFAULT_GOAL, DIE_A, DIE_B, SIDES, State
from .tell import FACES_A, FACES_B, FIELDS

MOST_VALUE, MOST_PAIRS = 77, 2

ENCODING = Encoding(
    State,
    (
        whose("turn", "who is to decide"),
        whose("mover", "whose turn it is"),
        one_of("die_a", "die A", {DIE_A[side]: str(FACES_A[side]) for side in range(SIDES)}),
        one_of("die_b", "die B", {DIE_B[side]: str(FACES_B[side]) for side in range(SIDES)}),
        number("goal", "the goal", DEFAULT_GOAL),
        number("pawns", "the step of the pawn", DEFAULT_GOAL, SEATS),
        number("at_bottom", "pairs on field 0", MOST_PAIRS, SEATS),
        whose("owner", "whose pair lies on a field", FIELDS),
        number("worth", "the value of the pair on a field", MOST_VALUE, cells=FIELDS),
    ),
)
encode = encoder(ENCODING, __name__)
