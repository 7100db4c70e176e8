"""Matches that stay on a card: `teerling.batch(…, device="gpu")`.

All arrays are CuPy's: they have `__cuda_array_interface__` and DLPack, so that PyTorch and JAX take them
without a copy.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.kernels.batch import BEGIN, CALLER
from ...game import Game
from ...limits import LARGEST_SEED, within
from ...match import Match
from ...players.parameters import notes_of, parameters_for
from ..batch import MOST_DECISIONS, moves_of, refusal, seated, settings_of
from ..observations import encoding_of
from .card import Array, cupy, run
from .shape import Shape


def shape_of(game: Game) -> Shape:
    """What a card has to know of a game."""
    parameters = parameters_for(game)
    return Shape(
        game.rules.__name__,
        game.players[-1],
        len(parameters.values_array),
        len(parameters.weights_array),
        notes_of(game),
    )


class GpuBatch:
    """Matches of one game side by side on a card; what a `Batch` is, with CuPy's arrays."""

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
    ) -> None:
        cupy()
        self.game = game
        self.players = players
        self.options = dict(options)
        self.size = size
        self._made = seats, rotate, rewards
        self._shape = shape_of(game)
        self._settings_here = settings_of(game, rewards, seed=seed, stride=size, goes_on=True)
        self._settings = Array.of(self._settings_here)
        # Rows in which everybody sits alike share a seating.
        seating = seated(game, players, seats, players if rotate else 1, rotate)
        self._all_yours = bool((seating["kind"] == CALLER).all())
        self._seating = Array.of(seating)
        self._start = Array.of(game.start(players, options).to_array())
        self._states = Array((size,), game.rules.State.dtype)
        self._no_ends = Array((0,), game.rules.State.dtype)
        self._rows = Array((size,), self._shape.row)
        self._rewards = Array((size, players), np.float32)
        self._scores = Array((size, players), np.int16)
        self._ranks = Array((size, players), np.int8)
        self._stale = {"legal", "observations"}
        self._begin()

    def __repr__(self) -> str:
        return f"<GpuBatch of {self.size} matches of {self.game.name}, {self.players} players>"

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is made anew, and has in its rows what stands here; both go on alike."""
        made = (self.game, self.players, self.options, self.size, self.seed, *self._made)
        return GpuBatch, made, [array.get() for array in self._kept]

    def __setstate__(self, kept: list[NDArray[Any]]) -> None:
        for array, content in zip(self._kept, kept, strict=True):
            array.put(content)
        self._stale = {"legal", "observations"}

    @property
    def _kept(self) -> list[Array]:
        """What matches are, and what the last ones brought."""
        return [self._states, self._rows, self._rewards, self._scores, self._ranks]

    @property
    def seed(self) -> int:
        """The seed of all matches."""
        return int(self._settings_here["seed"][0])

    @property
    def nbytes(self) -> int:
        """How many bytes the batch takes on the card."""
        return sum(array.there.nbytes for array in vars(self).values() if isinstance(array, Array))

    @cached_property
    def turn(self) -> Any:
        """The seat that has to decide in each row: always one of yours."""
        return self._states.field("turn")

    @property
    def legal(self) -> Any:
        """By row and decision, whether that may be done now; worked out when it is first asked for."""
        if "legal" in self._stale:
            self._run("legal", self._states, self._masks)
            self._stale.discard("legal")
        return self._masks.there.view(np.bool_)

    @property
    def observations(self) -> Any:
        """By row, what the seat to decide knows, in numbers; worked out when it is first asked for."""
        if "observations" in self._stale:
            self._run("observe", self._states, self._observations)
            self._stale.discard("observations")
        return self._observations.there

    @property
    def rewards(self) -> Any:
        """By row and seat, what the matches brought that ended in the last step; else 0."""
        return self._rewards.there

    @cached_property
    def ended(self) -> Any:
        """By row, how many matches ended in the last step."""
        return self._rows.field("ended")

    @cached_property
    def numbers(self) -> Any:
        """By row, the number of the match that is being played."""
        return self._rows.field("number")

    @cached_property
    def steps(self) -> Any:
        """By row, how many decisions and chance events there were since the batch began."""
        return self._rows.field("steps")

    @property
    def scores(self) -> Any:
        """By row and seat, the scores of the match that ended last; 0 before."""
        return self._scores.there

    @property
    def ranks(self) -> Any:
        """By row and seat, the places in the match that ended last, 1 is best; 0 before."""
        return self._ranks.there

    @property
    def states(self) -> NDArray[Any]:
        """A copy of the records of all matches, not on the card."""
        return self._states.get()

    def step(self, moves: Any) -> None:
        """Makes one decision in every row, given by their ids; CuPy takes anything that lies on the card.

        IllegalMove names the first row whose move is not legal there; then nothing has changed in any row.
        """
        given = moves_of(moves, self.size, cupy().asarray)
        inside = (given >= 0) & (given < self.legal.shape[1])
        allowed = inside & self.legal[cupy().arange(self.size), cupy().where(inside, given, 0)]
        if not bool(allowed.all()):
            row = int(allowed.argmin())
            raise refusal(self, row, int(given[row]))
        self._moves.there[:] = given
        self._step()

    def random_moves(self) -> Any:
        """A legal move for every row, each equally likely, by random streams of the matches themselves."""
        self.legal  # noqa: B018  (worked out now)
        self._run("choose", self._rows, self._masks, self._chosen)
        return self._chosen.there

    def play(self, decisions: int) -> None:
        """Makes so many random decisions of yours in every row.

        What matches brought that ended meanwhile is added up in `rewards`, and counted in `ended`.
        """
        count = within("decisions", decisions, 1, MOST_DECISIONS)
        told = (self._scores, self._ranks, self._rewards, count)
        if self._all_yours:
            self._run("play", self._states, self._rows, self._start, self._settings, *told)
        else:
            self._run(
                "play_seated", self._states, self._rows, self._start, self._seating, self._settings,
                self._no_ends, *told,
            )  # fmt: skip
        self._stale = {"legal", "observations"}

    def restart(self, seed: int | None = None) -> None:
        """Begins anew in every row with match 0, 1, …; of another seed, if one is given."""
        if seed is not None:
            self._settings_here["seed"] = within("seed", seed, 0, LARGEST_SEED)
            self._settings.put(self._settings_here)
        self._begin()

    def match(self, row: int) -> Match:
        """The match in a row as it stands, without nature and without what happened before."""
        one = self._states.get_row(within("row", row, 0, self.size - 1))
        state = self.game.rules.State.from_array(one, 0)
        return Match(self.game, state, self.options, placed=True)

    def _begin(self) -> None:
        """Begins with the first match of every row, as if there had been none before."""
        self.numbers[:] = cupy().arange(self.size)
        self._moves.there[:] = BEGIN
        self._step()
        for told in (self._scores.there, self._ranks.there, self._rewards.there, self.ended):
            told[:] = 0

    def _step(self) -> None:
        self._run(
            "step", self._states, self._rows, self._start, self._seating, self._settings, self._no_ends,
            self._scores, self._ranks, self._rewards, self._masks, self._moves,
        )  # fmt: skip
        self._stale = {"observations"}

    def _run(self, kernel: str, *arguments: Any) -> None:
        run(self._shape, kernel, self.size, *arguments)

    @cached_property
    def _masks(self) -> Array:
        return Array((self.size, self.game.rules.DECISIONS), np.int8)

    @cached_property
    def _observations(self) -> Array:
        return Array((self.size, encoding_of(self.game).size(self.players)), np.float32)

    @cached_property
    def _moves(self) -> Array:
        return Array((self.size,), np.int64)

    @cached_property
    def _chosen(self) -> Array:
        return Array((self.size,), np.int64)
