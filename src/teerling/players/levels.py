"""The levels that a person meets at the table, weakest first."""

from ..errors import Phrase, TeerlingError
from .base import Player, offer, player
from .search import PLAIN, Search
from .simple import Heuristic, Random

USUAL = "casual"
"""The level of a bot if no other is asked for."""
EVERY_LEVEL: tuple[Player, ...] = (
    Heuristic("novice", "Knows the rules, and often misjudges what a move is worth.", misjudgement=8.0),
    Heuristic("casual", "Plays by rules of thumb, and now and then misses something.", misjudgement=2.0),
    Search("club", "Thinks a little ahead before every move.", playouts=200, seconds=0.1),
    Search("expert", "Weighs every move against what the others may do.", playouts=2000, seconds=1.0),
    Search("master", "Takes its time and forgets nothing.", playouts=20000, seconds=3.0),
)

for each in (
    Random(),
    *EVERY_LEVEL,
    Heuristic(),
    Search("search", "Tries moves in its head, as often as it is told to.", playouts=2000),
    Search(
        "plain", "Tries moves in its head without any knowledge of the game.", playouts=2000, settings=PLAIN
    ),
):
    offer(each)


def levels() -> tuple[Player, ...]:
    """What a seat at a table is offered, weakest first."""
    return (player("random"), *EVERY_LEVEL)


def level(name: str) -> Player:
    """The level with this name; other players do not sit at a table, as they may think for ever."""
    found = next((each for each in levels() if each.name == name), None)
    if found is None:
        known = ", ".join(each.name for each in levels())
        raise TeerlingError(Phrase("there is no level {name!r}; there are {known}", name=name, known=known))
    return found
