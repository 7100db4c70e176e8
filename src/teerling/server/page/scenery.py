"""Scenery: the painted pictures of games, and of all their drawings only those that the pictures use."""

import re
from functools import cache

from markupsafe import Markup

from .environment import drawing, drawings

DRAWN = re.compile(r'<(symbol|linearGradient|radialGradient|clipPath) id="([^"]+)".*?</\1>', re.DOTALL)
USED = re.compile(r'(?:href="#|url\(#)([^")]+)')
SIZES = {"scene": "360 150", "front": "1272 316"}
"""What a game may paint, and how large: its card in the lobby, and the wall behind a welcome."""


@cache
def scenery(*game_ids: str, fronts: tuple[str, ...] = ()) -> Markup:
    """The scenes of games as symbols `scene-<id>`, and `front-<id>`, with the drawings that they use.

    >>> '<symbol id="scene-ra"' in scenery("ra")
    True
    """
    wanted = [("scene", id) for id in game_ids] + [("front", id) for id in fronts if has_front(id)]
    painted = "".join(
        f'<symbol id="{kind}-{id}" viewBox="0 0 {SIZES[kind]}">{drawing(id, f"{kind}.svg")}</symbol>'
        for kind, id in wanted
    )
    drawn = _drawn(*game_ids)
    return Markup(painted + "".join(drawn[name] for name in _used(painted, drawn)))


def props(text: str, *game_ids: str) -> Markup:
    """The drawings that a text uses and the scenes of these games do not.

    >>> '<symbol id="t-ra"' in props('<use href="#t-ra"/>', "rapido"), props("", "ra")
    (False, Markup(''))
    """
    drawn, there = _drawn(*game_ids), scenery(*game_ids)
    return Markup("".join(drawn[name] for name in _used(text, drawn) if drawn[name] not in there))


@cache
def _drawn(*game_ids: str) -> dict[str, str]:
    """All drawings of games, by name."""
    return {found[2]: found[0] for found in DRAWN.finditer(drawings(*game_ids))}


def has_front(game_id: str) -> bool:
    """Whether a game has painted the wall behind a welcome."""
    return bool(drawing(game_id, "front.svg"))


def _used(text: str, drawn: dict[str, str]) -> list[str]:
    """The names of all drawings that a text uses, and of those that they use in turn."""
    found: dict[str, None] = {}
    ahead = USED.findall(text)
    while ahead:
        name = ahead.pop()
        if name in drawn and name not in found:
            found[name] = None
            ahead += USED.findall(drawn[name])
    return list(found)
