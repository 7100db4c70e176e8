"""Is it worth more to begin? Matches of every game between equal players say.

    python examples/first_seat.py 300 docs/pictures    # matches of each game, where the picture goes

It needs the extras `parquet` and `plot`. The cells below can be run one by one where `# %%` is understood.
"""

# %%
import sys
from datetime import UTC, datetime
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib as mpl
import numpy as np
import pyarrow.parquet as pq
from matplotlib.figure import Figure

import teerling
from teerling.lab import simulate_to_parquet
from teerling.lab.plot import FAINT, INK, STYLE, pigment, save

PLAYERS, LEVEL, SEED = 4, "casual", 1
ORDER = ("first", "second", "third", "last")

# %% [markdown]
# ## The matches
#
# Four players of one level, so that nothing but the seat can make a difference. Who begins is not always
# seat 0: in Ra it is whoever was dealt the highest sun. The column `first_seat` knows.


# %%
def matches_of(game: str, matches: int, folder: Path) -> Any:
    """A table of matches of a game, one in each row."""
    path = folder / f"{game}.parquet"
    simulate_to_parquet(game, path, PLAYERS, matches, SEED, players_are=[LEVEL], workers=None)
    return pq.read_table(path)


# %% [markdown]
# ## By order of play
#
# Every match is turned so that who begins comes first, and then the others in the order of play. A share of
# the win is 1 for a win, ½ for one that is shared by two. Its mean over matches has an interval that holds
# the truth in 95 of 100 such studies.


# %%
def by_order(table: Any) -> tuple[np.ndarray, np.ndarray]:
    """The mean share of the win of the first to play, the second and so on, and half their 95% intervals."""
    shares = np.column_stack([table[f"share_{seat}"].to_numpy() for seat in range(PLAYERS)])
    order = (table["first_seat"].to_numpy()[:, None] + np.arange(PLAYERS)) % PLAYERS
    turned = np.take_along_axis(shares, order, axis=1)
    return turned.mean(axis=0), 1.96 * turned.std(axis=0, ddof=1) / sqrt(len(turned))


# %% [markdown]
# ## The answer
#
# A game each, a dot for each place in the order of play. Where the interval holds the dotted line, these
# matches do not show that the place matters.


# %%
def draw(found: dict[str, tuple[np.ndarray, np.ndarray]], matches: int, path: Path) -> None:
    """The shares of all games side by side."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9, 3.9))
        axes = figure.add_axes((0.07, 0.22, 0.91, 0.68))
        for place, (means, halves) in enumerate(found.values()):
            for seat in range(PLAYERS):
                x = place + (seat - (PLAYERS - 1) / 2) * 0.17
                label = None if place else f"{ORDER[seat]} to play"
                part, half = 100 * means[seat], 100 * halves[seat]
                axes.errorbar(x, part, half, fmt="o", color=pigment(seat), capsize=3, label=label)
        axes.axhline(100 / PLAYERS, color=INK, linestyle=(0, (2, 3)), linewidth=1.2, zorder=0)
        axes.set_xticks(range(len(found)), [teerling.game(game).name for game in found])
        axes.set_title("share of the win by order of play, with 95% intervals")
        axes.yaxis.set_major_formatter(lambda y, _: f"{y:.0f} %")
        axes.grid(axis="y")
        axes.legend(ncols=PLAYERS, frameon=False, loc="upper left", bbox_to_anchor=(0, -0.1))
        facts = f"{matches} matches a game, {PLAYERS} × {LEVEL}, seed {SEED}, {datetime.now(UTC):%d %B %Y}"
        figure.text(0.98, 0.02, facts, color=FAINT, ha="right", fontsize=8)
        save(figure, path)


# %%
if __name__ == "__main__":
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    pictures = Path(sys.argv[2] if len(sys.argv) > 2 else ".")
    if matches < 2 or not pictures.is_dir():
        sys.exit("at least 2 matches, and a folder for the picture that is there already")
    found = {}
    with TemporaryDirectory() as folder:
        for game in (each.id for each in teerling.list_games()):
            means, halves = found[game] = by_order(matches_of(game, matches, Path(folder)))
            told = ", ".join(f"{100 * m:.1f} ± {100 * h:.1f} %" for m, h in zip(means, halves, strict=True))
            print(f"{teerling.game(game).name}: {told}", flush=True)
    draw(found, matches, pictures / "first_seat.png")
