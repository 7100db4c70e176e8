"""What DiceRun's table shows beforehand is what the rules then do, and comes from one's own observation."""

import json
import random
from typing import Any

import pytest

import teerling
from teerling import Match
from teerling.game import SPECTATOR
from teerling.games.dicerun import game, rules
from teerling.games.dicerun.aids import aids
from teerling.games.dicerun.tell import ask


def aids_of(match: Match) -> Any:
    """What helps the seat to decide, from what it has seen."""
    return aids(seen_by_turn(match), int(match.turn or 0))


def seen_by_turn(match: Match) -> Any:
    return game.observed(match.state, int(match.turn or 0))


VARIANTS: list[dict[str, Any]] = [
    {},
    {"piles": "even", "mission_bonus": True},
    {"deck": [3, 4, 6, 8, 8, 8], "variable_missions": True},
]


def places_after(s: Any, move: str, shows: list[tuple[int, str]]) -> list[int]:
    """Where all dice are when those of a preview stand in their slots and empty places are closed."""
    where = [float(s.place[die]) for die in range(rules.DICE)]
    kept = {float(place) for place in range(rules.last_place(s)) if place not in where}
    for die, slot in shows:
        beside = 0.5 if slot[0] == "b" and not move.startswith("swap") else 0.0
        where[die] = -1.0 if slot == "new" else int(slot[1:]) + beside
    if move.startswith("distance") and move != "distance none":
        kept.add(rules.place_of(s, int(move.split()[1])) + 0.5)
    columns = sorted(column for column in {*where, *kept} if column <= max(where))
    return [columns.index(column) for column in where]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("players", [2, 4, 6])
def test_previews_show_what_the_rules_do(players: int, options: dict[str, Any]) -> None:
    chooser = random.Random(players)
    match = teerling.new("dicerun", players, seed=players, **options)
    kinds = set()
    while not match.over:
        seen, found = seen_by_turn(match), aids_of(match)
        assert json.loads(json.dumps(found))
        for text, effect in found.get("moves", {}).items():
            kinds.add(text.split()[0])
            after = match.preview(text).state
            assert effect["places"] == [after.place[die] for die in range(rules.DICE)]
            assert effect["places"] == places_after(seen, text, effect["shows"]), text
            assert effect["lead"] == rules.points_in_lead(after, seen.front[match.turn])
        if "groups" in found and not options.get("mission_bonus"):
            leading = [die for die in range(rules.DICE) if seen.place[die] == 0]
            assert sum(found["counting"][die] for die in leading) == found["groups"][0] == found["lead"]
        match.push(chooser.choice(match.legal_moves))
    assert kinds == {"play", "question", "distance", "sprint", "swap"} or not options.get("deck")


def test_what_is_asked_has_a_sentence_in_every_phase() -> None:
    chooser = random.Random(5)
    kinds = set()
    for seed in range(3):
        match = teerling.new("dicerun", 3, seed=seed, variable_missions=seed < 2)
        while not match.over:
            kinds.add(ask(seen_by_turn(match)).kind)
            match.push(chooser.choice(match.legal_moves))
    assert kinds == {
        "ask_turn",
        "ask_card",
        "ask_turn_exchange",
        "ask_card_exchange",
        "ask_group",
        "ask_mission",
        "ask_die",
        "ask_second_die",
    }
    assert kinds <= set(game.words)


def test_nobody_is_helped_by_what_others_hold() -> None:
    match = teerling.new("dicerun", 4, seed=3)
    seat = int(match.turn or 0)
    seen = game.observed(match.state, seat)
    for number in range(5):
        other = game.observed(game.imagined(seen, seat, [number]), seat)
        assert aids(other, seat) == aids(seen, seat)


def test_spectators_see_when_a_round_may_end_and_nobodys_cards() -> None:
    match = teerling.new("dicerun", 4, seed=3, start="random")
    seen = aids(game.observed(match.state, SPECTATOR), SPECTATOR)
    assert seen == {name: aids_of(match)[name] for name in ("end", "stakes")}


def test_the_end_of_a_round_is_foretold() -> None:
    match = teerling.new("dicerun", 4, seed=1, piles="even", start="random")
    chooser = random.Random(1)
    ends, left = 0, 0
    while match.position()["round"] < 4 and not match.over:
        end = aids_of(match)["end"]
        assert end["odds"] == 1
        left, round = end["cards"], match.position()["round"]
        match.push(chooser.choice(match.legal_moves))
        if match.position()["round"] > round:
            assert left == 0
            ends += 1
    assert ends == 3


def test_everybody_sees_the_sums_of_the_throws_for_the_start() -> None:
    match = teerling.new("dicerun", 3, chance="manual")
    while match.turn != 1:
        match.push(match.legal_moves[0])
    match.push("take red 1")
    for seat in (SPECTATOR, 0, 1, 2):
        assert aids(game.observed(match.state, seat), seat)["sums"] == [2, 0, 0]


def test_a_round_is_scored_line_by_line() -> None:
    match = teerling.new("dicerun", 4, seed=2)
    chooser = random.Random(2)
    while not match.over:
        match.push(chooser.choice(match.legal_moves))
    scorings = [events for events in match.steps_of(0) if any(event.kind in game.rounds for event in events)]
    assert len(scorings) >= 4
    won = [0] * 4
    for events in scorings:
        rows = {row.line: row for row in game.score_rows(events)}
        assert len(rows["mission"].cells) in (2, 3, 4)
        assert "1" in rows["rank"].cells.values()
        if "victory cards" in rows:
            for seat, cards in rows["victory cards"].cells.items():
                won[seat] += int(cards)
    assert tuple(won) == match.scores
