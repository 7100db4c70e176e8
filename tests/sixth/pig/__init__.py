"""Pig, a folk game, as an example of a sixth game."""

from collections.abc import Mapping
from typing import Any

from teerling.engine import CHANCE, OVER
from teerling.game import Event, Game, Move
from teerling.options import Number
from teerling.positions import Reader

from . import rules


def tell(before: Any, move: Move, after: Any) -> list[Event]:
    if move.chance:
        return [Event("threw", "PG-03", before.mover, {"face": move.id + 1})]
    if move.id == rules.HOLD:
        return [Event("scored", "PG-04", before.turn, {"points": before.turn_points, "line": "turn"})]
    return []


def why(s: Any, move: Move) -> Event | None:
    return Event("nothing_to_hold", "PG-02") if move.id == rules.HOLD and not s.turn_points else None


def position(s: Any) -> dict[str, Any]:
    return {
        "players": s.players,
        "options": {"goal": s.goal},
        "mover": s.mover,
        "waiting": s.turn == CHANCE,
        "over": s.turn == OVER,
        "turn_points": s.turn_points,
        "points": [s.points[p] for p in range(s.players)],
    }


def place(position: Mapping[str, Any]) -> rules.State:
    reader = Reader(position)
    s = rules.State()
    s.version = 1
    s.players = reader.number("players", 2, rules.MOST_PLAYERS)
    s.goal = reader.part("options", {}).number("goal", 5, 100, 30)
    s.mover = reader.seat("mover", s.players, 0)
    s.turn = CHANCE if reader.flag("waiting", False) else s.mover
    s.turn = OVER if reader.flag("over", False) else s.turn
    s.turn_points = reader.number("turn_points", 0, 999, 0)
    for p, points in enumerate(reader.row("points", s.players, [0] * s.players)):
        s.points[p] = points
    reader.done()
    return s


game = Game(
    id="pig",
    name="Pig",
    author="nobody knows",
    year=1945,
    players=range(2, 5),
    minutes=5,
    summary="Throw or hold.",
    rules=rules,
    decisions=("throw", "hold"),
    outcomes=tuple(f"die {face}" for face in range(1, 7)),
    tell=tell,
    why=why,
    position=position,
    place=place,
    words={
        "threw": "{seat} throws {face}",
        "scored": "{seat}: {points:+d} {line}",
        "nothing_to_hold": "there is nothing to hold yet",
    },
    terms=("turn",),
    options=(Number("goal", "How many points win.", 30, least=5, most=100),),
)
