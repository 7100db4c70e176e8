"""What happens in the shared part of Ra and Priests of Ra, told; and why a shared move is not legal."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from teerling.engine import HIDDEN, OVER
from teerling.game import Event, Move, Plural, accounts

from .rules import (
    BIDDING,
    DRAWING,
    EMPTY,
    EPOCHS,
    FACE_DOWN,
    FACE_UP,
    FIRST_BID,
    HIGHEST_SUN,
    INVOKE,
    ON_TURN,
    PASS,
    RA_TILES_TO_END,
    ROW_FULL,
    ROW_SPACES,
    WON,
    AuctionState,
    highest_sun,
    make_bid,
    may_pass,
    row_is_full,
    sum_of_suns,
    take_row,
)

State = TypeVar("State", bound=AuctionState)

SHARED_DECISIONS = ["draw", "invoke", "pass", "stop", *(f"bid {sun}" for sun in range(1, HIGHEST_SUN + 1))]
Scored = tuple[dict[tuple[str, str], int], dict[tuple[str, str], int]]
"""The fame on every line, by its name and rule, if an epoch were over now, and if the last one were."""
Counting = Callable[[State, int, State], list[Event]]
"""What a seat had on each line, from before a scoring and after it."""
STACKS = [f"stack {i}" for i in range(1, 6)]

WORDS: dict[str, str | Plural] = {
    "dealt": "{seat} gets the suns {suns}",
    "drew": "{seat} draws: {tile}",
    "drew_ra": "{seat} draws Ra, number {number} of {limit}",
    "invoked": "{seat} invokes Ra",
    "row_full": "The row is full: {seat} takes the Ra figure",
    "bid": "{seat} bids {sun}",
    "passed": "{seat} passes",
    "won": "{seat} wins with sun {sun}, takes sun {middle} and gets: {tiles}",
    "won_sun": "{seat} wins sun {middle} with sun {sun}; the row was empty",
    "nobody": "Nobody bids; the row stays as it is",
    "nobody_empty": "Nobody bids; the row was empty",
    "nobody_full": "Nobody bids; these tiles leave the game: {tiles}",
    "epoch_over": "Epoch {epoch} is over: all suns have been used",
    "epoch_over_ra": "Epoch {epoch} is over: the Ra row is full",
    "row_left": "Nobody gets what still lay in the row: {tiles}",
    "scored": "{seat}, {line}: {points:+d} fame",
    "left": "{seat} returns to the box: {tiles}",
    "has_none": "none",
    "has_suns": "sum {count}",
    "has_highest_suns": "sum {count}, highest",
    "has_lowest_suns": "sum {count}, lowest",
    "brings suns": "highest sum +5, lowest −5",
    "brings not below zero": "nobody has less than 0",
    "tie_broken": "{seats} have {fame} fame each; "
    "{seat} comes out ahead with the highest sun, {sun} against {others}",
    "begins": "{seat} has the highest sun and begins epoch {epoch}",
    "game_over": Plural("{seats} wins the game", "{seats} share the win", "count"),
    "auction_on": "an auction is on: bid or pass",
    "row_is_full": "the row is full, so no tile can be drawn",
    "no_auction": "no auction is on",
    "must_bid": "{seat} invoked Ra and nobody else bid, so {seat} has to bid a sun",
    "sun_not_owned": "{seat} does not have sun {sun}",
    "sun_face_down": "sun {sun} lies face down until the next epoch",
    "sun_too_low": "sun {sun} is not higher than the bid of {bid}",
    "ask_full_row": "The row is full: take the Ra figure. Bidding is voluntary: everybody may pass, you too. "
    "If nobody bids, the tiles leave the game.",
    "ask_bid": "Bid one of your suns for the row, or pass.",
    "ask_full_bid": "If nobody bids, these tiles leave the game. Bid one of your suns, or pass.",
    "ask_full_last_bid": "Nobody has bid. If you pass too, these tiles leave the game. Bid a sun, or pass.",
    "ask_bid_over": "{seats} bids {bid}. Bid a higher sun, or pass.",
    "ask_last_bid": "Nobody has bid. You are last: bid a sun, or pass.",
    "ask_last_bid_over": "You are last. {seats} bids {bid}: bid a higher sun, or pass.",
    "ask_must_bid": "You invoked Ra and nobody bid, so you must bid one of your suns.",
    "ask_empty": "The row is empty: only sun {middle} is at stake. Bid one of your suns, or pass.",
    "ask_empty_over": "The row is empty: only sun {middle} is at stake. "
    "{seats} bids {bid}: bid a higher sun, or pass.",
    "ask_empty_must": "You invoked Ra and nobody bid, so you must bid. "
    "The row is empty: only sun {middle} is at stake.",
}
TO_YOU: dict[str, str | Plural] = {
    "dealt": "You get the suns {suns}",
    "drew": "You draw: {tile}",
    "drew_ra": "You draw Ra, number {number} of {limit}",
    "invoked": "You invoke Ra",
    "row_full": "The row is full: you take the Ra figure",
    "bid": "You bid {sun}",
    "passed": "You pass",
    "won": "You win with sun {sun}, take sun {middle} and get: {tiles}",
    "won_sun": "You win sun {middle} with sun {sun}; the row was empty",
    "scored": "You, {line}: {points:+d} fame",
    "left": "You return to the box: {tiles}",
    "tie_broken": "{seats} have {fame} fame each; "
    "you come out ahead with the highest sun, {sun} against {others}",
    "begins": "You have the highest sun and begin epoch {epoch}",
    "game_over": "You win the game",
    "must_bid": "You invoked Ra and nobody else bid, so you have to bid a sun",
    "sun_not_owned": "You do not have sun {sun}",
}
"""The same sentences, as they are said to whom they tell about."""
ROUNDS = ("epoch_over", "epoch_over_ra")
"""The events that end an epoch."""
ABOUT_RA = {
    "about_ra": "Ra: {number} of the {limit} that end this epoch lie there; {left} are still in the bag",
}
MOMENTS = {
    "drew_ra": 600,
    "won": 900,
    "won_sun": 700,
    "nobody": 700,
    "nobody_full": 900,
    "epoch_over": 1200,
    "epoch_over_ra": 1200,
    "game_over": 1200,
}
"""What a table shows for a while, in milliseconds."""


def rests(s: AuctionState, p: int) -> bool:
    """RA-18, PR-09: whether a seat has used all its suns, and is done with what the last one brought."""
    return s.turn != p and not suns_of(s, p, FACE_UP)


SOLD = ("won", "won_sun")
STRIKES = ("disaster", "disaster_harmless", "must_discard")
"""The events of disasters; only Ra has them."""


def begins_picture(before: Event, event: Event) -> bool:
    """One thing is seen after another: the row is won, disasters strike, the epoch ends, the next begins."""
    return event.kind in (*STRIKES, *ROUNDS, "begins") or (
        event.kind in ("tie_broken", "game_over") and before.kind != "tie_broken"
    )


def ties(events: Sequence[Event]) -> list[Event]:
    """RA-38, PR-30: the suns that decided between players with as much fame."""
    return [event for event in events if event.kind == "tie_broken"]


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

    def deal(self, before: AuctionState, after: AuctionState) -> list[Event]:
        """Suns that have just been dealt."""
        return [
            self.event("dealt", p, suns=suns_of(after, p, FACE_UP)) for p in range(before.dealt, after.dealt)
        ]  # fmt: skip

    def draw(self, before: AuctionState, tile: str) -> list[Event]:
        """A tile out of the bag, not Ra."""
        return [self.event("drew", before.mover, tile=tile)]

    def draw_ra(self, before: AuctionState) -> list[Event]:
        limit = RA_TILES_TO_END[before.players]
        return [self.event("drew_ra", before.mover, number=before.ra_tiles + 1, limit=limit)]

    def invoke(self, before: AuctionState) -> list[Event]:
        return [self.event("row_full" if row_is_full(before) else "invoked", before.turn)]

    def bid(self, before: AuctionState, move: Move) -> list[Event]:
        """A bid or a pass, and how the auction ended if it was the last."""
        sun = sun_of(move)
        events = [self.event("bid", before.turn, sun=sun) if sun else self.event("passed", before.turn)]
        if before.turn == before.mover:
            events.append(self.sold(before, won_by(before, move)))
        return events

    def sold(self, before: AuctionState, won: AuctionState | None) -> Event:
        """Who gets the row and the sun in the middle; an empty row is auctioned for the sun alone."""
        if won is not None and before.lying == 0:
            return self.event("won_sun", won.bidder, sun=won.bid, middle=before.middle)
        if won is not None:
            paid = {"count": before.lying, "sun": won.bid, "middle": before.middle}
            return self.event("won", won.bidder, **paid, row=self.row(before), tiles=self.tiles(before))
        if before.lying == 0:
            return self.event("nobody_empty")
        if before.cause == ROW_FULL:
            return self.event("nobody_full", tiles=self.tiles(before))
        return self.event("nobody")

    def row(self, s: AuctionState) -> list[str]:
        """What lies on the spaces of the auction row; nothing has no name."""
        return [self.kinds[s.row[i]] if s.row[i] != EMPTY else "" for i in range(ROW_SPACES)]

    def tiles(self, s: AuctionState) -> list[str]:
        """What lies in the auction row."""
        return [name for name in self.row(s) if name]

    def epoch(
        self,
        before: AuctionState,
        after: AuctionState,
        had: Callable[[], list[dict[str, Any]]],
    ) -> list[Event]:
        """The end of an epoch with what everybody had, and what lies in the row; nothing if it goes on."""
        if (after.epoch == before.epoch and after.turn != OVER) or before.epoch == 0:
            return []
        # Whoever draws has a sun face up: only the last Ra tile ends the epoch then.
        if before.phase != DRAWING:
            return [self.event("epoch_over", epoch=before.epoch, accounts=had())]
        events = [self.event("epoch_over_ra", epoch=before.epoch, accounts=had())]
        return [*events, self.event("row_left", tiles=self.tiles(before))] if before.lying else events

    def scoring(self, settled: AuctionState, after: AuctionState, leaving: Sequence[int]) -> list[Event]:
        """Where everybody's fame came from, and what leaves the displays; settled is before it is scored."""
        events = self.fame(after)
        for p in range(after.players):
            gone = [self.kinds[kind] for kind in leaving for _ in range(settled.tiles[p, kind])]
            if gone:
                events.append(self.event("left", p, tiles=gone))
        return events

    def fame(self, after: AuctionState) -> list[Event]:
        """Where everybody's fame came from, as far as it is known."""
        return [
            event
            for p in range(after.players)
            for line in range(len(self.lines))
            if after.scored[p, line] not in (0, HIDDEN)
            for event in self.score_line(after, p, line)
        ]

    def accounts(self, settled: State, after: State, count: Counting[State]) -> list[dict[str, Any]]:
        """What everybody had on each line, where that is known; settled is before it is scored."""
        seats = [p for p in range(after.players) if after.scored[p, 0] != HIDDEN]
        counted = [event for p in seats for event in count(settled, p, after)]
        if settled.epoch == EPOCHS:
            counted += [self.has_suns(settled, p, after) for p in seats]
        return accounts(counted, self.fame(after))

    def has_suns(self, settled: AuctionState, p: int, after: AuctionState) -> Event:
        """RA-37, PR-29: what a seat's suns add up to."""
        line, (name, rule) = next(each for each in enumerate(self.lines) if each[1][0] == "suns")
        points, count = after.scored[p, line], int(sum_of_suns(settled, p))
        kind = "has_highest_suns" if points > 0 else "has_lowest_suns" if points < 0 else "has_suns"
        return Event(kind, rule, p, {"line": name, "count": count})

    def score_line(self, after: AuctionState, p: int, line: int) -> list[Event]:
        """What a seat got for one thing."""
        name, rule = self.lines[line]
        return [Event("scored", rule, p, {"points": after.scored[p, line], "line": name})]

    def outcome(self, after: AuctionState, winners: Sequence[int]) -> list[Event]:
        """Who begins the next epoch; or who has won, and what decided between equals."""
        if after.turn != OVER:
            return [self.event("begins", after.mover, epoch=after.epoch)]
        won = self.event("game_over", seats=list(winners), count=len(winners))
        return [*self.ties(after), won]

    def ties(self, s: AuctionState) -> list[Event]:
        """RA-38, PR-30: players with as much fame, the highest first, and the suns that decided."""
        events = []
        for fame in sorted({s.fame[p] for p in range(s.players)}, reverse=True):
            tied = [p for p in range(s.players) if s.fame[p] == fame]
            if len(tied) > 1:
                tied.sort(key=lambda p: -highest_sun(s, p))
                first, *others = (highest_sun(s, p) for p in tied)
                data = {"seats": tied, "fame": fame, "sun": first, "others": others}
                events.append(self.event("tie_broken", tied[0], **data))
        return events

    def ask(self, s: AuctionState) -> Event:
        """What somebody is asked who is to bid."""
        last = s.turn == s.mover
        must = not may_pass(s)
        over = {"bid": s.bid, "seats": [s.bidder]} if s.bid else {}
        if s.lying == 0:
            kind = "ask_empty_must" if must else "ask_empty_over" if over else "ask_empty"
            return self.event(kind, s.turn, middle=s.middle, **over)
        if must:
            return self.event("ask_must_bid", s.turn)
        if s.cause == ROW_FULL and not over:
            return self.event("ask_full_last_bid" if last else "ask_full_bid", s.turn)
        kind = ("ask_last_bid" if last else "ask_bid") + ("_over" if over else "")
        return self.event(kind, s.turn, **over)

    def parts(self, line: int) -> list[tuple[str, str]]:
        """The names and rules of the lines that one line of the record is told by."""
        return [self.lines[line]]

    @property
    def line_names(self) -> tuple[str, ...]:
        """The names of all lines that fame is told by."""
        return tuple(name for line in range(len(self.lines)) for name, _ in self.parts(line))

    def scored(self, s: State, seat: int, score: Callable[[State], None]) -> Scored:
        """A seat's score lines, but for the floor, if its epoch were over now, and if the last one were."""
        now = self._scored_in(s, seat, s.epoch, score)
        return now, now if s.epoch == EPOCHS else self._scored_in(s, seat, EPOCHS, score)

    def _scored_in(
        self, s: State, seat: int, epoch: int, score: Callable[[State], None]
    ) -> dict[tuple[str, str], int]:
        then = s.copy()
        then.epoch = epoch
        for p in range(then.players):
            then.fame[p] = 0
        score(then)
        lines = range(len(self.lines) - 1)
        fame = {part: 0 for line in lines for part in self.parts(line)}
        for line in lines:
            for event in self.score_line(then, seat, line) if then.scored[seat, line] else ():
                fame[event.data["line"], event.rule] += event.data["points"]
        return fame

    def displays(self, s: State, score: Callable[[State], None]) -> list[int]:
        """What every display would bring if the epoch were over now, but for the suns of the last one."""
        then = s.copy()
        for p in range(then.players):
            then.fame[p] = 0
        score(then)
        return [sum(then.scored[p, line] for line in range(len(self.lines) - 1)) for p in range(s.players)]

    def gains(self, without: Scored, having: Scored) -> dict[str, Any]:
        """The fame that tiles would bring, in all and line by line; later is after the last epoch."""
        lines = []
        for part in without[0]:
            soon, in_all = (having[when][part] - without[when][part] for when in (0, 1))
            for points, later in ((soon, False), (in_all - soon, True)):
                if points:
                    lines.append({"line": part[0], "rule": part[1], "points": points, "later": later})
        return {"points": sum(line["points"] for line in lines), "lines": lines}

    def reasons(
        self,
        gains: dict[str, Any],
        then: State,
        seat: int,
        score: Callable[[State], None],
        count: Counting[State],
    ) -> dict[str, Any]:
        """The same gains, and on each line what the seat would have of it then."""
        settled = then.copy()
        settled.epoch = EPOCHS
        after = settled.copy()
        for p in range(after.players):
            after.fame[p] = 0
        score(after)
        had = {event.data["line"]: event.as_dict() for event in count(settled, seat, after)}
        return {**gains, "lines": [{**line, "has": had[line["line"]]} for line in gains["lines"]]}

    def why(self, s: AuctionState, move: Move) -> Event | None:
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
        sun = sun_of(move)
        if s.suns[s.turn, sun] == FACE_DOWN:
            return self.event("sun_face_down", sun=sun)
        if s.suns[s.turn, sun] != FACE_UP:
            return self.event("sun_not_owned", s.turn, sun=sun)
        return self.event("sun_too_low", sun=sun, bid=s.bid)


