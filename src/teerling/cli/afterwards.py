"""Commands that look back at a match."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import NothingToTakeBack
from ..match import Match
from ..terminal.looks import ask, console, drawn, number_in, print_result, sentences
from ..terminal.matchfiles import check_new, create, opened
from ..terminal.review import print_review, review_bar
from ..words import Speaker
from .app import AsJson, File, Lang, Seat, app


@app.command("replay")
def replay_match(
    path: File,
    seat: Seat = None,
    everything: Annotated[bool, typer.Option("--all", help="Print everything at once.")] = False,
    lang: Lang = "en",
) -> None:
    """Look back at a match, step by step. What is secret is shown once the match is over."""
    match, say = opened(path, lang)
    match.view(seat)
    out = console()
    sees_all = seat is None and match.over
    events = match.events if sees_all else match.events_of(seat)
    stages = stages_of(match, seat, sees_all)
    place = 0
    while 0 <= place < len(stages):
        stage, shown = stages[place]
        known = stages[place - 1][1] if place else 0
        out.rule(f"{place}/{len(stages) - 1}", style="dim")
        for line in sentences(events[known:shown], match, say):
            out.print(line)
        if not everything or place == len(stages) - 1:
            out.print(drawn(stage, seen(stage, seat, sees_all), say))
        if everything:
            place += 1
        else:
            place = turned(place, len(stages), say)
    if match.over and place == len(stages):
        out.print()
        print_result(out, match, say)


def seen(match: Match, seat: int | None, sees_all: bool) -> dict[str, Any]:
    """What a seat sees, or everything."""
    view = match.view(seat)
    return {**view, "board": match.position()} if sees_all else view


def stages_of(match: Match, seat: int | None, sees_all: bool) -> list[tuple[Match, int]]:
    """The match after every push, and how many events there were by then."""
    walker = match.copy()
    found = []
    while True:
        events = walker.events if sees_all else walker.events_of(seat)
        found.append((walker.copy(), len(events)))
        try:
            walker.pop()
        except NothingToTakeBack:
            return found[::-1]


def turned(place: int, stages: int, say: Speaker) -> int:
    """The stage that somebody wants to see next; behind the last one to end."""
    while True:
        answer = ask(say("Enter: next, b: back, a number: go there, q: quit") + " › ")
        if answer in ("", "b", "q"):
            return {"": place + 1, "b": max(0, place - 1), "q": -1}[answer]
        if 0 <= number_in(answer) < stages:
            return number_in(answer)
        print(say("choose a number from 0 to {most}", most=stages - 1))


@app.command("review")
def review_match(
    path: File,
    budget: Annotated[
        str | None, typer.Option(help="Playouts from every position, as in 64, or a time, as in 20s.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write one page with everything.")] = None,
    as_json: AsJson = False,
    lang: Lang = "en",
) -> None:
    """Tell of a match that is over what was luck, what was skill, and what would have been better."""
    from ..lab.review import Budget, review
    from ..lab.review_page import page_of

    match, say = opened(path, lang)
    allowed = Budget() if budget is None else Budget.of(budget)
    if html is not None:
        check_new(html, say)
    with review_bar(say) as progress:
        found = review(match, allowed, progress=progress)
    if html is not None:
        create(html, page_of(found, say), say)
    if as_json:
        print(json.dumps(found.as_dict(say), ensure_ascii=False))
    else:
        print_review(found, say)
        if html is not None:
            console().print(say("the page is in {path}", path=html), style="dim")


# The lab
