"""The table of Priests of Ra, drawn for a terminal."""

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from teerling.words import Speaker, capital

from ..auction.terminal import drawn_rows, drawn_seats
from .tell import SIDES

PIGMENTS = {
    **dict.fromkeys(("farmer", "warrior", "merchant", "scribe"), "green"),
    **dict.fromkeys(("tomb a", "tomb b", "tomb c", "tomb d", "pyramid"), "dark_orange3"),
    **dict.fromkeys(("granary", "fortress", "market", "library"), "magenta"),
    **{side: side.split()[1] for side in SIDES if side.endswith((" red", " blue", " green", " yellow"))},
    **dict.fromkeys(("priest", "ankh"), "cyan"),
    "plague": "bold reverse",
}


def board(view: dict[str, Any], say: Speaker) -> RenderableType:
    """Both rows, a tile in hand, every seat's display with its ankhs, and what is left in the bag."""
    position = view["board"]
    seats = [_with_ankhs(seat) for seat in position["seats"]]
    parts = [drawn_rows(position, say, PIGMENTS, "offer row")]
    if position["in_hand"]:
        held = capital(say("in hand: {tile}", tile=say(position["in_hand"])))
        parts.append(Text(held, style="bold"))
    if position["flips"]:
        flips = capital(say("tiles still to turn over: {count}", count=position["flips"]))
        parts.append(Text(flips, style="bold"))
    parts.append(drawn_seats({**view, "board": {**position, "seats": seats}}, say, PIGMENTS))
    left = capital(say("in the bag: {count}", count=sum(position["bag"].values())))
    parts.append(Text(left, style="dim"))
    return Group(*parts)


def _with_ankhs(seat: dict[str, Any]) -> dict[str, Any]:
    ankhs = {"ankh": seat["ankhs"]} if seat["ankhs"] else {}
    return {**seat, "tiles": {**seat["tiles"], **ankhs}}
