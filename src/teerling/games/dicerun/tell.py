"""What happens in DiceRun, told in events; what is secret; and why a move is not legal."""

from collections.abc import Sequence
from typing import Any

from teerling.engine import OVER
from teerling.game import Event, Move, Plural, ScoreRow, legal_ids, winners

from . import rules
from .rules import (
    DEALING,
    DEALING_MISSIONS,
    DICE,
    DICE_EACH,
    DISTANCE,
    DISTANCE_NONE,
    DRAWING,
    END_OUTCOME,
    FACES,
    FIRST_DISTANCE,
    FIRST_EXCHANGE,
    FIRST_LAY,
    FIRST_MISSION,
    FIRST_MISSION_OUTCOME,
    FIRST_PLAY,
    FIRST_QUESTION,
    FIRST_REROLL,
    FIRST_SWAP,
    FIRST_TAKE,
    HAND,
    LAYING_MISSIONS,
    MOST_PLAYERS,
    NONE,
    ON_TURN,
    PLAY_SPRINT,
    QUESTION,
    REROLLING,
    ROUNDS,
    SPRINT,
    SWAP,
    SWAP_NONE,
    TAKING,
    THROWING,
    THROWING_TO_START,
    TIE_BREAK,
    State,
)

COLOURS = ("green", "red", "blue", "pink", "purple")
CARDS = (*COLOURS, *"123456", "question", "distance", "sprint", "swap")
DICE_NAMES = tuple(f"{colour} {number}" for colour in COLOURS for number in range(1, FACES + 1))
"""A colour and a number: what a die shows, and what is on a mission."""
MOVERS = CARDS[:QUESTION]
DECISIONS = (
    *(f"play {card}" for card in MOVERS),
    *(f"question {card}" for card in MOVERS),
    *(f"lay {card}" for card in CARDS),
    "sprint",
    *(f"reroll {group}" for group in range(2, DICE + 1)),
    "distance none",
    *(f"distance {group}" for group in range(1, DICE)),
    "swap none",
    *(f"swap {group}" for group in range(2, DICE)),
    *(f"mission {mission}" for mission in DICE_NAMES),
    *(f"exchange {mission}" for mission in DICE_NAMES),
    *(f"take {die}" for die in DICE_NAMES),
)
OUTCOMES = (
    *(f"card {card}" for card in CARDS),
    "card end",
    *(f"die {die}" for die in DICE_NAMES),
    *(f"mission {mission}" for mission in DICE_NAMES),
    *(f"first {seat}" for seat in range(MOST_PLAYERS)),
)

LINES = (("", ""), ("first", "DR-20"), ("second", "DR-20"), ("third", "DR-20"))
LAST_LINE = ("first in the last round", "DR-21")

