"""A table: the one authority over a match and its seating. What it says has been stored."""

import random
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from ... import players
from ...engine import CHANCE
from ...errors import TeerlingError
from ...files import Branch
from ...game import SPECTATOR, Game, game
from ...nature import Sealed
from ...past import Past
from ..database.schema import TableRow
from ..database.storage import MOST_LINES, Entry, Said, Storage, Stored, now
from ..refusals import NotAllowed, Refused, Stale
from .branches import SAME_LUCK, given_in
from .days import lasts
from .seating import Seating, token_hash
from .snapshots import Digest, Snapshot, Unfit, packed, unpacked

KEPT = timedelta(minutes=2)
"""For how long the chairs of a rematch are kept for those who played."""
STAND_IN = players.USUAL
"""The level of a bot that takes over a person's seat."""


TOLD, FORGETTING = 112, 16
"""What happened with so many moves stays told; what came before is forgotten now and then."""
WEIGHT, CHAT_WEIGHT = 16_000, 300
"""About how many bytes a table takes without its match, and how many each line of chat."""
ANEW = "anew"
"""Marks a take back after which nature draws anew; those of older tables bring the same luck again."""


class Table:
    """A match among people and bots."""

    def __init__(
        self,
        storage: Storage,
        row: TableRow,
        entries: Sequence[Entry],
        chat: Sequence[Said] = (),
        snapshot: bytes | None = None,
    ) -> None:
        """Made of its entries; a snapshot tells how it stood after the first of them, or is refused."""
        self.storage = storage
        self.row = row
        self.game: Game = game(row.game)
        self.seating = Seating(row.seats)
        self.version = 0
        self.chat = list(chat)
        self.last: Entry | None = None
        """What happened last."""
        self.moved: Sequence[Entry] = ()
        """What was stored last, if it was moves and nothing else, in a match that goes on."""
        self.begun = False
        """Whether everybody sat down, so that there was a match."""
        self._digest = Digest()
        self._kept = 0
        """How many entries the snapshot covers that is stored."""
        self._hints: Counter[int | None] = Counter()
        self._backs: Counter[int | None] = Counter()
        self._questions: Counter[int | None] = Counter()
        self._tutored = False
        self._lifted: dict[str, tuple[int, int]] = {}
        """For whom the curtain at a shared screen is up: the seat, and how many moves others had made."""
        self.given = given_in(entries)
        """What its match has from another."""
        options = self.game.check_options(row.options)
        start = self.given.start(self.game, row, options)
        past = None if snapshot is None else self._recall(snapshot, start, entries)
        self.match = self.given.begun(self.game, start, options, Sealed(row.seed), past)
        for entry in entries[self.version :]:
            self._replay(entry)
        if snapshot is not None and self.playing and self.match.turn != row.turn:
            raise Unfit("it is another player's turn by it")
        self.match.names = self.seating.names

    def _recall(self, snapshot: bytes, start: Any, entries: Sequence[Entry]) -> Past:
        """What had happened when a snapshot was taken; Unfit if it is not of these entries."""
        known = unpacked(snapshot, self.game, start, entries)
        self.version = self._kept = known.covers
        for entry in entries[: known.covers]:
            self._note(entry)
        return known.past

    def snapshot(self) -> bytes:
        """How the table stands, to be kept; while nothing is being done at it."""
        self._kept = self.version
        return packed(Snapshot(self.version, self._digest.hexdigest(), self.match.past), self.game)

    @property
    def unkept(self) -> int:
        """How many entries have come since a snapshot was kept."""
        return self.version - self._kept

    @property
    def weight(self) -> int:
        """About how many bytes of memory the table takes."""
        return WEIGHT + self.match.weight + CHAT_WEIGHT * len(self.chat)

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

    def seat_shown_to(self, person_id: str | None) -> int | None:
        """The seat whose view a person gets."""
        return self.seating.shown_of(self.seating.seats_of(person_id), self.match.turn)

    def curtained(self, person_id: str | None) -> bool:
        """Whether a person plays several seats that have secrets from each other: a curtain is needed."""
        if len(self.seating.seats_seen_by(person_id)) < 2:
            return False
        return bool(self.game.observed(self.match.state, SPECTATOR) != self.match.state)

    def curtain(self, person_id: str | None) -> int | None:
        """The seat of a shared screen that is to decide, as long as its secrets are still hidden."""
        turn, played = self.match.turn, self.seating.seats_played_by(person_id)
        if not self.playing or turn not in played or not self.curtained(person_id):
            return None
        return None if self._lifted.get(str(person_id)) == self._sitting() else turn

    def lift(self, person_id: str) -> None:
        """The player to decide sits at the shared screen; until somebody else has to, it shows that seat."""
        if self.curtain(person_id) is not None:
            self._lifted[person_id] = self._sitting()

    def _sitting(self) -> tuple[int, int]:
        """Who is to decide, and when somebody else last did; so a next turn is never taken for this one."""
        turn = int(self.match.turn or 0)
        turns = self.match.turns
        others = (i for i in range(len(turns) - 1, -1, -1) if turns[i] not in (turn, CHANCE))
        return turn, next(others, -1)

    def seat_open_to(self, person_id: str | None) -> int | None:
        """The seat whose secrets a person's screen shows now; None shows what everybody knows."""
        if not self.curtained(person_id):
            return self.seat_shown_to(person_id)
        turn, played = self.match.turn, self.seating.seats_played_by(person_id)
        return turn if self.playing and turn in played and self.curtain(person_id) is None else None

    @property
    def branch(self) -> Branch | None:
        """From which other match this one was branched; its result counts for nobody."""
        return self.match.branch

    @property
    def has_same_luck(self) -> bool:
        """Whether nature answers in a branch as she did in the other match."""
        return self.given.luck == SAME_LUCK

    @property
    def gives_hints(self) -> bool:
        """Whether a player may ask for a hint here."""
        return self.row.hints == "all" or (self.row.hints == "bots" and self.seating.alone())

    @property
    def may_have_tutor(self) -> bool:
        """Whether a tutor may sit beside the player: one person against bots, where hints are given."""
        return self.seating.alone() and self.row.hints != "none" and self.row.day is None

    @property
    def has_tutor(self) -> bool:
        """Whether the tutor asks before a move that loses clearly."""
        return self._tutored and self.may_have_tutor

    def questions_of(self, seat: int) -> int:
        """How often the tutor asked a seat whether it was sure."""
        return self._questions[seat]

    def hints_of(self, seat: int) -> int:
        """How often a seat has asked for a hint."""
        return self._hints[seat]

    def take_backs_of(self, seat: int) -> int:
        """How often a seat has taken back what chance had answered already."""
        return self._backs[seat]

    @property
    def held(self) -> int:
        """For how many milliseconds what happened last is shown before something else happens."""
        place = self.match.pushes[-1] if self.match.pushes else 0
        events = [event for step in self.match.steps_since(place) for event in step]
        return sum(
            max(self.game.moments.get(event.kind, 0) for event in each) for each in self.game.pictures(events)
        )

    def bot_to_move(self) -> str | None:
        """The level of the bot whose turn it is."""
        if not self.playing or self.match.turn is None or self.match.turn < 0:
            return None
        return self.seating.bot_level(self.match.turn)

    def bot_seed(self) -> int | None:
        """What the bot to move decides by: at every table of a day's deal the same, elsewhere anything.

        It depends on how many decisions the bot has made, so that whoever plays alike meets the same bots.
        """
        turn = self.match.turn
        if self.row.day is None:
            return None
        decided = sum(self.match.turns[place] == turn for place in self.match.pushes)
        return random.Random(f"{self.row.seed} bot {turn} {decided}").getrandbits(62)

    @property
    def told_seed(self) -> str | None:
        """The seed of the match's nature, once it may be told: of a day's deal when the day is over."""
        return self.row.seed if self.over and not lasts(self.row.day) else None

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
        if self.seating.way_out(seat) == "resign":
            raise Refused("you have given up; a bot plays on in your seat")
        if self.seating[seat].stand_in:
            raise Refused("a bot sits in your seat; take it back first")

    def _push(self, seat: int, text: str) -> tuple[int, str]:
        move = self.game.move(text)
        self.match.push(move)
        return seat, move.text

    def pushes_to_take_back(self, seat: int) -> int:
        """How many pushes a seat may take back now; 0 if it may not, or if a bot sits in it."""
        if not self.playing or self.seating[seat].stand_in or self.row.day is not None:
            return 0
        states, turns = self.match.states, self.match.turns
        pushes = self.match.pushes[self.given.decisions :]
        if self.seating.alone():
            for count, place in enumerate(reversed(pushes), 1):
                if turns[place] == seat and self._was_asked(states[place]):
                    return count
            return 0
        if not pushes or turns[pushes[-1]] != seat:
            return 0
        move, *answers = self.match.history[pushes[-1] :]
        others = (other for other in range(self.match.players) if other != seat)
        secret = any(self.game.secret(states[pushes[-1]], move, other) for other in others)
        return 0 if answers or secret else 1

    def would_draw_anew(self, seat: int) -> bool:
        """Whether a seat's take back would take answers of nature with it."""
        count = self.pushes_to_take_back(seat)
        return count > 0 and CHANCE in self.match.turns[self.match.pushes[-count] :]

    def _was_asked(self, state: Any) -> bool:
        """Whether there was something to decide."""
        return len(self.game.legal_moves(state)) > 1

    def take_back(self, seat: int, at: int | None = None) -> None:
        """Takes back to the last decision of the seat, as far as that is allowed."""
        self._check_playing(at)
        self._check_sitting(seat)
        count = self.pushes_to_take_back(seat)
        if self.row.day is not None:
            raise Refused("in the deal of the day nothing is taken back")
        if count == 0:
            raise Refused("this cannot be taken back: chance, a secret or somebody else came after it")
        place = self.match.pushes[-count]
        text = f"{count} {ANEW}" if self.would_draw_anew(seat) else str(count)
        self._store([self._entry("back", seat, text)], turn=self.match.turns[place])
        self.match.take_back(count)

    def ask_hint(self, seat: int) -> None:
        """A seat asks what to do; the others can see that it did."""
        self._check_playing(None)
        if self.match.turn != seat:
            raise NotAllowed("it is not your turn")
        self._check_sitting(seat)
        if not self.gives_hints:
            raise NotAllowed("there are no hints at this table")
        if self.last is None or (self.last.kind, self.last.seat) != ("hint", seat):
            self._store([self._entry("hint", seat, "")])

    def set_tutor(self, seat: int, on: bool) -> None:
        """A seat wants the tutor to ask before a move that loses clearly, or not any more."""
        self._check_playing(None)
        self._check_sitting(seat)
        if not self.may_have_tutor:
            raise NotAllowed("a tutor is there only for one person against bots, where hints are given")
        if on != self._tutored:
            self._store([self._entry("tutor", seat, "on" if on else "off")])

    def note_question(self, seat: int, at: int) -> None:
        """The tutor asks a seat whether it is sure; the others can see that it did."""
        self._check_playing(at)
        self._store([self._entry("sure", seat, "")])

    def resign(self, seat: int) -> None:
        """A seat gives up: a bot plays on for it; in the last seat that people play, that ends the match."""
        self._check_playing(None)
        self._check_sitting(seat)
        if self.seating.is_last_seat(seat):
            self._end("resigned", seat)
        else:
            self._store([self._entry("resign", seat, "")], {seat: {"stand_in": STAND_IN}})

    def abandon(self, seat: int) -> None:
        """Ends a table before everybody sits, or a match that nobody else plays any more."""
        if self.over:
            raise Refused("the match is over")
        others_play = not self.seating.is_last_seat(seat) if self.playing else len(self.seating.people()) > 1
        if others_play:
            raise Refused("others are still playing here; resign instead")
        self._end("abandoned", seat)

    def end_as_too_long(self) -> None:
        """Ends a match in which more happened than a table keeps: somebody may throw for ever."""
        self._check_playing(None)
        self._store([self._entry("length", None, "")], status="over", ending="length", turn=None)

    def give_to_bot(self, seat: int, by: int) -> None:
        """An absent player's seat goes to a bot, until the player takes it back."""
        self._check_missing(seat)
        kind = "time" if self.row.pace == "days" else "absent"
        self._store([self._entry(kind, seat, f"by {by}")], {seat: {"stand_in": STAND_IN}})

    def end_without(self, seat: int, by: int) -> None:
        """The last person at the table ends the match, as the player to decide does not come."""
        self._check_missing(seat)
        if not self.seating.is_last(self.seating[by].person_id, seat):
            raise Refused("others are still playing here; let a bot sit in instead")
        self._end("time" if self.row.pace == "days" else "abandoned", seat, f"by {by}")

    def _check_missing(self, seat: int) -> None:
        self._check_playing(None)
        if not self.seating.is_played(seat):
            raise Refused("nobody is missing in that seat")

    def stand_up(self, seat: int) -> None:
        """Somebody leaves a table for good: before the match the seat is free again, in it a bot plays on.

        The last person at a table closes it.
        """
        if self.status == "open" and len(self.seating.people()) > 1:
            free = {"kind": "open", "person_id": None, "name": "", "token": None}
            self._store([self._entry("left", seat, "")], {seat: free})
        elif self.status == "open":
            self._end("abandoned", seat)
        elif self.playing and not self.seating[seat].stand_in:
            self.resign(seat)

    def leave(self, person_id: str) -> None:
        """A person stands up from all their seats, if the match is not over."""
        for seat in self.seating.seats_of(person_id):
            if not self.over:
                self.stand_up(seat)

    def take_seat_back(self, seat: int) -> None:
        """A player comes back to the seat that a bot had taken over; one who gave up does not."""
        self._check_playing(None)
        if self.seating.way_out(seat) == "resign":
            raise Refused("you have given up; a bot plays on in your seat")
        if not self.seating[seat].stand_in:
            raise Refused("no bot sits in your seat")
        self._store([self._entry("person", seat, "")], {seat: {"stand_in": None}})

    def may_come_back(self, seat: int) -> bool:
        """Whether the player may take a seat back from the bot that sits in."""
        return self.playing and bool(self.seating[seat].stand_in) and self.seating.way_out(seat) != "resign"

    @property
    def ended_by(self) -> int | None:
        """Whose giving up, leaving or running out of time ended the match; None if it was played out."""
        return None if self.row.ending in (None, "finished") or self.last is None else self.last.seat

    def kept_for(self, seat: int) -> str | None:
        """The person for whom a free seat is kept; None if anybody may take it."""
        row = self.seating[seat]
        kept = row.kind == "open" and row.person_id is not None and keeps_chairs(self.row)
        return row.person_id if kept and self.status == "open" else None

    @property
    def kept_seats(self) -> list[int]:
        """The seats that are kept for somebody."""
        return [seat for seat in self.seating.free if self.kept_for(seat) is not None]

    def free_seat(self, wanted: int | None, person_id: str | None = None) -> int:
        """The seat that somebody wants to take, or any; Refused if it is taken, kept or not there."""
        free = self.seating.free if self.status == "open" else []
        if not free or wanted not in (None, *free):
            raise Refused("this seat is taken")
        offered = [seat for seat in free if self.kept_for(seat) in (None, person_id)]
        if not offered or wanted not in (None, *offered):
            kept = free[0] if wanted is None else wanted
            raise Refused("this chair is kept for {name} for a moment", name=self.seating[kept].name)
        own = [seat for seat in offered if person_id and self.seating[seat].person_id == person_id]
        return (own or offered)[0] if wanted is None else wanted

    def join(self, wanted: int | None, person_id: str, name: str) -> str:
        """A person takes an open seat, the first unless told; the token with which a program may play it."""
        if self.seating.seats_of(person_id):
            raise Refused("you already sit at this table")
        seat = self.free_seat(wanted, person_id)
        token = secrets.token_urlsafe(24)
        last = self.seating.free == [seat]
        start = self._numbered([self._entry("start", None, "")]) if last else []
        changes: dict[str, Any] = {"status": "playing", "turn": self.match.turn} if last else {}
        hashed = token_hash(token)
        known, begins = self.seating.kinds, start[0] if start else None
        if not self.storage.claim_seat(self.id, seat, person_id, name, hashed, begins, known, **changes):
            raise Refused("this seat is taken")
        values = {"kind": "person", "person_id": person_id, "name": name, "token": hashed}
        self._stored(start, {seat: values}, changes)
        return token

    def seat_bot(self, seat: int | None, level: str) -> None:
        """A bot takes a free seat, the first unless told, or plays at another level.

        On the last free seat the match begins.
        """
        players.level(level)
        if seat is None or seat not in self._seats_for_bots():
            seat = self.free_seat(seat)
        bot = {seat: {"kind": "bot", "level": level, "person_id": None, "name": bot_name(seat)}}
        if self.seating.free == [seat]:
            self.begin(bot)
        else:
            self._store([self._entry("bot", seat, level)], bot)

    def free_of_bot(self, seat: int | None) -> None:
        """The seat of a bot is free again for somebody else."""
        if seat is None or seat not in self._seats_for_bots():
            raise Refused("no bot sits in that seat")
        free = {seat: {"kind": "open", "level": None, "name": ""}}
        self._store([self._entry("free", seat, "")], free)

    def _seats_for_bots(self) -> list[int]:
        """The seats in which bots wait for the match to begin."""
        return [row.seat for row in self.seating if row.kind == "bot" and self.status == "open"]

    def fill_with_bots(self, level: str = "") -> None:
        """Bots take all open seats, as good as those that sit there already, and the match begins."""
        level = level or next(iter(self.seating.bot_levels()), STAND_IN)
        players.level(level)
        if self.kept_seats:
            name = self.seating[self.kept_seats[0]].name
            raise Refused("this chair is kept for {name} for a moment", name=name)
        if self.status == "open":
            bot = {"kind": "bot", "level": level, "person_id": None}
            self.begin({seat: {**bot, "name": bot_name(seat)} for seat in self.seating.free})

    def say(self, person_id: str, text: str, mark: str | None = None) -> None:
        """A line of chat by somebody who sits here; one with the same mark is the same line."""
        line = self.storage.add_chat(self.id, person_id, self.seating.name_of(person_id), text, mark)
        self.chat = self.storage.chat(self.id) if line is None else [*self.chat, line][-MOST_LINES:]

    def take_over_chat(self, lines: Sequence[Said]) -> None:
        """What was said at the table of the match before is still there."""
        self.storage.copy_chat(self.id, lines)
        self.chat = list(lines)

    def note_rematch(self, table_id: str) -> None:
        """The next match among the same people is played at another table; Stale if that is known already."""
        if not self.storage.note_rematch(self.id, table_id):
            raise Stale("the table has moved on; here is how it stands now")
        self.row.rematch = table_id

    @property
    def is_opening(self) -> bool:
        """Whether people have just sat down to play together live, and nobody has decided anything."""
        together = self.playing and self.row.pace == "live" and len(self.seating.people()) > 1
        return together and not self.match.pushes

    def begin(self, seats: Mapping[int, Mapping[str, Any]] | None = None, tutor: bool = False) -> None:
        entries = [self._entry("tutor", None, "on")] if tutor else []
        start = self._entry("start", None, "")
        self._store([*entries, start], seats, status="playing", turn=self.match.turn)

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

    def _entry(self, kind: str, seat: int | None, text: str) -> Entry:
        return Entry(self.id, 0, kind, seat, text, now())

    def _numbered(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        for offset, entry in enumerate(entries):
            entry.number = self.version + offset
        return entries

    def _store(
        self,
        entries: Sequence[Entry],
        seats: Mapping[int, Mapping[str, Any]] | None = None,
        **changes: Any,
    ) -> None:
        """Commits what happened, all of it or nothing; only then it counts."""
        if self.match.over and "status" not in changes:
            changes = {"status": "over", "ending": "finished", "turn": None, **changes}
        # Nobody is to move before everybody sits.
        changes.setdefault("turn", self.match.turn if self.playing else None)
        # Somebody who sits down before the match leaves no entry.
        known = self.seating.kinds if seats or self.status == "open" else None
        self.storage.append(self._numbered(entries), seats, known, **changes)
        self._stored(entries, seats or {}, changes)

    def _stored(
        self, entries: Sequence[Entry], seats: Mapping[int, Mapping[str, Any]], changes: Mapping[str, Any]
    ) -> None:
        """What has been committed counts from now on."""
        only_moves = not seats and changes.keys() == {"turn"} and all(each.kind == "move" for each in entries)
        self.moved = entries if only_moves else ()
        self.version += len(entries)
        for entry in entries:
            self._note(entry)
        if entries:
            self.row.changed = entries[-1].at or self.row.changed
        if self.version % FORGETTING == 0:
            self.match.forget_steps(len(self.match.turns) - TOLD)
        for name, value in changes.items():
            if getattr(self.row, name) != value:
                setattr(self.row, name, value)
        if seats:
            self.seating.change(seats)
            self.match.names = self.seating.names

    def read_on(self, stored: Stored) -> bool:
        """Takes over what others have stored since; whether that is anything new."""
        row, entries, chat, self.moved = stored.row, stored.entries, stored.chat, ()
        facts = [(each.status, each.ending, each.turn, each.rematch) for each in (self.row, row)]
        new = bool(entries) or facts[0] != facts[1] or chat != self.chat
        self.row, self.chat = row, chat
        new |= self.seating.read_on(row.seats)
        for entry in entries:
            self._replay(entry)
        if entries:
            self.match.forget_steps(len(self.match.turns) - TOLD)
        self.match.names = self.seating.names
        return new

    def follow(self, moves: Sequence[tuple[int, str]], at: datetime) -> None:
        """Makes moves that others have stored since; nothing else happened, and the match goes on."""
        for seat, text in moves:
            self._replay(Entry(self.id, self.version, "move", seat, text, at))
        self.match.forget_steps(len(self.match.turns) - TOLD)
        self.row.changed, self.row.turn, self.moved = at, self.match.turn, ()

    def _replay(self, entry: Entry) -> None:
        if entry.kind == "move":
            self.match.push(entry.text)
        elif entry.kind == "back":
            count, _, how = entry.text.partition(" ")
            if how == ANEW:
                self.match.take_back(int(count))
            else:
                for _ in range(int(count)):
                    self.match.pop()
        self.version += 1
        self._note(entry)

    def _note(self, entry: Entry) -> None:
        """Notes what an entry tells beside the match: hints, the tutor, take backs, ways out of a seat."""
        self.last = entry
        self.begun = self.begun or entry.kind == "start"
        self._digest.note(entry)
        self._hints[entry.seat] += entry.kind == "hint"
        self._questions[entry.seat] += entry.kind == "sure"
        if entry.kind == "tutor":
            self._tutored = entry.text == "on"
        self._backs[entry.seat] += entry.kind == "back" and entry.text.endswith(ANEW)
        self.seating.note(entry.kind, entry.seat)


BOT_NAMES = ("Ramses", "Nefer", "Tija", "Horem", "Meret", "Senu")


def keeps_chairs(row: TableRow) -> bool:
    """Whether a table is so new that chairs are kept; a clock that is set back does not keep them longer."""
    return abs(now() - row.created) < KEPT


def bot_name(seat: int) -> str:
    return BOT_NAMES[seat % len(BOT_NAMES)]
