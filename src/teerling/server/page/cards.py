"""Cards: a picture of a table for links and for sharing a result. It shows what everybody may see."""

import asyncio
import re
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape
from importlib.resources import as_file, files

from ...game import game
from ...words import Figure
from ..refusals import Refused
from . import environment, match_pages
from .scenery import props, scenery
from .views import TableView

WIDTH, HEIGHT = 1200, 630
MOST_KEPT = 60
MOST_SECONDS = 15.0
MOST_LETTERS = 18
PANEL = 560
"""How wide the paper is on which a card says what it says, beside the painting of its game."""
NAME = 424
"""How many pixels a name has, with what stands beside it."""
PAINT = (
    "import os, sys; getattr(os, 'nice', int)(5); from resvg_py import svg_to_bytes; "
    "drawing = sys.stdin.buffer.read().decode(); "
    "sys.stdout.buffer.write(svg_to_bytes(drawing, skip_system_fonts=True, font_files=sys.argv[1:]))"
)
"""The program that paints, after moves and pages: SVG comes in, PNG goes out, and the fonts are named."""
FONTS = (("font_source_serif_pro", "SourceSerifPro-Bold.ttf"), ("font_manrope", "Manrope-SemiBold.ttf"))
TITLE = 'font-family="Source Serif Pro" font-weight="700" fill="#2a2118"'
TEXT = 'font-family="Manrope" font-size="26"'
EMBLEMS = ("lotus", "scarab", "cat", "ibis", "cobra", "ankh")
VARIABLE = re.compile(r"var\(--([\w-]+)(?:,\s*([^()]*))?\)")
TOKEN = re.compile(r"--([\w-]+):\s*([^;]+);")
BY_DAY = re.compile(r"light-dark\(([^(),]+|[^(),]*\([^)]*\)),[^()]*(?:\([^)]*\))?\)")
OWN = re.compile(r'<g style="(--[^"]+)">')


class NotPainted(Refused):
    """A picture that took too long."""

    status = 503


@dataclass(frozen=True, slots=True)
class Card:
    """What a card says: all of it may be known by everybody."""

    game: str
    title: str
    text: str
    people: tuple[tuple[int, str, str], ...]
    """Seat, name and what stands beside it: points, or nothing. A free chair has no name."""
    places: tuple[int, ...] = ()
    """In which place each of them came, once the match is over; best first."""
    drawing: str = ""
    """How the match stands, while it is played and if its game draws that."""


def card_of(view: TableView, lang: str) -> Card:
    """What the card of a table says; the view is a spectator's."""
    say, of = environment.speaker(lang, view.match.game), game(view.match.game)
    names = [match_pages.page_of(view.match, lang).plain_name(seat.number) for seat in view.seats]
    taken = [(seat.number, names[seat.number]) for seat in view.seats if seat.kind != "open"]
    hosts = [seat.name for seat in view.seats if seat.kind == "person"]
    title, text = say(of.name), say(of.summary)
    people = tuple((seat, name, "") for seat, name in taken)
    places: tuple[int, ...] = ()
    drawing = match_pages.glance(view.match) if view.playing else ""
    if view.status == "open":
        people = tuple(
            (seat.number, "" if seat.kind == "open" else names[seat.number], "") for seat in view.seats
        )
        free = len(view.seats) - len(taken)
        text = say.plural("One chair is still free", "{n} chairs are still free", free)
        if hosts:
            title = say("{name} invites you to play {game}", name=short(hosts[0]), game=title)
    elif view.over and view.match.ranking:
        winners = [names[seat] for rank, seat, _ in view.match.ranking if rank == 1]
        text = title
        title = say.plural(
            "{seats} wins", "{seats} share the win", len(winners), seats=say.listed([*map(short, winners)])
        )
        people = tuple((seat, names[seat], f"{Figure(points)}") for _, seat, points in view.match.ranking)
        places = tuple(rank for rank, _, _ in view.match.ranking)
    return Card(of.id, title, text, people, places, drawing)


def short(name: str, most: int = MOST_LETTERS) -> str:
    """A name that fits.

    >>> short("Willemijn van der Meer", 10)
    'Willemijn…'
    """
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


