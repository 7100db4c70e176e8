"""The text of the rules, with an anchor for every rule: for a page, and for the panel beside the board."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from ...game import COMMON_RULES, Game, list_games
from ...words import Speaker
from ...words.marks import MARKS, Mark, mark_named
from ..page import environment
from ..refusals import Refused

RULE = re.compile(r"\b[A-Z]{1,4}-\d\d\b")
SUMMARIES = ("On one page", "Op één bladzijde")
"""The chapter that tells the whole game on a card."""
SIGN = Markup('<a class="mark" href="#mark-{id}" title="{meaning}" aria-label="{meaning}">{sign}</a>')
LEGEND = Markup('<footer class="marks">{lines}</footer>')
LEGEND_LINE = Markup('<p id="mark-{id}"><b class="sign">{sign}</b> {meaning}</p>')
ICON = Markup('<svg class="icon" viewBox="0 0 24 24" focusable="false" {said}><use href="#{symbol}"/></svg>')
HEARD, UNHEARD = Markup('role="img" aria-label="{alt}"'), Markup('aria-hidden="true"')


class NoRules(Refused):
    """A game that brings no rules page."""

    status = 404


@dataclass(frozen=True)
class Rulebook:
    """The rules of one game in one language, ready to be shown."""

    html: Markup
    contents: tuple[tuple[str, str], ...]
    """Anchor and title of every chapter."""
    rules: frozenset[str]
    """The ids of all rules on the page."""


@cache
def rulebook(of: Game, lang: str) -> Rulebook:
    """The rules page of a game and the rules for all games, rendered."""
    paths = of.rules_pages(lang)
    if not paths:
        raise NoRules("{game} has no rules page", game=of.name)
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens: list[Token] = []
    contents: list[tuple[str, str]] = []
    rules: set[str] = set()
    for path in paths:
        found = markdown.parse(path.read_text(encoding="utf-8"))
        contents += _mark_headings(found, path.parent == COMMON_RULES)
        rules |= _mark_rules(found)
        tokens += found
    say, used = environment.speaker(lang, of.id), set[Mark]()
    for token in tokens:
        if token.type == "inline" and token.children:
            marked = list(_with_marks(token.children, say, used))
            token.children = list(_with_icons(_with_links(marked, rules), token.content))
    html = str(markdown.renderer.render(list(_with_summary(tokens)), markdown.options, {}))
    return Rulebook(Markup(html) + _legend(used, say), tuple(contents), frozenset(rules))


def _mark_headings(tokens: list[Token], common: bool) -> list[tuple[str, str]]:
    """Gives every chapter an anchor; the page for all games becomes one chapter, the last."""
    contents = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            title = tokens[index + 1].content
            anchor = "-".join(["common" if common else "chapter", *re.findall(r"\w+", title.lower())])
            token.attrSet("id", anchor)
            if common:
                token.tag = tokens[index + 2].tag = {"h1": "h2"}.get(token.tag, "h3")
            if token.tag == "h2":
                contents.append((anchor, title))
    return contents


def _mark_rules(tokens: list[Token]) -> set[str]:
    """Gives the list item of every rule its id as anchor, and makes the id a link to itself."""
    found = set()
    for index, token in enumerate(tokens):
        if token.type == "list_item_open":
            children = tokens[index + 2].children or []
            first = [child for child in children if child.content or child.type == "strong_open"][:2]
            if len(first) == 2 and first[0].type == "strong_open" and RULE.fullmatch(first[1].content):
                id = first[1].content
                token.attrSet("id", id)
                token.attrSet("class", "item")
                start = children.index(first[0])
                children[start : start + 3] = [_link(id, f"#{id}", "id")]
                found.add(id)
    return found


def _with_links(children: Iterable[Token], own: set[str]) -> Iterable[Token]:
    """Every rule that a text names becomes a link: on this page, or to that of another game."""
    for child in children:
        if child.type != "text":
            yield child
            continue
        end = 0
        for match in RULE.finditer(child.content):
            id = match.group()
            target = f"#{id}" if id in own else _elsewhere(id)
            if target:
                yield _text(child.content[end : match.start()])
                yield _link(id, target, "ref")
                end = match.end()
        yield _text(child.content[end:])


def _with_marks(children: list[Token], say: Speaker, used: set[Mark]) -> Iterable[Token]:
    """*(ruling)* and the like become a quiet sign that says what it means and leads to the legend."""
    rest = iter(zip(children, [*children[1:], _text("")], strict=True))
    for child, following in rest:
        mark = mark_named(following.content.strip("()")) if child.type == "em_open" else None
        if mark is None:
            yield child
        else:
            used.add(mark)
            yield _html(SIGN.format(id=mark.id, sign=mark.sign, meaning=say(mark.meaning)))
            # The word and the end of the emphasis go with it.
            next(rest), next(rest)


def _legend(used: set[Mark], say: Speaker) -> Markup:
    """What the signs on a page mean, at its end."""
    lines = (
        LEGEND_LINE.format(id=mark.id, sign=mark.sign, meaning=say(mark.meaning))
        for mark in MARKS
        if mark in used
    )
    return LEGEND.format(lines=Markup("").join(lines)) if used else Markup("")


def _with_icons(children: Iterable[Token], text: str) -> Iterable[Token]:
    """An image whose address is a symbol of the game's drawings is drawn; its name is not heard twice."""
    words = re.sub(r"!\[.*?\]\(.*?\)", "", text).lower()
    for child in children:
        if child.type == "image":
            said = UNHEARD if child.content.lower() in words else HEARD.format(alt=child.content)
            yield _html(ICON.format(symbol=child.attrs["src"], said=said))
        else:
            yield child


def _with_summary(tokens: Iterable[Token]) -> Iterable[Token]:
    """The chapter that tells the whole game is a card of its own."""
    inside, tokens = False, list(tokens)
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag in ("h1", "h2"):
            if inside:
                yield _html(Markup("</section>"))
            inside = tokens[index + 1].content in SUMMARIES
            if inside:
                yield _html(Markup('<section class="summary">'))
        yield token
    if inside:
        yield _html(Markup("</section>"))


@cache
def _elsewhere(id: str) -> str | None:
    """The address of another game's rule."""
    for of in list_games():
        path = of.folder / "rules.en.md"
        if path.exists() and f"- **{id}**" in path.read_text(encoding="utf-8"):
            return f"/rules/{of.id}#{id}"
    return None


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _link(id: str, target: str, kind: str) -> Token:
    """A link to a rule."""
    link = Markup('<a class="{kind}" href="{target}">{id}</a>')
    return _html(link.format(kind=kind, target=target, id=id))


def _html(markup: Markup) -> Token:
    return Token("html_inline", "", 0, content=str(markup))
