"""What lies in displays, as both games of auctions count it."""

from collections.abc import Hashable, Iterable

from .rules import HIGHEST_SUN, NOT_OWNED, AuctionState


def tiles_of(s: AuctionState, seat: int, kinds: Iterable[int]) -> Hashable:
    """How many of each of these tiles a seat has."""
    return tuple(int(s.tiles[seat, kind]) for kind in kinds)


def suns_of(s: AuctionState, seat: int) -> Hashable:
    """RA-37, PR-29: the sum of a seat's suns."""
    return sum(sun for sun in range(1, HIGHEST_SUN + 1) if s.suns[seat, sun] != NOT_OWNED)
