"""Commands for whoever serves tables to others."""

import gc
from pathlib import Path
from typing import Annotated

import typer

from ..game import game
from ..words import Speaker
from .app import Lang, app


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
    from ..server.door.entrance import listen, settings_of

    say = Speaker(lang)
    settings = settings_of(data, say, database, redis)
    # Where several serve, the others answer until this one does.
    with listen(host, port, say, at_once=not settings.is_shared) as listening:
        # What is loaded stays: looking for garbage in it would be a sixth of the start.
        gc.disable()
        from ..server.run import serve

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
    from ..server.thinking.process import think

    think(redis, threads, [game(each) for each in of or ()], lang)


@app.command("backup")
def back_up_tables(
    file: Annotated[Path, typer.Argument(help="A new file; one that ends in .db is a copy of SQLite.")],
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where games are kept.")] = None,
    lang: Lang = "en",
) -> None:
    """Write all tables and people to a file, also while the server runs."""
    from ..server.database.backup import back_up
    from ..server.settings import Settings

    counts, say = back_up(Settings.read(data), file), Speaker(lang)
    print(say("{tables} tables and {people} people are in {file}.", file=file, **counts))


@app.command("restore")
def restore_tables(
    file: Annotated[Path, typer.Argument(help="What teerling backup wrote.")],
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where games are kept.")] = None,
    lang: Lang = "en",
) -> None:
    """Take a backup back into an empty database; no server may be using it."""
    from ..server.database.backup import restore
    from ..server.run import alone_with
    from ..server.settings import Settings

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
    from ..server.database.backup import migrate
    from ..server.run import alone_with
    from ..server.settings import Settings

    settings, say = Settings.read(data), Speaker(lang)
    with alone_with(settings, say):
        before, after = migrate(settings, to)
    print(say("the schema of the database was {before}, and is {after} now", before=before, after=after))
