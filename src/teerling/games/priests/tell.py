"""What happens in Priests of Ra, told in events, and why a move is not legal."""

from collections.abc import Sequence
from typing import Any

from teerling.engine import SPECTATOR
from teerling.game import Event, Move, Plural, legal_ids, winners

from ..auction.rules import (
    BIDDING,
    DEALING,
    DRAW,
    EPOCHS,
    FINISHED,
    FIRST_OWN_DECISION,
    INVOKE,
    STOP,
    give_turn,
    row_is_full,
)
from ..auction.tell import (
    SHARED_DECISIONS,
    SOLD,
    STACKS,
    Scored,
    Teller,
    chance_of,
    lot,
    sale,
    speaking,
    won_by,
)
from ..auction.tell import TO_YOU as SHARED_TO_YOU
from ..auction.tell import WORDS as SHARED_WORDS
from . import rules
from .rules import FIRST_FLIP, FIRST_LAY, FIRST_SIDE, FLIPPING, LAYING, PLAGUE, PRIEST, RA, State

ONE_SIDED = ("ra", "priest", "plague", "pyramid")
PROFESSIONS_AND_TOMBS = (
    "farmer", "warrior", "merchant", "scribe", "tomb a", "tomb b", "tomb c", "tomb d",
)  # fmt: skip
BUILDINGS = ("granary", "fortress", "market", "library")
COLOURS = ("", " red", " blue", " green", " yellow")
"""The first colour goes without saying: a game with one colour has no other."""
TILES = (
    *ONE_SIDED, "farmer/warrior", "merchant/scribe", "tomb a/b", "tomb c/d",
    *(f"granary/fortress{colour}" for colour in COLOURS),
    *(f"market/library{colour}" for colour in COLOURS),
)  # fmt: skip
SIDES = (
    *ONE_SIDED, *PROFESSIONS_AND_TOMBS,
    *(f"{side}{colour}" for colour in COLOURS for side in BUILDINGS[:2]),
    *(f"{side}{colour}" for colour in COLOURS for side in BUILDINGS[2:]),
)  # fmt: skip
LAYS = (*PROFESSIONS_AND_TOMBS, *BUILDINGS)
LINES = (
    ("farmers", "PR-21"), ("warriors", "PR-21"), ("merchants", "PR-21"), ("scribes", "PR-21"),
    ("buildings", "PR-23"), ("types of building", "PR-23"), ("priests", "PR-24"), ("plagues", "PR-25"),
    ("step pyramid", "PR-26"), ("tombs", "PR-27"), ("ankhs", "PR-28"), ("suns", "PR-29"),
    ("not below zero", "PR-20"),
)  # fmt: skip
DECISIONS = (
    *SHARED_DECISIONS, *(f"lay {side}" for side in LAYS), *(f"flip {side}" for side in SIDES[FIRST_SIDE:]),
)  # fmt: skip
OUTCOMES = (*(f"tile {tile}" for tile in TILES), *STACKS)

