"""What a viewer may see: frozen views, made of observations while nothing changes at the table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from weakref import WeakKeyDictionary

from ..engine import HIDDEN
from ..game import SPECTATOR, Event
from ..match import Match
from .database.schema import SeatRow
from .page.match_pages import LOG_LINES
from .page.views import BranchView, HintView, MatchView, Scoring, SeatView, TableView, TutorView, level_infos
from .tables.opening import is_id
from .tables.presence import Presence
from .tables.table import Table
from .thinking.bots import Bots, is_watched
from .thinking.hints import Coming, Hints
from .thinking.tutor import Tutors

CHAT_LINES = 30
"""How much of the chat a page shows."""
MOST_TOLD = 96
"""Of how many moves a page is told what happened; of older ones only if its viewer has not seen them yet."""
MOST_FRAMES = 8
"""Of how many decisions a page shows how they happened; whoever is further behind sees the last of them."""


def match_view(
    match: Match, seat: int | None, you: int | None = None, asked: bool = True, stopped: bool = False
) -> MatchView:
    """What a seat knows of a match (None: a spectator), for the viewer in the seat `you`."""
    since = _last_decided(match, seat if you is None else you)
    # Told first, every state is observed once: what was seen last is where the telling begins and ends.
    steps = _steps(match, seat, since)
    scorings = _scorings(match, seat)
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
        since=since,
        laid=_laid(match, seat),
    )


def _laid(match: Match, seat: int | None) -> bytes | None:
    """How everything lay for a seat when the match ended, before the last scoring cleared the table."""
    game, who = match.game, SPECTATOR if seat is None else seat
    if not match.over or not match.history or game.pictured is None:
        return None
    told = match.step_of(seat, len(match.turns) - 1)
    if len(told) < 2:
        return None
    before, after = (game.observed(match.states[step], who) for step in (-2, -1))
    shown = game.pictured(before, match.history_of(seat)[-1], after, told[:-1], told[-1:])
    return bytes(shown.to_bytes())


def _steps(match: Match, seat: int | None, since: int) -> tuple[tuple[Event, ...], ...]:
    """What happened with each move, as the seat knows it; of what no page shows any more, nothing.

    A page shows what its viewer has not seen yet, and the last lines of the log.
    """
    first = max(0, min(since, len(match.turns) - MOST_TOLD))
    steps = match.steps_of(seat, first)
    while first > 0 and sum(map(len, steps)) < LOG_LINES:
        first = max(0, first - LOG_LINES)
        steps = match.steps_of(seat, first)
    return ((),) * first + tuple(steps)


def _last_decided(match: Match, seat: int | None) -> int:
    """After how many steps a seat's last decision was done with; for a spectator, the last round of all."""
    if seat is None:
        return match.pushes[-match.players] if len(match.pushes) >= match.players else 0
    after = len(match.turns)
    for place in reversed(match.pushes):
        if match.turns[place] == seat:
            return after
        after = place
    return 0


def frames_since(match: Match, view: MatchView, since: int) -> tuple[MatchView, ...]:
    """The match after every decision from the step `since` on, as the viewer knows it.

    How the last one stands is what the page shows; it is a frame of its own only if it decides something.
    Whoever is far behind sees the last decisions, and before them those that ended an epoch or a round.
    """
    places = [place for place in match.pushes if place >= since]
    decisions = list(pairwise([*places, len(match.turns)]))
    late = [each for each in decisions[:-MOST_FRAMES] if _scoring_within(view, *each) is not None]
    shown = [*late, *decisions[-MOST_FRAMES:]]
    return tuple(frame for place, end in shown for frame in _frames_of(match, view, place, end))


