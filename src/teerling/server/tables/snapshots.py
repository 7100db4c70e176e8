"""Snapshots: a match as it stood after some entries, so that it need not be replayed to be played on.

A snapshot is a help and nothing more. The entries of a table are what happened; a snapshot that does not fit
them, or was made by other rules, is dropped, and the match is replayed.
"""

import hashlib
import json
import struct
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from ... import __version__
from ...engine import CHANCE
from ...engine.states import CHUNK, States
from ...files import TakenBack
from ...game import Game
from ...past import Past

FORMAT = b"teerling snapshot 1\n"
SIZE = struct.Struct(">I")


class Unfit(ValueError):
    """A snapshot cannot be used; the text says why."""


class Happened(Protocol):
    """What of an entry counts."""

    number: int
    kind: str
    seat: int | None
    text: str


class Digest:
    """What the entries of a table come to, one after the other.

    >>> Digest().hexdigest()[:8]
    'e3b0c442'
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def note(self, entry: Happened) -> None:
        self._hash.update(f"{entry.number}\t{entry.kind}\t{entry.seat}\t{entry.text}\n".encode())

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


def digest_of(entries: Iterable[Happened]) -> str:
    """The digest of several entries."""
    digest = Digest()
    for entry in entries:
        digest.note(entry)
    return digest.hexdigest()


@dataclass(frozen=True)
class Snapshot:
    """A table after its first entries."""

    covers: int
    """After how many entries it was taken."""
    digest: str
    """Of those entries."""
    past: Past
    """Of the match; what was told of it is not in here."""


@cache
def fingerprint(of: Game) -> str:
    """What the states of a game depend on: this program's version and the sources of the rules."""
    kinds = f"{__version__} {of.id} {of.version} {of.rules.State.dtype} {CHUNK}"
    found = hashlib.sha256(kinds.encode())
    folders = [of.folder, *(Path(str(module.__file__)).parent for module in of.shares)]
    for path in (path for folder in folders for path in sorted(folder.glob("*.py"))):
        found.update(path.read_bytes())
    return found.hexdigest()


def packed(snapshot: Snapshot, of: Game) -> bytes:
    """A snapshot as bytes."""
    past = snapshot.past
    head = {
        "covers": snapshot.covers,
        "digest": snapshot.digest,
        "rules": fingerprint(of),
        "moves": [move.id for move in past.moves],
        "turns": past.turns.tolist(),
        "pushed": past.pushed,
        "taken_back": [(each.place, each.seat, each.draws) for each in past.taken_back],
        "ends": past.ends,
        "searched": past.searched,
    }
    parts = [zlib.compress(json.dumps(head, separators=(",", ":")).encode()), *past.states.packed()]
    body = b"".join(SIZE.pack(len(part)) + part for part in parts)
    return FORMAT + hashlib.sha256(body).digest() + body


def unpacked(data: bytes, of: Game, start: Any, entries: Sequence[Happened]) -> Snapshot:
    """The snapshot of a table with these entries and this start; Unfit if it is none of it."""
    checksum, body = data[len(FORMAT) : len(FORMAT) + 32], data[len(FORMAT) + 32 :]
    if not data.startswith(FORMAT) or hashlib.sha256(body).digest() != checksum:
        raise Unfit("it is damaged, or of another format")
    parts = list(_parts(body))
    head = json.loads(zlib.decompress(parts[0]))
    if head["rules"] != fingerprint(of):
        raise Unfit("it was made by other rules")
    covers = head["covers"]
    if covers > len(entries) or head["digest"] != digest_of(entries[:covers]):
        raise Unfit(f"it is not of the first {covers} of {len(entries)} entries")
    states = States.unpacked(type(start), parts[1:])
    turns = array("b", head["turns"])
    if len(states) != len(turns) + 1 or states[0] != start:
        raise Unfit("it does not begin as the match does")
    moves = [of.move(id, chance=turn == CHANCE) for id, turn in zip(head["moves"], turns, strict=True)]
    taken_back = [TakenBack(*each) for each in head["taken_back"]]
    past = Past(states, moves, turns, head["pushed"], taken_back, head["ends"], head["searched"])
    return Snapshot(covers, head["digest"], past)


def _parts(body: bytes) -> Iterable[bytes]:
    place = 0
    while place < len(body):
        (size,) = SIZE.unpack_from(body, place)
        yield body[place + SIZE.size : place + SIZE.size + size]
        place += SIZE.size + size
