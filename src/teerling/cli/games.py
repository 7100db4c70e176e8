"""Commands about the games: which there are, and their rules."""

from typing import Annotated

import typer

from ..game import game, list_games
from ..options import Choice, Counts, Flag, Number, Option
from ..terminal.looks import console
from ..terminal.rulebook import pages_of, rule_in
from ..words import Speaker
from .app import GameId, Lang, app


@app.command("games")
def show_games(lang: Lang = "en") -> None:
    """List the games and their options."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for each in list_games():
        say = Speaker(lang, each)
        facts = say(
            "{least} to {most} players, {minutes} minutes",
            least=each.players[0],
            most=each.players[-1],
            minutes=each.minutes,
        )
        about = Text(each.name, style="bold") + Text(
            f", {each.author} {each.year} · {facts}", style="not bold"
        )
        about.append(f"\n{say(each.summary)}\n")
        for option in each.options:
            default = "" if option.default is None else f" [{option.format(option.default)}]"
            about.append(f"--option {option.name}={values_of(option)}{default}", style="cyan")
            about.append(f"  {say(option.text)}\n", style="dim")
        grid.add_row(Text(each.id, style="bold yellow"), about)
    console().print(grid)


def values_of(option: Option) -> str:
    """What may stand behind an option's name."""
    match option:
        case Number():
            return f"{option.least}…{option.most}"
        case Choice():
            return "|".join(map(option.format, option.choices))
        case Flag():
            return "yes|no"
        case Counts():
            return ",".join(option.names).upper().replace(" ", "-")
    return option.values


@app.command("rules")
def show_rules(
    id: GameId,
    rule: Annotated[str | None, typer.Argument(metavar="[RULE]", help="Only this one, as in RA-12.")] = None,
    lang: Lang = "en",
) -> None:
    """Print the rules of a game, or one of them."""
    from rich.markdown import Markdown

    say = Speaker(lang, game(id))
    pages = pages_of(game(id), say)
    console().print(Markdown("\n\n".join(pages) if rule is None else rule_in(pages, rule, say)))
