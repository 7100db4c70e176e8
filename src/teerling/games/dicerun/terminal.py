"""The race and the seats of DiceRun, drawn for a terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from teerling.words import Speaker, capital

from .tell import CARD_TERMS, CARDS, COLOURS

PIGMENTS = {"green": "green", "red": "red", "blue": "blue", "pink": "bright_magenta", "purple": "magenta"}


def board(view: dict[str, Any], say: Speaker) -> RenderableType:
    """The race from the front, every seat, and what is left of the cards."""
    position = view["board"]
    return Group(
        Text(capital(_round(position, say)), style="bold"),
        *_start(view, say),
        _race(position, say),
        Text(),
        _seats(view, say),
        Text(capital(_cards_left(position, say)), style="dim"),
    )


def _round(position: Mapping[str, Any], say: Speaker) -> str:
    rounds = position["limits"]["rounds"]
    if position["start"]:
        return say("throwing for the start")
    if position["round"] > rounds:
        return say("tie-break")
    return say("round {round} of {rounds}", round=max(1, position["round"]), rounds=rounds)


def _start(view: Mapping[str, Any], say: Speaker) -> list[RenderableType]:
    """The dice that everybody has taken to throw for the start, and their sum."""
    position = view["board"]
    lines: list[RenderableType] = []
    for p, taken in enumerate(position["start"]["taken"] if position["start"] else ()):
        dice = [die for number in taken for die in position["race"][0] if die["die"] == number]
        shown = [_dice([die], say) for die in dice]
        if len(dice) > 1 and all(die["number"] for die in dice):
            shown.append(Text(str(sum(die["number"] for die in dice)), style="bold"))
        if dice:
            lines.append(Text(f"{say.label(p, view['names'])}: ") + Text(" · ").join(shown))
    return lines


def _race(position: Mapping[str, Any], say: Speaker) -> RenderableType:
    """A line a place: the number of the group and its dice, by colour."""
    grid = Table.grid(padding=(0, 2))
    group = 0
    taken = [die for dice in position["start"]["taken"] for die in dice] if position["start"] else []
    for place in position["race"]:
        dice = [die for die in place if die["die"] not in taken]
        if dice:
            group += 1
            grid.add_row(Text(str(group), style="bold" if group == 1 else "dim"), _dice(dice, say))
        else:
            grid.add_row("", Text(f"··· {say('distance')} ···", style="dim"))
    return grid


def _dice(dice: list[dict[str, Any]], say: Speaker) -> Text:
    """The numbers of every colour, in order: red 113 · blue 6."""
    parts = []
    for colour in COLOURS:
        numbers = sorted(str(die["number"] or "?") for die in dice if die["colour"] == colour)
        if numbers:
            parts.append(Text(f"{say(colour)} {''.join(numbers)}", style=PIGMENTS[colour]))
    return Text(" · ").join(parts)


def _seats(view: Mapping[str, Any], say: Speaker) -> RenderableType:
    """Everybody's name, victory cards, hand, mission and last scoring."""
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for heading in (
        "",
        say("player"),
        say("victory cards"),
        say("hand"),
        say("mission"),
        say("previous round"),
    ):
        table.add_column(capital(heading))
    for p, seat in enumerate(view["board"]["seats"]):
        table.add_row(
            Text("▶" if view["turn"] == p else " ", style="bold"),
            say.label(p, view["names"]),
            str(seat["victory"]),
            _hand(view["board"], p, say),
            _missions(seat, say),
            _scored(seat, say),
        )
    return table


def _hand(position: Mapping[str, Any], p: int, say: Speaker) -> Text:
    """The cards of a hand, or how many there are; and a card that lies face down."""
    seat = position["seats"][p]
    if seat["hand"] is None:
        hand = Text(say.plural("{n} card", "{n} cards", seat["cards"]))
    else:
        hand = Text(", ").join(
            Text(_card(card, say) + (f" ×{count}" if count > 1 else ""), style=PIGMENTS.get(card, ""))
            for card, count in seat["hand"].items()
        )
    if position["reroller"] == p:
        card = position["face_down"]
        shown = "?" if card is None else _card(card, say)
        hand = hand + Text(" " + say("(face down: {card})", card=shown), style="dim")
    return hand


def _card(card: str, say: Speaker) -> str:
    return say(str(CARD_TERMS[CARDS.index(card)]))


def _missions(seat: Mapping[str, Any], say: Speaker) -> Text:
    """The mission in front, in brackets others that may still be laid."""
    if seat["missions"] is None:
        return Text("?", style="dim") if seat["laid"] else Text()
    front = Text("" if seat["front"] is None else say(seat["front"]), style=_pigment(seat["front"]))
    kept = [say(mission) for mission in seat["missions"] if mission != seat["front"]]
    return front + Text(f" ({', '.join(kept)})" if kept else "", style="dim")


def _scored(seat: Mapping[str, Any], say: Speaker) -> Text:
    """The mission of the last scoring, its points in the leading group, and the rank."""
    scored = seat["scored"]
    if scored is None:
        return Text()
    points = say.plural("{n} point", "{n} points", scored["points"])
    rank = say("rank {rank}", rank=scored["rank"])
    return Text(say(scored["mission"]), style=_pigment(scored["mission"])) + Text(f", {points}, {rank}")


def _pigment(mission: str | None) -> str:
    return "" if mission is None else PIGMENTS[mission.split()[0]]


def _cards_left(position: Mapping[str, Any], say: Speaker) -> str:
    """How many cards are left to draw, and which of all cards the viewer has not seen."""
    counts = position["unseen"].items()
    unseen = ", ".join(f"{_card(card, say)} ×{count}" for card, count in counts if count)
    return say("left to draw: {count}; not seen yet: {unseen}", count=position["rest"], unseen=unseen)
