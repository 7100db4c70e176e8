"""What a game is: a folder with rules over a record, and the plain Python that makes them readable."""

import difflib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import entry_points
from itertools import pairwise
from numbers import Integral
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic

from .engine import CHANCE, OVER, GameState, RulesModule, StateT
from .engine import SPECTATOR as SPECTATOR
from .errors import BadOption, BadPlayers, Phrase, UnknownGame, UnknownMove
from .options import Option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from .words import Speaker

COMMON_RULES = Path(__file__).parent / "games"
"""The folder of the rules that hold for all games, and of the games of the package."""
ENTRY_POINTS = "teerling.games"
"""The group of entry points in which other packages name their games."""


@dataclass(frozen=True, slots=True)
class Move:
    """A decision or an outcome of chance: its id, and its text in plain English words."""

    id: int
    text: str
    chance: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The words of the text: `("bid", "13")`."""
        return tuple(self.text.split())

    @property
    def veiled(self) -> "Move":
        """What somebody sees who may not know which move it is: `card ?`."""
        return Move(-1, f"{self.parts[0]} ?", self.chance)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, or a reason: its kind, its rule, whom it concerns, and details.

    In the details, strings are terms that can be translated and `seats` are seats; a list within a list is
    said as one: `red 1 1 4`.
    """

    kind: str
    rule: str
    seat: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "rule": self.rule, "seat": self.seat, **self.data}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> "Event":
        details = dict(told)
        return cls(details.pop("kind"), details.pop("rule"), details.pop("seat"), details)


@dataclass(frozen=True)
class Plural:
    """Two forms of a sentence, chosen by the detail with this name."""

    one: str
    many: str
    by: str


@dataclass(frozen=True)
class ScoreRow:
    """A line of a scoring: what it is for, its rule, and what every seat got."""

    line: str
    rule: str
    cells: Mapping[int, int | str]
    """By seat: points, or a text or term to be shown as it is."""
    counts: Mapping[int, Event] = field(default_factory=dict)
    """By seat: what was counted there, as a reason for the points."""
    notes: Sequence[Event] = ()
    """What else is to be known of the line: who are equal, and what decides."""


def score_rows(events: Sequence[Event]) -> list[ScoreRow]:
    """A line for everything that points were given for, or that was counted and brought nothing.

    What ends an epoch or a round may tell what everybody had then, as `accounts` makes it.
    """
    rows: dict[tuple[str, str], tuple[dict[int, int | str], dict[int, Event]]] = {}
    for event in events:
        for account in event.data.get("accounts", ()):
            cells, counts = rows.setdefault((account["line"], account["rule"]), ({}, {}))
            cells.setdefault(account["seat"], 0)
            counts[account["seat"]] = Event.from_dict(account)
        if event.kind == "scored" and event.seat is not None:
            cells, _ = rows.setdefault((event.data["line"], event.rule), ({}, {}))
            cells[event.seat] = int(cells.get(event.seat, 0)) + event.data["points"]
    return [ScoreRow(line, rule, *row) for (line, rule), row in rows.items()]


def accounts(counted: Sequence[Event], scored: Sequence[Event]) -> list[dict[str, Any]]:
    """What every seat had on each line of a scoring, as details of the event that ends a round.

    Lines on which nobody has anything, nor got or lost points, are left out.
    """
    lines = {event.data["line"] for event in counted if event.data["count"]}
    lines |= {event.data["line"] for event in scored}
    return [event.as_dict() for event in counted if event.data["line"] in lines]


def legal_ids(rules: RulesModule[StateT], state: StateT) -> list[int]:
    """The ids of all decisions that are legal in a state that waits for one."""
    mask = [0] * rules.DECISIONS
    rules.legal(state, mask)
    return [id for id, allowed in enumerate(mask) if allowed]


def scores_and_ranks(rules: RulesModule[StateT], state: StateT) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Every seat's points, and its place: 1 is best."""
    scores, ranks = [0] * state.players, [0] * state.players
    rules.results(state, scores, ranks)
    return tuple(scores), tuple(ranks)


def winners(rules: RulesModule[StateT], state: StateT) -> list[int]:
    """The seats that have won, or would if the game were over."""
    return [seat for seat, rank in enumerate(scores_and_ranks(rules, state)[1]) if rank == 1]


def never_secret(state: GameState, move: Move, seat: int) -> bool:
    """In an open game everybody sees every move."""
    return False


def never_rests(state: GameState, seat: int) -> bool:
    """In most games everybody has something to decide until the match is over."""
    return False


def never_begins_picture(before: Event, event: Event) -> bool:
    """All that a decision brings about is shown together."""
    return False


def always_evident(state: GameState) -> bool:
    """In an open game everybody can know that a move is forced."""
    return True


def only_part(state: GameState) -> int:
    """A match that is not cut into parts."""
    return 0


