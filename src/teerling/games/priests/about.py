"""What every tile of Priests of Ra is, what it scores, and how everybody stands with it."""

from teerling.game import SPECTATOR, Event

from ..auction.tell import ABOUT_RA, about_ra
from .rules import (
    FEWEST_LEADING,
    FIRST_PROFESSION,
    FIRST_TOMB,
    LAST_PROFESSION,
    LAST_TOMB,
    LEADING_FAME,
    PLAGUE,
    PRIEST,
    PRIEST_FAME,
    PRIESTS_AGAINST_PLAGUE,
    PYRAMID,
    RA,
    State,
)
from .tell import SIDES

WORDS = {
    **ABOUT_RA,
    "about_priest": "priest: {each} fame each, and for each that you win you may turn over a tile; "
    "{enough} of them take away a plague; you have {own}",
    "about_plague": "plague: the more, the worse, from −1 to −20 after every epoch; "
    "you have {own}, the others {others}",
    "about_profession": "{tile}: {points:+d} fame for whoever has the most, {least} at least; "
    "you have {own}, the others {others}",
    "about_building": "{tile}: two of a type and colour are a building of 2 fame, "
    "three types bring 5 more, four types 10; you have {own} of this one",
    "about_pyramid": "pyramid: with your tombs one step pyramid, counted after the third epoch; "
    "you have {stones} stones",
    "about_tomb": "{tile}: a stone of the step pyramid; three of one colour bring 5 fame "
    "after the third epoch, four bring 10; you have {own} of this one",
}


def about(s: State, seat: int, name: str) -> Event | None:
    """PR-21 to PR-27: what a tile is for, and how a seat stands with it; a spectator hears of Ra only."""
    if name not in SIDES:
        return None
    side, me = SIDES.index(name), max(seat, 0)
    if side == RA:
        return about_ra(s, "PR-08", s.bag[RA])
    if seat == SPECTATOR:
        return None
    own = int(s.tiles[me, side])
    others = [int(s.tiles[p, side]) for p in range(s.players) if p != me]
    if side == PRIEST:
        data = {"each": PRIEST_FAME, "enough": PRIESTS_AGAINST_PLAGUE, "own": own}
        return Event("about_priest", "PR-24", seat, data)
    if side == PLAGUE:
        return Event("about_plague", "PR-25", seat, {"own": own, "others": others})
    if side == PYRAMID:
        stones = own + sum(s.tiles[me, tomb] for tomb in range(FIRST_TOMB, LAST_TOMB + 1))
        return Event("about_pyramid", "PR-26", seat, {"stones": stones})
    if FIRST_PROFESSION <= side <= LAST_PROFESSION:
        most = {"tile": name, "points": LEADING_FAME, "least": FEWEST_LEADING, "own": own, "others": others}
        return Event("about_profession", "PR-21", seat, most)
    if FIRST_TOMB <= side <= LAST_TOMB:
        return Event("about_tomb", "PR-27", seat, {"tile": name, "own": own})
    return Event("about_building", "PR-23", seat, {"tile": name, "own": own})
