"""Players that need no search."""

from random import Random as Chance

from ..engine.record import Numbers
from ..match import Match
from .base import DEFAULT_SEED, Choice, Observation, PlayerBase, choices, observed
from .parameters import notes_of, parameters_for, policy_of


class Random(PlayerBase):
    """Any legal move."""

    name = "random"
    character = "Does whatever comes to mind."

    def choose(self, seen: Match | Observation, seed: int = DEFAULT_SEED) -> Choice:
        return Choice(Chance(seed).choice(choices(observed(seen))))


class Heuristic(PlayerBase):
    """The move that the game's policy advises, as far as each is judged rightly.

    Each is misjudged by about so many times what makes two moves of about equal worth in the game.
    """

    def __init__(
        self,
        name: str = "heuristic",
        character: str = "Plays by rules of thumb.",
        misjudgement: float = 0.0,
    ) -> None:
        self.name = name
        self.character = character
        self.misjudgement = misjudgement

    def choose(self, seen: Match | Observation, seed: int = DEFAULT_SEED) -> Choice:
        observation = observed(seen)
        moves = choices(observation)
        if len(moves) == 1:
            return Choice(moves[0])
        chance = Chance(seed)
        worth = worths(observation)
        error = self.misjudgement * parameters_for(observation.game).temperature
        return Choice(max(moves, key=lambda move: worth[move.id] + error * chance.gauss(0, 1)))


def worths(observation: Observation) -> Numbers:
    """What the game's policy says each legal move is worth, in points."""
    rules = observation.game.rules
    mask = [0] * rules.DECISIONS
    rules.legal(observation.seen, mask)
    found = [0.0] * rules.DECISIONS
    policy, values = policy_of(observation.game), parameters_for(observation.game).values_array.tolist()
    policy.advise(observation.seen, values, mask, found, [0.0] * notes_of(observation.game))
    return found
