"""How fast the games are beside those of other projects: random legal play, all in one run, by turns.

Every contestant of a kind plays for a moment, then the next one, several times over. What is told is the
median of its steps for each second of a core, so that other programs on the machine slow down all alike.
"""

import json
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from ..envs.extras import MissingExtra, missing
from ..errors import TeerlingError
from ..game import Game, list_games
from ..lab.batch import Batch, batch
from ..lab.observations import tells_numbers
from ..lab.simulate import GPU, SimulationJob, cores
from ..words import Speaker
from .engine import BATCH, core_rate, openspiel_steps
from .figures import Figure, print_figures

EXTRA = "bench"
PROJECTS = ("open-spiel", "pgx", "jax", "pettingzoo", "gymnasium", "rlcard")

BATCH_TARGET, OBSERVED_TARGET = 5000.0, 1500.0
"""Thousand decisions a second in a batch of the game that is listed first."""
AGENT_TARGET = 100.0
TIMES_TIC_TAC_TOE = 3.0
TIC_TAC_TOE = "PettingZoo tic-tac-toe"

MATCHES, ROLLOUTS = 500, 100
"""How many random matches compiled code plays at once: ours, and OpenSpiel's."""
SAMPLE = 20
"""From so many matches the length of OpenSpiel's is estimated, where it does not tell."""
PGX_ROWS, PGX_STEPS = 1024, 20
STILL_GOING = 0.9
"""The part of pgx's rows that must be in play; with fewer, all begin anew."""
CARD_ROWS, CARD_WARM, CARD_DECISIONS = 1_000_000, 200, 2000
CARD_PGX_ROWS, CARD_PGX_ROUNDS = 65_536, 10

OPENSPIEL_GAMES = ("backgammon", "pig", "yacht")
PETTINGZOO_GAMES = {TIC_TAC_TOE: "tictactoe_v3", "PettingZoo connect four": "connect_four_v3"}
RLCARD_GAMES = ("uno", "limit-holdem")


@dataclass(frozen=True)
class Contestant:
    """Somebody who plays at random; `work` plays for a moment and tells the number of its steps."""

    name: str
    work: Callable[[], int]
    ours: bool = False
    target: float | None = None


Contestants = Iterator[Contestant]
Entry = Callable[[Sequence[Game], Speaker], Contestants]


def field_bench(games: Sequence[Game], quick: bool, as_json: bool, say: Speaker) -> None:
    """Measures games beside those of other projects, and prints one table."""
    rounds, seconds = (3, 0.03) if quick else (7, 0.3)
    figures: list[Figure] = []
    absent: list[str] = []
    before = machine()
    with Console(stderr=True).status("…") as status, on_one_core():
        for key, label, entries in kinds(say):
            status.update(label)
            contestants = list(those_there(entries, games, absent, say))
            figures += compared(key, label, contestants, rounds, seconds)
    try:
        figures += of_the_card(games, say)
    except TeerlingError as error:
        absent.append(say.phrase(error.args[0]))
    if as_json:
        each = [{**asdict(figure), "met": figure.met} for figure in figures]
        about = {"machine": before, "versions": versions(), "absent": absent, "quick": quick}
        print(json.dumps({**about, "figures": {"field": each}}))
        return
    print_figures(say("beside the field: thousand steps for each second of a core"), figures, say)
    for line in absent:
        print(line)
    print(say("{processor}, {cores} cores, load {load}", **before))
    print(", ".join(f"{project} {number}" for project, number in versions().items()))


def kinds(say: Speaker) -> Iterator[tuple[str, str, Sequence[Entry]]]:
    """What is compared: kinds of work, and who does it.

    Matches are played to the end by compiled code, states and environments are driven step by step from
    Python: states with chance, agents that take turns, one agent against others. A batch is many at once.
    """
    yield "matches", say("matches"), (playouts, openspiel_rollouts)
    yield "states", say("states"), (our_states, openspiel_states)
    yield "agents", say("agents"), (our_agents, pettingzoo_agents, rlcard_agents)
    yield "agent", say("agent"), (our_agent, gymnasium_agent)
    yield "batch", say("batch"), (batches, observed_batches, pgx_batch)


