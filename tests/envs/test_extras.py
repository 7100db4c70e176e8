"""An environment whose project is not installed says what to install."""

import sys
from importlib import import_module

import pytest

from teerling.envs.extras import MissingExtra


@pytest.mark.parametrize(("module", "project"), [
    ("pettingzoo", "pettingzoo"), ("gymnasium", "gymnasium"), ("openspiel", "pyspiel"),
])  # fmt: skip
def test_a_missing_project_names_the_extra(
    module: str, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, project, None)
    monkeypatch.delitem(sys.modules, f"teerling.envs.{module}", raising=False)
    with pytest.raises(MissingExtra, match=rf"is not installed: pip install 'teerling\[{module}\]"):
        import_module(f"teerling.envs.{module}")
