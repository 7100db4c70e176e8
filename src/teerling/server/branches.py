"""Branches: how a table keeps what its match has from another, and begins with it.

The first entry of such a table is its `branch`; then come the position at which the other match began, if it
began elsewhere than at the beginning, and its moves as they are `given`, with the answers of nature that are
`gone` by take backs.
"""

import json
from collections.abc import Sequence

from ..files import Branch, TakenBack
from ..game import Game
from ..match import Match, Past
from ..nature import Sealed
from .storage import MOST_TEXT, EntryRow, TableRow, now

SAME_LUCK, NEW_LUCK = "was", "new"
"""What nature answers in a branch: what she did, as long as the same is asked, or something else."""


def begun(of: Game, row: TableRow, entries: Sequence[EntryRow]) -> Match:
    """The match of a table before anything happened there: of a branch, as far as the other had come."""
    options = of.check_options(row.options)
    position = "".join(entry.text for entry in entries if entry.kind == "position")
    start = of.place(json.loads(position)) if position else of.start(row.players, options, row.rules)
    start.version = row.rules
    moves: list[str] = []
    gone: list[TakenBack] = []
    for entry in entries:
        if entry.kind == "given":
            moves.append(entry.text)
        elif entry.kind == "gone":
            gone.append(TakenBack(len(moves), int(entry.seat or 0), int(entry.text)))
    past = Past([start], [], [], {}, gone)
    match = Match(of, start, options, placed=bool(position), past=past)
    for text in moves:
        match.push(text)
    match.branch = branch_of(entries)
    match.entrust(Sealed(row.seed))
    return match


def branch_of(entries: Sequence[EntryRow]) -> Branch | None:
    """From which match a table was branched, and where; None for a table of its own."""
    if not entries or entries[0].kind != "branch":
        return None
    source, step, given, _ = entries[0].text.split(" ")
    return Branch(source, int(step), int(given))


def has_same_luck(entries: Sequence[EntryRow]) -> bool:
    """Whether a branch has the luck of the match from which it was branched."""
    return bool(entries) and entries[0].kind == "branch" and entries[0].text.endswith(f" {SAME_LUCK}")


def entries_of(table_id: str, match: Match, luck: str) -> list[EntryRow]:
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
    for place, state in enumerate(match.states):
        told += [("gone", each.seat, str(each.draws)) for each in match.taken_back if each.place == place]
        if place < len(match.history):
            move = match.history[place]
            told.append(("given", None if move.chance else int(state.turn), move.text))
    return [
        EntryRow(table_id=table_id, number=number, at=now(), kind=kind, seat=seat, text=text)
        for number, (kind, seat, text) in enumerate(told)
    ]
