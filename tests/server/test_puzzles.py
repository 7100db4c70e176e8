"""The puzzle of the day: found at leisure, one try a person, and the reason afterwards."""

import asyncio
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import teerling
from teerling import players
from teerling.game import game, list_games
from teerling.server.database.records import Records
from teerling.server.database.storage import Storage
from teerling.server.day import puzzles
from teerling.server.day.puzzles import Puzzle, game_of, is_clear, leads, limited, read, together, written
from teerling.server.people import COOKIE
from teerling.server.tables import days
from teerling.server.thinking.jobs import Choosing
from teerling.server.thinking.queue import Thinking
from teerling.server.web import day as day_routes
from tests.server.houses import flat, house_of, opened
from tests.server.puzzling import puzzle_of

TODAY = date(2026, 11, 16)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[date]:
    now = [TODAY]
    for module in (days, puzzles, day_routes):
        monkeypatch.setattr(module, "today", lambda: now[0])
    return now


@pytest.fixture
def client(tmp_path: Path, clock: list[date]) -> Iterator[TestClient]:
    with opened(tmp_path, puzzles_after=0.0) as client:
        for person in ("anne", "bram"):
            house_of(client).storage.save_person(person * 3, person.capitalize())
        yield client


def come_as(client: TestClient, name: str) -> None:
    client.cookies.clear()
    context = client.app.state.context  # type: ignore[attr-defined]
    client.cookies.set(COOKIE, context.signatures.cookie(name * 3))


def keep(client: TestClient, puzzle: Puzzle, day: date = TODAY) -> Puzzle:
    house_of(client).records.add_puzzle(written(day, puzzle))
    return puzzle


@pytest.mark.parametrize("of", [game.id for game in list_games()])
def test_a_puzzle_is_kept_as_it_is_and_shown_as_its_seat_sees_it(client: TestClient, of: str) -> None:
    puzzle = keep(client, puzzle_of(of))
    again = read(written(TODAY, puzzle))
    assert (again.hint, again.match.history, again.seat) == (puzzle.hint, puzzle.match.history, puzzle.seat)
    assert again.match.seed is None
    page = client.get("/puzzle")
    assert page.status_code == 200
    text = flat(page.text)
    for move in puzzle.match.legal_moves:
        assert f'name="move" value="{move.text}"' in text
    assert "Chance to win" not in text


def test_every_day_is_another_game() -> None:
    week = [game_of(date(2026, 11, day)) for day in range(16, 16 + len(list_games()))]
    assert sorted(of.id for of in week) == sorted(of.id for of in list_games())


def test_without_a_puzzle_its_page_says_so_and_the_lobby_shows_none(client: TestClient) -> None:
    assert "still being looked for" in client.get("/puzzle").text
    assert 'id="puzzle-h"' not in client.get("/").text
    keep(client, puzzle_of("ra"))
    assert 'id="puzzle-h"' in client.get("/").text


