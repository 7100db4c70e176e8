"""Thousands of matches side by side as arrays, for studies and for learning.

>>> import teerling
>>> batch = teerling.batch("rapido", players=3, size=256, seed=1)
>>> batch.legal.shape, batch.observations.shape
((256, 7), (256, 45))
>>> for _ in range(200):
...     batch.step(batch.random_moves())
>>> bool((batch.numbers >= 256).all())  # every row has begun another match
True

A row waits until one of the seats that are yours has to decide; nature answers by herself, and a match that
is over is followed by another. All arrays are the batch's own: they are filled anew by the next step, and
can be read but not written.
"""

import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engine.compile import bind, direct
from ..engine.kernels.batch import ADVISED, BEGIN, CALLER, NO_ROW, RANDOM, ROW, SEAT, settings_fields
from ..engine.kernels.by_word import WORD
from ..engine.record import filled
from ..errors import IllegalMove, Phrase, TeerlingError
from ..game import Game
from ..game import game as game_of
from ..limits import LARGEST_SEED, within
from ..match import Match
from ..players import Heuristic, Random, player, players
from ..players.parameters import parameters_for, scratch_for
from .observations import encoding_of
from .simulate import CPU, GPU, MOST_THREADS, apart, cores

if TYPE_CHECKING:
    from .gpu.batch import GpuBatch

KERNEL, BY_WORD = "teerling.engine.kernels.batch", "teerling.engine.kernels.by_word"
MOST_ROWS = 1 << 24
MOST_DECISIONS = 1_000_000_000
FEWEST_ROWS = 512
"""A thread takes no fewer rows: sharing them out would take longer than playing them."""
SHARE, RANK = "share", "rank"


@overload
def batch(
    game: Game | str,
    players: int | None = None,
    size: int = 1024,
    seed: int = 1,
    *,
    device: Literal["gpu"],
    **more: Any,
) -> "GpuBatch": ...
@overload
def batch(
    game: Game | str,
    players: int | None = None,
    size: int = 1024,
    seed: int = 1,
    *,
    device: Literal["cpu"] = "cpu",
    **more: Any,
) -> "Batch": ...
def batch(
    game: Game | str,
    players: int | None = None,
    size: int = 1024,
    seed: int = 1,
    *,
    seats: Sequence[str | None] | None = None,
    rotate: bool = False,
    rewards: str = SHARE,
    keep_ends: bool = False,
    threads: int | None = None,
    device: str = CPU,
    **options: Any,
) -> "Batch | GpuBatch":
    """So many matches of a game as one array; see `Batch`.

    `seats` says who decides for each seat: None is whoever calls `step`, a name is a player that needs no
    search (`random`, `novice`, `casual`, `heuristic`). All are yours if nothing is said. With `rotate`
    everybody sits one seat further in each row. `rewards` are each seat's share of the win, or by `rank`: the
    part of the others that it is ahead of, half for those it is level with. With the device `gpu` the matches
    stay on a card (see `lab.gpu`); it keeps no ends, and has threads of its own.
    """
    of = game_of(game)
    count = of.check_players(of.usual_players if players is None else players)
    values = of.check_options(options)
    rows, number = within("size", size, 1, MOST_ROWS), within("seed", seed, 0, LARGEST_SEED)
    workers = cores() if threads is None else within("threads", threads, 1, MOST_THREADS)
    if device == GPU:
        from .gpu.batch import GpuBatch

        if keep_ends or threads is not None:
            raise TeerlingError(Phrase("a batch on a GPU takes neither keep_ends nor threads"))
        return GpuBatch(of, count, values, rows, number, seats, rotate, rewards)
    if device != CPU:
        raise TeerlingError(
            Phrase("a batch is played on the cpu or on a gpu, not on {device!r}", device=device)
        )
    return Batch(of, count, values, rows, number, seats, rotate, rewards, keep_ends, workers)


