"""What somebody may see, as frozen values: all that pages are made of.

Secrecy ends here. A view is made of a viewer's observation (see `look`); whatever a page shows, in whatever
language, is worked out from its view and from the rules of the game, never from the match.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cache

from ...game import Event, Game, Move
from ...lab.luck import Numbers
from ...lab.mistakes import Judgement
from ...lab.review import ReviewStep, SeatReview, Stroke
from ...options import Option
from ...players.base import MoveEstimate
from ...players.hint import Reason
from ...players.levels import levels

MOST_TOLD = 3
"""How many of the costliest moves a review tells."""


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What pages tell about a game."""

    id: str
    name: str
    author: str
    year: int
    players: tuple[int, ...]
    """For how many it is."""
    usual_players: int
    """How many play where nobody says how many."""
    minutes: int
    summary: str
    pigment: str
    """The colour of its card in the lobby."""
    guide: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, Option], ...]
    """Every option with the kind of field in which it is chosen: Number, Choice, Flag or Counts."""


@cache
def game_info(of: Game) -> GameInfo:
    """What pages tell about a game."""
    return GameInfo(
        id=of.id,
        name=of.name,
        author=of.author,
        year=of.year,
        players=tuple(of.players),
        usual_players=of.usual_players,
        minutes=of.minutes,
        summary=of.summary,
        pigment=of.pigment,
        guide=of.guide,
        options=tuple((type(option).__name__, option) for option in of.options),
    )


@dataclass(frozen=True, eq=False, slots=True)
class Scoring:
    """The end of an epoch or round, or of the match: what it brought, as the viewer knows it.

    It is made once for a viewer of a match, so that what was made of it can be kept.
    """

    end: Event | None
    """What ended; None for the scoring of the whole match."""
    events: tuple[Event, ...]
    start: tuple[int, ...]
    """What every seat began the match with, in the scoring of the whole match."""
    start_rule: str | None
    scores: tuple[int | None, ...]
    """Every seat's points after it; None if they are hidden."""
    move: int
    """After how many moves it was."""


