from collections.abc import Iterator

import pytest

from simulator.line.rehearsal import Rehearsal
from tests.support.serving import Served, served


@pytest.fixture
def line() -> Iterator[Rehearsal]:
    with Rehearsal() as rehearsal:
        yield rehearsal


@pytest.fixture
def api(line: Rehearsal) -> Iterator[Served]:
    with served(line.platform.app) as running:
        yield running
