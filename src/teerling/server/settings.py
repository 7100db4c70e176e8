"""What the server can be told: by arguments, or by environment variables that begin with TEERLING_."""

import os
import secrets
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import Phrase, TeerlingError

DURABILITIES = ("full", "process")


@dataclass(frozen=True)
class Settings:
    """How one server runs."""

    data: Path
    """The folder of the database and of the secret that signs cookies."""
    database_url: str
    secret: str = field(repr=False)
    bot_pause: float = 0.7
    """Seconds that a bot waits before it moves."""
    absent_after: float = 120.0
    """Seconds after which the others may give an absent player's seat to a bot, at a live table."""
    days_per_move: float = 3.0
    """The same at a table with days to move, in days."""
    storage_patience: float = 5.0
    """Seconds that something waits for a locked database before it is refused."""
    durability: str = "full"
    """full: a power cut loses nothing that was stored. process: the death of the server does not, and a move
    costs less."""
    table_memory: int = 512
    """Megabytes that tables may take in memory; beyond that those that nobody needs are put away."""
    most_tables: int = 100_000
    most_sockets: int = 5_000
    moves_per_second: float = 8.0
    """How many messages a socket or address may send, on average."""
    chat_per_second: float = 0.5
    """How many lines of chat a person may say, on average."""
    puzzles_after: float = 180.0
    """Seconds that a server runs before it looks for puzzles of the day, when it has leisure; 0 is never."""
    trusted_proxies: str = ""
    """Addresses of proxies that are believed when they say who asks, and that it came by https."""
    stream_seconds: float = 3600.0
    """After so long a program's stream of events ends; the program opens it again."""

    @property
    def shown_database_url(self) -> str:
        """Where the database is, without a password."""
        from sqlalchemy import make_url
        from sqlalchemy.exc import ArgumentError

        try:
            return make_url(self.database_url).render_as_string(hide_password=True)
        except ArgumentError:
            return "TEERLING_DATABASE_URL"

    @classmethod
    def read(cls, data: Path | None = None) -> "Settings":
        """The settings of this machine; the data folder is made if it is not there."""
        from platformdirs import user_data_path

        env = os.environ

        def number(name: str, usual: float, kind: type = float) -> Any:
            """A number from the environment."""
            text = env.get(name, "").strip()
            try:
                value = kind(text) if text else usual
            except ValueError:
                value = -1
            if not 0 <= value < float("inf"):
                raise TeerlingError(
                    Phrase("{name} must be a number that is not negative, not {text!r}", name=name, text=text)
                )
            return value

        durability = env.get("TEERLING_DURABILITY", "").strip() or cls.durability
        if durability not in DURABILITIES:
            raise TeerlingError(
                Phrase("TEERLING_DURABILITY is full or process, not {given!r}", given=durability)
            )
        folder = data or Path(env.get("TEERLING_DATA") or user_data_path("teerling", appauthor=False))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cls(
            data=folder,
            database_url=env.get("TEERLING_DATABASE_URL") or f"sqlite:///{folder / 'teerling.db'}",
            secret=env.get("TEERLING_SECRET") or _secret_of(folder / "secret"),
            bot_pause=number("TEERLING_BOT_PAUSE", cls.bot_pause),
            absent_after=number("TEERLING_ABSENT_AFTER", cls.absent_after),
            days_per_move=number("TEERLING_DAYS_PER_MOVE", cls.days_per_move),
            storage_patience=number("TEERLING_STORAGE_PATIENCE", cls.storage_patience),
            durability=durability,
            table_memory=number("TEERLING_TABLE_MEMORY", cls.table_memory, int),
            most_tables=number("TEERLING_MOST_TABLES", cls.most_tables, int),
            most_sockets=number("TEERLING_MOST_SOCKETS", cls.most_sockets, int),
            moves_per_second=number("TEERLING_MOVES_PER_SECOND", cls.moves_per_second),
            chat_per_second=number("TEERLING_CHAT_PER_SECOND", cls.chat_per_second),
            puzzles_after=number("TEERLING_PUZZLES_AFTER", cls.puzzles_after),
            trusted_proxies=env.get("TEERLING_TRUSTED_PROXIES", cls.trusted_proxies),
            stream_seconds=number("TEERLING_STREAM_SECONDS", cls.stream_seconds),
        )


def _secret_of(path: Path) -> str:
    """The secret in a file that only its owner reads; made on the first start, whole or not at all."""
    if not path.exists():
        handle, fresh = tempfile.mkstemp(prefix="secret.", dir=path.parent)
        with open(handle, "w") as file:
            file.write(secrets.token_hex(32))
        os.replace(fresh, path)
    return path.read_text().strip()
