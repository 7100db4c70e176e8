"""The drawings of a review: curves of everybody's chance to win, and bars of luck and skill, as SVG.

Whoever shows them has styles for their classes. Each drawing comes in two sizes, for wide and narrow screens.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from ..match import Match
from .luck import Numbers
from .mistakes import Judgement
from .review import SeatReview, Stroke
from .review_words import PARTS, Telling, part_name, percents, signed, signed_percent

DASHES = ("", "9 4", "2 4", "12 4 2 4", "5 3", "16 5")
"""How the line of each seat is drawn, so that nobody needs colours to tell them apart."""
BAR = 26
"""How high a bar is."""
LEAST_LABELLED = 34
"""A part of a bar as wide as this has room for its figure."""
APART = 44
"""Figures that are nearer to each other than this would overlap."""
REACH = 22
"""Within so much of a mark a finger finds it."""


@dataclass(frozen=True)
class Size:
    """How large the drawings are: their width, the height of the curves and the margins."""

    name: str
    width: int
    height: int
    left: int = 52
    right: int = 24
    top: int = 46
    bottom: int = 36

    @property
    def names(self) -> int:
        """How wide the names beside bars are; 0 if they stand above."""
        return 160 if self.width > 600 else 0

    @property
    def row(self) -> int:
        """How high the row of a bar is."""
        return 44 if self.names else 66


SIZES = (Size("wide", 960, 380), Size("narrow", 400, 300, left=44, right=14))
Link = Callable[[Stroke | Judgement], str]
"""Where a mark leads."""


@dataclass(frozen=True)
class Course:
    """How a match went, to be drawn: the chances before every move and at the end, and what stands out."""

    curve: Numbers
    strokes: Sequence[Stroke] = ()
    mistakes: Sequence[Judgement] = ()
    told: Sequence[Judgement] = ()
    """Those mistakes whose loss is written above."""
    bands: Sequence[tuple[int, str]] = ()
    """Where the parts of the match begin, and their names."""
    own: int | None = None
    """The reader's seat."""


def bands_of(match: Match) -> list[tuple[int, str]]:
    """Where the parts of a match begin, with their names in English."""
    sorts, states = match.game.tendencies, match.states
    places = range(len(states))

    def part_at(place: int) -> int:
        return sorts.part(states[place])

    begins = [bisect_left(places, part, key=part_at) for part in range(len(sorts.parts))]
    return [
        (place, name)
        for part, (place, (name, _)) in enumerate(zip(begins, sorts.parts, strict=True))
        if place in places and part_at(place) == part
    ]


def curves(course: Course, telling: Telling, link: Link | None = None) -> str:
    """The chances of all seats as lines, with marks for luck and mistakes; marks lead somewhere if told."""
    return "".join(Chart(course, telling, size, link).drawn() for size in SIZES)


