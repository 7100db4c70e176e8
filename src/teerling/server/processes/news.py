"""News: what the processes of one server tell each other by Redis.

Whatever is told can be missed: it only says where to look. What counts is stored, and read from there.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .redis_link import PREFIX, RedisLink

log = logging.getLogger("teerling")

TOGETHER = 0.02
"""What happens within so many seconds is told in one message: each costs every process something."""
TICK = 0.25
"""Seconds between two looks at what can wait: who spent how much, who is still there."""
HEARTBEAT = 2.0
"""So often a process says that it is there."""
EXPIRY = 10.0
"""After so many seconds without a word a process is taken to be gone."""
DEAF = 6.0
"""A process that hears nothing for so long, not even itself, listens anew."""

Handler = Callable[[str, Any], None]


class News:
    """Tells other processes, and hears them; without a link there are none."""

    def __init__(self, link: RedisLink | None) -> None:
        self._link = link
        self._handlers: dict[str, Handler] = {}
        self._greeters: list[Callable[[], None]] = []
        self._mourners: list[Callable[[str], object]] = []
        self._missing: list[Callable[[], None]] = []
        self._ticking: list[Callable[[], None]] = []
        self._waiting: list[tuple[str, Any]] = []
        self._some = asyncio.Event()
        self._others: dict[str, float] = {}
        """When every other process was last heard."""
        self._tasks: list[asyncio.Task[None]] = []
        self._said = 0.0
        if link is not None:
            # What this process did while Redis was gone, nobody heard.
            link.when_back(self._greet)

    @property
    def is_shared(self) -> bool:
        """Whether there may be other processes."""
        return self._link is not None

    @property
    def own_name(self) -> str:
        """What this process is called by the others."""
        return "" if self._link is None else self._link.own_name

    def on(self, kind: str, handler: Handler) -> None:
        """Has `handler(process, body)` called with everything of a kind that others tell."""
        self._handlers[kind] = handler

    def when_greeted(self, tell_all: Callable[[], None]) -> None:
        """Calls something when another process has come, which knows nothing of this one yet."""
        self._greeters.append(tell_all)

    def when_gone(self, forget: Callable[[str], object]) -> None:
        """Calls something when another process is not there any more."""
        self._mourners.append(forget)

    def when_missed(self, look: Callable[[], None]) -> None:
        """Calls something when this process or another is back, and something may not have been heard."""
        self._missing.append(look)

    def every_tick(self, tell: Callable[[], None]) -> None:
        """Calls something now and then, to tell what can wait."""
        self._ticking.append(tell)

    def tell(self, kind: str, body: Any) -> None:
        """Tells all others, soon; if Redis is gone, nobody."""
        if self._link is not None and self._link.is_there:
            self._waiting.append((kind, body))
            self._some.set()

    async def start(self) -> None:
        if self._link is not None:
            parts = (self._keep_telling(self._link), self._keep_hearing(self._link), self._keep_time())
            self._tasks = [asyncio.create_task(part) for part in parts]

    async def stop(self) -> None:
        """Takes leave, so that nobody waits for this process."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._link is not None and self._link.is_there:
            self._waiting.append(("bye", None))
            await self._flush(self._link)

    def _channel(self, link: RedisLink) -> str:
        """Channels are the same in all databases of a Redis; those of one hear each other only."""
        return f"{PREFIX}news:{link.number}"

    async def _greet(self) -> None:
        self.tell("hello", None)

    async def _flush(self, link: RedisLink) -> None:
        """Tells everything that waits in one message."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._said = time.monotonic()
            with link.surviving():
                await link.client.publish(self._channel(link), json.dumps([link.own_name, waiting]))

    async def _keep_telling(self, link: RedisLink) -> None:
        while True:
            await self._some.wait()
            await asyncio.sleep(TOGETHER)
            self._some.clear()
            await self._flush(link)

    async def _keep_time(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            for tell in self._ticking:
                tell()
            now = time.monotonic()
            if now - self._said >= HEARTBEAT:
                self.tell("here I am", None)
            for name in [name for name, heard in self._others.items() if now - heard > EXPIRY]:
                self._lose(name)

    def _lose(self, name: str) -> None:
        """A process is gone. What it stored last it may not have told."""
        if self._others.pop(name, None) is not None:
            for forget in self._mourners:
                forget(name)
            for look in self._missing:
                look()

    async def _keep_hearing(self, link: RedisLink) -> None:
        while True:
            with link.surviving():
                await self._hear_on(link)
            await asyncio.sleep(TICK)

    async def _hear_on(self, link: RedisLink) -> None:
        """Hears what is told until the connection is lost, or nothing comes any more."""
        async with link.client.pubsub(ignore_subscribe_messages=True) as ears:
            await ears.subscribe(self._channel(link))
            await ears.get_message(ignore_subscribe_messages=False, timeout=HEARTBEAT)
            # From here on nothing is missed; but what was told before may have been.
            self.tell("hello", None)
            for look in (*self._missing, *self._greeters):
                look()
            heard = time.monotonic()
            while time.monotonic() - heard < DEAF:
                message = await ears.get_message(timeout=1.0)
                if message is not None:
                    heard = time.monotonic()
                    with suppress(ValueError, TypeError):
                        sender, told = json.loads(message["data"])
                        if sender != link.own_name:
                            self._hear(str(sender), told)

    def _hear(self, sender: str, told: Any) -> None:
        self._others[sender] = time.monotonic()
        for kind, body in told:
            if kind == "bye":
                self._lose(sender)
            elif kind == "hello":
                for answer in (*self._missing, *self._greeters):
                    answer()
            elif (handler := self._handlers.get(kind)) is not None:
                try:
                    handler(sender, body)
                except Exception:
                    # Another version of this program may tell it otherwise.
                    log.exception("what another process told of %s was not understood", kind)
