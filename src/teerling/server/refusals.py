"""What the server refuses to do: errors whose sentence is translated for whoever asked."""

from functools import partial
from typing import Any

from ..errors import TeerlingError

LEAVING = "this server is about to stop; please come back in a moment"


class Refused(TeerlingError):
    """Something that cannot be done at a table now; `text` is a sentence to be translated."""

    status = 409

    def __init__(self, text: str, **details: Any) -> None:
        super().__init__(text.format(**details))
        self.text = text
        self.details = details

    def __reduce__(self) -> tuple[Any, ...]:
        """How another process makes the same of it."""
        return partial(type(self), self.text, **self.details), ()


class Misunderstood(Refused):
    """A message that a page of ours would not send."""

    status = 400


class Stale(Refused):
    """The page was behind; it is brought up to date."""


class NotAllowed(Refused):
    """Somebody else's seat."""

    status = 403


class UnknownTable(Refused):
    """There is no such table."""

    status = 404


class TooFast(Refused):
    """More than somebody may do in this time."""

    status = 429


class Full(Refused):
    """The server takes no more."""

    status = 503


class NewerRules(Refused):
    """The match is played by rules that came after this version of the program."""

    status = 503


class NotReady(Refused):
    """The server is about to stop."""

    status = 503
