"""What helps to decide in DiceRun: what counts for the own mission, and where a card would send the dice."""

from typing import Any

from teerling.engine import SPECTATOR
from teerling.game import legal_ids

from . import rules
from .rules import (
    DICE,
    DISTANCE_NONE,
    FIRST_LAY,
    FIRST_MISSION,
    FIRST_QUESTION,
    FIRST_SWAP,
    MISSIONS,
    ON_TURN,
    PLAY_SPRINT,
    ROUNDS,
    SWAP_NONE,
    TAKING,
    THROWING_TO_START,
    TIE_BREAK,
    VICTORY_CARDS,
    State,
)
from .tell import DECISIONS, DICE_NAMES, advancing

BEST_RANKS = 3
"""How many of the best of a round get victory cards."""
NEW_LEAD = "new"
"""The place in front of the leading group. `p3` is place 3, `b3` the gap behind it."""


def aids(s: State, seat: int) -> dict[str, Any]:
    """Points of the own missions, what every card would do, when the round may end, and who threw what."""
    found: dict[str, Any] = {} if seat == SPECTATOR else _own_aids(s, seat)
    if 0 < s.round < TIE_BREAK:
        found["end"] = _end_of_round(s)
        found["stakes"] = _victory_cards(s)
    if s.phase in (TAKING, THROWING_TO_START):
        found["sums"] = [rules.thrown_to_start(s, p) for p in range(s.players)]
    return found


def _own_aids(s: State, seat: int) -> dict[str, Any]:
    """What only a player needs: points of the own missions, and what every card would do."""
    found: dict[str, Any] = {"missions": _points_of_missions(s, seat)}
    if s.front[seat] >= 0:
        mission = s.front[seat]
        found["lead"] = rules.points_in_lead(s, mission)
        found["groups"] = [found["lead"], *_points_behind(s, mission)]
        found["counting"] = [rules.points_of(s, mission, die) for die in range(DICE)]
    if s.turn == seat and s.phase == ON_TURN:
        found["moves"] = {DECISIONS[move]: _effect(s, seat, move) for move in _cards_to_play(s)}
    return found


def _points_of_missions(s: State, seat: int) -> dict[str, int]:
    """DR-18: what every own mission would be worth if the round ended now."""
    own = [mission for mission in range(MISSIONS) if s.holder[mission] == seat]
    return {DICE_NAMES[mission]: rules.points_in_lead(s, mission) for mission in own}


def _points_behind(s: State, mission: int) -> list[int]:
    """DR-19: the points in the places behind the leading one, which decide when players are equal."""
    return [rules.points_at(s, mission, place) for place in range(1, rules.last_place(s) + 1)]


def _cards_to_play(s: State) -> list[int]:
    """The legal decisions that play a card, so that dice move."""
    laying = range(FIRST_LAY, PLAY_SPRINT)
    return [move for move in legal_ids(rules, s) if move < FIRST_MISSION and move not in laying]


def _effect(s: State, seat: int, move: int) -> dict[str, Any]:
    """Which dice a card sends where, and the own points in the lead after it."""
    then = s.copy()
    rules.apply(then, move)
    places = [then.place[die] for die in range(DICE)]
    shows = _landings(s, move)
    lead = rules.points_in_lead(then, s.front[seat]) if s.front[seat] >= 0 else 0
    return {"shows": shows, "places": places, "lead": lead, "lays": DISTANCE_NONE < move < SWAP_NONE}


def _landings(s: State, move: int) -> list[tuple[int, str]]:
    """Every die that moves by itself, and where on the table as it lies now it would land."""
    if move < FIRST_LAY:
        card = move if move < FIRST_QUESTION else move - FIRST_QUESTION
        return [(die, f"p{s.place[die] - 1}" if s.place[die] else NEW_LEAD) for die in advancing(s, card)]
    if move == PLAY_SPRINT:
        return _sprinting(s)
    return _swapping(s, move - FIRST_SWAP + 2) if move >= FIRST_SWAP else []


def _sprinting(s: State) -> list[tuple[int, str]]:
    """DR-13: the last group, into an empty second place or between the first two groups."""
    last = rules.last_place(s)
    if last == 0 or (last == 1 and rules.has(rules.places_taken(s), 1)):
        return []
    slot = "b0" if rules.has(rules.places_taken(s), 1) else "p1"
    return [(die, slot) for die in range(DICE) if s.place[die] == last]


def _swapping(s: State, group: int) -> list[tuple[int, str]]:
    """DR-14: both groups; they land beside each other's places."""
    one, other = rules.place_of(s, group), rules.place_of(s, group + 1)
    landing = {one: f"b{other}", other: f"b{one}"}
    return [(die, landing[s.place[die]]) for die in range(DICE) if s.place[die] in landing]


def _victory_cards(s: State) -> list[int]:
    """DR-20, DR-21: what the ranks of this round bring, the best first."""
    ranks = range(1, min(s.players, BEST_RANKS) + 1)
    return [int(VICTORY_CARDS[s.round // ROUNDS, rank]) for rank in ranks]


def _end_of_round(s: State) -> dict[str, int]:
    """DR-04: how many cards surely come first; after them the next ends the round with chance 1 in `odds`."""
    then = s.copy()
    then.drawn = max(s.drawn, rules.smallest_pile(s, s.round))
    return {"cards": then.drawn - s.drawn, "odds": rules.sizes_left(then)}
