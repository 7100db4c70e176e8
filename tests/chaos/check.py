"""What must hold after a fault: what was told is stored, once, and every match is one by the rules."""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from sqlalchemy import select

import teerling
from teerling.server.database.schema import ChatRow
from teerling.server.database.storage import Storage
from teerling.server.settings import Settings
from teerling.server.tables.snapshots import Unfit
from teerling.server.tables.table import Table

from .load import Memory


@dataclass
class Findings:
    """What was found in the database; a line for everything that is not as it should be."""

    moves: int = 0
    """Acknowledged moves that were looked for."""
    lines: int = 0
    """The same of lines of chat."""
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    """Matches that are not what their entries say."""
    verified: int = 0

    @property
    def bad(self) -> list[str]:
        return self.lost + self.doubled + self.broken


def look(settings: Settings, memories: Iterable[Memory], verify: bool = True) -> Findings:
    """Compares what is stored with what was told; `verify` replays every match too.

    People may go on meanwhile: what they were told before is looked for in what is read after.
    """
    found = Findings()
    storage = Storage(settings.database_url)
    try:
        for memory in memories:
            find_lines(storage, memory, found)
            find_moves(storage, memory, found)
            if verify:
                found.verified += 1
                try:
                    replay(storage, memory, found)
                except Exception as error:
                    found.broken.append(f"{memory.table_id}: {error!r}")
    finally:
        storage.close()
    return found


def find_moves(storage: Storage, memory: Memory, found: Findings) -> None:
    """Every acknowledged move stands where it was made."""
    id, told, acknowledged = memory.table_id, memory.told, dict(memory.acknowledged)
    entries = storage.entries(id)
    if [entry.number for entry in entries] != list(range(len(entries))):
        found.broken.append(f"{id}: the entries are not numbered one by one")
    if len(entries) < told:
        found.lost.append(f"{id}: version {told} was told, {len(entries)} entries are stored")
    found.moves += len(acknowledged)
    stored = {entry.number: (entry.seat, entry.text) for entry in entries if entry.kind == "move"}
    for at, what in acknowledged.items():
        if stored.get(at) != what:
            found.lost.append(f"{id}: {what} at {at} was acknowledged, {stored.get(at)} is stored")


def find_lines(storage: Storage, memory: Memory, found: Findings) -> None:
    """Every line of which it was told that it is stored is there, and none twice."""
    said = list(memory.said)
    with storage.reading() as session:
        heard = Counter(session.scalars(select(ChatRow.text).where(ChatRow.table_id == memory.table_id)))
    found.lines += len(said)
    found.lost += [f"{memory.table_id}: {line!r} is not stored" for line in said if not heard[line]]
    found.doubled += [
        f"{memory.table_id}: {line!r} is stored {n} times" for line, n in heard.items() if n > 1
    ]


def replay(storage: Storage, memory: Memory, found: Findings) -> None:
    """The match follows from its entries and its seed, and its seats made what was sent and nothing else.

    What the table itself adds are moves that are forced.
    """
    stored = storage.stored(memory.table_id)
    assert stored is not None, "it is not there"
    whole = Table(storage, stored.row, [])
    for entry in stored.entries:
        if entry.kind == "move" and entry.seat in memory.seats:
            sent = (entry.seat, entry.text) in memory.sent.get(entry.number, ())
            if not sent and (whole.match.forced is None or whole.match.forced.text != entry.text):
                found.doubled.append(
                    f"{memory.table_id}: {entry.text!r} at {entry.number} was not sent there"
                )
        whole._replay(entry)
    text = whole.match.save()
    if stored.snapshot is not None:
        with suppress(Unfit):
            quick = Table(storage, stored.row, stored.entries, stored.chat, stored.snapshot)
            assert quick.match.save() == text, "with its snapshot it is another match"
    assert teerling.load(text).save() == text, "its file is another match"
    assert stored.row.turn == (whole.match.turn if whole.playing else None), "the turn is another"
