"""The dice of Ra: The Dice Game, each named after its throw, so that only those roll that were thrown."""

from collections.abc import Sequence
from typing import Any

from teerling.game import Event

from .tell import COLOURS


def pieces(told: Sequence[tuple[int, Event]]) -> dict[str, Any]:
    """The move that threw each die last and what it told, and both as they were before the turn ended."""
    ids: dict[str, int] = {}
    threw: Event | None = None
    before: tuple[dict[str, int], Event | None] = {}, None
    again: Sequence[str] = COLOURS
    for move, event in told:
        if event.kind == "throws_again":
            again = event.data["dice"]
        elif event.kind == "done":
            before, again = (dict(ids), threw), COLOURS
        elif event.kind == "threw":
            threw = event
            ids |= dict.fromkeys(again, move)
    return {"now": (ids, threw), "before": before}