@dataclass(frozen=True)
class Chart:
    """The drawing of a course in one size."""

    course: Course
    telling: Telling
    size: Size
    link: Link | None

    @property
    def last(self) -> int:
        return len(self.course.curve) - 1

    def x(self, place: float) -> float:
        size = self.size
        return size.left + (size.width - size.left - size.right) * place / max(1, self.last)

    def y(self, share: float) -> float:
        size = self.size
        return size.top + (size.height - size.top - size.bottom) * (1 - min(1.0, max(0.0, share)))

    def point(self, place: int, seat: int) -> tuple[float, float]:
        """Where a seat's chance stands at a place."""
        return self.x(place), self.y(self.course.curve[place, seat])

    def drawn(self) -> str:
        size = self.size
        label = escape(self.telling.say("Chance to win after every move; the table below has the figures"))
        role = "img" if self.link is None else "group"
        parts = [*self.bands(), *self.grid(), *self.area(), *self.losses(), *self.lines(), *self.ends()]
        parts += self.marks()
        return (
            f'<svg class="course {size.name}" viewBox="0 0 {size.width} {size.height}" role="{role}" '
            f'aria-label="{label}">{"".join(parts)}</svg>'
        )

    def bands(self) -> Iterator[str]:
        """The parts of the match, every other one shaded, with their names below."""
        bands = self.course.bands
        ends = [*(place for place, _ in bands), self.last]
        for number, ((_, name), (start, end)) in enumerate(zip(bands, pairwise(ends), strict=True)):
            left, width = self.x(start), self.x(end) - self.x(start)
            at = (
                f'x="{left:.1f}" y="{self.y(1):.1f}" width="{width:.1f}" height="{self.y(0) - self.y(1):.1f}"'
            )
            yield f'<rect class="band{number % 2}" {at}/>'
            middle = f'x="{left + width / 2:.1f}" y="{self.size.height - 12}" text-anchor="middle"'
            yield f'<text class="faint" {middle}>{escape(self.telling.say(name))}</text>'

    def grid(self) -> Iterator[str]:
        """A line for every quarter."""
        left, right = self.size.left, self.size.width - self.size.right
        for quarter in range(5):
            at, told = self.y(quarter / 4), self.telling.say.percent(quarter / 4)
            yield f'<line class="grid" x1="{left}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>'
            yield f'<text class="faint" x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{told}</text>'

    def area(self) -> Iterator[str]:
        """What lies below the reader's own line."""
        own = self.course.own
        if own is not None:
            line = "L".join("{:.1f} {:.1f}".format(*self.point(place, own)) for place in range(self.last + 1))
            bottom = f"L{self.x(self.last):.1f} {self.y(0):.1f}L{self.x(0):.1f} {self.y(0):.1f}Z"
            yield f'<path class="area area{own % len(DASHES)}" d="M{line}{bottom}"/>'

    def losses(self) -> Iterator[str]:
        """A line and a figure where the costliest moves were made; one that is near another is higher."""
        last, level = -2.0 * APART, 0
        for each in sorted(self.course.told, key=lambda each: each.place):
            at, loss = self.x(each.place + 1), signed(-each.loss, self.telling.say)
            level = level + 1 if at - last < APART else 0
            last = at
            yield f'<path class="loss-line" d="M{at:.1f} {self.y(1):.1f}V{self.y(0):.1f}"/>'
            where = f'x="{at:.1f}" y="{self.size.top - 8 - 13 * level}" text-anchor="middle"'
            yield f'<text class="loss-text" {where}>{loss}</text>'

    def lines(self) -> Iterator[str]:
        """Everybody's chance."""
        for seat, name in enumerate(self.telling.names):
            points = " ".join(
                "{:.1f},{:.1f}".format(*self.point(place, seat)) for place in range(self.last + 1)
            )
            pen = _pen(seat, " own-line" if seat == self.course.own else "")
            yield f'<polyline points="{points}" {pen}><title>{escape(name)}</title></polyline>'

    def ends(self) -> Iterator[str]:
        """A ring where the line of everybody who has won ends."""
        for seat, share in enumerate(self.course.curve[self.last]):
            if share > 0:
                x, y = self.point(self.last, seat)
                yield f'<circle class="end seat{seat}" cx="{x:.1f}" cy="{y:.1f}" r="7"/>'

    def marks(self) -> list[str]:
        """Luck and mistakes, in the order of the match."""
        found = []
        for stroke in self.course.strokes:
            place = stroke.place + len(stroke.moves)
            at = self.point(place, stroke.seat)
            shape = triangle(*at, up=stroke.size > 0)
            found.append((place, _mark(shape, at, self.telling.stroke(stroke), self._leads(stroke))))
        for each in self.course.mistakes:
            at = self.point(each.place + 1, each.seat)
            found.append(
                (each.place + 1, _mark(diamond(*at), at, self.telling.mistake(each), self._leads(each)))
            )
        return [mark for _, mark in sorted(found)]

    def _leads(self, to: Stroke | Judgement) -> str | None:
        return None if self.link is None else self.link(to)


def _mark(shape: str, at: tuple[float, float], text: str, link: str | None) -> str:
    """A mark that says what it is; it is a link if it leads somewhere."""
    if link is None:
        return f"<g>{shape}<title>{escape(text)}</title></g>"
    reach = f'<circle class="reach" cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{REACH}"/>'
    named = f'href="{escape(link)}" aria-label="{escape(text)}"'
    return f"<a {named}>{reach}{shape}<title>{escape(text)}</title></a>"


def _pen(seat: int, own: str = "") -> str:
    """How the line of a seat is drawn."""
    dash = DASHES[seat % len(DASHES)]
    return f'class="curve seat{seat % len(DASHES)}{own}" stroke-dasharray="{dash or "none"}"'


