"""Turns of Rapido and Ra: The Dice Game solved exactly, against slower ways and odds known by hand."""

import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import teerling
from teerling.engine import CHANCE
from teerling.games.radice import exact as radice_turns
from teerling.games.radice import rules as radice
from teerling.games.radice.tell import COLOURS
from teerling.games.rapido import exact as rapido_turns
from teerling.games.rapido import rules as rapido

Value = Callable[[Any], float]


def rapido_at(dice: list[Any], steps: list[int], **position: Any) -> Any:
    """Seat 0 decides about a throw."""
    seats = [{"step": step} for step in steps]
    return teerling.at("rapido", {"players": len(steps), "dice": dice, "seats": seats, **position}).state


def radice_at(dice: str, throws: int = 0, players: int = 2, **position: Any) -> Any:
    """Seat 0 chooses dice after so many throws; after none given, uses them."""
    phase = "choosing dice" if throws else "using symbols"
    shown = dict(zip(COLOURS, dice.split(), strict=True))
    written = {"players": players, "dice": shown, "phase": phase, "throws": throws or 3, **position}
    return teerling.at("radice", written).state


def patient(rules: Any, s: Any, value: Value, decisions: int) -> float:
    """The best that can be had with at most so many decisions more, by trying everything."""
    return max(tried(rules, s, move, value, decisions) for move in moves(rules, s))


def moves(rules: Any, s: Any) -> list[int]:
    mask = [0] * rules.DECISIONS
    rules.legal(s, mask)
    return [move for move, allowed in enumerate(mask) if allowed]


def tried(rules: Any, s: Any, move: int, value: Value, decisions: int) -> float:
    """What a move is worth, by trying everything that may follow in this turn."""
    s, mover = s.copy(), s.turn
    rules.apply(s, move)
    return followed(rules, s, mover, value, decisions - 1)


def followed(rules: Any, s: Any, mover: int, value: Value, decisions: int) -> float:
    if s.turn not in (mover, CHANCE) or s.mover != mover:
        return value(s)
    if s.turn != CHANCE:
        return patient(rules, s, value, decisions) if decisions else value(s)
    weights = [0] * rules.OUTCOMES
    rules.chance(s, weights)
    outcomes = [(outcome, weight) for outcome, weight in enumerate(weights) if weight]
    total = 0.0
    for outcome, weight in outcomes:
        after = s.copy()
        rules.apply(after, outcome)
        total += weight * followed(rules, after, mover, value, decisions)
    return total / sum(weight for _, weight in outcomes)


class TestRapido:
    def test_an_x_comes_in_11_of_36_throws(self) -> None:
        s = rapido_at([7, 5], [5, 0, 0])
        lies_nowhere = rapido_turns.solve(s, lambda after: -float(after.pawns[0] < 5))
        assert lies_nowhere[rapido.THROW] == pytest.approx(-11 / 36)

    def test_two_x_cost_two_steps(self) -> None:
        s = rapido_at([7, 5], [5, 0, 0])
        worth = rapido_turns.solve(s, lambda after: -float(after.pawns[0] == 3))
        assert worth[rapido.THROW] == pytest.approx(-1 / 36)

    @pytest.mark.parametrize("left", [1, 2, 3])
    def test_doubles_that_reach_the_goal_race_against_an_x(self, left: int) -> None:
        s = rapido_at([7, 5], [21 - left, 0, 0])
        worth = rapido_turns.solve(s, lambda after: float(after.pawns[0] == after.goal))
        assert worth[rapido.THROW] == pytest.approx(float(climbing_by_doubles(left)))

    def test_throwing_for_a_7_stops_at_the_first(self) -> None:
        """Five valid throws show a 7: the others are thrown again until one of these or of 11 comes."""
        s = rapido_at([1, 2], [0, 0, 0])
        worth = rapido_turns.solve(s, lambda after: float(after.owner[5] == 0 and after.worth[5] > 70))
        assert worth[rapido.THROW] == pytest.approx(5 / 16)
        assert worth[rapido.FIRST_PLACE + 5] == 0

    @pytest.mark.parametrize("seed", range(3))
    def test_with_many_throws_trying_everything_comes_to_the_same(self, seed: int) -> None:
        chooser = random.Random(seed)
        prices = [chooser.random() for _ in range(100)]
        goal = 5

        def value(s: Any) -> float:
            return float(prices[s.pawns[0]] + sum(prices[s.worth[f]] for f in range(1, 6) if s.owner[f] == 0))

        s = rapido_at([3, 2], [goal - 2, 0, 0], options={"goal": goal})
        worth = rapido_turns.solve(s, value)
        assert worth == pytest.approx({move: limited(s, move, value, 60) for move in worth})

    def test_only_a_player_who_decides_is_helped(self) -> None:
        s = teerling.new("rapido", players=3, chance="manual").state
        with pytest.raises(ValueError, match="decides"):
            rapido_turns.solve(s, lambda _: 0.0)


def climbing_by_doubles(left: int) -> Fraction:
    """The chance to climb so many steps before an X comes: three doubles against 11 throws with an X."""
    if left <= 0:
        return Fraction(1)
    return sum((climbing_by_doubles(left - steps) for steps in (1, 2, 3)), Fraction(0)) / 14


