"""How fast the engine is: importing, compiling, random games, batches, searches and single moves."""

import gc
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from ..engine import CHANCE, OVER
from ..game import Game, legal_ids
from ..lab.batch import batch
from ..lab.observations import tells_numbers
from ..lab.simulate import SimulationJob, cores, simulate
from ..match import Match, new
from ..players import Observation, observe
from ..players.search import PLAIN, Tree
from ..words import Speaker
from .figures import Figure, print_figures

MOST_BYTES = 512
COMPILE_SECONDS, LOAD_SECONDS, IMPORT_SECONDS = 15.0, 0.5, 0.3
TWO_THREADS = 1.8
SEARCH_RATIO = 0.6
BATCH = 4096
"""How many rows a batch has whose speed is measured."""
SOME = 2000
"""How many playouts a search makes whose speed is measured."""
MOVE_MILLISECONDS = 5.0

IMPORTS = """
import time
began = time.perf_counter(), time.process_time()
import {module}
print(time.perf_counter() - began[0], time.process_time() - began[1])
"""
FIRST_PLAYOUT = """
import sys, time
import teerling, numba
from teerling.lab import simulate
game = teerling.game(sys.argv[1])
began = time.perf_counter(), time.process_time()
simulate(game, int(sys.argv[2]), games=1, threads=1)
print(time.perf_counter() - began[0], time.process_time() - began[1])
"""


def bench(games: Sequence[Game], quick: bool, as_json: bool, say: Speaker) -> None:
    """Measures everything and prints it."""
    err = Console(stderr=True)
    seconds = 0.3 if quick else 1.5
    found: dict[str, list[Figure]] = {}
    with err.status("…") as status:

        def measure(what: str, label: str, measured: Iterable[Figure]) -> None:
            status.update(label)
            found[what] = list(measured)
            if not as_json:
                print_figures(label, found[what], say)

        measure("teerling", say("the package"), of_the_package(quick, say))
        for game in games:
            label = f"{game.name} · {say('{count} players', count=game.usual_players)}"
            measure(game.id, label, of_a_game(game, game.usual_players, quick, seconds, say))
        measure("openspiel", "OpenSpiel", of_openspiel(games[0], found[games[0].id], seconds, say))
    if as_json:
        figures = {what: [{**asdict(f), "met": f.met} for f in each] for what, each in found.items()}
        print(json.dumps({"cores": cores(), "quick": quick, "figures": figures}))


def of_the_package(quick: bool, say: Speaker) -> Iterator[Figure]:
    """How long it takes to import."""
    times = 1 if quick else 5
    numpy, numba, teerling = (
        min(fresh(IMPORTS.format(module=module)) for _ in range(times))
        for module in ("numpy", "numba", "teerling")
    )
    for key, label, (seconds, share), target in (
        ("import_seconds", "import teerling", teerling, IMPORT_SECONDS),
        ("numba_seconds", say("import numba, when first needed"), numba, None),
    ):
        yield Figure(key, label, seconds, "s", target, False, seconds / numpy[0], "import numpy", share)


def of_a_game(game: Game, players: int, quick: bool, seconds: float, say: Speaker) -> Iterator[Figure]:
    """Size, compiling, playouts and single moves of a game."""
    yield Figure("state_bytes", say("a state"), game.rules.State.dtype.itemsize, "bytes", MOST_BYTES)
    yield from of_compiling(game, players, 1 if quick else 3, say)
    plain = plain_speed(game, players, seconds)
    yield from of_playouts(game, players, seconds, plain, say)
    yield from of_batches(game, players, seconds, plain, say)
    yield of_search(game, players, seconds, say)
    yield from of_moves(game, players, 1 if quick else 3, plain, say)


