"""The page of a review, made of what is known of it so far: curves, mistakes, luck and skill, all figures."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from markupsafe import Markup

from ...lab.luck import Numbers
from ...lab.mistakes import Judgement
from ...lab.review import Stroke
from ...lab.review_drawing import Course, bars, curves, legend
from ...lab.review_words import (
    PARTS,
    Telling,
    account_headings,
    account_row,
    meaning,
    part_name,
    percents,
    signed,
    signed_percent,
    signed_result,
)
from ...words import Speaker
from .match_pages import Page, glance, page_of
from .replay_pages import SPECTATING
from .scenery import props
from .views import ReviewView


@dataclass(frozen=True, slots=True)
class MistakeCard:
    """A move that cost much: what was played, what was better and why."""

    scene: Markup
    """How the match stood before it, drawn small; empty if its game does not draw that."""
    number: int
    part: str
    who: str
    """Empty for the reader's own."""
    seat: int
    grade: str
    loss: str
    between: str
    played: str
    better: str
    reason: str
    link: str


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A move with everybody's chances after it."""

    number: int
    who: str
    move: str
    chances: tuple[str, ...]
    link: str


def numbered(stops: Sequence[int], place: int) -> int:
    """The step of the replay that shows the move at a place of the history.

    >>> [numbered((1, 4, 6), place) for place in range(6)]
    [0, 1, 1, 1, 2, 2]
    """
    return bisect_right(stops, place)


def address(view: ReviewView, to: Stroke | Judgement) -> str:
    """Where the replay shows luck as it came, and a mistake before it was made, as its seat saw it."""
    step = numbered(view.stops, to.place)
    if isinstance(to, Judgement):
        return f"{replay_of(view)}?move={step - 1}&seat={to.seat}"
    seat = SPECTATING if view.match.you is None else view.match.you
    return f"{replay_of(view)}?move={step}&seat={seat}"


def replay_of(view: ReviewView) -> str:
    """Where the replay of the match is."""
    return f"{view.source.base}/replay" if view.source.at_table else view.source.base


class Progress(Protocol):
    """How far a review is."""

    @property
    def done(self) -> float: ...
    @property
    def before(self) -> int: ...
    @property
    def preparing(self) -> bool: ...
    @property
    def failed(self) -> bool: ...
    @property
    def curve(self) -> Numbers | None: ...


def progress(view: Progress, say: Speaker) -> str:
    """How far a review is, in a sentence."""
    if view.failed:
        return say("This review could not be worked out. Load the page again to try once more.")
    if view.preparing:
        return say("This game's rules are being prepared for reviews; that happens only once.")
    if view.before:
        return say.plural(
            "{n} review comes first; this one is refined after it.",
            "{n} reviews come first; this one is refined after them.",
            view.before,
        )
    if view.curve is None:
        return say("The first curve is on its way …")
    return say(
        "{percent} worked out: everything becomes finer while you watch.", percent=say.percent(view.done)
    )


def values(view: ReviewView, lang: str) -> dict[str, Any]:
    """What the templates of a review are made of."""
    page = page_of(view.match, lang)
    say, names = page.say, page.labels
    telling = Telling(
        say, names, partial(numbered, view.stops), view.match.you,
        lambda place: [text for text, _ in page.retold(view.match.steps[place]).lines],
    )  # fmt: skip
    told, scenes = view.told, [glance(match) for match in view.before_told]
    drawn = Markup("")
    if view.curve is not None:
        course = Course(view.curve, view.strokes, view.mistakes, list(told), view.bands, view.match.you)
        drawn = Markup(legend(telling) + curves(course, telling, partial(address, view)))
    return {
        "t": page,
        "say": say,
        "game": page.game,
        "source": view.source,
        "replay": replay_of(view),
        "review": view,
        "progress": "" if view.complete else progress(view, say),
        "percent": round(100 * view.done),
        "curves": drawn,
        "cards": tuple(card_of(view, *each, telling) for each in zip(told, scenes, strict=True)),
        "props": props("".join(scenes), page.game.id),
        "strokes": tuple((telling.stroke(each), address(view, each)) for each in view.strokes),
        "finding": finding(view, page),
        "costliest": tuple((telling.mistake(each), address(view, each)) for each in told[:1]),
        "equation": equation(view, say),
        "bars": Markup(bars(view.seats, telling)) if view.seats else Markup(""),
        "headings": account_headings(say),
        "accounts": tuple(
            (name, account_row(seat, say)) for name, seat in zip(names, view.seats, strict=False)
        ),
        "meaning": meaning(view.playouts, say),
        "figures": tuple(figures_of(view, telling)),
    }