WORDS: dict[str, str | Plural] = {
    **SHARED_WORDS,
    "has": "{count}",
    "has_most": "{count}, most",
    "has_complete": "{count} complete",
    "has_types": Plural("{count} type", "{count} types", "count"),
    "has_stones": Plural("{count} stone", "{count} stones", "count"),
    "has_alike": Plural("{count} tomb", "{count} alike", "count"),
    "has_ankhs": Plural("{count} ankh", "{count} ankhs", "count"),
    **{f"brings {profession}": "most, 2 or more: +5" for profession, _ in LINES[:4]},
    "brings buildings": "2 for each complete one",
    "brings types of building": "3 types +5, 4 +10",
    "brings priests": "2 each",
    "brings plagues": "1: −1, 2: −3, 3: −6, 4: −10",
    "brings step pyramid": "3 stones +5, 6 +10, 10 +20",
    "brings tombs": "3 alike +5, 4 +10",
    "brings ankhs": "2 ankhs +5, 3 +10, 4 +20",
    "stays": "Professions and priests leave the game. Buildings, plagues, pyramids, tombs and ankhs stay.",
    "laid": "{seat} lays this side up: {tile}",
    "may_flip": Plural(
        "{seat} has won {count} priest and may turn over {count} tile",
        "{seat} has won {count} priests and may turn over {count} tiles",
        "count",
    ),
    "flipped": "{seat} turns over a tile: {tile} becomes {other}",
    "stopped": "{seat} leaves the tiles as they lie",
    "took_ankhs": Plural("{seat} takes {count} ankh", "{seat} takes {count} ankhs", "count"),
    "gave_back_plague": "{seat} has enough priests to give back a plague",
    "choose_side": "{seat} has drawn {tile} and first has to choose which side lies up",
    "no_such_side": "the tile drawn is {tile}; it has no such side: {side}",
    "still_flipping": Plural(
        "{seat} may still turn over {count} tile, or stop",
        "{seat} may still turn over {count} tiles, or stop",
        "count",
    ),
    "nothing_to_lay": "no tile has been drawn that could lie either side up",
    "no_flip": "tiles are turned over only just after winning priests",
    "tile_not_owned": "{seat} does not have this tile: {tile}",
    "ask_turn": "Draw a tile, or invoke Ra to have the row auctioned.",
    "ask_lay": "You have drawn a tile with two sides: choose which one lies up.",
    "ask_flip": Plural(
        "A priest lets you turn over {count} tile of your display; or stop.",
        "Your priests let you turn over {count} tiles of your display; or stop.",
        "count",
    ),
}
TO_YOU: dict[str, str | Plural] = {
    **SHARED_TO_YOU,
    "laid": "You lay this side up: {tile}",
    "may_flip": Plural(
        "You have won {count} priest and may turn over {count} tile",
        "You have won {count} priests and may turn over {count} tiles",
        "count",
    ),
    "flipped": "You turn over a tile: {tile} becomes {other}",
    "stopped": "You leave the tiles as they lie",
    "took_ankhs": Plural("You take {count} ankh", "You take {count} ankhs", "count"),
    "gave_back_plague": "You have enough priests to give back a plague",
    "choose_side": "You have drawn {tile} and first have to choose which side lies up",
    "still_flipping": Plural(
        "You may still turn over {count} tile, or stop",
        "You may still turn over {count} tiles, or stop",
        "count",
    ),
    "tile_not_owned": "You do not have this tile: {tile}",
}
"""The same sentences, as they are said to whom they tell about."""
LEAVING = (*range(rules.FIRST_PROFESSION, rules.LAST_PROFESSION + 1), PRIEST)
"""What leaves the displays after every epoch."""
NOUNS: dict[str, str | Plural] = {
    "ra": Plural("Ra", "{count} Ra tiles", "count"),
    "priest": Plural("priest", "{count} priests", "count"),
    "plague": Plural("plague", "{count} plagues", "count"),
    "pyramid": Plural("pyramid", "{count} pyramids", "count"),
    "farmer": Plural("farmer", "{count} farmers", "count"),
    "warrior": Plural("warrior", "{count} warriors", "count"),
    "merchant": Plural("merchant", "{count} merchants", "count"),
    "scribe": Plural("scribe", "{count} scribes", "count"),
    **{
        f"tomb {letter}": Plural(f"tomb {letter.upper()}", f"{{count}} tombs {letter.upper()}", "count")
        for letter in "abcd"
    },
    "tomb a/b": "tomb A/B",
    "tomb c/d": "tomb C/D",
    **{
        f"{side}{colour}": Plural(f"{colour} {side}".strip(), f"{{count}}{colour} {sides}", "count")
        for side, sides in zip(BUILDINGS, ("granaries", "fortresses", "markets", "libraries"), strict=True)
        for colour in COLOURS
    },
    **{
        f"{pair}{colour}": f"{colour} {pair}".strip()
        for pair in ("granary/fortress", "market/library")
        for colour in COLOURS
    },
}
FACES = tuple(dict.fromkeys(side.split()[0].capitalize() for side in SIDES))
"""The words on the tiles; a tomb's letter and a building's colour are marks."""
TERMS = tuple(dict.fromkeys((*TILES, *SIDES, *FACES, *(name for name, _ in LINES), "ankh", "offer row")))

teller = Teller(
    {
        "dealt": "PR-04", "drew": "PR-08", "drew_ra": "PR-08", "invoked": "PR-07", "row_full": "PR-07",
        "bid": "PR-09", "passed": "PR-09", "won": "PR-09", "nobody": "PR-09", "nobody_full": "PR-09",
        "epoch_over": "PR-12", "epoch_over_ra": "PR-12", "begins": "PR-12", "game_over": "PR-30",
        "auction_on": "PR-09", "row_is_full": "PR-07", "no_auction": "PR-09", "must_bid": "PR-09",
        "sun_not_owned": "PR-09", "sun_face_down": "PR-09", "sun_too_low": "PR-09",
        "ask_bid": "PR-09", "ask_bid_over": "PR-09", "ask_last_bid": "PR-09", "ask_last_bid_over": "PR-09",
        "ask_full_bid": "PR-09", "ask_full_last_bid": "PR-09",
        "ask_must_bid": "PR-09", "won_sun": "PR-09", "nobody_empty": "PR-09",
        "ask_empty": "PR-09", "ask_empty_over": "PR-09", "ask_empty_must": "PR-09",
        "row_left": "PR-12", "left": "PR-20", "tie_broken": "PR-30",
    },
    LINES,
    SIDES,
)  # fmt: skip


