"""The command line: `teerling --help` tells what there is."""

import difflib
import json
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from fractions import Fraction
from itertools import count, groupby
from pathlib import Path
from shutil import copymode
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from . import files
from .engine import CHANCE
from .errors import IllegalMove, NothingToTakeBack, TeerlingError, UnknownMove
from .game import Event, Game, Move, game, game_ids, games
from .match import Match, load, new
from .options import Choice, Counts, Flag, Number, Option
from .words import LANGUAGES, Speaker

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

    from .lab import Simulation, Spread

USUAL_PLAYERS = 4
SEATED = ("Anne", "Bram", "Cleo", "Daan", "Emma", "Floor")
"""Who sits at a seat where nobody else does."""
PAUSE, LONGEST_PAUSE = 0.3, 3.0
"""Seconds between two lines of what happened, for somebody who reads along."""
SPARKS = " ▁▂▃▄▅▆▇█"
SPARK_WIDTH = 12


class Commands(TyperGroup):
    """All commands: whatever they refuse ends in one line and exit code 2."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        for stream in (sys.stdout, sys.stderr):
            # A terminal that can not show ☀ gets a question mark, not a traceback.
            with suppress(AttributeError):
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        try:
            code = super().main(*args, **{**extra, "prog_name": "teerling", "standalone_mode": False})
        except typer.TyperException as error:
            context = getattr(error, "ctx", None)
            command = context.command_path if context else "teerling"
            refuse(f"{error.format_message().rstrip('.')}; see {command} --help")
        except TeerlingError as error:
            refuse(str(error))
        except OSError as error:
            refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        sys.exit(code)


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
Seat = Annotated[int | None, typer.Option(help="Show what this seat may know; seats count from 0.")]
Lang = Annotated[str, typer.Option(help="nl or en.", show_default=False)]


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
def list_games(lang: Lang = "en") -> None:
    """List the games and their options."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for each in games():
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


def pages_of(of: Game, say: Speaker) -> list[str]:
    """The rules page of a game, in English if there is no other, and the page for all games."""
    own = [of.folder / f"rules.{lang}.md" for lang in (say.lang, "en")]
    page = next((path for path in own if path.exists()), None)
    if page is None:
        raise TeerlingError(say("{game} has no rules page in {folder}", game=of.name, folder=of.folder))
    common = Path(__file__).parent / "games" / f"rules.{say.lang}.md"
    return [path.read_text(encoding="utf-8") for path in (page, common)]


def rule_in(pages: Iterable[str], rule: str, say: Speaker) -> str:
    """The text of one rule, with the table that follows it."""
    lines = [line for page in pages for line in page.splitlines()]
    first = next((i for i, line in enumerate(lines) if line.startswith(f"- **{rule.upper()}**")), None)
    if first is None:
        raise TeerlingError(say("there is no rule {rule!r} here; a rule looks like RA-12", rule=rule))
    after = range(first + 1, len(lines))
    last = next((i for i in after if lines[i].startswith(("- **", "#"))), len(lines))
    return "\n".join(lines[first:last])


def introduction(page: str) -> str:
    """What stands between the title of a page and the first heading."""
    return page.partition("\n## ")[0].partition("\n")[2]


# Match files


