"""Commands for whoever plays: a match in the terminal, and a hint."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from ..errors import TeerlingError
from ..game import game, game_ids
from ..match import new
from ..players import USUAL, hint
from ..players import level as player_of_level
from ..players.hint import ADVISER
from ..terminal.hints import print_hint
from ..terminal.looks import console
from ..terminal.matchfiles import create, opened
from ..terminal.session import PAUSE, TerminalSession, place_for
from ..words import Speaker
from .app import AsJson, Chosen, File, Lang, Players, Seed, app, options_of, players_of

SEATED = ("Anne", "Bram", "Cleo", "Daan", "Emma", "Floor")
"""Who sits at a seat where nobody else does."""


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
