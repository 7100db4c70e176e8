"""A picture of an arena: places, wins and ratings of every player. It needs Matplotlib, the extra `plot`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..words import Speaker
from .arena import Arena
from .plot import FAINT, INK, PAPER, STYLE, on_paper, pigment, save
from .standings import Interval, Standing

THICK = 0.56
"""How much of a row a bar takes."""
LEGIBLE = 0.1
"""The part of a bar that has room for a percentage; a place needs half of it."""
LONGEST = 40
"""How much of a name is shown."""


def draw_arena(result: Arena, path: Path, say: Speaker) -> None:
    """A row for every player, best on top: its places, its wins and its rating."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    ranked = sorted(enumerate(result.standings), key=lambda entry: entry[1].mean_rank)
    rows = [standing for _, standing in ranked]
    colours = [pigment(number) for number, _ in ranked]
    with mpl.rc_context(STYLE):
        height = 2.2 + 0.62 * len(rows)
        figure = Figure(figsize=(10, height))
        longest = max(len(shortened(standing.name)) for standing in rows)
        grid = figure.add_gridspec(
            1, 3, width_ratios=(5, 4, 3), left=0.05 + 0.0085 * longest, right=0.975,
            top=1 - 1.15 / height, bottom=0.5 / height, wspace=0.13,
        )  # fmt: skip
        draw_heading(figure, height, result, say)
        draw_places(figure.add_subplot(grid[0]), result, ranked, say)
        draw_wins(figure.add_subplot(grid[1]), rows, colours, len(result.contest.names), say)
        draw_ratings(figure.add_subplot(grid[2]), rows, colours, say)
        save(figure, path)


def shortened(name: str) -> str:
    """A name that leaves room for the picture."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def draw_heading(figure: Any, height: float, result: Arena, say: Speaker) -> None:
    """Which arena it was."""
    middle = 1 - 0.42 / height
    figure.text(0.03, middle, result.game.name, fontsize=17, fontweight="bold", va="center")
    facts = say(
        "{games} games: {deals} deals, each in {seatings} seatings · seed {seed}",
        games=say.number(len(result.played)),
        deals=say.number(result.deals),
        seatings=len(result.seatings),
        seed=result.contest.seed,
    )
    figure.text(0.975, middle, facts, color=FAINT, ha="right", va="center")


def draw_places(axes: Any, result: Arena, ranked: Sequence[tuple[int, Standing]], say: Speaker) -> None:
    """How often every player came first, second and so on, as a bar in ever lighter parts."""
    axes.set_title(say("places, and their mean"))
    players = len(result.contest.names)
    for row, (number, standing) in enumerate(ranked):
        ranks = result.results.ranks[:, result.results.who == number]
        begin = 0.0
        for place in range(1, players + 1):
            part = float(np.mean(ranks == place))
            strength = 1 - 0.85 * (place - 1) / (players - 1)
            axes.barh(row, part, THICK, begin, color=pigment(number), alpha=strength, linewidth=0)
            if part >= (LEGIBLE if place == 1 else LEGIBLE / 2):
                tone = PAPER if strength > 0.5 else INK
                text = f"{say.number(100 * part)} %" if place == 1 else str(place)
                axes.text(begin + part / 2, row, text, color=tone, ha="center", va="center", fontsize=9)
            begin += part
        mean = f"{say.number(standing.mean_rank, 2)}"
        axes.text(1.02, row, mean, va="center", fontsize=9, fontweight="bold")
    axes.set_xlim(0, 1.12)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    name_rows(axes, [shortened(standing.name) for _, standing in ranked])


def draw_wins(
    axes: Any, rows: Sequence[Standing], colours: Sequence[str], players: int, say: Speaker
) -> None:
    """The share of games that every player won, beside an even share."""
    axes.set_title(say("wins, with 95% intervals"))
    axes.axvline(100 / players, color=INK, linestyle=(0, (2, 3)), linewidth=1.2, zorder=0)
    for row, standing in enumerate(rows):
        low, high = standing.interval
        mark(axes, row, 100 * standing.win_rate, (100 * low, 100 * high), colours[row])
        label(axes, row, 100 * standing.win_rate, f"{say.number(100 * standing.win_rate, 1)} %")
    axes.set_xlim(-3, 103)
    axes.xaxis.set_major_formatter(lambda x, _: f"{say.number(x)} %")
    axes.grid(axis="x")
    name_rows(axes, [""] * len(rows))
    axes.annotate(
        say("even"),
        (100 / players, -0.5),
        (3, -2),
        textcoords="offset points",
        fontsize=8,
        color=FAINT,
        va="top",
    )


def draw_ratings(axes: Any, rows: Sequence[Standing], colours: Sequence[str], say: Speaker) -> None:
    """Every player's rating."""
    axes.set_title(say("rating"))
    for row, standing in enumerate(rows):
        mark(axes, row, standing.rating, standing.rating_interval, colours[row])
        label(axes, row, standing.rating, say.number(standing.rating, 1))
    axes.margins(x=0.12)
    axes.locator_params(axis="x", nbins=6, steps=(1, 2, 5, 10))
    axes.grid(axis="x")
    name_rows(axes, [""] * len(rows))


def mark(axes: Any, row: int, value: float, interval: Interval, colour: str) -> None:
    """A value and the interval about it."""
    axes.plot(interval, [row, row], color=colour, linewidth=3, alpha=0.45, solid_capstyle="butt")
    for end in interval:
        axes.plot([end, end], [row - 0.1, row + 0.1], color=colour, linewidth=2)
    axes.plot(value, row, "o", color=colour, markersize=8, markeredgecolor=PAPER)


def label(axes: Any, row: int, value: float, text: str) -> None:
    """A number above what it says."""
    where = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
    axes.annotate(text, (value, row), (0, 6), **where, fontsize=9, fontweight="bold", path_effects=on_paper())


def name_rows(axes: Any, names: Sequence[str]) -> None:
    """Names the rows, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