WORDS: dict[str, str | Plural] = {
    "dealt": "{seat} gets {named}",
    "dealt_unseen": Plural("{seat} gets {count} card", "{seat} gets {count} cards", "count"),
    "race_set": "All dice are thrown and form one group",
    "mission_dealt": Plural(
        "{seat} gets the mission {missions}", "{seat} gets the missions {missions}", "count"
    ),
    "mission_unseen": Plural("{seat} gets a mission", "{seat} gets {count} missions", "count"),
    "begins": "{seat} begins",
    "took": "{seat} takes {die} to throw for the start",
    "took_second": "{seat} takes {die} as well and throws both dice",
    "thrown_to_start": "{seat} throws {dice}: {sum} in all",
    "equal_throws": "{seats} have {sum} each and throw the same dice again",
    "begins_highest": "{seat} has the highest throw, {sum}, and begins; all dice go back as they fell",
    "mission_laid": "{seat} lays the mission {mission} face down",
    "mission_laid_unseen": "{seat} lays a mission face down",
    "exchanged": "{seat} exchanges their mission for {mission}",
    "exchanged_unseen": "{seat} exchanges their mission for another",
    "played": "{seat} plays {a_card}",
    "played_question": "{seat} plays a question mark as {a_card}",
    "moved": Plural("{count} die moves forward", "{count} dice move forward", "count"),
    "new_lead": Plural(
        "The new leading group has {count} die", "The new leading group has {count} dice", "count"
    ),
    "lead_stays": "The whole leading group would move, so it stays",
    "no_effect": "The card has no effect",
    "distance_laid": "{seat} plays a distance card: an empty place behind group {group}",
    "distance_left": Plural(
        "{count} distance card leaves the race", "{count} distance cards leave the race", "count"
    ),
    "sprinted": "{seat} plays a sprint: the last group goes to second place",
    "swapped": "{seat} plays a swap: groups {group} and {behind} change places",
    "laid": "{seat} lays {a_card} face down to throw again",
    "laid_unseen": "{seat} lays a card face down to throw again",
    "discarded": "The card face down in front of {seat} is discarded unseen",
    "thrown_up": "{seat} throws group {group} again",
    "thrown": "Group {group} now shows {dice}",
    "drew": "{seat} draws {a_card}",
    "drew_unseen": "{seat} draws a card",
    "drew_end": "{seat} draws an end-of-round card: round {round} is over",
    "drew_last": "{seat} has drawn the last card: the tie-break is over",
    "brings points in the lead": "1 for each die of your colour, 1 for each of your number",
    "brings rank": "equal ones compare the next group",
    "brings victory cards": "first 3, in the last round 5; second 2, third 1",
    "stays": "Everybody gets a new mission. The dice stay where they are.",
    "stays after tie_break": "Only they get a new mission. It counts when the last card is drawn.",
    "showed": Plural(
        "{seat} shows {mission}: {count} point in the leading group",
        "{seat} shows {mission}: {count} points in the leading group",
        "count",
    ),
    "tied_in_lead": "{seats} are tied in the leading group; group {group} decides",
    "tied_behind": "{seats} are tied there too; group {group} decides",
    "tie_points": Plural(
        "{seat} has {count} point in group {group}", "{seat} has {count} points in group {group}", "count"
    ),
    "still_tied": "{seats} are tied in every group and share their rank",
    "has_behind": Plural("{counts} in group {groups}", "{counts} in groups {groups}", "depth"),
    "has_the_same": "tied in every group",
    "scored": Plural(
        "{seat} is {line}: {points:+d} victory card", "{seat} is {line}: {points:+d} victory cards", "points"
    ),
    "tie_break": "{seats} have the most victory cards and play on with the last pile",
    "game_over": Plural("{seats} wins the game", "{seats} share the win", "count"),
    "take_first": "{seat} first has to take two dice to throw for the start",
    "die_not_there": "there is no {die} left to take",
    "race_is_on": "dice are taken only before the race, to throw for the start",
    "lay_mission_first": "{seat} first has to lay a mission face down",
    "choose_group_first": "a card has been laid face down: first choose the group to throw again",
    "card_not_held": "{seat} does not hold this card: {card}",
    "rerolled_last": "{seat} was the last to throw a group again; somebody else has to do so first",
    "only_lead": "there is only the leading group, and it is never thrown again",
    "lay_card_first": "first lay a card face down, then choose the group to throw again",
    "no_such_group": Plural(
        "there is no group {group}: there is {count} group",
        "there is no group {group}: there are {count} groups",
        "count",
    ),
    "nothing_behind": "there is no group behind group {group}",
    "distance_there": "a distance card already lies behind group {group}",
    "distance_must": "there is room for the distance card, so it has to be laid",
    "swap_must": "two groups can change places, so they have to",
    "missions_are_dealt": "missions are dealt in this match; they are chosen only with variable missions",
    "mission_lies": "missions are laid at the start of a round; now one can be exchanged",
    "mission_not_held": "{seat} does not have the mission {mission}",
    "mission_in_front": "{mission} already is the mission that counts",
    "exchanged_once": "{seat} has already exchanged a mission this turn",
    "ask_turn": "Play a card, or lay one face down to throw a group again.",
    "ask_card": "Play one of your cards.",
    "ask_turn_exchange": "Play a card, or lay one face down to throw a group again. Before that you may "
    "exchange your mission.",
    "ask_card_exchange": "Play one of your cards. Before that you may exchange your mission.",
    "ask_group": "Choose the group to throw again: any but the leading one.",
    "ask_die": "Take a die to throw again, then another: the highest sum begins. Both go back as they fall, "
    "so leave the dice that help you.",
    "ask_second_die": "Take a second die: then both are thrown.",
    "ask_mission": "Lay one of your missions face down in front of you: it counts at the end of this round.",
}
TO_YOU: dict[str, str | Plural] = {
    "dealt": "You get {named}",
    "dealt_unseen": Plural("You get {count} card", "You get {count} cards", "count"),
    "mission_dealt": Plural("You get the mission {missions}", "You get the missions {missions}", "count"),
    "mission_unseen": Plural("You get a mission", "You get {count} missions", "count"),
    "begins": "You begin",
    "took": "You take {die} to throw for the start",
    "took_second": "You take {die} as well and throw both dice",
    "thrown_to_start": "You throw {dice}: {sum} in all",
    "begins_highest": "You have the highest throw, {sum}, and begin; all dice go back as they fell",
    "mission_laid": "You lay the mission {mission} face down",
    "mission_laid_unseen": "You lay a mission face down",
    "exchanged": "You exchange your mission for {mission}",
    "exchanged_unseen": "You exchange your mission for another",
    "played": "You play {a_card}",
    "played_question": "You play a question mark as {a_card}",
    "distance_laid": "You play a distance card: an empty place behind group {group}",
    "sprinted": "You play a sprint: the last group goes to second place",
    "swapped": "You play a swap: groups {group} and {behind} change places",
    "laid": "You lay {a_card} face down to throw again",
    "laid_unseen": "You lay a card face down to throw again",
    "discarded": "The card face down in front of you is discarded unseen",
    "thrown_up": "You throw group {group} again",
    "drew": "You draw {a_card}",
    "drew_unseen": "You draw a card",
    "drew_end": "You draw an end-of-round card: round {round} is over",
    "drew_last": "You have drawn the last card: the tie-break is over",
    "showed": Plural(
        "You show {mission}: {count} point in the leading group",
        "You show {mission}: {count} points in the leading group",
        "count",
    ),
    "tie_points": Plural(
        "You have {count} point in group {group}", "You have {count} points in group {group}", "count"
    ),
    "scored": Plural(
        "You are {line}: {points:+d} victory card", "You are {line}: {points:+d} victory cards", "points"
    ),
    "game_over": "You win the game",
    "take_first": "You first have to take two dice to throw for the start",
    "lay_mission_first": "You first have to lay a mission face down",
    "card_not_held": "You do not hold this card: {card}",
    "rerolled_last": "You were the last to throw a group again; somebody else has to do so first",
    "mission_not_held": "You do not have the mission {mission}",
    "exchanged_once": "You have already exchanged a mission this turn",
}
"""The same sentences, as they are said to whom they tell about."""
CARD_TERMS = (*COLOURS, *range(1, FACES + 1), "question mark", "distance", "sprint", "swap")
A_CARD = (
    *(f"a {colour} card" for colour in COLOURS), *(f"a {number}" for number in range(1, FACES + 1)),
    "a question mark", "a distance card", "a sprint", "a swap",
)  # fmt: skip
"""The cards as sentences name them."""
TERMS = (
    *COLOURS, "question mark", "distance", "sprint", "swap", *A_CARD, *DICE_NAMES,
    *(name for name, _ in LINES[1:]), LAST_LINE[0], "mission", "points in the lead", "rank", "victory cards",
)  # fmt: skip


