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

from collections.abc import Sequence
from functools import partial
from operator import index
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ..engine import OVER
from ..engine.compile import bind, direct
from ..engine.kernels.batch import ENDED, ILLEGAL, ROW, SEAT
from ..errors import Phrase, TeerlingError, UnknownMove
from ..game import Game
from ..game import game as game_of
from ..limits import LARGEST_SEED, within
from ..match import Match
from ..players.parameters import scratch_for
from .batch import KERNEL, SHARE, seated, settings_of
from .observations import encoding_of
from .simulate import apart

Told = tuple[NDArray[np.int8], NDArray[np.float32]]
"""What is legal, and what a seat knows in numbers."""


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
        self.game = game_of(game)
        self.players = self.game.check_players(self.game.usual_players if players is None else players)
        self.options = self.game.check_options(options)
        self.observation_size = encoding_of(self.game).size(self.players)
        self._made = partial(Solo, self.game, self.players, seats, rewards, **self.options)
        seating = seated(self.game, self.players, seats, 1, rotate=False)
        self._turned = [np.roll(seating[0], turned) for turned in range(self.players)]
        """Who sits where if everybody sits so many seats further."""
        self._start = self.game.start(self.players, self.options).to_array()
        desk = self._desk = desk_for(self.game, self.players, rewards)
        self._states, self._work, self._seats = desk["state"], desk["work"], desk["seats"][0]
        self._seat = np.zeros(1, np.int64)
        self._turn = self._states["turn"]
        self._turn[0] = OVER
        self.legal: NDArray[np.int8] = desk["mask"][0]
        """1 for every decision that may be made now, 0 for others; filled anew with every step."""
        self.rewards: NDArray[np.float32] = desk["rewards"][0]
        """What the match brought every seat; 0 before it is over."""
        self.scores: NDArray[np.int16] = desk["scores"][0]
        """The points of every seat when the match is over."""
        self.ranks: NDArray[np.int8] = desk["ranks"][0]
        """The places of all seats when the match is over; 1 is best."""
        self._spare = self.legal.copy(), np.zeros(self.observation_size, np.float32)
        """Where is written what nobody asks for."""
        kernel = bind(self.game.rules.__name__, KERNEL)
        self._sit_down = direct(kernel.sit_down, desk, self._start, 0, 0, *self._spare)
        self._decide = direct(kernel.decide, desk, 0, 0, *self._spare)
        self._observe = direct(kernel.observe_as, self._states, self._work, self._seat, self._spare[1][None])

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is made anew, and has on its desk what lies here."""
        return self._made, (), self._desk

    def __setstate__(self, desk: NDArray[Any]) -> None:
        self._desk[:] = desk

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
        self.begin_and_tell(seed, turned, self._spare)

    def begin_and_tell(self, seed: int, turned: int, told: Told) -> None:
        """The same, and writes down what is legal and what the seat knows that is so many seats further."""
        number = within("seed", seed, 0, LARGEST_SEED)
        self._seats[:] = self._turned[turned % self.players]
        self._sit_down(self._desk, self._start, number, turned % self.players, *told)

    def step(self, move: SupportsIndex) -> None:
        """Makes a decision, given by its id, and plays on to your next one or to the end."""
        self.step_and_tell(move, 0, self._spare)

    def step_and_tell(self, move: SupportsIndex, seat: int, told: Told) -> bool:
        """The same, and writes down what is legal then and what a seat knows; whether the match is over.

        All of it is one call of what is compiled.
        """
        try:
            found = self._decide(self._desk, index(move), seat, *told)
        except (OverflowError, TypeError):
            found = ILLEGAL
        if found == ILLEGAL:
            raise self._refusal(move)
        return bool(found == ENDED)

    def untold(self) -> Told:
        """New arrays for what is legal and for what a seat knows."""
        mask, seen = self._spare
        return mask.copy(), seen.copy()

    def _refusal(self, move: SupportsIndex) -> TeerlingError:
        """Why a move cannot be made."""
        if self.over:
            return TeerlingError(Phrase("the match is over, or has not begun: begin one first"))
        try:
            self.match().push(index(move))
        except TeerlingError as refused:
            return refused
        except TypeError:
            return UnknownMove(Phrase("a decision is given by its id, not by {move!r}", move=move))
        raise AssertionError("a match refuses what the mask does not allow")

    def observe(self, seat: int) -> NDArray[np.float32]:
        """What a seat knows, in numbers, as a new array."""
        seen = self._spare[1].copy()
        self._seat[0] = seat
        self._observe(self._states, self._work, self._seat, seen[None])
        return seen

    def match(self) -> Match:
        """The match as it stands, without nature and without what happened before."""
        if not self._states["players"][0]:
            raise TeerlingError(Phrase("no match has begun: begin one first"))
        state = self.game.rules.State.from_array(self._states)
        return Match(self.game, state, self.options, placed=True)


def desk_for(game: Game, players: int, rewards: str) -> NDArray[Any]:
    """A desk at which a game is played: everything that it needs, in one record."""
    settings, state = settings_of(game, rewards), game.rules.State.dtype
    row, seat = (np.dtype(list(fields), align=True) for fields in (ROW, SEAT))
    fields: list[Any] = [
        ("state", state), ("work", state), ("room", scratch_for(game)), ("settings", settings.dtype),
        ("row", row), ("seats", seat, players), ("scores", "i2", players), ("ranks", "i1", players),
        ("rewards", "f4", players), ("mask", "i1", game.rules.DECISIONS),
    ]  # fmt: skip
    desk = apart(np.dtype(fields, align=True))
    desk["settings"] = settings
    return desk
