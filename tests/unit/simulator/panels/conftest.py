from collections.abc import Iterator

import pytest

from simulator.line.harness import LineHarness


@pytest.fixture
def line() -> Iterator[LineHarness]:
    with LineHarness() as harness:
        yield harness
