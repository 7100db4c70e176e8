"""Match files on the command line: read, made and rewritten with errors that name them."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copymode

from ..errors import TeerlingError
from ..game import Event
from ..loading import load
from ..match import Match
from ..words import Speaker


def opened(path: Path, lang: str) -> tuple[Match, Speaker]:
    """The match of a file, and who speaks of it."""
    text = text_of(path, Speaker(lang))
    try:
        match = load(text)
    except TeerlingError as error:
        raise TeerlingError(f"{path}: {Speaker(lang).phrase(error.args[0])}") from None
    return match, Speaker(lang, match.game)


def text_of(path: Path, say: Speaker) -> str:
    """What stands in a file."""
    with naming(path, say):
        return path.read_text(encoding="utf-8-sig")


def check_new(path: Path, say: Speaker) -> None:
    """Refuses a name under which no file can be made, before there is anything to write."""
    if path.exists():
        raise TeerlingError(say("{path} already exists; choose another name", path=path))
    if not path.parent.is_dir():
        raise TeerlingError(say("{path} cannot be made: there is no such folder", path=path))


def create(path: Path, text: str, say: Speaker) -> None:
    """Writes a file that is not there yet."""
    with naming(path, say):
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileNotFoundError:
            message = say("{path} cannot be made: there is no such folder", path=path)
            raise TeerlingError(message) from None


def rewrite(path: Path, text: str, say: Speaker) -> None:
    """Replaces what stands in a file, all at once."""
    target = path.resolve()
    with naming(path, say):
        if not os.access(target, os.W_OK):
            raise PermissionError
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
            copymode(target, name)
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise


@contextmanager
def naming(path: Path, say: Speaker) -> Iterator[None]:
    """Lets every failure to read or write name the file and say what would be right."""
    try:
        yield
    except FileNotFoundError:
        raise TeerlingError(say("there is no file {path}; teerling new makes one", path=path)) from None
    except FileExistsError:
        raise TeerlingError(say("{path} already exists; choose another name", path=path)) from None
    except IsADirectoryError:
        raise TeerlingError(say("{path} is a folder, not a match file", path=path)) from None
    except PermissionError:
        raise TeerlingError(say("{path}: its permissions do not allow this", path=path)) from None
    except UnicodeDecodeError:
        raise TeerlingError(
            say("{path} is not a text file in UTF-8, as match files are", path=path)
        ) from None
    except OSError as error:
        raise TeerlingError(f"{path}: {error.strerror}") from None


def refusal(move: str, why: Event, match: Match, say: Speaker) -> str:
    """Why a move is not legal, with the rule."""
    because = say.say(why, match.names)
    return say("{move} is not possible now: {reason} ({rule})", move=move, reason=because, rule=why.rule)