def of_search(game: Game, players: int, seconds: float, say: Speaker) -> Figure:
    """Steps of a plain search from the first decision on, to those of random games from there, in turn."""
    match = new(game.id, players=players, seed=1)
    knows = observe(match, int(match.state.turn))
    pairs = [(bare_speed(match, seconds / 3), search_speed(knows, seconds / 3)) for _ in range(4)][1:]
    bare, searched = (max(speeds) for speeds in zip(*pairs, strict=True))
    label = say("plain search, to random games")
    return Figure("search_ratio", label, searched / bare, "", SEARCH_RATIO, True)


def bare_speed(match: Match, seconds: float) -> float:
    """Steps for each second of a core of random games from a position."""
    job = SimulationJob(match.game, match.state.to_array(), 1, SOME, match.players)
    return core_rate(lambda: job.play(0, SOME) and int(job.lengths.sum()), seconds)


def search_speed(knows: Observation, seconds: float) -> float:
    """Steps for each second of a core of a plain search by one thread."""

    def estimate() -> int:
        tree = Tree(knows, PLAIN, SOME, 0, 1)
        tree.grow(SOME, math.inf)
        return tree.steps

    return core_rate(estimate, seconds)


def core_rate(work: Callable[[], int], seconds: float) -> float:
    """Steps for each second of a core, of work that is done again and again."""
    steps, began, core = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - began < seconds:
        steps += work()
    return steps / (time.process_time() - core)


def of_compiling(game: Game, players: int, times: int, say: Speaker) -> Iterator[Figure]:
    """From nothing to the first random game, on a machine that does not know the game and later."""
    with tempfile.TemporaryDirectory() as cache:
        first, share = fresh(FIRST_PLAYOUT, game.id, str(players), cache=cache)
        later = min(fresh(FIRST_PLAYOUT, game.id, str(players), cache=cache) for _ in range(times))
    yield Figure(
        "compile_seconds", say("compiled for the first time"), first, "s", COMPILE_SECONDS,
        ratio=first / later[0], beside=say("loaded"), share=share,
    )  # fmt: skip
    yield Figure("load_seconds", say("loaded from the cache"), later[0], "s", LOAD_SECONDS, share=later[1])


def of_playouts(
    game: Game, players: int, seconds: float, plain: float, say: Speaker
) -> Iterator[Figure]:  # fmt: skip
    """Random games, compiled, with one thread and with two in turn."""
    trial = simulate(game, players, 2000, threads=1)
    count = int(seconds * trial.games / trial.seconds) + 1
    ones, twos = zip(
        *((speed(game, players, count, 1), speed(game, players, 2 * count, 2)) for _ in range(3)),
        strict=True,
    )
    (one, share_of_one), (two, share_of_two) = max(ones), max(twos)
    yield Figure(
        "million_steps_per_second", say("random games, one core"), one / 1e6, "M/s",
        game.million_steps, True, one / plain, say("plain Python"), share_of_one,
    )  # fmt: skip
    if cores() > 1:
        yield Figure(
            "two_threads", say("two threads, to one"), two / one, "", TWO_THREADS, True, share=share_of_two
        )


def of_batches(
    game: Game, players: int, seconds: float, plain: float, say: Speaker
) -> Iterator[Figure]:  # fmt: skip
    """Random decisions in a batch, by one thread, without and with what the seats know in numbers."""
    many = batch(game, players, BATCH, threads=1)

    def step() -> int:
        many.step(many.random_moves())
        return many.size

    def step_and_observe() -> int:
        return step() and len(many.observations)

    works = [("batch_million_decisions", say("decisions in a batch, one core"), step)]
    if tells_numbers(game):
        works.append(("batch_million_observed", say("the same with observations"), step_and_observe))
    for key, label, work in works:
        work()
        rate = max(core_rate(work, seconds / 3) for _ in range(3))
        yield Figure(key, label, rate / 1e6, "M/s", None, True, rate / plain, say("plain Python"))


