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
    """A Redis that listens in its folder only, and keeps nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"unix://{folder / 'redis.sock'}"
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        import redis

        assert PROGRAM is not None
        command = [PROGRAM, "--port", "0", "--unixsocket", str(self.folder / "redis.sock"), "--save", ""]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen([*command, "--dir", str(self.folder)], stdout=log, stderr=log)
        for _ in range(600):
            try:
                with redis.Redis.from_url(self.url) as client:
                    client.ping()
                return
            except redis.ConnectionError:
                assert self._server.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.02)
        raise AssertionError("Redis does not answer")

    def kill(self) -> None:
        """Ends it with no warning."""
        if self._server is not None:
            self._server.kill()
            self._server.wait(20)
            self._server = None


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """A running Redis; skips loudly where it is not installed, and fails there under CI=true."""
    if PROGRAM is None:
        is_missing("Redis", "nothing is tested with several processes")
    folder = Path(tempfile.mkdtemp(prefix="teerling-redis-"))
    made = RedisServer(folder)
    try:
        made.start()
        yield made
    finally:
        made.kill()
        shutil.rmtree(folder)
