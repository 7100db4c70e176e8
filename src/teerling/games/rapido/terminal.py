"""Stairs and dice fields of Rapido, drawn for a terminal."""

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from teerling.words import Speaker, capital

PIGMENTS = ("red", "blue", "green", "yellow", "magenta", "cyan")
LONGEST_STAIRS = 42
PAIR, PAWN, STEP, GOAL = "⚄⚂", "♟", "·", "⚑"


def board(view: dict[str, Any], say: Speaker) -> RenderableType:
    """The dice fields from the top down, the dice just thrown, and everybody on the stairs."""
    return Group(drawn_fields(view, say), Text(""), drawn_stairs(view, say))


def drawn_fields(view: dict[str, Any], say: Speaker) -> RenderableType:
    """What lies on the fields 5 to 0, and what has just been thrown."""
    position = view["board"]
    grid = Table.grid(padding=(0, 2))
    for field in range(position["limits"]["top_field"], 0, -1):
        pair = position["fields"].get(str(field))
        lying = Text(STEP, style="dim")
        if pair is not None:
            lying = Text(f"{pair['value']:02d}  ", style="bold") + named(view, say, pair["seat"])
        grid.add_row(Text(capital(say("field {field}", field=field)), style="dim"), lying)
    bottom = Text(", ").join(named(view, say, p) for p in position["bottom"])
    grid.add_row(Text(capital(say("field {field}", field=0)), style="dim"), bottom or Text(STEP, style="dim"))
    if position["dice"]:
        grid.add_row(Text(capital(say("dice")), style="dim"), thrown(position))
    return grid


def thrown(position: dict[str, Any]) -> Text:
    """The dice thrown so far, and the value of both."""
    shown = Text(" ").join(Text(f"[{die}]".upper(), style="bold") for die in position["dice"])
    return shown if position["value"] is None else shown + Text(f"  = {position['value']:02d}")


def drawn_stairs(view: dict[str, Any], say: Speaker) -> RenderableType:
    """Everybody's pawn on the way to the goal, and the pairs they have in hand."""
    position = view["board"]
    goal = position["options"]["goal"]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("")
    table.add_column(capital(say("player")), max_width=20, no_wrap=True)
    table.add_column(capital(say("step")), justify="right")
    table.add_column("")
    table.add_column(capital(say("pairs in hand")), no_wrap=True)
    for p, seat in enumerate(position["seats"]):
        on_turn = p == position["mover"] and position["phase"] not in ("drawing lots", "over")
        marker = Text("▶" if on_turn else " ", style="bold")
        in_hand = " ".join([PAIR] * seat["in_hand"])
        step = f"{seat['step']}/{goal}"
        table.add_row(
            marker, named(view, say, p), step, stairs(seat["step"], goal, p), Text(in_hand, style=PIGMENTS[p])
        )
    return table


def stairs(step: int, goal: int, p: int) -> Text:
    """A pawn between start and goal; long stairs are drawn shorter."""
    length = min(goal, LONGEST_STAIRS)
    climbed = step * length // goal
    drawn = Text(STEP * climbed, style=PIGMENTS[p]) + Text(PAWN, style=f"bold {PIGMENTS[p]}")
    return drawn + Text(STEP * (length - climbed - 1) + GOAL if climbed < length else "", style="dim")


def named(view: dict[str, Any], say: Speaker, p: int) -> Text:
    """A seat's name in its colour."""
    return Text(say.label(p, view["names"]), style=PIGMENTS[p])
