"""Every rule has a line in the rules pages of both languages and a test that names it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import teerling
from tests.variants import prefix_of, rules_on

TESTS = Path(__file__).parent
COMMON = Path(str(teerling.games.__file__)).parent  # type: ignore[attr-defined]


def pages(lang: str) -> list[Path]:
    return [
        COMMON / f"rules.{lang}.md",
        *(game.folder / f"rules.{lang}.md" for game in teerling.list_games()),
    ]


def ids_on_pages(lang: str) -> list[str]:
    return [id for page in pages(lang) for id in rules_on(page)]


@cache
def ids_in_tests() -> set[str]:
    """The ids in `@pytest.mark.rule("…")` above test functions."""
    found = set()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.rule":
                        found |= {ast.literal_eval(argument) for argument in mark.args}
    return found


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_every_rule_stands_once_on_a_rules_page(lang: str) -> None:
    ids = ids_on_pages(lang)
    assert len(set(ids)) == len(ids)


def test_every_game_has_letters_of_its_own() -> None:
    letters = ["G", *map(prefix_of, teerling.list_games())]
    assert len(set(letters)) == len(letters)


def test_both_languages_have_the_same_rules_in_the_same_order() -> None:
    assert ids_on_pages("nl") == ids_on_pages("en")


def test_every_rule_has_a_test() -> None:
    assert sorted(set(ids_on_pages("en")) - ids_in_tests()) == []


def test_no_test_names_a_rule_that_does_not_exist() -> None:
    assert sorted(ids_in_tests() - set(ids_on_pages("en"))) == []


@pytest.mark.parametrize("game", teerling.list_games(), ids=lambda game: game.id)
def test_every_rule_in_the_code_stands_on_a_rules_page(game: teerling.Game) -> None:
    known = set(ids_on_pages("en"))
    letters = "|".join(["G", *map(prefix_of, teerling.list_games())])
    for path in game.folder.glob("*.py"):
        ids = re.findall(rf"\b(?:{letters})-\d\d\b", path.read_text(encoding="utf-8"))
        assert set(ids) <= known, path
