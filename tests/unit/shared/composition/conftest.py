from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.people import Person
from tests.support.pushed import PushedWorker


@pytest.fixture
def worker() -> Iterator[PushedWorker]:
    with ThreadPoolExecutor(16) as threads:
        yield PushedWorker(threads)


@pytest.fixture
def friend(worker: PushedWorker) -> Person:
    """A person who is alone with the bot."""
    return Person(worker, is_in_group=False)
