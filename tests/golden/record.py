"""Writes a match as a playthrough: every move, who decides, the legal moves, and what changed in the views.

`make golden` records all of them anew; then look at what git says has changed.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import teerling
from teerling import Match
from tests.variants import VARIANTS, Variant

FOLDER = Path(__file__).parent
PAGE_OF_MOVES = FOLDER.parents[1] / "docs" / "moves.md"


def path_of(variant: Variant) -> Path:
    return FOLDER / f"{variant}.txt"


def playthrough(variant: Variant) -> str:
    """The whole text of a variant's recorded match."""
    return "\n".join(_lines(variant.new(seed=f"golden {variant}"))) + "\n"


def _lines(match: Match) -> Iterator[str]:
    chooser = random.Random(1)
    seats: list[int | None] = [None, match.players - 1]
    yield from (f"> {move}" for move in match.history)
    before = [match.view(seat) for seat in seats]
    yield from (json.dumps(view, ensure_ascii=False) for view in before)
    while not match.over:
        moves = match.legal_moves
        yield f"{match.turn}: {' | '.join(move.text for move in moves)}"
        told = len(match.history)
        match.push(chooser.choice(moves))
        yield "= " + " > ".join(str(move) for move in match.history[told:])
        after = [match.view(seat) for seat in seats]
        for seat, old, new in zip(("all", "own"), before, after, strict=True):
            yield from (f"  {seat} {change}" for change in _changes(old, new))
        before = after
    yield from match.log("en")
    yield from match.log("nl", match.players - 1)
    yield f"scores {match.scores} ranks {match.ranks}"


def _changes(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Every place where two views differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            if key != "legal":
                yield from _changes(old.get(key), new.get(key), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _changes(one, other, f"{path}[{index}]")
    elif old != new:
        yield f"{path[1:]}: {json.dumps(new, ensure_ascii=False)}"


def all_moves() -> str:
    """The page of the documentation that lists the moves of every game by id."""
    lines = ["# All moves", "", "Ids and texts never change; `make golden` writes this page.", ""]
    for game in teerling.list_games():
        lines += [f"## {game.name} (`{game.id}`)", ""]
        for title, texts in (("Decisions", game.decisions), ("Outcomes of chance", game.outcomes)):
            entries = ", ".join(f"{id} `{text}`" for id, text in enumerate(texts))
            lines += [f"{title}: {entries}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE_OF_MOVES.write_text(all_moves(), encoding="utf-8")
    for variant in VARIANTS:
        path_of(variant).write_text(playthrough(variant), encoding="utf-8")
        print(variant)
