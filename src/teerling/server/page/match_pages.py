"""What a page shows of a match: a pure function of a view and a language.

A board's template sees a `Page`: plain values, and nothing else.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from marshal import dumps
from typing import Any

from markupsafe import Markup

from ...engine import HIDDEN, OVER
from ...game import SPECTATOR, Event, Game, game
from ...words import Speaker, You, capital
from . import environment
from .environment import rule_link, speaker
from .memo import KEY_FORMAT
from .scores import Sheet, sheet_of
from .views import GameInfo, MatchView, game_info

PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
"""What places are called."""
LOG_LINES = 40
MOST_KEPT = 10_000
"""How many reasons and explanations are kept."""
MOST_RETOLD = 2_000
"""Of how many moves the sentences are kept, for the same words and names."""
MOST_PAGES = 200
"""How many pages of tables are kept, and of how many what they are made of."""
PIECES_MOVES = 90
"""How many moves ago a piece may have been thrown that still lies."""
ANNOUNCED = 4
"""So much of what happened a screen reader hears with a page; each move was told when it was shown."""
LINE, END = Markup("<li>"), Markup("</li>")


def _emblem(seat: int | None) -> Markup:
    """The emblem of the player of whom a line tells."""
    pieces: Any = environment.ENVIRONMENT.get_template("pieces.html").module
    return Markup("") if seat is None else pieces.emblem(seat)


@dataclass(frozen=True, slots=True)
class Retold:
    """What happened with one move: sentences with their rules, and the same as lines of the log."""

    lines: tuple[tuple[str, str], ...]
    shown: tuple[Markup, ...]
    """Newest first."""


NOTHING = Retold((), ())


@lru_cache(MOST_PAGES)
def _known_sentences(game_id: str, lang: str, names: tuple[str, ...]) -> dict[int, tuple[Any, Retold]]:
    """The sentences of moves that pages with these words and names have told, by the object of the events."""
    return {}


@lru_cache(MOST_PAGES)
def _said(game_id: str, lang: str, names: tuple[str, ...]) -> dict[Any, str]:
    """The sentences that pages with these words and names have said, by what they tell."""
    return {}


@lru_cache(MOST_PAGES)
def _seen(game_id: str, observation: bytes) -> Any:
    """The record of an observation, for the rules to read."""
    return game(game_id).rules.State(observation)


# What rules say of an observation is worked out once: several pictures of a decision are made of the same.


@lru_cache(MOST_PAGES)
def _laid_out(game_id: str, observation: bytes) -> dict[str, Any]:
    """Everything that lies and stands, as a position tells it."""
    return game(game_id).position(_seen(game_id, observation))


@lru_cache(MOST_PAGES)
def _scores(game_id: str, observation: bytes) -> tuple[int | None, ...]:
    """Every seat's points; None if they are hidden."""
    scores = game(game_id).results(_seen(game_id, observation))[0]
    return tuple([None if score == HIDDEN else score for score in scores])


@lru_cache(MOST_PAGES)
def _aids(game_id: str, observation: bytes, seat: int | None) -> Mapping[str, Any]:
    """What helps a seat to decide, or a spectator to follow."""
    aids = game(game_id).aids
    return aids(_seen(game_id, observation), SPECTATOR if seat is None else seat) if aids else {}


@lru_cache(MOST_KEPT)
def refusal(game_id: str, observation: bytes, text: str) -> Event | None:
    """Why a move cannot be made, by what the player to decide knows; None if it can."""
    of = game(game_id)
    return of.why(_seen(game_id, observation), of.move(text))


@lru_cache(MOST_KEPT)
def explained(game_id: str, observation: bytes, seat: int, name: str) -> Event | None:
    """What a piece is, by what a seat knows."""
    about = game(game_id).about
    return None if about is None else about(_seen(game_id, observation), seat, name)


