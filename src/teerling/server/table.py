"""A table: the one authority over a match and its seats. What it says has been stored."""

import hashlib
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import players
from ..engine import CHANCE
from ..errors import TeerlingError
from ..game import SPECTATOR, Game, game
from ..match import Match
from ..nature import Sealed
from .storage import ChatRow, EntryRow, SeatRow, Storage, TableRow, now

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters and digits of ids, without those that look alike."""
PACES = ("live", "days")
HINTS = ("bots", "all", "none")
"""When hints are given: to who plays against bots only, to everybody, to nobody."""
STAND_IN = players.USUAL
WAYS_OUT = ("resign", "absent", "time")
"""The entries with which a seat goes to a bot: its player gave up, was away, or ran out of time."""


class Refused(TeerlingError):
    """Something that can not be done at a table now; `text` is a sentence to be translated."""

    status = 409

    def __init__(self, text: str, **details: Any) -> None:
        super().__init__(text.format(**details))
        self.text = text
        self.details = details


class Stale(Refused):
    """The page was behind; it is brought up to date."""


class NotAllowed(Refused):
    """Somebody else's seat."""

    status = 403


class TooFast(Refused):
    """More than somebody may do in this time."""

    status = 429


class UnknownTable(Refused):
    """There is no such table."""

    status = 404


@dataclass(frozen=True)
class Place:
    """What somebody wants a seat of a new table to be."""

    kind: str
    """me, open or bot"""
    name: str = ""
    level: str = ""


