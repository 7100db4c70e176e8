"""What a seat of Ra: The Dice Game knows, as numbers."""

from teerling.engine.features import SEATS, Encoding, encoder, number, one_of, whose

from .rules import (
    CHOOSING_DICE,
    EPOCHS,
    MARKERS_LOST,
    MONUMENT,
    PHARAOH,
    REMOVING,
    THROWS,
    TRACK_END,
    USING,
    State,
)
from .tell import COLOURS, FACES, FIELDS

PHASES = {CHOOSING_DICE: "choosing dice", USING: "using symbols", REMOVING: "removing markers"}
MOST_SUN_STEPS, MOST_FLOODS, MOST_POINTS = 16, 3, 50

ENCODING = Encoding(
    State,
    (
        whose("turn", "who is to decide"),
        whose("mover", "whose turn it is"),
        one_of("phase", "what is decided", PHASES),
        one_of("epoch", "the epoch", {epoch: str(epoch) for epoch in range(1, EPOCHS + 1)}),
        number("ra", "steps of Ra in this epoch", MOST_SUN_STEPS),
        number("sun_steps", "steps of Ra with which an epoch ends", MOST_SUN_STEPS),
        number("throws", "throws of this turn", THROWS),
        one_of("dice", "the dice", dict(enumerate(FACES, PHARAOH)), names=COLOURS),
        number("spent", "dice that have been used", 1, names=COLOURS),
        one_of("catastrophe", "the catastrophe of this turn",
               dict(enumerate(FACES[: MONUMENT + 1 - PHARAOH], PHARAOH))),
        number("owed", "markers that the player to decide still has to remove", MARKERS_LOST),
        number("score", "points", MOST_POINTS, SEATS),
        number("pharaoh", "the place on the pharaohs' track", TRACK_END, SEATS),
        number("nile", "the place on the Nile", TRACK_END, SEATS),
        number("floods", "flood markers", MOST_FLOODS, SEATS),
        number("civilisation", "civilisation markers", 1, SEATS, names=COLOURS),
        whose("monuments", "who stands on a field for monuments",
              names=tuple(f"{COLOURS[die]} {column + 1}" for die, column in FIELDS)),
    ),
)  # fmt: skip
encode = encoder(ENCODING, __name__)
