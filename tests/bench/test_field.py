"""Beside the field: who is installed is compared by turns, who is not is named."""

import json
import sys
from collections.abc import Callable

import pytest

from teerling.bench import field
from teerling.bench.field import TIC_TAC_TOE, Contestant, compared, field_bench
from teerling.game import game
from teerling.words import Speaker

SAY = Speaker("en")


def counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second lasts as long as a moment's work; so the work's number of steps is its rate."""

    def rate(work: Callable[[], int], seconds: float) -> float:
        return 1000 * work()

    monkeypatch.setattr(field, "core_rate", rate)


def test_ours_stands_beside_the_fastest_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    counts(monkeypatch)
    entries = [
        Contestant("ours", lambda: 60, True, target=70.0),
        Contestant("slow", lambda: 5),
        Contestant("fast", lambda: 30),
    ]
    ours, slow, fast = compared("kind", "label", entries, 3, 0.0)
    assert (ours.value, ours.ratio, ours.beside, ours.met) == (60, 2, "fast", False)
    assert (slow.ratio, fast.ratio) == (None, None)
    (alone,) = compared("kind", "label", entries[:1], 3, 0.0)
    assert (alone.ratio, alone.beside) == (None, "")


def test_a_single_moment_of_noise_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    counts(monkeypatch)
    moments = iter([10, 10, 10_000, 11, 1, 10])
    (figure,) = compared("kind", "label", [Contestant("noisy", lambda: next(moments))], 5, 0.0)
    assert figure.value == 10


def test_agents_in_turn_have_tic_tac_toe_as_their_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    counts(monkeypatch)
    entries = [Contestant("ours", lambda: 29, True), Contestant(TIC_TAC_TOE, lambda: 10)]
    ours, _ = compared("agents", "label", entries, 1, 0.0)
    assert (ours.target, ours.met) == (30, False)


def test_who_is_not_installed_is_named_and_the_others_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("pgx", "rlcard", "pettingzoo.classic.tictactoe_v3"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(field, "OPENSPIEL_GAMES", ("pig",))
    counts(monkeypatch)
    field_bench([game("rapido")], True, True, SAY)
    told = json.loads(capsys.readouterr().out)
    for project in ("pgx", "RLCard", "PettingZoo"):
        assert f"{project} is not installed: pip install 'teerling[bench]'" in told["absent"]
    figures = {figure["key"]: figure for figure in told["figures"]["field"]}
    assert {key for key in figures if not key.startswith("card")} == {
        "matches: Rapido", "matches: OpenSpiel pig", "states: Rapido", "states: OpenSpiel pig",
        "agents: Rapido", "agent: Rapido", "agent: Gymnasium blackjack",
        "batch: Rapido", "batch: Rapido with observations",
    }  # fmt: skip
    assert all(figure["value"] > 0 for figure in figures.values())
    assert figures["matches: Rapido"]["beside"] == "OpenSpiel pig"
    assert any(line.startswith(("a GPU", "CuPy")) for line in told["absent"]) or "card: Rapido" in figures
    assert told["machine"]["cores"] >= 1
