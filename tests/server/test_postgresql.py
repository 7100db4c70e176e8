"""PostgreSQL, a real one: what every database must do, and what happens when it is locked or goes away."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from teerling.server.storage import Storage
from tests.server import cluster as clusters
from tests.server.cluster import Cluster
from tests.server.migrating import RELEASED, check_fresh, check_upgrade
from tests.server.storage_failures import check_gone, check_lost_answer, opened_at
from tests.server.storing import Storing


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with clusters.cluster() as made:
        yield made


@pytest.fixture
def url(cluster: Cluster) -> str:
    return cluster.new_database()


class TestPostgresql(Storing):
    """All of them, in PostgreSQL."""


def test_a_fresh_database_is_what_the_program_expects(empty: Storage) -> None:
    check_fresh(empty)


@pytest.mark.parametrize("schema", RELEASED)
def test_every_released_schema_is_brought_up_to_date(empty: Storage, schema: str) -> None:
    check_upgrade(empty, schema)


def test_it_goes_away_and_comes_back(cluster: Cluster, url: str, tmp_path: Path) -> None:
    with opened_at(tmp_path, url) as at:
        cluster.stop(at_once=True)
        try:
            check_gone(at, reading=False)
        finally:
            cluster.start()
        at.check_back()


def test_somebody_else_holds_a_lock(url: str, tmp_path: Path) -> None:
    with opened_at(tmp_path, url) as at:
        with psycopg.connect(url) as lock:
            lock.execute("lock table entries in access exclusive mode")
            check_gone(at, reading=True)
        at.check_back()


def test_a_commit_whose_answer_was_lost_is_not_made_twice(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_at(tmp_path, url) as at:
        check_lost_answer(at, monkeypatch)
