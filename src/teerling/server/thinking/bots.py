"""The bots: woken when it is their turn, they choose from what their seat knows, and move like anybody."""

import asyncio
import logging
import random
import secrets
import time

from ... import players
from ...errors import TeerlingError
from ...game import Move
from ...players.ready import for_now, is_preparing
from ..database.transactions import StorageGone
from ..processes.leases import Leases
from ..refusals import Refused
from ..tables.changes import Changes
from ..tables.presence import Presence
from ..tables.registry import Registry
from ..tables.table import Table
from ..watch.metrics import walk_alone
from .jobs import Choosing
from .queue import Thinking, Urgency

log = logging.getLogger("teerling")

HELD_LIKE_A_PAUSE = 700
"""A bot waits once more for so many milliseconds that a table shows what happened last."""
OPENING = 7
"""So many pauses a bot that begins waits where people have just sat down: they read first who plays."""
HURRY = 0.25
"""A pause of bots where people only look on, as in Ra where they have no sun left: a part of a usual one."""
HASTE = 12
"""After so many such pauses on end they are half as long, after twice as many a third: a long rest of an
epoch takes little longer than a short one.
"""
AFTER_FAILURE = 1.0
"""Seconds after which a bot whose move was not stored tries again."""

BY_OTHERS = 0.5
"""Seconds after which it is seen again whether bots that another process lets move still have to."""
OVERDUE = 10.0
"""If they have not for so many seconds, somebody else may let them."""


