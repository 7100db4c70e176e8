"""The stream of a table: every change, as a seat knows it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from ...game import Move
from ...words import Speaker
from ..database.transactions import StorageGone
from ..tables.broadcaster import Viewer
from ..tables.changes import Changes
from ..tables.table import Table
from .models import Change
from .seats import is_to_decide
from .tell import event_info

HEARTBEAT = 15.0
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

    def news(self, table: Table) -> Change | None:
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
            events=[
                event_info(event, self.say, match.names)
                for happened in match.steps_of(self.seat, same)[: len(moves) - same]
                for event in happened
            ],
        )  # fmt: skip
        self.version, self.known = table.version, moves
        return change


async def messages(
    changes: Changes, follower: Follower, viewer: Viewer, seconds: float
) -> AsyncIterator[str]:
    """The messages of a stream: how the table stands, then every change until the match is over."""
    news = viewer.news
    assert news is not None
    ends = time.monotonic() + seconds
    while True:
        news.clear()
        change = None
        # While the database is gone nothing can be told; when it is back there is news.
        with suppress(StorageGone):
            change = await changes.see(viewer.table_id, follower.news)
        if change is not None:
            data = json.dumps(change.model_dump(), ensure_ascii=False)
            yield f"id: {change.moves}\nevent: change\ndata: {data}\n\n"
        if follower.over or viewer.ends or time.monotonic() >= ends:
            return
        try:
            await asyncio.wait_for(news.wait(), min(HEARTBEAT, ends - time.monotonic()))
        except TimeoutError:
            yield ": still here\n\n"
