"""Hints: moves ranked by what comes of them, a reason from the score lines, and nothing that is secret."""

import json
import sys
from dataclasses import replace

import pytest

import teerling
from teerling import Event, Move, players
from teerling.errors import TeerlingError
from teerling.match import Match
from teerling.players.base import MoveEstimate, Observation
from teerling.players.hint import (
    Gain,
    Reason,
    Scorings,
    hint_from,
    reason_for,
    rival,
    told_apart,
    untouched_by,
)
from teerling.players.search import Search
from teerling.words import Speaker
from tests.sixth.pig import game as pig

RA, RAPIDO = teerling.game("ra"), teerling.game("rapido")


def begun(id: str = "rapido", players: int = 3) -> Match:
    match = teerling.new(id, players=players, seed=7)
    while match.forced is not None:
        match.push(match.forced)
    return match


def estimate(id: int, win: float, playouts: int = 10, score: float = 0.0) -> MoveEstimate:
    return MoveEstimate(RAPIDO.move(id), playouts, win, score, spread=5.0)


def test_every_legal_move_is_ranked_with_its_playouts() -> None:
    match = begun()
    assert match.turn is not None
    hint = players.hint(match, match.turn, "search:300")
    assert {estimate.move for estimate in hint.estimates} == set(match.legal_moves)
    assert hint.estimates[0].playouts == max(estimate.playouts for estimate in hint.estimates)
    assert hint.playouts == 300
    assert all(0 <= estimate.win <= 1 and estimate.spread >= 0 for estimate in hint.estimates)


def test_the_same_seed_and_playouts_give_the_same_hint() -> None:
    match = begun()
    assert match.turn is not None
    asked = [players.hint(match, match.turn, "search:200", seed) for seed in (5, 5, 6)]
    assert asked[0] == asked[1]
    assert asked[0] != asked[2]


def test_the_match_is_left_as_it_was() -> None:
    match = begun()
    before = match.save()
    players.hint(match, match.turn or 0, "search:50")
    assert match.save() == before


def test_a_move_that_scores_is_told_with_its_line() -> None:
    """Whoever places a pair of sixes in Rapido counts it at the start of the next turn."""
    match = begun()
    assert match.turn is not None
    knows = players.observe(match, match.turn)
    scorings = Scorings(knows, match.legal_moves[0], 1)
    assert 0 < scorings.games <= 100
    assert {"counting", "X"} <= set(scorings.own)
    assert set(scorings.own) <= set(RAPIDO.terms)
    assert scorings.others.any()


def test_a_move_compared_with_itself_hardly_matters() -> None:
    match = begun()
    assert match.turn is not None
    best = estimate(match.legal_moves[0].id, 0.5)
    reason = reason_for(players.observe(match, match.turn), best, best, 1)
    assert (reason.gains, reason.for_others) == ((), 0.0)
    assert reason.said(Speaker("en", RAPIDO)).startswith("It hardly matters: ")


def auction(row: list[str], own: dict[str, int]) -> Match:
    """Seat 0 of Ra, with tiles of its own, bids last for a row that nobody has bid on yet."""
    seats: list[dict[str, object]] = [{"tiles": own}, {}, {}]
    position = {"players": 3, "mover": 0, "turn": 0, "row": row, "seats": seats}
    match = teerling.at("ra", position, chance="manual")
    for move in ("invoke", "pass", "pass"):
        match.push(move)
    return match


def test_a_bid_for_a_row_without_pharaohs_is_not_explained_by_pharaohs() -> None:
    """Later rows may well hold some, but no bid for this one touches them."""
    match = auction(["gold", "gold", "nile"], {"pharaoh": 1})
    knows = players.observe(match, 0)
    best, other = (MoveEstimate(move, 10, 0.5, 0.0, 0.0) for move in match.legal_moves[:2])
    untouched = untouched_by(knows, (best.move, other.move), 1)
    assert untouched == {"gods", "pharaohs", "civilisations", "RA-36"}
    reason = reason_for(knows, best, other, 1)
    assert {gain.line for gain in reason.gains} <= {"gold", "Nile", "suns", "not below zero"}


def test_what_lies_in_the_row_may_explain_a_bid() -> None:
    match = auction(["pharaoh", "unrest", "temple"], {"art": 2, "writing": 1})
    untouched = untouched_by(players.observe(match, 0), match.legal_moves[:2], 1)
    assert untouched == {"gods", "Nile", "gold"}


def test_invoking_is_explained_by_the_row_that_is_bid_for() -> None:
    """Nothing is won before the seat has bid, so what a move touches is seen a decision later."""
    match = teerling.at("ra", {"players": 3, "mover": 0, "turn": 0, "row": ["gold"] * 2}, chance="manual")
    untouched = untouched_by(players.observe(match, 0), [match.game.move("invoke")], 1)
    assert untouched == {"gods", "pharaohs", "Nile", "civilisations", "RA-36"}


