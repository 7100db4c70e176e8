"""Runs the server from the command line: `teerling serve`."""

import asyncio
import contextlib
import gc
import ipaddress
import os
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from ..words import Speaker
from .app import create_app
from .database.claim import Claim
from .database.engines import file_of
from .database.transactions import NewerStorage, StorageBusy, StorageGone
from .door.connections import Config, Door
from .door.entrance import QUEUE, CannotServe
from .house import House
from .page import environment
from .processes import redis_link
from .settings import Settings
from .watch import logs
from .watch.metrics import HANDLES

MOST_FRAME = 64 * 1024
"""Bytes of a message over a socket; a larger one closes the connection."""
LEAVING_SECONDS = 3
PING_SECONDS = 2.0
"""How often a browser is asked whether it is still there, and how long it has to answer."""
SWITCH_SECONDS = 0.0005
GARBAGE = (10_000, 10, 20)
MOST_HANDLES = 65_536
OTHER_HANDLES = 1_000
"""Files and connections that are open besides those of pages at tables."""
WARM_UP_AFTER = 1.5
"""Seconds after which the templates of tables are read, when the first page has been seen."""


def serve(listening: socket.socket, host: str, settings: Settings, open_page: bool, say: Speaker) -> None:
    """Serves at an address that has been taken until somebody ends it; CannotServe says why it cannot."""
    if settings.redis_url:
        redis_link.check(settings.redis_url, redis_link.seal_of(settings.secret))
    with alone_with(settings, say, shared=settings.is_shared):
        raise_handle_limit(settings, say)
        app = opened(settings, say)
        address = address_of(host, listening.getsockname()[1])
        house = app.state.context.house
        server = Server(configured(app, settings), lambda: announce(address, open_page, say), house)
        prepare_interpreter()
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
    print(f"\n{say('The tables are closed; every match has been kept.')}")


def prepare_interpreter() -> None:
    """Nobody waits for Python itself."""
    # What has been loaded by now stays, and there is hardly any garbage in it: collecting need not look at
    # it, now or later. Matches are long lists of states that hardly ever are garbage, so that looking
    # through all of them is rarely worth it; but whatever garbage there is goes in the end.
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    gc.enable()
    # Storing a move takes its turn between two pages, and not after several.
    sys.setswitchinterval(SWITCH_SECONDS)


def raise_handle_limit(settings: Settings, say: Speaker) -> int | None:
    """Lets as many connections be open as the system allows; how many, and a line if they may not suffice."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_HANDLES if hard == resource.RLIM_INFINITY else min(hard, MOST_HANDLES)
    if 0 <= soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    got = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    got = MOST_HANDLES if got == resource.RLIM_INFINITY else got
    HANDLES.set(got)
    needed = settings.most_sockets + OTHER_HANDLES
    if got < needed:
        print(
            say("This system lets {got} connections be open at once; {needed} are needed for {sockets} "
                "pages. `ulimit -n` raises it, TEERLING_MOST_SOCKETS asks for less.",
                got=got, needed=needed, sockets=settings.most_sockets),
            file=sys.stderr,
        )  # fmt: skip
    return got


@contextlib.contextmanager
def alone_with(settings: Settings, say: Speaker, shared: bool = False) -> Iterator[None]:
    """Keeps a second server away from the same data folder or database: each would think that it decides.

    Servers that share a database keep only others away. The locks end with this process, however it ends.
    """
    with contextlib.ExitStack() as locks:
        try:
            locks.enter_context(locked(settings.data / "lock", shared))
        except BlockingIOError:
            raise CannotServe(
                say("another server already uses {folder}; give this one its own with --data",
                    folder=settings.data)
            ) from None  # fmt: skip
        try:
            locks.enter_context(claimed(settings.database_url, shared))
        except (BlockingIOError, StorageBusy):
            raise CannotServe(
                say("another server already uses the database {url}; give this one its own",
                    url=settings.shown_database_url)
            ) from None  # fmt: skip
        except (StorageGone, OSError):
            # Whoever opens it says what is wrong with it.
            pass
        yield


@contextlib.contextmanager
def claimed(url: str, shared: bool = False) -> Iterator[None]:
    """A database that no other server uses, or only those that share it; StorageBusy or BlockingIOError if
    another does."""
    if file := file_of(url):
        with locked(Path(f"{file}.lock")):
            yield
    elif url.startswith("postgresql"):
        with Claim(url, shared, lost=give_way):
            yield
    else:
        yield


def give_way() -> None:
    """Ends this process as if somebody had asked it to: another server has its database."""
    os.kill(os.getpid(), signal.SIGTERM)


@contextlib.contextmanager
def locked(path: Path, shared: bool = False) -> Iterator[None]:
    """A file that nobody else locks, or only those that share it; BlockingIOError if somebody has."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with path.open("a") as lock:
        fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        yield


def opened(settings: Settings, say: Speaker) -> FastAPI:
    """The application, its database up to date."""
    try:
        app = create_app(settings)
        app.state.context.house.storage.migrate()
    except NewerStorage:
        raise CannotServe(say("the database was made by a newer version of Teerling")) from None
    except StorageGone as error:
        raise CannotServe(
            say("the database {url} cannot be used: {reason}",
                url=settings.shown_database_url, reason=error.reason)
        ) from None  # fmt: skip
    return app


def configured(app: FastAPI, settings: Settings) -> Config:
    """How uvicorn runs the application."""
    return Config(
        app,
        Door(settings),
        log_config=logs.configuration(),
        access_log=False,
        ws_max_size=MOST_FRAME,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        backlog=QUEUE,
        timeout_graceful_shutdown=LEAVING_SECONDS,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
    )


class Server(uvicorn.Server):
    """uvicorn's server, which says when it answers and when it is about to stop."""

    def __init__(self, config: Config, ready: Callable[[], None], house: House) -> None:
        super().__init__(config)
        self._door = config.door
        self._ready = ready
        self._house = house

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Goes on for a while in which proxies notice that it is not ready, and takes nobody new then."""
        self._house.leave()
        began = time.monotonic()
        while time.monotonic() - began < self._house.settings.drain_seconds and not self.force_exit:
            await asyncio.sleep(0.1)
        self._house.leave()
        # What nobody reads need not be waited for.
        self._door.give_up_unread()
        await super().shutdown(sockets)


def address_of(host: str, port: int) -> str:
    """The address to open in a browser on this machine."""
    with contextlib.suppress(ValueError):
        given = ipaddress.ip_address(host)
        if given.is_unspecified:
            host = "127.0.0.1"
        elif given.version == 6:
            host = f"[{host}]"
    return f"http://{host or '127.0.0.1'}:{port}/"


def announce(address: str, open_page: bool, say: Speaker) -> None:
    """Tells where the tables are, and opens the page."""
    print(say("Teerling is open at {address} (Ctrl-C closes it)", address=address), flush=True)
    warming = threading.Timer(WARM_UP_AFTER, environment.warm_up)
    warming.daemon = True
    warming.start()
    if open_page:
        # A browser may take its time, and the server need not wait for it.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