def those_there(
    entries: Iterable[Entry], games: Sequence[Game], absent: list[str], say: Speaker
) -> Contestants:
    """Contestants that are installed; `absent` is told what to install for the others."""
    for entry in entries:
        try:
            yield from entry(games, say)
        except MissingExtra as error:
            absent.append(say.phrase(error.args[0]))


def compared(
    key: str, label: str, contestants: Sequence[Contestant], rounds: int, seconds: float
) -> Iterator[Figure]:
    """Contestants of a kind by turns; ours with the ratio to the fastest of the others."""
    for each in contestants:
        each.work()
    found: dict[str, list[float]] = {each.name: [] for each in contestants}
    for _ in range(rounds):
        for each in contestants:
            found[each.name].append(core_rate(each.work, seconds) / 1000)
    rates = {name: statistics.median(each) for name, each in found.items()}
    others = [each.name for each in contestants if not each.ours]
    beside = max(others, key=lambda name: rates[name], default="")
    for each in contestants:
        rate, target = rates[each.name], each.target
        if each.ours and TIC_TAC_TOE in rates:
            target = TIMES_TIC_TAC_TOE * rates[TIC_TAC_TOE]
        ratio = rate / rates[beside] if each.ours and beside else None
        name = f"{key}: {each.name}"
        yield Figure(name, f"{label}: {each.name}", rate, "k/s", target, True, ratio, beside)


# Matches that compiled code plays to the end


def playouts(games: Sequence[Game], say: Speaker) -> Contestants:
    """Random matches as `teerling simulate` plays them; decisions and chance events count."""
    for game in games:
        start = game.start(game.usual_players, game.check_options({})).to_array()
        job = SimulationJob(game, start, 1, MATCHES, game.usual_players)
        yield Contestant(game.name, partial(played, job), True)


def played(job: SimulationJob) -> int:
    """Plays all matches of a simulation; the number of their steps."""
    job.play(0, MATCHES)
    return int(job.lengths.sum())


def openspiel_rollouts(games: Sequence[Game], say: Speaker) -> Contestants:
    """Random matches within OpenSpiel's own search, which tells no lengths: those of a sample are taken."""
    pyspiel = peer("OpenSpiel", "pyspiel")
    for name in OPENSPIEL_GAMES:
        game = pyspiel.load_game(name)
        chooser = random.Random(1)
        length = statistics.mean(openspiel_steps(game, chooser) for _ in range(SAMPLE))
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        rollouts = pyspiel.RandomRolloutEvaluator(ROLLOUTS, 1)
        search = pyspiel.MCTSBot(game, rollouts, 1.0, 1, 100, False, 1, False)
        steps = round(ROLLOUTS * length)
        yield Contestant(f"OpenSpiel {name}", partial(searched, search, state, steps))


def searched(search: Any, state: Any, steps: int) -> int:
    """Has OpenSpiel evaluate a state once, by random matches; about the number of their steps."""
    search.step(state)
    return steps


# States that a loop in Python takes step by step


def our_states(games: Sequence[Game], say: Speaker) -> Contestants:
    """Games by OpenSpiel's interface, whose rules are interpreted there."""
    import_module("teerling.envs.openspiel")
    pyspiel = peer("OpenSpiel", "pyspiel")
    for game in games:
        loaded = pyspiel.load_game(f"teerling_{game.id}")
        yield Contestant(game.name, partial(openspiel_steps, loaded, random.Random(1)), True)


def openspiel_states(games: Sequence[Game], say: Speaker) -> Contestants:
    """OpenSpiel's own games by the same loop; chance nodes count, as they do above."""
    pyspiel = peer("OpenSpiel", "pyspiel")
    for name in OPENSPIEL_GAMES:
        loaded = pyspiel.load_game(name)
        yield Contestant(f"OpenSpiel {name}", partial(openspiel_steps, loaded, random.Random(1)))


# Agents that take turns


