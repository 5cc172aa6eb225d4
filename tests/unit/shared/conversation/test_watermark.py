"""The watermark of a chat: which looks read it, and how they learn of erasures without reading it."""

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_log import AmendmentLog
from shared.conversation.amendment_notes import NEWEST_READ
from shared.conversation.records import Amendment
from shared.conversation.watermark import KEPT_S
from shared.storage.object_store import StoredObject
from tests.support.chats import conversations_on, message
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32


class CountingStore(MemoryObjectStore):
    """A bucket that counts reads of the watermark."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def read(self, name: str) -> StoredObject | None:
        self.reads += name.startswith("erased/")
        return super().read(name)


@pytest.fixture
def store() -> CountingStore:
    return CountingStore()


def log_on(store: MemoryObjectStore, clock: FixedClock) -> AmendmentLog:
    """Return the amendments of the chat, as another instance has them."""
    return conversations_on(store, InlineExecutor(), clock).of(CHAT).amendments


def test_an_instance_reads_the_watermark_once_for_all_looks(store: CountingStore, clock: FixedClock) -> None:
    conversations = conversations_on(store, InlineExecutor(), clock)
    clock.move(KEPT_S)  # however long the instance has lived

    for _ in range(3):
        conversations.of(CHAT).amendments.look()
        conversations.of(CHAT).amendments.begin_look()(frozenset(), frozenset())

    assert store.reads == 1


def test_the_watermark_is_read_again_after_some_minutes(store: CountingStore, clock: FixedClock) -> None:
    amendments = log_on(store, clock)
    amendments.look()
    clock.move(KEPT_S)

    amendments.look()

    assert store.reads == 2


@pytest.mark.parametrize("spares_entries", [False, True])
def test_a_look_sees_the_erasure_of_another_instance_at_once(
    store: CountingStore, clock: FixedClock, spares_entries: bool
) -> None:
    amendments = log_on(store, clock)
    amendments.look()

    log_on(store, clock).erase(7, spares_entries=spares_entries)

    found = amendments.look()
    assert (found.erased_ms, found.erased_entries_ms) == (7, -1 if spares_entries else 7)
    assert found.withdrawn == frozenset()


def test_an_older_erasure_does_not_lower_the_marks(store: CountingStore, clock: FixedClock) -> None:
    amendments = log_on(store, clock)
    amendments.erase(7)
    amendments.erase(9, spares_entries=True)

    amendments.erase(8)

    found = amendments.look()
    assert (found.erased_ms, found.erased_entries_ms) == (9, 8)


def test_the_mark_of_an_erasure_is_read_however_much_is_withdrawn_after_it(
    store: CountingStore, clock: FixedClock
) -> None:
    amendments = log_on(store, clock)
    amendments.look()
    log_on(store, clock).erase(7)
    for number in range(NEWEST_READ + 1):
        amendments.amend(Amendment(line_message_id=f"m{number}", timestamp_ms=9))

    assert amendments.look().erased_ms == 7


def test_the_watermark_outlasts_its_marks(store: CountingStore, clock: FixedClock) -> None:
    log_on(store, clock).erase(7)
    for mark in store.list("amended/"):
        store.delete(mark.name)

    found = log_on(store, clock).look()

    assert (found.erased_ms, found.erased_entries_ms) == (7, 7)
    assert found.hides(message(7, timestamp_ms=7))
