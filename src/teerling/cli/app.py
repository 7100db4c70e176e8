"""The command line itself: what all commands share, and how they refuse."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from ..errors import TeerlingError
from ..game import Game
from ..words import LANGUAGES, Speaker


class Commands(TyperGroup):
    """All commands: whatever they refuse ends in one line and exit code 2."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show ☀ gets a question mark, not a traceback.
            with suppress(AttributeError):
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        try:
            code = super().main(*args, **{**extra, "prog_name": "teerling", "standalone_mode": False})
        except typer.TyperException as error:
            context = getattr(error, "ctx", None)
            command = context.command_path if context else "teerling"
            say = Speaker(language_asked_for(extra.get("args") or sys.argv[1:]))
            refuse(
                say(
                    "{words}; see {command} --help",
                    words=misused(error.format_message(), say),
                    command=command,
                )
            )
        except OSError as error:
            refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        sys.exit(code)

    def invoke(self, ctx: Any) -> Any:
        """Runs a command; what it refuses is said in the reader's language."""
        try:
            return super().invoke(ctx)
        except TeerlingError as error:
            refuse(Speaker(ctx.obj if ctx.obj in LANGUAGES else "en").phrase(error.args[0]))


MISUSES = {
    r"Missing (?:argument|option) '(?P<name>[^']+)'": "{name} is missing",
    r"No such command '(?P<name>[^']+)'\. Did you mean '(?P<near>[^']+)'": (
        "there is no command {name}, but there is {near}"
    ),
    r"No such command '(?P<name>[^']+)'": "there is no command {name}",
    r"No such option: (?P<name>\S+)": "there is no option {name}",
    r"Got unexpected extra arguments?(?:\(s\))? \((?P<name>.*)\)": "{name} is one too many",
    r"Option '(?P<name>[^']+)' requires an argument": "{name} needs a value",
    r"Option '(?P<name>[^']+)' does not take a value": "{name} takes no value",
    r"Invalid value for '(?P<name>[^']+)': Input should be a valid integer": "{name} must be a whole number",
    r"Invalid value for '(?P<name>[^']+)': Input should be a valid number": "{name} must be a number",
    r"Invalid value for '(?P<name>[^']+)': Input should be less than or equal to (?P<limit>\S+)": (
        "{name} must be at most {limit}"
    ),
    r"Invalid value for '(?P<name>[^']+)': Input should be greater than or equal to (?P<limit>\S+)": (
        "{name} must be at least {limit}"
    ),
}
"""What is said of a wrong command line, in English only, and how we say it."""


def misused(words: str, say: Speaker) -> str:
    """What is wrong with a command line, in the reader's language; what we do not know stays as it is."""
    for pattern, text in MISUSES.items():
        if found := re.match(pattern, words):
            return say(text, **found.groupdict())
    return words.rstrip(".")


def language_asked_for(words: Sequence[str]) -> str:
    """The language that a command line asks for, whatever else is wrong with it."""
    asked = re.search(r"--lang[= ](\w+)", " ".join(words))
    return next(
        (lang for lang in (asked and asked[1], os.environ.get("TEERLING_LANG")) if lang in LANGUAGES),
        language_of_the_system(),
    )


def refuse(message: str) -> NoReturn:
    """Says in one line what is wrong, and ends."""
    print("teerling:", " ".join(message.split()), file=sys.stderr)
    sys.exit(2)


app = typer.Typer(cls=Commands, add_completion=False, pretty_exceptions_enable=False)

GameId = Annotated[str, typer.Argument(metavar="GAME", help="The id of a game; `teerling games` lists them.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A match file.", readable=False)]
Players = Annotated[int | None, typer.Option(help="How many players; 4 if nothing is said.")]
Seed = Annotated[str | None, typer.Option(help="The same seed and decisions make the same match.")]
Chosen = Annotated[list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Of the game.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Seat = Annotated[int | None, typer.Option(help="Show what this seat may know; seats count from 0.")]


def remember_language(context: typer.Context, lang: str) -> str:
    """Lets all commands know in which language to refuse something."""
    context.find_root().obj = lang
    return lang


Lang = Annotated[str, typer.Option(help="nl or en.", show_default=False, callback=remember_language)]


def show_version(wanted: bool) -> None:
    """Prints the version and ends."""
    if wanted:
        from .. import __version__

        print(f"teerling {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def begin(
    context: typer.Context,
    lang: Annotated[
        str | None, typer.Option(help="nl or en; otherwise as the system.", envvar="TEERLING_LANG")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Five board games with exact rules: play, study and simulate them."""
    if context.invoked_subcommand is None:
        print(context.get_help())
    commands = context.command.commands if isinstance(context.command, TyperGroup) else ()
    context.default_map = {name: {"lang": lang or language_of_the_system()} for name in commands}


def language_of_the_system() -> str:
    """The language that the environment asks for, if it is one of ours; otherwise English."""
    asked = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return next((lang for lang in LANGUAGES if asked.partition("_")[0] == lang), "en")


def players_of(of: Game, players: int | None) -> int:
    """The number of players asked for; else as many as usually play."""
    return of.usual_players if players is None else players


def options_of(of: Game, given: Sequence[str] | None, say: Speaker) -> dict[str, Any]:
    """The options of a game from texts like `goal=30`."""
    values = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or name in values:
            raise TeerlingError(say("an option is given once, as in name=value, not {text!r}", text=text))
        values[name] = value
    return of.check_options(values)


def given(options: Mapping[str, object]) -> str | None:
    """The first of these options that was given."""
    return next((name for name, value in options.items() if value is not None and value is not False), None)