def secret(s: State, move: Move, seat: int) -> bool:
    """DR-04, DR-05, DR-15, DR-30: cards and missions are seen only by who gets or lays them."""
    if not move.chance:
        hidden = FIRST_LAY <= move.id < PLAY_SPRINT or FIRST_MISSION <= move.id < FIRST_TAKE
        return hidden and seat != s.turn
    if s.phase == DRAWING:
        return move.id != END_OUTCOME and seat != s.mover
    return s.phase in (DEALING, DEALING_MISSIONS) and seat != s.dealt_to


def evident(s: State) -> bool:
    """G-01: a last mission and a last group are forced for all to see; a hand is not."""
    return s.phase != ON_TURN


def rests(s: State, p: int) -> bool:
    """DR-23: whether a seat looks on while those who are tied play on."""
    return not rules.plays_on(s, p)


def begins_picture(before: Event, event: Event) -> bool:
    """One thing is seen after another: a card, the end of the round, and how the next begins."""
    dealt = ("mission_dealt", "mission_unseen")
    return event.kind in ("drew_end", "drew_last", "game_over") or (
        event.kind in dealt and before.kind not in dealt
    )


def pictured(
    before: State, move: Move, after: State, told: Sequence[Event], coming: Sequence[Event]
) -> State:
    """DR-16: when a round is over, the next missions have not been dealt yet."""
    return after


