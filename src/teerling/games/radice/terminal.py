"""The table of Ra: The Dice Game, drawn for a terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from teerling.words import Speaker, capital

from .rules import COLUMNS, PHARAOH
from .tell import COLOURS, FACES, SYMBOLS

PIGMENTS = dict(zip(COLOURS, ("yellow", "red", "blue", "green", "magenta"), strict=True))
EMPTY = "·"


def board(view: dict[str, Any], say: Speaker) -> RenderableType:
    """The sun track, the dice, every seat's markers, and the monuments."""
    position = view["board"]
    return Group(
        _drawn_track(position, say),
        _drawn_dice(position, say),
        _drawn_seats(view, say),
        _drawn_monuments(position, say),
    )


def _drawn_track(position: Mapping[str, Any], say: Speaker) -> RenderableType:
    """How far Ra has come in this epoch."""
    steps, ra = position["options"]["sun_steps"], position["ra"]
    track = Text("●" * ra, style="dark_orange3") + Text("○" * (steps - ra), style="dim")
    grid = Table.grid(padding=(0, 2))
    grid.add_row(
        f"  {capital(say('epoch'))} {position['epoch']}",
        Text(say("sun track"), style="dim"),
        track,
        f"{ra}/{steps}",
    )
    return grid


def _drawn_dice(position: Mapping[str, Any], say: Speaker) -> RenderableType:
    """Which throw it is and what the dice show; used ones are crossed out and in brackets."""
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column(capital(say("dice")))
    for colour in COLOURS:
        table.add_column(Text(say(colour), style=PIGMENTS[colour]))
    shown = [_drawn_die(face, colour in position["used"], say) for colour, face in position["dice"].items()]
    throw = say("throw {throw} of {last}", throw=position["throws"], last=position["limits"]["throws"])
    table.add_row(Text(throw if position["throws"] else "", style="dim"), *shown)
    return table


def _drawn_die(face: str | None, used: bool, say: Speaker) -> Text:
    if face is None:
        return Text(EMPTY, style="dim")
    symbol = say(SYMBOLS[FACES.index(face) + PHARAOH])
    if used:
        return Text(f"({symbol})", style="dim strike")
    return Text(f"☀ {symbol}", style="bold yellow") if face == "sun" else Text(symbol)


def _drawn_seats(view: Mapping[str, Any], say: Speaker) -> RenderableType:
    """Everybody's number, name, points and markers."""
    table = Table(box=None, padding=(0, 2), header_style="dim")
    headings = ("points", "pharaoh", "Nile", "floods", "civilisation")
    for heading in ("", "", say("player"), *map(say, headings)):
        table.add_column(capital(heading))
    for p, seat in enumerate(view["board"]["seats"]):
        areas = Text(" ").join(
            Text(say(colour), style=PIGMENTS[colour]) for colour in seat["civilisation"]
        )  # fmt: skip
        numbers = [str(seat[key]) for key in ("score", "pharaoh", "nile", "floods")]
        marker = Text("▶" if view["turn"] == p else " ", style="bold")
        table.add_row(marker, str(p), say.label(p, view["names"]), *numbers, areas)
    return table


def _drawn_monuments(position: Mapping[str, Any], say: Speaker) -> RenderableType:
    """The fields of the monuments, with the numbers of the seats whose markers stand there."""
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column(capital(say("monuments")))
    for column in range(1, COLUMNS + 1):
        table.add_column(str(column))
    for colour, row in position["monuments"].items():
        fields = [
            Text(EMPTY, style="dim") if owner is None else Text(str(owner), style="bold") for owner in row
        ]
        table.add_row(Text(say(colour), style=PIGMENTS[colour]), *fields)
    return table
