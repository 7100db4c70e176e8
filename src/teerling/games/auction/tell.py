"""What happens in the shared part of Ra and Priests of Ra, told; and why a shared move is not legal."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from teerling.engine import HIDDEN, OVER
from teerling.game import Event, Move, Plural

from .rules import (
    BIDDING,
    DRAWING,
    EPOCHS,
    FACE_DOWN,
    FACE_UP,
    FIRST_BID,
    HIGHEST_SUN,
    INVOKE,
    INVOKED,
    ON_TURN,
    PASS,
    RA_TILES_TO_END,
    ROW_FULL,
    ROW_SPACES,
    rank_by_fame,
    row_is_full,
)

SHARED_DECISIONS = ["draw", "invoke", "pass", "stop", *(f"bid {sun}" for sun in range(1, HIGHEST_SUN + 1))]
Scored = tuple[list[int], list[int]]
STACKS = [f"stack {i}" for i in range(1, 6)]

WORDS: dict[str, str | Plural] = {
    "dealt": "{seat} gets the suns {suns}",
    "drew": "{seat} draws: {tile}",
    "drew_ra": "{seat} draws Ra, number {number} of {limit}",
    "invoked": "{seat} invokes Ra",
    "row_full": "the row is full: {seat} takes the Ra figure",
    "bid": "{seat} bids {sun}",
    "passed": "{seat} passes",
    "won": Plural(
        "{seat} wins {count} tile with {sun} and takes sun {middle}",
        "{seat} wins {count} tiles with {sun} and takes sun {middle}",
        "count",
    ),
    "won_sun": "{seat} wins sun {middle} with {sun}; the row was empty",
    "nobody": "nobody bids; the tiles stay",
    "nobody_empty": "nobody bids; the row was empty",
    "nobody_full": "nobody bids; the tiles leave the game",
    "epoch_over": "epoch {epoch} is over: no sun is left",
    "epoch_over_ra": "epoch {epoch} is over: the Ra row is full",
    "scored": "{seat}: {points:+d} {line}",
    "begins": "{seat} has the highest sun and begins epoch {epoch}",
    "game_over": Plural("{seats} wins the game", "{seats} share the win", "count"),
    "auction_on": "an auction is on: bid or pass",
    "row_is_full": "the row is full, so no tile can be drawn",
    "no_auction": "there is no auction now",
    "must_bid": "{seat} invoked Ra and nobody else bid, so a sun has to be bid",
    "sun_not_owned": "{seat} does not have sun {sun}",
    "sun_face_down": "sun {sun} lies face down until the next epoch",
    "sun_too_low": "sun {sun} is not higher than the bid of {bid}",
    "ask_bid": "Bid one of your suns for the row, or pass.",
    "ask_bid_over": "{seats} bids {bid}. Bid a higher sun, or pass.",
    "ask_last_bid": "Nobody has bid. You are last: bid a sun, or pass.",
    "ask_last_bid_over": "You are last. {seats} bids {bid}: bid a higher sun, or pass.",
    "ask_must_bid": "You invoked Ra and nobody bid, so bid one of your suns.",
    "ask_empty": "The row is empty: only sun {middle} in the middle is at stake. "
    "Bid one of your suns, or pass.",
    "ask_empty_over": "The row is empty: only sun {middle} in the middle is at stake. "
    "{seats} bids {bid}. Bid a higher sun, or pass.",
    "ask_empty_must": "The row is empty: only sun {middle} in the middle is at stake. "
    "You invoked Ra and nobody bid, so bid one of your suns.",
}


class Teller:
    """Tells of the shared events with one game's rule ids and its names of score lines."""

    def __init__(
        self, rules: Mapping[str, str], lines: Sequence[tuple[str, str]], kinds: Sequence[str]
    ) -> None:
        self.rules = rules
        """The rule id of every shared kind of event."""
        self.lines = lines
        """The name and rule id of every line of a scoring."""
        self.kinds = kinds
        """The names of what can lie in the auction row."""

    def event(self, kind: str, seat: int | None = None, **data: Any) -> Event:
        return Event(kind, self.rules[kind], seat, data)

    def deal(self, before: Any, after: Any) -> list[Event]:
        """Suns that have just been dealt."""
        return [
            self.event("dealt", p, suns=suns_of(after, p)) for p in range(before.dealt, after.dealt)
        ]  # fmt: skip

    def draw(self, before: Any, tile: str) -> list[Event]:
        """A tile out of the bag, not Ra."""
        return [self.event("drew", before.mover, tile=tile)]

    def draw_ra(self, before: Any) -> list[Event]:
        limit = RA_TILES_TO_END[before.players]
        return [self.event("drew_ra", before.mover, number=before.ra_tiles + 1, limit=limit)]

    def invoke(self, before: Any) -> list[Event]:
        return [self.event("row_full" if row_is_full(before) else "invoked", before.turn)]

    def bid(self, before: Any, move: Move) -> list[Event]:
        """A bid or a pass, and how the auction ended if it was the last."""
        sun = 0 if move.id == PASS else move.id - FIRST_BID + 1
        events = [self.event("bid", before.turn, sun=sun) if sun else self.event("passed", before.turn)]
        if before.turn == before.mover:
            events.append(self.sold(before, *winner_of(before, move)))
        return events

    def sold(self, before: Any, winner: int, price: int) -> Event:
        """Who gets the row and the sun in the middle; an empty row is auctioned for the sun alone."""
        if price and before.lying == 0:
            return self.event("won_sun", winner, sun=price, middle=before.middle)
        if price:
            won = {"count": before.lying, "sun": price, "middle": before.middle, "row": self.row(before)}
            return self.event("won", winner, **won)
        if before.lying == 0:
            return self.event("nobody_empty")
        return self.event("nobody_full" if before.cause == ROW_FULL else "nobody")

    def row(self, s: Any) -> list[str]:
        """What lies on the spaces of the auction row; nothing has no name."""
        return [self.kinds[s.row[i]] if s.row[i] >= 0 else "" for i in range(ROW_SPACES)]

    def epoch(self, before: Any, after: Any, winners: Sequence[int]) -> list[Event]:
        """The end of an epoch, its scoring, and who begins the next or has won."""
        if (after.epoch == before.epoch and after.turn != OVER) or before.epoch == 0:
            return []
        by_ra = before.phase == DRAWING and before.ra_tiles + 1 == RA_TILES_TO_END[before.players]
        events = [self.event("epoch_over_ra" if by_ra else "epoch_over", epoch=before.epoch)]
        for p in range(after.players):
            for line, (name, rule) in enumerate(self.lines):
                points = after.scored[p, line]
                if points not in (0, HIDDEN):
                    events.append(Event("scored", rule, p, {"points": points, "line": name}))
        if after.turn == OVER:
            events.append(self.event("game_over", seats=list(winners), count=len(winners)))
        else:
            events.append(self.event("begins", after.mover, epoch=after.epoch))
        return events

    def ask(self, s: Any) -> Event:
        """What somebody is asked who is to bid."""
        last = s.turn == s.mover
        must = last and s.bid == 0 and s.cause == INVOKED
        over = {"bid": s.bid, "seats": [s.bidder]} if s.bid else {}
        if s.lying == 0:
            kind = "ask_empty_must" if must else "ask_empty_over" if over else "ask_empty"
            return self.event(kind, s.turn, middle=s.middle, **over)
        if must:
            return self.event("ask_must_bid", s.turn)
        kind = ("ask_last_bid" if last else "ask_bid") + ("_over" if over else "")
        return self.event(kind, s.turn, **over)

    def scored(self, s: Any, seat: int, score: Callable[[Any], None]) -> Scored:
        """A seat's score lines, but for the floor, if its epoch were over now, and if the last one were."""
        scored = []
        for epoch in (s.epoch, EPOCHS):
            then = s.copy()
            then.epoch = epoch
            for p in range(then.players):
                then.fame[p] = 0
            score(then)
            scored.append([int(then.scored[seat, line]) for line in range(len(self.lines) - 1)])
        return scored[0], scored[1]

    def gains(self, without: Scored, having: Scored) -> dict[str, Any]:
        """The fame that tiles would bring, in all and line by line; later is after the last epoch."""
        lines = []
        for line, (name, rule) in enumerate(self.lines[:-1]):
            soon, in_all = (having[when][line] - without[when][line] for when in (0, 1))
            for points, later in ((soon, False), (in_all - soon, True)):
                if points:
                    lines.append({"line": name, "rule": rule, "points": points, "later": later})
        return {"points": sum(line["points"] for line in lines), "lines": lines}

    def why(self, s: Any, move: Move) -> Event | None:
        """Why draw, invoke, pass or a bid is not legal on somebody's turn or in an auction."""
        if s.phase == ON_TURN:
            if move.id == PASS or FIRST_BID <= move.id < FIRST_BID + HIGHEST_SUN:
                return self.event("no_auction")
            return self.event("row_is_full") if move.text == "draw" and row_is_full(s) else None
        if s.phase != BIDDING:
            return None
        if move.id < INVOKE + 1:
            return self.event("auction_on")
        if move.id == PASS:
            return self.event("must_bid", s.turn)
        sun = move.id - FIRST_BID + 1
        if s.suns[s.turn, sun] == FACE_DOWN:
            return self.event("sun_face_down", sun=sun)
        if s.suns[s.turn, sun] != FACE_UP:
            return self.event("sun_not_owned", s.turn, sun=sun)
        return self.event("sun_too_low", sun=sun, bid=s.bid)


def suns_of(s: Any, p: int) -> list[int]:
    """A seat's suns that lie face up."""
    return [sun for sun in range(1, HIGHEST_SUN + 1) if s.suns[p, sun] == FACE_UP]


def winner_of(before: Any, move: Move) -> tuple[int, int]:
    """Who wins with the Ra player's word, and with which sun; 0 is nobody's."""
    if move.id == PASS:
        return before.bidder, before.bid
    return before.turn, move.id - FIRST_BID + 1


def winners(s: Any) -> list[int]:
    """Who has won, or would if the game were over."""
    scores, ranks = [0] * s.players, [0] * s.players
    rank_by_fame(s, scores, ranks)
    return [p for p in range(s.players) if ranks[p] == 1]


def lot(before: Any) -> list[int]:
    """The kinds of the tiles in the auction row."""
    return [before.row[i] for i in range(ROW_SPACES) if before.row[i] >= 0]
