"""A private Redis from Debian's package, in a folder of its own and gone after the tests."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.missing import is_missing

PROGRAM = shutil.which("redis-server")


class RedisServer:
    """A Redis that listens in its folder, and at a port of this machine if told; it keeps nothing."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.folder = folder
        self._port = port
        self.url = f"redis://127.0.0.1:{port}" if port else f"unix://{folder / 'redis.sock'}"
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        import redis

        assert PROGRAM is not None
        options = {
            "port": str(self._port), "bind": "127.0.0.1", "unixsocket": str(self.folder / "redis.sock"),
            "save": "", "dir": str(self.folder),
        }  # fmt: skip
        command = [PROGRAM, *(part for name, value in options.items() for part in (f"--{name}", value))]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(command, stdout=log, stderr=log)
        for _ in range(600):
            try:
                with redis.Redis.from_url(self.url) as client:
                    client.ping()
                return
            except redis.ConnectionError:
                assert self._server.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.02)
        raise AssertionError("Redis does not answer")

    @property
    def pid(self) -> int:
        assert self._server is not None
        return self._server.pid

    def kill(self) -> None:
        """Ends it with no warning."""
        if self._server is not None:
            self._server.kill()
            self._server.wait(20)
            self._server = None


@contextmanager
def redis_server(port: int = 0) -> Iterator[RedisServer]:
    """A running Redis; skips loudly where it is not installed, and fails there under CI=true."""
    if PROGRAM is None:
        is_missing("Redis", "nothing is tested with several processes")
    folder = Path(tempfile.mkdtemp(prefix="teerling-redis-"))
    made = RedisServer(folder, port)
    try:
        made.start()
        yield made
    finally:
        made.kill()
        shutil.rmtree(folder)
