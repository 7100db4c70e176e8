"""A hint as a table in a terminal."""

from ..players import Hint, MoveEstimate
from ..words import Speaker
from .looks import both_texts, console, percent

BAR = 10


def print_hint(hint: Hint, say: Speaker) -> None:
    """The moves, best first, and in a sentence why."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(say("move"))
    for heading in (say("chance to win"), "", say("points at the end"), say("playouts")):
        table.add_column(heading, justify="left" if not heading else "right", no_wrap=True)
    for place, estimate in enumerate(hint.estimates):
        table.add_row(both_texts(estimate.move, say), *figures(estimate, say), style="" if place else "bold")
    out = console()
    out.print(table)
    out.print(hint.reason.said(say))
    budget = say(
        "By {player}, with {playouts} playouts.",
        player=say(hint.player), playouts=say.number(hint.playouts),
    )  # fmt: skip
    out.print(budget, style="dim")


def figures(estimate: MoveEstimate, say: Speaker) -> list[str]:
    """How often a move wins, also as a bar, and how many points it brings; nothing if it was not tried."""
    if not estimate.playouts:
        return ["", "", "", "0"]
    score = f"{say.number(estimate.score, 1)} ± {say.number(estimate.spread, 1)}"
    return [percent(estimate.win, say), "█" * round(BAR * estimate.win), score, say.number(estimate.playouts)]
