"""Whose a PostgreSQL database is: one server's, or that of all that share it.

A lock says so. It belongs to a connection, so it ends with the process, however that ends; but it also ends
when the database is started anew. Then it is taken again; a server that finds another in its place gives way.
"""

import logging
import secrets
from collections.abc import Callable
from threading import Event, Thread
from types import TracebackType

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from .storage import Storage
from .transactions import StorageBusy, StorageGone

log = logging.getLogger("teerling")
LOCK = 0x7EE712
LOOK_EVERY = 1.0
"""Seconds between two looks whether the lock is still held."""


class Claim:
    """Holds a database while it is open; StorageBusy if it is taken."""

    def __init__(self, url: str, shared: bool, lost: Callable[[], None]) -> None:
        """`lost` is called, from a thread, once another server has the database."""
        self._storage = Storage(url)
        self._take = "pg_try_advisory_lock_shared" if shared else "pg_try_advisory_lock"
        self._lost = lost
        self.name = f"teerling {secrets.token_hex(8)}"
        """By which the database knows the connection."""
        self._connection: Connection | None = None
        self._over = Event()
        self._watching = Thread(target=self._watch, name="claim", daemon=True)

    def __enter__(self) -> "Claim":
        try:
            if not self._took():
                raise StorageBusy("another server uses it")
        except StorageGone:
            self._close()
            raise
        self._watching.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._over.set()
        self._watching.join()
        self._close()

    def _close(self) -> None:
        self._let_go()
        self._storage.close()

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.invalidate()
            self._connection.close()
            self._connection = None

    def _took(self) -> bool:
        """Whether a new connection got the lock; StorageGone if there is none to be had."""
        self._let_go()
        try:
            self._connection = connection = self._storage.engine.connect()
            connection.execute(
                text("select set_config('application_name', :name, false)"), {"name": self.name}
            )
            taken = bool(connection.scalar(text(f"select {self._take}({LOCK})")))
            connection.commit()
        except SQLAlchemyError as error:
            raise StorageGone(str(error).splitlines()[0]) from error
        return taken

    def _is_held(self) -> bool:
        """Whether the connection that has the lock is alive."""
        if self._connection is None:
            return False
        try:
            self._connection.execute(text("select 1"))
            self._connection.commit()
        except SQLAlchemyError:
            return False
        return True

    def _watch(self) -> None:
        while not self._over.wait(LOOK_EVERY):
            try:
                if self._is_held() or self._took() or self._ended_own():
                    continue
            except (StorageGone, SQLAlchemyError):
                # It is not back yet.
                continue
            log.error("another server has taken the database; this one stops")
            self._lost()
            return

    def _ended_own(self) -> bool:
        """Whether the database held the lock for an own connection that is gone, and did not know it."""
        assert self._connection is not None
        gone = "application_name = :name and pid <> pg_backend_pid()"
        ended = text(f"select count(pg_terminate_backend(pid)) from pg_stat_activity where {gone}")
        found = self._connection.scalar(ended, {"name": self.name})
        self._let_go()
        return bool(found)
