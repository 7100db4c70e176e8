"""What a viewer may see: frozen views, made of observations while nothing changes at the table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from weakref import WeakKeyDictionary

from ..engine import HIDDEN
from ..game import SPECTATOR, Event
from ..match import Match
from .bots import Bots
from .hints import Coming, Hints
from .presence import Presence
from .storage import SeatRow
from .table import Table
from .views import HintView, MatchView, Scoring, SeatView, TableView

CHAT_LINES = 30
"""How much of the chat a page shows."""
MOST_FRAMES = 8
"""Of how many decisions a page shows how they happened; whoever is further behind sees the last of them."""


def match_view(
    match: Match, seat: int | None, you: int | None = None, asked: bool = True, stopped: bool = False
) -> MatchView:
    """What a seat knows of a match (None: a spectator), for the viewer in the seat `you`."""
    # Told first, every state is observed once: what was seen last is where the telling begins and ends.
    steps = tuple(match.steps_of(seat))
    scorings = _scorings(match, seat, steps)
    parts = [scoring for scoring in scorings if scoring.end is not None]
    ranked = zip(match.ranks, range(match.players), match.scores, strict=True) if match.over else ()
    return MatchView(
        game=match.game.id,
        seat=seat,
        you=you,
        asked=asked,
        stopped=stopped,
        names=match.names,
        observation=match.seen(seat).to_bytes(),
        steps=steps,
        scorings=scorings,
        fresh=parts[-1] if parts and _is_fresh(match, seat, parts[-1]) else None,
        ranking=tuple(sorted(ranked)),
        seal=match.seal,
        take_backs=tuple(
            sum(each.seat == seat for each in match.taken_back) for seat in range(match.players)
        ),
        since=_last_decided(match, you),
    )


def _last_decided(match: Match, seat: int | None) -> int:
    """After how many steps a seat's last decision was done with; for a spectator, the last round of all."""
    if seat is None:
        return match.pushes[-match.players] if len(match.pushes) >= match.players else 0
    places = (place for place in reversed(match.pushes) if match.states[place].turn == seat)
    last = next(places, None)
    return 0 if last is None else next((place for place in match.pushes if place > last), len(match.history))


def frames_since(match: Match, view: MatchView, since: int) -> tuple[MatchView, ...]:
    """The match after every decision from the step `since` on, as the viewer knows it.

    How the last one stands is what the page shows; it is a frame of its own only if it decides something.
    """
    places = [place for place in match.pushes if place >= since][-MOST_FRAMES:]
    ends = [*places[1:], len(match.history)]
    return tuple(
        frame
        for place, end in zip(places, ends, strict=False)
        for frame in _frames_of(match, view, place, end)
    )


def _frames_of(match: Match, view: MatchView, place: int, end: int) -> Iterator[MatchView]:
    """The pictures of one decision; the last of all is a frame only if something is decided in it."""
    who = SPECTATOR if view.seat is None else view.seat
    observation = match.game.observed(match.states[end], who).to_bytes()
    events = [event for step in view.steps[place:end] for event in step]
    breaks = [i for i in range(1, len(events)) if match.game.begins_picture(events[i - 1], events[i])]
    for first, last in pairwise([0, *breaks, len(events)]):
        is_last = end == len(match.history) and last == len(events)
        if not is_last or any(event.kind in match.game.moments for event in events[first:last]):
            yield replace(
                view,
                observation=observation,
                steps=(*view.steps[:place], *_told_until(view.steps[place:end], last)),
                moment=end - place,
                told=first,
                coming=tuple(events[last:]),
                asked=False,
                fresh=None,
                ranking=(),
            )


def _told_until(steps: Sequence[tuple[Event, ...]], count: int) -> Iterator[tuple[Event, ...]]:
    """Steps that tell their first events only."""
    for events in steps:
        yield events[: max(count, 0)]
        count -= len(events)


def table_view(
    table: Table, person_id: str, presence: Presence, hints: Hints, bots: Bots, since: int | None = None
) -> TableView:
    """What a person may see of a table, and may do at it; `since` is the step that the page showed last."""
    match, seating, seat = table.match, table.seating, table.seat_open_to(person_id)
    own, played = seating.seats_of(person_id), seating.seats_played_by(person_id)
    shown = match_view(match, seat, seat, table.playing and seat in played, stopped=not table.playing)
    absent = next(iter(presence.absent_seats(table)), None) if own else None
    coming = hints.shown(table, seat) if shown.asked and seat == match.turn else None
    return TableView(
        id=table.id,
        version=table.version,
        match=shown,
        status=table.status,
        begun=table.begun,
        pace=table.row.pace,
        ending=table.row.ending,
        ended_by=table.ended_by,
        seats=tuple(_seat_view(table, row, person_id, presence) for row in seating),
        own=tuple(own),
        played=tuple(played) if table.playing else (),
        curtain=table.curtain(person_id),
        may_take_back=seat is not None and table.pushes_to_take_back(seat) > 0,
        draws_anew=seat is not None and table.would_draw_anew(seat),
        gives_hints=table.gives_hints,
        hint=None if coming is None else _hint_view(coming, hints.is_preparing(table)),
        preparing=bots.are_preparing(table),
        absent=absent,
        may_end=absent is not None and seating.is_last(person_id, absent),
        chat=tuple((line.name, line.text) for line in table.chat[-CHAT_LINES:]),
        rematch=table.row.rematch is not None,
        watching=presence.watching(table) if table.status == "open" else 0,
        seed=table.told_seed,
        day=table.row.day,
        frames=() if since is None else frames_since(match, shown, since),
    )