class Table:
    """A match among people and bots."""

    def __init__(self, storage: Storage, row: TableRow, entries: Sequence[EntryRow]) -> None:
        self.storage = storage
        self.row = row
        self.game: Game = game(row.game)
        self.seats: list[SeatRow] = list(row.seats)
        self.version = 0
        self.chat: list[ChatRow] = []
        self.entries = list(entries)
        self._hints = Counter(entry.seat for entry in entries if entry.kind == "hint")
        self._lifted: dict[str, tuple[int, int]] = {}
        """For whom the curtain at a shared screen is up: the seat, and how many moves others had made."""
        options = self.game.check_options(row.options)
        start = self.game.start(row.players, options, row.rules)
        self.match = Match(self.game, start, options, nature=Sealed(row.seed))
        for entry in entries:
            self._replay(entry)
        self.rename()

    def reload(self) -> None:
        """Brings the table to where the storage has it, when the storage did not say what it stored."""
        self.__dict__.update(load(self.storage, self.id).__dict__)

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def status(self) -> str:
        return self.row.status

    @property
    def playing(self) -> bool:
        return self.row.status == "playing"

    @property
    def over(self) -> bool:
        return self.row.status == "over"

    @property
    def begun(self) -> bool:
        """Whether everybody sat down, so that there was a match."""
        return any(entry.kind == "start" for entry in self.entries)

    def rename(self) -> None:
        """The match calls everybody by the name of the seat."""
        self.match.names = tuple(seat.name or f"seat {seat.seat}" for seat in self.seats)

    def seats_of(self, person_id: str | None) -> list[int]:
        """Where a person sits; at a hot seat that is several places."""
        if person_id is None:
            return []
        return [seat.seat for seat in self.seats if seat.kind == "person" and seat.person_id == person_id]

    def name_of(self, person_id: str) -> str:
        """What a person is called at this table: by the first own seat; empty for who has none."""
        return next((self.seats[seat].name for seat in self.seats_of(person_id)), "")

    def still_played(self, seats: Sequence[int]) -> list[int]:
        """Those of some seats in which no bot sits in."""
        return [seat for seat in seats if not self.seats[seat].stand_in]

    def seats_played_by(self, person_id: str | None) -> list[int]:
        """Where a person still plays."""
        return self.still_played(self.seats_of(person_id))

    def seats_seen_by(self, person_id: str | None) -> list[int]:
        """The seats from which a person looks: who plays in none any more looks from all own ones."""
        return self.seats_played_by(person_id) or self.seats_of(person_id)

    def seat_shown_to(self, person_id: str | None) -> int | None:
        """The seat whose view a person gets."""
        return self.shown_of(self.seats_of(person_id))

    def shown_of(self, own: Sequence[int]) -> int | None:
        """Which of somebody's seats is shown: the one to decide, among those still played."""
        played = self.still_played(own) or own
        if self.match.turn in played:
            return self.match.turn
        return played[0] if played else None

    def curtained(self, person_id: str | None) -> bool:
        """Whether a person plays several seats that have secrets from each other: a curtain is needed."""
        if len(self.seats_seen_by(person_id)) < 2:
            return False
        return bool(self.game.observed(self.match.state, SPECTATOR) != self.match.state)

    def curtain(self, person_id: str | None) -> int | None:
        """The seat of a shared screen that is to decide, as long as its secrets are still hidden."""
        turn = self.match.turn
        if not self.playing or turn not in self.seats_played_by(person_id) or not self.curtained(person_id):
            return None
        return None if self._lifted.get(str(person_id)) == self._sitting() else turn

    def lift(self, person_id: str) -> None:
        """The player to decide sits at the shared screen; until somebody else has to, it shows that seat."""
        if self.curtain(person_id) is not None:
            self._lifted[person_id] = self._sitting()

    def _sitting(self) -> tuple[int, int]:
        """Who is to decide, and when somebody else last did; so a next turn is never taken for this one."""
        turn = int(self.match.turn or 0)
        states = self.match.states
        others = (i for i in range(len(states) - 1, -1, -1) if states[i].turn not in (turn, CHANCE))
        return turn, next(others, -1)

    def seat_open_to(self, person_id: str | None) -> int | None:
        """The seat whose secrets a person's screen shows now; None shows what everybody knows."""
        if not self.curtained(person_id):
            return self.seat_shown_to(person_id)
        lifted = self.match.turn in self.seats_played_by(person_id) and self.curtain(person_id) is None
        return self.match.turn if self.playing and lifted else None

    def people(self) -> set[str]:
        """Everybody who sits at the table."""
        return {str(seat.person_id) for seat in self.seats if seat.kind == "person"}

    def alone(self) -> bool:
        """Whether one person plays against bots only; at a hot seat there are several."""
        return sum(seat.kind != "bot" for seat in self.seats) <= 1

    @property
    def gives_hints(self) -> bool:
        """Whether a player may ask for a hint here."""
        return self.row.hints == "all" or (self.row.hints == "bots" and self.alone())

    def hints_of(self, seat: int) -> int:
        """How often a seat has asked for a hint."""
        return self._hints[seat]

    def bot_to_move(self) -> str | None:
        """The level of the bot whose turn it is."""
        if not self.playing or self.match.turn is None or self.match.turn < 0:
            return None
        seat = self.seats[self.match.turn]
        return seat.level if seat.kind == "bot" else seat.stand_in

    def push(self, seat: int, text: str, at: int | None = None, by_bot: bool = False) -> None:
        """A seat's move, and the forced moves after it; `at` is the version the page had."""
        self._check_playing(at)
        if self.match.turn != seat:
            raise NotAllowed("it is not your turn")
        if not by_bot:
            self._check_sitting(seat)
        pushed = [self._push(seat, text)]
        while self.match.forced is not None and self.match.turn is not None:
            pushed.append(self._push(self.match.turn, self.match.forced.text))
        try:
            self._store([self._entry("move", seat, text) for seat, text in pushed])
        except TeerlingError:
            for _ in pushed:
                self.match.pop()
            raise

    def _check_sitting(self, seat: int) -> None:
        """Refuses what a person wants to do in a seat that a bot has taken over."""
        if self.way_out(seat) == "resign":
            raise Refused("you have given up; a bot plays on in your seat")
        if self.seats[seat].stand_in:
            raise Refused("a bot sits in your seat; take it back first")

    def _push(self, seat: int, text: str) -> tuple[int, str]:
        move = self.game.move(text)
        self.match.push(move)
        return seat, move.text

    def pushes_to_take_back(self, seat: int) -> int:
        """How many pushes a seat may take back now; 0 if it may not, or if a bot sits in it."""
        if not self.playing or self.seats[seat].stand_in:
            return 0
        states, pushes = self.match.states, self.match.pushes
        if self.alone():
            for count, place in enumerate(reversed(pushes), 1):
                if states[place].turn == seat and self._was_asked(states[place]):
                    return count
            return 0
        if not pushes or states[pushes[-1]].turn != seat:
            return 0
        move, *answers = self.match.history[pushes[-1] :]
        others = (other for other in range(self.match.players) if other != seat)
        secret = any(self.game.secret(states[pushes[-1]], move, other) for other in others)
        return 0 if answers or secret else 1

    def _was_asked(self, state: Any) -> bool:
        """Whether there was something to decide."""
        return len(self.game.legal_moves(state)) > 1

    def take_back(self, seat: int, at: int | None = None) -> None:
        """Takes back to the seat's own last decision, as far as that is allowed."""
        self._check_playing(at)
        self._check_sitting(seat)
        count = self.pushes_to_take_back(seat)
        if count == 0:
            raise Refused("this can not be taken back: chance, a secret or somebody else came after it")
        texts = [self.match.pop() for _ in range(count)]
        try:
            self._store([self._entry("back", seat, str(count))])
        except TeerlingError:
            for move in reversed(texts):
                self.match.push(move)
            raise

    def ask_hint(self, seat: int) -> None:
        """A seat asks what to do; the others can see that it did."""
        self._check_playing(None)
        if self.match.turn != seat:
            raise NotAllowed("it is not your turn")
        self._check_sitting(seat)
        if not self.gives_hints:
            raise NotAllowed("there are no hints at this table")
        if (self.entries[-1].kind, self.entries[-1].seat) != ("hint", seat):
            self._store([self._entry("hint", seat, "")])

    def resign(self, seat: int) -> None:
        """A seat gives up: a bot plays on for it; in the last seat that people play, that ends the match."""
        self._check_playing(None)
        self._check_sitting(seat)
        if self.is_last_seat(seat):
            self._end("resigned", seat)
        else:
            self._store([self._entry("resign", seat, "")], {seat: {"stand_in": STAND_IN}})

    def abandon(self, seat: int) -> None:
        """Ends a table before everybody sits, or a match that nobody else plays any more."""
        if self.over:
            raise Refused("the match is over")
        others_play = not self.is_last_seat(seat) if self.playing else len(self.people()) > 1
        if others_play:
            raise Refused("others still play here; resign instead")
        self._end("abandoned", seat)

    def give_to_bot(self, seat: int, by: int) -> None:
        """An absent player's seat goes to a bot, until the player takes it back."""
        self._check_missing(seat)
        kind = "time" if self.row.pace == "days" else "absent"
        self._store([self._entry(kind, seat, f"by {by}")], {seat: {"stand_in": STAND_IN}})

    def end_without(self, seat: int, by: int) -> None:
        """The last person at the table ends the match, as the player to decide does not come."""
        self._check_missing(seat)
        if not self.is_last(self.seats[by].person_id, seat):
            raise Refused("others still play here; let a bot sit in instead")
        self._end("time" if self.row.pace == "days" else "abandoned", seat, f"by {by}")

    def _check_missing(self, seat: int) -> None:
        self._check_playing(None)
        if self.seats[seat].kind != "person" or self.seats[seat].stand_in:
            raise Refused("nobody is missing in that seat")

    def take_seat_back(self, seat: int) -> None:
        """A player comes back to the seat that a bot had taken over; who gave up does not."""
        self._check_playing(None)
        if self.way_out(seat) == "resign":
            raise Refused("you have given up; a bot plays on in your seat")
        if not self.seats[seat].stand_in:
            raise Refused("no bot sits in your seat")
        self._store([self._entry("person", seat, "")], {seat: {"stand_in": None}})

    def may_come_back(self, seat: int) -> bool:
        """Whether the player may take a seat back from the bot that sits in."""
        return self.playing and bool(self.seats[seat].stand_in) and self.way_out(seat) != "resign"

    def is_last_seat(self, seat: int) -> bool:
        """Whether people play in no other seat any more; at a shared screen every seat is somebody."""
        return [row.seat for row in self.seats if row.kind == "person" and not row.stand_in] == [seat]

    def others_than(self, seat: int) -> set[str]:
        """Everybody who still plays, but for the person in a seat."""
        playing = {str(row.person_id) for row in self.seats if row.kind == "person" and not row.stand_in}
        return playing - {str(self.seats[seat].person_id)}

    def is_last(self, person_id: str | None, without: int) -> bool:
        """Whether a person plays on alone without the one in a seat."""
        return self.others_than(without) == {person_id}

    def way_out(self, seat: int) -> str | None:
        """How a seat came to be played by a bot that sits in; None if none does, or nobody noted it."""
        if not self.seats[seat].stand_in:
            return None
        kinds = (entry.kind for entry in reversed(self.entries) if entry.seat == seat)
        return next((kind for kind in kinds if kind in WAYS_OUT), None)

    @property
    def ended_by(self) -> int | None:
        """Whose giving up, leaving or running out of time ended the match; None if it was played out."""
        return None if self.row.ending in (None, "finished") else self.entries[-1].seat

    def join(self, seat: int, person_id: str, name: str) -> str:
        """A person takes an open seat; the token with which a program may play it."""
        if self.seats_of(person_id):
            raise Refused("you already sit at this table")
        if self.status != "open" or not 0 <= seat < len(self.seats) or self.seats[seat].kind != "open":
            raise Refused("this seat is taken")
        token = secrets.token_urlsafe(24)
        last = sum(row.kind == "open" for row in self.seats) == 1
        start = self._numbered([self._entry("start", None, "")]) if last else []
        changes: dict[str, Any] = {"status": "playing", "turn": self.match.turn} if last else {}
        hashed = token_hash(token)
        if not self.storage.claim_seat(self.id, seat, person_id, name, hashed, *start, **changes):
            raise Refused("this seat is taken")
        values = {"kind": "person", "person_id": person_id, "name": name, "token": hashed}
        self._stored(start, {seat: values}, changes)
        return token

    def fill_with_bots(self, level: str = STAND_IN) -> None:
        """Bots take all open seats, and the match begins."""
        players.level(level)
        if self.status == "open":
            self.begin(
                {row.seat: {"kind": "bot", "level": level, "name": bot_name(row.seat)}
                 for row in self.seats if row.kind == "open"}
            )  # fmt: skip

    def begin(self, seats: Mapping[int, Mapping[str, Any]] | None = None) -> None:
        self._store([self._entry("start", None, "")], seats, status="playing", turn=self.match.turn)

    def _end(self, ending: str, seat: int, text: str = "") -> None:
        self._store([self._entry(ending, seat, text)], status="over", ending=ending, turn=None)

    def check_begun(self) -> None:
        """Refuses to tell of a match for which not everybody sits yet."""
        if self.status == "open":
            raise Refused("the match has not begun: seats are still free")

    def _check_playing(self, at: int | None) -> None:
        if self.over:
            raise Refused("the match is over")
        self.check_begun()
        if at is not None and at != self.version:
            raise Stale("the table has moved on; here is how it stands now")

    def _entry(self, kind: str, seat: int | None, text: str) -> EntryRow:
        return EntryRow(table_id=self.id, number=0, at=now(), kind=kind, seat=seat, text=text)

    def _numbered(self, entries: Sequence[EntryRow]) -> Sequence[EntryRow]:
        for offset, entry in enumerate(entries):
            entry.number = self.version + offset
        return entries

    def _store(
        self,
        entries: Sequence[EntryRow],
        seats: Mapping[int, Mapping[str, Any]] | None = None,
        **changes: Any,
    ) -> None:
        """Commits what happened, all of it or nothing; only then it counts."""
        if self.match.over and "status" not in changes:
            changes = {"status": "over", "ending": "finished", "turn": None, **changes}
        changes.setdefault("turn", self.match.turn)
        self.storage.append(self._numbered(entries), seats, **changes)
        self._stored(entries, seats or {}, changes)

    def _stored(
        self, entries: Sequence[EntryRow], seats: Mapping[int, Mapping[str, Any]], changes: Mapping[str, Any]
    ) -> None:
        """What has been committed counts from now on."""
        self.version += len(entries)
        self.entries += entries
        self._hints.update(entry.seat for entry in entries if entry.kind == "hint")
        if entries:
            self.row.changed = entries[-1].at
        for name, value in changes.items():
            if getattr(self.row, name) != value:
                setattr(self.row, name, value)
        for seat, values in seats.items():
            for name, value in values.items():
                setattr(self.seats[seat], name, value)
        if seats:
            self.rename()

    def _replay(self, entry: EntryRow) -> None:
        if entry.kind == "move":
            self.match.push(entry.text)
        elif entry.kind == "back":
            for _ in range(int(entry.text)):
                self.match.pop()
        self.version += 1


