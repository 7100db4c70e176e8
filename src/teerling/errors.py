"""What can go wrong, each with a sentence that names the thing and says what would be right."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .game import Event


class TeerlingError(Exception):
    """Anything that this package refuses; nothing has been changed."""


class UnknownGame(TeerlingError, LookupError):
    """There is no game with that id."""


class BadPlayers(TeerlingError, ValueError):
    """A game is not for that number of players, or there is no such seat."""


class BadOption(TeerlingError, ValueError):
    """A game has no such option, or not that value of it."""


class UnknownMove(TeerlingError, ValueError):
    """A text, id or thing that is no move of the game at all."""


class IllegalMove(TeerlingError, ValueError):
    """A move that can not be made now; `why` is the reason as an event, with its rule."""

    def __init__(self, message: str, why: "Event | None" = None) -> None:
        super().__init__(message)
        self.why = why


class NothingToTakeBack(TeerlingError):
    """No move has been pushed that could be taken back."""


class BadPosition(TeerlingError, ValueError):
    """A position that can not be."""


class BadFile(TeerlingError, ValueError):
    """A match file that does not fit; `line` is where."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line
