"""The command line: `teerling --help` tells what there is."""

import gc
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from . import files
from .engine import CHANCE
from .errors import NothingToTakeBack, TeerlingError
from .game import Game, game, game_ids, list_games
from .match import Match, new
from .options import Choice, Counts, Flag, Number, Option
from .players import USUAL, hint
from .players import level as player_of_level
from .players.hint import ADVISER
from .terminal.contest import print_arena
from .terminal.hints import print_hint
from .terminal.looks import (
    ask,
    board_of,
    both_texts,
    console,
    decider,
    drawn,
    number_in,
    print_choices,
    print_heading,
    print_odds,
    print_result,
    sentences,
    turn_of,
)
from .terminal.matchfiles import check_new, create, opened, rewrite, text_of
from .terminal.review import print_review, review_bar
from .terminal.rulebook import pages_of, rule_in
from .terminal.session import PAUSE, TerminalSession, place_for
from .terminal.simulation import print_simulation, print_study, progress_bar
from .words import LANGUAGES, Speaker, capital

if TYPE_CHECKING:
    from rich.text import Text


SEATED = ("Anne", "Bram", "Cleo", "Daan", "Emma", "Floor")
"""Who sits at a seat where nobody else does."""


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
LabSeed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Picture = Annotated[Path | None, typer.Option(help="Draw a picture, .svg or .png.")]
Seat = Annotated[int | None, typer.Option(help="Show what this seat may know; seats count from 0.")]


def remember_language(context: typer.Context, lang: str) -> str:
    """Lets all commands know in which language to refuse something."""
    context.find_root().obj = lang
    return lang


Lang = Annotated[str, typer.Option(help="nl or en.", show_default=False, callback=remember_language)]


def show_version(wanted: bool) -> None:
    """Prints the version and ends."""
    if wanted:
        from . import __version__

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


# Games and their rules


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


# Match files


