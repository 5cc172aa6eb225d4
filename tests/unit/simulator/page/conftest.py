from collections.abc import Iterator

import pytest

from simulator.line.rehearsal import Rehearsal


@pytest.fixture
def line() -> Iterator[Rehearsal]:
    with Rehearsal() as rehearsal:
        yield rehearsal
