"""Pig, a game that is not part of the package: made of the page that tells how to make it."""

import re
from collections.abc import Container
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "a-game-of-your-own.md"
BLOCK = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.DOTALL | re.MULTILINE)


def blocks_of_the_page() -> dict[str, str]:
    """The blocks by their title: files, and what commands print. Parts of a file stand below each other."""
    found: dict[str, str] = {}
    for title, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        between = "\n\n" if title.endswith(".py") else "\n"
        found[title] = f"{found[title]}{between}{text}" if title in found else text
    return found


def follow_the_page(folder: Path, without: Container[str] = ()) -> None:
    """Writes the files of the page into a folder."""
    for title, text in blocks_of_the_page().items():
        if title not in without and " " not in title:
            path = folder / title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