def tell(before: State, move: Move, after: State) -> list[Event]:
    """What a move brought about, from what was known before and after it."""
    if not move.chance:
        return _told_decision(before, move, after)
    if before.phase == DEALING:
        return _told_deal(before, after)
    if before.phase == THROWING:
        return _told_throw(before, after)
    if before.phase == DRAWING:
        return _told_draw(before, move, after)
    if before.phase == THROWING_TO_START:
        return _told_start_throw(before, move, after)
    if before.phase == DEALING_MISSIONS:
        return [*_told_missions(before, move, after), *_told_end(before, after)]
    return [Event("begins", "DR-06", after.mover)]


def _told_decision(before: State, move: Move, after: State) -> list[Event]:
    p, word, known = before.turn, move.parts[0], move.id >= 0
    if word == "lay":
        return _told_lay(before, move, p)
    if word in ("mission", "exchange"):
        kind = "mission_laid" if word == "mission" else "exchanged"
        data = {"mission": " ".join(move.parts[1:])} if known else {}
        return [Event(kind if known else f"{kind}_unseen", "DR-30", p, data)]
    if word == "take":
        kind = "took" if before.taken[p, 0] == NONE else "took_second"
        return [Event(kind, "DR-06", p, {"die": " ".join(move.parts[1:])})]
    if word == "reroll":
        return [Event("thrown_up", "DR-15", p, {"group": int(move.parts[1])})]
    if word == "play":
        card = move.id - FIRST_PLAY
        return [Event("played", "DR-09", p, _card(card)), *_told_advance(before, after, card)]
    if word == "question":
        card = move.id - FIRST_QUESTION
        played = Event("played_question", "DR-11", p, _card(card))
        return [played, *_told_advance(before, after, card)]
    return _told_special(before, move, after)


def _card(sort: int) -> dict[str, Any]:
    """A card, alone and as a sentence names it."""
    return {"card": CARD_TERMS[sort], "a_card": A_CARD[sort]}


def _told_lay(before: State, move: Move, p: int) -> list[Event]:
    events = [Event("laid_unseen", "DR-15", p)]
    if move.id >= 0:
        events = [Event("laid", "DR-15", p, _card(move.id - FIRST_LAY))]
    if before.reroller != NONE:
        events.append(Event("discarded", "DR-15", before.reroller))
    return events


def _told_advance(before: State, after: State, card: int) -> list[Event]:
    """DR-10: which dice moved, and whether the lead has split."""
    moved = advancing(before, card)
    leaders = [die for die in range(DICE) if before.place[die] == 0 and rules.matches(before, die, card)]
    splits = rules.lead_splits(before, card)
    events = []
    if leaders and not splits:
        events.append(Event("lead_stays", "DR-10"))
    if not moved:
        return [*events, Event("no_effect", "DR-07")]
    events.append(Event("moved", "DR-10", data={"count": len(moved), "dice": moved}))
    if splits:
        events.append(Event("new_lead", "DR-10", data={"count": len(leaders)}))
    return events + _told_distances(before, after, "DR-12")


