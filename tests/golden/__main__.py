"""Records golden files (`make golden`), or shows a step of one: `python -m tests.golden v1/ra-3 12`."""

import sys
from pathlib import Path

import teerling
from tests.golden.recording import record_all, show

PAGE_OF_MOVES = Path(__file__).parents[2] / "docs" / "moves.md"


def all_moves() -> str:
    """The page of the documentation that lists the moves of every game by id."""
    lines = ["# All moves", "", "Ids and texts never change; `make golden` writes this page.", ""]
    for game in teerling.games():
        lines += [f"## {game.name} (`{game.id}`)", ""]
        for title, texts in (("Decisions", game.decisions), ("Outcomes of chance", game.outcomes)):
            entries = ", ".join(f"{id} `{text}`" for id, text in enumerate(texts))
            lines += [f"{title}: {entries}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print("\n".join(show(sys.argv[1], int(sys.argv[2]))))
    else:
        PAGE_OF_MOVES.write_text(all_moves(), encoding="utf-8")
        for told in record_all():
            print(told)
