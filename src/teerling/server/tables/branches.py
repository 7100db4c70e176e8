"""Branches: how a table keeps what its match has from another, and begins with it.

The first entry of such a table is its `branch`; then come the position at which the other match began, if it
began elsewhere than at the beginning, and its moves as they are `given`, with the answers of nature that are
`gone` by take backs.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...engine.states import States
from ...files import Branch, TakenBack
from ...game import Game
from ...match import Match
from ...nature import Nature
from ...past import Past
from ..database.schema import MOST_TEXT, TableRow
from ..database.storage import Entry, now

SAME_LUCK, NEW_LUCK = "was", "new"
"""What nature answers in a branch: what she did, as long as the same is asked, or something else."""


@dataclass(frozen=True)
class Given:
    """What the match of a table has from another; nothing, if it is a match of its own."""

    branch: Branch | None = None
    luck: str = ""
    position: str = ""
    """Where the other match began, in JSON, if that was not at the beginning."""
    moves: tuple[str, ...] = ()
    """Nature's too."""
    decisions: int = 0
    """How many of them are not nature's."""
    gone: tuple[TakenBack, ...] = ()

    def start(self, of: Game, row: TableRow, options: Mapping[str, Any]) -> Any:
        """The state in which the match begins."""
        start = of.place(json.loads(self.position)) if self.position else None
        if start is None:
            return of.start(row.players, options, row.rules)
        start.version = row.rules
        return start

    def begun(
        self, of: Game, start: Any, options: Mapping[str, Any], nature: Nature, past: Past | None
    ) -> Match:
        """The match before anything happened at the table; or as far as it is known that it had come."""
        placed = bool(self.position)
        if past is not None or self.branch is None:
            match = Match(of, start, options, nature=nature, placed=placed, past=past)
            match.branch = self.branch
            return match
        past = Past(States(type(start), [start]), taken_back=list(self.gone))
        match = Match(of, start, options, placed=placed, past=past)
        for text in self.moves:
            match.push(text)
        match.branch = self.branch
        match.entrust(nature)
        return match


def given_in(entries: Sequence[Entry]) -> Given:
    """What the entries of a table say that its match has from another."""
    if not entries or entries[0].kind != "branch":
        return Given()
    source, step, answers, luck = entries[0].text.split(" ")
    moves: list[str] = []
    gone: list[TakenBack] = []
    decisions = 0
    for entry in entries:
        if entry.kind == "given":
            moves.append(entry.text)
            decisions += entry.seat is not None
        elif entry.kind == "gone":
            gone.append(TakenBack(len(moves), int(entry.seat or 0), int(entry.text)))
    return Given(
        Branch(source, int(step), int(answers)),
        luck,
        "".join(entry.text for entry in entries if entry.kind == "position"),
        tuple(moves),
        decisions,
        tuple(gone),
    )


def entries_of(table_id: str, match: Match, luck: str) -> list[Entry]:
    """What a table keeps of a match that was branched, before anything happens at it."""
    branch = match.branch
    assert branch is not None
    told: list[tuple[str, int | None, str]] = [
        ("branch", None, f"{branch.source} {branch.step} {branch.given} {luck}")
    ]
    position = match.started_at
    if position is not None:
        text = json.dumps(position, ensure_ascii=False, separators=(",", ":"))
        told += [("position", None, text[i : i + MOST_TEXT]) for i in range(0, len(text), MOST_TEXT)]
    for place in range(len(match.history) + 1):
        told += [("gone", each.seat, str(each.draws)) for each in match.taken_back if each.place == place]
        if place < len(match.history):
            move = match.history[place]
            told.append(("given", None if move.chance else match.turns[place], move.text))
    return [
        Entry(table_id, number, kind, seat, text, now()) for number, (kind, seat, text) in enumerate(told)
    ]
