"""The profile: what somebody played and how well, for themselves only; to take along, and to delete."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse

from ...game import Game, game, game_ids
from ...lab.insights import ENOUGH, Decision, Share, by_kind, by_part, insights, nearest, share_of
from ...lab.review_words import signed
from ..afterwards.ratings import level_ratings, nearest_level
from ..context import RequestContext, address_of
from ..database.records import PlayedMatch, ReviewedMatch
from ..database.schema import PersonRow, ResultRow, SeatRow
from ..page import environment
from ..page.scenery import scenery
from ..page.views import GameInfo, game_info
from ..people import COOKIE, Person
from ..refusals import Misunderstood, NotAllowed
from . import habits

Made = TypeVar("Made")

CURVE = (320, 96)
"""Width and height of a curve."""
MOST_POINTS = 200
"""So many of the last matches of a game are in its curve."""
MOST_LINES = 100
"""So many of the last matches of a game are listed."""
PART = 64 * 1024
"""Bytes of what is taken along that are sent at once."""
EXPORT = "teerling profile 1"
"""The format of what is taken along."""
environment.ENVIRONMENT.filters["signed"] = signed


@dataclass(frozen=True, slots=True)
class CurveView:
    """Somebody's rating after every match, drawn: the line, and the levels beside it."""

    width: int
    height: int
    line: str
    """The points of a polyline."""
    last: tuple[float, float]
    levels: tuple[tuple[str, float], ...]
    """The levels within its range, each with its height."""


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match in a list."""

    table_id: str
    day: date
    place: int
    players: int
    score: int | None
    """None for a match that was given up."""
    rating: int
    rivals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InsightLine:
    """Something that somebody tends to do, as a sentence of the game, and what it costs."""

    sentence: str
    when: str
    count: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ShareLine:
    """How well somebody decides in a part of matches, or in decisions of a kind."""

    name: str
    count: int
    rate: float
    needed: int
    """How many more decisions are needed before it is told; 0 if it is."""


@dataclass(frozen=True, slots=True)
class InsightsView:
    """What the reviews of somebody's matches of a game tell together."""

    matches: int
    luck: float
    """What chance brought in a match, on average."""
    decisions: int
    rate: float
    """The error rate over all of them."""
    lines: tuple[InsightLine, ...]
    """What is sure, the costliest first."""
    needed: int
    """How many more decisions the next sentence needs at least; 0 if none is short of them."""
    parts: tuple[ShareLine, ...]
    """The same decisions by part of the match."""
    kinds: tuple[ShareLine, ...]
    """And by kind."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """How somebody does in one game."""

    game: GameInfo
    matches: int
    wins: int
    places: tuple[tuple[int, int], ...]
    """Places with how often they were reached, best first."""
    mean: float | None
    """The mean of the scores of matches played out."""
    best: int | None
    rating: int
    doubt: int
    """Within how much of it the true rating probably is."""
    level: str
    """The level that is rated most like it."""
    curve: CurveView | None
    """From two matches on."""
    lines: tuple[MatchLine, ...]
    """The newest matches, the last first."""
    insights: InsightsView | None
    """None if no match was reviewed."""


@dataclass(frozen=True, slots=True)
class RivalView:
    """Whom somebody played against most."""

    name: str
    """Empty for bots."""
    level: str | None
    matches: int
    ahead: int
    """In how many of them the rival came after."""


@dataclass(frozen=True, slots=True)
class ProfileView:
    """What somebody's profile shows."""

    name: str
    since: date
    matches: int
    wins: int
    streak: int
    """The most wins in a row."""
    rival: RivalView | None
    games: tuple[GameRecord, ...]


