"""The templates, and what they are given besides views: drawings, styles, speakers, links to rules."""

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import FunctionLoader, StrictUndefined
from markupsafe import Markup

from ...engine.compile import cache_root
from ...game import Game, game, list_games
from ...words import LANGUAGES, Speaker, capital
from .memo import MemoMacro
from .quick import KeptTemplates, Templates

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"
INDENTATION = re.compile(r"(<pre\b.*?</pre>)|^[ \t]+", re.DOTALL | re.MULTILINE)
RULE = Markup('<a class="rule" href="/rules/{game}#{rule}" data-rule="{rule}">{rule}</a>')


def source_of(name: str) -> tuple[str, str, Any] | None:
    """Templates of the server, and `games/<id>/<file>` in the folders of a game."""
    folders = [TEMPLATES]
    if name.startswith("games/"):
        _, id, name = name.split("/", 2)
        folders = game(id).catalogues
    path = next((folder / name for folder in folders if (folder / name).is_file()), None)
    return None if path is None else (unindented(path.read_text(encoding="utf-8")), str(path), lambda: True)


def unindented(text: str) -> str:
    """A template with one blank for its indentation, which would be a tenth of every page.

    >>> unindented("<ul>\\n    <li>\\n<pre>  as it is</pre>")
    '<ul>\\n <li>\\n<pre>  as it is</pre>'
    """
    return INDENTATION.sub(lambda found: found[1] or " ", text)


ENVIRONMENT = Templates(
    loader=FunctionLoader(source_of),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    cache_size=400,
    auto_reload=False,
    bytecode_cache=KeptTemplates(cache_root() / "templates"),
)


@cache
def drawing(game_id: str, name: str) -> Markup:
    """A file of drawings or styles of a game, after those of what it shares; nothing where there is none."""
    return _together(name, game_id)


@cache
def drawings(*game_ids: str) -> Markup:
    """The symbols that boards and scenes of these games use; what they share stands there once."""
    return _together("drawings.svg", *game_ids)


def _together(name: str, *game_ids: str) -> Markup:
    """The files of this name in the folders of games: each once, and what a game shares before its own."""
    paths = dict.fromkeys(folder / name for id in game_ids for folder in reversed(game(id).catalogues))
    return Markup("".join(path.read_text(encoding="utf-8") for path in paths if path.is_file()))


@cache
def version() -> str:
    """What styles and scripts are at this server: pages name it, so that browsers may keep them for ever."""
    boards = [folder / "board.css" for of in list_games() for folder in of.catalogues]
    found = hashlib.sha256()
    for path in [*sorted(STATIC.iterdir()), *boards]:
        found.update(path.read_bytes() if path.is_file() else b"")
    return found.hexdigest()[:12]


@cache
def styles(*names: str) -> str:
    """Styles of pages that a browser needs at once, as one file."""
    return "".join((STATIC / f"{name}.css").read_text(encoding="utf-8") for name in names)


@cache
def rule_link(game_id: str, rule: str) -> Markup:
    """A rule's id that opens the rules at that rule."""
    return RULE.format(game=game_id, rule=rule)


@cache
def speaker(lang: str, game_id: str) -> Speaker:
    """Who says everything at tables of a game; always the same, so that what was said can be kept."""
    return Speaker(lang, game(game_id))


ENVIRONMENT.globals |= {
    "rule_link": rule_link, "memo": MemoMacro, "drawing": drawing, "drawings": drawings, "speaker": speaker,
}  # fmt: skip


ENVIRONMENT.filters["capital"] = capital


def render(template: str, lang: str, **values: Any) -> str:
    """A template of the server as text, made of plain values."""
    return ENVIRONMENT.get_template(template).render(languages=LANGUAGES, lang=lang, **values)


@cache
def board_of(of: Game) -> str:
    """The name of a game's board template, or of the plain one that fits every game."""
    name = f"games/{of.id}/board.html"
    return name if source_of(name) is not None else "plain_board.html"


def warm_up() -> None:
    """Reads the templates of all tables, so that the first player need not wait for it."""
    for name in ("live.html", "table.html", *map(board_of, list_games())):
        ENVIRONMENT.get_template(name)
