"""What the server can be told: by arguments, or by environment variables that begin with TEERLING_."""

import ipaddress
import os
import secrets
import tempfile
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from ..errors import Phrase, TeerlingError

DURABILITIES = ("full", "process")
ANYBODY = "*"
"""Every address is believed to be a proxy's."""


@dataclass(frozen=True)
class Settings:
    """How one server runs."""

    data: Path
    """The folder of the database and of the secret that signs cookies."""
    database_url: str
    secret: str = field(repr=False)
    redis_url: str = field(default="", repr=False)
    """A Redis by which several servers at one PostgreSQL hear of each other; empty for one server alone."""
    bot_pause: float = 0.7
    """Seconds that a bot waits before it moves."""
    unattended_pause: float = 10.0
    """The same at a table where nobody is: others go first."""
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
    """Tables that are not over and not idle; beyond that the server says that it is full."""
    most_sockets: int = 5_000
    """Pages that are open at tables, of everybody together."""
    most_sockets_of_address: int = 200
    """The same of one address: a school may sit behind it."""
    most_sockets_of_person: int = 20
    sockets_per_second: float = 5.0
    """How many sockets an address may open, on average; after a pause twenty times as many at once."""
    frames_per_second: float = 20.0
    """How many frames a socket may send, on average, of whatever kind; one that floods is closed."""
    most_connections_of_address: int = 400
    """Connections of one address, sockets among them; what is more is closed at once."""
    connections_per_second: float = 30.0
    """How many connections an address may begin, on average; browsers keep theirs for a while."""
    request_seconds: float = 20.0
    """After so long a request must have come as a whole, or its connection is closed."""
    pages_per_second: float = 10.0
    """How many pages are made for one address, on average; what is more waits, and is refused in the end."""
    files_per_second: float = 100.0
    """The same of styles, scripts, fonts, rules and what machines ask."""
    uploads_per_minute: float = 10.0
    """How many match files an address may show."""
    tables_per_minute: float = 30.0
    """How many tables an address may open, on average; after a pause twice as many at once."""
    tables_per_day: float = 1000.0
    idle_days: float = 30.0
    """After so long a table at which nothing happens leaves the lists; who has its link still finds it."""
    longest_match: int = 3000
    """After so many moves, take backs and hints the table ends a match."""
    slow_seconds: float = 1.0
    """What takes longer until it is answered is named in the log, with where the time went."""
    drain_seconds: float = 0.0
    """How long a server that is told to stop still answers, but says that it is not ready."""
    moves_per_second: float = 8.0
    """How many messages a person may send, on average, by sockets or forms; by sockets, an address four times
    as many."""
    chat_per_second: float = 0.5
    """How many lines of chat a person may say, on average."""
    puzzles_after: float = 180.0
    """Seconds that a server runs before it looks for puzzles of the day, when it has leisure; 0 is never."""
    review_playouts: int = 256
    """How many playouts from every position a review has; fewer make it sooner complete, and less exact."""
    trusted_proxies: str = ""
    """Addresses of proxies that are believed when they say who asks, and that it came by https."""
    stream_seconds: float = 3600.0
    """After so long a program's stream of events ends; the program opens it again."""

    @property
    def is_shared(self) -> bool:
        """Whether other servers may use the same database: PostgreSQL decides, by Redis they hear of it."""
        return bool(self.redis_url) and self.database_url.startswith("postgresql")

    @property
    def shown_database_url(self) -> str:
        """Where the database is, without a password."""
        from sqlalchemy import make_url
        from sqlalchemy.exc import ArgumentError

        try:
            url = make_url(self.database_url)
            # What stands before an @ is of the password that holds it.
            host = (url.host or "").rpartition("@")[2] or None
            return url.set(host=host).render_as_string(hide_password=True)
        except (ArgumentError, ValueError):
            return "TEERLING_DATABASE_URL"

    @classmethod
    def read(
        cls, data: Path | None = None, database: str | None = None, redis: str | None = None
    ) -> "Settings":
        """The settings of this machine, unless told; the data folder is made if it is not there."""
        from platformdirs import user_data_path

        env = os.environ
        durability = env.get("TEERLING_DURABILITY", "").strip() or cls.durability
        if durability not in DURABILITIES:
            raise TeerlingError(
                Phrase("TEERLING_DURABILITY is full or process, not {given!r}", given=durability)
            )
        folder = data or Path(env.get("TEERLING_DATA") or user_data_path("teerling", appauthor=False))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cls(
            data=folder,
            database_url=database or env.get("TEERLING_DATABASE_URL") or _in_file(folder / "teerling.db"),
            redis_url=redis or env.get("TEERLING_REDIS", "").strip(),
            secret=env.get("TEERLING_SECRET", "").strip() or _secret_of(folder / "secret"),
            durability=durability,
            trusted_proxies=_proxies(env.get("TEERLING_TRUSTED_PROXIES", "")),
            **{each.name: _number(each) for each in fields(cls) if each.type in (int, float)},
        )


def _number(setting: Field[Any]) -> Any:
    """A number from the environment: `bot_pause` is TEERLING_BOT_PAUSE."""
    name = f"TEERLING_{setting.name.upper()}"
    text = os.environ.get(name, "").strip()
    kind: Any = setting.type
    try:
        value: Any = kind(text) if text else setting.default
    except ValueError:
        value = -1
    if not 0 <= value < float("inf"):
        what = (
            Phrase("{name} must be a whole number that is not negative, not {text!r}", name=name, text=text)
            if kind is int
            else Phrase("{name} must be a number that is not negative, not {text!r}", name=name, text=text)
        )
        raise TeerlingError(what)
    return value


def _in_file(path: Path) -> str:
    """The address of a SQLite database in a file, whatever its folder is called."""
    return "sqlite:///" + str(path).replace("%", "%25").replace("?", "%3F")


def _proxies(text: str) -> str:
    """Addresses of proxies with commas between, as the environment has them."""
    found = [each.strip() for each in text.split(",") if each.strip()]
    for each in found:
        try:
            ipaddress.ip_network(each, strict=False)
        except ValueError:
            if found != [ANYBODY]:
                raise TeerlingError(
                    Phrase(
                        "TEERLING_TRUSTED_PROXIES is addresses such as 127.0.0.1 or 10.0.0.0/8, with commas "
                        "between, or * for all; not {given!r}",
                        given=each,
                    )
                ) from None
    return ",".join(found)


def _secret_of(path: Path) -> str:
    """The secret in a file that only its owner reads; made on the first start, whole or not at all."""
    if not path.exists():
        handle, fresh = tempfile.mkstemp(prefix="secret.", dir=path.parent)
        try:
            with open(handle, "w") as file:
                file.write(secrets.token_hex(32))
                file.flush()
                # A power cut leaves no empty secret, by which anybody could be anybody.
                os.fsync(handle)
            # Of servers that start together in one folder the first decides for all.
            os.link(fresh, path)
        except FileExistsError:
            pass
        except OSError:
            if os.stat(fresh).st_size == 0:
                raise
            # Some file systems have no links.
            os.replace(fresh, path)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(fresh)
    try:
        found = path.read_text().strip()
    except UnicodeDecodeError:
        found = ""
    if not found:
        raise TeerlingError(
            Phrase("the file {path} holds no secret; take it away, and the next start makes one", path=path)
        )
    return found