def test_a_game_that_does_not_say_what_counts_may_name_every_line() -> None:
    match = begun()
    assert match.game.holdings is None
    assert untouched_by(players.observe(match, match.turn or 0), match.legal_moves[:2], 1) == set()


@pytest.mark.parametrize("game", [g for g in teerling.list_games() if g.holdings], ids=lambda game: game.id)
def test_what_counts_is_told_by_lines_and_rules_of_the_game(game: teerling.Game) -> None:
    match = teerling.new(game.id, players=3, seed=1)
    assert game.holdings is not None
    page = (game.folder / "rules.en.md").read_text(encoding="utf-8")
    for name in game.holdings(match.state, 0):
        assert name in game.terms or f"- **{name}**" in page, name


def test_points_that_are_there_to_be_taken_are_the_reason() -> None:
    """In Pig, somebody with 25 points and 5 in hand wins with 30 by holding; a throw may lose them."""
    state = pig.place({"players": 2, "mover": 0, "turn_points": 5, "points": [25, 20]})
    hint = hint_from(Observation(pig, 0, state), Search("search", "", 400), 1)
    assert (hint.best.text, hint.estimates[0].win, hint.estimates[0].score) == ("hold", 1.0, 30.0)
    assert hint.reason.for_others < 0
    assert hint.reason.said(Speaker("en", pig)).startswith("Compared with “throw”: ")


def test_a_game_without_lines_is_told_in_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(before: object, move: Move, after: object) -> list[Event]:
        return [Event(e.kind, e.rule, e.seat, {k: v for k, v in e.data.items() if k != "line"})
                for e in pig.tell(before, move, after)]  # fmt: skip

    state = pig.place({"players": 2, "mover": 0, "turn_points": 8, "points": [0, 20]})
    bare = replace(pig, tell=tell)
    scorings = Scorings(Observation(bare, 0, state), bare.move("hold"), 1)
    assert set(scorings.own) == {""}
    assert Gain("", 3.14).said(Speaker("en", bare)) == "3.1 points"


