"""A table's live page: the part that changes, and the pictures of what happened before it."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ...game import game
from ...words import Speaker, capital
from .environment import board_of, render
from .match_pages import MOST_PAGES, Page, page_of
from .views import HintView, MatchView, TableView, TutorView


@dataclass(frozen=True, slots=True)
class Frame:
    """What a table shows of a decision before it goes on."""

    html: str
    hold: int
    """For how many milliseconds it stands."""
    said: str
    scored: bool
    """Whether it ends with a scoring, for which everything later waits."""

    def as_message(self) -> dict[str, Any]:
        """The frame as it is sent to a browser."""
        return {"html": self.html, "hold": self.hold, "said": self.said, "scored": self.scored}


@dataclass(frozen=True, slots=True)
class LivePage:
    """The part of a table's page that changes, with what is said about it."""

    version: int
    html: str
    title: str
    announce: str
    """What a screen reader hears of it."""
    yours: bool
    """Whether the table waits for the viewer."""
    watched: bool = False
    """Whether it is shown quickly, as nobody who plays has anything to decide."""
    frames: tuple[Frame, ...] = ()
    """What is shown before it, in this order."""

    def as_message(self) -> dict[str, Any]:
        """The page as it is sent to a browser."""
        return {
            "frames": [frame.as_message() for frame in self.frames],
            "kind": "page",
            "version": self.version,
            "html": self.html,
            "title": self.title,
            "announce": self.announce,
            "yours": self.yours,
            "watched": self.watched,
        }


@lru_cache(MOST_PAGES)
def live(view: TableView, lang: str) -> LivePage:
    """The part of a table's page that changes: a pure function, kept by view and language."""
    page = page_of(view.match, lang)
    standing = standing_of(view, page)
    ending = ending_of(view, page) if view.over else ""
    question = "" if view.tutor is None else question_of(view.tutor, page.say)
    html = render(
        "live.html",
        lang,
        t=page,
        say=page.say,
        table=view,
        standing=standing,
        ending=ending,
        question=question,
        board_template=board_of(game(view.match.game)),
    )
    yours = page.mine or view.curtain is not None
    title = f"● {standing}" if yours else standing
    happening = view.playing or view.ending == "finished"
    said = page.announcement(standing) if happening else ending or standing
    if view.hint is not None and view.hint.estimates:
        said = advised(view.hint, page.say)
    if question:
        said = f"{page.say('Sure?')} {question}"
    frames = tuple(_frame(match, view, lang) for match in view.frames)
    return LivePage(
        view.version, html, f"{title} · {page.say(page.game.name)}", said, yours, view.watched, frames
    )


def _frame(match: MatchView, table: TableView, lang: str) -> Frame:
    """The part of a table's page that shows a decision as it happens."""
    page = page_of(match, lang)
    of = game(match.game)
    if page.fresh is not None:
        page = replace(page, scores=page.fresh.before)
    holds = [of.moments.get(event.kind, 0) for event in page.moment]
    hold = max(holds, default=0)
    # Of several things the one that decides most is named.
    named = capital(page.sentence(page.moment[holds.index(hold)]) if holds else page.headline)
    # A scoring is read where it is revealed.
    told = [page.sentence(event) for event in page.moment] if page.fresh is None else [named]
    values = {"t": page, "say": page.say, "table": table, "standing": named}
    html = render("stage.html", lang, board_template=board_of(of), **values)
    return Frame(html, hold, ". ".join(map(capital, told)), page.fresh is not None)


def standing_of(view: TableView, page: Page) -> str:
    """How a table stands: what it waits for, whose turn it is, or that it is over."""
    if view.status == "open":
        return page.say("Waiting for players")
    if view.over and not view.begun:
        return ending_of(view, page)
    return capital(page.say("the match is over")) if view.over else page.headline


def ending_of(view: TableView, page: Page) -> str:
    """How a match ended, in a sentence."""
    say, by = page.say, view.ended_by
    if view.ending == "length":
        return say("The match went on for longer than a table lasts, and so it ended.")
    if by is None:
        return page.outcome
    if not view.begun:
        return say("The table was closed before the match began.")
    who, yours = page.plain_name(by), by == page.you
    if view.ending == "resigned":
        return (
            say("You gave up, and so the match ended.")
            if yours
            else say("{seat} gave up, and so the match ended.", seat=who)
        )
    if view.ending == "time":
        return (
            say("You ran out of time, and so the match ended.")
            if yours
            else say("{seat} ran out of time, and so the match ended.", seat=who)
        )
    return (
        say("You left the table, and so the match ended.")
        if yours
        else say("{seat} left the table, and so the match ended.", seat=who)
    )


def advised(hint: HintView, say: Speaker) -> str:
    """What a screen reader hears of a hint."""
    reason = "" if hint.reason is None else hint.reason.said(say)
    return f"{say('Hint')}: {say.move(hint.estimates[0].move)}. {reason}"


def question_of(tutor: TutorView, say: Speaker) -> str:
    """What the tutor asks about a move; nothing if it does not."""
    if tutor.move is None:
        return ""
    low, high = (say.percent(max(0.0, share)) for share in tutor.interval)
    lost = say("{move} seems to lose {loss} of a win ({low} to {high}).",
               move=say.move(tutor.move), loss=say.percent(tutor.loss), low=low, high=high)  # fmt: skip
    return capital(lost)
