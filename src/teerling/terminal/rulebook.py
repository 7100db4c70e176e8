"""The rules pages of a game, for a terminal."""

import re
from collections.abc import Iterable

from ..errors import TeerlingError
from ..game import Game
from ..words import Speaker
from ..words.marks import MARKS, with_marks

ICON = re.compile(r"!\[(.*?)\]\(.*?\)[ \t]*")


def pages_of(of: Game, say: Speaker) -> list[str]:
    """The rules page of a game, in English if there is no other, and the page for all games.

    Marks become signs, which are explained at the end; what a page draws is named, once.
    """
    pages = of.rules_pages(say.lang)
    if not pages:
        raise TeerlingError(say("{game} has no rules page in {folder}", game=of.name, folder=of.folder))
    texts = ["\n".join(map(_in_words, path.read_text(encoding="utf-8").split("\n"))) for path in pages]
    return [*texts, *legend(texts, say)]


def _in_words(line: str) -> str:
    rest = ICON.sub("", line).lower()
    named = ICON.sub(lambda icon: "" if icon[1].lower() in rest else f"{icon[1]} ", line)
    return with_marks(named, lambda mark: mark.sign)


def legend(texts: Iterable[str], say: Speaker) -> list[str]:
    """What the signs in these texts mean."""
    return [f"{mark.sign} {say(mark.meaning)}" for mark in MARKS if any(mark.sign in text for text in texts)]


def rule_in(pages: Iterable[str], rule: str, say: Speaker) -> str:
    """The text of one rule, with the table that follows it."""
    lines = [line for page in pages for line in page.splitlines()]
    first = next((i for i, line in enumerate(lines) if line.startswith(f"- **{rule.upper()}**")), None)
    if first is None:
        raise TeerlingError(say("there is no rule {rule!r} here; a rule looks like RA-12", rule=rule))
    after = range(first + 1, len(lines))
    last = next((i for i in after if lines[i].startswith(("- **", "#"))), len(lines))
    text = "\n".join(lines[first:last])
    return "\n\n".join([text, *legend([text], say)])


def introduction(page: str) -> str:
    """What a page says before its first rule: below its title, and in its first chapter, the goal."""
    title, *chapters = page.split("\n## ")
    about = title.partition("\n")[2]
    return about + (chapters[0].partition("\n")[2] if chapters else "")
