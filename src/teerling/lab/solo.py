"""One match after another, compiled, with as little around it as can be: what environments are made of.

>>> solo = Solo("rapido", players=3, seats=[None, "casual", "casual"])
>>> solo.begin(seed=7)
>>> solo.turn, solo.over, solo.legal.tolist()
(0, False, [1, 1, 1, 1, 1, 1, 1])
>>> while not solo.over:
...     solo.step(int(solo.legal.argmax()))
>>> float(solo.rewards.sum())
1.0
"""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import OVER
from ..engine.compile import bind, direct
from ..engine.kernels.batch import BEGIN
from ..errors import Phrase, TeerlingError
from ..game import Game
from ..game import game as game_of
from ..match import Match
from ..players.parameters import scratch_for
from .batch import KERNEL, SHARE, Part, Rows, seated, settings_of, whole
from .observations import encoding_of
from .simulate import LARGEST_SEED, apart


class Solo:
    """A match of which you decide for some seats, played by compiled rules.

    The match of seed s is that of `teerling.Stream(s)`. Seats that are not None are played by the players
    named there, as in a batch.
    """

    def __init__(
        self,
        game: Game | str,
        players: int | None = None,
        seats: Sequence[str | None] | None = None,
        rewards: str = SHARE,
        **options: Any,
    ) -> None:
        self.game = game_of(game) if isinstance(game, str) else game
        self.players = self.game.check_players(self.game.usual_players if players is None else players)
        self.options = self.game.check_options(options)
        self.observation_size = encoding_of(self.game).size(self.players)
        seating = seated(self.game, self.players, seats, 1, rotate=False)
        self._turned = [np.roll(seating[0], turned) for turned in range(self.players)]
        """Who sits where if everybody sits so many seats further."""
        self._settings = settings_of(self.game, rewards, stride=1, goes_on=False)
        self._rows = Rows.of(self.game, self.players, seating, keep_ends=False)
        kernel = self._kernel = bind(self.game.rules.__name__, KERNEL)
        start = self.game.start(self.players, self.options).to_array()
        room = apart(scratch_for(self.game))
        self._part = Part(slice(0, 1), self._rows, kernel, start, self._settings, room)
        self._work = apart(start.dtype)
        self._seat = np.zeros(1, np.int64)
        self._seen = np.zeros(self.observation_size, np.float32)
        self._observe = direct(
            kernel.observe_as, self._rows.states, self._work, self._seat, self._unobserved()
        )
        self._seed, self._number = self._settings["seed"], self._rows.about["number"]
        self._moves, self._seats = self._rows.moves, self._rows.seating[0]
        self._turn = self._rows.states["turn"]
        self._turn[0] = OVER
        self.legal: NDArray[np.int8] = self._rows.masks[0]
        """1 for every decision that may be made now, 0 for others; filled anew with every step."""
        self.rewards: NDArray[np.float32] = self._rows.rewards[0]
        """What the match brought every seat; 0 before it is over."""
        self.scores: NDArray[np.int16] = self._rows.scores[0]
        """The points of every seat when the match is over."""
        self.ranks: NDArray[np.int8] = self._rows.ranks[0]
        """The places of all seats when the match is over; 1 is best."""

    @property
    def turn(self) -> int:
        """The seat that has to decide: always one of yours; less than 0 when the match is over."""
        return int(self._turn[0])

    @property
    def over(self) -> bool:
        """Whether the match is over, or none has begun."""
        return bool(self._turn[0] == OVER)

    def begin(self, seed: int, turned: int = 0) -> None:
        """Begins the match of a seed; everybody sits so many seats further than was said.

        If others win before you have had a turn, the next stream of the seed is played instead.
        """
        self._seed[0] = whole("seed", seed, 0, LARGEST_SEED)
        self._seats[:] = self._turned[turned % self.players]
        self._number[0] = -1
        self._turn[0] = OVER
        while self._turn[0] == OVER:
            self._number[0] += 1
            self._moves[0] = BEGIN
            self._part.step()

    def step(self, move: int) -> None:
        """Makes a decision, given by its id, and plays on to your next one or to the end."""
        self._decide(move)
        self._part.step()

    def step_and_observe(self, move: int, seat: int) -> NDArray[np.float32]:
        """The same, and what a seat knows then, in numbers, as a new array: one call of what is compiled."""
        self._decide(move)
        self._seat[0] = seat
        self._step_and_observe()
        return self._seen.copy()

    def _decide(self, move: int) -> None:
        """Writes a decision down; a TeerlingError if it is not legal."""
        if not 0 <= move < len(self.legal) or not self.legal[move]:
            raise self._refusal(move)
        self._moves[0] = move

    @cached_property
    def _step_and_observe(self) -> Callable[[], None]:
        arguments = (*self._part.arguments, self._work, self._seat, self._seen[None])
        return partial(direct(self._kernel.step_and_observe, *arguments), *arguments)

    def _refusal(self, move: int) -> TeerlingError:
        """Why a move cannot be made."""
        if self.over:
            return TeerlingError(Phrase("the match is over, or has not begun: begin one first"))
        try:
            self.match().push(int(move))
        except TeerlingError as refused:
            return refused
        raise AssertionError("a match refuses what the mask does not allow")

    def observe(self, seat: int) -> NDArray[np.float32]:
        """What a seat knows, in numbers, as a new array."""
        found = self._unobserved()
        self._seat[0] = seat
        self._observe(self._rows.states, self._work, self._seat, found)
        observation: NDArray[np.float32] = found[0]
        return observation

    def _unobserved(self) -> NDArray[np.float32]:
        return np.empty((1, self.observation_size), np.float32)

    def match(self) -> Match:
        """The match as it stands, without nature and without what happened before."""
        state = self.game.rules.State.from_array(self._rows.states)
        return Match(self.game, state, self.options, placed=True)
