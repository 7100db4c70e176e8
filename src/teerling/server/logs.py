"""What the server writes down: one line of JSON for everything, without secrets."""

import json
import logging
import re
import traceback
from datetime import UTC, datetime
from typing import Any

SECRETS = (
    (re.compile(r"(?i)\b(bearer|token|secret|password|seed|cookie)(\W{1,4})[\w.~+/=-]{6,}"), r"\1\2…"),
    (re.compile(r"/me/[\w.~-]+"), "/me/…"),
    (re.compile(r"\b[0-9a-f]{48,}\b"), "…"),
    (re.compile(r"://([^:/@\s]+):[^@\s]+@"), r"://\1:…@"),
)
"""What never stands in a line: tokens, personal links, seeds and their like, passwords of databases."""

DETAILS = ("method", "route", "status", "ms", "table", "seat", "game")
"""The details that a line may have beside its message."""


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
        line.update({name: getattr(record, name) for name in DETAILS if hasattr(record, name)})
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = without_secrets("".join(traceback.format_exception(record.exc_info[1])))
        return json.dumps(line, ensure_ascii=False, default=str)


def configuration(level: str = "WARNING") -> dict[str, Any]:
    """What `logging.config` and uvicorn take; uvicorn's own list of requests, with addresses, is off.

    With `info` every request is a line; a level that there is not is taken for `warning`.
    """
    wanted = level.upper() if level.upper() in ("DEBUG", "INFO", "WARNING", "ERROR") else "WARNING"
    loggers: dict[str, Any] = {
        name: {"handlers": ["lines"], "level": wanted, "propagate": False}
        for name in ("teerling", "uvicorn", "asyncio")
    }
    loggers["uvicorn.access"] = {"handlers": [], "level": "CRITICAL", "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": Lines}},
        "handlers": {"lines": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "loggers": loggers,
    }
