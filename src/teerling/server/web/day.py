"""The pages of the day: its deals, its puzzle, and how one did."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from ...game import game
from ..context import RequestContext, language_of
from ..database.schema import TryRow
from ..day.puzzles import Puzzle
from ..look import still_view
from ..page import environment
from ..page.match_pages import Page, page_of
from ..page.scenery import scenery
from ..refusals import UnknownTable
from ..tables.days import today


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """What a move of the puzzle is worth."""

    move: str
    share: float
    """Of the playouts that it won."""
    best: bool
    yours: bool


@dataclass(frozen=True, slots=True)
class AnswerView:
    """How somebody did in the puzzle, and why its best move is."""

    found: bool
    best: str
    reason: str
    lines: tuple[AnswerLine, ...]
    player: str
    playouts: int
    tries: int
    """How many have tried it."""
    finders: int
    """How many of them found the best move."""

    @property
    def verdict(self) -> str:
        return "You found the best move." if self.found else "The best move is another."


def routes(context: RequestContext) -> APIRouter:
    """The routes of what there is on a day."""
    router = APIRouter(include_in_schema=False)
    house = context.house

    @router.get("/day")
    async def show_deals(request: Request) -> HTMLResponse:
        view = await house.deals.view(context.person_of(request))
        painted = scenery(*(deal.game.id for deal in view.deals))
        return context.page(request, "deals.html", day=view, scenery=painted)

    @router.post("/day/{game_id}")
    async def play(request: Request, game_id: str) -> RedirectResponse:
        of = game(game_id)
        context.check_opens(request)
        person = await context.somebody(request)
        return context.to(f"/tables/{await house.deals.open(of.id, person)}", person)

    @router.get("/puzzle")
    async def show_puzzle(request: Request) -> HTMLResponse:
        day, lang = today(), language_of(request)
        puzzle = await house.puzzles.of(day)
        if puzzle is None:
            return context.page(request, "no_puzzle.html")
        person_id = context.person_of(request) or ""
        tried = await asyncio.to_thread(house.records.try_of, day.isoformat(), person_id)
        counts = await asyncio.to_thread(house.records.tries_at, day.isoformat())
        view = still_view(puzzle.match, puzzle.seat, asked=tried is None)
        page = page_of(view.match, lang)
        say = page.say
        answer = None if tried is None else answer_view(puzzle, tried, *counts, page)
        standing = say("Which move is best?" if answer is None else answer.verdict)
        return context.page(
            request, "puzzle.html", t=page, say=say, table=view, standing=standing, game=page.game,
            board_template=environment.board_of(puzzle.match.game), date=day.isoformat(),
            heading=say("Puzzle of the day"), action="/puzzle",
            moves=tuple((move.text, say.move(move)) for move in puzzle.match.legal_moves),
            answer=answer,
        )  # fmt: skip

    @router.post("/puzzle")
    async def try_puzzle(
        request: Request, move: str = Form(), date: str = Form(),
        pick: Annotated[list[str] | None, Form()] = None,
    ) -> RedirectResponse:  # fmt: skip
        puzzle = await house.puzzles.of(today())
        if puzzle is None or date != today().isoformat():
            raise UnknownTable("This puzzle is not there any more; another day has begun.")
        chosen = puzzle.match.game.move(move.replace("+", " ".join(pick or ())))
        puzzle.match.preview(chosen)
        person = await context.somebody(request)
        found = chosen == puzzle.best
        await asyncio.to_thread(house.records.add_try, date, person.id, chosen.text, found)
        return context.to("/puzzle#answer", person)

    return router


def answer_view(puzzle: Puzzle, tried: TryRow, tries: int, finders: int, page: Page) -> AnswerView:
    """What somebody is told after a try."""
    say, hint = page.say, puzzle.hint
    return AnswerView(
        found=tried.found,
        best=say.move(puzzle.best),
        reason=hint.reason.said(say),
        lines=tuple(
            AnswerLine(say.move(each.move), each.win, each.move == puzzle.best, each.move.text == tried.move)
            for each in hint.estimates
        ),
        player=hint.player,
        playouts=hint.playouts,
        tries=tries,
        finders=finders,
    )
