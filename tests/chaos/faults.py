"""What is done to servers, on purpose. Only what was started here is ever ended, and by its id."""

import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from teerling.lab.webbench import fetch
from teerling.server.settings import Settings
from tests.server.houses import RATES

SERVE = "from teerling.cli import main; main()"
PATIENCE = 60.0


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


class Server:
    """A server in a process of its own, always with the same data and at the same port."""

    def __init__(self, folder: Path, database_url: str = "", *options: str, **environment: str) -> None:
        """Nobody is ever too fast for it, unless the environment says so."""
        self.folder = folder
        self.database_url = database_url
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self._options = options
        self._environment = {
            "TEERLING_BOT_PAUSE": "0.02",
            "TEERLING_DATABASE_URL": database_url,
            "TEERLING_MOST_CONNECTIONS_OF_ADDRESS": "100000",
            **{f"TEERLING_{name.upper()}": "100000" for name in RATES},
            **environment,
        }

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def start(self, wait: bool = True) -> None:
        arguments = ["serve", "--no-open", "--port", str(self.port), "--data", str(self.folder)]
        command = [sys.executable, "-c", SERVE, *arguments, *self._options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, env={**os.environ, **self._environment}, stdout=log, stderr=log
            )
        if wait:
            self.wait_until_ready()

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            with suppress(OSError):
                if fetch(self.port, "/healthz")[0] == 200:
                    return
            assert self.process is not None
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.02)

    def kill(self) -> None:
        """Without any warning."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """As a deploy does: it may finish what it has begun."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    @contextmanager
    def without_room(self) -> Iterator[None]:
        """No file of the server grows any more, as on a full disk."""
        assert self.process is not None
        _, most = resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (0, most))
        try:
            yield
        finally:
            resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (most, most))

    @property
    def settings(self) -> Settings:
        url = self.database_url or f"sqlite:///{self.folder / 'teerling.db'}"
        return Settings(self.folder, url, "secret", moves_per_second=1.0)


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """A server that is started, and gone after the block."""
    server.start()
    try:
        yield server
    finally:
        if server.process is not None and server.process.poll() is None:
            server.kill()