def our_agents(games: Sequence[Game], say: Speaker) -> Contestants:
    """Games as environments of PettingZoo; decisions count, chance does not."""
    here = import_module("teerling.envs.pettingzoo")
    for game in told_in_numbers(games):
        yield Contestant(game.name, partial(turns, here.env(game.id), random.Random(1)), True)


def pettingzoo_agents(games: Sequence[Game], say: Speaker) -> Contestants:
    """PettingZoo's own games by the same loop."""
    for name, module in PETTINGZOO_GAMES.items():
        there = peer("PettingZoo", f"pettingzoo.classic.{module}")
        yield Contestant(name, partial(turns, there.env(), random.Random(1)))


def turns(env: Any, chooser: random.Random) -> int:
    """Plays a match of PettingZoo as its own benchmark does; the number of decisions."""
    env.reset()
    decisions = 0
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            env.step(any_of(observation["action_mask"], chooser))
            decisions += 1
    return decisions


def rlcard_agents(games: Sequence[Game], say: Speaker) -> Contestants:
    """RLCard's card games, agents in turn."""
    rlcard = peer("RLCard", "rlcard")
    for name in RLCARD_GAMES:
        env = rlcard.make(name, config={"seed": 1})
        yield Contestant(f"RLCard {name}", partial(dealt, env, random.Random(1)))


def dealt(env: Any, chooser: random.Random) -> int:
    """Plays a match of RLCard; the number of decisions."""
    state, _ = env.reset()
    decisions = 0
    while not env.is_over():
        state, _ = env.step(chooser.choice(list(state["legal_actions"])))
        decisions += 1
    return decisions


# One agent


def our_agent(games: Sequence[Game], say: Speaker) -> Contestants:
    """One agent in Gymnasium against others that play at random, too; only its own decisions count."""
    here = import_module("teerling.envs.gymnasium")
    for game in told_in_numbers(games):
        env = here.gymnasium.make(here.name_of(game), opponents="random", disable_env_checker=True)
        yield Contestant(game.name, partial(lonely, env, random.Random(1)), True, AGENT_TARGET)


def gymnasium_agent(games: Sequence[Game], say: Speaker) -> Contestants:
    """The only game of cards or dice that Gymnasium has itself."""
    env = peer("Gymnasium", "gymnasium").make("Blackjack-v1", disable_env_checker=True)
    yield Contestant("Gymnasium blackjack", partial(lonely, env, random.Random(1)))


def lonely(env: Any, chooser: random.Random) -> int:
    """Plays a match of Gymnasium; the number of the agent's decisions."""
    _, info = env.reset()
    everything = np.ones(env.action_space.n)
    decisions, over = 0, False
    while not over:
        _, _, over, _, info = env.step(any_of(info.get("action_mask", everything), chooser))
        decisions += 1
    return decisions


def any_of(mask: Any, chooser: random.Random) -> int:
    """A random action of those that a mask allows."""
    actions = mask.nonzero()[0]
    return int(actions.item(int(chooser.random() * len(actions))))


# Many matches at once


def batches(games: Sequence[Game], say: Speaker) -> Contestants:
    """A batch by one thread, stepped from Python with its masks; decisions count, chance does not."""
    for game in games:
        target = BATCH_TARGET if game is list_games()[0] else None
        yield Contestant(game.name, partial(stepped, many(game)), True, target)


def observed_batches(games: Sequence[Game], say: Speaker) -> Contestants:
    """The same, and after every step what each row's seat knows in numbers."""
    for game in told_in_numbers(games):
        target = OBSERVED_TARGET if game is list_games()[0] else None
        name = say("{game} with observations", game=game.name)
        yield Contestant(name, partial(observed, many(game)), True, target)


def many(game: Game) -> Batch:
    return batch(game, game.usual_players, BATCH, threads=1)


def stepped(rows: Batch) -> int:
    """Makes a random decision in every row."""
    rows.step(rows.random_moves())
    return rows.size


def observed(rows: Batch) -> int:
    """The same, and asks what the seats know."""
    return stepped(rows) and len(rows.observations)