def endings_of_all_orders(s: Any) -> set[bytes]:
    """The positions after the uses in every order."""
    if s.phase != radice.USING:
        return {s.to_array().tobytes()}
    return set().union(*(endings_of_all_orders(radice_turns.after(s, move)) for move in moves(radice, s)))


def limited(s: Any, move: int, value: Value, throws: int) -> float:
    """What a move is worth if the player throws at most so many times more: step by step, not at once."""
    if move != rapido.THROW:
        return tried(rapido, s, move, value, 1)

    @cache
    def best(throws: int, step: int, a: int, b: int) -> float:
        at = s.copy()
        at.pawns[0], at.die_a, at.die_b = step, a, b
        places = [move for move in moves(rapido, at) if move != rapido.THROW]
        placed = max(tried(rapido, at, place, value, 1) for place in places)
        return max(placed, again(throws, step)) if throws else placed

    @cache
    def again(throws: int, step: int) -> float:
        total = 0.0
        for a in range(rapido.SIDES):
            for b in range(rapido.SIDES):
                at = s.copy()
                at.pawns[0] = step
                for played in (rapido.THROW, rapido.FIRST_A_OUTCOME + a, rapido.FIRST_B_OUTCOME + b):
                    rapido.apply(at, played)
                if at.phase == rapido.DECIDING:
                    total += best(throws - 1, at.pawns[0], at.die_a, at.die_b)
                else:
                    total += value(at)
        return total / rapido.SIDES**2

    return again(throws, s.pawns[0])


class TestRaDice:
    def test_a_die_thrown_twice_shows_a_wanted_symbol_in_half_of_all_cases(self) -> None:
        """A pharaoh or an ankh in 2 of 6; a sun ends it; else once more."""
        s = radice_at("pharaoh sun sun sun nile", throws=1)
        worth = radice_turns.solve(s, lambda after: float(after.pharaoh[0]))
        assert worth[radice.KEEP] == pytest.approx(1)
        assert worth[radice.KEEP + 16] == pytest.approx(1.5)

    def test_locked_dice_are_not_thrown_again(self) -> None:
        s = radice_at("pharaoh sun sun sun nile", throws=1)
        worth = radice_turns.solve(s, lambda after: float(after.pharaoh[0]))
        assert set(worth) == {0, 1, 16, 17}

    @pytest.mark.parametrize("dice", ["sun sun sun civilisation monument", "nile sun sun ankh sun"])
    @pytest.mark.parametrize("throws", [1, 2])
    def test_trying_everything_comes_to_the_same(self, dice: str, throws: int) -> None:
        chooser = random.Random(dice)
        prices = [chooser.random() for _ in range(100)]

        def value(s: Any) -> float:
            built = sum(
                prices[8 * row + column]
                for row in range(5)
                for column in range(8)
                if s.monuments[row, column] == 0
            )
            return float(prices[40 + s.pharaoh[0]] + prices[60 + s.nile[0]] + s.score[0] + s.ra / 2 + built)

        s = radice_at(dice, throws)
        worth = radice_turns.solve(s, value)
        assert worth == pytest.approx({move: tried(radice, s, move, value, 99) for move in moves(radice, s)})

    def test_every_way_to_use_the_dice_is_found(self) -> None:
        chooser = random.Random(5)
        for dice in ("nile nile ankh ankh pharaoh", "civilisation civilisation ankh ankh ankh"):
            s = radice_at(dice, seats=[{"nile": 11, "pharaoh": 4}, {"nile": 2}])
            prices = {move: chooser.random() for move in range(1000)}

            def value(s: Any, prices: dict[int, float] = prices) -> float:
                settled = sum(prices[colour] for colour in range(5) if s.civilisation[0, colour])
                steps = prices[20 + s.nile[0]] + prices[40 + s.pharaoh[0]] + prices[60 + s.floods[0]]
                return float(steps + settled + s.score[0])

            worth = radice_turns.solve(s, value)
            by_trying = {move: tried(radice, s, move, value, 99) for move in moves(radice, s)}
            assert worth == pytest.approx(by_trying)

    @pytest.mark.parametrize(
        "dice",
        [
            "nile ankh ankh ankh pharaoh", "nile nile ankh ankh pharaoh", "nile nile nile ankh ankh",
            "civilisation nile ankh ankh ankh", "monument nile nile ankh ankh",
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("nile", [9, 10, 11])
    def test_the_endings_are_those_of_all_orders(self, dice: str, nile: int) -> None:
        s = radice_at(dice, seats=[{"nile": nile, "pharaoh": 4}, {"nile": 2}])
        ends, _ = radice_turns.all_endings(s.to_array().reshape(1))
        assert {end.tobytes() for end in ends} == endings_of_all_orders(s)

    def test_a_position_where_another_removes_markers_is_left_to_the_value(self) -> None:
        yellow = [1, 1, 1]
        s = radice_at("sun sun sun sun nile", monuments={"yellow": yellow})
        worth = radice_turns.solve(s, lambda after: float(after.phase == radice.REMOVING))
        assert worth[radice.FIRST_CATASTROPHE + 3] == 1
        assert worth[radice.FIRST_CATASTROPHE] == 0

    def test_only_a_player_who_throws_or_uses_dice_is_helped(self) -> None:
        s = teerling.new("radice", players=2, chance="manual").state
        with pytest.raises(ValueError, match="uses"):
            radice_turns.solve(s, lambda _: 0.0)