@dataclass(frozen=True, slots=True)
class MatchView:
    """What a viewer may know of a match."""

    game: str
    """The id of the game."""
    seat: int | None
    """The seat from which it is seen; None is a spectator's view."""
    you: int | None
    """The viewer's seat; a replay may be seen from other seats too."""
    asked: bool
    """Whether the viewer may decide for the seat, if it is the seat's turn."""
    stopped: bool
    """Whether nothing is played: the table waits for players, or has ended."""
    names: tuple[str, ...]
    observation: bytes
    """The record of what the seat knows, as the rules' `observe` left it."""
    steps: tuple[tuple[Event, ...], ...]
    """What happened, move by move, as the seat knows it."""
    scorings: tuple[Scoring, ...]
    fresh: Scoring | None
    """The last scoring, if the seat has decided nothing since."""
    ranking: tuple[tuple[int, int, int], ...]
    """Rank, seat and score of everybody, best first; empty before the match is over."""
    seal: str | None
    take_backs: tuple[int, ...]
    """How often every seat took back what chance had answered already."""
    since: int = 0
    """How many steps the viewer's last decision ended with: what came later is news."""
    moment: int = 0
    """How many of the last steps are being shown as they happen; none if the match stands still."""
    told: int = 0
    """How many of their events have been shown already."""
    coming: tuple[Event, ...] = ()
    """What the same decision told too but is shown later: the observation knows it, the steps do not."""
    laid: bytes | None = None
    """How everything lay when the match ended, if its last scoring cleared the table: what a board shows."""

    def __hash__(self) -> int:
        return hash((self.game, self.seat, self.you, self.observation, len(self.steps), self.moment))


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat of a table."""

    number: int
    kind: str
    """person, bot or open"""
    name: str
    level: str | None
    """The level of its bot."""
    stand_in: bool
    """Whether a bot sits in for its player."""
    way_out: str | None
    """How its player came to be replaced by a bot: resign, absent or time."""
    away: bool
    """Whether its player has no page of the table open."""
    hints: int
    """How often it asked for a hint."""
    take_backs: int
    """How often it took back what chance had answered already."""
    may_return: bool
    """Whether the viewer may take it back from the bot that sits in."""
    questions: int = 0
    """How often the tutor asked it whether it was sure."""
    kept: bool = False
    """Whether it is free, but kept for somebody who played the match before."""
    kept_for_you: bool = False


@dataclass(frozen=True, slots=True)
class HintView:
    """A hint that the viewer asked for; without estimates it is still being worked out, or failed."""

    failed: bool = False
    preparing: bool = False
    """Whether it waits for the rules to be compiled."""
    player: str = ""
    playouts: int = 0
    estimates: tuple[MoveEstimate, ...] = ()
    """Best first."""
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class TutorView:
    """The tutor beside a player, and the move that it asks about, if there is one."""

    on: bool
    preparing: bool = False
    """Whether it waits for the rules to be compiled."""
    move: Move | None = None
    best: Move | None = None
    loss: float = 0.0
    interval: tuple[float, float] = (0.0, 0.0)
    reason: Reason | None = None
    """Why the other move is better."""
    told: bool = False
    """Whether the reason is known, or there is none."""


@dataclass(frozen=True, slots=True)
class BranchView:
    """Where a match was branched from another."""

    address: str
    """Where that step can be seen."""
    step: int
    same_luck: bool


@dataclass(frozen=True, slots=True)
class TableView:
    """What a viewer may see of a table, and may do at it besides moving."""

    id: str
    version: int
    match: MatchView
    status: str
    """open, playing or over"""
    begun: bool
    pace: str
    ending: str | None
    ended_by: int | None
    seats: tuple[SeatView, ...]
    own: tuple[int, ...]
    """The viewer's seats."""
    played: tuple[int, ...]
    """Those in which the viewer still plays."""
    curtain: int | None
    """The seat of a shared screen that is to decide, while its secrets are still hidden."""
    may_take_back: bool
    draws_anew: bool
    """Whether taking back would take answers of nature with it, so that she draws anew."""
    gives_hints: bool
    hint: HintView | None
    preparing: bool
    """Whether bots still play by simpler means, as their search is being compiled."""
    absent: int | None
    """A seat that the viewer may give to a bot, as its player has been away for long."""
    may_end: bool
    """Whether the viewer may end the match instead."""
    chat: tuple[tuple[str, str], ...]
    """The last lines: who said what."""
    rematch: str | None
    """The table of the next match among the same, once it has been opened."""
    seed: str | None
    """The seed of the match's nature, once it may be told."""
    day: str | None
    """Of which day's deal this is; None for any other table."""
    branch: BranchView | None = None
    """From which other match it was branched."""
    tutor: TutorView | None = None
    """None where there may be none."""
    watching: int = 0
    """How many others without a seat look on, while the table waits for players."""
    levels: tuple["LevelInfo", ...] = ()
    """The levels that the viewer may give to bots, while the table waits for players."""
    opening: bool = False
    """Whether everybody has just sat down: several people play, and nobody has decided anything yet."""
    watched: bool = False
    """Whether everybody who plays only looks on, so that nothing takes long."""
    frames: tuple[MatchView, ...] = ()
    """What is shown before it: the match after every decision that the viewer has not seen yet."""

    @property
    def playing(self) -> bool:
        return self.status == "playing"

    @property
    def over(self) -> bool:
        return self.status == "over"

    @property
    def away(self) -> tuple[int, ...]:
        """The seats whose players have no page of the table open."""
        return tuple([seat.number for seat in self.seats if seat.away])

    @property
    def waited_for(self) -> bool:
        """Whether other people play on here while the viewer reads."""
        others = (seat for seat in self.seats if seat.number not in self.own)
        return self.pace == "live" and any(seat.kind == "person" and not seat.stand_in for seat in others)

    def __hash__(self) -> int:
        return hash((self.id, self.version, self.match))


@dataclass(frozen=True, slots=True)
class StepView:
    """A decision with nature's answers to it; step 0 is how the match was set up."""

    number: int
    seat: int | None
    events: tuple[tuple[Event, ...], ...]
    """What each of its moves told."""


@dataclass(frozen=True, slots=True)
class PlayOnView:
    """How a match can be played on from a step of its replay."""

    address: str
    """Where the form of it goes."""
    seat: int | None
    """The viewer's own; otherwise it is that of whoever is to move."""
    knows_luck: bool
    """Whether the luck that was can come again."""
    ends: bool
    """Whether the match is over at its last step."""
    closed: str
    """Why it cannot be played on now."""


@dataclass(frozen=True, slots=True)
class SourceView:
    """Where a replayed match comes from, and what may be done with it."""

    base: str
    """Where its pages are."""
    at_table: bool
    """Whether it is a table's, and not that of an uploaded file."""
    begun: bool
    over: bool
    seats: tuple[int, ...]
    """The seats from which the viewer may look."""
    may_download: bool
    played_out: bool = False
    """Whether the match was played to its end, so that it can be reviewed."""
    may_try_again: bool = False
    """Whether the viewer's mistakes may be tried again."""
    play_on: PlayOnView | None = None
    branch: BranchView | None = None


@dataclass(frozen=True, slots=True)
class ReplayView:
    """A match at a step of its replay."""

    match: MatchView
    source: SourceView
    number: int
    last: int
    steps: tuple[StepView, ...]


