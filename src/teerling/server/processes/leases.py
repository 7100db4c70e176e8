"""Leases: which of several processes does something that one of them has to do."""

import time
from collections.abc import Collection
from zlib import crc32

from .redis_link import HOLD, PREFIX, RedisLink

SECONDS = 8.0
"""After so long without a renewal somebody else may do it: the process may have died."""

LEAVE = "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end"


class Leases:
    """Short leases, kept in Redis. Without it everybody has what they ask for: storage decides then."""

    def __init__(self, link: RedisLink | None) -> None:
        self._link = link
        self._taken: dict[str, float] = {}
        """When this process took what it has."""

    def falls_here(self, what: str, among: Collection[str]) -> bool | None:
        """Whether it is this process among these that is to do something; None if that cannot be told now.

        All who know the same of them find the same, and ask nobody.
        """
        if not among or self._link is None or not self._link.is_there:
            return None
        whose = min(among, key=lambda name: (crc32(f"{what} {name}".encode()), name))
        return whose == self._link.own_name

    async def take(self, what: str) -> bool:
        """Whether this process is to do something, for the next seconds."""
        link = self._link
        if link is None or not link.is_there:
            return True
        now = time.monotonic()
        if now - self._taken.get(what, -SECONDS) < SECONDS / 2:
            # Nobody else can have it yet; it is renewed in time.
            return True
        self._taken.pop(what, None)
        with link.surviving():
            milliseconds = round(1000 * SECONDS)
            if await link.client.eval(HOLD, 1, _key(what), link.own_name, str(milliseconds)):
                self._taken[what] = now
                return True
            return False
        return True

    async def leave(self, what: str) -> None:
        """Lets others do it from now on."""
        link = self._link
        if self._taken.pop(what, None) is not None and link is not None and link.is_there:
            with link.surviving():
                await link.client.eval(LEAVE, 1, _key(what), link.own_name)


def _key(what: str) -> str:
    return f"{PREFIX}lease:{what}"
