"""Commands of the lab: many games, players against each other, and how fast everything is."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ..errors import TeerlingError
from ..game import game, list_games
from ..terminal.contest import print_arena
from ..terminal.looks import console
from ..terminal.simulation import print_simulation, print_study, progress_bar
from ..words import Speaker
from .app import AsJson, Chosen, GameId, Lang, Players, app, given, options_of, players_of

LabSeed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
Picture = Annotated[Path | None, typer.Option(help="Draw a picture, .svg or .png.")]


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
    from ..lab import simulate, simulate_to_parquet
    from ..lab.plot import check, draw

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
    from ..lab.arena import arena
    from ..lab.arena_plot import draw_arena
    from ..lab.contest import Contest
    from ..lab.plot import check

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
    from ..bench.engine import bench
    from ..bench.field import field_bench
    from ..bench.page import page_bench
    from ..bench.reviews import review_bench
    from ..bench.web import web_bench

    kinds = ((field, field_bench), (page, page_bench), (reviews, review_bench), (web, web_bench))
    measure = next((kind for asked, kind in kinds if asked), bench)
    measure([game(each) for each in id] if id else list_games(), quick, as_json, Speaker(lang))
