"""How often somebody may do something, and how much of it at once: limits per person and per address."""

import asyncio
import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from ..processes.news import News
from ..settings import Settings
from ..watch.metrics import LIMITED, Inside

DAY = 86400.0
LASTS = 10.0
"""A bucket usually holds what comes into it in so many seconds."""
OF_AN_ADDRESS = 4
"""So many times as much as one person may all people behind one address send over their sockets."""
READS_PER_MOVE = 5
"""How many times as often as it may act a program may read."""
AT_ONCE = 2
"""How many pages are made at once for one address; the others wait for their turn."""
HURRY = 4
"""So many times as fast as on average an address may open tables for a while; one a second, at least."""
RELUCTANCE = 0.3
"""Seconds after which somebody who asks too often hears so: asking again at once is of no use."""
FLOODED = 20
"""A socket that floods costs its address as many openings of sockets."""


def prefix_of(address: str) -> str:
    """What counts as one address: an IPv6 household has 2⁶⁴ of them.

    >>> prefix_of("192.0.2.7"), prefix_of("2001:db8:1:2:3:4:5:6"), prefix_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::', '192.0.2.7')
    """
    try:
        given = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(given, ipaddress.IPv4Address):
        return address
    if given.ipv4_mapped is not None:
        return str(given.ipv4_mapped)
    return str(ipaddress.ip_network((given, 64), strict=False).network_address)


class Limiter:
    """A bucket for everybody that fills at a rate; it holds ten seconds' worth unless told."""

    def __init__(
        self, rate: float, most_known: int = 20_000, burst: float | None = None, name: str = ""
    ) -> None:
        """`name` is what the metrics call it."""
        self.rate = rate
        self.size = max(1.0, LASTS * rate if burst is None else burst)
        self.most_known = most_known
        self.name = name
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._spent: dict[str, float] | None = None
        """What everybody has spent here since other processes were told; None if there are none."""

    def share(self, news: News) -> None:
        """Takes from everybody's bucket also what they do by other processes, a moment later.

        Whoever spent too much by several processes meanwhile owes it.
        """
        self._spent = {}
        kind = f"spent {self.name}"
        news.on(kind, lambda _, costs: self._hear(costs))
        news.every_tick(lambda: self._tell(news, kind))

    def _tell(self, news: News, kind: str) -> None:
        if self._spent:
            news.tell(kind, self._spent)
            self._spent = {}

    def _hear(self, costs: Mapping[str, float]) -> None:
        for who, cost in costs.items():
            self._keep(who, self._left(who) - cost)

    def allows(self, who: str) -> bool:
        """Whether somebody may do one more thing now; if so, it is taken from their bucket."""
        left = self._left(who)
        allowed = left >= 1
        self._spend(who, left, 1 if allowed else 0)
        if not allowed and self.name:
            LIMITED.labels(self.name).inc()
        return allowed

    def charge(self, who: str, cost: float) -> None:
        """Takes from somebody's bucket what they have done already; they may come to owe something."""
        self._spend(who, self._left(who), cost)

    def debt_of(self, who: str) -> float:
        """How many seconds it takes until somebody owes nothing any more."""
        left = self._left(who)
        self._keep(who, left)
        return max(0.0, -left / self.rate) if self.rate else 0.0

    def wait_of(self, who: str, most: float) -> float | None:
        """How many seconds it takes until somebody may do one more thing, which is taken from their bucket;
        None, and nothing is taken, if that would be more than so many.
        """
        left = self._left(who)
        wait = 0.0 if left >= 1 else (1 - left) / self.rate if self.rate else float("inf")
        allowed = wait <= most
        self._spend(who, left, 1 if allowed else 0)
        if not allowed and self.name:
            LIMITED.labels(self.name).inc()
        return wait if allowed else None

    def _left(self, who: str) -> float:
        now = time.monotonic()
        left, since = self._buckets.pop(who, (self.size, now))
        return min(self.size, left + (now - since) * self.rate)

    def _spend(self, who: str, left: float, cost: float) -> None:
        self._keep(who, left - cost)
        if cost and self._spent is not None:
            self._spent[who] = self._spent.get(who, 0) + cost

    def _keep(self, who: str, left: float) -> None:
        self._buckets[who] = (left, time.monotonic())
        if len(self._buckets) > self.most_known:
            self._buckets.popitem(last=False)