def pgx_batch(games: Sequence[Game], say: Speaker) -> Contestants:
    """Backgammon by pgx, on the CPU: steps with masks and observations, compiled and over many rows."""
    pgx = peer("pgx", "pgx")
    yield Contestant("pgx backgammon", PgxRows(pgx.make("backgammon"), "cpu", PGX_ROWS))


class PgxRows:
    """A batch of pgx: random steps, jitted, vmapped and scanned; all rows begin anew when some are over."""

    def __init__(self, env: Any, device: str, rows: int) -> None:
        jax = self.jax = peer("JAX", "jax")
        act_randomly = import_module("pgx.experimental").act_randomly
        step = jax.vmap(env.step)

        def one(state: Any, key: Any) -> tuple[Any, Any]:
            choosing, rolling = jax.random.split(key)
            moves = act_randomly(choosing, state.legal_action_mask)
            after = step(state, moves, jax.random.split(rolling, rows))
            return after, (~state.terminated).sum()

        self.rows = rows
        self.device = jax.devices(device)[0]
        with jax.default_device(self.device):
            self.key = jax.random.PRNGKey(1)
            self.begin = jax.jit(jax.vmap(env.init))
            self.steps = jax.jit(lambda state, keys: jax.lax.scan(one, state, keys))
            self.state = self.begin(self._keys(rows))

    def _keys(self, count: int) -> Any:
        self.key, other = self.jax.random.split(self.key)
        return self.jax.random.split(other, count)

    def __call__(self) -> int:
        """Makes some steps; the number of those in rows that were in play."""
        with self.jax.default_device(self.device):
            self.state, going = self.steps(self.state, self._keys(PGX_STEPS))
            if going[-1] < STILL_GOING * self.rows:
                self.state = self.begin(self._keys(self.rows))
        return int(going.sum())


def of_the_card(games: Sequence[Game], say: Speaker) -> Iterator[Figure]:
    """Random play in batches that stay on a card, by the clock; a TeerlingError where there is none."""
    for game in games:
        rows = batch(game, game.usual_players, CARD_ROWS, device=GPU)
        rows.play(CARD_WARM)
        before, began = int(rows.steps.sum()), time.perf_counter()
        rows.play(CARD_DECISIONS)
        rate = (int(rows.steps.sum()) - before) / (time.perf_counter() - began) / 1000
        yield Figure(f"card: {game.name}", f"{say('batch on a card')}: {game.name}", rate, "k/s")
    yield from pgx_on_the_card(say)


def pgx_on_the_card(say: Speaker) -> Iterator[Figure]:
    """Backgammon by pgx on the card, where JAX has one, too."""
    try:
        pgx, jax = peer("pgx", "pgx"), peer("JAX", "jax")
        jax.devices("gpu")
    except (MissingExtra, RuntimeError):  # JAX itself says that it has no card by a RuntimeError
        return
    rows = PgxRows(pgx.make("backgammon"), "gpu", CARD_PGX_ROWS)
    rows()
    began = time.perf_counter()
    rate = sum(rows() for _ in range(CARD_PGX_ROUNDS)) / (time.perf_counter() - began) / 1000
    yield Figure("card: pgx backgammon", f"{say('batch on a card')}: pgx backgammon", rate, "k/s")


# Who is there, and where


def peer(project: str, module: str) -> Any:
    """A module of another project; a MissingExtra where it, or what it needs, is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise missing(project, EXTRA) from None


def told_in_numbers(games: Iterable[Game]) -> Iterator[Game]:
    """Games that environments can be made of."""
    return (game for game in games if tells_numbers(game))


@contextmanager
def on_one_core() -> Iterator[None]:
    """Keeps this process, and threads that others begin in it, on one core, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def machine() -> dict[str, Any]:
    """The processor, its cores, and how many programs want them at the moment."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text(encoding="utf-8").splitlines() if about.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    return {"processor": (models or [platform.machine()])[0], "cores": cores(), "load": load}


def versions() -> dict[str, str]:
    """The versions of those projects that are installed."""
    found = {}
    for project in PROJECTS:
        try:
            found[project] = version(project)
        except PackageNotFoundError:
            continue
    return found
