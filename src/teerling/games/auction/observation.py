"""What both auction games tell a seat as numbers."""

from teerling.engine.features import SEATS, Feature, number, one_of, whose

from .rules import EPOCHS, FACE_DOWN, FACE_UP, HIGHEST_SUN, ROW_SPACES

CAUSES = {1: "tile drawn", 2: "invoked", 3: "row full"}
MOST_FAME = 50
MOST_RA_TILES = 10

AUCTION: tuple[Feature, ...] = (
    whose("turn", "who is to decide"),
    whose("mover", "whose turn it is; in an auction the Ra player"),
    one_of("epoch", "the epoch", {epoch: str(epoch) for epoch in range(1, EPOCHS + 1)}),
    number("ra_tiles", "Ra tiles in the Ra row", MOST_RA_TILES),
    number("lying", "tiles in the auction row", ROW_SPACES),
    number("middle", "the sun in the middle", HIGHEST_SUN),
    one_of("cause", "why there is an auction", CAUSES),
    number("bid", "the highest bid", HIGHEST_SUN),
    whose("bidder", "who made the highest bid"),
    number("fame_hidden", "whether fame is hidden", 1),
    number("fame", "fame", MOST_FAME, SEATS, may_be_hidden=True),
    one_of("suns", "suns", {FACE_UP: "face up", FACE_DOWN: "face down"}, SEATS, range(1, HIGHEST_SUN + 1)),
)
"""The table, and everybody's fame and suns."""