def about_ra(s: AuctionState, rule: str, left: int) -> Event:
    """How near the Ra tiles are to the end of the epoch."""
    data = {"number": s.ra_tiles, "limit": RA_TILES_TO_END[s.players], "left": int(left)}
    return Event("about_ra", rule, data=data)


def speaking(s: AuctionState, seat: int) -> dict[str, Any]:
    """RA-13, PR-08: who speaks in this order; for whoever is to bid, which suns are still higher than each of
    theirs, and who gets the row if they pass as the last one.
    """
    order = [p for i in range(1, s.players + 1) if s.ready[p := (s.mover + i) % s.players]]
    found: dict[str, Any] = {"speakers": order}
    if seat == s.turn:
        later = [sun for p in order[order.index(seat) + 1 :] for sun in suns_of(s, p, FACE_UP)]
        found["higher"] = {
            str(own): sorted(sun for sun in later if sun > own) for own in suns_of(s, seat, FACE_UP)
        }
        if seat == order[-1] and s.bid:
            found["passing"] = {"seat": s.bidder, "sun": s.bid}
    return found


def suns_of(s: AuctionState, p: int, face: int) -> list[int]:
    """A seat's suns that lie face up, or those that lie face down."""
    return [sun for sun in range(1, HIGHEST_SUN + 1) if s.suns[p, sun] == face]


def sun_of(move: Move) -> int:
    """The sun that a move bids; 0 is a pass."""
    return 0 if move.id == PASS else move.id - FIRST_BID + 1


def won_by(before: State, move: Move) -> State | None:
    """RA-16, PR-10: the state in which the bidder has won the row with this word, if somebody does."""
    then = before.copy()
    if make_bid(then, sun_of(move)) != WON:
        return None
    take_row(then, then.tiles)
    return then


def sale(before: State, move: Move) -> State | None:
    """RA-16, PR-10: the moment of a sale: the bidder has the row, and what everybody said stands."""
    then = won_by(before, move)
    if then is not None:
        then.ready[then.bidder] += 1
    return then


def chance_of(s: AuctionState, kind: int) -> float:
    """How likely the next tile out of the bag is of this kind."""
    return s.bag[kind] / sum(s.bag[i] for i in range(len(s.bag)))


def lot(s: AuctionState) -> list[int]:
    """The kinds of the tiles in the auction row."""
    return [s.row[i] for i in range(ROW_SPACES) if s.row[i] != EMPTY]
