"""A review as tables in a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..words import Speaker, capital
from .looks import console, name_of

if TYPE_CHECKING:
    from ..lab import Review

MOST_TOLD = 8
"""How many mistakes are told."""


@contextmanager
def review_bar(say: Speaker) -> Iterator[Callable[[float], None]]:
    """A bar on the standard error for as long as it lasts."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    err = console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(say("looking back …"), total=1.0)
        yield lambda done: bar.update(task, completed=done)


def print_review(review: "Review", say: Speaker) -> None:
    """Every seat's account, the mistakes and the strokes of luck."""
    from rich.table import Table

    from ..lab.review_words import Telling, account_headings, account_row, told_of

    out = console()
    names = tuple(name_of(review.match, seat, say) for seat in range(review.match.players))
    telling = Telling(say, names, sentences=told_of(review.match, names, say))
    heading = say.plural(
        "{game} · {players} players · {n} playout from every position",
        "{game} · {players} players · {n} playouts from every position",
        review.playouts, game=review.game.name, players=review.match.players,
    )  # fmt: skip
    out.print(heading, style="bold")
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("")
    for column in account_headings(say):
        table.add_column(column, justify="right")
    for name, seat in zip(names, review.seats, strict=True):
        table.add_row(capital(name), *account_row(seat, say))
    out.print(table)
    if review.mistakes:
        out.print(say("Costliest moves"), style="bold")
    for each in review.mistakes[:MOST_TOLD]:
        out.print(telling.mistake(each))
        if each.reason is not None:
            out.print(f"  {each.reason.said(say)}", style="dim")
    if not review.mistakes:
        out.print(say("No move was clearly worse than another."))
    if review.strokes:
        out.print(say("Strokes of luck"), style="bold")
    for stroke in review.strokes:
        out.print(telling.stroke(stroke))
