"""A golden file is a match file whose comments say what was seen, legal and told after every step.

    2: draw > tile nile
    # 1a2b3c4d5e6f

are a step and three digests of four digits each. In the file of a game as it is usually played it stands
there in words, as far as it has changed. `teerling.load` skips both.
"""

import hashlib
import json
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import teerling
from teerling import BadFile, Match
from tests.variants import VARIANTS, Variant, play_to_end

FOLDER = Path(__file__).parent
DIGESTS = re.compile(r"# ([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})")
PARTS = ("what is seen", "what is legal", "what is told")
LEFT_OUT = ("legal", "moves")
"""Of a view: what is legal has a place of its own, and how many moves there were can be counted."""
NOTHING: Any = object()


@dataclass(frozen=True)
class Step:
    """A decision with nature's answers and what came of it; the first step is how the match begins."""

    line: str
    """As in the file: `2: draw > tile nile`."""
    views: dict[str, dict[str, Any]]
    legal: list[str]
    told: dict[str, list[str]]
    """In English to everybody, and in Dutch to the last seat."""

    @property
    def digests(self) -> str:
        """The comment that says in short what came of the step."""
        parts = ({who: _kept(view) for who, view in self.views.items()}, self.legal, self.told)
        return "# " + "".join(map(_digest, parts))

    def words(self, before: "Step | None") -> list[str]:
        """The comments that say what changed since the step before."""
        found = {
            who: list(_changes(_kept(before.views[who]) if before else {}, _kept(view)))
            for who, view in self.views.items()
        }
        everywhere = [line for line in found["everybody"] if all(line in lines for lines in found.values())]
        lines = [*everywhere]
        for who, changes in found.items():
            lines += [f"{who}: {change}" for change in changes if change not in everywhere]
        if before is None or before.legal != self.legal:
            lines.append(f"legal: {_grouped(self.legal)}")
        return [f"# {line}" for line in [*lines, *self.told["en"]]]


def steps_of(match: Match) -> list[Step]:
    """The steps of a match, which is taken back to its beginning for it."""
    last = match.players - 1
    moves = _move_lines(match.save())
    hearers = {"en": None, "nl": last}
    logs = {lang: match.log(lang, seat) for lang, seat in hearers.items()}
    steps, ends = [], {lang: len(log) for lang, log in logs.items()}
    for number in range(len(moves) - 1, -1, -1):
        views = {"everybody": match.view(), f"seat {last}": match.view(last)}
        legal = [move.text for move in match.legal_moves]
        if number:
            match.pop()
        starts = {lang: len(match.events_of(seat)) if number else 0 for lang, seat in hearers.items()}
        told = {lang: log[starts[lang] : ends[lang]] for lang, log in logs.items()}
        steps.append(Step(moves[number], views, legal, told))
        ends = starts
    return steps[::-1]


def is_in_full(match: Match) -> bool:
    """Whether the file of a match says everything in words: one for each game, as it is usually played."""
    usual = match.game.check_options({})
    return match.players == match.game.usual_players and match.options == usual


def written(match: Match) -> str:
    """The golden file of a match."""
    full, saved, steps = is_in_full(match), match.save(), steps_of(match)
    head, _, _ = saved.partition("\nmoves\n")
    tail = [line for line in saved.splitlines() if line.startswith(("scores ", "end"))]
    lines = [*head.splitlines(), "moves"]
    for before, step in zip([None, *steps], steps, strict=False):
        lines += [step.line] if step.line else []
        lines += step.words(before) if full else [step.digests]
    return "\n".join([*lines, *tail, ""])


@dataclass(frozen=True)
class Recording:
    """A golden file."""

    path: Path

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def game(self) -> str:
        """The id of its game."""
        return self.path.stem.partition("-")[0]

    @property
    def match_file(self) -> str:
        """The match alone."""
        return "".join(line for line in self.text.splitlines(keepends=True) if not line.startswith("#"))

    def notes(self) -> list[tuple[int, list[str]]]:
        """For every step the number of its line and the comments below it."""
        lines = self.text.splitlines()
        first = lines.index("moves")
        found: list[tuple[int, list[str]]] = [(first + 1, [])]
        for number, line in enumerate(lines[first + 1 :], first + 2):
            if line.startswith("#"):
                found[-1][1].append(line)
            elif line[:1].isdigit():
                found.append((number, []))
            elif line.startswith(">"):
                found[-1] = number, []
        return found

    def difference(self) -> str | None:
        """The first step that does not go as it went, in words; None if all do."""
        match, failure = self.load()
        recorded, title = self.notes(), _title(match)
        steps = steps_of(match)
        for number, (before, step) in enumerate(zip([None, *steps], steps, strict=False)):
            line, notes = recorded[number]
            changed = _changed(notes, step, before)
            if changed:
                return self._told(title, number, line, step.line, changed)
        if failure is not None:
            number = next((i for i, (line, _) in enumerate(recorded) if line == failure.line), len(steps))
            line = failure.line or recorded[-1][0]
            return self._told(title, number, line, self.text.splitlines()[line - 1], [str(failure)])
        return None

    def load(self) -> tuple[Match, BadFile | None]:
        """The match as far as it can be loaded, and why no further."""
        text, failure = self.text, None
        while True:
            try:
                return teerling.load(text), failure
            except BadFile as error:
                failure = failure or error
                lines = text.splitlines()
                # Where the end does not fit, the last step goes with its comments.
                last = max(number for number, line in enumerate(lines, 1) if line[:1] not in ("#", "e", "s"))
                end = min(error.line or last, len(lines) - 1)
                if "moves" not in lines[: end - 1]:
                    raise
                text = "\n".join([*lines[: end - 1], "end"])

    def _told(self, title: str, number: int, line: int, move: str, changed: list[str]) -> str:
        seat, _, made = move.partition(": ")
        where = f"step {number}, where seat {seat} decides `{made}`" if number else "the beginning"
        return "\n".join(
            [
                f"{title}: {where}, is not as it was (tests/golden/{self}.txt, line {line})",
                *(f"  {each}" for each in changed),
                f"`python -m tests.golden {self} {number}` shows this step, here or in an older checkout;"
                " if the change is meant, `make golden` records it.",
            ]
        )


