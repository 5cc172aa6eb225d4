import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared import logs
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.store import Conversation, Conversations
from shared.conversation.withdrawal import Withdrawal
from shared.handlers.unsend import withdrawal_of
from tests.support.chats import conversations_on

CHAT = "U" + "1" * 32


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
def conversations(store: MemoryObjectStore, reads: ThreadPoolExecutor, clock: FixedClock) -> Conversations:
    return conversations_on(store, reads, clock)


@pytest.fixture
def chat(conversations: Conversations) -> Conversation:
    return conversations.of(CHAT)


@pytest.fixture
def withdrawal(clock: FixedClock) -> Withdrawal:
    return withdrawal_of(clock)