def no_ties(events: Sequence[Event]) -> list[Event]:
    """Nothing decides between equals."""
    return []


def no_tendency(state: GameState, played: Move, better: Move) -> str:
    """Nothing is said of what somebody does wrong."""
    return ""


@dataclass(frozen=True)
class Tendencies(Generic[StateT]):
    """How looking back at many decisions of a game sorts them, and what it says of them."""

    parts: tuple[tuple[str, str], ...] = ()
    """The parts of a match, each with when that is: `("epoch 1", "in the first epoch")`."""
    part: Callable[[StateT], int] = only_part
    """The number of the part in which a state is, from 0; it never goes down in a match."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """The kind of a decision, by the first word of its move; where it is not here, that word."""
    tendency: Callable[[StateT, Move, Move], str] = no_tendency
    """From what the mover knew, what was played and what was better: a name in `sentences`, or nothing."""
    sentences: Mapping[str, str] = field(default_factory=dict)
    """What is said of somebody who does that; `{when}` is when."""

    def kind(self, move: Move) -> str:
        """The kind of decision that a move is."""
        return self.kinds.get(move.parts[0], move.parts[0])


@dataclass(frozen=True, eq=False, repr=False)
class Game(Generic[StateT]):
    """A game: its rules, and what makes them readable.

    All of it is over one class of states, `StateT`; mypy checks that the parts of a game fit.
    """

    id: str
    name: str
    author: str
    year: int
    players: range
    minutes: int
    summary: str
    rules: RulesModule[StateT]
    decisions: Sequence[str]
    """The text of every decision, by id."""
    outcomes: Sequence[str]
    """The text of every outcome of chance, by id."""
    tell: Callable[[StateT, Move, StateT], list[Event]]
    """From what somebody knew before a move, the move as they saw it and what they know after."""
    why: Callable[[StateT, Move], Event | None]
    """Why a decision is not legal; None if it is."""
    position: Callable[[StateT], dict[str, Any]]
    """A state, or an observation, as a readable dict; what is not known is None."""
    place: Callable[[Mapping[str, Any]], StateT]
    """The state of a readable dict; BadPosition says why there is none."""
    words: Mapping[str, str | Plural]
    """An English sentence for every kind of event."""
    terms: Sequence[str]
    """The words that details of events use."""
    nouns: Mapping[str, str | Plural] = field(default_factory=dict)
    """What the things of a term are called: one, and several; a term that is not here is its own name."""
    to_you: Mapping[str, str | Plural] = field(default_factory=dict)
    """The sentences of `words` that tell of somebody, as they are said to whom they tell about: `You bid`."""
    options: tuple[Option, ...] = ()
    version: int = 1
    secret: Callable[[StateT, Move, int], bool] = never_secret
    """Whether a seat may not know which move was made."""
    evident: Callable[[StateT], bool] = always_evident
    """Whether everybody can know that the only legal move is the only one."""
    shares: tuple[ModuleType, ...] = ()
    """Packages whose words, templates, styles and drawings this game uses too."""
    board: "Callable[[dict[str, Any], Speaker], RenderableType] | None" = None
    """Draws a view for a terminal, as something that Rich can print."""
    pigment: str = "lapis"
    """The colour of the game's card in the lobby: a pigment of the server's style.css."""
    ask: Callable[[StateT], Event] | None = None
    """What the player to decide is asked, from what that player knows; an event with its rule."""
    guide: tuple[tuple[str, str], ...] = ()
    """The first-time guide: what on the board a step points at, and what it says."""
    about: Callable[[StateT, int, str], Event | None] | None = None
    """What a piece of this name is, what it scores, and how a seat and the others stand with it; an event
    with its rule, from what the seat knows."""
    aids: Callable[[StateT, int], dict[str, Any]] | None = None
    """What helps a seat to decide, or `SPECTATOR` to follow, from what it knows; ready for JSON."""
    holdings: Callable[[StateT, int], Mapping[str, Hashable]] | None = None
    """What counts for a seat on a line of a scoring, by the line's name or its rule: where a move cannot
    change that, a hint does not name the line."""
    rounds: tuple[str, ...] = ()
    """The kinds of events that end an epoch or a round; what is scored with them is shown together."""
    tendencies: Tendencies[StateT] = field(default_factory=Tendencies)
    """How decisions are sorted where somebody looks back at many."""
    moments: Mapping[str, int] = field(default_factory=dict)
    """The kinds of events that decide something, and for how many milliseconds a table shows one before the
    next thing happens."""
    rests: Callable[[StateT, int], bool] = never_rests
    """Whether a seat has nothing to decide any more before the next epoch or round, or before the match is
    over: whoever only looks on does not wait long."""
    begins_picture: Callable[[Event, Event], bool] = never_begins_picture
    """Whether a table shows an event of a decision after the one told before it, not together with it."""
    pictured: "Callable[[StateT, Move, StateT, Sequence[Event], Sequence[Event]], StateT] | None" = None
    """How a table looks while only the first events of a move have been told: from what `tell` is given,
    those events and the rest. Without it, a picture knows already what its decision has come to."""
    pieces: Callable[[Sequence[tuple[int, Event]]], dict[str, Any]] | None = None
    """By which throws boards name the pieces that lie: from what was told lately, each event with the number
    of its move, as a seat knows it."""
    score_rows: Callable[[Sequence[Event]], list[ScoreRow]] = score_rows
    """The lines of such a scoring."""
    ties: Callable[[Sequence[Event]], list[Event]] = no_ties
    """Of everything that was told of a match, what decided between equals when it was over."""
    lines: tuple[str, ...] = ()
    """The names of all lines on which points can be scored, as `scored` events have them."""
    order: int = 100
    """Where the game stands among all games: low numbers first, equal ones by id."""
    tested: tuple[Mapping[str, Any], ...] = ()
    """Options that the tests for all games play with, besides the usual ones."""
    million_steps: float = 10.0
    """How many million steps of random games a core should make in a second; `teerling bench` compares."""

    def __repr__(self) -> str:
        return f"<Game {self.id}: {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process finds the game by its id."""
        return game, (self.id,)

    @cached_property
    def folder(self) -> Path:
        """Where the game's words and rules pages are."""
        return Path(str(self.rules.__file__)).parent

    def rules_pages(self, lang: str) -> list[Path]:
        """The game's rules page, in English if there is no other, and that of all games; or none."""
        own = [self.folder / f"rules.{each}.md" for each in (lang, "en")]
        page = next((path for path in own if path.exists()), None)
        return [] if page is None else [page, COMMON_RULES / f"rules.{lang}.md"]

    @cached_property
    def catalogues(self) -> list[Path]:
        """The folders that hold the game's words: its own, and that of what it shares."""
        shared = [Path(str(module.__file__)).parent for module in self.shares]
        return [self.folder, *shared]

    @cached_property
    def _moves(self) -> dict[bool, tuple[Move, ...]]:
        return {
            False: tuple(Move(id, text) for id, text in enumerate(self.decisions)),
            True: tuple(Move(id, text, True) for id, text in enumerate(self.outcomes)),
        }

    @cached_property
    def _by_text(self) -> dict[bool, dict[str, Move]]:
        return {chance: {move.text: move for move in moves} for chance, moves in self._moves.items()}

    def move(self, given: Move | str | int, chance: bool = False) -> Move:
        """A decision (or an outcome of chance) of this game from its id, its text or itself."""
        moves = self._moves[chance]
        if isinstance(given, Move):
            if given in self._moves[given.chance][given.id : given.id + 1]:
                return given
        elif isinstance(given, str):
            text = " ".join(given.split()).lower()
            if text in self._by_text[chance]:
                return self._by_text[chance][text]
            if text in self._by_text[not chance]:
                return self._by_text[not chance][text]
            near = difflib.get_close_matches(text[:80], self._by_text[chance], 1)
            hint = (
                Phrase("did you mean {near!r}?", near=near[0])
                if near
                else Phrase("a move looks like {move!r}", move=moves[0].text)
            )
            raise UnknownMove(
                Phrase("{move!r} is not a move of {game}; {hint}", move=given, game=self.name, hint=hint)
            )
        elif isinstance(given, int) and not isinstance(given, bool) and 0 <= given < len(moves):
            return moves[given]
        hint = (
            Phrase("its outcomes of chance have ids 0 to {last}", last=len(moves) - 1)
            if chance
            else Phrase("its decisions have ids 0 to {last}", last=len(moves) - 1)
        )
        raise UnknownMove(
            Phrase("{move!r} is not a move of {game}; {hint}", move=given, game=self.name, hint=hint)
        )

    def pictures(self, events: Sequence[Event]) -> list[Sequence[Event]]:
        """The events of a decision, cut into what is shown together."""
        cuts = [i for i in range(1, len(events)) if self.begins_picture(events[i - 1], events[i])]
        return [events[first:last] for first, last in pairwise([0, *cuts, len(events)]) if events]

    @property
    def usual_players(self) -> int:
        """How many play where nobody says how many: four, or what is nearest to that."""
        return min(self.players, key=lambda players: abs(players - 4))

    def check_players(self, players: int) -> int:
        """The number of players, if the game is for so many."""
        if not isinstance(players, Integral) or isinstance(players, bool) or players not in self.players:
            raise BadPlayers(
                Phrase(
                    "{game} is for {least} to {most} players, not {players!r}",
                    game=self.name, least=self.players[0], most=self.players[-1], players=players,
                )
            )  # fmt: skip
        return int(players)

    def check_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every option with its value; those not given have their default."""
        names = [option.name for option in self.options]
        for name in given:
            if name not in names:
                known = (
                    Phrase("its options are {names}", names=", ".join(names))
                    if names
                    else Phrase("it has no options")
                )
                raise BadOption(
                    Phrase("{game} has no option {name}; {known}", game=self.name, name=name, known=known)
                )
        return {option.name: option.parse(given.get(option.name)) for option in self.options}

    def format_options(self, options: Mapping[str, Any]) -> dict[str, str]:
        """The options as they are written."""
        return {option.name: option.format(options[option.name]) for option in self.options}

    def chosen_options(self, options: Mapping[str, Any]) -> dict[str, str]:
        """Those that differ from what they are by default, as they are written."""
        written = self.format_options(options)
        return {o.name: written[o.name] for o in self.options if options[o.name] != o.default}

    def encode_options(self, options: Mapping[str, Any]) -> list[int]:
        """The options as the rules read them."""
        return [number for option in self.options for number in option.encode(options[option.name])]

    def start(self, players: int, options: Mapping[str, Any], version: int | None = None) -> StateT:
        """The state before the first move; BadOption if an option does not fit so many players."""
        for option in self.options:
            option.check(options[option.name], players)
        state = self.rules.State()
        state.version = version or self.version
        self.rules.setup(state, players, self.encode_options(options))
        return state

    def legal_moves(self, state: StateT) -> tuple[Move, ...]:
        """What the player to decide may do; at a chance event its possible outcomes."""
        if state.turn == OVER:
            return ()
        if state.turn == CHANCE:
            return tuple(self._moves[True][id] for id, weight in enumerate(self.weights(state)) if weight)
        return tuple(self._moves[False][id] for id in legal_ids(self.rules, state))

    def weights(self, state: StateT) -> list[int]:
        """The weight of every outcome of the chance event the state waits for."""
        weights = [0] * self.rules.OUTCOMES
        self.rules.chance(state, weights)
        return weights

    def after(self, state: StateT, move: Move) -> StateT:
        """The state after a legal move; the one before stays as it was."""
        after = state.copy()
        self.rules.apply(after, move.id)
        return after

    def results(self, state: StateT) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Scores and ranks, by seat."""
        return scores_and_ranks(self.rules, state)

    def observed(self, state: StateT, seat: int) -> StateT:
        """What a seat knows of a state; `SPECTATOR` knows what everybody knows."""
        seen = state.copy()
        self.rules.observe(seen, seat)
        return seen

    def imagined(self, seen: StateT, seat: int, rng: list[int]) -> StateT:
        """A state that a seat might be in, by what it knows; `rng` holds one 64-bit number."""
        state = seen.copy()
        self.rules.imagine(state, seat, rng)
        return state