class Headcount:
    """How many things somebody has at once."""

    def __init__(self, most: int, name: str = "") -> None:
        """`name` is what the metrics call it."""
        self.most = most
        self.name = name
        self._counts: Counter[str] = Counter()
        self._elsewhere: dict[str, dict[str, int]] = {}
        """How many everybody has by other processes, by process."""
        self._changed: set[str] | None = None
        """Whose number other processes do not know; None if there are none."""

    def share(self, news: News) -> None:
        """Counts also what everybody has by other processes."""
        self._changed = set()
        kind = f"has {self.name}"
        news.on(kind, self._hear)
        news.every_tick(lambda: self._tell(news, kind))
        news.when_greeted(lambda: self._note(*self._counts))
        news.when_gone(lambda process: self._elsewhere.pop(process, None))

    def _note(self, *people: str) -> None:
        if self._changed is not None:
            self._changed.update(people)

    def _tell(self, news: News, kind: str) -> None:
        if self._changed:
            news.tell(kind, {who: self._counts[who] for who in self._changed})
            self._changed = set()

    def _hear(self, process: str, counts: Mapping[str, int]) -> None:
        known = self._elsewhere.setdefault(process, {})
        known.update(counts)
        self._elsewhere[process] = {who: count for who, count in known.items() if count}

    def __getitem__(self, who: str) -> int:
        return self._counts[who]

    def __len__(self) -> int:
        return len(self._counts)

    def enter(self, who: str) -> bool:
        """Whether somebody may have one more; if so, it counts until they leave."""
        if self._counts[who] + sum(known.get(who, 0) for known in self._elsewhere.values()) >= self.most:
            if self.name:
                LIMITED.labels(self.name).inc()
            return False
        self._counts[who] += 1
        self._note(who)
        return True

    def leave(self, who: str) -> None:
        self._counts[who] -= 1
        self._note(who)
        if self._counts[who] <= 0:
            del self._counts[who]


class Turns:
    """Lets so many things of everybody be done at once; what is more waits for its turn."""

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once
        self._gates: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        """A gate is there as long as somebody is in it or waits before it."""

    @asynccontextmanager
    async def turn_of(self, who: str) -> AsyncIterator[None]:
        gate = self._gates.get(who)
        if gate is None:
            gate = self._gates[who] = asyncio.Semaphore(self.at_once)
        with Inside("limits"):
            await gate.acquire()
        try:
            yield
        finally:
            gate.release()


class Limits:
    """All limits of one server that are per person and per address."""

    def __init__(self, settings: Settings) -> None:
        moves = settings.moves_per_second
        self.acts = Limiter(moves, name="acts")
        """What an address asks for by forms and programs."""
        self.reads = Limiter(READS_PER_MOVE * moves, name="reads")
        """What programs of an address read."""
        self.pages = _bucket("pages", settings.pages_per_second, LASTS / 2)
        """Pages that are made for an address."""
        self.files = Limiter(settings.files_per_second, name="files")
        """Styles, scripts and the like, and what machines ask."""
        self.waits_at = {"page": self.pages, "asset": self.files}
        """What is asked for more often waits, by who asks."""
        self.turns_at = {"page": Turns(AT_ONCE), "asset": Turns(AT_ONCE)}
        """What is made for an address by turns."""
        self.turns_away = Turns(AT_ONCE)
        """Refusals of those who ask too often."""
        self.messages = Limiter(moves, name="messages")
        """What a person sends over sockets."""
        self.messages_of_address = Limiter(OF_AN_ADDRESS * moves, name="messages_of_address")
        self.openings = _bucket("openings", settings.sockets_per_second, 20.0)
        """Sockets that an address opens."""
        self.sockets = Headcount(settings.most_sockets_of_address, name="sockets_of_address")
        self.sockets_of_person = Headcount(settings.most_sockets_of_person, name="sockets_of_person")
        self.uploads = _bucket("uploads", settings.uploads_per_minute / 60, 60.0)
        """Files that an address shows."""
        self.tables = _bucket("tables", settings.tables_per_minute / 60, 120.0)
        """Tables that an address opens."""
        pace = max(1.0, HURRY * settings.tables_per_minute / 60)
        self.pace_of_tables = _bucket("pace_of_tables", pace, 3.0)
        """How fast they are opened; what comes faster waits."""
        self.tables_of_day = _bucket("tables_of_day", settings.tables_per_day / DAY, DAY)

    def share(self, news: News) -> None:
        """Counts what is done by other processes of this server too."""
        for limit in vars(self).values():
            if isinstance(limit, Limiter | Headcount):
                limit.share(news)


def _bucket(name: str, rate: float, seconds: float) -> Limiter:
    """A bucket that holds what comes into it in so many seconds."""
    return Limiter(rate, burst=rate * seconds, name=name)
