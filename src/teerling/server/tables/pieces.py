"""A page in pieces: what a browser has of the page before is named by its place, and not sent again.

Both sides keep the pieces of the last page and the pictures before it, in the order in which they came first.
"""

from collections.abc import Mapping, Sequence
from typing import Any

CUT = "<svg"
"""A page is cut at every drawing: into pieces that are small, and quickly found."""

Held = tuple[int, ...]
"""What a browser has, in its order; a hash of each piece suffices to know it again."""


def in_pieces(page: Mapping[str, Any], held: Held) -> tuple[dict[str, Any], Held]:
    """A page as it is sent to a browser that has pieces of the one before; what the browser has then.

    >>> message, held = in_pieces({"html": "a<svg>b<svg>a", "frames": []}, ())
    >>> message
    {'html': [0, 1, 2], 'frames': [], 'fresh': ['a', '>b', '>a']}
    >>> in_pieces({"html": "a<svg>c", "frames": []}, held)[0]
    {'html': [0, 3], 'frames': [], 'fresh': ['>c']}
    """
    all_of = list(held)
    places = dict(zip(held, range(len(held)), strict=True))
    used: dict[int, None] = {}
    fresh: list[str] = []

    def named(html: str) -> list[int]:
        row = []
        for piece in html.split(CUT):
            known = hash(piece)
            place = places.get(known)
            if place is None:
                place = places[known] = len(all_of)
                all_of.append(known)
                fresh.append(piece)
            row.append(place)
        used.update(dict.fromkeys(row))
        return row

    frames = [{**frame, "html": named(frame["html"])} for frame in page["frames"]]
    message = {**page, "frames": frames, "html": named(page["html"]), "fresh": fresh}
    return message, tuple([all_of[place] for place in used])


class Pieces:
    """What a browser does with pages that come in pieces."""

    def __init__(self) -> None:
        self._held: list[str] = []

    def whole(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """A page as a whole; one that came as a whole stays as it is."""
        if "fresh" not in message:
            return dict(message)
        pieces = [*self._held, *message["fresh"]]
        used: dict[int, None] = {}

        def put_together(places: Sequence[int]) -> str:
            used.update(dict.fromkeys(places))
            return CUT.join([pieces[place] for place in places])

        frames = [{**frame, "html": put_together(frame["html"])} for frame in message["frames"]]
        page = {**message, "frames": frames, "html": put_together(message["html"])}
        del page["fresh"]
        self._held = [pieces[place] for place in used]
        return page