def fitted(name: str, width: float) -> str:
    """A name that fits into so many pixels of a card's text, whatever letters it has.

    >>> fitted("Anne", 200), fitted("M" * 20, 200)
    ('Anne', 'MMMMMMM…')
    """
    name = short(name)
    while len(name) > 1 and _width(name) > width:
        name = short(name, len(name) - 1)
    return name


def _width(text: str) -> float:
    """About how wide a text is in the letters of a card; rather too wide than too narrow."""
    return sum(26.0 if letter in "MWmw@" else 9.0 if letter in "iljtfrI.,:'’ -" else 17.0 for letter in text)


class Painter:
    """Paints cards, one at a time, and keeps the last.

    What paints holds the interpreter for as long as it takes, so it is a process of its own, and ended if
    that is too long.
    """

    def __init__(self) -> None:
        self._painting = asyncio.Lock()
        self._kept: dict[Card, bytes] = {}
        self._icons: dict[str, bytes] = {}

    def has(self, card: Card) -> bool:
        """Whether a card was painted lately."""
        return card in self._kept

    async def paint(self, card: Card, cost: Callable[[float], None] = lambda _: None) -> bytes:
        """A card as PNG; NotPainted if that takes too long. `cost` is told how many seconds it took."""
        async with self._painting:
            if card not in self._kept:
                began = time.monotonic()
                try:
                    painted = await _painted(drawn(card))
                finally:
                    cost(time.monotonic() - began)
                while len(self._kept) >= MOST_KEPT:
                    del self._kept[next(iter(self._kept))]
                self._kept[card] = painted
            return self._kept[card]

    async def icon(self, name: str, size: int) -> bytes:
        """An icon of the app as PNG."""
        drawing = (environment.STATIC / f"{name}.svg").read_text(encoding="utf-8")
        sized = drawing.replace("<svg ", f'<svg width="{size}" height="{size}" ', 1)
        async with self._painting:
            if sized not in self._icons:
                self._icons[sized] = await _painted(sized)
            return self._icons[sized]


async def _painted(drawing: str) -> bytes:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PAINT, *_fonts(), stdin=PIPE, stdout=PIPE, stderr=DEVNULL
    )
    try:
        async with asyncio.timeout(MOST_SECONDS):
            painted, _ = await process.communicate(drawing.encode())
    except TimeoutError:
        painted = b""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if not painted:
        raise NotPainted("the picture could not be painted; please try again later")
    return painted


@cache
def _fonts() -> list[str]:
    found = []
    for package, file in FONTS:
        with as_file(files(package) / "files" / file) as path:
            found.append(str(path))
    return found


@cache
def _tokens() -> dict[str, str]:
    """The colours of the pages, by day."""
    return {name: _by_day(value) for name, value in reversed(TOKEN.findall(environment.styles("tokens")))}


def _by_day(text: str) -> str:
    """A text with the colours of the day.

    >>> _by_day("light-dark(#fff, #000) light-dark(rgb(1 2 3), #000)")
    '#fff rgb(1 2 3)'
    """
    return BY_DAY.sub(lambda found: found[1].strip(), text)


def coloured(drawing: str) -> str:
    """A drawing in which variables are colours, as what paints it knows none; its own come first."""
    own = OWN.search(drawing)
    tokens = _tokens() | ({} if own is None else dict(TOKEN.findall(f"{_by_day(own[1])};")))

    def colour(found: re.Match[str]) -> str:
        return tokens.get(found[1]) or found[2] or "#000"

    return _by_day(VARIABLE.sub(colour, VARIABLE.sub(colour, drawing)))


@lru_cache(MOST_KEPT)
def _background(game_id: str) -> str:
    """The scene of a game with the drawings that it uses."""
    return coloured(str(scenery(game_id)))


def drawn(card: Card) -> str:
    """A card as SVG: of a match that is played its position, of any other the painting of its game."""
    return _of_position(card) if card.drawing else _of_table(card)