def triangle(x: float, y: float, up: bool) -> str:
    """The mark of luck: its tip says whether it was good."""
    tip, base = (y - 9, y + 6) if up else (y + 9, y - 6)
    return f'<path class="luck" d="M{x:.1f} {tip:.1f}L{x + 8:.1f} {base:.1f}H{x - 8:.1f}Z"/>'


def diamond(x: float, y: float) -> str:
    """The mark of a mistake."""
    return f'<path class="mistake" d="M{x:.1f} {y - 8:.1f}l8 8l-8 8l-8 -8Z"/>'


def legend(telling: Telling) -> str:
    """Which line is whose, and what the marks mean."""
    say = telling.say
    lines = [(f'<path d="M0 8H36" {_pen(seat)}/>', name) for seat, name in enumerate(telling.names)]
    marks = [
        (triangle(18, 8, up=True), say("good luck")),
        (triangle(18, 8, up=False), say("bad luck")),
        (diamond(18, 8), say("mistake")),
    ]
    return keys([*lines, *marks])


def keys(entries: Sequence[tuple[str, str]]) -> str:
    """What the signs of a drawing mean."""
    listed = "".join(
        f'<li><svg viewBox="0 0 36 16" aria-hidden="true">{mark}</svg>{escape(text)}</li>'
        for mark, text in entries
    )
    return f'<ul class="legend">{listed}</ul>'


def bars(seats: Sequence[SeatReview], telling: Telling) -> str:
    """A bar for every seat: what was lost to the left of the line, what was won to the right."""
    named = [
        (
            f"{_hatching('key') if part == 'others' else ''}"
            f'<rect class="{part}" x="4" y="1" width="28" height="14"{_hatched(part, "key")}/>',
            part_name(part, telling.say),
        )
        for part in PARTS
    ]
    return keys(named) + "".join(_bars(seats, telling, size) for size in SIZES)


def _hatching(name: str) -> str:
    """The pattern of what the others did: luck has nearly the same brightness."""
    lines = '<path class="hatch" d="M-2 2l4 -4M0 8l8 -8M6 10l4 -4"/>'
    box = 'width="8" height="8" patternUnits="userSpaceOnUse"'
    return f'<pattern id="others-{name}" {box}><rect class="others" width="8" height="8"/>{lines}</pattern>'


def _hatched(part: str, name: str) -> str:
    return f' style="fill:url(#others-{name})"' if part == "others" else ""


def _bars(seats: Sequence[SeatReview], telling: Telling, size: Size) -> str:
    say, results = telling.say, 90 if size.names else 62
    shown = [percents(seat) for seat in seats]
    left = max(sum(-part for part in each.values() if part < 0) for each in shown)
    right = max(sum(part for part in each.values() if part > 0) for each in shown)
    scale = (size.width - size.names - results) / max(left + right, 1)
    zero = size.names + left * scale
    drawn = [_hatching(size.name)]
    for row, (name, seat, parts) in enumerate(zip(telling.names, seats, shown, strict=True)):
        top = row * size.row + (8 if size.names else 30)
        line = top + 18 if size.names else top - 8
        drawn.append(f'<text class="name" x="0" y="{line}">{escape(name)}</text>')
        ends = {True: zero, False: zero}
        for part, percent in parts.items():
            width = abs(percent) * scale
            at = ends[True] if percent > 0 else ends[False] - width
            ends[percent > 0] += width if percent > 0 else -width
            told = say.percent(percent / 100) if part == "start" else signed_percent(percent, say)
            drawn.append(
                f'<rect class="{part}" x="{at:.1f}" y="{top}" width="{width:.1f}" height="{BAR}"'
                f"{_hatched(part, size.name)}><title>{escape(part_name(part, say))} {told}</title></rect>"
            )
            if width >= LEAST_LABELLED:
                where = f'x="{at + width / 2:.1f}" y="{top + 18}" text-anchor="middle"'
                drawn.append(f'<text class="on-{part}" {where}>{told}</text>')
        result = f'<text class="name" x="{size.width}" y="{top + 18}" text-anchor="end">'
        drawn.append(f"{result}= {say.percent(seat.result)}</text>")
        drawn.append(f'<path class="zero" d="M{zero:.1f} {top - 6}v{BAR + 12}"/>')
    label = escape(say("Luck and skill; the table below has the figures"))
    return (
        f'<svg class="bars {size.name}" viewBox="0 0 {size.width} {len(seats) * size.row}" role="img" '
        f'aria-label="{label}">{"".join(drawn)}</svg>'
    )
