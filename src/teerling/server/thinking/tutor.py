"""The tutor: where somebody plays against bots only, it asks before a move that loses clearly.

It judges as reviews do, from what the seat knows and nothing else, and for a moment only: whoever has to wait
longer has moved. That it asked is stored, and everybody sees it, as with hints.
"""

import asyncio
import logging
import threading
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from ... import players
from ...errors import TeerlingError
from ...game import Game, Move
from ...lab.mistakes import Judgement, explained, judged
from ...lab.review import JUDGED, warm_up
from ..refusals import Refused
from ..tables.broadcaster import Broadcaster
from ..tables.changes import Changes
from ..tables.presence import Presence
from ..tables.registry import Registry
from ..tables.table import Table
from ..watch.metrics import Inside, walk_alone
from .queue import Thinking, Urgency

log = logging.getLogger("teerling")

PATIENCE = 1.5
"""For how many seconds a move waits at most for what the tutor thinks of it."""
CLEARLY = ("mistake", "blunder")
"""What a move is called that is asked about."""

_prepared: dict[str, threading.Thread] = {}
"""By game, what compiles all that the tutor needs."""


class Tutor(Refused):
    """A move that the tutor asks about: it has not been made, and is if it comes again and is `sure`."""


@dataclass(eq=False)
class Question:
    """A move that somebody is asked about, in the state in which it would be made."""

    seat: int
    state: Any
    judgement: Judgement
    at: int
    """The version of the table before it was asked."""
    told: bool = False
    """Whether the reason is known, or there is none."""
    closed: bool = False
    """Whether whoever was asked rather chooses another move."""

    @property
    def move(self) -> Move:
        return self.judgement.played


@dataclass(frozen=True)
class Considered:
    """A move that is about to be made, and what its seat knows."""

    knows: players.Observation
    move: Move
    place: int
    state: Any
    version: int
    whose: str
    """Of whose time thinking about it takes."""


class Tutors:
    """The tutor at all tables: at every one at most one question, about the move that was wanted last."""

    def __init__(
        self,
        registry: Registry,
        broadcaster: Broadcaster[Any],
        changes: Changes,
        presence: Presence,
        thinking: Thinking,
    ) -> None:
        self._registry = registry
        self._broadcaster = broadcaster
        self._changes = changes
        self._presence = presence
        self._thinking = thinking
        self._questions: dict[str, Question] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Who clicks twice is asked once."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def stop(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def consider(self, table_id: str, seat: int, text: str, at: int | None) -> None:
        """Refuses a move that loses clearly, until somebody is sure; all others may be made."""
        if not (await self._registry.find(table_id)).has_tutor:
            return
        lock = self._locks.setdefault(table_id, asyncio.Lock())
        async with lock:
            considered = await self._changes.see(table_id, lambda table: self._seen(table, seat, text, at))
            judgement = None if considered is None else await self._judged(table_id, considered)
            if considered is None or judgement is None or judgement.grade not in CLEARLY:
                return
            await self._ask(table_id, considered, judgement)
            raise asking(judgement)

    def shown(self, table: Table, seat: int | None) -> Question | None:
        """What a seat is asked about the state that the match is in now."""
        question = self._questions.get(table.id)
        fits = question is not None and question.seat == seat and question.state is table.match.state
        return question if fits else None

    def version_known(self, table: Table, seat: int, at: int | None) -> int | None:
        """The version that somebody has seen; if only a question came after it, that is the newest."""
        question = self.shown(table, seat)
        return table.version if question is not None and at == question.at == table.version - 1 else at

    def close(self, table: Table, seat: int) -> None:
        """Whoever was asked rather chooses another move."""
        question = self.shown(table, seat)
        if question is not None:
            question.closed = True
            self._broadcaster.tell(table)

    def forget(self, table_id: str) -> None:
        self._questions.pop(table_id, None)

    @staticmethod
    def is_preparing(game: Game) -> bool:
        """Whether what the tutor needs is still being compiled; if it was not yet, that begins now."""
        if game.id not in _prepared:
            _prepared[game.id] = threading.Thread(target=warm_up, args=(game,), daemon=True)
            _prepared[game.id].start()
        return _prepared[game.id].is_alive()

    def _seen(self, table: Table, seat: int, text: str, at: int | None) -> Considered | None:
        """What is to be judged; nothing if the move cannot be made, or need not be thought about."""
        question = self.shown(table, seat)
        if question is not None and question.move.text == text:
            question.closed = False
            raise asking(question.judgement)
        if not table.has_tutor or table.match.turn != seat or at not in (None, table.version):
            return None
        move = next((each for each in table.match.legal_moves if each.text == text), None)
        if move is None or len(table.match.legal_moves) < 2 or self.is_preparing(table.game):
            return None
        knows = players.observe(table.match, seat)
        whose = f"{self._presence.address_at(table.id) or 'nobody'} {table.seating[seat].person_id}"
        place = len(table.match.turns)
        return Considered(knows, move, place, table.match.state, table.version, whose)

    async def _judged(self, table_id: str, considered: Considered) -> Judgement | None:
        """What a move gives away; nothing if that takes too long."""
        work = self._thinking.work_out(
            judged, considered.knows, considered.move, considered.place, JUDGED,
            urgency=Urgency.HINT, whose=considered.whose,
        )  # fmt: skip
        try:
            with Inside("thinking"):
                return await asyncio.wait_for(work, PATIENCE)
        except TimeoutError:
            return None
        except Exception:
            log.exception("the tutor could not judge a move at table %s", table_id)
            return None

    async def _ask(self, table_id: str, considered: Considered, judgement: Judgement) -> None:
        """Stores that it asks, and finds out why while the question is read."""
        seat, version = considered.knows.seat, considered.version
        question = self._questions[table_id] = Question(seat, considered.state, judgement, version)
        try:
            await self._changes.apply(table_id, lambda table: table.note_question(seat, version))
        except TeerlingError:
            self._questions.pop(table_id, None)
            raise
        task = asyncio.create_task(self._explain(table_id, question, considered))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _explain(self, table_id: str, question: Question, considered: Considered) -> None:
        """Finds out why the other move is better, while the question is read."""
        walk_alone()
        try:
            question.judgement = await self._thinking.work_out(
                explained, question.judgement, considered.knows, urgency=Urgency.HINT, whose=considered.whose
            )
        except Exception:
            log.exception("the tutor could not explain a move at table %s", table_id)
        question.told = True
        if (table := self._registry.get(table_id)) is not None:
            self._broadcaster.tell(table)


def asking(judgement: Judgement) -> Tutor:
    """The question as a refusal."""
    return Tutor(
        "Sure? This move seems to lose {percent} % of a win; it is made if you say so.",
        percent=round(100 * judgement.loss),
    )
