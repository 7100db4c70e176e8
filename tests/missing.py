"""What a test says where something that it needs is not installed."""

import os
from typing import NoReturn

import pytest


def is_missing(what: str, so: str) -> NoReturn:
    """Skips loudly, or fails under CI=true, where everything has to be there."""
    message = f"{what.upper()} IS NOT INSTALLED: {so}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