def create(
    storage: Storage,
    game_id: str,
    places: Sequence[Place],
    person_id: str,
    name: str,
    options: Mapping[str, Any],
    public: bool = True,
    pace: str = "live",
    seed: str | None = None,
    hints: str = "bots",
) -> tuple[Table, str | None]:
    """A new table, and the token of its creator's seat if there is one."""
    of = game(game_id)
    of.check_players(len(places))
    values = of.check_options(options)
    if pace not in PACES:
        raise Refused("a pace is live or days, not {pace}", pace=pace)
    if hints not in HINTS:
        raise Refused("hints are for bots, all or none, not {hints}", hints=hints)
    table_id = new_id()
    token = secrets.token_urlsafe(24)
    seats = [
        _seat_row(table_id, i, place, person_id, own_name, token)
        for i, (place, own_name) in enumerate(zip(places, _own_names(places, name), strict=True))
    ]
    has_open = any(seat.kind == "open" for seat in seats)
    at = now()
    row = TableRow(
        id=table_id,
        game=of.id,
        rules=of.version,
        players=len(places),
        options={
            option.name: option.format(values[option.name])
            for option in of.options
            if values[option.name] is not None
        },
        seed=seed or Sealed().seed,
        public=public,
        pace=pace,
        hints=hints,
        status="open",
        ending=None,
        turn=None,
        created=at,
        changed=at,
        rematch=None,
    )
    storage.add_table(row, seats)
    stored = storage.table(table_id)
    if stored is None:
        raise UnknownTable("there is no such table")
    table = Table(storage, stored, [])
    if not has_open:
        table.begin()
    return table, token if any(place.kind == "me" for place in places) else None


