"""A replay: a match at one of its steps, and what was told at each."""

from dataclasses import dataclass
from typing import Any

from ...game import game
from .environment import board_of
from .match_pages import Page, page_of
from .views import ReplayView, StepView

SPECTATING = "all"
"""How an address names the view that everybody may have."""


@dataclass(frozen=True, slots=True)
class ToldStep:
    """A step of a replay in sentences with their rules."""

    number: int
    seat: int | None
    lines: tuple[tuple[str, str], ...]


def replay_values(view: ReplayView, lang: str) -> dict[str, Any]:
    """What the templates of a replay are made of."""
    page = page_of(view.match, lang)
    steps = tuple(_told_step(step, page) for step in view.steps)
    return {
        "t": page,
        "say": page.say,
        "source": view.source,
        "game": page.game,
        "number": view.number,
        "last": view.last,
        "step": steps[view.number],
        "steps": steps,
        "viewer": SPECTATING if view.match.seat is None else view.match.seat,
        "spectating": SPECTATING,
        "board_template": board_of(game(view.match.game)),
    }


def _told_step(step: StepView, page: Page) -> ToldStep:
    lines = tuple(line for events in step.events for line in page.retold(events).lines)
    return ToldStep(step.number, step.seat, lines)