@dataclass(frozen=True)
class Page:
    """Everything that a board's template may use: a view, worked out in a language."""

    view: MatchView
    say: Speaker
    game: GameInfo
    turn: int | None
    """The seat to decide; below zero it is nature, None when the match is over."""
    mine: bool
    """Whether the viewer is to decide."""
    board: dict[str, Any]
    scores: tuple[int | None, ...]
    """Every seat's points; None if they are hidden."""
    ordered_legal: tuple[str, ...]
    asked: Event | None
    """What the viewer is asked."""
    aids: Mapping[str, Any]
    """What helps the seat to decide; for spectators, what helps to follow."""

    @property
    def lang(self) -> str:
        return self.say.lang

    @property
    def seat(self) -> int | None:
        return self.view.seat

    @property
    def you(self) -> int | None:
        return self.view.you

    @property
    def over(self) -> bool:
        return self.turn is None

    @property
    def steps(self) -> tuple[tuple[Event, ...], ...]:
        """What happened, move by move, as the seat knows it."""
        return self.view.steps

    @property
    def ranking(self) -> tuple[tuple[int, int, int], ...]:
        """Rank, seat and score, best first, when the match is over."""
        return self.view.ranking

    @cached_property
    def moment(self) -> tuple[Event, ...]:
        """What is being shown as it happens; nothing while the match stands still."""
        count, told = self.view.moment, self.view.told
        return tuple(event for events in self.steps[-count:] for event in events)[told:] if count else ()

    @property
    def coming(self) -> tuple[Event, ...]:
        """What the same decision brought about too, but is shown after what is being shown."""
        return self.view.coming

    def gained(self, seat: int) -> int:
        """How many points what is being shown brings a seat."""
        scored = (event for event in self.moment if event.kind == "scored" and event.seat == seat)
        return sum(event.data["points"] for event in scored)

    def happening(self, *kinds: str) -> Event | None:
        """The last event of these kinds in what is being shown."""
        return next((event for event in reversed(self.moment) if event.kind in kinds), None)

    @property
    def news_lines(self) -> Markup:
        """What happened since the viewer's last decision as lines of a list, newest first."""
        return self._lines[0]

    @cached_property
    def legal(self) -> frozenset[str]:
        return frozenset(self.ordered_legal)

    def can(self, text: str) -> bool:
        """Whether the viewer may make this move now."""
        return text in self.legal

    def why(self, text: str) -> str:
        """Why the viewer cannot make a move, with the rule's id; empty if it can be made."""
        if not self.mine:
            return "" if self.over else capital(self.say("it is not your turn"))
        reason = None if self.can(text) else refusal(self.game.id, self.view.observation, text)
        return "" if reason is None else f"{capital(self.sentence(reason))} ({reason.rule})"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Everybody's name for sentences, which speak to the viewer; seats without one are numbered."""
        names = [self.plain_name(seat) for seat in range(len(self.view.names))]
        if self.you is not None:
            called = self.say("{name} (you)", name=names[self.you])
            names[self.you] = You(self.say("you"), called)
        return tuple(names)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What everybody is called where a name stands alone; the viewer is you."""
        return tuple(map(self.name, range(len(self.view.names))))

    def plain_name(self, seat: int) -> str:
        """A seat's name, or its number as people count; it does not say which is the viewer's."""
        name = self.view.names[seat]
        return self.say("Seat {number}", number=seat + 1) if name == f"seat {seat}" else name

    def name(self, seat: int) -> str:
        """What a seat is called where that stands alone: the viewer is you."""
        return self.say("You") if seat == self.you else self.plain_name(seat)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Seats in the order in which they are shown: the viewer's first, then clockwise."""
        first, players = self.seat or 0, len(self.view.names)
        return tuple((first + i) % players for i in range(players))

    @property
    def strip(self) -> tuple[int, ...]:
        """Seats as the score strip shows them: where several play at one screen they stay where they are."""
        return self.order if self.you is not None else tuple(range(len(self.view.names)))

    def about(self, name: str) -> str:
        """What a piece is and how everybody stands with it, with the rule's id; empty if nothing is told."""
        seen = self.view.laid or self.view.observation
        told = explained(self.game.id, seen, SPECTATOR if self.seat is None else self.seat, name)
        return "" if told is None else f"{capital(self.sentence(told))} ({told.rule})"

    def abouts(self, names: Iterable[str]) -> dict[str, str]:
        """The same of several pieces."""
        return {name: self.about(name) for name in names}

    def sentence(self, event: Event) -> str:
        """An event in words; what was told before, of the same names, is told in the same words."""
        try:
            key = event.kind, event.seat, dumps(dict(event.data), KEY_FORMAT)
        except ValueError:
            return self.say.say(event, self.names)
        said = self._said.get(key)
        if said is None:
            if len(self._said) >= MOST_RETOLD:
                self._said.pop(next(iter(self._said)), None)
            said = self._said[key] = self.say.say(event, self.names)
        return said

    @cached_property
    def _said(self) -> dict[Any, str]:
        return _said(self.game.id, self.lang, self.names)

    def account(self, told: Mapping[str, Any]) -> str:
        """What a seat has on a line of a scoring, in short."""
        return self.sentence(Event.from_dict(told))

    @cached_property
    def _known(self) -> dict[int, tuple[Any, Retold]]:
        return _known_sentences(self.game.id, self.lang, self.names)

    def retold(self, events: tuple[Event, ...]) -> Retold:
        """What happened with a move in sentences; they are kept, as of a long match only the last is new.

        Events are found again as objects: they hold details that cannot be a key.
        """
        told, found = self._known.get(id(events), (None, NOTHING))
        if told is not events:
            lines = tuple((self.sentence(event), event.rule) for event in events)
            shown = tuple(
                LINE + _emblem(event.seat) + text + " " + rule_link(self.game.id, rule) + END
                for event, (text, rule) in reversed(list(zip(events, lines, strict=True)))
            )
            if len(self._known) >= MOST_RETOLD:
                self._known.pop(next(iter(self._known)), None)
            found = Retold(lines, shown)
            self._known[id(events)] = (events, found)
        return found

    def news(self, seat: int) -> list[Event]:
        """What the last move told about a seat, or what is being shown."""
        last = self.moment or (self.steps[-1] if self.steps else ())
        return [event for event in last if event.seat == seat]

    def recent(self, moves: int, kinds: tuple[str, ...]) -> list[tuple[int, Event]]:
        """What the last moves told of these kinds, each with the number of its move."""
        first = max(0, len(self.steps) - moves)
        numbered = enumerate(self.steps[first:], first + 1)
        return [(number, event) for number, events in numbered for event in events if event.kind in kinds]

    @cached_property
    def pieces(self) -> Mapping[str, Any]:
        """By which throws the board names its pieces, if it does."""
        named = game(self.game.id).pieces
        first = max(0, len(self.steps) - PIECES_MOVES)
        numbered = enumerate(self.steps[first:], first + 1)
        return named([(number, event) for number, events in numbered for event in events]) if named else {}

    def said_since(self, begins: tuple[str, ...], kinds: tuple[str, ...]) -> Mapping[int | None, Event]:
        """By seat, what was last told of these kinds since something began, within a round of the table."""
        said: dict[int | None, Event] = {}
        for events in self.steps[-len(self.view.names) :]:
            for event in events:
                if event.kind in begins:
                    said = {}
                elif event.kind in kinds:
                    said[event.seat] = event
        return said

    def last_but(self, kinds: tuple[str, ...]) -> tuple[Event, ...]:
        """What a move told last, apart from moves that begin with these kinds."""
        told = (events for events in reversed(self.steps) if events)
        return next((events for events in told if events[0].kind not in kinds), ())

    def last_told(self, kind: str, seat: int) -> Event | None:
        """What was last told of this kind about a seat."""
        events = (event for events in reversed(self.steps) for event in reversed(events))
        return next((event for event in events if event.kind == kind and event.seat == seat), None)

    @property
    def log_lines(self) -> Markup:
        """The last sentences as lines of a list, newest first, ready to be shown."""
        return self._lines[1]

    @cached_property
    def _lines(self) -> tuple[Markup, Markup]:
        """The news, and all of the log."""
        shown: list[Markup] = []
        news: int | None = None
        for place in range(len(self.steps) - 1, -1, -1):
            if place < self.view.since and news is None:
                news = len(shown)
            if len(shown) >= LOG_LINES:
                break
            if self.steps[place]:
                shown += self.retold(self.steps[place]).shown
        shown = shown[:LOG_LINES]
        return Markup("".join(shown[:news])), Markup("".join(shown))

    @cached_property
    def scorings(self) -> tuple[Sheet, ...]:
        """Every scoring of an epoch or round, line by line, and at the end that of the whole match."""
        return tuple(sheet_of(scoring, self.game.id, self.say, self.names) for scoring in self.view.scorings)

    @property
    def fresh(self) -> Sheet | None:
        """The last scoring, if the seat has decided nothing since."""
        scoring = self.view.fresh
        return None if scoring is None else sheet_of(scoring, self.game.id, self.say, self.names)

    @property
    def outcome(self) -> str:
        """Who has won, in a sentence."""
        winners = [seat for rank, seat, _ in self.ranking if rank == 1]
        if winners == [self.you]:
            return self.say("You win!")
        if self.you in winners:
            return self.say("You share the win!")
        names = self.say.listed([self.names[seat] for seat in winners])
        return self.say.plural("{seats} wins", "{seats} share the win", len(winners), seats=names)

    @property
    def verdict(self) -> str:
        """Who has won, and what place the viewer comes in."""
        place, ranks = self._own_place, [rank for rank, _, _ in self.ranking]
        if place is None or place == 1:
            return self.outcome
        names = self.say.listed([self.plain_name(seat) for rank, seat, _ in self.ranking if rank == 1])
        said = {"seats": names, "place": self.say(PLACES[place - 1])}
        if ranks.count(place) > 1:
            return self.say.plural(
                "{seats} wins, you share {place} place", "{seats} share the win, you share {place} place",
                ranks.count(1), **said,
            )  # fmt: skip
        return self.say.plural(
            "{seats} wins, you come {place}",
            "{seats} share the win, you come {place}",
            ranks.count(1),
            **said,
        )

    @property
    def margin(self) -> str:
        """The viewer's points against the winner's; the winner's, for who watched too, against the next."""
        seats = [seat for _, seat, _ in self.ranking]
        if not seats:
            return ""
        who = self.you if self.you in seats else seats[0]
        own = next(score for _, seat, score in self.ranking if seat == who)
        others = [score for _, seat, score in self.ranking if seat != who]
        return self.say("{points} against {others}", points=own, others=others[0]) if others else ""

    @cached_property
    def reasons(self) -> tuple[tuple[str, str], ...]:
        """What decided between equals when the match was over, in sentences with their rules."""
        told = self.view.scorings[-1].events if self.ranking and self.view.scorings else ()
        decided = game(self.game.id).ties(told)
        if sum(rank == 1 for rank, _, _ in self.ranking) > 1:
            decided += [event for event in told if event.kind == "game_over"]
        return tuple((self.sentence(event), event.rule) for event in decided)

    @property
    def _own_place(self) -> int | None:
        """The place that the viewer comes in, when the match is over."""
        return next((rank for rank, seat, _ in self.ranking if seat == self.you), None)

    def announcement(self, standing: str) -> str:
        """What a screen reader hears, in a sentence: what happened since the own move, and how it stands."""
        since = self.steps[self.view.since :] or self.steps[-1:]
        happened = [text for events in since for text, _ in self.retold(events).lines]
        return "; ".join([*happened[-ANNOUNCED:], standing])

    @property
    def headline(self) -> str:
        """Whose turn it is, in a sentence."""
        if self.turn is None:
            return capital(self.say("the match is over"))
        if self.turn < 0:
            return capital(self.say("nature is to answer first"))
        if self.mine and self.you is not None:
            return self.say("It is your turn")
        return capital(self.say("{seat}'s turn", seat=self.plain_name(self.turn)))


