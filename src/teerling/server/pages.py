"""Pages, made on the server for one seat at a time."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from jinja2 import Environment, FunctionLoader, StrictUndefined
from jinja2.runtime import Context, Macro
from markupsafe import Markup

from ..game import SPECTATOR, Event, Game, game, games
from ..match import Match
from ..players import Hint
from ..words import LANGUAGES, Speaker
from .house import House
from .scores import Sheet, is_fresh, outcome, scoring, sheets
from .table import Table

TEMPLATES = Path(__file__).parent / "templates"
LOG_LINES = 40
MOST_KEPT = 10_000
"""How much is kept of one macro."""
ANNOUNCED = 4
LINE, END = Markup("<li>"), Markup("</li>")
INDENTATION = re.compile(r"(<pre\b.*?</pre>)|^[ \t]+", re.DOTALL | re.MULTILINE)
RULE = Markup('<a class="rule" href="/rules/{game}#{rule}" data-rule="{rule}">{rule}</a>')


def _source(name: str) -> tuple[str, str, Any] | None:
    """Templates of the server, and `games/<id>/<file>` in the folders of a game."""
    folders = [TEMPLATES]
    if name.startswith("games/"):
        _, id, name = name.split("/", 2)
        folders = game(id).catalogues
    path = next((folder / name for folder in folders if (folder / name).is_file()), None)
    return None if path is None else (unindented(path.read_text(encoding="utf-8")), str(path), lambda: True)


def unindented(text: str) -> str:
    """A template with one blank for its indentation, which would be a tenth of every page.

    >>> unindented("<ul>\\n    <li>\\n<pre>  as it is</pre>")
    '<ul>\\n <li>\\n<pre>  as it is</pre>'
    """
    return INDENTATION.sub(lambda found: found[1] or " ", text)


class Calls(Context):
    """Calls from templates: nothing here asks for the context, so nothing has to be looked up first."""

    def call(self, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs.pop("_block_vars", None)
            kwargs.pop("_loop_vars", None)
        return obj(*args, **kwargs)


DICT_METHODS = frozenset(dir(dict))


class Templates(Environment):
    """Jinja, with the two things that boards do most made quick: calling macros, and keys of dicts."""

    context_class = Calls

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is dict and attribute in obj and attribute not in DICT_METHODS:
            return obj[attribute]
        try:
            return getattr(obj, attribute)
        except AttributeError:
            return super().getattr(obj, attribute)


ENVIRONMENT = Templates(
    loader=FunctionLoader(_source),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    cache_size=400,
)


@cache
def has_template(of: Game, name: str) -> bool:
    return _source(f"games/{of.id}/{name}") is not None


@cache
def drawing(of: Game, name: str) -> Markup:
    """A file of drawings or styles of a game, after those of what it shares; nothing where there is none."""
    return _together(name, of)


@cache
def drawings(*of: Game) -> Markup:
    """The symbols that boards and scenes of these games use; what they share stands there once."""
    return _together("drawings.svg", *of)


def _together(name: str, *of: Game) -> Markup:
    """The files of this name in the folders of games: each once, and what a game shares before its own."""
    paths = dict.fromkeys(folder / name for each in of for folder in reversed(each.catalogues))
    return Markup("".join(path.read_text(encoding="utf-8") for path in paths if path.is_file()))


@cache
def rule_link(game_id: str, rule: str) -> Markup:
    """A rule's id that opens the rules at that rule."""
    return RULE.format(game=game_id, rule=rule)


class Kept:
    """A macro that is given nothing but values: of the same values it makes the same, for whoever looks.

    What a seat alone may know is never in what another gets, as nobody gets what was made of other values.
    """

    def __init__(self, macro: Callable[..., Markup]) -> None:
        self._macro = macro
        self._made: dict[tuple[Any, ...], Markup] = {}

    def __call__(self, *values: Any) -> Markup:
        key = tuple([value if type(value) in UNCHANGING else frozen(value) for value in values])
        made = self._made.get(key)
        if made is None:
            if len(self._made) >= MOST_KEPT:
                # The oldest goes; if all went, everything would have to be made again at once.
                self._made.pop(next(iter(self._made)), None)
            made = self._made[key] = self._macro(*values)
        return made


UNCHANGING = frozenset({str, int, type(None), Speaker, Macro, Kept, Sheet})


def frozen(value: Any) -> Any:
    """A value as a part of a key; TypeError if it is no value, for then nobody knows what is made of it."""
    kind = type(value)
    if kind in UNCHANGING:
        return value
    if kind is dict:
        return tuple([(key, frozen(part)) for key, part in value.items()])
    if kind is list or kind is tuple:
        return tuple([frozen(part) for part in value])
    if kind in (bool, float, Markup):
        # A text and the same text as markup are equal to Python, but do not look the same; so are 1 and true.
        return kind, value
    raise TypeError(f"{kind.__name__} is no value that a kept macro can be given")


@cache
def speaker(lang: str, of: Game) -> Speaker:
    """Who says everything at tables of a game; always the same, so that what was said can be kept."""
    return Speaker(lang, of)


