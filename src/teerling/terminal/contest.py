"""What came of an arena, as a table in a terminal."""

from typing import TYPE_CHECKING

from ..words import Speaker
from .looks import console, percent

if TYPE_CHECKING:
    from ..lab import Arena


def print_arena(result: "Arena", say: Speaker) -> None:
    """Wins, ranks and ratings of every player, each with its interval."""
    from rich.table import Table

    out = console()
    out.print(heading_of(result, say), style="bold")
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim")
    for heading in ("", say("games"), say("wins"), say("mean rank"), say("rating"), say("points")):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for standing in result.standings:
        low, high = standing.interval
        table.add_row(
            standing.name,
            say.number(standing.games),
            f"{percent(standing.win_rate, say)} {between((100 * low, 100 * high), 1, say)}",
            f"{say.number(standing.mean_rank, 2)} {between(standing.rank_interval, 2, say)}",
            f"{say.number(standing.rating, 1)} {between(standing.rating_interval, 1, say)}",
            say.number(standing.mean_score, 1),
        )
    out.print(table)
    for standing in result.standings:
        if standing.adjusted is not None and standing.adjusted_interval is not None:
            low, high = standing.adjusted_interval
            told = say(
                "without luck {name} wins {share} {interval}; as if {times} times as many games were played",
                name=standing.name,
                share=percent(standing.adjusted, say),
                interval=between((100 * low, 100 * high), 1, say),
                times=say.number(standing.saved or 1.0, 1),
            )
            out.print(told)
    count = len(result.contest.names)
    even = say(
        "even would be {share} and rank {rank}; the winner had {score} points on average",
        share=percent(1 / count, say),
        rank=say.number((count + 1) / 2, 1),
        score=say.number(float(result.results.winning_scores.mean()), 1),
    )
    out.print(even, style="dim")
    pace = [f"{each.name} {say.number(1000 * each.seconds_per_decision, 1)} ms" for each in result.standings]
    out.print(say("a decision took: {pace}", pace=", ".join(pace)), style="dim")
    if result.stopped:
        out.print(say("stopped early: only deals that were played by every seating count"), style="bold")


def heading_of(result: "Arena", say: Speaker) -> str:
    """Which arena it was."""
    return say(
        "{game} · {games} games: {deals} deals, each in {seatings} seatings · seed {seed}",
        game=result.contest.game.name,
        games=say.number(len(result.played)),
        deals=say.number(result.deals),
        seatings=len(result.seatings),
        seed=result.contest.seed,
    )


def between(ends: tuple[float, float], digits: int, say: Speaker) -> str:
    """An interval."""
    low, high = (say.number(end, digits) for end in ends)
    return f"({low}–{high})"
