"""Matches with mistakes, without any thinking: a review that calls every own decision one."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from unittest import mock

from starlette.testclient import TestClient

from teerling.game import Move
from teerling.lab.mistakes import Judgement
from teerling.match import Match
from teerling.players import Observation
from teerling.players.hint import Reason
from teerling.server.afterwards.reviews import Standing, check_over
from teerling.server.web import again
from tests.server.houses import house_of


def judgements_of(match: Match) -> list[Judgement]:
    """Every decision between several moves as a mistake, where the first other move would be best."""
    found = []
    for place, (state, move) in enumerate(zip(match.states, match.history, strict=False)):
        others = [each for each in match.game.legal_moves(state) if each != move]
        if state.turn >= 0 and others:
            loss = 0.1 - place / 10_000
            found.append(Judgement(place, state.turn, move, others[0], loss, (0.02, 0.18), 0.1))
    return found


@contextmanager
def mistaken(client: TestClient, done: float = 1.0) -> Iterator[list[Observation]]:
    """A server on which nothing is thought about; what was known when something was weighed."""
    known: list[Observation] = []

    async def ask(key: str, match: Match, person_id: str | None, stored: bool) -> Standing:
        check_over(match)
        return Standing(done, review=SimpleNamespace(mistakes=tuple(judgements_of(match))))  # type: ignore[arg-type]

    def cost(knows: Observation, best: Move, move: Move, playouts: int) -> tuple[float, tuple[float, float]]:
        known.append(knows)
        return (0.0, (0.0, 0.0)) if move == best else (0.055, (0.011, 0.099))

    def explained(judgement: Judgement, knows: Observation) -> Judgement:
        return Judgement(**{**vars(judgement), "reason": Reason(is_only=True)})

    with (
        mock.patch.object(house_of(client).reviews, "ask", ask),
        mock.patch.object(again, "cost", cost),
        mock.patch.object(again, "explained", explained),
    ):
        yield known