def tell(before: State, move: Move, after: State) -> list[Event]:
    """What a move brought about, from what was known before and after it."""
    events = _told_move(before, move, after)
    end = teller.epoch(before, after, lambda: teller.accounts(_settled(before, move), after, _had))
    if end:
        settled = _settled(before, move)
        displays, scoring = _told_displays(settled, after), teller.scoring(settled, after, LEAVING)
        events += [*end, *displays, *scoring, *teller.outcome(after, winners(rules, after))]
    return events


def _had(settled: State, p: int, after: State) -> list[Event]:
    """PR-21 to PR-28: what a seat had on each line, as a reason for what it got."""
    own = [int(settled.tiles[p, side]) for side in range(len(SIDES))]
    complete = [
        int(rules.complete_buildings(settled, p, rules.BUILDINGS[i])) for i in range(rules.BUILDING_TYPES)
    ]
    found = [
        _has("has_most" if after.scored[p, line] else "has", line, p, own[rules.FIRST_PROFESSION + line])
        for line in range(rules.PROFESSIONS)
    ]
    found += [
        _has("has_complete", rules.BUILDINGS_LINE, p, sum(complete)),
        _has("has_types", rules.BUILDING_TYPES_LINE, p, sum(count > 0 for count in complete)),
        _has("has", rules.PRIESTS_LINE, p, own[PRIEST]),
        _has("has", rules.PLAGUES_LINE, p, int(after.tiles[p, PLAGUE])),
    ]
    if settled.epoch == EPOCHS:
        alike = max(own[tomb] for tomb in range(rules.FIRST_TOMB, rules.LAST_TOMB + 1))
        found += [
            _has("has_stones", rules.PYRAMID_LINE, p, int(rules.stones_of(settled, p))),
            _has("has_alike", rules.TOMBS_LINE, p, alike),
            _has("has_ankhs", rules.ANKHS_LINE, p, int(after.ankhs[p])),
        ]
    return found


def _has(kind: str, line: int, p: int, count: int) -> Event:
    """What a seat had on a line; nothing is called that."""
    name, rule = LINES[line]
    return Event(kind if count else "has_none", rule, p, {"line": name, "count": count})


def _settled(before: State, move: Move) -> State:
    """The displays after the last move of an epoch, before it is scored."""
    if move.chance or move.id == STOP:
        return before
    settled = won_by(before, move) if before.phase == BIDDING else None
    if settled is None:
        settled = before.copy()
        rules.turn_tile(settled, before.turn, move.id - FIRST_FLIP + FIRST_SIDE)
    return settled


def pictured(
    before: State, move: Move, after: State, told: Sequence[Event], coming: Sequence[Event]
) -> State:
    """PR-20: all lies in the displays and in the rows until an epoch has been scored."""
    sold = sale(before, move) if told[-1].kind in SOLD else None
    if sold is not None or not coming:
        return after if sold is None else sold
    shown = _settled(before, move).copy()
    shown.ra_tiles += move.chance and move.id == RA
    give_turn(shown, shown.mover if move.chance else shown.turn)
    return shown


def _told_move(before: State, move: Move, after: State) -> list[Event]:
    if move.chance and before.phase == DEALING:
        return teller.deal(before, after)
    if move.chance:
        return teller.draw_ra(before) if move.id == RA else teller.draw(before, TILES[move.id])
    if move.id == DRAW:
        return []
    if move.id == INVOKE:
        return teller.invoke(before)
    if move.id == STOP:
        return [Event("stopped", "PR-10", before.turn)]
    if move.id < FIRST_LAY:
        return [*teller.bid(before, move), *_told_priests(after)]
    if move.id < FIRST_FLIP:
        side = rules.side_of(before.in_hand, (move.id - FIRST_LAY) % 2)
        return [Event("laid", "PR-08", before.turn, {"tile": SIDES[side]})]
    side = move.id - FIRST_FLIP + FIRST_SIDE
    data = {"tile": SIDES[side], "other": SIDES[rules.other_side(side)]}
    return [Event("flipped", "PR-10", before.turn, data)]


def _told_priests(after: State) -> list[Event]:
    """How many tiles somebody who has just won may turn over."""
    if after.phase != FLIPPING:
        return []
    return [Event("may_flip", "PR-10", after.turn, {"count": after.flips})]


def _told_displays(settled: State, after: State) -> list[Event]:
    """Ankhs that were taken and plagues that were given back at the end of an epoch."""
    events = []
    for p in range(after.players):
        ankhs = after.ankhs[p] - settled.ankhs[p]
        if ankhs > 0:
            events.append(Event("took_ankhs", "PR-22", p, {"count": ankhs}))
        if after.tiles[p, PLAGUE] < settled.tiles[p, PLAGUE]:
            events.append(Event("gave_back_plague", "PR-24", p))
    return events