def routes(context: RequestContext) -> APIRouter:
    """The routes of somebody's own profile."""
    router = APIRouter(include_in_schema=False)
    house = context.house

    async def who(request: Request) -> PersonRow | None:
        """The person who asks, if there is anything to tell about them."""
        person_id = context.person_of(request)
        return await asyncio.to_thread(house.storage.person, person_id) if person_id else None

    async def made(request: Request, make: Callable[[PersonRow], Made], person: PersonRow) -> Made:
        """What is made of all that somebody played: aside, as that may be thousands of matches."""
        await house.results.catch_up(person.id)
        return await house.workshop.make(make, person, whose=address_of(request))

    def view_of(person: PersonRow) -> ProfileView:
        records = house.records
        return profile_view(person, records.matches_of(person.id), records.reviewed_by(person.id))

    @router.get("/me")
    async def show(request: Request) -> HTMLResponse:
        person = await who(request)
        view = None if person is None else await made(request, view_of, person)
        link = "" if person is None else f"/me/{context.signatures.link(person.id, person.renewed)}"
        painted = scenery(*(record.game.id for record in view.games)) if view else ""
        return context.page(request, "profile.html", profile=view, link=link, scenery=painted)

    @router.post("/me/renew")
    async def renew(request: Request) -> Response:
        person = await who(request)
        if person is not None:
            await asyncio.to_thread(house.storage.renew_link, person.id)
        return context.to("/me#mine-h")

    @router.get("/me/export")
    async def export(request: Request) -> Response:
        person = await who(request)
        text = await made(request, everything_about, person) if person else written({})
        headers = {"Content-Disposition": 'attachment; filename="teerling-profile.json"'}
        return StreamingResponse(in_parts(text), media_type="application/json", headers=headers)

    def everything_about(person: PersonRow) -> bytes:
        """All that is kept about a person, as JSON."""
        records = house.records
        matches = records.matches_of(person.id)
        return written({
            "name": person.name,
            "since": person.created.isoformat(),
            "matches": [exported(match) for match in matches],
            "tables": [
                {
                    "table": row.id, "game": row.game, "status": row.status, "ending": row.ending,
                    "created": row.created.isoformat(), "changed": row.changed.isoformat(),
                    "seats": [seat.seat for seat in row.seats if seat.person_id == person.id],
                    "names": [seat.name for seat in row.seats if seat.person_id == person.id],
                }
                for row in records.tables_of(person.id)
            ],
            "deals": [
                {
                    "day": row.day, "game": row.game, "table": row.table_id, "score": row.score,
                    "place": row.rank,
                }
                for row in records.attempts_of(person.id)
            ],
            "puzzles": [
                {"day": row.day, "move": row.move, "found": row.found} for row in records.tries_of(person.id)
            ],
            "reviews": [
                {
                    "table": each.table_id, "game": each.game, "luck": each.luck,
                    "decisions": [
                        {"part": part, "kind": kind, "tendency": tendency, "loss": loss, "stake": stake}
                        for _, part, kind, tendency, loss, stake in each.decisions
                    ],
                }
                for each in records.reviewed_by(person.id)
            ],
            "chat": [
                {"at": at.isoformat(), "table": table_id, "text": text}
                for at, table_id, text in records.chat_of(person.id)
            ],
        })  # fmt: skip

    @router.get("/me/delete")
    async def ask(request: Request) -> HTMLResponse:
        return context.page(request, "delete.html", known=await who(request) is not None)

    @router.post("/me/delete")
    async def forget(request: Request, sure: str = Form("")) -> Response:
        if sure != "yes":
            raise Misunderstood("Nothing was deleted: confirm it first.")
        person = await who(request)
        if person is not None:
            tables = await asyncio.to_thread(house.records.tables_of, person.id)
            for row in tables:
                if row.status != "over":
                    await house.changes.apply(row.id, lambda table: table.leave(person.id))
            await asyncio.to_thread(house.records.forget, person.id)
            for row in tables:
                await house.changes.refresh(row.id)
        response = context.page(request, "deleted.html", path="/")
        for cookie in (COOKIE, habits.COOKIE):
            response.delete_cookie(cookie, path="/")
        return response

    # Whatever else stands behind /me is somebody's personal link.
    async def owner_of(link: str) -> Person:
        """Whose personal link this is; NotAllowed if it is nobody's, or was renewed since."""
        found = context.signatures.person_of_link(link)
        row = await asyncio.to_thread(house.storage.person, found[0]) if found else None
        if found is None or row is None or found[1] != row.renewed:
            raise NotAllowed("this link is not valid")
        return Person(row.id, row.name, row.renewed)

    @router.get("/me/{link}")
    async def second_device(request: Request, link: str) -> Response:
        """Asks before a browser becomes somebody else: whoever sends a link is not asked who opens it."""
        owner, own_id = await owner_of(link), context.person_of(request)
        if owner.id == own_id:
            return context.to("/")
        row = await asyncio.to_thread(house.storage.person, own_id) if own_id else None
        return context.page(
            request, "second_device.html", path="/", link=link, name=owner.name, own=row.name if row else ""
        )

    @router.post("/me/{link}")
    async def become(link: str) -> Response:
        return context.to("/", await owner_of(link))

    return router


