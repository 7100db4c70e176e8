"""How much of DiceRun is luck? Matches between two stronger and two weaker players say, beside Rapido.

    python examples/luck_of_dicerun.py 60 docs/pictures    # matches of each game, where the picture goes

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

GAMES, PLAYERS, LUCK, SEED = ("dicerun", "rapido"), ("casual", "casual", "novice", "novice"), 16, 1

# %% [markdown]
# ## Luck in numbers
#
# The luck of a chance event is what the position is worth after it, less the mean over all that could have
# come. Added up over a match it is the column `luck_0` of seat 0, in shares of the win. It is zero on
# average, whoever plays. What is left of the result is what the decisions of all players made of it.


# %%
def matches_of(game: str, matches: int, folder: Path) -> Any:
    """A table of matches of a game; everybody sits one seat further in each."""
    path = folder / f"{game}.parquet"
    simulate_to_parquet(
        game, path, games=matches, seed=SEED, players_are=PLAYERS, rotate=True, luck=LUCK, workers=None
    )
    return pq.read_table(path)


def stacked(table: Any, name: str) -> np.ndarray:
    """A column of every seat, by match and seat."""
    return np.column_stack([table[f"{name}_{seat}"].to_numpy() for seat in range(len(PLAYERS))])


# %% [markdown]
# ## How much luck explains
#
# The part of the differences between results that luck accounts for: the square of their correlation, over
# all seats of all matches. Seats of a match depend on each other, so the interval comes from drawing whole
# matches again and again (a bootstrap). Beside it stands how often the luckiest seat of a match won, and how
# often one of the two better players did.


# %%
def explained(luck: np.ndarray, shares: np.ndarray) -> float:
    """The part of the variance of results that luck accounts for."""
    return float(np.corrcoef(luck.ravel(), shares.ravel())[0, 1] ** 2)


def interval(luck: np.ndarray, shares: np.ndarray, draws: int = 2000) -> tuple[float, float]:
    """Within which that part lies, 95%."""
    chance = np.random.default_rng(SEED)
    picks = [chance.integers(len(luck), size=len(luck)) for _ in range(draws)]
    low, high = np.percentile([explained(luck[pick], shares[pick]) for pick in picks], (2.5, 97.5))
    return float(low), float(high)


def told(table: Any) -> str:
    """The figures of a game in a sentence."""
    luck, shares, names = stacked(table, "luck"), stacked(table, "share"), stacked(table, "player")
    low, high = interval(luck, shares)
    luckiest = np.take_along_axis(shares, luck.argmax(axis=1)[:, None], axis=1)[:, 0]
    better = np.array([row[who == "casual"].sum() for row, who in zip(shares, names, strict=True)])
    half = 196 / sqrt(len(table))
    return (
        f"luck explains {100 * explained(luck, shares):.0f} % "
        f"({100 * low:.0f} to {100 * high:.0f}) of who won; "
        f"the luckiest seat won {100 * luckiest.mean():.0f} ± {half * luckiest.std():.0f} %, "
        f"the better two {100 * better.mean():.0f} ± {half * better.std():.0f} %"
    )


# %% [markdown]
# ## The answer
#
# Seats are sorted by their luck into tenths; a dot is how much of the win the seats of a tenth had. If luck
# were everything the dots would climb from 0 to 100 %; if it were nothing, all would lie on the dotted line.


# %%
def draw(tables: dict[str, Any], matches: int, path: Path) -> None:
    """Results by luck, a game beside the other."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9, 3.6))
        for place, (game, table) in enumerate(tables.items()):
            axes = figure.add_axes((0.07 + 0.49 * place, 0.2, 0.42, 0.66))
            luck, shares = stacked(table, "luck").ravel(), stacked(table, "share").ravel()
            for part in np.array_split(np.argsort(luck), min(10, len(luck) // 2)):
                half = 1.96 * shares[part].std() / sqrt(len(part))
                axes.errorbar(
                    100 * luck[part].mean(), 100 * shares[part].mean(), 100 * half,
                    fmt="o", color=pigment(place), capsize=3,
                )  # fmt: skip
            axes.axhline(100 / len(PLAYERS), color=INK, linestyle=(0, (2, 3)), linewidth=1.2, zorder=0)
            axes.set_title(f"{teerling.game(game).name}: share of the win by luck")
            axes.set_xlabel("luck, in shares of the win")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(lambda value, _: f"{value:.0f} %")
            axes.set_ylim(-5, 105)
            axes.grid(axis="y")
        facts = f"{matches} matches a game, {' '.join(PLAYERS)}, luck by {LUCK} playouts, seed {SEED}"
        figure.text(0.98, 0.02, f"{facts}, {datetime.now(UTC):%d %B %Y}", color=FAINT, ha="right", fontsize=8)
        save(figure, path)


# %%
if __name__ == "__main__":
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    pictures = Path(sys.argv[2] if len(sys.argv) > 2 else ".")
    if matches < 2 or not pictures.is_dir():
        sys.exit("at least 2 matches, and a folder for the picture that is there already")
    tables = {}
    with TemporaryDirectory() as folder:
        for game in GAMES:
            tables[game] = matches_of(game, matches, Path(folder))
            print(f"{teerling.game(game).name}: {told(tables[game])}", flush=True)
    draw(tables, matches, pictures / "luck_of_dicerun.png")