def _own_names(places: Sequence[Place], name: str) -> list[str]:
    """What the creator is called in every seat: at a shared screen the second is "Anne 2"."""
    mine = [sum(place.kind == "me" for place in places[: i + 1]) for i in range(len(places))]
    return [name if number < 2 else f"{name[:36]} {number}" for number in mine]


def _seat_row(table_id: str, seat: int, place: Place, person_id: str, name: str, token: str) -> SeatRow:
    row = SeatRow(table_id=table_id, seat=seat, kind=place.kind, name=place.name, stand_in=None)
    if place.kind == "me":
        row.kind, row.person_id, row.name, row.token = (
            "person",
            person_id,
            place.name or name,
            token_hash(token),
        )
    elif place.kind == "bot":
        row.level = players.level(place.level or players.USUAL).name
        row.name = place.name or bot_name(seat)
    elif place.kind != "open":
        raise Refused("a seat is for me, open or for a bot, not {kind}", kind=place.kind)
    return row


def load(storage: Storage, table_id: str) -> Table:
    """The table with this id, as the last stored entry left it."""
    row = storage.table(table_id)
    if row is None:
        raise UnknownTable("there is no such table")
    table = Table(storage, row, storage.entries(table_id))
    table.chat = storage.chat(table_id)
    return table


BOT_NAMES = ("Ramses", "Nefer", "Tija", "Horem", "Meret", "Senu")


def bot_name(seat: int) -> str:
    return BOT_NAMES[seat % len(BOT_NAMES)]


def new_id() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(10))


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
