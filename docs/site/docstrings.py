"""Puts the examples of docstrings into code blocks: there they stand bare, as doctest reads them."""

from itertools import groupby
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Fences every example of every docstring."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Once a package is known as a whole."""
        fence_all(pkg)


def fence_all(thing: griffe.Object) -> None:
    """Fences the examples of something and of all that it holds."""
    if thing.docstring is not None:
        thing.docstring.value = fenced(thing.docstring.value)
    for member in thing.members.values():
        if isinstance(member, griffe.Object):
            fence_all(member)


def fenced(text: str) -> str:
    """A docstring as Markdown.

    >>> print(fenced("Adds up.\\n\\n>>> 1 + 1\\n2\\n\\nThat is all."))
    Adds up.
    <BLANKLINE>
    ```python
    >>> 1 + 1
    2
    ```
    <BLANKLINE>
    That is all.
    """
    paragraphs = text.split("\n\n")
    parts = []
    for is_example, some in groupby(paragraphs, key=lambda paragraph: paragraph.lstrip().startswith(">>> ")):
        part = "\n\n".join(some)
        parts.append(f"```python\n{part}\n```" if is_example else part)
    return "\n\n".join(parts)
