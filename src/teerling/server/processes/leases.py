"""Leases: which of several processes does something that one of them has to do."""

from .redis_link import HOLD, PREFIX, RedisLink

SECONDS = 8.0
"""After so long without a renewal somebody else may do it: the process may have died."""

LEAVE = "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end"


class Leases:
    """Short leases, kept in Redis. Without it everybody has what they ask for: storage decides then."""

    def __init__(self, link: RedisLink | None) -> None:
        self._link = link

    async def take(self, what: str) -> bool:
        """Whether this process is to do something, for the next seconds."""
        link = self._link
        if link is None or not link.is_there:
            return True
        with link.surviving():
            milliseconds = round(1000 * SECONDS)
            return bool(await link.client.eval(HOLD, 1, _key(what), link.own_name, str(milliseconds)))
        return True

    async def leave(self, what: str) -> None:
        """Lets others do it from now on."""
        link = self._link
        if link is not None and link.is_there:
            with link.surviving():
                await link.client.eval(LEAVE, 1, _key(what), link.own_name)


def _key(what: str) -> str:
    return f"{PREFIX}lease:{what}"