@app.command("new")
def new_match(
    id: GameId,
    players: Players = None,
    seed: Seed = None,
    manual: Annotated[bool, typer.Option("--manual", help="Chance is pushed by hand.")] = False,
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
        with explaining(move, match, say):
            match.push(move)
        happened += sentences(match.events_of(seat)[known:], match, say)
    rewrite(path, match.save(), say)
    out = console()
    for sentence in happened:
        out.print(sentence)
    out.print(turn_of(match, say), style="bold")


@app.command("pop")
def pop_move(path: File, lang: Lang = "en") -> None:
    """Take back the last move of a match file."""
    match, say = opened(path, lang)
    move = match.pop()
    rewrite(path, match.save(), say)
    out = console()
    out.print(say("taken back: {move}", move=both_texts(move, say)))
    out.print(turn_of(match, say), style="bold")


@app.command("verify")
def verify_match(path: File, lang: Lang = "en") -> None:
    """Check that all moves are legal and that chance follows from the seed."""
    match, say = opened(path, lang)
    answers = sum(move.chance for move in match.history)
    decisions = len(match.history) - answers
    out = console()
    print_heading(out, match, say)
    out.print(say("decisions: {count}, all of them legal", count=decisions))
    if files.read(text_of(path, say)).seed is not None:
        out.print(say("chance events: {count}, all of them as the seed has it", count=answers))
    elif match.seal is not None:
        out.print(
            say(
                "chance events: {count}, all of them possible; whether they follow from the seed "
                "can be checked once the file tells the seed",
                count=answers,
            )
        )
    else:
        out.print(
            say(
                "chance events: {count}, all of them possible; they were pushed by hand, "
                "so there is no seed to check them by",
                count=answers,
            )
        )
    if match.seal is not None:
        out.print(say("seal: {seal}", seal=match.seal))


def players_of(of: Game, players: int | None) -> int:
    """The number of players asked for; else four, or what is nearest to four."""
    return min(of.players, key=lambda n: abs(n - USUAL_PLAYERS)) if players is None else players


def options_of(of: Game, given: Sequence[str] | None, say: Speaker) -> dict[str, Any]:
    """The options of a game from texts like `goal=30`."""
    values = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or name in values:
            raise TeerlingError(say("an option is given once, as in name=value, not {text!r}", text=text))
        values[name] = value
    return of.check_options(values)


def opened(path: Path, lang: str) -> tuple[Match, Speaker]:
    """The match of a file, and who speaks of it."""
    text = text_of(path, Speaker(lang))
    try:
        match = load(text)
    except TeerlingError as error:
        raise TeerlingError(f"{path}: {error}") from None
    return match, Speaker(lang, match.game)


def text_of(path: Path, say: Speaker) -> str:
    """What stands in a file."""
    with naming(path, say):
        return path.read_text(encoding="utf-8-sig")


def create(path: Path, text: str, say: Speaker) -> None:
    """Writes a file that is not there yet."""
    with naming(path, say):
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileNotFoundError:
            message = say("{path} can not be made: there is no such folder", path=path)
            raise TeerlingError(message) from None


def rewrite(path: Path, text: str, say: Speaker) -> None:
    """Replaces what stands in a file, all at once."""
    target = path.resolve()
    with naming(path, say):
        if not os.access(target, os.W_OK):
            raise PermissionError
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
            copymode(target, name)
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise


@contextmanager
def naming(path: Path, say: Speaker) -> Iterator[None]:
    """Lets every failure to read or write name the file and say what would be right."""
    try:
        yield
    except FileNotFoundError:
        raise TeerlingError(say("there is no file {path}; teerling new makes one", path=path)) from None
    except FileExistsError:
        raise TeerlingError(say("{path} is there already; choose another name", path=path)) from None
    except IsADirectoryError:
        raise TeerlingError(say("{path} is a folder, not a match file", path=path)) from None
    except PermissionError:
        raise TeerlingError(say("{path}: its permissions do not allow this", path=path)) from None
    except UnicodeDecodeError:
        raise TeerlingError(say("{path} is not a text in UTF-8, as match files are", path=path)) from None
    except OSError as error:
        raise TeerlingError(f"{path}: {error.strerror}") from None


@contextmanager
def explaining(move: str, match: Match, say: Speaker) -> Iterator[None]:
    """Says in the reader's language why a move can not be made."""
    try:
        yield
    except IllegalMove as error:
        if error.why is None:
            raise
        raise TeerlingError(refusal(move, error.why, match, say)) from None


def refusal(move: str, why: Event, match: Match, say: Speaker) -> str:
    """Why a move is not legal, with the rule."""
    because = say.say(why, match.names)
    return say("{move} is not possible now: {reason} ({rule})", move=move, reason=because, rule=why.rule)


# What a match looks like


def console(**settings: Any) -> "Console":
    """Where things are printed: as they are, without anything marked up by guessing."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, **settings)


def decider(match: Match) -> int | None:
    """The seat to decide; None if there is none."""
    return None if match.turn == CHANCE else match.turn


def board_of(match: Match, say: Speaker, seat: int | None) -> "RenderableType":
    """The board as a seat sees it."""
    return drawn(match, match.view(seat), say)


def drawn(match: Match, view: dict[str, Any], say: Speaker) -> "RenderableType":
    """A view, drawn by its game, or as it is if the game can not draw."""
    from rich.pretty import Pretty

    return match.game.board(view, say) if match.game.board else Pretty(view["board"])


def name_of(match: Match, seat: int, say: Speaker) -> str:
    """What a seat is called."""
    unnamed = match.names[seat] == f"seat {seat}"
    return say("seat {number}", number=seat) if unnamed else match.names[seat]


def turn_of(match: Match, say: Speaker) -> str:
    """Who is to move, in a sentence."""
    if match.turn is None:
        return say("the match is over")
    if match.turn == CHANCE:
        return say("nature is to answer; push an outcome by hand")
    return say("{seat} is to move", seat=seat_and_name(match, match.turn, say))


def seat_and_name(match: Match, seat: int, say: Speaker) -> str:
    """A seat's number, and its name if it has one."""
    number = say("seat {number}", number=seat)
    name = name_of(match, seat, say)
    return number if name == number else f"{name} ({number})"


def print_heading(out: "Console", match: Match, say: Speaker) -> None:
    """Which match this is, and who is to move."""
    players = say("{count} players", count=match.players)
    moves = say.plural("{n} move", "{n} moves", len(match.history))
    out.print(f"{match.game.name} · {players} · {moves} · {turn_of(match, say)}", style="bold")


def sentences(events: Iterable[Event], match: Match, say: Speaker) -> "list[Text]":
    """Events as sentences with their rules; what a seat scores at once stands together."""
    from rich.text import Text

    found = []
    for scorer, group in groupby(events, lambda event: event.seat if event.kind == "scored" else None):
        if scorer is None:
            found += [said(event, match, say) for event in group]
        else:
            lines = [_score_line(event, say) for event in group]
            found.append(Text(f"{name_of(match, scorer, say)}: ") + Text(", ").join(lines))
    return found


def said(event: Event, match: Match, say: Speaker) -> "Text":
    """An event as a sentence with its rule."""
    from rich.text import Text

    return Text(say.say(event, match.names)) + Text(f"  {event.rule}", style="dim")


def _score_line(event: Event, say: Speaker) -> "Text":
    from rich.text import Text

    points = event.data["points"]
    line = Text(f"{points:+d}", style="green" if points > 0 else "red")
    return line + Text(f" {say(event.data['line'])}") + Text(f" {event.rule}", style="dim")


def spoken(move: Move, say: Speaker) -> str:
    """A move in the reader's language, term by term, the longest terms first."""
    words, found = list(move.parts), []
    while words:
        terms = ((length, " ".join(words[:length])) for length in range(len(words), 0, -1))
        length, term = next((n, term) for n, term in terms if n == 1 or say(term) != term)
        found.append(say(term))
        del words[:length]
    return " ".join(found)


def both_texts(move: Move, say: Speaker) -> str:
    """A move as it is written in files, and in the reader's language if that differs."""
    translated = spoken(move, say)
    return move.text if translated == move.text else f"{move.text} ({translated})"


def print_choices(out: "Console", choices: Sequence[str]) -> None:
    """Choices in as many columns as there is room for, to be read downwards."""
    from rich.text import Text

    width = max(map(len, choices)) + 3
    rows = -(-len(choices) // max(1, (out.width + 3) // width))
    for row in range(rows):
        line = "".join(f"{choice:<{width}}" for choice in choices[row::rows])
        out.print(Text(line.rstrip(), no_wrap=True, overflow="ellipsis"))


def ask(prompt: str) -> str:
    """What somebody answers; whoever ends the input wants to quit."""
    with suppress(ImportError):
        import readline  # noqa: F401  (it lets arrow keys edit the answer)
    try:
        answer = " ".join(input(prompt).lower().split())
    except (EOFError, KeyboardInterrupt):
        print()
        return "q"
    if not sys.stdin.isatty():
        print(answer)
    return answer


def number_in(answer: str) -> int:
    """The number that somebody answered; -1 if it is none."""
    return int(answer) if answer.isdecimal() and len(answer) < 10 else -1


def print_odds(out: "Console", match: Match, seat: int | None, say: Speaker) -> None:
    """What chance may bring, and how likely that is by what a seat knows."""
    state = match.state if seat is None else match.game.observed(match.state, seat)
    weights = match.game.weights(state)
    odds = {match.game.move(id, chance=True): Fraction(w, sum(weights)) for id, w in enumerate(weights) if w}
    texts = {both_texts(move, say): chance for move, chance in odds.items()}
    width = max(map(len, texts))
    print_choices(
        out, [f"{text:<{width}} {percent(p, say):>7} {p!s:>6}" for text, p in texts.items()]
    )  # fmt: skip


def print_result(out: "Console", match: Match, say: Speaker) -> None:
    """Where everybody's points came from, line by line, and who ended where."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("")
    for seat in range(match.players):
        table.add_column(name_of(match, seat, say), justify="right")
    table.add_column("")
    rows: dict[tuple[str, str], list[int]] = {}
    for event in match.score_lines():
        row = rows.setdefault((event.data["line"], event.rule), [0] * match.players)
        row[event.seat or 0] += event.data["points"]
    before = [score - sum(row[seat] for row in rows.values()) for seat, score in enumerate(match.scores)]
    if any(before):
        table.add_row(say("at the start"), *map(str, before))
    for (line, rule), row in sorted(rows.items(), key=lambda entry: entry[0][1]):
        table.add_row(say(line), *(f"{points:+d}" if points else "" for points in row), rule, style="dim")
    table.add_row(say("total"), *map(str, match.scores), style="bold")
    table.add_row(say("final rank"), *map(str, match.ranks), style="bold yellow")
    out.print(table)


def percent(part: float | Fraction, say: Speaker) -> str:
    """A part as a percentage."""
    return f"{say.number(float(100 * part), 1)} %"


# A game at the terminal


@app.command("play")
def play_game(
    what: Annotated[str, typer.Argument(metavar="GAME", help="A game's id, or a match file to go on with.")],
    players: Players = None,
    seed: Seed = None,
    seat: Annotated[int, typer.Option(help="Where you sit, counted from 0.")] = 0,
    name: Annotated[str | None, typer.Option(help="What you are called.")] = None,
    option: Chosen = None,
    fast: Annotated[bool, typer.Option("--fast", help="Without pauses.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where the match is saved.")] = None,
    lang: Lang = "en",
) -> None:
    """Play a game in the terminal against random players."""
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
    Evening(match, seat, say, path, PAUSE if patient else 0).play()


def place_for(match: Match) -> Path:
    """A file for a match that nobody has named, in the user's own folder."""
    from platformdirs import user_data_path

    folder = user_data_path("teerling", appauthor=False) / "matches"
    return folder / f"{match.game.id}-{datetime.now():%Y-%m-%d-%H%M}-{str(match.seal)[:6]}.txt"


class Evening:
    """Somebody at a terminal who plays a match against random players."""

    def __init__(self, match: Match, seat: int, say: Speaker, path: Path, pause: float) -> None:
        self.match = match
        self.seat = seat
        self.say = say
        self.path = path
        self.pause = pause
        self.out = console()
        self.told = 0
        """How many events have been told."""

    def play(self) -> None:
        """Plays until the match is over or the player has had enough; then saves it."""
        self.greet()
        try:
            while not self.match.over and self.step():
                pass
            if self.match.over:
                self.tell()
                self.out.print(board_of(self.match, self.say, self.seat))
                self.out.print()
                print_result(self.out, self.match, self.say)
        except KeyboardInterrupt:
            self.out.print()
        self.save()

    def greet(self) -> None:
        """Says who plays, and how."""
        match, say = self.match, self.say
        print_heading(self.out, match, say)
        others = [name_of(match, seat, say) for seat in range(match.players) if seat != self.seat]
        self.out.print(
            say.plural(
                "You are {name}; {others} chooses at random.",
                "You are {name}; {others} choose at random.",
                len(others),
                name=seat_and_name(match, self.seat, say),
                others=say.listed(others),
            )
        )
        self.out.print(say("A number or the words make a move; u takes back, ? helps, q quits."))

    def step(self) -> bool:
        """One decision, by the player or for somebody else; False if the player quits."""
        match = self.match
        if match.forced is None and match.turn in (self.seat, CHANCE):
            return self.decide()
        # Drawn anew for every turn: after a take-back the same luck returns.
        chooser = random.Random(f"{match.seal} {len(match.history)}")
        match.push(chooser.choice(match.legal_moves))
        return True

    def tell(self) -> None:
        """What happened since it was last told."""
        events = self.match.events_of(self.seat)
        lines = sentences(events[self.told :], self.match, self.say)
        self.told = len(events)
        self.out.print()
        for line in lines:
            line.highlight_words([self.match.names[self.seat]], "bold")
            self.out.print(line)
            time.sleep(min(self.pause, LONGEST_PAUSE / len(lines)))

    def decide(self) -> bool:
        """Shows the board and asks for a move until there is one; False if the player quits."""
        match = self.match
        self.tell()
        self.out.rule(style="dim")
        self.out.print(board_of(match, self.say, self.seat))
        self.out.print()
        if match.game.ask is not None and match.turn == self.seat:
            question = match.game.ask(match.game.observed(match.state, self.seat))
            self.out.print(said(question, match, self.say))
        moves = match.legal_moves
        digits = len(str(len(moves)))
        texts = [f"{i:>{digits}}  {spoken(move, self.say)}" for i, move in enumerate(moves, 1)]
        print_choices(self.out, texts)
        while True:
            answer = ask("› ")
            if answer == "q":
                return False
            if answer == "u" and self.take_back():
                return True
            move = None if answer == "u" else self.understood(answer)
            if move is not None:
                match.push(move)
                return True

    def take_back(self) -> bool:
        """Goes back to the player's last decision, if there is one."""
        pops = self.pops_to_last_decision()
        if not pops:
            self.complain(self.say("there is nothing to take back yet"))
            return False
        for _ in range(pops):
            self.match.pop()
        self.told = len(self.match.events_of(self.seat))
        self.out.print(self.say("Taken back; the same luck will return."), style="dim")
        return True

    def pops_to_last_decision(self) -> int:
        """How many moves have been made since the player decided something; 0 if that never was."""
        trial = self.match.copy()
        for pops in count(1):
            try:
                trial.pop()
            except NothingToTakeBack:
                break
            if trial.forced is None and trial.turn in (self.seat, CHANCE):
                return pops
        return 0

    def understood(self, answer: str) -> Move | None:
        """The move that an answer means; otherwise says what would be right."""
        say, moves = self.say, self.match.legal_moves
        asked = next((word for word in ("?", "why ", say("why") + " ") if answer.startswith(word)), None)
        if asked is not None:
            self.help(answer.removeprefix(asked).strip())
            return None
        if answer.isdecimal() or not answer:
            number = number_in(answer)
            if 1 <= number <= len(moves):
                return moves[number - 1]
            self.complain(say("choose a number from 1 to {most}", most=len(moves)))
            return None
        texts = {text: move for move in moves for text in (move.text, spoken(move, say).lower())}
        meant = {move for text, move in texts.items() if text.startswith(answer)}
        if answer in texts or len(meant) == 1:
            return texts.get(answer) or meant.pop()
        if meant:
            some = say.listed(sorted(spoken(move, say) for move in meant))
            self.complain(say("that may be {moves}", moves=some))
        else:
            self.explain(answer)
        return None

    def help(self, about: str) -> None:
        """Tells a rule, or why a move is not possible, or in short what the game is about."""
        from rich.markdown import Markdown

        if about and not re.fullmatch(r"[a-z]+-\d+", about):
            self.explain(about)
            return
        try:
            pages = pages_of(self.match.game, self.say)
            text = rule_in(pages, about, self.say) if about else introduction(pages[0])
        except TeerlingError as error:
            self.complain(str(error))
            return
        self.out.print(Markdown(text))
        if not about:
            hint = self.say(
                "? RULE tells a rule, as in ? {rule}; why MOVE tells why a move is not possible; "
                "teerling rules {game} prints all rules.",
                rule=self.a_rule(),
                game=self.match.game.id,
            )
            self.out.print(hint, style="dim")

    def a_rule(self) -> str:
        """The rule of what happened last."""
        events = self.match.events_of(self.seat)
        return events[-1].rule if events else "G-01"

    def explain(self, text: str) -> None:
        """Says why something is not possible now, or that it is no move at all."""
        match, say = self.match, self.say
        all_moves = map(match.game.move, range(len(match.game.decisions)))
        texts = {each: move for move in all_moves for each in (spoken(move, say).lower(), move.text)}
        near = difflib.get_close_matches(text, texts, 1)
        try:
            why = match.why(texts.get(text, text))
        except UnknownMove:
            hint = say("did you mean {move}?", move=near[0]) if near else say("choose one of those above")
            self.complain(say("{text!r} is no move; {hint}", text=text, hint=hint))
            return
        possible = say("this move is possible now")
        self.complain(possible if why is None else refusal(text, why, match, say))

    def complain(self, sentence: str) -> None:
        self.out.print(sentence, style="red")

    def save(self) -> None:
        """Saves a match in which something was decided, and says where."""
        if all(move.chance for move in self.match.history):
            return
        if self.path.exists():
            rewrite(self.path, self.match.save(), self.say)
        else:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            create(self.path, self.match.save(), self.say)
        over, say = self.match.over, self.say
        self.out.print()
        self.out.print(say("Saved. To see it again:") if over else say("Saved. To play on:"))
        self.out.print(f"  teerling {'replay' if over else 'play'} {self.path}", style="cyan", soft_wrap=True)


# Looking back


@app.command("replay")
def replay_match(
    path: File,
    seat: Seat = None,
    everything: Annotated[bool, typer.Option("--all", help="Print everything at once.")] = False,
    lang: Lang = "en",
) -> None:
    """Look back at a match, step by step."""
    match, say = opened(path, lang)
    match.view(seat)
    out = console()
    events = match.events if seat is None else match.events_of(seat)
    stages = stages_of(match, seat)
    place = 0
    while 0 <= place < len(stages):
        stage, told = stages[place]
        known = stages[place - 1][1] if place else 0
        out.rule(f"{place}/{len(stages) - 1}", style="dim")
        for line in sentences(events[known:told], match, say):
            out.print(line)
        if not everything or place == len(stages) - 1:
            out.print(drawn(stage, seen(stage, seat), say))
        if everything:
            place += 1
        else:
            place = turned(place, len(stages), say)
    if match.over and place == len(stages):
        out.print()
        print_result(out, match, say)


def seen(match: Match, seat: int | None) -> dict[str, Any]:
    """What a seat sees; whoever looks back without a seat sees all."""
    view = match.view(seat)
    return view if seat is not None else {**view, "board": match.position()}


def stages_of(match: Match, seat: int | None) -> list[tuple[Match, int]]:
    """The match after every push, and how many events had been told by then."""
    walker = match.copy()
    found = []
    while True:
        told = walker.events if seat is None else walker.events_of(seat)
        found.append((walker.copy(), len(told)))
        try:
            walker.pop()
        except NothingToTakeBack:
            return found[::-1]


def turned(place: int, stages: int, say: Speaker) -> int:
    """The stage that somebody wants to see next; behind the last one to end."""
    while True:
        answer = ask(say("Enter: on, b: back, a number: there, q: quit") + " › ")
        if answer in ("", "b", "q"):
            return {"": place + 1, "b": max(0, place - 1), "q": -1}[answer]
        if 0 <= number_in(answer) < stages:
            return number_in(answer)
        print(say("choose a number from 0 to {most}", most=stages - 1))


# The lab


@app.command("simulate")
def simulate_games(
    id: GameId,
    players: Players = None,
    count: Annotated[int, typer.Option("--games", help="How many games.")] = 100_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.")] = 1,
    threads: Annotated[
        int | None, typer.Option(help="As many as there are cores if nothing is said.")
    ] = None,
    option: Chosen = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw a picture, .svg or .png.")] = None,
    lang: Lang = "en",
) -> None:
    """Play many random games and show what comes of them."""
    from .lab import simulate
    from .lab.plot import check, draw

    of = game(id)
    say = Speaker(lang, of)
    if plot is not None:
        check(plot, say)
    with progress_bar(of, count, say) as progress:
        result = simulate(
            of, players_of(of, players), count, seed, options_of(of, option, say), threads, progress
        )
    if plot is not None:
        draw(result, plot, say)
    if as_json:
        print(json.dumps(result.as_dict()))
    else:
        print_simulation(result, say)
        if plot is not None:
            console().print(say("drawn in {path}", path=plot), style="dim")


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


@app.command("serve")
def serve_tables(
    host: Annotated[str, typer.Option(help="The address that takes visitors.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")] = 8000,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where games are kept.")] = None,
    lang: Lang = "en",
) -> None:
    """Open the web table: play in the browser, alone, with bots, with friends."""
    from .server.run import serve

    serve(host, port, open_page, data, lang)


@app.command("bench")
def bench_games(
    id: Annotated[list[str] | None, typer.Option("--game", help="Only this game; may be repeated.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter and rougher.")] = False,
    web: Annotated[bool, typer.Option("--web", help="The web table instead of the engine.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    lang: Lang = "en",
) -> None:
    """Measure how fast everything is, beside what it should be."""
    from .lab.bench import bench
    from .lab.webbench import web_bench

    measure = web_bench if web else bench
    measure([game(each) for each in id] if id else games(), quick, as_json, Speaker(lang))


def main() -> None:
    """Runs the command line."""
    app()
