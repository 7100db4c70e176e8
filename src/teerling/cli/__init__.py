"""The command line: `teerling --help` tells what there is."""

from . import games, matches, playing, afterwards, lab, serving  # noqa: F401, I001 (in the order in which help lists them)
from .app import app

__all__ = ["app", "main"]


def main() -> None:
    """Runs the command line."""
    app()
