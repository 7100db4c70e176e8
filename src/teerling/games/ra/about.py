"""What every tile of Ra is, what it scores, and how everybody stands with it."""

from teerling.game import SPECTATOR, Event

from ..auction.tell import ABOUT_RA, about_ra
from .rules import (
    CIVILISATION_FAME,
    FEWEST_PHARAOHS,
    FLOOD,
    GOD,
    GOD_FAME,
    GOLD,
    GOLD_FAME,
    MOST_PHARAOHS,
    NILE,
    PHARAOH,
    RA,
    UNREST,
    State,
)
from .tell import SUFFERING, TILES

WORDS = {
    **ABOUT_RA,
    "about_god": "god: {each} fame after every epoch, or give it up to take a tile; you have {own}",
    "about_gold": "gold: {each} fame after the epoch; you have {own}",
    "about_pharaoh": "pharaoh: {most:+d} fame for the most, {fewest} for the fewest; "
    "you have {own}, the others {others}",
    "about_nile": "Nile and flood: 1 fame each, but only with a flood of this epoch; "
    "you have {nile} Nile and {flood} flood",
    "about_civilisation": "civilisation: 3, 4 or 5 different kinds bring 5, 10 or 15 fame, none {none}; "
    "you have {kinds} different kinds, the others {others}",
    "about_monument": "monument: kinds and those alike count after the third epoch; "
    "you have {kinds} different kinds, and {own} of this one",
    "about_disaster": "disaster ({disaster}): whoever gets it loses two of: {tiles}",
}


def about(s: State, seat: int, name: str) -> Event | None:
    """RA-31 to RA-37: what a tile is for, and how a seat stands with it; a spectator hears what it is."""
    if name not in TILES:
        return None
    kind, me = TILES.index(name), max(seat, 0)
    others = [p for p in range(s.players) if p != me]
    own = int(s.tiles[me, kind])
    if kind == RA:
        return about_ra(s, "RA-08", s.bag[RA])
    if kind in SUFFERING:
        tiles = [TILES[struck] for struck in SUFFERING[kind]]
        return Event("about_disaster", "RA-20", data={"disaster": name, "tiles": tiles})
    if seat == SPECTATOR:
        return None
    if kind == GOD:
        return Event("about_god", "RA-31", seat, {"each": GOD_FAME, "own": own})
    if kind == GOLD:
        return Event("about_gold", "RA-35", seat, {"each": GOLD_FAME, "own": own})
    if kind == PHARAOH:
        counts = [int(s.tiles[p, PHARAOH]) for p in others]
        data = {"most": MOST_PHARAOHS, "fewest": FEWEST_PHARAOHS, "own": own, "others": counts}
        return Event("about_pharaoh", "RA-32", seat, data)
    if kind in (NILE, FLOOD):
        return Event("about_nile", "RA-33", seat, {"nile": s.tiles[me, NILE], "flood": s.tiles[me, FLOOD]})
    if kind in SUFFERING[UNREST]:
        kinds = [sum(s.tiles[p, each] > 0 for each in SUFFERING[UNREST]) for p in (me, *others)]
        data = {"none": int(CIVILISATION_FAME[0]), "kinds": kinds[0], "others": kinds[1:]}
        return Event("about_civilisation", "RA-34", seat, data)
    monuments = [
        each for each in range(len(TILES)) if each not in SUFFERING and each > UNREST and each != GOLD
    ]
    kinds_here = sum(s.tiles[me, each] > 0 for each in monuments)
    return Event("about_monument", "RA-36", seat, {"kinds": kinds_here, "own": own})
