"""What a seat of Priests of Ra knows, as numbers."""

from teerling.engine.features import SEATS, Encoding, counts, encoder, number, one_of

from ..auction.observation import AUCTION
from ..auction.rules import BIDDING, ON_TURN, ROW_SPACES
from .rules import FLIPPING, LAYING, MOST_ANKHS, MOST_COLOURS, State
from .tell import SIDES, TILES

PHASES = {ON_TURN: "turn", BIDDING: "bidding", LAYING: "laying", FLIPPING: "flipping"}
MOST_ALIKE, MOST_IN_BAG = 5, 30

ENCODING = Encoding(
    State,
    (
        *AUCTION,
        one_of("phase", "what is decided", PHASES),
        number("colours", "colours of buildings", MOST_COLOURS),
        one_of("in_hand", "the tile that is to be laid", dict(enumerate(TILES))),
        number("flips", "tiles that the winner may still turn over", ROW_SPACES),
        counts("row", "tiles in the auction row, by the side that lies up", SIDES, MOST_ALIKE),
        number("bag", "tiles of each kind in the bag", MOST_IN_BAG, names=TILES),
        number("ankhs", "ankhs", MOST_ANKHS, SEATS),
        number("tiles", "tiles in the display, by the side that lies up", MOST_ALIKE, SEATS, names=SIDES),
    ),
)
encode = encoder(ENCODING, __name__)
