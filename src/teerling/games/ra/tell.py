"""What happens in Ra, told in events, and why a move is not legal."""

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
    INVOKE,
    ON_TURN,
    STOP,
    AuctionState,
    give_turn,
    row_is_full,
)
from ..auction.tell import (
    SHARED_DECISIONS,
    SOLD,
    STACKS,
    STRIKES,
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
from .rules import (
    DIFFERENT_MONUMENTS,
    DROUGHT,
    EARTHQUAKE,
    FIRST_DISCARD,
    FIRST_TAKE,
    FLOOD,
    FUNERAL,
    GOD,
    GOLD,
    IDENTICAL_MONUMENTS,
    KINDS,
    LOSING_TILES,
    MONUMENTS_LINE,
    NILE,
    PHARAOH,
    PHARAOHS_LINE,
    RA,
    STRICKEN,
    UNREST,
    USING_GODS,
    State,
    disaster_of_choice,
    may_be_taken,
    strikes,
)

TILES = (
    "ra", "god", "pharaoh", "funeral", "nile", "flood", "drought",
    "art", "agriculture", "religion", "astronomy", "writing", "unrest", "gold",
    "fortress", "obelisk", "palace", "pyramid", "sphinx", "statues", "step pyramid", "temple", "earthquake",
)  # fmt: skip
LINES = (
    ("gods", "RA-31"), ("pharaohs", "RA-32"), ("Nile", "RA-33"), ("civilisations", "RA-34"),
    ("gold", "RA-35"), ("monuments", "RA-36"), ("suns", "RA-37"), ("not below zero", "RA-30"),
)  # fmt: skip
DIFFERENT, ALIKE = "different monuments", "identical monuments"
"""The two lines that monuments are told by."""
SUFFERING = {
    FUNERAL: [PHARAOH],
    DROUGHT: [FLOOD, NILE],
    UNREST: [kind for kind in range(KINDS) if strikes(UNREST, kind)],
    EARTHQUAKE: [kind for kind in range(KINDS) if strikes(EARTHQUAKE, kind)],
}
"""What each disaster takes, in that order."""
DECISIONS = (*SHARED_DECISIONS, *(f"take {tile}" for tile in TILES), *(f"discard {tile}" for tile in TILES))
OUTCOMES = (*(f"tile {tile}" for tile in TILES), *STACKS)

WORDS: dict[str, str | Plural] = {
    **SHARED_WORDS,
    f"scored {DIFFERENT}": Plural(
        "{seat}, {count} kind of monument: {points:+d} fame",
        "{seat}, {count} kinds of monument: {points:+d} fame",
        "count",
    ),
    f"scored {ALIKE}": "{seat}, identical monuments ({tiles}): {points:+d} fame",
    "has_gods": Plural("{count} god", "{count} gods", "count"),
    "has_pharaohs": Plural("{count} pharaoh", "{count} pharaohs", "count"),
    "has_most_pharaohs": Plural("{count} pharaoh, most", "{count} pharaohs, most", "count"),
    "has_fewest_pharaohs": Plural("{count} pharaoh, fewest", "{count} pharaohs, fewest", "count"),
    "has_no_pharaohs": "none, fewest",
    "has_nile": Plural("{niles} Nile, {floods} flood", "{niles} Nile, {floods} floods", "floods"),
    "has_nile_alone": "{niles} Nile, no flood",
    "has_kinds": Plural("{count} kind", "{count} kinds", "count"),
    "has_gold": "{count} gold",
    "has_alike": "{tiles}",
    "brings gods": "2 each",
    "brings pharaohs": "most +5, fewest −2",
    "brings Nile": "1 per tile, with a flood",
    "brings civilisations": "3 kinds +5, 4 +10, 5 +15, none −5",
    "brings gold": "3 each",
    f"brings {DIFFERENT}": "1 per kind, 7 kinds +10, 8 +15",
    f"brings {ALIKE}": "3 alike +5, 4 +10, 5 +15",
    "stays": "Floods, gods, gold and civilisations leave the game. Pharaohs, Nile and monuments stay.",
    "took": "{seat} gives up a god and takes: {tile}",
    "stopped": "{seat} takes no more",
    "disaster": "{seat} is struck by a disaster ({disaster}) and loses: {lost}",
    "disaster_harmless": "{seat} is struck by a disaster ({disaster}), but has nothing to lose",
    "must_discard": Plural(
        "{seat} is struck by a disaster ({disaster}) and has to give up {count} tile of their choice",
        "{seat} is struck by a disaster ({disaster}) and has to give up {count} tiles of their choice",
        "count",
    ),
    "discarded": "{seat} gives up: {tile}",
    "still_taking": "a god has been used: take another tile or stop",
    "still_losing": Plural(
        "{seat} first has to give up {count} tile for the disaster ({disaster})",
        "{seat} first has to give up {count} tiles for the disaster ({disaster})",
        "count",
    ),
    "no_god_used": "you can stop only after you have used a god",
    "never_taken": "a god cannot take this tile: {tile}",
    "no_god": "{seat} has no god tile to give up",
    "not_in_row": "this tile is not in the auction row: {tile}",
    "nothing_to_lose": "no tile has to be given up now",
    "not_struck": "the disaster ({disaster}) does not strike this tile: {tile}",
    "tile_not_owned": "{seat} does not have this tile: {tile}",
    "ask_turn": "Draw a tile, or invoke Ra to have the row auctioned.",
    "ask_turn_god": "Draw a tile, invoke Ra, or take tiles from the row with a god.",
    "ask_full_row_god": "The row is full: take tiles with a god, or take the Ra figure. "
    "Bidding is voluntary then: everybody may pass, you too. If nobody bids, the tiles leave the game.",
    "ask_more": "Take another tile with a god, or stop.",
    "ask_discard": Plural(
        "Choose {count} tile to give up for the disaster ({disaster}).",
        "Choose {count} tiles to give up for the disaster ({disaster}).",
        "count",
    ),
}
TO_YOU: dict[str, str | Plural] = {
    **SHARED_TO_YOU,
    "scored different monuments": Plural(
        "You, {count} kind of monument: {points:+d} fame",
        "You, {count} kinds of monument: {points:+d} fame",
        "count",
    ),
    "scored identical monuments": "You, identical monuments ({tiles}): {points:+d} fame",
    "took": "You give up a god and take: {tile}",
    "stopped": "You take no more",
    "disaster": "You are struck by a disaster ({disaster}) and lose: {lost}",
    "disaster_harmless": "You are struck by a disaster ({disaster}), but have nothing to lose",
    "must_discard": Plural(
        "You are struck by a disaster ({disaster}) and have to give up {count} tile of your choice",
        "You are struck by a disaster ({disaster}) and have to give up {count} tiles of your choice",
        "count",
    ),
    "discarded": "You give up: {tile}",
    "still_losing": Plural(
        "You first have to give up {count} tile for the disaster ({disaster})",
        "You first have to give up {count} tiles for the disaster ({disaster})",
        "count",
    ),
    "no_god": "You have no god tile to give up",
    "tile_not_owned": "You do not have this tile: {tile}",
}
"""The same sentences, as they are said to whom they tell about."""
NOUNS = {
    "ra": Plural("Ra", "{count} Ra tiles", "count"),
    "god": Plural("god", "{count} gods", "count"),
    "pharaoh": Plural("pharaoh", "{count} pharaohs", "count"),
    "funeral": Plural("funeral", "{count} funerals", "count"),
    "nile": Plural("Nile", "{count} Nile tiles", "count"),
    "flood": Plural("flood", "{count} floods", "count"),
    "drought": Plural("drought", "{count} droughts", "count"),
    "art": Plural("art", "{count} art tiles", "count"),
    "agriculture": Plural("agriculture", "{count} agriculture tiles", "count"),
    "religion": Plural("religion", "{count} religion tiles", "count"),
    "astronomy": Plural("astronomy", "{count} astronomy tiles", "count"),
    "writing": Plural("writing", "{count} writing tiles", "count"),
    "unrest": Plural("unrest", "{count} unrest tiles", "count"),
    "gold": Plural("gold", "{count} gold", "count"),
    "fortress": Plural("fortress", "{count} fortresses", "count"),
    "obelisk": Plural("obelisk", "{count} obelisks", "count"),
    "palace": Plural("palace", "{count} palaces", "count"),
    "pyramid": Plural("pyramid", "{count} pyramids", "count"),
    "sphinx": Plural("sphinx", "{count} sphinxes", "count"),
    "statues": Plural("statues", "{count} statues", "count"),
    "step pyramid": Plural("step pyramid", "{count} step pyramids", "count"),
    "temple": Plural("temple", "{count} temples", "count"),
    "earthquake": Plural("earthquake", "{count} earthquakes", "count"),
}
FACES = tuple(tile.capitalize() for tile in TILES)
"""The words on the tiles."""
TERMS = tuple(dict.fromkeys((*TILES, *FACES, *(name for name, _ in LINES[:-2]), DIFFERENT, ALIKE,
                             *(name for name, _ in LINES))))  # fmt: skip

LEAVING = (GOD, FLOOD, *SUFFERING[UNREST], GOLD)
"""What leaves the displays after every epoch."""


class RaTeller(Teller):
    """Tells of monuments by what they count for: how many kinds there are, and those alike."""

    def parts(self, line: int) -> list[tuple[str, str]]:
        return super().parts(line) if line != MONUMENTS_LINE else [(DIFFERENT, "RA-36"), (ALIKE, "RA-36")]

    def score_line(self, after: AuctionState, p: int, line: int) -> list[Event]:
        """RA-36: monuments of different kinds, and three or more alike."""
        if line != MONUMENTS_LINE:
            return super().score_line(after, p, line)
        own = {kind: after.tiles[p, kind] for kind in SUFFERING[EARTHQUAKE] if after.tiles[p, kind]}
        fame = {"points": DIFFERENT_MONUMENTS[len(own)], "line": DIFFERENT, "count": len(own)}
        events = [Event("scored", "RA-36", p, fame)]
        for kind, count in own.items():
            if IDENTICAL_MONUMENTS[count]:
                fame = {"points": IDENTICAL_MONUMENTS[count], "line": ALIKE, "tiles": [TILES[kind]] * count}
                events.append(Event("scored", "RA-36", p, fame))
        return events


teller = RaTeller(
    {
        "dealt": "RA-04", "drew": "RA-08", "drew_ra": "RA-08", "invoked": "RA-10", "row_full": "RA-09",
        "bid": "RA-12", "passed": "RA-12", "won": "RA-16", "nobody": "RA-14", "nobody_full": "RA-15",
        "epoch_over": "RA-25", "epoch_over_ra": "RA-27", "begins": "RA-28", "game_over": "RA-38",
        "auction_on": "RA-12", "row_is_full": "RA-09", "no_auction": "RA-12", "must_bid": "RA-13",
        "sun_not_owned": "RA-12", "sun_face_down": "RA-16", "sun_too_low": "RA-12",
        "ask_bid": "RA-12", "ask_bid_over": "RA-12", "ask_last_bid": "RA-12", "ask_last_bid_over": "RA-12",
        "ask_full_bid": "RA-15", "ask_full_last_bid": "RA-15",
        "ask_must_bid": "RA-13", "won_sun": "RA-16", "nobody_empty": "RA-14",
        "ask_empty": "RA-12", "ask_empty_over": "RA-12", "ask_empty_must": "RA-13",
        "row_left": "RA-27", "left": "RA-30", "tie_broken": "RA-38",
    },
    LINES,
    TILES,
)  # fmt: skip


def tell(before: State, move: Move, after: State) -> list[Event]:
    """What a move brought about, from what was known before and after it."""
    events = _told_move(before, move, after)
    end = teller.epoch(before, after, lambda: teller.accounts(_settled(before, move), after, _had))
    if end:
        scoring = teller.scoring(_settled(before, move), after, LEAVING)
        events += [*end, *scoring, *teller.outcome(after, winners(rules, after))]
    return events


def _had(settled: State, p: int, after: State) -> list[Event]:
    """RA-31 to RA-36: what a seat had on each line, as a reason for what it got."""
    own = [int(settled.tiles[p, kind]) for kind in range(KINDS)]
    civilisations, monuments = (
        sum(own[kind] > 0 for kind in SUFFERING[disaster]) for disaster in (UNREST, EARTHQUAKE)
    )
    found = [
        _has("has_gods", "gods", p, own[GOD]),
        _has(_pharaohs_kind(after.scored[p, PHARAOHS_LINE], own[PHARAOH]), "pharaohs", p, own[PHARAOH]),
        _has(
            "has_nile" if own[FLOOD] else "has_nile_alone",
            "Nile", p, own[NILE] + own[FLOOD], niles=own[NILE], floods=own[FLOOD],
        ),
        _has("has_kinds", "civilisations", p, civilisations),
        _has("has_gold", "gold", p, own[GOLD]),
    ]  # fmt: skip
    if settled.epoch == EPOCHS:
        many = [kind for kind in SUFFERING[EARTHQUAKE] if IDENTICAL_MONUMENTS[own[kind]]]
        alike = [TILES[kind] for kind in many for _ in range(own[kind])]
        found.append(_has("has_kinds", DIFFERENT, p, monuments))
        found.append(_has("has_alike", ALIKE, p, len(alike), tiles=alike))
    return found


def _has(kind: str, line: str, p: int, count: int, **details: Any) -> Event:
    """What a seat had on a line; nothing is called that."""
    rule = "RA-36" if line in (DIFFERENT, ALIKE) else dict(LINES)[line]
    said = kind if count or kind == "has_no_pharaohs" else "has_none"
    return Event(said, rule, p, {"line": line, "count": count, **details})


def _pharaohs_kind(points: int, count: int) -> str:
    """RA-32: what is said of a seat's pharaohs, by what they brought."""
    if points > 0:
        return "has_most_pharaohs"
    if points == 0:
        return "has_pharaohs"
    return "has_fewest_pharaohs" if count else "has_no_pharaohs"


def _settled(before: State, move: Move) -> State:
    """The displays after the last move of an epoch, before it is scored."""
    if move.chance:
        return before
    settled = won_by(before, move) if before.phase == BIDDING else None
    if settled is None:
        settled = before.copy()
        rules.discard(settled, move.id - FIRST_DISCARD)
    rules.carry_out_disasters(settled, settled.turn)
    return settled


def pictured(
    before: State, move: Move, after: State, told: Sequence[Event], coming: Sequence[Event]
) -> State:
    """RA-20, RA-30: tiles lie in the display until they are lost, and all until an epoch has been scored."""
    sold = sale(before, move) if told[-1].kind in SOLD else None
    if sold is not None:
        return sold
    if not coming and told[-1].kind not in STRIKES:
        return after
    shown = _before_disasters(before, move)
    for event in told[:-1]:
        if "lost" in event.data:
            _lose(shown, int(event.seat or 0), event.data["disaster"], event.data["lost"])
    give_turn(shown, shown.mover if move.chance else shown.turn)
    return shown


def _lose(s: State, p: int, disaster: str, lost: Sequence[str]) -> None:
    """RA-20: what a disaster strikes leaves the display, and the disaster with it."""
    for name in lost:
        s.tiles[p, TILES.index(name)] -= 1
    s.tiles[p, TILES.index(disaster)] = 0


def _before_disasters(before: State, move: Move) -> State:
    """What everybody has after a move, when no disaster has struck yet."""
    won = won_by(before, move) if before.phase == BIDDING else None
    if won is not None:
        return won
    then = before.copy()
    if move.chance:
        then.ra_tiles += move.id == RA
    elif FIRST_TAKE <= move.id < FIRST_DISCARD:
        rules.take_with_god(then, move.id - FIRST_TAKE)
    elif move.id >= FIRST_DISCARD:
        rules.discard(then, move.id - FIRST_DISCARD)
    return then


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
        return [Event("stopped", "RA-11", before.turn), *_told_disasters(before, before.turn)]
    if move.id < FIRST_TAKE:
        return [*teller.bid(before, move), *_told_lot(before, move)]
    if move.id < FIRST_DISCARD:
        return _told_take(before, move.id - FIRST_TAKE)
    return _told_discard(before, move.id - FIRST_DISCARD)


def _told_lot(before: State, move: Move) -> list[Event]:
    """The disasters among the tiles that somebody has won."""
    won = won_by(before, move)
    return [] if won is None else _told_disasters(won, won.bidder)


def _told_take(before: State, kind: int) -> list[Event]:
    slot = teller.row(before).index(TILES[kind])
    events = [Event("took", "RA-11", before.turn, {"tile": TILES[kind], "slot": slot})]
    taken = before.copy()
    rules.take_with_god(taken, kind)
    return events if taken.phase == USING_GODS else events + _told_disasters(taken, before.turn)


def _told_discard(before: State, kind: int) -> list[Event]:
    events = [Event("discarded", "RA-21", before.turn, {"tile": TILES[kind]})]
    left = before.copy()
    rules.discard(left, kind)
    return events if left.phase == LOSING_TILES else events + _told_disasters(left, before.turn)


def _told_disasters(s: State, p: int) -> list[Event]:
    """What funeral, drought, unrest and earthquake do to a display; s is before they strike."""
    struck = s.copy()
    rules.carry_out_disasters(struck, p)
    events = []
    for disaster, suffering in SUFFERING.items():
        name = TILES[disaster]
        if s.tiles[p, disaster] == 0:
            continue
        if struck.tiles[p, disaster] == 0:
            lost = [
                TILES[kind] for kind in suffering for _ in range(s.tiles[p, kind] - struck.tiles[p, kind])
            ]  # fmt: skip
            data = {"disaster": name, "lost": lost}
            events.append(Event("disaster" if lost else "disaster_harmless", "RA-21", p, data))
        elif struck.phase == LOSING_TILES:
            events.append(Event("must_discard", "RA-21", p, {"disaster": name, "count": struck.owed}))
            break
    return events


def why(s: State, move: Move) -> Event | None:
    """Why a decision is not legal; None if it is."""
    if move.id in legal_ids(rules, s):
        return None
    if s.phase == USING_GODS and move.id < FIRST_TAKE:
        return Event("still_taking", "RA-11")
    if s.phase == LOSING_TILES and move.id < FIRST_DISCARD:
        data = {"count": s.owed, "disaster": TILES[disaster_of_choice(s)]}
        return Event("still_losing", "RA-21", s.turn, data)
    if move.id == STOP:
        return Event("no_god_used", "RA-11") if s.phase == ON_TURN else teller.event("auction_on")
    if move.id < FIRST_TAKE:
        return teller.why(s, move)
    if move.id < FIRST_DISCARD:
        return _why_not_take(s, move.id - FIRST_TAKE)
    return _why_not_discard(s, move.id - FIRST_DISCARD)


def _why_not_take(s: State, kind: int) -> Event:
    if s.phase == BIDDING:
        return teller.event("auction_on")
    if kind == RA or not may_be_taken(kind):
        return Event("never_taken", "RA-11", data={"tile": TILES[kind]})
    if s.tiles[s.turn, GOD] == 0:
        return Event("no_god", "RA-11", s.turn)
    return Event("not_in_row", "RA-11", data={"tile": TILES[kind]})


def _why_not_discard(s: State, kind: int) -> Event:
    if s.phase != LOSING_TILES:
        return Event("nothing_to_lose", "RA-20")
    disaster = disaster_of_choice(s)
    if not strikes(disaster, kind):
        return Event("not_struck", "RA-21", data={"disaster": TILES[disaster], "tile": TILES[kind]})
    return Event("tile_not_owned", "RA-21", s.turn, {"tile": TILES[kind]})


def ask(s: State) -> Event:
    """What the player to decide is asked."""
    if s.phase == BIDDING:
        return teller.ask(s)
    if s.phase == USING_GODS:
        return Event("ask_more", "RA-11", s.turn)
    if s.phase == LOSING_TILES:
        disaster = TILES[disaster_of_choice(s)]
        return Event("ask_discard", "RA-21", s.turn, {"count": s.owed, "disaster": disaster})
    if row_is_full(s):
        return Event("ask_full_row_god" if _may_take(s) else "ask_full_row", "RA-09", s.turn)
    return Event("ask_turn_god" if _may_take(s) else "ask_turn", "RA-07", s.turn)


def _may_take(s: State) -> bool:
    """Whether a god could take a tile out of the row."""
    return any(FIRST_TAKE <= id < FIRST_DISCARD for id in legal_ids(rules, s))


def aids(s: State, seat: int) -> dict[str, Any]:
    """What the row would bring a seat, what giving up a tile would cost it, and how likely Ra is."""
    if s.phase in (DEALING, FINISHED):
        return {}
    found: dict[str, Any] = {"ra": chance_of(s, RA), "display": teller.displays(s, rules.score)}
    if s.phase == BIDDING:
        found |= speaking(s, seat)
    if seat == SPECTATOR:
        return found
    if s.phase == LOSING_TILES and s.turn == seat:
        found["discards"] = _discards(s, seat)
    elif lot(s):
        then = _having(s, seat, lot(s))
        found["lot"] = teller.reasons(_worth(s, seat), then, seat, rules.score, _had)
        if s.phase == BIDDING:
            found["others"] = [[p, _worth(s, p)["points"]] for p in found["speakers"] if p != seat]
    return found


def _worth(s: State, seat: int) -> dict[str, Any]:
    """What the row would bring a seat."""
    return teller.gains(_scored(s, seat, []), _scored(s, seat, lot(s)))


def _scored(s: State, seat: int, kinds: list[int]) -> Scored:
    """A seat's score lines if it had these tiles too."""
    return teller.scored(_having(s, seat, kinds), seat, rules.score)


def _having(s: State, seat: int, kinds: list[int]) -> State:
    """The displays if a seat had these tiles too, and had lost to disasters what hurts least."""
    then = s.copy()
    for kind in kinds:
        then.tiles[seat, kind] += 1
    then.turn = seat
    rules.carry_out_disasters(then, seat)
    while then.phase == LOSING_TILES:
        rules.discard(then, max(_struck(then), key=lambda kind: _after_discard(then, seat, kind)))
        if then.phase == STRICKEN:
            rules.carry_out_disasters(then, seat)
    return then


def _discards(s: State, seat: int) -> dict[str, int]:
    """What giving up each tile would cost."""
    now = teller.scored(s, seat, rules.score)[1]
    return {TILES[kind]: _after_discard(s, seat, kind) - sum(now.values()) for kind in _struck(s)}


def _struck(s: State) -> list[int]:
    """The tiles one of which has to be given up."""
    return [id - FIRST_DISCARD for id in legal_ids(rules, s)]


def _after_discard(s: State, seat: int, kind: int) -> int:
    """A seat's gains of a last epoch that is scored with one tile fewer."""
    then = s.copy()
    then.tiles[seat, kind] -= 1
    return sum(teller.scored(then, seat, rules.score)[1].values())
