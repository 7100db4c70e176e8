"""Matches in a Parquet file, one in each row. It needs PyArrow, the extra `parquet`.

>>> import tempfile
>>> from pathlib import Path
>>> import pyarrow.parquet
>>> path = Path(tempfile.mkdtemp()) / "results.parquet"
>>> written = simulate_to_parquet("rapido", path, games=20, seed=1, players_are=["casual", "random"])
>>> written.matches, len(written.columns)
(20, 35)
>>> table = pyarrow.parquet.read_table(path, columns=["player_0", "score_0", "winner"])
>>> table.num_rows, table["player_0"][0].as_py()
(20, 'casual')
>>> simulate_to_parquet("rapido", path)
Traceback (most recent call last):
    ...
teerling.errors.TeerlingError: ...results.parquet already exists; choose another name, or use --force
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import Phrase, TeerlingError
from ..game import Game
from ..limits import within
from .plot import check_place
from .simulate import MOST_THREADS, cores, ignore
from .study import Row, Study
from .workers import check_ray, spread

SUFFIX = ".parquet"
ROWS = 4096
"""How many matches are kept before they are written together, as a row group."""
ABOUT = "teerling"
"""Under which name the file says what it is, as JSON among the metadata of its schema."""


@dataclass(frozen=True)
class StudyFile:
    """A file that was written: where it is, and what it says about itself."""

    path: Path
    matches: int
    columns: tuple[str, ...]
    about: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """The same, ready for JSON."""
        return {"path": str(self.path), "columns": list(self.columns), **self.about}


def simulate_to_parquet(
    game: Game | str,
    path: str | Path,
    players: int | None = None,
    games: int = 1000,
    seed: int = 1,
    options: Mapping[str, Any] | None = None,
    players_are: Sequence[str] = ("random",),
    rotate: bool = False,
    luck: int = 0,
    workers: int | None = 1,
    ray: bool = False,
    force: bool = False,
    progress: Callable[[int], None] | None = None,
) -> StudyFile:
    """Plays matches to their end and writes each as a row of a Parquet file.

    Players are named seat by seat; fewer than there are seats take turns. They stay at their seats, or sit
    one further in each match with `rotate`. `luck` is by how many playouts from every position luck is
    measured. With several workers (None: one a core) a script needs the usual `if __name__ == "__main__":`.
    With `ray` the matches are spread over a Ray cluster: the one that RAY_ADDRESS names, or one that begins
    and ends on this machine. None of that changes what stands in the file. There is no file under that name
    before it is whole; one that is there already stays as it is, unless `force`. `progress` is told how many
    games are done.
    """
    study = Study.of(game, players_are, games, seed, players, options, rotate, luck)
    workers = cores() if workers is None else within("workers", workers, 1, MOST_THREADS)
    place = Path(path)
    check_new(place, force)
    if ray:
        check_ray()
    about = study.about(place.name)
    study.warm_up()
    with replaced(place, force) as unfinished:
        write(study, unfinished, about, spread(study, study.jobs, workers, ray, True), progress or ignore)
    return StudyFile(place, study.games, tuple(column.name for column in study.columns), about)


def check_new(path: Path, force: bool = False) -> None:
    """Refuses a path at which no file of matches can be written, before any is played."""
    if path.suffix.lower() != SUFFIX:
        raise TeerlingError(Phrase("{path}: a file of matches ends in .parquet", path=path))
    check_place(path, Phrase)
    if path.exists() and not force:
        raise already_there(path)
    try:
        import_module("pyarrow.parquet")
    except ImportError:
        raise TeerlingError(Phrase("a Parquet file needs PyArrow: pip install 'teerling[parquet]'")) from None


def already_there(path: Path) -> TeerlingError:
    return TeerlingError(Phrase("{path} already exists; choose another name, or use --force", path=path))


@contextmanager
def replaced(path: Path, force: bool) -> Iterator[Path]:
    """A file beside the one that is wanted, which takes its place once it is whole."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield unfinished
        if path.exists() and not force:
            raise already_there(path)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def schema_of(study: Study, about: Mapping[str, Any]) -> Any:
    """The columns for Arrow, each with its meaning, and what the file says about itself."""
    arrow: Any = import_module("pyarrow")
    fields = [
        arrow.field(column.name, arrow.type_for_alias(column.type), metadata={"meaning": column.meaning})
        for column in study.columns
    ]
    return arrow.schema(fields, metadata={ABOUT: json.dumps(about)})


def write(
    study: Study,
    path: Path,
    about: Mapping[str, Any],
    played: Iterator[list[Row]],
    progress: Callable[[int], None],
) -> None:
    """Writes matches as they come, so many at a time."""
    arrow: Any = import_module("pyarrow")
    schema = schema_of(study, about)
    waiting: list[Row] = []
    done = 0
    progress(done)
    with import_module("pyarrow.parquet").ParquetWriter(path, schema, compression="zstd") as file:
        for rows in played:
            waiting += rows
            done += len(rows)
            if len(waiting) >= ROWS or done == study.games:
                file.write_table(arrow.Table.from_pylist(waiting, schema), row_group_size=len(waiting))
                waiting = []
            progress(done)
