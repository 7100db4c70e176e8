"""The pairs of Rapido, each named after its throw, so that it is seen to travel from the sky to a field."""

from collections.abc import Sequence
from typing import Any

from teerling.game import Event

THROWS = ("threw", "threw_again", "invalid")


def pieces(told: Sequence[tuple[int, Event]]) -> dict[str, Any]:
    """The throw that lies in the sky, the newest pairs on fields, and those that rest on the bottom field.

    `laid` is what every seat laid last on every field: where a pair comes from that goes home.
    """
    throw, number = None, 0
    placed: dict[str, dict[str, Any]] = {}
    laid: dict[str, dict[str, Any]] = {}
    bottom: list[dict[str, Any]] = []
    for move, event in told:
        if event.kind in THROWS:
            throw, number = event, move
        elif event.kind == "placed":
            field = event.data["field"]
            pair = {"seat": event.seat, "value": event.data["value"], "id": f"throw{number}"}
            laid[f"{event.seat} {field}"] = pair
            throw = None
            if field:
                placed[str(field)] = pair
            else:
                bottom.append(pair)
        elif event.kind == "counted":
            bottom = [pair for pair in bottom if pair["seat"] != event.seat]
            throw = None
    return {"throw": throw, "id": f"throw{number}", "placed": placed, "bottom": bottom, "laid": laid}