def why(s: State, move: Move) -> Event | None:
    """Why a decision is not legal; None if it is."""
    if move.id in legal_ids(rules, s):
        return None
    if s.phase == LAYING:
        return _why_not_before_laying(s, move)
    if s.phase == FLIPPING:
        return _why_not_while_flipping(s, move)
    if s.phase == BIDDING and (move.id == STOP or move.id >= FIRST_OWN_DECISION):
        return teller.event("auction_on")
    if move.id == STOP or move.id >= FIRST_FLIP:
        return Event("no_flip", "PR-10")
    if move.id >= FIRST_LAY:
        return Event("nothing_to_lay", "PR-08")
    return teller.why(s, move)


def _why_not_before_laying(s: State, move: Move) -> Event:
    drawn = TILES[s.in_hand]
    if FIRST_LAY <= move.id < FIRST_FLIP:
        data = {"tile": drawn, "side": LAYS[move.id - FIRST_LAY]}
        return Event("no_such_side", "PR-08", data=data)
    return Event("choose_side", "PR-08", s.turn, {"tile": drawn})


def _why_not_while_flipping(s: State, move: Move) -> Event:
    if move.id >= FIRST_FLIP:
        side = SIDES[move.id - FIRST_FLIP + FIRST_SIDE]
        return Event("tile_not_owned", "PR-10", s.turn, {"tile": side})
    return Event("still_flipping", "PR-10", s.turn, {"count": s.flips})


def ask(s: State) -> Event:
    """What the player to decide is asked."""
    if s.phase == BIDDING:
        return teller.ask(s)
    if s.phase == LAYING:
        return Event("ask_lay", "PR-08", s.turn)
    if s.phase == FLIPPING:
        return Event("ask_flip", "PR-10", s.turn, {"count": s.flips})
    return Event("ask_full_row" if row_is_full(s) else "ask_turn", "PR-07", s.turn)


def aids(s: State, seat: int) -> dict[str, Any]:
    """What the row, either side of a tile drawn or a flip would bring a seat, and how likely Ra is."""
    if s.phase in (DEALING, FINISHED):
        return {}
    found: dict[str, Any] = {"ra": chance_of(s, RA), "display": teller.displays(s, rules.score)}
    if s.phase == BIDDING:
        found |= speaking(s, seat)
    if seat == SPECTATOR:
        return found
    now = teller.scored(s, seat, rules.score)
    if lot(s):
        gains, then = teller.gains(now, _scored(s, seat, lot(s))), _having(s, seat, lot(s))
        found["lot"] = teller.reasons(gains, then, seat, rules.score, _had)
        if s.phase == BIDDING:
            found["others"] = [[p, _worth(s, p)["points"]] for p in found["speakers"] if p != seat]
    if s.phase == LAYING and s.turn == seat:
        found["lays"] = [_laid(s, seat, now, side) for side in (0, 1)]
    if s.phase == FLIPPING and s.turn == seat:
        found["flips"] = _flips(s, seat, now)
    return found


def _worth(s: State, seat: int) -> dict[str, Any]:
    """What the row would bring a seat."""
    return teller.gains(teller.scored(s, seat, rules.score), _scored(s, seat, lot(s)))


def _laid(s: State, seat: int, now: Scored, side: int) -> dict[str, Any]:
    """One of the two moves with the tile in hand: what lies up then, and what the row would bring."""
    up = rules.side_of(s.in_hand, side)
    gains = teller.gains(now, _scored(s, seat, [*lot(s), up]))
    return {"move": f"lay {LAYS[rules.LAY_OF_TILE[s.in_hand] + side]}", "side": SIDES[up], **gains}


def _flips(s: State, seat: int, now: Scored) -> dict[str, int]:
    """What turning over each tile would bring."""
    found = {}
    for id in legal_ids(rules, s):
        if id >= FIRST_FLIP:
            side = id - FIRST_FLIP + FIRST_SIDE
            then = s.copy()
            rules.turn_tile(then, seat, side)
            found[SIDES[side]] = teller.gains(now, teller.scored(then, seat, rules.score))["points"]
    return found


def _scored(s: State, seat: int, sides: list[int]) -> Scored:
    """A seat's score lines if it had these tiles too."""
    return teller.scored(_having(s, seat, sides), seat, rules.score)


def _having(s: State, seat: int, sides: list[int]) -> State:
    """The displays if a seat had these tiles too."""
    then = s.copy()
    for side in sides:
        then.tiles[seat, side] += 1
    return then
