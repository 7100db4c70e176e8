"""What is a god tile worth in Ra? Positions with and without one say.

    python examples/god_tile.py 60 docs/pictures    # how many deals, where the picture goes

It needs the extra `plot`. The cells below can be run one by one where `# %%` is understood.
"""

# %%
import sys
from datetime import UTC, datetime
from math import sqrt
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import teerling
from teerling.engine.kernels.value import NOTHING
from teerling.lab.plot import FAINT, INK, STYLE, pigment, save
from teerling.lab.value import Values

PLAYERS, PLAYOUTS = 4, 20
TILES = ("god", "gold", "pharaoh", "nile", "flood", "art", "fortress")
FAME = (2, 5, 10)

# %% [markdown]
# ## Gifts
#
# The suns of a match are dealt, and before anybody does anything one seat is given a tile out of the bag, or
# some fame. Nothing else differs. A god that is not used counts 2 fame at the end of the epoch, so a god
# would be worth as much as 2 fame if there were nothing better to do with it than to keep it.


# %%
def position(deal: int, tile: str | None = None, fame: int = 0) -> Any:
    """The first position of a match in which a seat, another one in each deal, was given something."""
    found = teerling.new("ra", players=PLAYERS, seed=deal).position()
    seat = found["seats"][deal % PLAYERS]
    seat["fame"] += fame
    if tile is not None:
        found["bag"][tile] -= 1
        seat["tiles"][tile] = 1
    return teerling.at("ra", found, chance="manual").state


# %% [markdown]
# ## What a position is worth
#
# From each position games are played on by rules of thumb to the end of the epoch, and judged there by the
# evaluation that reviews use. Positions of a deal are played on with the same luck, so what a gift changes is
# seen better than what a position is worth. Deals differ, and the interval comes from how much they do.


# %%
def changes(deals: int) -> tuple[dict[str, float], dict[str, float]]:
    """By gift, by how much it raises the share of the win, and half the 95% interval of that."""
    gifts = {
        "nothing": {},
        **{tile: {"tile": tile} for tile in TILES},
        **{f"{n} fame": {"fame": n} for n in FAME},
    }
    worth = np.empty((deals, len(gifts)))
    for deal in range(deals):
        values = Values(teerling.game("ra"), [position(deal, **gift) for gift in gifts.values()])
        sums = np.zeros((len(gifts), PLAYERS))
        values.add(values.tasks([(row, NOTHING, NOTHING) for row in range(len(gifts))], PLAYOUTS), sums)
        worth[deal] = sums[:, deal % PLAYERS] / PLAYOUTS
    more = worth[:, 1:] - worth[:, :1]
    halves = 1.96 * more.std(axis=0, ddof=1) / sqrt(deals)
    names = list(gifts)[1:]
    return dict(zip(names, more.mean(axis=0), strict=True)), dict(zip(names, halves, strict=True))


# %% [markdown]
# ## The answer


# %%
def draw(more: dict[str, float], halves: dict[str, float], deals: int, path: Path) -> None:
    """The gifts in order of what they are worth."""
    ordered = sorted(more, key=lambda gift: more[gift])
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9, 3.8))
        axes = figure.add_axes((0.1, 0.15, 0.87, 0.73))
        for place, gift in enumerate(ordered):
            colour = pigment(0) if gift == "god" else FAINT if gift.endswith("fame") else pigment(1)
            axes.errorbar(100 * more[gift], place, xerr=100 * halves[gift], fmt="o", color=colour, capsize=3)
        axes.axvline(0, color=INK, linestyle=(0, (2, 3)), linewidth=1.2, zorder=0)
        axes.set_yticks(range(len(ordered)), ordered)
        axes.set_title(
            "Ra: what a gift before the first move adds to the share of the win, with 95% intervals"
        )
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:+.0f} %")
        axes.grid(axis="x")
        facts = (
            f"{deals} deals, {PLAYERS} players, {PLAYOUTS} playouts a position, {datetime.now(UTC):%d %B %Y}"
        )
        figure.text(0.98, 0.02, facts, color=FAINT, ha="right", fontsize=8)
        save(figure, path)


# %%
if __name__ == "__main__":
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    pictures = Path(sys.argv[2] if len(sys.argv) > 2 else ".")
    if deals < 2 or not pictures.is_dir():
        sys.exit("at least 2 deals, and a folder for the picture that is there already")
    more, halves = changes(deals)
    for gift in sorted(more, key=lambda gift: -more[gift]):
        print(f"{gift}: {100 * more[gift]:+.1f} ± {100 * halves[gift]:.1f} % of a win")
    draw(more, halves, deals, pictures / "god_tile.png")
