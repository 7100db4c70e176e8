"""Words in the reader's language. English stands in the code; the rest in gettext catalogues.

The project's own catalogue is in this folder, every game's in the folder of the game.
"""

import gettext
import io
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Phrase, Sentence, TeerlingError

if TYPE_CHECKING:
    from ..game import Event, Game, Move, Plural

LANGUAGES = {"nl": "Nederlands", "en": "English"}

EVERYWHERE = {
    "match_over": "the match is over",
    "nature_decides": "nature is to answer first",
    "impossible_outcome": "this outcome is not possible here",
    "not_natures_turn": "nothing is left to chance here; it is {seat}'s turn",
}
"""Reasons that belong to no game."""
MOST_KNOWN = 10_000


@cache
def catalogue(lang: str, folder: Path) -> gettext.NullTranslations:
    """The catalogue of a language in a folder; an empty one for English."""
    if lang not in LANGUAGES:
        raise TeerlingError(
            Phrase("there is no language {lang!r}; there are {known}", lang=lang, known=", ".join(LANGUAGES))
        )
    path = folder / f"{lang}.po"
    if lang == "en" or not path.exists():
        return gettext.NullTranslations()
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled = io.BytesIO()
    with path.open("rb") as file:
        write_mo(compiled, read_po(file, locale=lang))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


@cache
def _translations(lang: str, folders: tuple[Path, ...]) -> dict[str, str]:
    """The texts that have been looked up in these catalogues already."""
    return {}


@cache
def _forms(lang: str, folders: tuple[Path, ...]) -> dict[tuple[str, str, int], str]:
    """The same of texts that have a form for one and a form for many."""
    return {}


class Figure(int):
    """A number in a sentence: below zero it has a real minus.

    >>> f"{Figure(-2):+d}"
    '−2'
    """

    def __format__(self, how: str) -> str:
        return super().__format__(how).replace("-", "−")


class You(str):
    """The name of the reader among those at a table; sentences about the reader are said to the reader."""

    called: str
    """The name, and that it is the reader's: for sentences that nobody has put in the second person."""

    def __new__(cls, word: str, called: str) -> "You":
        you = super().__new__(cls, word)
        you.called = called
        return you

    def __eq__(self, other: object) -> bool:
        # Somebody whose name is a pronoun is not the reader.
        return isinstance(other, You) and (str(self), self.called) == (str(other), other.called)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((str(self), self.called))


def capital(text: str) -> str:
    """A text that stands alone as a sentence, so with a capital.

    >>> capital("this seat is taken")
    'This seat is taken'
    """
    return text[:1].upper() + text[1:]


@lru_cache(MOST_KNOWN)
def _number(value: float, digits: int, lang: str) -> str:
    from babel.numbers import format_decimal

    places = "." + "0" * digits if digits else ""
    return str(format_decimal(value, f"#,##0{places}", locale=lang))


