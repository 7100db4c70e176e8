"""Whatever a program sends, the answer is as the OpenAPI document says: nothing but 2xx and 4xx."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.python import asgi
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    positive_data_acceptance,
    response_schema_conformance,
    status_code_conformance,
)

from teerling.server.app import create_app
from teerling.server.settings import Settings
from tests.fuzz.plan import fuzzed, no_hang
from tests.fuzz.siege import Complaints, listening
from tests.server.houses import ALONE, bearer, unhurried

HERE = f"http://{asgi.HOST}"
schema = schemathesis.openapi.from_dict(
    create_app(Settings(Path("nowhere"), "sqlite:///nowhere.db", "not a secret")).openapi()
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Any]:
    """A connection to the application behind the document."""
    told = Settings.read(tmp_path)
    quick = unhurried(told, bot_pause=0.01, stream_seconds=0.02)
    app: Any = create_app(quick)
    with asgi.get_client(app) as client:
        yield client


@pytest.fixture
def complaints(session: Any) -> Iterator[Complaints]:
    with listening() as heard:
        yield heard


@pytest.fixture
def seated(session: Any) -> dict[str, Any]:
    """A table, and the token of a seat at it."""
    seats = [*ALONE, {"kind": "me"}]
    made: dict[str, Any] = session.post("/api/tables", json={"game": "ra", "seats": seats}).json()
    return made


@schema.parametrize()
@fuzzed(12)
def test_anything_at_all_is_answered_as_described(case: Any, session: Any, complaints: Complaints) -> None:
    # What fits the document may still not fit the game: an option that it has not, too many seats.
    with no_hang():
        response = case.call(base_url=HERE, session=session)
    case.validate_response(response, excluded_checks=[positive_data_acceptance])
    complaints.check()


@schema.include(path_regex="table_id").parametrize()
@fuzzed(12)
def test_a_real_seat_may_send_anything_too(
    case: Any, session: Any, seated: dict[str, Any], complaints: Complaints
) -> None:
    case.path_parameters["table_id"] = seated["table"]["id"]
    with no_hang():
        response = case.call(base_url=HERE, session=session, headers=bearer(seated["token"]))
    checks: list[Any] = [
        not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance,
    ]  # fmt: skip
    case.validate_response(response, checks=checks)
    complaints.check()
