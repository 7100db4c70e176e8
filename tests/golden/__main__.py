"""Records golden files, or shows a step of one.

python -m tests.golden            all of them, and the page of all moves: `make golden`
python -m tests.golden ra rapido  those of these games
python -m tests.golden v1/ra-3 12
"""

import sys
from pathlib import Path

import teerling
from tests.golden.recording import record, show
from tests.variants import GAMES

PAGE_OF_MOVES = Path(__file__).parents[2] / "docs" / "moves.md"


def all_moves() -> str:
    """The page of the documentation that lists the moves of every game by id."""
    lines = ["# All moves", "", "Ids and texts never change; `make golden` writes this page.", ""]
    for game in map(teerling.game, GAMES):
        lines += [f"## {game.name} (`{game.id}`)", ""]
        for title, texts in (("Decisions", game.decisions), ("Outcomes of chance", game.outcomes)):
            entries = ", ".join(f"{id} `{text}`" for id, text in enumerate(texts))
            lines += [f"{title}: {entries}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    match sys.argv[1:]:
        case [name, number] if number.isdecimal():
            told = show(name, int(number))
        case games:
            PAGE_OF_MOVES.write_text(all_moves(), encoding="utf-8")
            told = record(games or GAMES)
    for line in told:
        print(line)
