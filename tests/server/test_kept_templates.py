"""Templates are compiled once for all servers that start; what is kept of them is never trusted over them."""

import sys
from pathlib import Path
from typing import Any

import pytest
from jinja2 import DictLoader, Environment, StrictUndefined, TemplateSyntaxError, UndefinedError
from markupsafe import Markup

from teerling.server.page import quick
from teerling.server.page.quick import Code, KeptTemplates, Templates


def shown(folder: Path, source: str) -> str:
    """What a server that starts anew makes of a template."""
    environment = Templates(loader=DictLoader({"a": source}), bytecode_cache=KeptTemplates(folder))
    return environment.get_template("a").render()


def never(*_: object) -> None:
    raise AssertionError("it is compiled anew")


def test_the_next_server_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(tmp_path / "kept", "{{ 1 + 1 }}") == "2"
    monkeypatch.setattr(Code, "visit_Template", never)
    assert shown(tmp_path / "kept", "{{ 1 + 1 }}") == "2"


def test_a_template_that_has_changed_is_compiled_anew(tmp_path: Path) -> None:
    assert shown(tmp_path, "{{ 1 + 1 }}") == "2"
    assert shown(tmp_path, "{{ 1 + 2 }}") == "3"


@pytest.mark.parametrize("another", [{"metadata.version": lambda _: "0.1"}, {"__name__": "teerling.old"}])
def test_what_another_compiler_made_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, another: dict[str, Any]
) -> None:
    monkeypatch.setitem(sys.modules, "teerling.old", quick)
    for name, value in another.items():
        monkeypatch.setattr(f"teerling.server.page.quick.{name}", value)
    assert shown(tmp_path, "{{ 1 + 1 }}") == "2"
    monkeypatch.undo()
    monkeypatch.setattr(Code, "visit_Template", never)
    with pytest.raises(AssertionError, match="compiled anew"):
        shown(tmp_path, "{{ 1 + 1 }}")


@pytest.mark.parametrize("length", [0, 3, 30, 60, 90])
def test_what_was_spoiled_is_compiled_anew(tmp_path: Path, length: int) -> None:
    assert shown(tmp_path, "{{ 1 + 1 }}") == "2"
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:length])
    assert shown(tmp_path, "{{ 1 + 1 }}") == "2"
    assert len(kept.read_bytes()) > 90


def test_where_nothing_can_be_kept_pages_are_shown_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert shown(tmp_path / "file", "{{ 1 + 1 }}") == "2"
    assert shown(tmp_path / "file" / "below", "{{ 1 + 1 }}") == "2"


@pytest.mark.parametrize(
    "source",
    [
        "{{ all|select('in', (1, 3))|list }} {{ all|reject('none')|list }} {{ all|select|list }}",
        "{{ (1, 2, 3)|select('odd')|list }}",
        "{{ parts|selectattr('is.it', 'eq', 2)|map(attribute='name')|list }}",
        "{{ parts|rejectattr('on')|list }}{{ parts|selectattr('on')|list }}",
        "{% macro twice(a, b='-') %}{{ caller(a) if caller is defined else b }}{{ b }}{% endmacro %}"
        "{% call(x) twice('<') %}[{{ x }}]{% endcall %}{{ twice('a', 'c') }}{{ twice('a') }}",
        "{% macro bold(a, b='<') %}<b>{{ a }}{{ b }}</b>{% endmacro %}"
        "{{ bold('>') }}{{ bold(bold(1, none)) }}{{ '<' ~ bold('a') ~ '>' }}{% set x = bold('<') %}{{ x }}",
        "{% for a in all %}{{ loop.index0 }}{{ loop.index }}{{ ' first' if loop.first }}"
        "{{ ' last' if loop.last }}"
        "{% for b in parts|map(attribute='name') %}{{ loop.index }}{{ b }}{% endfor %}"
        "{{ loop.last }}{% endfor %}",
        "{% for a in all if a %}{{ a }}{{ loop.last }}{% else %}-{% endfor %}{% for a in {} %}"
        "{% else %}-{% endfor %}",
        "{{ '<' if on else '>' }}{{ '<' ~ on ~ '>' if on }}{{ '' if on else 'a' if all else parts }}",
        "{{ html if on else '<' }}{{ html ~ '<' if on }}{{ (html if on else '<') ~ '<' }}{{ 1.5 if on }}",
        "{{ parts[0].name }}{{ parts[1]['is'].it }}{{ all[1] }}{{ all[1:]|list }}"
        "{{ parts[0]['is']['it'] is none }}",
        "{{ parts[0].no is defined }}{{ parts[0].on is defined }}{{ nobody is defined }}"
        "{{ nobody|default('<') }}",
        "{{ all[2] is none }}{{ all[2] is not none }}{{ '%d-%s'|format(3, '<') }}{{ '<%s>'|format(html) }}",
    ],
)
def test_what_is_quicker_than_jinja_shows_the_same(source: str) -> None:
    values = {
        "all": [0, 1, None, 3, ""],
        "parts": [{"name": "a", "is": {"it": 2}, "on": True}, {"name": "b", "is": {"it": 3}, "on": False}],
        "on": True,
        "html": Markup("<i>"),
    }
    plain = Environment(autoescape=True, undefined=StrictUndefined)
    quick_one = Templates(autoescape=True, undefined=StrictUndefined)
    assert quick_one.from_string(source).render(values) == plain.from_string(source).render(values)


def test_who_asks_for_what_is_not_there_is_told() -> None:
    templates = Templates(autoescape=True, undefined=StrictUndefined)
    for source in ("{{ part.no }}", "{{ 'a' if part.no }}", "{{ nobody }}", "{{ part.no.more }}"):
        with pytest.raises((UndefinedError, AttributeError), match="no"):
            templates.from_string(source).render(part={"on": 1})


def test_macros_are_given_places_and_not_names() -> None:
    templates = Templates(autoescape=True)
    with pytest.raises(TemplateSyntaxError, match="places, not names"):
        templates.from_string("{% macro bold(a) %}{{ a }}{% endmacro %}{{ bold(a=1) }}")
