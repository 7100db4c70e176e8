"""The game of the page for tests in the same process; it has no policy, as many games will not."""

import hashlib
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from teerling import Game
from tests.sixth import PAGE, follow_the_page


def made() -> Path:
    """A folder with the game: always the same, so that its compiled code is found again."""
    digest = hashlib.sha256(PAGE.read_bytes() + str(os.getuid()).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"teerling-pig-{digest}"
    if not folder.exists():
        fresh = Path(tempfile.mkdtemp(dir=folder.parent))
        follow_the_page(fresh, without=("pig/policy.py",))
        try:
            fresh.rename(folder)
        except OSError:
            assert folder.exists()  # another process was quicker
    return folder


sys.path.append(str(made()))
game: Game = import_module("pig").game
