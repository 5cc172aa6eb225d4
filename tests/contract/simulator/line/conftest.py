from collections.abc import Iterator

import pytest

from simulator.line.harness import LineHarness
from tests.support.serving import Served, served


@pytest.fixture
def line() -> Iterator[LineHarness]:
    with LineHarness() as harness:
        yield harness


@pytest.fixture
def api(line: LineHarness) -> Iterator[Served]:
    with served(line.platform.app) as running:
        yield running
