"""Runs asynchronous code in a thread of its own: browser tests keep a loop running in theirs."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_apart(work: Coroutine[Any, Any, Result]) -> Result:
    """What asynchronous work comes to."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
