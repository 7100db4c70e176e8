"""What was measured: figures beside their targets, and beside something measured in the same run."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from ..words import Speaker

BUSY = 0.93
"""Below this part of the cores a figure tells more of other programs than of this one."""


@dataclass(frozen=True)
class Figure:
    """Something measured, with its target and the ratio to something measured beside it."""

    key: str
    label: str
    value: float
    unit: str = ""
    target: float | None = None
    more_is_better: bool = False
    ratio: float | None = None
    beside: str = ""
    """What the ratio is to."""
    share: float = 1.0
    """The part of the cores it needed that it got; other programs had the rest."""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if there is none."""
        if self.target is None:
            return None
        return self.value >= self.target if self.more_is_better else self.value <= self.target


def print_figures(title: str, figures: Sequence[Figure], say: Speaker) -> None:
    """A table of figures, targets, whether they are met, and ratios."""
    out = Console(highlight=False, markup=False)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", title=title, title_justify="left")
    table.add_column("")
    table.add_column(say("measured"), justify="right")
    table.add_column(say("target"), justify="right")
    table.add_column("")
    table.add_column(say("ratio"))
    for figure in figures:
        sign = "≥" if figure.more_is_better else "≤"
        target = "" if figure.target is None else f"{sign} {short(figure.target, say)}"
        busy = figure.share < BUSY
        mark = {None: "", True: "✓", False: "?" if busy else "✗"}[figure.met]
        remarks = [] if figure.ratio is None else [f"{short(figure.ratio, say)} × {figure.beside}"]
        if busy:
            remarks.append(say("with {part}% of the cores", part=say.number(100 * figure.share)))
        value = f"{short(figure.value, say)} {figure.unit}".rstrip()
        table.add_row(
            figure.label, value, target, mark, ", ".join(remarks), style="red" if figure.met is False else ""
        )
    out.print(table if figures else say("{title} is not installed", title=title))
    out.print()


def short(value: float, say: Speaker) -> str:
    """A number with three figures that matter."""
    return say.number(value, 0 if value >= 100 or value == int(value) else 1 if value >= 10 else 2)
