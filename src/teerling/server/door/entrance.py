"""The entrance: what is read and taken before the server itself is loaded, which takes a second.

A page that lost its server and finds the address taken waits for the answer; it need not ask again and again.
"""

import contextlib
import errno
import socket
from pathlib import Path
from typing import NoReturn

from ...errors import TeerlingError
from ...words import Speaker
from ..settings import Settings

QUEUE = 2048
"""So many connections wait at most until they are taken."""


class CannotServe(TeerlingError):
    """The server cannot start; the sentence says why."""


def settings_of(
    data: Path | None, say: Speaker, database: str | None = None, redis: str | None = None
) -> Settings:
    """The settings, with a data folder that can be written."""
    try:
        settings = Settings.read(data, database, redis)
        with contextlib.suppress(FileNotFoundError):
            (settings.data / "lock").touch()
    except OSError as error:
        folder = data or error.filename
        raise CannotServe(
            say("the data folder {folder} cannot be used: {reason}", folder=folder, reason=error.strerror)
        ) from None
    return settings


def listen(host: str, port: int, say: Speaker, at_once: bool = True) -> socket.socket:
    """A socket at this address. Whoever comes waits until somebody serves; if not `at_once`, who comes too
    early is sent away."""
    try:
        family, *_, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise CannotServe(say("{host} is not the name of a machine", host=repr(host))) from None
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        if at_once:
            listening.listen(QUEUE)
    except OSError as error:
        listening.close()
        refuse_address(error, host, port, say)
    return listening


def refuse_address(error: OSError, host: str, port: int, say: Speaker) -> NoReturn:
    """Says what is wrong with an address."""
    if error.errno == errno.EADDRINUSE:
        text = say("port {port} is taken; choose another with --port", port=port)
    elif error.errno == errno.EADDRNOTAVAIL:
        text = say("{host} is not an address of this machine", host=host)
    elif error.errno == errno.EACCES:
        text = say("port {port} may not be used here; choose one above 1023 with --port", port=port)
    else:
        text = say("{host}, port {port}: {reason}", host=host, port=port, reason=error.strerror)
    raise CannotServe(text) from None