class Bots:
    """The bots at all tables."""

    def __init__(
        self,
        registry: Registry,
        changes: Changes,
        presence: Presence,
        thinking: Thinking,
        pause: float,
        slow_pause: float,
        leases: Leases,
    ) -> None:
        """`pause` is how many seconds a bot waits before it moves, `slow_pause` where nobody is there."""
        # Asking the system for every bot's seed would hand the interpreter to another thread each time.
        self.chooser = random.Random(secrets.randbits(128))
        self._registry = registry
        self._changes = changes
        self._presence = presence
        self._thinking = thinking
        self._pause = pause
        self._slow_pause = slow_pause
        self._leases = leases
        self._left: dict[str, tuple[int, float]] = {}
        """At which version bots were left to another process, and since when."""
        self._playing: dict[str, asyncio.Task[None]] = {}
        self._company: dict[str, asyncio.Event] = {}
        """Told when somebody comes to a table where bots play slowly."""
        self._closed = False

    async def stop(self) -> None:
        self._closed = True
        tasks = list(self._playing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def play_at(self, table_id: str) -> bool:
        """Whether bots are moving at a table, or about to."""
        return table_id in self._playing

    def wake(self, table: Table) -> None:
        """Lets the bots of a table move, if it is their turn and they do not yet.

        Where nobody is they play slowly, and not at all where no person plays.
        """
        attended = self._presence.is_attended(table.id)
        if attended and table.id in self._company:
            self._company[table.id].set()
        if table.bot_to_move() is None or table.id in self._playing or self._closed:
            return
        if attended or table.seating.is_played_by_people():
            task = self._playing[table.id] = asyncio.create_task(self._play(table.id))
            task.add_done_callback(lambda done: self._stopped(table.id, done))

    def _stopped(self, table_id: str, done: asyncio.Task[None]) -> None:
        self._playing.pop(table_id, None)
        self._left.pop(table_id, None)
        if done.cancelled():
            return
        if done.exception() is not None:
            log.error("bots of table %s stopped", table_id, exc_info=done.exception())
        elif (table := self._registry.get(table_id)) is not None:
            # Somebody may have moved between the last look and now.
            self.wake(table)

    async def _play(self, table_id: str) -> None:
        """Bots move until it is a person's turn."""
        walk_alone()
        watched = 0
        while (table := self._registry.get(table_id)) is not None and table.bot_to_move() is not None:
            if not self._presence.is_attended(table_id):
                if not table.seating.is_played_by_people():
                    break
                await self._wait_for_company(table_id)
            pause = self._pause * self._presence.pace(table)
            pauses = OPENING if table.is_opening else 1 + table.held / HELD_LIKE_A_PAUSE
            watched = watched + 1 if is_watched(table) else 0
            await asyncio.sleep(pause * pauses * share_of_pause(watched))
            try:
                await self._take_turn(table)
            except Refused:
                continue
            except StorageGone as error:
                log.warning("a bot waits for the database: %s", error.reason, extra={"table": table_id})
                await asyncio.sleep(AFTER_FAILURE)
            except TeerlingError:
                log.exception("a bot's move at table %s was not stored", table_id)
                await asyncio.sleep(AFTER_FAILURE)
        await self._leases.leave(f"bots:{table_id}")

    async def _take_turn(self, table: Table) -> None:
        """The bot that is to move decides and moves, unless another process lets it."""
        table_id = table.id
        if not await self._are_ours(table):
            # They move by another process; by this one, if that should go away.
            await asyncio.sleep(BY_OTHERS)
            await self._changes.see(table_id, self._ask, anew=False)
            return
        asked = await self._changes.see(table_id, self._ask, anew=False)
        if asked is None:
            return
        player, knows, version, seed = asked
        move = await self.choice(player, knows, seed, *self._share_of(table))
        await self._move(table_id, knows.seat, move, version)

    async def _are_ours(self, table: Table) -> bool:
        """Whether the bots of a table move by this process, and not by another.

        They do by one at which somebody has the table open; which, is known without asking. If they do not,
        or if there is none, they move by whoever has the lease.
        """
        what = f"bots:{table.id}"
        ours = self._leases.falls_here(what, self._presence.processes_at(table.id))
        if ours is None or (not ours and self._are_overdue(table)):
            return await self._leases.take(what)
        return ours

    def _are_overdue(self, table: Table) -> bool:
        """Whether bots that another process is to let move have not, for so long that it may be gone."""
        now = time.monotonic()
        version, since = self._left.get(table.id, (-1, now))
        if version != table.version:
            self._left[table.id] = table.version, now
            return False
        return now - since > OVERDUE

    async def _wait_for_company(self, table_id: str) -> None:
        """Lets time pass at a table where nobody is, until somebody comes."""
        came = self._company[table_id] = asyncio.Event()
        try:
            async with asyncio.timeout(self._slow_pause):
                await came.wait()
        except TimeoutError:
            pass
        finally:
            del self._company[table_id]

    def _share_of(self, table: Table) -> tuple[str, Urgency]:
        """Of whose time the bots of a table think, and how urgent that is."""
        attended = self._presence.is_attended(table.id)
        somebody = min(table.seating.people(), default="")
        whose = f"{self._presence.address_at(table.id) or 'nobody'} {somebody}"
        return whose, Urgency.MOVE if attended else Urgency.LEISURE

    @staticmethod
    def _ask(table: Table) -> tuple[players.Player, players.Observation, int, int | None] | None:
        """Which bot is to move, what it knows, at which version, and what it decides by if that is fixed."""
        level, turn = table.bot_to_move(), table.match.turn
        if level is None or turn is None:
            return None
        return players.level(level), players.observe(table.match, turn), table.version, table.bot_seed()

    async def _move(self, table_id: str, seat: int, move: Move, version: int) -> None:
        await self._changes.apply(table_id, lambda table: table.push(seat, move.text, version, by_bot=True))

    async def choice(
        self,
        player: players.Player,
        knows: players.Observation,
        seed: int | None = None,
        whose: str = "",
        urgency: Urgency = Urgency.MOVE,
    ) -> Move:
        """A bot's move; one that fails to decide plays like the random bot, so that the table goes on."""
        seed = self.chooser.getrandbits(62) if seed is None else seed
        if isinstance(player, players.Random):
            # It decides sooner than a thread would begin.
            return player.choose(knows, seed).move
        try:
            if isinstance(player, players.Search):
                choice = await self._thinking.think(
                    Choosing(player, knows, seed),
                    urgency,
                    whose,
                    here=lambda: for_now(player, knows.game).choose(knows, seed),
                )
            else:
                choice = await asyncio.to_thread(player.choose, knows, seed)
        except Exception:
            log.exception("the bot %s could not decide in %s", player.name, knows.game.id)
            choice = players.Random().choose(knows, seed)
        return choice.move

    def are_preparing(self, table: Table) -> bool:
        """Whether a bot at the table still plays by simpler means, as its search is being compiled."""
        levels = table.seating.bot_levels()
        searches = any(isinstance(players.level(level), players.Search) for level in levels)
        return searches and not self._thinking.is_helped(table.game) and is_preparing(table.game)


def share_of_pause(watched: int) -> float:
    """How much of its pause a bot takes, after so many decisions on end at which people only looked on.

    >>> [round(share_of_pause(watched), 2) for watched in (0, 1, 13, 25)]
    [1.0, 0.25, 0.12, 0.08]
    """
    return HURRY * HASTE / (HASTE + watched - 1) if watched else 1.0


def is_watched(table: Table) -> bool:
    """Whether people at a table only look on: none of them had anything to decide before the last move, nor
    has now before an epoch, a round or the match is over.
    """
    match, seating = table.match, table.seating
    seats = [seat for seat in range(match.players) if seating.is_played(seat)]
    states = [match.state, *(match.states[place] for place in match.pushes[-1:])]
    return bool(seats) and all(match.game.rests(state, seat) for state in states for seat in seats)
