"""What came of a simulation, as tables in a terminal."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..game import Game
from ..words import Speaker
from .looks import console, percent

if TYPE_CHECKING:
    from ..lab import Simulation, Spread, StudyFile

SPARKS = " ▁▂▃▄▅▆▇█"
SPARK_WIDTH = 12


@contextmanager
def progress_bar(of: Game, count: int, say: Speaker) -> Iterator[Any]:
    """A bar on the standard error for as long as it lasts."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    err = console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(say("compiling {game} …", game=of.name), total=count)
        yield lambda done: bar.update(task, completed=done, description=of.name)


def print_simulation(result: "Simulation", say: Speaker) -> None:
    """Wins, scores and lengths as a table."""
    from rich.table import Table

    out = console()
    out.print(
        say(
            "{game} · {players} players · {games} random games · seed {seed}",
            game=result.game.name,
            players=result.players,
            games=say.number(result.games),
            seed=result.seed,
        ),
        style="bold",
    )
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("", say("wins"), say("mean"), say("sd"), "5 %", "50 %", "95 %", say("most")):
        table.add_column(heading, justify="right" if heading else "left")
    table.add_column(say("distribution"))
    for seat, spread in enumerate(result.by_seat):
        wins = f"{percent(result.win_rates[seat], say)} ± {say.number(100 * result.win_errors[seat], 1)}"
        table.add_row(say("seat {number}", number=seat), wins, *spread_row(spread, say))
    table.add_row(say("all seats"), "", *spread_row(result.overall, say), style="bold")
    table.add_row(say("steps"), "", *spread_row(result.length, say), style="dim")
    out.print(table)
    out.print(
        say(
            "{steps} steps in {seconds} s: {speed} million a second with {threads} threads",
            steps=say.number(result.steps),
            seconds=say.number(result.seconds, 2),
            speed=say.number(result.steps / result.seconds / 1e6, 1),
            threads=result.threads,
        ),
        style="dim",
    )


def print_study(written: "StudyFile", of: Game, say: Speaker) -> None:
    """Where the matches of a study are, and what writes them again."""
    out = console()
    out.print(
        say(
            "{games} games of {game} are in {path}, each in a row with {columns} columns",
            games=say.number(written.matches),
            game=of.name,
            path=written.path,
            columns=len(written.columns),
        )
    )
    out.print(written.about["command"], style="dim", soft_wrap=True)


def spread_row(spread: "Spread", say: Speaker) -> list[str]:
    """The figures of a spread, and its histogram in little bars."""
    figures = [say.number(spread.mean, 2), say.number(spread.sd, 2)]
    figures += [say.number(spread.quantiles[part]) for part in (5, 50, 95)]
    return [*figures, say.number(spread.most), sparks(spread.counts)]


def sparks(counts: Sequence[int]) -> str:
    """A histogram as a row of little bars."""
    per_bar = -(-len(counts) // SPARK_WIDTH)
    bars = [sum(counts[i : i + per_bar]) for i in range(0, len(counts), per_bar)]
    return "".join(SPARKS[-(-bar * (len(SPARKS) - 1) // max(bars))] for bar in bars)