def test_what_a_seat_does_not_know_never_reaches_who_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two matches of DiceRun that differ only in what the seat to move cannot see."""
    match = begun("dicerun")
    assert match.turn is not None
    imagined = match.game.imagined(match.seen(match.turn), match.turn, [12345])
    other = teerling.at("dicerun", match.game.position(imagined))
    assert other.state != match.state
    asked: list[Observation] = []
    monkeypatch.setattr(
        sys.modules["teerling.players.hint"], "hint_from", lambda knows, *_: asked.append(knows)
    )
    for each in (match, other):
        players.hint(each, match.turn)
    assert asked[0].seen == asked[1].seen
    assert asked[0].seen != match.state


def test_the_only_move_needs_no_thinking() -> None:
    state = pig.place({"players": 2, "mover": 0, "turn_points": 0, "points": [0, 20]})
    hint = hint_from(Observation(pig, 0, state), Search("search", "", 400), 1)
    assert [(each.move.text, each.playouts) for each in hint.estimates] == [("throw", 0)]
    assert hint.reason.said(Speaker("nl", pig)) == "Er is geen andere zet."
    nothing = {"move": "throw", "playouts": 0, "win": None, "score": None, "spread": None}
    assert hint.as_dict(Speaker("en", pig))["moves"] == [nothing]


def test_the_best_move_is_compared_with_the_next_best_that_was_tried() -> None:
    moves = [estimate(0, 0.50), estimate(1, 0.0, playouts=0), estimate(2, 0.495), estimate(3, 0.40)]
    assert rival(moves) is moves[2]
    assert rival(moves[:2]) is None


@pytest.mark.parametrize(
    ("other", "apart"),
    [
        (estimate(1, 0.49, 1000), False),
        (estimate(1, 0.40, 1000), True),
        (estimate(1, 0.40, 40), False),
        (estimate(1, 0.50, 1000, score=-1.0), True),
        (estimate(1, 0.50, 1000, score=-0.3), False),
        (estimate(1, 0.60, 1000, score=-9.0), False),
        (estimate(1, 0.50, playouts=3), True),
    ],
    ids=[
        "within the interval of wins", "wins clearly less", "tried too rarely to tell",
        "clearly fewer points", "within the interval of points", "fewer points but more wins", "hardly tried",
    ],
)  # fmt: skip
def test_moves_that_their_playouts_do_not_tell_apart_are_about_as_good(
    other: MoveEstimate, apart: bool
) -> None:
    assert told_apart(estimate(0, 0.50, 1000), other) is apart


def test_a_next_best_move_that_is_about_as_good_needs_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    match = begun()
    close = (estimate(0, 0.50, 500), estimate(1, 0.49, 500), estimate(2, 0.10, 500))
    monkeypatch.setattr(Search, "estimate", lambda *_: close)
    hint = players.hint(match, match.turn, "search:50")
    assert hint.reason == Reason(close[1].move)
    assert hint.reason.said(Speaker("en", RAPIDO)) == "It hardly matters: “place 0” is about as good."


def test_the_best_move_is_not_compared_with_one_that_was_not_tried() -> None:
    match = teerling.new("rapido", players=2, seed=7)
    hint = players.hint(match, match.turn, "search:2")  # type: ignore[arg-type]
    tried = [estimate for estimate in hint.estimates if estimate.playouts]
    assert len(tried) == 1 < len(hint.estimates)
    assert hint.reason.said(Speaker("en", match.game)).startswith("Nothing else was tried")
    assert hint.as_dict(Speaker("en", match.game))["compared_with"] is None


@pytest.mark.parametrize(
    ("reason", "en", "nl"),
    [
        (
            Reason(RA.move("invoke"), (Gain("monuments", 3.14), Gain("suns", -1.2))),
            "Compared with “invoke”: gains 3.1 on monuments, loses 1.2 on suns.",
            "Vergeleken met “roep Ra aan”: levert 3,1 bij monumenten op, kost 1,2 bij zonnen.",
        ),
        (
            Reason(RA.move("bid 13"), for_others=-2.0),
            "Compared with “bid 13”: the others get 2.0 points less each.",
            "Vergeleken met “bied 13”: de anderen krijgen elk 2,0 punten minder.",
        ),
        (
            Reason(RA.move("draw"), (Gain("gold", 3.0),), later=-1.25),
            "Compared with “draw”: gains 3.0 on gold, loses 1.2 later in the match.",
            "Vergeleken met “trek een tegel”: levert 3,0 bij goud op, kost 1,2 later in het potje.",
        ),
        (
            Reason(RA.move("draw"), (Gain("suns", -1.0),), wins=0.01),
            "Compared with “draw”: loses 1.0 on suns, yet it wins more often.",
            "Vergeleken met “trek een tegel”: kost 1,0 bij zonnen, maar deze zet wint vaker.",
        ),
        (
            Reason(RA.move("draw"), (Gain("monuments", 1.2), Gain("suns", -1.7)), wins=-0.001),
            "It hardly matters: “draw” is about as good.",
            "Het maakt weinig uit: “trek een tegel” is ongeveer even goed.",
        ),
        (
            Reason(RA.move("draw"), wins=0.3),
            "Compared with “draw”: about as many points, yet it wins more often.",
            "Vergeleken met “trek een tegel”: ongeveer evenveel punten, maar deze zet wint vaker.",
        ),
        (
            Reason(RA.move("invoke"), later=8.04, later_on=("pharaohs", "suns")),
            "Compared with “invoke”: gains 8.0 later in the match (mostly on pharaohs and suns).",
            "Vergeleken met “roep Ra aan”: levert 8,0 later in het potje (vooral bij farao's en zonnen) op.",
        ),
        (
            Reason(RA.move("invoke"), (Gain("suns", -0.4),), points=2.5),
            "Compared with “invoke”: gains 2.5 points.",
            "Vergeleken met “roep Ra aan”: levert 2,5 punten op.",
        ),
        (
            Reason(RA.move("draw")),
            "It hardly matters: “draw” is about as good.",
            "Het maakt weinig uit: “trek een tegel” is ongeveer even goed.",
        ),
    ],
)
def test_a_reason_is_a_sentence_in_both_languages(reason: Reason, en: str, nl: str) -> None:
    assert reason.said(Speaker("en", RA)) == en
    assert reason.said(Speaker("nl", RA)) == nl


def test_a_hint_is_json() -> None:
    match = begun()
    told = players.hint(match, match.turn or 0, "search:50").as_dict(Speaker("en", match.game))
    assert json.loads(json.dumps(told)) == told
    assert {move["move"] for move in told["moves"]} == {move.text for move in match.legal_moves}


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("guru", "there is no player 'guru'"),
        ("search:0", "'0' is not a budget"),
        ("search:", "'' is not a budget"),
        ("casual", "does not try moves in its head"),
    ],
)
def test_who_can_not_be_asked_is_refused(player: str, message: str) -> None:
    match = begun()
    with pytest.raises(TeerlingError, match=message):
        players.hint(match, match.turn or 0, player)


def test_only_a_seat_that_is_to_move_gets_a_hint() -> None:
    match = begun()
    assert match.turn is not None
    with pytest.raises(TeerlingError, match="is not to move"):
        players.hint(match, (match.turn + 1) % match.players)
    with pytest.raises(TeerlingError, match="there is no seat 9"):
        players.hint(match, 9)
    with pytest.raises(TeerlingError, match="nature is to answer first"):
        players.hint(teerling.new("rapido", players=3, chance="manual"), 0)
    while not match.over:
        match.push(match.legal_moves[0])
    with pytest.raises(TeerlingError, match="the match is over"):
        players.hint(match, 0)