class Batch:
    """Matches of one game side by side, one in each row.

    The match in a row has a number, and nature answers it by that stream of the seed: match n is
    `teerling.Stream(seed, n)`, whatever the size. Row i begins with match i, and goes on with i + size,
    i + 2·size and so on.
    """

    def __init__(
        self,
        game: Game,
        players: int,
        options: Mapping[str, Any],
        size: int,
        seed: int,
        seats: Sequence[str | None] | None,
        rotate: bool,
        rewards: str,
        keep_ends: bool,
        threads: int,
    ) -> None:
        self.game = game
        self.players = players
        self.options = dict(options)
        self.size = size
        self._made = seats, rotate, rewards, keep_ends, threads
        self._kernel = bind(game.rules.__name__, KERNEL)
        self._settings = settings_of(game, rewards, seed=seed, stride=size, goes_on=True)
        start = game.start(players, options).to_array()
        self._all = Rows.of(game, players, seated(game, players, seats, size, rotate), keep_ends)
        self._parts = [
            Part(where, self._all.part(where), game, start, self._settings)
            for where in shared_out(size, threads)
        ]
        self._seen = False
        self._begin()

    def __repr__(self) -> str:
        return f"<Batch of {self.size} matches of {self.game.name}, {self.players} players>"

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is made anew, and has in its rows what stands here; both go on alike."""
        return Batch, (self.game, self.players, self.options, self.size, self.seed, *self._made), self._all

    def __setstate__(self, rows: "Rows") -> None:
        self._all.take(rows)
        self._seen = False

    @property
    def seed(self) -> int:
        """The seed of all matches."""
        return int(self._settings["seed"][0])

    @cached_property
    def states(self) -> NDArray[Any]:
        """The records of all matches, with everything that seats do not know; `turn` is one of its fields."""
        return readable(self._all.states)

    @cached_property
    def turn(self) -> NDArray[np.int8]:
        """The seat that has to decide in each row: always one of yours."""
        return readable(self._all.states["turn"])

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """By row and decision, whether that may be done now."""
        return readable(self._all.masks[:, : self.game.rules.DECISIONS].view(np.bool_))

    @cached_property
    def rewards(self) -> NDArray[np.float32]:
        """By row and seat, what the matches brought that ended in the last step; else 0."""
        return readable(self._all.rewards)

    @cached_property
    def ended(self) -> NDArray[np.int32]:
        """By row, how many matches ended in the last step.

        That can be more than one if others can win before a seat of yours has had a turn.
        """
        return readable(self._all.about["ended"])

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """By row, the number of the match that is being played."""
        return readable(self._all.about["number"])

    @cached_property
    def steps(self) -> NDArray[np.int64]:
        """By row, how many decisions and chance events there were since the batch began."""
        return readable(self._all.about["steps"])

    @cached_property
    def scores(self) -> NDArray[np.int16]:
        """By row and seat, the scores of the match that ended last; 0 before."""
        return readable(self._all.scores)

    @cached_property
    def ranks(self) -> NDArray[np.int8]:
        """By row and seat, the places in the match that ended last, 1 is best; 0 before."""
        return readable(self._all.ranks)

    @property
    def observations(self) -> NDArray[np.float32]:
        """By row, what the seat to decide knows, in numbers; worked out when it is first asked for.

        `teerling.lab.encoding_of(game).names(players)` says what each number tells.
        """
        if not self._seen:
            self._each(lambda part: part.observe(self._observations))
            self._seen = True
        return self._readable_observations

    def step(self, moves: ArrayLike) -> None:
        """Makes one decision in every row, given by their ids.

        IllegalMove names the first row whose move is not legal there; then nothing has changed in any row.
        """
        given = moves_of(moves, self.size, np.asarray)
        np.copyto(self._all.moves, given, casting="unsafe")
        row = self._first_illegal()
        if row != NO_ROW:
            raise refusal(self, row, int(given[row]))
        self._each(lambda part: part.step())
        self._seen = False

    def random_moves(self) -> NDArray[np.int64]:
        """A legal move for every row, each equally likely, by random streams of the matches themselves."""
        self._each(lambda part: part.choose())
        return self._readable_chosen

    def play(self, decisions: int) -> None:
        """Makes so many random decisions of yours in every row.

        What matches brought that ended meanwhile is added up in `rewards`, and counted in `ended`.
        """
        count = within("decisions", decisions, 1, MOST_DECISIONS)
        self._each(lambda part: part.play(count))
        self._seen = False

    def restart(self, seed: int | None = None) -> None:
        """Begins anew in every row with match 0, 1, …; of another seed, if one is given."""
        self._settings["seed"] = self.seed if seed is None else within("seed", seed, 0, LARGEST_SEED)
        self._begin()

    def _begin(self) -> None:
        """Begins with the first match of every row, as if there had been none before."""
        self._all.about["number"] = np.arange(self.size)
        self._all.moves[:] = BEGIN
        self._each(lambda part: part.step())
        for told in (self._all.scores, self._all.ranks, self._all.rewards):
            told[:] = 0
        self._all.about["ended"] = 0
        self._seen = False

    def match(self, row: int) -> Match:
        """The match in a row as it stands, without nature and without what happened before.

        >>> import teerling
        >>> batch = teerling.batch("ra", players=4, size=2, seed=1)
        >>> batch.match(1).turn == int(batch.turn[1])
        True
        """
        state = self.game.rules.State.from_array(self._all.states, within("row", row, 0, self.size - 1))
        return Match(self.game, state, self.options, placed=True)

    def observe(self, seats: ArrayLike, rows: ArrayLike | None = None) -> NDArray[np.float32]:
        """What a seat knows in all rows, or in these, in numbers: a new array; one seat, or one for each."""
        return self._observed(self._all.states, seats, rows)

    def observe_ends(self, seats: ArrayLike, rows: ArrayLike | None = None) -> NDArray[np.float32]:
        """The same of the matches that ended last; needs `keep_ends`."""
        if not len(self._all.ends):
            raise TeerlingError(Phrase("the ends of matches are kept only with keep_ends=True"))
        return self._observed(self._all.ends, seats, rows)

    def _observed(
        self, states: NDArray[Any], seats: ArrayLike, rows: ArrayLike | None
    ) -> NDArray[np.float32]:
        chosen = states if rows is None else states[self._rows_of(rows)]
        whose = places(seats, self.players)
        if whose is not None and not whose.shape:
            whose = np.broadcast_to(whose, len(chosen))
        if whose is None or whose.shape != (len(chosen),):
            raise TeerlingError(
                Phrase(
                    "seats are whole numbers from 0 to {last}, one for all rows or one for each, not {seats}",
                    last=self.players - 1, seats=reprlib.repr(seats),
                )
            )  # fmt: skip
        found = np.zeros((len(chosen), encoding_of(self.game).size(self.players)), np.float32)
        self._kernel.observe_as(chosen, apart(states.dtype), whose.astype(np.int64), found)
        return found

    def _rows_of(self, rows: ArrayLike) -> NDArray[Any]:
        """Some rows by their numbers, or by a mask of all."""
        if isinstance(rows, np.ndarray) and rows.dtype == np.bool_ and rows.shape == (self.size,):
            return rows
        found = places(rows, self.size)
        if found is None or found.ndim != 1:
            raise TeerlingError(
                Phrase(
                    "rows are whole numbers from 0 to {last}, or a mask of all rows, not {rows}",
                    last=self.size - 1, rows=reprlib.repr(rows),
                )
            )  # fmt: skip
        return found

    @cached_property
    def _observations(self) -> NDArray[np.float32]:
        return np.zeros((self.size, encoding_of(self.game).size(self.players)), np.float32)

    @cached_property
    def _readable_observations(self) -> NDArray[np.float32]:
        return readable(self._observations)

    @cached_property
    def _readable_chosen(self) -> NDArray[np.int64]:
        return readable(self._all.chosen)

    @cached_property
    def _first_illegal(self) -> Callable[[], int]:
        arguments = self._all.moves, self._all.masks
        return partial(direct(self._kernel.first_illegal, *arguments), *arguments)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(len(self._parts))

    def _each(self, work: "Callable[[Part], None]") -> None:
        """Has something done in all rows, by several threads if there are many rows."""
        if len(self._parts) == 1:
            work(self._parts[0])
        else:
            for _ in self._pool.map(work, self._parts):
                pass


@dataclass(frozen=True, eq=False)
class Rows:
    """What kernels know of a batch, or of some of its rows, in the order in which they take it."""

    states: NDArray[Any]
    about: NDArray[Any]
    """The numbers of their matches and their random streams."""
    seating: NDArray[Any]
    ends: NDArray[Any]
    scores: NDArray[np.int16]
    ranks: NDArray[np.int8]
    rewards: NDArray[np.float32]
    masks: NDArray[np.int8]
    """A whole number of words long; what is beyond the last decision stays 0."""
    moves: NDArray[np.int64]
    chosen: NDArray[np.int64]

    @classmethod
    def of(cls, game: Game, players: int, seating: NDArray[Any], keep_ends: bool) -> "Rows":
        """Empty rows of a game, as many as there are seatings."""
        size, state = len(seating), game.rules.State.dtype
        return cls(
            states=np.zeros(size, state),
            about=np.zeros(size, np.dtype(list(ROW), align=True)),
            seating=seating,
            ends=np.zeros(size if keep_ends else 0, state),
            scores=np.zeros((size, players), np.int16),
            ranks=np.zeros((size, players), np.int8),
            rewards=np.zeros((size, players), np.float32),
            masks=np.zeros((size, -(-game.rules.DECISIONS // WORD) * WORD), np.int8),
            moves=np.zeros(size, np.int64),
            chosen=np.zeros(size, np.int64),
        )

    def take(self, other: "Rows") -> None:
        """Takes over what stands in other rows, as many as these."""
        for each in fields(self):
            getattr(self, each.name)[:] = getattr(other, each.name)

    def part(self, where: slice) -> "Rows":
        """Some of these rows, in the same memory."""
        return Rows(*(getattr(self, each.name)[where] for each in fields(self)))


class Part:
    """The rows of a batch that one thread plays."""

    def __init__(
        self,
        where: slice,
        rows: Rows,
        game: Game,
        start: NDArray[Any],
        settings: NDArray[Any],
    ) -> None:
        self.where = where
        self._rows = rows
        self._kernel = kernel = bind(game.rules.__name__, KERNEL)
        room = apart(scratch_for(game))
        self._work = apart(start.dtype)
        self.arguments = (
            rows.states, rows.about, start, rows.seating, settings, room,
            rows.ends, rows.scores, rows.ranks, rows.rewards, rows.masks, rows.moves,
        )  # fmt: skip
        self.step: Callable[[], None] = partial(direct(kernel.step_all, *self.arguments), *self.arguments)
        """Makes the moves of these rows."""
        choice = rows.about, rows.masks.view(np.uint64), rows.chosen
        choose_all = bind(game.rules.__name__, BY_WORD).choose_all
        self.choose: Callable[[], None] = partial(direct(choose_all, *choice), *choice)
        """Chooses a move for each row."""

    def play(self, decisions: int) -> None:
        """Makes random decisions in these rows."""
        *before, masks, _ = self.arguments
        self._kernel.play_all(*before, decisions)
        self._kernel.legal_all(self._rows.states, masks)

    def observe(self, observations: NDArray[np.float32]) -> None:
        """Works out what the seats to decide know."""
        self._kernel.observe_all(self._rows.states, self._work, observations[self.where])


def settings_of(game: Game, rewards: str, **settings: Any) -> NDArray[Any]:
    """The settings of a kernel."""
    if rewards not in (SHARE, RANK):
        raise TeerlingError(Phrase("rewards are by share or by rank, not by {rewards!r}", rewards=rewards))
    values = parameters_for(game).values_array
    return filled(settings_fields(len(values)), by_rank=rewards == RANK, values=values, **settings)


def moves_of(given: Any, size: int, as_array: Callable[[Any], Any]) -> Any:
    """Moves as an array; what is not one whole number for each row is refused."""
    try:
        moves = as_array(given)
    except (TypeError, ValueError):  # lists within lists, or what a card has no numbers for
        moves = np.array(given, object)
    if moves.dtype.kind not in "iu" or moves.shape != (size,):
        raise TeerlingError(
            Phrase(
                "moves are {size} whole numbers, one for each row, not {shape} of {dtype}",
                size=size, shape=moves.shape, dtype=moves.dtype,
            )
        )  # fmt: skip
    return moves


def places(given: ArrayLike, count: int) -> NDArray[Any] | None:
    """Whole numbers from 0 up to the count, as an array; None for anything else."""
    try:
        found = np.asarray(given)
    except ValueError:  # lists of different lengths
        return None
    whole = found.dtype.kind in "iu"
    return found if whole and not ((found < 0) | (found >= count)).any() else None


def refusal(batch: "Batch | GpuBatch", row: int, move: int) -> IllegalMove:
    """Why the move of a row cannot be made."""
    game = batch.game
    if not 0 <= move < len(game.decisions):
        return IllegalMove(
            Phrase(
                "row {row}: {move} is no decision of {game}; they have ids 0 to {last}",
                row=row, move=move, game=game.name, last=len(game.decisions) - 1,
            )
        )  # fmt: skip
    return IllegalMove(
        Phrase(
            "row {row}: {text} (move {move}) is not legal there for seat {seat}",
            row=row, text=game.decisions[move], move=move, seat=int(batch.turn[row]),
        ),
        batch.match(row).why(move),
    )  # fmt: skip


def seated(
    game: Game, players: int, seats: Sequence[str | None] | None, size: int, rotate: bool
) -> NDArray[Any]:
    """Who sits where, by row and seat."""
    if isinstance(seats, str) or not isinstance(seats, Iterable | None):
        raise TeerlingError(
            Phrase("seats are a list of players, a name or None for each seat, not {seats!r}", seats=seats)
        )
    names = [None] * players if seats is None else list(seats)
    if len(names) != players:
        raise TeerlingError(
            Phrase("{given} seats are named, and {players} play", given=len(names), players=players)
        )
    if None not in names:
        raise TeerlingError(Phrase("one seat at least is None: whoever calls step decides for it"))
    one = np.array([sitting(game, name) for name in names], np.dtype(list(SEAT), align=True))
    rows = [np.roll(one, row) for row in range(players if rotate else 1)]
    return np.array([rows[row % len(rows)] for row in range(size)])


def sitting(game: Game, name: str | None) -> tuple[int, float]:
    """What a kernel knows of a player: its kind, and by how many points it misjudges moves."""
    if name is None:
        return CALLER, 0.0
    found = player(name)
    if isinstance(found, Random):
        return RANDOM, 0.0
    if isinstance(found, Heuristic):
        return ADVISED, found.misjudgement * parameters_for(game).temperature
    known = ", ".join(each.name for each in players() if isinstance(each, Random | Heuristic))
    raise TeerlingError(
        Phrase("{name} cannot play in a batch, as it is not compiled; {known} can", name=name, known=known)
    )


def shared_out(size: int, threads: int) -> list[slice]:
    """Which rows each thread takes, about equally many."""
    parts = max(1, min(threads, size // FEWEST_ROWS))
    edges = [size * part // parts for part in range(parts + 1)]
    return [slice(*rows) for rows in pairwise(edges)]


def readable(array: NDArray[Any]) -> NDArray[Any]:
    """The same memory, not to be written."""
    view = array.view()
    view.flags.writeable = False
    return view
