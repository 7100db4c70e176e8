"""Matches of an arena or a study on several cores of this machine, or on many machines."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from itertools import islice
from typing import Any, Protocol, TypeVar

from ..errors import Phrase, TeerlingError
from ..players import search

Job = TypeVar("Job", contravariant=True)
Done = TypeVar("Done", covariant=True)

AHEAD = 2
"""How many matches a worker is given before it asks for more."""


class Work(Protocol[Job, Done]):
    """What is shared out: how to get ready for it, and how to do one job of it."""

    def warm_up(self) -> None: ...

    def play(self, job: Job, /) -> Done: ...


def spread(
    work: Work[Job, Done], jobs: Sequence[Job], workers: int, cluster: bool, in_order: bool = False
) -> Iterator[Done]:
    """Plays matches, here or by many workers, and hands on each as soon as it is over.

    In order, each is handed on after those before it; few are played ahead of one that takes long.
    """
    if cluster:
        return on_cluster(work, jobs, in_order)
    if workers == 1 or len(jobs) < 2:
        return map(work.play, jobs)
    return at_home(work, jobs, workers, in_order)


def at_home(
    work: Work[Job, Done], jobs: Sequence[Job], workers: int, in_order: bool = False
) -> Iterator[Done]:
    """Plays matches in processes of their own."""
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), begin_work, (work,))
    left = iter(jobs)
    waiting: list[Future[Done]] = []
    try:
        while True:
            waiting += [pool.submit(work.play, job) for job in islice(left, AHEAD * workers - len(waiting))]
            if not waiting:
                break
            done = waiting[:1] if in_order else list(wait(waiting, return_when=FIRST_COMPLETED).done)
            waiting = [match for match in waiting if match not in done]
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


def begin_work(work: Work[Any, Any]) -> None:
    """Makes a process a worker: one core, no interrupts, and no life without who asked for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    search.threads = 1
    work.warm_up()


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
        raise TeerlingError(Phrase("a cluster needs Ray: pip install 'teerling[ray]'")) from None


def on_cluster(work: Work[Job, Done], jobs: Sequence[Job], in_order: bool = False) -> Iterator[Done]:
    """Plays matches on a Ray cluster."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray: Any = import_module("ray")
    began = not ray.is_initialized()
    if began:
        ray.init(configure_logging=False, log_to_driver=False, include_dashboard=False)
    play = ray.remote(num_cpus=1)(play_there)
    work_there = ray.put(work)
    ahead = AHEAD * int(ray.cluster_resources().get("CPU", 1))
    left = iter(jobs)
    waiting: list[Any] = []
    try:
        while True:
            waiting += [play.remote(work_there, job) for job in islice(left, ahead - len(waiting))]
            if not waiting:
                break
            done = waiting[:1] if in_order else ray.wait(waiting)[0]
            waiting = [match for match in waiting if match not in done]
            yield from ray.get(done)
    finally:
        for match in waiting:
            ray.cancel(match, force=True)
        if began:
            ray.shutdown()


def play_there(work: Work[Job, Done], job: Job) -> Done:
    """Plays a match on one core of a cluster."""
    search.threads = 1
    work.warm_up()
    return work.play(job)
