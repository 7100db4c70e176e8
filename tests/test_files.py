"""Match files: short, readable, and refused with line and reason when they do not fit."""

import re

import pytest

import teerling
from teerling import BadFile, Match
from teerling.errors import Phrase, Sentence
from teerling.words import Speaker
from tests.variants import play_to_end

BY_HAND = """
teerling 1
game ra
rules 1
players 3
seat 0 Anne
seat 2 Marc de Vries
chance manual
moves
> stack 2 > stack 1

# Marc holds the lowest suns
1: draw > tile nile
2:   invoke
0: bid 3
1: pass
2: pass
end
"""


def finished() -> Match:
    return play_to_end(teerling.new("ra", players=3, seed=5))


def test_a_file_written_by_hand_is_loaded() -> None:
    match = teerling.load(BY_HAND)
    assert match.names == ("Anne", "seat 1", "Marc de Vries")
    assert match.position()["seats"][0]["used"] == [1]
    assert match.turn == 0


def test_a_saved_match_loads_to_the_same_and_plays_on_with_the_same_luck() -> None:
    match = teerling.new("ra", players=4, seed=3, names=["Anne"])
    for _ in range(20):
        match.push(match.legal_moves[0])
    loaded = teerling.load(match.save())
    assert loaded.save() == match.save()
    for _ in range(20):
        move = match.legal_moves[-1]
        match.push(move)
        loaded.push(move)
    assert loaded.save() == match.save()


def test_take_backs_after_loading_are_those_of_before() -> None:
    match = teerling.new("ra", players=4, seed=3)
    match.push("draw")
    match.push("draw")
    loaded = teerling.load(match.save())
    loaded.pop()
    match.pop()
    assert loaded.save() == match.save()
    loaded.pop()
    with pytest.raises(teerling.NothingToTakeBack):
        loaded.pop()


def test_a_match_that_began_at_a_position_is_saved_with_it() -> None:
    match = teerling.at("ra", {"players": 3, "row": ["gold"]}, seed=1)
    match.push("invoke")
    loaded = teerling.load(match.save())
    assert loaded.save() == match.save()
    assert loaded.state == match.state


def test_the_seal_stands_in_for_the_seed_when_asked() -> None:
    match = teerling.new("ra", players=3, seed="stil")
    text = match.save(seed=False)
    assert "stil" not in text
    loaded = teerling.load(text)
    assert loaded.seal == match.seal
    assert loaded.save() == text


def test_what_a_seat_may_know_is_marked_and_not_loadable() -> None:
    text = teerling.new("ra", players=3, seed="stil").save(seat=1)
    assert text.startswith("teerling 1 seen by seat 1\n")
    assert "stil" not in text
    with pytest.raises(BadFile, match="line 1: this tells what one seat may know"):
        teerling.load(text)


def test_a_finished_match_tells_its_seed_and_scores() -> None:
    text = finished().save()
    assert "\nseed 5\n" in text
    assert "\nscores " in text
    assert teerling.load(text).over


def changed(old: str, new: str) -> str:
    assert old in BY_HAND
    return BY_HAND.replace(old, new)