def advancing(s: State, card: int) -> list[int]:
    """DR-10: the dice a card moves."""
    splits = rules.lead_splits(s, card)
    return [die for die in range(DICE) if rules.advances(s, die, card, splits)]


def _told_distances(before: State, after: State, rule: str) -> list[Event]:
    left = rules.distances(before) - rules.distances(after)
    return [Event("distance_left", rule, data={"count": left})] if left else []


def _told_special(before: State, move: Move, after: State) -> list[Event]:
    """DR-12, DR-13, DR-14: a distance, a sprint or a swap, with or without effect."""
    p, word = before.turn, move.parts[0]
    rule = {"distance": "DR-12", "sprint": "DR-13", "swap": "DR-14"}[word]
    if move.id in (DISTANCE_NONE, SWAP_NONE) or (word == "sprint" and _unmoved(before, after)):
        return [Event("played", rule, p, _card(CARDS.index(word))), Event("no_effect", rule)]
    if word == "sprint":
        last = [die for die in range(DICE) if before.place[die] == rules.last_place(before)]
        return [Event("sprinted", rule, p, {"dice": last}), *_told_distances(before, after, rule)]
    group = int(move.parts[1])
    if word == "distance":
        return [Event("distance_laid", rule, p, {"group": group})]
    both = [die for die in range(DICE) if before.place[die] != after.place[die]]
    return [Event("swapped", rule, p, {"group": group, "behind": group + 1, "dice": both})]


def _unmoved(before: State, after: State) -> bool:
    return all(before.place[die] == after.place[die] for die in range(DICE))


def _told_deal(before: State, after: State) -> list[Event]:
    """DR-04: a hand, once it is complete."""
    p = before.dealt_to
    if rules.cards_in_hand(after, p) < HAND:
        return []
    cards = _cards_of(after, p, CARD_TERMS)
    if not cards:
        return [Event("dealt_unseen", "DR-04", p, {"count": HAND})]
    return [Event("dealt", "DR-04", p, {"cards": cards, "named": _cards_of(after, p, A_CARD)})]


def _cards_of(s: State, p: int, names: Sequence[str | int]) -> list[str | int]:
    """The cards of a hand that are known, by these names."""
    return [names[sort] for sort in range(rules.SORTS) for _ in range(s.hands[p, sort])]


