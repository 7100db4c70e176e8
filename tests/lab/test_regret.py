"""Regret: what players give away, in comparison with a long look."""

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import teerling
from teerling import Match, Move, players
from teerling.lab.regret import Decision, decisions, regrets
from teerling.players import Choice, Observation


@dataclass
class Stubborn:
    """Always the same moves, in turn."""

    moves: tuple[Move, ...]
    name: str = "stubborn"
    character: str = ""

    def choose(self, observation: Observation, seed: int) -> Choice:
        return Choice(self.moves[seed % len(self.moves)])

    def with_setting(self, setting: str) -> players.Player:
        return self


@pytest.fixture
def match() -> Match:
    return teerling.new("rapido", players=4, seed=7)


def test_regret_is_by_how_much_the_best_move_is_worth_more(match: Match) -> None:
    assert match.turn is not None
    best, next_best, untried, *_ = match.legal_moves
    decision = Decision(players.observe(match, match.turn), {best.id: 0.5, next_best.id: 0.3})
    for moves, regret in (((best,), 0.0), ((best, next_best), 0.1), ((untried,), 0.2)):
        assert decision.regret(Stubborn(moves), tries=2) == pytest.approx(regret)


def test_the_same_seed_finds_the_same_decisions_and_another_seed_others() -> None:
    game = teerling.game("rapido")
    one, again, other = (decisions(game, 3, 4, 400, seed) for seed in (1, 1, 2))
    assert [each.worth for each in one] == [each.worth for each in again] != [each.worth for each in other]
    assert all(set(each.worth) <= {move.id for move in players.choices(each.observation)} for each in one)


def test_who_thinks_longer_regrets_less() -> None:
    at = decisions(teerling.game("rapido"), 4, 25, 8000, seed=3)
    random, expert = (regrets(players.player(name), at, tries=3) for name in ("random", "expert"))
    assert np.all(expert >= 0)
    assert expert.mean() < 0.5 * random.mean()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["chess", "club"], "chess"),
        (["rapido", "clubb"], "did you mean club"),
        (["rapido", "club", "--decisions", "0"], "decisions"),
        (["rapido", "club", "--playouts", "0"], "playouts"),
        (["rapido", "club", "--tries", "0"], "tries"),
        (["rapido", "club", "--players", "9"], "players"),
        (["rapido", "club", "--seed", "-1"], "seed"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(words: list[str], told: str) -> None:
    command = [sys.executable, "-m", "teerling.lab.regret", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_what_it_tells_is_a_line_for_each_player() -> None:
    words = ["rapido", "random", "club", "--decisions", "3", "--playouts", "300", "--tries", "1"]
    command = [sys.executable, "-m", "teerling.lab.regret", *words]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["random", "club"]
    assert ["more" in line for line in lines] == [False, True]