MISFITS = [
    ("", "begins with the line 'teerling 1'"),
    ("PGN", "line 1: a match file begins"),
    (changed("teerling 1", "teerling 2"), "line 2: this file is of another format"),
    (changed("\nend\n", "\n"), "cut short"),
    (BY_HAND[:120], "cut short"),
    (changed("game ra", "game raa"), "did you mean ra"),
    (changed("game ra\n", ""), "'game …' is missing"),
    (changed("rules 1", "rules 2"), "line 4: Ra has rules 1 to 1, not 2"),
    (changed("rules 1", "rules one"), "line 4: rules needs a number"),
    (changed("players 3", "players 7"), "2 to 5 players, not 7"),
    (changed("players 3\n", ""), "players needs a number"),
    (changed("seat 2 ", "seat 3 "), "there is no seat 3; the seats are 0 to 2"),
    (changed("seat 2 ", "seat 0 "), "line 7: expected a seat that was not named yet"),
    (changed("chance manual", "chance fair"), "'chance manual'"),
    (changed("chance manual\n", ""), "expected one of"),
    (changed("chance manual", "seed 7\nchance manual"), "expected one of"),
    (changed("chance manual", "option fame secret\nchance manual"), "open or hidden, not secret"),
    (changed("chance manual", "option goal 3\nchance manual"), "no option goal"),
    (changed("chance manual", "weather fine\nchance manual"), "line 8: 'weather' does not belong here"),
    (changed("chance manual", "position [1]\nchance manual"), "line 8: position needs a JSON object"),
    (changed("moves\n", ""), "line 9: '>' does not belong here"),
    (changed("0: bid 3", "0: bid 4"), "line 15: bid 4 is not possible now: .*does not have sun 4"),
    (changed("0: bid 3", "0: bidd 3"), "line 15: 'bidd 3' is not a move of Ra; did you mean 'bid 3'"),
    (changed("0: bid 3", "1: bid 2"), "line 15: seat 1 cannot move here: seat 0 is to move"),
    (changed("0: bid 3", "bid 3"), "line 15: expected a seat and its move"),
    (changed("1: draw > tile nile", "1: draw"), "line 14: seat 2 cannot move here: nature is to answer"),
    (changed("1: draw > tile nile", "1: draw > tile nile > tile nile"), "nothing is left to chance"),
    (changed("1: draw > tile nile", "1: draw > "), "nature's answer is missing"),
    (changed("> stack 2 > stack 1", "> stack 2 > stack 2"), "this outcome is not possible here"),
    (changed("\nend", "\nscores 1 2 3\nend"), "the scores are"),
    (changed("\nend", "\nscores a\nend"), "scores needs numbers"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason"), MISFITS)
def test_what_does_not_fit_is_refused_with_line_and_reason(text: str, reason: str) -> None:
    with pytest.raises(BadFile, match=reason):
        teerling.load(text)


@pytest.mark.parametrize("text", [text for text, _ in MISFITS])
def test_what_does_not_fit_is_said_in_dutch_too(text: str) -> None:
    with pytest.raises(BadFile) as refused:
        teerling.load(text)
    for part in parts_of(refused.value.args[0]):
        assert Speaker("nl").phrase(part) != part


def parts_of(said: str) -> list[str]:
    """A message and all that is told within it."""
    within = said.details.values() if isinstance(said, Phrase) else ()
    told = [part for part in within if isinstance(part, Phrase | Sentence)]
    assert isinstance(said, Phrase | Sentence)
    return [said, *(each for part in told for each in parts_of(part))]


def test_an_altered_outcome_is_found_by_the_seed() -> None:
    text = finished().save()
    altered = text.replace("> tile nile", "> tile gold", 1)
    assert altered != text
    with pytest.raises(BadFile, match="by the seed, nature's answer here is tile nile, not tile gold"):
        teerling.load(altered)


def test_altered_scores_are_found() -> None:
    text = finished().save()
    head, scores = text.split("\nscores ")
    with pytest.raises(BadFile, match="the scores are"):
        teerling.load(f"{head}\nscores 99{scores[scores.index(' ') :]}")


def test_a_finished_match_cut_before_its_scores_is_found() -> None:
    head = finished().save().split("\nscores ")[0]
    with pytest.raises(BadFile, match="its scores are missing"):
        teerling.load(f"{head}\nend\n")


@pytest.mark.parametrize("cut", range(5, 400, 23))
def test_a_file_cut_anywhere_is_refused(cut: int) -> None:
    text = finished().save()
    with pytest.raises(BadFile):
        teerling.load(text[:-cut])


@pytest.mark.parametrize("name", ["x" * 41, "a\x07b"])
def test_a_name_that_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(teerling.BadPlayers, match="at most 40 ordinary characters"):
        teerling.new("ra", players=3, names=[name])


def test_names_with_line_breaks_can_not_break_a_file() -> None:
    match = teerling.new("ra", players=3, seed=1, names=["Anne\nseed 5"])
    assert match.names[0] == "Anne seed 5"
    assert teerling.load(match.save()).names == match.names


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("players 3", "players " + "3" * 5000),
        ("seat 0 Anne", f"seat {'3' * 5000} Anne"),
        ("1: draw", "1" * 5000 + ": draw"),
        ("chance manual", 'chance manual\nposition {"players": ' + "3" * 5000 + "}"),
    ],
    ids=["players", "seat", "move", "position"],
)
def test_a_number_of_thousands_of_digits_is_refused(old: str, new: str) -> None:
    assert old in BY_HAND
    with pytest.raises(BadFile, match="line "):
        teerling.load(BY_HAND.replace(old, new))


def taken_back_file() -> str:
    match = teerling.new("ra", players=3, seed=10)
    match.push("draw")
    match.push("draw")
    match.take_back(2)
    match.push("draw")
    return match.save()


def test_a_file_tells_what_was_taken_back_and_where() -> None:
    text = taken_back_file()
    assert "\nback 2 2\n2: draw > tile" in text
    assert teerling.load(text).save() == text
    assert "\nback 2 2\n" in teerling.load(text).save(seat=0)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("back 2 1", "by the seed, nature's answer here is"),
        ("", "by the seed, nature's answer here is"),
        ("back 2 0", "as in 'back 1 2', not 'back 2 0'"),
        ("back 2", "as in 'back 1 2', not 'back 2'"),
        ("back two 2", "as in 'back 1 2', not 'back two 2'"),
        ("back 2 99999999999", "as in 'back 1 2'"),
        ("back 3 2", "there is no seat 3; the seats are 0 to 2"),
    ],
)
def test_a_take_back_that_does_not_fit_is_refused(line: str, reason: str) -> None:
    with pytest.raises(BadFile, match=re.escape(reason)):
        teerling.load(taken_back_file().replace("back 2 2", line))


def test_nobody_takes_back_to_where_nature_answers() -> None:
    text = taken_back_file().replace("back 2 2\n", "").replace("moves\n", "moves\nback 2 2\n")
    with pytest.raises(BadFile, match="nobody was to decide"):
        teerling.load(text.replace("seed 10", f"seal {'0' * 64}"))
