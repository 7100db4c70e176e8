<<<<<<< HEAD
"""The five games, one folder each, and the auction that Ra and Priests of Ra share."""
=======
"""The games, one folder each, and the auction that Ra and Priests of Ra share."""

import sys
from types import ModuleType

from ..game import Game, games


class _Callable(ModuleType):
    """`teerling.games()` lists the games; importing this folder would put a mere module there."""

    def __call__(self) -> tuple[Game, ...]:
        return games()


sys.modules[__name__].__class__ = _Callable
>>>>>>> h-sixth
