"""Branches: a match that goes on from a step of another, with the luck that was or new luck."""

import random
from typing import Any

import pytest

import teerling
from teerling import BadFile, Match, NoSuchStep, Sealed
from teerling.files import Branch
from tests.variants import GAMES


def played(game: str, moves: int | None = None, **more: Any) -> Match:
    """A match with random moves, some of them taken back."""
    match, chooser = teerling.new(game, seed=5, **more), random.Random(2)
    while not match.over and (moves is None or len(match.pushes) < moves):
        match.push(chooser.choice(match.legal_moves))
        if len(match.pushes) in (9, 17) and not match.over and chooser.random() < 0.5:
            match.take_back(2)
    return match


def decisions(match: Match) -> list[str]:
    return [move.text for move in match.history if not move.chance]


@pytest.mark.parametrize("game", GAMES)
def test_who_decides_the_same_with_the_luck_that_was_plays_the_same_match(game: str) -> None:
    match = played(game, 60)
    other = match.branched(20, "evening")
    assert decisions(other) == decisions(match)[:20]
    for move in decisions(match)[20:]:
        other.push(move)
    assert (other.history, other.draws, other.seal) == (match.history, match.draws, match.seal)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("new", [False, True])
def test_a_branch_is_saved_with_where_it_comes_from_and_every_answer_can_be_checked(
    game: str, new: bool
) -> None:
    match, chooser = played(game, 40), random.Random(3)
    other = match.branched(20, "k3j5h2mw", Sealed("another") if new else None)
    kept = len(other.history)
    for _ in range(10):
        other.push(chooser.choice(other.legal_moves))
    again = teerling.load(other.save())
    assert (again.history, again.branch, again.seal) == (other.history, other.branch, other.seal)
    assert again.branch is not None
    assert (again.branch.source, again.branch.step) == ("k3j5h2mw", 20)
    assert again.branch.given == (sum(move.chance for move in other.history[:kept]) if new else 0)
    assert other.copy().branch == other.branch


def test_new_luck_differs_from_the_luck_that_was_and_a_changed_answer_is_found_out() -> None:
    match = played("rapido", 6)
    other = match.branched(3, "evening", Sealed("another"))
    for move in decisions(match)[3:]:
        if move not in {each.text for each in other.legal_moves}:
            break
        other.push(move)
    assert other.history != match.history
    before, _, after = other.save().partition("moves\n")
    # What was given by the other match is not hers to check; what came after it is.
    assert teerling.load(before.replace("seed another", "chance manual") + "moves\n" + after).branch
    with pytest.raises(BadFile, match="by the seed"):
        teerling.load(before.replace("seed another", "seed one") + "moves\n" + after)


@pytest.mark.parametrize(
    ("line", "why"),
    [("branch evening", "expected a match"), ("branch evening 1 2 3", "expected a match"),
     ("branch evening 99", "cannot have branched"), ("branch evening 1 99", "cannot have branched")],
)  # fmt: skip
def test_a_file_that_cannot_have_branched_there_is_refused_with_its_line(line: str, why: str) -> None:
    text = played("ra", 5).save().replace("players", f"{line}\nplayers", 1)
    with pytest.raises(BadFile, match=f"line 4.*{why}"):
        teerling.load(text)


def test_a_step_that_is_not_there_over_or_left_to_chance_is_refused_in_a_sentence() -> None:
    match = played("rapido", goal=9)
    last = len(decisions(match))
    with pytest.raises(NoSuchStep, match=f"the steps are 0 to {last}"):
        match.branched(last + 1, "evening")
    with pytest.raises(NoSuchStep, match="the match is over"):
        match.branched(last, "evening")
    by_hand = teerling.new("ra", players=3, chance="manual")
    with pytest.raises(NoSuchStep, match="nobody is to decide, but chance"):
        by_hand.branched(0, "evening", Sealed())
    with pytest.raises(NoSuchStep, match="choose new luck"):
        match.copy().branched(1, "evening")


def test_the_luck_before_a_branch_with_new_luck_is_that_of_the_other_match() -> None:
    branch = played("rapido", 20).branched(10, "evening", Sealed("another"))
    with pytest.raises(NoSuchStep, match="up to step 10 this match is another"):
        branch.branched(4, "branch")
    given = sum(move.chance for move in branch.history)
    assert branch.branched(10, "again").branch == Branch("again", 10, given)


def test_what_a_seat_may_know_of_a_branch_says_where_it_comes_from_but_not_the_seed() -> None:
    text = played("dicerun", 20).branched(10, "evening").save(seat=1)
    assert "branch evening 10" in text
    assert "seed" not in text
    assert "card ?" in text
