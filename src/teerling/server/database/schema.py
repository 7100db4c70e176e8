"""What the database looks like: its tables, and what their rows mean."""

import json
import zlib
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    TypeDecorator,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

MOST_TEXT = 200
"""How many characters the text of an entry has at most."""


class Moment(TypeDecorator[datetime]):
    """A moment in UTC; SQLite forgets which time zone it was."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class Base(DeclarativeBase):
    pass


class PersonRow(Base):
    """Somebody who plays: a name, and hardly anything else."""

    __tablename__ = "people"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    created: Mapped[datetime] = mapped_column(Moment)
    renewed: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    """how often the personal link was renewed; older ones are not valid any more"""


class TableRow(Base):
    """A table: which game, how it is played, and whether it is over."""

    __tablename__ = "tables"
    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    rules: Mapped[int] = mapped_column(Integer)
    players: Mapped[int] = mapped_column(Integer)
    options: Mapped[dict[str, Any]] = mapped_column(JSON)
    seed: Mapped[str] = mapped_column(String(200))
    public: Mapped[bool] = mapped_column(Boolean)
    pace: Mapped[str] = mapped_column(String(8))
    """live or days"""
    hints: Mapped[str] = mapped_column(String(8), server_default="bots")
    """when a player may ask for a hint: bots (nobody but bots plays against them), all (always) or none"""
    status: Mapped[str] = mapped_column(String(8))
    """open (seats are free), playing or over"""
    ending: Mapped[str | None] = mapped_column(String(12))
    """finished, resigned, abandoned, time or length"""
    turn: Mapped[int | None] = mapped_column(Integer)
    created: Mapped[datetime] = mapped_column(Moment)
    changed: Mapped[datetime] = mapped_column(Moment)
    rematch: Mapped[str | None] = mapped_column(String(16))
    day: Mapped[str | None] = mapped_column(String(10))
    """of which day's deal this is, as 2026-11-16; None for any other table"""
    seats: Mapped[list["SeatRow"]] = relationship(order_by="SeatRow.seat", lazy="selectin")
    __table_args__ = (Index("ix_tables_listed", "status", "public", "changed"),)


class SeatRow(Base):
    """Who sits where: a person, a bot, or nobody yet."""

    __tablename__ = "seats"
    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(Integer, primary_key=True)
    kind: Mapped[str] = mapped_column(String(8))
    """person, bot or open"""
    name: Mapped[str] = mapped_column(String(40))
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id"), index=True)
    level: Mapped[str | None] = mapped_column(String(20))
    token: Mapped[str | None] = mapped_column(String(64), index=True)
    """SHA-256 of the token with which a program plays this seat"""
    stand_in: Mapped[str | None] = mapped_column(String(20))
    """the level of the bot that sits in for a person"""


class EntryRow(Base):
    """Something that happened at a table, in order: moves, take-backs, resigning and the like."""

    __tablename__ = "entries"
    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    at: Mapped[datetime] = mapped_column(Moment)
    kind: Mapped[str] = mapped_column(String(12))
    seat: Mapped[int | None] = mapped_column(Integer)
    text: Mapped[str] = mapped_column(String(MOST_TEXT))


class ChatRow(Base):
    """A line of chat."""

    __tablename__ = "chat"
    __table_args__ = (Index("ix_chat_mark", "table_id", "mark", unique=True),)
    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), index=True)
    at: Mapped[datetime] = mapped_column(Moment)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id"))
    name: Mapped[str] = mapped_column(String(40))
    text: Mapped[str] = mapped_column(Text)
    mark: Mapped[str | None] = mapped_column(String(40))
    """What the page calls it from which it was said: sent once more it is the same line."""


class SnapshotRow(Base):
    """How a table stood after its first entries, so that they need not be replayed; see `snapshots`."""

    __tablename__ = "snapshots"
    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class ResultRow(Base):
    """How a seat did in a match that counts, and what its player was rated then."""

    __tablename__ = "results"
    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(Integer, primary_key=True)
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id"), index=True)
    game: Mapped[str] = mapped_column(String(40))
    at: Mapped[datetime] = mapped_column(Moment)
    rank: Mapped[int] = mapped_column(Integer)
    score: Mapped[int | None] = mapped_column(Integer)
    """None for a player who gave up"""
    mu: Mapped[float | None] = mapped_column(Float)
    """openskill's rating of the player after the match, in this game; None for bots"""
    sigma: Mapped[float | None] = mapped_column(Float)


class DealRow(Base):
    """The deal of a day: what nature will answer to whoever plays it."""

    __tablename__ = "deals"
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    seed: Mapped[str] = mapped_column(String(200))


class AttemptRow(Base):
    """Somebody's one attempt at the deal of a day."""

    __tablename__ = "attempts"
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    person_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    """another id that is nobody's, once the person is forgotten"""
    table_id: Mapped[str] = mapped_column(String(16), index=True)
    score: Mapped[int | None] = mapped_column(Integer)
    """None until the match is over, and for somebody who gave up"""
    rank: Mapped[int | None] = mapped_column(Integer)


class PuzzleRow(Base):
    """The puzzle of a day: a match up to a decision, and what every move is worth there."""

    __tablename__ = "puzzles"
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    text: Mapped[str] = mapped_column(Text)
    """the match file"""
    player: Mapped[str] = mapped_column(String(20))
    """who judged it"""
    estimates: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    reason: Mapped[dict[str, Any]] = mapped_column(JSON)


class TryRow(Base):
    """Somebody's one try at the puzzle of a day."""

    __tablename__ = "tries"
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    person_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    """another id that is nobody's, once the person is forgotten"""
    move: Mapped[str] = mapped_column(String(200))
    found: Mapped[bool] = mapped_column(Boolean)


class Packed(TypeDecorator[dict[str, Any]]):
    """What is ready for JSON, packed: the figures of a review are many."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: dict[str, Any] | None, dialect: Any) -> bytes | None:
        return None if value is None else zlib.compress(json.dumps(value).encode())

    def process_result_value(self, value: bytes | None, dialect: Any) -> dict[str, Any] | None:
        return None if value is None else json.loads(zlib.decompress(value))


class ReviewRow(Base):
    """The review of a table's match, as far as it has been worked out."""

    __tablename__ = "reviews"
    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), primary_key=True)
    complete: Mapped[bool] = mapped_column(Boolean)
    kept: Mapped[dict[str, Any]] = mapped_column(Packed)
    """what `lab.Reviewing` needs to go on; of a complete one what `lab.Review` is made of"""
    insights: Mapped[dict[str, Any] | None] = mapped_column(Packed)
    """of a complete one, what profiles tell of it: luck by seat, and every decision in short"""