ENVIRONMENT.globals["rule_link"] = rule_link
ENVIRONMENT.globals["drawings"] = drawings
ENVIRONMENT.globals["kept"] = Kept


@dataclass(frozen=True, slots=True)
class Retold:
    """What happened with one move: the events, sentences with their rules, lines of the log, a scoring."""

    events: tuple[Event, ...]
    lines: list[tuple[str, str]]
    shown: list[Markup]
    sheet: Sheet | None


_retold: WeakKeyDictionary[Match, dict[tuple[Any, ...], list[Retold]]] = WeakKeyDictionary()


class Page:
    """Everything a board template may use; made from what one seat may know."""

    def __init__(
        self,
        match: Match,
        seat: int | None,
        lang: str,
        playing: bool = True,
        you: int | None = None,
        stopped: bool = False,
    ) -> None:
        self.match = match
        self.game = match.game
        self.seat = seat
        self.you = you
        """The seat of the one who looks; a replay may be seen from other seats too."""
        self.stopped = stopped
        """Whether nothing is played here: the table waits for players, or has ended."""
        self.lang = lang
        self.say = speaker(lang, match.game)
        # Told first, every state is observed once: what was seen last is where the telling begins and ends.
        self.told = match.told_to(seat)
        """What happened, move by move, as the seat knows it."""
        self.view = match.view(seat)
        self.board: dict[str, Any] = self.view["board"]
        self.turn: int | None = match.turn
        self.mine = playing and seat is not None and seat == match.turn
        self.over = match.over
        self.legal = frozenset(self.view["legal"]) if self.mine else frozenset[str]()
        self.ordered_legal: list[str] = self.view["legal"] if self.mine else []

    def can(self, text: str) -> bool:
        """Whether the seat may make this move now."""
        return text in self.legal

    def why(self, text: str) -> str:
        """Why the seat can not make a move, with the rule's id; empty if it can or is not asked."""
        if not self.mine:
            return "" if self.over else self.say("it is not your turn")
        reason = None if self.can(text) else self.game.why(self.match.state, self.game.move(text))
        return "" if reason is None else f"{self.say.say(reason, self.names)} ({reason.rule})"

    @cached_property
    def names(self) -> list[str]:
        """Everybody's name; one's own says so, and seats without one are numbered from 1, as people count."""
        names = [
            self.say("Seat {number}", number=seat + 1) if name == f"seat {seat}" else name
            for seat, name in enumerate(self.match.names)
        ]
        if self.you is not None:
            names[self.you] = self.say("{name} (you)", name=names[self.you])
        return names

    def name(self, seat: int) -> str:
        """A seat's name, as the log calls it too."""
        return self.names[seat]

    @cached_property
    def order(self) -> list[int]:
        """Seats in the order in which they are shown: one's own first, then clockwise."""
        first = self.seat or 0
        return [(first + i) % self.match.players for i in range(self.match.players)]

    @cached_property
    def asked(self) -> Event | None:
        """What the seat is asked."""
        if not self.mine or self.game.ask is None or self.seat is None:
            return None
        return self.game.ask(self.match.seen(self.seat))

    @cached_property
    def aids(self) -> Mapping[str, Any]:
        """What helps the seat to decide; for spectators, what helps to follow."""
        if self.game.aids is None or self.stopped:
            return {}
        return self.game.aids(self.match.seen(self.seat), SPECTATOR if self.seat is None else self.seat)

    def sentence(self, event: Event) -> str:
        return self.say.say(event, self.names)

    def news(self, seat: int) -> list[Event]:
        """What the last move told about a seat."""
        return [event for event in self.told[-1] if event.seat == seat] if self.told else []

    def recent(self, moves: int, kinds: tuple[str, ...]) -> list[tuple[int, Event]]:
        """What the last moves told of these kinds, each with the number of its move."""
        first = max(0, len(self.told) - moves)
        numbered = enumerate(self.told[first:], first + 1)
        return [(number, event) for number, events in numbered for event in events if event.kind in kinds]

    def last_but(self, kinds: tuple[str, ...]) -> tuple[Event, ...]:
        """What a move told last, apart from moves that begin with these kinds."""
        told = (events for events in reversed(self.told) if events)
        return next((events for events in told if events[0].kind not in kinds), ())

    def last_told(self, kind: str, seat: int) -> Event | None:
        """What was last told of this kind about a seat."""
        events = (event for events in reversed(self.told) for event in reversed(events))
        return next((event for event in events if event.kind == kind and event.seat == seat), None)

    @cached_property
    def retold(self) -> "list[Retold]":
        """The same in the page's language. It is kept: of a long match only the last move is new."""
        seen_by = (self.seat, self.lang, self.over, *self.names)
        known = _retold.setdefault(self.match, {}).setdefault(seen_by, [])
        # What was taken back is forgotten. Events are compared as objects, and "nothing" is always the same.
        told = self.told
        while known and not (
            len(known) <= len(told) and known[-1].events and known[-1].events is told[len(known) - 1]
        ):
            known.pop()
        for number in range(len(known), len(told)):
            known.append(self._retell(told[number], number + 1))
        return known

    def _retell(self, events: tuple[Event, ...], move: int) -> "Retold":
        lines = [(self.sentence(event), event.rule) for event in events]
        shown = [LINE + text + " " + rule_link(self.game.id, rule) + END for text, rule in lines]
        return Retold(events, lines, shown, scoring(self, events, move))

    @cached_property
    def log(self) -> list[tuple[str, str, int]]:
        """The last sentences, newest first: text, rule and number of the move."""
        lines: list[tuple[str, str, int]] = []
        for index in range(len(self.retold) - 1, -1, -1):
            lines += [(text, rule, index + 1) for text, rule in reversed(self.retold[index].lines)]
            if len(lines) >= LOG_LINES:
                break
        return lines[:LOG_LINES]

    @cached_property
    def log_lines(self) -> Markup:
        """The same as lines of a list, ready to be shown."""
        shown: list[Markup] = []
        for retold in reversed(self.retold):
            shown += reversed(retold.shown)
            if len(shown) >= LOG_LINES:
                break
        return Markup("".join(shown[:LOG_LINES]))

    @cached_property
    def scorings(self) -> list[Sheet]:
        """Every scoring of an epoch or round, line by line, and at the end that of the whole match."""
        return sheets(self)

    def is_fresh(self, sheet: Sheet) -> bool:
        """Whether a scoring has just been: the seat has not decided anything since."""
        return is_fresh(self, sheet)

    @property
    def outcome(self) -> str:
        """Who has won, in a sentence."""
        return outcome(self)

    @property
    def ranking(self) -> list[tuple[int, int, int]]:
        """Rank, seat and score, best first."""
        ranked = zip(self.match.ranks, range(self.match.players), self.match.scores, strict=True)
        return sorted(ranked)

    def announcement(self, standing: str) -> str:
        """What a screen reader hears: what happened last, and how things stand now."""
        last = [line for line, _, _ in self.log[:ANNOUNCED]][::-1]
        return ". ".join([*last, standing])

    @property
    def headline(self) -> str:
        """Whose turn it is, in a sentence."""
        if self.over:
            return self.say("the match is over")
        if self.turn is None or self.turn < 0:
            return self.say("nature is to answer first")
        return (
            self.say("It is your turn")
            if self.mine
            else self.say("{seat} is to move", seat=self.names[self.turn])
        )


