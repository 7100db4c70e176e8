"""The documentation: a site that is whole, and pages whose examples, commands, links and words are true."""

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import typer.main

import teerling
from teerling import engine, lab, players
from teerling.cli import app
from teerling.game import game, game_ids
from teerling.lab.contest import Contest
from teerling.players import base
from teerling.server.settings import Settings
from teerling.words import Speaker

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "src" / "teerling"
FOLDERS = ("docs", "examples", "src", "tests")
PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
FOLLOWED = "a-game-of-your-own.md"
"""A page whose code is files to be written: a test of its own follows it step by step."""
EVERYTHING = {"": teerling, "players": players, "lab": lab, "engine": engine}
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)=[\"'](?:https?:)?//[^>]*>")
FILE = re.compile(r"(?:[a-z][\w-]*/)*[\w.-]+\.(?:py|md|po|toml|json|html|css|svg|js|txt|sh)")
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|", re.MULTILINE)

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path, *langs: str) -> list[str]:
    """The fenced blocks of a page in these languages."""
    return [code for lang, code in BLOCK.findall(text_of(page)) if lang in langs]


def codes(page: Path) -> list[str]:
    """What stands in code style within the sentences of a page."""
    return CODE.findall(BLOCK.sub("", text_of(page)))


def commands_on(page: Path) -> Iterator[list[str]]:
    """What somebody would type at a prompt, in words."""
    lines = [line.removeprefix("$ ") for block in blocks(page, "", "sh") for line in block.splitlines()]
    for line in [*lines, *codes(page)]:
        if line.startswith(("teerling ", "python -m teerling", "make ")):
            yield shlex.split(line.removesuffix(" &"), comments=True)


