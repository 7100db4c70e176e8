"""What can go wrong, each with a sentence that names the thing and says what would be right."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .game import Event, Game


def whole(text: str) -> str:
    r"""A text that can be written down: halves of characters, which JSON may hold, are spelt out.

    >>> whole("half a \ud83c")
    'half a \\ud83c'
    """
    return text.encode(errors="backslashreplace").decode()


class Phrase(str):
    """A text that also knows how it was made, so that it can be said in another language.

    >>> phrase = Phrase("{game} is for {least} players or more", game="Ra", least=2)
    >>> phrase, phrase.text
    ('Ra is for 2 players or more', '{game} is for {least} players or more')
    """

    text: str
    details: dict[str, Any]

    def __new__(cls, text: str, /, **details: Any) -> "Phrase":
        details = {name: whole(each) if type(each) is str else each for name, each in details.items()}
        made = super().__new__(cls, text.format(**details))
        made.text, made.details = text, details
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.text,), self.details


class Sentence(str):
    """An event in words that also knows the event, so that it can be said in another language."""

    event: "Event"
    game: "Game"
    names: Sequence[str]

    def __new__(cls, text: str, event: "Event", game: "Game", names: Sequence[str]) -> "Sentence":
        made = super().__new__(cls, text)
        made.event, made.game, made.names = event, game, names
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.event, self.game, self.names


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
    """A move that cannot be made now; `why` is the reason as an event, with its rule."""

    def __init__(self, message: str, why: "Event | None" = None) -> None:
        super().__init__(message)
        self.why = why


class WrongOutcome(TeerlingError, ValueError):
    """An outcome that is not what nature answers; `place` is where in the history it stands."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.place)


class NothingToTakeBack(TeerlingError):
    """No move has been pushed that could be taken back."""


class NoSuchStep(TeerlingError, LookupError):
    """A step of a match that is not there, or from which it cannot be played on."""


class BadPosition(TeerlingError, ValueError):
    """A position that cannot be."""


class BadFile(TeerlingError, ValueError):
    """A match file that does not fit; `line` is where."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(
            message if line is None else Phrase("line {line}: {message}", line=line, message=message)
        )
        self.line = line
