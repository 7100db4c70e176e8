"""An agent learns a game by itself, with MaskablePPO of Stable-Baselines3, against a player of your choice.

pip install 'teerling[train]'
python examples/train_agent.py Rapido casual --players 2 --picture rapido.svg
"""

import argparse
import time

import gymnasium
import numpy as np
import torch
from gymnasium.wrappers import TransformObservation
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

import teerling.envs.gymnasium  # noqa: F401  makes the games known to gymnasium.make

MATCHES_AT_ONCE, DECISIONS_AT_ONCE = 64, 128

parser = argparse.ArgumentParser()
parser.add_argument("game", nargs="?", default="Rapido")
parser.add_argument("opponent", nargs="?", default="casual")
parser.add_argument("--players", type=int, default=2)
parser.add_argument("--decisions", type=int, default=300_000, help="how many the agent learns from")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--test-matches", type=int, default=1000)
parser.add_argument("--picture", help="where to draw the curve")
args = parser.parse_args()

torch.set_num_threads(1)  # the network is small: more threads would only wait for each other
table = {"id": f"teerling/{args.game}-v1", "players": args.players, "opponents": args.opponent}
space = gymnasium.make(**table).observation_space
most = np.maximum(space.high, 1)
"""What every number of an observation can be at most, so that a network sees numbers up to 1."""


def learning_env() -> gymnasium.Env:
    scaled = gymnasium.spaces.Box(space.low / most, space.high / most)
    return TransformObservation(gymnasium.make(**table), lambda seen: seen / most, scaled)


def share_of_wins(model: MaskablePPO) -> float:
    """Plays matches that it does not learn from, with the move that it likes best."""
    many = gymnasium.make_vec(table["id"], num_envs=250, players=args.players, opponents=args.opponent)
    seen, info = many.reset(seed=args.seed + 1)
    won = matches = 0.0
    while matches < args.test_matches:
        moves, _ = model.predict(seen / most, action_masks=info["action_mask"], deterministic=True)
        seen, rewards, over, _, info = many.step(moves)
        won, matches = won + rewards.sum(), matches + over.sum()
    return won / matches


envs = DummyVecEnv([learning_env] * MATCHES_AT_ONCE)
model = MaskablePPO(
    "MlpPolicy", envs, learning_rate=1e-3, n_steps=DECISIONS_AT_ONCE, batch_size=1024, n_epochs=4, gamma=1.0,
    gae_lambda=0.98, ent_coef=0.005, policy_kwargs={"net_arch": [128, 128]}, seed=args.seed, device="cpu",
)  # fmt: skip
curve = [(0, share_of_wins(model))]
while model.num_timesteps < args.decisions:
    model.learn(min(args.decisions, 4 * MATCHES_AT_ONCE * DECISIONS_AT_ONCE), reset_num_timesteps=False)
    curve.append((model.num_timesteps, share_of_wins(model)))
    learned, share = curve[-1]
    print(f"{learned:8} decisions, {time.process_time():4.0f} s of a core: wins {share:.1%}", flush=True)
print(f"{args.game}, {args.players} players, against {args.opponent}: {curve[0][1]:.1%} → {curve[-1][1]:.1%}")

if args.picture:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.2), layout="constrained")
    axes.plot([learned / 1000 for learned, _ in curve], [100 * share for _, share in curve], "o-")
    axes.axhline(100 / args.players, color="grey", linestyle="--", label="as good as the others")
    axes.set_title(f"{args.game}, {args.players} players, against {args.opponent}")
    axes.set_xlabel("decisions learned from, thousands")
    axes.set_ylabel("matches won, %")
    axes.set_ylim(0, 100)
    axes.legend()
    figure.savefig(args.picture)
