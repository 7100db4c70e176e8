"""What is looked back at: the match of a table or of a file, and what may be seen of it from where."""

import secrets
from collections import OrderedDict
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from ...lab.mistakes import Judgement
from ...lab.review_drawing import bands_of
from ...match import Match
from ...nature import Sealed
from ..afterwards.reviews import Standing
from ..afterwards.what_if import NOT_TODAY, loaded, name_of_file
from ..look import branch_view, match_view
from ..page import replay_pages
from ..page.views import (
    CheckView,
    MatchView,
    PlayOnView,
    ProofView,
    ReplayView,
    ReviewView,
    SourceView,
    StepView,
    game_info,
)
from ..refusals import NotAllowed, Refused, UnknownTable
from ..tables.days import lasts
from ..tables.table import Table
from ..thinking.workshop import Workshop

Cached = TypeVar("Cached")

MOST_UPLOADS = 400
MOST_LOADED = 12


class NoSuchSeat(Refused):
    """A view from where nobody sits."""

    status = 404


@dataclass(frozen=True)
class Source:
    """A match to be replayed, and who may look at it from where."""

    match: Match
    base: str
    """Where its pages are."""
    seats: tuple[int, ...]
    """The seats from which the one who asks may look; a spectator's view is always there."""
    first: int | None
    """The view to begin with."""
    over: bool
    seed: str | None
    """The seed of its nature, once it may be told."""
    name: str = ""
    """What its branches call it."""
    closed: str = ""
    """Why it cannot be played on, though it is over."""
    at_table: bool = False
    """Whether it is a table's match, and not that of an uploaded file."""
    begun: bool = True
    """Whether everybody sits, so that there is something to see."""

    @property
    def view(self) -> SourceView:
        """What a page tells about it."""
        may_download = self.at_table and (self.over or self.first is not None)
        replay = f"{self.base}/replay" if self.at_table else self.base
        playing_on = PlayOnView(
            address=f"{replay}/play-on",
            seat=self.first,
            knows_luck=self.match.seed is not None,
            ends=self.match.over,
            closed=self.closed,
        )
        return SourceView(
            self.base, self.at_table, self.begun, self.over, self.seats, may_download,
            played_out=self.over and self.match.over,
            may_try_again=self.at_table and self.match.over and self.first is not None,
            play_on=playing_on if self.over or not self.at_table else None,
            branch=branch_view(self.match, replay),
        )  # fmt: skip

    @property
    def key(self) -> str:
        """The table's id, or the key of the file."""
        return self.base.rpartition("/")[2]


def source_of(table: Table, person_id: str | None) -> Source:
    """A table's match as it stands, and what a person may see of it.

    Until the match is over that is the own seat; who has several of them, at one screen with others,
    sees what everybody sees, or a curtain would be of no use.
    """
    own = table.seating.seats_of(person_id)
    base = f"/tables/{table.id}"
    if table.over:
        everybody = tuple(range(table.match.players))
        first = own[0] if own else None
        closed = NOT_TODAY if lasts(table.row.day) else ""
        return Source(table.match, base, everybody, first, True, table.told_seed, table.id, closed, True)
    seats = tuple(own) if len(own) == 1 else ()
    first = seats[0] if seats else None
    seen = cut(table.match, len(table.match.history), first)
    return Source(seen, base, seats, first, False, None, table.id, "", True, table.status != "open")


@lru_cache(MOST_LOADED)
def source_of_file(text: str, key: str) -> Source:
    """The match of a file. Who has the file has all of it, so every view is allowed."""
    match = loaded(text)
    everybody = tuple(range(match.players))
    return Source(match, f"/replay/{key}", everybody, None, match.over, match.seed, name_of_file(text))


def check_file(text: str, key: str) -> None:
    """Reads a file, and says what is wrong with it."""
    source_of_file(text, key)


class Uploads:
    """The latest files that people looked at; they are kept in memory only."""

    def __init__(self, workshop: Workshop) -> None:
        """Files are read in the workshop: a long one takes a while."""
        self._workshop = workshop
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._sources: OrderedDict[str, Source] = OrderedDict()

    async def keep(self, text: str, address: str) -> str:
        """The key under which a match can be seen for a while; it is read at the expense of an address."""
        key = secrets.token_urlsafe(12)
        await self._workshop.make_apart(check_file, text, key, whose=address)
        _remember(self._texts, key, text, MOST_UPLOADS)
        return key

    def text(self, key: str) -> str:
        """The file with this key."""
        if key not in self._texts:
            raise UnknownTable("This file is no longer here; please choose it again.")
        text = self._texts[key]
        _remember(self._texts, key, text, MOST_UPLOADS)
        return text

    async def source(self, key: str, address: str) -> Source:
        """The match with this key, here: for what is more than a page of it."""
        text = self.text(key)
        source = self._sources.get(key)
        if source is None:
            source = await self._workshop.make(source_of_file, text, key, whose=address)
        _remember(self._sources, key, source, MOST_LOADED)
        return source


