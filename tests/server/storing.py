"""What every database must do: tests of the storage and of tables in it, run against each kind."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC

import pytest
from sqlalchemy import text

from teerling.server.database.storage import Storage
from teerling.server.database.transactions import StorageGone
from teerling.server.tables import opening
from teerling.server.tables.opening import Place
from teerling.server.tables.table import Table
from tests.variants import GAMES

ALONE = [Place("me"), Place("bot", level="random"), Place("bot", level="random")]
OPEN = [Place("me"), Place("open")]


ANNE = "a" * 24


def new_table(storage: Storage, game: str = "ra", places: list[Place] = ALONE, **more: object) -> Table:
    storage.save_person(ANNE, "Anne")
    return opening.create(storage, game, places, ANNE, "Anne", {}, **more)[0]  # type: ignore[arg-type]


def play(table: Table, moves: int, chooser: random.Random) -> None:
    while moves and table.playing and table.match.turn is not None:
        table.push(table.match.turn, chooser.choice(table.match.legal_moves).text)
        moves -= 1


class Storing:
    """The tests; who inherits them has a fixture `storage`, and `other` that opens the same again."""

    def test_a_person_is_kept_and_renamed(self, storage: Storage) -> None:
        storage.save_person("p" * 24, "Zoë ☀ 'x'")
        storage.save_person("p" * 24, "Zoë")
        kept = storage.person("p" * 24)
        assert kept is not None
        assert kept.name == "Zoë"
        assert kept.created.tzinfo is not None
        assert kept.created.utcoffset() == UTC.utcoffset(None)
        assert storage.person("nobody") is None

    def test_a_line_that_is_sent_once_more_is_the_same_line(
        self, storage: Storage, other: Callable[[], Storage]
    ) -> None:
        table = new_table(storage)
        again = opening.load(other(), table.id)
        said = [(table, "one"), (table, "one"), (again, "one"), (again, "two"), (table, None), (table, None)]
        for where, mark in said:
            where.say(ANNE, "hello", mark)
        assert len(storage.chat(table.id)) == 4
        assert len(table.chat) == 3
        table.say(ANNE, "hello", "two")
        assert table.chat == opening.load(storage, table.id).chat
        # The same mark at another table is another line.
        elsewhere = new_table(storage)
        elsewhere.say(ANNE, "hello", "one")
        assert len(elsewhere.chat) == 1

    @pytest.mark.parametrize("game", GAMES)
    def test_a_match_comes_back_as_it_was(self, storage: Storage, game: str) -> None:
        table = new_table(storage, game)
        for moves in (0, 1, 7, 40, 10_000):
            play(table, moves, random.Random(moves))
            again = opening.load(storage, table.id)
            assert again.match.save() == table.match.save()
            assert (again.version, again.status, again.row.turn) == (
                table.version, table.status, table.match.turn,
            )  # fmt: skip
        assert again.row.ending == "finished"

    def test_nothing_is_rewritten_when_something_is_taken_back(self, storage: Storage) -> None:
        table, chooser = new_table(storage), random.Random(2)
        while not table.pushes_to_take_back(0):
            play(table, 1, chooser)
        before = [(entry.number, entry.kind, entry.text) for entry in storage.entries(table.id)]
        table.take_back(0)
        after = [(entry.number, entry.kind, entry.text) for entry in storage.entries(table.id)]
        assert after[: len(before)] == before
        assert [kind for _, kind, _ in after[len(before) :]] == ["back"]
        assert [number for number, _, _ in after] == list(range(len(after)))
        assert opening.load(storage, table.id).match.save() == table.match.save()

    def test_a_seat_is_claimed_once(self, storage: Storage) -> None:
        table = new_table(storage, places=OPEN)
        people = [f"{i:024}" for i in range(6)]
        for each in people:
            storage.save_person(each, f"P{each}")
        together = threading.Barrier(len(people))

        def claim(person_id: str) -> bool:
            together.wait()
            return storage.claim_seat(table.id, 1, person_id, "P", None)

        with ThreadPoolExecutor(len(people)) as pool:
            assert sum(pool.map(claim, people)) == 1

    def test_many_tables_are_played_at_once(self, storage: Storage) -> None:
        playing = [new_table(storage) for _ in range(6)]
        with ThreadPoolExecutor(len(playing)) as pool:
            list(pool.map(play, playing, [25] * len(playing), map(random.Random, range(len(playing)))))
        for table in playing:
            assert opening.load(storage, table.id).match.save() == table.match.save()

    def test_what_fails_leaves_nothing_behind(self, storage: Storage) -> None:
        table = new_table(storage)
        behind = opening.load(storage, table.id)
        play(table, 3, random.Random(1))
        stored, match = len(storage.entries(table.id)), behind.match.save()
        with pytest.raises(StorageGone):
            play(behind, 1, random.Random(2))
        assert behind.match.save() == match
        assert len(storage.entries(table.id)) == stored
        behind = opening.load(storage, table.id)
        assert behind.match.save() == table.match.save()
        play(behind, 1, random.Random(3))
        assert len(storage.entries(table.id)) > stored

    def test_lists(self, storage: Storage) -> None:
        hidden = new_table(storage, public=False)
        waiting = new_table(storage, places=OPEN)
        playing = new_table(storage)
        assert [row.id for row in storage.public_tables("open")] == [waiting.id]
        assert hidden.id not in {row.id for row in storage.public_tables("playing")}
        assert {row.id for row in storage.tables_of(ANNE)} == {hidden.id, waiting.id, playing.id}
        assert storage.count_tables() == 3
        while playing.bot_to_move() is None:
            play(playing, 1, random.Random(1))
        assert playing.id in storage.tables_with_bots_to_move()

    def test_chat_comes_back_in_order(self, storage: Storage) -> None:
        table, person = new_table(storage), ANNE
        lines = [f"{i}: it's “fine” 🎲 %s {{}} \\" for i in range(120)]
        for line in lines:
            storage.add_chat(table.id, person, "Anne", line)
        assert [row.text for row in storage.chat(table.id)] == lines[-100:]

    def test_a_second_connection_sees_what_was_stored(
        self, storage: Storage, other: Callable[[], Storage]
    ) -> None:
        table = new_table(storage)
        play(table, 5, random.Random(4))
        reader = other()
        assert opening.load(reader, table.id).match.save() == table.match.save()
        reader.close()

    def test_the_seats_must_belong_to_a_table(self, storage: Storage) -> None:
        with pytest.raises(StorageGone), storage.changing() as session:
            session.execute(
                text("insert into seats (table_id, seat, kind, name) values ('none', 0, 'open', '')")
            )

    def test_who_joins_and_who_leaves_is_kept(self, storage: Storage) -> None:
        bram = "b" * 24
        storage.save_person(bram, "Bram")
        table = new_table(storage, places=[*OPEN, Place("bot", level="random")])
        table.join(1, bram, "Bram")
        table.give_to_bot(1, 0)
        table.take_seat_back(1)
        table.resign(1)
        again = opening.load(storage, table.id)
        for each in (table, again):
            assert (each.version, each.begun, each.seating.way_out(1)) == (4, True, "resign")
            assert each.playing
            assert each.match.names == ("Anne", "Bram", "Tija")
            assert [seat.stand_in for seat in each.seating] == [None, "casual", None]
        waiting = new_table(storage, places=OPEN)
        waiting.fill_with_bots("random")
        assert opening.load(storage, waiting.id).seating[1].level == "random"
        assert opening.load(storage, waiting.id).playing
