import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared import logs
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.store import Memory
from tests.support.chats import memory_on


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What is logged, a line a fact."""
    stream = io.StringIO()
    logs.configure(stream)
    yield stream
    logs.configure()


@pytest.fixture(scope="session")
def reads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


@pytest.fixture
def store() -> MemoryObjectStore:
    return MemoryObjectStore()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(store: MemoryObjectStore, reads: ThreadPoolExecutor, clock: FixedClock) -> Memory:
    return memory_on(store, reads, clock)
