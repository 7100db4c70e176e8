"""Commands about match files: begin one, show it, play it on, check it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import files
from ..engine import CHANCE
from ..game import game
from ..match import new
from ..terminal.looks import (
    board_of,
    both_texts,
    console,
    decider,
    print_choices,
    print_heading,
    print_odds,
    print_result,
    sentences,
    turn_of,
)
from ..terminal.matchfiles import create, opened, rewrite, text_of
from ..words import Speaker, capital
from .app import Chosen, File, GameId, Lang, Players, Seat, Seed, app, options_of, players_of

if TYPE_CHECKING:
    from rich.text import Text


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