def test_the_site_is_built_strictly_fetches_nothing_and_tells_of_everything_public(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr

    written = {page: text_of(page) for page in tmp_path.rglob("*.html")}
    assert len(written) > len(list(DOCS.rglob("*.md")))
    fetched = {found for html in written.values() for found in ELSEWHERE.findall(html)}
    assert fetched == set()

    reference = " ".join(html for page, html in written.items() if page.parent.name == "reference")
    entries = re.findall(r'id="(teerling\.[\w.]+)"', reference)
    for place, module in EVERYTHING.items():
        ids = [entry for entry in entries if entry.startswith(f"teerling.{place}" if place else "teerling.")]
        told = {entry.rpartition(".")[2] for entry in ids}
        assert set(module.__all__) - told == set(), f"teerling.{place}"


@pages
def test_the_examples_of_a_page_do_what_it_says(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.name == FOLLOWED:
        pytest.skip("followed step by step by a test of its own")
    # Players that a page makes known are known to nobody else.
    monkeypatch.setattr(base, "_players", dict(base._players))
    failures, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failures == 0
    for code in blocks(page, "python", "py"):
        if ">>> " not in code:
            exec(compile(code, page.name, "exec"), {"__name__": "__main__"})


@pages
def test_commands_on_a_page_exist_with_these_options(page: Path) -> None:
    for program, *words in commands_on(page):
        if program == "make":
            assert re.search(rf"^{words[0]}:", text_of(ROOT / "Makefile"), re.MULTILINE), words
        elif program == "python":
            check_module(words[1], words[2:])
        elif not words[0].isupper() and not (page.name == FOLLOWED and "pig" in words):
            check_command(words)


def check_command(words: list[str]) -> None:
    """Refuses what our command line would refuse."""
    group: Any = typer.main.get_command(app)
    if words[0].startswith("--"):
        check_options(group, words)
        return
    assert words[0] in group.commands, words
    id, *others = [*check_options(group.commands[words[0]], words[1:]), ""]
    if words[0] in ("arena", "new", "rules", "simulate") and id.islower():
        assert id in game_ids(), words
        if words[0] == "arena":
            Contest.between(game(id), others[:-1], 1, {})


def check_options(command: Any, words: list[str]) -> list[str]:
    """Refuses options that a command does not have, and arguments that are too many; the arguments."""
    options = {name: param for param in command.params for name in (*param.opts, *param.secondary_opts)}
    takes = [param for param in command.params if param.param_type_name == "argument"]
    arguments, left = [], list(words)
    while left:
        word = left.pop(0)
        name, equals, _ = word.partition("=")
        if not word.startswith("-"):
            arguments.append(word)
        elif word != "--help":
            assert name in options, f"{words}: there is no {name}"
            if not options[name].is_flag and not equals:
                assert left, f"{words}: {name} needs a value"
                del left[0]
    assert len(arguments) <= len(takes) or any(param.nargs == -1 for param in takes), words
    return arguments


def check_module(name: str, words: list[str]) -> None:
    """Refuses what `python -m` with this module would refuse."""
    found = find_spec(name)
    assert found is not None, name
    if found.submodule_search_locations:
        group: Any = typer.main.get_command(import_module(f"{name}.__main__").app)
        check_options(group.commands[words[0]], words[1:])
    else:
        runs = typer.Typer()
        runs.command()(import_module(name).main)
        check_options(typer.main.get_command(runs), words)


@pages
def test_links_of_a_page_lead_to_files_of_the_repository(page: Path) -> None:
    linked = [link.partition("#")[0] for link in LINK.findall(CODE.sub("", BLOCK.sub("", text_of(page))))]
    inside = [link for link in linked if link and not re.match(r"[a-z]+:", link)]
    assert [link for link in inside if not (page.parent / link).exists()] == []


@pages
def test_files_that_a_page_names_are_there(page: Path) -> None:
    if page.name == FOLLOWED:
        pytest.skip("names files that are to be written")
    named = {code for code in codes(page) if FILE.fullmatch(code)}
    files = [*ROOT.glob("*.*"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.*"))]
    assert {name for name in named if not any(f"{path}".endswith(f"/{name}") for path in files)} == set()


def test_the_picture_of_the_house_has_the_floors_that_imports_are_held_to() -> None:
    contracts = tomllib.loads(text_of(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["type"] == "layers")
    floors = re.findall(r'data-floor="([^"]+)"', text_of(DOCS / "pictures" / "house.svg"))
    assert [set(floor.split(" | ")) for floor in floors] == [set(layer.split(" | ")) for layer in layers]


def test_the_glossary_has_the_dutch_of_the_table() -> None:
    names = {each.name: each for each in map(game, game_ids())}
    sections = re.split(r"^### (.+)$", text_of(DOCS / "glossary.md"), flags=re.MULTILINE)[1:]
    assert sections
    for name, section in zip(sections[::2], sections[1::2], strict=True):
        say = Speaker("nl", names[name])
        for english, dutch in ROW.findall(section)[2:]:
            assert ", ".join(say(term) for term in english.split(", ")) == dutch


@pytest.mark.parametrize(
    ("page", "key"), [("play.md", "msgid"), ("beginnen.md", "msgstr"), ("spelen.md", "msgstr")]
)
def test_what_is_bold_on_a_page_about_playing_is_said_by_the_table(page: str, key: str) -> None:
    names = {each.name for each in map(game, game_ids())}
    said = re.findall(rf'^{key} "(.+)"$', text_of(PACKAGE / "words" / "nl.po"), re.MULTILINE)
    assert set(re.findall(r"\*\*(.+?)\*\*", text_of(DOCS / page))) - names - set(said) == set()


def test_every_setting_of_the_server_is_described_with_what_is_usual() -> None:
    told = (DOCS / "serving.md").read_text(encoding="utf-8")
    for setting in fields(Settings):
        if setting.type in (int, float):
            row = rf"^\| `TEERLING_{setting.name.upper()}` \| .+ \| {setting.default:g} \|$"
            assert re.search(row, told, re.MULTILINE), f"{setting.name}: {setting.default:g}"


def test_every_test_that_shows_a_guard_is_there() -> None:
    told = re.findall(r"`(test_\w+)`", (DOCS / "security.md").read_text(encoding="utf-8"))
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(told) > 40
    assert [name for name in told if f"def {name}(" not in tests] == []
