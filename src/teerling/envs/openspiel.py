"""Every game as a game of OpenSpiel, with chance as a player of its own.

>>> import pyspiel
>>> import teerling.envs.openspiel  # makes the games known to pyspiel
>>> game = pyspiel.load_game("teerling_rapido(players=3,goal=9)")
>>> state = game.new_initial_state()
>>> state.is_chance_node(), len(state.chance_outcomes())
(True, 3)
>>> for outcome in (0, 6, 13):
...     state.apply_action(outcome)
>>> state.current_player(), [state.action_to_string(action) for action in state.legal_actions()][:2]
(0, ['throw', 'place 0'])
>>> state.information_state_string(0)
'first 0; die a 1; die b 2'

Ids of decisions and of outcomes are those of the game. A player's return is its share of the win. Options are
parameters; in a list of numbers a slash stands for the comma.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import CHANCE, OVER
from ..game import Game, Move, legal_ids, list_games
from ..lab.observations import encode, encoding_of
from ..options import Choice, Flag, Number, Option
from .extras import missing

try:
    import pyspiel
except ImportError:
    raise missing("OpenSpiel", "openspiel") from None

LONGEST = 100_000
"""More decisions and chance events than a match has; the rules of some set no limit."""
PLAYERS = "players"
DEFAULT_NUMBER, DEFAULT_TEXT = -1, ""
"""Parameters that stand for what an option is by default."""


class SpielGame(pyspiel.Game):
    """A game with a number of players and options; each game has a class of its own."""

    of: Game

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given, of = dict(params or {}), self.of
        self.players = of.check_players(int(given.get(PLAYERS, of.usual_players)))
        self.options = of.check_options(
            {option.name: chosen(option, given[option.name]) for option in of.options if option.name in given}
        )
        self.start = of.start(self.players, self.options).to_bytes()
        info = pyspiel.GameInfo(
            num_distinct_actions=of.rules.DECISIONS,
            max_chance_outcomes=of.rules.OUTCOMES,
            num_players=self.players,
            min_utility=0.0,
            max_utility=1.0,
            utility_sum=1.0,
            max_game_length=LONGEST,
        )
        super().__init__(type_of(of), info, given)

    def new_initial_state(self) -> "SpielState":
        """The state before the first move."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer | None":
        """Who tells a player what it knows; with perfect recall, all moves as it saw them.

        None where what everybody knows and what a player alone knows are asked for apart.
        """
        if params:
            raise ValueError(f"observations have no parameters, such as {params}")
        asked = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        whole = asked.public_info and asked.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        return Observer(self, asked.perfect_recall) if whole else None


class Played:
    """A state and the moves that led to it; OpenSpiel copies it with every state."""

    def __init__(self, state: Any, moves: list[tuple[Move, frozenset[int]]]) -> None:
        self.state = state
        self.moves = moves
        """Every move, with those who may not know which it was."""

    def seen(self, seat: int) -> list[str]:
        """All moves as a seat saw them."""
        return [move.veiled.text if seat in unknowing else move.text for move, unknowing in self.moves]

    def __deepcopy__(self, memo: Any) -> "Played":
        return Played(self.state.copy(), self.moves.copy())

    def __reduce__(self) -> Any:
        return Played.restored, (type(self.state), self.state.to_bytes(), self.moves)

    @staticmethod
    def restored(record: Any, memory: bytes, moves: list[tuple[Move, frozenset[int]]]) -> "Played":
        """The same from what was pickled."""
        return Played(record(memory), moves)


class SpielState(pyspiel.State):
    """A match as OpenSpiel knows it."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.played = Played(game.of.rules.State(game.start), [])

    def of(self) -> Game:
        """The game that is played."""
        game: Game = self.get_game().of
        return game

    def current_player(self) -> Any:
        """The seat to decide, or nature, or nobody."""
        turn = self.played.state.turn
        special = {CHANCE: pyspiel.PlayerId.CHANCE, OVER: pyspiel.PlayerId.TERMINAL}
        return special.get(turn, turn)

    def _legal_actions(self, player: int) -> list[int]:
        return legal_ids(self.of().rules, self.played.state)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every possible outcome with its probability."""
        weights = self.of().weights(self.played.state)
        return [(id, weight / sum(weights)) for id, weight in enumerate(weights) if weight]

    def _apply_action(self, action: int) -> None:
        game, state = self.of(), self.played.state
        move = game.move(action, chance=state.turn == CHANCE)
        unknowing = frozenset(seat for seat in range(state.players) if game.secret(state, move, seat))
        self.played.moves.append((move, unknowing))
        game.rules.apply(state, action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.of().move(action, chance=player == pyspiel.PlayerId.CHANCE).text

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return bool(self.played.state.turn == OVER)

    def returns(self) -> list[float]:
        """Every player's share of the win."""
        _, ranks = self.of().results(self.played.state)
        return [(rank == 1) / ranks.count(1) if self.is_terminal() else 0.0 for rank in ranks]

    def __str__(self) -> str:
        """The whole state in words."""
        return json.dumps(self.of().position(self.played.state))


class Observer:
    """Tells what a player knows, in numbers and as a text; or all moves so far, as a text."""

    def __init__(self, game: SpielGame, recalls: bool) -> None:
        self._game = game.of
        self._recalls = recalls
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if not recalls:
            self.tensor = np.zeros(encoding_of(game.of).size(game.players), np.float32)
            self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Fills in the numbers."""
        if self.tensor is not None:
            encode(self._game, state.played.state, player, self.tensor)

    def string_from(self, state: SpielState, player: int) -> str:
        """The text."""
        if self._recalls:
            return "; ".join(state.played.seen(player))
        return json.dumps(self._game.position(self._game.observed(state.played.state, player)))


def type_of(game: Game) -> Any:
    """What OpenSpiel wants to know about a game."""
    kinds = pyspiel.GameType
    return kinds(
        short_name=f"teerling_{game.id}",
        long_name=game.name,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.CONSTANT_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=game.players[-1],
        min_num_players=game.players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            PLAYERS: game.usual_players,
            **{option.name: unchosen(option) for option in game.options},
        },
    )


def unchosen(option: Option) -> str | int | bool:
    """What a parameter is if nobody chooses: of the type that OpenSpiel takes for it."""
    if isinstance(option, Flag):
        return bool(option.default)
    numeric = isinstance(option, Number) or (
        isinstance(option, Choice) and any(isinstance(choice, int) for choice in option.choices)
    )
    return DEFAULT_NUMBER if numeric else DEFAULT_TEXT


def chosen(option: Option, parameter: str | int | bool) -> Any:
    """What a parameter says an option is; None is what it is by default."""
    if parameter in (DEFAULT_NUMBER, DEFAULT_TEXT):
        return None
    return parameter.replace("/", ",") if isinstance(parameter, str) else parameter


def register(game: Game) -> str:
    """Makes a game known to `pyspiel.load_game`; its name there."""
    kind, name = type_of(game), f"SpielGameOf{game.id.title()}"
    # What is pickled is looked up here, and what OpenSpiel keeps has to outlive the interpreter.
    globals()[name] = type(name, (SpielGame,), {"of": game, "__module__": __name__})
    pyspiel.register_game(kind, globals()[name])
    return str(kind.short_name)


for each in list_games():
    register(each)
