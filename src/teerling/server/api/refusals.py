"""What is refused, why, and how that is said."""

from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError

from ...words import Speaker
from .models import Problem

REFUSALS = {
    400: "The message is not understood.",
    401: "A token is needed, or this one does not belong to the table.",
    403: "Somebody else's seat, somebody else's turn, or another site.",
    404: "There is no such table, or no such game.",
    409: "It cannot be done now: the table has moved on, the seat is taken, the match is over.",
    413: "The message is too large.",
    422: "The message does not fit: an illegal move, an unknown option, a wrong type.",
    429: "Too fast; Retry-After says how many seconds to wait.",
    503: "The server is full, or older than the match, or its database does not answer; nothing is lost.",
}


def refusals(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of an operation, for its description."""
    wanted = [code for code in REFUSALS if code in (*codes, 400, 422, 429, 503)]
    schema = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    # The model makes the schema known; what is said outright holds for answers that are no JSON too.
    return {
        code: {"description": REFUSALS[code], "content": schema}
        | ({} if 401 in codes else {"model": Problem})
        for code in wanted
    }


def misunderstanding(error: RequestValidationError, say: Speaker) -> tuple[int, str]:
    """The status and the sentence for a message that does not fit what is expected."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    if first["type"] == "json_invalid" or not where:
        return (400 if first["type"] == "json_invalid" else 422), say("this message could not be understood")
    if first["type"] == "missing":
        return 422, say("{field} is missing", field=where)
    if first["type"] == "extra_forbidden":
        return 422, say("{field} does not belong here", field=where)
    return 422, say("{field} is not as it should be", field=where)


def allowed(request: Request) -> str | None:
    """The methods that an operation knows, for somebody who used another; None if it is none of ours."""
    path = getattr(request.scope.get("route"), "path", "")
    methods = request.app.openapi()["paths"].get(path)
    return ", ".join(sorted(method.upper() for method in methods)) if methods else None