@dataclass(frozen=True, eq=False, slots=True)
class ReviewView:
    """The review of a match that is over, as far as it has been worked out."""

    match: MatchView
    source: SourceView
    stops: tuple[int, ...]
    """After how many moves the steps of the replay stand."""
    bands: tuple[tuple[int, str], ...]
    """Where the parts of the match begin, and their names."""
    done: float
    """From 0 to 1."""
    before: int
    """How many reviews come first."""
    preparing: bool
    failed: bool
    number: int
    """Goes up with everything that is new to be shown."""
    curve: Numbers | None
    """Everybody's chance to win before every move and at the end, as soon as that is roughly known."""
    playouts: int = 0
    seats: tuple[SeatReview, ...] = ()
    """None of them, nor of what follows, until luck is known."""
    strokes: tuple[Stroke, ...] = ()
    mistakes: tuple[Judgement, ...] = ()
    steps: tuple[ReviewStep, ...] = ()
    before_told: tuple[MatchView, ...] = ()
    """How the match stood before each of the moves that are told, as its seat saw it."""

    @property
    def complete(self) -> bool:
        return self.done == 1.0

    @property
    def told(self) -> tuple[Judgement, ...]:
        """The costliest moves of the viewer; for somebody who did not play, those of all."""
        own = self.match.you
        return tuple(each for each in self.mistakes if own is None or each.seat == own)[:MOST_TOLD]


@dataclass(frozen=True, slots=True)
class CheckView:
    """One chance event, and whether the seed gives the same."""

    number: int
    outcome: str
    chance: tuple[int, int]
    """The probability of the outcome as a fraction: numerator and denominator."""
    by_seed: str


@dataclass(frozen=True, slots=True)
class ProofView:
    """Whether the chance of a match followed from its seed, as far as that may be told."""

    game: GameInfo
    source: SourceView
    seal: str | None
    seed: str | None
    seal_fits: bool
    count: int
    taken_back: int
    """How many draws were taken back, and so are not among the checks."""
    given: int
    """How many draws are those of the match from which it was branched."""
    checks: tuple[CheckView, ...]

    @property
    def wrong(self) -> int:
        """How many chance events do not follow from the seed."""
        return sum(check.outcome != check.by_seed for check in self.checks)


@dataclass(frozen=True, slots=True)
class SeatLine:
    """A seat in a list of the lobby."""

    number: int
    name: str
    """Empty for a free seat."""
    kind: str
    """person, bot or open"""


@dataclass(frozen=True, slots=True)
class TableLine:
    """A table in a list of the lobby."""

    id: str
    game: GameInfo
    seats: tuple[SeatLine, ...]
    status: str
    ending: str | None
    changed: datetime
    yours: bool
    """Whether the viewer is to move."""
    mover: str | None
    """The name of whoever is to move."""
    match: MatchView | None = None
    """What the viewer may know of the match, where the lobby tells of it."""
    place: int | None = None
    """Which place the viewer came in, once the match was played out."""
    score: int | None = None
    branch: int | None = None
    """The step of another match from which it was branched."""

    @property
    def free(self) -> int:
        """How many seats are free."""
        return sum(seat.kind == "open" for seat in self.seats)


@dataclass(frozen=True, slots=True)
class LobbyView:
    """The lobby as a visitor sees it."""

    name: str
    at: datetime
    """When it is looked at."""
    games: tuple[GameInfo, ...]
    invitations: tuple[TableLine, ...]
    """The tables of a rematch at which a seat is kept for the visitor."""
    turns: tuple[TableLine, ...]
    """The visitor's tables that wait for the visitor."""
    waiting: tuple[TableLine, ...]
    """Those that wait for others."""
    finished: tuple[TableLine, ...]
    open_tables: tuple[TableLine, ...]
    playing: tuple[TableLine, ...]
    habits: "Habits"

    @property
    def returning(self) -> bool:
        """Whether the visitor has played here before."""
        return bool(self.invitations or self.turns or self.waiting or self.finished)


@dataclass(frozen=True, slots=True)
class Habits:
    """How somebody played last: against which level, and how many played each game."""

    level: str
    players: tuple[tuple[str, int], ...] = ()

    def players_of(self, of: GameInfo | Game) -> int:
        """How many play a game with somebody of these habits."""
        return dict(self.players).get(of.id, of.usual_players)


@dataclass(frozen=True, slots=True)
class LevelInfo:
    """A level that a bot may have."""

    name: str
    character: str


@cache
def level_infos() -> tuple[LevelInfo, ...]:
    """The levels that a bot may have, weakest first."""
    return tuple(LevelInfo(level.name, level.character) for level in levels())
