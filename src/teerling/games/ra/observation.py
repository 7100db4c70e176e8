"""What a seat of Ra knows, as numbers."""

from teerling.engine.features import SEATS, Encoding, counts, encoder, number, one_of

from ..auction.observation import AUCTION
from ..auction.rules import BIDDING, ON_TURN
from .rules import LOSING_TILES, TILES_LOST, USING_GODS, State
from .tell import TILES

PHASES = {ON_TURN: "turn", BIDDING: "bidding", USING_GODS: "using gods", LOSING_TILES: "losing tiles"}
MOST_ALIKE, MOST_IN_BAG = 5, 30

ENCODING = Encoding(
    State,
    (
        *AUCTION,
        one_of("phase", "what is decided", PHASES),
        number("owed", "tiles that the player on turn still has to give up", 2 * TILES_LOST),
        counts("row", "tiles of each kind in the auction row", TILES, MOST_ALIKE),
        number("bag", "tiles of each kind in the bag", MOST_IN_BAG, names=TILES),
        number("tiles", "tiles of each kind in the display", MOST_ALIKE, SEATS, names=TILES),
    ),
)
encode = encoder(ENCODING, __name__)
