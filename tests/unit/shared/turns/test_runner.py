"""The runner: what is left of a turn when a delivery fails on the way."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.errors import StorageUnavailableError
from shared.storage.object_store import StoredObject
from tests.support.chats import conversations_on, message
from tests.support.turns import RepliedChat


class StoreWithoutSnapshots(MemoryObjectStore):
    """A bucket that does not answer when a snapshot is read, as often as `failures` says."""

    failures = 0

    def read(self, name: str) -> StoredObject | None:
        if self.failures and name.startswith("snapshots/"):
            self.failures -= 1
            raise StorageUnavailableError("down")
        return super().read(name)


class CompactedStore(MemoryObjectStore):
    """A bucket from which a compaction takes a message, once it was listed and before it is read."""

    taken: str | None = None

    def read(self, name: str) -> StoredObject | None:
        if name == self.taken:
            self.taken = None
            self.delete(name)
        return super().read(name)


def test_turn_that_was_opened_beside_a_failed_read_is_free_again(pool: ThreadPoolExecutor) -> None:
    store = StoreWithoutSnapshots()
    chat = RepliedChat(pool, clock=FixedClock(), store=store)
    asked = chat.message(1)
    store.failures = 4

    for _ in range(4):
        with pytest.raises(StorageUnavailableError):
            chat.deliver(asked)

    assert chat.conversation.turn.read().record.state == "idle"
    assert chat.deliver(asked) == "replied"
    assert chat.questions == [("m1",)]


def test_turn_that_was_opened_for_a_redelivery_is_free_again(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    first, second = chat.message(1), chat.message(2)
    assert [chat.deliver(first), chat.deliver(second)] == ["replied", "replied"]

    assert chat.deliver(first) == "already_answered"

    assert chat.conversation.turn.read().record.state != "thinking"
    assert chat.questions == [("m1",), ("m2",)]


def test_message_is_answered_at_once_where_a_compaction_passes_while_the_chat_is_read(pool: ThreadPoolExecutor) -> None:
    clock, store = FixedClock(), CompactedStore()
    chat = RepliedChat(pool, clock=clock, store=store)
    context = message(7, addressed=False, timestamp_ms=clock.now_ms())
    conversations_on(store, pool, clock).of(chat.conversation.id).journal.keep(context)
    store.taken = chat.conversation.names.message("m7")

    assert chat.deliver(chat.message(8)) == "replied"

    assert store.read(chat.conversation.names.message("m7")) is None
    assert clock.monotonic_s() < 1