_games: dict[str, Game] = {}


def register(game: Game) -> Game:
    """Makes a game known to `new`, `load` and the command line."""
    _games[game.id] = game
    return game


def game(id: Game | str) -> Game:
    """The game with this id; a game itself as it is.

    >>> game("ra").players
    range(2, 6)
    """
    if isinstance(id, Game):
        return id
    name = str(id)
    if name not in _games and name in _folders():
        _import_game(name)
    if name not in _games:
        _find_all()
    if name not in _games:
        near = difflib.get_close_matches(name, game_ids(), 1, cutoff=0.6)
        hint = (
            Phrase("did you mean {near}?", near=near[0])
            if near
            else Phrase("there are {known}", known=", ".join(game_ids()))
        )
        raise UnknownGame(Phrase("there is no game {id!r}; {hint}", id=id, hint=hint))
    return _games[name]


def game_ids() -> list[str]:
    """The ids of all games, in the order in which they are shown."""
    return [game.id for game in list_games()]


def list_games() -> tuple[Game, ...]:
    """All games: those of the package, those that other packages bring, and those registered.

    >>> [game.id for game in list_games()][:2]
    ['ra', 'priests']
    """
    _find_all()
    return tuple(sorted(_games.values(), key=lambda game: (game.order, game.id)))


@cache
def _find_all() -> None:
    """Registers the games of the package, and those that other packages name as entry points."""
    for folder in _folders():
        _import_game(folder)
    for entry in entry_points(group=ENTRY_POINTS):
        if entry.name not in _games:
            register(entry.load())


@cache
def _folders() -> tuple[str, ...]:
    """The names of the folders in the package that can be a game."""
    return tuple(found.name for found in iter_modules([str(COMMON_RULES)]) if found.ispkg)


def _import_game(folder: str) -> None:
    """Registers the game of a folder of the package; a folder that games share has none."""
    found = getattr(import_module(f"{__package__}.games.{folder}"), "game", None)
    if isinstance(found, Game) and found.id not in _games:
        register(found)
