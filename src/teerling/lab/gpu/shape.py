"""What a card has to know of a game besides its rules: the records in which it is played."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ...engine.kernels.batch import ROW, SEAT
from ...engine.kernels.batch import settings_fields as batch_settings
from ...engine.kernels.by_word import WORD
from ...engine.kernels.value import TASK, workspace_fields
from ...engine.kernels.value import settings_fields as value_settings
from ...engine.record import Fields, scratch

BATCH, BY_WORD = "teerling.engine.kernels.batch", "teerling.engine.kernels.by_word"
VALUE = "teerling.engine.kernels.value"


WEIGHT = 2
"""How many bytes the weight of an outcome has."""


@dataclass(frozen=True)
class Shape:
    """A game's rules by the name of their module, and how long some arrays are."""

    rules: str
    players: int
    """The most that can play."""
    values: int
    """How many numbers the policy weighs with."""
    evaluation_weights: int
    notes: int

    @property
    def module(self) -> Any:
        return import_module(self.rules)

    @property
    def state(self) -> np.dtype[Any]:
        found: np.dtype[Any] = self.module.State.dtype
        return found

    @property
    def random_room(self) -> np.dtype[Any]:
        """Where random games are played: a random number, and where words lie, too, a mask or weights."""
        decisions, outcomes = -(-self.module.DECISIONS // WORD), -(-self.module.OUTCOMES * WEIGHT // WORD)
        return np.dtype(
            {
                "names": ["rng", "mask", "decision_words", "weights", "outcome_words"],
                "formats": [
                    ("u8", 1), ("i1", WORD * decisions), ("u8", decisions),
                    ("i2", WORD // WEIGHT * outcomes), ("u8", outcomes),
                ],
                "offsets": [0, WORD, WORD, WORD, WORD],
                "itemsize": WORD * (1 + max(decisions, outcomes)),
            },
            align=True,
        )  # fmt: skip

    @property
    def room(self) -> np.dtype[Any]:
        """Where games by the policy are played."""
        return scratch(
            self.module.DECISIONS, self.module.OUTCOMES, self.notes, workspace_fields(self.players)
        )

    @property
    def row(self) -> np.dtype[Any]:
        return aligned(ROW)

    @property
    def seat(self) -> np.dtype[Any]:
        return aligned(SEAT)

    @property
    def settings(self) -> np.dtype[Any]:
        return aligned(batch_settings(self.values))

    @property
    def value_settings(self) -> np.dtype[Any]:
        return aligned(value_settings(self.values, self.evaluation_weights))

    @property
    def task(self) -> np.dtype[Any]:
        return np.dtype(list(TASK))


def aligned(fields: Fields) -> np.dtype[Any]:
    return np.dtype(list(fields), align=True)