def of_moves(game: Game, players: int, matches: int, plain: float, say: Speaker) -> Iterator[Figure]:
    """A move with the legal moves and the view after it, interpreted."""
    times = sorted(time for seed in range(matches) for time in move_times(game, players, seed))
    for key, label, (seconds, share) in (
        ("move_milliseconds", say("push, legal moves and view"), times[len(times) // 2]),
        ("slowest_milliseconds", say("the slowest of {count}", count=len(times)), times[-1]),
    ):
        steps, beside = seconds * plain, say("a plain step")
        yield Figure(key, label, 1000 * seconds, "ms", MOVE_MILLISECONDS, False, steps, beside, share)


def of_openspiel(game: Game, measured: Sequence[Figure], seconds: float, say: Speaker) -> Iterator[Figure]:
    """Random backgammon by OpenSpiel, from Python, beside a game; nothing where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return
    backgammon = pyspiel.load_game("backgammon")
    theirs = rate(lambda chooser: openspiel_steps(backgammon, chooser), seconds) / 1e6
    ours = next(figure.value for figure in measured if figure.key == "million_steps_per_second")
    yield Figure("openspiel", say("random backgammon, from Python"), theirs, "M/s")
    yield Figure("beside_openspiel", game.name, ours, "M/s", ratio=ours / theirs, beside="OpenSpiel")


def fresh(program: str, *arguments: str, cache: str | None = None) -> tuple[float, float]:
    """Seconds that a program prints in a Python of its own, and the part of a core that it got."""
    environment = dict(os.environ) if cache is None else {**os.environ, "TEERLING_CACHE": cache}
    command = [sys.executable, "-c", program, *arguments]
    ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    seconds, of_the_core = map(float, ran.stdout.split())
    return seconds, of_the_core / seconds


def speed(game: Game, players: int, games: int, threads: int) -> tuple[float, float]:
    """Steps a second of a simulation, and the part of its cores that it got."""
    began = time.process_time()
    result = simulate(game, players, games, threads=threads)
    spent = time.process_time() - began
    return result.steps / result.seconds, min(1.0, spent / result.seconds / threads)


def plain_speed(game: Game, players: int, seconds: float) -> float:
    """Steps a second of a plain Python loop over the same rules."""
    start = game.start(players, game.check_options({}))
    return rate(lambda chooser: plain_steps(game, start.copy(), chooser), seconds)


def rate(play: Callable[[random.Random], int], seconds: float) -> float:
    """Steps a second of games that are played one after another."""
    chooser = random.Random(1)
    steps, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        steps += play(chooser)
    return steps / spent


def plain_steps(game: Game, state: Any, chooser: random.Random) -> int:
    """Plays a random game to its end without compiling anything; the number of its steps."""
    rules, steps = game.rules, 0
    while state.turn != OVER:
        if state.turn == CHANCE:
            move = chooser.choices(range(rules.OUTCOMES), game.weights(state))[0]
        else:
            move = chooser.choice(legal_ids(rules, state))
        rules.apply(state, move)
        steps += 1
    return steps


def openspiel_steps(game: Any, chooser: random.Random) -> int:
    """Plays a random game of OpenSpiel to its end; the number of its steps."""
    state, steps = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chooser.choices(outcomes, chances)[0])
        else:
            state.apply_action(chooser.choice(state.legal_actions()))
        steps += 1
    return steps


def move_times(game: Game, players: int, seed: int) -> Iterator[tuple[float, float]]:
    """Seconds for each decision of a random match, push and legal moves and view, and the core's share."""
    match = new(game.id, players=players, seed=seed)
    chooser = random.Random(seed)
    moves = match.legal_moves
    gc.collect()
    while moves:
        move = chooser.choice(moves)
        began = time.perf_counter(), time.process_time()
        match.push(move)
        moves = match.legal_moves
        match.view(match.turn)
        seconds, of_the_core = time.perf_counter() - began[0], time.process_time() - began[1]
        yield seconds, min(1.0, of_the_core / seconds)
