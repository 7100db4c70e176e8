"""Try again: somebody's mistakes of a match that is over, one after another, as puzzles."""

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from ...game import Move
from ...lab.mistakes import Judgement, cost, explained
from ...lab.review import JUDGED, Review
from ...match import Match
from ...players import Observation, observe
from ..afterwards.reviews import Standing
from ..context import RequestContext, address_of, language_of
from ..look import still_view
from ..page import environment, match_pages
from ..page.views import game_info
from ..refusals import NotAllowed, UnknownTable
from ..tables.table import Table
from ..thinking.queue import Urgency

MOST_TOLD = 200
"""Of how many moves the costs and reasons are kept."""


@dataclass(frozen=True, slots=True)
class CostLine:
    """What a move costs."""

    move: str
    loss: float
    interval: tuple[float, float]
    best: bool = False
    then: bool = False
    """Whether it was played in the match."""
    now: bool = False
    """Whether it was chosen now."""


@dataclass(frozen=True, slots=True)
class CostView:
    """What somebody is told after a try: what is best and why, and what it costs to play otherwise."""

    verdict: str
    best: str
    reason: str
    lines: tuple[CostLine, ...]


@dataclass(frozen=True, slots=True)
class WaitView:
    """How far the mistakes of a match have been looked for."""

    done: float
    complete: bool
    preparing: bool
    failed: bool


@dataclass(frozen=True)
class Weighed:
    """A try at a mistake: the mistake with its reason, and what the move that was chosen costs."""

    judgement: Judgement
    chosen: Move
    loss: float
    interval: tuple[float, float]

    @property
    def verdict(self) -> str:
        """How good the move is, in a sentence."""
        if self.chosen == self.judgement.best:
            return "You found the best move."
        if not replace(self.judgement, loss=self.loss, interval=self.interval).grade:
            return "This move is about as good as the best."
        if self.chosen == self.judgement.played:
            return "You would play the same again. The best move is another."
        return "The best move is another."


def routes(context: RequestContext) -> APIRouter:
    """The routes of somebody's own mistakes."""
    router = APIRouter(include_in_schema=False)
    house = context.house
    told: OrderedDict[tuple[str, int, str], Weighed] = OrderedDict()

    async def looked_back(request: Request, table_id: str) -> tuple[Table, Standing, list[Judgement]]:
        """A table whose match is over, how far its review is, and the mistakes of the person who asks."""
        person_id = context.person_of(request)
        table = await house.registry.find(table_id)
        await house.deals.check_seen_by(table, person_id)
        own = table.seating.seats_of(person_id)
        if not own:
            raise NotAllowed("you have no seat at this table")
        whose = f"{address_of(request)} {person_id}"
        standing = await house.reviews.ask(table_id, table.match, whose, True)
        found = mistakes_of(standing.review, own, len(table.given.moves)) if standing.complete else []
        return table, standing, found

    @router.get("/tables/{table_id}/again")
    async def begin(request: Request, table_id: str) -> Response:
        table, standing, found = await looked_back(request, table_id)
        if found:
            return context.to(f"/tables/{table_id}/again/1")
        return context.page(
            request, "again_wait.html", base=f"/tables/{table_id}",
            game=game_info(table.game), say=environment.speaker(language_of(request), table.game.id),
            standing=WaitView(standing.done, standing.complete, standing.preparing, standing.failed),
        )  # fmt: skip

    @router.get("/tables/{table_id}/again/{number}")
    async def show(request: Request, table_id: str, number: int, move: str = "") -> Response:
        table, _, found = await looked_back(request, table_id)
        if not found:
            return context.to(f"/tables/{table_id}/again")
        mistake = numbered(found, number)
        tried = None
        if move:
            whose = f"{address_of(request)} {context.person_of(request)}"
            tried = await weighed(table, mistake, chosen_move(table, mistake, move), whose)
        return page(request, table, tried or mistake, number, len(found))

    @router.post("/tables/{table_id}/again/{number}")
    async def choose(
        request: Request, table_id: str, number: int, move: str = Form(),
        pick: Annotated[list[str] | None, Form()] = None,
    ) -> RedirectResponse:  # fmt: skip
        table, _, found = await looked_back(request, table_id)
        chosen = chosen_move(table, numbered(found, number), move.replace("+", " ".join(pick or ())))
        return context.to(f"/tables/{table_id}/again/{number}?move={quote(chosen.text)}#answer")

    async def weighed(table: Table, mistake: Judgement, chosen: Move, whose: str) -> Weighed:
        """What a move costs and why the best is better; both are worked out once."""
        key = (table.id, mistake.place, chosen.text)
        if key not in told:
            knows = known_at(table.match, mistake)
            told[key] = await house.thinking.work_out(
                weigh, knows, mistake, chosen, urgency=Urgency.HINT, whose=whose
            )
            if len(told) > MOST_TOLD:
                told.popitem(last=False)
        return told[key]

    def page(
        request: Request, table: Table, asked: Judgement | Weighed, number: int, count: int
    ) -> HTMLResponse:
        """The position as the player saw it, with the question or with the answer."""
        mistake = asked.judgement if isinstance(asked, Weighed) else asked
        then = table.match.upto(mistake.place)
        view = still_view(then, mistake.seat, asked=not isinstance(asked, Weighed))
        t = match_pages.page_of(view.match, language_of(request))
        answer = cost_view(asked, t) if isinstance(asked, Weighed) else None
        return context.page(
            request, "again.html", t=t, say=t.say, table=view, game=t.game,
            standing=t.say("Which move is best?" if answer is None else answer.verdict),
            board_template=environment.board_of(table.game), heading=t.say("Try again"),
            action=f"/tables/{table.id}/again/{number}", base=f"/tables/{table.id}",
            moves=tuple((move.text, t.say.move(move)) for move in then.legal_moves),
            number=number, count=count, answer=answer,
            step=sum(not move.chance for move in then.history),
        )  # fmt: skip

    return router