def _told_throw(before: State, after: State) -> list[Event]:
    """DR-05, DR-15: the dice, once the last has come down."""
    if after.phase == THROWING:
        return []
    if before.round == 0:
        return [Event("race_set", "DR-05")]
    place = before.place[before.die]
    dice = [die for die in range(DICE) if after.place[die] == place]
    group = _group_at(after, place)
    shown = [
        [colour, *sorted(after.number[die] for die in dice if die // DICE_EACH == sort)]
        for sort, colour in enumerate(COLOURS)
        if any(die // DICE_EACH == sort for die in dice)
    ]
    return [Event("thrown", "DR-15", data={"group": group, "dice": shown, "pieces": dice})]


def _told_start_throw(before: State, move: Move, after: State) -> list[Event]:
    """DR-06: two dice, once both have come down; and when all have thrown, who begins."""
    p = before.mover
    dice = [before.taken[p, 0], before.taken[p, 1]]
    if before.die == dice[0]:
        return []
    first = rules.shown_by(before, dice[0])
    last = dice[1] // DICE_EACH * FACES + int(move.parts[2]) - 1
    sums = [rules.thrown_to_start(before, q) for q in range(before.players)]
    sums[p] = first % FACES + last % FACES + 2
    thrown = {"dice": [DICE_NAMES[first], DICE_NAMES[last]], "sum": sums[p], "pieces": dice}
    events = [Event("thrown_to_start", "DR-06", p, thrown)]
    if after.round > 0:
        events.append(Event("begins_highest", "DR-06", after.mover, {"sum": max(sums)}))
    elif after.phase == THROWING_TO_START and after.mover <= p:
        equal = [q for q in range(after.players) if after.taken[q, 0] != NONE]
        events.append(Event("equal_throws", "DR-06", data={"seats": equal, "sum": max(sums)}))
    return events


def _told_missions(before: State, move: Move, after: State) -> list[Event]:
    """DR-05, DR-16, DR-23, DR-30: missions, once a seat has all it gets."""
    p = before.dealt_to
    if after.dealt_to == p and after.phase == DEALING_MISSIONS:
        return []
    rule = "DR-23" if before.round == TIE_BREAK else "DR-05" if before.round == 0 else "DR-16"
    count = rules.missions_due(before)
    if count > 1:
        rule = "DR-30"
    if move.id < 0:
        return [Event("mission_unseen", rule, p, {"count": count})]
    last = move.id - FIRST_MISSION_OUTCOME
    missions = [DICE_NAMES[m] for m in range(rules.MISSIONS) if before.holder[m] == p or m == last]
    return [Event("mission_dealt", rule, p, {"missions": missions, "count": count})]


def _told_draw(before: State, move: Move, after: State) -> list[Event]:
    """DR-07, DR-16: a card, or the end of a round."""
    p = before.mover
    if move.id == END_OUTCOME:
        return [Event("drew_end", "DR-16", p, {"round": before.round}), *_told_end(before, after)]
    if move.id < 0:
        drew = Event("drew_unseen", "DR-07", p)
    else:
        drew = Event("drew", "DR-07", p, _card(move.id))
    if before.round == TIE_BREAK and after.turn == OVER:
        return [drew, Event("drew_last", "DR-23", p), *_told_end(before, after)]
    return [drew]


def _told_end(before: State, after: State) -> list[Event]:
    """DR-16 to DR-23: the scoring of a round, and the end of the game or a tie-break."""
    if after.round == before.round and after.turn != OVER:
        return []
    if before.round == 0:
        return []
    seats = [p for p in range(after.players) if after.shown[p] != NONE]
    events = []
    for p in seats:
        data = {"mission": DICE_NAMES[after.shown[p]], "count": after.points[p], "rank": after.rank[p]}
        events.append(Event("showed", "DR-31" if after.mission_bonus else "DR-18", p, data))
    events += _told_ties(after, seats)
    if before.round <= ROUNDS:
        for p in sorted(seats, key=lambda p: after.rank[p]):
            points = after.victory[p] - before.victory[p]
            if points:
                first_of_last = before.round == ROUNDS and after.rank[p] == 1
                line, rule = LAST_LINE if first_of_last else LINES[after.rank[p]]
                events.append(Event("scored", rule, p, {"points": points, "line": line}))
    if after.turn == OVER:
        won = winners(rules, after)
        rule = "DR-23" if before.round == TIE_BREAK else "DR-22"
        events.append(Event("game_over", rule, data={"seats": won, "count": len(won)}))
    elif after.round == TIE_BREAK:
        tied = [p for p in range(after.players) if rules.plays_on(after, p)]
        events.append(Event("tie_break", "DR-23", data={"seats": tied}))
    return events


def _told_ties(s: State, seats: list[int]) -> list[Event]:
    """DR-19: who was tied in the leading group, and what decided."""
    events = []
    for points in sorted({s.points[p] for p in seats}, reverse=True):
        events += _told_tie(s, [p for p in seats if s.points[p] == points], 0)
    return events


def _told_tie(s: State, tied: list[int], place: int) -> list[Event]:
    """DR-19, DR-20: the first group behind a place in which these seats differ, or that there is none."""
    if len(tied) < 2:
        return []
    for other in range(place + 1, rules.last_place(s) + 1):
        points = {p: rules.points_at(s, s.shown[p], other) for p in tied}
        if len(set(points.values())) > 1:
            group = _group_at(s, other)
            kind = "tied_in_lead" if place == 0 else "tied_behind"
            events = [Event(kind, "DR-19", data={"seats": tied, "group": group})]
            ordered = sorted(tied, key=lambda p: -points[p])
            data = [{"count": points[p], "group": group} for p in ordered]
            events += [Event("tie_points", "DR-19", p, each) for p, each in zip(ordered, data, strict=True)]
            for count in sorted(set(points.values()), reverse=True):
                events += _told_tie(s, [p for p in tied if points[p] == count], other)
            return events
    return [Event("still_tied", "DR-20", data={"seats": tied})]


def _group_at(s: State, place: int) -> int:
    """DR-08: the number of the group at a place."""
    taken = rules.places_taken(s)
    return sum(rules.has(taken, other) for other in range(place + 1))


def why(s: State, move: Move) -> Event | None:
    """Why a decision is not legal; None if it is."""
    if move.id in legal_ids(rules, s):
        return None
    if s.phase == TAKING or move.id >= FIRST_TAKE:
        return _why_not_take(s, move)
    if s.phase == LAYING_MISSIONS and not FIRST_MISSION <= move.id < FIRST_EXCHANGE:
        return Event("lay_mission_first", "DR-30", s.turn)
    if s.phase == REROLLING and not FIRST_REROLL <= move.id < DISTANCE_NONE:
        return Event("choose_group_first", "DR-15")
    if move.id >= FIRST_MISSION:
        return _why_not_mission(s, move)
    if FIRST_REROLL <= move.id < DISTANCE_NONE:
        return _why_not_reroll(s, move.id - FIRST_REROLL + 2)
    if FIRST_LAY <= move.id < PLAY_SPRINT:
        return _why_not_lay(s, move.id - FIRST_LAY)
    card = _card_of(move)
    if s.hands[s.turn, card] == 0:
        return Event("card_not_held", "DR-07", s.turn, {"card": CARD_TERMS[card]})
    return _why_not_distance(s, move) if card == DISTANCE else _why_not_swap(s, move)


def _card_of(move: Move) -> int:
    """The card that a decision plays."""
    if move.id < FIRST_QUESTION:
        return move.id - FIRST_PLAY
    if move.id < FIRST_LAY:
        return QUESTION
    if move.id == PLAY_SPRINT:
        return SPRINT
    return DISTANCE if move.id < SWAP_NONE else SWAP


def _why_not_take(s: State, move: Move) -> Event:
    if s.phase != TAKING:
        return Event("race_is_on", "DR-06")
    if move.id < FIRST_TAKE:
        return Event("take_first", "DR-06", s.turn)
    return Event("die_not_there", "DR-06", data={"die": DICE_NAMES[move.id - FIRST_TAKE]})


def _why_not_mission(s: State, move: Move) -> Event:
    exchange = move.id >= FIRST_EXCHANGE
    mission = move.id - (FIRST_EXCHANGE if exchange else FIRST_MISSION)
    data = {"mission": DICE_NAMES[mission]}
    if not s.variable_missions:
        return Event("missions_are_dealt", "DR-30")
    if not exchange and s.phase != LAYING_MISSIONS:
        return Event("mission_lies", "DR-30")
    if exchange and s.exchanged:
        return Event("exchanged_once", "DR-30", s.turn)
    if s.front[s.turn] == mission:
        return Event("mission_in_front", "DR-30", data=data)
    return Event("mission_not_held", "DR-30", s.turn, data)


def _why_not_reroll(s: State, group: int) -> Event:
    if s.phase != REROLLING:
        return Event("lay_card_first", "DR-15")
    return Event("no_such_group", "DR-15", data={"group": group, "count": rules.groups(s)})


def _why_not_lay(s: State, card: int) -> Event:
    if rules.last_place(s) == 0:
        return Event("only_lead", "DR-15")
    if s.reroller == s.turn:
        return Event("rerolled_last", "DR-15", s.turn)
    return Event("card_not_held", "DR-15", s.turn, {"card": CARD_TERMS[card]})


def _why_not_distance(s: State, move: Move) -> Event:
    if move.id == DISTANCE_NONE:
        return Event("distance_must", "DR-12")
    group = move.id - FIRST_DISTANCE + 1
    kind = "nothing_behind" if group >= rules.groups(s) else "distance_there"
    return Event(kind, "DR-12", data={"group": group})


def _why_not_swap(s: State, move: Move) -> Event:
    if move.id == SWAP_NONE:
        return Event("swap_must", "DR-14")
    return Event("nothing_behind", "DR-14", data={"group": move.id - FIRST_SWAP + 2})


def ask(s: State) -> Event:
    """What the player to decide is asked."""
    if s.phase == LAYING_MISSIONS:
        return Event("ask_mission", "DR-30", s.turn)
    if s.phase == REROLLING:
        return Event("ask_group", "DR-15", s.turn)
    if s.phase == TAKING:
        return Event("ask_die" if s.taken[s.turn, 0] == NONE else "ask_second_die", "DR-06", s.turn)
    legal = legal_ids(rules, s)
    may_throw = any(FIRST_LAY <= id < PLAY_SPRINT for id in legal)
    may_exchange = any(id >= FIRST_EXCHANGE for id in legal)
    kind = ("ask_turn" if may_throw else "ask_card") + ("_exchange" if may_exchange else "")
    return Event(kind, "DR-07", s.turn)


def _what_decided(events: Sequence[Event]) -> dict[int, Event]:
    """DR-19, DR-20: by seat, the points in other groups that decided a tie, or that none did."""
    found: dict[int, Event] = {}
    for event in events:
        if event.kind == "tie_points" and event.seat is not None:
            known = found[event.seat].data if event.seat in found else {"counts": [], "groups": []}
            counts, groups = [*known["counts"], event.data["count"]], [*known["groups"], event.data["group"]]
            told = {"counts": counts, "groups": groups, "depth": len(groups)}
            found[event.seat] = Event("has_behind", event.rule, event.seat, told)
        elif event.kind == "still_tied":
            found |= {p: Event("has_the_same", event.rule, p) for p in event.data["seats"]}
    return found


EQUAL = ("tied_in_lead", "tied_behind", "still_tied")
"""DR-19, DR-20: what tells who are equal in a scoring."""


def ties(events: Sequence[Event]) -> list[Event]:
    """DR-23: who had the most victory cards, and how the missions of the tie-break decided."""
    begun = next((place for place, event in enumerate(events) if event.kind == "tie_break"), len(events))
    kinds = ("tie_break", "showed", "tie_points", *EQUAL)
    return [event for event in events[begun:] if event.kind in kinds]


def score_rows(events: Sequence[Event]) -> list[ScoreRow]:
    """DR-16 to DR-21: a round, line by line: missions, points in the lead, ranks and victory cards.

    Who are equal is told where their points are, and who play on (DR-23) below the victory cards.
    """
    shown = {int(event.seat or 0): event.data for event in events if event.kind == "showed"}
    won = {int(event.seat or 0): event.data["points"] for event in events if event.kind == "scored"}
    counts = {p: str(data["count"]) for p, data in shown.items()}
    ranks = {p: str(data["rank"]) for p, data in shown.items()}
    equal = [event for event in events if event.kind in EQUAL]
    rows = [
        ScoreRow("mission", "DR-16", {p: data["mission"] for p, data in shown.items()}),
        ScoreRow("points in the lead", "DR-18", counts, notes=equal),
        ScoreRow("rank", "DR-19", ranks, _what_decided(events)),
    ]
    if won:
        playing_on = [event for event in events if event.kind == "tie_break"]
        cards = {p: won.get(p, 0) for p in shown}
        rows.append(ScoreRow("victory cards", "DR-20", cards, notes=playing_on))
    return rows
