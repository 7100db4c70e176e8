"""A picture of a simulation: scores, wins and lengths. It needs Matplotlib, the extra `plot`.

That of an arena is drawn in `arena_plot`.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..errors import TeerlingError
from ..words import Speaker
from .arena import Arena
from .simulate import Simulation, Spread

SUFFIXES = (".svg", ".png", ".pdf")
PAPER, INK, FAINT, LINES = "#f7f1e3", "#3b2f24", "#8a7a66", "#e2d6bd"
PIGMENTS = ("#b8502e", "#2f6c8f", "#6a8f3c", "#c8912b", "#7b4f87", "#3f8f83")
STYLE: dict[Any, Any] = {
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.titlecolor": INK,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "ytick.major.size": 0,
    "grid.color": LINES,
    "font.size": 10,
    "font.family": "sans-serif",
    "svg.fonttype": "path",
    "svg.hashsalt": "teerling",
}
HILL = 0.86
"""How high a row of the scores may be filled."""
SHOWN = 0.998
"""The part of all scores that the picture makes room for; a few odd games would squeeze the rest."""


def plot(result: Simulation | Arena, path: str | Path, lang: str = "en") -> None:
    """Draws what came of a simulation or an arena into a file, .svg, .png or .pdf."""
    from .arena_plot import draw_arena

    say = Speaker(lang, result.game)
    check(Path(path), say)
    if isinstance(result, Arena):
        draw_arena(result, Path(path), say)
    else:
        draw(result, Path(path), say)


def check(path: Path, say: Speaker) -> None:
    """Refuses a path that no picture could be drawn to, before anything is simulated."""
    if path.suffix.lower() not in SUFFIXES:
        raise TeerlingError(
            say("{path}: a picture ends in {suffixes}", path=path, suffixes=", ".join(SUFFIXES))
        )
    check_place(path, say)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise TeerlingError(say("pictures need Matplotlib: pip install 'teerling[plot]'")) from None


def check_place(path: Path, say: Callable[..., str]) -> None:
    """Refuses a path at which no file can be written."""
    if path.is_dir() or not path.parent.is_dir():
        raise TeerlingError(say("{path} cannot be written: its folder is not there", path=path))
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise TeerlingError(say("{path} cannot be written: its permissions do not allow it", path=path))


def draw(result: Simulation, path: Path, say: Speaker) -> None:
    """Scores by seat on the left, wins by seat and the length of games on the right."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 2.9 + 0.62 * result.players))
        grid = figure.add_gridspec(
            2, 2, width_ratios=(3, 2), left=0.085, right=0.97, top=0.82, bottom=0.08, hspace=0.5, wspace=0.19
        )
        draw_heading(figure, result, say)
        draw_scores(figure.add_subplot(grid[:, 0]), result, say)
        draw_wins(figure.add_subplot(grid[0, 1]), result, say)
        draw_lengths(figure.add_subplot(grid[1, 1]), result, say)
        save(figure, path)


def save(figure: Any, path: Path) -> None:
    """Writes a picture; without a date the same one makes the same file."""
    figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)


def draw_heading(figure: Any, result: Simulation, say: Speaker) -> None:
    """What was simulated."""
    figure.text(0.03, 0.935, result.game.name, fontsize=17, fontweight="bold", va="center")
    facts = say(
        "{players} players · {games} random games · seed {seed}",
        players=result.players,
        games=say.number(result.games),
        seed=result.seed,
    )
    chosen = [f"{name} {value}" for name, value in result.game.chosen_options(result.options).items()]
    figure.text(0.97, 0.935, " · ".join([facts, *chosen]), color=FAINT, ha="right", va="center")


def draw_scores(axes: Any, result: Simulation, say: Speaker) -> None:
    """A row of hills, one a seat, with the mean of each."""
    axes.set_title(say("scores"))
    highest = ceiling(result.by_seat)
    for seat, spread in enumerate(result.by_seat):
        base = result.players - 1 - seat
        heights = [base + HILL * min(count / highest, 1) for count in spread.counts]
        axes.stairs(heights, centred(spread), baseline=base, fill=True, color=pigment(seat), alpha=0.75)
        axes.plot([spread.mean] * 2, [base, base + HILL], color=INK, linewidth=1.4)
        note(axes, say.number(spread.mean, 1), (spread.mean, base + HILL), fontweight="bold")
        for i, count in enumerate(spread.counts):
            if count > highest:
                late = i > len(spread.counts) / 2
                part = f"↑ {say.number(100 * count / result.games)} %"
                note(axes, part, (centred(spread)[i + (not late)], base + HILL), late, color=FAINT)
    name_seats(axes, result.players, say, va="bottom")
    axes.set_ylim(0, result.players)
    axes.set_xlim(*most_of(result.overall))
    axes.locator_params(axis="x", integer=True, steps=(1, 2, 5, 10))
    axes.grid(axis="x")