def render(template: str, **context: Any) -> str:
    """A template of the server as text."""
    return ENVIRONMENT.get_template(template).render(languages=LANGUAGES, **context)


def board_of(of: Game) -> str:
    """The name of a game's board template, or of the plain one that fits every game."""
    return f"games/{of.id}/board.html" if has_template(of, "board.html") else "plain_board.html"


def live(table: Table, person_id: str, lang: str, house: House) -> dict[str, Any]:
    """The part of a table's page that changes, with what is said about it."""
    seat = table.seat_open_to(person_id)
    asked = table.playing and seat in table.seats_played_by(person_id)
    page = Page(table.match, seat, lang, asked, seat, stopped=not table.playing)
    standing = standing_of(table, page)
    ending = ending_of(table, page) if table.over else ""
    curtain = table.curtain(person_id)
    coming = house.hints.shown(table, page.seat) if page.mine else None
    html = render(
        "live.html",
        t=page,
        say=page.say,
        table=table,
        house=house,
        own=table.seats_of(person_id),
        curtain=curtain,
        standing=standing,
        ending=ending,
        coming=coming,
        person_id=person_id,
        board_template=board_of(table.game),
    )
    yours = page.mine or curtain is not None
    title = f"● {standing}" if yours else standing
    happening = table.playing or table.row.ending == "finished"
    said = page.announcement(standing) if happening else ending or standing
    return {
        "kind": "page",
        "version": table.version,
        "html": html,
        "title": f"{title} · {page.say(table.game.name)}",
        "announce": advised(coming.hint, page.say) if coming and coming.hint else said,
        "yours": yours,
    }


def standing_of(table: Table, page: Page) -> str:
    """How a table stands: what it waits for, whose turn it is, or that it is over."""
    if table.status == "open":
        return page.say("Waiting for players")
    if table.over and not table.begun:
        return ending_of(table, page)
    text = page.say("the match is over") if table.over else page.headline
    return text[:1].upper() + text[1:]


def ending_of(table: Table, page: Page) -> str:
    """How a match ended, in a sentence."""
    say, ending, by = page.say, table.row.ending, table.ended_by
    if by is None:
        return page.outcome
    if not table.begun:
        return say("The table was closed before the match began.")
    if ending == "resigned":
        return say("{seat} gave up, and so the match ended.", seat=page.names[by])
    if ending == "time":
        return say("{seat} ran out of time, and so the match ended.", seat=page.names[by])
    return say("{seat} left the table, and so the match ended.", seat=page.names[by])


def advised(hint: Hint, say: Speaker) -> str:
    """What a screen reader hears of a hint."""
    return f"{say('Hint')}: {say.move(hint.best)}. {hint.reason.said(say)}"


def warm_up() -> None:
    """Reads the templates of all tables, so that the first player need not wait for it."""
    for name in ("live.html", "table.html", *map(board_of, games())):
        ENVIRONMENT.get_template(name)
