"""The stream of a table: every change, as a seat knows it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from ...game import Move
from ...match import Match
from ...words import Speaker
from ..database.transactions import StorageGone
from ..refusals import TooFast
from ..tables.broadcaster import Viewer
from ..tables.changes import Changes
from ..tables.table import Table
from ..thinking.workshop import Workshop
from .models import Change
from .seats import is_to_decide
from .tell import event_info

HEARTBEAT = 15.0
LONG = 100
"""What happened in more moves is told aside, so that nobody waits for it."""
CHANGE = Change.model_json_schema(ref_template="#/components/schemas/{model}")
EVENT_STREAM = {
    "text/event-stream": {
        "schema": {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "event": {"const": "change"},
                "data": {
                    "type": "string",
                    "contentMediaType": "application/json",
                    "contentSchema": {name: value for name, value in CHANGE.items() if name != "$defs"},
                },
            },
        }
    }
}


class Stream(StreamingResponse):
    """A stream after which its viewer leaves, however it ends."""

    media_type = "text/event-stream"

    def __init__(self, messages: AsyncIterator[str], leave: Callable[[], None]) -> None:
        super().__init__(messages, headers={"X-Accel-Buffering": "no"})
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()


class Silent:
    """The socket of a stream, which asks for itself."""

    async def send_text(self, data: str) -> None:
        """Sends nothing."""

    async def close(self, code: int = 1000) -> None:
        """Closes nothing."""


class Follower:
    """Somebody who is told what is new at a table, as a seat knows it."""

    def __init__(self, table: Table, seat: int | None, say: Speaker, known: int | None) -> None:
        self.seat = seat
        self.say = say
        self.version = -1
        """The version that was told last."""
        self.over = table.over
        moves = self._moves(table)
        self.known = moves if known is None else moves[:known]

    def _moves(self, table: Table) -> Sequence[Move]:
        """The moves that the seat may know: none before everybody sits."""
        return () if table.status == "open" else table.match.history_of(self.seat)

    def news(self, table: Table) -> "News | None":
        """What is new since the last time; None if nothing is."""
        self.over = table.over
        if table.version == self.version:
            return None
        moves, match = self._moves(table), table.match
        same = next(
            (i for i, (old, new) in enumerate(zip(self.known, moves, strict=False)) if old != new),
            min(len(self.known), len(moves)),
        )
        change = Change(
            version=table.version, status=table.status, turn=table.row.turn,
            yours=is_to_decide(table, self.seat), moves=len(moves), taken_back=len(self.known) - same,
            events=[],
        )  # fmt: skip
        self.version, self.known = table.version, moves
        return News(change, match.upto(len(match.history)), self.seat, same, self.say)


@dataclass(frozen=True)
class News:
    """A change at a table for somebody who follows it, to which is still to be told what happened."""

    change: Change
    match: Match
    """As it was then."""
    seat: int | None
    since: int
    say: Speaker

    @property
    def is_long(self) -> bool:
        """Whether it takes a while to tell."""
        return self.change.moves - self.since > LONG

    def written(self) -> str:
        """The message of a stream."""
        steps = self.match.steps_of(self.seat, self.since)[: self.change.moves - self.since]
        self.change.events = [
            event_info(event, self.say, self.match.names) for happened in steps for event in happened
        ]
        data = json.dumps(self.change.model_dump(), ensure_ascii=False)
        return f"id: {self.change.moves}\nevent: change\ndata: {data}\n\n"


async def messages(
    changes: Changes, workshop: Workshop, follower: Follower, viewer: Viewer, seconds: float
) -> AsyncIterator[str]:
    """The messages of a stream: how the table stands, then every change until the match is over."""
    news = viewer.news
    assert news is not None
    ends = time.monotonic() + seconds
    while True:
        news.clear()
        told = None
        # While the database is gone nothing can be told; when it is back there is news.
        with suppress(StorageGone):
            told = await changes.see(viewer.table_id, follower.news)
        if told is not None and told.is_long:
            try:
                yield await workshop.make(told.written, whose=viewer.address)
            except TooFast:
                # The program may open it again later, and goes on from what it knows.
                return
        elif told is not None:
            yield told.written()
        if follower.over or viewer.ends or time.monotonic() >= ends:
            return
        try:
            await asyncio.wait_for(news.wait(), min(HEARTBEAT, ends - time.monotonic()))
        except TimeoutError:
            yield ": still here\n\n"
