"""The server that pages, frames and programs are tried on."""

from collections.abc import Iterator

import pytest

from tests.fuzz.siege import Siege, besieged


@pytest.fixture(scope="module")
def siege(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Siege]:
    with besieged(tmp_path_factory.mktemp("besieged")) as made:
        yield made
