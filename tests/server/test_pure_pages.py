"""Pages are made of plain values: no template can reach a match, a table, a row or a seed."""

import dataclasses
import random
import re
import time
import types
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import jinja2
import pytest
from jinja2.compiler import CodeGenerator
from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.runtime import Context, Macro
from markupsafe import Markup
from starlette.testclient import TestClient

import teerling
from teerling import Event, Match, Move
from teerling.players import MoveEstimate
from teerling.players.hint import Reason
from teerling.server.day.puzzles import written
from teerling.server.look import match_view
from teerling.server.page import environment, live_pages, match_pages, memo
from teerling.server.page.views import HintView, MatchView, SeatView, TableView, TutorView
from teerling.server.tables.days import today
from teerling.words import LANGUAGES, Speaker
from tests.server.houses import house_of, opened, table_at
from tests.server.mistaken import mistaken
from tests.server.puzzling import puzzle_of
from tests.variants import play

GAMES = [game.id for game in teerling.list_games()]
ATOMS = (str, int, float, bool, bytes, type(None), range, Markup, date, timedelta)
SPEAKING = (Speaker, memo.MemoMacro, Macro)
GLOBALS = ("rule_link", "memo", "drawing", "drawings", "speaker", "glimpse")
QUICK = environment.ENVIRONMENT
GIVEN = (*(environment.ENVIRONMENT.globals[name] for name in GLOBALS), *DEFAULT_NAMESPACE.values())
"""The functions that every template is given: ours and Jinja's."""


class NotPlain(Exception):
    """Something reached a template that is no value."""


def is_frozen(value: object) -> bool:
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and parameters.frozen and not isinstance(value, teerling.Game)


def is_plain(value: Any) -> bool:
    """Whether a thing may be seen by a template; what is inside it is asked when it is reached."""
    if isinstance(value, (*ATOMS, *SPEAKING, tuple, list, dict, frozenset)) or is_frozen(value):
        return True
    if isinstance(value, types.MethodType | types.BuiltinMethodType):
        return is_plain(value.__self__)
    if isinstance(value, types.GeneratorType | type({}.items()) | type({}.values()) | type({}.keys())):
        return True
    return any(value is each for each in GIVEN) or type(value).__module__.startswith("jinja2")


def check(value: Any) -> Any:
    if not is_plain(value):
        raise NotPlain(repr(type(value)))
    return value


def check_deep(value: Any) -> None:
    """Refuses whatever can be reached from a value, if it is no value."""
    check(value)
    if is_frozen(value):
        for field in dataclasses.fields(value):
            check_deep(getattr(value, field.name))
    elif isinstance(value, dict):
        for part in [*value, *value.values()]:
            check_deep(part)
    elif isinstance(value, tuple | list | frozenset):
        for part in value:
            check_deep(part)