def path_of(variant: Variant) -> Path:
    """The golden file of a variant by the present version of its rules."""
    return FOLDER / f"v{teerling.game(variant.game).version}" / f"{variant}.txt"


def recordings() -> list[Recording]:
    """All golden files there are, of every version of the rules."""
    return [Recording(path) for path in sorted(FOLDER.glob("v*/*.txt"))]


def record(games: Container[str]) -> Iterator[str]:
    """Plays what was not recorded yet, says anew what is seen in the matches that were, and tells of it.

    The matches themselves stay as they are: they have to load for ever.
    """
    for variant in VARIANTS:
        path = path_of(variant)
        if variant.game in games and not path.exists():
            path.parent.mkdir(exist_ok=True)
            match = play_to_end(variant.new(seed=f"golden {variant}"), seed=1)
            path.write_text(written(match), encoding="utf-8")
            yield f"{Recording(path)} is new"
    for recording in recordings():
        if recording.game not in games:
            continue
        try:
            text = written(teerling.load(recording.text))
        except BadFile as error:
            yield (
                f"{recording} does not load any more: {error}. Raise the game's version and let the rule"
                " depend on it; only a match that nobody can have saved may be deleted and recorded anew."
            )
            continue
        if text != recording.text:
            recording.path.write_text(text, encoding="utf-8")
            yield f"{recording} has changed"


def show(name: str, number: int) -> Iterator[str]:
    """A step of a golden file in full, as it goes now."""
    match, failure = Recording(FOLDER / f"{name}.txt").load()
    title, steps = _title(match), steps_of(match)
    if number >= len(steps):
        yield f"{title}: there are steps 0 to {len(steps) - 1}" + (f"; then {failure}" if failure else "")
        return
    step = steps[number]
    yield f"{title}: step {number}, {step.line}"
    yield f"legal: {_grouped(step.legal)}"
    for lines in step.told.values():
        yield from lines
    for who, view in step.views.items():
        yield f"{who} sees {json.dumps(_kept(view), ensure_ascii=False, indent=2)}"


def _title(match: Match) -> str:
    options = [f"{name} {value}" for name, value in match.game.chosen_options(match.options).items()]
    return ", ".join([f"{match.game.name} for {match.players} players", *options])


def _move_lines(saved: str) -> list[str]:
    """The lines of a match file with moves; the first is nature's, or empty."""
    lines = saved.partition("\nmoves\n")[2].splitlines()
    lines = [line for line in lines if line[0].isdigit() or line[0] == ">"]
    return lines if lines and lines[0][0] == ">" else ["", *lines]


def _changed(notes: list[str], step: Step, before: Step | None) -> list[str]:
    """What is different from the comments of a step, in words."""
    recorded = DIGESTS.fullmatch(notes[0]) if len(notes) == 1 else None
    if recorded:
        now = DIGESTS.fullmatch(step.digests)
        assert now is not None
        pairs = zip(PARTS, recorded.groups(), now.groups(), strict=True)
        return [f"{part} has changed" for part, old, new in pairs if old != new]
    words = step.words(before)
    lost = [f"recorded: {line[2:]}" for line in notes if line not in words]
    found = [f"now:      {line[2:]}" for line in words if line not in notes]
    return [*lost, *found] or ([] if words == notes else ["the same things in another order"])


def _grouped(legal: list[str]) -> str:
    """Moves by their first word: `pass | bid 3, 7`."""
    groups: dict[str, list[str]] = {}
    for text in legal:
        first, _, rest = text.partition(" ")
        groups.setdefault(first, []).append(rest)
    return " | ".join(f"{first} {', '.join(rests)}".rstrip() for first, rests in groups.items())


def _kept(view: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in view.items() if key not in LEFT_OUT}


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:4]


def _changes(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Every place where two views differ, and what stands there now."""
    if isinstance(new, dict) and (isinstance(old, dict) or (old is NOTHING and new)):
        old = {} if old is NOTHING else old
        for key in {**old, **new}:
            yield from _changes(old.get(key, NOTHING), new.get(key, NOTHING), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _changes(one, other, f"{path}[{index}]")
    elif old is not new and (old != new or type(old) is not type(new)):
        yield f"{path[1:]}: {'gone' if new is NOTHING else json.dumps(new, ensure_ascii=False)}"