def _frames_of(match: Match, view: MatchView, place: int, end: int) -> Iterator[MatchView]:
    """The pictures of one decision; the last of all is a frame only if something is decided in it."""
    exact = match.game.pictured is not None
    scoring = _scoring_within(view, place, end)
    events = [event for step in view.steps[place:end] for event in step]
    last = 0
    for picture in match.game.pictures(events) or [()]:
        first, last = last, last + len(picture)
        kinds = [event.kind for event in picture]
        is_last = end == len(match.turns) and last == len(events)
        if not is_last or not match.game.moments.keys().isdisjoint(kinds):
            ends = scoring is not None and scoring.end is not None and scoring.end.kind in kinds
            yield replace(
                view,
                observation=_pictured(match, view, place, end, last),
                steps=(*view.steps[:place], *_told_until(view.steps[place:end], last)),
                moment=end - place,
                told=first,
                coming=() if exact else tuple(events[last:]),
                asked=False,
                fresh=scoring if ends else None,
                ranking=(),
                laid=view.laid if is_last else None,
            )


def _scoring_within(view: MatchView, place: int, end: int) -> Scoring | None:
    """The scoring of an epoch or a round that came with a decision."""
    parts = (each for each in view.scorings if each.end is not None)
    return next((scoring for scoring in parts if place < scoring.move <= end), None)


def _observed(match: Match, view: MatchView, end: int) -> bytes:
    """What the viewer knew after so many steps."""
    who = SPECTATOR if view.seat is None else view.seat
    return bytes(match.game.observed(match.states[end], who).to_bytes())


def _pictured(match: Match, view: MatchView, place: int, end: int, count: int) -> bytes:
    """How it looked to the viewer when the first events of a decision had been told."""
    game, who = match.game, SPECTATOR if view.seat is None else view.seat
    if game.pictured is None or count == 0:
        return _observed(match, view, end)
    while count > len(view.steps[place]):
        count -= len(view.steps[place])
        place += 1
    before, after = (game.observed(match.states[step], who) for step in (place, place + 1))
    move, told = match.history_of(view.seat)[place], view.steps[place]
    return bytes(game.pictured(before, move, after, told[:count], told[count:]).to_bytes())


def _told_until(steps: Sequence[tuple[Event, ...]], count: int) -> Iterator[tuple[Event, ...]]:
    """Steps that tell their first events only."""
    for events in steps:
        yield events[: max(count, 0)]
        count -= len(events)


def table_view(
    table: Table,
    person_id: str,
    presence: Presence,
    hints: Hints,
    bots: Bots,
    tutors: Tutors,
    since: int | None = None,
) -> TableView:
    """What a person may see of a table, and may do at it; `since` is the step that the page showed last."""
    match, seating, seat = table.match, table.seating, table.seat_open_to(person_id)
    own, played = seating.seats_of(person_id), seating.seats_played_by(person_id)
    # Where several play at one screen nobody is "you": everybody is called by name.
    you = seat if len(own) < 2 else None
    shown = match_view(match, seat, you, table.playing and seat in played, stopped=not table.playing)
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
        tutor=_tutor_view(table, tutors, seat if shown.asked and seat == match.turn else None),
        preparing=bots.are_preparing(table),
        absent=absent,
        may_end=absent is not None and seating.is_last(person_id, absent),
        chat=tuple((line.name, line.text) for line in table.chat[-CHAT_LINES:]),
        rematch=table.row.rematch,
        watching=presence.watching(table, person_id) if table.status == "open" else 0,
        seed=table.told_seed,
        day=table.row.day,
        branch=branch_view(table.match, f"/tables/{table.id}/replay", table.has_same_luck),
        levels=level_infos() if own and table.status == "open" else (),
        opening=is_opening(table, person_id),
        watched=is_watched(table),
        frames=() if since is None else frames_since(match, shown, since),
    )


def is_opening(table: Table, person_id: str) -> bool:
    """Whether somebody who plays here may be told that everybody is there, and that the match begins."""
    return table.is_opening and person_id in table.seating.people()