class CheckedCalls(Context):
    def call(self, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        for value in (obj, *args, *kwargs.values()):
            check(value)
        return check(super().call(obj, *args, **kwargs))


class CheckedTemplate(jinja2.Template):
    def render(self, *args: Any, **kwargs: Any) -> str:
        check_deep(kwargs)
        return super().render(*args, **kwargs)


class CheckedTemplates(environment.Templates):
    """The environment of the pages, but Jinja's own code, in which every step can be refused."""

    code_generator_class = CodeGenerator
    context_class = CheckedCalls
    template_class = CheckedTemplate

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.used: set[str] = set()

    def getattr(self, obj: Any, attribute: str) -> Any:
        return check(super().getattr(check(obj), attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        return check(super().getitem(check(obj), check(argument)))

    def _load_template(self, name: str, globals: Any) -> jinja2.Template:
        self.used.add(name)
        return super()._load_template(name, globals)


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Iterator[CheckedTemplates]:
    plain = environment.ENVIRONMENT
    checking = CheckedTemplates(
        loader=plain.loader, autoescape=True, undefined=plain.undefined, trim_blocks=True, lstrip_blocks=True
    )
    checking.globals |= {name: plain.globals[name] for name in GLOBALS}
    checking.filters |= plain.filters
    monkeypatch.setattr(environment, "ENVIRONMENT", checking)
    live_pages.live.cache_clear()
    yield checking
    live_pages.live.cache_clear()


def seats_of(match: Match, viewer: int | None) -> tuple[SeatView, ...]:
    """A person in every seat, the viewer in one of them, and a bot in the last that sits in."""
    return tuple(
        SeatView(
            number=seat,
            kind="person",
            name=name,
            level=None,
            stand_in=seat == match.players - 1,
            way_out="absent" if seat == match.players - 1 else None,
            away=seat != viewer,
            hints=seat,
            take_backs=seat,
            may_return=seat == viewer,
        )
        for seat, name in enumerate(match.names)
    )


def table_view(match: Match, viewer: int | None, **changes: Any) -> TableView:
    """A table as somebody in a seat sees it, or a spectator."""
    over = match.over
    own = () if viewer is None else (viewer,)
    view = TableView(
        id="table", version=len(match.history), match=match_view(match, viewer, viewer, not over, over),
        status="over" if over else "playing", begun=True, pace="live", ending="finished" if over else None,
        ended_by=None, seats=seats_of(match, viewer), own=own, played=() if over else own, curtain=None,
        may_take_back=True, draws_anew=True, gives_hints=True, hint=None, preparing=True, absent=0,
        may_end=True, chat=(("Anne", "hello"),), rematch="next" if over else None,
        seed="7" if over else None, day=None,
    )  # fmt: skip
    return dataclasses.replace(view, **changes)


def hint_view(match: Match) -> HintView:
    first, *_ = match.legal_moves
    return HintView(
        False, False, "expert", 100, (MoveEstimate(first, 100, 0.5, 20.0, 3.0),), Reason(is_only=True)
    )


@pytest.mark.parametrize("game", GAMES)
def test_every_page_of_a_table_is_made_of_plain_values(game: str, checked: CheckedTemplates) -> None:
    options = {"fame": "hidden"} if game in ("ra", "priests") else {}
    match = teerling.new(game, players=3, seed=4, names=["Anne", "Bob"], **options)
    for number, _ in enumerate(play(match, 4)):
        if number % 9 and not match.over:
            continue
        for viewer in (None, 0, 1, 2):
            view = table_view(match, viewer)
            for lang in LANGUAGES:
                live_pages.live(view, lang)
            if not match.over and viewer == match.turn:
                asked = HintView(preparing=True), HintView(failed=True), HintView(), hint_view(match)
                for hint in asked:
                    live_pages.live(dataclasses.replace(view, hint=hint), "en")
                first, last = match.legal_moves[0], match.legal_moves[-1]
                for reason in (None, Reason(is_only=True)):
                    tutor = TutorView(True, False, last, first, 0.05, (0.01, 0.09), reason)
                    live_pages.live(dataclasses.replace(view, tutor=tutor), "nl")
                live_pages.live(
                    dataclasses.replace(view, curtain=viewer, match=match_view(match, None)), "en"
                )
    for ending in ("resigned", "time", "abandoned"):
        live_pages.live(table_view(match, 0, ending=ending, ended_by=1), "en")
    waiting = table_view(teerling.new(game, players=3, seed=4), None, status="open")
    free = tuple(dataclasses.replace(seat, kind="open") for seat in waiting.seats)
    assert "Take seat 1" in live_pages.live(dataclasses.replace(waiting, seats=free), "en").html
    assert environment.board_of(teerling.game(game)) in checked.used


@pytest.mark.parametrize("game", GAMES)
def test_templates_as_quicker_python_show_the_same(game: str, checked: CheckedTemplates) -> None:
    match = teerling.new(game, players=3, seed=6, names=["Anne", "<b>"])
    for _ in zip(play(match, 6), range(25), strict=False):
        pass
    for viewer in (None, match.turn):
        view = table_view(match, viewer, chat=(("Anne", "'&'"),))
        slowly = live_pages.live.__wrapped__(view, "nl")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(environment, "ENVIRONMENT", QUICK)
            assert live_pages.live.__wrapped__(view, "nl") == slowly
        assert "&lt;b&gt;" in slowly.html
        assert "&#39;&amp;&#39;" in slowly.html


def played_out(client: TestClient, path: str) -> str:
    """Where a match against bots is, now that it is over."""
    table = table_at(client, path)
    while not table.over:
        if table.match.turn == 0:
            client.post(f"{path}/move", data={"move": table.match.legal_moves[-1].text, "at": table.version})
        time.sleep(0.01)
    return path


def test_every_page_of_the_server_is_made_of_plain_values(checked: CheckedTemplates, tmp_path: Path) -> None:
    """All of them: a template that no page here uses fails the test."""
    with opened(tmp_path) as anne:
        stranger = TestClient(anne.app, headers={"Accept-Language": "nl"})
        places = {"seat0": "me", "seat1": "open", "seat2": "bot", "level2": "random"}
        table = anne.post("/new/rapido", data={"name": "Anne", "public": "yes", **places}).url.path
        paths = ("/", "/about", "/api", "/replay", "/offline", "/nowhere", "/new/ra", "/new/dicerun", table)
        for path in paths:
            for visitor in (anne, stranger):
                visitor.get(path)
        for game in GAMES:
            assert anne.get(f"/rules/{game}").status_code == 200
        together = anne.post("/new/rapido", data={"name": "Anne", "seat0": "me", "seat1": "open"}).url.path
        assert (
            "Het potje begint" in stranger.post(f"{together}/join", data={"name": "Bram", "seat": "1"}).text
        )
        alone = anne.post("/play/rapido").url.path
        for path in (alone, f"{alone}/replay", f"{alone}/replay?fragment=1", f"{alone}/verify"):
            assert anne.get(path).status_code == stranger.get(path).status_code == 200
        anne.post(f"{alone}/resign")
        for path in (alone, f"{alone}/replay?move=1&seat=1", f"{alone}/verify"):
            assert anne.get(path).status_code == stranger.get(path).status_code == 200
        match = teerling.new("rapido", players=2, seed=4)
        for _ in play(match, 4):
            if len(match.pushes) == 9:
                break
        branch = anne.post("/api/branches", json={"source": match.save(), "step": 3}).json()["table"]["page"]
        for path in (branch, f"{branch}/replay", f"{branch}/verify"):
            assert anne.get(path).status_code == stranger.get(path).status_code == 200
        for path in ("/me", "/me/delete", "/day", "/puzzle"):
            assert anne.get(path).status_code == stranger.get(path).status_code == 200
        with mistaken(anne):
            fields = {"preset": "bots", "players": "2", "level": "random", "option_goal": "9"}
            over = played_out(anne, anne.post("/new/rapido", data=fields).url.path)
            asked = anne.get(f"{over}/again")
            move = re.findall(r'name="move"\s+value="([^"]*)"', asked.text)[-1]
            assert "Costs" in anne.post(asked.url.path, data={"move": move}).text
        with mistaken(anne, done=0.5):
            assert "<progress" in anne.get(f"{over}/again").text
        assert anne.get(f"{over}/review").status_code == 200
        puzzle = puzzle_of("rapido")
        house_of(anne).records.add_puzzle(written(today(), puzzle))
        assert anne.get("/puzzle").status_code == stranger.get("/puzzle").status_code == 200
        anne.post("/puzzle", data={"date": today().isoformat(), "move": puzzle.best.text})
        assert "You found the best move." in anne.get("/puzzle").text
        link = re.findall(r"/me/[\w.~-]{20,}", anne.get("/me").text)[0]
        assert "Anne" in stranger.get(link).text
        assert anne.post("/me/delete", data={"sure": "yes"}).status_code == 200
        assert anne.post("/replay", files={"file": ("x.txt", b"nonsense")}).status_code == 422
    own = {path.name for path in environment.TEMPLATES.glob("*.html")}
    assert own - checked.used == {"hint.html", "plain_board.html", "tutor.html"}, (
        "hints, the tutor and plain boards have tests above and below"
    )


def test_a_game_without_a_board_is_shown_in_plain_values(checked: CheckedTemplates) -> None:
    page = match_pages.page_of(match_view(teerling.new("rapido", players=2, seed=1), 0), "en")
    board = checked.get_template("plain_board.html").module
    assert "phase" in board.board(page)  # type: ignore[attr-defined]


HIDDEN_THINGS = (
    "t.match", "t.state", "t.view.match", "t.view.state", "t.view.seed", "t.game.rules", "t.house",
    "t.table", "t.say.game", "t.say._events", "t.known", "t._known", "t.view.__class__", "t.why.__func__",
    "t.why.__globals__", "table.row", "table.storage", "table.match.seed", "table.match.state",
    "table.seats[1].person_id", "table.seats[1].token", "t.board.seats[1].hand.items()",
    "t.board.seats[1].missions[0]",
)  # fmt: skip


@pytest.mark.parametrize("asks", HIDDEN_THINGS)
def test_a_board_that_asks_for_a_hidden_thing_fails(asks: str) -> None:
    match = teerling.new("dicerun", players=3, seed=1)
    view = table_view(match, 0)
    template = environment.ENVIRONMENT.from_string("{% set thing = " + asks + " %}{{ thing }}")
    with pytest.raises((jinja2.UndefinedError, AttributeError, LookupError, TypeError)):
        template.render(t=match_pages.page_of(view.match, "en"), table=view)


@pytest.mark.parametrize("given", ["match", "state", "game", "rules"])
def test_the_check_refuses_what_is_no_value(given: str, checked: CheckedTemplates) -> None:
    match = teerling.new("ra", players=3, seed=1)
    thing = {"match": match, "state": match.state, "game": match.game, "rules": match.game.rules}[given]
    for wrapped in (thing, [thing], {"key": thing}, Event("told", "RA-01", data={"thing": thing})):
        with pytest.raises(NotPlain):
            checked.from_string("{{ given }}").render(given=wrapped)


@pytest.mark.parametrize("game", GAMES)
def test_two_matches_that_look_the_same_to_a_seat_give_the_same_page(game: str) -> None:
    """What the seat cannot know is imagined anew; the page is made of the observation alone."""
    match = teerling.new(game, players=3, seed=8)
    chooser = random.Random(2)
    for number in range(12):
        match.push(chooser.choice(match.legal_moves))
        for seat in range(3):
            imagined = match.game.imagined(match.seen(seat), seat, [number + 1])
            seen = match.game.observed(imagined, seat)
            view = match_view(match, seat, seat)
            other = dataclasses.replace(view, observation=seen.to_bytes())
            assert other == view
            assert match_pages.page_of(other, "nl") == match_pages.page_of(view, "nl")


def test_why_a_move_cannot_be_made_is_answered_from_the_observation() -> None:
    match = teerling.new("ra", players=3, seed=2)
    view = match_view(match, match.turn)
    page = match_pages.page_of(view, "en")
    assert page.mine
    assert page.why("draw") == ""
    assert page.why("bid 13").endswith("(RA-12)")
    assert (
        match_pages.page_of(dataclasses.replace(view, asked=False), "en").why("draw") == "It is not your turn"
    )


def test_a_page_is_made_once_for_equal_views() -> None:
    match = teerling.new("rapido", players=2, seed=1)
    one, other = table_view(match, 0), table_view(match, 0)
    assert one is not other
    assert live_pages.live(one, "en") is live_pages.live(other, "en")
    assert live_pages.live(one, "nl") is not live_pages.live(one, "en")
    assert live_pages.live(dataclasses.replace(one, version=99), "en") is not live_pages.live(one, "en")
    match.push(match.legal_moves[0])
    assert live_pages.live(table_view(match, 0), "en").html != live_pages.live(one, "en").html


def test_a_view_cannot_be_changed() -> None:
    view: MatchView = match_view(teerling.new("rapido", players=2, seed=1), 0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.seat = 1  # type: ignore[misc]
    assert isinstance(view.steps, tuple)
    assert all(isinstance(events, tuple) for events in view.steps)


def test_moves_in_a_hint_are_values_too() -> None:
    check_deep(hint_view(teerling.new("rapido", players=2, seed=1)))
    with pytest.raises(NotPlain):
        check_deep(Move(1, object()))  # type: ignore[arg-type]