@app.command("new")
def new_match(
    id: GameId,
    players: Players = None,
    seed: Seed = None,
    manual: Annotated[bool, typer.Option("--manual", help="Chance is entered by hand.")] = False,
    option: Chosen = None,
    name: Annotated[list[str] | None, typer.Option(help="Of the player at seat 0, then 1, ….")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file; else it is printed.")] = None,
    lang: Lang = "en",
) -> None:
    """Begin a match file, to be played on with `push`."""
    of = game(id)
    say = Speaker(lang, of)
    match = new(
        id,
        players=players_of(of, players),
        seed=seed,
        chance="manual" if manual else "sealed",
        names=name or (),
        **options_of(of, option, say),
    )
    if output is None:
        print(match.save(), end="")
        return
    create(output, match.save(), say)
    console().print(say("{path} is ready", path=output) + ": " + turn_of(match, say))


@app.command("show")
def show_match(path: File, seat: Seat = None, lang: Lang = "en") -> None:
    """Show the board and what can be done now."""
    match, say = opened(path, lang)
    board = board_of(match, say, decider(match) if seat is None else seat)
    out = console()
    print_heading(out, match, say)
    out.print(board)
    out.print()
    if match.over:
        print_result(out, match, say)
    elif match.turn == CHANCE:
        print_odds(out, match, seat, say)
    elif seat in (None, match.turn):
        print_choices(out, [both_texts(move, say) for move in match.legal_moves])


@app.command("push")
def push_moves(
    path: File,
    moves: Annotated[list[str], typer.Argument(metavar="MOVE…", help="Each in quotes, as in 'bid 13'.")],
    lang: Lang = "en",
) -> None:
    """Make moves in a match file: all of them, or none if one is not legal."""
    match, say = opened(path, lang)
    happened: list[Text] = []
    for move in moves:
        seat = decider(match)
        known = len(match.events_of(seat))
        match.push(move)
        happened += sentences(match.events_of(seat)[known:], match, say)
    rewrite(path, match.save(), say)
    out = console()
    for sentence in happened:
        out.print(sentence)
    out.print(capital(turn_of(match, say)), style="bold")


@app.command("pop")
def pop_move(path: File, lang: Lang = "en") -> None:
    """Take back the last move of a match file."""
    match, say = opened(path, lang)
    move = match.pop()
    rewrite(path, match.save(), say)
    out = console()
    out.print(say("taken back: {move}", move=both_texts(move, say)))
    out.print(capital(turn_of(match, say)), style="bold")


@app.command("verify")
def verify_match(path: File, lang: Lang = "en") -> None:
    """Check that all moves are legal and that chance follows from the seed."""
    match, say = opened(path, lang)
    answers = sum(move.chance for move in match.history)
    decisions = len(match.history) - answers
    out = console()
    print_heading(out, match, say)
    out.print(say("decisions: {count}, all of them legal", count=decisions))
    if match.branch is not None:
        answers -= match.branch.given
        out.print(
            say(
                "branched from {source} at step {step}; chance events that are from there: {count}",
                source=match.branch.source,
                step=match.branch.step,
                count=match.branch.given,
            )
        )
    if files.read(text_of(path, say)).seed is not None:
        out.print(say("chance events: {count}, all of them following from the seed", count=answers))
    elif match.seal is not None:
        out.print(
            say(
                "chance events: {count}, all of them possible; whether they follow from the seed "
                "can be checked once the file holds the seed",
                count=answers,
            )
        )
    else:
        out.print(
            say(
                "chance events: {count}, all of them possible; they were entered by hand, "
                "so there is no seed to check them by",
                count=answers,
            )
        )
    if match.taken_back:
        out.print(
            say(
                "take backs after chance: {count}; of nature's row they left out {draws}",
                count=len(match.taken_back), draws=sum(each.draws for each in match.taken_back),
            )
        )  # fmt: skip
    if match.seal is not None:
        out.print(say("seal: {seal}", seal=match.seal))


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


# A game at the terminal


@app.command("play")
def play_game(
    what: Annotated[str, typer.Argument(metavar="GAME", help="A game's id, or a match file to go on with.")],
    players: Players = None,
    seed: Seed = None,
    seat: Annotated[int, typer.Option(help="Where you sit, counted from 0.")] = 0,
    name: Annotated[str | None, typer.Option(help="What you are called.")] = None,
    option: Chosen = None,
    level: Annotated[str, typer.Option(help="Of the others: random, novice, …, master.")] = USUAL,
    fast: Annotated[bool, typer.Option("--fast", help="Without pauses.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where the match is saved.")] = None,
    lang: Lang = "en",
) -> None:
    """Play a game in the terminal against players of a level."""
    others = player_of_level(level)
    if what not in game_ids() and Path(what).exists():
        match, say = opened(Path(what), lang)
        if players is not None or seed is not None or option or name or output is not None:
            raise TeerlingError(say("{path} is a match already; only a seat can be chosen", path=what))
        path = Path(what)
    else:
        of = game(what)
        say = Speaker(lang, of)
        count = of.check_players(players_of(of, players))
        names = [name or say("Player") if i == seat else named for i, named in enumerate(SEATED[:count])]
        match = new(what, players=count, seed=seed, names=names, **options_of(of, option, say))
        path = output or place_for(match)
    match.view(seat)
    if output is not None:
        create(output, match.save(), say)
    patient = sys.stdin.isatty() and sys.stdout.isatty() and not fast
    TerminalSession(match, seat, others, say, path, PAUSE if patient else 0).play()


@app.command("hint")
def show_hint(
    path: File,
    seat: Annotated[int | None, typer.Option(help="Whose hint; otherwise of whoever is to move.")] = None,
    player: Annotated[str, typer.Option(help="Who is asked: club, expert, search:5s, ….")] = ADVISER,
    seed: Annotated[int, typer.Option(help="The same seed and number of playouts give the same hint.")] = 1,
    as_json: AsJson = False,
    lang: Lang = "en",
) -> None:
    """Rank the moves of whoever is to move, from what that seat may know, and say why."""
    match, say = opened(path, lang)
    err = console(stderr=True)
    with err.status(say("thinking …")) if err.is_terminal else nullcontext():
        found = hint(match, seat, player, seed)
    if as_json:
        print(json.dumps(found.as_dict(say), ensure_ascii=False))
    else:
        print_hint(found, say)


# Looking back


@app.command("replay")
def replay_match(
    path: File,
    seat: Seat = None,
    everything: Annotated[bool, typer.Option("--all", help="Print everything at once.")] = False,
    lang: Lang = "en",
) -> None:
    """Look back at a match, step by step. What is secret is shown once the match is over."""
    match, say = opened(path, lang)
    match.view(seat)
    out = console()
    sees_all = seat is None and match.over
    events = match.events if sees_all else match.events_of(seat)
    stages = stages_of(match, seat, sees_all)
    place = 0
    while 0 <= place < len(stages):
        stage, shown = stages[place]
        known = stages[place - 1][1] if place else 0
        out.rule(f"{place}/{len(stages) - 1}", style="dim")
        for line in sentences(events[known:shown], match, say):
            out.print(line)
        if not everything or place == len(stages) - 1:
            out.print(drawn(stage, seen(stage, seat, sees_all), say))
        if everything:
            place += 1
        else:
            place = turned(place, len(stages), say)
    if match.over and place == len(stages):
        out.print()
        print_result(out, match, say)


def seen(match: Match, seat: int | None, sees_all: bool) -> dict[str, Any]:
    """What a seat sees, or everything."""
    view = match.view(seat)
    return {**view, "board": match.position()} if sees_all else view


def stages_of(match: Match, seat: int | None, sees_all: bool) -> list[tuple[Match, int]]:
    """The match after every push, and how many events there were by then."""
    walker = match.copy()
    found = []
    while True:
        events = walker.events if sees_all else walker.events_of(seat)
        found.append((walker.copy(), len(events)))
        try:
            walker.pop()
        except NothingToTakeBack:
            return found[::-1]


def turned(place: int, stages: int, say: Speaker) -> int:
    """The stage that somebody wants to see next; behind the last one to end."""
    while True:
        answer = ask(say("Enter: next, b: back, a number: go there, q: quit") + " › ")
        if answer in ("", "b", "q"):
            return {"": place + 1, "b": max(0, place - 1), "q": -1}[answer]
        if 0 <= number_in(answer) < stages:
            return number_in(answer)
        print(say("choose a number from 0 to {most}", most=stages - 1))


@app.command("review")
def review_match(
    path: File,
    budget: Annotated[
        str | None, typer.Option(help="Playouts from every position, as in 64, or a time, as in 20s.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write one page with everything.")] = None,
    as_json: AsJson = False,
    lang: Lang = "en",
) -> None:
    """Tell of a match that is over what was luck, what was skill, and what would have been better."""
    from .lab.review import Budget, review
    from .lab.review_page import page_of

    match, say = opened(path, lang)
    allowed = Budget() if budget is None else Budget.of(budget)
    if html is not None:
        check_new(html, say)
    with review_bar(say) as progress:
        found = review(match, allowed, progress=progress)
    if html is not None:
        create(html, page_of(found, say), say)
    if as_json:
        print(json.dumps(found.as_dict(say), ensure_ascii=False))
    else:
        print_review(found, say)
        if html is not None:
            console().print(say("the page is in {path}", path=html), style="dim")


# The lab


@app.command("simulate")
def simulate_games(
    id: GameId,
    players: Players = None,
    count: Annotated[
        int | None, typer.Option("--games", help="How many games; 100000, or 1000 with --out.")
    ] = None,
    seed: LabSeed = 1,
    threads: Annotated[
        int | None, typer.Option(help="As many as there are cores if nothing is said.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or gpu; both play the very same games.")] = "cpu",
    option: Chosen = None,
    out: Annotated[Path | None, typer.Option(help="Write every game to this file, as in x.parquet.")] = None,
    players_are: Annotated[
        str | None, typer.Option(metavar="PLAYER,…", help="Who plays, seat by seat; with --out.")
    ] = None,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Everybody moves up a seat in each game; with --out.")
    ] = False,
    luck: Annotated[
        int | None, typer.Option(help="Measure luck by so many playouts from every position; with --out.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="How many processes write --out; otherwise one a core.")
    ] = None,
    ray: Annotated[bool, typer.Option("--ray", help="Spread over a Ray cluster; with --out.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --out.")] = False,
    as_json: AsJson = False,
    plot: Picture = None,
    lang: Lang = "en",
) -> None:
    """Play many games, at random unless told otherwise, and show what comes of them."""
    from .lab import simulate, simulate_to_parquet
    from .lab.plot import check, draw

    of = game(id)
    say = Speaker(lang, of)
    options = options_of(of, option, say)
    if out is not None:
        if wrong := given({"--threads": threads, "--device": device != "cpu", "--plot": plot}):
            raise TeerlingError(say("{option} does not go with --out", option=wrong))
        count = 1000 if count is None else count
        names = ["random"] if players_are is None else [name.strip() for name in players_are.split(",")]
        with progress_bar(of, count, say) as progress:
            written = simulate_to_parquet(
                of,
                out,
                players,
                count,
                seed,
                options,
                names,
                rotate,
                luck or 0,
                workers,
                ray,
                force,
                progress,
            )
        if as_json:
            print(json.dumps(written.as_dict()))
        else:
            print_study(written, of, say)
        return
    of_files = {"--players-are": players_are, "--rotate": rotate, "--luck": luck, "--workers": workers,
                "--ray": ray, "--force": force}  # fmt: skip
    if wrong := given(of_files):
        raise TeerlingError(
            say("{option} needs a file for the games, as in --out results.parquet", option=wrong)
        )
    if plot is not None:
        check(plot, say)
    count = 100_000 if count is None else count
    with progress_bar(of, count, say) as progress:
        result = simulate(of, players_of(of, players), count, seed, options, threads, progress, device)
    if plot is not None:
        draw(result, plot, say)
    if as_json:
        print(json.dumps(result.as_dict()))
    else:
        print_simulation(result, say)
        if plot is not None:
            console().print(say("the picture is in {path}", path=plot), style="dim")


def given(options: Mapping[str, object]) -> str | None:
    """The first of these options that was given."""
    return next((name for name, value in options.items() if value is not None and value is not False), None)


@app.command("arena")
def hold_arena(
    id: GameId,
    players: Annotated[
        list[str], typer.Argument(metavar="PLAYER…", help="One for every seat, as in expert or plain:2000.")
    ],
    count: Annotated[int, typer.Option("--games", help="How many; rounded up to whole deals.")] = 400,
    seed: LabSeed = 1,
    workers: Annotated[
        int | None, typer.Option(help="As many as there are cores if nothing is said.")
    ] = None,
    option: Chosen = None,
    out: Annotated[Path | None, typer.Option(help="Keep the games in this file, and go on with it.")] = None,
    ray: Annotated[bool, typer.Option("--ray", help="Spread over a Ray cluster.")] = False,
    luck: Annotated[
        int | None, typer.Option(help="Measure luck by so many playouts from every position; 0: not.")
    ] = None,
    as_json: AsJson = False,
    plot: Picture = None,
    lang: Lang = "en",
) -> None:
    """Let players play against each other: every deal again by every seating."""
    from .lab.arena import arena
    from .lab.arena_plot import draw_arena
    from .lab.contest import Contest
    from .lab.plot import check

    of = game(id)
    say = Speaker(lang, of)
    options = options_of(of, option, say)
    if plot is not None:
        check(plot, say)
    rounded = len(Contest.between(of, players, seed, options, luck).jobs(count))
    with progress_bar(of, rounded, say) as progress:
        result = arena(of, players, count, seed, options, workers, out, ray, progress, luck)
    if as_json:
        print(json.dumps(result.as_dict()))
    else:
        print_arena(result, say)
    if plot is not None:
        draw_arena(result, plot, say)
        if not as_json:
            console().print(say("the picture is in {path}", path=plot), style="dim")
    if result.stopped:
        raise typer.Exit(130)


@app.command("serve")
def serve_tables(
    host: Annotated[str, typer.Option(help="The address that takes visitors.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")] = 8000,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where games are kept.")] = None,
    database: Annotated[str | None, typer.Option(metavar="URL", help="Another database.")] = None,
    redis: Annotated[str | None, typer.Option(metavar="URL", help="For several servers at it.")] = None,
    lang: Lang = "en",
) -> None:
    """Open the web table: play in the browser, alone, with bots, with friends."""
    from .server.door.entrance import listen, settings_of

    say = Speaker(lang)
    settings = settings_of(data, say, database, redis)
    # Where several serve, the others answer until this one does.
    with listen(host, port, say, at_once=not settings.is_shared) as listening:
        # What is loaded stays: looking for garbage in it would be a sixth of the start.
        gc.disable()
        from .server.run import serve

        serve(listening, host, settings, open_page, say)


@app.command("think")
def think_for_servers(
    redis: Annotated[
        str, typer.Option(metavar="URL", envvar="TEERLING_REDIS", help="The Redis of the servers.")
    ],
    threads: Annotated[int | None, typer.Option(min=1, help="How many things at once.")] = None,
    of: Annotated[list[str] | None, typer.Option("--game", metavar="GAME", help="Only about this.")] = None,
    lang: Lang = "en",
) -> None:
    """Think for servers on this machine: bots' moves, hints, reviews and puzzles."""
    from .server.thinking.process import think

    think(redis, threads, [game(each) for each in of or ()], lang)


@app.command("backup")
def back_up_tables(
    file: Annotated[Path, typer.Argument(help="A new file; one that ends in .db is a copy of SQLite.")],
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where games are kept.")] = None,
    lang: Lang = "en",
) -> None:
    """Write all tables and people to a file, also while the server runs."""
    from .server.database.backup import back_up
    from .server.settings import Settings

    counts, say = back_up(Settings.read(data), file), Speaker(lang)
    print(say("{tables} tables and {people} people are in {file}.", file=file, **counts))


@app.command("restore")
def restore_tables(
    file: Annotated[Path, typer.Argument(help="What teerling backup wrote.")],
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where games are kept.")] = None,
    lang: Lang = "en",
) -> None:
    """Take a backup back into an empty database; no server may be using it."""
    from .server.database.backup import restore
    from .server.run import alone_with
    from .server.settings import Settings

    settings, say = Settings.read(data), Speaker(lang)
    with alone_with(settings, say):
        counts = restore(settings, file)
    print(say("{tables} tables and {people} people are back.", **counts))


@app.command("migrate")
def migrate_tables(
    to: Annotated[str | None, typer.Option(help="A schema, such as 0003; the newest unless told.")] = None,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where games are kept.")] = None,
    lang: Lang = "en",
) -> None:
    """Bring the database to another schema, on or a step back; no server may be using it."""
    from .server.database.backup import migrate
    from .server.run import alone_with
    from .server.settings import Settings

    settings, say = Settings.read(data), Speaker(lang)
    with alone_with(settings, say):
        before, after = migrate(settings, to)
    print(say("the schema of the database was {before}, and is {after} now", before=before, after=after))


@app.command("bench")
def bench_games(
    id: Annotated[list[str] | None, typer.Option("--game", help="Only this game; may be repeated.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter and rougher.")] = False,
    web: Annotated[bool, typer.Option("--web", help="The web table instead of the engine.")] = False,
    page: Annotated[bool, typer.Option("--page", help="Its pages in a browser instead.")] = False,
    reviews: Annotated[bool, typer.Option("--reviews", help="Tables while many wait for reviews.")] = False,
    field: Annotated[bool, typer.Option("--field", help="Beside games of other projects instead.")] = False,
    as_json: AsJson = False,
    lang: Lang = "en",
) -> None:
    """Measure how fast everything is, beside what it should be."""
    from .bench.engine import bench
    from .bench.field import field_bench
    from .bench.page import page_bench
    from .bench.reviews import review_bench
    from .bench.web import web_bench

    kinds = ((field, field_bench), (page, page_bench), (reviews, review_bench), (web, web_bench))
    measure = next((kind for asked, kind in kinds if asked), bench)
    measure([game(each) for each in id] if id else list_games(), quick, as_json, Speaker(lang))


def main() -> None:
    """Runs the command line."""
    app()
