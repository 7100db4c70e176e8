"""The marks behind rules that do not stand in a rulebook as they are told, and what they mean."""

from collections.abc import Callable
from dataclasses import dataclass
from re import Match, compile

from ..errors import Phrase


@dataclass(frozen=True)
class Mark:
    """A mark: how rules pages write it, in every language, and how it is shown."""

    id: str
    words: tuple[str, ...]
    sign: str
    meaning: str


MARKS = (
    Mark("ruling", ("ruling", "uitleg"), "°", Phrase("Our reading: the rulebook leaves this open.")),
    Mark(
        "found", ("found", "gevonden"), "†",
        Phrase("Not in the rulebook itself, but confirmed by public sources."),
    ),
    Mark(
        "assumption", ("assumption", "assumed", "aanname"), "‡",
        Phrase("Our assumption: the rulebook does not tell, and no source does."),
    ),
)  # fmt: skip
WRITTEN = compile(r"\*\((\w+)\)\*")


def mark_named(word: str) -> Mark | None:
    """The mark that a rules page writes as this word.

    >>> mark_named("uitleg").sign, mark_named("sun")
    ('°', None)
    """
    return next((mark for mark in MARKS if word in mark.words), None)


def with_marks(text: str, shown: Callable[[Mark], str]) -> str:
    """A text of a rules page with every mark shown in some way; other emphasis stays.

    >>> with_marks("Fame is a number. *(ruling)*", lambda mark: mark.sign)
    'Fame is a number. °'
    """

    def put(found: Match[str]) -> str:
        mark = mark_named(found[1])
        return found[0] if mark is None else shown(mark)

    return WRITTEN.sub(put, text)
