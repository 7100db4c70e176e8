"""What is kept of pages: the same for whoever looks, and never what another seat alone may know."""

import random
import re
from typing import Any

import pytest
from markupsafe import Markup

import teerling
from teerling import Match
from teerling.server.look import match_view
from teerling.server.page.environment import ENVIRONMENT, board_of
from teerling.server.page.match_pages import page_of
from teerling.server.page.memo import MemoMacro
from tests.server.houses import flat

BOARD = """{% import board as game %}{{ game.board(t) }}
{% if t.mine %}{{ game.choices(t) }}{% elif game.waiting is defined %}{{ game.waiting(t) }}{% endif %}
{% if game.player is defined %}{% for p in t.order %}{{ game.player(t, p) }}{% endfor %}{% endif %}
{{ game.side(t) }}
{% for p in t.order %}{% if game.chip is defined %}{{ game.chip(t, p) }}{% endif %}
{% if game.tag is defined %}{{ game.tag(t, p) }}{% endif %}{% endfor %}
{% if game.story is defined %}{{ game.story(t) }}{% endif %}
{% if game.worth is defined %}{{ game.worth(t) }}{% endif %}
{% from "sheets.html" import sheet %}{% for s in t.scorings %}{{ sheet(t, s) }}{% endfor %}"""
BOLD = ENVIRONMENT.from_string("{% macro bold(text) %}<b>{{ text }}</b>{% endmacro %}")


def drawn(match: Match, seat: int | None, lang: str = "en") -> str:
    """What a seat sees, made with what is kept of earlier pages."""
    page = page_of(match_view(match, seat, seat), lang)
    return ENVIRONMENT.from_string(BOARD).render(t=page, board=board_of(match.game))


def drawn_anew(match: Match, seat: int | None) -> str:
    """The same when nothing is kept: templates are read again."""
    assert ENVIRONMENT.cache is not None
    ENVIRONMENT.cache.clear()
    return drawn(match, seat)


def kept_bold() -> MemoMacro:
    module: Any = BOLD.module
    return MemoMacro(module.bold)


def test_what_is_made_of_the_same_values_is_made_once() -> None:
    bold = kept_bold()
    assert bold("Anne") == "<b>Anne</b>"
    assert bold("Anne") is bold("Anne")
    assert bold("Bob") == "<b>Bob</b>"


def test_a_text_is_escaped_even_if_the_same_was_kept_as_markup() -> None:
    bold = kept_bold()
    assert bold(Markup("<i>Anne</i>")) == "<b><i>Anne</i></b>"
    assert bold("<i>Anne</i>") == "<b>&lt;i&gt;Anne&lt;/i&gt;</b>"
    assert bold(["<i>"]) != bold([Markup("<i>")])


def test_a_list_that_has_changed_is_another_value() -> None:
    bold, names = kept_bold(), ["Anne"]
    before = bold(names)
    names.append("Bob")
    assert "Bob" in bold(names)
    assert "Bob" not in before


def test_only_values_are_kept() -> None:
    match = teerling.new("dicerun", players=3, seed=1)
    for thing in (match, page_of(match_view(match, 0), "en"), match.state, {"seat": match}, [object()]):
        with pytest.raises(TypeError, match="is no value"):
            kept_bold()(thing)


@pytest.mark.parametrize("game", [game.id for game in teerling.list_games()])
def test_a_page_is_the_same_whosever_pages_were_made_before(game: str) -> None:
    options = next((each for each in teerling.game(game).tested if "hidden" in each.values()), {})
    match, chooser = teerling.new(game, players=3, seed=5, **options), random.Random(5)
    viewers = (None, 0, 1, 2)
    for step in range(40):
        match.push(chooser.choice(match.legal_moves))
        together = [drawn(match, viewer) for viewer in reversed(viewers)][::-1]
        if step in (9, 39):
            assert together == [drawn_anew(match, viewer) for viewer in viewers]


OFFER = re.compile(r'<button name="move" value="([^"]*)"(?![^>]*aria-disabled)')


@pytest.mark.parametrize("game", [game.id for game in teerling.list_games()])
@pytest.mark.parametrize("seed", [4, 7])
def test_the_page_of_whoever_decides_offers_every_legal_move(game: str, seed: int) -> None:
    """With these seeds a catastrophe takes monuments in Ra dice."""
    match, chooser = teerling.new(game, seed=seed), random.Random(seed)
    while not match.over:
        assert match.turn is not None
        offered = set(OFFER.findall(flat(drawn(match, match.turn))))
        # A move with a plus takes what is ticked in boxes beside it.
        if not any("+" in move for move in offered):
            missing = {move.text for move in match.legal_moves} - offered
            assert not missing, f"{missing} after {len(match.history)} moves"
        match.push(chooser.choice(match.legal_moves))
