"""The glossary holds: every Dutch text uses the agreed words, and none of those that were given up."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

import teerling

PACKAGE = Path(teerling.__file__).parent
CATALOGUES = sorted(PACKAGE.rglob("nl.po"))
RULES = sorted(PACKAGE.rglob("rules.nl.md"))
SOFT_HYPHEN = "\N{SOFT HYPHEN}"


@dataclass(frozen=True, kw_only=True)
class Term:
    """A word of the games or of the table."""

    en: tuple[str, ...]
    nl: tuple[str, ...]
    rulebook: str = ""
    games: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    never_for: tuple[str, ...] = ()
    named_once: tuple[str, ...] = ()

    def holds_for(self, place: str) -> bool:
        return not self.games or place in self.games


def glossary() -> list[Term]:
    with (PACKAGE / "words" / "glossary.toml").open("rb") as file:
        terms: list[dict[str, Any]] = tomllib.load(file)["term"]
    return [Term(**{key: _frozen(value) for key, value in term.items()}) for term in terms]


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


TERMS = glossary()


def place_of(path: Path) -> str:
    return path.parent.name


def texts_of(catalogue: Path) -> Iterator[tuple[str, str]]:
    """Every English text of a catalogue with its Dutch, all forms."""
    with catalogue.open("rb") as file:
        for message in read_po(file, locale="nl"):
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            strings = message.string if isinstance(message.string, tuple) else (message.string,)
            if all(ids):
                yield from zip(ids, strings, strict=True)


def has(text: str, word: str) -> bool:
    """Whether a text has a word; … stands for the rest of a compound."""
    before, after = "" if word.startswith("…") else r"(?<!\w)", "" if word.endswith("…") else r"(?!\w)"
    return re.search(before + re.escape(word.strip("…")) + after, text, re.I) is not None


def named_in(english: str, place: str) -> Iterator[Term]:
    """The terms that an English text names; the longest first, so that a match file is not a match."""
    rest = re.sub(r"\{[^}]*\}", " ", english)
    forms = [(form, term) for term in TERMS if term.holds_for(place) for form in term.en]
    for form, term in sorted(forms, key=lambda entry: -len(entry[0])):
        if has(rest, form):
            rest = re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", " ", rest, flags=re.I)
            yield term


def wrong_in(english: str, dutch: str, place: str) -> Iterator[str]:
    """What the glossary has against a translation."""
    said = dutch.replace(SOFT_HYPHEN, "")
    for term in named_in(english, place):
        if not any(word.lower() in said.lower() for word in term.nl):
            yield f"{term.en[0]} is {' or '.join(term.nl)}: {english!r} → {said!r}"
        for word in term.never_for:
            if has(said, word):
                yield f"{term.en[0]} is not {word}: {english!r} → {said!r}"
    yield from given_up_in(said, place)


def given_up_in(said: str, place: str) -> Iterator[str]:
    """Words that the glossary gave up for this place."""
    for term in TERMS:
        if term.holds_for(place):
            yield from (f"{word} is {term.nl[0]}: {said!r}" for word in term.never if has(said, word))


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=place_of)
def test_a_catalogue_uses_the_words_of_the_glossary(catalogue: Path) -> None:
    wrong = [
        complaint
        for english, dutch in texts_of(catalogue)
        for complaint in wrong_in(english, dutch, place_of(catalogue))
    ]
    assert wrong == []


@pytest.mark.parametrize("page", RULES, ids=place_of)
def test_a_rules_page_uses_no_word_that_was_given_up(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [complaint for line in lines for complaint in given_up_in(line, place_of(page))] == []


def test_a_rules_page_names_the_rulebooks_own_word_once() -> None:
    for term in TERMS:
        for game in term.named_once:
            page = (PACKAGE / "games" / game / "rules.nl.md").read_text(encoding="utf-8")
            assert page.count(term.rulebook) == 1, (term.rulebook, game)


def test_every_place_in_the_glossary_has_a_catalogue() -> None:
    places = {place_of(catalogue) for catalogue in CATALOGUES}
    assert {place for term in TERMS for place in (*term.games, *term.named_once)} <= places


@pytest.mark.parametrize(
    ("place", "english", "dutch"),
    [
        ("ra", "Draw a tile", "Trek een kaartje"),
        ("ra", "Draw a tile", "Trek een Nijlkaartje, geen tegel"),
        ("ra", "flood", "vloed"),
        ("words", "{seat} is to move", "{seat} is aan zet"),
        ("words", "this seat is taken", "deze plaats is bezet"),
        ("words", "Match file", "Potje"),
        ("priests", "plagues", "pesten"),
        ("auction", "sun {sun} lies face down", "zon {sun} ligt gedekt"),
    ],
)
def test_a_wrong_word_is_found(place: str, english: str, dutch: str) -> None:
    assert list(wrong_in(english, dutch, place))


@pytest.mark.parametrize(
    ("place", "english", "dutch"),
    [
        ("ra", "Draw a tile", "Trek een tegel"),
        ("ra", "Flood", f"Over{SOFT_HYPHEN}stroming"),
        ("ra", "{seat} passes", "{seat} heeft invloed"),
        ("words", "Match file", "Spelbestand"),
        ("dicerun", "Lay a card face down", "Leg een kaart gedekt neer"),
    ],
)
def test_a_right_word_is_let_be(place: str, english: str, dutch: str) -> None:
    assert list(wrong_in(english, dutch, place)) == []