def draw_wins(axes: Any, result: Simulation, say: Speaker) -> None:
    """The part of games that every seat won, with the interval it lies in, beside an equal share."""
    axes.set_title(say("wins by seat, with 95% intervals"))
    equal, reach = 100 / result.players, 0.5
    for seat, (part, half) in enumerate(zip(result.win_rates, result.win_errors, strict=True)):
        rate, error, place = 100 * part, 100 * half, result.players - 1 - seat
        reach = max(reach, abs(rate - equal) + error)
        axes.errorbar(
            rate, place, xerr=error, fmt="o", color=pigment(seat), markersize=7, elinewidth=2.5, capsize=4,
            capthick=2,
        )  # fmt: skip
        at_the_edge = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "center"}
        axes.annotate(f"{say.number(rate, 1)} %", (1, place), **at_the_edge, path_effects=on_paper())
    axes.axvline(equal, color=INK, linestyle=(0, (2, 3)), linewidth=1.2, zorder=0)
    axes.set_xlim(equal - 1.1 * reach, equal + 1.6 * reach)
    axes.set_ylim(-0.6, result.players - 0.4)
    name_seats(axes, result.players, say)
    axes.locator_params(axis="x", nbins=6, steps=(1, 2, 5, 10))
    axes.xaxis.set_major_formatter(lambda x, _: f"{say.number(x, 1)} %")
    axes.grid(axis="x")


def draw_lengths(axes: Any, result: Simulation, say: Speaker) -> None:
    """How many decisions and chance events games had."""
    axes.set_title(say("length of a game in steps"))
    spread = result.length
    top = 1.25 * max(spread.counts)
    axes.stairs(spread.counts, centred(spread), fill=True, color=FAINT, alpha=0.6)
    axes.plot([spread.mean] * 2, [0, top], color=INK, linewidth=1.4)
    note(axes, say.number(spread.mean), (spread.mean, top), fontweight="bold")
    axes.set_ylim(0, top)
    axes.set_xlim(*most_of(spread))
    axes.set_yticks([])
    axes.grid(axis="x")


def name_seats(axes: Any, players: int, say: Speaker, **how: Any) -> None:
    """Names the rows after the seats, seat 0 at the top."""
    names = [say("seat {number}", number=seat) for seat in range(players)]
    axes.set_yticks(range(players), names[::-1], **how)


def note(axes: Any, text: str, place: tuple[float, float], left: bool = False, **how: Any) -> None:
    """A small remark right or left of a place."""
    where = {"textcoords": "offset points", "va": "top", "ha": "right" if left else "left"}
    axes.annotate(text, place, (-4 if left else 4, 0), **where, fontsize=9, path_effects=on_paper(), **how)


def on_paper() -> list[Any]:
    """Keeps a text readable where it crosses lines and bars."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=3, foreground=PAPER)]


def pigment(seat: int) -> str:
    """The colour of a seat."""
    return PIGMENTS[seat % len(PIGMENTS)]


def centred(spread: Spread) -> list[float]:
    """The edges of bins, moved so that the bar of a number stands above it."""
    return [edge - 0.5 for edge in spread.edges]


def ceiling(spreads: Sequence[Spread]) -> float:
    """How high bars may be: one that towers over all the rest is cut off."""
    tallest = max(max(spread.counts) for spread in spreads)
    second = max(sorted(spread.counts)[-2:][0] for spread in spreads)
    return min(tallest, 1.6 * second) or tallest


def most_of(spread: Spread) -> tuple[float, float]:
    """The limits between which nearly all numbers lie."""
    beyond = (1 - SHOWN) / 2 * sum(spread.counts)
    first, last = 0, len(spread.counts)
    while sum(spread.counts[: first + 1]) <= beyond:
        first += 1
    while sum(spread.counts[last - 1 :]) <= beyond:
        last -= 1
    return centred(spread)[first], centred(spread)[last]
