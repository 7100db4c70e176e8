"""The puzzle of the day: a position from a match between strong bots in which one move is clearly best.

The server finds its puzzles itself, when nobody else wants anything thought about.
"""

import asyncio
import logging
import random
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from math import sqrt

from ... import players
from ...game import Game, Move, game, list_games
from ...loading import load
from ...match import Match
from ...nature import Sealed
from ...players.hint import OF_A_HINT, Hint, Reason, adviser_named
from ...players.ready import is_preparing, is_ready
from ...players.search import Search
from ..database.records import Records
from ..database.schema import PuzzleRow
from ..database.transactions import StorageGone
from ..page.views import GameInfo, game_info
from ..tables.days import after, today
from ..tables.table import bot_name
from ..thinking.jobs import Choosing, Reasoning
from ..thinking.queue import Thinking

log = logging.getLogger("teerling")

BETWEEN, PLAYOUTS = "expert", 800
"""Who plays the matches, and how many playouts a decision gets: what is found does not depend on the load."""
JUDGE, ROUND, MOST_JUDGED = "master", 2000, 16000
"""Who has to find the move as well, in how many playouts a round, and after how many it is not clear."""
PATIENCE = 1.0
"""For how many seconds a search goes on at most, because bots wait so long."""
LEAST_LEAD = 0.03
"""So much more often the best move must win than any other."""
ENOUGH = 15
"""So many playouts a move must have had, to be taken for a rival at first glance."""
MOVES = range(3, 13)
"""Between how many moves one has to choose."""
WARMING_UP = 6
"""So many decisions are made before there is a puzzle."""
LONG_ENOUGH, MOST_DECISIONS = 150, 800
"""After so many of their decisions a move that rules of thumb find, too, will do; or it is given up."""
LOOK_AGAIN = 600.0
"""Seconds until it is looked whether a puzzle is missing."""
COMPILING = 1.0
"""Seconds between two looks whether everything has been compiled."""
SURE = 1.96
"""How many standard errors an interval has to each side: 95 %."""


@dataclass(frozen=True)
class Puzzle:
    """A position, whose turn it is, and what every move is worth."""

    match: Match
    hint: Hint

    @property
    def seat(self) -> int:
        return self.hint.seat

    @property
    def best(self) -> Move:
        return self.hint.best


@dataclass(frozen=True, slots=True)
class PuzzleCard:
    """Today's puzzle as the lobby shows it."""

    game: GameInfo
    found: bool | None
    """Whether the viewer found the move; None before a try."""
    tries: int
    finders: int


