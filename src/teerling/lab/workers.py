"""Matches of an arena on several cores of this machine, or on many machines."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from itertools import islice
from typing import Any

from ..errors import Phrase, TeerlingError
from ..players import search
from .contest import Contest, Job, Played

AHEAD = 2
"""How many matches a worker is given before it asks for more."""


def at_home(contest: Contest, jobs: Sequence[Job], workers: int) -> Iterator[Played]:
    """Plays matches in processes of their own, and hands on each as soon as it is over."""
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), begin_work, (contest,))
    left = iter(jobs)
    waiting: set[Future[Played]] = set()
    try:
        while True:
            waiting |= {
                pool.submit(contest.play, job) for job in islice(left, AHEAD * workers - len(waiting))
            }
            if not waiting:
                break
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (match.result() for match in done)
    except BrokenProcessPool:
        raise TeerlingError(
            Phrase(
                "a worker could not begin or was ended; players and games that a script has made known "
                "are known to that script alone: use workers=1"
            )
        ) from None
    except BaseException:
        # Whoever stops does not wait for matches that may take minutes.
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def begin_work(contest: Contest) -> None:
    """Makes a process a worker: one core, no interrupts, and no life without who asked for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    search.threads = 1
    contest.warm_up()


def end_with_parent() -> None:
    """Ends this process when its parent has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def check_ray() -> None:
    """Refuses to spread matches over a cluster if Ray is not there."""
    try:
        import_module("ray")
    except ImportError:
        raise TeerlingError(Phrase("a cluster needs Ray: pip install teerling[ray]")) from None


def on_cluster(contest: Contest, jobs: Sequence[Job]) -> Iterator[Played]:
    """Plays matches on a Ray cluster, and hands on each as soon as it is over."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray: Any = import_module("ray")
    began = not ray.is_initialized()
    if began:
        ray.init(configure_logging=False, log_to_driver=False, include_dashboard=False)
    play = ray.remote(num_cpus=1)(play_there)
    contest_there = ray.put(contest)
    ahead = AHEAD * int(ray.cluster_resources().get("CPU", 1))
    left = iter(jobs)
    waiting: list[Any] = []
    try:
        while True:
            waiting += [play.remote(contest_there, job) for job in islice(left, ahead - len(waiting))]
            if not waiting:
                break
            done, waiting = ray.wait(waiting)
            yield from ray.get(done)
    finally:
        for match in waiting:
            ray.cancel(match, force=True)
        if began:
            ray.shutdown()


def play_there(contest: Contest, job: Job) -> Played:
    """Plays a match on one core of a cluster."""
    search.threads = 1
    contest.warm_up()
    return contest.play(job)
