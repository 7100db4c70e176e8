"""Players against each other: every deal is played again by every seating.

>>> from teerling.lab import arena
>>> result = arena("rapido", ["heuristic", "random"], games=8, seed=1)
>>> result.deals, result.seatings
(4, (('heuristic', 'random'), ('random', 'heuristic')))
>>> [standing.games for standing in result.standings], sum(standing.wins for standing in result.standings)
([8, 8], 8.0)

A deal is a seed of chance: in Ra and Priests of Ra the tiles come in the same order for all, a die
falls the same way each time it is thrown. What a player draws for itself follows from the seed, the
deal, its seat and the number of the move. So neither how many work at it nor how often it was stopped
changes a result. Five or six players who all differ have more than a hundred ways to sit down: then
everybody moves up seat by seat, and has the same neighbours in all of them.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import Phrase, TeerlingError
from ..game import Game
from ..game import game as game_of
from ..limits import within
from ..players import Chooser, offer
from .contest import Contest, Played
from .results_file import ResultsFile
from .simulate import MOST_THREADS, cores, ignore
from .standings import ArenaResults, Standing, mean_interval, standings
from .workers import check_ray, spread


@dataclass(frozen=True)
class Arena:
    """What came of an arena: its matches, and how every player did."""

    contest: Contest
    played: tuple[Played, ...]
    """The matches of whole deals, in order."""
    stopped: bool = False
    """Whether somebody ended it before all was played."""

    @property
    def game(self) -> Game:
        return self.contest.game

    @property
    def seatings(self) -> tuple[tuple[str, ...], ...]:
        return self.contest.seatings

    @property
    def deals(self) -> int:
        return len(self.played) // len(self.seatings)

    @cached_property
    def results(self) -> ArenaResults:
        """All matches as arrays."""
        names = tuple(dict.fromkeys(self.contest.names))
        shape = (self.deals, len(self.seatings), len(self.contest.names))

        def table(name: str, dtype: Any) -> Any:
            return np.array([getattr(match, name) for match in self.played], dtype).reshape(shape)

        return ArenaResults(
            names,
            np.array([[names.index(name) for name in seating] for seating in self.seatings]),
            table("scores", np.int64),
            table("ranks", np.int64),
            table("decisions", np.int64),
            table("seconds", np.float64),
            table("luck", np.float64) if self.contest.luck else None,
        )

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """How every player did, in the order in which they were named."""
        return tuple(standings(self.results))

    @property
    def command(self) -> str:
        """What repeats it."""
        contest = self.contest
        words = ["teerling", "arena", contest.id, *contest.names, "--games", str(len(self.played))]
        words += ["--seed", str(contest.seed), "--luck", str(contest.luck)]
        for name, value in self.game.chosen_options(contest.options).items():
            words += ["--option", f"{name}={value}"]
        return shlex.join(words)

    def as_dict(self) -> dict[str, Any]:
        """Everything but the single matches, ready for JSON."""
        winning = self.results.winning_scores
        count = len(self.contest.names)
        return {
            "game": self.contest.id,
            "rules": self.game.version,
            "options": self.game.format_options(self.contest.options),
            "seed": self.contest.seed,
            "luck": self.contest.luck,
            "games": len(self.played),
            "deals": self.deals,
            "seatings": [list(seating) for seating in self.seatings],
            "stopped": self.stopped,
            "even": {"win_rate": 1 / count, "mean_rank": (count + 1) / 2},
            "mean_winning_score": float(winning.mean()),
            "winning_score_interval": list(mean_interval(winning, -inf, inf)) if self.deals > 1 else None,
            "players": [standing.as_dict() for standing in self.standings],
            "command": self.command,
        }


def arena(
    game: Game | str,
    players: Sequence[str | Chooser],
    games: int = 400,
    seed: int = 1,
    options: Mapping[str, Any] | None = None,
    workers: int | None = 1,
    out: Path | None = None,
    ray: bool = False,
    progress: Callable[[int], None] | None = None,
    luck: int | None = None,
) -> Arena:
    """Lets players play against each other, and gathers what came of it.

    Players are named, or are players of one's own; those are known by their names from then on.
    As many games as asked for are played, or a few more: every deal by every seating. With a file
    `out` it goes on where that file ends. `progress` is told how many games are done. An interrupt
    (Ctrl-C) ends it early; what there is by then comes back. With several workers (None: one a core)
    a script needs the usual `if __name__ == "__main__":`. With `ray` the matches are spread over a Ray
    cluster: the one that RAY_ADDRESS names, or one that begins and ends on this machine. `luck` is by
    how many playouts from every position luck is measured, so that there are results without it, too:
    usually a few where somebody searches, otherwise none.
    """
    of = game_of(game)
    names = [each if isinstance(each, str) else offer(each).name for each in players]
    contest = Contest.between(of, names, seed, options, luck)
    jobs = contest.jobs(games)
    workers = cores() if workers is None else within("workers", workers, 1, MOST_THREADS)
    if ray:
        check_ray()
    tell = progress or ignore
    stopped = False
    with closing(ResultsFile(contest, out)) as results_file:
        known = results_file.open()
        try:
            contest.warm_up()
            done = sum(job in known for job in jobs)
            tell(done)
            for match in spread(contest, [job for job in jobs if job not in known], workers, ray):
                known[match.job] = match
                results_file.add(match)
                done += 1
                tell(done)
        except KeyboardInterrupt:
            stopped = True
    whole = [known[job] for job in jobs if all((job[0], n) in known for n in range(len(contest.seatings)))]
    if not whole:
        raise TeerlingError(Phrase("stopped before a deal was played by every seating"))
    return Arena(contest, tuple(whole), stopped)
