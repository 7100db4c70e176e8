"""The interface for programs: JSON over HTTP, a token per seat, a stream of events."""

from .refusals import allowed, misunderstanding
from .routes import routes

__all__ = ["allowed", "misunderstanding", "routes"]
