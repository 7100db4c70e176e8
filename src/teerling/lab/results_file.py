"""The file in which an arena keeps its matches, and from which it goes on."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import Phrase, TeerlingError
from .contest import FORMAT, Contest, Job, Played

LONGEST_QUOTE = 60


class ResultsFile:
    """The file of an arena: a header and then a line for every match, in the order they ended."""

    def __init__(self, contest: Contest, path: Path | None) -> None:
        self.contest = contest
        self.path = path
        self._file: Any = None

    def open(self) -> dict[Job, Played]:
        """What is in the file already; one of another arena is refused and stays as it is."""
        if self.path is None:
            return {}
        self._file = self.path.open("a+b")
        self._keep_others_away()
        self._file.seek(0)
        text = self._file.read()
        # A last line without an end was being written when everything stopped.
        whole = text[: text.rfind(b"\n") + 1]
        if text:
            self._check(whole)
        known = {match.job: match for match in map(self._match, whole.splitlines()[1:])}
        self._file.truncate(len(whole))
        if not text:
            self._write(self.contest.header())
        return known

    def _keep_others_away(self) -> None:
        """Refuses a file that another arena is writing."""
        try:
            import fcntl
        except ImportError:  # Windows
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TeerlingError(
                Phrase("{path} is being written by another arena; choose another file", path=self.path)
            ) from None

    def add(self, match: Played) -> None:
        """Adds a match that is over."""
        if self._file is not None:
            self._write(vars(match))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()

    def _check(self, text: bytes) -> None:
        """Refuses a file that is not of this arena."""
        try:
            header = json.loads(text.partition(b"\n")[0])
            format = header["arena"]
        except (ValueError, KeyError, TypeError):
            raise TeerlingError(Phrase("{path} is not the file of an arena", path=self.path)) from None
        if format != FORMAT:
            raise TeerlingError(Phrase("{path} was written by another version of Teerling", path=self.path))
        expected = self.contest.header()
        for name in ("game", "players", "options", "seed", "luck", "rules", "version", "made"):
            if header.get(name) != expected[name]:
                raise TeerlingError(self._other(name, header.get(name), expected[name]))

    def _other(self, name: str, found: Any, expected: Any) -> Phrase:
        """Why a file is not of this arena."""
        details = {"path": self.path, "found": written(found), "expected": written(expected)}
        changed = Phrase(
            "{path} was written when the players or the rules were not what they are now; "
            "choose another file",
            path=self.path,
        )
        return {
            "game": Phrase("{path} is of an arena of {found}, not of {expected}", **details),
            "players": Phrase("{path} is of an arena between {found}, not between {expected}", **details),
            "options": Phrase("{path} is of an arena with {found}, not with {expected}", **details),
            "seed": Phrase("{path} is of an arena with seed {found}, not {expected}", **details),
            "luck": Phrase("{path} measures luck by {found} playouts, not by {expected}", **details),
        }.get(name, changed)

    def _match(self, line: bytes) -> Played:
        """The match of a line."""
        try:
            match = Played(**json.loads(line))
            fits = self._fits(match)
        except (ValueError, TypeError):
            fits = False
        if not fits:
            text = line[:LONGEST_QUOTE].decode("utf-8", "replace")
            raise TeerlingError(
                Phrase("{path}: {line!r} is not a game of this arena", path=self.path, line=text)
            )
        return match

    def _fits(self, match: Played) -> bool:
        """Whether a match can be one of this arena; TypeError if it is made of something else."""
        luck: tuple[Any, ...] = (match.luck,) if self.contest.luck else ()
        by_seat = (match.scores, match.ranks, match.decisions, match.seconds, *luck)
        numbers = (match.deal, match.seating, *(number for each in by_seat for number in each))
        return (
            all(type(number) in (int, float) for number in numbers)
            and type(match.deal) is int
            and match.deal >= 0
            and match.seating in range(len(self.contest.seatings))
            and all(len(each) == len(self.contest.names) for each in by_seat)
            and min(match.ranks) == 1
        )


def written(value: Any) -> str:
    """A setting of an arena in words."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}={text}" for name, text in value.items())
    return str(value)
