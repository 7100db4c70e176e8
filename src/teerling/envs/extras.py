"""What is said when another project is not installed."""

from ..errors import Phrase, TeerlingError


class MissingExtra(TeerlingError, ImportError):
    """Something that has to be installed first."""


def missing(project: str, extra: str) -> MissingExtra:
    """The error that names what to install."""
    return MissingExtra(
        Phrase("{project} is not installed: pip install 'teerling[{extra}]'", project=project, extra=extra)
    )
