"""Records golden files, or shows a step of one.

python -m tests.golden            all of them, and the pages of moves and observations: `make golden`
python -m tests.golden ra rapido  those of these games
python -m tests.golden v1/ra-3 12
"""

import sys
from pathlib import Path

import teerling
from teerling.engine.features import COUNTS, KNOWN, NUMBER, OWN, SEATS, TABLE, WHOSE, Encoding, Feature
from teerling.lab.observations import encoding_of
from tests.golden.recording import record, show
from tests.variants import GAMES

DOCS = Path(__file__).parents[2] / "docs"
PAGE_OF_MOVES = DOCS / "moves.md"
PAGE_OF_OBSERVATIONS = DOCS / "observations.md"
OBSERVATIONS = """# Observations in numbers

What a seat knows, as a row of `float32`; `make golden` writes this page from the declarations in
`src/teerling/games/`. First come numbers of the seat itself alone, then a block for every seat, that of the
seat itself first (k = 0) and the others clockwise, then the table. What is not known is 0.

`encoding_of(game).names(players)` in `teerling.lab` names every number:

```python
>>> import teerling
>>> from teerling.lab import encoding_of
>>> encoding_of(teerling.game("rapido")).names(players=2)[:3]
['self turn', 'self mover', 'self pawns']

```
"""


def all_moves() -> str:
    """The page of the documentation that lists the moves of every game by id."""
    lines = ["# All moves", "", "Ids and texts never change; `make golden` writes this page.", ""]
    for game in map(teerling.game, GAMES):
        lines += [f"## {game.name} (`{game.id}`)", ""]
        for title, texts in (("Decisions", game.decisions), ("Outcomes of chance", game.outcomes)):
            entries = ", ".join(f"{id} `{text}`" for id, text in enumerate(texts))
            lines += [f"{title}: {entries}", ""]
    return "\n".join(lines)


def all_observations() -> str:
    """The page of the documentation that says what every number of an observation tells."""
    lines = [OBSERVATIONS]
    for game in map(teerling.game, GAMES):
        encoding = encoding_of(game)
        own, seat = encoding.width(OWN), encoding.width(SEATS)
        sizes = [f"{encoding.size(n)} for {n}" for n in game.players]
        lines += [f"## {game.name} (`{game.id}`)", "", f"Players and numbers: {', '.join(sizes)}.", ""]
        for of, title in (
            (OWN, "Of the seat itself alone, from number 0 on"),
            (SEATS, f"Of every seat, that of the seat k places on from number {own} + {seat}·k on"),
            (TABLE, f"Of the table, with n players from number {own} + {seat}·n on"),
        ):
            if encoding.of(of):
                lines += [
                    f"{title}:",
                    "",
                    "| numbers | field | what it is | in the order |",
                    "|---|---|---|---|",
                ]
                lines += [*rows_of(encoding, of), ""]
    return "\n".join(lines)


def rows_of(encoding: Encoding, of: int) -> list[str]:
    """The rows of the table about the seat itself, a seat or the table."""
    rows, first = [], 0
    for feature in encoding.of(of):
        told = encoding.told(feature)
        last = first + len(told) - 1
        place = f"{first}" if first == last else f"{first}–{last}"
        order = "; ".join(each or "the number" for each in told) if any(told) else ""
        rows.append(f"| {place} | `{feature.field}` | {feature.about}{scale_of(feature)} | {order} |")
        first = last + 1
    return rows


def scale_of(feature: Feature) -> str:
    """How what a field holds becomes a number."""
    if feature.kind in (NUMBER, KNOWN, COUNTS):
        return f", divided by {feature.most:g}" if feature.most != 1 else ""
    return ": 1 if it is this seat, else 0" if feature.kind == WHOSE else ": 1 for what holds, else 0"


if __name__ == "__main__":
    match sys.argv[1:]:
        case [name, number] if number.isdecimal():
            told = show(name, int(number))
        case games:
            PAGE_OF_MOVES.write_text(all_moves(), encoding="utf-8")
            PAGE_OF_OBSERVATIONS.write_text(all_observations(), encoding="utf-8")
            told = record(games or GAMES)
    for line in told:
        print(line)
