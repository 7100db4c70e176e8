"""A spoiled match file is refused with a sentence, or it is a match like any other."""

import pytest
from hypothesis import given

import teerling
from teerling import TeerlingError
from teerling.server.web.sources import checks_of
from tests.fuzz.matches import texts
from tests.fuzz.plan import fuzzed, no_hang, said_in_both_languages
from tests.fuzz.spoiling import ANY_TEXT, corpus, spoiled_texts


def tried(text: str) -> None:
    """Loads a text as far as that goes; what can be loaded is saved, checked and told."""
    with no_hang():
        try:
            match = teerling.load(text)
        except TeerlingError as refused:
            said_in_both_languages(refused)
            return
    saved = match.save()
    again = teerling.load(saved)
    assert (again.save(), again.state, again.history) == (saved, match.state, match.history)
    assert (again.names, again.taken_back, again.branch) == (match.names, match.taken_back, match.branch)
    assert saved.encode()
    if match.seed is not None:
        assert all(check.outcome == check.by_seed for check in checks_of(match, match.seed))
    for seat in (None, 0):
        assert match.log("nl", seat) is not None
        assert match.save(seat=seat or 0)


@fuzzed(250)
@given(spoiled_texts(lambda: [*texts(), *corpus("txt")]))
def test_a_spoiled_match_file_is_refused_with_a_sentence_or_is_a_match(text: str) -> None:
    tried(text)


@fuzzed(50)
@given(ANY_TEXT)
def test_a_text_that_never_was_a_match_file_is_refused(text: str) -> None:
    with pytest.raises(teerling.BadFile):
        teerling.load(text)


@pytest.mark.parametrize("text", corpus("txt"))
def test_what_once_found_something_finds_nothing_now(text: str) -> None:
    tried(text)