class Puzzles:
    """The puzzles of days: kept ready for today and tomorrow."""

    def __init__(self, records: Records, thinking: Thinking, begin_after: float) -> None:
        """`begin_after` is how many seconds a server runs before it looks for puzzles; 0 is never."""
        self._records = records
        self._thinking = thinking
        self._begin_after = begin_after
        self._task: asyncio.Task[None] | None = None
        self._read: dict[str, Puzzle | None] = {}
        """None is one that cannot be read."""

    def start(self) -> None:
        if self._begin_after:
            self._task = asyncio.create_task(self._keep_ready())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def of(self, day: date) -> Puzzle | None:
        """The puzzle of a day, if it has been found."""
        name = day.isoformat()
        if name not in self._read:
            row = await asyncio.to_thread(self._records.puzzle, name)
            if row is None:
                return None
            self._read = {key: puzzle for key, puzzle in self._read.items() if key > name} | {
                name: await asyncio.to_thread(_understood, row)
            }
        return self._read[name]

    async def card(self, person_id: str | None) -> PuzzleCard | None:
        """Today's puzzle as the lobby shows it to somebody; None if it has not been found."""
        day = today()
        puzzle = await self.of(day)
        if puzzle is None:
            return None
        tried = await asyncio.to_thread(self._records.try_of, day.isoformat(), person_id or "")
        counts = await asyncio.to_thread(self._records.tries_at, day.isoformat())
        found = None if tried is None else tried.found
        return PuzzleCard(game_info(puzzle.match.game), found, *counts)

    async def _keep_ready(self) -> None:
        await asyncio.sleep(self._begin_after)
        while True:
            try:
                for day in (today(), after(today())):
                    if await asyncio.to_thread(self._records.puzzle, day.isoformat()) is None:
                        await self.make(day)
            except StorageGone as error:
                log.warning("no puzzle could be kept: %s", error.reason)
            except Exception:
                log.exception("no puzzle could be made")
            await asyncio.sleep(LOOK_AGAIN)

    async def make(self, day: date) -> None:
        """Finds the puzzle of a day, and keeps it."""
        of = game_of(day)
        while not self._thinking.is_helped(of) and (is_preparing(of, hints=True) or is_preparing(of)):
            await asyncio.sleep(COMPILING)
        if not (self._thinking.is_helped(of) or (is_ready(of, hints=True) and is_ready(of))):
            return
        puzzle = await self._find(of)
        if puzzle is not None:
            await asyncio.to_thread(self._records.add_puzzle, written(day, puzzle))

    async def _find(self, of: Game) -> Puzzle | None:
        """A puzzle from new matches: best one whose move no rule of thumb finds, in the end any."""
        easy, decided = None, 0
        async for match, choice in self._decisions(of):
            decided += 1
            if decided > (MOST_DECISIONS if easy is None else LONG_ENOUGH):
                break
            if not leads(choice.estimates):
                continue
            hard = (await asyncio.to_thread(players.Heuristic().choose, match)).move != choice.move
            hint = await self._judged(players.observe(match), choice.move) if hard or easy is None else None
            if hint is None:
                continue
            if hard:
                return Puzzle(match, hint)
            easy = Puzzle(match, hint)
        return easy

    async def _decisions(self, of: Game) -> AsyncIterator[tuple[Match, players.Choice]]:
        """What strong bots decide in one match after another, where a puzzle might be."""
        options = of.check_options({})
        names = [bot_name(seat) for seat in range(of.usual_players)]
        chooser = random.Random(secrets.randbits(128))
        player = limited(BETWEEN, PLAYOUTS)
        while True:
            match, decided = Match(of, of.start(of.usual_players, options), options, names, Sealed()), 0
            while not match.over:
                if match.forced is not None:
                    match.push(match.forced)
                    continue
                knows, seed = players.observe(match), chooser.getrandbits(62)
                choice = await self._thinking.at_leisure(Choosing(player, knows, seed))
                decided += 1
                if decided > WARMING_UP and len(knows.legal_moves) in MOVES:
                    yield match.copy(), choice
                match.push(choice.move)

    async def _judged(self, knows: players.Observation, move: Move) -> Hint | None:
        """What the judge says of a decision, if this move is clearly best."""
        judge, seed = limited(JUDGE, ROUND), secrets.randbits(60)
        thorough = replace(judge, settings=replace(judge.settings, **OF_A_HINT))
        found: list[Sequence[players.MoveEstimate]] = []
        while sum(estimate.playouts for estimates in found for estimate in estimates) < MOST_JUDGED:
            choice = await self._thinking.at_leisure(Choosing(thorough, knows, seed + len(found)))
            found.append(choice.estimates)
            estimates = together(found)
            if estimates[0].move != move or not leads(estimates):
                return None
            if is_clear(estimates):
                reason = await self._thinking.at_leisure(Reasoning(knows, estimates[0], estimates[1], seed))
                return Hint(knows.game, knows.seat, judge.name, estimates, reason)
        return None


def limited(name: str, playouts: int) -> Search:
    """Somebody who thinks no longer than so many playouts, nor than bots may wait."""
    player = adviser_named(name)
    return replace(player, playouts=min(player.playouts, playouts), seconds=PATIENCE)


