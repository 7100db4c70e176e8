"""What a match looks like in a terminal."""

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..engine import CHANCE
from ..game import Event, Move
from ..match import Match
from ..words import Figure, Speaker, capital

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text


def console(**settings: Any) -> "Console":
    """Where things are printed: as they are, without anything marked up by guessing."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, **settings)


def decider(match: Match) -> int | None:
    """The seat to decide; None if there is none."""
    return None if match.turn == CHANCE else match.turn


def board_of(match: Match, say: Speaker, seat: int | None) -> "RenderableType":
    """The board as a seat sees it."""
    return drawn(match, match.view(seat), say)


def drawn(match: Match, view: dict[str, Any], say: Speaker) -> "RenderableType":
    """A view, drawn by its game, or as it is if the game cannot draw."""
    from rich.pretty import Pretty

    return match.game.board(view, say) if match.game.board else Pretty(view["board"])


def name_of(match: Match, seat: int, say: Speaker) -> str:
    """What a seat is called."""
    return say.name(seat, match.names)


def turn_of(match: Match, say: Speaker) -> str:
    """Who is to move, in a sentence."""
    if match.turn is None:
        return say("the match is over")
    if match.turn == CHANCE:
        return say("nature is to answer; enter an outcome by hand")
    name, number = name_of(match, match.turn, say), say("seat {number}", number=match.turn)
    turn = say("{seat}'s turn", seat=name)
    return turn if name == number else f"{turn} ({number})"


def seat_and_name(match: Match, seat: int, say: Speaker) -> str:
    """A seat's number, and its name if it has one."""
    number = say("seat {number}", number=seat)
    name = name_of(match, seat, say)
    return number if name == number else f"{name} ({number})"


def print_heading(out: "Console", match: Match, say: Speaker) -> None:
    """Which match this is, and who is to move."""
    players = say("{count} players", count=match.players)
    moves = say.plural("{n} move", "{n} moves", len(match.history))
    out.print(f"{match.game.name} · {players} · {moves} · {turn_of(match, say)}", style="bold")


def sentences(events: Iterable[Event], match: Match, say: Speaker) -> "list[Text]":
    """Events as sentences with their rules; what a seat scores at once stands together."""
    from rich.text import Text

    found = []
    for scorer, group in groupby(events, lambda event: event.seat if event.kind == "scored" else None):
        if scorer is None:
            found += [said(event, match, say) for event in group]
        else:
            lines = [_score_line(event, say) for event in group]
            found.append(Text(f"{say.label(scorer, match.names)}: ") + Text(", ").join(lines))
    return found


def said(event: Event, match: Match, say: Speaker) -> "Text":
    """An event as a sentence with its rule."""
    from rich.text import Text

    return Text(say.sentence(event, match.names)) + Text(f"  {event.rule}", style="dim")


def _score_line(event: Event, say: Speaker) -> "Text":
    from rich.text import Text

    points = event.data["points"]
    figure = Text(f"{Figure(points):+d}", style="green" if points > 0 else "red")
    return Text(f"{say(event.data['line'])} ") + figure + Text(f" {event.rule}", style="dim")


def both_texts(move: Move, say: Speaker) -> str:
    """A move as it is written in files, and in the reader's language if that differs."""
    translated = say.move(move)
    return move.text if translated.lower() == move.text else f"{move.text} ({translated})"


def print_choices(out: "Console", choices: Sequence[str]) -> None:
    """Choices in as many columns as there is room for, to be read downwards."""
    from rich.text import Text

    width = max(map(len, choices)) + 3
    rows = -(-len(choices) // max(1, (out.width + 3) // width))
    for row in range(rows):
        line = "".join(f"{choice:<{width}}" for choice in choices[row::rows])
        out.print(Text(line.rstrip(), no_wrap=True, overflow="ellipsis"))


def ask(prompt: str) -> str:
    """What somebody answers; whoever ends the input wants to quit."""
    with suppress(ImportError):
        import readline  # noqa: F401  (it lets arrow keys edit the answer)
    try:
        answer = " ".join(input(prompt).lower().split())
    except (EOFError, KeyboardInterrupt):
        print()
        return "q"
    if not sys.stdin.isatty():
        print(answer)
    return answer


def number_in(answer: str) -> int:
    """The number that somebody answered; -1 if it is none."""
    return int(answer) if answer.isdecimal() and len(answer) < 10 else -1


def print_odds(out: "Console", match: Match, seat: int | None, say: Speaker) -> None:
    """What chance may bring, and how likely that is by what a seat knows."""
    state = match.state if seat is None else match.game.observed(match.state, seat)
    weights = match.game.weights(state)
    odds = {match.game.move(id, chance=True): Fraction(w, sum(weights)) for id, w in enumerate(weights) if w}
    texts = {both_texts(move, say): chance for move, chance in odds.items()}
    width = max(map(len, texts))
    print_choices(
        out, [f"{text:<{width}} {percent(p, say):>7} {p!s:>6}" for text, p in texts.items()]
    )  # fmt: skip


def print_result(out: "Console", match: Match, say: Speaker) -> None:
    """Where everybody's points came from, line by line, and who ended where."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("")
    for seat in range(match.players):
        table.add_column(say.label(seat, match.names), justify="right")
    table.add_column("")
    rows: dict[tuple[str, str], list[int]] = {}
    for event in match.score_lines():
        row = rows.setdefault((event.data["line"], event.rule), [0] * match.players)
        row[event.seat or 0] += event.data["points"]
    before = [score - sum(row[seat] for row in rows.values()) for seat, score in enumerate(match.scores)]
    if any(before):
        table.add_row(capital(say("at the start")), *map(str, before))
    for (line, rule), row in sorted(rows.items(), key=lambda entry: entry[0][1]):
        figures = (f"{Figure(points):+d}" if points else "" for points in row)
        table.add_row(capital(say(line)), *figures, rule, style="dim")
    table.add_row(capital(say("total")), *map(str, match.scores), style="bold")
    table.add_row(capital(say("final rank")), *map(str, match.ranks), style="bold yellow")
    out.print(table)


def percent(part: float | Fraction, say: Speaker) -> str:
    """A part as a percentage."""
    return say.percent(float(part), 1)
