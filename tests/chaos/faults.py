"""What is done to servers, on purpose. Only what was started here is ever ended, and by its id."""

import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from teerling.bench.web import fetch
from teerling.server.settings import Settings
from tests.server.houses import RATES

SERVE = "from teerling.cli import main; main()"
PATIENCE = 180.0


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def until(so: Callable[[], bool]) -> None:
    """Waits for something that must come about."""
    deadline = time.monotonic() + PATIENCE
    while not so():
        assert time.monotonic() < deadline, so
        time.sleep(0.02)


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


class Thinker:
    """`teerling think` in a process of its own."""

    def __init__(self, folder: Path, redis_url: str) -> None:
        self.folder = folder
        self._redis_url = redis_url
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return self.folder / "think.log"

    def start(self) -> None:
        command = [sys.executable, "-c", SERVE, "think", "--redis", self._redis_url, "--threads", "1"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def kill(self) -> None:
        """Without any warning, whatever it is thinking about."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()


@contextmanager
def thinking(thinker: Thinker) -> Iterator[Thinker]:
    """A thinker that is started, and gone after the block."""
    thinker.start()
    try:
        yield thinker
    finally:
        if thinker.process is not None and thinker.process.poll() is None:
            thinker.kill()


class Line:
    """The line to a server that listens in a folder, which can be cut: what is sent then does not arrive.

    It listens in a folder of its own under the same name, so that only the folder of an address changes.
    """

    def __init__(self, to: Path, folder: Path) -> None:
        self._to = to
        self._whole = threading.Event()
        self._whole.set()
        self._ends: list[socket.socket] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / to.name))
        self._listening.listen(100)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near: socket.socket) -> None:
        self._ends.append(near)
        self._whole.wait()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(str(self._to))
        except OSError:
            near.close()
            return
        self._ends.append(far)
        threading.Thread(target=self._carry, args=(near, far), daemon=True).start()
        self._carry(far, near)

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        """Carries bytes one way until either end is closed; while the line is cut they wait."""
        with suppress(OSError):
            while data := one.recv(65536):
                self._whole.wait()
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def cut(self, for_good: bool) -> Iterator[None]:
        """Nothing arrives; afterwards it does, unless the connections did not outlive it."""
        self._whole.clear()
        try:
            yield
        finally:
            if for_good:
                self._hang_up()
            self._whole.set()

    def _hang_up(self) -> None:
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listening.close()
        self._hang_up()
