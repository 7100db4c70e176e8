"""Everything that may break breaks, many times, while people play: `make chaos`, or `python -m tests.chaos`.

On loopback, in folders of its own; it ends only what it started. How often is bounded: `--kills 300` are
shared among the scenes. It prints a table, and ends with 1 if anything was lost, doubled or wrongly answered.
"""

import argparse
import os
import statistics
import sys
from contextlib import ExitStack

from tests.server import cluster as clusters
from tests.server import redis_server as redis_servers

from .scenes import ALONE, SCENES, TOGETHER, Outcome, Stage

KILLS = 300


def shares(kills: int, names: list[str]) -> dict[str, int]:
    """So many kills, shared among scenes; each gets one at least."""
    whole = sum(SCENES[name][0] for name in names)
    found = {name: max(1, kills * SCENES[name][0] // whole) for name in names}
    found[names[0]] += max(0, kills - sum(found.values()))
    return found


HEAD = ("", "faults", "moves", "lines", "lost", "doubled", "verified", "broken", "wrong", "back after")


def row(outcome: Outcome) -> tuple[str, ...]:
    found = outcome.found
    back = f"{statistics.median(outcome.back):.1f} s, at most {max(outcome.back):.1f} s"
    lost = len(found.lost) + len(outcome.on_the_way)
    figures = (outcome.faults, found.moves, found.lines, lost, len(found.doubled), found.verified)
    return (outcome.name, *map(str, figures), str(len(found.broken)), str(len(outcome.wrong)), back)


def total(rows: list[tuple[str, ...]]) -> tuple[str, ...]:
    return ("all", *(str(sum(int(each[i]) for each in rows)) for i in range(1, 9)), "")


def show(cells: tuple[str, ...]) -> None:
    print(f"{cells[0]:<28}" + "".join(f"{cell:>9}" for cell in cells[1:9]) + f"   {cells[9]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos", description="breaks things while people play"
    )
    parser.add_argument("--kills", type=int, default=KILLS, help="how many faults, of all scenes together")
    parser.add_argument("--seed", type=int, default=1, help="when they come, and how people play")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"some of: {', '.join(SCENES)}")
    given = parser.parse_args()
    unknown = [name for name in given.scenes if name not in SCENES]
    if unknown or given.kills < 1:
        parser.error(f"there is no scene {unknown[0]!r}" if unknown else "at least one fault is needed")
    names = given.scenes or list(SCENES)
    if clusters.PROGRAMS is None:
        print("PostgreSQL is not installed: its scenes are left out", file=sys.stderr)
        names = [name for name in names if name in ALONE]
    elif redis_servers.PROGRAM is None:
        print("Redis is not installed: scenes with several servers are left out", file=sys.stderr)
        names = [name for name in names if name not in TOGETHER]
    os.environ.setdefault("TEERLING_PUZZLES_AFTER", "0")
    # Servers start as they do in earnest: what Python has compiled is there.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    show(HEAD)
    rows, bad = [], []
    for name, times in shares(given.kills, names).items():
        with ExitStack() as stack:
            outcome = SCENES[name][1](Stage(name, times, given.seed, stack))
        rows.append(row(outcome))
        bad += outcome.bad
        show(rows[-1])
    show(total(rows))
    print("\n".join(bad[:20]), file=sys.stderr)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
