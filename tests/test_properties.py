"""What holds in every game, at every point of every match."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import teerling
from teerling import CHANCE, IllegalMove, Match, NothingToTakeBack
from teerling.game import SPECTATOR
from tests.variants import VARIANTS, Variant


def everything(match: Match) -> tuple[Any, ...]:
    """All that a match shows; equal for equal matches."""
    return (match.save(seed=False), match.state.to_bytes(), match.legal_moves, match.events, match.log("nl"))


class Playing(RuleBasedStateMachine):
    """Somebody plays a match, changes their mind, asks for impossible things, saves and loads."""

    match: Match

    @initialize(variant=st.sampled_from(VARIANTS), seed=st.integers(0, 2**32), manual=st.booleans())
    def begin(self, variant: Variant, seed: int, manual: bool) -> None:
        self.variant = variant
        chance = {"chance": "manual"} if manual else {"seed": seed}
        self.match = teerling.new(variant.game, variant.players, **chance, **dict(variant.options))  # type: ignore[arg-type]

    def some_move(self, data: st.DataObject) -> teerling.Move:
        return data.draw(st.sampled_from(self.match.legal_moves))

    @precondition(lambda self: not self.match.over)
    @rule(data=st.data(), count=st.integers(1, 25))
    def push_some(self, data: st.DataObject, count: int) -> None:
        for _ in range(count):
            if not self.match.over:
                self.match.push(self.some_move(data))

    @precondition(lambda self: not self.match.over)
    @rule(data=st.data(), form=st.sampled_from(["move", "text", "id"]))
    def push_then_pop_is_nothing(self, data: st.DataObject, form: str) -> None:
        move = self.some_move(data)
        before = everything(self.match)
        self.match.push({"move": move, "text": move.text, "id": move.id}[form])
        assert self.match.pop() == move
        assert everything(self.match) == before

    @precondition(lambda self: not self.match.over)
    @rule(data=st.data())
    def after_a_take_back_the_same_luck_returns(self, data: st.DataObject) -> None:
        move = self.some_move(data)
        self.match.push(move)
        first = everything(self.match)
        self.match.pop()
        self.match.push(move)
        assert everything(self.match) == first

    @rule(data=st.data())
    def a_refused_move_changes_nothing_and_says_why(self, data: st.DataObject) -> None:
        game = self.match.game
        texts = game.outcomes if self.match.turn == CHANCE else game.decisions
        legal = {move.id for move in self.match.legal_moves}
        illegal = [id for id in range(len(texts)) if id not in legal]
        if not illegal:
            return
        id = data.draw(st.sampled_from(illegal))
        before = everything(self.match)
        with pytest.raises(IllegalMove) as refusal:
            self.match.push(id)
        assert texts[id] in str(refusal.value)
        assert refusal.value.why is not None
        assert everything(self.match) == before

    @rule()
    def saving_and_loading_is_nothing(self) -> None:
        text = self.match.save()
        loaded = teerling.load(text)
        assert loaded.save() == text
        assert everything(loaded) == everything(self.match)
        assert loaded.seal == self.match.seal

    @rule()
    def a_position_is_the_whole_state(self) -> None:
        position = json.loads(json.dumps(self.match.position()))
        placed = teerling.at(self.match.game.id, position, chance="manual")
        assert placed.state == self.match.state
        assert placed.position() == self.match.position()

    @precondition(lambda self: not self.match.over)
    @rule(data=st.data())
    def a_copy_is_equal_independent_and_without_nature(self, data: st.DataObject) -> None:
        before = everything(self.match)
        copy = self.match.copy()
        assert everything(copy) == before
        copy.push(data.draw(st.sampled_from(copy.legal_moves)))
        assert everything(self.match) == before
        assert len(copy.history) == len(self.match.history) + 1

    @precondition(lambda self: not self.match.over)
    @rule(data=st.data())
    def a_preview_stops_before_nature_answers(self, data: st.DataObject) -> None:
        move = self.some_move(data)
        before = everything(self.match)
        after = self.match.preview(move)
        assert after.history == (*self.match.history, move)
        assert everything(self.match) == before

    @rule()
    def pop_some(self) -> None:
        try:
            self.match.pop()
        except NothingToTakeBack:
            assert not [move for move in self.match.history if not move.chance]

    @invariant()
    def pieces_are_conserved(self) -> None:
        assert self.match.game.rules.sound(self.match.state)

    @invariant()
    def who_is_to_move_has_a_move(self) -> None:
        assert bool(self.match.legal_moves) != self.match.over

    @invariant()
    def probabilities_add_up(self) -> None:
        chances = self.match.chances
        assert (self.match.turn == CHANCE) == bool(chances)
        assert not chances or sum(probability for _, probability in chances) == 1

    @invariant()
    def an_observation_can_be_imagined_and_observed_again(self) -> None:
        game = self.match.game
        for seat in (SPECTATOR, 0, self.match.players - 1):
            seen = game.observed(self.match.state, seat)
            imagined = game.imagined(seen, seat, [len(self.match.history)])
            assert game.rules.sound(imagined)
            assert game.observed(imagined, seat) == seen

    @invariant()
    def winners_are_those_of_the_first_rank_when_it_is_over(self) -> None:
        assert bool(self.match.winners) == self.match.over
        assert 1 in self.match.ranks


Playing.TestCase.settings = settings(
    max_examples=60, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)
TestPlaying = Playing.TestCase