def _remember(kept: OrderedDict[str, Cached], key: str, value: Cached, most: int) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > most:
        kept.popitem(last=False)


def seat_of(source: Source, text: str) -> int | None:
    """The seat that an address names, if it may be looked from."""
    if not text:
        return source.first
    if text == replay_pages.SPECTATING:
        return None
    seat = next((seat for seat in range(source.match.players) if str(seat) == text), None)
    if seat is None:
        raise NoSuchSeat("There is no such seat at this table.")
    if seat not in source.seats:
        raise NotAllowed("Another seat's view can be seen when the match is over.")
    return seat


def number_of(text: str, last: int, otherwise: int) -> int:
    """The step that an address names; beyond the ends it is the nearest."""
    return min(int(text[:9]), last) if text.isdecimal() else otherwise


def stops(match: Match) -> list[int]:
    """After how many moves the replay stops: before every decision, and at the end."""
    decisions = [index for index, move in enumerate(match.history) if not move.chance]
    return [*decisions, len(match.history)]


def cut(match: Match, moves: int, seat: int | None) -> Match:
    """The match as it was after so many moves, for a seat."""
    # What the whole match told the seat is kept by it, and need not be told again at every step.
    match.steps_of(seat)
    return match.upto(moves)


def replay_view(source: Source, move: str, seat: str) -> ReplayView:
    """The step of a replay that an address names, as it was seen from the seat that it names."""
    viewer = seat_of(source, seat)
    places = stops(source.match)
    last = len(places) - 1
    number = number_of(move, last, 0 if source.over else last)
    then = cut(source.match, places[number], viewer)
    return ReplayView(
        match=match_view(then, viewer, source.first, asked=False),
        source=source.view,
        number=number,
        last=last,
        steps=steps_of(source.match, viewer, places),
    )


def review_view(source: Source, standing: Standing) -> ReviewView:
    """The review of a match as far as it is worked out, for whoever looks from the seat shown first."""
    found, places, branch = standing.review, stops(source.match), source.match.branch
    # What a branch was given, others have decided.
    first = 0 if branch is None else places[branch.step]
    view = ReviewView(
        match=match_view(source.match, source.first, source.first, asked=False),
        source=source.view,
        stops=tuple(places),
        bands=tuple(bands_of(source.match)),
        done=standing.done,
        before=standing.before,
        preparing=standing.preparing,
        failed=standing.failed,
        number=standing.number,
        curve=standing.curve,
        playouts=found.playouts if found else 0,
        seats=found.seats if found else (),
        strokes=found.strokes if found else (),
        mistakes=tuple(each for each in found.mistakes if each.place >= first) if found else (),
        steps=found.steps if found else (),
    )
    return replace(view, before_told=tuple(before(source.match, each) for each in view.told))


def before(match: Match, told: Judgement) -> MatchView:
    """How a match stood before a move, as its seat saw it."""
    return match_view(cut(match, told.place, told.seat), told.seat, told.seat, asked=False)


def steps_of(match: Match, seat: int | None, places: list[int]) -> tuple[StepView, ...]:
    """Every step as a seat knows it; step 0 is how the match was set up."""
    told, states = match.steps_of(seat), match.states
    steps = []
    for number, end in enumerate(places):
        start = places[number - 1] if number else 0
        turn = states[start].turn if number else -1
        steps.append(StepView(number, turn if turn >= 0 else None, tuple(told[start:end])))
    return tuple(steps)


def proof_view(source: Source) -> ProofView:
    """A match's chance beside what its seed gives, once the seed may be told."""
    match = source.match
    given = 0 if match.branch is None else match.branch.given
    return ProofView(
        game=game_info(match.game),
        source=source.view,
        seal=match.seal,
        seed=source.seed,
        seal_fits=source.seed is not None and Sealed(source.seed).seal == match.seal,
        count=sum(move.chance for move in match.history) - given,
        taken_back=sum(each.draws for each in match.taken_back),
        given=given,
        checks=() if source.seed is None else checks_of(match, source.seed),
    )


def checks_of(match: Match, seed: str) -> tuple[CheckView, ...]:
    """Every chance event of a match beside what the seed gives."""
    nature, states = Sealed(seed), match.states
    checks: list[CheckView] = []
    answers = [(index, move) for index, move in enumerate(match.history) if move.chance]
    given = 0 if match.branch is None else match.branch.given
    for (index, move), draw in list(zip(answers, match.draws, strict=True))[given:]:
        weights = match.game.weights(states[index])
        answer = match.game.move(nature.answer(draw, weights), chance=True)
        share = Fraction(weights[move.id], sum(weights)).as_integer_ratio()
        checks.append(CheckView(draw + 1, move.text, share, answer.text))
    return tuple(checks)
