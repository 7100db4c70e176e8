"""Habits: a cookie that remembers how somebody played last, so that "play now" means the same again."""

from fastapi import Request
from fastapi.responses import Response

from ... import players
from ...game import game, game_ids
from ..context import RequestContext
from ..page.views import Habits

COOKIE = "habits"
MOST = 400
"""How many characters of it are read."""


def habits_of(request: Request) -> Habits:
    """How somebody played last; what the cookie says and does not hold any more is left out."""
    level, *counts = request.cookies.get(COOKIE, "")[:MOST].split(".") or [""]
    known = {each.name for each in players.levels()}
    pairs = [tuple(count.split("-", 1)) for count in counts if "-" in count]
    valid = [
        (id, int(count))
        for id, count in pairs
        if id in game_ids() and count.isdecimal() and int(count) in game(id).players
    ]
    return Habits(level if level in known else players.USUAL, tuple(valid))


def remember(context: RequestContext, response: Response, old: Habits, level: str, id: str, n: int) -> None:
    """Remembers against which level somebody played, and with how many."""
    counts = {**dict(old.players), id: n}
    text = ".".join([level or old.level, *(f"{id}-{count}" for id, count in counts.items())])
    context.set_cookie(response, COOKIE, text)