def _seat_view(table: Table, row: SeatRow, person_id: str, presence: Presence) -> SeatView:
    is_person = row.kind == "person"
    return SeatView(
        number=row.seat,
        kind=row.kind,
        name=row.name,
        level=row.level,
        stand_in=bool(row.stand_in),
        way_out=table.seating.way_out(row.seat),
        away=is_person and row.person_id != person_id and not presence.is_here(table, row.person_id),
        hints=table.hints_of(row.seat),
        take_backs=table.take_backs_of(row.seat),
        may_return=is_person and row.person_id == person_id and table.may_come_back(row.seat),
        kept=table.kept_for(row.seat) is not None,
        kept_for_you=table.kept_for(row.seat) == person_id,
    )


def _hint_view(coming: Coming, preparing: bool) -> HintView:
    hint = coming.hint
    if hint is None:
        return HintView(failed=coming.failed, preparing=preparing)
    return HintView(
        player=hint.player,
        playouts=hint.playouts,
        estimates=hint.estimates,
        reason=hint.reason,
    )


@dataclass
class _Scored:
    """The scorings found so far in what a viewer was told of a match."""

    steps: list[tuple[Event, ...]] = field(default_factory=list)
    parts: list[Scoring] = field(default_factory=list)
    whole: Scoring | None = None
    """That of the whole match, once it is over."""


_scored: WeakKeyDictionary[Match, dict[tuple[int | None, bool], _Scored]] = WeakKeyDictionary()
"""By match, seat, and whether all is told; of a long match only the last move is new."""


def _scorings(match: Match, seat: int | None, steps: Sequence[tuple[Event, ...]]) -> tuple[Scoring, ...]:
    """All scorings so far, the oldest first; when the match is over, that of the whole match last.

    With hidden scores a seat knows only its own until the match is over; then all is told.
    """
    if match.over:
        seat, steps = None, match.steps
    known = _scored.setdefault(match, {}).setdefault((seat, match.over), _Scored())
    # What was taken back is forgotten. Events are compared as objects, and "nothing" is always the same.
    while known.steps and not (
        len(known.steps) <= len(steps) and known.steps[-1] and known.steps[-1] is steps[len(known.steps) - 1]
    ):
        known.steps.pop()
    known.parts = [scoring for scoring in known.parts if scoring.move <= len(known.steps)]
    for index in range(len(known.steps), len(steps)):
        known.steps.append(steps[index])
        known.whole = None
        end = next((event for event in steps[index] if event.kind in match.game.rounds), None)
        if end is not None and any(row.cells for row in match.game.score_rows(steps[index])):
            known.parts.append(_scoring(match, seat, end, steps[index], index + 1))
    if not match.over or len(known.parts) == 1:
        return tuple(known.parts)
    known.whole = known.whole or _whole_match(match, steps)
    return (*known.parts, known.whole)


def _scoring(match: Match, seat: int | None, end: Event, events: tuple[Event, ...], move: int) -> Scoring:
    """The scoring that a move brought: the points after it are those that the viewer may know."""
    state = match.states[move]
    seen = state if match.over else match.game.observed(state, SPECTATOR if seat is None else seat)
    scores = match.game.results(seen)[0]
    hidden = tuple(None if score == HIDDEN else score for score in scores)
    return Scoring(end, events, (), None, hidden, move)


def _whole_match(match: Match, steps: Sequence[tuple[Event, ...]]) -> Scoring:
    """The scoring of a match that is over, from what everybody had when the first was to decide."""
    events = tuple(event for step in steps for event in step)
    # A file may begin with a position in which nobody decides any more.
    first = next((state for state in match.states if state.turn >= 0), match.states[0])
    start_rule = next((event.rule for event in events if event.kind == "starts"), None)
    start = match.game.results(first)[0]
    return Scoring(None, events, start, start_rule, match.scores, len(steps))


def _is_fresh(match: Match, seat: int | None, scoring: Scoring) -> bool:
    """Whether the seat has decided nothing since a scoring; for spectators, whether nobody has twice."""
    decided = [state.turn for state in match.states[scoring.move : -1] if state.turn >= 0]
    return seat not in decided if seat is not None else len(decided) < match.players
