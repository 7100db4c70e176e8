"""Rows and displays of Ra and Priests of Ra, drawn for a terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from teerling.words import Speaker, capital

SUN = "bold yellow"


def drawn_rows(
    position: Mapping[str, Any], say: Speaker, pigments: Mapping[str, str], row: str = "auction row"
) -> RenderableType:
    """The Ra row, the row of tiles by the name it has in the game, and the sun in the middle."""
    limit = position["limits"]["ra_row"]
    ra = Text("● " * position["ra_row"], style="red") + Text("○ " * (limit - position["ra_row"]), style="dim")
    grid = Table.grid(padding=(0, 2))
    grid.add_row(Text(capital(say("epoch")), style="dim"), str(position["epoch"]))
    grid.add_row(Text(capital(say("Ra row")), style="dim"), ra)
    tiles = Text("  ").join(
        Text("·", style="dim") if tile is None else Text(say(tile), style=pigments.get(tile, ""))
        for tile in position["row"]
    )
    grid.add_row(Text(capital(say(row)), style="dim"), tiles)
    grid.add_row(
        Text(capital(say("sun in the middle")), style="dim"), Text(f"☀{position['middle']}", style=SUN)
    )
    if position["auction"]:
        auction = position["auction"]
        bid = say("no bid yet") if not auction["bid"] else f"☀{auction['bid']}"
        grid.add_row(Text(capital(say("highest bid")), style="dim"), Text(bid, style=SUN))
    return grid


def drawn_seats(view: Mapping[str, Any], say: Speaker, pigments: Mapping[str, str]) -> RenderableType:
    """Everybody's name, fame, suns and tiles."""
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for heading in ("", say("player"), say("fame"), say("suns"), say("tiles")):
        table.add_column(capital(heading))
    for p, seat in enumerate(view["board"]["seats"]):
        suns = Text(" ").join(
            [Text(f"☀{sun}", style=SUN) for sun in seat["suns"]]
            + [Text(f"☾{sun}", style="dim") for sun in seat["used"]]
        )
        tiles = Text(", ").join(
            Text(say(tile) + (f" ×{count}" if count > 1 else ""), style=pigments.get(tile, ""))
            for tile, count in seat["tiles"].items()
        )
        fame = "?" if seat["fame"] is None else str(seat["fame"])
        marker = Text("▶" if view["turn"] == p else " ", style="bold")
        table.add_row(marker, say.label(p, view["names"]), fame, suns, tiles)
    return table