class Speaker:
    """Says things in a language: the project's own words, and those of a game."""

    def __init__(self, lang: str, game: "Game | None" = None) -> None:
        self.lang = lang
        self._events: Mapping[str, str | Plural] = {} if game is None else game.words
        self._to_you: Mapping[str, str | Plural] = {} if game is None else game.to_you
        self._nouns: Mapping[str, str | Plural] = {} if game is None else game.nouns
        folders = [Path(__file__).parent] if game is None else [*game.catalogues, Path(__file__).parent]
        self._catalogues = [catalogue(lang, folder) for folder in folders]
        self._known = _translations(lang, tuple(folders))
        self._forms = _forms(lang, tuple(folders))

    def __call__(self, text: str, /, **details: Any) -> str:
        """A text of the game or of the project, its details filled in."""
        known = self._known.get(text)
        if known is None:
            noun = self._nouns.get(text, text)
            name = noun if isinstance(noun, str) else noun.one
            texts = (found.gettext(name) for found in self._catalogues)
            known = next((found for found in texts if found != name), name)
            if len(self._known) < MOST_KNOWN:
                self._known[text] = known
        return known.format(**details) if details or "{" in known else known

    def phrase(self, text: object) -> str:
        """A phrase, or an event in words, in this language; what is neither stays as it is."""
        if isinstance(text, Sentence):
            return Speaker(self.lang, text.game).say(text.event, text.names)
        if not isinstance(text, Phrase):
            return str(text)
        details = {
            key: self.phrase(value) if isinstance(value, Phrase | Sentence) else value
            for key, value in text.details.items()
        }
        return self(text.text, **details)

    def plural(self, one: str, many: str, n: int, /, **details: Any) -> str:
        """One of two forms of a text, by a number."""
        known = self._forms.get((one, many, n))
        if known is None:
            form = one if n == 1 else many
            texts = (found.ngettext(one, many, n) for found in self._catalogues)
            known = next((found for found in texts if found != form), form)
            if len(self._forms) < MOST_KNOWN:
                self._forms[one, many, n] = known
        return known.format(n=n, **details)

    def move(self, move: "Move") -> str:
        """A move in this language, term by term, the longest terms first."""
        words, found = list(move.parts), []
        while words:
            terms = ((length, " ".join(words[:length])) for length in range(len(words), 0, -1))
            length, term = next((n, term) for n, term in terms if n == 1 or self(term) != term)
            found.append(self(term))
            del words[:length]
        return " ".join(found)

    def number(self, value: float, digits: int = 0) -> str:
        """A number as the language writes it."""
        # Zero has a sign in Python, and both are equal; only one is said.
        return _number(value + 0, digits, self.lang)

    def percent(self, part: float, digits: int = 0) -> str:
        """A part of a whole as a percentage."""
        return self("{number}%", number=self.number(100 * part, digits))

    def lasting(self, seconds: float) -> str:
        """A length of time, in its largest unit.

        >>> Speaker("nl").lasting(3 * 3600 + 5)
        '3 uur'
        """
        from babel.dates import format_timedelta

        return str(format_timedelta(max(60, round(seconds)), threshold=1.0, locale=self.lang))

    def ago(self, seconds: float) -> str:
        """How long ago something was.

        >>> Speaker("nl").ago(130), Speaker("en").ago(3)
        ('2 minuten geleden', 'just now')
        """
        return self("just now") if seconds < 60 else self("{time} ago", time=self.lasting(seconds))

    def day(self, day: date, pattern: str = "d MMM") -> str:
        """A day as the language writes it.

        >>> Speaker("nl").day(date(2026, 11, 16), "EEEE d MMMM")
        'maandag 16 november'
        """
        from babel.dates import format_date

        return str(format_date(day, pattern, locale=self.lang))

    def say(self, event: "Event", names: Sequence[str]) -> str:
        """An event as a sentence."""
        details = {key: self._detail(key, value, names) for key, value in event.data.items()}
        words = self._words_to_you(event) if _is_about_reader(event, names) else None
        if event.seat is not None:
            name = names[event.seat]
            details["seat"] = name.called if isinstance(name, You) else self.name(event.seat, names)
        words = words or self._words(event)
        if isinstance(words, str):
            said = self(words, **details)
        else:
            said = self.plural(words.one, words.many, abs(event.data[words.by]), **details)
        begins = any(isinstance(name, You) and said.startswith(f"{name} ") for name in names)
        return capital(said) if begins else said

    def sentence(self, event: "Event", names: Sequence[str]) -> str:
        """An event as a sentence that stands alone: it begins with a capital, or with somebody's own name."""
        said = self.say(event, names)
        own = (name for seat, name in enumerate(names) if name != f"seat {seat}")
        return said if any(map(said.startswith, own)) else capital(said)

    def _words(self, event: "Event") -> "str | Plural":
        """The sentence of an event; a line of a scoring may have one of its own."""
        if event.kind in EVERYWHERE:
            return EVERYWHERE[event.kind]
        own = f"{event.kind} {event.data.get('line')}"
        return self._events[own if own in self._events else event.kind]

    def _words_to_you(self, event: "Event") -> "str | Plural | None":
        """The sentence of an event for whom it tells about, if there is one."""
        own = f"{event.kind} {event.data.get('line')}"
        return self._to_you.get(own, self._to_you.get(event.kind))

    def _detail(self, key: str, value: Any, names: Sequence[str]) -> Any:
        if key == "seats":
            return self.listed([self.name(seat, names) for seat in value])
        if isinstance(value, str):
            return self(value) if value else value
        if isinstance(value, list | tuple):
            return self.listed(self._counted(value, names))
        return Figure(value) if type(value) is int else value

    def _counted(self, parts: Sequence[Any], names: Sequence[str]) -> list[Any]:
        """The parts of a list; of things that have a plural, equal ones together: `2 pharaohs`.

        A list within the list is one part: `red 1 1 4`.
        """
        found: list[Any] = []
        for place, part in enumerate(parts):
            noun = self._nouns.get(part) if isinstance(part, str) else None
            if isinstance(part, list | tuple):
                found.append(" ".join(str(self._detail("", each, names)) for each in part))
            elif noun is None or isinstance(noun, str):
                found.append(self._detail("", part, names))
            elif part not in parts[:place]:
                count = parts.count(part)
                found.append(self.plural(noun.one, noun.many, count, count=count))
        return found

    def name(self, seat: int, names: Sequence[str]) -> str:
        """The name at a seat; that of a seat without one, `seat 2`, in this language."""
        name = names[seat]
        return self("seat {number}", number=seat) if name == f"seat {seat}" else name

    def label(self, seat: int, names: Sequence[str]) -> str:
        """The same where it stands alone or in front: `Seat 2`; a name of one's own stays as it is."""
        name = self.name(seat, names)
        return name if name == names[seat] and name != f"seat {seat}" else capital(name)

    def listed(self, parts: Sequence[Any]) -> str:
        """a, b and c

        >>> Speaker("en").listed([2, 6, 9]), Speaker("nl").listed([])
        ('2, 6 and 9', 'geen')
        """
        texts = [str(part) for part in parts]
        if len(texts) < 2:
            return "".join(texts) or self("none")
        return self("{first} and {last}", first=", ".join(texts[:-1]), last=texts[-1])


def _is_about_reader(event: "Event", names: Sequence[str]) -> bool:
    """Whether an event tells of the reader, and of nobody else."""
    told = [event.seat] if event.seat is not None else event.data.get("seats", ())
    return len(told) == 1 and isinstance(names[told[0]], You)
