"""Work aside: processes that begin when they are needed and end when they are told to."""

import pickle
from multiprocessing.context import SpawnProcess

import pytest

import teerling
from teerling.errors import Sentence
from teerling.server.thinking.aside import Process


def test_a_process_that_is_told_to_stop_while_it_starts_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    process, start = Process(0), SpawnProcess.start
    started: list[SpawnProcess] = []

    def stopped_meanwhile(self: SpawnProcess) -> None:
        process.stop()
        start(self)
        started.append(self)

    monkeypatch.setattr(SpawnProcess, "start", stopped_meanwhile)
    with pytest.raises(EOFError):
        process.answer({"prepare": "ra"})
    assert not process.is_there
    assert started[0].exitcode is not None


@pytest.mark.parametrize("game", teerling.list_games(), ids=lambda game: game.id)
def test_a_refused_move_can_be_told_by_another_process(game: teerling.Game) -> None:
    match = teerling.new(game.id, seed=1)
    while not (illegal := set(game.decisions) - {move.text for move in match.legal_moves}):
        match.push(match.legal_moves[0])
    with pytest.raises(teerling.IllegalMove) as refused:
        match.push(min(illegal))
    told = pickle.loads(pickle.dumps(refused.value))
    assert (type(told), str(told), told.why) == (
        teerling.IllegalMove,
        str(refused.value),
        refused.value.why,
    )


def test_a_sentence_that_was_told_by_another_process_can_still_be_said_in_dutch() -> None:
    game = teerling.game("ra")
    event = teerling.Event("passed", "RA-12", 0)
    told = pickle.loads(pickle.dumps(Sentence("Anne passes", event, game, ("Anne",))))
    assert (told, told.event, told.game, told.names) == ("Anne passes", event, game, ("Anne",))
    assert told.game is game
