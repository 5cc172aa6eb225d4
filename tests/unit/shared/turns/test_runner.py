"""The runner: what is left of a turn when a delivery fails on the way."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.errors import StorageUnavailableError
from shared.storage.object_store import StoredObject
from tests.support.turns import RepliedChat


class StoreWithoutSnapshots(MemoryObjectStore):
    """A bucket that does not answer when a snapshot is read, as often as `failures` says."""

    failures = 0

    def read(self, name: str) -> StoredObject | None:
        if self.failures and name.startswith("snapshots/"):
            self.failures -= 1
            raise StorageUnavailableError("down")
        return super().read(name)


def test_turn_that_was_opened_beside_a_failed_read_is_free_again(pool: ThreadPoolExecutor) -> None:
    store = StoreWithoutSnapshots()
    chat = RepliedChat(pool, clock=FixedClock(), store=store)
    message = chat.message(1)
    store.failures = 4

    for _ in range(4):
        with pytest.raises(StorageUnavailableError):
            chat.deliver(message)

    assert chat.conversation.turn.read().record.state == "idle"
    assert chat.deliver(message) == "replied"
    assert chat.questions == [("m1",)]