def test_a_puzzle_that_cannot_be_read_keeps_nobody_out_of_the_lobby(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    row = written(TODAY, puzzle_of("ra"))
    row.text = row.text.replace("rules 1", "rules 99")
    house_of(client).records.add_puzzle(row)
    for _ in range(2):
        assert client.get("/").status_code == 200
        assert "still being looked for" in client.get("/puzzle").text
    told = [each for each in caplog.records if each.levelname == "WARNING"]
    assert [each.getMessage() for each in told] == [
        f"the puzzle of {TODAY.isoformat()} cannot be read: line 3: Ra has rules 1 to 1, not 99"
    ]


def test_one_try_counts_and_is_answered_with_the_reason(client: TestClient) -> None:
    puzzle = keep(client, puzzle_of("ra"))
    wrong = puzzle.hint.estimates[1].move.text
    come_as(client, "anne")
    form = {"date": TODAY.isoformat()}
    page = flat(client.post("/puzzle", data=form | {"move": wrong}).text)
    assert "The best move is another." in page
    assert puzzle.hint.reason.said(teerling.words.Speaker("en", game("ra"))) in page
    assert "0 of 1 who tried found it." in page
    assert "today. 0 of 1 who tried found it." in flat(client.get("/").text)
    # The second try changes nothing.
    page = flat(client.post("/puzzle", data=form | {"move": puzzle.best.text}).text)
    assert "The best move is another." in page
    assert "You did not find" in client.get("/").text
    come_as(client, "bram")
    page = flat(client.post("/puzzle", data=form | {"move": puzzle.best.text}).text)
    assert "You found the best move." in page
    assert "1 of 2 who tried found it." in page
    assert house_of(client).records.tries_at(TODAY.isoformat()) == (2, 1)


@pytest.mark.parametrize(("move", "status"), [("bid 99", 422), ("", 422), ("bid 13", 422)])
def test_what_is_no_move_there_is_refused_and_is_no_try(client: TestClient, move: str, status: int) -> None:
    keep(client, puzzle_of("rapido"))
    come_as(client, "anne")
    assert client.post("/puzzle", data={"date": TODAY.isoformat(), "move": move}).status_code == status
    assert house_of(client).records.tries_at(TODAY.isoformat()) == (0, 0)


def test_a_try_at_the_puzzle_of_yesterday_does_not_count_today(client: TestClient, clock: list[date]) -> None:
    keep(client, puzzle_of("ra"))
    tomorrow = keep(client, puzzle_of("ra", seed=5), days.after(TODAY))
    clock[0] = days.after(TODAY)
    come_as(client, "anne")
    answer = client.post("/puzzle", data={"date": TODAY.isoformat(), "move": tomorrow.best.text})
    assert answer.status_code == 404
    assert house_of(client).records.tries_of("anne" * 3) == []


def test_tries_are_taken_along_and_forgotten(client: TestClient) -> None:
    puzzle = keep(client, puzzle_of("ra"))
    come_as(client, "anne")
    client.post("/puzzle", data={"date": TODAY.isoformat(), "move": puzzle.best.text})
    told = client.get("/me/export").json()
    assert told["puzzles"] == [{"day": TODAY.isoformat(), "move": puzzle.best.text, "found": True}]
    client.post("/me/delete", data={"sure": "yes"})
    assert house_of(client).records.tries_of("anne" * 3) == []
    assert house_of(client).records.tries_at(TODAY.isoformat()) == (1, 1)


def estimate(text: str, playouts: int, win: float) -> players.MoveEstimate:
    return players.MoveEstimate(game("ra").move(text), playouts, win, 10.0, 2.0)


def test_a_move_is_clearly_best_only_if_no_interval_of_another_reaches_it() -> None:
    assert is_clear([estimate("draw", 4000, 0.5), estimate("invoke", 2000, 0.4)])
    assert not is_clear([estimate("draw", 40, 0.5), estimate("invoke", 20, 0.4)])
    assert not is_clear([estimate("draw", 400_000, 0.5), estimate("invoke", 200_000, 0.49)])
    assert not is_clear([estimate("draw", 4000, 0.5), estimate("invoke", 0, 0.0)])
    assert not is_clear([estimate("draw", 4000, 0.5)])


def test_a_move_leads_whatever_was_hardly_tried() -> None:
    assert leads([estimate("draw", 4000, 0.5), estimate("invoke", 3, 0.9)])
    assert leads([estimate("draw", 4000, 0.5), estimate("invoke", 300, 0.4)])
    assert not leads([estimate("draw", 4000, 0.5), estimate("invoke", 300, 0.48)])


def test_searches_of_one_decision_count_together() -> None:
    one = [estimate("draw", 100, 0.5), estimate("invoke", 50, 0.4)]
    both = together([one, [estimate("invoke", 150, 0.6), estimate("draw", 100, 0.1)]])
    assert [(each.move.text, each.playouts, round(each.win, 3)) for each in both] == [
        ("invoke", 200, 0.55),
        ("draw", 200, 0.3),
    ]
    assert all((each.score, round(each.spread, 6)) == (10.0, 2.0) for each in both)


def test_a_puzzle_is_found_in_a_match_between_bots(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    """With small budgets, and a judge who is easily convinced: the way is the same."""
    monkeypatch.setattr(puzzles, "BETWEEN", "search:60")
    monkeypatch.setattr(puzzles, "JUDGE", "search:400")
    monkeypatch.setattr(puzzles, "LEAST_LEAD", 0.02)
    monkeypatch.setattr(puzzles, "SURE", 0.3)
    monkeypatch.setattr(puzzles, "game_of", lambda day: game("rapido"))
    monkeypatch.setattr("teerling.server.thinking.queue.LEISURE", 0.0)
    records = Records(storage)

    async def find() -> Puzzle | None:
        thinking = Thinking()
        made = puzzles.Puzzles(records, thinking, 0.0)
        await made.make(TODAY)
        thinking.stop()
        return await made.of(TODAY)

    puzzle = asyncio.run(find())
    assert puzzle is not None
    assert puzzle.match.turn == puzzle.seat
    assert len(puzzle.match.legal_moves) in puzzles.MOVES
    assert puzzle.best in puzzle.match.legal_moves
    assert is_clear(puzzle.hint.estimates)
    assert puzzle.hint.reason.other is not None


class Noted(Choosing):
    """A job that only notes that it was its turn."""

    def __init__(self, order: list[str]) -> None:
        super().__init__(limited("expert", 1), players.observe(teerling.new("rapido", seed=1)), 1)
        object.__setattr__(self, "order", order)

    def work(self) -> players.Choice:
        self.order.append("leisure")  # type: ignore[attr-defined]
        return players.Choice(self.knows.legal_moves[0])


def test_what_nobody_waits_for_begins_when_nothing_else_is_worked_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("teerling.server.thinking.queue.LEISURE", 0.01)
    order: list[str] = []
    release = threading.Event()

    def urgent() -> None:
        release.wait(5)
        order.append("urgent")

    async def run() -> None:
        thinking = Thinking()
        waiting = asyncio.create_task(thinking.work_out(urgent))
        await asyncio.sleep(0)
        leisure = asyncio.create_task(thinking.at_leisure(Noted(order)))
        await asyncio.sleep(0.1)
        assert order == []
        release.set()
        await asyncio.gather(waiting, leisure)
        thinking.stop()

    asyncio.run(run())
    assert order == ["urgent", "leisure"]
