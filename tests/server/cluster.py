"""A private PostgreSQL from Debian's package, in a folder of its own and gone after the tests."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from tests.missing import is_missing

PROGRAMS = max(
    Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]), default=None
)
OWNER = "postgres"
"""PostgreSQL does not run as root; Debian's package makes this user."""


class Cluster:
    """A running PostgreSQL; it listens in its folder only."""

    def __init__(self, folder: Path) -> None:
        assert PROGRAMS is not None
        self.folder = folder
        self._programs = PROGRAMS.parent
        self._as_owner: list[str] = []
        if os.getuid() == 0:
            owner = pwd.getpwnam(OWNER)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            self._as_owner = ["setpriv", f"--reuid={OWNER}", f"--regid={owner.pw_gid}", "--clear-groups"]
        self._names = count()
        self._server: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", str(folder / "data"), "-U", "teerling", "--auth=trust", "--no-sync",
                  "--encoding=UTF8", "--locale=C.UTF-8")  # fmt: skip

    def _command(self, program: str, *arguments: str) -> list[str]:
        return [*self._as_owner, str(self._programs / program), *arguments]

    def _run(self, program: str, *arguments: str) -> None:
        ran = subprocess.run(self._command(program, *arguments), capture_output=True, text=True, cwd="/")
        assert ran.returncode == 0, ran.stderr

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "fsync": "off"}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = self._command("postgres", "-D", str(self.folder / "data"), *options)
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
        ready = self._command("pg_isready", "-q", "-h", str(self.folder), "-U", "teerling", "-d", "postgres")
        for _ in range(600):
            if subprocess.run(ready, cwd="/").returncode == 0:
                return
            assert self._server.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.05)
        raise AssertionError("PostgreSQL does not answer")

    def stop(self, at_once: bool = False) -> None:
        """Ends it: after the running transactions, or in the middle of them."""
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT if at_once else signal.SIGINT)
            self._server.wait(60)
            self._server = None

    def kill(self) -> None:
        """Ends it without any warning; what it had started notices and goes too."""
        assert self._server is not None
        pid = self._server.pid
        started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        self._server.kill()
        self._server.wait()
        self._server = None
        deadline = time.monotonic() + 60
        while any(Path(f"/proc/{each}").exists() for each in started):
            assert time.monotonic() < deadline, "PostgreSQL is dead, but not all of it"
            time.sleep(0.01)

    @property
    def pid(self) -> int:
        assert self._server is not None
        return self._server.pid

    def new_database(self) -> str:
        """The address of a new, empty database."""
        import psycopg

        name = f"teerling{next(self._names)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"create database {name}")  # type: ignore[call-overload]
        return self.url(name)

    def url(self, database: str) -> str:
        return f"postgresql://teerling@/{database}?host={self.folder}"


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A running cluster; skips loudly where PostgreSQL is not installed, and fails there under CI=true."""
    if PROGRAMS is None:
        is_missing("PostgreSQL", "nothing is tested against it")
    # Not pytest's folder: only its owner may look into that.
    folder = Path(tempfile.mkdtemp(prefix="teerling-postgresql-"))
    try:
        made = Cluster(folder)
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder)
