import io
from collections.abc import Iterator

import pytest

from shared import logs


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What is logged, a line a fact."""
    stream = io.StringIO()
    logs.configure(stream)
    yield stream
    logs.configure()
