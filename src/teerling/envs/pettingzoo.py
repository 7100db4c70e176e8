"""Every game as an environment of PettingZoo, in which agents take turns (AEC).

>>> from teerling.envs import pettingzoo
>>> env = pettingzoo.env("rapido", players=3)
>>> env.reset(seed=7)
>>> env.agents
['seat_0', 'seat_1', 'seat_2']
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     action = None if termination else env.action_space(agent).sample(info["action_mask"])
...     env.step(action)
"""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Phrase, TeerlingError
from ..lab.batch import SHARE
from ..lab.observations import encoding_of
from ..lab.solo import Solo
from ..limits import LARGEST_SEED, within
from .extras import missing

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ImportError:
    raise missing("PettingZoo", "pettingzoo") from None


OF_A_MATCH = ("agent_selection", "rewards", "terminations", "truncations", "infos")
"""What an environment has only when a match has begun."""


class NotBegun(TeerlingError, AttributeError):
    """Something of a match is asked for before there is one."""


def env(
    game: str,
    players: int | None = None,
    rewards: str = SHARE,
    render_mode: str | None = None,
    **options: Any,
) -> "TurnEnv":
    """A game as an environment; `rewards` are each seat's share of the win, or by `rank`."""
    return TurnEnv(game, players, rewards, render_mode, **options)


class TurnEnv(AECEnv):
    """A match in which an agent decides for every seat.

    An observation is a dict of `observation`, what the seat knows in numbers, and `action_mask`, 1 for every
    decision that is legal; the mask is in the agent's info too. A move that is not legal is refused by an
    IllegalMove and changes nothing. With a seed, `reset` begins the match of `teerling.Stream(seed)`.
    """

    def __init__(
        self, game: str, players: int | None, rewards: str, render_mode: str | None, **options: Any
    ) -> None:
        super().__init__()
        self._solo = Solo(game, players, None, rewards, **options)
        count = self._solo.players
        self.metadata = {
            "name": f"{self._solo.game.id}_v1", "render_modes": ["ansi"], "is_parallelizable": False,
        }  # fmt: skip
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(count)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        limits = np.array(encoding_of(self._solo.game).limits(count), np.float32)
        decisions = len(self._solo.legal)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(limits[:, 0], limits[:, 1], dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (decisions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(decisions) for agent in self.possible_agents}
        self._nothing = np.zeros(decisions, np.int8)
        self._mask = self._nothing
        self._seeds = np.random.default_rng()

    def __getattr__(self, name: str) -> Any:
        if name in OF_A_MATCH:
            raise NotBegun(Phrase("no match has begun: call reset first"))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def observation_space(self, agent: str) -> Any:
        """What an agent's observations look like."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The decisions, by id."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins the match of a seed; without one the match of a seed that follows from the last given."""
        if seed is not None:
            self._seeds = np.random.default_rng(within("seed", seed, 0, LARGEST_SEED))
        self._solo.begin(int(self._seeds.integers(LARGEST_SEED)) if seed is None else seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": self._nothing} for agent in self.agents
        }
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[self._solo.turn]
        self._allow()

    def step(self, action: Any) -> None:
        """Makes the decision of the agent whose turn it is; None if its match is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._solo.step(action)
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {"action_mask": self._nothing}
        turn = self._solo.turn
        if turn < 0:
            self.rewards = dict(zip(self.possible_agents, self._solo.rewards.tolist(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
            self._mask = self._nothing
            self._deads_step_first()
        else:
            self.agent_selection = self.possible_agents[turn]
            self._allow()

    def _allow(self) -> None:
        """Tells the agent whose turn it is what is legal."""
        self._mask = self._solo.legal.copy()
        self.infos[self.agent_selection] = {"action_mask": self._mask}

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What an agent knows; what is legal only if it is its turn."""
        mask = self._mask if agent == self.agent_selection else self._nothing
        return {"observation": self._solo.observe(self._seats[agent]), "action_mask": mask}

    def render(self) -> str:
        """What everybody sees, as JSON."""
        return json.dumps(self._solo.match().view(), indent=1)

    def close(self) -> None:
        """Nothing has to be closed."""