def written(told: Mapping[str, Any]) -> bytes:
    """What is taken along, as it is sent."""
    return (json.dumps({"format": EXPORT, **told}, ensure_ascii=False, indent=2) + "\n").encode()


async def in_parts(text: bytes) -> AsyncIterator[bytes]:
    """Something long bit by bit, so that others go between while it is squeezed."""
    for start in range(0, len(text), PART):
        yield text[start : start + PART]
        await asyncio.sleep(0)


def exported(match: PlayedMatch) -> dict[str, Any]:
    """A match as it is taken along."""
    own = match.own
    return {
        "table": own.table_id, "game": own.game, "at": own.at.isoformat(), "seat": own.seat,
        "place": own.rank, "players": len(match.results), "score": own.score,
        "rating": own.mu, "uncertainty": own.sigma,
        "scores": [result.score for result in match.results], "names": [seat.name for seat in match.seats],
    }  # fmt: skip


def profile_view(
    person: PersonRow, matches: Sequence[PlayedMatch], reviewed: Sequence[ReviewedMatch] = ()
) -> ProfileView:
    """Somebody's profile, from all matches that count for them, oldest first, and those reviewed."""
    known = [match for match in matches if match.own.game in game_ids()]
    ids = sorted({match.own.game for match in known}, key=game_ids().index)
    return ProfileView(
        name=person.name,
        since=person.created.date(),
        matches=len(known),
        wins=sum(match.own.rank == 1 for match in known),
        streak=longest_streak([match.own.rank == 1 for match in known]),
        rival=favourite_rival(known),
        games=tuple(
            game_record(
                game(id),
                [match for match in known if match.own.game == id],
                [match for match in reviewed if match.game == id],
            )
            for id in ids
        ),
    )


def game_record(of: Game, matches: Sequence[PlayedMatch], reviewed: Sequence[ReviewedMatch]) -> GameRecord:
    """How somebody does in one game."""
    results = [match.own for match in matches]
    scores = [result.score for result in results if result.score is not None]
    mu, sigma = float(results[-1].mu or 0), float(results[-1].sigma or 0)
    return GameRecord(
        game=game_info(of),
        matches=len(results),
        wins=sum(result.rank == 1 for result in results),
        places=tuple(sorted(Counter(result.rank for result in results).items())),
        mean=sum(scores) / len(scores) if scores else None,
        best=max(scores, default=None),
        rating=shown(mu),
        doubt=round(40 * 2 * sigma),
        level=nearest_level(of, mu),
        curve=curve_of(of, results[-MOST_POINTS:]) if len(results) > 1 else None,
        lines=tuple(match_line(match) for match in reversed(matches[-MOST_LINES:])),
        insights=insights_view(of, reviewed) if reviewed else None,
    )


