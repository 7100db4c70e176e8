"""The rules pages of a game, for a terminal."""

import re
from collections.abc import Iterable

from ..errors import TeerlingError
from ..game import Game
from ..words import Speaker

PICTURE = re.compile(r"!\[[^]]*\]\([^)]*\) ?")
"""A drawing on a rules page: a terminal shows the words alone."""


def pages_of(of: Game, say: Speaker) -> list[str]:
    """The rules page of a game, in English if there is no other, and the page for all games."""
    pages = of.rules_pages(say.lang)
    if not pages:
        raise TeerlingError(say("{game} has no rules page in {folder}", game=of.name, folder=of.folder))
    return [PICTURE.sub("", path.read_text(encoding="utf-8")) for path in pages]


def rule_in(pages: Iterable[str], rule: str, say: Speaker) -> str:
    """The text of one rule, with the table that follows it."""
    lines = [line for page in pages for line in page.splitlines()]
    first = next((i for i, line in enumerate(lines) if line.startswith(f"- **{rule.upper()}**")), None)
    if first is None:
        raise TeerlingError(say("there is no rule {rule!r} here; a rule looks like RA-12", rule=rule))
    after = range(first + 1, len(lines))
    last = next((i for i in after if lines[i].startswith(("- **", "#"))), len(lines))
    return "\n".join(lines[first:last])


def introduction(page: str) -> str:
    """What stands between the title of a page and the first heading."""
    return page.partition("\n## ")[0].partition("\n")[2]