def card_of(view: ReviewView, each: Judgement, scene: Markup, telling: Telling) -> MistakeCard:
    say = telling.say
    parts = [name for place, name in view.bands if place <= each.place]
    return MistakeCard(
        scene=scene,
        number=telling.number(each.place),
        part=say(parts[-1]) if parts else "",
        who="" if each.seat == view.match.you else telling.names[each.seat],
        seat=each.seat,
        grade=telling.grade(each),
        loss=signed(-each.loss, say),
        between=telling.between(each),
        played=say.move(each.played),
        better=say.move(each.best),
        reason="" if each.reason is None else each.reason.said(say),
        link=address(view, each),
    )


def finding(view: ReviewView, page: Page) -> str:
    """What decided most: of the reader's result or, for somebody who did not play, of the winner's."""
    winners = [seat for rank, seat, _ in page.ranking if rank == 1]
    own = view.match.you
    if not view.seats or (own is None and len(winners) > 1):
        return ""
    who = winners[0] if own is None else own
    parts = percents(view.seats[who])
    better = round(100 * view.seats[who].result) >= parts["start"]
    part = (max if better else min)(PARTS[1:], key=parts.__getitem__)
    say, seat, change = page.say, page.plain_name(who), signed_percent(parts[part], page.say)
    if own is None:
        return {
            "luck": say("Luck brought {seat} most: {change}.", seat=seat, change=change),
            "own": say("{seat}'s own moves brought most: {change}.", seat=seat, change=change),
            "others": say("The moves of the others brought {seat} most: {change}.", seat=seat, change=change),
        }[part]
    if better:
        return {
            "luck": say("Luck brought you most: {change}.", change=change),
            "own": say("Your own moves brought you most: {change}.", change=change),
            "others": say("The moves of the others brought you most: {change}.", change=change),
        }[part]
    return {
        "luck": say("Bad luck cost you most: {change}.", change=change),
        "own": say("Your own moves cost you most: {change}.", change=change),
        "others": say("The moves of the others cost you most: {change}.", change=change),
    }[part]


def equation(view: ReviewView, say: Speaker) -> str:
    """Where the reader's result came from, as a sum."""
    own = view.match.you
    if own is None or not view.seats:
        return ""
    seat = view.seats[own]
    parts = percents(seat)
    changes = [f"{part_name(part, say)} {signed_percent(parts[part], say)}" for part in PARTS[1:]]
    start = f"{part_name('start', say)} {signed_result(parts['start'] / 100, say)}"
    return f"{', '.join([start, *changes])} = {say.percent(seat.result)}"


def figures_of(view: ReviewView, telling: Telling) -> list[FigureRow]:
    """Every move with everybody's chances after it."""
    say, seat = telling.say, SPECTATING if view.match.you is None else view.match.you
    return [
        FigureRow(
            number=(number := telling.number(step.place)),
            who=say("chance") if step.seat is None else telling.names[step.seat],
            move=say.move(step.move),
            chances=tuple(say.percent(min(1.0, max(0.0, share)), 1) for share in step.values),
            link=f"{replay_of(view)}?move={number}&seat={seat}",
        )
        for step in view.steps
    ]