def _of_position(card: Card) -> str:
    wide = 1080 // max(len(card.people), 3)
    people = "".join(
        _person(60 + wide * index, 78, seat, short(name, (wide - 66) // 15), beside)
        for index, (seat, name, beside) in enumerate(card.people)
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">
<defs>{_background(card.game)}{coloured(props(card.drawing, card.game))}{_signs()}</defs>
<rect width="{WIDTH}" height="{HEIGHT}" fill="#fffaf0"/>
<text x="60" y="62" {TITLE} font-size="46">{escape(card.title)}</text><g>{people}</g>
<g transform="translate(960 18)"><use href="#logo" width="44" height="44"/>
<text x="56" y="32" {TITLE} font-size="30">Teerling</text></g>
<svg y="130" width="{WIDTH}" height="500" viewBox="0 0 360 150">{coloured(card.drawing)}</svg>
</svg>"""


@cache
def _signs() -> str:
    """What pages of all games are drawn with."""
    return coloured(environment.render("drawings.svg", "en"))


def _of_table(card: Card) -> str:
    step = min(54, 246 // max(len(card.people), 1))
    rows = _ranked(card) or "".join(
        _person(60, 284 + step * index, *person) for index, person in enumerate(card.people)
    )
    size = 56 if len(card.title) < 30 else 42
    title, under = _wrapped(card.title, size), _below(card.title, size)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">
<defs>{_background(card.game)}{_signs()}</defs>
<svg x="134" width="1512" height="{HEIGHT}" viewBox="0 0 360 150">
<use href="#scene-{card.game}" width="360" height="150"/></svg>
<rect x="-40" width="{40 + PANEL}" height="{HEIGHT}" rx="40" fill="#fffaf0"/>
<g {TITLE}>{title}</g>
<text x="60" y="{under}" {TEXT} fill="#665842">{escape(card.text[:60])}</text>
<g>{rows}</g>
<g transform="translate(60 540)"><use href="#logo" width="44" height="44"/>
<text x="56" y="32" {TITLE} font-size="30">Teerling</text></g>
</svg>"""


def _ranked(card: Card) -> str:
    """How a match ended: everybody's place and points, the winner's on gold."""
    step = min(62, 300 // max(len(card.places), 1))
    rows = []
    for index, (place, (seat, name, points)) in enumerate(zip(card.places, card.people, strict=False)):
        size, won = (36, place == 1) if step > 50 else (30, place == 1)
        drawn = f'<rect x="40" y="2" width="484" height="{step - 4}" rx="16" fill="#f7e2ac"/>' if won else ""
        drawn += (
            f'<text x="70" y="{step / 2 + 9}" text-anchor="middle" {TITLE} font-size="26">{place}</text>'
            f'<g transform="translate(100 {(step - size) / 2})">{_emblem(seat, size)}</g>'
            f'<text x="152" y="{step / 2 + 9}" {TEXT} fill="#2a2118">{escape(fitted(name, 290))}</text>'
            f'<text x="504" y="{step / 2 + 12}" text-anchor="end" {TITLE} font-size="36">{points}</text>'
        )
        rows.append(f'<g transform="translate(0 {222 + step * index})">{drawn}</g>')
    return "".join(rows)


def _emblem(seat: int, size: int) -> str:
    """The emblem of a seat on its colour."""
    colour = _tokens()[f"p{seat % 6 + 1}"]
    return (
        f'<circle cx="{size / 2}" cy="{size / 2}" r="{size / 2}" fill="{colour}"/>'
        f'<g color="{colour}"><use href="#em-{EMBLEMS[seat % 6]}" width="{size}" height="{size}"/></g>'
    )


def _lines(text: str, size: int) -> list[str]:
    """A title in lines that fit the panel."""
    most, lines = int(470 / (size * 0.5)), [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines[:3]


def _wrapped(text: str, size: int) -> str:
    return "".join(
        f'<text x="60" y="{64 + size * (1 + 1.12 * index):.0f}" font-size="{size}">{escape(line)}</text>'
        for index, line in enumerate(_lines(text, size))
    )


def _below(text: str, size: int) -> str:
    return f"{64 + size * (1.12 * len(_lines(text, size)) + 0.3) + 22:.0f}"


def _person(x: int, y: int, seat: int, name: str, beside: str) -> str:
    if not name:
        return (
            f'<circle cx="{x + 16}" cy="{y + 16}" r="15" fill="none" stroke="#665842" stroke-width="2.5" '
            'stroke-dasharray="6 5"/>'
        )
    return (
        f'<g transform="translate({x} {y})">{_emblem(seat, 32)}'
        f'<text x="46" y="25" {TEXT} fill="#2a2118">{escape(fitted(name, NAME - _width(beside)))}</text>'
        f'<text x="480" y="25" text-anchor="end" {TITLE} font-size="26">{escape(beside)}</text></g>'
    )