def page_of(view: MatchView, lang: str) -> Page:
    """All that a board shows of a view, in a language."""
    of, seen = game(view.game), _seen(view.game, view.observation)
    mine = view.asked and view.seat is not None and view.seat == seen.turn
    page = Page(
        view=view,
        say=speaker(lang, of.id),
        game=game_info(of),
        turn=None if seen.turn == OVER else int(seen.turn),
        mine=mine,
        board=_laid_out(of.id, view.observation if view.laid is None else view.laid),
        scores=_scores(of.id, view.observation),
        ordered_legal=tuple(move.text for move in of.legal_moves(seen)) if mine else (),
        asked=of.ask(seen) if mine and of.ask is not None else None,
        aids={} if view.stopped else _aids(of.id, view.observation, view.seat),
    )
    return before_the_rest(page, of) if view.coming else page


def before_the_rest(page: Page, of: Game) -> Page:
    """A page on which what is still coming has not been scored, and it is the turn of whom it tells about.

    What decides something belongs to the turn of who brought it about.
    """
    scores = list(page.scores)
    for event in page.coming:
        if event.kind == "scored" and event.seat is not None:
            known = scores[event.seat]
            scores[event.seat] = None if known is None else known - event.data["points"]
    decision = [event for events in page.steps[-page.view.moment :] for event in events]
    decided = any(event.kind in of.moments for event in page.moment)
    told = (event.seat for event in (decision if decided else page.moment) if event.seat is not None)
    return replace(page, scores=tuple(scores), turn=next(told, page.turn))


@lru_cache(MOST_PAGES)
def glimpse(view: MatchView, lang: str) -> str:
    """What is going on in a match, in a sentence or two: what happened last, and what the viewer is asked."""
    page = page_of(view, lang)
    told = [line for events in page.steps[view.since :] for line, _ in page.retold(events).lines]
    asked = [] if page.asked is None else [page.sentence(page.asked)]
    return " ".join(f"{capital(text).rstrip('.?:')}." for text in [*told[-1:], *asked]) or page.headline


@lru_cache(MOST_PAGES)
def glance(view: MatchView) -> Markup:
    """A small drawing of how a match stands, 360 by 150, as the viewer knows it; empty if its game has none.

    It uses drawings of the game and of its scene.
    """
    name = f"games/{view.game}/glance.svg"
    if environment.source_of(name) is None:
        return Markup("")
    return Markup(environment.ENVIRONMENT.get_template(name).render(t=page_of(view, "en")))


environment.ENVIRONMENT.globals |= {"glimpse": glimpse, "glance": glance}
