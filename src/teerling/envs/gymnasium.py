"""Every game as an environment of Gymnasium: one agent against players of your choice.

>>> import gymnasium
>>> import teerling.envs.gymnasium  # makes the games known to gymnasium.make
>>> env = gymnasium.make("teerling/Rapido-v1", players=3, opponents="casual")
>>> observation, info = env.reset(seed=7)
>>> over = False
>>> while not over:
...     action = env.action_space.sample(info["action_mask"])
...     observation, reward, over, truncated, info = env.step(action)
>>> sorted(info)
['action_mask', 'ranks', 'scores', 'seat']

`gymnasium.make_vec` makes an environment of many matches at once, which is a batch:

>>> many = gymnasium.make_vec("teerling/Rapido-v1", num_envs=64, players=3, opponents="random")
>>> observations, infos = many.reset(seed=7)
>>> observations, rewards, terminations, truncations, infos = many.step(infos["action_mask"].argmax(axis=1))
>>> observations.shape, infos["action_mask"].shape
((64, 45), (64, 7))
"""

import json
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import BadPlayers, IllegalMove, Phrase, TeerlingError
from ..game import Game, list_games
from ..game import game as game_of
from ..lab.batch import SHARE, Batch, batch
from ..lab.observations import encoding_of
from ..lab.solo import Solo
from ..limits import LARGEST_SEED
from ..players import USUAL
from .extras import missing

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise missing("Gymnasium", "gymnasium") from None

VERSION = 1
"""Goes up when the same seed and the same actions bring something else."""
ILLEGAL_REWARD = -1.0
ENDS, RAISES = "ends", "raises"
ABOUT_ONE: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}
ABOUT_MANY: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}


class AgentEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """A match in which an agent decides for one seat, and players that need no search for the others.

    `opponents` is a name, or one for every other seat, clockwise from the agent. The agent sits on `seat`, or
    on one that is drawn anew for every match. It is told what it knows in numbers, and in the info what is
    legal (`action_mask`). The reward comes at the end: the agent's share of the win, or by `rank`. A move
    that is not legal ends the match with −1, unless `illegal` says that it `raises` an IllegalMove.
    """

    metadata = ABOUT_ONE

    def __init__(
        self,
        game: str,
        players: int | None = None,
        opponents: str | Sequence[str] = USUAL,
        seat: int | None = None,
        rewards: str = SHARE,
        illegal: str = ENDS,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        of = game_of(game)
        count = of.check_players(of.usual_players if players is None else players)
        if illegal not in (ENDS, RAISES):
            raise TeerlingError(
                Phrase("an illegal move ends or raises, it does not {illegal!r}", illegal=illegal)
            )
        self._solo = Solo(of, count, against(opponents, count), rewards, **options)
        self._seat = checked_seat(seat, count)
        self._sits = 0
        self._raises = illegal == RAISES
        self.render_mode = render_mode
        self.observation_space = observation_space(of, count)
        self.action_space = spaces.Discrete(len(self._solo.legal))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins the match of a seed; without one the match of a seed that follows from the last given."""
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(LARGEST_SEED))
        self._sits = drawn % self._solo.players if self._seat is None else self._seat
        mask, observation = told = self._solo.untold()
        self._solo.begin_and_tell(drawn if seed is None else seed, self._sits, told)
        return observation, {"action_mask": mask, "seat": self._sits}

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Makes a decision; others go on until it is the agent's turn again or the match is over."""
        solo = self._solo
        mask, observation = told = solo.untold()
        try:
            over = solo.step_and_tell(action, self._sits, told)
        except IllegalMove:
            if self._raises:
                raise
            refused = {"action_mask": self.action_masks(), "seat": self._sits, "illegal": int(action)}
            return solo.observe(self._sits), ILLEGAL_REWARD, True, False, refused
        info: dict[str, Any] = {"action_mask": mask, "seat": self._sits}
        if not over:
            return observation, 0.0, False, False, info
        info |= {"scores": solo.scores.copy(), "ranks": solo.ranks.copy()}
        return observation, float(solo.rewards[self._sits]), True, False, info

    def action_masks(self) -> NDArray[np.int8]:
        """1 for every decision that is legal, as trainers that mask actions ask for it."""
        return self._solo.legal.copy()

    def render(self) -> str:
        """What everybody sees, as JSON."""
        return json.dumps(self._solo.match().view(), indent=1)


class AgentsEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """Many matches at once, in each of which an agent decides for one seat: a batch.

    The agent sits on seat 0 in the first row, on seat 1 in the second, and so on around the table, or on
    `seat` in all. A match that is over is followed by another in the same step; `final_obs` and `final_info`
    in the info are what the agent knew when it ended, and what was told then. A move that is not legal raises
    an IllegalMove. Without `copy` the arrays are the batch's own, and are filled anew by the next step.
    """

    metadata = ABOUT_MANY

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        players: int | None = None,
        opponents: str | Sequence[str] = USUAL,
        seat: int | None = None,
        rewards: str = SHARE,
        copy: bool = True,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        of = game_of(game)
        count = of.check_players(of.usual_players if players is None else players)
        seats, first = against(opponents, count), checked_seat(seat, count) or 0
        self.batch: Batch = batch(
            of, count, num_envs, seats=[*seats[count - first :], *seats[: count - first]],
            rotate=seat is None, rewards=rewards, keep_ends=True, threads=threads, **options,
        )  # fmt: skip
        self.num_envs = num_envs
        self._copies = copy
        self._rows = np.arange(num_envs)
        self._seats = self.batch.turn.copy()
        self.single_observation_space = observation_space(of, count)
        self.single_action_space = spaces.Discrete(len(of.decisions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins the matches of a seed in all rows; without one of a seed that follows from the last."""
        if isinstance(seed, list):
            raise TeerlingError(Phrase("all rows of a batch have one seed, not one for each"))
        super().reset(seed=seed)
        self.batch.restart(int(self.np_random.integers(LARGEST_SEED)) if seed is None else seed)
        return self._given(self.batch.observations), self._infos()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Makes a decision in every row."""
        self.batch.step(actions)
        over = self.batch.ended > 0
        infos = self._infos()
        if over.any():
            ended = np.flatnonzero(over)
            final = np.full(self.num_envs, None, object)
            for row, known in zip(ended, self.batch.observe_ends(self._seats[ended], ended), strict=True):
                final[row] = known
            infos |= {"final_obs": final, "_final_obs": over}
            infos |= {"final_info": self._final_info(over), "_final_info": over}
        rewards = self.batch.rewards[self._rows, self._seats]
        return self._given(self.batch.observations), rewards, over, np.zeros_like(over), infos

    def _given(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copies else array

    def _infos(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, np.bool_)
        mask = self._given(self.batch.legal.view(np.int8))
        seats = self._seats.copy()
        return {"action_mask": mask, "_action_mask": everywhere, "seat": seats, "_seat": everywhere}

    def _final_info(self, over: NDArray[np.bool_]) -> dict[str, Any]:
        """What the info of a match that is over says, in its row; 0 in the others."""
        told = {
            "action_mask": np.zeros_like(self.batch.legal, np.int8), "seat": self._seats * over,
            "scores": self.batch.scores * over[:, None], "ranks": self.batch.ranks * over[:, None],
        }  # fmt: skip
        return told | {f"_{name}": over for name in told}


def observation_space(game: Game, players: int) -> spaces.Space[NDArray[np.float32]]:
    """What observations look like: the least and the largest that every number can be."""
    limits = np.array(encoding_of(game).limits(players), np.float32)
    space: Any = spaces.Box(limits[:, 0], limits[:, 1], dtype=np.float32)
    return cast("spaces.Space[NDArray[np.float32]]", space)


def checked_seat(seat: int | None, players: int) -> int | None:
    """The seat, if there is such a one; None is any."""
    if seat is not None and seat not in range(players):
        raise BadPlayers(
            Phrase("there is no seat {seat}; the seats are 0 to {last}", seat=seat, last=players - 1)
        )
    return seat


def against(opponents: str | Sequence[str], players: int) -> list[str | None]:
    """Who sits where, clockwise from the agent, which is None."""
    others = [opponents] * (players - 1) if isinstance(opponents, str) else opponents
    if not isinstance(others, Sequence) or not all(isinstance(each, str) for each in others):
        raise TeerlingError(
            Phrase("opponents are one name, or a list of names, not {opponents!r}", opponents=opponents)
        )
    if len(others) != players - 1:
        raise TeerlingError(
            Phrase(
                "{given} opponents are named, and there are {others}", given=len(others), others=players - 1
            )
        )
    return [None, *others]


def name_of(game: Game) -> str:
    """What a game is called in Gymnasium: its name without spaces and signs."""
    words = "".join(letter if letter.isalnum() else " " for letter in game.name).split()
    return f"teerling/{''.join(word[0].upper() + word[1:] for word in words)}-v{VERSION}"


def register(game: Game) -> str:
    """Makes a game known to `gymnasium.make` and `gymnasium.make_vec`; its id there."""
    gymnasium.register(
        name_of(game),
        entry_point=f"{__name__}:AgentEnv",
        vector_entry_point=f"{__name__}:AgentsEnv",
        kwargs={"game": game.id},
    )
    return name_of(game)


for each in list_games():
    register(each)
