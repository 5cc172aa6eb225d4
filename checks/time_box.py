"""A plugin of pytest: `--time-box SECONDS` skips every test that would begin later than so many seconds after the start."""

from __future__ import annotations

import time
from typing import Final

import pytest

_BEGUN_S: Final = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--time-box", type=float, default=None, help="skip tests that would begin after so many seconds")


def pytest_configure(config: pytest.Config) -> None:
    """Start the clock."""
    config.stash[_BEGUN_S] = time.monotonic()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip the test, if the time is over."""
    seconds = item.config.getoption("--time-box")
    if seconds is not None and time.monotonic() - item.config.stash[_BEGUN_S] > seconds:
        pytest.skip("the time is over")
