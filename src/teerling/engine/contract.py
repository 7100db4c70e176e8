"""What the modules of a game offer to kernels: its rules, and if it has them its policy and its evaluation.

A kernel imports the names of the rules from here; when it is bound to a game, it gets that game's
functions instead. Decisions and outcomes of chance have ids from 0, each in a range of its own.

The protocols are what mypy checks a game against: `rules: RulesModule[State] = ra.rules` holds if the
module has all of this, over one class of states.
"""

from typing import TYPE_CHECKING, Any, Protocol

from typing_extensions import TypeVar

from .record import Cells, GameState, Numbers

StateT = TypeVar("StateT", bound=GameState, default=Any)
"""The class of a game's states; where nobody says which game it is, any."""
StateT_contra = TypeVar("StateT_contra", bound=GameState, default=Any, contravariant=True)


class RulesModule(Protocol[StateT]):
    """A game's `rules.py`: the record of a state, and the functions over it."""

    __name__: str
    __file__: str | None
    DECISIONS: int
    """How many ids decisions have."""
    OUTCOMES: int
    """How many ids outcomes of chance have."""

    State: type[StateT]
    """The record; one that is made is all zeros."""

    def setup(self, s: StateT, players: int, options: Cells, /) -> None:
        """Lays out a game in a record of zeros whose version is set."""

    def legal(self, s: StateT, mask: Cells, /) -> None:
        """Sets the mask, all 0 before, to 1 for every legal move of the player to decide."""

    def chance(self, s: StateT, weights: Cells, /) -> None:
        """Fills in the weights, all 0 before, of the outcomes of the chance event the state waits for."""

    def apply(self, s: StateT, move: int, /) -> None:
        """Carries out a legal decision, or a possible outcome at a chance event."""

    def results(self, s: StateT, scores: Cells, ranks: Cells, /) -> None:
        """Fills in every seat's score and rank (1 is best) as things stand."""

    def observe(self, s: StateT, seat: int, /) -> None:
        """Blanks what a seat does not know; `SPECTATOR` is no seat and knows what everybody knows."""

    def imagine(self, s: StateT, seat: int, rng: Cells, /) -> None:
        """Completes what `observe` blanked, at random, to a state that the seat might be in."""

    def sound(self, s: StateT, /) -> bool:
        """Whether all pieces are there, each once; the tests ask after every step."""


class PolicyModule(Protocol[StateT_contra]):
    """A game's `policy.py`: how a sensible player decides."""

    def advise(
        self, s: StateT_contra, values: Numbers, mask: Cells, worth: Numbers, notes: Numbers, /
    ) -> None:
        """Fills in what each legal move is worth to the player to decide, in points.

        It reads only what that player may know. `values` are the numbers that the policy weighs with, `notes`
        is room for as many numbers as the policy's `NOTES` says.
        """


class EvaluationModule(Protocol[StateT_contra]):
    """A game's `evaluation.py`: where a search may stop looking, and what may be expected from there."""

    def stage(self, s: StateT_contra, /) -> int:
        """The part of the game that is being played: a search may look no further than its end."""

    def evaluate(self, s: StateT_contra, values: Numbers, weights: Numbers, points: Numbers, /) -> float:
        """Fills in the points that every seat may expect in the end, at the beginning of a stage.

        Gives back by how many points that may well be wrong. `values` are the numbers that the game's
        policy weighs with, `weights` those of its evaluation.
        """


if TYPE_CHECKING:

    def _bound() -> RulesModule[GameState]: ...

    setup, legal, chance, apply = _bound().setup, _bound().legal, _bound().chance, _bound().apply
    results, observe, imagine, sound = _bound().results, _bound().observe, _bound().imagine, _bound().sound
else:

    def _unbound(*arguments):
        raise NotImplementedError("a kernel runs only once it is bound to the rules of a game")

    setup = legal = chance = apply = results = observe = imagine = sound = _unbound
