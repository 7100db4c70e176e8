"""A search is compiled once, and by a process of its own: whoever plays meanwhile does not wait for it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from teerling.engine.compile import KERNEL, cache_folder, is_kept
from teerling.game import Game, game
from teerling.players import ready
from teerling.players.search import SEARCH

RA = game("ra")


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What was run and compiled, in this order, with nothing compiled before."""
    found: list[list[str]] = []

    def run(command: list[str], **_: Any) -> None:
        found.append([command[0], *command[-2:]])

    def warm_up(of: Game, hints: bool) -> None:
        found.append(["here", of.id, "hints" if hints else ""])

    monkeypatch.setenv("TEERLING_CACHE", str(tmp_path))
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(ready, "warm_up", warm_up)
    monkeypatch.setattr(ready, "_ready", {})
    return found


def compiled(hints: bool = False) -> None:
    assert ready.is_ready(RA, hints) in (True, False)
    assert ready._ready[RA.id, hints].wait(20)


def test_what_was_never_compiled_is_compiled_by_a_process_of_its_own(ran: list[list[str]]) -> None:
    compiled()
    compiled(hints=True)
    assert ran == [
        [sys.executable, "ra", ""],
        ["here", "ra", ""],
        [sys.executable, "ra", "hints"],
        ["here", "ra", "hints"],
    ]


def test_what_is_kept_is_only_read(ran: list[list[str]]) -> None:
    folder = cache_folder(RA.rules.__name__, SEARCH, "cpu", KERNEL)
    assert folder is not None
    assert is_kept(RA.rules.__name__, SEARCH) is False
    (folder / "search.nbi").touch()
    assert is_kept(RA.rules.__name__, SEARCH)
    compiled()
    assert ran == [["here", "ra", ""]]


def test_where_nothing_can_be_kept_it_is_compiled_here(
    ran: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TEERLING_CACHE", str(tmp_path / "file"))
    compiled()
    assert ran == [["here", "ra", ""]]


def test_the_process_that_compiles_knows_games_by_their_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(ready, "warm_up", lambda of, hints: asked.append((of, hints)))
    monkeypatch.setattr(ready.os, "nice", asked.append)
    ready.compile_here("ra", "hints")
    assert asked == [ready.HUMBLE, (RA, True)]
