"""How decisions in auctions are sorted where somebody looks back at many."""

from typing import Any

from ...game import Move, Tendencies
from .rules import AuctionState

EPOCHS = (
    ("epoch 1", "in the first epoch"),
    ("epoch 2", "in the second epoch"),
    ("epoch 3", "in the third epoch"),
)
HIGH = 9
"""A sun from this on is a high one."""
KINDS = {
    "draw": "drawing and invoking",
    "invoke": "drawing and invoking",
    "bid": "bidding",
    "pass": "bidding",
}
SENTENCES = {
    "overpays high": "You overpay with high suns {when}.",
    "overpays": "You overpay {when}.",
    "bids low": "You bid too little {when}.",
    "invokes": "You invoke Ra too soon {when}.",
    "draws": "You draw on {when} where invoking Ra would be better.",
}


def epoch(s: AuctionState) -> int:
    """The epoch, from 0; what comes before the first belongs to it."""
    return max(0, s.epoch - 1)


def bid_of(move: Move) -> int | None:
    """The sun that a move bids; 0 for passing, None if it is no bid."""
    if move.parts[0] == "bid":
        return int(move.parts[1])
    return 0 if move.parts[0] == "pass" else None


def tendency(state: Any, played: Move, better: Move) -> str:
    """What is wrong with a bid, with drawing or with invoking Ra."""
    bid, right = bid_of(played), bid_of(better)
    if bid is not None and right is not None and bid != right:
        return "bids low" if bid < right else "overpays high" if bid >= HIGH else "overpays"
    return {("invoke", "draw"): "invokes", ("draw", "invoke"): "draws"}.get((played.text, better.text), "")


def tendencies(kinds: dict[str, str]) -> Tendencies[Any]:
    """Those of a game with auctions, with the kinds of its other decisions."""
    return Tendencies(EPOCHS, epoch, KINDS | kinds, tendency, SENTENCES)