def insights_view(of: Game, reviewed: Sequence[ReviewedMatch]) -> InsightsView:
    """What reviews of matches of a game tell together."""
    decisions = [Decision(*short) for match in reviewed for short in match.decisions]
    next_one = nearest(of, decisions)
    return InsightsView(
        matches=len(reviewed),
        luck=sum(match.luck for match in reviewed) / len(reviewed),
        decisions=len(decisions),
        rate=share_of("", decisions).error_rate,
        lines=tuple(
            InsightLine(each.sentence, each.when, each.count, each.mean, *each.interval)
            for each in insights(of, decisions)
        ),
        needed=0 if next_one is None else ENOUGH - next_one.count,
        parts=tuple(map(share_line, by_part(of, decisions))),
        kinds=tuple(map(share_line, by_kind(decisions))),
    )


def share_line(share: Share) -> ShareLine:
    return ShareLine(share.name, share.count, share.error_rate, max(0, ENOUGH - share.count))


def shown(mu: float) -> int:
    """A rating as people read it: openskill's, times 40 and plus 500, so that the usual level stands at 1500.

    >>> shown(25.0), shown(29.14)
    (1500, 1666)
    """
    return round(40 * mu) + 500


def match_line(match: PlayedMatch) -> MatchLine:
    own = match.own
    rivals = tuple(seat.name for seat in match.seats if seat.seat != own.seat and seat.name)
    return MatchLine(
        own.table_id,
        own.at.date(),
        own.rank,
        len(match.results),
        own.score,
        shown(float(own.mu or 0)),
        rivals,
    )


def longest_streak(wins: Sequence[bool]) -> int:
    """The most wins in a row.

    >>> longest_streak([True, False, True, True, False])
    2
    """
    longest = now = 0
    for won in wins:
        now = now + 1 if won else 0
        longest = max(longest, now)
    return longest


def favourite_rival(matches: Sequence[PlayedMatch]) -> RivalView | None:
    """The person met most often; who only played against bots has a level for a rival."""
    met: Counter[tuple[bool, str]] = Counter()
    ahead: Counter[tuple[bool, str]] = Counter()
    names: dict[tuple[bool, str], str] = {}
    for match in matches:
        others = [(seat, result) for seat, result in zip(match.seats, match.results, strict=True)
                  if seat.seat != match.own.seat]  # fmt: skip
        best: dict[tuple[bool, str], ResultRow] = {}
        for seat, result in others:
            key = rival_key(seat)
            if key is not None:
                names[key] = seat.name
                best[key] = min(best.get(key, result), result, key=lambda row: row.rank)
        for key, result in best.items():
            met[key] += 1
            ahead[key] += match.own.rank < result.rank
    if not met:
        return None
    key = max(met, key=lambda key: (key[0], met[key]))
    is_person, who = key
    return RivalView(names[key] if is_person else "", None if is_person else who, met[key], ahead[key])


def rival_key(seat: SeatRow) -> tuple[bool, str] | None:
    """Who a rival is: a person by their id, a bot by its level; nobody if they were forgotten."""
    if seat.kind == "bot":
        return (False, seat.level) if seat.level else None
    return (True, seat.person_id) if seat.person_id else None


def curve_of(of: Game, results: Sequence[ResultRow]) -> CurveView:
    """The curve of somebody's rating in a game; a level is beside it where the curve comes near."""
    width, height = CURVE
    values = [float(result.mu or 0) for result in results]
    low, high = min(values) - 2, max(values) + 2

    def up(value: float) -> float:
        return round(height - (value - low) / (high - low) * height, 1)

    points = [(round(i * width / (len(values) - 1), 1), up(value)) for i, value in enumerate(values)]
    levels = tuple((name, up(mu)) for name, mu in level_ratings(of).items() if low < mu < high)
    return CurveView(width, height, " ".join(f"{x},{y}" for x, y in points), points[-1], levels)
