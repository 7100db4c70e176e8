"""Scenes: people play, something breaks again and again, and what they were told is looked for each time."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from teerling.server.settings import Settings

from .check import Findings, look
from .load import Crowd

MOVES = 12
"""So many moves are made between two faults, at least."""
LONGEST_PAUSE = 0.4
"""Seconds until a fault, at most, when they have been made."""


@dataclass
class Outcome:
    """What came of a scene."""

    name: str
    faults: int = 0
    found: Findings = field(default_factory=Findings)
    """After the last fault, in all matches."""
    on_the_way: list[str] = field(default_factory=list)
    """What was wrong after one of the others."""
    wrong: list[str] = field(default_factory=list)
    """Answers that nobody should get."""
    back: list[float] = field(default_factory=list)
    """Seconds from each fault to the next move that was acknowledged."""
    sentences: set[str] = field(default_factory=set)

    @property
    def bad(self) -> list[str]:
        return self.found.bad + self.on_the_way + self.wrong


async def play_through(
    name: str,
    crowd: Crowd,
    settings: Settings,
    fault: Callable[[], None],
    times: int,
    chooser: random.Random,
) -> Outcome:
    """Has a crowd play while a fault is made and mended so many times."""
    outcome = Outcome(name)
    seen: dict[str, int] = {}
    async with crowd.at_play():
        await crowd.go_on(MOVES)
        for _ in range(times):
            await asyncio.sleep(chooser.uniform(0.0, LONGEST_PAUSE))
            began = time.monotonic()
            await asyncio.to_thread(fault)
            outcome.faults += 1
            await crowd.go_on(1)
            outcome.back.append(time.monotonic() - began)
            await crowd.go_on(MOVES)
            touched = [each for each in crowd.memories if seen.get(each.table_id) != each.told]
            seen |= {each.table_id: each.told for each in touched}
            found = await asyncio.to_thread(look, settings, touched, verify=False)
            outcome.on_the_way += found.bad
    outcome.found = await asyncio.to_thread(look, settings, crowd.memories)
    outcome.wrong = crowd.wrong
    outcome.sentences = crowd.sentences
    return outcome
