"""Servers to test: one inside this process, and one of its own as people start it."""

import contextlib
import dataclasses
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from teerling.server.app import create_app
from teerling.server.house import House
from teerling.server.page import live_pages
from teerling.server.people import COOKIE
from teerling.server.settings import Settings
from teerling.server.tables.table import Table

RATES = [
    each.name
    for each in dataclasses.fields(Settings)
    if each.name.endswith(("_per_second", "_per_minute", "_per_day"))
]
"""How often somebody may do something."""
ALONE = [{"kind": "me"}, {"kind": "bot", "level": "random"}]


def unhurried(settings: Settings, **changes: Any) -> Settings:
    """The same settings, with which nobody is ever too fast."""
    return dataclasses.replace(settings, **{**dict.fromkeys(RATES, 100_000.0), **changes})


@contextlib.contextmanager
def opened(folder: Path, **changes: Any) -> Iterator[TestClient]:
    """A server in this process; bots do not pause, nobody is too fast unless told."""
    quick = {"bot_pause": 0.0, "unattended_pause": 0.0, "stream_seconds": 0.05, "puzzles_after": 0.0}
    app = create_app(unhurried(Settings.read(folder), **quick | changes))
    with TestClient(app, base_url="http://testserver", headers={"Accept-Language": "en"}) as client:
        yield client


def house_of(client: TestClient) -> House:
    """The house of a server in this process."""
    house: House = client.app.state.context.house  # type: ignore[attr-defined]
    return house


def page_message(house: House, table: Table, person_id: str, lang: str) -> dict[str, Any]:
    """The page of a table as it is sent to a person's browser."""
    return live_pages.live(house.broadcaster.view_of(table, person_id), lang).as_message()


def flat(html: str) -> str:
    """A page on one line, without the blanks at tags: as it is shown, however its template is laid out."""
    return re.sub(r"(?<=>) | (?=<)| (?=/?>)", "", " ".join(html.split()))


def table_at(client: TestClient, path: str) -> Table:
    """A table as it stands in memory, by its path or id."""
    table = house_of(client).registry.get(path.rpartition("/")[2])
    assert table is not None
    return table


@contextlib.contextmanager
def running(folder: Path, **environment: str) -> Iterator[str]:
    """The address of `teerling serve` in a process of its own."""
    quick = {"TEERLING_BOT_PAUSE": "0", "TEERLING_UNATTENDED_PAUSE": "0", "TEERLING_PUZZLES_AFTER": "0"}
    quick |= {f"TEERLING_{name.upper()}": "100000" for name in RATES} | environment
    start = "from teerling.cli import main; main()"
    command = [sys.executable, "-c", start, "serve", "--no-open", "--port", "0", "--data", str(folder)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=os.environ | quick)
    try:
        assert process.stdout is not None
        told = re.search(rb"http://\S+", process.stdout.readline())
        assert told is not None, (folder / "log").read_text()
        yield told[0].decode().rstrip("/")
    finally:
        process.terminate()
        process.wait(20)


def new_table(
    client: TestClient, game: str = "ra", seats: list[dict[str, str]] | None = None, **more: Any
) -> dict[str, Any]:
    """A new table, made by a program."""
    answer = client.post("/api/tables", json={"game": game, "seats": seats or ALONE, **more})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def bearer(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def come_as(client: TestClient, person_id: str) -> None:
    """From now on the browser is that of another person."""
    client.cookies.clear()
    context = client.app.state.context  # type: ignore[attr-defined]
    client.cookies.set(COOKIE, context.signatures.cookie(person_id))
