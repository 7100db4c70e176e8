"""The link to Redis, by which the processes of one server hear of each other.

Nothing of value lives there: without it every process goes on by itself, and storage decides.
"""

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from ...errors import Phrase, TeerlingError

log = logging.getLogger("teerling")

PREFIX = "teerling:"
"""With this every key and channel begins."""
SEAL = f"{PREFIX}seal"
SEALED = 20_000
"""Milliseconds after which nobody remembers the seal of servers that are gone."""
HOLD = """
local holder = redis.call('get', KEYS[1])
if holder and holder ~= ARGV[1] and redis.call('pttl', KEYS[1]) <= tonumber(ARGV[2]) then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
return 1
"""
"""Gives a key for so many milliseconds to somebody who has it already, or if nobody has.

Who has it for longer than anybody gets it took it before the clock of Redis was set back, and may be dead.
"""
TRIED = f"{PREFIX}tried"
TRY = """
redis.call('set', KEYS[1], '', 'px', 1000)
local claimed = redis.pcall('xautoclaim', KEYS[2], 'nobody', 'nobody', 0, '0-0')
if type(claimed) == 'table' and claimed.err and string.find(claimed.err, 'nknown') then return claimed end
return 1
"""
"""Whether it can be written, by scripts, and knows what thinkers ask: Redis 6.2 or newer does."""
PATIENCE = 2.0
"""Seconds that anything waits for an answer."""
ASK_AGAIN = 0.5
"""Seconds between two questions whether Redis is there."""


class NoRedis(TeerlingError):
    """Redis cannot be used; the sentence says why."""


def seal_of(secret: str) -> str:
    """By what servers know that they have the same secret, without telling it."""
    return hmac.new(secret.encode(), b"the servers at one Redis", hashlib.sha256).hexdigest()[:16]


def check(url: str, seal: str = "") -> None:
    """Refuses an address at which there is no Redis, or a program that cannot speak to one.

    Also one whose servers have another secret than one with this seal.
    """
    try:
        from redis import Redis
        from redis.exceptions import InvalidResponse, RedisError
    except ImportError:
        raise NoRedis(
            Phrase(
                "{project} is not installed: pip install 'teerling[{extra}]'", project="redis", extra="redis"
            )
        ) from None
    shown = shown_url(url)
    try:
        with Redis.from_url(url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE) as client:
            answer = client.ping()
            known = client.get(SEAL)
            client.eval(TRY, 2, TRIED, f"{TRIED} stream")
    except (InvalidResponse, UnicodeDecodeError):
        answer, known = False, None
    except (ValueError, TypeError):
        raise NoRedis(
            Phrase("the address of a Redis is redis://host:port/number, not {url!r}", url=shown)
        ) from None
    except (RedisError, OSError) as error:
        if "Protocol Error" in str(error):
            answer, known = False, None
        else:
            raise NoRedis(_unusable(shown, str(error))) from None
    if answer is not True:
        raise NoRedis(Phrase("what answers at {url} is no Redis", url=shown))
    if seal and known not in (None, seal.encode()):
        raise NoRedis(
            Phrase("the servers at {url} have another secret; give all the same TEERLING_SECRET", url=shown)
        )


def _unusable(url: str, reason: str) -> Phrase:
    """Why a Redis that answers is of no use."""
    if "nknown" in reason and "command" in reason:
        return Phrase("Redis at {url} is too old: 6.2 or a newer one is needed", url=url)
    if "authenticated" in reason or "Authentication required" in reason:
        return Phrase("Redis at {url} wants a password: redis://:password@host:port/number", url=url)
    return Phrase("Redis at {url} cannot be used: {reason}", url=url, reason=reason)


def shown_url(url: str) -> str:
    """Where Redis is, without a password.

    >>> shown_url("redis://anne:secret@example.org:6379/0")
    'redis://anne:…@example.org:6379/0'
    >>> shown_url("elsewhere")
    'elsewhere'
    """
    user, at, rest = url.rpartition("@")
    if not at:
        return url
    with suppress(ValueError):
        if (password := urlsplit(url).password) is not None:
            return f"{user.removesuffix(password)}…@{rest}"
    return f"…@{rest}"


class RedisLink:
    """A connection to Redis that comes back by itself.

    `client` is redis.asyncio's; what is done with it stands in `with link.surviving():`, so that whatever
    happens to Redis goes no further. `is_there` says whether it answered last, `own_name` is
    what this process is called.
    """

    def __init__(self, url: str, own_name: str, seal: str = "") -> None:
        """With a seal, servers that have another are refused from now on."""
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        self.own_name = own_name
        self._seal = seal
        self.is_there = False
        self.client = Redis.from_url(
            url,
            decode_responses=True,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE,
            retry=Retry(NoBackoff(), 0),
        )
        """Blocking commands (`XREADGROUP … BLOCK`) wait less than PATIENCE."""
        self.number = int(self.client.connection_pool.connection_kwargs.get("db") or 0)
        """Which database of the Redis it is."""
        self._when_back: list[Callable[[], Awaitable[None]]] = []
        self._asking: asyncio.Task[None] | None = None

    def when_back(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Calls something each time Redis is there again, and when it is there for the first time."""
        self._when_back.append(callback)

    async def start(self) -> None:
        """Asks from now on whether Redis is there; the first answer is waited for."""
        await self._ask()
        self._asking = asyncio.create_task(self._keep_asking())

    async def stop(self) -> None:
        asking, self._asking = self._asking, None
        if asking is not None:
            # In the middle of a command it may miss that it is cancelled.
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        with self.surviving():
            await self.client.aclose()

    @contextmanager
    def surviving(self) -> Iterator[None]:
        """What is done with Redis; if that fails, the table goes on without."""
        from redis.exceptions import RedisError

        try:
            yield
        except (RedisError, OSError) as error:
            self.miss(error)

    def miss(self, error: Exception) -> None:
        """Redis does not answer as it should; that is said once."""
        if self.is_there:
            self.is_there = False
            log.warning("Redis is gone, every process goes on by itself: %s", error)

    async def _keep_asking(self) -> None:
        while self._asking is not None:
            await asyncio.sleep(ASK_AGAIN)
            await self._ask()

    async def _ask(self) -> None:
        answered = False
        with self.surviving():
            if not self.is_there:
                # Connections that ended with it would say, one by one, that it is gone again.
                await self.client.connection_pool.disconnect(inuse_connections=False)
            await self.client.ping()
            # One that cannot be written, as it follows another or is full, is of no use.
            if self._seal:
                await self.client.eval(HOLD, 1, SEAL, self._seal, str(SEALED))
            else:
                await self.client.set(TRIED, "", px=1000)
            answered = True
        if answered and not self.is_there:
            self.is_there = True
            log.warning("Redis is there")
            for callback in self._when_back:
                try:
                    # It may be gone again already.
                    with self.surviving():
                        await callback()
                except Exception:
                    log.exception("something was not done when Redis came back")
