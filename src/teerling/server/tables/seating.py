"""The seating of a table: who sits where, and for whom a bot plays."""

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..database.schema import SeatRow

WAYS_OUT = ("resign", "absent", "time")
"""The entries with which a seat goes to a bot: its player gave up, was away, or ran out of time."""


class Seating:
    """The seats of one table, in order: `seating[2]` is the third.

    It answers who sits where. What also depends on the match is told to it (`turn`) or asked of the table.
    """

    def __init__(self, rows: Sequence[SeatRow]) -> None:
        self._rows = list(rows)
        self._ways_out: dict[int, str] = {}

    def __getitem__(self, seat: int) -> SeatRow:
        return self._rows[seat]

    def __iter__(self) -> Iterator[SeatRow]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def change(self, seats: Mapping[int, Mapping[str, Any]]) -> None:
        """Somebody sat down, was replaced by a bot, or came back."""
        for seat, values in seats.items():
            for name, value in values.items():
                setattr(self._rows[seat], name, value)

    def read_on(self, rows: Sequence[SeatRow]) -> bool:
        """Takes over who sits where now; whether that is anything new."""
        old = [_facts(row) for row in self._rows]
        self._rows = list(rows)
        return old != [_facts(row) for row in self._rows]

    def note(self, kind: str, seat: int | None) -> None:
        """Notes an entry of the table: some tell why a bot plays in a seat."""
        if kind in WAYS_OUT and seat is not None:
            self._ways_out[seat] = kind

    @property
    def names(self) -> tuple[str, ...]:
        """What everybody is called; a seat without a name goes by its number."""
        return tuple(row.name or f"seat {row.seat}" for row in self._rows)

    @property
    def free(self) -> list[int]:
        """The seats in which nobody sits yet."""
        return [row.seat for row in self._rows if row.kind == "open"]

    @property
    def kinds(self) -> list[str]:
        """Whether a person, a bot or nobody sits, seat by seat."""
        return [row.kind for row in self._rows]

    def seats_of(self, person_id: str | None) -> list[int]:
        """Where a person sits; at a hot seat that is several places."""
        if person_id is None:
            return []
        return [row.seat for row in self._rows if row.kind == "person" and row.person_id == person_id]

    def seats_with(self, token: str) -> list[int]:
        """The seats that a program plays with a token."""
        given = token_hash(token)
        return [row.seat for row in self._rows if row.token and hmac.compare_digest(row.token, given)]

    def still_played(self, seats: Sequence[int]) -> list[int]:
        """Those of some seats in which no bot sits in."""
        return [seat for seat in seats if not self._rows[seat].stand_in]

    def seats_played_by(self, person_id: str | None) -> list[int]:
        """Where a person still plays."""
        return self.still_played(self.seats_of(person_id))

    def seats_seen_by(self, person_id: str | None) -> list[int]:
        """The seats from which a person looks: all their seats, once they play in none of them any more."""
        return self.seats_played_by(person_id) or self.seats_of(person_id)

    def shown_of(self, own: Sequence[int], turn: int | None) -> int | None:
        """Which of somebody's seats is shown: the one to decide, among those still played."""
        played = self.still_played(own) or own
        if turn in played:
            return turn
        return played[0] if played else None

    def name_of(self, person_id: str) -> str:
        """What a person is called at this table: by their first seat; empty for somebody without one."""
        return next((self._rows[seat].name for seat in self.seats_of(person_id)), "")

    def people(self) -> set[str]:
        """Everybody who sits at the table."""
        return {str(row.person_id) for row in self._rows if row.kind == "person"}

    def alone(self) -> bool:
        """Whether one person plays against bots only; at a hot seat there are several."""
        return sum(row.kind != "bot" for row in self._rows) <= 1

    def is_played(self, seat: int) -> bool:
        """Whether a person plays in a seat, and no bot sits in."""
        return self._rows[seat].kind == "person" and not self._rows[seat].stand_in

    def is_played_by_people(self) -> bool:
        """Whether people play here, and not bots only."""
        return any(self.is_played(row.seat) for row in self._rows)

    def is_last_seat(self, seat: int) -> bool:
        """Whether people play in no other seat any more; at a shared screen every seat is somebody."""
        return [row.seat for row in self._rows if self.is_played(row.seat)] == [seat]

    def others_than(self, seat: int) -> set[str]:
        """Everybody who still plays, but for the person in a seat."""
        playing = {str(row.person_id) for row in self._rows if self.is_played(row.seat)}
        return playing - {str(self._rows[seat].person_id)}

    def is_last(self, person_id: str | None, without: int) -> bool:
        """Whether a person plays on alone without the one in a seat."""
        return self.others_than(without) == {person_id}

    def bot_level(self, seat: int) -> str | None:
        """The level of the bot that plays in a seat, also of one that sits in; None if a person plays."""
        row = self._rows[seat]
        return row.level if row.kind == "bot" else row.stand_in

    def bot_levels(self) -> set[str]:
        """The levels of all bots at the table."""
        return {level for row in self._rows if (level := self.bot_level(row.seat))}

    def way_out(self, seat: int) -> str | None:
        """How a seat came to be played by a bot that sits in; None if none does, or nobody noted it."""
        return self._ways_out.get(seat) if self._rows[seat].stand_in else None


def _facts(row: SeatRow) -> tuple[str | None, ...]:
    """What is known of a seat."""
    return row.kind, row.person_id, row.name, row.level, row.token, row.stand_in


def token_hash(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
