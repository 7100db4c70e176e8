"""What the server writes down: one line of JSON for everything, without secrets and without noise."""

import json
import logging
import os
import re
import time
import traceback
from datetime import UTC, datetime
from typing import Any

from ...errors import Phrase, TeerlingError
from .metrics import Walk, current_walk

SECRETS = (
    (re.compile(r"(?i)\b(bearer|token|secret|password|seed|cookie)(\W{1,4})[\w.~+/=-]{6,}"), r"\1\2…"),
    (re.compile(r"/me/[\w.~-]+"), "/me/…"),
    (re.compile(r"\b[0-9a-f]{48,}\b"), "…"),
    (re.compile(r"://([^:/@\s]+):[^@\s]+@"), r"://\1:…@"),
)
"""What never stands in a line: tokens, personal links, seeds and their like, passwords of databases."""

DETAILS = (
    "request", "method", "route", "kind", "status", "ms", "rooms", "table", "seat", "game", "left_out"
)  # fmt: skip
"""The details that a line may have beside its message."""
LEVELS = ("debug", "info", "error", "warning")
"""How much is written; the last is usual."""
SELDOM = 10.0
"""So many seconds the same warning is not written again."""
MOST_KNOWN = 1000
requests = logging.getLogger("teerling.requests")


def without_secrets(text: str) -> str:
    """A text with everything hidden that could be one.

    >>> without_secrets("Authorization: Bearer abcdefghijk from /me/IjEi.sig")
    'Authorization: Bearer … from /me/…'
    """
    for pattern, instead in SECRETS:
        text = pattern.sub(instead, text)
    return text


class Lines(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "text": without_secrets(record.getMessage()),
        }
        if (walk := current_walk()) is not None:
            line["request"] = walk.id
        line.update({name: getattr(record, name) for name in DETAILS if hasattr(record, name)})
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = without_secrets("".join(traceback.format_exception(record.exc_info[1])))
        return json.dumps(line, ensure_ascii=False, default=str)


class Seldom(logging.Filter):
    """Lets a warning through once in a while; the next one says how many like it were left out.

    What has gone wrong goes wrong for everybody, and a full disk need not be filled with that.
    """

    def __init__(self, seconds: float = SELDOM) -> None:
        super().__init__()
        self._seconds = seconds
        self._last: dict[tuple[object, ...], tuple[float, int]] = {}
        """When a warning was last written, and how many were left out since."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        if len(self._last) >= MOST_KNOWN:
            self._last.clear()
        key = (record.name, record.msg, getattr(record, "route", ""), *_place_of(record))
        now = time.monotonic()
        last, left_out = self._last.get(key, (now - self._seconds, 0))
        if now - last < self._seconds:
            self._last[key] = (last, left_out + 1)
            return False
        self._last[key] = (now, 0)
        if left_out:
            record.left_out = left_out
        return True


def _place_of(record: logging.LogRecord) -> tuple[object, ...]:
    """What went wrong, and in which line: another error is another warning."""
    error = record.exc_info[1] if record.exc_info else None
    trace = error.__traceback__ if error is not None else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return (type(error), trace and (trace.tb_frame.f_code.co_filename, trace.tb_lineno))


def tell_of(walk: Walk, what: str, slow_seconds: float, told: dict[str, Any]) -> None:
    """A line about something that has been answered: a warning, with where the time went, if it was slow."""
    told = {"request": walk.id, **told, "ms": round(1000 * walk.total, 1)}
    if walk.slow >= slow_seconds:
        requests.warning("a slow %s", what, extra=told | {"rooms": walk.told})
    else:
        requests.info(what, extra=told)


def configuration() -> dict[str, Any]:
    """What `logging.config` and uvicorn take; uvicorn's own list of requests, with addresses, is off.

    With `info` every request is a line, but for styles, scripts and what machines ask.
    """
    level = os.environ.get("TEERLING_LOG", "").strip() or LEVELS[-1]
    if level.lower() not in LEVELS:
        raise TeerlingError(Phrase("TEERLING_LOG is info, warning or error, not {given!r}", given=level))
    wanted = level.upper()
    loggers: dict[str, Any] = {
        name: {"handlers": ["lines"], "level": wanted, "propagate": False}
        for name in ("teerling", "uvicorn", "asyncio")
    }
    loggers["uvicorn.access"] = {"handlers": [], "level": "CRITICAL", "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": Lines}},
        "filters": {"seldom": {"()": Seldom}},
        "handlers": {
            "lines": {"class": "logging.StreamHandler", "formatter": "lines", "filters": ["seldom"]}
        },
        "loggers": loggers,
    }