def still_view(match: Match, seat: int, asked: bool) -> TableView:
    """A position outside any table, as the player to decide sees it; `asked` is whether to choose a move."""
    seats = tuple(
        SeatView(
            number=number, kind="bot", name=name, level=None, stand_in=False, way_out=None, away=False,
            hints=0, take_backs=0, may_return=False,
        )
        for number, name in enumerate(match.names)
    )  # fmt: skip
    return TableView(
        id="puzzle", version=0, match=match_view(match, seat, seat, asked), status="playing", begun=True,
        pace="days", ending=None, ended_by=None, seats=seats, own=(seat,), played=(), curtain=None,
        may_take_back=False, draws_anew=False, gives_hints=False, hint=None, preparing=False, absent=None,
        may_end=False, chat=(), rematch=None, seed=None, day=None,
    )  # fmt: skip


def branch_view(match: Match, replay: str, same_luck: bool = False) -> BranchView | None:
    """Where a match was branched; what it has from a file is seen in its own replay."""
    branch = match.branch
    if branch is None:
        return None
    at_table = replay.startswith("/tables/") and is_id(branch.source)
    address = f"/tables/{branch.source}/replay" if at_table else replay
    return BranchView(f"{address}?move={branch.step}", branch.step, same_luck)


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
        questions=table.questions_of(row.seat),
        may_return=is_person and row.person_id == person_id and table.may_come_back(row.seat),
        kept=table.kept_for(row.seat) is not None,
        kept_for_you=table.kept_for(row.seat) == person_id,
    )


def _tutor_view(table: Table, tutors: Tutors, seat: int | None) -> TutorView | None:
    """The tutor beside the viewer, with what it asks the seat that is to move."""
    if not table.may_have_tutor:
        return None
    question = None if seat is None else tutors.shown(table, seat)
    if question is None or question.closed:
        return TutorView(table.has_tutor, preparing=table.has_tutor and tutors.is_preparing(table.game))
    judgement = question.judgement
    return TutorView(
        True, False, judgement.played, judgement.best, judgement.loss, judgement.interval,
        judgement.reason, question.told,
    )  # fmt: skip


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

    parts: dict[int, Scoring] = field(default_factory=dict)
    """By the move that brought it."""
    whole: tuple[int, Scoring] | None = None
    """That of the whole match, once it is over, and how many moves it had."""


_scored: WeakKeyDictionary[Match, dict[tuple[int | None, bool], _Scored]] = WeakKeyDictionary()
"""By match, seat, and whether all is told; of a long match only the last move is new."""


def _scorings(match: Match, seat: int | None) -> tuple[Scoring, ...]:
    """All scorings so far, the oldest first; when the match is over, that of the whole match last.

    With hidden scores a seat knows only its own until the match is over; then all is told.
    """
    known = _scored.setdefault(match, {}).setdefault((None if match.over else seat, match.over), _Scored())
    parts = {}
    for place in match.ends:
        events = match.step(place) if match.over else match.step_of(seat, place)
        part = known.parts.get(place)
        # What was taken back is forgotten: the ends of rounds are the same objects as long as they stand.
        if part is None or part.events is not events:
            end = next((event for event in events if event.kind in match.game.rounds), None)
            if end is None or not any(row.cells for row in match.game.score_rows(events)):
                continue
            part = _scoring(match, None if match.over else seat, end, events, place + 1)
        parts[place] = part
    known.parts = parts
    if not match.over or len(parts) == 1:
        return tuple(parts.values())
    if known.whole is None or known.whole[0] != len(match.turns):
        known.whole = len(match.turns), _whole_match(match, match.steps)
    return (*parts.values(), known.whole[1])


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
    first = next((place for place, turn in enumerate(match.turns) if turn >= 0), 0)
    start_rule = next((event.rule for event in events if event.kind == "starts"), None)
    start = match.game.results(match.states[first])[0]
    return Scoring(None, events, start, start_rule, match.scores, len(steps))


def _is_fresh(match: Match, seat: int | None, scoring: Scoring) -> bool:
    """Whether the seat has decided nothing since a scoring; for spectators, whether nobody has twice."""
    decided = [turn for turn in match.turns[scoring.move :] if turn >= 0]
    return seat not in decided if seat is not None else len(decided) < match.players