def game_of(day: date) -> Game:
    """Of which game a day's puzzle is: they take turns, and it is not that of the day's deal.

    >>> game_of(date(2026, 11, 16)) is not game_of(date(2026, 11, 17))
    True
    """
    games = list_games()
    return games[(day.toordinal() + len(games) // 2) % len(games)]


def together(found: Sequence[Sequence[players.MoveEstimate]]) -> tuple[players.MoveEstimate, ...]:
    """The estimates of several searches of one decision as one, surely best first."""
    by_move: dict[Move, list[players.MoveEstimate]] = {}
    for estimates in found:
        for estimate in estimates:
            by_move.setdefault(estimate.move, []).append(estimate)
    pooled = [pool(move, estimates) for move, estimates in by_move.items()]
    return tuple(sorted(pooled, key=lambda estimate: -interval(estimate)[0]))


def pool(move: Move, estimates: Sequence[players.MoveEstimate]) -> players.MoveEstimate:
    """The estimates of one move by several searches as one."""
    n = sum(each.playouts for each in estimates)
    if n == 0:
        return estimates[0]
    win = sum(each.playouts * each.win for each in estimates) / n
    score = sum(each.playouts * each.score for each in estimates) / n
    square = sum(each.playouts * (each.spread**2 + each.score**2) for each in estimates) / n
    return players.MoveEstimate(move, n, win, score, sqrt(max(0.0, square - score**2)))


def leads(estimates: Sequence[players.MoveEstimate]) -> bool:
    """Whether the first move seems to win more often than all others that were tried enough.

    Where a search hardly tries anything else the move may be the clearest of all.
    """
    best, *others = estimates
    rivals = (other.win for other in others if other.playouts >= ENOUGH)
    return all(best.win - rival >= LEAST_LEAD for rival in rivals)


def is_clear(estimates: Sequence[players.MoveEstimate]) -> bool:
    """Whether the first move wins more often than all others, beyond what chance in the playouts explains.

    >>> from teerling import game
    >>> draw, invoke = (game("ra").move(text) for text in ("draw", "invoke"))
    >>> is_clear([players.MoveEstimate(draw, 900, 0.5, 0, 0), players.MoveEstimate(invoke, 400, 0.3, 0, 0)])
    True
    >>> is_clear([players.MoveEstimate(draw, 900, 0.5, 0, 0), players.MoveEstimate(invoke, 9, 0.3, 0, 0)])
    False
    """
    best, *others = estimates
    if not others:
        return False
    least = interval(best)[0]
    return all(interval(other)[1] < least and other.win <= best.win - LEAST_LEAD for other in others)


def interval(estimate: players.MoveEstimate) -> tuple[float, float]:
    """Within which a move's share of wins lies (Wilson)."""
    n, share = estimate.playouts, estimate.win
    if n == 0:
        return 0.0, 1.0
    middle = (share + SURE**2 / (2 * n)) / (1 + SURE**2 / n)
    half = SURE * sqrt(share * (1 - share) / n + SURE**2 / (4 * n * n)) / (1 + SURE**2 / n)
    return middle - half, middle + half


def written(day: date, puzzle: Puzzle) -> PuzzleRow:
    """A puzzle as it is kept."""
    hint = puzzle.hint
    return PuzzleRow(
        day=day.isoformat(),
        game=hint.game.id,
        text=puzzle.match.save(),
        player=hint.player,
        estimates=[asdict(estimate) | {"move": estimate.move.text} for estimate in hint.estimates],
        reason=hint.reason.kept(),
    )


def _understood(row: PuzzleRow) -> Puzzle | None:
    """A puzzle that was kept; None if this version cannot read it, as one that a newer version has found."""
    try:
        return read(row)
    except Exception as error:
        log.warning("the puzzle of %s cannot be read: %s", row.day, error)
        return None


def read(row: PuzzleRow) -> Puzzle:
    """A puzzle that was kept."""
    of = game(row.game)
    match = load(row.text)
    estimates = tuple(
        players.MoveEstimate(**{**estimate, "move": of.move(estimate["move"])}) for estimate in row.estimates
    )
    reason = Reason.of(of, row.reason)
    return Puzzle(match, Hint(of, int(match.turn or 0), row.player, estimates, reason))