def mistakes_of(review: Review | None, seats: list[int], given: int) -> list[Judgement]:
    """The mistakes of somebody's seats, the costliest first; what a branch was given is not theirs."""
    if review is None:
        return []
    return [each for each in review.mistakes if each.seat in seats and each.place >= given]


def numbered(found: list[Judgement], number: int) -> Judgement:
    """The mistake with a number, from 1."""
    if not 1 <= number <= len(found):
        raise UnknownTable("There is no mistake with this number.")
    return found[number - 1]


def chosen_move(table: Table, mistake: Judgement, text: str) -> Move:
    """The move that a text names; IllegalMove if it cannot be made there."""
    move = table.game.move(text)
    table.match.upto(mistake.place).preview(move)
    return move


def known_at(match: Match, mistake: Judgement) -> Observation:
    """What the mover knew."""
    return observe(match.upto(mistake.place), mistake.seat)


def weigh(knows: Observation, mistake: Judgement, chosen: Move) -> Weighed:
    """What a move costs where a mistake was made, and the mistake with its reason."""
    told = mistake if mistake.reason is not None else explained(mistake, knows)
    if chosen == mistake.played:
        return Weighed(told, chosen, mistake.loss, mistake.interval)
    return Weighed(told, chosen, *cost(knows, mistake.best, chosen, JUDGED))


def cost_view(tried: Weighed, page: match_pages.Page) -> CostView:
    """What somebody is told after a try."""
    say, judgement = page.say, tried.judgement
    best, played, chosen = judgement.best, judgement.played, tried.chosen
    lines = [
        CostLine(say.move(best), 0.0, (0.0, 0.0), best=True, now=chosen == best),
        CostLine(say.move(played), judgement.loss, judgement.interval, then=True, now=chosen == played),
    ]
    if chosen not in (best, played):
        lines.append(CostLine(say.move(chosen), tried.loss, tried.interval, now=True))
    reason = "" if judgement.reason is None else judgement.reason.said(say)
    return CostView(tried.verdict, say.move(best), reason, tuple(lines))
