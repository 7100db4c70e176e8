"""The table of Ra, drawn for a terminal."""

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from teerling.words import Speaker, capital

from ..auction.terminal import drawn_rows, drawn_seats
from .tell import TILES

PIGMENTS = {
    **dict.fromkeys(("pharaoh",), "green"),
    **dict.fromkeys(("nile", "flood"), "blue"),
    **dict.fromkeys(TILES[7:12], "magenta"),
    **dict.fromkeys(TILES[14:22], "dark_orange3"),
    **dict.fromkeys(("god", "gold"), "yellow"),
    **dict.fromkeys(("funeral", "drought", "unrest", "earthquake"), "bold reverse"),
    "ra": "bold red",
}


def board(view: dict[str, Any], say: Speaker) -> RenderableType:
    """Both rows, every seat's display, and what is left in the bag."""
    position = view["board"]
    left = capital(say("in the bag: {count}", count=sum(position["bag"].values())))
    return Group(
        drawn_rows(position, say, PIGMENTS),
        drawn_seats(view, say, PIGMENTS),
        Text(left, style="dim"),
    )
